// SPDX-License-Identifier: Apache-2.0
// Constraints by formula: the formula, its first and second derivatives by t and by the signals it
// names, on a tape of its own (multibody/rows/relation.h).
#include "modelling/multibody/rows/relation.h"
#include "modelling/reader/library.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdlib.h>
#include <string.h>

void trmi_draft_relation_signals(trmi_draft *d, const trmi_item *joints)
{
    for (const trmi_item *i = joints ? joints->child : NULL; i; i = i->next) {
        const trmi_item *zero = trmi_item_path(i, "relation.zero");
        const trmi_item *signals = trmi_item_path(i, "relation.signals");
        if (zero)
            trmi_draft_signals(d, zero);
        if (signals)
            trmi_draft_signals(d, signals);
    }
}

trmi_node trmi_draft_derivative(trmi_draft *d, trmi_node node, int input)
{
    const trmi_partial *partial;
    d->r->derive.graph = &d->r->graph;
    int n = trmi_gradient(&d->r->derive, node, input, 1, &partial);
    return n == 1 ? partial[0].value : trmi_constant(&d->r->graph, 0);
}

// A relation while it is made: the formula, or those that a function in C gets, then the
// parameters.
typedef struct making {
    const trmi_argument *argument;
    int arguments, parameters;
    int *input, n; // of the signals that the formulas use
    const trm_user_constraint *code;
} making;

// which signals the formulas use; false without memory
static bool list_signals(trmi_draft *d, making *m)
{
    const int first = d->r->model->layout.signal;
    d->r->derive.graph = &d->r->graph;
    if (!TRMI_TAKE(d->r->memory, m->input, d->signals))
        return false;
    for (int a = 0; a < m->arguments; a++) {
        const trmi_partial *partial;
        int count = trmi_gradient(&d->r->derive, m->argument[a].node, first, d->signals, &partial);
        for (int k = 0; k < count; k++) {
            int i = 0;
            while (i < m->n && m->input[i] != partial[k].input)
                i++;
            m->input[i] = partial[k].input;
            m->n += i == m->n;
        }
    }
    return true;
}

// f, f_t, f_i; f_tt, f_ti, f_ij
static trmi_tape_output *add_outputs(trmi_draft *d, trmi_node f, const int *input, int n,
                                     trmi_tape_output *o)
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
    return o;
}

static trmi_relation *make(trmi_draft *d, const making *m)
{
    const trmi_layout *l = &d->r->model->layout;
    trmi_memory *memory = d->r->memory;
    trmi_relation *relation;
    trmi_signal *signal;
    const int n = m->n, outputs = m->arguments * (3 + 2 * n + n * n) + m->parameters;
    trmi_tape_output *output = malloc((size_t)outputs * sizeof *output), *o = output;
    if (!output || !TRMI_TAKE(memory, relation, 1) || !TRMI_TAKE(memory, signal, n)) {
        free(output);
        return NULL;
    }
    for (int a = 0; a < m->arguments; a++)
        o = add_outputs(d, m->argument[a].node, m->input, n, o);
    for (int k = 0; k < m->parameters; k++)
        *o++ = (trmi_tape_output){m->argument[m->arguments + k].node, TRMI_RELATION_FIRST};
    for (int i = 0; i < n; i++)
        signal[i] = d->signal[m->input[i] - l->signal];
    *relation = (trmi_relation){.signals = n,
                                .signal = signal,
                                .input = m->input,
                                .tape = d->r->graph.failed
                                            ? NULL
                                            : trmi_tape_create(memory, &d->r->graph, output,
                                                               outputs, l->count, l->parameter),
                                .time = l->t,
                                .parameter = l->parameter,
                                .u = l->u,
                                .inputs = d->mechanism->inputs,
                                .value = d->r->model->parameter_value,
                                .first = d->relation_registers,
                                .code = m->code,
                                .arguments = m->arguments,
                                .parameters = m->parameters};
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

// checks what the formulas use; NULL after an error
static const trmi_relation *finish(trmi_draft *d, const trmi_item *item, making *m)
{
    trmi_reading *r = d->r;
    int errors = trmi_document_errors(r->document);
    if (!list_signals(d, m)) {
        r->failed = true;
        return NULL;
    }
    if (m->n == 0)
        trmi_report(r->document, item, "%s no measure, point or body: it constrains nothing",
                    m->code ? "the signals of this function name" : "this formula names");
    else if (has_rotations(d, m->input, m->n))
        trmi_report(r->document, item,
                    "components of a rotation vector cannot be constrained by a formula; use the "
                    "entries of the rotation matrix of a point (NAME_r12)");
    if (trmi_document_errors(r->document) > errors)
        return NULL;
    for (int a = 0; a < m->arguments; a++)
        warn_of_corners(d, m->argument[a].item, m->argument[a].node);
    const trmi_relation *relation = make(d, m);
    r->failed = r->failed || !relation;
    return relation;
}

const trmi_relation *trmi_draft_relation(trmi_draft *d, const trmi_item *item)
{
    int errors = trmi_document_errors(d->r->document);
    trmi_node f =
        trmi_read_formula(d->r, item, TRMI_USES_TIME | TRMI_USES_POSITIONS, "a constraint");
    const trmi_argument formula = {f, item};
    making m = {.argument = &formula, .arguments = 1};
    return trmi_document_errors(d->r->document) > errors ? NULL : finish(d, item, &m);
}

const trmi_relation *trmi_draft_relation_code(trmi_draft *d, const trmi_item *map)
{
    const trmi_item *library = trmi_item_find(map, "library"), *name = trmi_item_find(map, "name");
    int errors = trmi_document_errors(d->r->document);
    if (!name || trmi_item_null(name)) {
        trmi_report_key(d->r->document, map,
                        "the key 'name' is missing: the function that the library exports");
        return NULL;
    }
    making m = {.code = trmi_library_constraint(d->r, library, name)};
    if (!m.code)
        return NULL;
    m.argument =
        trmi_draft_arguments(d, map, m.code->signal, m.code->parameter,
                             TRMI_USES_TIME | TRMI_USES_POSITIONS, &m.arguments, &m.parameters);
    return !m.argument || trmi_document_errors(d->r->document) > errors ? NULL
                                                                        : finish(d, name, &m);
}
