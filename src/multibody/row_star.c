// SPDX-License-Identifier: Apache-2.0
// Blocks of the star. Body b has coordinates (r, theta) with E = W T, E1 = W T' (the angular parts
// of its columns); P is the marker on B, a = P - r_A, b = P - r_B. A slide has gamma = (0; u), dots
// have (n; 0), n = sum c w x u, and Hp = sum c (w u^T - (u.w) 1). G and (Gv)_q, row by row, B
// first:
//
//     slide  G: u, E_B^T (b x u); -u, -E_A^T (a x u)           dots  E_B^T n; -E_A^T n
//     slide  (Gv)_q: w_A x u,  E_B^T ((w_B x b) x u + b x (w_A x u)) + E1_B^T (b x u);
//                    the negative with E_A, a and (v_P - r'_A) x u instead of (w_B x b) x u
//     dots   (Gv)_q: E_B^T y + E1_B^T n; -(..)_A,  y = Hp^T (w_B - w_A) + w_B x n
//
// With f = sum lambda u, n = sum lambda n, Hp summed likewise, (G^T lambda)_q has the blocks
//
//     BB thth  E_B^T (Hp + b f^T - (f.b) 1) E_B + X_B(n + b x f)
//     AA thth  E_A^T (Hp + a f^T - (f.a) 1 + [n + a x f]) E_A - X_A(n + a x f)
//     AA th,t  -E_A^T [f], and t,th its transpose
//     AB th,t  E_A^T [f];  th,th  -E_A^T (Hp + b f^T - (f.b) 1) E_B;  BA = AB^T
#include "multibody/row_star.h"

#include "multibody/chart.h"

// The joint at one state. e, e1: three columns each; NULL for the ground.
typedef struct geometry {
    trmi_v3 u[3], w[3], d, a, b;
    const trmi_motion *s_A, *s_B, *sdot_A, *sdot_B;
    const trmi_m3 *W_A, *W_B;
} geometry;

// ---- geometry --------------------------------------------------------------------------------

static void locate(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_pair *pair = &joint->set->pair;
    const trmi_pose *A = &k->pose[pair->A], *B = &k->pose[pair->B];
    int j_A = joint->column[0] + 3, j_B = joint->column[1] + 3; // charts
    bool free_A = pair->A != TRMI_GROUND, free_B = pair->B != TRMI_GROUND;
    g->b = trmi_m3_times(B->R, pair->b);
    g->a = trmi_v3_add(trmi_v3_sub(B->r, A->r), g->b);
    g->d = trmi_v3_sub(g->a, trmi_m3_times(A->R, pair->a));
    for (int i = 0; i < 3; i++)
        g->u[i] = trmi_m3_times(A->R, trmi_m3_column(pair->Q_A, i));
    for (int i = 0; i < 3; i++)
        if (joint->uses_w & 1u << i)
            g->w[i] = trmi_m3_times(B->R, trmi_m3_column(pair->Q_B, i));
    g->s_A = free_A ? &k->s[j_A] : NULL;
    g->s_B = free_B ? &k->s[j_B] : NULL;
    g->sdot_A = free_A ? &k->sdot[j_A] : NULL;
    g->sdot_B = free_B ? &k->sdot[j_B] : NULL;
    g->W_A = free_A ? &k->chart_axes[joint->chart[0]] : NULL;
    g->W_B = free_B ? &k->chart_axes[joint->chart[1]] : NULL;
}

// n = sum c w x u
static trmi_v3 moment_of(const trmi_row_type *type, const geometry *g)
{
    trmi_v3 n = {0, 0, 0};
    for (int i = 0; i < type->dots; i++)
        n = trmi_v3_axpy(n, type->dot[i].coefficient,
                         trmi_v3_cross(g->w[type->dot[i].w], g->u[type->dot[i].u]));
    return n;
}

static double value_of(const trmi_row_type *type, const geometry *g)
{
    double p = 0;
    if (type->shape == TRMI_ROW_SLIDE)
        return trmi_v3_dot(g->u[type->axis], g->d);
    for (int i = 0; i < type->dots; i++)
        p += type->dot[i].coefficient * trmi_v3_dot(g->u[type->dot[i].u], g->w[type->dot[i].w]);
    return p;
}

// Hp^T x = sum c (u (w.x) - (u.w) x)
static trmi_v3 bend(const trmi_row_type *type, const geometry *g, trmi_v3 x)
{
    trmi_v3 sum = {0, 0, 0};
    for (int i = 0; i < type->dots; i++) {
        trmi_v3 u = g->u[type->dot[i].u], w = g->w[type->dot[i].w];
        double c = type->dot[i].coefficient;
        sum = trmi_v3_axpy(sum, c * trmi_v3_dot(w, x), u);
        sum = trmi_v3_axpy(sum, -c * trmi_v3_dot(u, w), x);
    }
    return sum;
}

// ---- G and (Gv)_q ----------------------------------------------------------------------------

static double *write_vector(double *out, double sign, trmi_v3 x)
{
    out[0] = sign * x.x;
    out[1] = sign * x.y;
    out[2] = sign * x.z;
    return out + 3;
}

// sign E^T x
static double *write_turned(double *out, double sign, const trmi_motion *s, trmi_v3 x)
{
    for (int k = 0; k < 3; k++)
        out[k] = sign * trmi_v3_dot(s[k].w, x);
    return out + 3;
}

static double *write_gradient(const trmi_row_type *type, const geometry *g, double *out)
{
    bool slide = type->shape == TRMI_ROW_SLIDE;
    trmi_v3 u = g->u[type->axis], n = slide ? u : moment_of(type, g);
    if (g->s_B && slide)
        out = write_vector(out, 1, u);
    if (g->s_B)
        out = write_turned(out, 1, g->s_B, slide ? trmi_v3_cross(g->b, u) : n);
    if (g->s_A && slide)
        out = write_vector(out, -1, u);
    if (g->s_A)
        out = write_turned(out, -1, g->s_A, slide ? trmi_v3_cross(g->a, u) : n);
    return out;
}

// sign (E^T x + E1^T n)
static double *write_moving(double *out, double sign, const trmi_motion *s, const trmi_motion *sdot,
                            trmi_v3 x, trmi_v3 n)
{
    for (int k = 0; k < 3; k++)
        out[k] = sign * (trmi_v3_dot(s[k].w, x) + trmi_v3_dot(sdot[k].w, n));
    return out + 3;
}

static double *write_slide_rate(trmi_v3 u, const geometry *g, trmi_motion A, trmi_motion B,
                                double *out)
{
    trmi_v3 turning = trmi_v3_cross(A.w, u), swing = trmi_v3_cross(B.w, g->b);
    if (g->s_B) {
        trmi_v3 x = trmi_v3_add(trmi_v3_cross(swing, u), trmi_v3_cross(g->b, turning));
        out = write_vector(out, 1, turning);
        out = write_moving(out, 1, g->s_B, g->sdot_B, x, trmi_v3_cross(g->b, u));
    }
    if (g->s_A) {
        trmi_v3 relative = trmi_v3_add(trmi_v3_sub(B.v, A.v), swing);
        trmi_v3 x = trmi_v3_add(trmi_v3_cross(relative, u), trmi_v3_cross(g->a, turning));
        out = write_vector(out, -1, turning);
        out = write_moving(out, -1, g->s_A, g->sdot_A, x, trmi_v3_cross(g->a, u));
    }
    return out;
}

static double *write_dots_rate(const trmi_row_type *type, const geometry *g, trmi_motion A,
                               trmi_motion B, double *out)
{
    trmi_v3 n = moment_of(type, g);
    trmi_v3 y = trmi_v3_add(bend(type, g, trmi_v3_sub(B.w, A.w)), trmi_v3_cross(B.w, n));
    if (g->s_B)
        out = write_moving(out, 1, g->s_B, g->sdot_B, y, n);
    if (g->s_A)
        out = write_moving(out, -1, g->s_A, g->sdot_A, y, n);
    return out;
}

// What the biases need: xi, and a_B - a_A - v_A x v_B, at P.
typedef struct relative {
    trmi_motion xi, a;
} relative;

static relative relate(const geometry *g, const trmi_kinematics *k, const trmi_pair *pair)
{
    trmi_motion v_A = trmi_motion_at(k->v[pair->A], g->a);
    trmi_motion v_B = trmi_motion_at(k->v[pair->B], g->b);
    trmi_motion a_A = trmi_motion_at(k->a[pair->A], g->a);
    trmi_motion a_B = trmi_motion_at(k->a[pair->B], g->b);
    return (relative){trmi_motion_sub(v_B, v_A),
                      trmi_motion_sub(trmi_motion_sub(a_B, a_A), trmi_motion_cross(v_A, v_B))};
}

// slide: u.a - w.(u x v), dots: n.a_w + w.Hp w
static double bias_of(const trmi_row_type *type, const geometry *g, const relative *x)
{
    trmi_v3 u = g->u[type->axis], w = x->xi.w;
    if (type->shape == TRMI_ROW_SLIDE)
        return trmi_v3_dot(u, x->a.v) - trmi_v3_dot(w, trmi_v3_cross(u, x->xi.v));
    return trmi_v3_dot(moment_of(type, g), x->a.w) + trmi_v3_dot(bend(type, g, w), w);
}

// ---- (G^T lambda)_q --------------------------------------------------------------------------

// the columns of X E
static void turn_columns(trmi_m3 X, const trmi_motion *s, trmi_v3 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = trmi_m3_times(X, s[k].w);
}

// E^T with the columns x
static trmi_m3 gather(const trmi_motion *s, const trmi_v3 x[3])
{
    trmi_m3 out;
    for (int i = 0; i < 3; i++)
        out.row[i] = (trmi_v3){trmi_v3_dot(s[i].w, x[0]), trmi_v3_dot(s[i].w, x[1]),
                               trmi_v3_dot(s[i].w, x[2])};
    return out;
}

// E^T [f]: row i is e_i x f, since e_i.(f x y) = (e_i x f).y
static trmi_m3 turned_cross(const trmi_motion *s, trmi_v3 f)
{
    return (trmi_m3){
        {trmi_v3_cross(s[0].w, f), trmi_v3_cross(s[1].w, f), trmi_v3_cross(s[2].w, f)}};
}

// adds a block at the next nine slots
static const int *put_block(const int *slot, double *restrict out, double sign, trmi_m3 block)
{
    for (int i = 0; i < 3; i++, slot += 3) {
        out[slot[0]] += sign * block.row[i].x;
        out[slot[1]] += sign * block.row[i].y;
        out[slot[2]] += sign * block.row[i].z;
    }
    return slot;
}

// the same block at two places, the second time transposed
static const int *put_both(const int *slot, double *restrict out, double sign, trmi_m3 block)
{
    return put_block(put_block(slot, out, sign, block), out, sign, block);
}

// Hp + x f^T - (f.x) 1
static trmi_m3 lever(trmi_m3 Hp, trmi_v3 x, trmi_v3 f)
{
    double fx = trmi_v3_dot(f, x);
    trmi_m3 sum = {{trmi_v3_axpy(Hp.row[0], x.x, f), trmi_v3_axpy(Hp.row[1], x.y, f),
                    trmi_v3_axpy(Hp.row[2], x.z, f)}};
    sum.row[0].x -= fx;
    sum.row[1].y -= fx;
    sum.row[2].z -= fx;
    return sum;
}

// adds sign X(W^T n), n the moment about the centre of mass
static void put_chart(const int *slot, double *out, double sign, const trmi_m3 *W,
                      const double *theta, trmi_v3 n)
{
    put_block(slot, out, sign, trmi_chart_matrix(trmi_v3_of(theta), trmi_m3_tr_times(*W, n)));
}

static void add_blocks(const trmi_constraint *joint, const geometry *g, const double *q,
                       trmi_wrench sum, trmi_m3 Hp, const int *slot, double *out)
{
    trmi_v3 f = sum.f, column[3], HbE[3];
    if (g->s_B) {
        turn_columns(lever(Hp, g->b, f), g->s_B, HbE);
        slot = put_block(slot, out, 1, gather(g->s_B, HbE));
        put_chart(slot - 9, out, 1, g->W_B, q + joint->coordinate[1] + 3,
                  trmi_v3_add(sum.n, trmi_v3_cross(g->b, f)));
    }
    if (!g->s_A)
        return;
    trmi_v3 n_A = trmi_v3_add(sum.n, trmi_v3_cross(g->a, f));
    turn_columns(lever(Hp, g->a, f), g->s_A, column);
    for (int i = 0; i < 3; i++)
        column[i] = trmi_v3_add(column[i], trmi_v3_cross(n_A, g->s_A[i].w));
    slot = put_block(slot, out, 1, gather(g->s_A, column));
    put_chart(slot - 9, out, -1, g->W_A, q + joint->coordinate[0] + 3, n_A);
    trmi_m3 Ef = turned_cross(g->s_A, f);
    slot = put_both(slot, out, -1, Ef);
    if (!g->s_B)
        return;
    slot = put_both(slot, out, 1, Ef);
    put_both(slot, out, -1, gather(g->s_A, HbE));
}

static void add_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                          const geometry *g, const trmi_kinematics *k, const double *lambda,
                          double *out)
{
    trmi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    trmi_m3 Hp = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    double trace = 0;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        double l = lambda[joint->number[r]];
        if (type->shape == TRMI_ROW_SLIDE) {
            sum.f = trmi_v3_axpy(sum.f, l, g->u[type->axis]);
            continue;
        }
        for (int i = 0; i < type->dots; i++) {
            trmi_v3 u = g->u[type->dot[i].u], w = g->w[type->dot[i].w];
            double lc = l * type->dot[i].coefficient;
            sum.n = trmi_v3_axpy(sum.n, lc, trmi_v3_cross(w, u));
            Hp = trmi_m3_axpy(Hp, lc, trmi_m3_outer(w, u));
            trace += lc * trmi_v3_dot(u, w);
        }
    }
    Hp.row[0].x -= trace;
    Hp.row[1].y -= trace;
    Hp.row[2].z -= trace;
    add_blocks(joint, g, k->q, sum, Hp, c->K.slot + joint->first_K, out);
}

// ---- all -------------------------------------------------------------------------------------

// G and (Gv)_q of one joint, whose rows stand next to each other
static void write_gradients(const trmi_constraints *c, const trmi_constraint *joint,
                            const geometry *g, const trmi_kinematics *k,
                            double *const want[TRM_QUANTITY_COUNT])
{
    int first = c->G.slot[joint->first_G];
    double *G = want[TRM_CONSTRAINT_Q] ? want[TRM_CONSTRAINT_Q] + first : NULL;
    double *Gv = want[TRM_VELOCITY_Q] ? want[TRM_VELOCITY_Q] + first : NULL;
    const trmi_motion *A = &k->v[joint->set->pair.A], *B = &k->v[joint->set->pair.B];
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        if (G)
            G = write_gradient(type, g, G);
        if (Gv)
            Gv = type->shape == TRMI_ROW_SLIDE ? write_slide_rate(g->u[type->axis], g, *A, *B, Gv)
                                               : write_dots_rate(type, g, *A, *B, Gv);
    }
}

void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT])
{
    geometry g;
    if (k->tree->plane != TRMI_SPATIAL) {
        trmi_plane_joint(c, joint, k, state, want);
        return;
    }
    locate(&g, joint, k);
    double *p = want[TRM_CONSTRAINT], *bias = want[TRM_GAMMA];
    for (int r = 0; p && r < joint->rows; r++)
        p[joint->number[r]] = value_of(joint->set->row[r].type, &g);
    if (bias) {
        relative x = relate(&g, k, &joint->set->pair);
        for (int r = 0; r < joint->rows; r++)
            bias[joint->number[r]] = bias_of(joint->set->row[r].type, &g, &x);
    }
    if (want[TRM_CONSTRAINT_Q] || want[TRM_VELOCITY_Q])
        write_gradients(c, joint, &g, k, want);
    if (want[TRM_GEOMETRIC])
        add_geometric(c, joint, &g, k, state->lambda, want[TRM_GEOMETRIC]);
}
