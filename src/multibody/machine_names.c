// SPDX-License-Identifier: Apache-2.0
// Names of coordinates: "pivot_angle", "slider_travel"; of free bodies "crank_x", "crank_rx",
// in the plane "crank_x", "crank_y", "crank_angle".
#include "multibody/machine.h"
#include "multibody/measure.h"

#include <stdio.h>
#include <string.h>

// what a free column is called
static const char *free_name(const trmi_tree *t, const trmi_column *c)
{
    static const char *const spatial[] = {"x", "y", "z", "rx", "ry", "rz"};
    int axis[3];
    trmi_plane_axes(t->plane, axis);
    if (t->plane == TRMI_SPATIAL)
        return spatial[c->measure];
    return c->measure == 2 ? "angle" : spatial[axis[c->measure]];
}

static const char *join(trmi_memory *memory, const char *owner, const char *part)
{
    size_t size = strlen(owner) + strlen(part) + 2;
    char *text;
    if (TRMI_TAKE(memory, text, size))
        snprintf(text, size, "%s_%s", owner, part);
    return text;
}

bool trmi_machine_name(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    const trmi_mechanism *m = machine->mechanism;
    const char **name;
    if (!TRMI_TAKE(memory, name, t->n_q))
        return false;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column *c = &t->column[k];
        if (c->coordinate == TRMI_NOTHING)
            continue;
        const trmi_joint *joint = c->joint == TRMI_NOTHING ? NULL : &m->joint[c->joint];
        const char *text = joint ? join(memory, joint->name,
                                        trmi_measure_of(joint->kind, t->plane, c->measure).name)
                                 : join(memory, m->body[c->body].name, free_name(t, c));
        if (!text)
            return false;
        name[c->coordinate] = text;
    }
    machine->q_names = name;
    return true;
}
