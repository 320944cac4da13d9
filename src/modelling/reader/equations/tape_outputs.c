// SPDX-License-Identifier: Apache-2.0
// Formulas become outputs of the tape and patterns of the system.
#include "modelling/reader/equations/equations.h"

#include "base/grow.h"
#include "base/quantities.h"

#include <stdlib.h>

void trmi_entries_add(trmi_entries *entries, int row, int column, trmi_node node)
{
    if (entries->count == entries->capacity) {
        trmi_entry *larger =
            trmi_grow(entries->entry, &entries->capacity, entries->count + 1, sizeof *larger);
        if (!larger) {
            entries->failed = true;
            return;
        }
        entries->entry = larger;
    }
    entries->entry[entries->count++] = (trmi_entry){row, column, node};
}

void trmi_entries_release(trmi_entries *entries)
{
    free(entries->entry);
    *entries = (trmi_entries){0};
}

static bool reserve(trmi_collection *c, int more)
{
    if (c->outputs + more > c->capacity) {
        trmi_tape_output *larger =
            trmi_grow(c->output, &c->capacity, c->outputs + more, sizeof *larger);
        if (!larger) {
            c->failed = true;
            return false;
        }
        c->output = larger;
    }
    return !c->failed;
}

void trmi_collect_group(trmi_collection *c, int group, const trmi_node *node, int n)
{
    for (int i = 0; reserve(c, n) && i < n; i++)
        c->output[c->outputs++] = (trmi_tape_output){node[i], group};
}

// A quantity that no run will change.
static void note_constant(trmi_collection *c, trm_quantity quantity, bool constant)
{
    if (constant)
        c->r->model->system.constant |= TRM_BIT_OF(quantity);
}

void trmi_collect_vector(trmi_collection *c, trm_quantity quantity, const trmi_node *node, int n)
{
    trm_system *s = &c->r->model->system;
    bool zero = true, constant = true;
    for (int i = 0; i < n; i++) {
        zero = zero && trmi_is_zero(&c->r->graph, node[i]);
        constant = constant && trmi_is_constant(&c->r->graph, node[i], NULL);
    }
    // forces and the equations themselves are always there
    const uint64_t required = TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) |
                              TRM_BIT(CONSTRAINT) | TRM_BIT(INVARIANT) | TRM_BIT(INPUT);
    if (zero && !trmi_has(required, quantity)) {
        s->pattern[quantity].count = TRM_PATTERN_ZERO;
        return;
    }
    s->evaluates |= TRM_BIT_OF(quantity);
    note_constant(c, quantity, constant);
    trmi_collect_group(c, (int)quantity, node, n);
}

trmi_places trmi_collect_places(trmi_collection *c, int group, const trmi_entries *entries)
{
    int *row = NULL, *column = NULL, n = entries->count;
    c->failed = c->failed || entries->failed || !TRMI_TAKE(c->r->memory, row, n) ||
                !TRMI_TAKE(c->r->memory, column, n);
    if (!reserve(c, n))
        return (trmi_places){0};
    for (int k = 0; k < n; k++) {
        row[k] = entries->entry[k].row;
        column[k] = entries->entry[k].column;
        c->output[c->outputs++] = (trmi_tape_output){entries->entry[k].node, group};
    }
    return (trmi_places){n, row, column};
}

void trmi_collect_matrix(trmi_collection *c, trm_quantity quantity, const trmi_entries *entries)
{
    trm_system *s = &c->r->model->system;
    if (entries->count == 0 && !entries->failed) {
        s->pattern[quantity].count = TRM_PATTERN_ZERO;
        return;
    }
    trmi_places places = trmi_collect_places(c, (int)quantity, entries);
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    bool diagonal = rows == columns && places.count == rows, constant = true;
    for (int k = 0; k < places.count; k++) {
        diagonal = diagonal && places.row[k] == k && places.column[k] == k;
        constant = constant && trmi_is_constant(&c->r->graph, entries->entry[k].node, NULL);
    }
    if (diagonal)
        s->pattern[quantity].count = TRM_PATTERN_DIAGONAL;
    else
        s->pattern[quantity] =
            (trm_pattern){.count = places.count, .row = places.row, .column = places.column};
    s->evaluates |= TRM_BIT_OF(quantity);
    note_constant(c, quantity, constant);
}

void trmi_gradients(trmi_collection *c, const trmi_node *node, int n, int row, int first, int count,
                    double sign, trmi_entries *out)
{
    trmi_derive *d = &c->r->derive;
    d->graph = &c->r->graph;
    for (int i = 0; i < n; i++) {
        const trmi_partial *partial;
        int partials = trmi_gradient(d, node[i], first, count, &partial);
        for (int k = 0; k < partials; k++) {
            trmi_node value = sign < 0 ? trmi_negate(d->graph, partial[k].value) : partial[k].value;
            if (!trmi_is_zero(d->graph, value))
                trmi_entries_add(out, row + i, partial[k].input - first, value);
        }
    }
}
