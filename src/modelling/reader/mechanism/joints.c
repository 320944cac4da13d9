// SPDX-License-Identifier: Apache-2.0
// The joints of a mechanism: what they connect, where, and about which axes.
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
#define NAME(name, text, freedoms, rows, help) text,
    TRMI_JOINT_LIST(NAME)
#undef NAME
};

const trmi_item *trmi_draft_joint_kind(const trmi_item *joint, trmi_joint_kind *kind)
{
    for (const trmi_item *i = joint->child; i; i = i->next)
        for (int k = 0; k < TRMI_JOINT_KINDS; k++)
            if (strcmp(i->key, kind_names[k]) == 0) {
                *kind = (trmi_joint_kind)k;
                return i;
            }
    return NULL;
}

// ---- frames ----

static bool is_plane(const trmi_draft *d)
{
    return d->mechanism->plane != TRMI_SPATIAL;
}

static bool slides(trmi_joint_kind kind)
{
    return kind == TRMI_JOINT_PRISMATIC || kind == TRMI_JOINT_POINT_ON_LINE;
}

static bool needs_axis(const trmi_draft *d, trmi_joint_kind kind)
{
    switch (kind) {
    case TRMI_JOINT_FIXED:
    case TRMI_JOINT_SPHERICAL:
    case TRMI_JOINT_FREE:
    case TRMI_JOINT_ROD:
        return false;
    default:
        return !is_plane(d) || slides(kind);
    }
}

// plane models: lines have z along them and y as the normal; turns are about the normal
static bool plane_frame(trmi_draft *d, const trmi_item *axis, trmi_joint *joint)
{
    trmi_m3 frame = trmi_plane_frame(d->mechanism->plane);
    trmi_v3 normal = trmi_m3_column(frame, 2), z = normal;
    bool line = slides(joint->kind);
    d->frame = frame;
    if (!axis)
        return true;
    if (!trmi_draft_direction(d, axis, !line, &z))
        return false;
    if (line)
        d->frame = trmi_frame_of(trmi_v3_cross(normal, z), normal, z);
    else if (trmi_v3_dot(z, normal) < 0)
        trmi_report(d->r->document, axis,
                    "plane joints turn about the positive normal; exchange the bodies instead");
    return true;
}

// shortest turn of a to b, both of length 1: 1 + [c] + [c]^2/(1 + a.b), c = a x b
static trmi_m3 shortest_turn(trmi_v3 a, trmi_v3 b)
{
    trmi_m3 c = trmi_m3_cross(trmi_v3_cross(a, b));
    return trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), 1, c), 1 / (1 + trmi_v3_dot(a, b)),
                        trmi_m3_mul(c, c));
}

// universal: x on the first, y on the second body
static bool cross_frame(trmi_draft *d, const trmi_item *second, trmi_v3 x, trmi_joint *joint)
{
    trmi_v3 y;
    if (!trmi_draft_direction(d, second, false, &y))
        return false;
    double cosine = trmi_v3_dot(x, y);
    if (fabs(cosine) > 1e-6) {
        trmi_report(d->r->document, second,
                    "the axes of universal joint '%.60s' are not perpendicular: cosine %.3g",
                    joint->name, cosine);
        return false;
    }
    y = trmi_v3_axpy(y, -cosine, x);
    y = trmi_v3_scale(1 / trmi_v3_length(y), y);
    d->frame = trmi_frame_of(x, y, trmi_v3_cross(x, y));
    return true;
}

// another marker on the second body, at first the same; false without memory
static bool take_second(trmi_draft *d, trmi_joint *joint)
{
    if (!TRMI_SHARE(d->r->memory, joint->more->second, 1)) {
        d->r->failed = true;
        return false;
    }
    *joint->more->second = (trmi_marker){joint->at, d->frame};
    return true;
}

static bool shaft_frames(trmi_draft *d, const trmi_item *second, trmi_joint *joint)
{
    trmi_v3 a = trmi_m3_column(d->frame, 2), b;
    if (!trmi_draft_direction(d, second, false, &b))
        return false;
    if (trmi_v3_dot(a, b) < -0.99) {
        trmi_report(d->r->document, second,
                    "the shafts of '%.60s' point against each other; let both point from the first "
                    "to the second body",
                    joint->name);
        return false;
    }
    if (!take_second(d, joint))
        return false;
    joint->more->second->frame = trmi_m3_mul(shortest_turn(a, b), d->frame);
    return true;
}

// rolling: the plane on the first body touches the rim below the centre
static bool rolling_frames(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    trmi_v3 a = trmi_m3_column(d->frame, 2), n;
    if (!take_second(d, joint) ||
        !trmi_draft_direction(d, trmi_item_find(map, "normal"), false, &n) ||
        !trmi_draft_positive(d, map, "radius", false, &joint->more->size))
        return false;
    double c = trmi_v3_dot(n, a), s = sqrt(fmax(0, 1 - c * c));
    if (s < 1e-3) {
        trmi_report(d->r->document, trmi_item_find(map, "axis"),
                    "the disc '%.60s' lies flat on the plane: it cannot roll", joint->name);
        return false;
    }
    trmi_v3 down = trmi_v3_scale(-1 / s, trmi_v3_axpy(n, -c, a));
    d->frame = trmi_frame_about(n);
    joint->at = trmi_v3_axpy(joint->at, joint->more->size, down);
    return true;
}

static bool read_axes(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    const trmi_item *axis = trmi_item_find(map, "axis"), *frame = trmi_item_find(map, "frame");
    const trmi_item *second = trmi_item_find(map, "second_axis");
    trmi_v3 z;
    d->frame = trmi_m3_unit();
    if (axis && frame) {
        trmi_report_key(d->r->document, frame, "'frame' beside 'axis': give one of them");
        return false;
    }
    if (!axis && !frame && needs_axis(d, joint->kind)) {
        trmi_report_key(d->r->document, map, "%s joint '%.60s' needs an 'axis'",
                        kind_names[joint->kind], joint->name);
        return false;
    }
    if (is_plane(d)) {
        if (frame)
            trmi_report_key(d->r->document, frame,
                            "joints of plane models have no 'frame'; give the 'axis' of a line");
        return !frame && plane_frame(d, axis, joint);
    }
    if (frame && !trmi_draft_frame(d, frame, &d->frame))
        return false;
    if (axis) {
        if (!trmi_draft_direction(d, axis, false, &z))
            return false;
        if (joint->kind == TRMI_JOINT_UNIVERSAL)
            return cross_frame(d, second, z, joint);
        d->frame = trmi_frame_about(z);
    }
    if (joint->kind == TRMI_JOINT_CONSTANT_VELOCITY)
        return shaft_frames(d, second, joint);
    return joint->kind != TRMI_JOINT_ROLLING || rolling_frames(d, map, joint);
}

// ---- couplings ----

static bool take_terms(trmi_draft *d, trmi_joint *joint, int count, trmi_term **term)
{
    if (!TRMI_SHARE(d->r->memory, *term, count)) {
        d->r->failed = true;
        return false;
    }
    joint->more->term = *term;
    joint->more->terms = count;
    return true;
}

static void read_coupling(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    const trmi_item *terms = trmi_item_find(map, "terms");
    trmi_term *term;
    if (terms->count < 1) {
        trmi_report_key(d->r->document, terms, "coupling '%.60s' has no terms", joint->name);
        return;
    }
    if (!take_terms(d, joint, terms->count, &term))
        return;
    for (const trmi_item *i = terms->child; i; i = i->next, term++) {
        trmi_signal signal;
        bool rate;
        if (!trmi_draft_signal(d, i->key, &signal, &rate) || rate ||
            signal.kind != TRMI_SIGNAL_MEASURE) {
            const char *near = trmi_nearest_signal(d->r, i->key);
            trmi_report_key(d->r->document, i, "'%.60s' is no measure of a joint%s%.60s%s", i->key,
                            near ? "; did you mean '" : "; write such as 'NAME_angle",
                            near ? near : "", near ? "'?" : "'");
            continue;
        }
        term->joint = signal.index;
        term->measure = signal.part;
        trmi_draft_number(d, i, &term->coefficient);
    }
    trmi_draft_number(d, trmi_item_find(map, "offset"), &joint->more->offset);
}

// the first measure of a joint that is a travel or an angle
static bool find_measure(trmi_draft *d, const trmi_item *item, trmi_measure_kind wanted,
                         trmi_term *term)
{
    term->joint = trmi_draft_find(d, &d->joints, item, "joint");
    if (term->joint == TRMI_NOTHING)
        return false;
    trmi_joint_kind kind = d->joint[term->joint].kind;
    int count = trmi_measure_count(kind, d->mechanism->plane);
    for (int k = 0; k < count; k++)
        if (trmi_measure_of(kind, d->mechanism->plane, k).kind == wanted) {
            term->measure = k;
            return true;
        }
    trmi_report(d->r->document, item, "%s joint '%.60s' has no %s", kind_names[kind], item->text,
                wanted == TRMI_MEASURE_ANGLE ? "angle" : "travel");
    return false;
}

// travel - radius angle = 0
static void read_rack(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    trmi_term *term;
    if (!take_terms(d, joint, 2, &term) ||
        !find_measure(d, trmi_item_find(map, "rack"), TRMI_MEASURE_TRAVEL, &term[0]) ||
        !find_measure(d, trmi_item_find(map, "pinion"), TRMI_MEASURE_ANGLE, &term[1]) ||
        !trmi_draft_positive(d, map, "radius", false, &joint->more->size))
        return;
    term[0].coefficient = 1;
    term[1].coefficient = -joint->more->size;
}

// ---- joints ----

static void read_rod(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    if (!take_second(d, joint) || !trmi_draft_point(d, trmi_item_find(map, "from"), &joint->at) ||
        !trmi_draft_point(d, trmi_item_find(map, "to"), &joint->more->second->at))
        return;
    joint->more->size = trmi_v3_length(trmi_v3_sub(joint->more->second->at, joint->at));
    if (!trmi_draft_positive(d, map, "length", false, &joint->more->size) || joint->more->size > 0)
        return;
    trmi_report_key(d->r->document, map,
                    "the ends of rod '%.60s' coincide; a spherical joint keeps two points together",
                    joint->name);
}

static void read_pair(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), joint->body))
        return;
    const trmi_item *at = trmi_item_find(map, "at");
    joint->at = d->body[joint->body[1] ? joint->body[1] : joint->body[0]].center;
    if (!trmi_draft_point(d, at, &joint->at))
        return;
    if (joint->kind == TRMI_JOINT_ROD)
        read_rod(d, map, joint);
    else if (!at && joint->kind != TRMI_JOINT_FREE && joint->kind != TRMI_JOINT_FIXED)
        trmi_report_key(d->r->document, map, "%s joint '%.60s' needs a point: 'at'",
                        kind_names[joint->kind], joint->name);
    else if (read_axes(d, map, joint) && joint->kind == TRMI_JOINT_SCREW)
        trmi_draft_number(d, trmi_item_find(map, "pitch"), &joint->more->size);
}

// ---- what a joint keeps ----

// axes that one of the last joints has too, or new ones
static const trmi_m3 *keep_frame(trmi_draft *d)
{
    for (int k = 0; k < d->frames; k++)
        if (memcmp(&d->kept_frame[k], &d->frame, sizeof d->frame) == 0)
            return &d->kept_frame[k];
    if (d->frames == 0 || d->frames == TRMI_FRAMES_OF_A_BLOCK) {
        d->frames = 0;
        if (!TRMI_SHARE(d->r->memory, d->kept_frame, TRMI_FRAMES_OF_A_BLOCK)) {
            d->r->failed = true;
            return NULL;
        }
    }
    d->kept_frame[d->frames] = d->frame;
    return &d->kept_frame[d->frames++];
}

trmi_joint_extra *trmi_draft_more(trmi_draft *d, trmi_joint *joint)
{
    if (!joint->more && !TRMI_SHARE(d->r->memory, joint->more, 1))
        d->r->failed = true;
    return joint->more;
}

static bool has_more(const trmi_joint_extra *m)
{
    return m->size != 0 || m->terms > 0 || m->offset != 0 || m->second || m->drive || m->start ||
           m->friction || m->stop;
}

// from the draft into the memory of the model
static void keep_joint(trmi_draft *d, trmi_joint *joint)
{
    const trmi_m3 *frame = keep_frame(d);
    joint->frame = frame ? frame : joint->frame; // without memory that of the draft will do
    joint->more = NULL;
    if (has_more(&d->more) && trmi_draft_more(d, joint))
        *joint->more = d->more;
}

static void read_joint(trmi_draft *d, const trmi_item *item, trmi_joint *joint)
{
    const trmi_item *map = trmi_draft_joint_kind(item, &joint->kind);
    bool cut = false;
    joint->item = item;
    if (is_plane(d) && !trmi_joint_in_plane(joint->kind)) {
        trmi_report_key(d->r->document, map, "a plane model has no %s joints", map->key);
        return;
    }
    if (joint->kind == TRMI_JOINT_COUPLING)
        read_coupling(d, map, joint);
    else if (joint->kind == TRMI_JOINT_RACK_PINION)
        read_rack(d, map, joint);
    else
        read_pair(d, map, joint);
    if (joint->kind != TRMI_JOINT_FREE)
        trmi_draft_attach(d, item, joint->body, joint->at, trmi_second_marker(joint).at);
    trmi_draft_motion(d, item, joint);
    if (trmi_item_find(item, "cut") && trmi_item_truth(trmi_item_find(item, "cut"), &cut))
        joint->cut = cut;
}

void trmi_draft_joints(trmi_draft *d, const trmi_item *section)
{
    int j = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_joint *joint = &d->joint[j++];
        d->more = (trmi_joint_extra){0};
        d->frame = trmi_m3_unit();
        joint->more = &d->more;
        joint->frame = &d->frame;
        read_joint(d, i, joint);
        keep_joint(d, joint);
    }
}
