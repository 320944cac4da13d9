// SPDX-License-Identifier: Apache-2.0
// The alpha methods for constrained systems: Newmark, HHT and generalized-alpha, one family with
// the parameters alpha_m, alpha_f, beta, gamma. With phi and lambda DEFINED by M phi + G^T lambda =
// f, G phi + gamma_g = 0 at (t, q, v), and the algorithmic acceleration a,
//
//     (1 - am) a_{n+1} + am a_n = (1 - af) phi_{n+1} + af phi_n
//     q^ = q_n + h v_n + h^2 [ (1/2 - beta/(1-am)) a_n + beta af/(1-am) phi_n ]
//     v^ = v_n + h [ (1 - gamma/(1-am)) a_n + gamma af/(1-am) phi_n ]
//     b^ = beta (1-af)/(1-am),   g^ = gamma (1-af)/(1-am)
//
//     M (q - q^) - b^ h^2 f + G^T nu = 0,   g = 0
//     M (v - v^) - g^ h f + G^T mu = 0,     G v + g_t = 0
//
// After elimination of f, v is the projection, in the norm of M, of v* = v^ + g^/(b^ h) (q - q^).
// Hence the nested corrector (corrector.h) serves, with
//
//     cv = g^/(b^ h),  ca = 1/(g^ h),  bq = v^ - cv q^,  bv = -ca v^,  lambda~ = nu/(b^ h^2)
//
// First-order states x have the equation of v, with rates c and their own algorithmic rate. What is
// reported are phi and lambda, solved for at every new point, not a and nu.
//
//     alpha.c  parameters, steps        error.c  estimate, next step
//     dense.c  values inside a step
#ifndef TRMI_SOLVER_INTEGRATOR_ALPHA_ALPHA_H
#define TRMI_SOLVER_INTEGRATOR_ALPHA_ALPHA_H

#include "solver/integrator/simulation.h"

// A member of the family, and the leading terms of its local errors: in q, c_q h^3 phi'; in v,
// c_1 h^2 phi' + c_v h^3 phi''.
typedef struct trmi_alpha_member {
    double am, af, beta, gamma;
    double b_hat, g_hat;
    double c_q, c_1, c_v;
    int order; // 2, or 1 where c_1 is not 0
} trmi_alpha_member;

trmi_alpha_member trmi_alpha_member_of(const trm_options *options);

typedef struct trmi_alpha {
    trmi_alpha_member member;
    int size;            // of the arrays: n_q + n_x
    double *slope;       // [a_n | that of x], which goes with steps of length h_slope
    double h_slope;      // any where slope = rate
    double *rate;        // [phi_n | c_n]
    double *before;      // those of the point before,
    double h_before;     // so far back; 0: none since the start
    double *used;        // slope as the attempt had it
    double *rate_next;   // of the new point
    double *solved;      // [a | that of x] for which the corrector solved
    bool knows_solved;   // it did, with velocities that follow from positions
    double *shift[2];    // (v - v*)/h^2 of the last two steps, newest first,
    int shifts;          // so many since the start
    trmi_saddle *filter; // matrix that filters the error estimate
    bool rejected;       // the last attempt was
} trmi_alpha;

static inline trmi_alpha *trmi_alpha_of(const trm_simulation *s)
{
    return s->state;
}

extern const trmi_method trmi_method_newmark;
extern const trmi_method trmi_method_hht;
extern const trmi_method trmi_method_generalized_alpha;

// The functions of the methods, see method.h.
bool trmi_alpha_create(trm_simulation *s);
trm_status trmi_alpha_prepare(trm_simulation *s);
trm_status trmi_alpha_begin(trm_simulation *s, double t_end);
void trmi_alpha_reexpress(trm_simulation *s, const trmi_recentring *r);
void trmi_alpha_archive(trm_simulation *s, trmi_archive *archive);
trmi_outcome trmi_alpha_attempt(trm_simulation *s, trmi_step_trial *trial);
void trmi_alpha_accept(trm_simulation *s, const trmi_step_trial *trial);
// error.c
double trmi_alpha_estimate(trm_simulation *s, trmi_step_trial *trial);
void trmi_alpha_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial);
void trmi_alpha_plan(trm_simulation *s, const trmi_step_trial *trial);
// dense.c
void trmi_alpha_dense(trm_simulation *s, double t, trmi_point *p);

#endif
