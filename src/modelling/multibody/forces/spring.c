// SPDX-License-Identifier: Apache-2.0
// Springs and dampers, linear and by tables, between two points or on a measure of a joint.
#include "modelling/multibody/forces/forces.h"

#include "modelling/expression/corners.h"

typedef struct spring {
    trmi_force force;
    trmi_term on; // actuator: the measure
    double stiffness, damping;
    double natural; // length, angle or travel without force
    double preload;
    trmi_interpolant spring_curve, damper_curve; // force over p - natural, over p'
    trmi_interpolation interpolation;            // of both
    trmi_formula law;                            // F of t and signals, added to the rest
} spring;

// Curves in the form in which they are evaluated, and the points of the spring's at which steps
// end.
typedef struct spring_data {
    trmi_interpolant spring, damper;
    trmi_corner *corner;
    int corners;
} spring_data;

static const trmi_parameter force = {
    "force",
    TRMI_PARAMETER_FORMULA,
    offsetof(spring, law),
    .preset = "0",
    .help = "tension beside spring and damper, a formula of t and signals",
    .unit = "N"};
static const trmi_parameter stiffness = {"stiffness",
                                         TRMI_PARAMETER_NOT_NEGATIVE,
                                         offsetof(spring, stiffness),
                                         .preset = "0",
                                         .help = "N/m",
                                         .unit = "N/m"};
static const trmi_parameter damping = {"damping",
                                       TRMI_PARAMETER_NOT_NEGATIVE,
                                       offsetof(spring, damping),
                                       .preset = "0",
                                       .help = "N s/m",
                                       .unit = "N s/m"};
static const trmi_parameter length = {
    "length",
    TRMI_PARAMETER_NOT_NEGATIVE,
    offsetof(spring, natural),
    .preset = "null",
    .help = "length without force; that of the reference configuration without it",
    .unit = "m"};
static const trmi_parameter preload = {"preload",
                                       TRMI_PARAMETER_NUMBER,
                                       offsetof(spring, preload),
                                       .preset = "0",
                                       .help = "tension at that length, N",
                                       .unit = "N"};
static const trmi_parameter spring_table = {
    "spring_table", TRMI_PARAMETER_CURVE, offsetof(spring, spring_curve), .preset = "null",
    .help = "[[x, F], ...]: restoring force over the deviation, straight beyond the points"};
static const trmi_parameter damper_table = {"damper_table", TRMI_PARAMETER_CURVE,
                                            offsetof(spring, damper_curve), .preset = "null",
                                            .help = "[[v, F], ...]: restoring force over the rate"};

static const trmi_parameter interpolation = {
    "interpolation", TRMI_PARAMETER_INTERPOLATION, offsetof(spring, interpolation),
    .preset = "linear",
    .help = "of the tables: straight lines; cubics with continuous slope that do not overshoot; "
            "cubics with continuous second derivative"};

// ---- corners of the table of the spring ------------------------------------------------------

// x - x_i of each corner, and x_i - x: the pieces on both sides go on straight beyond it while the
// integrator has locked the side on which a step began.
static void corner_gaps(const trmi_element *element, const trmi_law_input *in, const double *second,
                        trmi_gap *out)
{
    const spring *s = (const spring *)element->force;
    const spring_data *curves = element->data;
    for (int i = 0; i < curves->corners; i++) {
        double x = in->p[0] - s->natural - curves->corner[i].x, a = second ? second[0] : 0;
        out[2 * i] = (trmi_gap){x, in->v[0], a};
        out[2 * i + 1] = (trmi_gap){-x, -in->v[0], -a};
    }
}

// change_i max(x - x_i, 0) of the side that is locked instead of that of x
static void hold_corners(const spring_data *curves, const trmi_law_input *in, double x,
                         trmi_law *out)
{
    for (int i = 0; i < curves->corners; i++) {
        double d = x - curves->corner[i].x, change = curves->corner[i].change;
        bool above = trmi_locked(in, 2 * i), below = trmi_locked(in, 2 * i + 1);
        double sign = above && d < 0 ? 1 : below && d > 0 ? -1 : 0;
        out->F[0] += sign * change * d;
        out->F_p[0][0] += sign * change;
        out->potential += sign * change * d * d / 2;
    }
}

// As many corners as an element may have gaps. False: no memory.
static bool find_table_corners(trmi_force_maker *m, trmi_element *e, spring_data *curves)
{
    const trmi_interpolant *S = &curves->spring;
    if (S->count == 0)
        return true;
    if (!TRMI_TAKE(m->memory, curves->corner, S->count))
        return false;
    int count = trmi_find_corners(S, false, curves->corner);
    curves->corners = count < TRMI_MAX_KINKS ? count : TRMI_MAX_KINKS;
    e->switches = 2 * curves->corners;
    e->gaps = curves->corners > 0 ? corner_gaps : NULL;
    return true;
}

// ---- law -------------------------------------------------------------------------------------

// F = k x + c v + F_0 + S(x) + D(v), x = p - natural
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const spring *s = (const spring *)element->force;
    const spring_data *curves = element->data;
    double x = in->p[0] - s->natural, v = in->v[0], k = s->stiffness;
    const trmi_interpolant *S = &curves->spring, *D = &curves->damper;
    double drag = s->damping * v + trmi_interpolant_at(D, TRMI_INTERPOLANT_VALUE, v);
    out->F[0] = k * x + s->preload + trmi_interpolant_at(S, TRMI_INTERPOLANT_VALUE, x) + drag;
    out->F_p[0][0] = k + trmi_interpolant_at(S, 1, x);
    out->F_v[0][0] = s->damping + trmi_interpolant_at(D, 1, v);
    out->potential =
        k * x * x / 2 + s->preload * x + trmi_interpolant_at(S, TRMI_INTERPOLANT_INTEGRAL, x);
    out->dissipated = drag * v;
    hold_corners(curves, in, x, out);
    out->failed = trmi_refuse_coincidence(element, in->p[0]);
}

// a table of the force, ready to be evaluated
static bool take_curve(trmi_force_maker *m, const spring *s, const trmi_interpolant *from,
                       trmi_interpolant *to)
{
    *to = *from;
    to->interpolation = s->interpolation;
    return from->count == 0 || trmi_interpolant_create(to, m->memory);
}

static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const spring *s = (const spring *)force;
    trmi_element *e = trmi_force_add(m, force);
    spring_data *curves;
    e->formulas = 1;
    e->formula = &s->law;
    e->damped = s->damping != 0 || s->damper_curve.count > 0;
    if (!TRMI_TAKE(m->memory, curves, 1) || !take_curve(m, s, &s->spring_curve, &curves->spring) ||
        !take_curve(m, s, &s->damper_curve, &curves->damper) || !find_table_corners(m, e, curves))
        return false;
    e->data = curves;
    return force->type == &trmi_force_actuator
               ? trmi_force_measure(m, e, s->on.joint, s->on.measure)
               : trmi_force_own_rows(m, e);
}

static bool finish_spring(trmi_finish *finish, trmi_force *force)
{
    spring *s = (spring *)force;
    double distance = trmi_finish_ends(finish, force);
    if (isnan(s->natural))
        s->natural = distance;
    return distance > 0;
}

const trmi_force_type trmi_force_spring = {
    .name = "spring",
    .help = "spring and damper between two points",
    .holds = true,
    .length_signal = true,
    .numbers_in_law = true,
    .scalar = "force",
    .sign = 1, // tension
    .row = {&trmi_plain_length},
    .law = law,
    .parameter = {&trmi_force_between, &trmi_force_from, &trmi_force_to, &force, &stiffness,
                  &damping, &length, &preload, &spring_table, &damper_table, &interpolation},
    .size = sizeof(spring),
    .finish = finish_spring,
    .make = make,
};

// ---- actuator --------------------------------------------------------------------------------

static const trmi_parameter joint = {"joint", TRMI_PARAMETER_MEASURE, offsetof(spring, on),
                                     .required = true, .help = "where it acts"};
static const trmi_parameter measure = {"measure", TRMI_PARAMETER_MEASURE_NAME, 0, .preset = "null",
                                       .help =
                                           "which measure of it; needed where there are several"};
static const trmi_parameter effort = {
    "effort",
    TRMI_PARAMETER_EFFORT,
    offsetof(spring, law),
    .preset = "0",
    .help = "force or torque that makes the measure grow, a formula of t and signals",
    .unit = "N|N m"};
static const trmi_parameter natural = {"natural",
                                       TRMI_PARAMETER_NUMBER,
                                       offsetof(spring, natural),
                                       .preset = "0",
                                       .help = "value of the measure without force of the spring",
                                       .unit = "m|rad"};

static const trmi_parameter actuator_stiffness = {
    "stiffness",   TRMI_PARAMETER_NOT_NEGATIVE, offsetof(spring, stiffness),
    .preset = "0", .help = "N/m or N m",        .unit = "N/m|N m"};
static const trmi_parameter actuator_damping = {
    "damping",     TRMI_PARAMETER_NOT_NEGATIVE, offsetof(spring, damping),
    .preset = "0", .help = "N s/m or N m s",    .unit = "N s/m|N m s"};

static trmi_term measure_of(const trmi_force *force)
{
    return ((const spring *)force)->on;
}

const trmi_force_type trmi_force_actuator = {
    .name = "actuator",
    .help = "spring, damper, force or torque on a measure of a joint",
    .numbers_in_law = true,
    .scalar = "effort",
    .sign = -1, // makes the measure grow
    .law = law,
    .parameter = {&joint, &measure, &effort, &actuator_stiffness, &actuator_damping, &natural,
                  &spring_table, &damper_table, &interpolation},
    .size = sizeof(spring),
    .make = make,
    .measure = measure_of,
};
