// SPDX-License-Identifier: Apache-2.0
// Common to the fuzz targets.
#ifndef FUZZ_H
#define FUZZ_H

#include "modelling/reader/yaml/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Formats a diagnostic and insists on what every message has: a text, a place in its line, no
// control characters but the ends of lines and tabs of the source.
static inline void format_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    (void)user;
    char text[4096];
    int length = trm_diagnostic_format(diagnostic, text, sizeof text);
    if (length <= 0 || !diagnostic->text[0] || diagnostic->length < 1)
        abort();
    if ((diagnostic->line > 0) != (diagnostic->column > 0))
        abort();
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t')
            abort();
}

#endif
