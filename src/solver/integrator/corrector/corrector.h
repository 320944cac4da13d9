// SPDX-License-Identifier: Apache-2.0
// The corrector: solves the equations of one implicit step,
//
//     q' = cv q + bq,  v' = ca v + bv,  x' = ca x + bx,
//
// for the new point, under a formulation policy (BDF: cv = ca = cj; the alpha methods: alpha.h).
// Two ways through it. Nested (control default): the velocities are eliminated, one saddle matrix
// of order n_q + n_r serves the position step and the complete velocity projection. Coupled
// (control classic): Newton on (q, v) with P r1 = 0, P r2 = 0 as in the papers, or on (q, v, mu,
// lambda) for GGL, with matrices kept over steps.
#ifndef TRMI_SOLVER_INTEGRATOR_CORRECTOR_CORRECTOR_H
#define TRMI_SOLVER_INTEGRATOR_CORRECTOR_CORRECTOR_H

#include "base/scratch.h"
#include "solver/formulation/manifold.h"
#include "solver/formulation/policy.h"
#include "solver/formulation/saddle.h"
#include "solver/integrator/classic/coupled.h"
#include "solver/integrator/corrector/derivatives.h"
#include "solver/integrator/corrector/update.h"
#include "solver/system/patterns.h"

// The index of mu in the multipliers of the history, [lambda and its dummy | mu].
static inline int trmi_mu_offset(const trmi_evaluator *e)
{
    return e->n_r_full + 1;
}

// One step as the integrator hands it over. Arrays have the layout of a point of the history with
// its multipliers after it, [q | v | x | z | lambda | mu].
typedef struct trmi_stage {
    double t;             // time of the new point
    double h;             // length of the step
    trmi_leading leading; // cv and ca
    const double *predicted;
    const double *offset; // y' = cv y + offset for q, ca y + offset for v and x
    const double *lambda; // multipliers of the last accepted point
    const double *v;      // velocities of the last accepted point
} trmi_stage;

// What a projection of the velocities changed.
typedef struct trmi_velocity_correction {
    double length;  // |v - v*| in units of the tolerance
    double stretch; // max|nu| / max|G v* + g_t|: 1/sigma^2 of a row about to be lost, whatever the
                    // solver, once its roundoff counts
    int row;        // of the largest |nu|
    double cv;      // factor of q in v* = cv q + .., and of its roundoff
} trmi_velocity_correction;

// The iterations of the last attempt, for reports.
typedef struct trmi_iterations {
    int count;                               // of the entries below
    double correction[TRM_ERROR_ITERATIONS]; // norms, in units of the tolerance
    double rate[TRM_ERROR_ITERATIONS];       // contraction
    bool fresh;                              // derivatives were evaluated in the attempt
} trmi_iterations;

// The terms of rolling rows that the matrix lacks (rolling.c).
typedef struct trmi_rolling {
    bool serves; // they are known and used
    double *B;   // rows x n_q
    double *W;   // K^-1 U, rows columns
    double *lu;  // factors of 1 + B W, rows x rows
    int *pivots; // of lu
    double *y;   // rows, scratch
} trmi_rolling;

typedef struct trmi_corrector {
    trmi_evaluator *e;
    trmi_values *values;     // of the step
    trmi_patterns *patterns; // of differenced derivatives
    trmi_saddle *saddle;     // matrix of the nested corrector
    trmi_coupled *coupled;   // matrix of the coupled corrector; used by classic/ only
    bool unknown_velocities; // velocities and mu are unknowns of their own: the coupled corrector
    bool rough_predictor;    // that of a method of low order: see method.h
    bool no_shorter_steps;   // no shorter attempt can follow: more iterations
    const trmi_policy *policy;
    const trm_options *options;
    trm_statistics *statistics;
    trmi_point point;           // the iterate; after convergence the new point
    const double *bq, *bv, *bx; // parts of the offset
    double *rhs;                // right-hand side of the matrix, during an attempt
    double *correction_x;       // n_x, of the last iteration, for reports
    trmi_scratch *scratch;
    double *mu;               // n_r + 1, ggl
    trmi_saddle *mass_saddle; // alpha: [M G^T; G 0], norm of velocity projections; or NULL
    double *star;             // alpha: n_q, v* = cv q + bq
    double *shift;            // alpha: n_q, v = v* + shift in the residual
    const double *weight_q, *weight_v, *weight_x, *weight_z; // 1 / (rtol |y| + atol)
    double *weight_lambda, *weight_mu;                       // of multipliers, where tested
    bool refreshing;               // the present attempt forms a matrix in every iteration
    bool start_from_last_velocity; // the present attempt starts with v of the last point
    bool was_rescued;              // the last attempt succeeded with v of the last point only
    long rescued;                  // steps accepted after that
    trmi_update update;            // when the matrix is renewed
    trmi_derivatives derivatives;  // kept for re-formed matrices
    trmi_rolling rolling;
    bool velocity_q;                         // matrices come with (G v + g_t)_q, for others
    trmi_split split;                        // of G at an iterate, null-space solver only
    double *gt;                              // n_q x n_r, G^T of that split
    trmi_velocity_correction projected;      // of this attempt
    trmi_velocity_correction projected_last; // of the last accepted step
    double correction_norm;                  // of the last correction without multipliers
    double correction_norm_z;                // of the algebraic variables alone
    double curvature;       // decaying maximum of |d2| / |d1|^2 of Newton with a fresh matrix
    double contraction;     // decaying maximum of |d2| / |d1| of Newton with a fresh matrix
    long attempts;          // so far: the number of the present attempt
    bool measure;           // the next attempt measures the curvature by a second iteration
    long unsymmetric_until; // attempt up to which the matrix is not only its symmetric part
    long exact_until;       // attempt up to which multipliers come from the residual, no split
    long exact_for;         // attempts this was last granted for, 0: never
    double cj_last;         // classic: cj of the last attempt
    double rate_factor;     // classic: S of DASSL
    double *geometric_mu;   // classic: (G^T mu)_q, with the pattern of GEOMETRIC
    int matrices;           // formed in this attempt
    trmi_iterations log;
} trmi_corrector;

// ---- corrector.c: what the nested and the coupled corrector share ----

bool trmi_corrector_create(trmi_corrector *c, trmi_memory *memory);
// Memory of a coordinate split, once the saddle matrix exists.
bool trmi_corrector_create_split(trmi_corrector *c, trmi_memory *memory);
// Kept derivatives after the option jacobian_update, once the saddle matrix exists.
bool trmi_corrector_create_update(trmi_corrector *c, trmi_memory *memory, const trmi_point *start);
// Forgets kept derivatives and matrices and measured contraction.
void trmi_corrector_reset(trmi_corrector *c);
// State that one step leaves for the next, without the matrices.
void trmi_corrector_archive(trmi_corrector *c, trmi_archive *archive);

// Whether multipliers start from the predictor: those of the formulation and, in the coupled
// corrector, those that do not follow from a residual.
bool trmi_extrapolates_multipliers(const trmi_corrector *c);
// The iterate is set to the predictor.
void trmi_start_at_predictor(trmi_corrector *c, const trmi_stage *stage);
// One attempt at a step, with the matrix the action asks for.
typedef trmi_outcome trmi_attempt(trmi_corrector *c, const trmi_stage *stage,
                                  trmi_matrix_action action);
// Attempts at one step until the state machine of update.h has no further matrix to try.
trmi_outcome trmi_correct(trmi_corrector *c, const trmi_stage *stage, trmi_attempt *attempt);
// Derivatives of the matrix that is about to be factored: evaluated ones are kept, or kept ones are
// entered.
void trmi_enter_derivatives(trmi_corrector *c, bool evaluated, double cj);
void trmi_log_iteration(trmi_corrector *c, double correction, double rate);
// Newton iterations per attempt: the option, or the usual number.
int trmi_iteration_limit(const trmi_corrector *c, int usual);

// ---- nested.c: the corrector of bdf and the alpha methods; leaves the new point in c->point ----

trmi_outcome trmi_correct_nested(trmi_corrector *c, const trmi_stage *stage);

// ---- classic.c: the corrector of control classic; leaves the new point in c->point, and c->mu
// ----

trmi_outcome trmi_correct_coupled(trmi_corrector *c, const trmi_stage *stage);
// Whether multipliers are taken from a residual, at the first iterate or at every one.
bool trmi_splits_residual(const trmi_corrector *c);
// Whether multipliers are unknowns: those of the formulation, all that enter forces, and those of
// rolling rows.
bool trmi_iterates_multipliers(const trmi_corrector *c);

// ---- rolling.c: the terms of rolling rows that the nested corrector's matrix lacks ----

// Whether the system supplies them and there are few enough rows.
bool trmi_rolling_suits(const trm_system *system, const trmi_policy *policy);
bool trmi_rolling_create(trmi_corrector *c, trmi_memory *memory);
// To be called after the matrix was factored; false: it is singular with these terms.
bool trmi_rolling_form(trmi_corrector *c, trmi_leading lead);
// Corrects d, a solution with the matrix alone.
void trmi_rolling_correct(const trmi_corrector *c, double *d);

// ---- levels.c: constraint rows at the level of the formulation ----

// Quantities that the residual of a step needs.
uint64_t trmi_residual_quantities(const trmi_corrector *c);
// out (n_r) = right-hand sides of the constraint rows.
void trmi_constraint_rhs(trmi_corrector *c, trmi_leading lead, double *out);

// ---- velocities.c: velocities of the point found onto G v + g_t = 0 ----

// v* of the point onto the constraints with the matrix of the step.
trmi_outcome trmi_project_velocity(trmi_corrector *c, trmi_leading lead);
// v* onto the constraints in the norm of the masses; keep: with the factors of a point close by.
// *change of v - v* in units of the tolerance.
trmi_outcome trmi_project_in_mass_norm(trmi_corrector *c, bool keep, double *change);
// Factors of [M G^T; G 0] from the values of the last evaluation.
trmi_outcome trmi_factor_mass(trmi_corrector *c);
// Whether lost rank has turned the velocities into roundoff.
bool trmi_velocities_inaccurate(const trmi_corrector *c);
// Roundoff of v* away from lost rank, in units of the tolerance.
double trmi_velocity_noise(const trmi_corrector *c, trmi_leading lead);

// ---- roundoff.c: when the nested corrector can get no better ----

// The norm c->correction_norm cannot fall below, away from lost rank.
double trmi_correction_roundoff(const trmi_corrector *c, trmi_leading lead);
// The same for c->correction_norm_z.
double trmi_algebraic_roundoff(const trmi_corrector *c);
// Whether the correction d is small in q, if not in cv q.
bool trmi_roundoff_harmless(const trmi_corrector *c, const double *d);
// Whether the right-hand side of a position step is nothing but roundoff.
bool trmi_residual_is_roundoff(const trmi_corrector *c, const double *rhs);

// Sizes of the numbers whose roundoff is in the coordinates q, with the G of the last evaluation.
void trmi_position_sizes(const trmi_corrector *c, const double *q, double *size);

// ---- multipliers.c: multipliers from the residual, for the matrix of the nested corrector ----

// Moves the predictor onto g = 0.
trmi_outcome trmi_project_predictor(trmi_corrector *c);
// Multipliers from the residual at the projected predictor.
trmi_outcome trmi_multipliers_from_residual(trmi_corrector *c);
// Multipliers from the residual at a later iterate; null-space solver only.
void trmi_multipliers_at_iterate(trmi_corrector *c);
// Whether formulation and system allow multipliers from the residual.
bool trmi_uses_residual_multipliers(const trmi_corrector *c);
// Whether the present attempt takes them.
bool trmi_residual_multipliers_now(const trmi_corrector *c);
// Whether the change of the multipliers since the last point, `before`, alters the matrix.
bool trmi_multipliers_change_matrix(const trmi_corrector *c, trmi_leading lead,
                                    const double *before);
// Multipliers are taken from the residual for some attempts from now on.
void trmi_request_residual_multipliers(trmi_corrector *c);

#endif
