// SPDX-License-Identifier: Apache-2.0
// Radau IIA for constrained mechanics: the stabilized index-2 form with the multipliers eliminated
// stage by stage. With Z_i = Q_i - q_n and t_i = t_n + c_i h the stages of a step satisfy
//
//     Q'_i = (1/h) sum_j Gamma_ij Z_j,             V'_i = (1/h) sum_j Gamma_ij (V_j - v_n)
//     M_i (Q'_i - V_i) + C_i^T mu_i = 0,           M_i V'_i = f_i - C_i^T lambda_i
//     g_i = 0,  A_i Q'_i + a_i = 0,                G_i V_i + g_t = 0,  A_i V_i + a_i = 0
//     X'_i = c_i,  b_i = 0
//
// mu and lambda are found by the tangent split of each stage (formulation/tangent.h), whose norm is
// that of M: what is left of two stages differs by components across the constraints only, and
// Newton with one matrix for all stages, that of the middle of the step, contracts by O(h^2).
//
//     radau_tableau.c  coefficients            radau_predict.c  start values, dense output
//     radau_middle.c   matrices                radau_residual.c right-hand sides
//     radau_stages.c   one iteration
//     radau_newton.c   its control             radau_error.c    estimate, next step
//     radau_coupled.c  one matrix for all      radau_order.c    number of stages
//     radau.c          steps
#ifndef TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_H
#define TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_H

#include "solver/formulation/shift_matrices.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/method.h"
#include "solver/integrator/radau/stage_matrix.h"
#include "solver/integrator/radau/tableau.h"
#include "solver/integrator/radau/tangent.h"
#include "trammel/simulation.h"

typedef struct trmi_radau_stage {
    trmi_point point; // t_i, Q_i, V_i, V'_i, X_i, z_i, lambda_i
    double *z;        // n_q, Z_i
    double *dx;       // n_x, X_i - x_n
    double *slope;    // n_q, Q'_i
    double *g;        // n_r + 1: position level
    double *level;    // n_r: C Q' + c_t
    double *offset;   // n_r: c_t
    double *rhs;      // n: right-hand side, then correction
    double *step;     // n_q: correction of Q_i along the constraints of the stage
    trmi_tangent tangent;
    double sweep_rate; // what a sweep for multipliers leaves of its change, 1: not known
} trmi_radau_stage;

// The polynomials of the last accepted step, y = [q | v | x | z | lambda] at its nodes.
typedef struct trmi_radau_past {
    bool exists;
    const trmi_radau_tableau *tableau;
    double t, h; // beginning and length
    double *y[TRMI_MAX_STAGES + 1];
} trmi_radau_past;

// What one attempt knows of its Newton iteration.
typedef struct trmi_radau_newton {
    int iterations;
    double first;     // size of the first correction, in units of the tolerance
    double placed;    // size of the last correction without its velocities
    double rate;      // contraction, 0 after a single iteration
    double remaining; // where it was too slow: what would be left, in units of the tolerance
} trmi_radau_newton;

// How many stages, and which corrector (radau_order.c).
typedef struct trmi_radau_order {
    int least, most;   // families that may be chosen
    int now;           // the one in use
    int since;         // accepted steps with it
    double failures;   // of Newton, lately
    int blocked;       // attempts before stages are added again
    bool coupled;      // one matrix for all stages
    bool always;       // in every step
    int left;          // accepted steps before a trial without
    bool trial;        // the next step is one
    double rate_alone; // found there: contraction without
    int returns;       // how often it was left
    bool denied;       // there is no memory for it
} trmi_radau_order;

typedef struct trmi_radau {
    trmi_radau_tableau family[TRMI_RADAU_FAMILIES]; // of 3, 5, 7 stages
    const trmi_radau_tableau *tableau;              // of the next attempt
    trmi_radau_order order;
    trmi_radau_stage stage[TRMI_MAX_STAGES];
    bool downward;        // the order in which the next sweep visits them
    trmi_point base;      // of the matrix: the middle of the step (coupled: its beginning), on the
                          // constraints, with a and lambda
    trmi_tangent tangent; // the split there
    trmi_shifted matrix;
    trmi_saddle split; // the splits' structure where blocks serve, otherwise that of the matrix
    trmi_stacked stacked[TRMI_RADAU_FAMILIES]; // without a solver until they are first needed
    bool index1;       // stages on the level of accelerations, steps projected
    bool set_exists;   // the matrix has derivatives
    bool set_wanted;   // but new ones are wanted
    double h_factored; // the step its factors belong to, 0: none
    trmi_radau_past past;
    trmi_radau_newton newton;
    double *rate;        // [a_n | x'_n]
    double *rate_next;   // the same at the end of the step
    double *work[2];     // a right-hand side each
    double *defect;      // [rho_q | rho_v | rho_x]
    double *error;       // [e_q | e_v | e_x]
    trmi_point filtered; // y_n + e
    double *transformed[TRMI_MAX_STAGES];
    double complex *pair; // a complex right-hand side
    // control
    double error_accepted, h_accepted; // of the last accepted step, 0: none
    double h_cap, h_failed;            // after a failure of Newton: longest step, its origin; 0
    int since_failure;                 // attempts since then
    bool rejected;                     // the last attempt was
} trmi_radau;

// radau_predict.c: the predicted stages and middle of a step of length h; the polynomial at t
void trmi_radau_predict(trm_simulation *s, double h);
void trmi_radau_predict_middle(trm_simulation *s, double h);
void trmi_radau_copy_beginning(trm_simulation *s);
void trmi_radau_dense(trm_simulation *s, double t, trmi_point *p);
// the stages and the new point become the past
void trmi_radau_keep(trm_simulation *s, double h, const trmi_point *end);

// radau_middle.c: the split in the middle (beginning) of the step, new derivatives there if they
// are wanted, and the factors for h; the solution of the transformed system for all stages'
// right-hand sides, left in `transformed`, and as stages in their place
trmi_outcome trmi_radau_prepare_matrix(trm_simulation *s, double h);
void trmi_radau_solve_transformed(trm_simulation *s, double h);
void trmi_radau_solve(trm_simulation *s, double h);
// the matrix with its set and the real factor, if it was in blocks; false: no memory, or singular
bool trmi_radau_leave_blocks(trm_simulation *s);

// radau_coupled.c: the matrix of all stages at once: whether there is one (false: no memory); its
// factors at the present stages; its solution for their right-hand sides
bool trmi_radau_couple(trm_simulation *s, int family);
trmi_outcome trmi_radau_factor_coupled(trm_simulation *s, double h);
void trmi_radau_solve_coupled(trm_simulation *s, double h);
// The same on trial: rate_alone becomes the contraction the transformed system would have.
void trmi_radau_try_alone(trm_simulation *s, double h);
void trmi_radau_archive_coupled(trm_simulation *s, trmi_archive *archive);

// The k-th stage that a sweep over all of them visits. Sweeps go up and down in turn
// (trmi_radau_turn after each): what one left in the caches is where the next begins.
static inline trmi_radau_stage *trmi_radau_visit(trmi_radau *r, int k)
{
    return &r->stage[r->downward ? r->tableau->s - 1 - k : k];
}

static inline void trmi_radau_turn(trmi_radau *r)
{
    r->downward = !r->downward;
}

// radau_residual.c: out = (1/h) sum_j Gamma_ij in_j, n entries; Q'_i of all stages; the residuals
// of stages that were looked at, as right-hand sides
void trmi_radau_differentiate(const trmi_radau *r, int i, double h, double *const *in, int n,
                              double *restrict out);
void trmi_radau_find_slopes(trm_simulation *s, double h);
// level = C v + c_t with the C of the stage
void trmi_radau_find_level(trmi_radau_stage *stage, const trmi_evaluator *e, const double *v);
// What there is to know of the stages without forces: C, M, the levels, velocities. *change (may be
// NULL) += the squares of what the last corrections of positions, along the constraints, mean for
// the velocities, in units of the tolerance.
trmi_outcome trmi_radau_evaluate_stages(trm_simulation *s, double h, double *change);
trmi_outcome trmi_radau_residuals(trm_simulation *s, double h, bool first);

// radau_stages.c: predicted stages onto g = 0, with their splits; one iteration, norm: the size of
// the corrections in units of the tolerance; after the last one, both levels to roundoff
trmi_outcome trmi_radau_start_stages(trm_simulation *s, double h);
trmi_outcome trmi_radau_correct_stages(trm_simulation *s, double h, bool first, double *norm);
void trmi_radau_finish_stages(trm_simulation *s, double h);
// the size of the last correction, its velocities along the constraints alone: roundoff in the
// constraints is no part of those
double trmi_radau_measure_along(trm_simulation *s, double h);
// p + d, where B (d, .) = (0, -rows): count entries of rows, those behind them 0
void trmi_radau_correct(trm_simulation *s, trmi_tangent *tangent, const double *rows, int count,
                        double *p);

// radau_newton.c: all stages of a step, after prediction and matrix
trmi_outcome trmi_radau_iterate(trm_simulation *s, double h);

// radau_error.c: the error of the step in units of the tolerance; the next step after an accepted
// one, one whose error was too large, and one whose Newton iteration failed
double trmi_radau_estimate(trm_simulation *s, double h);
void trmi_radau_accepted(trm_simulation *s, double h, double error);
void trmi_radau_rejected(trm_simulation *s, double h, double error);
void trmi_radau_not_converged(trm_simulation *s, double h, trmi_outcome reason);
// iterations per step at most
int trmi_radau_iteration_limit(const trm_simulation *s);

// radau_order.c: the families a run may choose from; the first one of a start; one of them; what an
// accepted step, and a failure of Newton, say of it
void trmi_radau_order_create(trm_simulation *s);
void trmi_radau_order_begin(trm_simulation *s);
void trmi_radau_use_family(trm_simulation *s, int family);
void trmi_radau_order_accepted(trm_simulation *s);
void trmi_radau_order_failed(trm_simulation *s, trmi_outcome reason);
// the coupled corrector for a step that cannot become shorter; false: it is in use already
bool trmi_radau_order_rescue(trm_simulation *s);
void trmi_radau_order_archive(trm_simulation *s, trmi_archive *archive);

// radau.c: the method
bool trmi_radau_create(trm_simulation *s);
trm_status trmi_radau_prepare(trm_simulation *s);
trm_status trmi_radau_begin(trm_simulation *s, double t_end);
trm_status trmi_radau_step(trm_simulation *s, double t_end);
void trmi_radau_archive(trm_simulation *s, trmi_archive *archive);
void trmi_radau_destroy(trmi_radau *radau); // NULL is allowed

// What the method keeps, in other coordinates.
void trmi_radau_reexpress(trm_simulation *s, const trmi_recentring *r);

#endif
