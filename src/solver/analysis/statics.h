// SPDX-License-Identifier: Apache-2.0
// The search for an equilibrium: the point that is moved, and the stiffness of its free motions.
#ifndef TRMI_SOLVER_ANALYSIS_STATICS_H
#define TRMI_SOLVER_ANALYSIS_STATICS_H

#include "solver/analysis/hold.h"
#include "solver/analysis/penalty_stiffness.h"
#include "solver/formulation/start.h"
#include "solver/linear/eigen.h"
#include "solver/linear/split.h"
#include "trammel/equilibrium.h"

// The accelerations that small motions on the constraints cause at rest:
//
//     dq = N xi,  (G; A) N = 0,  C = -da/dxi = (N^T M N)^-1 N^T K N
//     [ M  -f_z  G^T - f_lambda; b_z  b_lambda; G (A) ] (da, ..) = (-(K + (G^T lambda)_q) dq, -b_q
//     dq, 0)
typedef struct trmi_reduced {
    trmi_split split;   // of (G; A)
    double *gt;         // n_q x n_r
    double *matrix;     // C, mobility x mobility; overwritten when its eigenvalues are computed
    double *xi, *dq;    // one direction: p, n_q
    double *rhs;        // of the matrix above
    trmi_eigen eigen;   // eigenvalues of C, in `memory`
    trmi_memory memory; // released before new eigenvalues are computed
} trmi_reduced;

// The data of the iteration where the stiffness has a potential (springs.c).
typedef struct trmi_springs {
    bool used;
    trmi_definite definite;
    trmi_saddle plain;    // for the multipliers, where q->saddle has no diagonal for a relief
    double pivot;         // of G M^-1 G^T at the point: how close it is to losing rank
    double *relief;       // n_r: diagonal of the constraint rows
    double *acceleration; // n_q: of the forces that are not balanced
    double *remainder;    // n_q: f - G^T lambda
    double *estimate;     // n_r: multipliers of the last step
} trmi_springs;

// largest step: radians, or parts of the size of a coordinate
#define TRMI_STATIC_LIMIT 0.3
// correction below which it may stop falling for roundoff
#define TRMI_STATIC_NOISE 1e-7
// part of the forces that may be left
#define TRMI_STATIC_UNBALANCED 1e-6
// 1/s^2: mass for coordinates without stiffness, and how often it may grow
#define TRMI_STATIC_SHIFT 1e-8
enum { TRMI_STATIC_SHIFTS = 40 };
// by which a shift grows at a time
#define TRMI_STATIC_GROWTH 4
// 1/s^2: stiffness below which small motions are shifted
#define TRMI_MIN_STATIC 1e-3
// m/s^2, m/s: what is roundoff, and at rest
#define TRMI_AT_REST 1e-12
// correction at which the iteration has converged
#define TRMI_STATIC_ENOUGH 1e-11
// correction, against the pivots of G, below which directions are known
#define TRMI_STATIC_KNOWN 1e-3
// correction below which an equilibrium is near
#define TRMI_STATIC_CLOSE 0.05

struct trm_equilibrium {
    trmi_memory memory; // owns all the rest
    trm_options options;
    trm_statistics statistics;
    trm_start_report start;
    trmi_evaluator e;
    trmi_values values;
    trmi_saddle saddle;
    trmi_scratch scratch;
    trmi_manifold manifold;
    trmi_point point;
    bool sparse;           // large: no dense matrix
    bool symmetric;        // the stiffness, and there is nothing but positions
    bool thick;            // the metric is that of bodies that are not thin (statics.c)
    bool vague;            // directions are free for the roundoff of accelerations, not of forces
    double shift;          // sparse, or springs: the last one
    trmi_springs springs;  // where they are used
    bool overfull;         // sparse: factors with pivoting were refused for their size
    trmi_reduced reduced;  // unless sparse
    int fastest_before;    // coordinate with the largest acceleration before the last step
    double max_before;     // that acceleration
    double max_correction; // of all iterations
    double *force;         // n_q: f - G^T lambda, what is not balanced
    double *load;          // n_q: entries of the stiffness about each coordinate
    double *step;          // (dq, dx, dz, dlambda)
    double *before;        // (q, x, z, lambda) at the beginning of the step
    double *standstill;    // 3 n_u: subtracts rates and accelerations from the excitations
    double *ball;          // n_q: added to M where `thick`
    double *held;          // n_held: new held values
    double *lambda;        // over all rows
    bool steady;           // it moves: steady.c instead of statics.c
    int rates;             // velocities to be found
    const int *rate;       // their coordinates
    double *cruise;        // n_q: velocities of the motion, given and found
    double *origin;        // n_q: where the search began
    trmi_hold *hold;       // of the coordinates held, NULL: none
    double *holding;       // forces that hold them, in the memory of `hold`
    trm_state state;
    trm_equilibrium_report report;
    trm_static_direction *direction;
};

// Allocates the reduced stiffness; false: no memory.
bool trmi_reduced_create(trmi_reduced *r, const trmi_evaluator *e, trmi_memory *memory);

// Frees what its own memory holds.
void trmi_reduced_destroy(trmi_reduced *r);

// Computes r->eigen from the values at the point: K, (G^T lambda)_q, b_q and all that the matrix of
// the start needs, with zero accelerations. Leaves that matrix factored.
trm_status trmi_reduced_stiffness(trmi_reduced *r, trmi_saddle *saddle, trm_error *error);

// Sets the directions and counts those that are not stable, from reduced.eigen.
trm_status trmi_describe_directions(trm_equilibrium *q, trm_error *error);

// Sets the least stiff directions only, with sparse matrices.
trm_status trmi_describe_lowest(trm_equilibrium *q, trm_error *error);

// Sets the directions by the signs of the stiffness alone (signature.h), a symmetric one. *known:
// false where the constraints lose rank, and nothing was set.
trm_status trmi_describe_signs(trm_equilibrium *q, bool *known, trm_error *error);

// Allocates the springs, for a stiffness with a potential. max_dense: largest number of coordinates
// for a dense matrix. springs.used is false where they cannot be used.
trm_status trmi_springs_create(trm_equilibrium *q, int max_dense, trm_error *error);

// Frees what is not in q->memory.
void trmi_springs_destroy(trm_equilibrium *q);

// Factors the matrix of the multipliers, which may lose rank.
trm_status trmi_springs_factor_start(trm_equilibrium *q, trm_error *error);

// The matrix of the multipliers.
trmi_saddle *trmi_springs_saddle(trm_equilibrium *q);

// Keeps the accelerations of the point and chooses the multipliers of the next step.
void trmi_springs_balance(trm_equilibrium *q);

// Evaluates `want` with the accelerations of the point, and M' there; then sets a = 0.
trm_status trmi_springs_evaluate(trm_equilibrium *q, uint64_t want, trm_error *error);

// Sets q->step and q->shift.
trm_status trmi_springs_step(trm_equilibrium *q, trm_error *error);

// Sets q->step from the factors of q->saddle and the residuals at the point.
void trmi_static_solve(trm_equilibrium *q);

// Computes z, lambda and q->force = M a at the point; then sets v = a = 0.
trm_status trmi_static_forces(trm_equilibrium *q, trm_error *error);

// The largest entry of q->step relative to the sizes; of positions only, or of all unknowns.
double trmi_static_measure(const trm_equilibrium *q, bool positions);

// Whether the step of positions is within TRMI_STATIC_LIMIT but for one growth of the shift, by
// which it may be shortened.
bool trmi_static_short(const trm_equilibrium *q);

// The position that has come farthest since the search began, in units of its size.
int trmi_static_farthest(const trm_equilibrium *q);

// The work of the forces along q->step; *size: the sum of its absolute terms.
double trmi_static_power(const trm_equilibrium *q, double *size);

// Sets q->step from the forces and matrices at the point, which it evaluates.
trm_status trmi_static_step(trm_equilibrium *q, trm_error *error);

// Moves the point to an equilibrium; sets report.undecided where the matrices are singular there.
trm_status trmi_static_iterate(trm_equilibrium *q, trm_error *error);

// Searches from a start; *out is set after a failure too, unless there was no memory for it.
trm_status trmi_equilibrium_search(trm_equilibrium **out, const trm_system *system,
                                   const trm_options *options, const trm_initial *start,
                                   const trm_trim *trim, trm_error *error);

// Moves the point, and the velocities to be found, to a steady motion.
trm_status trmi_steady_iterate(trm_equilibrium *q, trm_error *error);

#endif
