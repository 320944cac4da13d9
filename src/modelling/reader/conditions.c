// SPDX-License-Identifier: Apache-2.0
// Conditions by state in the formulas of a model, with their rates along the motion.
#include "modelling/reader/reading.h"

#include <stdlib.h>

// Rates of all inputs but the excitations, which time moves: q' = v, v' = a; p' and p'' of signals.
static void fill_direction(const trmi_reading *r, trmi_graph *graph, const trmi_node *state_rate,
                           trmi_node *direction)
{
    const trmi_layout *l = &r->model->layout;
    const int n_q = l->v - l->q, signals = l->signal_rate - l->signal;
    for (int i = 0; i < l->count; i++)
        direction[i] = r->direction[i];
    for (int i = 0; i < 2 * n_q; i++)
        direction[l->q + i] = trmi_input(graph, l->v + i);
    for (int i = 0; i < l->z - l->x; i++)
        direction[l->x + i] = state_rate[i];
    for (int i = 0; i < 2 * signals; i++)
        direction[l->signal + i] = trmi_input(graph, l->signal_rate + i);
}

// What each input is to conditions. Those of velocities, whose second rate is not known, are left
// to the error control: steps would land on them time and again. Sensitivities jump there and need
// it.
static void fill_kinds(const trmi_reading *r, char *kind)
{
    const trmi_layout *l = &r->model->layout;
    for (int i = 0; i < l->count; i++) {
        bool rate = (i >= l->v && i < l->a) || (i >= l->signal_rate && i < l->signal_second);
        bool state = (i >= l->q && i < l->v) || (i >= l->x && i < l->z) ||
                     (i >= l->signal && i < l->signal_rate) ||
                     (rate && r->load && r->load->sensitive);
        bool known = i == l->t || (i >= l->u && i < l->z_rate) || i >= l->parameter;
        kind[i] = state ? TRMI_KINK_OF_STATE : known ? 0 : TRMI_KINK_OF_UNKNOWN;
    }
}

// What no step ends at is missing in sensitivities.
static void warn_of_jumps(trmi_reading *r, const trmi_kinks *kinks)
{
    if (!r->load || !r->load->sensitive)
        return;
    if (kinks->has_jumps)
        trmi_warn(
            r->document, r->root,
            "formulas have floor, ceil or mod of positions, velocities or states: sensitivities "
            "do not have their jumps; compare with runs at two values of the parameter");
    if (kinks->too_many)
        trmi_warn(
            r->document, r->root,
            "formulas have more than %d conditions and corners of tables: sensitivities do not "
            "have the jumps of the others; compare with runs at two values of the parameter",
            (int)TRMI_MAX_KINKS);
}

bool trmi_separate_kinks(trmi_reading *r, trmi_tape_output *output, int outputs,
                         const trmi_node *state_rate, int *count, trmi_node **out)
{
    trmi_graph *graph = &r->graph;
    const int inputs = r->model->layout.count;
    char *kind = malloc((size_t)inputs);
    trmi_node *direction = malloc((size_t)inputs * sizeof *direction);
    trmi_kinks kinks = {.input = kind, .inputs = inputs, .first_lock = inputs};
    trmi_forward forward = {0};
    *out = malloc(3 * (size_t)TRMI_MAX_KINKS * sizeof **out);
    bool good = kind && direction && *out;
    if (good) {
        fill_kinds(r, kind);
        fill_direction(r, graph, state_rate, direction);
        good = trmi_kinks_separate(&kinks, graph, output, outputs);
        trmi_forward_begin(&forward, graph, direction, inputs);
    }
    for (int i = 0; i < kinks.count && good; i++) {
        trmi_node *s = *out + 3 * i;
        s[0] = kinks.condition[i];
        s[1] = trmi_forward_rate(&forward, s[0]);
        s[2] = trmi_forward_rate(&forward, s[1]);
    }
    *count = kinks.count;
    warn_of_jumps(r, &kinks);
    trmi_forward_release(&forward);
    trmi_kinks_release(&kinks);
    free(kind);
    free(direction);
    return good && !graph->failed;
}
