// SPDX-License-Identifier: Apache-2.0
// The step loop of all methods.
#ifndef TRMI_SOLVER_INTEGRATOR_STEP_H
#define TRMI_SOLVER_INTEGRATOR_STEP_H

#include "solver/integrator/method.h"

// How the lengths of steps are found.
typedef struct trmi_step_rule {
    bool adapts; // by the error test, and by shorter attempts after failures; false: given
    // The first step as the options give it, 0: they do not.
    double (*first_step)(const trm_options *options);
    // The first steps of a multistep method, all at once; NULL: they are like the others.
    trm_status (*start)(trm_simulation *s, double t_end);
} trmi_step_rule;

// The rule of the options (fixed.c).
const trmi_step_rule *trmi_step_rule_of(const trm_options *options);

// One accepted step, at most to t_end.
trm_status trmi_step(trm_simulation *s, double t_end);

// h, or where times are coarse against it the difference of two times they can represent, not 0.
double trmi_step_of_times(double t, double h);
// The residuals of corrector.point into the statistics, from the last evaluation there.
void trmi_measure_residuals(trm_simulation *s);
// The smallest step worth trying.
double trmi_smallest_step(const trm_simulation *s, double t_end);

#endif
