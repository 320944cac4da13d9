// SPDX-License-Identifier: Apache-2.0
#include "program/view/scene.h"

#include "modelling/multibody/joints/joint.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"
#include "program/files/json.h"
#include "program/view/scene_mesh.h"
#include "program/view/scene_path.h"

#include <string.h>

enum { SCENE_VERSION = 1 };

static void add_vector(trmi_json *json, const char *key, trmi_v3 v)
{
    trmi_json_begin_array(json, key);
    trmi_json_number(json, NULL, v.x);
    trmi_json_number(json, NULL, v.y);
    trmi_json_number(json, NULL, v.z);
    trmi_json_end(json);
}

static void add_pair(trmi_json *json, const char *key, const int value[2])
{
    trmi_json_begin_array(json, key);
    trmi_json_integer(json, NULL, value[0]);
    trmi_json_integer(json, NULL, value[1]);
    trmi_json_end(json);
}

// a point with two axes; the third follows
static void add_marker(trmi_json *json, trmi_v3 at, const trmi_m3 *frame)
{
    add_vector(json, "at", at);
    add_vector(json, "x", trmi_m3_column(*frame, 0));
    add_vector(json, "z", trmi_m3_column(*frame, 2));
}

// ---- bodies ----

// edges of a box from its middle, in its axes
static void add_half(trmi_json *json, const trmi_m3 *axes, trmi_v3 diagonal)
{
    trmi_json_begin_array(json, "half");
    for (int k = 0; k < 3; k++)
        add_vector(json, NULL,
                   trmi_v3_scale(0.5 * trmi_component(diagonal, k), trmi_m3_column(*axes, k)));
    trmi_json_end(json);
}

// of a box its two corners and edges; of a mesh those of the box around it, and where its file is
static void add_box(trmi_json *json, const trmi_shape *shape)
{
    const trmi_mesh *mesh = shape->mesh;
    const trmi_v3 *p = shape->point;
    if (!mesh) {
        trmi_v3 along = trmi_v3_sub(p[1], p[0]);
        add_half(json, &shape->axes, trmi_m3_tr_times(shape->axes, along));
        return;
    }
    add_half(json, &shape->axes, trmi_v3_sub(mesh->high, mesh->low));
    trmi_json_integer(json, "mesh", mesh->number);
    add_vector(json, "at", p[0]);
    trmi_json_begin_array(json, "axes");
    for (int k = 0; k < 3; k++)
        add_vector(json, NULL, trmi_m3_column(shape->axes, k));
    trmi_json_end(json);
}

static void add_points(trmi_json *json, const trmi_shape *shape)
{
    trmi_v3 around[2];
    const trmi_v3 *point = shape->mesh ? around : shape->point;
    if (shape->mesh)
        for (int k = 0; k < 2; k++)
            around[k] =
                trmi_v3_add(shape->point[0],
                            trmi_m3_times(shape->axes, k ? shape->mesh->high : shape->mesh->low));
    trmi_json_begin_array(json, "points");
    for (int k = 0; k < (shape->mesh ? 2 : shape->points); k++)
        add_vector(json, NULL, point[k]);
    trmi_json_end(json);
}

static void add_shape(trmi_json *json, const trmi_shape *shape)
{
    static const char *const kinds[] = {"none",   "bar",      "box",     "cylinder",
                                        "sphere", "polyline", "capsule", "mesh"};
    trmi_json_begin_object(json, "shape");
    trmi_json_string(json, "kind", kinds[shape->kind]);
    add_points(json, shape);
    if (shape->kind == TRMI_SHAPE_BOX || shape->kind == TRMI_SHAPE_MESH)
        add_box(json, shape);
    if (shape->size > 0)
        trmi_json_number(json, "size", shape->size);
    trmi_json_end(json);
}

static void add_beam(trmi_json *json, const trmi_flexible *beam, const trmi_body *frame)
{
    trmi_json_begin_object(json, "beam");
    add_vector(json, "from", beam->from);
    add_vector(json, "along", beam->along);
    trmi_json_number(json, "length", beam->data.length);
    trmi_json_number(json, "stiffness", beam->data.stiffness);
    add_pair(json, "nodes", (const int[2]){frame->first_node, frame->nodes});
    trmi_json_end(json);
}

static void add_bodies(trmi_json *json, const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    const trmi_flexible *beam = m->flexible, *end = beam + m->flexibles; // in the order of bodies
    trmi_json_begin_array(json, "bodies");
    for (int b = 0; b < m->bodies; b++) {
        const trmi_body *body = &m->body[b];
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "name", b == TRMI_GROUND ? "ground" : body->name);
        add_vector(json, "center", body->center);
        if (body->shape)
            add_shape(json, body->shape);
        if (machine->edge[b] != TRMI_NOTHING)
            trmi_json_integer(json, "joint", machine->edge[b]);
        if (body->beam != 0)
            trmi_json_integer(json, "beam_of", body->beam);
        if (b != TRMI_GROUND && body->mass == 0)
            trmi_json_boolean(json, "massless", true);
        if (body->carrier != TRMI_GROUND)
            trmi_json_integer(json, "node_of", body->carrier);
        if (beam < end && beam->body == b)
            add_beam(json, beam++, body);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

// ---- joints ----

static bool is_driven(const trmi_joint *joint)
{
    const int *drive = trmi_extra_of(joint).drive;
    for (int k = 0; drive && k < TRMI_MAX_MEASURES; k++)
        if (joint->type->measure[k].name && drive[k] != TRMI_NOTHING)
            return true;
    return false;
}

static void add_joint(trmi_json *json, const trmi_joint *joint, bool cut)
{
    const trmi_joint_extra extra = trmi_extra_of(joint);
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", joint->name);
    trmi_json_string(json, "type", joint->type->name);
    if (!joint->type->sum) {
        add_pair(json, "bodies", joint->body);
        add_marker(json, joint->at, joint->frame);
    }
    trmi_scene_add_joint_path(json, joint);
    if (extra.size != 0)
        trmi_json_number(json, "size", extra.size);
    if (extra.second) {
        trmi_json_begin_object(json, "second");
        add_marker(json, extra.second->at, &extra.second->frame);
        trmi_json_end(json);
    }
    if (extra.terms > 0) {
        trmi_json_begin_array(json, "terms");
        for (int k = 0; k < extra.terms; k++)
            trmi_json_integer(json, NULL, extra.term[k].joint);
        trmi_json_end(json);
    }
    if (cut)
        trmi_json_boolean(json, "cut", true);
    if (is_driven(joint))
        trmi_json_boolean(json, "driven", true);
    trmi_json_end(json);
}

static void add_joints(trmi_json *json, const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_json_begin_array(json, "joints");
    for (int j = 0; j < m->joints; j++) {
        const int *body = m->joint[j].body;
        bool sum = m->joint[j].type->sum != NULL;
        bool edge = !sum && (machine->edge[body[0]] == j || machine->edge[body[1]] == j);
        add_joint(json, &m->joint[j], !edge);
    }
    trmi_json_end(json);
}

// ---- forces ----

static bool is_number(trmi_parameter_kind kind)
{
    return kind == TRMI_PARAMETER_NUMBER || kind == TRMI_PARAMETER_POSITIVE ||
           kind == TRMI_PARAMETER_NOT_NEGATIVE;
}

// the numbers of a force by their keys, its axis, and the joint it acts on
static void add_parameters(trmi_json *json, const trmi_force *force)
{
    const trmi_parameter *const *list = force->type->parameter;
    for (int k = 0; list[k]; k++)
        if (list[k]->kind == TRMI_PARAMETER_MEASURE) {
            const trmi_term *term = (const void *)((const char *)force + list[k]->offset);
            trmi_json_integer(json, "joint", term->joint);
        } else if (list[k]->kind == TRMI_PARAMETER_DIRECTION && strcmp(list[k]->key, "axis") == 0) {
            add_vector(json, "axis",
                       *(const trmi_v3 *)(const void *)((const char *)force + list[k]->offset));
        }
    trmi_json_begin_object(json, "parameters");
    for (int k = 0; list[k]; k++)
        if (is_number(list[k]->kind)) {
            const double *value = (const void *)((const char *)force + list[k]->offset);
            if (*value != 0)
                trmi_json_number(json, list[k]->key, *value);
        }
    trmi_json_end(json);
}

static bool acts_at_points(const trmi_force *force)
{
    for (int k = 0; force->type->parameter[k]; k++)
        if (force->type->parameter[k]->kind == TRMI_PARAMETER_MEASURE)
            return false;
    return true;
}

static void add_forces(trmi_json *json, const trmi_mechanism *m)
{
    trmi_json_begin_array(json, "forces");
    for (int f = 0; f < m->forces; f++) {
        const trmi_force *force = m->force[f];
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "name", force->name);
        trmi_json_string(json, "type", force->type->name);
        if (acts_at_points(force)) {
            add_pair(json, "bodies", force->body);
            add_marker(json, force->at, &force->frame);
            add_vector(json, "to", force->at_second);
            if (force->on_plane)
                trmi_json_boolean(json, "plane", true);
        }
        trmi_scene_add_force_path(json, force);
        add_parameters(json, force);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

// ---- drawings ----

// the outputs of a drawing: coordinates of its points, and the radius of a circle
static void add_drawing(trmi_json *json, const trm_model *m, const trmi_model_drawing *d)
{
    static const char *const kinds[] = {"point", "line", "circle"};
    int output = d->first;
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", d->name);
    trmi_json_string(json, "kind", kinds[d->kind]);
    trmi_json_begin_array(json, "points");
    for (int p = 0; p < d->points; p++) {
        trmi_json_begin_array(json, NULL);
        for (int k = 0; k < m->draw_dimensions; k++)
            trmi_json_string(json, NULL, trm_model_channel(m, TRM_CHANNEL_OUTPUT, output++));
        trmi_json_end(json);
    }
    trmi_json_end(json);
    if (d->kind == TRMI_DRAW_CIRCLE)
        trmi_json_string(json, "radius", trm_model_channel(m, TRM_CHANNEL_OUTPUT, output));
    trmi_json_end(json);
}

static void add_drawings(trmi_json *json, const trm_model *m)
{
    trmi_json_begin_array(json, "draw");
    for (int k = 0; k < m->drawings; k++)
        add_drawing(json, m, &m->drawing[k]);
    trmi_json_end(json);
}

// a scene without bodies: the drawings of equations
static void add_empty(trmi_json *json, const trm_model *m)
{
    const trmi_v3 zero = {0, 0, 0};
    trmi_json_string(json, "plane", m->draw_dimensions == 2 ? "xy" : NULL);
    add_vector(json, "gravity", zero);
    trmi_json_begin_array(json, "bodies");
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", "ground");
    add_vector(json, "center", zero);
    trmi_json_end(json);
    trmi_json_end(json);
    trmi_json_begin_array(json, "joints");
    trmi_json_end(json);
    trmi_json_begin_array(json, "forces");
    trmi_json_end(json);
}

char *trmi_scene_json(const trm_model *model)
{
    static const char *const plane[] = {NULL, "xy", "yz", "zx"};
    const trmi_machine *machine = trmi_model_machine(model);
    if (!machine && model->drawings == 0)
        return NULL;
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_integer(&json, "version", SCENE_VERSION);
    if (machine) {
        trmi_json_string(&json, "plane", plane[machine->mechanism->plane]);
        add_vector(&json, "gravity", machine->mechanism->gravity);
        add_bodies(&json, machine);
        add_joints(&json, machine);
        add_forces(&json, machine->mechanism);
        trmi_scene_add_meshes(&json, machine->mechanism->mesh);
    } else {
        add_empty(&json, model);
    }
    if (model->drawings > 0)
        add_drawings(&json, model);
    trmi_json_end(&json);
    return trmi_json_take(&json);
}
