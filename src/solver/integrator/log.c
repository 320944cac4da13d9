// SPDX-License-Identifier: Apache-2.0
// Messages to the log of the user.
#include "solver/integrator/log.h"

#include "solver/integrator/simulation.h"

#include <stdarg.h>
#include <stdio.h>

void trmi_log(const trm_simulation *s, trm_log_level level, const char *format, ...)
{
    if (!s->options.log || level > s->options.log_level)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->options.log(level, text, s->options.user);
}
