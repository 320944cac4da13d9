// SPDX-License-Identifier: Apache-2.0
// What the formulas of a file must not do together, found from the inputs they depend on and not
// from their derivatives: those of abs, floor or if hide a dependence.
#include "modelling/reader/equations/equations.h"

// The kinds of inputs an equation model has, with the names of their channels.
typedef struct input_kind {
    int first, count;
    trm_channel_kind channel;
    const char *text;
} input_kind;

static input_kind kind_of(const trm_model *m, trmi_symbol_kind kind)
{
    const trmi_layout *l = &m->layout;
    const trm_system *s = &m->system;
    switch (kind) {
    case TRMI_SYMBOL_VELOCITY:
        return (input_kind){l->v, s->n_q, TRM_CHANNEL_VELOCITY, "a velocity"};
    case TRMI_SYMBOL_STATE:
        return (input_kind){l->x, s->n_x, TRM_CHANNEL_STATE, "a state"};
    case TRMI_SYMBOL_ALGEBRAIC:
        return (input_kind){l->z, s->n_z, TRM_CHANNEL_ALGEBRAIC, "an algebraic variable"};
    default:
        return (input_kind){l->lambda, s->n_g + s->n_a, TRM_CHANNEL_MULTIPLIER, "a multiplier"};
    }
}

// Index of a node among the inputs of a kind, -1 when it is none of them.
static int index_of(const trmi_graph *g, trmi_node node, const input_kind *kind)
{
    const trmi_graph_node *n = &g->node[node];
    bool is = n->operation == TRMI_INPUT && n->a >= kind->first && n->a < kind->first + kind->count;
    return is ? n->a - kind->first : -1;
}

// The first input of a kind among the nodes of a walk from `start` on, -1 when there is none.
static int find_input(const trmi_graph *g, const trmi_walk *walk, int start, const input_kind *kind)
{
    for (int i = start; i < walk->count; i++)
        if (index_of(g, walk->order[i], kind) >= 0)
            return index_of(g, walk->order[i], kind);
    return -1;
}

// Linear velocity constraints -----------------------------------------------------------------

// A velocity in which row A v + a is not linear: one that a coefficient depends on, or one that the
// row depends on without having a coefficient (floor). -1 when there is none. Coefficients: the
// entries first .. end - 1 of A.
static int find_nonlinear(trmi_collection *c, trmi_walk *walk, trmi_node row, const trmi_entries *a,
                          int first, int end)
{
    const trmi_graph *g = &c->r->graph;
    const input_kind velocity = kind_of(c->r->model, TRMI_SYMBOL_VELOCITY);
    for (int k = first; k < end; k++) {
        trmi_walk_restart(walk);
        c->failed = c->failed || !trmi_walk_add(walk, g, a->entry[k].node);
        if (find_input(g, walk, 0, &velocity) >= 0)
            return a->entry[k].column;
    }
    trmi_walk_restart(walk);
    c->failed = c->failed || !trmi_walk_add(walk, g, row);
    for (int i = 0; i < walk->count; i++) {
        int v = index_of(g, walk->order[i], &velocity), k = first;
        while (v >= 0 && k < end && a->entry[k].column != v)
            k++;
        if (v >= 0 && k == end)
            return v;
    }
    return -1;
}

// A: entries of the velocity constraints, row by row
void trmi_check_linear(trmi_collection *c, const trmi_entries *a)
{
    trmi_reading *r = c->r;
    const trm_system *s = &r->model->system;
    const trmi_item *section = trmi_item_path(r->root, "equations.velocity_constraints");
    const trmi_item *item = section->child;
    trmi_walk walk = {0};
    for (int row = 0, k = 0; row < s->n_a; row++, item = item->next) {
        int first = k;
        while (k < a->count && a->entry[k].row == row)
            k++;
        int v = find_nonlinear(c, &walk, c->f->rolling[row], a, first, k);
        if (v < 0 && k == first)
            trmi_report(r->document, item, "velocity constraint '%.60s' has no velocity in it",
                        item->key);
        if (v >= 0)
            trmi_report(r->document, item,
                        "velocity constraint '%.60s' is not linear in the velocity '%.60s'",
                        item->key, trm_model_channel(r->model, TRM_CHANNEL_VELOCITY, v));
    }
    trmi_walk_release(&walk);
}

// Algebraic variables in constraints ----------------------------------------------------------

// Whether every equation contains the variable it is named after.
static bool names_match(trmi_collection *c, const input_kind *z)
{
    const trmi_graph *g = &c->r->graph;
    trmi_walk walk = {0};
    bool match = true;
    for (int k = 0; k < z->count && match; k++) {
        const input_kind own = {z->first + k, 1, z->channel, z->text};
        trmi_walk_restart(&walk);
        c->failed = c->failed || !trmi_walk_add(&walk, g, c->f->algebraic[k]);
        match = find_input(g, &walk, 0, &own) >= 0;
    }
    trmi_walk_release(&walk);
    return match;
}

static void report_dependence(trmi_collection *c, int equation, const input_kind *kind, int index)
{
    trmi_reading *r = c->r;
    const trmi_item *item = trmi_item_path(r->root, "equations.algebraic")->child;
    for (int k = 0; k < equation; k++)
        item = item->next;
    trmi_report(r->document, item,
                "'%.60s' is %s; constraints depend on '%.60s', so its equation may depend on t, "
                "positions and algebraic variables only",
                trm_model_channel(r->model, kind->channel, index), kind->text, item->key);
}

// 0 = g(t, q, z(t, q)) is a constraint of the positions only if the equations that give this z are
// free of velocities, states and multipliers. The walk goes from the constraints through their
// variables to the equations of these, and on; where equations have names of other variables, all
// of them count.
void trmi_check_algebraic(trmi_collection *c)
{
    const trmi_graph *g = &c->r->graph;
    const trm_model *m = c->r->model;
    const input_kind z = kind_of(m, TRMI_SYMBOL_ALGEBRAIC);
    const input_kind wrong[] = {kind_of(m, TRMI_SYMBOL_VELOCITY), kind_of(m, TRMI_SYMBOL_STATE),
                                kind_of(m, TRMI_SYMBOL_MULTIPLIER)};
    trmi_walk walk = {0};
    for (int i = 0; i < m->system.n_g; i++)
        c->failed = c->failed || !trmi_walk_add(&walk, g, c->f->constraint[i]);
    bool all = !names_match(c, &z);
    for (int k = 0; k < z.count && all; k++)
        c->failed = c->failed || !trmi_walk_add(&walk, g, trmi_input(&c->r->graph, z.first + k));
    for (int i = 0; i < walk.count; i++) {
        int equation = index_of(g, walk.order[i], &z), start = walk.count;
        if (equation < 0)
            continue;
        c->failed = c->failed || !trmi_walk_add(&walk, g, c->f->algebraic[equation]);
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            int index = find_input(g, &walk, start, &wrong[k]);
            if (index >= 0)
                report_dependence(c, equation, &wrong[k], index);
        }
    }
    trmi_walk_release(&walk);
}
