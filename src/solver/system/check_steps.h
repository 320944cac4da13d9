// SPDX-License-Identifier: Apache-2.0
// Differences with many steps, and how sure each one is. With D(h), h = h_0/4^k, the next
// estimate is
//
//     A_k = D(h_k) + (D(h_k) - D(h_k-1))/15,   error of h^4
//     doubt_k = 4 (|A_k - A_k-1| + |A_k - A_k-2|) + roundoff of D(h_k)
//
// 4: what a finer step makes of roundoff. An estimate that agrees with two coarser ones by chance
// would have to do so twice.
#ifndef TRMI_SOLVER_SYSTEM_CHECK_STEPS_H
#define TRMI_SOLVER_SYSTEM_CHECK_STEPS_H

#include "solver/system/check_pattern.h"

// Differences that disagree with what is supplied by more than the tolerance become the surest ones
// of all steps, with their doubt. False: no memory.
bool trmi_check_steps(trmi_evaluator *bare, const trmi_point *p, trm_quantity quantity,
                      double tolerance, trmi_values *differences, trmi_memory *memory,
                      trmi_comparison *c);

#endif
