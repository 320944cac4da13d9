// SPDX-License-Identifier: Apache-2.0
// What the explicit integrators share. They solve the index-1 form
//
//     q' = v,   v' = a(t, q, v, x),   x' = c(t, q, v, x, z, lambda)
//
// where a and lambda come from M a + G^T lambda = f, G a + gamma = 0, and z is settled; and move
// every new point onto g = 0 and G v + g_t = 0. A rate is the array [a | x'].
#ifndef TRMI_SOLVER_INTEGRATOR_EXPLICIT_ODE_H
#define TRMI_SOLVER_INTEGRATOR_EXPLICIT_ODE_H

#include "solver/formulation/saddle.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/explicit/tableau_853.h"
#include "solver/integrator/method.h"
#include "solver/integrator/simulation.h"

enum { TRMI_RATES = TRMI_RATES_853 + 1 };

typedef struct trmi_ode {
    int size;                 // of a rate: n_q + n_x
    double *rate[TRMI_RATES]; // adams: newest first; explicit: stages
    double t[TRMI_RATES];     // adams: their times
    int count;                // adams: number of past rates
    double *difference;       // adams: a divided difference of rates; explicit: those dense found
    bool dense_evaluated;     // explicit: the equations at the point that dense gave last
    trmi_point stage;         // where stages are evaluated
    trmi_tableau_853 *tableau;
    bool powers_kept; // explicit: `power` has those of the stages of the last attempt, for the
    double power[TRMI_STAGES_853]; // energy balance
    bool stages_kept;              // explicit: the stages are those of the last accepted step,
    bool extended;                 // and those of the dense output have been added
    bool swings;                   // explicit: the last step is near the limit of stability
    int low_orders;                // adams: steps of low order in a row
    int stiff_signs, calm_steps;
    bool stiff; // the system appears to be stiff
} trmi_ode;

static inline trmi_ode *trmi_ode_of(const trm_simulation *s)
{
    return s->state;
}

// Memory for so many rates, and for the tableau of Runge-Kutta steps.
bool trmi_ode_create(trm_simulation *s, trmi_ode *ode, int rates, bool tableau);

// a, lambda and z at (t, q, v, x) of p, guesses of lambda and z given; rate = [a | x']. The matrix
// keeps its factors.
trmi_outcome trmi_ode_evaluate(trm_simulation *s, trmi_saddle *saddle, trmi_point *p, double *rate);

// A sum of rates: v += sum_j v[j] rate_j, x likewise, q += sum_j q[j] rate_j.
typedef struct trmi_weights {
    int count;
    double v[TRMI_RATES], q[TRMI_RATES];
} trmi_weights;

// q = q_0 + h v_0 + sum, v = v_0 + sum, x = x_0 + sum; z and lambda are those of `from`, which may
// be `to`
void trmi_ode_advance(const trm_simulation *s, const trmi_ode *ode, const trmi_point *from,
                      double h, const trmi_weights *w, trmi_point *to);
// out (n) += sum_j weight[j] rate_j, from entry `first` of the rates on
void trmi_add_rates(const trmi_ode *ode, int count, const double *weight, int first, int n,
                    double *restrict out);

// ode_project.c: q and v of a point close to the constraints onto them, with the factors at hand;
// remembers the residuals that are left
trmi_outcome trmi_ode_project(trm_simulation *s, trmi_point *p);

// Whether steps have become short close to a singular position: TRM_ERR_SINGULAR with a report.
trm_status trmi_ode_check_rank(trm_simulation *s);
// The present point becomes the only one of the past; its rate.
trm_status trmi_ode_begin(trm_simulation *s, double t_end, double *rate);

// stiffness.c

bool trmi_ode_appears_stiff(const trm_simulation *s);
// h |f(y) - f(y*)| / |y - y*| of two states of the same time, by the differences of q, of (v, x)
// and of their rates: h times the largest eigenvalue, if it is large
double trmi_ode_stiffness(const trm_simulation *s, double h, const double *q, const double *v,
                          const double *rate);
// The magnitude of the largest eigenvalue of the rates at a point by some steps of the power method
// with differences: above a bound about its value, below it a bound of its own, 0 where it cannot
// be found.
double trmi_ode_eigenvalue(trm_simulation *s, const trmi_point *at, const double *rate,
                           double bound);
// Counts one more step with signs of stiffness, or without: enough of them in a row are reported,
// once.
void trmi_ode_watch_stiffness(trm_simulation *s, bool sign);

void trmi_ode_archive(trm_simulation *s, int rates, trmi_archive *archive);

// Advice of both where the energy is not kept.
#define TRMI_ODE_ADVICE TRMI_TIGHTEN ", or use radau-adaptive if fast oscillations limit the steps"

#endif
