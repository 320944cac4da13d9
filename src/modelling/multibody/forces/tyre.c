// SPDX-License-Identifier: Apache-2.0
// Tyres on a plane road: a spring and damper along its normal, and a law for what acts in the road.
//
// C is the centre of the wheel at the height z, V its velocity, a the direction of the axle, n the
// normal; x = a x n/|a x n|, l = n x x; camber sin ga = a.n. The forces act at the point of the
// road in the plane of the wheel below the axle, P = C + z (tan ga l - n):
//
//     F_x x + F_l l + F_z n at C,  and  z (F_l + F_z tan ga) x - z F_x/cos ga a + M_z n
//
// so that six rows do: height, speeds along x and l, a.n, spin about a and about n.
#include "modelling/multibody/forces/forces.h"
#include "modelling/multibody/forces/tyre_law.h"

#include "modelling/multibody/frames.h"

typedef struct tyre {
    trmi_force force; // at: a point of the road, at_second: the centre; size: radius
    double stiffness, damping, low_speed;
    trmi_v3 axis, normal;
    int slip; // number of `slips`
    trmi_tyre_choice law;
} tyre;

static const char *const slips[] = {"lateral", "combined", NULL};

// ---- rows ------------------------------------------------------------------------------------

enum { NORMAL = 2, AXLE = 1 }; // axes of the markers
enum { HEIGHT, FORWARD, SIDE, LEAN, SPIN, TURN };

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

// ---- law -------------------------------------------------------------------------------------

// What the law works with and gives; derivatives by height, a.n, speeds along n, x, l, spin.
typedef struct contact_state {
    trmi_dual height, lean, cosine; // z, sin ga, cos ga
    trmi_tyre_slip at;
    trmi_tyre_force force;
} contact_state;

enum { BY_HEIGHT, BY_LEAN, BY_SINK, BY_FORWARD, BY_SIDE, BY_SPIN };

// the speed that slips refer to: |v|, below the low speed s this and v^2 mixed, (s + v^2/s)/2
static trmi_dual reference_speed(double low, trmi_dual v)
{
    double x = v.v;
    return fabs(x) >= low ? trmi_dual_abs(v) : trmi_dual_chain((low + x * x / low) / 2, x / low, v);
}

// false: the tyre is in the air
static bool contact_at(const tyre *w, const trmi_law_input *in, contact_state *s)
{
    double R = w->force.size;
    trmi_dual sink = trmi_dual_variable(in->v[HEIGHT], BY_SINK);
    trmi_dual forward = trmi_dual_variable(in->v[FORWARD], BY_FORWARD);
    trmi_dual spin = trmi_dual_variable(in->v[SPIN], BY_SPIN), speed;
    *s = (contact_state){.height = trmi_dual_variable(in->p[HEIGHT], BY_HEIGHT)};
    s->lean = trmi_dual_variable(in->p[LEAN], BY_LEAN);
    double q = sqrt(1 - s->lean.v * s->lean.v);
    s->cosine = trmi_dual_chain(q, -s->lean.v / q, s->lean);
    s->at.camber = trmi_dual_chain(asin(s->lean.v), 1 / q, s->lean);
    speed = reference_speed(w->low_speed, forward);
    s->at.rolls = w->slip == 1;
    s->at.direction = trmi_dual_div(forward, speed);
    s->at.slip = trmi_dual_div(trmi_dual_sub(trmi_dual_line(0, R, spin), forward), speed);
    s->at.angle = trmi_dual_atan(trmi_dual_div(trmi_dual_variable(in->v[SIDE], BY_SIDE), speed));
    s->at.load = trmi_dual_add(trmi_dual_line(w->stiffness * R, -w->stiffness, s->height),
                               trmi_dual_line(0, -w->damping, sink));
    bool open = in->lock && in->lock[0] != 0;
    if (open || s->height.v >= R || !(s->at.load.v > 0))
        return false;
    s->force = w->law.law->evaluate(w->law.coefficient, &s->at);
    return true;
}

static void put_row(trmi_law *out, int row, trmi_dual F)
{
    static const int position[] = {[BY_HEIGHT] = HEIGHT, [BY_LEAN] = LEAN},
                     velocity[] = {HEIGHT, FORWARD, SIDE, SPIN};
    out->F[row] = -F.v;
    for (int k = 0; k < 2; k++)
        out->F_p[row][position[k]] = -F.d[k];
    for (int k = 0; k < 4; k++)
        out->F_v[row][velocity[k]] = -F.d[BY_SINK + k];
}

// energy: that of the spring is stored, the rest is lost
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const tyre *w = (const tyre *)element->force;
    double deflection = w->force.size - in->p[HEIGHT];
    contact_state s;
    out->failed = !(fabs(in->p[LEAN]) < 1);
    if (out->failed || !contact_at(w, in, &s))
        return;
    trmi_dual load = s.at.load, tilt = trmi_dual_div(s.lean, s.cosine);
    trmi_dual roll = trmi_dual_add(s.force.across, trmi_dual_mul(load, tilt));
    put_row(out, HEIGHT, load);
    put_row(out, FORWARD, s.force.along);
    put_row(out, SIDE, s.force.across);
    put_row(out, LEAN, trmi_dual_mul(s.height, trmi_dual_div(roll, s.cosine)));
    put_row(out, SPIN,
            trmi_dual_div(trmi_dual_mul(trmi_dual_line(0, -1, s.height), s.force.along), s.cosine));
    put_row(out, TURN, s.force.moment);
    out->potential = w->stiffness * deflection * deflection / 2;
    out->dissipated = w->stiffness * deflection * in->v[HEIGHT];
    for (int r = 0; r < element->set.rows; r++)
        out->dissipated += out->F[r] * in->v[r];
}

// ---- channels --------------------------------------------------------------------------------

static const char *const channel[] = {"load",         "slip",    "slip_angle", "camber",
                                      "longitudinal", "lateral", "aligning",   NULL};

static double channel_value(const trmi_element *element, const trmi_law_input *in, int part)
{
    contact_state s;
    bool touches = contact_at((const tyre *)element->force, in, &s);
    const double value[] = {s.at.load.v,     s.at.slip.v,      s.at.angle.v,    s.at.camber.v,
                            s.force.along.v, s.force.across.v, s.force.moment.v};
    bool geometry = part == 3;
    return touches || geometry ? value[part] : 0;
}

// ---- type ------------------------------------------------------------------------------------

static const trmi_parameter between = {
    "between", TRMI_PARAMETER_BODIES, offsetof(tyre, force.body), .required = true,
    .help = "bodies of the road and of the wheel, or of what carries it (`slip: lateral`)"};
static const trmi_parameter center = {"center", TRMI_PARAMETER_POINT,
                                      offsetof(tyre, force.at_second), .required = true,
                                      .help = "centre of the wheel"};
static const trmi_parameter axis = {
    "axis",        TRMI_PARAMETER_DIRECTION,        offsetof(tyre, axis),
    .preset = "y", .help = "its axle, to the left", .axial = true};
static const trmi_parameter at = {"at", TRMI_PARAMETER_POINT, offsetof(tyre, force.at),
                                  .preset = "null",
                                  .help = "a point of the road; the origin without it"};
static const trmi_parameter normal = {"normal", TRMI_PARAMETER_DIRECTION, offsetof(tyre, normal),
                                      .preset = "z", .help = "of the road, upwards"};
static const trmi_parameter radius = {"radius",
                                      TRMI_PARAMETER_POSITIVE,
                                      offsetof(tyre, force.size),
                                      .preset = "null",
                                      .help = "without load, m; that of the law without it",
                                      .unit = "m"};
static const trmi_parameter stiffness = {"stiffness",
                                         TRMI_PARAMETER_POSITIVE,
                                         offsetof(tyre, stiffness),
                                         .preset = "null",
                                         .help = "vertical, N/m; that of the law without it",
                                         .unit = "N/m"};
static const trmi_parameter damping = {"damping", TRMI_PARAMETER_NOT_NEGATIVE,
                                       offsetof(tyre, damping), .preset = "null",
                                       .help = "vertical, N s/m; that of the law without it, or 0"};
static const trmi_parameter slip = {
    "slip",
    TRMI_PARAMETER_CHOICE,
    offsetof(tyre, slip),
    .preset = "lateral",
    .choices = slips,
    .help = "lateral: no force along the wheel; combined: by the spin of the body as well"};
static const trmi_parameter low_speed = {
    "low_speed",
    TRMI_PARAMETER_POSITIVE,
    offsetof(tyre, low_speed),
    .preset = "null",
    .help = "below it slips stay finite: the tyre creeps instead of holding a parked car, m/s; "
            "that of the law without it, or 1",
    .unit = "m/s"};
static const trmi_parameter law_parameter = {
    "law", TRMI_PARAMETER_TYRE_LAW, offsetof(tyre, law), .required = true,
    .help = "what acts in the road: {calspan: {A0: .., ..}} or {pac2002: {file: NAME.tir, ..}}"};

static double choose(double given, const trmi_tyre_choice *law, int index, double otherwise)
{
    return !isnan(given) ? given : index >= 0 ? law->coefficient[index] : otherwise;
}

static bool finish_values(trmi_finish *finish, tyre *w)
{
    const trmi_tyre_law *law = w->law.law;
    w->force.size = choose(w->force.size, &w->law, law->radius, 0);
    w->stiffness = choose(w->stiffness, &w->law, law->stiffness, 0);
    w->damping = choose(w->damping, &w->law, law->damping, 0);
    w->low_speed = choose(w->low_speed, &w->law, law->low_speed, 1);
    if (!(w->force.size > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'radius'", w->force.name);
    if (!(w->stiffness > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'stiffness'", w->force.name);
    if (!(w->low_speed > 0))
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'low_speed' above 0",
                                     w->force.name);
    return w->slip == 0 || law->slip ||
           trmi_finish_error(finish, "slip", "the law '%s' has no force along the wheel",
                             law->name);
}

// the marker on the road has z along the normal
static bool finish_tyre(trmi_finish *finish, trmi_force *force)
{
    tyre *w = (tyre *)force;
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
        return trmi_finish_error(finish, trmi_given_vector(w->axis) ? "axis" : NULL,
                                 "the axle of '%.60s' points along the normal of the road",
                                 force->name);
    x = trmi_v3_scale(1 / size, x);
    force->frame = trmi_frame_of(x, trmi_v3_cross(w->normal, x), w->normal);
    return finish_values(finish, w);
}

// the marker on the wheel has y along the axle
static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const tyre *w = (const tyre *)force;
    trmi_element *e = trmi_force_add(m, force);
    trmi_m3 about = trmi_frame_about(w->axis);
    trmi_m3 second = trmi_frame_of(trmi_m3_column(about, 1), w->axis, trmi_m3_column(about, 0));
    e->damped = true;
    trmi_force_add_switch(e, force->size, 1);
    return trmi_force_rows_of(m, e, force->body, force->at, force->at_second, force->frame, second,
                              force->type->row);
}

const trmi_force_type trmi_force_tyre = {
    .name = "tyre",
    .help = "a tyre on a plane road",
    .one_sided = true,
    .row = {&trmi_slide[NORMAL], &trmi_wheel_forward, &trmi_wheel_side, &trmi_entry[7],
            &trmi_torque_along[AXLE], &trmi_world_torque[NORMAL]},
    .law = law,
    .parameter = {&between, &center, &axis, &at, &normal, &radius, &stiffness, &damping, &slip,
                  &low_speed, &law_parameter},
    .size = sizeof(tyre),
    .finish = finish_tyre,
    .make = make,
    .channel = channel,
    .channel_value = channel_value,
};
