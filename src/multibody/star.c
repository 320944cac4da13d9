// SPDX-License-Identifier: Apache-2.0
// The star: every body on free columns of its own, O at its centre of mass. Closed forms instead of
// recursions, and nothing but the columns of charts changes.
//
//     E = W T, E1 = W T', E2 = W T'',  w = E theta',  w' = E theta'' + E1 theta'
//     f = (m g; - E^T n_in),  n_in = J w' + w x J w at theta'' = 0
//     M = diag(m 1, E^T J E),  D = E^T (2 J E1 + B E),  B = -2 [w] Sigma, Sigma = tr(J)/2 1 - J
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
    trmi_v2 turn = k->turn[b] = (trmi_v2){cos(q[2]), sin(q[2])};
    // cos 1 + sin [e] + (1 - cos) e e^T
    k->pose[b] = (trmi_pose){
        trmi_m3_axpy(trmi_m3_scale(turn.x, trmi_m3_unit()), turn.y, trmi_m3_cross(e)), r};
    k->pose[b].R = trmi_m3_axpy(k->pose[b].R, 1 - turn.x, trmi_m3_outer(e, e));
    k->sdot[first_column(k, b) + 2].v = trmi_v3_cross(speed, e);
    k->v[b] = (trmi_motion){trmi_v3_scale(v[2], e), speed};
}

void trmi_star_turn(trmi_kinematics *k, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    k->q = state->q;
    k->rate = state->v;
    for (int b = 1; b < t->bodies; b++) {
        double angle = state->q[t->column[t->body[b].column].coordinate];
        k->turn[b] = (trmi_v2){cos(angle), sin(angle)};
    }
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
    int slides = t->plane == TRMI_SPATIAL ? 3 : 2, n = t->plane == TRMI_SPATIAL ? 6 : 3;
    for (int b = 1; b < t->bodies; b++) {
        int j = first_column(k, b), q = t->column[j].coordinate;
        trmi_v3 w = {0, 0, 0}, r = trmi_v3_sub(trmi_v3_cross(k->v[b].v, k->v[b].w), t->gravity);
        for (int i = slides; i < n; i++)
            w = trmi_v3_axpy(w, k->rate[q + i], k->sdot[j + i].w);
        for (int i = 0; i < slides && a; i++)
            r = trmi_v3_axpy(r, a[q + i], k->s[j + i].v);
        for (int i = slides; i < n && a; i++)
            w = trmi_v3_axpy(w, a[q + i], k->s[j + i].w);
        k->a[b] = (trmi_motion){w, r};
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
    int j = first_column(k, b);
    f += k->tree->column[j].coordinate;
    f[0] = w.f.x;
    f[1] = w.f.y;
    f[2] = w.f.z;
    for (int i = 3; i < 6; i++)
        f[i] = trmi_v3_dot(k->s[j + i].w, w.n);
}

// in the plane w x J w has no component along the normal
static void plane_force(const trmi_kinematics *k, const double *a, const trmi_wrench *applied,
                        double *f)
{
    const trmi_tree *t = k->tree;
    for (int b = 1; b < t->bodies; b++) {
        const trmi_column *c = &t->column[t->body[b].first];
        double mass = t->body[b].mass;
        trmi_wrench w = {{0, 0, 0}, trmi_v3_scale(mass, t->gravity)};
        int q = c->coordinate;
        if (applied)
            w = trmi_wrench_axpy(w, 1, applied[b]);
        f[q] = trmi_v3_dot(c[0].axis, w.f);
        f[q + 1] = trmi_v3_dot(c[1].axis, w.f);
        f[q + 2] = trmi_v3_dot(c[2].axis, w.n);
        if (!a)
            continue;
        f[q] -= mass * a[q];
        f[q + 1] -= mass * a[q + 1];
        f[q + 2] -= trmi_v3_dot(c[2].axis, trmi_s3_times(k->J[b], c[2].axis)) * a[q + 2];
    }
}

void trmi_star_force(const trmi_kinematics *k, const double *a, const trmi_wrench *applied,
                     double *f)
{
    const trmi_tree *t = k->tree;
    if (t->plane != TRMI_SPATIAL) {
        plane_force(k, a, applied, f);
        return;
    }
    for (int b = 1; b < t->bodies; b++) {
        int q = t->column[first_column(k, b)].coordinate;
        trmi_v3 fall = a ? trmi_v3_sub(t->gravity, trmi_three(a, q)) : t->gravity;
        trmi_wrench w = {trmi_v3_scale(-1, moment(k, b)), trmi_v3_scale(t->body[b].mass, fall)};
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
    int each = plane ? 0 : mass ? 12 : 9, count = each * (tree->bodies - 1), n = 0;
    int *row, *column;
    if (plane && mass) {
        *pattern = (trm_pattern){.count = TRM_PATTERN_DIAGONAL};
        return true;
    }
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

static void write_block(double *out, trmi_m3 a)
{
    for (int i = 0; i < 3; i++, out += 3) {
        out[0] = a.row[i].x;
        out[1] = a.row[i].y;
        out[2] = a.row[i].z;
    }
}

static void write_plane_mass(const trmi_tree *t, const trmi_kinematics *k, double *M)
{
    for (int b = 1; b < t->bodies; b++, M += 3) {
        trmi_v3 e = t->column[t->body[b].column].axis;
        M[0] = M[1] = t->body[b].mass;
        M[2] = trmi_v3_dot(e, trmi_s3_times(k->J[b], e));
    }
}

// B E = -2 w x (Sigma e) for every column e; Sigma is symmetric, so that w x (its rows) are the
// columns of [w] Sigma
static trmi_m3 transposed_B(trmi_v3 w, trmi_s3 J)
{
    trmi_m3 sigma = trmi_s3_sigma(J);
    trmi_v3 twice = trmi_v3_scale(-2, w);
    return (trmi_m3){{trmi_v3_cross(twice, sigma.row[0]), trmi_v3_cross(twice, sigma.row[1]),
                      trmi_v3_cross(twice, sigma.row[2])}};
}

// K = P E2 + Q E1 - E^T [n] E + X, where E^T [n] E = rho [E^T n]
static trmi_m3 stiffness(const trmi_kinematics *k, int b, trmi_m3 E, trmi_m3 P, trmi_m3 QE1,
                         const double *a)
{
    int j = first_column(k, b) + 3, q = k->tree->column[j].coordinate;
    trmi_v3 n = moment(k, b), e = trmi_m3_column(E, 0);
    trmi_m3 T2 = trmi_chart_second(trmi_three(k->q, q), trmi_three(k->rate, q), trmi_three(a, q));
    trmi_m3 E2 = trmi_m3_mul(*trmi_chart_axes(k, j), T2);
    trmi_m3 K = trmi_m3_axpy(QE1, 1, trmi_m3_mul(P, E2));
    K = trmi_m3_axpy(K, -trmi_v3_length(e), trmi_m3_cross(trmi_m3_tr_times(E, n)));
    trmi_m3 X = trmi_kinematics_chart_matrix(k, j, (trmi_wrench){n, {0, 0, 0}});
    return trmi_m3_axpy(K, 1, X);
}

// M = P E, D = 2 P E1 + Q E, P = E^T J, Q = E^T B of the rotations of one body; each may be NULL
static void differentiate(const trmi_kinematics *k, int b, const double *a, double *M, double *D,
                          double *K)
{
    int j = first_column(k, b) + 3;
    trmi_m3 E = angular(&k->s[j]), E1 = angular(&k->sdot[j]);
    trmi_m3 P = trmi_m3_transpose(trmi_m3_mul(trmi_s3_matrix(k->J[b]), E));
    if (M)
        write_block(M, trmi_m3_mul(P, E));
    if (!D && !K)
        return;
    trmi_m3 Q = trmi_m3_transpose(trmi_m3_mul(transposed_B(k->v[b].w, k->J[b]), E));
    if (D)
        write_block(D, trmi_m3_axpy(trmi_m3_mul(Q, E), 2, trmi_m3_mul(P, E1)));
    if (K)
        write_block(K, stiffness(k, b, E, P, trmi_m3_mul(Q, E1), a));
}

void trmi_star_matrices(const trmi_kinematics *k, const double *a, double *M, double *D, double *K)
{
    const trmi_tree *t = k->tree;
    if (t->plane != TRMI_SPATIAL) {
        if (M)
            write_plane_mass(t, k, M);
        return;
    }
    for (int b = 1; b < t->bodies && (M || D || K); b++) {
        if (M)
            M[0] = M[1] = M[2] = t->body[b].mass;
        differentiate(k, b, a, M ? M + 3 : NULL, D, K);
        M += M ? 12 : 0;
        D += D ? 9 : 0;
        K += K ? 9 : 0;
    }
}
