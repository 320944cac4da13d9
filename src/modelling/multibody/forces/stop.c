// SPDX-License-Identifier: Apache-2.0
// One-sided laws: bump stops, stops of a measure.
#include "modelling/multibody/forces/press.h"

typedef struct bump_stop {
    trmi_force force;
    trmi_press_law law;
    double gap; // it pushes below this distance
} bump_stop;

// ---- bump stop -------------------------------------------------------------------------------

static const trmi_parameter stiffness = TRMI_PRESS_STIFFNESS(bump_stop),
                            damping = TRMI_PRESS_DAMPING(bump_stop),
                            exponent = TRMI_PRESS_EXPONENT(bump_stop);
static const trmi_parameter gap = {"gap",
                                   TRMI_PARAMETER_POSITIVE,
                                   offsetof(bump_stop, gap),
                                   .required = true,
                                   .help = "it pushes when the points are nearer than this, m",
                                   .unit = "m"};

static bool finish_bump_stop(trmi_finish *finish, trmi_force *force)
{
    return trmi_finish_ends(finish, force) > 0 &&
           trmi_finish_press(finish, force, &((const bump_stop *)force)->law);
}

static bool make_bump_stop(trmi_force_maker *m, const trmi_force *force)
{
    const bump_stop *c = (const bump_stop *)force;
    trmi_element *e = trmi_force_add(m, force);
    e->damped = c->law.damping != 0;
    trmi_force_add_switch(e, c->gap, 1);
    return trmi_force_own_rows(m, e);
}

// pushes when the points are nearer than the gap: d = gap - p
static void bump_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const bump_stop *c = (const bump_stop *)element->force;
    trmi_press on = trmi_press_on(&c->law, c->gap - in->p[0], -in->v[0], trmi_locked(in, 0));
    trmi_press_put(&on, -1, out);
    out->failed = trmi_refuse_coincidence(element, in->p[0]);
}

const trmi_force_type trmi_force_bump_stop = {
    .name = "bump-stop",
    .help = "a one-sided elastic stop between two points",
    .one_sided = true,
    .scalar = "force",
    .sign = -1, // pushes apart
    .row = {&trmi_plain_length},
    .law = bump_law,
    .parameter = {&trmi_force_between, &trmi_force_from, &trmi_force_to, &gap, &stiffness, &damping,
                  &exponent},
    .size = sizeof(bump_stop),
    .finish = finish_bump_stop,
    .make = make_bump_stop,
};

// ---- stop of a measure -----------------------------------------------------------------------

void trmi_law_stop(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_stop *stop = &element->joint->extra->stop[element->measure];
    const trmi_press_law law = {stop->stiffness, stop->damping, stop->exponent};
    double p = in->p[0], v = in->v[0];
    trmi_press low = trmi_press_on(&law, stop->low - p, -v, trmi_locked(in, 0));
    trmi_press high = trmi_press_on(&law, p - stop->high, v, trmi_locked(in, 1));
    out->F[0] = high.N - low.N;
    out->F_p[0][0] = high.N_d + low.N_d;
    out->F_v[0][0] = high.N_v + low.N_v;
    out->potential = high.potential + low.potential;
    out->dissipated = high.lost + low.lost;
}
