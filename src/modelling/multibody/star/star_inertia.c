// SPDX-License-Identifier: Apache-2.0
// Inertia of the bodies of the star. J in body axes; there w is T^T theta' and w' T^T theta*, so
// that with S = T J T^T, which is the mass matrix of the rotation, w = rho theta', a = rho theta*:
//
//     M a - f = (m (r'' - g); T n),   n = J w' + w x J w in body axes
//     M = diag(m 1, S)
//     D = 2 k1 S - 2 S [nu] + [z],    z = tr(S) w - 2 S w
//     K = (c - nu.nu + w.w) S + (S nu) nu^T + S [a - nu' - 2 k1 nu] + z w^T - w (S w)^T - nu z^T
//         + [k1 z - S a] + (z.nu - z.w) 1 + X(rho T n)
//     c = 2 k1^2 - rho s'',    rho T n = S a + w x S w
//
// These are E^T (2 J E1 + B E) and X + E^T (-[n] E + J E2 + B E1), B = -2 [w] (tr(J)/2 1 - J), with
// T' = (k1 + [nu]) T and all rotations taken out: T [y] T^T = rho [T y], T^T T = rho^2 1.
//
// In the plane M = diag(m, m, J), D = K = 0.
#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/multibody/star/star.h"

// ---- forces ----

static trmi_m3 chart_of(const trmi_turning *t)
{
    return trmi_chart_rotation(t->rho * t->rho, (trmi_quaternion){1, t->x});
}

// T (J w' + w x J w)
static trmi_v3 turning_force(const trmi_body *body, const trmi_turning *t)
{
    trmi_m3 T = chart_of(t);
    trmi_v3 w = trmi_m3_tr_times(T, t->rate), a = trmi_m3_tr_times(T, t->second);
    trmi_v3 n = trmi_v3_add(trmi_s3_times(body->inertia, a),
                            trmi_v3_cross(w, trmi_s3_times(body->inertia, w)));
    return trmi_m3_times(T, n);
}

static void spatial_residual(const trmi_kinematics *k, int b, const double *a, double *out)
{
    const trmi_body *body = &k->tree->described[b];
    int i = trmi_star_coordinate(k->tree, b);
    trmi_turning t = trmi_turning_at(k->q + i + 3, k->rate + i + 3, a ? a + i + 3 : NULL);
    trmi_v3 fall = trmi_v3_scale(-1, k->tree->gravity);
    if (a)
        fall = trmi_v3_add(fall, trmi_three(a, i));
    trmi_put_three(out, i, trmi_v3_scale(body->mass, fall));
    trmi_put_three(out, i + 3, turning_force(body, &t));
}

static double about(trmi_s3 J, int axis)
{
    return axis == 0 ? J.xx : axis == 1 ? J.yy : J.zz;
}

// in the plane w x J w has no component along the normal
static void plane_residual(const trmi_kinematics *k, const double *a, double *out, int first,
                           int end)
{
    trmi_v3 g = k->tree->gravity;
    int axis[3];
    trmi_plane_axes(k->tree->plane, axis);
    double gx = trmi_component(g, axis[0]), gy = trmi_component(g, axis[1]);
    for (int b = first; b < end; b++) {
        const trmi_body *body = &k->tree->described[b];
        int i = trmi_star_coordinate(k->tree, b);
        out[i] = body->mass * ((a ? a[i] : 0) - gx);
        out[i + 1] = body->mass * ((a ? a[i + 1] : 0) - gy);
        out[i + 2] = a ? about(body->inertia, axis[2]) * a[i + 2] : 0;
    }
}

void trmi_star_residual(const trmi_kinematics *k, const double *a, double *residual, int first,
                        int end)
{
    if (k->tree->plane != TRMI_SPATIAL)
        plane_residual(k, a, residual, first, end);
    else
        for (int b = first; b < end; b++)
            spatial_residual(k, b, a, residual);
}

// adds what a wrench at the centre of mass does along the columns of a body
static void add_wrench(const trmi_kinematics *k, int b, trmi_wrench w, double *f)
{
    trmi_star_body scratch;
    f += trmi_star_coordinate(k->tree, b);
    if (k->tree->plane == TRMI_SPATIAL) {
        const trmi_m3 *E = &trmi_placed(k, b, &scratch)->E;
        trmi_put_three(f, 0, trmi_v3_add(trmi_three(f, 0), w.f));
        trmi_put_three(f, 3, trmi_v3_add(trmi_three(f, 3), trmi_m3_tr_times(*E, w.n)));
        return;
    }
    int axis[3];
    trmi_plane_axes(k->tree->plane, axis);
    f[0] += trmi_component(w.f, axis[0]);
    f[1] += trmi_component(w.f, axis[1]);
    f[2] += trmi_component(w.n, axis[2]);
}

void trmi_star_force(const trmi_kinematics *k, const double *a, const trmi_wrench *applied,
                     double *f, int first, int end)
{
    trmi_star_residual(k, a, f, first, end);
    for (int i = trmi_star_coordinate(k->tree, first); i < trmi_star_coordinate(k->tree, end); i++)
        f[i] = -f[i];
    for (int b = first; b < end && applied; b++)
        add_wrench(k, b, applied[b], f);
}

// ---- matrices ----

bool trmi_star_patterns(trmi_memory *memory, const trmi_tree *tree, trm_pattern *mass,
                        trm_pattern *stiffness)
{
    int bodies = tree->bodies - 1;
    trm_block *block; // of translations, diagonal, then of rotations
    if (tree->plane != TRMI_SPATIAL) {
        *mass = (trm_pattern){.count = TRM_PATTERN_DIAGONAL};
        *stiffness = (trm_pattern){.count = 0};
        return true;
    }
    if (!TRMI_TAKE(memory, block, 2 * bodies))
        return false;
    for (int b = 0; b < bodies; b++) {
        int first = trmi_star_coordinate(tree, b + 1);
        block[b] = (trm_block){first, first, 3, 0};
        block[bodies + b] = (trm_block){first + 3, first + 3, 3, 3};
    }
    *mass = (trm_pattern){.count = 12 * bodies, .blocks = 2 * bodies, .block = block};
    *stiffness = (trm_pattern){.count = 9 * bodies, .blocks = bodies, .block = block + bodies};
    return true;
}

static void put_block(double *out, trmi_m3 a)
{
    trmi_put_three(out, 0, a.row[0]);
    trmi_put_three(out, 3, a.row[1]);
    trmi_put_three(out, 6, a.row[2]);
}

// S [y] + s S: row by row, since (S [y])_i = S_i x y
static trmi_m3 times_cross(trmi_m3 S, trmi_v3 y, double s)
{
    for (int i = 0; i < 3; i++)
        S.row[i] = trmi_v3_axpy(trmi_v3_cross(S.row[i], y), s, S.row[i]);
    return S;
}

// A += a b^T
static void add_outer(trmi_m3 *A, trmi_v3 a, trmi_v3 b)
{
    A->row[0] = trmi_v3_axpy(A->row[0], a.x, b);
    A->row[1] = trmi_v3_axpy(A->row[1], a.y, b);
    A->row[2] = trmi_v3_axpy(A->row[2], a.z, b);
}

// A += [y] + d 1
static void add_cross(trmi_m3 *A, trmi_v3 y, double d)
{
    A->row[0] = trmi_v3_add(A->row[0], (trmi_v3){d, -y.z, y.y});
    A->row[1] = trmi_v3_add(A->row[1], (trmi_v3){y.z, d, -y.x});
    A->row[2] = trmi_v3_add(A->row[2], (trmi_v3){-y.y, y.x, d});
}

// The rotation of one body: S, w, S w, z of the head of this file.
typedef struct spin {
    trmi_turning t;
    trmi_m3 S;
    trmi_v3 w, Sw, z;
} spin;

static spin spin_of(const trmi_body *body, trmi_turning t)
{
    spin x = {.t = t, .w = trmi_v3_scale(t.rho, t.rate)};
    trmi_s3 S = trmi_s3_turned(chart_of(&t), body->inertia);
    x.S = trmi_s3_matrix(S);
    x.Sw = trmi_m3_times(x.S, x.w);
    x.z = trmi_v3_axpy(trmi_v3_scale(S.xx + S.yy + S.zz, x.w), -2, x.Sw);
    return x;
}

static trmi_m3 damping(const spin *x)
{
    trmi_m3 D = times_cross(x->S, trmi_v3_scale(-2, x->t.nu), 2 * x->t.k1);
    add_cross(&D, x->z, 0);
    return D;
}

// second: theta''
static trmi_m3 stiffness(const spin *x, trmi_v3 second)
{
    const trmi_turning *t = &x->t;
    trmi_v3 a = trmi_v3_scale(t->rho, t->second), Sa = trmi_m3_times(x->S, a);
    trmi_v3 m = trmi_v3_add(Sa, trmi_v3_cross(x->w, x->Sw));
    // s'' = 2 (x.x'' + x'.x'), nu' = k1 nu + 2 rho (x'' + x x x''), x = theta/4
    double s2 = 0.5 * trmi_v3_dot(t->x, second) + 0.125 * trmi_v3_dot(t->rate, t->rate);
    double c = 2 * t->k1 * t->k1 - t->rho * s2;
    trmi_v3 nu1 = trmi_v3_scale(0.5 * t->rho, trmi_v3_add(second, trmi_v3_cross(t->x, second)));
    trmi_v3 y = trmi_v3_sub(trmi_v3_axpy(a, -3 * t->k1, t->nu), nu1);
    trmi_m3 K = times_cross(x->S, y, c - trmi_v3_dot(t->nu, t->nu) + trmi_v3_dot(x->w, x->w));
    trmi_m3 X = trmi_chart_matrix(t->x, m);
    add_outer(&K, trmi_m3_times(x->S, t->nu), t->nu);
    add_outer(&K, x->z, x->w);
    add_outer(&K, trmi_v3_scale(-1, x->w), x->Sw);
    add_outer(&K, trmi_v3_scale(-1, t->nu), x->z);
    add_cross(&K, trmi_v3_sub(trmi_v3_scale(t->k1, x->z), Sa),
              trmi_v3_dot(x->z, t->nu) - trmi_v3_dot(x->z, x->w));
    return trmi_m3_axpy(K, 1, X);
}

static void spatial_matrices(const trmi_kinematics *k, int b, const double *a, double *M, double *D,
                             double *K)
{
    const trmi_body *body = &k->tree->described[b];
    int i = trmi_star_coordinate(k->tree, b) + 3;
    spin x = spin_of(body, trmi_turning_at(k->q + i, k->rate + i, K ? a + i : NULL));
    if (M) {
        double *slides = M + 3 * (b - 1);
        slides[0] = slides[1] = slides[2] = body->mass;
        put_block(M + 3 * (k->tree->bodies - 1) + 9 * (b - 1), x.S);
    }
    if (D)
        put_block(D + 9 * (b - 1), damping(&x));
    if (K)
        put_block(K + 9 * (b - 1), stiffness(&x, trmi_three(a, i)));
}

static void plane_mass(const trmi_kinematics *k, double *M, int first, int end)
{
    int axis[3];
    trmi_plane_axes(k->tree->plane, axis);
    for (int b = first; b < end; b++) {
        const trmi_body *body = &k->tree->described[b];
        double *own = M + 3 * (b - 1);
        own[0] = own[1] = body->mass;
        own[2] = about(body->inertia, axis[2]);
    }
}

void trmi_star_matrices(const trmi_kinematics *k, const double *a, double *M, double *D, double *K,
                        int first, int end)
{
    if (k->tree->plane == TRMI_SPATIAL) {
        for (int b = first; b < end; b++)
            spatial_matrices(k, b, a, M, D, K);
    } else if (M)
        plane_mass(k, M, first, end);
}
