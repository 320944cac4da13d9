// SPDX-License-Identifier: Apache-2.0
// Names of what forces and joints do: "strut_force", "wheel_contact", "pin_fx".
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <string.h>

// "fx" .. "mz" as 0 .. 5; false: none of them, or none of a plane model
static bool find_component(trmi_plane plane, const char *part, int *component)
{
    if ((part[0] != 'f' && part[0] != 'm') || part[1] < 'x' || part[1] > 'z' || part[2])
        return false;
    int axis[3], k = part[1] - 'x';
    trmi_plane_axes(plane, axis);
    *component = k + (part[0] == 'm' ? 3 : 0);
    return plane == TRMI_SPATIAL || (part[0] == 'm') == (k == axis[2]);
}

static bool force_effect(const trmi_draft *d, const trmi_force_type *type, const char *part,
                         trmi_effect *effect)
{
    effect->kind = TRMI_EFFECT_WRENCH;
    if (type->row[0] && find_component(d->mechanism->plane, part, &effect->part))
        return true;
    effect->kind = TRMI_EFFECT_FORCE;
    if (type->scalar && strcmp(part, type->scalar) == 0)
        return true;
    effect->kind = TRMI_EFFECT_POWER;
    if (strcmp(part, "power") == 0)
        return true;
    effect->kind = TRMI_EFFECT_TOUCH;
    return strcmp(part, "contact") == 0 && type->one_sided;
}

// Friction and stops are those of the file: they are read later.
static bool joint_effect(const trmi_draft *d, int index, const char *part, trmi_effect *effect)
{
    const trmi_item *item = d->joints.symbol[index].item;
    effect->kind = TRMI_EFFECT_REACTION;
    if (find_component(d->mechanism->plane, part, &effect->part))
        return true;
    effect->kind = TRMI_EFFECT_FRICTION;
    if (strcmp(part, "friction") == 0)
        return trmi_item_find(item, "friction") != NULL;
    effect->kind = TRMI_EFFECT_STOP;
    return strcmp(part, "stop") == 0 && trmi_item_find(item, "stops") != NULL;
}

bool trmi_draft_effect(const trmi_draft *d, bool joint, int index, const char *part,
                       trmi_effect *effect)
{
    *effect = (trmi_effect){.index = index};
    return joint ? joint_effect(d, index, part, effect)
                 : force_effect(d, d->force[index]->type, part, effect);
}
