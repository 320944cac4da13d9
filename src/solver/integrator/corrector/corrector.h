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

#include "solver/formulation/policy.h"
#include "solver/formulation/saddle.h"
#include "solver/integrator/classic/coupled.h"
#include "solver/integrator/corrector/derivatives.h"
#include "solver/integrator/corrector/update.h"
#include "solver/system/patterns.h"

typedef enum trmi_outcome {
    TRMI_OUTCOME_OK,
    TRMI_OUTCOME_DIVERGED,       // contraction too slow or too many iterations
    TRMI_OUTCOME_SINGULAR,       // matrix singular
    TRMI_OUTCOME_RETRY,          // a callback asked for a smaller step
    TRMI_OUTCOME_STOP,           // a callback asked to stop
    TRMI_OUTCOME_NOT_FINITE,     // a callback returned something that is no number
    TRMI_OUTCOME_OFF_CONSTRAINTS // the point found could not be projected
} trmi_outcome;

// Where mu stands in the multipliers of the history, [lambda and its dummy | mu].
static inline int trmi_mu_offset(const trmi_evaluator *e)
{
    return e->n_r_full + 1;
}

// What the integrator hands over, arrays as a point of the history with its multipliers behind,
// [q | v | x | z | lambda | mu].
typedef struct trmi_stage {
    double t, h;
    trmi_leading leading;
    const double *predicted;
    const double *offset; // y' = cv y + offset, or with ca
    const double *lambda; // multipliers of the last accepted point
    const double *v;      // its velocities
} trmi_stage;

// A projection of velocities.
typedef struct trmi_velocity_correction {
    double length;  // |v - v*| in units of the tolerance
    double stretch; // max|nu| / max|G v* + g_t|: 1/sigma^2 of a row about to be lost, whatever the
                    // solver, once its roundoff counts
    int row;        // which
    double cv;      // v* = cv q + .., in which roundoff of q counts that much
} trmi_velocity_correction;

// The iterations of the last attempt, for reports.
typedef struct trmi_iterations {
    int count;
    double correction[TRM_ERROR_ITERATIONS], rate[TRM_ERROR_ITERATIONS];
    bool fresh;
} trmi_iterations;

// What rolling rows of the matrix lack, where it is known (rolling.c).
typedef struct trmi_rolling {
    bool serves;
    double *B, *W, *lu, *y;
    int *pivots;
} trmi_rolling;

typedef struct trmi_corrector {
    trmi_evaluator *e;
    trmi_values *values;     // of the step
    trmi_patterns *patterns; // of what is differenced
    trmi_saddle *saddle;
    trmi_coupled *coupled; // classic only
    const trmi_policy *policy;
    const trm_options *options;
    trm_statistics *statistics;
    trmi_point point;           // the iterate; after convergence the new point
    const double *bq, *bv, *bx; // parts of the offset
    double *rhs;                // right-hand side of the matrix
    double *residual;           // scratch of other levels and of classic, n_q or n_r + 1
    double *mu;                 // n_r + 1, ggl
    trmi_saddle *mass;    // alpha: [M G^T; G 0], velocities are projected in this norm; or NULL
    double *star, *shift; // alpha: n_q, v = v* + shift in the residual already
    const double *weight_q, *weight_v, *weight_x, *weight_z; // 1 / (rtol |y| + atol)
    double *weight_lambda, *weight_mu;
    bool persistent;    // alpha: before a step is given up, Newton with a new matrix per iteration;
                        // others do so where there are algebraic variables
    bool renewing;      // which is under way
    bool steady;        // it begins with the velocities of the last point
    long rescued;       // attempts that succeeded only so
    trmi_update update; // when the matrix is renewed
    trmi_derivatives derivatives; // kept for it
    trmi_rolling rolling;
    trmi_split split; // of G at an iterate, null-space solver only
    double *gt;       // n_q x n_r
    trmi_velocity_correction projected,
        projected_last; // of the velocities, in this attempt and the last step
    double moved;       // norm of the last correction without that of the multipliers
    double moved_z;     // and of the algebraic variables alone
    double curvature;   // decaying maximum of |d2| / |d1|^2 of Newton with a fresh matrix
    double contraction; // decaying maximum of |d2| / |d1|, likewise
    long attempts;
    long whole_until; // attempt up to which the matrix is not only its symmetric part
    long exact_until; // attempt up to which multipliers come from the residual without a split
    long exact_for;   // and how many attempts that was last granted for, 0: never
    // classic
    double cj_last;
    double rate_factor;   // S of DASSL
    double *geometric_mu; // (G^T mu)_q, with the pattern of GEOMETRIC
    int matrices;         // formed in this attempt
    trmi_iterations log;
} trmi_corrector;

bool trmi_corrector_create(trmi_corrector *c, trmi_memory *memory);
// Forgets what earlier steps taught: kept derivatives and matrices, measured contraction.
void trmi_corrector_reset(trmi_corrector *c);
// What one step leaves for the next, without the matrices.
void trmi_corrector_archive(trmi_corrector *c, trmi_archive *archive);
// Once the saddle matrix exists: what a coordinate split needs.
bool trmi_corrector_create_split(trmi_corrector *c, trmi_memory *memory);

// How the derivatives are kept: after the option jacobian_update. Once the matrix exists.
bool trmi_corrector_create_update(trmi_corrector *c, trmi_memory *memory, const trmi_point *start);

// Both leave the new point in c->point. trmi_correct_coupled also leaves mu.
trmi_outcome trmi_correct_nested(trmi_corrector *c, const trmi_stage *stage);
trmi_outcome trmi_correct_coupled(trmi_corrector *c, const trmi_stage *stage);

// rolling.c: whether the derivative of rolling rows is at hand and worth its solutions; room for
// it; after the matrix is factored, false where it is singular with them; and the solution
bool trmi_rolling_suits(const trm_system *system, const trmi_policy *policy);
bool trmi_rolling_create(trmi_corrector *c, trmi_memory *memory);
bool trmi_rolling_form(trmi_corrector *c, trmi_leading lead);
void trmi_solve_newton(trmi_corrector *c, double *d);

// levels.c: what the constraint rows of the formulation need, and their right-hand sides (n_r)
uint64_t trmi_residual_quantities(const trmi_corrector *c);
void trmi_constraint_rhs(trmi_corrector *c, trmi_leading lead, double *out);

// velocities.c: v* of the point onto the constraints with the matrix of the step; or in the norm of
// the masses (keep: with the factors of a point close by), *change of what is added to v* in units
// of the tolerance. Factors of [M G^T; G 0] from the blocks at hand; whether the velocities are
// roundoff of lost rank; roundoff of v* otherwise, in units of the tolerance
trmi_outcome trmi_project_velocity(trmi_corrector *c, trmi_leading lead);
trmi_outcome trmi_project_in_mass_norm(trmi_corrector *c, bool keep, double *change);
trmi_outcome trmi_factor_mass(trmi_corrector *c);
bool trmi_velocities_spoilt(const trmi_corrector *c);
double trmi_velocity_noise(const trmi_corrector *c, trmi_leading lead);

// roundoff.c: the norm c->moved cannot fall below, away from lost rank; whether the correction d is
// small in q, if not in cv q; whether the right-hand side of a position step is nothing but
// roundoff
double trmi_correction_roundoff(const trmi_corrector *c, trmi_leading lead);
bool trmi_roundoff_harmless(const trmi_corrector *c, const double *d);
bool trmi_residual_is_roundoff(const trmi_corrector *c, const double *rhs);

// multipliers.c: predictor onto g = 0; multipliers from the residual there and at later iterates
trmi_outcome trmi_project_predictor(trmi_corrector *c);
trmi_outcome trmi_multipliers_from_residual(trmi_corrector *c);
void trmi_multipliers_at_iterate(trmi_corrector *c);
// whether the policy takes them from the residual at all, whether it does so now, and whether their
// change since the last point says that it should; from now on for a while
bool trmi_multipliers_wanted(const trmi_corrector *c);
bool trmi_multipliers_exact(const trmi_corrector *c);
bool trmi_multipliers_matter(const trmi_corrector *c, trmi_leading lead, const double *before);
void trmi_multipliers_want_exact(trmi_corrector *c);

// Shared by both: the iterate at the predictor, and the rest.
void trmi_start_at_predictor(trmi_corrector *c, const trmi_stage *stage);
// One attempt at a step with the matrix the action gives it, and the attempts the state machine of
// update.h makes of it.
typedef trmi_outcome trmi_attempt(trmi_corrector *c, const trmi_stage *stage,
                                  trmi_matrix_action action);
trmi_outcome trmi_correct(trmi_corrector *c, const trmi_stage *stage, trmi_attempt *attempt);
// The derivatives of the matrix that is about to be factored: evaluated, to be kept, or kept ones.
void trmi_enter_derivatives(trmi_corrector *c, bool evaluated, double cj);
void trmi_log_iteration(trmi_corrector *c, double correction, double rate);
trmi_outcome trmi_callback_result(int result);
int trmi_iteration_limit(const trmi_corrector *c, int usual);

#endif
