// SPDX-License-Identifier: Apache-2.0
// The position of every quantity in the saddle matrix, and the solver that suits it.
#include "solver/formulation/saddle_terms.h"

#include "base/error.h"
#include "solver/linear/nullspace.h"

#include <string.h>

// The power of cj = cv = ca that goes with each coefficient in the matrix of a step.
static const int power_of[] = {
    [ONE] = 0,        [MASS_C] = 0,
    [DAMPING_C] = -1, [STIFFNESS_C] = -2,
    [FORCE_C] = -2,   [RATE_C] = -1,
    [RATE_V_C] = 0,   [RATE_L_C] = 1,
    [ALG_C] = 0,      [ALG_V_C] = 1,
    [ALG_L_C] = 2,    [ALG_Z_C] = 0,
    [FORCE_L_C] = 0,  [METRIC_C] = TRMI_NO_POWER,
};

int trmi_saddle_power(int coefficient)
{
    return power_of[coefficient];
}

typedef enum group { Q_ROWS, X_ROWS, Z_ROWS, R_ROWS } group;

// the position of each quantity in the matrix
static const struct term {
    trm_quantity quantity;
    group row, column;
    int coefficient;
    double sign;
} terms[] = {
    {TRM_QUANTITY_MASS, Q_ROWS, Q_ROWS, MASS_C, 1},
    {TRM_QUANTITY_DAMPING, Q_ROWS, Q_ROWS, DAMPING_C, 1},
    {TRM_QUANTITY_STIFFNESS, Q_ROWS, Q_ROWS, STIFFNESS_C, 1},
    {TRM_QUANTITY_GEOMETRIC, Q_ROWS, Q_ROWS, STIFFNESS_C, 1},
    {TRM_QUANTITY_FORCE_X, Q_ROWS, X_ROWS, FORCE_C, -1},
    {TRM_QUANTITY_FORCE_Z, Q_ROWS, Z_ROWS, FORCE_C, -1},
    {TRM_QUANTITY_FORCE_LAMBDA, Q_ROWS, R_ROWS, FORCE_L_C, -1},
    {TRM_QUANTITY_RATE_Q, X_ROWS, Q_ROWS, RATE_C, -1},
    {TRM_QUANTITY_RATE_V, X_ROWS, Q_ROWS, RATE_V_C, -1},
    {TRM_QUANTITY_RATE_X, X_ROWS, X_ROWS, RATE_C, -1},
    {TRM_QUANTITY_RATE_Z, X_ROWS, Z_ROWS, RATE_C, -1},
    {TRM_QUANTITY_RATE_LAMBDA, X_ROWS, R_ROWS, RATE_L_C, -1},
    {TRM_QUANTITY_ALGEBRAIC_Q, Z_ROWS, Q_ROWS, ALG_C, 1},
    {TRM_QUANTITY_ALGEBRAIC_V, Z_ROWS, Q_ROWS, ALG_V_C, 1},
    {TRM_QUANTITY_ALGEBRAIC_X, Z_ROWS, X_ROWS, ALG_C, 1},
    {TRM_QUANTITY_ALGEBRAIC_Z, Z_ROWS, Z_ROWS, ALG_Z_C, 1},
    {TRM_QUANTITY_ALGEBRAIC_LAMBDA, Z_ROWS, R_ROWS, ALG_L_C, 1},
    {TRM_QUANTITY_METRIC, Q_ROWS, Q_ROWS, METRIC_C, 1},
};
enum { TERM_COUNT = sizeof terms / sizeof *terms };

uint64_t trmi_saddle_derivatives(const trmi_saddle *s)
{
    uint64_t mask = 0;
    for (int k = 1; k < TERM_COUNT; k++)
        if (power_of[terms[k].coefficient] != TRMI_NO_POWER)
            mask |= TRM_BIT_OF(terms[k].quantity);
    if (!s->geometric)
        mask &= ~TRM_BIT(GEOMETRIC);
    return mask & ~s->e->absent;
}

static bool term_present(const trmi_saddle *s, const struct term *t)
{
    return !(s->e->absent & TRM_BIT_OF(t->quantity)) &&
           (s->e->prepared & TRM_BIT_OF(t->quantity)) &&
           (s->geometric || t->quantity != TRM_QUANTITY_GEOMETRIC) &&
           (!s->mass_only || t->quantity == TRM_QUANTITY_MASS);
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

static void add_positions(positions *p, const trmi_quantity *b, int row0, int col0, bool transposed,
                          int n)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
         trmi_pattern_next(&at)) {
        int r = row0 + (transposed ? at.column : at.row);
        int c = col0 + (transposed ? at.row : at.column);
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
    const trmi_quantity *constraint[] = {&e->block[TRMI_TOTAL], &e->block[TRM_QUANTITY_ROLLING]};
    for (int k = 0; k < 2 && power == 0; k++) {
        add_positions(p, constraint[k], first_of(e, R_ROWS), 0, false, s->n);
        add_positions(p, constraint[k], 0, first_of(e, R_ROWS), true, s->n);
    }
}

static void collect_structure(const trmi_saddle *s, positions *p)
{
    p->count = 0;
    for (int power = -2; power <= TRMI_NO_POWER; power++)
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

// The place of an entry of a block, as a scatter has it; false: it has none. An entry whose mirror
// image has the same place (one triangle stored) is entered once for G (the copy below the
// diagonal), and with half its value for each of the two mirror entries of S, so that the symmetric
// part is taken.
static bool find_place(const trmi_saddle *s, const trmi_solver *solver, int row, int col,
                       bool transposed, bool constraint, int *place)
{
    if (row >= s->n || col >= s->n)
        return false; // dropped constraint rows
    *place = solver->type->position(solver, row, col);
    bool shared = row != col && *place == solver->type->position(solver, col, row);
    if (shared && constraint)
        return !transposed;
    *place = shared ? ~*place : *place;
    return true;
}

// The places of the entries of one quantity, those that have one.
static int list_entries(const trmi_saddle *s, const trmi_solver *solver, int quantity,
                        const int first[2], bool transposed, trmi_scatter_entry *entry)
{
    const trmi_quantity *b = &s->e->block[quantity];
    bool constraint = quantity == TRMI_TOTAL || quantity == TRM_QUANTITY_ROLLING;
    int count = 0, place;
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
         trmi_pattern_next(&at)) {
        int r = first[0] + (transposed ? at.column : at.row);
        int c = first[1] + (transposed ? at.row : at.column);
        if (find_place(s, solver, r, c, transposed, constraint, &place))
            entry[count++] = (trmi_scatter_entry){at.k, place, trmi_block_piece(solver, r, c)};
    }
    return count;
}

// Adds the map of one quantity into the matrix.
static bool add_scatter(trmi_scatter *list, int *count, trmi_saddle *s, const trmi_solver *solver,
                        int quantity, const int first[2], bool transposed, int coefficient,
                        double sign)
{
    trmi_scatter *t = &list[*count];
    trmi_memory scratch;
    trmi_scatter_entry *entry;
    trmi_memory_init(&scratch, &s->memory->allocator);
    *t = (trmi_scatter){.quantity = quantity, .coefficient = coefficient, .sign = sign};
    bool good = TRMI_TAKE(&scratch, entry, s->e->block[quantity].count);
    int entries = good ? list_entries(s, solver, quantity, first, transposed, entry) : 0;
    if (entries > 0) {
        good = trmi_scatter_create(t, s->memory, entry, entries);
        ++*count;
    }
    trmi_memory_release_all(&scratch);
    return good;
}

static bool create_scatters(trmi_saddle *s, const trmi_solver *solver, trmi_scatter *list,
                            int *count)
{
    trmi_evaluator *e = s->e;
    *count = 0;
    bool good = true;
    // G first: prepare() enters it alone
    const int constraint[] = {TRMI_TOTAL, TRM_QUANTITY_ROLLING};
    for (int k = 0; k < 2 && good; k++) {
        const int below[2] = {first_of(e, R_ROWS), 0}, beside[2] = {0, first_of(e, R_ROWS)};
        good = add_scatter(list, count, s, solver, constraint[k], below, false, ONE, 1) &&
               add_scatter(list, count, s, solver, constraint[k], beside, true, ONE, 1);
    }
    for (int k = 0; k < TERM_COUNT && good; k++)
        if (term_present(s, &terms[k])) {
            const int first[2] = {first_of(e, terms[k].row), first_of(e, terms[k].column)};
            good = add_scatter(list, count, s, solver, (int)terms[k].quantity, first, false,
                               terms[k].coefficient, terms[k].sign);
        }
    return good;
}

// Whether the declared bodies and joints can be used: no x, z, symmetric rows.
static bool blocks_usable(const trmi_evaluator *e)
{
    return e->user.n_bodies > 0 && e->n_x == 0 && e->n_z == 0 && !e->force_uses_lambda &&
           (e->user.n_joints > 0 || e->n_r == 0);
}

// Measured crossovers (docs/performance.md): declared blocks win at every size. Without them the
// null-space beats KLU from order 50 on where a fifth or more of the matrix is filled; up to order
// 24 it costs a few microseconds more per step and is taken for its exact multipliers.
enum { SMALL_ORDER = 24, DENSE_ORDER = 1500, MAX_DENSE = 20000 };
static const double DENSE_SHARE = 0.2;

static trm_solver decide(const trmi_saddle *s, int entries, trm_solver choice)
{
    int n = s->n;
    if (s->lu_only && choice == TRM_SOLVER_BLOCK)
        choice = TRM_SOLVER_AUTO; // see trmi_saddle_create_blocks
    if (choice != TRM_SOLVER_AUTO)
        return choice;
    if (!s->lu_only && blocks_usable(s->e))
        return TRM_SOLVER_BLOCK;
    bool filled = n <= DENSE_ORDER && entries > DENSE_SHARE * n * n;
    return n <= SMALL_ORDER || filled ? TRM_SOLVER_DENSE : TRM_SOLVER_SPARSE;
}

// first[0 .. nodes] of the bodies, then of the joints that have active rows; returns nodes
static int list_nodes(const trmi_evaluator *e, int *first)
{
    const trm_system *u = &e->user;
    int nodes = u->n_bodies, rows = 0;
    for (int k = 0; k <= nodes; k++)
        first[k] = u->body_first[k];
    for (int j = 0; j < u->n_joints; j++) {
        int before = rows;
        for (int i = u->joint_first[j]; i < u->joint_first[j + 1]; i++)
            rows += trmi_active_row(e, i) < e->n_r;
        if (rows > before)
            first[++nodes] = e->n_q + rows;
    }
    return nodes;
}

// Blocks, or KLU, which eliminates bodies and joints in the same order.
static trmi_solver *create_of_nodes(trmi_memory *memory, const trmi_evaluator *e,
                                    trmi_structure structure, bool blocks)
{
    const trm_system *u = &e->user;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    int *first;
    trmi_solver *solver = NULL;
    if (TRMI_TAKE(&scratch, first, u->n_bodies + u->n_joints + 1)) {
        structure.node_count = list_nodes(e, first);
        structure.body_count = u->n_bodies;
        structure.node_first = first;
        solver =
            blocks ? trmi_block_create(memory, &structure) : trmi_klu_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return solver;
}

static trmi_solver *create_solver(trmi_saddle *s, trmi_structure structure, trm_solver choice)
{
    const trmi_evaluator *e = s->e;
    trmi_solver *solver = NULL;
    if (choice == TRM_SOLVER_BLOCK && blocks_usable(e))
        solver = create_of_nodes(s->memory, e, structure, true);
    // dense: null-space where the matrix is a pure saddle point, LU otherwise or on request
    bool saddle = !s->lu_only && e->n_x + e->n_z == 0 && !e->force_uses_lambda && e->n_r <= e->n_q;
    if (choice == TRM_SOLVER_DENSE && saddle) {
        const int first[] = {0, e->n_q, structure.n};
        structure.node_count = 2;
        structure.node_first = first;
        return trmi_nullspace_create(s->memory, &structure);
    }
    if (choice == TRM_SOLVER_DENSE)
        return trmi_dense_create(s->memory, &structure);
    if (!solver && blocks_usable(e))
        return create_of_nodes(s->memory, e, structure, false);
    return solver ? solver : trmi_klu_create(s->memory, &structure);
}

// Entries at different places: M, D and K share theirs. Those of a large matrix are not compared.
static int count_places(trmi_memory *scratch, const trmi_structure *structure)
{
    size_t n = (size_t)structure->n;
    char *seen;
    int count = 0;
    if (n > DENSE_ORDER || !TRMI_TAKE(scratch, seen, n * n))
        return structure->count;
    for (int i = 0; i < structure->count; i++) {
        char *at = &seen[n * (size_t)structure->col[i] + (size_t)structure->row[i]];
        count += !*at;
        *at = 1;
    }
    return count;
}

bool trmi_saddle_create_solver(trmi_saddle *s, trm_solver choice, trmi_solver **solver,
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
        // LU, also of complex matrices and of all stages, costs more than the null-space
        int entries = s->lu_only ? count_places(&scratch, &structure) : p.count;
        *solver = create_solver(s, structure, decide(s, entries, choice));
    }
    trmi_memory_release_all(&scratch);
    return *solver && create_scatters(s, *solver, list, count);
}

static trm_status create(trmi_saddle *s, trm_solver choice, trm_error *error)
{
    const trmi_evaluator *e = s->e;
    s->n = e->n_q + e->n_x + e->n_z + e->n_r;
    if (choice == TRM_SOLVER_DENSE && s->n > MAX_DENSE) {
        trmi_error_advise(error, "use linear_solver = auto");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "linear_solver = dense is limited to order %d, this matrix has %d",
                              MAX_DENSE, s->n);
    }
    if (choice == TRM_SOLVER_BLOCK && !blocks_usable(e)) {
        trmi_error_advise(error,
                          "declare n_bodies, body_first, n_joints, joint_first, or use auto");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "linear_solver = block needs declared bodies and joints, and no "
                              "states or algebraic variables");
    }
    if (!trmi_saddle_create_solver(s, choice, &s->solver, s->scatter, &s->scatter_count))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a matrix of order %d", s->n);
    s->factored = s->solver;
    return TRM_OK;
}

trm_status trmi_saddle_create(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                              trm_solver choice, bool geometric, trm_error *error)
{
    *s = (trmi_saddle){.e = values->e, .values = values, .memory = memory, .geometric = geometric};
    return create(s, choice, error);
}

trm_status trmi_saddle_create_lu(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                                 trm_solver choice, bool geometric, trm_error *error)
{
    *s = (trmi_saddle){.e = values->e,
                       .values = values,
                       .memory = memory,
                       .geometric = geometric,
                       .lu_only = true};
    return create(s, choice, error);
}

bool trmi_saddle_create_blocks(trmi_saddle *s, trmi_memory *memory, trmi_values *values,
                               trm_solver choice, bool mass_only)
{
    *s = (trmi_saddle){.e = values->e,
                       .values = values,
                       .memory = memory,
                       .geometric = !mass_only,
                       .mass_only = mass_only};
    bool allowed = choice == TRM_SOLVER_AUTO || choice == TRM_SOLVER_BLOCK;
    if (allowed && blocks_usable(s->e) && create(s, TRM_SOLVER_BLOCK, NULL) == TRM_OK &&
        trmi_is_block(s->solver))
        return true;
    trmi_solver_destroy(s->solver);
    s->solver = NULL;
    return false;
}
