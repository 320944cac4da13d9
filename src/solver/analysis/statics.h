// SPDX-License-Identifier: Apache-2.0
// Equilibrium from inside: the point that is moved, and the stiffness of its free motions.
#ifndef TRMI_SOLVER_ANALYSIS_STATICS_H
#define TRMI_SOLVER_ANALYSIS_STATICS_H

#include "solver/analysis/penalty_stiffness.h"
#include "solver/formulation/start.h"
#include "solver/linear/eigen.h"
#include "solver/linear/split.h"
#include "trammel/equilibrium.h"

// The accelerations that small motions on the constraints cause at rest:
//
//     dq = N xi,  (G; A) N = 0,        [ M  -f_z  G^T - f_lambda; b_z  b_lambda; G (A) ] (da, ..) =
//     (-(K + (G^T lambda)_q) dq, -b_q dq, 0),        C = -da/dxi = (N^T M N)^-1 N^T K N
typedef struct trmi_reduced {
    trmi_split split; // of (G; A)
    double *gt;       // n_q x n_r
    double *matrix;   // C, mobility x mobility; destroyed by its eigenvalues
    double *xi, *dq, *rhs;
    trmi_eigen eigen; // in `memory`, which is emptied for each new one
    trmi_memory memory;
} trmi_reduced;

// What the iteration needs where the stiffness has a potential (springs.c).
typedef struct trmi_springs {
    bool used;
    trmi_definite definite;
    trmi_saddle plain;    // of the multipliers, where q->saddle cannot be relieved
    double pivot;         // of G M^-1 G^T at the point: how close it is to losing rank
    double *relief;       // n_r
    double *acceleration; // n_q: of the forces that are not balanced
    double *remainder;    // n_q: f - G^T lambda
    double *estimate;     // n_r: multipliers of the last step
} trmi_springs;

// 1/s^2: stiffness below which small motions are not driven back
#define TRMI_MIN_STATIC 1e-3
// pivot of G M^-1 G^T below which multipliers and null space are noise
#define TRMI_STATIC_RANK 1e-6
// correction at which the iteration has arrived
#define TRMI_STATIC_ENOUGH 1e-11
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
    trmi_projection projection;
    trmi_point point;
    bool sparse;          // large: no dense matrix
    double shift;         // sparse, or springs: the last one
    trmi_springs springs; // where they are used
    bool overfull;        // sparse: factors with pivoting were refused for their size
    trmi_reduced reduced; // unless sparse
    int most;             // coordinate with the largest acceleration before the last step, and
    double max_before;    // how large it was
    double farthest;      // largest correction on the way
    double *force;        // n_q: f - G^T lambda, what is not balanced
    double *step;         // (dq, dx, dz, dlambda)
    double *before;       // (q, x, z, lambda) where the step began
    double *standstill;   // 3 n_u: takes rates and accelerations from the excitations
    double *held;         // n_held, as they are to become
    double *lambda;       // over all rows
    trm_state state;
    trm_equilibrium_report report;
    trm_static_direction *direction;
};

bool trmi_reduced_create(trmi_reduced *r, const trmi_evaluator *e, trmi_memory *memory);
void trmi_reduced_destroy(trmi_reduced *r);

// r->eigen at the point, with K, N, b_q and all that the matrix of the start needs evaluated there,
// accelerations zero. Leaves that matrix factored.
trm_status trmi_reduced_stiffness(trmi_reduced *r, trmi_saddle *saddle, trm_error *error);

// The directions and how many of them are not stable, from r->eigen.
trm_status trmi_describe_directions(trm_equilibrium *q, trm_error *error);
// The same for the least stiff ones only, with sparse matrices.
trm_status trmi_describe_lowest(trm_equilibrium *q, trm_error *error);

// Takes springs where the stiffness has a potential; `most`: coordinates of a dense matrix.
trm_status trmi_springs_create(trm_equilibrium *q, int most, trm_error *error);
void trmi_springs_destroy(trm_equilibrium *q);
// The matrix of the multipliers, which may lose rank.
trm_status trmi_springs_factor_start(trm_equilibrium *q, trm_error *error);
trmi_saddle *trmi_springs_saddle(trm_equilibrium *q);
// Keeps the accelerations of the point and chooses the multipliers of the next step.
void trmi_springs_balance(trm_equilibrium *q);
// `want` with the accelerations of the point, and M' there; then a = 0.
trm_status trmi_springs_evaluate(trm_equilibrium *q, uint64_t want, trm_error *error);
// q->step and q->shift.
trm_status trmi_springs_step(trm_equilibrium *q, trm_error *error);
// q->step from the factors of q->saddle and what is left at the point.
void trmi_static_solve(trm_equilibrium *q);

// z, lambda and q->force = M a at the point; then v = a = 0.
trm_status trmi_static_forces(trm_equilibrium *q, trm_error *error);
// The largest part of q->step, relative to the sizes; positions only, or all.
double trmi_static_measure(const trm_equilibrium *q, bool positions);
// What the forces do along q->step; size: what it is the sum of.
double trmi_static_power(const trm_equilibrium *q, double *size);
// q->step from the forces and matrices at the point, which are evaluated.
trm_status trmi_static_step(trm_equilibrium *q, trm_error *error);
// From the point to an equilibrium; report.undecided where the matrices end there.
trm_status trmi_static_iterate(trm_equilibrium *q, trm_error *error);

#endif
