// SPDX-License-Identifier: Apache-2.0
// The explicit Runge-Kutta method of order 8.
#ifndef TRMI_SOLVER_INTEGRATOR_EXPLICIT_EXPLICIT_H
#define TRMI_SOLVER_INTEGRATOR_EXPLICIT_EXPLICIT_H

#include "solver/integrator/explicit/ode.h"

extern const trmi_method trmi_method_explicit;

// Its dense output (explicit_dense.c).
void trmi_explicit_dense(trm_simulation *s, double t, trmi_point *p);
const double *trmi_explicit_dense_rates(const trm_simulation *s);

// The twelve stages alone, from a point with its rate in ode->rate[TRMI_RESULT_853], evaluated with
// a matrix, and the result of order 8 in `to`, which may be `from`.
trmi_outcome trmi_explicit_stages(trm_simulation *s, trmi_ode *ode, trmi_saddle *saddle,
                                  const trmi_point *from, double h, trmi_point *to);
// q, v, x and t of stage i of such a step, by the rates of the stages before; z and multipliers are
// those of `from`.
void trmi_explicit_place(const trm_simulation *s, const trmi_ode *ode, const trmi_point *from,
                         double h, int i, trmi_point *p);
// The error of a step of length h by its stages, in units of the tolerance.
double trmi_explicit_error(const trm_simulation *s, trmi_ode *ode, double h);

#endif
