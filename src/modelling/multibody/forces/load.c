// SPDX-License-Identifier: Apache-2.0
// Forces and torques on bodies: nothing but formulas.
#include "modelling/multibody/forces/forces.h"

typedef struct load {
    trmi_force force;
    trmi_formula component[3];
    int axes; // of its components
} load;

enum { AXES_GLOBAL, AXES_BODY, AXES_FIRST };
static const char *const axes_names[] = {"global", "body", "first", NULL};

static const trmi_parameter body = {"body", TRMI_PARAMETER_BODY, offsetof(load, force.body),
                                    .one_of = true, .help = "the body it acts on"};
static const trmi_parameter on = {"on", TRMI_PARAMETER_BODY, offsetof(load, force.body),
                                  .one_of = true,
                                  .help = "the same by its old name, which other readers of YAML "
                                          "take for `true`"};
static const trmi_parameter between = {
    "between", TRMI_PARAMETER_BODIES, offsetof(load, force.body), .one_of = true,
    .help = "acts on the second body, the opposite on the first"};
#define VALUE                                                                                      \
    .required = true, .help = "components, formulas of t and signals; one along `axis`, or "       \
                              "(plane) one torque"
static const trmi_parameter force_value = {"value", TRMI_PARAMETER_FORCE, offsetof(load, component),
                                           VALUE};
static const trmi_parameter torque_value = {"value", TRMI_PARAMETER_TORQUE,
                                            offsetof(load, component), VALUE};
static const trmi_parameter axis = {"axis", TRMI_PARAMETER_VALUE_AXIS, 0,
                                    .help = "direction of a single value"};
static const trmi_parameter axes_of = {
    "axes_of", TRMI_PARAMETER_AXES_OF, 0, .preset = "null",
    .help = "instead: a point, in whose axes the components are given"};
static const trmi_parameter axes = {
    "axes",
    TRMI_PARAMETER_CHOICE,
    offsetof(load, axes),
    .preset = "global",
    .choices = axes_names,
    .help = "body: the components turn with the (second) body; first: with the first one, and both "
            "forces act at the point of the second"};

static bool finish_load(trmi_finish *finish, trmi_force *force)
{
    if (force->type == &trmi_force_torque)
        force->at = finish->mechanism->body[force->body[1]].center;
    force->at_second = force->at;
    return true;
}

static void no_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    (void)element, (void)in, (void)out;
}

static bool add_load(trmi_force_maker *m, const load *l, const int body[2], trmi_v3 at,
                     const trmi_row_type *const *row, double sign)
{
    trmi_element *e = trmi_force_add(m, &l->force);
    e->sign = sign;
    e->formulas = 3;
    e->formula = l->component;
    return trmi_force_rows(m, e, body, at, at, trmi_m3_unit(), row);
}

// A force in axes of a body is one between the two bodies. One in global axes is a row from the
// ground, and its opposite on the first body another one. A law pulls back: sign -1.
static bool make(trmi_force_maker *m, const trmi_force *force,
                 const trmi_row_type *const following[])
{
    const int first[2] = {TRMI_GROUND, force->body[0]}, second[2] = {TRMI_GROUND, force->body[1]};
    const load *l = (const load *)force;
    const trmi_row_type *const *global = force->type->row;
    if (l->axes != AXES_GLOBAL)
        return add_load(m, l, force->body, force->at_second,
                        l->axes == AXES_BODY ? following : global, -1);
    return add_load(m, l, second, force->at_second, global, -1) &&
           (force->body[0] == TRMI_GROUND || add_load(m, l, first, force->at, global, 1));
}

static bool make_force(trmi_force_maker *m, const trmi_force *force)
{
    static const trmi_row_type *const following[] = {&trmi_force_along[0], &trmi_force_along[1],
                                                     &trmi_force_along[2], NULL};
    return make(m, force, following);
}

static bool make_torque(trmi_force_maker *m, const trmi_force *force)
{
    static const trmi_row_type *const following[] = {&trmi_torque_along[0], &trmi_torque_along[1],
                                                     &trmi_torque_along[2], NULL};
    return make(m, force, following);
}

const trmi_force_type trmi_force_force = {
    .name = "force",
    .help = "a force at a point of a body",
    .row = {&trmi_slide[0], &trmi_slide[1], &trmi_slide[2]},
    .law = no_law,
    .parameter = {&body, &on, &between, &trmi_force_at, &force_value, &axis, &axes, &axes_of},
    .size = sizeof(load),
    .finish = finish_load,
    .make = make_force,
};

const trmi_force_type trmi_force_torque = {
    .name = "torque",
    .help = "a torque on a body",
    .row = {&trmi_world_torque[0], &trmi_world_torque[1], &trmi_world_torque[2]},
    .acts = TRMI_ACTS_WITH_TORQUE,
    .law = no_law,
    .parameter = {&body, &on, &between, &torque_value, &axis, &axes, &axes_of},
    .size = sizeof(load),
    .finish = finish_load,
    .make = make_torque,
};
