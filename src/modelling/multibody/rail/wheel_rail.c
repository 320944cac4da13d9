// SPDX-License-Identifier: Apache-2.0
// The soft minimum of the distances between wheel and rail, with exact first and second
// derivatives.
#include "modelling/multibody/rail/wheel_rail.h"

#include <math.h>
#include <string.h>

enum { Y = TRMI_RAIL_Y, Z = TRMI_RAIL_Z, LX = TRMI_RAIL_L, LY, LZ, N = TRMI_RAIL_VARIABLES };

// Points whose weight is below exp(-this) of the largest one are left out: roundoff.
static const double NEGLIGIBLE = 37;

// ---- creation --------------------------------------------------------------------------------

// D as cubics in tau - from; before the first and after the last point it is straight.
static bool create_pieces(trmi_wheel_rail *pair, trmi_memory *memory)
{
    const trmi_interpolant *D = pair->rail;
    trmi_rail_piece *piece;
    pair->pieces = D->count + 1;
    if (!TRMI_TAKE(memory, piece, pair->pieces))
        return false;
    for (int i = 0; i < pair->pieces; i++) {
        double from = D->x[i == 0 ? 0 : i - 1], d[4];
        bool inside = i > 0 && i < D->count;
        trmi_interpolant_orders(D, from, 3, d);
        piece[i] = (trmi_rail_piece){from, {d[0]}};
        piece[i].d[1] = inside ? d[1] : trmi_interpolant_at(D, 1, i == 0 ? from - 1 : from + 1);
        piece[i].d[2] = inside ? d[2] / 2 : 0;
        piece[i].d[3] = inside ? d[3] / 6 : 0;
    }
    pair->piece = piece;
    return true;
}

bool trmi_wheel_rail_create(trmi_wheel_rail *pair, trmi_memory *memory, int points)
{
    trmi_wheel_points *at = &pair->points;
    const trmi_interpolant *F = pair->wheel;
    double first = F->x[0], length = F->x[F->count - 1] - first;
    if (!TRMI_TAKE(memory, at->xi, points) || !TRMI_TAKE(memory, at->R, points) ||
        !TRMI_TAKE(memory, at->slope, points))
        return false;
    for (int j = 0; j < points; j++) {
        double xi = first + length * j / (points - 1), f[2];
        trmi_interpolant_orders(F, xi, 1, f);
        at->xi[j] = xi;
        at->R[j] = pair->radius + f[0];
        at->slope[j] = -f[1];
    }
    at->count = points;
    return create_pieces(pair, memory);
}

// ---- places of all points --------------------------------------------------------------------

// The direction of the axle, and what depends on l_x alone.
typedef struct axle {
    double l[3], x2, c2;        // l_x^2, c^2 = 1 - l_x^2
    double by_c2, by_c4, by_c6; // 1/c^2, 1/c^4, 1/c^6
} axle;

static axle axle_of(const double x[N])
{
    double x2 = x[LX] * x[LX], c2 = 1 - x2;
    return (axle){{x[LX], x[LY], x[LZ]}, x2, c2, 1 / c2, 1 / (c2 * c2), 1 / (c2 * c2 * c2)};
}

// P_y = y + m l_y + k l_z,  P_z = z + m l_z - k l_y,
// m = a - R R' l_x^2/c^2,  k = R beta/c = R sqrt(c^2 - R'^2 l_x^2)/c^2
typedef struct places {
    double m[TRMI_MAX_WHEEL_POINTS], k[TRMI_MAX_WHEEL_POINTS];
    double tau[TRMI_MAX_WHEEL_POINTS], d[TRMI_MAX_WHEEL_POINTS];
    double H[TRMI_MAX_WHEEL_POINTS]; // nu + D
    int piece[TRMI_MAX_WHEEL_POINTS];
    double smallest; // d
} places;

static void find_traces(const trmi_wheel_rail *w, const double x[N], const axle *l, places *p)
{
    const double x2 = l->x2, c2 = l->c2, C = w->cosine, S = w->sine;
    const double *xi = w->points.xi, *R = w->points.R, *slope = w->points.slope;
    const double tau_m = -C * l->l[1] - S * l->l[2], tau_k = -C * l->l[2] + S * l->l[1];
    const double tau_0 = -C * x[Y] - S * x[Z], nu_0 = C * x[Z] - S * x[Y];
    for (int j = 0; j < w->points.count; j++) {
        double m = -xi[j] - R[j] * slope[j] * x2 * l->by_c2;
        double k = R[j] * sqrt(c2 - slope[j] * slope[j] * x2) * l->by_c2;
        p->m[j] = m;
        p->k[j] = k;
        p->tau[j] = tau_0 + tau_m * m + tau_k * k;
        p->H[j] = nu_0 - tau_k * m + tau_m * k;
    }
}

// the piece that tau lies in, from that of the last point on
static int find_piece(const trmi_wheel_rail *w, double tau, int i)
{
    while (i > 0 && tau < w->piece[i].from)
        i--;
    while (i < w->pieces - 1 && tau >= w->piece[i + 1].from)
        i++;
    return i;
}

static void find_distances(const trmi_wheel_rail *w, places *p)
{
    const int count = w->points.count;
    double square[TRMI_MAX_WHEEL_POINTS];
    for (int j = 0, i = 0; j < count; j++) {
        i = find_piece(w, p->tau[j], i);
        const double *d = w->piece[i].d, e = p->tau[j] - w->piece[i].from;
        double slope = d[1] + e * (2 * d[2] + e * 3 * d[3]);
        p->piece[j] = i;
        p->H[j] += d[0] + e * (d[1] + e * (d[2] + e * d[3]));
        square[j] = 1 + slope * slope;
    }
    for (int j = 0; j < count; j++)
        p->d[j] = p->H[j] / sqrt(square[j]);
    p->smallest = HUGE_VAL;
    for (int j = 0; j < count; j++)
        p->smallest = p->d[j] < p->smallest ? p->d[j] : p->smallest;
}

double trmi_wheel_rail_distance(const trmi_wheel_rail *w, const double x[N])
{
    const axle l = axle_of(x);
    places p;
    find_traces(w, x, &l, &p);
    find_distances(w, &p);
    return p.smallest;
}

// ---- one point of the profile ----------------------------------------------------------------

// d and its derivatives by P_y, P_z
typedef struct distance {
    double d_y, d_z, d_yy, d_yz, d_zz;
} distance;

static distance differentiate(const trmi_wheel_rail *w, const places *p, int j, bool second)
{
    const trmi_rail_piece *piece = &w->piece[p->piece[j]];
    const double *d = piece->d, e = p->tau[j] - piece->from, C = w->cosine, S = w->sine;
    double D_1 = d[1] + e * (2 * d[2] + e * 3 * d[3]), D_2 = 2 * d[2] + 6 * e * d[3];
    double q2 = 1 + D_1 * D_1, H = p->H[j], nu = 1 / sqrt(q2), nu3 = nu / q2;
    double both = -D_1 * D_2 * nu3, tau = D_1 * nu + H * both;
    distance out = {.d_y = -C * tau - S * nu, .d_z = C * nu - S * tau};
    if (!second)
        return out;
    double twice = (D_2 - D_1 * D_1 * D_2 - H * (D_2 * D_2 + D_1 * 6 * d[3])) * nu3 +
                   3 * H * D_1 * D_1 * D_2 * D_2 * nu3 / q2;
    out.d_yy = C * C * twice + 2 * C * S * both;
    out.d_yz = C * S * twice + (S * S - C * C) * both;
    out.d_zz = S * S * twice - 2 * C * S * both;
    return out;
}

// m, k with their derivatives by l_x
typedef struct trace {
    double m, m_x, m_xx, k, k_x, k_xx;
} trace;

// k = R Q,  Q^2 = (c^2 - R'^2 l_x^2)/c^4
static trace trace_at(const axle *l, const trmi_wheel_points *at, const places *p, int j,
                      bool second)
{
    double x = l->l[0], x2 = l->x2, s = at->slope[j], s2 = s * s, R = at->R[j], k = p->k[j];
    double q_x = 2 * x * (l->by_c4 - s2 * (1 + x2) * l->by_c6), scale = R * R / k; // of Q^2
    trace t = {.m = p->m[j], .m_x = -R * 2 * s * x * l->by_c4, .k = k, .k_x = 0.5 * scale * q_x};
    if (second) {
        double q_xx =
            2 * (1 + 3 * x2) * l->by_c6 - s2 * (2 + 16 * x2 + 6 * x2 * x2) * l->by_c4 * l->by_c4;
        t.m_xx = -R * 2 * s * (1 + 3 * x2) * l->by_c6;
        t.k_xx = 0.5 * scale * q_xx - t.k_x * t.k_x / k;
    }
    return t;
}

// P_y, P_z by the variables
typedef struct slopes {
    double y[N], z[N];
} slopes;

static slopes slopes_of(const axle *l, const trace *t)
{
    double ly = l->l[1], lz = l->l[2];
    return (slopes){{1, 0, t->m_x * ly + t->k_x * lz, t->m, t->k},
                    {0, 1, t->m_x * lz - t->k_x * ly, -t->k, t->m}};
}

// second derivatives of d_j by the variables; the upper half
static void bend(const axle *l, const trace *t, const distance *d, const slopes *P, double h[N][N])
{
    double ly = l->l[1], lz = l->l[2];
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            h[i][j] = d->d_yy * P->y[i] * P->y[j] + d->d_zz * P->z[i] * P->z[j] +
                      d->d_yz * (P->y[i] * P->z[j] + P->z[i] * P->y[j]);
    h[LX][LX] += d->d_y * (t->m_xx * ly + t->k_xx * lz) + d->d_z * (t->m_xx * lz - t->k_xx * ly);
    h[LX][LY] += d->d_y * t->m_x - d->d_z * t->k_x;
    h[LX][LZ] += d->d_y * t->k_x + d->d_z * t->m_x;
}

// ---- the soft minimum ------------------------------------------------------------------------

// Sums over the points, with their weights.
typedef struct sums {
    double weight, xi, g[N], xi_g[N], gg[N][N], h[N][N];
} sums;

static void add_point(const trmi_wheel_rail *w, const axle *l, const places *p, int j, bool second,
                      sums *s)
{
    const trace t = trace_at(l, &w->points, p, j, second);
    const distance d = differentiate(w, p, j, second);
    const slopes P = slopes_of(l, &t);
    double weight = exp((p->smallest - p->d[j]) / w->softness), xi = w->points.xi[j];
    double g[N], h[N][N];
    s->weight += weight;
    s->xi += weight * xi;
    for (int i = 0; i < N; i++) {
        g[i] = d.d_y * P.y[i] + d.d_z * P.z[i];
        s->g[i] += weight * g[i];
    }
    if (!second)
        return;
    bend(l, &t, &d, &P, h);
    for (int i = 0; i < N; i++) {
        s->xi_g[i] += weight * xi * g[i];
        for (int k = i; k < N; k++) {
            s->gg[i][k] += weight * g[i] * g[k];
            s->h[i][k] += weight * h[i][k];
        }
    }
}

// gap_i = <g_i>,  gap_ij = <h_ij> - (<g_i g_j> - <g_i><g_j>)/eps,  xi_i = (<xi><g_i> - <xi
// g_i>)/eps
static void finish_sums(const sums *s, double smallest, const trmi_wheel_rail *w, bool second,
                        trmi_rail_contact *out)
{
    double eps = w->softness, W = s->weight;
    *out = (trmi_rail_contact){.gap = smallest - eps * log(W) - w->gap_0, .xi = s->xi / W};
    for (int i = 0; i < N; i++)
        out->gap_i[i] = s->g[i] / W;
    for (int i = 0; second && i < N; i++) {
        out->xi_i[i] = (out->xi * out->gap_i[i] - s->xi_g[i] / W) / eps;
        for (int j = i; j < N; j++) {
            double scatter = s->gg[i][j] / W - out->gap_i[i] * out->gap_i[j];
            out->gap_ij[i][j] = out->gap_ij[j][i] = s->h[i][j] / W - scatter / eps;
        }
    }
}

void trmi_wheel_rail_touch(const trmi_wheel_rail *w, const double x[N], bool second,
                           trmi_rail_contact *out)
{
    const axle l = axle_of(x);
    places p;
    sums s = {0};
    find_traces(w, x, &l, &p);
    find_distances(w, &p);
    for (int j = 0; j < w->points.count; j++)
        if (p.d[j] <= p.smallest + NEGLIGIBLE * w->softness)
            add_point(w, &l, &p, j, second, &s);
    finish_sums(&s, p.smallest, w, second, out);
}

trmi_rail_memo *trmi_wheel_rail_contact(const trmi_view *view, const double x[N],
                                        trmi_rail_memo *local)
{
    trmi_rail_memo *memo = view->memo ? view->memo : local;
    bool known = view->memo && memcmp(memo->x, x, sizeof memo->x) == 0;
    if (!known || (!memo->second && !view->straight)) {
        trmi_wheel_rail_touch(view->data, x, !view->straight, &memo->contact);
        memcpy(memo->x, x, sizeof memo->x);
        memo->second = !view->straight;
        memo->velocities = known && memo->velocities;
    }
    return memo;
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
    trmi_composition f;
    trmi_wheel_rail_variables(view, x, row);
    trmi_rail_memo local;
    const trmi_rail_contact contact = trmi_wheel_rail_contact(view, x, &local)->contact;
    if (view->straight) {
        trmi_row_value sum = {.p = -contact.gap};
        for (int i = 0; i < N; i++)
            sum.gamma = trmi_wrench_axpy(sum.gamma, -contact.gap_i[i], row[i].gamma);
        return sum;
    }
    f.f = -contact.gap;
    for (int i = 0; i < N; i++) {
        f.f_i[i] = -contact.gap_i[i];
        for (int j = 0; j < N; j++)
            f.f_ij[i][j] = -contact.gap_ij[i][j];
    }
    return trmi_row_composite(N, row, &f);
}
