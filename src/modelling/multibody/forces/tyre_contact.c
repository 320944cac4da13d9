// SPDX-License-Identifier: Apache-2.0
// What a tyre does at the values of its rows.
//
// In the axes x, l, N of the wheel on the plane of reference the axle is a = (0, q, c), and a road
// that rises by s_x along x and s_l along l has the normal n = (-s_x, -s_l, 1)/w. Its own axes are
// x' = a x n/|a x n| and l' = n x x', the height above its tangent plane is h = (z - r)/w, and the
// force F = F_x x' + F_l l' + F_z n at C with the torque h (F_l + F_z tan ga) x' - h F_x/cos ga a +
// M_z n acts through the rows along x, l, N and about a x N, a, N.
//
// Relaxation: the slip y that the force sees follows that of the wheel, V_l/|V_x|, over a way,
// sigma y' = V_l - |V_x| y; the same along the wheel. Standing still the tyre is a spring then.
#include "modelling/multibody/forces/tyre.h"

#include <stdio.h>

#define add trmi_dual_add
#define sub trmi_dual_sub
#define mul trmi_dual_mul
#define over trmi_dual_div
#define line trmi_dual_line

// Derivatives are by these.
enum {
    BY_HEIGHT, // z - r
    BY_LEAN,
    BY_SINK,
    BY_FORWARD,
    BY_SIDE,
    BY_SPIN,
    BY_ACROSS, // slips that follow
    BY_ALONG,
    BY_RISE, // slopes of the road along and across the wheel
    BY_BANK
};

typedef struct vector {
    trmi_dual x, l, n; // along x, l, N
} vector;

typedef struct contact_state {
    trmi_dual height, lean, cosine; // above the tangent plane; sin and cos of the camber
    trmi_dual sink, forward, side;  // speeds of the centre along the normal, x', l'
    vector axes[3];                 // x', l', n of a road
    trmi_dual length[2];            // relaxation lengths across and along
    trmi_tyre_slip at;
    trmi_tyre_force force;
    trmi_road_point road;
    double slope[2][4]; // of rise and bank by x, y, a_x, a_y
} contact_state;

static bool is_uneven(const trmi_tyre *w)
{
    return w->road || w->road_along;
}

// which of its states is the way
static int way_of(const trmi_tyre *w)
{
    return !isnan(w->relaxation) + !isnan(w->relaxation_along);
}

// ---- the road --------------------------------------------------------------------------------

static trmi_road_point road_at(const trmi_tyre *w, const trmi_law_input *in, bool third)
{
    const double *lock = in->lock ? in->lock + 1 : NULL; // the first one is that of the contact
    return w->road ? trmi_road_at(w->road, in->road, in->p[TRMI_TYRE_X], in->p[TRMI_TYRE_Y], lock,
                                  third)
                   : trmi_road_at(w->road_along, in->road, in->x[way_of(w)], 0, lock, third);
}

static trmi_dual dot(vector a, vector b)
{
    return add(add(mul(a.x, b.x), mul(a.l, b.l)), mul(a.n, b.n));
}

static vector cross(vector a, vector b)
{
    return (vector){sub(mul(a.l, b.n), mul(a.n, b.l)), sub(mul(a.n, b.x), mul(a.x, b.n)),
                    sub(mul(a.x, b.l), mul(a.l, b.x))};
}

static vector scale(trmi_dual s, vector a)
{
    return (vector){mul(s, a.x), mul(s, a.l), mul(s, a.n)};
}

static trmi_dual inverse_length(vector a)
{
    return over(trmi_dual_constant(1), trmi_dual_sqrt(dot(a, a)));
}

// rise = (r_x a_y - r_y a_x)/q and bank = (r_x a_x + r_y a_y)/q, q = hypot(a_x, a_y)
static void find_slopes(contact_state *s, const double *p, trmi_dual *rise, trmi_dual *bank)
{
    const trmi_road_point *r = &s->road;
    double a = p[TRMI_TYRE_AXLE_X], b = p[TRMI_TYRE_AXLE_Y], q = hypot(a, b);
    a /= q, b /= q;
    double along = r->x * b - r->y * a, across = r->x * a + r->y * b;
    double of_rise[] = {r->xx * b - r->xy * a, r->xy * b - r->yy * a, -(r->y + along * a) / q,
                        (r->x - along * b) / q};
    double of_bank[] = {r->xx * a + r->xy * b, r->xy * a + r->yy * b, (r->x - across * a) / q,
                        (r->y - across * b) / q};
    for (int k = 0; k < 4; k++) {
        s->slope[0][k] = of_rise[k];
        s->slope[1][k] = of_bank[k];
    }
    *rise = trmi_dual_variable(along, BY_RISE);
    *bank = trmi_dual_variable(across, BY_BANK);
}

// height, camber and speeds in the axes of the road instead of those of the plane
static void tilt(const trmi_tyre *w, contact_state *s, const double *p)
{
    trmi_dual rise = trmi_dual_variable(s->road.x, BY_RISE), bank = trmi_dual_constant(0);
    trmi_dual one = trmi_dual_constant(1);
    if (w->road)
        find_slopes(s, p, &rise, &bank);
    vector up = {line(0, -1, rise), line(0, -1, bank), one}, axle = {.l = s->cosine, .n = s->lean};
    vector V = {s->forward, s->side, s->sink};
    trmi_dual shrink = inverse_length(up);
    s->axes[2] = scale(shrink, up);
    vector ahead = cross(axle, s->axes[2]);
    s->axes[0] = scale(inverse_length(ahead), ahead);
    s->axes[1] = cross(s->axes[2], s->axes[0]);
    s->height = mul(s->height, shrink);
    s->lean = dot(axle, s->axes[2]);
    s->forward = dot(V, s->axes[0]);
    s->side = dot(V, s->axes[1]);
    s->sink = dot(V, s->axes[2]);
}

// ---- contact ---------------------------------------------------------------------------------

// cos of the angle whose sine is given
static trmi_dual cosine_of(trmi_dual sine)
{
    double c = sqrt(1 - sine.v * sine.v);
    return trmi_dual_chain(c, -sine.v / c, sine);
}

// the speed that slips refer to: |v|, below the low speed s this and v^2 mixed, (s + v^2/s)/2
static trmi_dual reference_speed(double low, trmi_dual v)
{
    double x = v.v;
    return fabs(x) >= low ? trmi_dual_abs(v) : trmi_dual_chain((low + x * x / low) / 2, x / low, v);
}

static trmi_dual relaxation_length(const trmi_tyre *w, double given, bool along,
                                   const contact_state *s)
{
    return given > 0 ? trmi_dual_constant(given)
                     : w->law.law->length(w->law.coefficient, along, s->at.load, s->at.camber);
}

// slips: of the speeds, or those that follow them
static void find_slips(const trmi_tyre *w, const trmi_law_input *in, trmi_dual spin,
                       contact_state *s)
{
    trmi_dual speed = reference_speed(w->low_speed, s->forward);
    const double *x = in->x;
    s->at.direction = over(s->forward, speed);
    trmi_dual across = over(s->side, speed);
    s->at.slip = over(sub(line(0, w->force.size, spin), s->forward), speed);
    if (!isnan(w->relaxation)) {
        s->length[0] = relaxation_length(w, w->relaxation, false, s);
        across = trmi_dual_variable(*x++, BY_ACROSS);
    }
    if (!isnan(w->relaxation_along)) {
        s->length[1] = relaxation_length(w, w->relaxation_along, true, s);
        s->at.slip = trmi_dual_variable(*x, BY_ALONG);
    }
    s->at.angle = trmi_dual_atan(across);
}

static trmi_dual spin_of(const trmi_law_input *in)
{
    return trmi_dual_variable(in->v[TRMI_TYRE_SPIN], BY_SPIN);
}

// false: the tyre is in the air
static bool contact_at(const trmi_tyre *w, const trmi_law_input *in, contact_state *s)
{
    double R = w->force.size;
    const double *p = in->p, *v = in->v;
    *s = (contact_state){.at = {.mode = (trmi_tyre_mode)w->slip}};
    if (is_uneven(w))
        s->road = road_at(w, in, false);
    s->height = trmi_dual_variable(p[TRMI_TYRE_HEIGHT] - s->road.r, BY_HEIGHT);
    s->lean = trmi_dual_variable(p[TRMI_TYRE_LEAN], BY_LEAN);
    s->sink = trmi_dual_variable(v[TRMI_TYRE_HEIGHT], BY_SINK);
    s->forward = trmi_dual_variable(v[TRMI_TYRE_FORWARD], BY_FORWARD);
    s->side = trmi_dual_variable(v[TRMI_TYRE_SIDE], BY_SIDE);
    s->cosine = cosine_of(s->lean);
    if (is_uneven(w)) {
        tilt(w, s, p);
        s->cosine = cosine_of(s->lean);
    }
    s->at.camber = trmi_dual_chain(asin(s->lean.v), 1 / s->cosine.v, s->lean);
    s->at.load =
        add(line(w->stiffness * R, -w->stiffness, s->height), line(0, -w->damping, s->sink));
    bool open = in->lock && in->lock[0] != 0;
    if (open || s->height.v >= R || !(s->at.load.v > 0))
        return false;
    find_slips(w, in, spin_of(in), s);
    s->force = w->law.law->evaluate(w->law.coefficient, &s->at);
    return true;
}

// ---- law -------------------------------------------------------------------------------------

// derivatives of a number by the values and rates of the rows and by its states
static void put_slopes(const trmi_tyre *w, const contact_state *s, trmi_dual F, double *by_p,
                       double *by_v, double *by_x)
{
    by_p[TRMI_TYRE_HEIGHT] = F.d[BY_HEIGHT];
    by_p[TRMI_TYRE_LEAN] = F.d[BY_LEAN];
    by_v[TRMI_TYRE_HEIGHT] = F.d[BY_SINK];
    by_v[TRMI_TYRE_FORWARD] = F.d[BY_FORWARD];
    by_v[TRMI_TYRE_SIDE] = F.d[BY_SIDE];
    by_v[TRMI_TYRE_SPIN] = F.d[BY_SPIN];
    int k = 0;
    if (!isnan(w->relaxation))
        by_x[k++] = F.d[BY_ACROSS];
    if (!isnan(w->relaxation_along))
        by_x[k++] = F.d[BY_ALONG];
    if (w->road_along)
        by_x[k] = F.d[BY_RISE] * s->road.xx - F.d[BY_HEIGHT] * s->road.x;
    for (int i = 0; i < 4 && w->road; i++)
        by_p[TRMI_TYRE_X + i] = F.d[BY_RISE] * s->slope[0][i] + F.d[BY_BANK] * s->slope[1][i];
    if (w->road) {
        by_p[TRMI_TYRE_X] -= F.d[BY_HEIGHT] * s->road.x;
        by_p[TRMI_TYRE_Y] -= F.d[BY_HEIGHT] * s->road.y;
    }
}

static void put_row(const trmi_tyre *w, const contact_state *s, int row, trmi_dual F, trmi_law *out)
{
    out->F[row] = -F.v;
    put_slopes(w, s, line(0, -1, F), out->F_p[row], out->F_v[row], out->F_x[row]);
}

// force at C and torque in the axes x, l, N of the plane, through the rows; q and c of the plane
static void put_wrench(const trmi_tyre *w, const contact_state *s, const double *p, vector F,
                       vector T, trmi_law *out)
{
    trmi_dual c = trmi_dual_variable(p[TRMI_TYRE_LEAN], BY_LEAN);
    trmi_dual q = cosine_of(c), about = over(T.l, q);
    put_row(w, s, TRMI_TYRE_HEIGHT, F.n, out);
    put_row(w, s, TRMI_TYRE_FORWARD, F.x, out);
    put_row(w, s, TRMI_TYRE_SIDE, F.l, out);
    put_row(w, s, TRMI_TYRE_LEAN, over(T.x, q), out);
    put_row(w, s, TRMI_TYRE_SPIN, about, out);
    put_row(w, s, TRMI_TYRE_TURN, sub(T.n, mul(c, about)), out);
}

static vector sum_along(const vector axes[3], trmi_dual x, trmi_dual l, trmi_dual n)
{
    vector a = scale(x, axes[0]), b = scale(l, axes[1]), c = scale(n, axes[2]);
    return (vector){add(add(a.x, b.x), c.x), add(add(a.l, b.l), c.l), add(add(a.n, b.n), c.n)};
}

// the torque about C: T_x along x', T_a along the axle a = cos ga l' + sin ga n, M_z along n
static void put_contact(const trmi_tyre *w, const contact_state *s, const double *p, trmi_law *out)
{
    trmi_dual load = s->at.load, along = s->force.along, across = s->force.across;
    trmi_dual roll = add(across, mul(load, over(s->lean, s->cosine)));
    trmi_dual T_x = mul(s->height, roll);
    trmi_dual T_a = over(mul(line(0, -1, s->height), along), s->cosine);
    if (is_uneven(w)) {
        trmi_dual T_n = add(s->force.moment, mul(T_a, s->lean));
        put_wrench(w, s, p, sum_along(s->axes, along, across, load),
                   sum_along(s->axes, T_x, mul(T_a, s->cosine), T_n), out);
        return;
    }
    put_row(w, s, TRMI_TYRE_HEIGHT, load, out);
    put_row(w, s, TRMI_TYRE_FORWARD, along, out);
    put_row(w, s, TRMI_TYRE_SIDE, across, out);
    put_row(w, s, TRMI_TYRE_LEAN, over(T_x, s->cosine), out);
    put_row(w, s, TRMI_TYRE_SPIN, T_a, out);
    put_row(w, s, TRMI_TYRE_TURN, s->force.moment, out);
}

// y' = (V - |V_x| y)/sigma, where the tread slides over the road with V; in the air y comes back to
// 0, as fast as it would by rolling, at least at the low speed
static void put_rates(const trmi_tyre *w, const trmi_law_input *in, const contact_state *s,
                      bool touches, trmi_law *out)
{
    const double given[2] = {w->relaxation, w->relaxation_along};
    trmi_dual slide[2] = {s->side, sub(line(0, w->force.size, spin_of(in)), s->forward)};
    trmi_dual speed =
        touches ? trmi_dual_abs(s->forward) : reference_speed(w->low_speed, s->forward);
    for (int i = 0, k = 0; i < 2; i++) {
        if (isnan(given[i]))
            continue;
        trmi_dual y = trmi_dual_variable(in->x[k], BY_ACROSS + i);
        trmi_dual length =
            touches ? s->length[i] : trmi_dual_constant(given[i] > 0 ? given[i] : w->force.size);
        trmi_dual rate = line(0, -1, mul(speed, y));
        rate = over(touches ? add(slide[i], rate) : rate, length);
        out->c[k] = rate.v;
        put_slopes(w, s, rate, out->c_p[k], out->c_v[k], out->c_x[k]);
        k++;
    }
    if (!w->road_along)
        return;
    out->c[way_of(w)] = in->v[TRMI_TYRE_FORWARD];
    out->c_v[way_of(w)][TRMI_TYRE_FORWARD] = 1;
}

// energy: that of the spring is stored, the rest is lost; also while the damper holds the spring of
// a tyre that rises faster than it relaxes, F = 0
void trmi_tyre_act(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_tyre *w = (const trmi_tyre *)element->force;
    double by_p[TRMI_MAX_ROWS] = {0}, by_v[TRMI_MAX_ROWS], by_x[TRMI_MAX_OWN_STATES];
    double rise; // of the road below the wheel, per time
    contact_state s;
    out->failed = !(fabs(in->p[TRMI_TYRE_LEAN]) < 1);
    if (out->failed)
        return;
    bool touches = contact_at(w, in, &s);
    put_rates(w, in, &s, touches, out);
    if (!isfinite(s.height.v)) // of a road without a value, which is not the air
        out->F[TRMI_TYRE_HEIGHT] = NAN;
    double deflection = w->force.size - s.height.v;
    if (!(deflection > 0))
        return;
    if (touches)
        put_contact(w, &s, in->p, out);
    put_slopes(w, &s, s.height, by_p, by_v, by_x);
    rise = w->road_along ? by_x[way_of(w)] * in->v[TRMI_TYRE_FORWARD] : 0;
    out->dissipated = w->stiffness * deflection * rise;
    out->potential = w->stiffness * deflection * deflection / 2;
    for (int r = 0; r < element->set.rows; r++)
        out->dissipated += (out->F[r] + w->stiffness * deflection * by_p[r]) * in->v[r];
}

// of the contact, then of s and -s of each condition
void trmi_tyre_gaps(const trmi_element *element, const trmi_law_input *in, const double *second,
                    trmi_gap *out)
{
    const trmi_tyre *w = (const trmi_tyre *)element->force;
    static const int plane[3] = {TRMI_TYRE_X, TRMI_TYRE_Y, TRMI_TYRE_HEIGHT};
    static const int line_ahead[3] = {TRMI_TYRE_FORWARD, TRMI_TYRE_FORWARD, TRMI_TYRE_HEIGHT};
    const int *row = w->road ? plane : line_ahead;
    double place[3], velocity[3], acceleration[3], height[3], s[3 * TRMI_MAX_KINKS];
    for (int k = 0; k < 3; k++) {
        place[k] = in->p[row[k]];
        velocity[k] = in->v[row[k]];
        acceleration[k] = second ? second[row[k]] : 0;
    }
    trmi_road_point r = road_at(w, in, true); // along a way nothing depends on the second place
    trmi_road_height(&r, place, velocity, acceleration, height);
    out[0] = (trmi_gap){height[0] - element->force->size, height[1], height[2]};
    trmi_road_conditions(element->road, in->road, velocity, acceleration, s);
    for (int k = 0; k < 2 * element->road->conditions; k++) {
        double sign = k % 2 == 0 ? 1 : -1, *of = s + 3 * (k / 2);
        out[1 + k] = (trmi_gap){sign * of[0], sign * of[1], sign * of[2]};
    }
}

// ---- warnings --------------------------------------------------------------------------------

// A wheel does not roll over what is steeper than 45 degrees, and half of its radius is rim.
bool trmi_tyre_warn(const trmi_element *element, const trmi_force_work *work,
                    const trmi_set_state *x, const trmi_law *law, char *text, size_t size)
{
    const trmi_tyre *w = (const trmi_tyre *)element->force;
    double deflection = sqrt(2 * law->potential / w->stiffness), d[6] = {0};
    (void)x;
    if (element->road)
        trmi_tape_fetch(element->road->tape, work->road + element->first_register, TRMI_ROAD_SECOND,
                        d);
    double slope = hypot(d[1], d[2]);
    if (slope > 1)
        snprintf(text, size,
                 "the road of tyre '%.60s' is steeper than 45 degrees: it rises by %.3g m per "
                 "metre; places and heights are in metres",
                 w->force.name, slope);
    else if (deflection > w->force.size / 2)
        snprintf(text, size,
                 "the road of tyre '%.60s' presses it by %.3g m, and its radius is %.3g m: places "
                 "and heights are in metres",
                 w->force.name, deflection, w->force.size);
    else
        return false;
    return true;
}

// ---- channels --------------------------------------------------------------------------------

double trmi_tyre_channel(const trmi_element *element, const trmi_law_input *in, int part)
{
    contact_state s;
    bool touches = contact_at((const trmi_tyre *)element->force, in, &s);
    const double value[] = {s.at.load.v,     s.at.slip.v,      s.at.angle.v,     s.at.camber.v,
                            s.force.along.v, s.force.across.v, s.force.moment.v, s.road.r};
    bool geometry = part == 3 || part == 7;
    return touches || geometry ? value[part] : 0;
}
