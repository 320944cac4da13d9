// SPDX-License-Identifier: Apache-2.0
// The framework of the tests, with what it wants included first, and what it lacks.
#ifndef TESTS_FRAMEWORK_H
#define TESTS_FRAMEWORK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%s", part, text);
}

#endif
