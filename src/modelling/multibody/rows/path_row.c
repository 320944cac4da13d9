// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/path_row.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 50 };

// Nearest points of two curves at one position of B.
typedef struct nearest {
    trmi_curve_point a, b; // b in the axes of A, from the marker on A
    double r[2];           // from the marker on B to its point
} nearest;

static void turn(double phi, const double in[2], double out[2])
{
    double c = cos(phi), s = sin(phi), x = in[0], y = in[1];
    out[0] = c * x - s * y;
    out[1] = s * x + c * y;
}

static void place(const trmi_path_pair *pair, double s, const double p[3], nearest *n)
{
    n->b = trmi_plane_curve_at(&pair->second, s);
    turn(p[2], n->b.at, n->r);
    turn(p[2], n->b.tangent, n->b.tangent);
    n->b.at[0] = p[0] + n->r[0];
    n->b.at[1] = p[1] + n->r[1];
}

static int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

// Of every `stride`-th sample from first[] to last[] the pair with the smallest distance.
static void find_among(const trmi_path_pair *pair, const double p[3], const int first[2],
                       const int last[2], int stride, int best[2])
{
    double least = HUGE_VAL;
    for (int j = first[1]; j <= last[1]; j += stride) {
        double at[2];
        turn(p[2], pair->second.sample + 3 * j + 1, at);
        for (int i = first[0]; i <= last[0]; i += stride) {
            const double *a = pair->first.sample + 3 * i;
            double dx = p[0] + at[0] - a[1], dy = p[1] + at[1] - a[2], square = dx * dx + dy * dy;
            if (square < least) {
                least = square;
                best[0] = i;
                best[1] = j;
            }
        }
    }
}

// the pair of samples with the smallest distance: first the points of the curves, then what is
// between their neighbours
static void find_samples(const trmi_path_pair *pair, const double p[3], double s[2])
{
    const trmi_plane_curve *const curve[2] = {&pair->first, &pair->second};
    int first[2] = {0, 0}, last[2] = {pair->first.samples - 1, pair->second.samples - 1},
        best[2] = {0, 0};
    find_among(pair, p, first, last, TRMI_CURVE_SAMPLES, best);
    for (int k = 0; k < 2; k++) {
        last[k] = smaller_of(last[k], best[k] + TRMI_CURVE_SAMPLES);
        first[k] = best[k] > TRMI_CURVE_SAMPLES ? best[k] - TRMI_CURVE_SAMPLES : 0;
    }
    find_among(pair, p, first, last, 1, best);
    for (int k = 0; k < 2; k++)
        s[k] = curve[k]->sample[3 * best[k]];
}

// Newton's method for D.t_A = 0 and t_A x t_B = 0, D from the point of A to that of B. Steps are no
// longer than the distance of samples, so that they do not jump to another place.
static bool find_nearest(const trmi_path_pair *pair, const double p[3], nearest *n)
{
    double s[2] = {0, 0}, reach[2];
    const trmi_plane_curve *const curve[2] = {&pair->first, &pair->second};
    for (int k = 0; k < 2; k++)
        reach[k] = curve[k]->sample[3 * (curve[k]->samples - 1)] / (curve[k]->samples - 1);
    find_samples(pair, p, s);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        n->a = trmi_plane_curve_at(&pair->first, s[0]);
        place(pair, s[1], p, n);
        const double *t = n->a.tangent, *u = n->b.tangent;
        double dx = n->b.at[0] - n->a.at[0], dy = n->b.at[1] - n->a.at[1];
        double along = t[0] * dx + t[1] * dy, across = t[0] * dy - t[1] * dx;
        double cosine = t[0] * u[0] + t[1] * u[1], sine = t[0] * u[1] - t[1] * u[0];
        // d along = (k_a across - 1) da + cosine db,  d sine = cosine (k_b db - k_a da)
        double m[2][2] = {{n->a.curvature * across - 1, cosine},
                          {-cosine * n->a.curvature, cosine * n->b.curvature}};
        double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        double da = -(m[1][1] * along - m[0][1] * sine) / (det * n->a.speed);
        double db = -(m[0][0] * sine - m[1][0] * along) / (det * n->b.speed);
        if (!isfinite(da) || !isfinite(db))
            return false;
        double shrink = fmin(1, fmin(reach[0] / fabs(da), reach[1] / fabs(db)));
        s[0] += shrink * da;
        s[1] += shrink * db;
        if (fabs(da) < 8 * DBL_EPSILON * (reach[0] * curve[0]->samples + fabs(s[0])) &&
            fabs(db) < 8 * DBL_EPSILON * (reach[1] * curve[1]->samples + fabs(s[1])))
            return true;
    }
    return false;
}

static trmi_path_gap failed(void)
{
    return (trmi_path_gap){.g = NAN};
}

trmi_path_gap trmi_path_gap_at(const trmi_path_pair *pair, double x, double y, double phi)
{
    const double p[3] = {x, y, phi}, side = pair->side;
    bool curves = pair->second.samples > 0;
    nearest near = {.b = {.at = {x, y}}};
    if (curves && !find_nearest(pair, p, &near))
        return failed();
    if (!curves)
        near.a = trmi_plane_curve_at(&pair->first, trmi_plane_curve_nearest(&pair->first, x, y));
    const double *t = near.a.tangent, *r = near.r, n[2] = {-side * t[1], side * t[0]};
    double distance = n[0] * (near.b.at[0] - near.a.at[0]) + n[1] * (near.b.at[1] - near.a.at[1]);
    double k_A = side * near.a.curvature / (1 - side * near.a.curvature * distance);
    trmi_path_gap out = {.g = distance - pair->radius,
                         .by = {n[0], n[1], n[1] * r[0] - n[0] * r[1]}};
    double uu = -k_A, up = 0, pp = 0; // second derivatives by u and phi
    if (curves) {
        // the left of the tangent of B, along n
        double left = n[1] * near.b.tangent[0] - n[0] * near.b.tangent[1];
        double k_B = near.b.curvature * (left > 0 ? 1 : -1), K = k_B - k_A;
        uu = -k_A * k_B / K;
        up = side * k_A / K;
        pp = -1 / K - (n[0] * r[0] + n[1] * r[1]);
    }
    const double u[3] = {t[0], t[1], t[1] * r[0] - t[0] * r[1]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.second[i][j] = uu * u[i] * u[j] + up * (u[i] * (j == 2) + u[j] * (i == 2)) +
                               pp * (i == 2 && j == 2);
    return out;
}

static trmi_row_value evaluate(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    const trmi_path_pair *pair = view->data;
    const trmi_v3 *u = view->u, *w = view->w;
    trmi_row_value row[3] = {trmi_row_slide(view, u[0]), trmi_row_slide(view, u[1])};
    int rows = pair->second.samples > 0 ? 3 : 2;
    if (rows == 3) {
        trmi_row_value c = trmi_row_dot(u[0], w[0]), s = trmi_row_dot(u[1], w[0]);
        row[2] = trmi_row_angle(&c, &s, 0);
    }
    trmi_path_gap gap = trmi_path_gap_at(pair, row[0].p, row[1].p, rows == 3 ? row[2].p : 0);
    trmi_composition f = {.f = gap.g};
    for (int i = 0; i < rows; i++) {
        f.f_i[i] = gap.by[i];
        for (int j = i; j < rows; j++)
            f.f_ij[i][j] = gap.second[i][j];
    }
    return trmi_row_composite(rows, row, &f);
}

const trmi_row_type trmi_path_row = {
    .name = "gap", .shape = TRMI_ROW_GENERAL, .evaluate = evaluate};
