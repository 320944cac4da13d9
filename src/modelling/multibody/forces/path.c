// SPDX-License-Identifier: Apache-2.0
// A one-sided force between a curve and a point, roller or curve: cams that throw off what rests on
// them.
#include "modelling/multibody/joints/path.h"
#include "modelling/multibody/forces/press.h"

typedef struct on_path {
    trmi_force force;
    trmi_press_law law;
    trmi_path_input path;
    const trmi_path_pair *pair;
} on_path;

TRMI_PATH_PARAMETERS(on_path)
static const trmi_parameter stiffness = TRMI_PRESS_STIFFNESS(on_path),
                            damping = TRMI_PRESS_DAMPING(on_path),
                            exponent = TRMI_PRESS_EXPONENT(on_path);

static bool finish(trmi_finish *f, trmi_force *force)
{
    on_path *o = (on_path *)force;
    trmi_v3 at[2];
    o->pair = trmi_path_finish(f, &o->path, force->name, true, at, &force->frame);
    if (!o->pair || !trmi_finish_press(f, force, &o->law))
        return false;
    force->at = at[0];
    force->at_second = at[1];
    return true;
}

static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const on_path *o = (const on_path *)force;
    trmi_element *e = trmi_force_add(m, force);
    e->damped = o->law.damping != 0;
    trmi_force_add_switch(e, 0, 1);
    if (!trmi_force_own_rows(m, e))
        return false;
    e->set.pair.data = o->pair;
    return true;
}

static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const on_path *o = (const on_path *)element->force;
    trmi_press on = trmi_press_on(&o->law, -in->p[0], -in->v[0], trmi_locked(in, 0));
    trmi_press_put(&on, -1, out);
    out->failed = isnan(in->p[0]); // no nearest points
}

const trmi_force_type trmi_force_path = {
    .name = "path",
    .help = "a one-sided force of a curve on a point, roller or curve",
    .elements = 1,
    .one_sided = true,
    .scalar = "force",
    .sign = -1, // pushes apart
    .row = {&trmi_path_row},
    .law = law,
    .parameter = {&trmi_force_between, &path, &closed, &at, &radius, &second_path, &second_closed,
                  &axis, &stiffness, &damping, &exponent},
    .size = sizeof(on_path),
    .finish = finish,
    .make = make,
};

const trmi_path_pair *trmi_force_path_pair(const trmi_force *force)
{
    return force->type == &trmi_force_path ? ((const on_path *)force)->pair : NULL;
}
