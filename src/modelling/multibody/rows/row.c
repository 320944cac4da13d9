// SPDX-License-Identifier: Apache-2.0
// Rows: primitives without rotation vectors, and the rules that combine rows. All blocks are those
// of P = marker on B.
#include "modelling/multibody/rows/row.h"

static const trmi_v3 zero = {0, 0, 0};

static trmi_m3 negative_cross(trmi_v3 a)
{
    return trmi_m3_cross(trmi_v3_scale(-1, a));
}

// gamma = (0; u), H = [0, -[u]; 0, 0]: u turns with A, the marker moves with B
trmi_row_value trmi_row_slide(const trmi_view *view, trmi_v3 u)
{
    return (trmi_row_value){
        .p = trmi_v3_dot(u, view->d), .gamma = {zero, u}, .H = {.al = negative_cross(u)}};
}

// gamma = (w x u; 0), H_aa = w u^T - (u.w) 1
trmi_row_value trmi_row_dot(trmi_v3 u, trmi_v3 w)
{
    double p = trmi_v3_dot(u, w);
    return (trmi_row_value){.p = p,
                            .gamma = {trmi_v3_cross(w, u), zero},
                            .H = {.aa = trmi_m3_axpy(trmi_m3_outer(w, u), -p, trmi_m3_unit())}};
}

// gamma = (0; f), H = [0, -[f]; 0, N], where df = N dd besides the turn with A
static trmi_row_value distance_row(double p, trmi_v3 f, trmi_m3 N)
{
    return (trmi_row_value){.p = p, .gamma = {zero, f}, .H = {.al = negative_cross(f), .ll = N}};
}

trmi_row_value trmi_row_rod(const trmi_view *view, double L)
{
    double p = (trmi_v3_dot(view->d, view->d) - L * L) / (2 * L);
    return distance_row(p, trmi_v3_scale(1 / L, view->d), trmi_m3_scale(1 / L, trmi_m3_unit()));
}

// N = (1 - f f^T)/l; without direction where the markers coincide
trmi_row_value trmi_row_length(const trmi_view *view)
{
    double l = trmi_v3_length(view->d);
    if (!(l > 0))
        return (trmi_row_value){.p = l};
    trmi_v3 f = trmi_v3_scale(1 / l, view->d);
    trmi_m3 across = trmi_m3_axpy(trmi_m3_unit(), -1, trmi_m3_outer(f, f));
    return distance_row(l, f, trmi_m3_scale(1 / l, across));
}

// gamma = (0; w), H = [0, -[w]; -[w], 0]
trmi_row_value trmi_row_knife(trmi_v3 w)
{
    trmi_m3 turn = negative_cross(w);
    return (trmi_row_value){.gamma = {zero, w}, .H = {.al = turn, .la = turn}};
}

// gamma = (z x t; t) with z = -R r from the centre to the rim, r = (n - c a)/q, c = n.a,
// q = sqrt(1 - c^2).  dr = Dr dphi,  Dr = (-a dc - c Da)/q + r dc c/q^2,  Da = -[a], dc = n^T Da
trmi_row_value trmi_row_roll(trmi_v3 a, double R, trmi_v3 n, trmi_v3 t)
{
    double c = trmi_v3_dot(n, a), q = sqrt(1 - c * c);
    trmi_v3 r = trmi_v3_scale(1 / q, trmi_v3_axpy(n, -c, a));
    trmi_m3 Da = negative_cross(a);
    trmi_v3 dc = trmi_m3_tr_times(Da, n);
    trmi_m3 Dr = trmi_m3_axpy(trmi_m3_outer(trmi_v3_scale(-1 / q, a), dc), -c / q, Da);
    Dr = trmi_m3_axpy(Dr, c / (q * q), trmi_m3_outer(r, dc));
    trmi_m3 turn = negative_cross(t);
    return (trmi_row_value){.gamma = {trmi_v3_cross(trmi_v3_scale(-R, r), t), t},
                            .H = {.aa = trmi_m3_mul(trmi_m3_scale(-R, turn), Dr), .al = turn}};
}

// gamma = (z x t; t), z = -R n; n and t turn with A, only the centre moves with B
trmi_row_value trmi_row_tangent(double R, trmi_v3 n, trmi_v3 t)
{
    return (trmi_row_value){.gamma = {trmi_v3_cross(trmi_v3_scale(-R, n), t), t},
                            .H = {.al = negative_cross(t)}};
}

// n turns with B: dn = dphi x n
trmi_row_value trmi_row_moment(trmi_v3 n, bool follows)
{
    trmi_row_value row = {.gamma = {n, zero}};
    if (follows)
        row.H.aa = negative_cross(n);
    return row;
}

trmi_row_value trmi_row_composite(int m, const trmi_row_value *row, const trmi_composition *c)
{
    trmi_row_value sum = {.p = c->f};
    for (int i = 0; i < m; i++) {
        sum.gamma = trmi_wrench_axpy(sum.gamma, c->f_i[i], row[i].gamma);
        trmi_m6_add(&sum.H, c->f_i[i], &row[i].H);
        for (int j = 0; j < m; j++)
            trmi_m6_add_outer(&sum.H, i < j ? c->f_ij[i][j] : c->f_ij[j][i], row[i].gamma,
                              row[j].gamma);
    }
    return sum;
}

// crossbar(gamma) m = m x* gamma = [-[n], -[f]; -[f], 0] m
trmi_row_value trmi_row_swap(const trmi_row_value *row)
{
    trmi_row_value swapped = *row;
    swapped.gamma = (trmi_wrench){trmi_v3_scale(-1, row->gamma.n), trmi_v3_scale(-1, row->gamma.f)};
    trmi_m3 turn = negative_cross(swapped.gamma.f);
    trmi_m6 crossbar = {.aa = negative_cross(swapped.gamma.n), .al = turn, .la = turn};
    trmi_m6_add(&swapped.H, 1, &crossbar);
    return swapped;
}

double trmi_nearest_turn(double angle, double to)
{
    const double turn = 2 * TRMI_PI;
    return angle + turn * round((to - angle) / turn);
}

// f_c = -s/r, f_s = c/r, f_cc = -f_ss = 2cs/r^2, f_cs = (s^2 - c^2)/r^2,  r = c^2 + s^2
trmi_row_value trmi_row_angle(const trmi_row_value *c_row, const trmi_row_value *s_row, double last)
{
    double c = c_row->p, s = s_row->p, r = c * c + s * s, angle = atan2(s, c);
    trmi_composition f = {.f = trmi_nearest_turn(angle, last), .f_i = {-s / r, c / r}};
    f.f_ij[0][0] = 2 * c * s / (r * r);
    f.f_ij[1][1] = -f.f_ij[0][0];
    f.f_ij[0][1] = (s * s - c * c) / (r * r);
    return trmi_row_composite(2, (trmi_row_value[]){*c_row, *s_row}, &f);
}

// k = phi/sin(phi) and its derivatives by c = cos(phi). With d = 1 - c the series
// sum_n d^n (2^n n!^2/(2n+1)!), else (1 - c^2) k' = c k - 1 and (1 - c^2) k'' = k + 3 c k'.
static void angle_by_sine(double c, double k[3])
{
    double d = 1 - c, square = 1 - c * c;
    if (d < 0.5) {
        enum { TERMS = 32 }; // 4^-32 < roundoff
        double coefficient[TERMS] = {1};
        for (int n = 1; n < TERMS; n++)
            coefficient[n] = coefficient[n - 1] * n / (2 * n + 1);
        k[0] = k[1] = k[2] = 0;
        for (int n = TERMS - 1; n >= 0; n--) { // Horner, with the derivatives by d
            k[2] = k[2] * d + 2 * k[1];
            k[1] = k[1] * d + k[0];
            k[0] = k[0] * d + coefficient[n];
        }
        k[1] = -k[1];
        return;
    }
    square = fmax(square, 1e-30); // at half a turn there is no direction
    k[0] = acos(fmax(c, -1)) / sqrt(square);
    k[1] = (c * k[0] - 1) / square;
    k[2] = (k[0] + 3 * c * k[1]) / square;
}

// f = sign s k(c)
trmi_row_value trmi_row_tilt(const trmi_row_value *c, const trmi_row_value *s, double sign)
{
    double k[3];
    angle_by_sine(c->p, k);
    trmi_composition f = {.f = sign * s->p * k[0], .f_i = {sign * s->p * k[1], sign * k[0]}};
    f.f_ij[0][0] = sign * s->p * k[2];
    f.f_ij[0][1] = sign * k[1];
    return trmi_row_composite(2, (trmi_row_value[]){*c, *s}, &f);
}

// w.d as a row: the slide w.(-d) of A against B, negated; at P the moving marker is that on A,
// y = -d, gamma' = (y x w; w), H' = [[w][y], -[w]; 0, 0]
static trmi_row_value slide_on_second(const trmi_view *view, trmi_v3 w)
{
    trmi_v3 y = trmi_v3_scale(-1, view->d);
    trmi_row_value of_a = {
        .p = trmi_v3_dot(w, y),
        .gamma = {trmi_v3_cross(y, w), w},
        .H = {.aa = trmi_m3_mul(trmi_m3_cross(w), trmi_m3_cross(y)), .al = negative_cross(w)}};
    return trmi_row_swap(&of_a);
}

// p = (s_1 - s_2) r, r = (2 + 2c)^-1/2 with s_1 = u.d, s_2 = -w.d, c = u.w
trmi_row_value trmi_row_mean_slide(const trmi_view *view, int axis)
{
    trmi_v3 u = view->u[axis], w = view->w[axis];
    trmi_row_value row[3] = {trmi_row_slide(view, u), slide_on_second(view, w), trmi_row_dot(u, w)};
    double r = 1 / sqrt(2 + 2 * row[2].p), sum = row[0].p - row[1].p, r3 = r * r * r;
    trmi_composition f = {.f = sum * r, .f_i = {r, -r, -sum * r3}};
    f.f_ij[0][2] = -r3;
    f.f_ij[1][2] = r3;
    f.f_ij[2][2] = 3 * sum * r3 * r * r;
    return trmi_row_composite(3, row, &f);
}

// f = s - R q, q = sqrt(1 - c^2): f_c = R c/q, f_cc = R/q^3
trmi_row_value trmi_row_disc_height(const trmi_view *view, trmi_v3 n, trmi_v3 w, double R)
{
    trmi_row_value row[2] = {trmi_row_slide(view, n), trmi_row_dot(n, w)};
    double c = row[1].p, q = sqrt(1 - c * c);
    trmi_composition f = {.f = row[0].p - R * q, .f_i = {1, R * c / q}};
    f.f_ij[1][1] = R / (q * q * q);
    return trmi_row_composite(2, row, &f);
}
