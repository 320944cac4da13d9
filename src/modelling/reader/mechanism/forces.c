// SPDX-License-Identifier: Apache-2.0
// The forces of a mechanism: loads, springs and actuators. Those with several axes: _elements.c.
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
#define NAME(name, text, help) text,
    TRMI_FORCE_LIST(NAME)
#undef NAME
};

const trmi_item *trmi_draft_force_kind(const trmi_item *force, trmi_force_kind *kind)
{
    for (const trmi_item *i = force->child; i; i = i->next)
        for (int k = 0; k < TRMI_FORCE_KINDS; k++)
            if (strcmp(i->key, kind_names[k]) == 0) {
                *kind = (trmi_force_kind)k;
                return i;
            }
    return NULL;
}

static bool is_plane(const trmi_draft *d)
{
    return d->mechanism->plane != TRMI_SPATIAL;
}

// ---- force, torque ----

// components of a list: all three, or the two of the plane
static void read_list(trmi_draft *d, const trmi_item *list, trmi_force *force)
{
    int axis[3];
    bool torque = force->kind == TRMI_FORCE_TORQUE;
    bool two = is_plane(d) && list->count == 2 && !torque;
    trmi_plane_axes(d->mechanism->plane, axis);
    if (list->count != 3 && !two) {
        trmi_report(d->r->document, list, "'value' of '%.60s' has %d components; it needs %s",
                    force->name, list->count,
                    is_plane(d) && !torque ? "the two of the plane, or three" : "three");
        return;
    }
    int k = 0;
    for (const trmi_item *i = list->child; i; i = i->next, k++) {
        int global = two ? axis[k] : k;
        bool normal = global == axis[2];
        trmi_draft_formula(d, i, 1, &force->component[global]);
        const trmi_formula *f = &force->component[global];
        if (is_plane(d) && normal != torque && (f->value != TRMI_NOTHING || f->constant != 0))
            trmi_report(d->r->document, i, "this component of '%.60s' is out of the plane %c%c",
                        force->name, "xyz"[axis[0]], "xyz"[axis[1]]);
    }
}

// one value along an axis: every component is a multiple of it
static void read_along(trmi_draft *d, const trmi_item *value, const trmi_item *axis,
                       trmi_force *force)
{
    bool torque = force->kind == TRMI_FORCE_TORQUE;
    trmi_v3 e = trmi_m3_column(trmi_plane_frame(d->mechanism->plane), 2);
    if (axis ? !trmi_draft_direction(d, axis, torque, &e) : !(is_plane(d) && torque)) {
        if (!axis)
            trmi_report_key(d->r->document, value,
                            "one value needs an 'axis'; or give the components as a list");
        return;
    }
    const double part[3] = {e.x, e.y, e.z};
    for (int k = 0; k < 3; k++)
        if (part[k] != 0)
            trmi_draft_formula(d, value, part[k], &force->component[k]);
}

static bool read_target(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *on = trmi_item_find(map, "on");
    if (!on)
        return trmi_draft_between(d, trmi_item_find(map, "between"), force->body);
    force->body[0] = TRMI_GROUND;
    force->body[1] = trmi_draft_find(d, &d->bodies, on, "body");
    if (force->body[1] == TRMI_GROUND)
        trmi_report(d->r->document, on, "a force on the ground moves nothing");
    return force->body[1] > TRMI_GROUND;
}

static void read_load(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *value = trmi_item_find(map, "value"), *axes = trmi_item_find(map, "axes");
    if (!read_target(d, map, force))
        return;
    force->at = d->body[force->body[1]].center;
    if (!trmi_draft_point(d, trmi_item_find(map, "at"), &force->at))
        return;
    force->at_second = force->at;
    force->follows = axes && !trmi_item_null(axes) && strcmp(axes->text, "body") == 0;
    if (value->kind == TRMI_LIST)
        read_list(d, value, force);
    else
        read_along(d, value, trmi_item_find(map, "axis"), force);
}

// ---- springs and actuators ----

// [[x, F], ...] with ascending x
static void read_curve(trmi_draft *d, const trmi_item *list, trmi_spline_curve *curve)
{
    double *x, *y, pair[2];
    int n = 0;
    if (!list || trmi_item_null(list))
        return;
    if (list->count < 2) {
        trmi_report(d->r->document, list, "'%s' needs at least two points", list->key);
        return;
    }
    if (!TRMI_TAKE(d->r->memory, x, list->count) || !TRMI_TAKE(d->r->memory, y, list->count)) {
        d->r->failed = true;
        return;
    }
    for (const trmi_item *i = list->child; i; i = i->next, n++) {
        if (!trmi_draft_numbers(d, i, 2, pair, "a point of the table"))
            return;
        x[n] = pair[0];
        y[n] = pair[1];
        if (n > 0 && x[n] <= x[n - 1]) {
            trmi_report(d->r->document, i, "the table must ascend: %g stands behind %g", x[n],
                        x[n - 1]);
            return;
        }
    }
    *curve = (trmi_spline_curve){n, x, y};
}

static void read_laws(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    trmi_draft_positive(d, map, "stiffness", true, &force->stiffness[0]);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
    read_curve(d, trmi_item_find(map, "spring_table"), &force->spring_curve);
    read_curve(d, trmi_item_find(map, "damper_table"), &force->damper_curve);
}

bool trmi_draft_ends(trmi_draft *d, const trmi_item *map, trmi_force *force, double *distance)
{
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "from"), &force->at) ||
        !trmi_draft_point(d, trmi_item_find(map, "to"), &force->at_second))
        return false;
    *distance = trmi_v3_length(trmi_v3_sub(force->at_second, force->at));
    if (*distance == 0)
        trmi_report_key(d->r->document, map,
                        "the ends of '%.60s' coincide: it has no direction; a bushing has one",
                        force->name);
    return *distance > 0;
}

static void read_spring(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    if (!trmi_draft_ends(d, map, force, &force->natural))
        return;
    read_laws(d, map, force);
    trmi_draft_positive(d, map, "length", true, &force->natural);
    trmi_draft_number(d, trmi_item_find(map, "preload"), &force->preload[0]);
    trmi_draft_formula(d, trmi_item_find(map, "force"), 1, &force->law);
}

static void read_actuator(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *name = trmi_item_find(map, "measure");
    force->joint = trmi_draft_find(d, &d->joints, trmi_item_find(map, "joint"), "joint");
    if (force->joint == TRMI_NOTHING)
        return;
    const trmi_joint *joint = &d->joint[force->joint];
    bool rate = false, named = name && !trmi_item_null(name);
    int count = trmi_measure_count(joint->kind, d->mechanism->plane);
    if (named)
        force->measure = trmi_measure_find(joint->kind, d->mechanism->plane, name->text, &rate);
    if (named && (rate || force->measure == TRMI_NOTHING)) {
        trmi_report(d->r->document, name, "joint '%.60s' has no measure '%.60s'", joint->name,
                    name->text);
        return;
    }
    if (!named && count != 1) {
        trmi_report_key(d->r->document, map,
                        "joint '%.60s' has %d measures: say which one with 'measure'", joint->name,
                        count);
        return;
    }
    read_laws(d, map, force);
    trmi_draft_number(d, trmi_item_find(map, "natural"), &force->natural);
    // laws pull back, efforts push on
    trmi_draft_formula(d, trmi_item_find(map, "effort"), -1, &force->law);
}

// ---- all ----

typedef void force_reader(trmi_draft *d, const trmi_item *map, trmi_force *force);

static force_reader *const reader[TRMI_FORCE_KINDS] = {
    [TRMI_FORCE_POINT_FORCE] = read_load,
    [TRMI_FORCE_TORQUE] = read_load,
    [TRMI_FORCE_SPRING] = read_spring,
    [TRMI_FORCE_JOINT_FORCE] = read_actuator,
    [TRMI_FORCE_BUSHING] = trmi_draft_bushing,
    [TRMI_FORCE_BEAM] = trmi_draft_beam,
    [TRMI_FORCE_BUMP_STOP] = trmi_draft_bump_stop,
    [TRMI_FORCE_CONTACT] = trmi_draft_contact,
    [TRMI_FORCE_USER] = trmi_draft_user,
};

void trmi_draft_forces(trmi_draft *d, const trmi_item *section)
{
    int f = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_force *force = &d->force[f++];
        const trmi_item *map = trmi_draft_force_kind(i, &force->kind);
        force->item = i;
        force->frame = trmi_m3_unit();
        force->joint = force->user = TRMI_NOTHING;
        force->law.value = TRMI_NOTHING;
        for (int k = 0; k < 3; k++)
            force->component[k].value = TRMI_NOTHING;
        reader[force->kind](d, map, force);
        trmi_draft_attach(d, i, force->body, force->at, force->at_second);
    }
}
