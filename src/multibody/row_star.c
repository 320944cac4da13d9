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
// E is rho times a rotation, so that E^T [n] E = rho [E^T n], E E^T = rho^2 1, and the cross
// product of E^T y and E^T z is rho E^T (y x z). With y, z for E^T y, E^T z, S(y, z) = (y z^T + z
// y^T)/2 and m = sum w x t + b x f, t = sum lambda c u for every axis w of B, the blocks of a body
// with itself are symmetric:
//
//     BB thth  sum S(w, t) + S(b, f) - S(m, x) + (m.x/2 - sum w.t - b.f) 1
//     AA thth  sum S(w, t) +- S(a, f) + S(m, x) - (m.x/2 + sum w.t +- a.f) 1,  fixed: -
#include "multibody/row_star.h"
#include "multibody/star.h"

// One of the two bodies; E NULL: the ground.
typedef struct side {
    const trmi_m3 *E, *E1;
    trmi_v3 arm, arm_rate;
} side;

// The joint at one state; rates after `move`.
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
    side->E = body == TRMI_GROUND ? NULL : &k->E[body];
    side->E1 = body == TRMI_GROUND ? NULL : &k->E1[body];
}

static void locate(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_pair *pair = &joint->set->pair;
    const trmi_pose *A = &k->pose[pair->A], *B = &k->pose[pair->B];
    g->fixed_axes = joint->fixed_axes;
    look_at(&g->A, k, pair->A);
    look_at(&g->B, k, pair->B);
    trmi_v3 on_A = trmi_m3_times(A->R, pair->a), b = trmi_m3_times(B->R, pair->b);
    trmi_v3 to_P = trmi_v3_add(trmi_v3_sub(B->r, A->r), b);
    g->B.arm = b;
    g->d = trmi_v3_sub(to_P, on_A);
    g->A.arm = joint->fixed_axes ? on_A : to_P;
    for (int i = 0; i < 3; i++) {
        if (joint->axes_A >> i & 1)
            g->u[i] = trmi_m3_times(A->R, trmi_m3_column(pair->Q_A, i));
        if (joint->axes_B >> i & 1)
            g->w[i] = trmi_m3_times(B->R, trmi_m3_column(pair->Q_B, i));
    }
}

static void move(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_motion *v_A = g->v_A = &k->v[joint->set->pair.A];
    const trmi_motion *v_B = g->v_B = &k->v[joint->set->pair.B];
    g->B.arm_rate = trmi_v3_cross(v_B->w, g->B.arm);
    g->A.arm_rate = joint->fixed_axes ? trmi_v3_cross(v_A->w, g->A.arm)
                                      : trmi_v3_add(trmi_v3_sub(v_B->v, v_A->v), g->B.arm_rate);
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

// ---- G and (Gv)_q ----------------------------------------------------------------------------

// E^T x
static trmi_v3 along(const trmi_m3 *E, trmi_v3 x)
{
    return trmi_m3_tr_times(*E, x);
}

static double *write_vector(double *out, double sign, trmi_v3 x)
{
    out[0] = sign * x.x;
    out[1] = sign * x.y;
    out[2] = sign * x.z;
    return out + 3;
}

// rows E^T (arm x e) for the global axes e
static trmi_m3 levers(const trmi_m3 *E, trmi_v3 arm)
{
    const trmi_v3 *e = E->row;
    return (trmi_m3){{trmi_v3_axpy(trmi_v3_scale(arm.z, e[1]), -arm.y, e[2]),
                      trmi_v3_axpy(trmi_v3_scale(arm.x, e[2]), -arm.z, e[0]),
                      trmi_v3_axpy(trmi_v3_scale(arm.y, e[0]), -arm.x, e[1])}};
}

// What one body has in the three rows of a point that is held along the global axes: `along` in the
// column of that axis, then its turning. Rows are `stride` numbers apart.
static void write_point(double *out, int stride, double sign, double along, trmi_m3 turning)
{
    for (int i = 0; i < 3; i++, out += stride) {
        out[0] = sign * along;
        write_vector(out + 1, sign, turning.row[i]);
    }
}

// both bodies: 4 numbers for each that moves, B first
static double *write_points(const geometry *g, double along, const trmi_m3 *of_B,
                            const trmi_m3 *of_A, double *out)
{
    int stride = 4 * ((g->B.E != NULL) + (g->A.E != NULL));
    if (g->B.E)
        write_point(out, stride, 1, along, *of_B);
    if (g->A.E)
        write_point(out + (g->B.E ? 4 : 0), stride, -1, along, *of_A);
    return out + 3 * stride;
}

static double *write_fixed_gradient(const geometry *g, double *out)
{
    trmi_m3 of_B, of_A;
    if (g->B.E)
        of_B = levers(g->B.E, g->B.arm);
    if (g->A.E)
        of_A = levers(g->A.E, g->A.arm);
    return write_points(g, 1, &of_B, &of_A, out);
}

// E^T (arm' x e) + E1^T (arm x e)
static trmi_m3 lever_rates(const side *side)
{
    return trmi_m3_axpy(levers(side->E, side->arm_rate), 1, levers(side->E1, side->arm));
}

static double *write_fixed_rate(const geometry *g, double *out)
{
    trmi_m3 of_B, of_A;
    if (g->B.E)
        of_B = lever_rates(&g->B);
    if (g->A.E)
        of_A = lever_rates(&g->A);
    return write_points(g, 0, &of_B, &of_A, out);
}

static double *write_gradient(const trmi_row_type *type, const side *side, double sign,
                              const geometry *g, trmi_v3 n, double *out)
{
    if (!side->E)
        return out;
    if (type->shape != TRMI_ROW_SLIDE)
        return write_vector(out, sign, along(side->E, n));
    trmi_v3 u = g->u[type->axis];
    out = write_vector(out, sign, u);
    return write_vector(out, sign, along(side->E, trmi_v3_cross(side->arm, u)));
}

// E^T x + E1^T n
static trmi_v3 moving(const side *side, trmi_v3 x, trmi_v3 n)
{
    return trmi_v3_add(along(side->E, x), along(side->E1, n));
}

static double *write_slide_rate(const side *side, double sign, trmi_v3 u, trmi_v3 u_rate,
                                double *out)
{
    if (!side->E)
        return out;
    trmi_v3 x = trmi_v3_add(trmi_v3_cross(side->arm_rate, u), trmi_v3_cross(side->arm, u_rate));
    out = write_vector(out, sign, u_rate);
    return write_vector(out, sign, moving(side, x, trmi_v3_cross(side->arm, u)));
}

static double *write_rate(const trmi_row_type *type, const geometry *g, double *out)
{
    bool slide = type->shape == TRMI_ROW_SLIDE;
    if (slide) {
        trmi_v3 u = g->u[type->axis], u_rate = trmi_v3_cross(g->v_A->w, u);
        out = write_slide_rate(&g->B, 1, u, u_rate, out);
        return write_slide_rate(&g->A, -1, u, u_rate, out);
    }
    trmi_v3 n = moment_of(type, g);
    trmi_v3 y =
        trmi_v3_add(bend(type, g, trmi_v3_sub(g->v_B->w, g->v_A->w)), trmi_v3_cross(g->v_B->w, n));
    if (g->B.E)
        out = write_vector(out, 1, moving(&g->B, y, n));
    if (g->A.E)
        out = write_vector(out, -1, moving(&g->A, y, n));
    return out;
}

// ---- gamma -----------------------------------------------------------------------------------

// acceleration of the end of an arm against the centre of mass: w' x arm + w x (w x arm)
static trmi_v3 swing(trmi_motion v, trmi_motion a, trmi_v3 arm)
{
    return trmi_v3_add(trmi_v3_cross(a.w, arm), trmi_v3_cross(v.w, trmi_v3_cross(v.w, arm)));
}

// along global axes: that of both ends, with q'' = 0; gravity is on both sides
static void write_fixed_bias(const geometry *g, trmi_motion a_A, trmi_motion a_B, double *out)
{
    write_vector(out, 1, trmi_v3_sub(swing(*g->v_B, a_B, g->B.arm), swing(*g->v_A, a_A, g->A.arm)));
}

// u.(a_B - a_A - v_A x v_B)_P - w.(u x v), and n.(..)_w + w.Hp w; w, v relative at P.
static double bias_of(const trmi_row_type *type, const geometry *g, trmi_motion a_A,
                      trmi_motion a_B)
{
    trmi_v3 w = trmi_v3_sub(g->v_B->w, g->v_A->w);
    if (type->shape != TRMI_ROW_SLIDE) {
        trmi_v3 turn = trmi_v3_sub(trmi_v3_sub(a_B.w, a_A.w), trmi_v3_cross(g->v_A->w, g->v_B->w));
        return trmi_v3_dot(moment_of(type, g), turn) + trmi_v3_dot(bend(type, g, w), w);
    }
    trmi_v3 u = g->u[type->axis];
    trmi_motion v_A = trmi_motion_at(*g->v_A, g->A.arm), v_B = trmi_motion_at(*g->v_B, g->B.arm);
    trmi_motion a = trmi_motion_sub(trmi_motion_at(a_B, g->B.arm), trmi_motion_at(a_A, g->A.arm));
    a = trmi_motion_sub(a, trmi_motion_cross(v_A, v_B));
    return trmi_v3_dot(u, a.v) - trmi_v3_dot(w, trmi_v3_cross(u, trmi_v3_sub(v_B.v, v_A.v)));
}

// ---- (G^T lambda)_q --------------------------------------------------------------------------

// What the multipliers of a joint do: f, and for each axis w of B the sum t of c lambda u.
typedef struct load {
    trmi_v3 f, t[3];
    unsigned axes; // bits of the axes w
} load;

static load load_of(const trmi_constraint *joint, const geometry *g, const double *lambda)
{
    load x = {.axes = joint->axes_B};
    int r = 0;
    if (g->fixed_axes) {
        x.f = trmi_three(lambda, 0);
        r = 3;
    }
    for (; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        if (type->shape == TRMI_ROW_SLIDE)
            x.f = trmi_v3_axpy(x.f, lambda[r], g->u[type->axis]);
        for (int i = 0; i < type->dots; i++) {
            trmi_v3 *t = &x.t[type->dot[i].w];
            *t = trmi_v3_axpy(*t, lambda[r] * type->dot[i].coefficient, g->u[type->dot[i].u]);
        }
    }
    return x;
}

// S(y, z), but twice what stands off the diagonal, and -y.z 1: added
static void add_pair(trmi_s3 *S, double *trace, trmi_v3 y, trmi_v3 z)
{
    double xx = y.x * z.x, yy = y.y * z.y, zz = y.z * z.z;
    S->xx += xx;
    S->yy += yy;
    S->zz += zz;
    S->yz += y.y * z.z + y.z * z.y;
    S->zx += y.z * z.x + y.x * z.z;
    S->xy += y.x * z.y + y.y * z.x;
    *trace -= xx + yy + zz;
}

// The block of a body with itself. arm_sign of S(arm, f); turn_sign: 1 for B, -1 for A.
static trmi_s3 own_block(const side *side, const geometry *g, const load *x, double arm_sign,
                         double turn_sign, trmi_v3 chart)
{
    trmi_s3 S = {0};
    double d = 0;
    trmi_v3 arm = along(side->E, side->arm), f = along(side->E, x->f), m = trmi_v3_cross(arm, f);
    add_pair(&S, &d, arm, trmi_v3_scale(arm_sign, f));
    for (int i = 0; i < 3; i++)
        if (x->axes >> i & 1) {
            trmi_v3 w = along(side->E, g->w[i]), t = along(side->E, x->t[i]);
            add_pair(&S, &d, w, t);
            m = trmi_v3_add(m, trmi_v3_cross(w, t));
        }
    double half = 0; // -m.x times its sign
    add_pair(&S, &half, m, trmi_v3_scale(-turn_sign, chart));
    d += 0.5 * half;
    return (trmi_s3){S.xx + d, S.yy + d, S.zz + d, 0.5 * S.yz, 0.5 * S.zx, 0.5 * S.xy};
}

static void add_row(double *out, trmi_v3 x)
{
    out[0] += x.x;
    out[1] += x.y;
    out[2] += x.z;
}

// three rows where `slot` says
static const int *add_block(const int *slot, double *out, trmi_m3 block)
{
    for (int i = 0; i < 3; i++)
        add_row(out + slot[i], block.row[i]);
    return slot + 3;
}

// and those of the transpose
static const int *add_both(const int *slot, double *out, trmi_m3 block)
{
    slot = add_block(slot, out, block);
    return add_block(slot, out, trmi_m3_transpose(block));
}

// block += y z^T
static void add_outer(trmi_m3 *block, trmi_v3 y, trmi_v3 z)
{
    block->row[0] = trmi_v3_axpy(block->row[0], y.x, z);
    block->row[1] = trmi_v3_axpy(block->row[1], y.y, z);
    block->row[2] = trmi_v3_axpy(block->row[2], y.z, z);
}

// -E_A^T (sum w t^T + b f^T - (sum w.t + f.b) 1) E_B; fixed axes: without f
static trmi_m3 block_between(const geometry *g, const load *x)
{
    const trmi_m3 *A = g->A.E, *B = g->B.E;
    trmi_m3 block = {0};
    double trace = 0;
    if (!g->fixed_axes) {
        add_outer(&block, along(A, g->B.arm), trmi_v3_scale(-1, along(B, x->f)));
        trace = trmi_v3_dot(x->f, g->B.arm);
    }
    for (int i = 0; i < 3; i++)
        if (x->axes >> i & 1) {
            add_outer(&block, along(A, g->w[i]), trmi_v3_scale(-1, along(B, x->t[i])));
            trace += trmi_v3_dot(g->w[i], x->t[i]);
        }
    for (int i = 0; i < 3; i++)
        add_outer(&block, A->row[i], trmi_v3_scale(trace, B->row[i]));
    return block;
}

// E^T [f] = -([f] E)^T
static trmi_m3 turned_cross(const trmi_m3 *E, trmi_v3 f)
{
    return trmi_m3_transpose(levers(E, f));
}

// x of the chart of a body
static trmi_v3 chart_of(const trmi_kinematics *k, int body)
{
    return trmi_v3_scale(0.25, trmi_three(k->q, trmi_star_coordinate(k->tree, body) + 3));
}

// in the order of trmi_star_announce
static void add_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                          const geometry *g, const trmi_kinematics *k, const double *lambda,
                          double *out)
{
    const trmi_pair *pair = &joint->set->pair;
    const int *slot = c->K.slot + joint->first_K;
    load x = load_of(joint, g, lambda);
    bool fixed = g->fixed_axes;
    if (g->B.E)
        slot = add_block(slot, out,
                         trmi_s3_matrix(own_block(&g->B, g, &x, 1, 1, chart_of(k, pair->B))));
    if (!g->A.E)
        return;
    slot = add_block(
        slot, out,
        trmi_s3_matrix(own_block(&g->A, g, &x, fixed ? -1 : 1, -1, chart_of(k, pair->A))));
    if (!fixed) {
        trmi_m3 Ef = turned_cross(g->A.E, x.f);
        slot = add_both(slot, out, trmi_m3_scale(-1, Ef));
        if (g->B.E)
            slot = add_both(slot, out, Ef);
    }
    if (g->B.E && (!fixed || x.axes))
        add_both(slot, out, block_between(g, &x));
}

// ---- all -------------------------------------------------------------------------------------

// where the values of the next row go; NULL: not wanted
typedef struct places {
    double *g, *G, *Gv, *gamma;
} places;

// all slides of a point along the global axes
static void write_fixed(const geometry *g, trmi_motion a_A, trmi_motion a_B, places *to)
{
    if (to->g)
        to->g = write_vector(to->g, 1, g->d);
    if (to->G)
        to->G = write_fixed_gradient(g, to->G);
    if (to->Gv)
        to->Gv = write_fixed_rate(g, to->Gv);
    if (to->gamma) {
        write_fixed_bias(g, a_A, a_B, to->gamma);
        to->gamma += 3;
    }
}

static void write_row(const trmi_row_type *type, const geometry *g, trmi_motion a_A,
                      trmi_motion a_B, places *to)
{
    if (to->g)
        *to->g++ = value_of(type, g);
    if (to->G) {
        trmi_v3 n = moment_of(type, g);
        to->G = write_gradient(type, &g->B, 1, g, n, to->G);
        to->G = write_gradient(type, &g->A, -1, g, n, to->G);
    }
    if (to->Gv)
        to->Gv = write_rate(type, g, to->Gv);
    if (to->gamma)
        *to->gamma++ = bias_of(type, g, a_A, a_B);
}

// an array from an element on, if it is wanted
static double *from(double *out, int first)
{
    return out ? out + first : NULL;
}

// The rows of a joint stand next to each other in G and (Gv)_q.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT])
{
    const trmi_pair *pair = &joint->set->pair;
    trmi_motion a_A = k->a[pair->A], a_B = k->a[pair->B];
    int first = trmi_slots_at(&c->G, joint->first_G), row = joint->number[0], r = 0;
    places to = {from(want[TRM_CONSTRAINT], row), from(want[TRM_CONSTRAINT_Q], first),
                 from(want[TRM_VELOCITY_Q], first), from(want[TRM_GAMMA], row)};
    geometry g;
    locate(&g, joint, k);
    if (to.Gv || to.gamma)
        move(&g, joint, k);
    if (g.fixed_axes) {
        write_fixed(&g, a_A, a_B, &to);
        r = 3;
    }
    for (; r < joint->rows; r++)
        write_row(joint->set->row[r].type, &g, a_A, a_B, &to);
    if (want[TRM_GEOMETRIC])
        add_geometric(c, joint, &g, k, state->lambda + row, want[TRM_GEOMETRIC]);
}
