// SPDX-License-Identifier: Apache-2.0
#include "solver/system/newton_pattern.h"

#include "base/error.h"
#include "base/grow.h"
#include "base/quantities.h"
#include "solver/system/patterns.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { Q, V, X, Z, LAMBDA, ETA };                                        // unknowns
enum { KINEMATICS, DYNAMICS, STATES, ALGEBRAIC, VELOCITIES, POSITIONS }; // equations

// Where a quantity is in the matrix. `after_g`: after the rows of g, as the rows of A are.
typedef struct place {
    trm_quantity quantity;
    int equation, unknown;
    enum { PLAIN, TRANSPOSED } form;
    bool after_g;
} place;

static const place places[] = {
    {TRM_QUANTITY_CONSTRAINT_Q, KINEMATICS, ETA, TRANSPOSED, false},
    {TRM_QUANTITY_STIFFNESS, DYNAMICS, Q, PLAIN, false},
    {TRM_QUANTITY_GEOMETRIC, DYNAMICS, Q, PLAIN, false},
    {TRM_QUANTITY_MASS, DYNAMICS, V, PLAIN, false},
    {TRM_QUANTITY_DAMPING, DYNAMICS, V, PLAIN, false},
    {TRM_QUANTITY_FORCE_X, DYNAMICS, X, PLAIN, false},
    {TRM_QUANTITY_FORCE_Z, DYNAMICS, Z, PLAIN, false},
    {TRM_QUANTITY_FORCE_LAMBDA, DYNAMICS, LAMBDA, PLAIN, false},
    {TRM_QUANTITY_CONSTRAINT_Q, DYNAMICS, LAMBDA, TRANSPOSED, false},
    {TRM_QUANTITY_ROLLING, DYNAMICS, LAMBDA, TRANSPOSED, true},
    {TRM_QUANTITY_RATE_Q, STATES, Q, PLAIN, false},
    {TRM_QUANTITY_RATE_V, STATES, V, PLAIN, false},
    {TRM_QUANTITY_RATE_X, STATES, X, PLAIN, false},
    {TRM_QUANTITY_RATE_Z, STATES, Z, PLAIN, false},
    {TRM_QUANTITY_RATE_LAMBDA, STATES, LAMBDA, PLAIN, false},
    {TRM_QUANTITY_ALGEBRAIC_Q, ALGEBRAIC, Q, PLAIN, false},
    {TRM_QUANTITY_ALGEBRAIC_V, ALGEBRAIC, V, PLAIN, false},
    {TRM_QUANTITY_ALGEBRAIC_X, ALGEBRAIC, X, PLAIN, false},
    {TRM_QUANTITY_ALGEBRAIC_Z, ALGEBRAIC, Z, PLAIN, false},
    {TRM_QUANTITY_ALGEBRAIC_LAMBDA, ALGEBRAIC, LAMBDA, PLAIN, false},
    {TRM_QUANTITY_VELOCITY_Q, VELOCITIES, Q, PLAIN, false},
    {TRM_QUANTITY_CONSTRAINT_Q, VELOCITIES, V, PLAIN, false},
    {TRM_QUANTITY_ROLLING, VELOCITIES, V, PLAIN, true},
    {TRM_QUANTITY_CONSTRAINT_Q, POSITIONS, Q, PLAIN, false},
    {TRM_QUANTITY_CONSTRAINT_Z, POSITIONS, Z, PLAIN, false},
};
enum { PLACES = sizeof places / sizeof *places };

// The entries under collection: column * n + row, some more than once.
typedef struct collection {
    const trmi_newton_pattern *pattern;
    trmi_pattern_rule rule;
    trmi_evaluator e;
    trmi_values values;
    trmi_point at, moved;
    double *largest; // of each row of a quantity
    int64_t *key;
    int count, capacity;
    bool failed; // no memory
} collection;

static void add_entry(collection *c, int row, int column)
{
    int64_t *more = trmi_grow(c->key, &c->capacity, c->count + 1, sizeof *more);
    c->failed = c->failed || !more;
    c->key = more ? more : c->key;
    if (more)
        c->key[c->count++] = (int64_t)column * c->pattern->n + row;
}

static void add_diagonal(collection *c, int equation, int unknown)
{
    const trmi_newton_pattern *p = c->pattern;
    for (int i = 0; i < p->equation[equation].count; i++)
        add_entry(c, p->equation[equation].first + i, p->unknown[unknown].first + i);
}

// Whether the pattern that is declared for a quantity counts.
static bool is_declared(trmi_pattern_rule rule, trm_quantity quantity)
{
    bool constraint = quantity == TRM_QUANTITY_CONSTRAINT_Q || quantity == TRM_QUANTITY_VELOCITY_Q;
    return rule == TRMI_PATTERN_DECLARED || (rule == TRMI_PATTERN_DEPENDENT && !constraint);
}

// The entries of a quantity at one state. What is found of exact derivatives is more than the
// roundoff of a row of the matrix, n eps times its largest entry.
static void add_quantity(collection *c, const place *at)
{
    const trmi_matrix m = trmi_matrix_of(&c->values, (int)at->quantity);
    bool exact = trmi_has(c->e.supplied, at->quantity);
    int shift = at->after_g ? c->e.n_g : 0;
    int first_row = c->pattern->equation[at->equation].first + (at->form == TRANSPOSED ? 0 : shift);
    int first_column =
        c->pattern->unknown[at->unknown].first + (at->form == TRANSPOSED ? shift : 0);
    if (trmi_has(c->e.absent, at->quantity) || !m.value)
        return;
    for (int i = 0; i < m.rows; i++)
        c->largest[i] = 0;
    for (trmi_cursor i = trmi_pattern_begin(&m.pattern); i.k < m.pattern.count;
         trmi_pattern_next(&i))
        c->largest[i.row] = fmax(c->largest[i.row], fabs(m.value[i.k]));
    for (trmi_cursor i = trmi_pattern_begin(&m.pattern); i.k < m.pattern.count;
         trmi_pattern_next(&i)) {
        bool cancels = !exact || c->rule == TRMI_PATTERN_DEPENDENT; // terms larger than the row
        double noise = cancels ? trmi_pattern_noise : c->pattern->n * DBL_EPSILON;
        bool declared = exact && is_declared(c->rule, at->quantity);
        if (declared || fabs(m.value[i.k]) > noise * c->largest[i.row])
            add_entry(c, first_row + (at->form == TRANSPOSED ? i.column : i.row),
                      first_column + (at->form == TRANSPOSED ? i.row : i.column));
    }
}

static uint64_t all_quantities(void)
{
    uint64_t all = 0;
    for (int k = 0; k < PLACES; k++)
        all |= TRM_BIT_OF(places[k].quantity);
    return all;
}

// entries at a state; false: it cannot be evaluated there
static bool collect_at(collection *c, const trmi_point *point)
{
    uint64_t want = all_quantities() & c->e.prepared;
    if (trmi_evaluate(&c->e, point, want, &c->values) != 0)
        return false;
    for (int k = 0; k < PLACES; k++)
        add_quantity(c, &places[k]);
    return true;
}

static trm_status collect_all(collection *c, trm_error *error)
{
    uint64_t seed = 1;
    bool evaluated = false;
    add_diagonal(c, KINEMATICS, Q);
    add_diagonal(c, KINEMATICS, V);
    add_diagonal(c, STATES, X);
    for (int k = 0; k < TRMI_PERTURBED_STATES; k++) {
        trmi_perturb_point(&c->e, &c->at, &c->moved, &seed);
        evaluated = collect_at(c, &c->moved) || evaluated;
    }
    if (!evaluated && !collect_at(c, &c->at))
        return trmi_error_set(error, TRM_ERR_CALLBACK,
                              "the derivatives cannot be evaluated at the initial state");
    return c->failed ? trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the pattern") : TRM_OK;
}

// ---- the whole ----

static void place_parts(trmi_newton_pattern *p, const trm_system *s)
{
    static const char *const unknowns[] = {"q", "v", "x", "z", "lambda", "eta"};
    static const char *const equations[] = {"kinematics", "dynamics",   "states",
                                            "algebraic",  "velocities", "positions"};
    const int n_r = s->n_g + s->n_a, columns[] = {s->n_q, s->n_q, s->n_x, s->n_z, n_r, s->n_g};
    const int rows[] = {s->n_q, s->n_q, s->n_x, s->n_z, n_r, s->n_g};
    int first = 0;
    for (int k = 0; k < TRMI_NEWTON_PARTS; k++) {
        p->unknown[k] = (trmi_newton_part){unknowns[k], first, columns[k]};
        p->equation[k] = (trmi_newton_part){equations[k], first, rows[k]};
        first += rows[k];
    }
    p->n = first;
}

static int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// each entry once, and the groups
static trm_status finish(trmi_newton_pattern *p, trmi_memory *memory, collection *c,
                         trm_error *error)
{
    qsort(c->key, (size_t)c->count, sizeof *c->key, compare_keys);
    if (!TRMI_TAKE(memory, p->row, c->count) || !TRMI_TAKE(memory, p->column, c->count))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the pattern");
    for (int k = 0; k < c->count; k++) {
        if (k > 0 && c->key[k] == c->key[k - 1])
            continue;
        p->row[p->count] = (int)(c->key[k] % p->n);
        p->column[p->count++] = (int)(c->key[k] / p->n);
    }
    if (!trmi_groups_create(&p->groups, memory, p->n, p->n, p->count))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the groups of columns");
    trmi_groups_form(&p->groups, p->count, p->row, p->column);
    return TRM_OK;
}

trm_status trmi_newton_pattern_create(trmi_newton_pattern *p, trmi_memory *memory,
                                      trmi_pattern_rule rule, const trm_system *system,
                                      const trm_state *state, trm_error *error)
{
    const trm_initial initial = {state->t, state->q, state->v, state->x, state->z, state->lambda};
    trm_system s = *system;
    trm_statistics statistics = {0};
    collection c = {.pattern = p, .rule = rule};
    *p = (trmi_newton_pattern){0};
    s.held = state->held ? state->held : system->held;
    place_parts(p, &s);
    trm_status status = trmi_evaluator_create(&c.e, &c.values, memory, &s, all_quantities(),
                                              &initial, &statistics, error);
    if (status != TRM_OK)
        return status;
    if (!trmi_point_create(&c.at, memory, &c.e) || !trmi_point_create(&c.moved, memory, &c.e) ||
        !TRMI_TAKE(memory, c.largest, p->n + 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the pattern");
    trmi_point_set(&c.at, &c.e, &initial);
    trmi_copy_or_zero(c.at.a, state->a, c.e.n_q);
    status = collect_all(&c, error);
    if (status == TRM_OK)
        status = finish(p, memory, &c, error);
    free(c.key);
    return status;
}
