// SPDX-License-Identifier: Apache-2.0
// Positions onto the constraints where these depend on each other.
#ifndef TRMI_SOLVER_FORMULATION_POSITION_ASSEMBLY_H
#define TRMI_SOLVER_FORMULATION_POSITION_ASSEMBLY_H

#include "solver/system/evaluator.h"

// Moves q of a point onto g = 0 by Levenberg and Marquardt, which needs no full rank:
//     (G G^T + mu I) nu = -g,  q += G^T nu,  mu = |g|^2
// converges quadratically also where rows follow from others. The matrix is dense: false beyond a
// size, or when there is no convergence. z is brought to b = 0 in every iteration.
bool trmi_assemble(trmi_values *values, trmi_memory *memory, trmi_point *p, int *iterations);

#endif
