// SPDX-License-Identifier: Apache-2.0
// Names of coordinates: "pivot_angle", "slider_travel"; of free bodies "crank_x", "crank_rx",
// in the plane "crank_x", "crank_y", "crank_angle"; of nodes of beams "rod_1_w", "rod_1_slope".
#include "base/texts.h"
#include "multibody/machine.h"

// what a free column is called
static const char *free_name(const trmi_tree *t, const trmi_body *body, const trmi_column *c)
{
    static const char *const spatial[] = {"x", "y", "z", "rx", "ry", "rz"};
    int axis[3];
    trmi_plane_axes(t->plane, axis);
    if (body->carrier != TRMI_GROUND)
        return c->measure == 0 ? "w" : "slope";
    if (t->plane == TRMI_SPATIAL)
        return spatial[c->measure];
    return c->measure == 2 ? "angle" : spatial[axis[c->measure]];
}

bool trmi_machine_name(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    const trmi_mechanism *m = machine->mechanism;
    trmi_texts texts = {memory, NULL, 0};
    const char **name;
    if (!TRMI_TAKE(memory, name, t->n_q))
        return false;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.coordinate == TRMI_NOTHING)
            continue;
        const trmi_joint *joint = c.joint == TRMI_NOTHING ? NULL : &m->joint[c.joint];
        name[c.coordinate] =
            TRMI_JOIN(&texts, joint ? joint->name : m->body[c.body].name, "_",
                      joint ? trmi_measure_of(joint->kind, t->plane, c.measure).name
                            : free_name(t, &m->body[c.body], &c));
        if (!name[c.coordinate])
            return false;
    }
    machine->q_names = name;
    return true;
}
