// SPDX-License-Identifier: Apache-2.0
// The derivatives of equations by a parameter, in their place: M_p, f_p, g_p, G_p, .. with the same
// rows, columns and conditions. Excitations stay what they are, and how they depend on the
// parameter is in the derivatives:
//
//     d/dp F(y, u(t, p), p) = F_p + F_u u_p
#include "modelling/reader/equations/equations.h"

#include <stdlib.h>

// rates of all inputs by the parameter; those of u follow from their formulas
static void fill_direction(trmi_reading *r, int by, trmi_node *direction)
{
    const trmi_layout *l = &r->model->layout;
    const int n_u = 3 * r->model->system.n_u;
    trmi_forward forward = {0};
    for (int i = 0; i < l->count; i++)
        direction[i] = TRMI_NO_NODE;
    direction[l->parameter + by] = trmi_constant(&r->graph, 1);
    trmi_forward_begin(&forward, &r->graph, direction, l->count);
    trmi_node *rate = direction + l->count;
    for (int i = 0; i < n_u; i++)
        rate[i] = r->formula[l->u + i] == TRMI_NO_NODE
                      ? TRMI_NO_NODE
                      : trmi_forward_rate(&forward, r->formula[l->u + i]);
    trmi_forward_release(&forward);
    for (int i = 0; i < n_u; i++)
        direction[l->u + i] = rate[i];
}

void trmi_differentiate_equations(trmi_collection *c)
{
    trmi_reading *r = c->r;
    const trmi_layout *l = &r->model->layout;
    const trmi_symbol *by = trmi_symbols_find(&r->symbols, r->by);
    trmi_node *direction =
        malloc((size_t)(l->count + 3 * r->model->system.n_u) * sizeof *direction);
    trmi_forward forward = {0};
    c->failed = c->failed || !direction || !by || !by->set;
    if (!c->failed) {
        fill_direction(r, by->index, direction);
        trmi_forward_begin(&forward, &r->graph, direction, l->count);
    }
    for (int i = 0; i < c->outputs && !c->failed; i++)
        if (c->output[i].group != TRM_QUANTITY_INPUT && c->output[i].group != TRMI_GROUP_KINKS &&
            c->output[i].group != TRMI_GROUP_BENDS)
            c->output[i].node = trmi_forward_rate(&forward, c->output[i].node);
    trmi_forward_release(&forward);
    free(direction);
}
