// SPDX-License-Identifier: Apache-2.0
// A system made ready for evaluation: patterns spelled out, values stored, missing derivatives
// formed by differences, redundant constraint rows folded away.
//
// Constraint rows come in two numberings. `full`: as the user wrote them (n_g rows of g, then n_a
// rows of A). `active`: without the redundant ones; all vectors of the solvers have n_r active
// entries and one more, a dummy that stands for every dropped row (its multiplier stays 0).
#ifndef TRMI_SOLVER_SYSTEM_EVALUATOR_H
#define TRMI_SOLVER_SYSTEM_EVALUATOR_H

#include "base/archive.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "trammel/simulation.h"

// Columns that are moved together when a derivative is formed by differences: group g has
// column[start[g]] .. column[start[g+1]-1].
typedef struct trmi_column_groups {
    int count;
    const int *start, *column;
} trmi_column_groups;

// One quantity: its pattern (count == 0: a vector) and its values at the last evaluation.
typedef struct trmi_values {
    int rows, columns, count;
    // constraint rows in active numbering, n_r for dropped rows; that of the user where this is
    // the numbering it has. By lists what is formed by differences
    trm_pattern pattern;
    const int *full_row; // rows as given, once some have been dropped
    double *value;
    double *spare[3]; // values while differences are formed, and differences inside those
    // by differences only: groups of its columns, and its entries in their order,
    // group_entry[group_start[g]] .. group_entry[group_start[g+1]-1]. Other entries stay zero.
    const trmi_column_groups *groups;
    int *group_start, *group_entry;
} trmi_values;

// The entries of a block in order of rows: entry[start[i]] .. entry[start[i+1]-1] belong to row i.
// entry NULL: they stand in this order already, start[i] .. start[i+1]-1. Patterns by blocks need
// none of it: start NULL.
typedef struct trmi_order {
    int n, *start, *entry;
} trmi_order;

// Scratch of a difference.
typedef struct trmi_difference_work {
    double *moved;               // the perturbed variable
    double *middle, *width;      // where it came from, and how far it was moved
    double *z;                   // z along the flow
    double *plus, *minus, *base; // values of what is differenced
    double *input;               // 3 n_u
} trmi_difference_work;

typedef struct trmi_evaluator {
    trm_system user;
    int n_q, n_x, n_z, n_u;
    int n_g, n_a, n_r; // active rows
    int n_r_full;      // rows as given
    // where rows were dropped, otherwise NULL, n_r_full each:
    int *active;    // active number of a row, n_r when dropped
    int *full;      // of the active rows: number as given
    int *follows;   // the row a dropped one follows from most
    bool *shared;   // multipliers that are not unique: of dropped rows and of those they follow
                    // from
    bool by_bodies; // how these were found: body by body (linear/dependence.h)
    trmi_values block[TRM_QUANTITY_COUNT];
    trmi_values total; // G with the motion of z eliminated; the same as CONSTRAINT_Q without z in g
    trmi_order by_row; // of total
    uint64_t supplied; // bits of what callbacks deliver
    uint64_t absent;   // bits of what is structurally zero
    uint64_t constant_done; // bits of constants already evaluated
    bool constraint_uses_z, force_uses_lambda;
    bool has_spares;     // some quantity is formed by differences
    bool lambda_enters;  // multipliers in forces, rates or algebraic equations
    double *lambda_full; // n_r_full, where rows were dropped: their multipliers are 0
    double *row_full;    // n_r_full scratch, likewise
    double *input;       // 3 n_u
    double input_time;
    const double *input_shift; // NULL, or added to the excitations, 3 n_u
    double *held;              // n_held, as they are at present
    trmi_difference_work work[2];
    trmi_column_groups each[4]; // every column its own group, by length: n_q, n_x, n_z, n_r
    bool paper_increments;      // one-sided: sqrt(eps) max(|w|, eps^(1/4)) instead of scaled ones
    int depth;                  // 0 at the point itself, 1 in a difference, 2 in one inside it
    double *bz;                 // n_z x n_z dense work, with pivots
    double *bz_rhs;             // n_z x (n_q + 2): b_z^-1 (b_q, b_t, b)
    int *bz_pivots;
    double *g_t_total;       // g_t - g_z b_z^-1 b_t, where g depends on z
    double *g_effective;     // g - g_z b_z^-1 b, likewise
    double dropped_residual; // largest |g| of the dropped rows at the last look
    trm_statistics *statistics;
    trm_quantity culprit; // quantity whose callback failed last
    int returned;         // what it returned, where that was looked at
} trmi_evaluator;

// The mutable twin of trm_state: where the solvers keep a point.
typedef struct trmi_point {
    double t;
    double *q, *v, *a, *x, *z, *lambda; // lambda in active numbering, n_r + 1
} trmi_point;

// Prepares the quantities in `needed` and what they rest on. The point tells which dependences
// exist that the user need not declare (forces on multipliers, constraints on z).
trm_status trmi_evaluator_create(trmi_evaluator *e, trmi_memory *memory, const trm_system *system,
                                 uint64_t needed, const trm_initial *initial,
                                 trm_statistics *statistics, trm_error *error);

// Arrays for a point. Its archive leaves out a.
bool trmi_point_create(trmi_point *p, trmi_memory *memory, const trmi_evaluator *e);
void trmi_point_archive(trmi_point *p, const trmi_evaluator *e, trmi_archive *archive);
void trmi_point_set(trmi_point *p, const trmi_evaluator *e, const trm_initial *initial);

// Drops rows (full numbering) from now on. False when there is no memory.
// Numbers of rows: active of given (n_r: dropped), given of active.
static inline int trmi_active_row(const trmi_evaluator *e, int row)
{
    return e->active ? e->active[row] : row;
}
static inline int trmi_given_row(const trmi_evaluator *e, int active)
{
    return e->full ? e->full[active] : active;
}
bool trmi_evaluator_drop_rows(trmi_evaluator *e, trmi_memory *memory, const bool *dropped);

// Evaluates the wanted quantities at a point into block[...].value. CONSTRAINT_Q includes `total`.
// Returns what the callback returned: 0, > 0 retry, < 0 stop.
int trmi_evaluate(trmi_evaluator *e, const trmi_point *p, uint64_t want);

// Calls the user for one quantity, in full numbering, without storing or counting anything.
int trmi_call(trmi_evaluator *e, const trm_state *state, trm_quantity quantity, double *out);
// The constraint row (full numbering) of an entry of a block whose rows are constraint rows.
static inline int trmi_full_row(const trmi_values *b, const trmi_cursor *at)
{
    return b->full_row ? b->full_row[at->k] : at->row;
}

// Sets the present values aside, and brings them back: what is evaluated in between leaves no trace
// in derivatives that are kept over steps.
void trmi_evaluator_set_aside(trmi_evaluator *e);
void trmi_evaluator_bring_back(trmi_evaluator *e);

// The values of the last evaluations: derivatives may be kept from one step to the next.
void trmi_evaluator_archive(trmi_evaluator *e, trmi_archive *archive);
// A hash of the structure: sizes, patterns, what is supplied, constant and dropped.
uint64_t trmi_evaluator_hash(const trmi_evaluator *e, uint64_t hash);

// Forms quantities that share their evaluations (companions) by differences, each into out[k] with
// its pattern (full rows). central: two-sided. Used for what is not supplied, and by the derivative
// checker.
int trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities, bool central,
                    double *const out[TRM_QUANTITY_COUNT]);
// What the levels of the constraints are made of is differenced two-sided.
bool trmi_difference_central(const trmi_evaluator *e, trm_quantity quantity);
// The quantities formed by differences that share the evaluations of this one, and itself.
uint64_t trmi_difference_companions(const trmi_evaluator *e, trm_quantity quantity);
// Where the rows of a quantity stand among those of its companions; its (active) columns and their
// typical sizes (NULL: 1).
int trmi_difference_first_row(const trmi_evaluator *e, trm_quantity quantity);
int trmi_difference_columns(const trmi_evaluator *e, trm_quantity quantity);
const double *trmi_difference_scales(const trmi_evaluator *e, trm_quantity quantity);

// dependences.c: `supplied` and `absent` as they follow from sizes and declarations; what a little
// motion about the initial state shows of z in constraints and lambda in forces, rates, equations.
void trmi_evaluator_declared(trmi_evaluator *e);
trm_status trmi_evaluator_probe(trmi_evaluator *e, const trmi_memory *memory,
                                const trm_initial *initial, trm_error *error);

// At first, and after rows were dropped, every column is moved alone.
bool trmi_evaluator_create_columns(trmi_evaluator *e, trmi_memory *memory);
// A quantity takes these groups: group[j] of column j, -1 for none. included (may be NULL): only
// these entries. Everything that belongs to no group is zero from now on.
void trmi_values_regroup(trmi_values *b, const trmi_column_groups *groups, const int *group,
                         const unsigned char *included);

// The increment of a two-sided difference by coordinate i with value q.
double trmi_increment_q(const trmi_evaluator *e, double q, int i);

// full (n_r_full) = values over the active rows, zero for dropped ones
void trmi_expand_rows(const trmi_evaluator *e, const double *rows, double *full);

// rows = the active ones of full (n_r_full), 0 for the dummy; in place is allowed
void trmi_select_rows(const trmi_evaluator *e, const double *full, double *rows);

// What M a - f is made of: what the system supplies for it, or M and f.
uint64_t trmi_inertia_quantities(const trmi_evaluator *e);
// out = M a - f of the last evaluation of these quantities, which was made with this a.
void trmi_inertia_residual(const trmi_evaluator *e, const double *a, double *restrict out);

// out = M x                                              (values of the last evaluation)
void trmi_mass_product(const trmi_evaluator *e, const double *x, double *restrict out);
// out += G x, out += scale G^T lambda with other values of G: those of another point
void trmi_add_total_product(const trmi_evaluator *e, const double *value, const double *x,
                            double *restrict out);
void trmi_add_total_force(const trmi_evaluator *e, const double *value, const double *lambda,
                          double scale, double *restrict out);
// out += scale (G^T + A^T) lambda
void trmi_add_constraint_force(const trmi_evaluator *e, const double *lambda, double scale,
                               double *restrict out);
// out (n_r) = G v + g_t, A v + a;  the same with v = 0
void trmi_velocity_level(const trmi_evaluator *e, const double *v, double *restrict out);
void trmi_velocity_offset(const trmi_evaluator *e, double *restrict out);
// Whether that can be other than 0.
bool trmi_has_velocity_offset(const trmi_evaluator *e);
// out (n_r) = (G; A) x
void trmi_constraint_product(const trmi_evaluator *e, const double *x, double *restrict out);
// What the position constraints miss, with z eliminated: g - g_z b_z^-1 b. Borrowed, n_g entries.
const double *trmi_position_level(const trmi_evaluator *e);

// What a projection of positions needs.
#define TRMI_POSITION_QUANTITIES                                                                   \
    (TRM_BIT(TRM_MASS) | TRM_BIT(TRM_METRIC) | TRM_BIT(TRM_CONSTRAINT) |                           \
     TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_ROLLING))

// Whether the norm of projections is a matrix of its own, and what it is: W, otherwise M.
static inline bool trmi_has_metric(const trmi_evaluator *e)
{
    return (e->absent & TRM_BIT(TRM_METRIC)) == 0;
}
static inline const trmi_values *trmi_metric(const trmi_evaluator *e)
{
    return &e->block[trmi_has_metric(e) ? TRM_METRIC : TRM_MASS];
}

// What `velocity_level` needs.
uint64_t trmi_velocity_quantities(const trmi_evaluator *e);

// gt = (G; A)^T, dense n_q x n_r, column-major
void trmi_dense_constraints(const trmi_evaluator *e, double *gt);

// y += block x
void trmi_values_multiply(const trmi_values *b, const double *x, double *restrict y);

// Names for messages: "x", "q[3]"; "constraint circle"; "dynamics of x", ...
const char *trmi_name_q(const trmi_evaluator *e, int i, char *buffer, size_t size);
const char *trmi_name_row(const trmi_evaluator *e, int active_row, char *buffer, size_t size);
const char *trmi_name_full_row(const trmi_evaluator *e, int row, char *buffer, size_t size);
// unknowns of the saddle system in the order q, x, z, rows
const char *trmi_name_unknown(const trmi_evaluator *e, int i, char *buffer, size_t size);

// If a value of the quantities in `want` is not finite: names it in error (NULL allowed), true.
bool trmi_find_not_finite(const trmi_evaluator *e, uint64_t want, trm_error *error);

#endif
