// SPDX-License-Identifier: Apache-2.0
// The star: every body on free columns of its own, O at its centre of mass. Closed forms instead of
// recursions, and nothing but the columns of charts changes.
//
//     E = W T, E1 = W T', E2 = W T'',  w = E theta',  w' = E theta'' + E1 theta'
//     f = (m g; - E^T n_in),  n_in = J w' + w x J w at theta'' = 0
//     M = diag(m 1, E^T J E),  D = E^T (2 J E1 + B E),  B = -2 [w] Sigma
//     K = X(W^T n_in) + E^T (-[n_in] E + J E2 + B E1)
//
// In the plane (x, y, angle): M = diag(m, m, J), D = K = 0.
#include "multibody/recursion.h"

#include "multibody/chart.h"

// columns of body b and its first coordinate
static int first_column(const trmi_kinematics *k, int b)
{
    return k->tree->body[b].first;
}

// E or E1 from the angular parts of three columns
static trmi_m3 angular(const trmi_motion *s)
{
    return (trmi_m3){{{s[0].w.x, s[1].w.x, s[2].w.x},
                      {s[0].w.y, s[1].w.y, s[2].w.y},
                      {s[0].w.z, s[1].w.z, s[2].w.z}}};
}

// ---- kinematics ----

void trmi_star_prepare(trmi_kinematics *k)
{
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++) {
        const trmi_column *c = &t->column[j];
        if (c->kind == TRMI_COLUMN_SLIDE)
            k->s[j] = (trmi_motion){{0, 0, 0}, c->axis};
        else if (c->kind == TRMI_COLUMN_TURN)
            k->s[j] = (trmi_motion){c->axis, {0, 0, 0}};
    }
    for (int b = 1; b < t->bodies; b++)
        k->c[b] = (trmi_v3){0, 0, 0};
}

// O = centre of mass: sdot = v_p x s + ex(W T') = (E1; r' x E), v = (w; r')
static void move_spatial(trmi_kinematics *k, int b, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    int j = first_column(k, b) + 3, first = t->column[j].coordinate;
    trmi_v3 rate = trmi_three(state->v, first), speed = trmi_three(state->v, first - 3);
    trmi_m3 W = trmi_quaternion_matrix(trmi_center(state->held, t->column[j].held));
    trmi_chart chart = trmi_chart_at(trmi_three(state->q, first), rate);
    trmi_m3 E = trmi_m3_mul(W, chart.T), E1 = trmi_m3_mul(W, chart.T1);
    for (int i = 0; i < 3; i++) {
        trmi_v3 e = trmi_m3_column(E, i);
        k->s[j + i].w = e;
        k->sdot[j + i] = (trmi_motion){trmi_m3_column(E1, i), trmi_v3_cross(speed, e)};
    }
    *trmi_chart_axes(k, j) = W;
    trmi_m3 R = trmi_m3_mul(W, chart.C);
    k->pose[b] = (trmi_pose){R, trmi_three(state->q, first - 3)};
    k->J[b] = trmi_s3_turned(R, t->body[b].inertia);
    k->v[b] = (trmi_motion){trmi_m3_times(E, rate), speed};
}

static void move_plane(trmi_kinematics *k, int b, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    const trmi_column *c = &t->column[first_column(k, b)];
    const double *q = &state->q[c->coordinate], *v = &state->v[c->coordinate];
    trmi_v3 e = c[2].axis;
    trmi_v3 speed = trmi_v3_axpy(trmi_v3_scale(v[0], c[0].axis), v[1], c[1].axis);
    trmi_v3 r = trmi_v3_axpy(trmi_v3_axpy(c[0].before, q[0], c[0].axis), q[1], c[1].axis);
    k->pose[b] = (trmi_pose){trmi_turn_about(trmi_m3_unit(), e, q[2]), r};
    k->sdot[first_column(k, b) + 2].v = trmi_v3_cross(speed, e);
    k->v[b] = (trmi_motion){trmi_v3_scale(v[2], e), speed};
}

void trmi_star_move(trmi_kinematics *k, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    for (int b = 1; b < t->bodies; b++) {
        if (t->plane == TRMI_SPATIAL)
            move_spatial(k, b, state);
        else
            move_plane(k, b, state);
        k->origin[b - 1] = k->pose[b].r;
    }
}

// a = (w'; r'' - g + r' x w): spatial, not that of a point
void trmi_star_accelerate(trmi_kinematics *k, const double *a)
{
    const trmi_tree *t = k->tree;
    bool plane = t->plane != TRMI_SPATIAL;
    for (int b = 1; b < t->bodies; b++) {
        int j = first_column(k, b), q = t->column[j].coordinate;
        trmi_motion sum = {{0, 0, 0}, trmi_v3_scale(-1, t->gravity)};
        for (int i = 0; i < (plane ? 3 : 6) && a; i++)
            sum = trmi_motion_axpy(sum, a[q + i], k->s[j + i]);
        for (int i = plane ? 2 : 3; i < (plane ? 3 : 6); i++)
            sum = trmi_motion_axpy(sum, k->rate[q + i], k->sdot[j + i]);
        k->a[b] = sum;
    }
}

// ---- dynamics ----

static trmi_v3 moment(const trmi_kinematics *k, int b)
{
    trmi_v3 w = k->v[b].w;
    return trmi_v3_add(trmi_s3_times(k->J[b], k->a[b].w),
                       trmi_v3_cross(w, trmi_s3_times(k->J[b], w)));
}

// what a wrench at the centre of mass does along the columns of a body
static void project(const trmi_kinematics *k, int b, trmi_wrench w, double *f)
{
    const trmi_tree *t = k->tree;
    int j = first_column(k, b), n = t->plane == TRMI_SPATIAL ? 6 : 3;
    for (int i = 0; i < n; i++)
        f[t->column[j].coordinate + i] = trmi_power(k->s[j + i], w);
}

void trmi_star_force(const trmi_kinematics *k, const trmi_wrench *applied, double *f)
{
    const trmi_tree *t = k->tree;
    for (int b = 1; b < t->bodies; b++) {
        trmi_wrench w = {trmi_v3_scale(-1, moment(k, b)),
                         trmi_v3_scale(t->body[b].mass, t->gravity)};
        project(k, b, applied ? trmi_wrench_axpy(w, 1, applied[b]) : w, f);
    }
}

// entries of an n x n block row by row from (first, first) on
static int list_block(int first, int n, int *row, int *column)
{
    for (int i = 0; i < n * n; i++) {
        row[i] = first + i / n;
        column[i] = first + i % n;
    }
    return n * n;
}

bool trmi_star_pattern(trmi_memory *memory, const trmi_tree *tree, trm_quantity quantity,
                       trm_pattern *pattern)
{
    bool plane = tree->plane != TRMI_SPATIAL, mass = quantity == TRM_MASS;
    int each = plane ? (mass ? 3 : 0) : mass ? 12 : 9, count = each * (tree->bodies - 1), n = 0;
    int *row, *column;
    if (!TRMI_TAKE(memory, row, count) || !TRMI_TAKE(memory, column, count))
        return false;
    for (int b = 1; b < tree->bodies && each > 0; b++) {
        int first = tree->column[tree->body[b].first].coordinate;
        for (int i = 0; i < 3 && mass; i++, n++)
            row[n] = column[n] = first + i;
        if (!plane)
            n += list_block(first + 3, 3, row + n, column + n);
    }
    *pattern = (trm_pattern){count, row, column};
    return true;
}

static double *write_block(double *out, trmi_m3 a)
{
    for (int i = 0; i < 3; i++, out += 3) {
        out[0] = a.row[i].x;
        out[1] = a.row[i].y;
        out[2] = a.row[i].z;
    }
    return out;
}

static double *write_mass(const trmi_kinematics *k, int b, trmi_m3 E, double *M)
{
    const trmi_tree_body *body = &k->tree->body[b];
    M[0] = M[1] = M[2] = body->mass;
    if (k->tree->plane == TRMI_SPATIAL)
        return write_block(
            M + 3, trmi_m3_mul(trmi_m3_transpose(E), trmi_m3_mul(trmi_s3_matrix(k->J[b]), E)));
    trmi_v3 e = k->s[body->column].w;
    M[2] = trmi_v3_dot(e, trmi_s3_times(k->J[b], e));
    return M + 3;
}

// D and K of the rotations of one body
static void differentiate(const trmi_kinematics *k, int b, trmi_m3 E, const double *a, double *D,
                          double *K)
{
    int j = first_column(k, b) + 3, q = k->tree->column[j].coordinate;
    trmi_m3 E1 = angular(&k->sdot[j]), Et = trmi_m3_transpose(E), J = trmi_s3_matrix(k->J[b]);
    trmi_m3 B = trmi_m3_mul(trmi_m3_cross(trmi_v3_scale(-2, k->v[b].w)), trmi_s3_sigma(k->J[b]));
    if (D) {
        trmi_m3 JE1 = trmi_m3_mul(J, E1);
        write_block(D, trmi_m3_mul(Et, trmi_m3_axpy(trmi_m3_mul(B, E), 2, JE1)));
    }
    if (K) {
        trmi_v3 n = moment(k, b);
        trmi_m3 T2 =
            trmi_chart_second(trmi_three(k->q, q), trmi_three(k->rate, q), trmi_three(a, q));
        trmi_m3 E2 = trmi_m3_mul(*trmi_chart_axes(k, j), T2);
        trmi_m3 sum = trmi_m3_axpy(trmi_m3_mul(J, E2), -1, trmi_m3_mul(trmi_m3_cross(n), E));
        sum = trmi_m3_axpy(sum, 1, trmi_m3_mul(B, E1));
        trmi_m3 X =
            trmi_chart_matrix(trmi_three(k->q, q), trmi_m3_tr_times(*trmi_chart_axes(k, j), n));
        write_block(K, trmi_m3_axpy(X, 1, trmi_m3_mul(Et, sum)));
    }
}

void trmi_star_matrices(const trmi_kinematics *k, const double *a, double *M, double *D, double *K)
{
    const trmi_tree *t = k->tree;
    bool spatial = t->plane == TRMI_SPATIAL;
    for (int b = 1; b < t->bodies; b++) {
        trmi_m3 E = spatial ? angular(&k->s[first_column(k, b) + 3]) : trmi_m3_unit();
        if (M)
            M = write_mass(k, b, E, M);
        if (spatial && (D || K))
            differentiate(k, b, E, a, D, K);
        D += D && spatial ? 9 : 0;
        K += K && spatial ? 9 : 0;
    }
}
