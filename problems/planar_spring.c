// SPDX-License-Identifier: Apache-2.0
// One spring or bushing between two points of a planar mechanism, with exact derivatives.
//
// With the arms r = A(theta) s, the relative position d = p_a - p_b, the relative velocity d' and
// the 2 x 6 matrix J = dd/dq = [I, r_a^, -I, -r_b^] (r^ = (-r_y, r_x)), a force F on a gives
// the generalized force J^T F. F depends on d and d':
//
//     -df/dq = -J^T (F_d J + F_d' dd'/dq) - (dJ^T/dq) F       -df/dv = -J^T F_d' J
//
// where dd'/dq and dJ/dq live in the theta columns only: dr^/dtheta = -r.
#include "problems/planar.h"

#include <math.h>
#include <string.h>

// the geometry of both ends at one state
typedef struct relative {
    double arm[2][2];
    double spin[2];
    double d[2], rate[2];
    double j[2][6];    // dd/dq
    double turn[2][6]; // dd'/dq
} relative;

static void add_end(relative *at, int end, const trp_anchor *anchor, const double *q,
                    const double *v)
{
    const double sign = end ? -1.0 : 1.0;
    if (anchor->body < 0) {
        at->d[0] += sign * anchor->x;
        at->d[1] += sign * anchor->y;
        return;
    }
    q += 3 * anchor->body;
    v += 3 * anchor->body;
    const double c = cos(q[2]), s = sin(q[2]);
    const double rx = c * anchor->x - s * anchor->y, ry = s * anchor->x + c * anchor->y;
    at->arm[end][0] = rx;
    at->arm[end][1] = ry;
    at->spin[end] = v[2];
    at->d[0] += sign * (q[0] + rx);
    at->d[1] += sign * (q[1] + ry);
    at->rate[0] += sign * (v[0] - ry * v[2]);
    at->rate[1] += sign * (v[1] + rx * v[2]);
    at->j[0][3 * end] = at->j[1][3 * end + 1] = sign;
    at->j[0][3 * end + 2] = -sign * ry;
    at->j[1][3 * end + 2] = sign * rx;
    at->turn[0][3 * end + 2] = -sign * rx * v[2];
    at->turn[1][3 * end + 2] = -sign * ry * v[2];
}

// the law: force F on a, its derivatives by d and d', its potential
typedef struct law {
    double force[2], by_d[2][2], by_rate[2][2], energy;
} law;

static int axial_law(const trp_spring *s, const relative *at, law *l)
{
    const double length = hypot(at->d[0], at->d[1]);
    if (!(length > 0.0))
        return 1;
    const double e[2] = {at->d[0] / length, at->d[1] / length};
    const double speed = e[0] * at->rate[0] + e[1] * at->rate[1];
    const double tension = s->k * (length - s->rest) + s->c * speed;
    for (int i = 0; i < 2; i++) {
        l->force[i] = -tension * e[i];
        for (int k = 0; k < 2; k++) {
            double along = s->k * e[k] + s->c * (at->rate[k] - speed * e[k]) / length;
            l->by_d[i][k] = -e[i] * along - tension / length * ((i == k) - e[i] * e[k]);
            l->by_rate[i][k] = -s->c * e[i] * e[k];
        }
    }
    l->energy = 0.5 * s->k * (length - s->rest) * (length - s->rest);
    return 0;
}

static int bushing_law(const trp_spring *s, const relative *at, law *l)
{
    for (int i = 0; i < 2; i++) {
        l->force[i] = -s->k * at->d[i] - s->c * at->rate[i];
        l->by_d[i][i] = -s->k;
        l->by_rate[i][i] = -s->c;
    }
    l->energy = 0.5 * s->k * (at->d[0] * at->d[0] + at->d[1] * at->d[1]);
    return 0;
}

// out (6 x 6) = -J^T X for a 2 x 6 matrix X
static void add_projected(const relative *at, double x[2][6], double out[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            out[i][k] = -(at->j[0][i] * x[0][k] + at->j[1][i] * x[1][k]);
}

static void matrices(const relative *at, const law *l, trp_spring_result *out)
{
    double by_q[2][6], by_v[2][6];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++) {
            by_v[i][k] = l->by_rate[i][0] * at->j[0][k] + l->by_rate[i][1] * at->j[1][k];
            by_q[i][k] = l->by_d[i][0] * at->j[0][k] + l->by_d[i][1] * at->j[1][k] +
                         l->by_rate[i][0] * at->turn[0][k] + l->by_rate[i][1] * at->turn[1][k];
        }
    add_projected(at, by_q, out->stiffness);
    add_projected(at, by_v, out->damping);
    // -(dJ^T/dq) F: the arm of a turns by -r_a, that of b by +r_b
    out->stiffness[2][2] += at->arm[0][0] * l->force[0] + at->arm[0][1] * l->force[1];
    out->stiffness[5][5] -= at->arm[1][0] * l->force[0] + at->arm[1][1] * l->force[1];
}

int trp_spring_evaluate(const trp_spring *spring, const double *q, const double *v,
                        bool with_matrices, trp_spring_result *out)
{
    relative at = {0};
    law l = {0};
    add_end(&at, 0, &spring->a, q, v);
    add_end(&at, 1, &spring->b, q, v);
    int failed = (spring->axial ? axial_law : bushing_law)(spring, &at, &l);
    if (failed)
        return failed;
    for (int i = 0; i < 6; i++)
        out->force[i] = at.j[0][i] * l.force[0] + at.j[1][i] * l.force[1];
    out->energy = l.energy;
    if (with_matrices)
        matrices(&at, &l, out);
    return 0;
}
