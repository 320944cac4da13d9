// SPDX-License-Identifier: Apache-2.0
// The soft minimum of the distances between wheel and rail, with exact first and second
// derivatives. Numbers of the points are kept in columns and summed in lanes, so that compilers
// take several points at once.
#include "modelling/multibody/rail/wheel_rail.h"

#include <math.h>

enum { Y = TRMI_RAIL_Y, Z = TRMI_RAIL_Z, LX = TRMI_RAIL_L, LY, LZ, N = TRMI_RAIL_VARIABLES };
enum { LANES = 4, BLOCK = 64 }; // BLOCK is a multiple of LANES

// Points whose weight is below exp(-this) of the largest one are left out: roundoff.
static const double NEGLIGIBLE = 37;

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

typedef double profile_column[TRMI_MAX_WHEEL_POINTS];

// P_y = y + m l_y + k l_z,  P_z = z + m l_z - k l_y,
// m = a - R R' l_x^2/c^2,  k = R beta/c = R sqrt(c^2 - R'^2 l_x^2)/c^2
typedef struct places {
    profile_column m, k, tau, H;  // H = nu + D
    profile_column D_1, D_2, D_3; // derivatives of D by tau
    profile_column d;
} places;

static void find_traces(const trmi_wheel_rail *w, const double x[N], const axle *l, places *p)
{
    const double x2 = l->x2, c2 = l->c2, by_c2 = l->by_c2, C = w->cosine, S = w->sine;
    const double *xi = w->points.xi, *R = w->points.R, *slope = w->points.slope;
    const double tau_m = -C * l->l[1] - S * l->l[2], tau_k = -C * l->l[2] + S * l->l[1];
    const double tau_0 = -C * x[Y] - S * x[Z], nu_0 = C * x[Z] - S * x[Y];
    for (int j = 0; j < w->points.count; j++) {
        double m = -xi[j] - R[j] * slope[j] * x2 * by_c2;
        double k = R[j] * sqrt(c2 - slope[j] * slope[j] * x2) * by_c2;
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

static void find_distances_on(const trmi_rail_piece *piece, places *p, int first, int end)
{
    const double from = piece->from, *d = piece->d, d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];
    for (int j = first; j < end; j++) {
        double e = p->tau[j] - from, D_1 = d1 + e * (2 * d2 + e * 3 * d3);
        double H = p->H[j] + d0 + e * (d1 + e * (d2 + e * d3));
        p->D_1[j] = D_1;
        p->D_2[j] = 2 * d2 + 6 * e * d3;
        p->D_3[j] = 6 * d3;
        p->H[j] = H;
        p->d[j] = H / sqrt(1 + D_1 * D_1);
    }
}

// Neighbours on the same piece of the rail at once; returns the smallest distance.
static double find_distances(const trmi_wheel_rail *w, places *p)
{
    const int count = w->points.count;
    for (int j = 0, i = 0, end; j < count; j = end) {
        i = find_piece(w, p->tau[j], i);
        double lower = i > 0 ? w->piece[i].from : -HUGE_VAL;
        double upper = i + 1 < w->pieces ? w->piece[i + 1].from : HUGE_VAL;
        for (end = j + 1; end < count && p->tau[end] >= lower && p->tau[end] < upper; end++)
            ;
        find_distances_on(&w->piece[i], p, j, end);
    }
    double smallest = HUGE_VAL;
    for (int j = 0; j < count; j++)
        smallest = p->d[j] < smallest ? p->d[j] : smallest;
    return smallest;
}

double trmi_wheel_rail_distance(const trmi_wheel_rail *w, const double x[N])
{
    const axle l = axle_of(x);
    places p;
    find_traces(w, x, &l, &p);
    return find_distances(w, &p);
}

int trmi_wheel_rail_nearest(const trmi_wheel_rail *w, const double x[N])
{
    const axle l = axle_of(x);
    places p;
    find_traces(w, x, &l, &p);
    double smallest = find_distances(w, &p);
    int nearest = 0;
    while (nearest < w->points.count - 1 && p.d[nearest] > smallest)
        nearest++;
    return nearest;
}

// ---- a block of points -----------------------------------------------------------------------

typedef double column[BLOCK];

// Points that count; the last ones may be repetitions without weight.
typedef struct block {
    int count;
    column weight, xi, R, slope, m, k, H, D_1, D_2, D_3;
    column d_y, d_z, d_yy, d_yz, d_zz; // of d by P_y, P_z
    column m_x, k_x, m_xx, k_xx;       // of m, k by l_x
    column y_x, z_x;                   // of P_y, P_z by l_x
    column g[N];                       // of d by the variables
} block;

static void take_point(const trmi_wheel_rail *w, const places *p, int j, double weight, block *b)
{
    const trmi_wheel_points *at = &w->points;
    int n = b->count++;
    b->weight[n] = weight;
    b->xi[n] = at->xi[j];
    b->R[n] = at->R[j];
    b->slope[n] = at->slope[j];
    b->m[n] = p->m[j];
    b->k[n] = p->k[j];
    b->H[n] = p->H[j];
    b->D_1[n] = p->D_1[j];
    b->D_2[n] = p->D_2[j];
    b->D_3[n] = p->D_3[j];
}

static void differentiate_distances(const trmi_wheel_rail *w, block *b)
{
    const double C = w->cosine, S = w->sine;
    for (int j = 0; j < b->count; j++) {
        double D_1 = b->D_1[j], q2 = 1 + D_1 * D_1, nu = 1 / sqrt(q2);
        double tau = nu * (D_1 - b->H[j] * D_1 * b->D_2[j] / q2);
        b->d_y[j] = -C * tau - S * nu;
        b->d_z[j] = C * nu - S * tau;
    }
}

// k = R Q,  Q^2 = (c^2 - R'^2 l_x^2)/c^4
static void differentiate_traces(const axle *l, block *b)
{
    const double x = l->l[0], x2 = l->x2, ly = l->l[1], lz = l->l[2];
    const double by_c4 = l->by_c4, by_s = (1 + x2) * l->by_c6;
    for (int j = 0; j < b->count; j++) {
        double s = b->slope[j], R = b->R[j];
        double k_x = R * R / b->k[j] * x * (by_c4 - s * s * by_s), m_x = -2 * R * s * x * by_c4;
        b->k_x[j] = k_x;
        b->m_x[j] = m_x;
        b->y_x[j] = m_x * ly + k_x * lz;
        b->z_x[j] = m_x * lz - k_x * ly;
    }
}

static void find_gradients(block *b)
{
    for (int j = 0; j < b->count; j++) {
        double d_y = b->d_y[j], d_z = b->d_z[j], m = b->m[j], k = b->k[j];
        b->g[Y][j] = d_y;
        b->g[Z][j] = d_z;
        b->g[LX][j] = d_y * b->y_x[j] + d_z * b->z_x[j];
        b->g[LY][j] = d_y * m - d_z * k;
        b->g[LZ][j] = d_y * k + d_z * m;
    }
}

static void bend_distances(const trmi_wheel_rail *w, block *b)
{
    const double CC = w->cosine * w->cosine, SS = w->sine * w->sine, CS = w->cosine * w->sine;
    for (int j = 0; j < b->count; j++) {
        double D_1 = b->D_1[j], D_2 = b->D_2[j], H = b->H[j], square = D_1 * D_1;
        double q2 = 1 + square, nu3 = 1 / (q2 * sqrt(q2)), both = -D_1 * D_2 * nu3;
        double twice = (D_2 - square * D_2 - H * (D_2 * D_2 + D_1 * b->D_3[j]) +
                        3 * H * square * D_2 * D_2 / q2) *
                       nu3;
        b->d_yy[j] = CC * twice + 2 * CS * both;
        b->d_yz[j] = CS * twice + (SS - CC) * both;
        b->d_zz[j] = SS * twice - 2 * CS * both;
    }
}

static void bend_traces(const axle *l, block *b)
{
    const double x2 = l->x2, c6 = (1 + 3 * x2) * l->by_c6;
    const double c8 = (1 + 8 * x2 + 3 * x2 * x2) * l->by_c4 * l->by_c4;
    for (int j = 0; j < b->count; j++) {
        double s = b->slope[j], R = b->R[j], k = b->k[j], k_x = b->k_x[j];
        b->m_xx[j] = -2 * R * s * c6;
        b->k_xx[j] = (R * R * (c6 - s * s * c8) - k_x * k_x) / k;
    }
}

// ---- the soft minimum ------------------------------------------------------------------------

// Sums over the points, with their weights; of symmetric ones the upper half.
typedef struct sums {
    double weight, xi, g[N], xi_g[N], gg[N][N], h[N][N];
} sums;

static double dot(const double *restrict a, const double *restrict b, int count)
{
    double lane[LANES] = {0};
    for (int j = 0; j < count; j += LANES)
        for (int i = 0; i < LANES; i++)
            lane[i] += a[j + i] * b[j + i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// Second derivatives of d_j by the variables. With P_y = (1, 0, y_x, m, k) and P_z = (0, 1, z_x,
// -k, m) by the variables,
//
//     h_ij = a_i P_y,j + b_i P_z,j + d_y P_y,ij + d_z P_z,ij,
//     a = d_yy P_y + d_yz P_z,  b = d_yz P_y + d_zz P_z,   h_Yj = a_j,  h_Zj = b_j
static void add_bends(const axle *l, const block *b, sums *s)
{
    const double ly = l->l[1], lz = l->l[2], *weight = b->weight;
    column a[N], c[N], xx, xy, xz, yy, yz, zz;
    for (int j = 0; j < b->count; j++) {
        double yj = b->d_yy[j], yz_j = b->d_yz[j], zj = b->d_zz[j], m = b->m[j], k = b->k[j];
        double y_x = b->y_x[j], z_x = b->z_x[j], d_y = b->d_y[j], d_z = b->d_z[j];
        double ax = yj * y_x + yz_j * z_x, bx = yz_j * y_x + zj * z_x;
        double ay = yj * m - yz_j * k, by = yz_j * m - zj * k;
        double az = yj * k + yz_j * m, bz = yz_j * k + zj * m;
        a[LX][j] = ax, a[LY][j] = ay, a[LZ][j] = az;
        c[LX][j] = bx, c[LY][j] = by, c[LZ][j] = bz;
        xx[j] = ax * y_x + bx * z_x + d_y * (b->m_xx[j] * ly + b->k_xx[j] * lz) +
                d_z * (b->m_xx[j] * lz - b->k_xx[j] * ly);
        xy[j] = ax * m - bx * k + d_y * b->m_x[j] - d_z * b->k_x[j];
        xz[j] = ax * k + bx * m + d_y * b->k_x[j] + d_z * b->m_x[j];
        yy[j] = ay * m - by * k;
        yz[j] = ay * k + by * m;
        zz[j] = az * k + bz * m;
    }
    const int n = b->count;
    s->h[Y][Y] += dot(weight, b->d_yy, n);
    s->h[Y][Z] += dot(weight, b->d_yz, n);
    s->h[Z][Z] += dot(weight, b->d_zz, n);
    for (int i = LX; i < N; i++) {
        s->h[Y][i] += dot(weight, a[i], n);
        s->h[Z][i] += dot(weight, c[i], n);
    }
    s->h[LX][LX] += dot(weight, xx, n);
    s->h[LX][LY] += dot(weight, xy, n);
    s->h[LX][LZ] += dot(weight, xz, n);
    s->h[LY][LY] += dot(weight, yy, n);
    s->h[LY][LZ] += dot(weight, yz, n);
    s->h[LZ][LZ] += dot(weight, zz, n);
}

static void add_second(const trmi_wheel_rail *w, const axle *l, block *b, sums *s)
{
    column weighted;
    bend_distances(w, b);
    bend_traces(l, b);
    add_bends(l, b, s);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < b->count; j++)
            weighted[j] = b->weight[j] * b->g[i][j];
        s->xi_g[i] += dot(weighted, b->xi, b->count);
        for (int k = i; k < N; k++)
            s->gg[i][k] += dot(weighted, b->g[k], b->count);
    }
}

static void add_block(const trmi_wheel_rail *w, const axle *l, block *b, bool second, sums *s)
{
    const column one = {1, 1, 1, 1};
    differentiate_distances(w, b);
    differentiate_traces(l, b);
    find_gradients(b);
    for (int j = 0; j < b->count; j += LANES)
        s->weight += dot(b->weight + j, one, LANES);
    s->xi += dot(b->weight, b->xi, b->count);
    for (int i = 0; i < N; i++)
        s->g[i] += dot(b->weight, b->g[i], b->count);
    if (second)
        add_second(w, l, b, s);
    b->count = 0;
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
    if (w->softness == 0) {
        trmi_wheel_rail_touch_rigid(w, x, second, out);
        return;
    }
    const axle l = axle_of(x);
    places p;
    block b;
    sums s = {0};
    int last = 0;
    find_traces(w, x, &l, &p);
    double smallest = find_distances(w, &p), by_eps = 1 / w->softness;
    b.count = 0;
    for (int j = 0; j < w->points.count; j++) {
        double power = (smallest - p.d[j]) * by_eps;
        if (!(power >= -NEGLIGIBLE))
            continue;
        take_point(w, &p, last = j, exp(power), &b);
        if (b.count == BLOCK)
            add_block(w, &l, &b, second, &s);
    }
    while (b.count % LANES != 0)
        take_point(w, &p, last, 0, &b);
    add_block(w, &l, &b, second, &s);
    finish_sums(&s, smallest, w, second, out);
}
