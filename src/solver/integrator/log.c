// SPDX-License-Identifier: Apache-2.0
// Messages to the log of the user.
#include "solver/integrator/log.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <stdarg.h>
#include <stdio.h>

// Counts a warning; its kind, -1: there are too many kinds.
static int count_warning(trmi_log_counts *logged, const char *format)
{
    int k = 0;
    while (k < TRMI_LOG_KINDS && logged->format[k] && logged->format[k] != format)
        k++;
    if (k == TRMI_LOG_KINDS)
        return -1;
    logged->format[k] = format;
    logged->count[k]++;
    return k;
}

void trmi_log(trm_simulation *s, trm_log_level level, const char *format, ...)
{
    if (!s->options.log || level > s->options.log_level)
        return;
    trmi_log_counts *logged = &s->logged;
    int kind = level == TRM_LOG_WARNING ? count_warning(logged, format) : -1;
    if (kind >= 0 && logged->count[kind] > TRMI_SHOWN_OF_A_KIND)
        return;
    char own[TRMI_LOG_TEXT], *text = kind >= 0 ? logged->text[kind] : own;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, TRMI_LOG_TEXT, format, arguments);
    va_end(arguments);
    s->options.log(level, text, s->options.user);
}

void trmi_log_conclude(trm_simulation *s)
{
    for (int k = 0; k < TRMI_LOG_KINDS; k++) {
        long more = s->logged.count[k] - TRMI_SHOWN_OF_A_KIND;
        char text[TRMI_LOG_TEXT + 64];
        if (more <= 0)
            continue;
        snprintf(text, sizeof text, "and %ld more warning%s of the kind \"%s\"", more,
                 more == 1 ? "" : "s", s->logged.text[k]);
        s->options.log(TRM_LOG_WARNING, text, s->options.user);
    }
}
