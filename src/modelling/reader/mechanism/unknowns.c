// SPDX-License-Identifier: Apache-2.0
// What a mechanism has beside its bodies: inputs u(t), definitions, states with their rates,
// algebraic variables with their equations. States of forces come after those of the file.
//
// Motions are formulas of t, and so are inputs in them. In all other formulas an input is a
// variable with u' and u'', an excitation of the system that no joint has: the integrators know
// what moves.
#include "modelling/multibody/forces/force.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>

static int count_of(const trmi_item *section)
{
    return section ? section->count : 0;
}

// ---- names ----

// names of a section in the memory of the model, with places for more; NULL without memory
static const char **keep_names(trmi_reading *r, const trmi_item *section, int more)
{
    const char **name;
    int k = 0;
    if (!TRMI_TAKE(r->memory, name, count_of(section) + more))
        return NULL;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        if (!(name[k++] = trmi_keep_text(r, i->key)))
            return NULL;
    return name;
}

// ---- states of forces ----

// which of its states a force has: those whose key is given
static bool has_state(const trmi_item *map, const trmi_force_state *state)
{
    const trmi_item *key = trmi_item_find(map, state->key);
    return key && !trmi_item_null(key);
}

// counts them through after those of the section `states`; their number
static int count_force_states(trmi_draft *d, const trmi_item *forces, int first)
{
    int f = 0, count = 0;
    for (const trmi_item *i = forces ? forces->child : NULL; i; i = i->next) {
        trmi_force *force = d->force[f++];
        const trmi_item *map = trmi_draft_force_type(i, &force->type);
        force->first_state = first + count;
        for (const trmi_force_state *s = force->type->state; s && s->name; s++)
            force->states += has_state(map, s);
        count += force->states;
    }
    return count;
}

// NAME_<state>; false: no memory
static bool name_force_states(trmi_draft *d, const trmi_item *forces, const char **name,
                              const char **unit)
{
    int f = 0;
    for (const trmi_item *i = forces ? forces->child : NULL; i; i = i->next) {
        const trmi_force *force = d->force[f++];
        const trmi_item *map = trmi_draft_force_type(i, &(const trmi_force_type *){NULL});
        int k = force->first_state;
        for (const trmi_force_state *s = force->type->state; s && s->name; s++) {
            char text[200];
            if (!has_state(map, s))
                continue;
            snprintf(text, sizeof text, "%.100s_%s", force->name, s->name);
            if (!(name[k] = trmi_keep_text(d->r, text)))
                return false;
            trmi_introduce(d->r, i, name[k], TRMI_SYMBOL_STATE, k);
            unit[k++] = s->unit;
        }
    }
    return true;
}

bool trmi_draft_name_unknowns(trmi_draft *d, const trmi_item *section)
{
    trmi_reading *r = d->r;
    trmi_mechanism *m = d->mechanism;
    trm_system *s = &r->model->system; // sizes for the layout; the machine makes it later
    const trmi_item *inputs = trmi_item_find(section, "inputs");
    const trmi_item *states = trmi_item_find(section, "states");
    const trmi_item *algebraic = trmi_item_find(section, "algebraic");
    s->n_u = m->inputs = count_of(inputs);
    const trmi_item *forces = trmi_item_find(section, "forces");
    int own = count_force_states(d, forces, count_of(states));
    s->n_x = m->states = count_of(states) + own;
    s->n_z = m->algebraics = count_of(algebraic);
    trmi_introduce_all(r, inputs, TRMI_SYMBOL_EXCITATION);
    trmi_introduce_all(r, trmi_item_find(section, "define"), TRMI_SYMBOL_DEFINITION);
    trmi_introduce_all(r, states, TRMI_SYMBOL_STATE);
    trmi_introduce_all(r, algebraic, TRMI_SYMBOL_ALGEBRAIC);
    int laws = m->states + m->algebraics, k = 0;
    const char **name = keep_names(r, states, own), **unit;
    if (!TRMI_TAKE(r->memory, unit, m->states))
        return false;
    for (int i = 0; i < m->states; i++)
        unit[i] = "";
    m->state_name = name;
    m->state_unit = unit;
    m->algebraic_name = keep_names(r, algebraic, 0);
    if (!m->state_name || !trmi_symbols_reserve(r, own) ||
        !name_force_states(d, forces, name, unit) || !m->algebraic_name ||
        !TRMI_TAKE(r->memory, d->law, laws) || !TRMI_TAKE(r->scratch, d->law_item, laws) ||
        !TRMI_TAKE(r->scratch, d->input, 3 * m->inputs))
        return false;
    for (const trmi_item *i = states ? states->child : NULL; i; i = i->next)
        d->law_item[k++] = i;
    k += own;
    for (const trmi_item *i = algebraic ? algebraic->child : NULL; i; i = i->next)
        d->law_item[k++] = i;
    m->law = d->law;
    return true;
}

// ---- formulas ----

static void read_define(trmi_reading *r, const trmi_item *section)
{
    trmi_read_definitions(r, trmi_item_find(section, "define"), TRMI_FORCE_USES, "definition");
}

void trmi_draft_definitions(trmi_draft *d, const trmi_item *section)
{
    trmi_read_definitions(d->r, trmi_item_find(section, "inputs"), TRMI_USES_TIME, "input");
    read_define(d->r, section);
}

void trmi_draft_place_inputs(trmi_draft *d, const trmi_item *section)
{
    if (d->mechanism->inputs == 0 || trmi_document_errors(d->r->document) > 0)
        return;
    trmi_vary_inputs(d->r, d->input);
    for (int k = 0; k < d->mechanism->inputs; k++)
        d->drive[d->drives++] = d->input[k];
    read_define(d->r, section);
    trmi_draft_define_outputs(d);
}

void trmi_draft_laws(trmi_draft *d)
{
    for (int k = 0; k < d->mechanism->states + d->mechanism->algebraics; k++) {
        const trmi_item *item = d->law_item[k];
        d->law[k].value = TRMI_NOTHING;
        if (!item) // a state of a force, whose law has its rate
            continue;
        const char *key = k < d->mechanism->states ? "rate" : "zero";
        trmi_draft_formula(d, item->kind == TRMI_MAP ? trmi_item_find(item, key) : item, 1,
                           &d->law[k]);
    }
}

void trmi_read_definitions_again(trmi_reading *r)
{
    const trmi_mechanism *m = r->model->mechanism;
    int first = r->model->layout.u + m->drives - m->inputs;
    for (int k = 0; k < r->symbols.count; k++) {
        trmi_symbol *s = &r->symbols.symbol[k];
        if (s->kind == TRMI_SYMBOL_EXCITATION)
            s->node = trmi_input(&r->graph, first + s->index);
    }
    read_define(r, trmi_item_find(r->root, "mechanism"));
}

// ---- start ----

bool trmi_draft_law_start(const trmi_draft *d, trm_initial *start)
{
    const trmi_mechanism *m = d->mechanism;
    double *x, *z;
    if (!TRMI_TAKE(d->r->scratch, x, m->states) || !TRMI_TAKE(d->r->scratch, z, m->algebraics))
        return false;
    for (int k = 0; k < m->states + m->algebraics; k++)
        if (d->law_item[k])
            trmi_read_quantity(d->r, trmi_item_find(d->law_item[k], "start"),
                               k < m->states ? &x[k] : &z[k - m->states]);
    start->x = x;
    start->z = z;
    return true;
}
