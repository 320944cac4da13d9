// SPDX-License-Identifier: Apache-2.0
// The saddle-point matrix every implicit step ends in, with the velocities eliminated. In a step
//
//     v = cv q + ..,   v' = ca v + ..,   x' = ca x + ..
//
// (BDF: cv = ca = cj). Unknowns (dq, dx, dz, dnu), dlambda = cv ca dnu, and the rows of the
// dynamics divided by cv ca, those of x by ca; N = (G^T lambda)_q:
//
//     [ M + D/ca + (K + N)/(cv ca)   -f_x/(cv ca)   -f_z/(cv ca)   G^T - f_lambda ]
//     [ -c_q/ca - (cv/ca) c_v        I - c_x/ca     -c_z/ca        -cv c_lambda   ]
//     [ b_q + cv b_v                 b_x            b_z            cv ca b_lambda ]
//     [ G (A)                        0              0              0              ]
//
// assembled from blocks that stay apart, with scalar coefficients: new cv, ca recombine them.
// With the coefficients of the start (M, G and the algebraic part only) the same structure gives
// projections, accelerations and multipliers.
#ifndef TRMI_SOLVER_FORMULATION_SADDLE_H
#define TRMI_SOLVER_FORMULATION_SADDLE_H

#include "solver/formulation/scatter.h"
#include "solver/linear/solver.h"
#include "solver/linear/split.h"
#include "solver/system/evaluator.h"
#include "trammel/options.h"

enum { TRMI_SADDLE_TERMS = 40 };

// The scalars of a step: velocity per position, acceleration per velocity.
typedef struct trmi_leading {
    double cv, ca;
} trmi_leading;

// Numbers of a right-hand side of the matrix, with a last one for rows that were dropped.
static inline int trmi_rhs_size(const trmi_evaluator *e)
{
    return e->n_q + e->n_x + e->n_z + e->n_r_full + 1;
}

typedef struct trmi_saddle {
    trmi_evaluator *e;
    trmi_values *values; // the numbers it is made of; borrowed. What is evaluated for its sake is
                         // written there
    trmi_memory *memory;
    int n;                                   // order
    trmi_solver *solver;                     // the one created for the matrix
    trmi_scatter scatter[TRMI_SADDLE_TERMS]; // entries of the blocks in `solver`
    int scatter_count;
    trmi_solver *reserve; // KLU behind the block solver, created when first needed
    trmi_scatter reserve_scatter[TRMI_SADDLE_TERMS]; // entries of the blocks in `reserve`
    int reserve_count;
    bool unsymmetric;       // use the reserve, which has S and not its symmetric part alone
    trmi_solver *factored;  // `solver` or `reserve`: the one that holds the last factors
    double *started_rhs;    // right-hand side whose solution the factorization started, or NULL
    double coefficient[16]; // of the terms, functions of cv and ca
    bool geometric;         // N is part of the matrix
    bool lu_only;           // dense means LU, whose entries may be complex or regularized
    bool mass_only;         // M and G are the only terms
    bool z_apart;           // projection: the rows of z are dz = 0
    const double *diagonal; // projection: W, NULL where it is M
    const double *constraint_diagonal; // n_r: subtracted from the diagonal of the constraint rows,
                                       // or NULL
} trmi_saddle;

// Creates the matrix of these values for the active rows, with the chosen solver; `auto` decides by
// size, density and declared blocks.
trm_status trmi_saddle_create(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                              trm_solver choice, bool geometric, trm_error *error);

// The same without a null-space solver: the entries of a twin of its solver have the same places
// and may be filled by trmi_saddle_part and trmi_saddle_factor_tangent.
trm_status trmi_saddle_create_lu(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                                 trm_solver choice, bool geometric, trm_error *error);
// The same with the block solver; mass_only: of M and G alone. False where bodies and joints are
// not declared or cannot be used.
bool trmi_saddle_create_blocks(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                               trm_solver choice, bool mass_only);
// With cv = ca = cj the matrix of a step is sum_k cj^k part_k, k = -2 .. 2. value = part_k of the
// present blocks; false where trmi_saddle_has_part is.
bool trmi_saddle_part(trmi_saddle *s, int power, double *value);
// Whether part_k may be other than zero for some values of the blocks.
bool trmi_saddle_has_part(const trmi_saddle *s, int power);
// Block solver only: the unsymmetric part of part_k (k < 0) of the present blocks, which it
// ignores, in units of the masses: the largest |P_ij - P_ji| / (2 sqrt(m_i m_j)). scratch: a zero
// for every value of the solver, zeros again on return.
double trmi_saddle_asymmetry(const trmi_saddle *s, int power, const double *mass, double *scratch);
// Where part_k may be other than zero, some places more than once; returns their number. row and
// col may be NULL.
int trmi_saddle_places(const trmi_saddle *s, int power, int *row, int *col);
// Places of the diagonal entries of the constraint rows in the values of the saddle's solver and of
// its twins, ascending.
typedef struct trmi_diagonal {
    int count, *place;
} trmi_diagonal;
// The factors of [W 0 G^T; 0 I 0; G 0 -regularization] in a twin of its solver, rows (q), (x, z),
// (constraints), where W is M or the metric of the system.
trmi_factor_status trmi_saddle_factor_tangent(trmi_saddle *s, trmi_solver *solver,
                                              const trmi_diagonal *diagonal, double regularization);

// The quantities the matrix of a step is made of, besides M and G.
uint64_t trmi_saddle_derivatives(const trmi_saddle *s);

// Null-space only: enters G and factors the split; multipliers s with Y^T (r + G^T s) = 0 follow
// without S. False when G lost rank. For other solvers nothing happens and true is returned.
bool trmi_saddle_prepare(trmi_saddle *s);
// s = -(GY)^-T Y^T r, after prepare. Null-space only.
void trmi_saddle_multipliers(const trmi_saddle *s, const double *r, double *lambda);
// The split, or NULL when the solver has none.
const trmi_split *trmi_saddle_split(const trmi_saddle *s);

// Matrix of a step with these scalars from the present blocks, then its factors.
trmi_factor_status trmi_saddle_factor(trmi_saddle *s, trmi_leading lead);
// The same for the next right-hand side x of trmi_saddle_solve: where the solver can, its solution
// starts in the factorization. Not *intact: x is lost and must be formed again, for the reserve
// replaced the solver.
trmi_factor_status trmi_saddle_factor_for(trmi_saddle *s, trmi_leading lead, double *x,
                                          bool *intact);
// Matrix [M -f_z G^T-f_lambda; b_z b_lambda; G] of the start, then its factors.
trmi_factor_status trmi_saddle_factor_start(trmi_saddle *s);
// The same without the reserve, whose factors may fill up where rank is lost.
trmi_factor_status trmi_saddle_try_start(trmi_saddle *s);

// Matrix [W 0 G^T; 0 I 0; G 0 0] of a projection, then its factors: W is the diagonal given (n_q),
// or where that is NULL M or the metric of the system.
trmi_factor_status trmi_saddle_factor_projection(trmi_saddle *s, const double *diagonal);

// Matrix of a system at rest, then its factors: all derivatives by (q, x, z, lambda) with v = 0, K
// shifted by the mass, the rows of x divided by TRMI_REST_RATE,
//
//     [ shift M + K + N     -f_x            -f_z        G^T - f_lambda ]
//     [ -c_q/rate           I - c_x/rate    -c_z/rate   -c_lambda/rate ]
//     [ b_q                 b_x             b_z         b_lambda       ]
//     [ G (A)               0               0           0              ]
//
// where I serves states that no equation depends on.
#define TRMI_REST_RATE 1e-10
trmi_factor_status trmi_saddle_factor_rest(trmi_saddle *s, double shift);
// The same without the reserve: where the block solver succeeds, K + shift M is positive definite
// on the constraints.
trmi_factor_status trmi_saddle_try_rest(trmi_saddle *s, double shift);

// Solves for count (1 or 2) right-hand sides of n entries, one after the other.
void trmi_saddle_solve(trmi_saddle *s, double *x, int count);

// How close the constraints are to losing rank at the last matrix: a pivot of G relative to its
// row, and the row; 1 where the solver (KLU) does not know.
trmi_pivot trmi_saddle_rank(const trmi_saddle *s);
// Whether that pivot is small: where Newton fails the reason may be rank.
bool trmi_saddle_nearly_singular(const trmi_saddle *s);

// After trmi_saddle_factor_start: whether M is positive definite on ker G; true where the solver
// does not know. Destroys the factors.
bool trmi_saddle_mass_definite(trmi_saddle *s);
// The same up to roundoff: false where it has a negative part that is none.
bool trmi_saddle_mass_semidefinite(trmi_saddle *s);

// Forgets pivots and splits of earlier matrices: the next factors depend on the next matrix alone.
void trmi_saddle_forget(trmi_saddle *s);

// State that the next matrix depends on besides its entries.
void trmi_saddle_archive(trmi_saddle *s, trmi_archive *archive);

void trmi_saddle_destroy(trmi_saddle *s);

#endif
