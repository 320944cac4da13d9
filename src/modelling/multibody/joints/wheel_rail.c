// SPDX-License-Identifier: Apache-2.0
// A wheel on a rail: the profiles touch (rail/wheel_rail.h), and creep forces act in the contact,
// which follow from the normal force N, the multiplier of the joint. With the velocities V_x, V_y
// of the wheel at the point of contact, its spin w about the normal and its speed v
//
//     nu_x = V_x/|v|,  nu_y = V_y/|v|,  phi = w/v,        ab = a_0 b_0 (N/N_0)^(2/3)
//     F_x~ = -G ab C_11 nu_x,   F_y~ = -G ab C_22 nu_y - G ab^(3/2) C_23 phi
//     M = G ab^(3/2) C_23 V_y/v - G ab^2 C_33 w/|v|
//
// Kalker's linear theory, saturated as Johnson and Vermeulen do: (F_x, F_y) = s(e) (F_x~, F_y~),
//
//     e = |F~|/(mu N),   s = 1 - e/3 + e^2/27 for e < 3, else 1/e
//
// V/|v| and w/v keep their meaning when the wheel runs backwards.
#include "modelling/multibody/joints/joints.h"

#include "modelling/multibody/forces/dual.h"
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/frames.h"
#include "modelling/multibody/rail/wheel_rail.h"

typedef struct wheel_rail_input {
    trmi_joint_input joint;
    trmi_v3 center, normal;
    const trmi_interpolant *wheel, *rail;
    double inclination, softness, points;
    double friction, load, shear_modulus, creep[6], speed, slow;
} wheel_rail_input;

// What a joint keeps.
typedef struct wheel_rail {
    trmi_wheel_rail pair; // first: rows read it
    double mu, N_0, G, ab_0, C_11, C_22, C_23, C_33;
    double speed; // to which creepages refer; NAN: that of the wheel
    double slow;  // below it they refer to this speed
} wheel_rail;

// ---- creep forces ----------------------------------------------------------------------------

enum { VX, VY, SPIN, SPEED, LOAD }; // what they depend on

// 1/|v| and 1/v with their derivatives; below `slow` (v^2 + s^2)/(2 s) in place of |v|
static void invert_speed(const wheel_rail *w, double v, double inverse[2], double slope[2])
{
    bool given = !isnan(w->speed);
    v = given ? copysign(w->speed, v) : v;
    double a = fabs(v), s = w->slow, size = a < s ? (v * v + s * s) / (2 * s) : a;
    double size_v = given ? 0 : a < s ? v / s : v > 0 ? 1 : -1;
    inverse[0] = 1 / size;
    slope[0] = -size_v / (size * size);
    inverse[1] = v / (size * size);
    slope[1] = (given ? 0 : 1) / (size * size) - 2 * v * size_v / (size * size * size);
}

// k ab^n V/speed
static trmi_dual term(double k, double ab, double n, double N, int of, double V, double inverse,
                      double slope)
{
    double stiffness = k * pow(ab, n);
    trmi_dual t = trmi_dual_constant(stiffness * V * inverse);
    t.d[of] = stiffness * inverse;
    t.d[SPEED] = stiffness * V * slope;
    t.d[LOAD] = t.v * n * (2.0 / 3) / N;
    return t;
}

// both by s(e)
static void saturate(trmi_dual F[2], double mu, double N)
{
    double size = hypot(F[0].v, F[1].v), e = size / (mu * N), ratio[2] = {0, 0};
    double s = e < 3 ? 1 - e / 3 + e * e / 27 : 1 / e;
    double s_e = e < 3 ? -1.0 / 3 + 2 * e / 27 : -1 / (e * e);
    for (int k = 0; k < 2 && size > 0; k++)
        ratio[k] = F[k].v / size;
    const trmi_dual plain[2] = {F[0], F[1]};
    for (int i = 0; i < TRMI_DUAL_VARIABLES; i++) {
        double e_i = (ratio[0] * plain[0].d[i] + ratio[1] * plain[1].d[i]) / (mu * N);
        e_i -= i == LOAD ? e / N : 0;
        for (int k = 0; k < 2; k++)
            F[k].d[i] = s * plain[k].d[i] + s_e * e_i * plain[k].v;
    }
    for (int k = 0; k < 2; k++)
        F[k].v *= s;
}

// the forces of the law pull back: they are the negative ones of the formulas above
static void creep_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const wheel_rail *w = element->data;
    double N = fmax(in->load[0], 1), ab = w->ab_0 * pow(N / w->N_0, 2.0 / 3);
    double inverse[2], slope[2]; // of |v|, of v
    const double *V = in->v;
    invert_speed(w, V[SPEED], inverse, slope);
    trmi_dual F[3] = {
        term(w->G * w->C_11, ab, 1, N, VX, V[VX], inverse[0], slope[0]),
        trmi_dual_add(term(w->G * w->C_22, ab, 1, N, VY, V[VY], inverse[0], slope[0]),
                      term(w->G * w->C_23, ab, 1.5, N, SPIN, V[SPIN], inverse[1], slope[1])),
        trmi_dual_sub(term(w->G * w->C_33, ab, 2, N, SPIN, V[SPIN], inverse[0], slope[0]),
                      term(w->G * w->C_23, ab, 1.5, N, VY, V[VY], inverse[1], slope[1])),
    };
    saturate(F, w->mu, N);
    for (int r = 0; r < 3; r++) {
        out->F[r] = F[r].v;
        for (int s = 0; s <= SPEED; s++)
            out->F_v[r][s] = F[r].d[s];
        out->F_l[r][0] = in->load[0] > 1 ? F[r].d[LOAD] : 0;
        out->dissipated += F[r].v * V[r];
    }
}

#define CREEP(label)                                                                               \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_GENERAL, .velocity = true, .absolute = true,              \
        .evaluate_all = trmi_wheel_rail_creep                                                      \
    }
static const trmi_row_type creep_row[TRMI_CREEP_ROWS] = {
    [TRMI_CREEP_X] = CREEP("creep_x"),
    [TRMI_CREEP_Y] = CREEP("creep_y"),
    [TRMI_CREEP_SPIN] = CREEP("spin"),
    [TRMI_CREEP_SPEED] = CREEP("speed"),
};

static bool make_creep(trmi_force_maker *m, int joint)
{
    const trmi_joint *of = &m->mechanism->joint[joint];
    const trmi_row_type *const rows[] = {&creep_row[0], &creep_row[1], &creep_row[2], &creep_row[3],
                                         NULL};
    trmi_element *e = &m->element[m->elements++];
    e->joint = of;
    e->law = creep_law;
    e->damped = true;
    e->data = trmi_extra_of(of).data;
    e->loads = 1;
    e->load[0] = trmi_constraint_number(trmi_constraint_of(m->constraints, joint), 0);
    e->set = trmi_set_of_joint(m->mechanism, of, rows, m->n_held);
    return trmi_set_finish(&e->set, m->memory, m->tree);
}

// ---- the joint -------------------------------------------------------------------------------

static trmi_row_value evaluate_gap(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_wheel_rail_row(view);
}

static const trmi_row_type gap = {
    .name = "normal", .shape = TRMI_ROW_GENERAL, .evaluate = evaluate_gap};

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
    PRESET("softness", POSITIVE, softness, "1e-5", "of the contact, m", "m");
static const trmi_parameter points = PRESET("points", POSITIVE, points, "109",
                                            "of the profile of the wheel that are compared", NULL);
static const trmi_parameter friction =
    PRESET("friction", POSITIVE, friction, "0.3", "coefficient", NULL);
static const trmi_parameter load =
    REQUIRED("load", POSITIVE, load, "normal force to which the numbers of `creep` belong, N", "N");
static const trmi_parameter creep = REQUIRED(
    "creep", SIX, creep, "semi-axes of the contact, m, and Kalker's C11, C22, C23, C33", NULL);
static const trmi_parameter modulus = PRESET("shear_modulus", POSITIVE, shear_modulus, "8.203e10",
                                             "of wheel and rail, N/m^2", "N/m^2");
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

static bool finish_profiles(trmi_finish *finish, const wheel_rail_input *in, wheel_rail *w)
{
    double delta = atan(in->inclination);
    if (in->wheel->count == 0 || in->rail->count == 0)
        return false; // an error of the table, which is reported there
    w->pair = (trmi_wheel_rail){.wheel = in->wheel,
                                .rail = in->rail,
                                .radius = in->joint.size,
                                .cosine = cos(delta),
                                .sine = sin(delta),
                                .softness = in->softness};
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
static bool touch(trmi_finish *finish, const trmi_joint *joint, trmi_m3 frame, wheel_rail *w)
{
    const trmi_marker second = *joint->extra->second;
    trmi_view view = {.d = trmi_v3_sub(second.at, joint->at), .data = w};
    double x[TRMI_RAIL_VARIABLES];
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

static bool finish_wheel_rail(trmi_finish *finish, void *input, trmi_joint *joint)
{
    wheel_rail_input *in = input;
    wheel_rail *w;
    if (!finish_frame(finish, in, joint))
        return false;
    if (!TRMI_TAKE(finish->memory, w, 1)) {
        finish->no_memory = true;
        return false;
    }
    *w = (wheel_rail){.mu = in->friction,
                      .N_0 = in->load,
                      .G = in->shear_modulus,
                      .ab_0 = in->creep[0] * in->creep[1],
                      .C_11 = in->creep[2],
                      .C_22 = in->creep[3],
                      .C_23 = in->creep[4],
                      .C_33 = in->creep[5],
                      .speed = in->speed,
                      .slow = in->slow};
    if (!(in->creep[0] > 0 && in->creep[1] > 0))
        return trmi_finish_error(finish, "creep", "the semi-axes of the contact must be positive");
    joint->extra->data = w;
    joint->extra->size = in->joint.size;
    return finish_profiles(finish, in, w) && touch(finish, joint, in->joint.frame, w);
}

const trmi_joint_type trmi_joint_wheel_rail = {
    .name = "wheel-rail",
    .help = "a wheel on a rail, with creep forces",
    .row = {&gap},
    .parameter = {&trmi_joint_between, &at, &center, &axis, &normal, &trmi_joint_radius, &wheel,
                  &rail, &inclination, &softness, &points, &friction, &load, &creep, &modulus,
                  &speed, &slow},
    .memo = sizeof(trmi_rail_memo),
    .input_size = sizeof(wheel_rail_input),
    .finish = finish_wheel_rail,
    .make = make_creep,
};
