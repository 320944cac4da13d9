// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/touch.h"

#include <math.h>

// ---- cores -----------------------------------------------------------------------------------

// In the axes of A: the middle of the line of B, its direction, and half of the box.
typedef struct line_and_box {
    double x[3], y[3], half_b;
    const double *half;
} line_and_box;

// how far x + t y is outside along axis i, signed
static double outside(const line_and_box *g, int i, double t)
{
    double z = g->x[i] + t * g->y[i], over = fabs(z) - g->half[i];
    return over > 0 ? copysign(over, z) : 0;
}

// half of the derivative of the squared distance by t, which grows with t
static double slope_at(const line_and_box *g, double t)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += outside(g, i, t) * g->y[i];
    return sum;
}

// The point t of the line that is nearest to the box: the zero of a function that is linear between
// the points where the line meets the planes of its faces. Between two zeros, their middle.
static double nearest_point(const line_and_box *g)
{
    double corner[8] = {-g->half_b, g->half_b};
    int count = 2;
    for (int i = 0; i < 3; i++)
        for (int side = -1; side <= 1; side += 2) {
            double t = g->y[i] != 0 ? (side * g->half[i] - g->x[i]) / g->y[i] : g->half_b;
            if (fabs(t) < g->half_b)
                corner[count++] = t;
        }
    double low = -g->half_b, high = g->half_b;
    double at_low = slope_at(g, low), at_high = slope_at(g, high);
    if (at_low > 0 || at_high < 0)
        return at_low > 0 ? low : high;
    for (int k = 2; k < count; k++) {
        double s = slope_at(g, corner[k]);
        if (s < 0 && corner[k] > low) {
            low = corner[k];
            at_low = s;
        } else if (s > 0 && corner[k] < high) {
            high = corner[k];
            at_high = s;
        }
    }
    if (at_low < 0 && at_high > 0) {
        double first = high, last = low; // of zeros between them
        for (int k = 2; k < count; k++)
            if (corner[k] > low && corner[k] < high && slope_at(g, corner[k]) == 0) {
                first = fmin(first, corner[k]);
                last = fmax(last, corner[k]);
            }
        return first <= last ? 0.5 * (first + last)
                             : low + (high - low) * at_low / (at_low - at_high);
    }
    // zero at one end or both: the part of the line where it is
    double first = at_low == 0 ? low : high, last = at_high == 0 ? high : low;
    for (int k = 2; k < count; k++)
        if (slope_at(g, corner[k]) == 0) {
            first = fmin(first, corner[k]);
            last = fmax(last, corner[k]);
        }
    return 0.5 * (first + last);
}

// The line is inside the box: the face that is nearest pushes it out.
static int nearest_face(const line_and_box *g, double t)
{
    int face = 0;
    double depth = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        double d = g->half[i] - fabs(g->x[i] + t * g->y[i]);
        if (d < depth) {
            depth = d;
            face = i;
        }
    }
    return face;
}

// out->c and its derivatives from t w - R_B n; t moves by tau_w.w + tau_v.v
static void place_contact(trmi_touch *out, trmi_v3 w, double t, double R, trmi_v3 tau_w,
                          trmi_v3 tau_v)
{
    trmi_m3 turn = trmi_m3_scale(-t, trmi_m3_cross(w)); // w x axis, times t
    out->c = trmi_v3_axpy(trmi_v3_scale(t, w), -R, out->n);
    out->c_w = trmi_m3_axpy(trmi_m3_axpy(turn, 1, trmi_m3_outer(w, tau_w)), -R, out->n_w);
    out->c_v = trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), 1, trmi_m3_outer(w, tau_v)), -R, out->n_v);
}

// With z = d + t w and e = Pi (z) - const, Pi onto the axes along which z is outside the box:
//
//     dt = -(Pi w . (v + t w' ) + e . w')/(w . Pi w),  w' = omega x w     where t is not at an end
//     de = Pi (v + t w' + dt w),   n = e/|e|,   dn = (1 - n n^T) de/|e|
void trmi_touch_cores(const trmi_view *view, trmi_touch *out)
{
    const trmi_form *f = view->data;
    const trmi_v3 zero = {0, 0, 0};
    trmi_v3 w = zero, e = zero;
    line_and_box g = {.half_b = f->half_b, .half = f->half};
    for (int i = 0; i < 3; i++)
        w = trmi_v3_axpy(w, trmi_component(f->axis_b, i), view->w[i]);
    for (int i = 0; i < 3; i++) {
        g.x[i] = trmi_v3_dot(view->u[i], view->d);
        g.y[i] = trmi_v3_dot(view->u[i], w);
    }
    double t = f->half_b > 0 ? nearest_point(&g) : 0;
    trmi_m3 Pi = {{zero, zero, zero}};
    for (int i = 0; i < 3; i++) {
        double over = outside(&g, i, t);
        e = trmi_v3_axpy(e, over, view->u[i]);
        if (over != 0)
            Pi = trmi_m3_axpy(Pi, 1, trmi_m3_outer(view->u[i], view->u[i]));
    }
    double distance = trmi_v3_length(e), radii = f->radius + f->radius_b;
    *out = (trmi_touch){.p = distance - radii};
    trmi_v3 tau_w = zero, tau_v = zero;
    if (!(distance > 0)) {
        int i = nearest_face(&g, t);
        double z = g.x[i] + t * g.y[i];
        out->p = fabs(z) - f->half[i] - radii;
        out->n = trmi_v3_scale(z < 0 ? -1 : 1, view->u[i]);
        place_contact(out, w, t, f->radius_b, tau_w, tau_v);
        return;
    }
    out->n = trmi_v3_scale(1 / distance, e);
    trmi_v3 across = trmi_m3_times(Pi, w);
    double square = trmi_v3_dot(across, across);
    if (fabs(t) < f->half_b && square > 1e-24) {
        tau_v = trmi_v3_scale(-1 / square, across);
        tau_w = trmi_v3_scale(-1 / square, trmi_v3_cross(w, trmi_v3_axpy(e, t, across)));
    }
    trmi_m3 turn = trmi_m3_scale(-t, trmi_m3_cross(w));
    trmi_m3 e_w = trmi_m3_axpy(trmi_m3_mul(Pi, turn), 1, trmi_m3_outer(across, tau_w));
    trmi_m3 e_v = trmi_m3_axpy(Pi, 1, trmi_m3_outer(across, tau_v));
    trmi_m3 flat = trmi_m3_scale(1 / distance,
                                 trmi_m3_axpy(trmi_m3_unit(), -1, trmi_m3_outer(out->n, out->n)));
    out->n_w = trmi_m3_mul(flat, e_w);
    out->n_v = trmi_m3_mul(flat, e_v);
    place_contact(out, w, t, f->radius_b, tau_w, tau_v);
}

// ---- rim -------------------------------------------------------------------------------------

// The lowest point of a rim, c = -R (n - (n.a) a)/q, q = sqrt(1 - (n.a)^2 + e^2). With e a disc
// that lies flat touches in its middle, and one that leans by more than e at its rim.
static const double ROUND = 1e-3;

void trmi_touch_rim(const trmi_view *view, trmi_touch *out)
{
    const trmi_form *f = view->data;
    trmi_v3 n = view->u[2], a = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        a = trmi_v3_axpy(a, trmi_component(f->axis_b, i), view->w[i]);
    double R = f->radius_b, c = trmi_v3_dot(n, a), q = sqrt(1 - c * c + ROUND * ROUND);
    trmi_v3 r = trmi_v3_scale(1 / q, trmi_v3_axpy(n, -c, a));
    trmi_m3 a_w = trmi_m3_scale(-1, trmi_m3_cross(a));
    trmi_v3 c_w = trmi_m3_tr_times(a_w, n); // dc = c_w . w, dq = -c dc/q
    trmi_m3 r_w = trmi_m3_axpy(trmi_m3_scale(-c / q, a_w), -1 / q, trmi_m3_outer(a, c_w));
    r_w = trmi_m3_axpy(r_w, c / (q * q), trmi_m3_outer(r, c_w));
    *out = (trmi_touch){.p = trmi_v3_dot(n, view->d) - R * q,
                        .n = n,
                        .c = trmi_v3_scale(-R, r),
                        .c_w = trmi_m3_scale(-R, r_w),
                        .c_v = trmi_m3_unit()};
}

// ---- rows ------------------------------------------------------------------------------------

// gamma = (c x s; s): velocity of c along s, with ds = s_w w + s_v v
static trmi_row_value row_along(const trmi_touch *at, trmi_v3 s, trmi_m3 s_w, trmi_m3 s_v)
{
    trmi_m3 back = trmi_m3_scale(-1, trmi_m3_cross(s)), arm = trmi_m3_cross(at->c);
    return (trmi_row_value){
        .gamma = {trmi_v3_cross(at->c, s), s},
        .H = {.aa = trmi_m3_axpy(trmi_m3_mul(back, at->c_w), 1, trmi_m3_mul(arm, s_w)),
              .al = trmi_m3_axpy(trmi_m3_mul(back, at->c_v), 1, trmi_m3_mul(arm, s_v)),
              .la = s_w,
              .ll = s_v}};
}

static trmi_row_value gap_row(const trmi_touch *at)
{
    trmi_row_value row = row_along(at, at->n, at->n_w, at->n_v);
    row.p = at->p;
    return row;
}

// s = u - n (n.u), ds = -dn (n.u) - n (dn.u)
static trmi_row_value slip_row(const trmi_touch *at, trmi_v3 u)
{
    double along = trmi_v3_dot(at->n, u);
    trmi_m3 s_w = trmi_m3_axpy(trmi_m3_scale(-along, at->n_w), -1,
                               trmi_m3_outer(at->n, trmi_m3_tr_times(at->n_w, u)));
    trmi_m3 s_v = trmi_m3_axpy(trmi_m3_scale(-along, at->n_v), -1,
                               trmi_m3_outer(at->n, trmi_m3_tr_times(at->n_v, u)));
    return row_along(at, trmi_v3_axpy(u, -along, at->n), s_w, s_v);
}

static trmi_touch find(const trmi_view *view)
{
    const trmi_form *form = view->data;
    trmi_touch at;
    form->find(view, &at);
    return at;
}

static trmi_row_value gap(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    const trmi_touch at = find(view);
    return gap_row(&at);
}

static trmi_row_value slip(const trmi_row_type *type, const trmi_view *view)
{
    const trmi_touch at = find(view);
    return slip_row(&at, view->u[type->axis]);
}

// the gap and the three slips
static void touch(const trmi_view *view, trmi_row_value *row)
{
    const trmi_touch at = find(view);
    row[0] = gap_row(&at);
    for (int k = 0; k < 3; k++)
        row[1 + k] = slip_row(&at, view->u[k]);
}

#define SLIP(label, k)                                                                             \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_GENERAL, .velocity = true, .axis = k, .evaluate = slip    \
    }
const trmi_row_type trmi_touch_gap = {
    .name = "gap", .shape = TRMI_ROW_GENERAL, .evaluate = gap, .evaluate_all = touch};
const trmi_row_type trmi_touch_slip[3] = {SLIP("slip_x", 0), SLIP("slip_y", 1), SLIP("slip_z", 2)};
