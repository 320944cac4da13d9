// SPDX-License-Identifier: Apache-2.0
// Every quantity of the system class from the formulas of a file, exact and sparse: gradients by
// backward sweeps row by row, time derivatives along the motion (inputs.c) by forward sweeps.
#include "modelling/reader/equations/equations.h"

#include <stdlib.h>
#include <string.h>

// rows of formulas whose derivatives by a kind of unknown form a quantity
typedef struct derivative {
    trm_quantity quantity;
    const trmi_node *node;
    int rows, first, columns;
    double sign;
} derivative;

static bool has_entry(const trmi_entries *entries, int from, int column)
{
    for (int k = from; k < entries->count; k++)
        if (entries->entry[k].column == column)
            return true;
    return false;
}

// Zeros for those inputs of a formula by which it has no slope, `from`: its first entry. A force
// that jumps with a multiplier depends on it: whoever solves for both must know.
static void add_slopeless(trmi_collection *c, const derivative *d, int row, int from,
                          trmi_entries *entries)
{
    trmi_graph *graph = &c->r->graph;
    trmi_walk walk = {0};
    bool good = trmi_walk_add(&walk, graph, d->node[row]);
    for (int i = 0; i < walk.count && good; i++) {
        const trmi_graph_node node = graph->node[walk.order[i]];
        const int column = node.a - d->first;
        if (node.operation == TRMI_INPUT && column >= 0 && column < d->columns &&
            !has_entry(entries, from, column))
            trmi_entries_add(entries, row, column, trmi_constant(graph, 0));
    }
    c->failed = c->failed || !good;
    trmi_walk_release(&walk);
}

static void collect_gradient(trmi_collection *c, const derivative *d)
{
    const bool by_multipliers = d->first == c->r->model->layout.lambda;
    trmi_entries entries = {0};
    for (int i = 0; i < d->rows; i++) {
        const int from = entries.count;
        trmi_gradients(c, d->node + i, 1, i, d->first, d->columns, d->sign, &entries);
        if (by_multipliers)
            add_slopeless(c, d, i, from, &entries);
    }
    trmi_collect_matrix(c, d->quantity, &entries);
    trmi_entries_release(&entries);
}

// n formulas that are 0 to begin with, to be freed; NULL without memory, which is noted
static trmi_node *take_rows(trmi_collection *c, int n)
{
    trmi_node *row = malloc(((size_t)n + 1) * sizeof *row);
    for (int i = 0; row && i < n; i++)
        row[i] = trmi_constant(&c->r->graph, 0);
    c->failed = c->failed || !row;
    return row;
}

// derivatives of formulas by t, at rest: g_t = dg/dt + g_u u' where they use inputs
static void collect_time_derivative(trmi_collection *c, trm_quantity quantity,
                                    const trmi_node *node, int rows)
{
    trmi_node *out = take_rows(c, rows);
    for (int i = 0; out && i < rows; i++)
        out[i] = trmi_forward_rate(&c->r->time, node[i]);
    if (out)
        trmi_collect_vector(c, quantity, out, rows);
    free(out);
}

static void collect_first_derivatives(trmi_collection *c)
{
    const trm_system *s = &c->r->model->system;
    const trmi_layout *l = &c->r->model->layout;
    const trmi_formulas *f = c->f;
    const int n_r = s->n_g + s->n_a;
    const derivative list[] = {
        {TRM_QUANTITY_CONSTRAINT_Q, f->constraint, s->n_g, l->q, s->n_q, 1},
        {TRM_QUANTITY_CONSTRAINT_Z, f->constraint, s->n_g, l->z, s->n_z, 1},
        {TRM_QUANTITY_DAMPING, f->force, s->n_q, l->v, s->n_q, -1},
        {TRM_QUANTITY_FORCE_X, f->force, s->n_q, l->x, s->n_x, 1},
        {TRM_QUANTITY_FORCE_Z, f->force, s->n_q, l->z, s->n_z, 1},
        {TRM_QUANTITY_FORCE_LAMBDA, f->force, s->n_q, l->lambda, n_r, 1},
        {TRM_QUANTITY_RATE_Q, f->rate, s->n_x, l->q, s->n_q, 1},
        {TRM_QUANTITY_RATE_V, f->rate, s->n_x, l->v, s->n_q, 1},
        {TRM_QUANTITY_RATE_X, f->rate, s->n_x, l->x, s->n_x, 1},
        {TRM_QUANTITY_RATE_Z, f->rate, s->n_x, l->z, s->n_z, 1},
        {TRM_QUANTITY_RATE_LAMBDA, f->rate, s->n_x, l->lambda, n_r, 1},
        {TRM_QUANTITY_ALGEBRAIC_Q, f->algebraic, s->n_z, l->q, s->n_q, 1},
        {TRM_QUANTITY_ALGEBRAIC_V, f->algebraic, s->n_z, l->v, s->n_q, 1},
        {TRM_QUANTITY_ALGEBRAIC_X, f->algebraic, s->n_z, l->x, s->n_x, 1},
        {TRM_QUANTITY_ALGEBRAIC_Z, f->algebraic, s->n_z, l->z, s->n_z, 1},
        {TRM_QUANTITY_ALGEBRAIC_LAMBDA, f->algebraic, s->n_z, l->lambda, n_r, 1},
        {TRM_QUANTITY_INVARIANT_Q, f->invariant, s->n_i, l->q, s->n_q, 1},
        {TRM_QUANTITY_INVARIANT_V, f->invariant, s->n_i, l->v, s->n_q, 1},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].rows > 0 && list[k].columns > 0)
            collect_gradient(c, &list[k]);
    if (s->n_g > 0)
        collect_time_derivative(c, TRM_QUANTITY_CONSTRAINT_T, f->constraint, s->n_g);
    if (s->n_z > 0)
        collect_time_derivative(c, TRM_QUANTITY_ALGEBRAIC_T, f->algebraic, s->n_z);
}

// K = (M a - f)_q
static void collect_stiffness(trmi_collection *c)
{
    trmi_graph *g = &c->r->graph;
    const trmi_layout *l = &c->r->model->layout;
    int n = c->r->model->system.n_q;
    trmi_node *row = take_rows(c, n);
    if (!row)
        return;
    for (int i = 0; i < n; i++)
        row[i] = trmi_negate(g, c->f->force[i]);
    for (int k = 0; k < c->f->mass.count; k++) {
        const trmi_entry *m = &c->f->mass.entry[k];
        if (!trmi_is_constant(g, m->node, NULL))
            row[m->row] = trmi_add(g, row[m->row],
                                   trmi_multiply(g, m->node, trmi_input(g, l->a + m->column)));
    }
    collect_gradient(c, &(derivative){TRM_QUANTITY_STIFFNESS, row, n, l->q, n, 1});
    free(row);
}

// N = (G^T lambda + A^T lambda_a)_q from the entries of G and A
static void collect_geometric(trmi_collection *c, const trmi_entries *gradient)
{
    trmi_graph *g = &c->r->graph;
    const trmi_layout *l = &c->r->model->layout;
    int n = c->r->model->system.n_q;
    trmi_node *row = take_rows(c, n);
    if (!row)
        return;
    for (int k = 0; k < gradient->count; k++) {
        const trmi_entry *e = &gradient->entry[k];
        trmi_node force = trmi_multiply(g, trmi_input(g, l->lambda + e->row), e->node);
        row[e->column] = trmi_add(g, row[e->column], force);
    }
    collect_gradient(c, &(derivative){TRM_QUANTITY_GEOMETRIC, row, n, l->q, n, 1});
    free(row);
}

// Levels of the constraints: level = G v + g_t (or A v + a), gamma = its rate along (1, v), and the
// derivative of level by q.
static void collect_levels(trmi_collection *c, bool holonomic)
{
    const trm_system *s = &c->r->model->system;
    const trmi_layout *l = &c->r->model->layout;
    trmi_graph *g = &c->r->graph;
    int n_r = s->n_g + s->n_a, first = holonomic ? 0 : s->n_g;
    trmi_node *direction = malloc(((size_t)l->count + 2 * (size_t)n_r) * sizeof *direction);
    if (!direction) {
        c->failed = true;
        return;
    }
    trmi_node *level = direction + l->count, *gamma = level + n_r;
    trmi_fill_direction(c->r, direction, false);
    trmi_forward forward;
    trmi_forward_begin(&forward, g, direction, l->count);
    for (int i = first; i < n_r; i++) {
        level[i] = i < s->n_g ? trmi_forward_rate(&forward, c->f->constraint[i])
                              : c->f->rolling[i - s->n_g];
        gamma[i] = trmi_forward_rate(&forward, level[i]);
    }
    trmi_forward_release(&forward);
    if (holonomic) {
        trmi_collect_vector(c, TRM_QUANTITY_GAMMA, gamma, n_r);
        collect_gradient(c, &(derivative){TRM_QUANTITY_VELOCITY_Q, level, n_r, l->q, s->n_q, 1});
    } else {
        trmi_collect_group(c, TRM_QUANTITY_GAMMA, gamma + first, s->n_a);
    }
    free(direction);
}

// The offset a of A v + a: the formulas with all velocities 0. In order of numbers every operand is
// ready before it is needed.
static void collect_offset(trmi_collection *c)
{
    trmi_graph *g = &c->r->graph;
    const trmi_layout *l = &c->r->model->layout;
    int n_a = c->r->model->system.n_a, last = 0;
    for (int i = 0; i < n_a; i++)
        last = c->f->rolling[i] > last ? c->f->rolling[i] : last;
    trmi_node *rest = malloc(((size_t)last + 1 + (size_t)n_a) * sizeof *rest);
    if (!rest) {
        c->failed = true;
        return;
    }
    for (int i = 0; i <= last; i++) {
        const trmi_graph_node n = g->node[i];
        if (n.operation == TRMI_INPUT && n.a >= l->v && n.a < l->a)
            rest[i] = trmi_constant(g, 0);
        else if (n.operation == TRMI_INPUT || n.operation == TRMI_CONSTANT)
            rest[i] = i;
        else {
            int operands = trmi_operation_operands(n.operation);
            rest[i] = trmi_apply(g, n.operation, rest[n.a], operands > 1 ? rest[n.b] : TRMI_NO_NODE,
                                 operands > 2 ? rest[n.c] : TRMI_NO_NODE);
        }
    }
    trmi_node *offset = rest + last + 1;
    for (int i = 0; i < n_a; i++)
        offset[i] = rest[c->f->rolling[i]];
    trmi_collect_vector(c, TRM_QUANTITY_ROLLING_OFFSET, offset, n_a);
    free(rest);
}

// Velocity constraints: A v + a with A free of velocities.
static void collect_rolling(trmi_collection *c, trmi_entries *gradient)
{
    trmi_reading *r = c->r;
    const trm_system *s = &r->model->system;
    trmi_entries entries = {0};
    trmi_gradients(c, c->f->rolling, s->n_a, 0, r->model->layout.v, s->n_q, 1, &entries);
    for (int k = 0; k < entries.count; k++) {
        const trmi_entry *e = &entries.entry[k];
        trmi_entries_add(gradient, s->n_g + e->row, e->column, e->node);
    }
    trmi_check_linear(c, &entries);
    trmi_collect_matrix(c, TRM_QUANTITY_ROLLING, &entries);
    trmi_entries_release(&entries);
    collect_offset(c);
}

void trmi_collect_derivatives(trmi_collection *c)
{
    trmi_reading *r = c->r;
    const trm_system *s = &r->model->system;
    const trmi_formulas *f = c->f;
    trmi_collect_matrix(c, TRM_QUANTITY_MASS, &f->mass);
    trmi_collect_vector(c, TRM_QUANTITY_FORCE, f->force, s->n_q);
    if (s->n_u > 0)
        trmi_collect_vector(c, TRM_QUANTITY_INPUT, f->input, 3 * s->n_u);
    if (s->n_x > 0)
        trmi_collect_vector(c, TRM_QUANTITY_RATE, f->rate, s->n_x);
    if (s->n_z > 0)
        trmi_collect_vector(c, TRM_QUANTITY_ALGEBRAIC, f->algebraic, s->n_z);
    if (s->n_g > 0)
        trmi_collect_vector(c, TRM_QUANTITY_CONSTRAINT, f->constraint, s->n_g);
    if (s->n_i > 0)
        trmi_collect_vector(c, TRM_QUANTITY_INVARIANT, f->invariant, s->n_i);
    if (r->has_energy) {
        trmi_node total = trmi_add(&r->graph, f->kinetic, f->potential);
        trmi_collect_vector(c, TRM_QUANTITY_ENERGY, &total, 1);
    }
    collect_first_derivatives(c);
    collect_stiffness(c);
    trmi_entries gradient = {0};
    trmi_gradients(c, f->constraint, s->n_g, 0, r->model->layout.q, s->n_q, 1, &gradient);
    if (s->n_a > 0)
        collect_rolling(c, &gradient);
    bool direct = !trmi_constraints_use_z(s);
    if (s->n_g + s->n_a > 0)
        collect_levels(c, direct);
    if (s->n_g + s->n_a > 0 && direct)
        collect_geometric(c, &gradient);
    c->failed = c->failed || gradient.failed;
    trmi_entries_release(&gradient);
}
