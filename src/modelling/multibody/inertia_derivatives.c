// SPDX-License-Identifier: Apache-2.0
// Mass matrix and exact derivatives of the inertial part over pairs of columns, O(n depth).
//
// With u_c the velocity of the centre of mass and Sigma = tr(J)/2 1 - J of each body,
//
//     B_f = -2 m [u_c],   B_n = -2 [w] Sigma + [c] B_f      B = [B_n 0; B_f 0], subtree sums
//     U = I s,  b = s^T B,  Y = I sddot + B sdot + s x* F,  Z = 2 I sdot + B s
//
// of column k give for every column j at or before it
//
//     K_kj = U.sddot_j + b.sdot_j     D_kj = 2 U.sdot_j + b.s_j     M_kj = U.s_j
//     K_jk = s_j.Y                    D_jk = s_j.Z                  M_jk = M_kj       (j < k)
//
// and inside a chart K_ij += X_ij(F), K_kj += s_k.(s_j x* F). F is the inertial wrench with gravity
// and without applied wrenches, which would be counted twice.
#include "modelling/multibody/recursion.h"
#include "modelling/multibody/star/star.h"

// ---- patterns ----

// Visits the pairs (k, j), j at or before k, both coordinates, in the order of the values.
typedef struct pair_walk {
    const trmi_tree *tree;
    int k, j;
} pair_walk;

static bool next_pair(pair_walk *w)
{
    const trmi_column *c = w->tree->column;
    for (;;) {
        w->j = w->j == TRMI_NOTHING ? TRMI_NOTHING : c[w->j].parent;
        if (w->j == TRMI_NOTHING) {
            if (++w->k == w->tree->columns)
                return false;
            w->j = w->k;
        }
        if (c[w->k].coordinate != TRMI_NOTHING && c[w->j].coordinate != TRMI_NOTHING)
            return true;
    }
}

bool trmi_inertia_patterns(trmi_memory *memory, const trmi_tree *tree, trm_pattern *mass,
                           trm_pattern *stiffness)
{
    if (tree->star)
        return trmi_star_patterns(memory, tree, mass, stiffness);
    int count = 0, *row, *column;
    for (pair_walk w = {tree, -1, TRMI_NOTHING}; next_pair(&w);)
        count += w.j == w.k ? 1 : 2;
    if (!TRMI_TAKE(memory, row, count) || !TRMI_TAKE(memory, column, count))
        return false;
    *mass = *stiffness = (trm_pattern){.count = count, .row = row, .column = column};
    count = 0;
    for (pair_walk w = {tree, -1, TRMI_NOTHING}; next_pair(&w);) {
        int k = tree->column[w.k].coordinate, j = tree->column[w.j].coordinate;
        row[count] = k;
        column[count++] = j;
        if (k != j) {
            row[count] = j;
            column[count++] = k;
        }
    }
    return true;
}

// ---- values ----

// B_n and sum of m u_c (B_f = -2 [sum]) of the subtrees
static void sum_spins(trmi_recursion *r)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++) {
        r->spin[j] = (trmi_m3){0};
        r->impulse[j] = (trmi_v3){0};
    }
    for (int b = 1; b < t->bodies; b++) {
        int last = t->body[b].column;
        if (last == TRMI_NOTHING)
            continue;
        trmi_v3 w = k->v[b].w, c = k->c[b];
        trmi_v3 p = trmi_v3_scale(t->described[b].mass, trmi_motion_at(k->v[b], c).v);
        trmi_m3 turning = trmi_m3_mul(trmi_m3_cross(w), trmi_s3_sigma(k->J[b]));
        trmi_m3 moving = trmi_m3_mul(trmi_m3_cross(c), trmi_m3_cross(p));
        r->spin[last] = trmi_m3_axpy(trmi_m3_axpy(r->spin[last], -2, turning), -2, moving);
        r->impulse[last] = trmi_v3_add(r->impulse[last], p);
    }
    for (int j = t->columns - 1; j >= 0; j--) {
        int parent = t->column[j].parent;
        if (parent == TRMI_NOTHING)
            continue;
        r->spin[parent] = trmi_m3_axpy(r->spin[parent], 1, r->spin[j]);
        r->impulse[parent] = trmi_v3_add(r->impulse[parent], r->impulse[j]);
    }
}

// B m
static trmi_wrench times_B(const trmi_recursion *r, int k, trmi_v3 w)
{
    return (trmi_wrench){trmi_m3_times(r->spin[k], w),
                         trmi_v3_scale(-2, trmi_v3_cross(r->impulse[k], w))};
}

// s^T B
static trmi_v3 B_times(const trmi_recursion *r, int k, trmi_motion s)
{
    trmi_v3 b = trmi_m3_tr_times(r->spin[k], s.w);
    return trmi_v3_axpy(b, 2, trmi_v3_cross(r->impulse[k], s.v));
}

// The products of one column with which its row and column of the matrices are written.
typedef struct column_products {
    trmi_wrench U, Y, Z;
    trmi_v3 b;
    trmi_m3 X; // of its chart
} column_products;

static column_products multiply(const trmi_recursion *r, int k, bool damping, bool stiffness)
{
    const trmi_kinematics *m = r->k;
    const trmi_column *c = &m->tree->column[k];
    column_products p = {.U = trmi_inertia_times(&r->composite[k], m->s[k])};
    if (damping || stiffness)
        p.b = B_times(r, k, m->s[k]);
    if (damping)
        p.Z = trmi_wrench_axpy(times_B(r, k, m->s[k].w), 2,
                               trmi_inertia_times(&r->composite[k], m->sdot[k]));
    if (stiffness) {
        p.Y = trmi_wrench_axpy(trmi_inertia_times(&r->composite[k], m->sddot[k]), 1,
                               times_B(r, k, m->sdot[k].w));
        p.Y = trmi_wrench_axpy(p.Y, 1, trmi_wrench_cross(m->s[k], r->F[k]));
        if (c->kind == TRMI_COLUMN_CHART)
            p.X = trmi_kinematics_chart_matrix(m, c->chart, r->F[k]);
    }
    return p;
}

static double entry(trmi_m3 a, int i, int j)
{
    trmi_v3 row = a.row[i];
    return j == 0 ? row.x : j == 1 ? row.y : row.z;
}

// the entries (k, j) and (j, k) of K
static int write_stiffness(const trmi_recursion *r, const column_products *p, int k, int j,
                           double *K)
{
    const trmi_kinematics *m = r->k;
    const trmi_column *c = &m->tree->column[k];
    bool same = c->kind == TRMI_COLUMN_CHART && j >= c->chart;
    K[0] = trmi_power(m->sddot[j], p->U) + trmi_v3_dot(p->b, m->sdot[j].w);
    if (same)
        K[0] += entry(p->X, k - c->chart, j - c->chart) +
                trmi_power(m->s[k], trmi_wrench_cross(m->s[j], r->F[k]));
    if (j == k)
        return 1;
    K[1] = trmi_power(m->s[j], p->Y);
    if (same)
        K[1] += entry(p->X, j - c->chart, k - c->chart);
    return 2;
}

void trmi_inertia_matrices(trmi_recursion *r, const double *a, double *M, double *D, double *K)
{
    const trmi_kinematics *m = r->k;
    const trmi_tree *t = m->tree;
    if (t->star) {
        trmi_star_matrices(m, a, M, D, K, 1, m->tree->bodies);
        return;
    }
    trmi_recursion_composites(r);
    if (D || K)
        sum_spins(r);
    if (K)
        trmi_recursion_wrenches(r, NULL);
    column_products p = {0};
    int previous = TRMI_NOTHING;
    for (pair_walk w = {t, -1, TRMI_NOTHING}; next_pair(&w);) {
        int k = w.k, j = w.j, both = k != j;
        if (k != previous)
            p = multiply(r, previous = k, D != NULL, K != NULL);
        if (M) {
            M[0] = M[both] = trmi_power(m->s[j], p.U);
            M += 1 + both;
        }
        if (D) {
            D[both] = trmi_power(m->s[j], p.Z);
            D[0] = 2 * trmi_power(m->sdot[j], p.U) + trmi_v3_dot(p.b, m->s[j].w);
            D += 1 + both;
        }
        if (K)
            K += write_stiffness(r, &p, k, j, K);
    }
}
