// SPDX-License-Identifier: Apache-2.0
// Blocks of the star in space. Body b has coordinates (r, theta) with E = W T, E1 = W T' (the
// angular parts of its columns); b and a are the arms of B and A, from their centres of mass. A
// slide along u has gamma = (0; u), dots have (n; 0), n = sum c w x u. Where all slides of a point
// are there, they are along the global axes and each arm ends at the body's own marker. Otherwise
// u turns with A, and both arms end at P, the marker on B. G and (Gv)_q, row by row, B first:
//
//     slide  G: u, E_B^T (b x u); -u, -E_A^T (a x u)           dots  E_B^T n; -E_A^T n
//     slide  (Gv)_q: u', E_B^T (b' x u + b x u') + E1_B^T (b x u); the negative with A and a;
//                    fixed: u' = 0, b' = w_B x b, a' = w_A x a
//                    turning: u' = w_A x u, b' = w_B x b, a' = v_P - r'_A
//     dots   (Gv)_q: E_B^T y + E1_B^T n; -(..)_A,  y = Hp^T (w_B - w_A) + w_B x n
//
// (G^T lambda)_q with f = sum lambda u, Hp = sum lambda c (w u^T - (u.w) 1), n summed likewise:
//
//     BB thth  E_B^T (Hp + b f^T - (f.b) 1) E_B + X_B(n + b x f)
//     fixed    AA thth  E_A^T (Hp + [n] - a f^T + (f.a) 1) E_A - X_A(n + a x f)
//              AB thth  -E_A^T Hp E_B, only with dots
//     turning  AA thth  E_A^T (Hp + a f^T - (f.a) 1 + [n + a x f]) E_A - X_A(n + a x f)
//              AA th,t  -E_A^T [f], and t,th its transpose
//              AB th,t  E_A^T [f];  th,th  -E_A^T (Hp + b f^T - (f.b) 1) E_B
//     BA = AB^T
//
// E is rho times a rotation: E^T x y^T E is a product of two vectors, E^T E = rho^2 1, E^T [n] E =
// rho [E^T n]. So no 3 x 3 matrices are multiplied.
#include "multibody/row_star.h"

// One of the two bodies. s, sdot: columns of its chart; NULL: the ground.
typedef struct side {
    const trmi_motion *s, *sdot;
    int chart;
    trmi_v3 arm, arm_rate;
} side;

// The joint at one state.
typedef struct geometry {
    bool fixed_axes;
    side A, B;
    trmi_v3 d;          // from the marker on A to that on B
    trmi_v3 u[3], w[3]; // axes that slides and dots use
    const trmi_motion *v_A, *v_B;
} geometry;

// ---- geometry --------------------------------------------------------------------------------

static void look_at(side *side, const trmi_kinematics *k, int body)
{
    bool ground = body == TRMI_GROUND;
    side->chart = ground ? TRMI_NOTHING : k->tree->body[body].first + 3;
    side->s = ground ? NULL : &k->s[side->chart];
    side->sdot = ground ? NULL : &k->sdot[side->chart];
}

static void locate(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_pair *pair = &joint->set->pair;
    const trmi_pose *A = &k->pose[pair->A], *B = &k->pose[pair->B];
    const trmi_motion *v_A = g->v_A = &k->v[pair->A], *v_B = g->v_B = &k->v[pair->B];
    g->fixed_axes = joint->fixed_axes;
    look_at(&g->A, k, pair->A);
    look_at(&g->B, k, pair->B);
    trmi_v3 on_A = trmi_m3_times(A->R, pair->a), b = trmi_m3_times(B->R, pair->b);
    trmi_v3 b_rate = trmi_v3_cross(v_B->w, b), to_P = trmi_v3_add(trmi_v3_sub(B->r, A->r), b);
    g->B.arm = b;
    g->B.arm_rate = b_rate;
    g->d = trmi_v3_sub(to_P, on_A);
    g->A.arm = joint->fixed_axes ? on_A : to_P;
    g->A.arm_rate = joint->fixed_axes ? trmi_v3_cross(v_A->w, on_A)
                                      : trmi_v3_add(trmi_v3_sub(v_B->v, v_A->v), b_rate);
    for (int i = 0; i < 3; i++) {
        if (joint->axes_A >> i & 1)
            g->u[i] = trmi_m3_times(A->R, trmi_m3_column(pair->Q_A, i));
        if (joint->axes_B >> i & 1)
            g->w[i] = trmi_m3_times(B->R, trmi_m3_column(pair->Q_B, i));
    }
}

// a x e for the global axis e
static trmi_v3 lever(trmi_v3 a, int axis)
{
    return axis == 0   ? (trmi_v3){0, a.z, -a.y}
           : axis == 1 ? (trmi_v3){-a.z, 0, a.x}
                       : (trmi_v3){a.y, -a.x, 0};
}

static double component(trmi_v3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
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
    if (type->shape == TRMI_ROW_SLIDE && g->fixed_axes)
        return component(g->d, type->axis);
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

// E^T x
static trmi_v3 along(const trmi_motion *s, trmi_v3 x)
{
    return (trmi_v3){trmi_v3_dot(s[0].w, x), trmi_v3_dot(s[1].w, x), trmi_v3_dot(s[2].w, x)};
}

static double *write_vector(double *out, double sign, trmi_v3 x)
{
    out[0] = sign * x.x;
    out[1] = sign * x.y;
    out[2] = sign * x.z;
    return out + 3;
}

static double *write_gradient(const trmi_row_type *type, const side *side, double sign,
                              const geometry *g, trmi_v3 n, double *out)
{
    if (!side->s)
        return out;
    if (type->shape != TRMI_ROW_SLIDE)
        return write_vector(out, sign, along(side->s, n));
    if (g->fixed_axes) {
        *out++ = sign;
        return write_vector(out, sign, along(side->s, lever(side->arm, type->axis)));
    }
    trmi_v3 u = g->u[type->axis];
    out = write_vector(out, sign, u);
    return write_vector(out, sign, along(side->s, trmi_v3_cross(side->arm, u)));
}

// E^T x + E1^T n
static trmi_v3 moving(const side *side, trmi_v3 x, trmi_v3 n)
{
    return trmi_v3_add(along(side->s, x), along(side->sdot, n));
}

static double *write_fixed_rate(const side *side, double sign, int axis, double *out)
{
    if (!side->s)
        return out;
    *out++ = 0;
    return write_vector(out, sign,
                        moving(side, lever(side->arm_rate, axis), lever(side->arm, axis)));
}

static double *write_slide_rate(const side *side, double sign, trmi_v3 u, trmi_v3 u_rate,
                                double *out)
{
    if (!side->s)
        return out;
    trmi_v3 x = trmi_v3_add(trmi_v3_cross(side->arm_rate, u), trmi_v3_cross(side->arm, u_rate));
    out = write_vector(out, sign, u_rate);
    return write_vector(out, sign, moving(side, x, trmi_v3_cross(side->arm, u)));
}

static double *write_rate(const trmi_row_type *type, const geometry *g, double *out)
{
    bool slide = type->shape == TRMI_ROW_SLIDE;
    if (slide && g->fixed_axes) {
        out = write_fixed_rate(&g->B, 1, type->axis, out);
        return write_fixed_rate(&g->A, -1, type->axis, out);
    }
    if (slide) {
        trmi_v3 u = g->u[type->axis], u_rate = trmi_v3_cross(g->v_A->w, u);
        out = write_slide_rate(&g->B, 1, u, u_rate, out);
        return write_slide_rate(&g->A, -1, u, u_rate, out);
    }
    trmi_v3 n = moment_of(type, g);
    trmi_v3 y =
        trmi_v3_add(bend(type, g, trmi_v3_sub(g->v_B->w, g->v_A->w)), trmi_v3_cross(g->v_B->w, n));
    if (g->B.s)
        out = write_vector(out, 1, moving(&g->B, y, n));
    if (g->A.s)
        out = write_vector(out, -1, moving(&g->A, y, n));
    return out;
}

// ---- gamma -----------------------------------------------------------------------------------

// acceleration of the end of an arm against the centre of mass: w' x arm + w x (w x arm)
static trmi_v3 swing(trmi_motion v, trmi_motion a, trmi_v3 arm)
{
    return trmi_v3_add(trmi_v3_cross(a.w, arm), trmi_v3_cross(v.w, trmi_v3_cross(v.w, arm)));
}

// Along global axes: that of both ends, with q'' = 0; gravity is on both sides.
// Otherwise u.(a_B - a_A - v_A x v_B)_P - w.(u x v), and n.(..)_w + w.Hp w; w, v relative at P.
static double bias_of(const trmi_row_type *type, const geometry *g, trmi_motion a_A,
                      trmi_motion a_B)
{
    trmi_v3 w = trmi_v3_sub(g->v_B->w, g->v_A->w);
    if (type->shape != TRMI_ROW_SLIDE) {
        trmi_v3 turn = trmi_v3_sub(trmi_v3_sub(a_B.w, a_A.w), trmi_v3_cross(g->v_A->w, g->v_B->w));
        return trmi_v3_dot(moment_of(type, g), turn) + trmi_v3_dot(bend(type, g, w), w);
    }
    if (g->fixed_axes)
        return component(trmi_v3_sub(swing(*g->v_B, a_B, g->B.arm), swing(*g->v_A, a_A, g->A.arm)),
                         type->axis);
    trmi_v3 u = g->u[type->axis];
    trmi_motion v_A = trmi_motion_at(*g->v_A, g->A.arm), v_B = trmi_motion_at(*g->v_B, g->B.arm);
    trmi_motion a = trmi_motion_sub(trmi_motion_at(a_B, g->B.arm), trmi_motion_at(a_A, g->A.arm));
    a = trmi_motion_sub(a, trmi_motion_cross(v_A, v_B));
    return trmi_v3_dot(u, a.v) - trmi_v3_dot(w, trmi_v3_cross(u, trmi_v3_sub(v_B.v, v_A.v)));
}

// ---- (G^T lambda)_q --------------------------------------------------------------------------

// What the multipliers of a joint do: f, and for each axis w of B the sum t of c lambda u.
typedef struct load {
    trmi_v3 f, n, t[3];
    double trace; // sum of w.t
} load;

static load load_of(const trmi_constraint *joint, const geometry *g, const double *lambda)
{
    load x = {.trace = 0};
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        double l = lambda[joint->number[r]];
        if (type->shape == TRMI_ROW_SLIDE && g->fixed_axes)
            x.f = trmi_v3_add(x.f, (trmi_v3){type->axis == 0 ? l : 0, type->axis == 1 ? l : 0,
                                             type->axis == 2 ? l : 0});
        else if (type->shape == TRMI_ROW_SLIDE)
            x.f = trmi_v3_axpy(x.f, l, g->u[type->axis]);
        for (int i = 0; i < type->dots; i++) {
            trmi_v3 *t = &x.t[type->dot[i].w];
            *t = trmi_v3_axpy(*t, l * type->dot[i].coefficient, g->u[type->dot[i].u]);
        }
    }
    for (int i = 0; i < 3; i++)
        if (joint->axes_B >> i & 1) {
            x.n = trmi_v3_add(x.n, trmi_v3_cross(g->w[i], x.t[i]));
            x.trace += trmi_v3_dot(g->w[i], x.t[i]);
        }
    return x;
}

// block += scale E_s^T x y^T E_t
static void add_outer(trmi_m3 *block, double scale, const trmi_motion *s, trmi_v3 x,
                      const trmi_motion *t, trmi_v3 y)
{
    *block = trmi_m3_axpy(*block, scale, trmi_m3_outer(along(s, x), along(t, y)));
}

// the first part of E_s^T Hp E_t, without its trace
static void add_dots(trmi_m3 *block, double scale, const trmi_constraint *joint, const geometry *g,
                     const load *x, const trmi_motion *s, const trmi_motion *t)
{
    for (int i = 0; i < 3; i++)
        if (joint->axes_B >> i & 1)
            add_outer(block, scale, s, g->w[i], t, x->t[i]);
}

// E^T E = rho^2 1
static double rho_squared(const trmi_motion *s)
{
    return trmi_v3_dot(s[0].w, s[0].w);
}

static void put_block(const trmi_constraints *c, int *cursor, double *out, trmi_m3 block, bool both)
{
    for (int i = 0; i < 3; i++) {
        const double entry[3] = {block.row[i].x, block.row[i].y, block.row[i].z};
        for (int j = 0; j < 3; j++) {
            out[c->K.slot[(*cursor)++]] += entry[j];
            if (both)
                out[c->K.slot[(*cursor)++]] += entry[j];
        }
    }
}

static trmi_m3 block_of_B(const trmi_constraint *joint, const geometry *g, const load *x,
                          const trmi_kinematics *k)
{
    const side *B = &g->B;
    trmi_wrench n = {trmi_v3_add(x->n, trmi_v3_cross(B->arm, x->f)), x->f};
    trmi_m3 block = trmi_kinematics_chart_matrix(k, B->chart, n);
    add_outer(&block, 1, B->s, B->arm, B->s, x->f);
    add_dots(&block, 1, joint, g, x, B->s, B->s);
    double trace = (x->trace + trmi_v3_dot(x->f, B->arm)) * rho_squared(B->s);
    return trmi_m3_axpy(block, -trace, trmi_m3_unit());
}

static trmi_m3 block_of_A(const trmi_constraint *joint, const geometry *g, const load *x,
                          const trmi_kinematics *k)
{
    const side *A = &g->A;
    double sign = joint->fixed_axes ? -1 : 1, square = rho_squared(A->s), rho = sqrt(square);
    trmi_wrench n = {trmi_v3_add(x->n, trmi_v3_cross(A->arm, x->f)), x->f};
    trmi_m3 block = trmi_m3_scale(-1, trmi_kinematics_chart_matrix(k, A->chart, n));
    add_outer(&block, sign, A->s, A->arm, A->s, x->f);
    add_dots(&block, 1, joint, g, x, A->s, A->s);
    trmi_v3 turned = along(A->s, joint->fixed_axes ? x->n : n.n);
    block = trmi_m3_axpy(block, rho, trmi_m3_cross(turned));
    double trace = (x->trace + sign * trmi_v3_dot(x->f, A->arm)) * square;
    return trmi_m3_axpy(block, -trace, trmi_m3_unit());
}

// -E_A^T (Hp + b f^T - (f.b) 1) E_B; fixed axes: without f
static trmi_m3 block_between(const trmi_constraint *joint, const geometry *g, const load *x)
{
    const trmi_motion *a = g->A.s, *b = g->B.s;
    double trace = x->trace;
    trmi_m3 block;
    if (!joint->fixed_axes)
        trace += trmi_v3_dot(x->f, g->B.arm);
    for (int i = 0; i < 3; i++)
        block.row[i] =
            (trmi_v3){trace * trmi_v3_dot(a[i].w, b[0].w), trace * trmi_v3_dot(a[i].w, b[1].w),
                      trace * trmi_v3_dot(a[i].w, b[2].w)};
    add_dots(&block, -1, joint, g, x, a, b);
    if (!joint->fixed_axes)
        add_outer(&block, -1, a, g->B.arm, b, x->f);
    return block;
}

// E^T [f]: row i is e_i x f, since e_i.(f x y) = (e_i x f).y
static trmi_m3 turned_cross(const trmi_motion *s, trmi_v3 f)
{
    return (trmi_m3){
        {trmi_v3_cross(s[0].w, f), trmi_v3_cross(s[1].w, f), trmi_v3_cross(s[2].w, f)}};
}

// in the order of trmi_star_announce
static void add_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                          const geometry *g, const trmi_kinematics *k, const double *lambda,
                          double *out)
{
    load x = load_of(joint, g, lambda);
    int cursor = joint->first_K;
    if (g->B.s)
        put_block(c, &cursor, out, block_of_B(joint, g, &x, k), false);
    if (!g->A.s)
        return;
    put_block(c, &cursor, out, block_of_A(joint, g, &x, k), false);
    if (!joint->fixed_axes) {
        trmi_m3 Ef = turned_cross(g->A.s, x.f);
        put_block(c, &cursor, out, trmi_m3_scale(-1, Ef), true);
        if (g->B.s)
            put_block(c, &cursor, out, Ef, true);
    }
    if (g->B.s && (!joint->fixed_axes || joint->axes_B))
        put_block(c, &cursor, out, block_between(joint, g, &x), true);
}

// ---- all -------------------------------------------------------------------------------------

// The rows of a joint stand next to each other in G and (Gv)_q.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT])
{
    const trmi_pair *pair = &joint->set->pair;
    geometry g;
    locate(&g, joint, k);
    int first = c->G.slot[joint->first_G];
    double *G = want[TRM_CONSTRAINT_Q] ? want[TRM_CONSTRAINT_Q] + first : NULL;
    double *Gv = want[TRM_VELOCITY_Q] ? want[TRM_VELOCITY_Q] + first : NULL;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        if (want[TRM_CONSTRAINT])
            want[TRM_CONSTRAINT][joint->number[r]] = value_of(type, &g);
        if (G) {
            trmi_v3 n = moment_of(type, &g);
            G = write_gradient(type, &g.B, 1, &g, n, G);
            G = write_gradient(type, &g.A, -1, &g, n, G);
        }
        if (Gv)
            Gv = write_rate(type, &g, Gv);
        if (want[TRM_GAMMA])
            want[TRM_GAMMA][joint->number[r]] = bias_of(type, &g, k->a[pair->A], k->a[pair->B]);
    }
    if (want[TRM_GEOMETRIC])
        add_geometric(c, joint, &g, k, state->lambda, want[TRM_GEOMETRIC]);
}
