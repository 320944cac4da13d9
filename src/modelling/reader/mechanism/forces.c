// SPDX-License-Identifier: Apache-2.0
// The forces of a mechanism: each is read by the parameters of its type.
#include "modelling/multibody/forces/forces.h"
#include "modelling/reader/mechanism/draft.h"

#include <string.h>

const trmi_item *trmi_draft_force_type(const trmi_item *force, const trmi_force_type **type)
{
    for (const trmi_item *i = force->child; i; i = i->next)
        for (int k = 0; (*type = trmi_force_type_at(k)); k++)
            if (strcmp(i->key, (*type)->name) == 0)
                return i;
    return NULL;
}

trmi_force *trmi_draft_take_force(trmi_draft *d, const trmi_item *item)
{
    const trmi_force_type *type;
    trmi_draft_force_type(item, &type);
    trmi_force *force = trmi_memory_take(d->r->memory, 1, type->size);
    if (!force)
        return NULL;
    *force = (trmi_force){
        .name = trmi_keep_text(d->r, item->key), .type = type, .frame = trmi_m3_unit()};
    return force->name ? force : NULL;
}

// A frame that is not given is that of the part.
static void place_frame(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_use *use = trmi_draft_use(d, map);
    const trmi_item *frame = trmi_item_find(map, "frame");
    for (int k = 0; use && force->type->parameter[k]; k++)
        if (force->type->parameter[k]->kind == TRMI_PARAMETER_FRAME &&
            (!frame || trmi_item_null(frame)))
            force->frame = trmi_place_frame(use, force->frame);
}

void trmi_draft_forces(trmi_draft *d, const trmi_item *section)
{
    int f = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_force *force = d->force[f++];
        trmi_type_reading reading = {d, trmi_draft_force_type(i, &force->type)};
        trmi_finish finish = trmi_draft_finish(&reading);
        d->acting = f - 1;
        d->law_follows = force->type->numbers_in_law ? &force->follows : NULL;
        if (trmi_draft_parameters(d, reading.map, force->name, force->type->parameter, force) &&
            force->type->finish)
            force->type->finish(&finish, force);
        d->r->failed = d->r->failed || finish.no_memory;
        place_frame(d, reading.map, force);
        trmi_draft_attach(d, i, force->body, force->at, force->at_second);
    }
    d->acting = TRMI_NOTHING;
    d->law_follows = NULL;
}
