// SPDX-License-Identifier: Apache-2.0
// Names of coordinates: "pivot_angle", "slider_travel"; of free bodies "crank_x", "crank_rx",
// in the plane "crank_x", "crank_y", "crank_angle"; of nodes of beams "rod_1_w", "rod_1_slope".
#include "modelling/multibody/frames.h"
#include "modelling/multibody/machine.h"

// what a free column is called
static const char *free_name(const trmi_tree *t, const trmi_body *body, const trmi_column *c)
{
    static const char *const spatial[] = {"x", "y", "z", "rx", "ry", "rz"};
    static const char *const node[] = {
        [TRMI_NODE_DEFLECTION] = "w", [TRMI_NODE_SLOPE] = "slope", [TRMI_NODE_SHIFT] = "shift"};
    int axis[3];
    trmi_plane_axes(t->plane, axis);
    if (body->carrier != TRMI_GROUND)
        return node[c->measure];
    if (t->plane == TRMI_SPATIAL)
        return spatial[c->measure];
    return c->measure == 2 ? "angle" : spatial[axis[c->measure]];
}

trmi_coordinate_words trmi_machine_words(const trmi_machine *machine, const trmi_column *c)
{
    const trmi_tree *t = machine->tree;
    const trmi_body *body = &machine->mechanism->body[c->body];
    if (c->joint == TRMI_NOTHING)
        return (trmi_coordinate_words){body->name, free_name(t, body, c)};
    const trmi_joint *joint = &machine->mechanism->joint[c->joint];
    return (trmi_coordinate_words){joint->name,
                                   trmi_measure_of(joint->type, t->plane, c->measure).name};
}

void trmi_machine_name_coordinates(const trmi_machine *machine, trmi_name_sink *sink, void *to)
{
    const trmi_tree *t = machine->tree;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.coordinate == TRMI_NOTHING)
            continue;
        trmi_coordinate_words words = trmi_machine_words(machine, &c);
        sink(to, c.coordinate, (const char *const[]){words.owner, "_", words.measure, NULL});
    }
}

int trmi_machine_q_name(int i, char *name, size_t size, void *work)
{
    trmi_one_name one = {.index = i, .name = name, .size = size};
    trmi_machine_name_coordinates(((const trmi_machine_work *)work)->machine, trmi_write_one_name,
                                  &one);
    return one.length;
}

int trmi_machine_g_name(int i, char *name, size_t size, void *work)
{
    const trmi_machine *machine = ((const trmi_machine_work *)work)->machine;
    return trmi_constraints_row_name(&machine->constraints, i, name, size);
}
