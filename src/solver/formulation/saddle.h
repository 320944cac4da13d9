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

typedef struct trmi_saddle {
    trmi_evaluator *e;
    trmi_values *values; // the numbers it is made of; borrowed. What is evaluated for its sake is
                         // written there
    trmi_memory *memory;
    int n;
    trmi_solver *solver; // the one in use
    trmi_scatter scatter[TRMI_SADDLE_TERMS];
    int scatter_count;
    trmi_solver *reserve; // KLU behind the block solver, made when first needed
    bool whole;           // the reserve, which has the whole of S and not its symmetric part alone
    trmi_scatter reserve_scatter[TRMI_SADDLE_TERMS];
    int reserve_count;
    trmi_solver *factored; // which of the two holds the factors
    double *begun;         // the right-hand side whose solution was begun with them, or NULL
    double coefficient[16];
    bool geometric;         // N is part of the matrix
    bool plain;             // dense means LU, whose entries may be complex or regularized
    bool bare;              // M and G alone
    bool z_apart;           // projection: the rows of z say dz = 0
    const double *diagonal; // projection: W, NULL where it is M
    const double *relief;   // n_r: taken from the diagonal of the constraint rows; NULL: nothing is
} trmi_saddle;

// Creates the matrix of these values for the active rows, with the wanted solver; `auto` decides by
// size, density and declared blocks.
trm_status trmi_saddle_create(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                              trm_solver choice, bool geometric, trm_error *error);

// The same without a null-space solver: the entries of a twin of its solver stand at the same
// places and may be filled by the two functions below.
trm_status trmi_saddle_create_plain(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                                    trm_solver choice, bool geometric, trm_error *error);
// The same with the block solver where bodies and joints are declared and may be used, bare: of M
// and G alone; false: they are not.
bool trmi_saddle_create_blocks(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                               trm_solver choice, bool bare);
// With cv = ca = cj the matrix of a step is sum_k cj^k part_k, k = -2 .. 2. value = part_k of the
// present blocks; false: there is none, whatever their values.
bool trmi_saddle_part(trmi_saddle *s, int power, double *value);
bool trmi_saddle_has_part(const trmi_saddle *s, int power);
// Block solver only: what it does not see of part_k (k < 0) of the present blocks, in units of the
// masses: the largest |P_ij - P_ji| / (2 sqrt(m_i m_j)). scratch: zeros for every value, and left
// so.
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
// is begun on the way. Not *intact: x is lost and must be formed anew, for another solver took
// over.
trmi_factor_status trmi_saddle_factor_for(trmi_saddle *s, trmi_leading lead, double *x,
                                          bool *intact);
// Matrix [M -f_z G^T-f_lambda; b_z b_lambda; G] of the start, then its factors.
trmi_factor_status trmi_saddle_factor_start(trmi_saddle *s);
// The same without the reserve, for which lost rank can mean that the factors fill up.
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
// the I being there for states that nothing depends on.
#define TRMI_REST_RATE 1e-10
trmi_factor_status trmi_saddle_factor_rest(trmi_saddle *s, double shift);
// The same without the reserve: where the block solver succeeds, K + shift M is positive definite
// on the constraints.
trmi_factor_status trmi_saddle_try_rest(trmi_saddle *s, double shift);

// Solves for count (1 or 2) right-hand sides of n entries, one after the other.
void trmi_saddle_solve(trmi_saddle *s, double *x, int count);

// How close the constraints are to losing rank at the last matrix: a pivot of G relative to its
// row, and the row; 1 where the solver (KLU) cannot tell.
trmi_pivot trmi_saddle_rank(const trmi_saddle *s);
// Whether that is close: what Newton lacks then may be rank.
bool trmi_saddle_nearly_singular(const trmi_saddle *s);

// After trmi_saddle_factor_start: whether M is positive definite on ker G; true where the solver
// does not tell. Destroys the factors.
bool trmi_saddle_mass_definite(trmi_saddle *s);

// Forgets pivots and splits of earlier matrices: the next factors depend on the next matrix alone.
void trmi_saddle_forget(trmi_saddle *s);

// What the next matrix depends on besides its entries.
void trmi_saddle_archive(trmi_saddle *s, trmi_archive *archive);

void trmi_saddle_destroy(trmi_saddle *s);

#endif
