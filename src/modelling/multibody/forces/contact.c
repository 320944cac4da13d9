// SPDX-License-Identifier: Apache-2.0
// One-sided laws: bump stops, contact of a sphere with a plane, stops of a measure.
#include "modelling/multibody/forces/forces.h"

#include "modelling/multibody/frames.h"

typedef struct contact {
    trmi_force force; // size: radius of the sphere
    double stiffness, damping, exponent;
    double gap;      // bump stop: it pushes below this distance
    double mu, slip; // contact: friction, and the speed at which 71 % of it are there
    trmi_v3 normal;  // contact: of the plane
} contact;

// whether a switch is locked: during this step the force does not begin to act
static bool locked(const trmi_law_input *in, int i)
{
    return in->lock && in->lock[i] != 0;
}

// N = k d^n h_+(1 + c d'): h_+(h) is h from e on, 0 below -e and (h + e)^2/4e between, so that N
// never pulls and is continuously differentiable also where h changes its sign
typedef struct press {
    double N, N_d, N_v, potential, lost;
} press;

static press press_on(double k, double n, double c, double d, double rate, bool open)
{
    const double e = 0.01;
    press out = {0};
    if (d <= 0 || open)
        return out;
    double h = 1 + c * rate, power = k * pow(d, n - 1), near = fmax(h + e, 0);
    double plus = h < e ? near * near / (4 * e) : h, slope = c * (h < e ? near / (2 * e) : 1);
    out.N = power * d * plus;
    out.N_d = n * power * plus;
    out.N_v = power * d * slope;
    out.potential = power * d * d / (n + 1);
    out.lost = (out.N - power * d) * rate;
    return out;
}

static press press_of(const contact *c, double d, double rate, bool open)
{
    return press_on(c->stiffness, c->exponent, c->damping, d, rate, open);
}

// ---- parameters of both ----------------------------------------------------------------------

static const trmi_parameter stiffness = {"stiffness", TRMI_PARAMETER_POSITIVE,
                                         offsetof(contact, stiffness), .preset = "0",
                                         .help = "k in k d^n (1 + c d')"};
static const trmi_parameter damping = {"damping",
                                       TRMI_PARAMETER_NOT_NEGATIVE,
                                       offsetof(contact, damping),
                                       .preset = "0",
                                       .help = "c, s/m",
                                       .unit = "s/m"};
static const trmi_parameter exponent = {"exponent", TRMI_PARAMETER_POSITIVE,
                                        offsetof(contact, exponent), .preset = "1.5",
                                        .help = "n, above 1"};

static bool finish_law(trmi_finish *finish, const contact *c)
{
    if (c->stiffness == 0)
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'stiffness'", c->force.name);
    return c->exponent > 1 ||
           trmi_finish_error(finish, "exponent",
                             "'exponent' must be above 1, so that the force begins smoothly");
}

// ---- bump stop -------------------------------------------------------------------------------

static const trmi_parameter gap = {"gap",
                                   TRMI_PARAMETER_POSITIVE,
                                   offsetof(contact, gap),
                                   .required = true,
                                   .help = "it pushes when the points are nearer than this, m",
                                   .unit = "m"};

static bool finish_bump_stop(trmi_finish *finish, trmi_force *force)
{
    return trmi_finish_ends(finish, force) > 0 && finish_law(finish, (const contact *)force);
}

static bool make_bump_stop(trmi_force_maker *m, const trmi_force *force)
{
    const contact *c = (const contact *)force;
    trmi_element *e = trmi_force_add(m, force);
    e->damped = c->damping != 0;
    trmi_force_add_switch(e, c->gap, 1);
    return trmi_force_own_rows(m, e);
}

// pushes when the points are nearer than the gap: d = gap - p
static void bump_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const contact *c = (const contact *)element->force;
    press on = press_of(c, c->gap - in->p[0], -in->v[0], locked(in, 0));
    out->F[0] = -on.N;
    out->F_p[0][0] = on.N_d;
    out->F_v[0][0] = on.N_v;
    out->potential = on.potential;
    out->dissipated = on.lost;
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
    .size = sizeof(contact),
    .finish = finish_bump_stop,
    .make = make_bump_stop,
};

// ---- stop of a measure -----------------------------------------------------------------------

void trmi_law_stop(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_stop *stop = &element->joint->extra->stop[element->measure];
    double p = in->p[0], v = in->v[0], k = stop->stiffness, n = stop->exponent, c = stop->damping;
    press low = press_on(k, n, c, stop->low - p, -v, locked(in, 0));
    press high = press_on(k, n, c, p - stop->high, v, locked(in, 1));
    out->F[0] = high.N - low.N;
    out->F_p[0][0] = high.N_d + low.N_d;
    out->F_v[0][0] = high.N_v + low.N_v;
    out->potential = high.potential + low.potential;
    out->dissipated = high.lost + low.lost;
}

// ---- contact ---------------------------------------------------------------------------------

static const trmi_parameter between = {"between", TRMI_PARAMETER_BODIES,
                                       offsetof(contact, force.body), .required = true,
                                       .help = "bodies of the plane and of the sphere"};
static const trmi_parameter center = {"center", TRMI_PARAMETER_POINT,
                                      offsetof(contact, force.at_second), .required = true,
                                      .help = "centre of the sphere"};
static const trmi_parameter at = {"at", TRMI_PARAMETER_POINT, offsetof(contact, force.at),
                                  .required = true, .help = "a point of the plane"};
static const trmi_parameter normal = {"normal", TRMI_PARAMETER_DIRECTION, offsetof(contact, normal),
                                      .required = true, .help = "of the plane, towards the sphere"};
static const trmi_parameter radius = {
    "radius",         TRMI_PARAMETER_POSITIVE,    offsetof(contact, force.size),
    .required = true, .help = "of the sphere, m", .unit = "m"};
static const trmi_parameter friction = {"friction", TRMI_PARAMETER_NOT_NEGATIVE,
                                        offsetof(contact, mu), .preset = "0",
                                        .help = "coefficient"};
static const trmi_parameter slip = {
    "slip",
    TRMI_PARAMETER_POSITIVE,
    offsetof(contact, slip),
    .preset = "0.001",
    .help = "speed at which friction is 71 % there, 99 % at seven times that, m/s",
    .unit = "m/s"};

// z is the normal; plane models: x lies in the plane of the model
static bool finish_contact(trmi_finish *finish, trmi_force *force)
{
    const contact *c = (const contact *)force;
    trmi_v3 y = trmi_plane_normal(finish->mechanism->plane);
    force->frame = finish->mechanism->plane == TRMI_SPATIAL
                       ? trmi_frame_about(c->normal)
                       : trmi_frame_of(trmi_v3_cross(y, c->normal), y, c->normal);
    return finish_law(finish, c);
}

static bool make_contact(trmi_force_maker *m, const trmi_force *force)
{
    trmi_element *e = trmi_force_add(m, force);
    e->damped = true;
    trmi_force_add_switch(e, force->size, 1);
    return trmi_force_own_rows(m, e);
}

// rows: height of the centre, slip along x and y. d = R - p, friction mu N v/sqrt(v^2 + v_s^2): its
// slope never ends, so that Newton's iteration finds back from any speed
static void contact_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const contact *c = (const contact *)element->force;
    const double *v = in->v + 1;
    press on = press_of(c, c->force.size - in->p[0], -in->v[0], locked(in, 0));
    double s = sqrt(v[0] * v[0] + v[1] * v[1] + c->slip * c->slip);
    out->F[0] = -on.N;
    out->F_p[0][0] = on.N_d;
    out->F_v[0][0] = on.N_v;
    for (int i = 0; i < 2; i++) {
        double direction = c->mu * v[i] / s;
        out->F[1 + i] = direction * on.N;
        out->F_p[1 + i][0] = -direction * on.N_d;
        out->F_v[1 + i][0] = -direction * on.N_v;
        for (int j = 0; j < 2; j++)
            out->F_v[1 + i][1 + j] = c->mu * on.N * ((i == j) - v[i] * v[j] / (s * s)) / s;
    }
    out->potential = on.potential;
    out->dissipated = on.lost + out->F[1] * v[0] + out->F[2] * v[1];
}

const trmi_force_type trmi_force_contact = {
    .name = "contact",
    .help = "a sphere on a plane, with friction",
    .one_sided = true,
    .row = {&trmi_slide[2], &trmi_sphere_slip[0], &trmi_sphere_slip[1]},
    .law = contact_law,
    .parameter = {&between, &center, &at, &normal, &radius, &friction, &slip, &stiffness, &damping,
                  &exponent},
    .size = sizeof(contact),
    .finish = finish_contact,
    .make = make_contact,
};
