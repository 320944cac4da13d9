// SPDX-License-Identifier: Apache-2.0
// Messages to the log of the user.
#ifndef TRMI_SOLVER_INTEGRATOR_LOG_H
#define TRMI_SOLVER_INTEGRATOR_LOG_H

#include "trammel/simulation.h"

enum { TRMI_LOG_KINDS = 8, TRMI_LOG_TEXT = 256 };

// How often there was a warning of each kind; a kind is a format.
typedef struct trmi_log_counts {
    const char *format[TRMI_LOG_KINDS];
    long count[TRMI_LOG_KINDS];
    char text[TRMI_LOG_KINDS][TRMI_LOG_TEXT]; // of the last one that was shown
} trmi_log_counts;

// One line for the log function of the options, if the level is wanted. After the fifth of one kind
// warnings are counted only.
void trmi_log(trm_simulation *s, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports how many warnings were only counted; once, at the end.
void trmi_log_conclude(trm_simulation *s);

#endif
