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
//     tableau.c   coefficients                 predict.c   start values, dense output
//     middle.c    matrices of a step           residual.c  right-hand sides
//     stages.c    one iteration                newton.c    its control
//     error.c     estimate, next step          order.c     number of stages
//     radau.c     steps                        stacked_stages.c  one matrix for all stages
//     stage_matrix.c, stage_matrix_small.c     that matrix
#ifndef TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_H
#define TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_H

#include "solver/formulation/shift_matrices.h"
#include "solver/formulation/tangent.h"
#include "solver/integrator/radau/stage_matrix.h"
#include "solver/integrator/radau/tableau.h"
#include "solver/integrator/simulation.h"

// The quantities of both levels of the constraints, at a point.
#define TRMI_RADAU_LEVELS                                                                          \
    (TRMI_POSITION_QUANTITIES | TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET))

typedef struct trmi_radau_stage {
    trmi_point point;                  // t_i, Q_i, V_i, V'_i, X_i, z_i, lambda_i
    double *z;                         // n_q, Z_i
    double *dx;                        // n_x, X_i - x_n
    double *slope;                     // n_q, Q'_i
    double *g;                         // n_r + 1: position level
    double *level;                     // n_r: C Q' + c_t
    double *offset;                    // n_r: c_t
    double *rhs;                       // n: right-hand side, then correction
    double *step;                      // n_q: correction of Q_i along the constraints of the stage
    double ahead[TRMI_MAX_STAGES + 1]; // weights of the nodes of the last step in its prediction
    trmi_tangent tangent;              // split of the stage
    double sweep_rate; // part of its change that a sweep for multipliers leaves, 1: not known
} trmi_radau_stage;

// The polynomials of the last accepted step.
typedef struct trmi_radau_past {
    bool exists;
    const trmi_radau_tableau *tableau;
    double t;                       // beginning of the step
    double h;                       // its length
    double *y[TRMI_MAX_STAGES + 1]; // [q | v | x | z | lambda] at its nodes
} trmi_radau_past;

// The Newton iteration of the last attempt.
typedef struct trmi_radau_newton {
    int iterations;
    double first;     // size of the first correction, in units of the tolerance
    double placed;    // size of the last correction without its velocities
    double rate;      // contraction, 0 after a single iteration
    double remaining; // after divergence: what the iterations left would leave, in tolerances
} trmi_radau_newton;

// Number of stages and choice of the corrector (order.c).
typedef struct trmi_radau_order {
    int min, max;      // families that may be chosen
    int now;           // the family in use
    long since;        // accepted steps with it
    double failures;   // of Newton, a decaying sum
    int blocked;       // attempts before stages are added again
    bool stacked;      // one matrix for all stages is in use
    int left;          // accepted steps before a trial of the transformed system
    bool trial;        // the next step is such a trial
    double rate_alone; // contraction of the transformed system, found by the trial
    long returns;      // how often the coupled corrector was left
    bool denied;       // there is no memory for the coupled corrector
} trmi_radau_order;

typedef struct trmi_radau {
    trmi_radau_tableau family[TRMI_RADAU_FAMILIES]; // of 3, 5, 7 stages
    const trmi_radau_tableau *tableau;              // of the next attempt
    trmi_radau_order order;
    trmi_radau_stage stage[TRMI_MAX_STAGES];
    bool extrapolated;    // the stages were predicted by the polynomial of the last step
    bool downward;        // the next sweep visits the stages from the last to the first
    trmi_point base;      // of the matrix: the middle of the step (coupled: its beginning), on the
                          // constraints, with a and lambda
    trmi_tangent tangent; // split at the base
    trmi_shifted matrix;  // of the transformed system
    trmi_saddle split;    // structure of the splits where blocks serve, otherwise that of matrix
    trmi_stacked stacked[TRMI_RADAU_FAMILIES]; // of all stages; no solver before its first use
    bool index1;                          // stages on the level of accelerations, steps projected
    bool set_exists;                      // the matrix has derivatives
    bool set_wanted;                      // the next attempt evaluates derivatives
    double h_factored;                    // step of the factors, 0: none
    trmi_radau_past past;                 // of dense output and prediction
    trmi_radau_newton newton;             // of the last attempt
    double *rate;                         // [a_n | x'_n]
    double *rate_next;                    // [a | x'] at the end of the step
    double *work[2];                      // a right-hand side each
    double *defect;                       // [rho_q | rho_v | rho_x]
    double *error;                        // [e_q | e_v | e_x]
    trmi_point filtered;                  // y_n + e
    double *transformed[TRMI_MAX_STAGES]; // right-hand sides, then unknowns
    double complex *pair;                 // a complex right-hand side
    double error_accepted;                // of the last accepted step, 0: none
    double h_accepted;                    // its length, 0: none
    double h_cap;                         // longest step after a failure of Newton, 0: none
    double h_failed;                      // step of that failure, 0: none
    long since_failure;                   // attempts since then
    bool rejected;                        // the last attempt was
} trmi_radau;

static inline trmi_radau *trmi_radau_of(const trm_simulation *s)
{
    return s->state;
}

// ---- predict.c ----

// The stages of a step of length h, from the polynomial of the last one or by Taylor.
void trmi_radau_predict(trm_simulation *s, double h);
// r->base in the middle of a step of length h.
void trmi_radau_predict_middle(trm_simulation *s, double h);
// r->base at the beginning of the step.
void trmi_radau_copy_beginning(trm_simulation *s);
// The polynomial of the last step at t.
void trmi_radau_dense(trm_simulation *s, double t, trmi_point *p);
// The stages and the new point become the past.
void trmi_radau_keep(trm_simulation *s, double h, const trmi_point *end);

// ---- middle.c ----

// The split at the base, derivatives there if new ones are due, and the factors for h.
trmi_outcome trmi_radau_prepare_matrix(trm_simulation *s, double h);
// Solves the transformed system for the stages' right-hand sides; result in r->transformed.
void trmi_radau_solve_transformed(trm_simulation *s, double h);
// The same; result in the stages' right-hand sides.
void trmi_radau_solve(trm_simulation *s, double h);
// Replaces a matrix in blocks by the whole one, with derivatives and the real factor; false: no
// memory, or singular.
bool trmi_radau_leave_blocks(trm_simulation *s);

// ---- stacked_stages.c ----

// Creates the matrix of all stages of a family, where it does not exist; false: no memory.
bool trmi_radau_couple(trm_simulation *s, int family);
// Factors it with the derivatives of the present stages.
trmi_outcome trmi_radau_factor_coupled(trm_simulation *s, double h);
// Solves for the stages' right-hand sides; result in their place.
void trmi_radau_solve_coupled(trm_simulation *s, double h);
// The same as a trial: order.rate_alone becomes the contraction of the transformed system.
void trmi_radau_try_alone(trm_simulation *s, double h);
void trmi_radau_archive_coupled(trm_simulation *s, trmi_archive *archive);

// The manifold of the constraints with the factors of a split.
trmi_manifold trmi_radau_manifold(trm_simulation *s, trmi_tangent *tangent);

// The k-th stage of a sweep over all of them. Sweeps go up and down in turn: the data that one left
// in the caches is where the next begins.
static inline trmi_radau_stage *trmi_radau_visit(trmi_radau *r, int k)
{
    return &r->stage[r->downward ? r->tableau->s - 1 - k : k];
}

// To be called after each sweep.
static inline void trmi_radau_turn(trmi_radau *r)
{
    r->downward = !r->downward;
}

// ---- residual.c ----

// out = (1/h) sum_j Gamma_ij in_j, n entries.
void trmi_radau_differentiate(const trmi_radau *r, int i, double h, double *const *in, int n,
                              double *restrict out);
// Q'_i of all stages.
void trmi_radau_find_slopes(trm_simulation *s, double h);
// V'_i of all stages.
void trmi_radau_find_accelerations(trm_simulation *s, double h);
// level = C v + c_t with the C of the stage.
void trmi_radau_find_level(trmi_radau_stage *stage, const trmi_evaluator *e, const double *v);
// Evaluates the stages but for their forces: C, M, the levels, velocities. *change (may be NULL) +=
// the squares of what the last corrections of positions, along the constraints, mean for the
// velocities, in units of the tolerance.
trmi_outcome trmi_radau_evaluate_stages(trm_simulation *s, double h, double *change);
// Right-hand sides of all stages that were evaluated.
trmi_outcome trmi_radau_residuals(trm_simulation *s, double h, bool first);

// ---- stages.c ----

// Moves predicted stages onto g = 0, with their splits.
trmi_outcome trmi_radau_start_stages(trm_simulation *s, double h);
// One iteration; *norm: size of the corrections in units of the tolerance.
trmi_outcome trmi_radau_correct_stages(trm_simulation *s, double h, bool first, double *norm);
// After the last iteration: both levels of the constraints to roundoff.
void trmi_radau_finish_stages(trm_simulation *s, double h);
// Size of the last correction with the part of its velocities along the constraints: roundoff of
// the constraints is not part of that.
double trmi_radau_measure_along(trm_simulation *s, double h);

// ---- newton.c ----

// Iterates on all stages of a step, after prediction and matrix.
trmi_outcome trmi_radau_iterate(trm_simulation *s, double h);

// ---- error.c ----

// The next step after one whose Newton iteration failed.
void trmi_radau_not_converged(trm_simulation *s, double h, trmi_outcome reason);
// Whether the step after the present one needs new derivatives.
bool trmi_radau_wants_set(const trmi_radau *r);
// Maximum of iterations per step.
int trmi_radau_iteration_limit(const trm_simulation *s);

// ---- order.c ----

// The families a run may choose from.
void trmi_radau_order_create(trm_simulation *s);
// The family of the first step after a start.
void trmi_radau_order_begin(trm_simulation *s);
void trmi_radau_use_family(trm_simulation *s, int family);
// Family and corrector after an accepted step.
void trmi_radau_order_accepted(trm_simulation *s);
// Family and corrector after a failure of Newton.
void trmi_radau_order_failed(trm_simulation *s, trmi_outcome reason);
// Uses the coupled corrector, for a step that cannot become shorter; false: it is in use already,
// or there is no memory.
bool trmi_radau_order_rescue(trm_simulation *s);
void trmi_radau_order_archive(trm_simulation *s, trmi_archive *archive);

// ---- the methods, and functions of theirs in other files than radau.c, see method.h ----

extern const trmi_method trmi_method_radau;
extern const trmi_method trmi_method_radau_adaptive;
// predict.c
void trmi_radau_reexpress(trm_simulation *s, const trmi_recentring *r);
// radau_sensitivity.c
bool trmi_radau_sensitivities_create(trm_simulation *s);
trm_status trmi_radau_sensitivities(trm_simulation *s, const trmi_step_trial *trial);
void trmi_radau_sensitivities_at(trm_simulation *s, double t, double *out);
void trmi_radau_sensitivities_archive(trm_simulation *s, trmi_archive *archive);
// error.c
double trmi_radau_estimate(trm_simulation *s, trmi_step_trial *trial);
void trmi_radau_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial);
void trmi_radau_plan(trm_simulation *s, const trmi_step_trial *trial);

#endif
