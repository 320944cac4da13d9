// SPDX-License-Identifier: Apache-2.0
// A formula of positions that a force keeps positive: cams that lift off, stops of any kind.
#include "modelling/multibody/forces/press.h"
#include "modelling/multibody/rows/formula_row.h"

typedef struct one_sided {
    trmi_force force;
    trmi_press_law law;
    const trmi_relation *positive;
} one_sided;

static const trmi_parameter positive = {
    "positive", TRMI_PARAMETER_RELATION, offsetof(one_sided, positive), .required = true,
    .help = "formula of t, inputs, measures, points and bodies; the force pushes while it is "
            "negative"};
static const trmi_parameter stiffness = TRMI_PRESS_STIFFNESS(one_sided),
                            damping = TRMI_PRESS_DAMPING(one_sided),
                            exponent = TRMI_PRESS_EXPONENT(one_sided);

static bool finish(trmi_finish *f, trmi_force *force)
{
    const one_sided *o = (const one_sided *)force;
    return o->positive && trmi_finish_press(f, force, &o->law);
}

static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const one_sided *o = (const one_sided *)force;
    trmi_element *e = trmi_force_add(m, force);
    e->damped = true; // the formula may depend on t, which does work
    trmi_force_add_switch(e, 0, 1);
    return trmi_formula_row_create(&e->set, m->memory, m->mechanism, m->tree, o->positive,
                                   m->formula_rows++, m->n_held);
}

// the depth is minus the formula
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const one_sided *o = (const one_sided *)element->force;
    trmi_press on = trmi_press_on(&o->law, -in->p[0], -in->v[0], trmi_locked(in, 0));
    trmi_press_put(&on, -1, out);
    out->supplied = -on.N * in->moving;
}

const trmi_force_type trmi_force_relation = {
    .name = "relation",
    .help = "a formula of positions that a one-sided force keeps positive",
    .elements = 1,
    .one_sided = true,
    .scalar = "force",
    .sign = -1, // pushes to larger values
    .law = law,
    .parameter = {&positive, &stiffness, &damping, &exponent},
    .size = sizeof(one_sided),
    .finish = finish,
    .make = make,
};
