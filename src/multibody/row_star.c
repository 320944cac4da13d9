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

// The joint at one state. e, e1: three columns each; NULL for the ground.
typedef struct geometry {
    trmi_v3 u[3], w[3], d, a, b;
    const trmi_motion *s_A, *s_B, *sdot_A, *sdot_B;
    int chart_A, chart_B;
} geometry;

bool trmi_star_applies(const trmi_tree *tree, const trmi_constraint *joint)
{
    if (!tree->star || tree->plane != TRMI_SPATIAL || joint->sets != 1 ||
        joint->set->own != TRMI_NOTHING)
        return false;
    for (int r = 0; r < joint->rows; r++) {
        trmi_row_shape shape = joint->set->row[r].type->shape;
        if ((shape != TRMI_ROW_SLIDE && shape != TRMI_ROW_DOTS) || joint->drive[r] != TRMI_NOTHING)
            return false;
    }
    return true;
}

static int first_coordinate(const trmi_tree *tree, int body)
{
    return body == TRMI_GROUND ? TRMI_NOTHING : tree->column[tree->body[body].first].coordinate;
}

// ---- patterns --------------------------------------------------------------------------------

static void announce_gradient(trmi_constraints *c, int row, bool slide, int first)
{
    for (int k = slide ? 0 : 3; k < 6 && first != TRMI_NOTHING; k++)
        trmi_slots_add(&c->G, row, first + k);
}

// a 3 x 3 block, and with `both` its transpose position by position
static void announce_block(trmi_constraints *c, int row, int column, bool both)
{
    for (int k = 0; k < 9; k++) {
        trmi_slots_add(&c->K, row + k / 3, column + k % 3);
        if (both)
            trmi_slots_add(&c->K, column + k % 3, row + k / 3);
    }
}

void trmi_star_announce(trmi_constraints *c, const trmi_constraint *joint)
{
    const trmi_pair *pair = &joint->set->pair;
    int A = first_coordinate(c->tree, pair->A), B = first_coordinate(c->tree, pair->B);
    for (int r = 0; r < joint->rows; r++) {
        bool slide = joint->set->row[r].type->shape == TRMI_ROW_SLIDE;
        announce_gradient(c, joint->number[r], slide, B);
        announce_gradient(c, joint->number[r], slide, A);
    }
    if (B != TRMI_NOTHING)
        announce_block(c, B + 3, B + 3, false);
    if (A != TRMI_NOTHING) {
        announce_block(c, A + 3, A + 3, false);
        announce_block(c, A + 3, A, true);
    }
    if (A != TRMI_NOTHING && B != TRMI_NOTHING) {
        announce_block(c, A + 3, B, true);
        announce_block(c, A + 3, B + 3, true);
    }
}

// ---- geometry --------------------------------------------------------------------------------

static geometry locate(const trmi_constraints *c, const trmi_constraint *joint,
                       const trmi_kinematics *k)
{
    const trmi_pair *pair = &joint->set->pair;
    const trmi_pose *A = &k->pose[pair->A], *B = &k->pose[pair->B];
    geometry g = {.b = trmi_m3_times(B->R, pair->b)};
    g.a = trmi_v3_add(trmi_v3_sub(B->r, A->r), g.b);
    g.d = trmi_v3_sub(g.a, trmi_m3_times(A->R, pair->a));
    for (int i = 0; i < 3; i++) {
        g.u[i] = trmi_m3_times(A->R, trmi_m3_column(pair->Q_A, i));
        g.w[i] = trmi_m3_times(B->R, trmi_m3_column(pair->Q_B, i));
    }
    if (pair->A != TRMI_GROUND) {
        g.chart_A = c->tree->body[pair->A].first + 3;
        g.s_A = &k->s[g.chart_A];
        g.sdot_A = &k->sdot[g.chart_A];
    }
    if (pair->B != TRMI_GROUND) {
        g.chart_B = c->tree->body[pair->B].first + 3;
        g.s_B = &k->s[g.chart_B];
        g.sdot_B = &k->sdot[g.chart_B];
    }
    return g;
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

// u.(a_B - a_A - v_A x v_B)_P - w.(u x v), and n.(..)_w + w.Hp w; w, v relative at P
static double bias_of(const trmi_row_type *type, const geometry *g, const trmi_kinematics *k,
                      const trmi_pair *pair)
{
    trmi_motion v_A = trmi_motion_at(k->v[pair->A], g->a),
                v_B = trmi_motion_at(k->v[pair->B], g->b);
    trmi_motion a_A = trmi_motion_at(k->a[pair->A], g->a),
                a_B = trmi_motion_at(k->a[pair->B], g->b);
    trmi_motion xi = trmi_motion_sub(v_B, v_A);
    trmi_motion a = trmi_motion_sub(trmi_motion_sub(a_B, a_A), trmi_motion_cross(v_A, v_B));
    trmi_v3 u = g->u[type->axis];
    if (type->shape == TRMI_ROW_SLIDE)
        return trmi_v3_dot(u, a.v) - trmi_v3_dot(xi.w, trmi_v3_cross(u, xi.v));
    return trmi_v3_dot(moment_of(type, g), a.w) + trmi_v3_dot(bend(type, g, xi.w), xi.w);
}

// ---- (G^T lambda)_q --------------------------------------------------------------------------

// M[i][j] = s_i . X t_j for angular parts
static trmi_m3 sandwich(const trmi_motion *s, trmi_m3 X, const trmi_motion *t)
{
    trmi_m3 out;
    trmi_v3 x0 = trmi_m3_times(X, t[0].w), x1 = trmi_m3_times(X, t[1].w);
    trmi_v3 x2 = trmi_m3_times(X, t[2].w);
    for (int i = 0; i < 3; i++)
        out.row[i] =
            (trmi_v3){trmi_v3_dot(s[i].w, x0), trmi_v3_dot(s[i].w, x1), trmi_v3_dot(s[i].w, x2)};
    return out;
}

// E^T [f]: row i is e_i x f, since e_i.(f x y) = (e_i x f).y
static trmi_m3 turned_cross(const trmi_motion *s, trmi_v3 f)
{
    return (trmi_m3){
        {trmi_v3_cross(s[0].w, f), trmi_v3_cross(s[1].w, f), trmi_v3_cross(s[2].w, f)}};
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

// Hp + x f^T - (f.x) 1
static trmi_m3 lever(trmi_m3 Hp, trmi_v3 x, trmi_v3 f)
{
    trmi_m3 sum = trmi_m3_axpy(Hp, 1, trmi_m3_outer(x, f));
    return trmi_m3_axpy(sum, -trmi_v3_dot(f, x), trmi_m3_unit());
}

static void add_blocks(const trmi_constraints *c, const trmi_constraint *joint, const geometry *g,
                       const trmi_kinematics *k, trmi_wrench sum, trmi_m3 Hp, double *out)
{
    int cursor = joint->first_K;
    trmi_v3 f = sum.f;
    trmi_m3 Hb = lever(Hp, g->b, f);
    if (g->s_B) {
        trmi_wrench n_B = {trmi_v3_add(sum.n, trmi_v3_cross(g->b, f)), f};
        trmi_m3 X = trmi_kinematics_chart_matrix(k, g->chart_B, n_B);
        put_block(c, &cursor, out, trmi_m3_axpy(sandwich(g->s_B, Hb, g->s_B), 1, X), false);
    }
    if (!g->s_A)
        return;
    trmi_wrench n_A = {trmi_v3_add(sum.n, trmi_v3_cross(g->a, f)), f};
    trmi_m3 Ha = trmi_m3_axpy(lever(Hp, g->a, f), 1, trmi_m3_cross(n_A.n));
    trmi_m3 X = trmi_kinematics_chart_matrix(k, g->chart_A, n_A), Ef = turned_cross(g->s_A, f);
    put_block(c, &cursor, out, trmi_m3_axpy(sandwich(g->s_A, Ha, g->s_A), -1, X), false);
    put_block(c, &cursor, out, trmi_m3_scale(-1, Ef), true);
    if (!g->s_B)
        return;
    put_block(c, &cursor, out, Ef, true);
    put_block(c, &cursor, out, trmi_m3_scale(-1, sandwich(g->s_A, Hb, g->s_B)), true);
}

static void add_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                          const geometry *g, const trmi_kinematics *k, const double *lambda,
                          double *out)
{
    trmi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    trmi_m3 Hp = trmi_m3_scale(0, trmi_m3_unit());
    double trace = 0;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        double l = lambda[joint->number[r]];
        if (type->shape == TRMI_ROW_SLIDE) {
            sum.f = trmi_v3_axpy(sum.f, l, g->u[type->axis]);
            continue;
        }
        sum.n = trmi_v3_axpy(sum.n, l, moment_of(type, g));
        for (int i = 0; i < type->dots; i++) {
            trmi_v3 u = g->u[type->dot[i].u], w = g->w[type->dot[i].w];
            Hp = trmi_m3_axpy(Hp, l * type->dot[i].coefficient, trmi_m3_outer(w, u));
            trace += l * type->dot[i].coefficient * trmi_v3_dot(u, w);
        }
    }
    add_blocks(c, joint, g, k, sum, trmi_m3_axpy(Hp, -trace, trmi_m3_unit()), out);
}

// ---- all -------------------------------------------------------------------------------------

// The rows of a joint stand next to each other in G and (Gv)_q.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT])
{
    const trmi_pair *pair = &joint->set->pair;
    geometry g = locate(c, joint, k);
    int first = c->G.slot[joint->first_G];
    double *G = want[TRM_CONSTRAINT_Q] ? want[TRM_CONSTRAINT_Q] + first : NULL;
    double *Gv = want[TRM_VELOCITY_Q] ? want[TRM_VELOCITY_Q] + first : NULL;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        bool slide = type->shape == TRMI_ROW_SLIDE;
        if (want[TRM_CONSTRAINT])
            want[TRM_CONSTRAINT][joint->number[r]] = value_of(type, &g);
        if (G)
            G = write_gradient(type, &g, G);
        if (Gv)
            Gv = slide ? write_slide_rate(g.u[type->axis], &g, k->v[pair->A], k->v[pair->B], Gv)
                       : write_dots_rate(type, &g, k->v[pair->A], k->v[pair->B], Gv);
        if (want[TRM_GAMMA])
            want[TRM_GAMMA][joint->number[r]] = bias_of(type, &g, k, pair);
    }
    if (want[TRM_GEOMETRIC])
        add_geometric(c, joint, &g, k, state->lambda, want[TRM_GEOMETRIC]);
}
