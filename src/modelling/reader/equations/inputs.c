// SPDX-License-Identifier: Apache-2.0
// The section `inputs`: excitations u(t) with u' and u'', exact, and what time does to formulas.
//
// In the formulas of the model an input is a variable of its own, as u' and u'' are. The flow of
// time moves them along
//
//     (t, u, u', u'') -> (1, u', u'', u'''(t))
//
// where u''' is a formula of t: rates of any order are exact.
#include "modelling/reader/equations/equations.h"

enum { RATES = 3 }; // u, u', u''

bool trmi_begin_time(trmi_reading *r)
{
    const trmi_layout *l = &r->model->layout;
    const int n_u = r->model->system.n_u;
    trmi_forward_release(&r->time); // of an earlier layout
    if (!TRMI_TAKE(r->scratch, r->direction, l->count) ||
        !TRMI_TAKE(r->scratch, r->formula, l->count))
        return false;
    for (int i = 0; i < l->count; i++)
        r->direction[i] = r->formula[i] = TRMI_NO_NODE;
    r->direction[l->t] = trmi_constant(&r->graph, 1);
    for (int i = 0; i < (RATES - 1) * n_u; i++)
        r->direction[l->u + i] = trmi_input(&r->graph, l->u + n_u + i);
    trmi_forward_begin(&r->time, &r->graph, r->direction, l->count);
    return true;
}

void trmi_vary_inputs(trmi_reading *r, trmi_node *out)
{
    const trmi_layout *l = &r->model->layout;
    const int n_u = r->model->system.n_u;
    for (int i = 0; i < r->symbols.count; i++) {
        trmi_symbol *s = &r->symbols.symbol[i];
        if (s->kind != TRMI_SYMBOL_EXCITATION || s->node == TRMI_NO_NODE)
            continue;
        trmi_node rate = s->node;
        for (int k = 0; k < RATES; k++, rate = trmi_forward_rate(&r->time, rate))
            out[k * n_u + s->index] = r->formula[l->u + k * n_u + s->index] = rate;
        r->direction[l->u + (RATES - 1) * n_u + s->index] = rate;
        s->node = trmi_input(&r->graph, l->u + s->index);
    }
}

void trmi_read_inputs(trmi_reading *r, const trmi_item *section, trmi_node *out)
{
    trmi_read_definitions(r, section, TRMI_USES_TIME, "input");
    trmi_vary_inputs(r, out);
}

void trmi_fill_direction(trmi_reading *r, trmi_node *direction, bool with_z)
{
    const trmi_layout *l = &r->model->layout;
    const trm_system *s = &r->model->system;
    for (int i = 0; i < l->count; i++)
        direction[i] = r->direction[i];
    for (int i = 0; i < s->n_q; i++)
        direction[l->q + i] = trmi_input(&r->graph, l->v + i);
    for (int i = 0; i < s->n_z && with_z; i++)
        direction[l->z + i] = trmi_input(&r->graph, l->z_rate + i);
}
