// SPDX-License-Identifier: Apache-2.0
// Blocks of the plane star: bodies with coordinates (x, y, angle), joints of slides and dots. With
// k x u = (-u_2, u_1), cross(a, b) = a_1 b_2 - a_2 b_1, P the marker on B, a = P - r_A, b = P -
// r_B:
//
//     slide  G: u, cross(b, u); -u, -cross(a, u)               dot  c = cross(w, u); -c
//     slide  (Gv)_q: w_A k x u, -(w_B - w_A) b.u; -w_A k x u, (k x u).v + w_B b.u - w_A a.u
//     dot    (Gv)_q: -(w_B - w_A) u.w; its opposite
//     bias   u.(-w_B^2 b + w_A^2 (a0 - d)) + 2 w_A (k x u).d'  and  -(w_B - w_A)^2 u.w
//
// v = r_B' - r_A', a0 from r_A to the marker on A, d = a - a0. With f = sum lambda u, tw = sum
// lambda u.w, (G^T lambda)_q is symmetric with
//
//     BB thth  -f.b - tw     AA thth  -f.a - tw     AA th,t  (f_2, -f_1)
//     AB th,th  f.b + tw     AB th,t  (-f_2, f_1)
#include "multibody/row_star.h"

typedef struct v2 {
    double x, y;
} v2;

// The joint at one state.
typedef struct geometry {
    v2 u[3], w[3], a0, d, a, b;
    bool free_A, free_B;
} geometry;

static double dot(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(v2 a, v2 b)
{
    return a.x * b.y - a.y * b.x;
}

static v2 turned(v2 a)
{
    return (v2){-a.y, a.x};
}

static v2 sub(v2 a, v2 b)
{
    return (v2){a.x - b.x, a.y - b.y};
}

// ---- geometry --------------------------------------------------------------------------------

static v2 in_plane(trmi_v3 a, trmi_plane plane)
{
    return plane == TRMI_PLANE_XY   ? (v2){a.x, a.y}
           : plane == TRMI_PLANE_YZ ? (v2){a.y, a.z}
                                    : (v2){a.z, a.x};
}

// the first axis of the plane, turned with a body: cosine and sine of its angle
static v2 direction(const trmi_m3 *R, trmi_plane plane)
{
    return plane == TRMI_PLANE_XY   ? (v2){R->row[0].x, R->row[1].x}
           : plane == TRMI_PLANE_YZ ? (v2){R->row[1].y, R->row[2].y}
                                    : (v2){R->row[2].z, R->row[0].z};
}

static v2 turn(v2 by, v2 a)
{
    return (v2){by.x * a.x - by.y * a.y, by.y * a.x + by.x * a.y};
}

static void locate(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_pair *pair = &joint->set->pair;
    const trmi_pose *A = &k->pose[pair->A], *B = &k->pose[pair->B];
    trmi_plane plane = k->tree->plane;
    v2 e_A = direction(&A->R, plane), e_B = direction(&B->R, plane);
    v2 between = in_plane(trmi_v3_sub(B->r, A->r), plane);
    g->a0 = turn(e_A, in_plane(pair->a, plane));
    g->b = turn(e_B, in_plane(pair->b, plane));
    g->a = (v2){between.x + g->b.x, between.y + g->b.y};
    g->d = sub(g->a, g->a0);
    for (int i = 0; i < 3; i++) {
        g->u[i] = turn(e_A, in_plane(trmi_m3_column(pair->Q_A, i), plane));
        if (joint->uses_w & 1u << i)
            g->w[i] = turn(e_B, in_plane(trmi_m3_column(pair->Q_B, i), plane));
    }
    g->free_A = pair->A != TRMI_GROUND;
    g->free_B = pair->B != TRMI_GROUND;
}

// sum of c u.w, and of c cross(w, u)
static v2 dots_of(const trmi_row_type *type, const geometry *g)
{
    v2 sum = {0, 0};
    for (int i = 0; i < type->dots; i++) {
        v2 u = g->u[type->dot[i].u], w = g->w[type->dot[i].w];
        sum.x += type->dot[i].coefficient * dot(u, w);
        sum.y += type->dot[i].coefficient * cross(w, u);
    }
    return sum;
}

// ---- patterns --------------------------------------------------------------------------------

static void announce_gradient(trmi_constraints *c, int row, bool slide, int first)
{
    for (int k = slide ? 0 : 2; k < 3 && first != TRMI_NOTHING; k++)
        trmi_slots_add(&c->G, row, first + k);
}

// (row, column), (row, column + 1) and their mirror images
static void announce_arm(trmi_constraints *c, int row, int column)
{
    trmi_slots_add(&c->K, row, column);
    trmi_slots_add(&c->K, row, column + 1);
    trmi_slots_add(&c->K, column, row);
    trmi_slots_add(&c->K, column + 1, row);
}

void trmi_plane_announce(trmi_constraints *c, const trmi_constraint *joint)
{
    int A = joint->coordinate[0], B = joint->coordinate[1];
    for (int r = 0; r < joint->rows; r++) {
        bool slide = joint->set->row[r].type->shape == TRMI_ROW_SLIDE;
        announce_gradient(c, joint->number[r], slide, B);
        announce_gradient(c, joint->number[r], slide, A);
    }
    if (B != TRMI_NOTHING)
        trmi_slots_add(&c->K, B + 2, B + 2);
    if (A == TRMI_NOTHING)
        return;
    trmi_slots_add(&c->K, A + 2, A + 2);
    announce_arm(c, A + 2, A);
    if (B == TRMI_NOTHING)
        return;
    announce_arm(c, A + 2, B);
    trmi_slots_add(&c->K, A + 2, B + 2);
    trmi_slots_add(&c->K, B + 2, A + 2);
}

// ---- G, (Gv)_q, bias -------------------------------------------------------------------------

static double *write_three(double *out, double sign, v2 u, double angle)
{
    out[0] = sign * u.x;
    out[1] = sign * u.y;
    out[2] = angle;
    return out + 3;
}

static double *write_gradient(const trmi_row_type *type, const geometry *g, double *out)
{
    if (type->shape == TRMI_ROW_SLIDE) {
        v2 u = g->u[type->axis];
        if (g->free_B)
            out = write_three(out, 1, u, cross(g->b, u));
        return g->free_A ? write_three(out, -1, u, -cross(g->a, u)) : out;
    }
    double c = dots_of(type, g).y;
    if (g->free_B)
        *out++ = c;
    if (g->free_A)
        *out++ = -c;
    return out;
}

// How the bodies move: r_B' - r_A', angular velocities.
typedef struct motion {
    v2 v;
    double w_A, w_B;
} motion;

static double *write_rate(const trmi_row_type *type, const geometry *g, const motion *m,
                          double *out)
{
    double w = m->w_B - m->w_A;
    if (type->shape == TRMI_ROW_SLIDE) {
        v2 u = g->u[type->axis], ku = turned(u);
        double bu = dot(g->b, u);
        if (g->free_B)
            out = write_three(out, m->w_A, ku, -w * bu);
        if (g->free_A)
            out =
                write_three(out, -m->w_A, ku, dot(ku, m->v) + m->w_B * bu - m->w_A * dot(g->a, u));
        return out;
    }
    double uw = dots_of(type, g).x;
    if (g->free_B)
        *out++ = -w * uw;
    if (g->free_A)
        *out++ = w * uw;
    return out;
}

static double bias_of(const trmi_row_type *type, const geometry *g, const motion *m)
{
    double w = m->w_B - m->w_A, A2 = m->w_A * m->w_A, B2 = m->w_B * m->w_B;
    if (type->shape != TRMI_ROW_SLIDE)
        return -w * w * dots_of(type, g).x;
    v2 u = g->u[type->axis], kb = turned(g->b), ka = turned(g->a0);
    v2 rate = {m->v.x + m->w_B * kb.x - m->w_A * ka.x, m->v.y + m->w_B * kb.y - m->w_A * ka.y};
    return -B2 * dot(u, g->b) + A2 * dot(u, sub(g->a0, g->d)) + 2 * m->w_A * dot(turned(u), rate);
}

// ---- (G^T lambda)_q --------------------------------------------------------------------------

static const int *put_arm(const int *slot, double *out, double x, double y)
{
    out[slot[0]] += x;
    out[slot[1]] += y;
    out[slot[2]] += x;
    out[slot[3]] += y;
    return slot + 4;
}

static void add_geometric(const trmi_constraint *joint, const geometry *g, const double *lambda,
                          const int *slot, double *out)
{
    v2 f = {0, 0};
    double tw = 0;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        double l = lambda[joint->number[r]];
        if (type->shape == TRMI_ROW_SLIDE) {
            f.x += l * g->u[type->axis].x;
            f.y += l * g->u[type->axis].y;
        } else {
            tw += l * dots_of(type, g).x;
        }
    }
    double fb = dot(f, g->b) + tw, fa = dot(f, g->a) + tw;
    if (g->free_B)
        out[*slot++] -= fb;
    if (!g->free_A)
        return;
    out[*slot++] -= fa;
    slot = put_arm(slot, out, f.y, -f.x);
    if (!g->free_B)
        return;
    slot = put_arm(slot, out, -f.y, f.x);
    out[slot[0]] += fb;
    out[slot[1]] += fb;
}

// ---- all -------------------------------------------------------------------------------------

static motion move_of(const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_motion *A = &k->v[joint->set->pair.A], *B = &k->v[joint->set->pair.B];
    trmi_plane plane = k->tree->plane;
    trmi_v3 normal = {plane == TRMI_PLANE_YZ, plane == TRMI_PLANE_ZX, plane == TRMI_PLANE_XY};
    return (motion){in_plane(trmi_v3_sub(B->v, A->v), plane), trmi_v3_dot(A->w, normal),
                    trmi_v3_dot(B->w, normal)};
}

void trmi_plane_joint(const trmi_constraints *c, const trmi_constraint *joint,
                      const trmi_kinematics *k, const trm_state *state,
                      double *const want[TRM_QUANTITY_COUNT])
{
    geometry g;
    motion m = {{0, 0}, 0, 0};
    int first = c->G.slot[joint->first_G];
    double *p = want[TRM_CONSTRAINT], *bias = want[TRM_GAMMA];
    double *G = want[TRM_CONSTRAINT_Q] ? want[TRM_CONSTRAINT_Q] + first : NULL;
    double *Gv = want[TRM_VELOCITY_Q] ? want[TRM_VELOCITY_Q] + first : NULL;
    locate(&g, joint, k);
    if (bias || Gv)
        m = move_of(joint, k);
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        if (p)
            p[joint->number[r]] =
                type->shape == TRMI_ROW_SLIDE ? dot(g.u[type->axis], g.d) : dots_of(type, &g).x;
        if (bias)
            bias[joint->number[r]] = bias_of(type, &g, &m);
        if (G)
            G = write_gradient(type, &g, G);
        if (Gv)
            Gv = write_rate(type, &g, &m, Gv);
    }
    if (want[TRM_GEOMETRIC])
        add_geometric(joint, &g, state->lambda, c->K.slot + joint->first_K, want[TRM_GEOMETRIC]);
}
