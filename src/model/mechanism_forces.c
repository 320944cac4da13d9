// SPDX-License-Identifier: Apache-2.0
// The forces of a mechanism.
#include "model/library.h"
#include "model/mechanism_draft.h"

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
static void read_curve(trmi_draft *d, const trmi_item *list, trmi_curve *curve)
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
    *curve = (trmi_curve){n, x, y};
}

static void read_laws(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    trmi_draft_positive(d, map, "stiffness", true, &force->stiffness[0]);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
    read_curve(d, trmi_item_find(map, "spring_table"), &force->spring_curve);
    read_curve(d, trmi_item_find(map, "damper_table"), &force->damper_curve);
}

static bool read_ends(trmi_draft *d, const trmi_item *map, trmi_force *force, double *distance)
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
    if (!read_ends(d, map, force, &force->natural))
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

// ---- bushing, beam ----

// A number for all, or one for each, onto the diagonal of a 6 x 6 matrix from `first` on. In plane
// models the axes of the frame are those of the plane, with one rotation, about the third.
static void read_diagonal(trmi_draft *d, const trmi_item *item, int first, double *matrix)
{
    int n = !is_plane(d) ? 3 : first == 0 ? 2 : 1, skip = is_plane(d) && first == 3 ? 2 : 0;
    double value[3] = {0};
    if (!item || trmi_item_null(item))
        return;
    if (item->kind == TRMI_LIST) {
        char what[80];
        snprintf(what, sizeof what, "'%.60s'", item->key);
        if (!trmi_draft_numbers(d, item, n, value, what))
            return;
    } else {
        trmi_draft_number(d, item, &value[0]);
        value[1] = value[2] = value[0];
    }
    for (int k = 0; k < n; k++) {
        int at = first + skip + k;
        matrix[7 * at] = value[k];
        if (value[k] < 0)
            trmi_report(d->r->document, item, "'%s' must be 0 or more, not %g", item->key,
                        value[k]);
    }
}

static void read_six(trmi_draft *d, const trmi_item *map, const char *key, const char *rotation,
                     double *matrix)
{
    const trmi_item *item = trmi_item_find(map, key), *turn = trmi_item_find(map, rotation);
    bool full =
        item && item->kind == TRMI_LIST && item->count == 6 && item->child->kind == TRMI_LIST;
    if (!full) {
        read_diagonal(d, item, 0, matrix);
        read_diagonal(d, turn, 3, matrix);
        return;
    }
    int i = 0;
    for (const trmi_item *row = item->child; row; row = row->next, i++)
        if (!trmi_draft_numbers(d, row, 6, matrix + 6 * (size_t)i, "a row of this matrix"))
            return;
    if (turn)
        trmi_report_key(d->r->document, turn, "'%s' is part of the matrix '%s' already", rotation,
                        key);
}

static void read_bushing(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *frame = trmi_item_find(map, "frame"),
                    *preload = trmi_item_find(map, "preload");
    force->frame = trmi_plane_frame(d->mechanism->plane);
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        (frame && !trmi_draft_frame(d, frame, &force->frame)))
        return;
    force->at_second = force->at;
    read_six(d, map, "stiffness", "rotation_stiffness", force->stiffness);
    read_six(d, map, "damping", "rotation_damping", force->damping);
    if (preload && !trmi_item_null(preload))
        trmi_draft_numbers(d, preload, 6, force->preload, "'preload'");
}

// x along it; y as given, in plane models in the plane
static bool beam_frame(trmi_draft *d, const trmi_item *y_item, double length, trmi_force *force)
{
    trmi_v3 x = trmi_v3_scale(1 / length, trmi_v3_sub(force->at_second, force->at)), y, z;
    if (is_plane(d)) {
        z = trmi_m3_column(trmi_plane_frame(d->mechanism->plane), 2);
        y = trmi_v3_cross(z, x);
    } else if (y_item) {
        if (!trmi_draft_direction(d, y_item, false, &y))
            return false;
        y = trmi_v3_axpy(y, -trmi_v3_dot(x, y), x);
        double size = trmi_v3_length(y);
        if (size < 1e-3) {
            trmi_report(d->r->document, y_item, "'y' points along the beam '%.60s'", force->name);
            return false;
        }
        y = trmi_v3_scale(1 / size, y);
    } else {
        y = trmi_m3_column(trmi_frame_about(x), 0);
    }
    force->frame = trmi_frame_of(x, y, trmi_v3_cross(x, y));
    return true;
}

static void read_beam(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    double length;
    if (!read_ends(d, map, force, &length) ||
        !beam_frame(d, trmi_item_find(map, "y"), length, force) ||
        !trmi_draft_positive(d, map, "area", false, &force->area) ||
        !trmi_draft_positive(d, map, "modulus", false, &force->e_modulus) ||
        !trmi_draft_positive(d, map, "inertia_z", false, &force->i_z))
        return;
    force->natural = length;
    force->g_modulus = force->e_modulus / 2.6; // Poisson's ratio 0.3
    force->i_y = force->i_z;
    trmi_draft_positive(d, map, "shear_modulus", false, &force->g_modulus);
    trmi_draft_positive(d, map, "inertia_y", false, &force->i_y);
    force->j_torsion = force->i_y + force->i_z;
    trmi_draft_positive(d, map, "torsion", false, &force->j_torsion);
    trmi_draft_positive(d, map, "shear", true, &force->shear);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
}

// ---- stops and contact ----

static void read_hertz(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *exponent = trmi_item_find(map, "exponent");
    force->exponent = 1.5;
    trmi_draft_positive(d, map, "stiffness", false, &force->stiffness[0]);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
    if (trmi_draft_positive(d, map, "exponent", false, &force->exponent) && force->exponent <= 1)
        trmi_report(d->r->document, exponent,
                    "'exponent' must be above 1, so that the force begins smoothly");
    if (force->stiffness[0] == 0 && !trmi_item_find(map, "stiffness"))
        trmi_report_key(d->r->document, map, "'%.60s' needs a 'stiffness'", force->name);
}

static void read_bump_stop(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    double distance;
    if (!read_ends(d, map, force, &distance))
        return;
    trmi_draft_positive(d, map, "gap", false, &force->gap);
    read_hertz(d, map, force);
}

static void read_contact(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    trmi_v3 normal;
    force->v_slip = 1e-3;
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        !trmi_draft_point(d, trmi_item_find(map, "center"), &force->at_second) ||
        !trmi_draft_direction(d, trmi_item_find(map, "normal"), false, &normal))
        return;
    force->frame = trmi_frame_about(normal);
    if (is_plane(d)) { // x of the frame lies in the plane
        trmi_v3 y = trmi_m3_column(trmi_plane_frame(d->mechanism->plane), 2);
        force->frame = trmi_frame_of(trmi_v3_cross(y, normal), y, normal);
    }
    trmi_draft_positive(d, map, "radius", false, &force->radius);
    trmi_draft_positive(d, map, "friction", true, &force->mu);
    trmi_draft_positive(d, map, "slip", false, &force->v_slip);
    read_hertz(d, map, force);
}

static void read_user(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *frame = trmi_item_find(map, "frame");
    trmi_mechanism *m = d->mechanism;
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        (frame && !trmi_draft_frame(d, frame, &force->frame)))
        return;
    force->at_second = force->at;
    if (!d->user_force && !TRMI_TAKE(d->r->memory, d->user_force, m->forces)) {
        d->r->failed = true;
        return;
    }
    const trm_user_force *user =
        trmi_library_force(d->r, trmi_item_find(map, "library"), trmi_item_find(map, "name"));
    if (!user)
        return;
    force->user = m->user_forces;
    d->user_force[m->user_forces++] = user;
    m->user_force = d->user_force;
}

// ---- all ----

typedef void force_reader(trmi_draft *d, const trmi_item *map, trmi_force *force);

static force_reader *const reader[TRMI_FORCE_KINDS] = {
    [TRMI_FORCE_POINT_FORCE] = read_load,    [TRMI_FORCE_TORQUE] = read_load,
    [TRMI_FORCE_SPRING] = read_spring,       [TRMI_FORCE_JOINT_FORCE] = read_actuator,
    [TRMI_FORCE_BUSHING] = read_bushing,     [TRMI_FORCE_BEAM] = read_beam,
    [TRMI_FORCE_BUMP_STOP] = read_bump_stop, [TRMI_FORCE_CONTACT] = read_contact,
    [TRMI_FORCE_USER] = read_user,
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
    }
}
