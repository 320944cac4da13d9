// SPDX-License-Identifier: Apache-2.0
// Contact: the law of press.h for the depth d of two surfaces in each other, and friction. Where
// they touch is found by contact_shapes.c; here are the parameters and the law.
#include "modelling/multibody/forces/contact.h"

// ---- parameters ------------------------------------------------------------------------------

static const trmi_parameter between = {"between", TRMI_PARAMETER_BODIES,
                                       offsetof(trmi_contact, force.body), .required = true,
                                       .help = "two bodies; the first one has the plane, if any"};
static const trmi_parameter center = {
    "center", TRMI_PARAMETER_POINT, offsetof(trmi_contact, force.at_second), .preset = "null",
    .help = "centre of a sphere on the second body; without it the `shape` of that body touches"};
static const trmi_parameter at = {
    "at", TRMI_PARAMETER_POINT, offsetof(trmi_contact, force.at), .preset = "null",
    .help = "a point of a plane on the first body; without it the `shape` of that body touches"};
static const trmi_parameter normal = {"normal", TRMI_PARAMETER_DIRECTION,
                                      offsetof(trmi_contact, normal), .preset = "null",
                                      .help = "of the plane, towards the second body"};
static const trmi_parameter radius = {
    "radius",         TRMI_PARAMETER_POSITIVE,    offsetof(trmi_contact, force.size),
    .preset = "null", .help = "of the sphere, m", .unit = "m"};
static const trmi_parameter friction = {"friction", TRMI_PARAMETER_NOT_NEGATIVE,
                                        offsetof(trmi_contact, mu), .preset = "0",
                                        .help = "coefficient"};
static const trmi_parameter slip = {
    "slip",
    TRMI_PARAMETER_POSITIVE,
    offsetof(trmi_contact, slip),
    .preset = "0.001",
    .help = "speed from which friction is fully there, m/s; without `stick` it is there by 71 % at "
            "this speed, by 99 % at seven times it",
    .unit = "m/s"};
static const trmi_parameter stick = {
    "stick",
    TRMI_PARAMETER_NOT_NEGATIVE,
    offsetof(trmi_contact, stick),
    .preset = "1e-6",
    .help = "how far it gives way while it sticks, m; 0: it never sticks, and creeps under load",
    .unit = "m"};
static const trmi_parameter restitution = {
    "restitution", TRMI_PARAMETER_POSITIVE, offsetof(trmi_contact, restitution), .preset = "null",
    .help = "instead of `damping`: speed after over speed before an impact, up to 1"};
static const trmi_parameter stiffness = TRMI_PRESS_STIFFNESS(trmi_contact),
                            damping = TRMI_PRESS_DAMPING(trmi_contact),
                            exponent = TRMI_PRESS_EXPONENT(trmi_contact);

static trmi_remember_function remember;

// a of the restitution e by bisection of x = e a, 0 .. 1; 0: without loss
static double find_impact(double e)
{
    double low = 0, high = 1;
    for (int k = 0; k < 60 && e < 1; k++) {
        double x = 0.5 * (low + high), a = x / e;
        *(a - log1p(a) + x + log1p(-x) > 0 ? &low : &high) = x;
    }
    return e < 1 ? 0.5 * (low + high) / e : 0;
}

// ---- elements --------------------------------------------------------------------------------

static bool finish_contact(trmi_finish *finish, trmi_force *force)
{
    trmi_contact *c = (trmi_contact *)force;
    if (!trmi_finish_press(finish, force, &c->law) || !trmi_contact_find_shapes(finish, c))
        return false;
    if (isnan(c->restitution))
        return true;
    if (c->restitution > 1)
        return trmi_finish_error(finish, "restitution", "'restitution' must be up to 1, not %g",
                                 c->restitution);
    if (c->law.damping > 0)
        return trmi_finish_error(finish, "restitution",
                                 "'restitution' takes the place of 'damping'; give one of them");
    c->impact = find_impact(c->restitution);
    return true;
}

static trmi_gaps_function gaps;

static bool make_contact(trmi_force_maker *m, const trmi_force *force)
{
    static const trmi_row_type *const on_plane[] = {&trmi_slide[2], &trmi_sphere_slip[0],
                                                    &trmi_sphere_slip[1], NULL};
    static const trmi_row_type *const sticking[] = {&trmi_slide[2],       &trmi_sphere_slip[0],
                                                    &trmi_sphere_slip[1], &trmi_slide[0],
                                                    &trmi_slide[1],       NULL};
    static const trmi_row_type *const of_shapes[] = {
        &trmi_touch_gap, &trmi_touch_slip[0], &trmi_touch_slip[1], &trmi_touch_slip[2], NULL};
    const trmi_contact *c = (const trmi_contact *)force;
    for (int k = 0; k < c->spots; k++) {
        trmi_element *e = trmi_force_add(m, force);
        e->damped = true;
        trmi_force_add_switch(e, c->form ? 0 : force->size, 1);
        e->memories = (c->impact > 0) + trmi_grip_numbers(c);
        if (trmi_grip_numbers(c) > 0) {
            trmi_force_add_switch(e, 0, 1); // breaks away,
            trmi_force_add_switch(e, 0, 1); // reverses
            e->gaps = gaps;
        }
        e->remember = remember;
        if (!trmi_force_rows(m, e, force->body, force->at, c->spot[k], force->frame,
                             c->form                    ? of_shapes
                             : trmi_grip_numbers(c) > 0 ? sticking
                                                        : on_plane))
            return false;
        e->set.pair.data = c->form;
    }
    return true;
}

// ---- gaps ------------------------------------------------------------------------------------

// That of the contact, then those of its grip, which has none as long as nothing touches.
static void gaps(const trmi_element *e, const trmi_law_input *in, const double *second,
                 trmi_gap *out)
{
    const trmi_contact *c = (const trmi_contact *)e->force;
    out[0] = (trmi_gap){in->p[0] - e->open[0].at, in->v[0], second ? second[0] : 0};
    if (out[0].gap > 0)
        out[1] = out[2] = (trmi_gap){NAN, NAN, NAN};
    else
        trmi_grip_gaps(c, in, second, in->memory ? in->memory + (c->impact > 0) : NULL, out + 1);
}

// ---- law -------------------------------------------------------------------------------------

static void remember(const trmi_element *e, const trmi_set_state *x, bool first, double *memory)
{
    const trmi_contact *c = (const trmi_contact *)e->force;
    const double *held = x->state->held;
    bool open = x->value[0].p >= e->open[0].at || (held && held[e->first_lock] != 0);
    double rate = trmi_set_rate(x, 0);
    if (c->impact > 0)
        memory[0] = open ? fmax(-rate, 0) : fmax(first ? 0 : memory[0], fabs(rate));
    if (trmi_grip_numbers(c) > 0)
        trmi_grip_remember(c, x, first || open, memory + (c->impact > 0));
}

// rows: gap or height of the centre, then components of the slip, then those of the centre
static void contact_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_contact *c = (const trmi_contact *)element->force;
    const double *v = in->v + 1;
    bool sticks = c->stick > 0 && !c->form; // with rows of the centre
    int n = c->form ? 3 : 2;
    trmi_press_law law = c->law;
    if (c->impact > 0)
        law.damping = c->impact / fmax(in->memory ? in->memory[0] : 0, c->slip);
    trmi_press on =
        trmi_press_on(&law, element->open[0].at - in->p[0], -in->v[0], trmi_locked(in, 0));
    trmi_press_put(&on, -1, out);
    if (c->mu == 0)
        return;
    trmi_grip g = trmi_grip_of(c, in, in->memory ? in->memory + (c->impact > 0) : NULL);
    for (int i = 0; i < n; i++) {
        double direction = c->mu * g.part[i];
        out->F[1 + i] = direction * on.N;
        out->F_p[1 + i][0] = -direction * on.N_d;
        out->F_v[1 + i][0] = -direction * on.N_v;
        for (int j = 0; j < n; j++)
            out->F_v[1 + i][1 + j] = c->mu * on.N * g.by_slip[i][j];
        for (int j = 0; j < 2 && sticks; j++) {
            out->F_p[1 + i][3 + j] = c->mu * on.N * g.by_p[i][j];
            out->F_v[1 + i][3 + j] = c->mu * on.N * g.by_center[i][j];
        }
        out->dissipated += out->F[1 + i] * v[i];
    }
}

const trmi_force_type trmi_force_contact = {
    .name = "contact",
    .help = "a plane, or the shape of a body, and a sphere or the shape of another, with friction",
    .one_sided = true,
    .elements = TRMI_MAX_SPOTS,
    .row = {&trmi_slide[2], &trmi_sphere_slip[0], &trmi_sphere_slip[1]},
    .law = contact_law,
    .parameter = {&between, &center, &at, &normal, &radius, &friction, &slip, &stick, &stiffness,
                  &damping, &restitution, &exponent},
    .size = sizeof(trmi_contact),
    .finish = finish_contact,
    .make = make_contact,
};
