// SPDX-License-Identifier: Apache-2.0
#include "formulation/saddle.h"

#include "base/error.h"
#include "linear/nullspace.h"

#include <string.h>

// coefficients of the terms, functions of cv and ca
enum {
    ONE,
    MASS_C,
    DAMPING_C,
    STIFFNESS_C,
    FORCE_C,
    RATE_C,
    RATE_V_C,
    RATE_L_C,
    ALG_C,
    ALG_V_C,
    ALG_L_C,
    ALG_Z_C,
    FORCE_L_C
};

// The power of cj = cv = ca that goes with each coefficient in the matrix of a step.
static const int power_of[] = {
    [ONE] = 0,     [MASS_C] = 0,   [DAMPING_C] = -1, [STIFFNESS_C] = -2, [FORCE_C] = -2,
    [RATE_C] = -1, [RATE_V_C] = 0, [RATE_L_C] = 1,   [ALG_C] = 0,        [ALG_V_C] = 1,
    [ALG_L_C] = 2, [ALG_Z_C] = 0,  [FORCE_L_C] = 0,
};
enum { COEFFICIENTS = sizeof power_of / sizeof *power_of };

typedef enum group { Q_ROWS, X_ROWS, Z_ROWS, R_ROWS } group;

// where each quantity stands in the matrix
static const struct term {
    trm_quantity quantity;
    group row, column;
    int coefficient;
    double sign;
} terms[] = {
    {TRM_MASS, Q_ROWS, Q_ROWS, MASS_C, 1},
    {TRM_DAMPING, Q_ROWS, Q_ROWS, DAMPING_C, 1},
    {TRM_STIFFNESS, Q_ROWS, Q_ROWS, STIFFNESS_C, 1},
    {TRM_GEOMETRIC, Q_ROWS, Q_ROWS, STIFFNESS_C, 1},
    {TRM_FORCE_X, Q_ROWS, X_ROWS, FORCE_C, -1},
    {TRM_FORCE_Z, Q_ROWS, Z_ROWS, FORCE_C, -1},
    {TRM_FORCE_LAMBDA, Q_ROWS, R_ROWS, FORCE_L_C, -1},
    {TRM_RATE_Q, X_ROWS, Q_ROWS, RATE_C, -1},
    {TRM_RATE_V, X_ROWS, Q_ROWS, RATE_V_C, -1},
    {TRM_RATE_X, X_ROWS, X_ROWS, RATE_C, -1},
    {TRM_RATE_Z, X_ROWS, Z_ROWS, RATE_C, -1},
    {TRM_RATE_LAMBDA, X_ROWS, R_ROWS, RATE_L_C, -1},
    {TRM_ALGEBRAIC_Q, Z_ROWS, Q_ROWS, ALG_C, 1},
    {TRM_ALGEBRAIC_V, Z_ROWS, Q_ROWS, ALG_V_C, 1},
    {TRM_ALGEBRAIC_X, Z_ROWS, X_ROWS, ALG_C, 1},
    {TRM_ALGEBRAIC_Z, Z_ROWS, Z_ROWS, ALG_Z_C, 1},
    {TRM_ALGEBRAIC_LAMBDA, Z_ROWS, R_ROWS, ALG_L_C, 1},
};
enum { TERM_COUNT = sizeof terms / sizeof *terms };

uint64_t trmi_saddle_derivatives(const trmi_saddle *s)
{
    uint64_t mask = 0;
    for (int k = 1; k < TERM_COUNT; k++)
        mask |= TRM_BIT(terms[k].quantity);
    if (!s->geometric)
        mask &= ~TRM_BIT(TRM_GEOMETRIC);
    return mask & ~s->e->absent;
}

static bool term_present(const trmi_saddle *s, const struct term *t)
{
    return !(s->e->absent & TRM_BIT(t->quantity)) && s->e->block[t->quantity].value &&
           (s->geometric || t->quantity != TRM_GEOMETRIC) && (!s->bare || t->quantity == TRM_MASS);
}

static int first_of(const trmi_evaluator *e, group g)
{
    const int first[] = {0, e->n_q, e->n_q + e->n_x, e->n_q + e->n_x + e->n_z};
    return first[g];
}

// a list of matrix positions that grows while the structure is collected
typedef struct positions {
    int *row, *col, count;
} positions;

static void add_place(positions *p, int row, int col)
{
    if (p->row) {
        p->row[p->count] = row;
        p->col[p->count] = col;
    }
    p->count++;
}

static void add_positions(positions *p, const trmi_values *b, int row0, int col0, bool transposed,
                          int n)
{
    for (int k = 0; k < b->count; k++) {
        int r = row0 + (transposed ? b->column[k] : b->row[k]);
        int c = col0 + (transposed ? b->row[k] : b->column[k]);
        if (r >= n || c >= n)
            continue; // dropped constraint rows
        add_place(p, r, c);
    }
}

// the places of the part of cj^power
static void collect_part(const trmi_saddle *s, int power, positions *p)
{
    const trmi_evaluator *e = s->e;
    for (int k = 0; k < TERM_COUNT; k++)
        if (term_present(s, &terms[k]) && power_of[terms[k].coefficient] == power)
            add_positions(p, &e->block[terms[k].quantity], first_of(e, terms[k].row),
                          first_of(e, terms[k].column), false, s->n);
    const trmi_values *constraint[] = {&e->total, &e->block[TRM_ROLLING]};
    for (int k = 0; k < 2 && power == 0; k++) {
        add_positions(p, constraint[k], first_of(e, R_ROWS), 0, false, s->n);
        add_positions(p, constraint[k], 0, first_of(e, R_ROWS), true, s->n);
    }
}

static void collect_structure(const trmi_saddle *s, positions *p)
{
    p->count = 0;
    for (int power = -2; power <= 2; power++)
        collect_part(s, power, p);
    for (int i = 0; i < s->n; i++) // the whole diagonal, for the x rows and for pivoting
        add_place(p, i, i);
}

int trmi_saddle_places(const trmi_saddle *s, int power, int *row, int *col)
{
    positions p = {.row = row, .col = col};
    collect_part(s, power, &p);
    for (int i = 0; i < s->e->n_x && power == 0; i++)
        add_place(&p, s->e->n_q + i, s->e->n_q + i);
    return p.count;
}

// Adds the map of one block into the matrix. An entry whose mirror image has the same place (one
// triangle stored) is entered once for G (the copy below the diagonal), and with half its value
// for each of the two mirror entries of S, so that the symmetric part is taken.
static bool add_scatter(trmi_scatter *list, int *count, trmi_saddle *s, const trmi_solver *solver,
                        const trmi_values *b, const int first[2], bool transposed, int coefficient,
                        double sign)
{
    bool is_constraint = b == &s->e->total || b == &s->e->block[TRM_ROLLING];
    for (int half = 0; half < 2; half++) {
        trmi_scatter *t = &list[*count];
        *t = (trmi_scatter){b, coefficient, half ? 0.5 * sign : sign, 0, NULL, NULL};
        for (int pass = 0; pass < 2; pass++) {
            t->count = 0;
            for (int k = 0; k < b->count; k++) {
                int r = first[0] + (transposed ? b->column[k] : b->row[k]);
                int c = first[1] + (transposed ? b->row[k] : b->column[k]);
                if (r >= s->n || c >= s->n)
                    continue;
                int place = solver->type->position(solver, r, c);
                bool shared = r != c && place == solver->type->position(solver, c, r);
                bool halved = shared && !is_constraint;
                if ((shared && is_constraint && transposed) || halved != (half == 1))
                    continue;
                if (pass == 1) {
                    t->source[t->count] = k;
                    t->position[t->count] = place;
                }
                t->count++;
            }
            if (pass == 0 && t->count > 0 &&
                (!TRMI_TAKE(s->memory, t->source, t->count) ||
                 !TRMI_TAKE(s->memory, t->position, t->count)))
                return false;
        }
        if (t->count == b->count)
            t->source = NULL; // one index array less to read in every step
        *count += t->count > 0;
    }
    return true;
}

static bool create_scatters(trmi_saddle *s, const trmi_solver *solver, trmi_scatter *list,
                            int *count)
{
    trmi_evaluator *e = s->e;
    *count = 0;
    bool good = true;
    // G first: prepare() enters it alone
    const trmi_values *constraint[] = {&e->total, &e->block[TRM_ROLLING]};
    for (int k = 0; k < 2 && good; k++) {
        const int below[2] = {first_of(e, R_ROWS), 0}, beside[2] = {0, first_of(e, R_ROWS)};
        good = add_scatter(list, count, s, solver, constraint[k], below, false, ONE, 1) &&
               add_scatter(list, count, s, solver, constraint[k], beside, true, ONE, 1);
    }
    for (int k = 0; k < TERM_COUNT && good; k++)
        if (term_present(s, &terms[k])) {
            const int first[2] = {first_of(e, terms[k].row), first_of(e, terms[k].column)};
            good = add_scatter(list, count, s, solver, &e->block[terms[k].quantity], first, false,
                               terms[k].coefficient, terms[k].sign);
        }
    return good;
}

// Whether the declared bodies and joints can be used: no x, z, no dropped rows, symmetric rows.
static bool blocks_usable(const trmi_evaluator *e)
{
    return e->user.n_bodies > 0 && e->n_x == 0 && e->n_z == 0 && e->n_r == e->n_r_full &&
           !e->force_uses_lambda && (e->user.n_joints > 0 || e->n_r == 0);
}

// Measured crossovers (docs/performance.md): declared blocks win at every size. Without them the
// null-space beats KLU from order 50 on where a fifth or more of the matrix is filled; up to order
// 24 it costs a few microseconds more per step and is taken for its exact multipliers.
enum { SMALL_ORDER = 24, DENSE_ORDER = 1500, MOST_DENSE = 20000 };
static const double DENSE_SHARE = 0.2;

static trm_solver decide(const trmi_saddle *s, int entries, trm_solver choice)
{
    int n = s->n;
    if (s->plain && choice == TRM_SOLVER_BLOCK)
        choice = TRM_SOLVER_AUTO; // blocks have no complex twin
    if (choice != TRM_SOLVER_AUTO)
        return choice;
    if (!s->plain && blocks_usable(s->e))
        return TRM_SOLVER_BLOCK;
    bool filled = n <= DENSE_ORDER && entries > DENSE_SHARE * n * n;
    return n <= SMALL_ORDER || filled ? TRM_SOLVER_DENSE : TRM_SOLVER_SPARSE;
}

static trmi_solver *create_block_solver(trmi_memory *memory, const trmi_evaluator *e,
                                        trmi_structure structure)
{
    const trm_system *u = &e->user;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    int nodes = u->n_bodies + (e->n_r > 0 ? u->n_joints : 0), *first;
    trmi_solver *solver = NULL;
    if (TRMI_TAKE(&scratch, first, nodes + 1)) {
        for (int k = 0; k <= u->n_bodies; k++)
            first[k] = u->body_first[k];
        for (int k = u->n_bodies; k < nodes; k++)
            first[k + 1] = e->n_q + u->joint_first[k + 1 - u->n_bodies];
        structure.node_count = nodes;
        structure.body_count = u->n_bodies;
        structure.node_first = first;
        solver = trmi_block_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return solver;
}

static trmi_solver *create_solver(trmi_saddle *s, trmi_structure structure, trm_solver choice)
{
    const trmi_evaluator *e = s->e;
    trmi_solver *solver = NULL;
    if (choice == TRM_SOLVER_BLOCK && blocks_usable(e))
        solver = create_block_solver(s->memory, e, structure);
    // dense: null-space where the matrix is a pure saddle point, LU otherwise or on request
    bool saddle = !s->plain && e->n_x + e->n_z == 0 && !e->force_uses_lambda && e->n_r <= e->n_q;
    if (choice == TRM_SOLVER_DENSE && saddle) {
        const int first[] = {0, e->n_q, structure.n};
        structure.node_count = 2;
        structure.node_first = first;
        return trmi_nullspace_create(s->memory, &structure);
    }
    if (choice == TRM_SOLVER_DENSE)
        return trmi_dense_create(s->memory, &structure);
    return solver ? solver : trmi_klu_create(s->memory, &structure);
}

// collects the structure and creates a solver for it, with its scatters
static bool create_solver_with_scatters(trmi_saddle *s, trm_solver choice, trmi_solver **solver,
                                        trmi_scatter *list, int *count)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &s->memory->allocator);
    positions p = {0};
    collect_structure(s, &p);
    *solver = NULL;
    if (TRMI_TAKE(&scratch, p.row, p.count) && TRMI_TAKE(&scratch, p.col, p.count)) {
        collect_structure(s, &p);
        trmi_structure structure = {
            .n = s->n, .count = p.count, .row = p.row, .col = p.col, .constraints = s->e->n_r};
        *solver = create_solver(s, structure, decide(s, p.count, choice));
    }
    trmi_memory_release_all(&scratch);
    return *solver && create_scatters(s, *solver, list, count);
}

static trm_status create(trmi_saddle *s, trm_solver choice, trm_error *error)
{
    const trmi_evaluator *e = s->e;
    s->n = e->n_q + e->n_x + e->n_z + e->n_r;
    if (choice == TRM_SOLVER_DENSE && s->n > MOST_DENSE) {
        trmi_error_advise(error, "use linear_solver = auto");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "linear_solver = dense is limited to order %d, this matrix has %d",
                              MOST_DENSE, s->n);
    }
    if (choice == TRM_SOLVER_BLOCK && !blocks_usable(e)) {
        trmi_error_advise(error,
                          "declare n_bodies, body_first, n_joints, joint_first, or use auto");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "linear_solver = block needs declared bodies and joints, and no "
                              "states, algebraic variables or redundant rows");
    }
    if (!create_solver_with_scatters(s, choice, &s->solver, s->scatter, &s->scatter_count))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a matrix of order %d", s->n);
    s->factored = s->solver;
    return TRM_OK;
}

trm_status trmi_saddle_create(trmi_saddle *s, trmi_memory *memory, trmi_evaluator *e,
                              trm_solver choice, bool geometric, trm_error *error)
{
    *s = (trmi_saddle){.e = e, .memory = memory, .geometric = geometric};
    return create(s, choice, error);
}

trm_status trmi_saddle_create_plain(trmi_saddle *s, trmi_memory *memory, trmi_evaluator *e,
                                    trm_solver choice, bool geometric, trm_error *error)
{
    *s = (trmi_saddle){.e = e, .memory = memory, .geometric = geometric, .plain = true};
    return create(s, choice, error);
}

bool trmi_saddle_create_blocks(trmi_saddle *s, trmi_memory *memory, trmi_evaluator *e,
                               trm_solver choice)
{
    *s = (trmi_saddle){.e = e, .memory = memory, .bare = true};
    bool wanted = choice == TRM_SOLVER_AUTO || choice == TRM_SOLVER_BLOCK;
    if (wanted && blocks_usable(e) && create(s, TRM_SOLVER_BLOCK, NULL) == TRM_OK &&
        trmi_is_block(s->solver))
        return true;
    trmi_solver_destroy(s->solver);
    s->solver = NULL;
    return false;
}

static void add_terms(const trmi_saddle *s, double *restrict value, const trmi_scatter *list,
                      int begin, int end)
{
    for (int k = begin; k < end; k++) {
        const trmi_scatter *t = &list[k];
        double c = t->factor * s->coefficient[t->coefficient];
        const double *from = t->block->value;
        if (c == 0)
            continue;
        if (!t->source) { // every entry, in order
            for (int i = 0; i < t->count; i++)
                value[t->position[i]] += c * from[i];
            continue;
        }
        for (int i = 0; i < t->count; i++)
            value[t->position[i]] += c * from[t->source[i]];
    }
}

static int constraint_scatters(const trmi_saddle *s)
{
    int k = 0;
    while (k < s->scatter_count && (s->scatter[k].block == &s->e->total ||
                                    s->scatter[k].block == &s->e->block[TRM_ROLLING]))
        k++;
    return k;
}

bool trmi_saddle_prepare(trmi_saddle *s)
{
    if (!trmi_is_nullspace(s->solver))
        return true;
    trmi_solver_clear(s->solver);
    s->coefficient[ONE] = 1;
    add_terms(s, s->solver->value, s->scatter, 0, constraint_scatters(s));
    return trmi_nullspace_split(s->solver);
}

const trmi_split *trmi_saddle_split(const trmi_saddle *s)
{
    return trmi_is_nullspace(s->solver) ? trmi_nullspace_get_split(s->solver) : NULL;
}

void trmi_saddle_multipliers(const trmi_saddle *s, const double *r, double *lambda)
{
    const trmi_split *split = trmi_saddle_split(s);
    for (int j = 0; j < split->m; j++)
        lambda[j] = -r[split->dependent[j]];
    trmi_split_solve_transposed(split, lambda);
}

static void add_diagonal(const trmi_solver *solver, double *value, int i, double number)
{
    value[solver->type->position(solver, i, i)] += number;
}

static void fill(trmi_saddle *s, trmi_solver *solver, const trmi_scatter *list, int count)
{
    const trmi_evaluator *e = s->e;
    trmi_solver_clear(solver);
    add_terms(s, solver->value, list, 0, count);
    int ones = e->n_x + (s->z_apart ? e->n_z : 0); // rows of x, and of z where b_z is left out
    for (int i = 0; i < ones; i++)
        add_diagonal(solver, solver->value, e->n_q + i, 1);
    for (int i = 0; i < e->n_q && s->diagonal; i++)
        add_diagonal(solver, solver->value, i, s->diagonal[i]);
}

static trmi_factor_status factor_with(trmi_saddle *s, trmi_solver *solver, const trmi_scatter *list,
                                      int count)
{
    fill(s, solver, list, count);
    s->factored = solver;
    return solver->type->factor(solver);
}

static bool create_reserve(trmi_saddle *s)
{
    if (s->reserve || create_solver_with_scatters(s, TRM_SOLVER_SPARSE, &s->reserve,
                                                  s->reserve_scatter, &s->reserve_count))
        return true;
    trmi_solver_destroy(s->reserve);
    s->reserve = NULL;
    return false;
}

// The block solver checks signs. A wrong one can come from large compressive multipliers at a large
// step, or from lost rank: KLU, which pivots, decides which.
static trmi_factor_status factor(trmi_saddle *s)
{
    bool block = trmi_is_block(s->solver);
    if (!block || !s->whole) {
        trmi_factor_status status = factor_with(s, s->solver, s->scatter, s->scatter_count);
        if (status == TRMI_FACTOR_OK || !block)
            return status;
    }
    if (!create_reserve(s))
        return TRMI_FACTOR_MEMORY;
    return factor_with(s, s->reserve, s->reserve_scatter, s->reserve_count);
}

trmi_factor_status trmi_saddle_factor(trmi_saddle *s, trmi_leading of)
{
    double *c = s->coefficient, cv = of.cv, ca = of.ca;
    s->z_apart = false;
    s->diagonal = NULL;
    c[ONE] = c[MASS_C] = c[ALG_C] = c[ALG_Z_C] = c[FORCE_L_C] = 1;
    c[DAMPING_C] = c[RATE_C] = 1 / ca;
    c[RATE_V_C] = cv / ca;
    c[STIFFNESS_C] = c[FORCE_C] = 1 / (cv * ca);
    c[RATE_L_C] = c[ALG_V_C] = cv;
    c[ALG_L_C] = cv * ca;
    return factor(s);
}

trmi_factor_status trmi_saddle_factor_start(trmi_saddle *s)
{
    memset(s->coefficient, 0, sizeof s->coefficient);
    double *c = s->coefficient;
    s->z_apart = false;
    s->diagonal = NULL;
    c[ONE] = c[MASS_C] = c[FORCE_C] = c[ALG_L_C] = c[ALG_Z_C] = c[FORCE_L_C] = 1;
    return factor(s);
}

trmi_factor_status trmi_saddle_factor_projection(trmi_saddle *s, const double *diagonal)
{
    memset(s->coefficient, 0, sizeof s->coefficient);
    s->coefficient[ONE] = 1;
    s->coefficient[MASS_C] = diagonal ? 0 : 1;
    s->z_apart = true;
    s->diagonal = diagonal;
    return factor(s);
}

bool trmi_saddle_part(trmi_saddle *s, int power, double *value)
{
    const trmi_evaluator *e = s->e;
    bool present = power == 0;
    memset(s->coefficient, 0, sizeof s->coefficient);
    for (int k = 0; k < COEFFICIENTS; k++)
        s->coefficient[k] = power_of[k] == power;
    for (int k = 0; k < s->scatter_count; k++)
        present = present || power_of[s->scatter[k].coefficient] == power;
    memset(value, 0, (size_t)s->solver->value_count * sizeof *value);
    add_terms(s, value, s->scatter, 0, s->scatter_count);
    for (int i = 0; i < e->n_x && power == 0; i++)
        add_diagonal(s->solver, value, e->n_q + i, 1);
    return present;
}

void trmi_saddle_tangent(trmi_saddle *s, double regularization, double *value)
{
    const trmi_evaluator *e = s->e;
    memset(s->coefficient, 0, sizeof s->coefficient);
    s->coefficient[ONE] = s->coefficient[MASS_C] = 1;
    memset(value, 0, (size_t)s->solver->value_count * sizeof *value);
    add_terms(s, value, s->scatter, 0, s->scatter_count);
    for (int i = 0; i < e->n_x + e->n_z; i++)
        add_diagonal(s->solver, value, e->n_q + i, 1);
    for (int i = s->n - e->n_r; i < s->n; i++)
        add_diagonal(s->solver, value, i, -regularization);
}

void trmi_saddle_solve(trmi_saddle *s, double *x, int count)
{
    s->factored->type->solve(s->factored, x, count);
    s->e->statistics->solves += count;
}

bool trmi_saddle_mass_definite(trmi_saddle *s)
{
    if (!trmi_is_nullspace(s->solver))
        return true;
    return trmi_nullspace_definite(s->solver);
}

trmi_pivot trmi_saddle_rank(const trmi_saddle *s)
{
    const trmi_pivot *pivot = &s->factored->pivot;
    bool tells = trmi_is_nullspace(s->factored) || trmi_is_block(s->factored);
    bool constraint = pivot->row >= s->n - s->e->n_r; // a small pivot of S says nothing of G
    return tells && constraint ? *pivot : (trmi_pivot){1, s->n - 1};
}

void trmi_saddle_forget(trmi_saddle *s)
{
    trmi_solver_forget(s->solver);
    trmi_solver_forget(s->reserve);
}

void trmi_saddle_archive(trmi_saddle *s, trmi_archive *a)
{
    bool reserve = s->reserve != NULL, in_reserve = reserve && s->factored == s->reserve;
    trmi_solver_archive(s->solver, a);
    trmi_archive_doubles(a, s->coefficient, (int)(sizeof s->coefficient / sizeof *s->coefficient));
    trmi_archive_bool(a, &reserve);
    trmi_archive_bool(a, &in_reserve);
    if (a->loading && a->status == TRM_OK && !reserve) {
        trmi_solver_destroy(s->reserve);
        s->reserve = NULL;
    }
    if (reserve && !create_reserve(s))
        a->status = TRM_ERR_MEMORY;
    else if (reserve)
        trmi_solver_archive(s->reserve, a);
    s->factored = in_reserve && s->reserve ? s->reserve : s->solver;
}

void trmi_saddle_destroy(trmi_saddle *s)
{
    trmi_solver_destroy(s->solver);
    trmi_solver_destroy(s->reserve);
}
