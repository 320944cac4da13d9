// SPDX-License-Identifier: Apache-2.0
// Constraints by formula: the formula, its first and second derivatives by t and by the signals it
// names, on a tape of its own (multibody/rows/relation.h).
#include "modelling/multibody/rows/relation.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdlib.h>
#include <string.h>

void trmi_draft_relation_signals(trmi_draft *d, const trmi_item *joints)
{
    for (const trmi_item *i = joints ? joints->child : NULL; i; i = i->next) {
        const trmi_item *zero = trmi_item_path(i, "relation.zero");
        if (zero)
            trmi_draft_signals(d, zero);
    }
}

trmi_node trmi_draft_derivative(trmi_draft *d, trmi_node node, int input)
{
    const trmi_partial *partial;
    d->r->derive.graph = &d->r->graph;
    int n = trmi_gradient(&d->r->derive, node, input, 1, &partial);
    return n == 1 ? partial[0].value : trmi_constant(&d->r->graph, 0);
}

// which signals a formula uses; their number, -1 without memory
static int list_signals(trmi_draft *d, trmi_node node, int **input)
{
    const trmi_partial *partial;
    const int first = d->r->model->layout.signal;
    int n = trmi_gradient(&d->r->derive, node, first, d->signals, &partial);
    if (!TRMI_TAKE(d->r->memory, *input, n))
        return -1;
    for (int i = 0; i < n; i++)
        (*input)[i] = partial[i].input;
    return n;
}

// f, f_t, f_i; f_tt, f_ti, f_ij
static void add_outputs(trmi_draft *d, trmi_node f, const int *input, int n, trmi_tape_output *o)
{
    trmi_node f_t = trmi_forward_rate(&d->r->time, f); // inputs move along
    *o++ = (trmi_tape_output){f, TRMI_RELATION_FIRST};
    *o++ = (trmi_tape_output){f_t, TRMI_RELATION_FIRST};
    for (int i = 0; i < n; i++)
        *o++ = (trmi_tape_output){trmi_draft_derivative(d, f, input[i]), TRMI_RELATION_FIRST};
    *o++ = (trmi_tape_output){trmi_forward_rate(&d->r->time, f_t), TRMI_RELATION_SECOND};
    for (int i = 0; i < n; i++)
        *o++ = (trmi_tape_output){trmi_draft_derivative(d, f_t, input[i]), TRMI_RELATION_SECOND};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            *o++ = (trmi_tape_output){
                trmi_draft_derivative(d, trmi_draft_derivative(d, f, input[i]), input[j]),
                TRMI_RELATION_SECOND};
}

static trmi_relation *make(trmi_draft *d, trmi_node f, int *input, int n)
{
    const trmi_layout *l = &d->r->model->layout;
    trmi_memory *memory = d->r->memory;
    trmi_relation *relation;
    trmi_signal *signal;
    const int outputs = 3 + 2 * n + n * n;
    trmi_tape_output *output = malloc((size_t)outputs * sizeof *output);
    if (!output || !TRMI_TAKE(memory, relation, 1) || !TRMI_TAKE(memory, signal, n)) {
        free(output);
        return NULL;
    }
    add_outputs(d, f, input, n, output);
    for (int i = 0; i < n; i++)
        signal[i] = d->signal[input[i] - l->signal];
    *relation = (trmi_relation){.signals = n,
                                .signal = signal,
                                .input = input,
                                .tape = d->r->graph.failed
                                            ? NULL
                                            : trmi_tape_create(memory, &d->r->graph, output,
                                                               outputs, l->count, l->parameter),
                                .time = l->t,
                                .parameter = l->parameter,
                                .u = l->u,
                                .inputs = d->mechanism->inputs,
                                .value = d->r->model->parameter_value,
                                .first = d->relation_registers};
    free(output);
    if (!relation->tape)
        return NULL;
    d->relation_registers += trmi_tape_registers(relation->tape);
    return relation;
}

// a table in it must have a slope that does not jump: forces follow from its second derivative
static void warn_of_corners(trmi_draft *d, const trmi_item *item, trmi_node node)
{
    const trmi_interpolant *curve = trmi_graph_cornered(&d->r->graph, node);
    if (curve)
        trmi_warn(d->r->document, item,
                  "table '%.60s' has corners, where the velocity of this constraint jumps; "
                  "'interpolation: spline' makes it smooth",
                  curve->name);
}

static bool has_rotations(const trmi_draft *d, const int *input, int n)
{
    for (int i = 0; i < n; i++) {
        const trmi_signal *s = &d->signal[input[i] - d->r->model->layout.signal];
        if (s->kind == TRMI_SIGNAL_MEASURE &&
            trmi_measure_of(d->joint[s->index].type, d->mechanism->plane, s->part).kind ==
                TRMI_MEASURE_ROTATION)
            return true;
    }
    return false;
}

const trmi_relation *trmi_draft_relation(trmi_draft *d, const trmi_item *item)
{
    trmi_reading *r = d->r;
    int *input, errors = trmi_document_errors(r->document);
    trmi_node f = trmi_read_formula(r, item, TRMI_USES_TIME | TRMI_USES_POSITIONS, "a constraint");
    if (trmi_document_errors(r->document) > errors)
        return NULL;
    r->derive.graph = &r->graph;
    int n = list_signals(d, f, &input);
    if (n == 0)
        trmi_report(r->document, item,
                    "this formula names no measure, point or body: it constrains nothing");
    else if (n > 0 && has_rotations(d, input, n))
        trmi_report(r->document, item,
                    "components of a rotation vector cannot be constrained by a formula; use the "
                    "entries of the rotation matrix of a point (NAME_r12)");
    else
        warn_of_corners(d, item, f);
    if (n < 0)
        r->failed = true;
    if (n <= 0 || trmi_document_errors(r->document) > errors)
        return NULL;
    const trmi_relation *relation = make(d, f, input, n);
    r->failed = r->failed || !relation;
    return relation;
}
