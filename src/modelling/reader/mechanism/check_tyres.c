// SPDX-License-Identifier: Apache-2.0
// Tyres with slip along the wheel need the spin of the wheel: of a body that carries it, slip is
// that of a locked wheel.
#include "modelling/reader/mechanism/draft.h"

#include "modelling/multibody/forces/forces.h"
#include "modelling/multibody/forces/tyre.h"

static int other_body(const trmi_joint *joint, int body)
{
    return joint->body[joint->body[0] == body];
}

static bool touches(const trmi_joint *joint, int body)
{
    return !joint->type->sum && (joint->body[0] == body || joint->body[1] == body);
}

static int count_joints(const trmi_draft *d, int body)
{
    int count = 0;
    for (int j = 0; j < d->joints.count; j++)
        count += touches(&d->joint[j], body);
    return count;
}

// whether a joint turns about the axle of a tyre, to roundoff of the points in the file
static bool is_axle(const trmi_draft *d, const trmi_joint *joint, const trmi_tyre *w)
{
    trmi_v3 axis = trmi_m3_column(*joint->frame, 2);
    trmi_v3 arm = trmi_v3_sub(w->force.at_second, joint->at);
    return trmi_measure_count(joint->type, d->mechanism->plane) == 1 &&
           trmi_measure_of(joint->type, d->mechanism->plane, 0).kind == TRMI_MEASURE_ANGLE &&
           trmi_v3_length(trmi_v3_cross(axis, w->axis)) < 1e-6 &&
           trmi_v3_length(trmi_v3_cross(arm, axis)) < 1e-6 * w->force.size;
}

// The joint by which a body carries a wheel: all joints about the axle lead to bodies that nothing
// else holds. NULL: it is the wheel itself.
static const trmi_joint *find_carried(const trmi_draft *d, const trmi_tyre *w)
{
    const trmi_joint *found = NULL;
    int body = w->force.body[1];
    for (int j = 0; j < d->joints.count; j++) {
        const trmi_joint *joint = &d->joint[j];
        if (!touches(joint, body) || !is_axle(d, joint, w))
            continue;
        if (other_body(joint, body) == TRMI_GROUND || count_joints(d, other_body(joint, body)) > 1)
            return NULL;
        found = joint;
    }
    return found && count_joints(d, body) > 1 ? found : NULL;
}

// half of the radius is rim, and what hangs in the air by tens of radii is in other units
static void check_radius(trmi_draft *d, const trmi_item *item, const trmi_tyre *w)
{
    trmi_v3 normal = trmi_m3_column(w->force.frame, 2);
    double height = trmi_v3_dot(normal, trmi_v3_sub(w->force.at_second, w->force.at));
    if (!w->road && !w->road_along && (height < w->force.size / 2 || height > 30 * w->force.size))
        trmi_warn_key(d->r->document, item,
                      "'%.60s' has a radius of %.4g m, but its centre is %.4g m above the road: "
                      "were millimetres meant? Lengths without a unit are in metres",
                      w->force.name, w->force.size, height);
}

void trmi_draft_check_tyres(trmi_draft *d)
{
    for (int f = 0; f < d->forces.count; f++) {
        const trmi_force *force = d->force[f];
        if (force->type != &trmi_force_tyre)
            continue;
        const trmi_tyre *w = (const trmi_tyre *)force;
        check_radius(d, d->forces.symbol[f].item, w);
        const trmi_joint *axle = w->slip != TRMI_TYRE_LATERAL ? find_carried(d, w) : NULL;
        if (axle)
            trmi_warn_key(d->r->document, d->forces.symbol[f].item,
                          "'%.60s' has slip along the wheel, but '%.60s' does not spin with it: it "
                          "carries '%.60s', which turns about the axle by '%.60s'; the tyre needs "
                          "'between: [.., %.60s]'",
                          force->name, d->body[force->body[1]].name,
                          d->body[other_body(axle, force->body[1])].name, axle->name,
                          d->body[other_body(axle, force->body[1])].name);
    }
}
