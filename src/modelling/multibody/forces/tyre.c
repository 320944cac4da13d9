// SPDX-License-Identifier: Apache-2.0
// Tyres on a plane road or one with a height: a spring and damper along its normal, and a law for
// what acts in the road.
//
// C is the centre of the wheel at the height z, V its velocity, a the direction of the axle, n the
// normal; x = a x n/|a x n|, l = n x x; camber sin ga = a.n. The forces act at the point of the
// road in the plane of the wheel below the axle, P = C + z (tan ga l - n):
//
//     F_x x + F_l l + F_z n at C,  and  z (F_l + F_z tan ga) x - z F_x/cos ga a + M_z n
//
// so that six rows do on a plane: height, speeds along x and l, a.n, spin about a and about n. What
// they are evaluated to: tyre_contact.c.
#include "modelling/multibody/forces/tyre.h"
#include "modelling/multibody/forces/forces.h"

#include "modelling/multibody/frames.h"

static const char *const slips[] = {"lateral", "combined", "weighted", NULL};

// ---- rows ------------------------------------------------------------------------------------

enum { NORMAL = 2, AXLE = 1 }; // axes of the markers

// velocity of the centre along x or l, which turn with the axle about n: with the heading rate
// h.omega, h = n - tan ga l, x' = h.omega l and l' = -h.omega x
static trmi_row_value heading_row(const trmi_view *view, bool side)
{
    trmi_v3 n = view->u[NORMAL], a = view->w[AXLE], across = trmi_v3_cross(a, n);
    double q = trmi_v3_length(across), c = trmi_v3_dot(a, n);
    trmi_v3 x = trmi_v3_scale(1 / q, across), l = trmi_v3_cross(n, x);
    trmi_v3 h = trmi_v3_axpy(n, -c / q, l), f = side ? l : x;
    trmi_v3 to = side ? trmi_v3_scale(-1, x) : l;
    return (trmi_row_value){
        .gamma = {{0, 0, 0}, f},
        .H = {.al = trmi_m3_cross(trmi_v3_scale(-1, f)), .la = trmi_m3_outer(to, h)}};
}

static trmi_row_value forward_row(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return heading_row(view, false);
}

static trmi_row_value side_row(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return heading_row(view, true);
}

const trmi_row_type trmi_wheel_forward = {
    .name = "forward", .shape = TRMI_ROW_GENERAL, .velocity = true, .evaluate = forward_row};
const trmi_row_type trmi_wheel_side = {
    .name = "side", .shape = TRMI_ROW_GENERAL, .velocity = true, .evaluate = side_row};

// ---- channels --------------------------------------------------------------------------------

static const trmi_shown channel[] = {
    {"load", "N"},       {"slip", ""},          {"slip_angle", "rad"},
    {"camber", "rad"},   {"longitudinal", "N"}, {"lateral", "N"},
    {"aligning", "N m"}, {"road", "m"},         {NULL, NULL}};

static const trmi_force_state state[] = {{"side_slip", "relaxation", ""},
                                         {"along_slip", "relaxation_along", ""},
                                         {"way", "road_along", "m"},
                                         {NULL, NULL, NULL}};

// ---- type ------------------------------------------------------------------------------------

static const trmi_parameter between = {
    "between", TRMI_PARAMETER_BODIES, offsetof(trmi_tyre, force.body), .required = true,
    .help = "bodies of the road and of the wheel, or of what carries it (`slip: lateral`)"};
static const trmi_parameter center = {"center", TRMI_PARAMETER_POINT,
                                      offsetof(trmi_tyre, force.at_second), .required = true,
                                      .help = "centre of the wheel"};
static const trmi_parameter axis = {
    "axis",        TRMI_PARAMETER_DIRECTION,        offsetof(trmi_tyre, axis),
    .preset = "y", .help = "its axle, to the left", .axial = true};
static const trmi_parameter at = {"at", TRMI_PARAMETER_POINT, offsetof(trmi_tyre, force.at),
                                  .preset = "null",
                                  .help = "a point of the road; the origin without it"};
static const trmi_parameter normal = {"normal", TRMI_PARAMETER_DIRECTION,
                                      offsetof(trmi_tyre, normal), .preset = "z",
                                      .help = "of the road, upwards"};
static const trmi_parameter radius = {"radius",
                                      TRMI_PARAMETER_POSITIVE,
                                      offsetof(trmi_tyre, force.size),
                                      .preset = "null",
                                      .help = "without load, m; that of the law without it",
                                      .unit = "m"};
static const trmi_parameter stiffness = {"stiffness",
                                         TRMI_PARAMETER_POSITIVE,
                                         offsetof(trmi_tyre, stiffness),
                                         .preset = "null",
                                         .help = "vertical, N/m; that of the law without it",
                                         .unit = "N/m"};
static const trmi_parameter damping = {"damping", TRMI_PARAMETER_NOT_NEGATIVE,
                                       offsetof(trmi_tyre, damping), .preset = "null",
                                       .help = "vertical, N s/m; that of the law without it, or 0"};
static const trmi_parameter slip = {
    "slip",
    TRMI_PARAMETER_CHOICE,
    offsetof(trmi_tyre, slip),
    .preset = "lateral",
    .choices = slips,
    .help = "lateral: no force along the wheel; combined: by the spin of the body as well, both "
            "slips as one; weighted: likewise, by the weighting functions of the law"};
static const trmi_parameter low_speed = {
    "low_speed",
    TRMI_PARAMETER_POSITIVE,
    offsetof(trmi_tyre, low_speed),
    .preset = "null",
    .help = "below it slips stay finite: the tyre creeps instead of holding a parked car, m/s; "
            "that of the law without it, or 1",
    .unit = "m/s"};
static const trmi_parameter relaxation = {
    "relaxation",
    TRMI_PARAMETER_RELAXATION,
    offsetof(trmi_tyre, relaxation),
    .preset = "null",
    .help = "the side force follows the slip angle over this way, m, or `law`: that of the law; "
            "without it at once",
    .unit = "m"};
static const trmi_parameter relaxation_along = {"relaxation_along",
                                                TRMI_PARAMETER_RELAXATION,
                                                offsetof(trmi_tyre, relaxation_along),
                                                .preset = "null",
                                                .help = "the same of the force along the wheel",
                                                .unit = "m"};
static const trmi_parameter road = {
    "road",
    TRMI_PARAMETER_ROAD,
    offsetof(trmi_tyre, road),
    .preset = "null",
    .help = "height of the road above the plane, m: a formula of the place `road_x`, "
            "`road_y` in it from `at` on; a plane without it",
    .unit = "m"};
static const trmi_parameter road_along = {
    "road_along",
    TRMI_PARAMETER_ROAD,
    offsetof(trmi_tyre, road_along),
    .preset = "null",
    .help = "the same as a formula of `road_s`, the way that the wheel has rolled, m: it rises "
            "along the wheel and not across it",
    .unit = "m"};
static const trmi_parameter law_parameter = {
    "law", TRMI_PARAMETER_TYRE_LAW, offsetof(trmi_tyre, law), .required = true,
    .help = "what acts in the road: {calspan: {A0: .., ..}} or {pac2002: {file: NAME.tir, ..}}"};

static double choose(double given, const trmi_tyre_choice *law, int index, double otherwise)
{
    return !isnan(given) ? given : index >= 0 ? law->coefficient[index] : otherwise;
}

static bool finish_relaxation(trmi_finish *finish, const trmi_tyre *w)
{
    const trmi_parameter *const key[] = {&relaxation, &relaxation_along};
    const double given[] = {w->relaxation, w->relaxation_along};
    for (int k = 0; k < 2; k++)
        if (given[k] == 0 && !w->law.law->length)
            return trmi_finish_error(finish, key[k]->key,
                                     "the law '%s' has no relaxation length; give it in m",
                                     w->law.law->name);
    if (w->road && w->road_along)
        return trmi_finish_error(finish, "road_along", "give one of 'road' and 'road_along'");
    if (!isnan(w->relaxation_along) && w->slip == TRMI_TYRE_LATERAL)
        return trmi_finish_error(finish, "relaxation_along",
                                 "'relaxation_along' needs a force along the wheel: 'slip: "
                                 "combined' or 'slip: weighted'");
    return true;
}

static bool finish_values(trmi_finish *finish, trmi_tyre *w)
{
    const trmi_tyre_law *law = w->law.law;
    w->force.size = choose(w->force.size, &w->law, law->radius, 0);
    w->stiffness = choose(w->stiffness, &w->law, law->stiffness, 0);
    w->damping = choose(w->damping, &w->law, law->damping, 0);
    w->low_speed = choose(w->low_speed, &w->law, law->low_speed, 1);
    if (!(w->force.size > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'radius'", w->force.name);
    if (w->stiffness < 0 || w->damping < 0)
        return trmi_finish_key_error(finish, NULL, "'%.60s' has a negative %s of its law, %g",
                                     w->force.name, w->stiffness < 0 ? "stiffness" : "damping",
                                     w->stiffness < 0 ? w->stiffness : w->damping);
    if (!(w->stiffness > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'stiffness'", w->force.name);
    if (!(w->low_speed > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'low_speed' above 0",
                                     w->force.name);
    if (w->slip != TRMI_TYRE_LATERAL && !law->slip)
        return trmi_finish_error(finish, "slip", "the law '%s' has no force along the wheel",
                                 law->name);
    if (w->slip == TRMI_TYRE_WEIGHTED && !law->weights)
        return trmi_finish_error(finish, "slip", "the law '%s' has no weighting functions",
                                 law->name);
    return finish_relaxation(finish, w);
}

// z along the normal, x as near to the global one as it can be
static trmi_m3 road_axes(trmi_v3 n)
{
    trmi_v3 x = trmi_v3_axpy((trmi_v3){1, 0, 0}, -n.x, n);
    double length = trmi_v3_length(x);
    x = length > 1e-3 ? trmi_v3_scale(1 / length, x) : trmi_m3_column(trmi_frame_about(n), 0);
    return trmi_frame_of(x, trmi_v3_cross(n, x), n);
}

// the marker on the road has z along the normal
static bool finish_tyre(trmi_finish *finish, trmi_force *force)
{
    trmi_tyre *w = (trmi_tyre *)force;
    if (finish->mechanism->plane != TRMI_SPATIAL)
        return trmi_finish_key_error(finish, NULL, "a tyre needs a model in space");
    if (!trmi_given_vector(w->axis))
        w->axis = (trmi_v3){0, 1, 0};
    if (!trmi_given_vector(w->normal))
        w->normal = (trmi_v3){0, 0, 1};
    if (!trmi_given_vector(force->at))
        force->at = (trmi_v3){0, 0, 0};
    trmi_v3 x = trmi_v3_cross(w->axis, w->normal);
    double size = trmi_v3_length(x);
    if (!(size > 1e-3))
        return trmi_finish_error(
            finish, "axis", "the axle of '%.60s' points along the normal of the road", force->name);
    force->frame = road_axes(w->normal);
    return finish_values(finish, w);
}

// the marker on the wheel has y along the axle
static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const trmi_tyre *w = (const trmi_tyre *)force;
    trmi_element *e = trmi_force_add(m, force);
    trmi_m3 about = trmi_frame_about(w->axis);
    trmi_m3 second = trmi_frame_of(trmi_m3_column(about, 1), w->axis, trmi_m3_column(about, 0));
    const trmi_row_type *row[TRMI_MAX_ROWS + 1] = {NULL};
    for (int r = 0; force->type->row[r] && (w->road || r < TRMI_TYRE_X); r++)
        row[r] = force->type->row[r];
    e->damped = true;
    e->road = w->road ? w->road : w->road_along;
    e->warn = trmi_tyre_warn;
    e->warns_at_start = !e->road;              // a plane road does not change on the way
    e->gaps = e->road ? trmi_tyre_gaps : NULL; // of a plane: that of the height
    trmi_force_add_switch(e, force->size, 1);
    e->switches += e->road ? 2 * e->road->conditions : 0;
    return trmi_force_rows_of(m, e, force->body, force->at, force->at_second, force->frame, second,
                              row);
}

const trmi_force_type trmi_force_tyre = {
    .name = "tyre",
    .help = "a tyre on a road",
    .one_sided = true,
    .row = {&trmi_slide[NORMAL], &trmi_wheel_forward, &trmi_wheel_side, &trmi_entry[7],
            &trmi_torque_along[AXLE], &trmi_world_torque[NORMAL], &trmi_slide[0], &trmi_slide[1],
            &trmi_entry[1], &trmi_entry[4]},
    .law = trmi_tyre_act,
    .parameter = {&between, &center, &axis, &at, &normal, &radius, &stiffness, &damping, &slip,
                  &low_speed, &relaxation, &relaxation_along, &road, &road_along, &law_parameter},
    .size = sizeof(trmi_tyre),
    .finish = finish_tyre,
    .make = make,
    .channel = channel,
    .channel_value = trmi_tyre_channel,
    .state = state,
};
