// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/classic/coupled.h"

#include "solver/integrator/classic/nullspace_step.h"

#include <math.h>

struct trmi_coupled {
    trmi_evaluator *e;
    trmi_values *values; // the numbers of the matrix; borrowed
    trmi_split now;      // split of G at the last residual
    double *gt;          // n_q x n_r, G^T of the last evaluation; NULL: no split
    bool weighted;       // the first row by the masses
    trmi_solver *solver; // NULL: null-space form
    trmi_nullspace_step reduced;
};

// ---- layout ----

trmi_coupled_rows trmi_coupled_rows_of(const trmi_evaluator *e, double *y)
{
    int order = 2 * e->n_q + e->n_x + e->n_z + e->n_r + e->n_g;
    if (!y) // only the order is wanted
        return (trmi_coupled_rows){.count = order};
    double *v = y + e->n_q, *x = v + e->n_q, *z = x + e->n_x, *velocity = z + e->n_z;
    return (trmi_coupled_rows){y, v, x, z, velocity, velocity + e->n_r, order};
}

trmi_coupled_unknowns trmi_coupled_unknowns_of(const trmi_evaluator *e, double *y)
{
    double *v = y + e->n_q, *x = v + e->n_q, *z = x + e->n_x, *mu = z + e->n_z;
    return (trmi_coupled_unknowns){y, v, x, z, mu, mu + e->n_g};
}

// Groups of rows and of columns. The last two of the rows are levels of the constraints, of the
// columns mu and lambda.
enum { Q, V, X, Z, VELOCITY, POSITION, MU = VELOCITY, LAMBDA = POSITION, GROUPS };

typedef struct group {
    int first, count;
} group;

static group row_group(const trmi_evaluator *e, int which)
{
    int n = e->n_q, x = 2 * n, z = x + e->n_x, rest = z + e->n_z;
    const group groups[GROUPS] = {{0, n},      {n, n},         {x, e->n_x},
                                  {z, e->n_z}, {rest, e->n_r}, {rest + e->n_r, e->n_g}};
    return groups[which];
}

static group column_group(const trmi_evaluator *e, int which)
{
    int rest = 2 * e->n_q + e->n_x + e->n_z;
    if (which == MU)
        return (group){rest, e->n_g};
    return which == LAMBDA ? (group){rest + e->n_g, e->n_r} : row_group(e, which);
}

// ---- entries ----

// calls `add` for every entry of the matrix
typedef void add_entry(void *target, int row, int col, double value);

typedef struct visitor {
    const trmi_coupled *c;
    add_entry *add;
    void *target;
} visitor;

// A block of the matrix; entries outside its groups belong to dropped constraint rows.
static void visit_block(const visitor *to, int quantity, const double *value, int row, int column,
                        bool transposed, double scale)
{
    const trmi_evaluator *e = to->c->e;
    const trmi_quantity *b = &e->block[quantity];
    const group rows = row_group(e, row), columns = column_group(e, column);
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); value && at.k < b->count;
         trmi_pattern_next(&at)) {
        int i = transposed ? at.column : at.row, j = transposed ? at.row : at.column;
        if (i < rows.count && j < columns.count)
            to->add(to->target, rows.first + i, columns.first + j, scale * value[at.k]);
    }
}

static void visit_diagonal(const visitor *to, int row, int column, double value)
{
    const group rows = row_group(to->c->e, row), columns = column_group(to->c->e, column);
    for (int i = 0; i < rows.count; i++)
        to->add(to->target, rows.first + i, columns.first + i, value);
}

// what each derivative is in the matrix
static const struct {
    trm_quantity quantity;
    int row, column;
    double scale;
} terms[] = {{TRM_QUANTITY_STIFFNESS, V, Q, 1},
             {TRM_QUANTITY_DAMPING, V, V, 1},
             {TRM_QUANTITY_FORCE_X, V, X, -1},
             {TRM_QUANTITY_FORCE_Z, V, Z, -1},
             {TRM_QUANTITY_FORCE_LAMBDA, V, LAMBDA, -1},
             {TRM_QUANTITY_RATE_Q, X, Q, -1},
             {TRM_QUANTITY_RATE_V, X, V, -1},
             {TRM_QUANTITY_RATE_X, X, X, -1},
             {TRM_QUANTITY_RATE_Z, X, Z, -1},
             {TRM_QUANTITY_RATE_LAMBDA, X, LAMBDA, -1},
             {TRM_QUANTITY_ALGEBRAIC_Q, Z, Q, 1},
             {TRM_QUANTITY_ALGEBRAIC_V, Z, V, 1},
             {TRM_QUANTITY_ALGEBRAIC_X, Z, X, 1},
             {TRM_QUANTITY_ALGEBRAIC_Z, Z, Z, 1},
             {TRM_QUANTITY_ALGEBRAIC_LAMBDA, Z, LAMBDA, 1},
             {TRM_QUANTITY_VELOCITY_Q, VELOCITY, Q, 1}};

static void visit_constraints(const visitor *to, int quantity, bool position_level)
{
    const double *value = to->c->values->of[quantity];
    visit_block(to, quantity, value, V, LAMBDA, true, 1);
    visit_block(to, quantity, value, VELOCITY, V, false, 1);
    if (!position_level)
        return;
    visit_block(to, quantity, value, Q, MU, true, 1);
    visit_block(to, quantity, value, POSITION, Q, false, 1);
}

static void visit_matrix(const visitor *to, trmi_leading lead, bool geometric, const double *mu)
{
    const trmi_coupled *c = to->c;
    double *const *of = c->values->of;
    int metric = trmi_metric(c->e);
    if (c->weighted) {
        visit_block(to, metric, of[metric], Q, Q, false, lead.cv);
        visit_block(to, metric, of[metric], Q, V, false, -1);
    } else {
        visit_diagonal(to, Q, Q, lead.cv);
        visit_diagonal(to, Q, V, -1);
    }
    visit_block(to, TRM_QUANTITY_MASS, of[TRM_QUANTITY_MASS], V, V, false, lead.ca);
    visit_diagonal(to, X, X, lead.ca);
    if (geometric && of[TRM_QUANTITY_GEOMETRIC]) {
        visit_block(to, TRM_QUANTITY_GEOMETRIC, of[TRM_QUANTITY_GEOMETRIC], V, Q, false, 1);
        visit_block(to, TRM_QUANTITY_GEOMETRIC, mu, Q, Q, false, 1);
    }
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        visit_block(to, (int)terms[k].quantity, of[terms[k].quantity], terms[k].row,
                    terms[k].column, false, terms[k].scale);
    visit_constraints(to, TRMI_TOTAL, true);
    visit_constraints(to, TRM_QUANTITY_ROLLING, false);
}

// ---- creation ----

typedef struct position_list {
    int *row, *col, count;
} position_list;

static void add_position(void *target, int row, int col, double value)
{
    (void)value;
    position_list *p = target;
    if (p->row) {
        p->row[p->count] = row;
        p->col[p->count] = col;
    }
    p->count++;
}

static void add_value(void *target, int row, int col, double value)
{
    trmi_solver *solver = target;
    solver->value[solver->type->position(solver, row, col)] += value;
}

static trmi_solver *create_solver(trmi_coupled *c, trmi_memory *memory, bool dense)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    position_list p = {0};
    const visitor list = {c, add_position, &p};
    const double *mu = c->values->of[TRM_QUANTITY_GEOMETRIC];
    const trmi_leading any = {1, 1};
    visit_matrix(&list, any, true, mu);
    trmi_solver *solver = NULL;
    if (TRMI_TAKE(&scratch, p.row, p.count) && TRMI_TAKE(&scratch, p.col, p.count)) {
        p.count = 0;
        visit_matrix(&list, any, true, mu);
        trmi_structure structure = {.n = trmi_coupled_rows_of(c->e, NULL).count,
                                    .count = p.count,
                                    .row = p.row,
                                    .col = p.col};
        solver =
            dense ? trmi_dense_create(memory, &structure) : trmi_klu_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return solver;
}

trmi_coupled *trmi_coupled_create(trmi_memory *memory, trmi_values *values, trmi_coupled_form form)
{
    trmi_evaluator *e = values->e;
    int n = e->n_q, m = e->n_r;
    trmi_coupled *c;
    if (!TRMI_TAKE(memory, c, 1))
        return NULL;
    c->e = e;
    c->values = values;
    c->weighted = form.weighted;
    bool split =
        !form.splits || (TRMI_TAKE(memory, c->gt, n * m) &&
                         (form.orthonormal ? trmi_split_create_orthonormal(&c->now, memory, n, m)
                                           : trmi_split_create(&c->now, memory, n, m)));
    if (!split)
        return NULL;
    if (form.reduced)
        return trmi_nullspace_step_create(&c->reduced, memory, values, form.orthonormal) ? c : NULL;
    c->solver = create_solver(c, memory, form.dense);
    return c->solver ? c : NULL;
}

void trmi_coupled_destroy(trmi_coupled *c)
{
    if (c)
        trmi_solver_destroy(c->solver);
}

// ---- the split ----

bool trmi_coupled_split(trmi_coupled *c, bool choose)
{
    trmi_dense_constraints(c->values, c->gt);
    return trmi_split_factor(&c->now, c->gt, choose ? 0 : HUGE_VAL);
}

bool trmi_coupled_weighted(const trmi_coupled *c)
{
    return c->weighted;
}

const trmi_split *trmi_coupled_get_split(const trmi_coupled *c)
{
    return c->now.chosen ? &c->now : NULL;
}

void trmi_coupled_multipliers(const trmi_coupled *c, const double *r, double *s)
{
    trmi_split_dependent(&c->now, r, s);
    for (int j = 0; j < c->now.m; j++)
        s[j] = -s[j];
    trmi_split_solve_transposed(&c->now, s);
}

// ---- factors ----

trmi_factor_status trmi_coupled_factor(trmi_coupled *c, trmi_leading lead, bool geometric,
                                       const double *geometric_mu)
{
    c->values->statistics->factorizations++;
    if (!c->solver)
        return trmi_nullspace_step_factor(&c->reduced, &c->now, lead, geometric, geometric_mu);
    const visitor fill = {c, add_value, c->solver};
    trmi_solver_clear(c->solver);
    visit_matrix(&fill, lead, geometric, geometric_mu);
    return c->solver->type->factor(c->solver);
}

void trmi_coupled_solve(trmi_coupled *c, double *y)
{
    c->values->statistics->solves++;
    if (c->solver)
        c->solver->type->solve(c->solver, y, 1);
    else
        trmi_nullspace_step_solve(&c->reduced, y);
}

void trmi_coupled_archive(trmi_coupled *c, trmi_archive *a)
{
    if (c->gt)
        trmi_split_archive(&c->now, a);
    if (c->solver)
        trmi_solver_archive(c->solver, a);
    else
        trmi_nullspace_step_archive(&c->reduced, a);
}
