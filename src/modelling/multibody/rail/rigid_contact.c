// SPDX-License-Identifier: Apache-2.0
// Rigid contact, the soft minimum without softness: the smallest distance d(xi; x) over the
// profile, where d_xi = 0. Its derivatives by the variables x are
//
//     gap_i = d_i,   xi_i = -d_i,xi / d_xi,xi,   gap_ij = d_ij - d_i,xi d_j,xi / d_xi,xi
//
// At the ends of the profile xi stays.
#include "modelling/multibody/rail/wheel_rail.h"

#include <float.h>
#include <math.h>

enum { Y = TRMI_RAIL_Y, Z = TRMI_RAIL_Z, LX = TRMI_RAIL_L, LY, LZ, XI, ALL };

// iterations for xi; they converge in four or less
enum { MAX_ITERATIONS = 20 };

// ---- numbers with first and second derivatives by l_x and xi ----------------------------------

typedef struct jet {
    double v, x, s, xx, xs, ss; // value; by l_x, xi; second ones
} jet;

static jet product(jet a, jet b)
{
    return (jet){a.v * b.v,
                 a.x * b.v + a.v * b.x,
                 a.s * b.v + a.v * b.s,
                 a.xx * b.v + 2 * a.x * b.x + a.v * b.xx,
                 a.xs * b.v + a.x * b.s + a.s * b.x + a.v * b.xs,
                 a.ss * b.v + 2 * a.s * b.s + a.v * b.ss};
}

// c + f a
static jet line(double c, double f, jet a)
{
    return (jet){c + f * a.v, f * a.x, f * a.s, f * a.xx, f * a.xs, f * a.ss};
}

// a + f b
static jet sum(jet a, double f, jet b)
{
    return (jet){a.v + f * b.v,   a.x + f * b.x,   a.s + f * b.s,
                 a.xx + f * b.xx, a.xs + f * b.xs, a.ss + f * b.ss};
}

// a^p
static jet power(jet a, double p)
{
    double value = pow(a.v, p), d = p * value / a.v, dd = (p - 1) * d / a.v;
    return (jet){value,
                 d * a.x,
                 d * a.s,
                 dd * a.x * a.x + d * a.xx,
                 dd * a.x * a.s + d * a.xs,
                 dd * a.s * a.s + d * a.ss};
}

// ---- one point of the profile ------------------------------------------------------------------

// P_y or P_z with their derivatives
typedef struct coordinate {
    double v, d[ALL], dd[ALL][ALL];
} coordinate;

// own + l_y a + l_z b
static coordinate coordinate_of(int own, const double *x, jet a, jet b)
{
    const jet p = sum(line(x[own], x[LY], a), x[LZ], b);
    coordinate c = {.v = p.v, .d = {[LX] = p.x, [LY] = a.v, [LZ] = b.v, [XI] = p.s}};
    c.d[own] = 1;
    c.dd[LX][LX] = p.xx;
    c.dd[LX][LY] = a.x;
    c.dd[LX][LZ] = b.x;
    c.dd[LX][XI] = p.xs;
    c.dd[LY][XI] = a.s;
    c.dd[LZ][XI] = b.s;
    c.dd[XI][XI] = p.ss;
    return c;
}

// P_y = y + m l_y + k l_z,  P_z = z + m l_z - k l_y,
// m = -xi - R R' l_x^2/c^2,  k = R sqrt(c^2 - R'^2 l_x^2)/c^2
static void find_place(const trmi_wheel_rail *w, const double *x, double xi, coordinate P[2])
{
    double F[4];
    trmi_interpolant_orders(w->wheel, xi, 3, F);
    const jet R = {.v = w->radius + F[0], .s = F[1], .ss = F[2]};
    const jet slope = {.v = -F[1], .s = -F[2], .ss = -F[3]}, way = {.v = xi, .s = 1};
    const jet lx = {.v = x[LX], .x = 1}, c2 = line(1, -1, product(lx, lx)), by = power(c2, -1);
    const jet cross = product(slope, lx), root = power(sum(c2, -1, product(cross, cross)), 0.5);
    const jet m = sum(line(0, -1, way), -1, product(product(R, cross), product(lx, by)));
    const jet k = product(product(R, root), by);
    P[0] = coordinate_of(Y, x, m, k);
    P[1] = coordinate_of(Z, x, line(0, -1, k), m);
}

// d and its derivatives by all variables; of the second ones the upper half
typedef struct reach {
    double d, d_i[ALL], d_ij[ALL][ALL];
} reach;

static reach reach_at(const trmi_wheel_rail *w, const double *x, double xi)
{
    const double C = w->cosine, S = w->sine;
    coordinate P[2];
    double D[4];
    reach r;
    find_place(w, x, xi, P);
    trmi_interpolant_orders(w->rail, -C * P[0].v - S * P[1].v, 3, D);
    double q2 = 1 + D[1] * D[1], nu = 1 / sqrt(q2), nu3 = nu / q2,
           H = C * P[1].v - S * P[0].v + D[0];
    double both = -D[1] * D[2] * nu3, tau = D[1] * nu + H * both; // by nu and tau, and by tau
    double twice = (D[2] - D[1] * D[1] * D[2] - H * (D[2] * D[2] + D[1] * D[3])) * nu3 +
                   3 * H * D[1] * D[1] * D[2] * D[2] * nu3 / q2;
    double d_y = -C * tau - S * nu, d_z = C * nu - S * tau;
    double d_yy = C * C * twice + 2 * C * S * both, d_zz = S * S * twice - 2 * C * S * both;
    double d_yz = C * S * twice + (S * S - C * C) * both;
    r.d = H * nu;
    for (int i = 0; i < ALL; i++) {
        double y_i = P[0].d[i], z_i = P[1].d[i];
        r.d_i[i] = d_y * y_i + d_z * z_i;
        for (int j = i; j < ALL; j++) {
            double y_j = P[0].d[j], z_j = P[1].d[j];
            r.d_ij[i][j] = d_yy * y_i * y_j + d_zz * z_i * z_j + d_yz * (y_i * z_j + z_i * y_j) +
                           d_y * P[0].dd[i][j] + d_z * P[1].dd[i][j];
        }
    }
    return r;
}

// ---- the contact -------------------------------------------------------------------------------

// Newton's method for d_xi = 0 between the neighbours of the nearest point of the profile. True:
// the smallest distance is inside, otherwise at an end of the profile.
static bool find_minimum(const trmi_wheel_rail *w, const double *x, double *xi, reach *r)
{
    const trmi_wheel_points *at = &w->points;
    int nearest = trmi_wheel_rail_nearest(w, x);
    double lower = at->xi[nearest > 0 ? nearest - 1 : 0];
    double upper = at->xi[nearest < at->count - 1 ? nearest + 1 : nearest];
    *xi = at->xi[nearest];
    for (int i = 0;; i++) {
        *r = reach_at(w, x, *xi);
        if (r->d_i[XI] > 0)
            upper = *xi;
        else
            lower = *xi;
        double next = *xi - r->d_i[XI] / r->d_ij[XI][XI], before = *xi;
        if (!(r->d_ij[XI][XI] > 0 && next >= lower && next <= upper))
            next = (lower + upper) / 2;
        bool done = fabs(next - before) <= 4 * DBL_EPSILON * w->radius || i == MAX_ITERATIONS;
        if (done)
            return r->d_ij[XI][XI] > 0 && before > at->xi[0] && before < at->xi[at->count - 1];
        *xi = next;
    }
}

void trmi_wheel_rail_touch_rigid(const trmi_wheel_rail *w, const double x[TRMI_RAIL_VARIABLES],
                                 bool second, trmi_rail_contact *out)
{
    reach r;
    double xi;
    bool inside = find_minimum(w, x, &xi, &r);
    *out = (trmi_rail_contact){.gap = r.d - w->gap_0, .xi = xi};
    for (int i = 0; i < TRMI_RAIL_VARIABLES; i++) {
        out->gap_i[i] = r.d_i[i];
        if (second && inside)
            out->xi_i[i] = -r.d_ij[i][XI] / r.d_ij[XI][XI];
    }
    for (int i = 0; second && i < TRMI_RAIL_VARIABLES; i++)
        for (int j = i; j < TRMI_RAIL_VARIABLES; j++)
            out->gap_ij[i][j] = out->gap_ij[j][i] = r.d_ij[i][j] + out->xi_i[i] * r.d_ij[j][XI];
}
