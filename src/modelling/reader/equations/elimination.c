// SPDX-License-Identifier: Apache-2.0
// Constraints g(t, q, z) that depend on algebraic variables, 0 = b(t, q, z): with z eliminated,
//
//     G = g_q - g_z b_z^-1 b_q,   z' = -b_z^-1 (b_q v + b_t)
//     gamma = g'' - g_z b_z^-1 b''          '': second derivative along (1, v, z') with a = z'' = 0
//     (G^T lambda)_q = H1 - b_q^T b_z^-T H2,  mu = b_z^-T g_z^T lambda
//         H1 = (g_q^T lambda - b_q^T mu)_q,   H2 = (g_z^T lambda - b_z^T mu)_q      mu held
//
// The formulas of the parts come from the graph; b_z is small and solved densely here.
#include "modelling/reader/equations/equations.h"

#include "base/lapack.h"

#include <stdlib.h>
#include <string.h>

// out = node differentiated `times` along the direction
static void collect_rates(trmi_collection *c, int group, const trmi_node *node, int n,
                          const trmi_node *direction, int times)
{
    trmi_forward forward;
    trmi_forward_begin(&forward, &c->r->graph, direction, c->r->model->layout.count);
    for (int i = 0; i < n; i++) {
        trmi_node rate = node[i];
        for (int k = 0; k < times; k++)
            rate = trmi_forward_rate(&forward, rate);
        trmi_collect_group(c, group, &rate, 1);
    }
    trmi_forward_release(&forward);
}

// row[j] += sign sum_i factor_i node_i,j over the gradients by the inputs from `first` on
static void add_products(trmi_collection *c, const trmi_node *node, int n, int factor, int first,
                         int columns, double sign, trmi_node *row)
{
    trmi_graph *g = &c->r->graph;
    trmi_entries entries = {0};
    trmi_gradients(c, node, n, 0, first, columns, sign, &entries);
    for (int k = 0; k < entries.count; k++) {
        const trmi_entry *e = &entries.entry[k];
        trmi_node term = trmi_multiply(g, trmi_input(g, factor + e->row), e->node);
        row[e->column] = trmi_add(g, row[e->column], term);
    }
    c->failed = c->failed || entries.failed;
    trmi_entries_release(&entries);
}

static trmi_places places_of(const trm_system *s, trm_quantity quantity, trmi_memory *memory)
{
    const trm_pattern *p = &s->pattern[quantity];
    int rows, columns, *index;
    trm_system_shape(s, quantity, &rows, &columns);
    if (p->count >= 0)
        return (trmi_places){p->count, p->row, p->column};
    if (p->count == TRM_PATTERN_ZERO || !TRMI_TAKE(memory, index, rows))
        return (trmi_places){0};
    for (int i = 0; i < rows; i++)
        index[i] = i;
    return (trmi_places){rows, index, index};
}

// H1 and H2: gradients by q of g_q^T lambda - b_q^T mu and g_z^T lambda - b_z^T mu
static void collect_hessians(trmi_collection *c, trmi_equations *equations)
{
    const trm_system *s = &c->r->model->system;
    const trmi_layout *l = &c->r->model->layout;
    const trmi_formulas *f = c->f;
    int n = s->n_q + s->n_z;
    trmi_node *row = malloc((size_t)n * sizeof *row), *row_z = row + s->n_q;
    if (!row) {
        c->failed = true;
        return;
    }
    for (int i = 0; i < n; i++)
        row[i] = trmi_constant(&c->r->graph, 0);
    add_products(c, f->constraint, s->n_g, l->lambda, l->z, s->n_z, 1, row_z);
    trmi_collect_group(c, TRMI_GROUP_GZL, row_z, s->n_z);
    add_products(c, f->constraint, s->n_g, l->lambda, l->q, s->n_q, 1, row);
    add_products(c, f->rolling, s->n_a, l->lambda + s->n_g, l->v, s->n_q, 1, row);
    add_products(c, f->algebraic, s->n_z, l->mu, l->q, s->n_q, -1, row);
    add_products(c, f->algebraic, s->n_z, l->mu, l->z, s->n_z, -1, row_z);
    trmi_entries h1 = {0}, h2 = {0};
    trmi_gradients(c, row, s->n_q, 0, l->q, s->n_q, 1, &h1);
    trmi_gradients(c, row_z, s->n_z, 0, l->q, s->n_q, 1, &h2);
    equations->h1 = trmi_collect_places(c, TRMI_GROUP_H1, &h1);
    equations->h2 = trmi_collect_places(c, TRMI_GROUP_H2, &h2);
    trmi_entries_release(&h1);
    trmi_entries_release(&h2);
    free(row);
}

void trmi_collect_elimination(trmi_collection *c, trmi_equations *equations)
{
    trm_system *s = &c->r->model->system;
    const trmi_formulas *f = c->f;
    trmi_node *direction = malloc((size_t)c->r->model->layout.count * sizeof *direction);
    if (!direction) {
        c->failed = true;
        return;
    }
    equations->eliminates = true;
    trmi_fill_direction(c->r, direction, false);
    collect_rates(c, TRMI_GROUP_BETA, f->algebraic, s->n_z, direction, 1);
    trmi_fill_direction(c->r, direction, true);
    collect_rates(c, TRMI_GROUP_G2, f->constraint, s->n_g, direction, 2);
    collect_rates(c, TRMI_GROUP_B2, f->algebraic, s->n_z, direction, 2);
    free(direction);
    collect_hessians(c, equations);
    equations->b_z = places_of(s, TRM_QUANTITY_ALGEBRAIC_Z, c->r->memory);
    equations->b_q = places_of(s, TRM_QUANTITY_ALGEBRAIC_Q, c->r->memory);
    equations->g_z = places_of(s, TRM_QUANTITY_CONSTRAINT_Z, c->r->memory);
    s->evaluates |= TRM_BIT(GAMMA) | TRM_BIT(GEOMETRIC); // dense, by the functions below
}

// Values ------------------------------------------------------------------------------------------

static size_t largest(const trmi_equations *e)
{
    int count = e->b_z.count;
    const trmi_places *others[] = {&e->b_q, &e->g_z, &e->h1, &e->h2};
    for (int k = 0; k < 4; k++)
        count = others[k]->count > count ? others[k]->count : count;
    return (size_t)count;
}

size_t trmi_elimination_work(const trm_model *m)
{
    size_t n_z = (size_t)m->system.n_z, n_q = (size_t)m->system.n_q;
    return m->equations && m->equations->eliminates
               ? n_z * n_z + n_z * n_q + 2 * n_z + largest(m->equations)
               : 0;
}

// the parts of instance->work
typedef struct workspace {
    double *b_z, *wide, *narrow, *fetched; // n_z x n_z, n_z x n_q, 2 n_z, entries of a block
} workspace;

static workspace divide_work(const trm_instance *instance)
{
    size_t n_z = (size_t)instance->model->system.n_z, n_q = (size_t)instance->model->system.n_q;
    double *b_z = instance->work, *wide = b_z + n_z * n_z, *narrow = wide + n_z * n_q;
    return (workspace){b_z, wide, narrow, narrow + 2 * n_z};
}

// b_z of the last run, factored; 1 when it is singular
static int factor_b_z(const trm_instance *instance, const workspace *w)
{
    const trmi_equations *e = instance->model->equations;
    int n = instance->model->system.n_z, info;
    trmi_tape_fetch(e->tape, instance->reg, TRM_QUANTITY_ALGEBRAIC_Z, w->fetched);
    memset(w->b_z, 0, (size_t)n * (size_t)n * sizeof *w->b_z);
    for (int k = 0; k < e->b_z.count; k++)
        w->b_z[e->b_z.row[k] + n * e->b_z.column[k]] = w->fetched[k];
    dgetrf_(&n, &n, w->b_z, &n, instance->pivots, &info);
    return info != 0;
}

static void solve_b_z(const trm_instance *instance, const workspace *w, const char *transposed,
                      double *x, int count)
{
    int n = instance->model->system.n_z, info;
    dgetrs_(transposed, &n, &count, w->b_z, &n, instance->pivots, x, &n, &info);
}

int trmi_eliminate_gamma(const trm_instance *instance, double *gamma)
{
    const trm_model *m = instance->model;
    const trmi_equations *e = m->equations;
    const trm_system *s = &m->system;
    const workspace w = divide_work(instance);
    trmi_tape_run(e->tape, instance->reg,
                  TRM_BIT(ALGEBRAIC_Z) | TRM_BIT_OF(TRMI_GROUP_BETA) | TRM_BIT(CONSTRAINT_Z));
    if (factor_b_z(instance, &w))
        return 1;
    double *rate = instance->reg + m->layout.z_rate, *second = w.narrow;
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_BETA, rate);
    solve_b_z(instance, &w, "N", rate, 1);
    for (int i = 0; i < s->n_z; i++)
        rate[i] = -rate[i];
    trmi_tape_run(e->tape, instance->reg,
                  TRM_BIT_OF(TRMI_GROUP_G2) | TRM_BIT_OF(TRMI_GROUP_B2) | TRM_BIT(GAMMA));
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_G2, gamma);
    trmi_tape_fetch(e->tape, instance->reg, TRM_QUANTITY_GAMMA,
                    gamma + s->n_g); // velocity constraints
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_B2, second);
    solve_b_z(instance, &w, "N", second, 1);
    trmi_tape_fetch(e->tape, instance->reg, TRM_QUANTITY_CONSTRAINT_Z, w.fetched);
    for (int k = 0; k < e->g_z.count; k++)
        gamma[e->g_z.row[k]] -= w.fetched[k] * second[e->g_z.column[k]];
    return 0;
}

int trmi_eliminate_geometric(const trm_instance *instance, double *value)
{
    const trm_model *m = instance->model;
    const trmi_equations *e = m->equations;
    int n_q = m->system.n_q, n_z = m->system.n_z;
    const workspace w = divide_work(instance);
    trmi_tape_run(e->tape, instance->reg,
                  TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_Q) | TRM_BIT_OF(TRMI_GROUP_GZL));
    if (factor_b_z(instance, &w))
        return 1;
    double *mu = instance->reg + m->layout.mu;
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_GZL, mu);
    solve_b_z(instance, &w, "T", mu, 1);
    trmi_tape_run(e->tape, instance->reg, TRM_BIT_OF(TRMI_GROUP_H1) | TRM_BIT_OF(TRMI_GROUP_H2));
    memset(value, 0, (size_t)n_q * (size_t)n_q * sizeof *value);
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_H1, w.fetched);
    for (int k = 0; k < e->h1.count; k++)
        value[e->h1.row[k] + n_q * e->h1.column[k]] = w.fetched[k];
    memset(w.wide, 0, (size_t)n_z * (size_t)n_q * sizeof *w.wide);
    trmi_tape_fetch(e->tape, instance->reg, TRMI_GROUP_H2, w.fetched);
    for (int k = 0; k < e->h2.count; k++)
        w.wide[e->h2.row[k] + n_z * e->h2.column[k]] = w.fetched[k];
    solve_b_z(instance, &w, "T", w.wide, n_q);
    trmi_tape_fetch(e->tape, instance->reg, TRM_QUANTITY_ALGEBRAIC_Q, w.fetched);
    for (int k = 0; k < e->b_q.count; k++)
        for (int j = 0; j < n_q; j++)
            value[e->b_q.column[k] + n_q * j] -= w.fetched[k] * w.wide[e->b_q.row[k] + n_z * j];
    return 0;
}
