// SPDX-License-Identifier: Apache-2.0
// A system made ready for evaluation: patterns spelled out, missing derivatives formed by
// differences, redundant constraint rows folded away. The evaluator holds the structure; the
// numbers at a point are in a value set (trmi_values), which every evaluation names.
//
// Constraint rows come in two numberings. `full`: as the user wrote them (n_g rows of g, then n_a
// rows of A). `active`: without the redundant ones; all vectors of the solvers have n_r active
// entries and one more, a dummy that represents every dropped row (its multiplier stays 0).
#ifndef TRMI_SOLVER_SYSTEM_EVALUATOR_H
#define TRMI_SOLVER_SYSTEM_EVALUATOR_H

#include "base/archive.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "trammel/statistics.h"
#include "trammel/system.h"

// G with the motion of z eliminated, g_q - g_z b_z^-1 b_q: one more quantity, which follows from
// the others. The same array as TRM_QUANTITY_CONSTRAINT_Q where g does not depend on z.
enum { TRMI_TOTAL = TRM_QUANTITY_COUNT, TRMI_QUANTITIES };

// Columns that are moved together when a derivative is formed by differences: group g has
// column[start[g]] .. column[start[g+1]-1].
typedef struct trmi_column_groups {
    int count;
    const int *start, *column;
} trmi_column_groups;

// The structure of one quantity.
typedef struct trmi_quantity {
    int rows, columns;
    int count; // of values: entries of the pattern, or components of a vector
    // Constraint rows and columns in active numbering, n_r for dropped ones. Lists where the
    // quantity is formed by differences. count == 0: a vector.
    trm_pattern pattern;
    const int *full_row; // rows as given, once some have been dropped
    // By differences only: the groups of its columns.
    const trmi_column_groups *groups;
    // By differences only: the entries of group g are group_entry[group_start[g]] ..
    // group_entry[group_start[g+1]-1]. Entries that belong to no group are zero.
    int *group_start, *group_entry;
} trmi_quantity;

// The entries of a quantity in order of rows: entry[start[i]] .. entry[start[i+1]-1] belong to row
// i. entry NULL: they are stored in this order, start[i] .. start[i+1]-1. start NULL: the pattern
// is given by blocks and needs no order.
typedef struct trmi_order {
    int n, *start, *entry;
} trmi_order;

typedef struct trmi_evaluator trmi_evaluator;

// The numbers of one evaluation. Constants are evaluated once for all sets of an evaluator, which
// share their arrays.
typedef struct trmi_values {
    trmi_evaluator *e;           // whose quantities these are
    double *of[TRMI_QUANTITIES]; // the values of each quantity; NULL: the set does not hold it
    double *g_t_total;           // g_t - g_z b_z^-1 b_t, where g depends on z
    double *g_effective;         // g - g_z b_z^-1 b, where g depends on z
    double *input;               // 3 n_u: the excitations u, u', u''
    double input_time;           // for which they hold, NaN: none
    const double *input_shift;   // 3 n_u, added to the excitations; NULL: nothing is
    const double *added_mass;    // n_q, added to the diagonal of M; NULL: nothing is
    double dropped_residual;     // largest |g| of the dropped rows where they were last checked
    trm_statistics *statistics;  // what is counted here; borrowed
} trmi_values;

// Scratch of a difference.
typedef struct trmi_difference_work {
    trmi_values values;     // at the perturbed points
    double *moved;          // the perturbed variable
    double *middle, *width; // where it came from, and how far it was moved
    double *z;              // z along the flow
    double *plus, *minus;   // values of the differenced quantity on both sides
    double *base;           // its value at the point itself
} trmi_difference_work;

struct trmi_evaluator {
    trm_system user;
    int n_q, n_x, n_z, n_u;
    int n_g, n_a, n_r; // active rows
    int n_r_full;      // rows as given
    int *active;       // n_r_full, active number of a row, n_r when dropped; NULL: none is dropped
    int *full;         // of the active rows: number as given; NULL: none is dropped
    int *follows;      // n_r_full, the row a dropped one depends on most; NULL: none is dropped
    bool *shared;      // n_r_full, multipliers that are not unique: those of dropped rows and of
                       // the rows they depend on; NULL: none is dropped
    bool by_bodies;    // dropped rows were found body by body (linear/dependence.h)
    trmi_quantity block[TRMI_QUANTITIES];
    trmi_order by_row;                    // of TRMI_TOTAL
    uint64_t prepared;                    // bits of quantities that can be evaluated
    uint64_t supplied;                    // bits of quantities that callbacks deliver
    uint64_t absent;                      // bits of quantities that are structurally zero
    uint64_t constant_done;               // bits of quantities whose constants are known
    double *constant[TRM_QUANTITY_COUNT]; // values of constants and of vectors that are zero
    bool constraint_uses_z;               // g depends on z
    bool force_uses_lambda;               // f depends on the multipliers
    bool lambda_enters;                   // forces, rates or algebraic equations do
    bool differences;                     // some quantity is formed by differences
    double step; // of differences, relative to the sizes of the variables; 0: the usual ones
    bool paper_increments; // one-sided: sqrt(eps) max(|w|, eps^(1/4)) instead of scaled ones
    double *held;          // n_held, as they are at present
    double *lambda_full;   // n_r_full scratch, where rows were dropped; 0 for those
    double *row_full;      // n_r_full scratch, where rows were dropped
    trmi_difference_work work[2];
    int depth;                  // 0 at the point itself, 1 in a difference, 2 in one inside it
    trmi_column_groups each[4]; // every column its own group, by length: n_q, n_x, n_z, n_r
    double *bz;                 // n_z x n_z dense scratch: the factors of b_z
    int *bz_pivots;             // of these factors
    double *bz_rhs;             // n_z x (n_q + 2) scratch: b_z^-1 (b_q, b_t, b)
    trm_quantity culprit;       // quantity whose callback failed last
    int returned;               // what the last checked callback returned
};

// A quantity and its values, for those who read both.
typedef struct trmi_matrix {
    int rows, columns, count;
    trm_pattern pattern;
    const double *value;
} trmi_matrix;

static inline trmi_matrix trmi_matrix_with(const trmi_quantity *b, const double *value)
{
    return (trmi_matrix){b->rows, b->columns, b->count, b->pattern, value};
}
static inline trmi_matrix trmi_matrix_of(const trmi_values *values, int quantity)
{
    return trmi_matrix_with(&values->e->block[quantity], values->of[quantity]);
}

// The mutable twin of trm_state: where the solvers keep a point.
typedef struct trmi_point {
    double t;
    double *q, *v, *a, *x, *z, *lambda; // lambda in active numbering, n_r + 1
} trmi_point;

// Prepares the quantities in `needed` and those they are formed from, and a first value set for all
// of them, which counts into the statistics. The initial state shows which dependences exist that
// the user need not declare (forces on multipliers, constraints on z).
trm_status trmi_evaluator_create(trmi_evaluator *e, trmi_values *values, trmi_memory *memory,
                                 const trm_system *system, uint64_t needed,
                                 const trm_initial *initial, trm_statistics *statistics,
                                 trm_error *error);

// Another value set, for those of the quantities that are prepared and for those they are formed
// from. False when there is no memory.
bool trmi_values_create(trmi_values *values, trmi_memory *memory, trmi_evaluator *e,
                        uint64_t quantities, trm_statistics *statistics);

// The excitations of the set are other functions of time from now on: their values are not reused.
void trmi_values_forget_inputs(trmi_values *values);

// M of the set has `added` (n_q, NULL: nothing) on its diagonal beside its own entries from now on:
// another metric for a search, not for a motion.
void trmi_values_add_mass(trmi_values *values, const double *added);

// Arrays for a point.
bool trmi_point_create(trmi_point *p, trmi_memory *memory, const trmi_evaluator *e);
// The point in a checkpoint, without a.
void trmi_point_archive(trmi_point *p, const trmi_evaluator *e, trmi_archive *archive);
// The point becomes the initial state; what that leaves out is zero.
void trmi_point_set(trmi_point *p, const trmi_evaluator *e, const trm_initial *initial);

// The active number of a row as given, n_r: dropped.
static inline int trmi_active_row(const trmi_evaluator *e, int row)
{
    return e->active ? e->active[row] : row;
}
// The number as given of an active row.
static inline int trmi_given_row(const trmi_evaluator *e, int active)
{
    return e->full ? e->full[active] : active;
}
// Drops rows (full numbering) from now on. False when there is no memory.
bool trmi_evaluator_drop_rows(trmi_evaluator *e, trmi_memory *memory, const bool *dropped);
// Drops others instead, as many of g as before, where trmi_rows_exchangeable.
void trmi_evaluator_exchange_rows(trmi_evaluator *e, const bool *dropped);

// Evaluates the quantities in `want` at a point into a value set that holds them, and writes
// nowhere else. want = 0: the excitations alone, which every evaluation finds. CONSTRAINT_Q
// includes TRMI_TOTAL. Returns what the callback returned: 0, > 0 retry, < 0 stop.
int trmi_evaluate(trmi_evaluator *e, const trmi_point *p, uint64_t want, trmi_values *into);

// Newton on b(.., z, ..) = 0 for z at the point. Returns 0, 1 when it does not converge, or what a
// callback returned.
int trmi_settle_z(trmi_evaluator *e, trmi_point *p, trmi_values *into);

// Calls the user for one quantity, in full numbering, without storing or counting anything.
int trmi_call(trmi_evaluator *e, const trm_state *state, trm_quantity quantity, double *out);

// The constraint row (full numbering) of an entry of a quantity whose rows are constraint rows.
static inline int trmi_full_row(const trmi_quantity *b, const trmi_cursor *at)
{
    return b->full_row ? b->full_row[at->k] : at->row;
}

// The values of the last evaluations in a checkpoint: derivatives may be kept from one step to the
// next.
void trmi_values_archive(trmi_values *values, trmi_evaluator *e, trmi_archive *archive);
// A hash of the structure: sizes, patterns, what is supplied and constant, how much is dropped.
uint64_t trmi_evaluator_hash(const trmi_evaluator *e, uint64_t hash);

// dependences.c: finds `supplied` and `absent` from sizes and declarations.
void trmi_evaluator_declared(trmi_evaluator *e);
// dependences.c: moves z and lambda a little about the initial state and records which of
// constraints, forces, rates and equations change.
trm_status trmi_evaluator_probe(trmi_evaluator *e, trmi_values *values, const trmi_memory *memory,
                                const trm_initial *initial, trm_error *error);

// full (n_r_full) = values over the active rows, zero for dropped ones
void trmi_expand_rows(const trmi_evaluator *e, const double *rows, double *full);

// rows = the active ones of full (n_r_full), 0 for the dummy; in place is allowed
void trmi_select_rows(const trmi_evaluator *e, const double *full, double *rows);

// What M a - f is made of: what the system supplies for it, or M and f.
uint64_t trmi_inertia_quantities(const trmi_evaluator *e);
// out = M a - f from these quantities, evaluated with this a.
void trmi_inertia_residual(const trmi_values *values, const double *a, double *restrict out);

// out = M x
void trmi_mass_product(const trmi_values *values, const double *x, double *restrict out);
// out += G x with the values of G given
void trmi_add_total_product(const trmi_evaluator *e, const double *value, const double *x,
                            double *restrict out);
// out += scale G^T lambda with the values of G given
void trmi_add_total_force(const trmi_evaluator *e, const double *value, const double *lambda,
                          double scale, double *restrict out);
// out += scale (G^T + A^T) lambda
void trmi_add_constraint_force(const trmi_values *values, const double *lambda, double scale,
                               double *restrict out);
// out (n_r) = G v + g_t, A v + a
void trmi_velocity_level(const trmi_values *values, const double *v, double *restrict out);
// out (n_r) = g_t, a
void trmi_velocity_offset(const trmi_values *values, double *restrict out);
// Whether g_t or a can be other than 0.
bool trmi_has_velocity_offset(const trmi_evaluator *e);
// out (n_r) = (G; A) x
void trmi_constraint_product(const trmi_values *values, const double *x, double *restrict out);
// The residual of the position constraints with z eliminated: g - g_z b_z^-1 b. Borrowed, n_g
// entries.
const double *trmi_position_level(const trmi_values *values);

// What a projection of positions needs.
#define TRMI_POSITION_QUANTITIES                                                                   \
    (TRM_BIT(MASS) | TRM_BIT(METRIC) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) |               \
     TRM_BIT(ROLLING))

// What trmi_velocity_level needs.
uint64_t trmi_velocity_quantities(const trmi_evaluator *e);

// Whether the norm of projections is a matrix of its own.
static inline bool trmi_has_metric(const trmi_evaluator *e)
{
    return (e->absent & TRM_BIT(METRIC)) == 0;
}
// The quantity that is the norm of projections: W, otherwise M.
static inline int trmi_metric(const trmi_evaluator *e)
{
    return trmi_has_metric(e) ? TRM_QUANTITY_METRIC : TRM_QUANTITY_MASS;
}

// gt = (G; A)^T, dense n_q x n_r, column-major
void trmi_dense_constraints(const trmi_values *values, double *gt);

// y += matrix x
void trmi_matrix_multiply(const trmi_matrix *b, const double *x, double *restrict y);

// With g_q, g_z, g_t, g and b_z, b_q, b_t, b evaluated: total = g_q - g_z b_z^-1 b_q, and likewise
// g_t and the effective g. Returns 1 (retry) when b_z is singular.
int trmi_eliminate_z(trmi_evaluator *e, trmi_values *values);
// The factors of b_z in e->bz; false when it is singular.
bool trmi_factor_bz(trmi_evaluator *e, const trmi_values *values);
// rhs = b_z^-1 rhs for `count` right-hand sides, with these factors.
void trmi_solve_bz(const trmi_evaluator *e, double *rhs, int count);

// The name of coordinate i for messages: "x", "q[3]".
const char *trmi_name_q(const trmi_evaluator *e, int i, char *buffer, size_t size);
// The name of an active constraint row: "circle".
const char *trmi_name_row(const trmi_evaluator *e, int active_row, char *buffer, size_t size);
// The name of a constraint row in full numbering.
const char *trmi_name_full_row(const trmi_evaluator *e, int row, char *buffer, size_t size);
// The name of the equation of an unknown of the saddle system, in the order q, x, z, rows:
// "dynamics of x", "constraint circle".
const char *trmi_name_unknown(const trmi_evaluator *e, int i, char *buffer, size_t size);

// If a value of the quantities in `want` is not finite: names it in error (NULL allowed), true.
bool trmi_find_not_finite(const trmi_values *values, uint64_t want, trm_error *error);

#endif
