// SPDX-License-Identifier: Apache-2.0
// What is well-formed but cannot be meant: parts that nothing holds or that have no mass, and
// numbers that are probably millimetres or degrees.
#include "modelling/reader/mechanism/draft.h"

#include <stdlib.h>

// ---- what holds what ----

// the last body of the chain of `leader`
static int find_leader(int *leader, int b)
{
    while (leader[b] != b)
        b = leader[b] = leader[leader[b]];
    return b;
}

static bool connects_bodies(const trmi_joint *joint)
{
    return !joint->type->sum;
}

// the beam that a node is part of, otherwise the body itself
static int whole_of(const trmi_draft *d, int b)
{
    return d->body[b].carrier != TRMI_GROUND ? d->body[b].carrier : b;
}

// per body: joints that touch it
static int *count_joints(trmi_draft *d)
{
    int *count = calloc((size_t)d->mechanism->bodies, sizeof *count);
    d->r->failed = d->r->failed || !count;
    for (int j = 0; j < d->joints.count && count; j++)
        for (int k = 0; k < 2 && connects_bodies(&d->joint[j]); k++)
            count[whole_of(d, d->joint[j].body[k])]++;
    return count;
}

// Bodies that no chain of joints leads to from the ground move freely; one message for each group.
static void check_connection(trmi_draft *d, const int *joints)
{
    int n = d->mechanism->bodies;
    int *leader = malloc((size_t)n * sizeof *leader);
    if (!leader) {
        d->r->failed = true;
        return;
    }
    for (int b = 0; b < n; b++)
        leader[b] = b;
    for (int j = 0; j < d->joints.count; j++)
        if (connects_bodies(&d->joint[j])) {
            int a = find_leader(leader, whole_of(d, d->joint[j].body[0]));
            int b = find_leader(leader, whole_of(d, d->joint[j].body[1]));
            leader[a > b ? a : b] = a > b ? b : a; // the ground leads, then the first of the file
        }
    for (int b = 1; b < n; b++)
        if (leader[b] == b && whole_of(d, b) == b) {
            bool alone = joints[b] == 0;
            trmi_warn_key(
                d->r->document, d->bodies.symbol[b].item,
                "%s '%.60s'%s: it moves freely; if that is meant, add a free joint to the "
                "ground",
                alone ? "no joint holds body" : "no joint leads from the ground to body",
                d->body[b].name, alone ? "" : " and what it is joined to");
        }
    free(leader);
}

// ---- mass ----

static double size_of(trmi_s3 J)
{
    return fmax(fabs(J.xx), fmax(fabs(J.yy), fabs(J.zz)));
}

// A body without mass or inertia follows its joints, if there are enough of them.
static void check_mass(trmi_draft *d, const int *joints)
{
    for (int b = 1; b < d->mechanism->bodies; b++) {
        const trmi_body *body = &d->body[b];
        if (whole_of(d, b) != b)
            continue;
        if (body->mass == 0 && joints[b] < 2)
            trmi_report_key(d->r->document, d->bodies.symbol[b].item,
                            "body '%.60s' has no mass and %s: nothing determines its motion",
                            body->name, joints[b] == 0 ? "no joint" : "only one joint");
        else if (body->mass == 0)
            trmi_warn_key(d->r->document, d->bodies.symbol[b].item,
                          "body '%.60s' has no mass: its joints must determine its motion",
                          body->name);
        else if (size_of(body->inertia) == 0 && joints[b] == 0)
            trmi_report_key(
                d->r->document, d->bodies.symbol[b].item,
                "body '%.60s' has no inertia and no joint: nothing determines its rotation",
                body->name);
    }
}

// ---- magnitudes ----

static void extend(double *length, trmi_v3 a, trmi_v3 b)
{
    *length = fmax(*length, trmi_v3_length(trmi_v3_sub(a, b)));
}

// largest distance of a marker from the centre of mass of its body
static double typical_length(const trmi_draft *d)
{
    double length = 0;
    for (int j = 0; j < d->mechanism->joints; j++) {
        const trmi_joint *joint = &d->joint[j];
        for (int k = 0; k < 2 && connects_bodies(joint); k++)
            if (joint->body[k] != TRMI_GROUND)
                extend(&length, k ? trmi_second_marker(joint).at : joint->at,
                       d->body[joint->body[k]].center);
    }
    for (int f = 0; f < d->mechanism->forces; f++) {
        const trmi_force *force = d->force[f];
        for (int k = 0; k < 2; k++)
            if (force->body[k] != TRMI_GROUND)
                extend(&length, k ? force->at_second : force->at, d->body[force->body[k]].center);
    }
    for (int f = 0; f < d->mechanism->flexibles; f++)
        length = fmax(length, d->flexible[f].data.length / 2);
    return length;
}

static void check_gravity(trmi_draft *d, const trmi_item *section)
{
    double g = trmi_v3_length(d->mechanism->gravity);
    if (g > 1000)
        trmi_warn_key(d->r->document, trmi_item_find(section, "gravity"),
                      "gravity is %g m/s^2: were millimetres meant? All lengths are in metres", g);
}

// the radius of gyration sqrt(J/m) of a body is about its size
static void check_sizes(trmi_draft *d, double length)
{
    for (int b = 1; b < d->mechanism->bodies; b++) {
        const trmi_body *body = &d->body[b];
        double J = size_of(body->inertia), r = body->mass > 0 ? sqrt(J / body->mass) : 0;
        if (length > 0 && r > 30 * length)
            trmi_warn_key(
                d->r->document, d->bodies.symbol[b].item,
                "inertia and mass of '%.60s' are those of a body of %.3g m, but no point of "
                "the mechanism is farther than %.3g m from a centre of mass: is it in kg m^2?",
                body->name, r, length);
    }
    if (length > 50)
        trmi_warn_key(
            d->r->document, d->bodies.symbol[1].item,
            "the mechanism has parts of %.4g m: were millimetres meant? All lengths are in "
            "metres",
            length);
}

// more than a turn at the start is rare, degrees are not
static void check_angles(trmi_draft *d)
{
    for (int j = 0; j < d->mechanism->joints; j++) {
        const trmi_joint *joint = &d->joint[j];
        int count = trmi_measure_count(joint->type, d->mechanism->plane);
        for (int k = 0; k < count; k++) {
            trmi_measure m = trmi_measure_of(joint->type, d->mechanism->plane, k);
            double value = trmi_start_of(joint, k).value;
            if (m.kind == TRMI_MEASURE_ANGLE && fabs(value) > 6.2831853)
                trmi_warn_key(
                    d->r->document, trmi_item_path(d->joints.symbol[j].item, "start"),
                    "'%s' of '%.60s' starts at %g rad, more than a turn: were degrees meant?",
                    m.name, joint->name, value);
        }
    }
}

void trmi_draft_check(trmi_draft *d, const trmi_item *section)
{
    d->mechanism->length = typical_length(d);
    int *joints = count_joints(d);
    if (joints) {
        check_connection(d, joints);
        check_mass(d, joints);
    }
    free(joints);
    check_gravity(d, section);
    check_sizes(d, d->mechanism->length);
    check_angles(d);
}
