// SPDX-License-Identifier: Apache-2.0
// What is well-formed but cannot be meant: parts that nothing holds or that have no mass, and
// numbers that are probably millimetres or degrees.
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
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
    const trmi_body *body = &d->body[b];
    return body->carrier != TRMI_GROUND ? body->carrier
           : body->beam != TRMI_GROUND  ? body->beam
                                        : b;
}

// whether a joint lets its bodies turn against each other
static bool turns(const trmi_joint *joint, trmi_plane plane)
{
    int count = trmi_measure_count(joint->type, plane);
    for (int k = 0; k < count; k++)
        if (trmi_measure_of(joint->type, plane, k).kind != TRMI_MEASURE_TRAVEL)
            return true;
    return !joint->type->edge;
}

// What the joints of the file do to a body.
typedef struct hold {
    int joints;        // that touch it
    bool fixed, turns; // one of them leaves it no freedom, lets it turn
} hold;

static hold *find_holds(trmi_draft *d)
{
    trmi_plane plane = d->mechanism->plane;
    hold *holds = calloc((size_t)d->mechanism->bodies, sizeof *holds);
    d->r->failed = d->r->failed || !holds;
    for (int j = 0; j < d->joints.count && holds; j++)
        for (int k = 0; k < 2 && connects_bodies(&d->joint[j]); k++) {
            const trmi_joint *joint = &d->joint[j];
            hold *at = &holds[whole_of(d, joint->body[k])];
            at->joints++;
            at->turns = at->turns || turns(joint, plane);
            at->fixed = at->fixed || (joint->type->edge && trmi_joint_freedoms(joint, plane) == 0);
        }
    return holds;
}

// the groups of two bodies become one; the ground leads, then the first of the file
static void join(const trmi_draft *d, int *leader, const int body[2])
{
    int a = find_leader(leader, whole_of(d, body[0]));
    int b = find_leader(leader, whole_of(d, body[1]));
    leader[a > b ? a : b] = a > b ? b : a;
}

enum { NAMED = 3 }; // bodies of a message that is about many

// one message for all groups of bodies that are not joined to the ground
static void warn_free(trmi_draft *d, const int *loose, int count, bool alone)
{
    char names[NAMED * 70 + 40];
    int length = 0;
    for (int i = 0; i < count && i < NAMED; i++)
        length += snprintf(names + length, sizeof names - (size_t)length, "%s'%.60s'",
                           i > 0 ? ", " : "", d->body[loose[i]].name);
    if (count > NAMED)
        snprintf(names + length, sizeof names - (size_t)length, " and %d more", count - NAMED);
    trmi_warn_key(d->r->document, d->bodies.symbol[loose[0]].item,
                  "%s bod%s %s%s: %s freely; if that is meant, add %s to the ground",
                  alone ? "no joint holds" : "no joint leads from the ground to",
                  count > 1 ? "ies" : "y", names, alone ? "" : " and what it is joined to",
                  count > 1 ? "they move" : "it moves", count > 1 ? "free joints" : "a free joint");
}

// Bodies that no chain of joints, or of forces that hold, leads to from the ground move freely.
static void check_connection(trmi_draft *d, const hold *holds)
{
    int n = d->mechanism->bodies, count = 0;
    int *leader = malloc(2 * (size_t)n * sizeof *leader), *loose = leader + n;
    bool alone = true;
    if (!leader) {
        d->r->failed = true;
        return;
    }
    for (int b = 0; b < n; b++)
        leader[b] = b;
    for (int j = 0; j < d->joints.count; j++)
        if (connects_bodies(&d->joint[j]))
            join(d, leader, d->joint[j].body);
    for (int f = 0; f < d->mechanism->forces; f++)
        if (d->force[f]->type->holds)
            join(d, leader, d->force[f]->body);
    for (int b = 1; b < n; b++)
        if (leader[b] == b && whole_of(d, b) == b) {
            alone = alone && holds[b].joints == 0;
            loose[count++] = b;
        }
    if (count > 0)
        warn_free(d, loose, count, alone);
    free(leader);
}

// ---- mass ----

static double size_of(trmi_s3 J)
{
    return fmax(fabs(J.xx), fmax(fabs(J.yy), fabs(J.zz)));
}

// An inertia that is not there is 0; who leaves it out of a body that turns may have forgotten it.
static void check_inertias(trmi_draft *d, const hold *holds)
{
    for (int b = 1; b < d->mechanism->bodies; b++) {
        const trmi_body *body = &d->body[b];
        const trmi_item *item = d->bodies.symbol[b].item;
        if (holds[b].turns && whole_of(d, b) == b && !trmi_item_find(item, "beam") &&
            body->mass > 0 && !trmi_item_find(item, "inertia"))
            trmi_warn_key(d->r->document, item,
                          "body '%.60s' has no 'inertia': it turns as a point mass; write "
                          "'inertia: 0' if that is meant",
                          body->name);
    }
}

// whether a joint leads from a body to one with mass
static bool carries_mass(const trmi_draft *d, int b)
{
    for (int j = 0; j < d->mechanism->joints; j++) {
        const int *body = d->joint[j].body;
        int other = body[0] == b ? body[1] : body[1] == b ? body[0] : TRMI_GROUND;
        if (other != TRMI_GROUND && d->body[other].mass > 0)
            return true;
    }
    return false;
}

// Whether relations or gears may determine what moves: where they do not, the matrix of the start
// is singular.
static bool has_sums(const trmi_draft *d)
{
    for (int j = 0; j < d->joints.count; j++)
        if (d->joint[j].type->sum)
            return true;
    return false;
}

// A body without mass or inertia follows its joints, if there are enough of them, or what it
// carries.
static void check_mass(trmi_draft *d, const hold *holds)
{
    for (int b = 1; b < d->mechanism->bodies; b++) {
        const trmi_body *body = &d->body[b];
        if (whole_of(d, b) != b || (body->mass == 0 && holds[b].fixed))
            continue;
        if (body->mass == 0 && holds[b].joints == 1 && has_sums(d))
            continue;
        if (body->mass == 0 && holds[b].joints < 2)
            trmi_report_key(
                d->r->document, d->bodies.symbol[b].item,
                "body '%.60s' has no mass and %s: nothing determines its motion", body->name,
                holds[b].joints == 0 ? "no joint" : "only one joint, which lets it move");
        else if (body->mass == 0 && !carries_mass(d, b))
            trmi_warn_key(d->r->document, d->bodies.symbol[b].item,
                          "body '%.60s' has no mass: its joints must determine its motion",
                          body->name);
        else if (size_of(body->inertia) == 0 && holds[b].joints == 0)
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
        trmi_warn_key(
            d->r->document, trmi_item_find(section, "gravity"),
            "gravity is %g m/s^2: were millimetres meant? Lengths without a unit are in metres", g);
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
            "the mechanism has parts of %.4g m: were millimetres meant? Lengths without a "
            "unit are in metres",
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
    hold *holds = find_holds(d);
    if (holds) {
        check_connection(d, holds);
        check_mass(d, holds);
        check_inertias(d, holds);
    }
    free(holds);
    check_gravity(d, section);
    check_sizes(d, d->mechanism->length);
    check_angles(d);
    trmi_draft_check_tyres(d);
}
