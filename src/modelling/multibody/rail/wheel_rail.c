// SPDX-License-Identifier: Apache-2.0
// The soft minimum of the distances between wheel and rail, with exact first and second
// derivatives.
#include "modelling/multibody/rail/wheel_rail.h"

#include <math.h>
#include <string.h>

enum { Y = TRMI_RAIL_Y, Z = TRMI_RAIL_Z, LX = TRMI_RAIL_L, LY, LZ, N = TRMI_RAIL_VARIABLES };

// Points whose weight is below exp(-this) of the largest one are left out: roundoff.
static const double NEGLIGIBLE = 37;

bool trmi_wheel_rail_create(trmi_wheel_rail *pair, trmi_memory *memory, int points)
{
    trmi_wheel_point *point;
    const trmi_interpolant *F = pair->wheel;
    double first = F->x[0], length = F->x[F->count - 1] - first;
    if (!TRMI_TAKE(memory, point, points))
        return false;
    for (int j = 0; j < points; j++) {
        double xi = first + length * j / (points - 1), f[2];
        trmi_interpolant_orders(F, xi, 1, f);
        point[j] = (trmi_wheel_point){xi, pair->radius + f[0], -f[1]};
    }
    pair->points = points;
    pair->point = point;
    return true;
}

// ---- one point of the profile ----------------------------------------------------------------

// What all points have in common: the direction of the axle.
typedef struct axle {
    double l[3], c2; // c2 = 1 - l_x^2
} axle;

// P_y = y + m l_y + k l_z,  P_z = z + m l_z - k l_y,  m = a - R A,  k = R Q,
// A = R' l_x^2/c2,  Q = beta/c, with their derivatives by l_x
typedef struct trace {
    double m, m_x, m_xx, k, k_x, k_xx;
} trace;

static double square_of_Q(const axle *l, double slope)
{
    double x2 = l->l[0] * l->l[0];
    return (l->c2 - slope * slope * x2) / (l->c2 * l->c2);
}

static trace trace_at(const axle *l, const trmi_wheel_point *p)
{
    double x = l->l[0], x2 = x * x, c2 = l->c2, s = p->slope, R = p->R;
    double Q = sqrt(square_of_Q(l, s)), c4 = c2 * c2, c6 = c4 * c2;
    double q_x = 2 * x / c4 - s * s * 2 * x * (1 + x2) / c6; // of Q^2
    double q_xx = 2 * (1 + 3 * x2) / c6 - s * s * (2 + 16 * x2 + 6 * x2 * x2) / (c4 * c4);
    double Q_x = q_x / (2 * Q), Q_xx = (0.5 * q_xx - Q_x * Q_x) / Q;
    return (trace){.m = -p->xi - R * s * x2 / c2,
                   .m_x = -R * 2 * s * x / c4,
                   .m_xx = -R * 2 * s * (1 + 3 * x2) / c6,
                   .k = R * Q,
                   .k_x = R * Q_x,
                   .k_xx = R * Q_xx};
}

// place of the point across the rail, in the axes of the rail
typedef struct across {
    double tau, nu;
} across;

static across place(const trmi_wheel_rail *w, const double x[N], const axle *l, double m, double k)
{
    double y = x[Y] + m * l->l[1] + k * l->l[2], z = x[Z] + m * l->l[2] - k * l->l[1];
    return (across){-w->cosine * y - w->sine * z, w->cosine * z - w->sine * y};
}

static double distance_at(const trmi_wheel_rail *w, const double x[N], const axle *l,
                          const trmi_wheel_point *p)
{
    double m = -p->xi - p->R * p->slope * l->l[0] * l->l[0] / l->c2;
    double k = p->R * sqrt(square_of_Q(l, p->slope)), D[2];
    across at = place(w, x, l, m, k);
    trmi_interpolant_orders(w->rail, at.tau, 1, D);
    return (at.nu + D[0]) / sqrt(1 + D[1] * D[1]);
}

// d and its derivatives by P_y, P_z
typedef struct distance {
    double d, d_y, d_z, d_yy, d_yz, d_zz;
} distance;

static distance differentiate(const trmi_wheel_rail *w, across at)
{
    double D[4], C = w->cosine, S = w->sine;
    trmi_interpolant_orders(w->rail, at.tau, 3, D);
    double q = sqrt(1 + D[1] * D[1]), q3 = q * q * q, H = at.nu + D[0];
    double nu = 1 / q, tau = D[1] / q - H * D[1] * D[2] / q3, both = -D[1] * D[2] / q3;
    double twice = (D[2] - D[1] * D[1] * D[2] - H * (D[2] * D[2] + D[1] * D[3])) / q3 +
                   3 * H * D[1] * D[1] * D[2] * D[2] / (q3 * q * q);
    return (distance){.d = H / q,
                      .d_y = -C * tau - S * nu,
                      .d_z = C * nu - S * tau,
                      .d_yy = C * C * twice + 2 * C * S * both,
                      .d_yz = C * S * twice + (S * S - C * C) * both,
                      .d_zz = S * S * twice - 2 * C * S * both};
}

// gradient and second derivatives of d_j by the variables; of h the upper half
static void differentiate_point(const trmi_wheel_rail *w, const double x[N], const axle *l,
                                const trmi_wheel_point *p, double g[N], double h[N][N])
{
    const trace t = trace_at(l, p);
    const distance d = differentiate(w, place(w, x, l, t.m, t.k));
    double ly = l->l[1], lz = l->l[2];
    const double P_y[N] = {1, 0, t.m_x * ly + t.k_x * lz, t.m, t.k};
    const double P_z[N] = {0, 1, t.m_x * lz - t.k_x * ly, -t.k, t.m};
    for (int i = 0; i < N; i++) {
        g[i] = d.d_y * P_y[i] + d.d_z * P_z[i];
        for (int j = i; j < N; j++)
            h[i][j] = d.d_yy * P_y[i] * P_y[j] + d.d_zz * P_z[i] * P_z[j] +
                      d.d_yz * (P_y[i] * P_z[j] + P_z[i] * P_y[j]);
    }
    h[LX][LX] += d.d_y * (t.m_xx * ly + t.k_xx * lz) + d.d_z * (t.m_xx * lz - t.k_xx * ly);
    h[LX][LY] += d.d_y * t.m_x - d.d_z * t.k_x;
    h[LX][LZ] += d.d_y * t.k_x + d.d_z * t.m_x;
}

// ---- all points ------------------------------------------------------------------------------

static axle axle_of(const double x[N])
{
    return (axle){{x[LX], x[LY], x[LZ]}, 1 - x[LX] * x[LX]};
}

double trmi_wheel_rail_distance(const trmi_wheel_rail *w, const double x[N])
{
    const axle l = axle_of(x);
    double smallest = HUGE_VAL;
    for (int j = 0; j < w->points; j++)
        smallest = fmin(smallest, distance_at(w, x, &l, &w->point[j]));
    return smallest;
}

// Sums over the points, with their weights.
typedef struct sums {
    double weight, xi, g[N], xi_g[N], gg[N][N], h[N][N];
} sums;

static void add_point(sums *s, double weight, double xi, const double g[N], double h[N][N])
{
    s->weight += weight;
    s->xi += weight * xi;
    for (int i = 0; i < N; i++) {
        s->g[i] += weight * g[i];
        s->xi_g[i] += weight * xi * g[i];
        for (int j = i; j < N; j++) {
            s->gg[i][j] += weight * g[i] * g[j];
            s->h[i][j] += weight * h[i][j];
        }
    }
}

// gap_i = <g_i>,  gap_ij = <h_ij> - (<g_i g_j> - <g_i><g_j>)/eps,  xi_i = (<xi><g_i> - <xi
// g_i>)/eps
static void finish_sums(const sums *s, double smallest, const trmi_wheel_rail *w,
                        trmi_rail_contact *out)
{
    double eps = w->softness, W = s->weight;
    out->gap = smallest - eps * log(W) - w->gap_0;
    out->xi = s->xi / W;
    for (int i = 0; i < N; i++) {
        out->gap_i[i] = s->g[i] / W;
        out->xi_i[i] = (out->xi * out->gap_i[i] - s->xi_g[i] / W) / eps;
    }
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double scatter = s->gg[i][j] / W - out->gap_i[i] * out->gap_i[j];
            out->gap_ij[i][j] = out->gap_ij[j][i] = s->h[i][j] / W - scatter / eps;
        }
}

void trmi_wheel_rail_touch(const trmi_wheel_rail *w, const double x[N], trmi_rail_contact *out)
{
    const axle l = axle_of(x);
    double d[TRMI_MAX_WHEEL_POINTS], smallest = HUGE_VAL, g[N], h[N][N];
    sums s = {0};
    for (int j = 0; j < w->points; j++) {
        d[j] = distance_at(w, x, &l, &w->point[j]);
        smallest = fmin(smallest, d[j]);
    }
    for (int j = 0; j < w->points; j++) {
        if (!(d[j] <= smallest + NEGLIGIBLE * w->softness))
            continue;
        differentiate_point(w, x, &l, &w->point[j], g, h);
        add_point(&s, exp((smallest - d[j]) / w->softness), w->point[j].xi, g, h);
    }
    finish_sums(&s, smallest, w, out);
}

// ---- rows ------------------------------------------------------------------------------------

void trmi_wheel_rail_variables(const trmi_view *view, double x[N], trmi_row_value row[N])
{
    const trmi_v3 axle = view->w[1];
    row[Y] = trmi_row_slide(view, view->u[1]);
    row[Z] = trmi_row_slide(view, view->u[2]);
    for (int k = 0; k < 3; k++)
        row[LX + k] = trmi_row_dot(view->u[k], axle);
    for (int i = 0; i < N; i++)
        x[i] = row[i].p;
}

trmi_row_value trmi_wheel_rail_row(const trmi_view *view)
{
    double x[N];
    trmi_row_value row[N];
    trmi_rail_contact contact;
    trmi_composition f;
    trmi_wheel_rail_variables(view, x, row);
    trmi_wheel_rail_touch(view->data, x, &contact);
    f.f = -contact.gap;
    for (int i = 0; i < N; i++) {
        f.f_i[i] = -contact.gap_i[i];
        for (int j = 0; j < N; j++)
            f.f_ij[i][j] = -contact.gap_ij[i][j];
    }
    return trmi_row_composite(N, row, &f);
}
