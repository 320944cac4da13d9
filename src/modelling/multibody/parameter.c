// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/parameter.h"

#include <stdarg.h>
#include <stdio.h>

static void report(trmi_finish *finish, const char *key, trmi_notice notice, const char *format,
                   va_list arguments)
{
    char text[400];
    vsnprintf(text, sizeof text, format, arguments);
    finish->report(finish, key, notice, text);
}

bool trmi_finish_error(trmi_finish *finish, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(finish, key, TRMI_NOTICE_ERROR, format, arguments);
    va_end(arguments);
    return false;
}

bool trmi_finish_key_error(trmi_finish *finish, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(finish, key, TRMI_NOTICE_KEY_ERROR, format, arguments);
    va_end(arguments);
    return false;
}

void trmi_finish_warning(trmi_finish *finish, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(finish, key, TRMI_NOTICE_WARNING, format, arguments);
    va_end(arguments);
}
