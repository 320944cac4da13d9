// SPDX-License-Identifier: Apache-2.0
// A wheel on a rail: the profiles touch (rail/wheel_rail.h), and creep forces act in the contact
// (rail/creep.h). The normal force N is the multiplier of wheel-rail; elastic-wheel-rail has no
// row, and N follows from the penetration (rail/contact_force.h).
#include "modelling/multibody/joints/joints.h"

#include "modelling/multibody/frames.h"
#include "modelling/multibody/rail/contact_force.h"

typedef struct wheel_rail_input {
    trmi_joint_input joint;
    trmi_v3 center, normal;
    const trmi_interpolant *wheel, *rail;
    double inclination, softness, points;
    double friction, load, modulus, poisson, shear_modulus, creep[6], speed, slow;
    int law, axes, ellipse;
    double stiffness, damping;
} wheel_rail_input;

#define NUMBER(key, kind, member, text, units)                                                     \
    {                                                                                              \
        key, TRMI_PARAMETER_##kind, offsetof(wheel_rail_input, member), .help = text,              \
                                                                        .unit = units              \
    }
#define PRESET(key, kind, member, value, text, units)                                              \
    {                                                                                              \
        key, TRMI_PARAMETER_##kind, offsetof(wheel_rail_input, member),                            \
            .preset = value, .help = text, .unit = units                                           \
    }
#define CHOICE(key, member, value, names, text)                                                    \
    {                                                                                              \
        key, TRMI_PARAMETER_CHOICE, offsetof(wheel_rail_input, member),                            \
            .preset = value, .choices = names, .help = text                                        \
    }
#define REQUIRED(key, kind, member, text, units)                                                   \
    {                                                                                              \
        key, TRMI_PARAMETER_##kind, offsetof(wheel_rail_input, member),                            \
            .required = true, .help = text, .unit = units                                          \
    }

static const trmi_parameter at =
    REQUIRED("at", POINT, joint.at, "origin of the profile of the rail", NULL);
static const trmi_parameter center =
    REQUIRED("center", POINT, center, "centre of the nominal rolling circle of the wheel", NULL);
static const trmi_parameter axis =
    REQUIRED("axis", DIRECTION, joint.axis, "direction of the axle, towards the outside", NULL);
static const trmi_parameter normal =
    NUMBER("normal", DIRECTION, normal, "upwards; z of the model without it", NULL);
static const trmi_parameter wheel =
    REQUIRED("wheel", TABLE, wheel,
             "table: change of the radius over the distance towards the flange", NULL);
static const trmi_parameter rail = REQUIRED(
    "rail", TABLE, rail, "table: drop below the crown over the distance towards the gauge", NULL);
static const trmi_parameter inclination = PRESET("inclination", NUMBER, inclination, "0",
                                                 "of the rail to the inside, as a tangent", NULL);
static const trmi_parameter softness =
    PRESET("softness", NOT_NEGATIVE, softness, "1e-5", "of the contact, m; 0: rigid", "m");
static const trmi_parameter points = PRESET("points", POSITIVE, points, "109",
                                            "of the profile of the wheel that are compared", NULL);
static const trmi_parameter friction =
    PRESET("friction", POSITIVE, friction, "0.3", "coefficient", NULL);
static const trmi_parameter load = REQUIRED(
    "load", POSITIVE, load,
    "normal force of the reference configuration, to which ellipse and `creep` belong, N", "N");
static const trmi_parameter creep =
    PRESET("creep", SIX, creep, "null",
           "semi-axes of the contact, m, along and across, and Kalker's C11, C22, C23, C33; Hertz' "
           "ellipse and Kalker's table without it",
           NULL);
static const trmi_parameter modulus =
    PRESET("modulus", POSITIVE, modulus, "2.1e11", "Young's, of wheel and rail, N/m^2", "N/m^2");
static const trmi_parameter poisson =
    PRESET("poisson", NOT_NEGATIVE, poisson, "0.28", "Poisson's ratio of both", NULL);
static const trmi_parameter shear_modulus =
    PRESET("shear_modulus", POSITIVE, shear_modulus, "null",
           "of both, N/m^2; modulus/(2 (1 + poisson)) without it", "N/m^2");
static const char *const law_names[] = {"johnson-vermeulen", "fastsim", "tanh",
                                        NULL}; // trmi_creep_law
static const trmi_parameter law =
    CHOICE("creep_law", law, "johnson-vermeulen", law_names, "how creep forces saturate");
static const char *const axes_names[] = {"rail", "wheel", NULL};
static const trmi_parameter axes =
    CHOICE("creep_axes", axes, "rail", axes_names,
           "of creepages: along the rail, or in the direction in which the wheel rolls, and then "
           "without `speed` against the mean of the speeds of wheel and circumference");
static const char *const ellipse_names[] = {"constant", "follows", NULL};
static const trmi_parameter ellipse =
    CHOICE("ellipse", ellipse, "constant", ellipse_names,
           "of the contact at one load: constant, or of a size that follows the curvatures of "
           "both bodies where they touch, its shape and Kalker's coefficients as they are");
static const trmi_parameter stiffness =
    PRESET("stiffness", POSITIVE, stiffness, "null",
           "k in k d^(3/2), N/m^1.5, d the penetration; that of Hertz without it", NULL);
static const trmi_parameter damping =
    PRESET("damping", NOT_NEGATIVE, damping, "0", "c in k d^(3/2) (1 + c d'), s/m", "s/m");
static const trmi_parameter speed =
    PRESET("speed", POSITIVE, speed, "null",
           "to which creepages refer, m/s; that of the wheel without it", "m/s");
static const trmi_parameter slow = PRESET(
    "slow", POSITIVE, slow, "0.1", "slower wheels have the creepages of this speed, m/s", "m/s");

enum { MIN_POINTS = 3, MAX_TOUCH = 1 }; // mm

// x along the rail, y to the outside, z upwards
static bool finish_frame(trmi_finish *finish, wheel_rail_input *in, trmi_joint *joint)
{
    trmi_v3 z = trmi_given_vector(in->normal) ? in->normal : (trmi_v3){0, 0, 1};
    trmi_v3 y = trmi_v3_axpy(in->joint.axis, -trmi_v3_dot(in->joint.axis, z), z);
    double size = trmi_v3_length(y);
    if (size < 1e-3)
        return trmi_finish_error(finish, "axis", "the axle of '%.60s' is normal to the track",
                                 joint->name);
    y = trmi_v3_scale(1 / size, y);
    in->joint.frame = trmi_frame_of(trmi_v3_cross(y, z), y, z);
    joint->at = in->joint.at;
    if (!trmi_take_second_marker(finish, &in->joint, joint))
        return false;
    trmi_v3 l = in->joint.axis, up = trmi_v3_cross(trmi_v3_cross(y, z), l);
    *joint->extra->second = (trmi_marker){in->center, trmi_frame_of(trmi_v3_cross(l, up), l, up)};
    return true;
}

// a profile wider than the wheel is in other units
static bool is_narrow(trmi_finish *finish, const char *key, const trmi_interpolant *profile,
                      double radius)
{
    double width = profile->x[profile->count - 1] - profile->x[0];
    return width < 2 * radius ||
           trmi_finish_error(finish, key,
                             "the profile '%.60s' is %.4g m wide, and the wheel has a radius of "
                             "%.4g m: were millimetres meant? Lengths without a unit are in metres",
                             profile->name, width, radius);
}

static bool finish_profiles(trmi_finish *finish, const wheel_rail_input *in, trmi_rail_data *w)
{
    double delta = atan(in->inclination);
    if (in->wheel->count == 0 || in->rail->count == 0)
        return false; // an error of the table, which is reported there
    if (!is_narrow(finish, "wheel", in->wheel, in->joint.size) ||
        !is_narrow(finish, "rail", in->rail, in->joint.size))
        return false;
    if (in->poisson > 0.5)
        return trmi_finish_error(finish, "poisson", "'poisson' is at most 0.5, not %g",
                                 in->poisson);
    w->pair = (trmi_wheel_rail){.wheel = in->wheel,
                                .rail = in->rail,
                                .radius = in->joint.size,
                                .cosine = cos(delta),
                                .sine = sin(delta),
                                .softness = in->softness,
                                .wheel_axes = in->axes == 1};
    if (in->points < MIN_POINTS || in->points > TRMI_MAX_WHEEL_POINTS ||
        in->points != floor(in->points))
        return trmi_finish_error(finish, "points", "'points' must be a whole number from %d to %d",
                                 MIN_POINTS, TRMI_MAX_WHEEL_POINTS);
    if (!trmi_wheel_rail_create(&w->pair, finish->memory, (int)in->points)) {
        finish->no_memory = true;
        return false;
    }
    return true;
}

// the gap is 0 in the reference configuration
static bool touch(trmi_finish *finish, const trmi_joint *joint, trmi_m3 frame, trmi_rail_data *w,
                  double x[TRMI_RAIL_VARIABLES])
{
    const trmi_marker second = *joint->extra->second;
    trmi_view view = {.d = trmi_v3_sub(second.at, joint->at), .data = w};
    trmi_row_value row[TRMI_RAIL_VARIABLES];
    trmi_rail_contact contact;
    for (int k = 0; k < 3; k++) {
        view.u[k] = trmi_m3_column(frame, k);
        view.w[k] = trmi_m3_column(second.frame, k);
    }
    trmi_wheel_rail_variables(&view, x, row);
    double distance = trmi_wheel_rail_distance(&w->pair, x);
    if (!(fabs(distance) < 1e-3 * MAX_TOUCH))
        return trmi_finish_error(
            finish, "at", "wheel and rail of '%.60s' do not touch: they are %.3g mm %s",
            joint->name, 1e3 * fabs(distance), distance > 0 ? "apart" : "inside each other");
    trmi_wheel_rail_touch(&w->pair, x, false, &contact);
    w->pair.gap_0 = contact.gap;
    return true;
}

// curvatures of both bodies in the contact of the reference configuration; concave ones count
// negative
static bool find_curvatures(trmi_finish *finish, const trmi_joint *joint, const trmi_rail_data *w,
                            const double x[TRMI_RAIL_VARIABLES], double *along, double *across)
{
    trmi_rail_contact contact;
    double F[3], D[3];
    trmi_wheel_rail_touch(&w->pair, x, false, &contact);
    trmi_interpolant_orders(w->pair.wheel, contact.xi, 2, F);
    trmi_interpolant_orders(w->pair.rail,
                            -w->pair.cosine * (x[TRMI_RAIL_Y] - contact.xi) -
                                w->pair.sine * (x[TRMI_RAIL_Z] - w->pair.radius - F[0]),
                            2, D);
    *along = 1 / ((w->pair.radius + F[0]) * sqrt(1 + F[1] * F[1]));
    *across = D[2] / pow(1 + D[1] * D[1], 1.5) - F[2] / pow(1 + F[1] * F[1], 1.5);
    if (*across > 0)
        return true;
    return trmi_finish_error(finish, "creep",
                             "the profiles of '%.60s' do not curve away from each other where they "
                             "touch (1/radius %.3g 1/m): give `creep`",
                             joint->name, *across);
}

// ellipse, coefficients and stiffness, as far as they are not given
static bool finish_contact(trmi_finish *finish, const trmi_joint *joint, const wheel_rail_input *in,
                           const double x[TRMI_RAIL_VARIABLES], trmi_rail_data *w)
{
    trmi_creep *c = &w->creep;
    trmi_rail_contact contact;
    double along, across, by_x[TRMI_RAIL_VARIABLES];
    trmi_wheel_rail_touch(&w->pair, x, false, &contact);
    bool given = !isnan(in->creep[0]), elastic = joint->type == &trmi_joint_elastic_wheel_rail;
    *c = (trmi_creep){.mu = in->friction,
                      .G = isnan(in->shear_modulus) ? in->modulus / (2 * (1 + in->poisson))
                                                    : in->shear_modulus,
                      .N_0 = in->load,
                      .speed = in->speed,
                      .slow = in->slow,
                      .K_0 = trmi_contact_curvature(&w->pair, x, &contact, by_x),
                      .follows = in->ellipse == 1,
                      .law = (trmi_creep_law)in->law};
    w->law = (trmi_press_law){in->stiffness, in->damping, 1.5};
    if (given) {
        c->a_0 = in->creep[0];
        c->b_0 = in->creep[1];
        for (int k = 0; k < TRMI_C_COUNT; k++)
            c->C[k] = in->creep[2 + k];
        if (!(c->a_0 > 0 && c->b_0 > 0))
            return trmi_finish_error(finish, "creep",
                                     "the semi-axes of the contact must be positive");
    }
    if (given && !(elastic && isnan(in->stiffness)))
        return true;
    if (!find_curvatures(finish, joint, w, x, &along, &across))
        return false;
    if (isnan(in->stiffness))
        w->law.stiffness = trmi_hertz_stiffness(along, across, in->modulus, in->poisson);
    if (!given) {
        trmi_hertz_ellipse(along, across, in->modulus, in->poisson, in->load, &c->a_0, &c->b_0);
        trmi_kalker_coefficients(c->a_0, c->b_0, c->C);
    }
    return true;
}

static bool finish_wheel_rail(trmi_finish *finish, void *input, trmi_joint *joint)
{
    wheel_rail_input *in = input;
    double x[TRMI_RAIL_VARIABLES];
    trmi_rail_data *w;
    if (!finish_frame(finish, in, joint))
        return false;
    if (!TRMI_TAKE(finish->memory, w, 1)) {
        finish->no_memory = true;
        return false;
    }
    joint->extra->data = w;
    joint->extra->size = in->joint.size;
    return finish_profiles(finish, in, w) && touch(finish, joint, in->joint.frame, w, x) &&
           finish_contact(finish, joint, in, x, w);
}

// elastic contacts are compressed by the load: gap_0 makes them carry it in the reference
// configuration
static bool finish_elastic(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const wheel_rail_input *in = input;
    if (!finish_wheel_rail(finish, input, joint))
        return false;
    trmi_rail_data *w = (trmi_rail_data *)joint->extra->data;
    w->pair.gap_0 += pow(in->load / w->law.stiffness, 2.0 / 3);
    return true;
}

#define SHARED                                                                                     \
    &trmi_joint_between, &at, &center, &axis, &normal, &trmi_joint_radius, &wheel, &rail,          \
        &inclination, &softness, &points, &friction, &load, &creep, &modulus, &poisson,            \
        &shear_modulus, &law, &axes, &ellipse, &speed, &slow

const trmi_joint_type trmi_joint_wheel_rail = {
    .name = "wheel-rail",
    .help = "a wheel on a rail, with creep forces",
    .row = {&trmi_rail_gap},
    .parameter = {SHARED},
    .channel = trmi_rail_channels,
    .memo = sizeof(trmi_rail_memo),
    .input_size = sizeof(wheel_rail_input),
    .finish = finish_wheel_rail,
    .make = trmi_make_creep,
};

const trmi_joint_type trmi_joint_elastic_wheel_rail = {
    .name = "elastic-wheel-rail",
    .help = "a wheel on a rail, with elastic contact: it may lift off",
    .parameter = {SHARED, &stiffness, &damping},
    .channel = trmi_rail_channels,
    .memo = sizeof(trmi_rail_memo),
    .input_size = sizeof(wheel_rail_input),
    .finish = finish_elastic,
    .make = trmi_make_elastic_rail,
};
