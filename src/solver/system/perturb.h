// SPDX-License-Identifier: Apache-2.0
// States around a point, the same in every run.
#ifndef TRMI_SOLVER_SYSTEM_PERTURB_H
#define TRMI_SOLVER_SYSTEM_PERTURB_H

#include "solver/system/evaluator.h"

enum { TRMI_PERTURBED_STATES = 3 }; // that are evaluated

// to = from, moved by up to a thousandth of the typical sizes (or of the values, where those are
// larger), at the same time. The seed, 1 at first, goes on.
void trmi_perturb_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to,
                        uint64_t *seed);

#endif
