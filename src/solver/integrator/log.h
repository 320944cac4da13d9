// SPDX-License-Identifier: Apache-2.0
// Messages to the log of the user.
#ifndef TRMI_SOLVER_INTEGRATOR_LOG_H
#define TRMI_SOLVER_INTEGRATOR_LOG_H

#include "trammel/simulation.h"

// One line for the log function of the options, if the level is wanted.
void trmi_log(const trm_simulation *s, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
