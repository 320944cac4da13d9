// SPDX-License-Identifier: Apache-2.0
// Blocks of the star in the plane, coordinates (x, y, angle). Vectors have two components, x' is x
// turned by a right angle, a x b a number. As in row_star.c slides are along the axes of the plane
// where both of a point are there (each arm ends at the body's own marker), or u turns with A (both
// arms end at the marker on B). n = sum c w x u and t = sum c u.w of dots. B first, then A:
//
//     slide  G: u, b x u; -u, -(a x u)                dots  n; -n
//     slide  (Gv)_q: du, db x u + b x du; the negative with A
//            fixed: du = 0, db = w_B b', da = w_A a'   turning: du = w_A u', da = v_P - r'_A
//     dots   (Gv)_q: -t (w_B - w_A) and the negative
//     gamma  fixed: u.(w_A^2 a - w_B^2 b)   turning: -w_A^2 u.a + 2 du.da - w_B^2 u.b
//            dots: -t (w_B - w_A)^2
//
// (G^T lambda)_q with f = sum lambda u and t summed likewise:
//
//     BB thth -f.b - t     fixed: AA thth f.a - t,  AB thth t (only with dots)
//     turning: AA thth -f.a - t,  AA th,t (f_y, -f_x),  AB th,t (-f_y, f_x),  AB thth f.b + t
#include "modelling/multibody/star/row_star.h"
#include "modelling/multibody/star/star.h"

typedef trmi_v2 v2;

// One of the two bodies; ground: at rest at the origin.
typedef struct side {
    bool ground;
    double cosine, sine, w;
    v2 r, v, arm, arm_rate;
} side;

typedef struct geometry {
    side A, B;
    v2 d;
    v2 u[3], w[3]; // axes that slides and dots use
} geometry;

static v2 sum(v2 a, double s, v2 b)
{
    return (v2){a.x + s * b.x, a.y + s * b.y};
}

static double dot(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(v2 a, v2 b)
{
    return a.x * b.y - a.y * b.x;
}

// w a'
static v2 turning(double w, v2 a)
{
    return (v2){-w * a.y, w * a.x};
}

// ---- patterns --------------------------------------------------------------------------------

// an entry, and with `both` its mirror image
static void announce(trmi_constraints *c, int row, int column, bool both)
{
    trmi_slots_add(&c->K, row, column);
    if (both)
        trmi_slots_add(&c->K, column, row);
}

void trmi_plane_announce(trmi_constraints *c, const trmi_constraint *joint)
{
    int B = trmi_star_coordinate(c->tree, joint->B), A = trmi_star_coordinate(c->tree, joint->A);
    const int first[2] = {B, A};
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->type[r];
        bool slide = type->shape == TRMI_ROW_SLIDE;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3 && first[side] >= 0; k++)
                if (k == 2 || (slide && (!joint->fixed_axes || k == type->axis)))
                    trmi_slots_add(&c->G, joint->first + r, first[side] + k);
    }
    if (B >= 0)
        announce(c, B + 2, B + 2, false);
    if (A < 0)
        return;
    announce(c, A + 2, A + 2, false);
    for (int k = 0; k < 2 && !joint->fixed_axes; k++) {
        announce(c, A + 2, A + k, true);
        if (B >= 0)
            announce(c, A + 2, B + k, true);
    }
    if (B >= 0 && (!joint->fixed_axes || joint->axes_B))
        announce(c, A + 2, B + 2, true);
}

// ---- geometry --------------------------------------------------------------------------------

static v2 turned(const side *side, v2 a)
{
    return (v2){side->cosine * a.x - side->sine * a.y, side->sine * a.x + side->cosine * a.y};
}

static void set_side(side *side, const trmi_kinematics *k, int body)
{
    int first = trmi_star_coordinate(k->tree, body);
    side->ground = body == TRMI_GROUND;
    side->cosine = side->ground ? 1 : k->turn[body].x;
    side->sine = side->ground ? 0 : k->turn[body].y;
    side->w = side->ground ? 0 : k->rate[first + 2];
    side->r = side->ground ? (v2){0, 0} : (v2){k->q[first], k->q[first + 1]};
    side->v = side->ground ? (v2){0, 0} : (v2){k->rate[first], k->rate[first + 1]};
}

static v2 flat(trmi_v3 a)
{
    return (v2){a.x, a.y};
}

// an axis of a marker
static v2 in_plane(const trmi_kinematics *k, trmi_m3 frame, int i)
{
    return flat(trmi_star_flatten(trmi_m3_column(frame, i), k->tree->plane));
}

static void locate(geometry *g, const trmi_constraint *joint, const trmi_kinematics *k,
                   const trmi_joint *of)
{
    side *A = &g->A, *B = &g->B;
    set_side(A, k, joint->A);
    set_side(B, k, joint->B);
    v2 on_A = turned(A, flat(joint->a)), b = turned(B, flat(joint->b)), b_rate = turning(B->w, b);
    v2 to_P = sum(sum(B->r, -1, A->r), 1, b);
    B->arm = b;
    B->arm_rate = b_rate;
    g->d = sum(to_P, -1, on_A);
    A->arm = joint->fixed_axes ? on_A : to_P;
    A->arm_rate = joint->fixed_axes ? turning(A->w, on_A) : sum(sum(B->v, -1, A->v), 1, b_rate);
    for (int i = 0; i < 3; i++)
        if (joint->axes_A >> i & 1)
            g->u[i] = turned(A, in_plane(k, *of->frame, i));
    for (int i = 0; i < 3; i++)
        if (joint->axes_B >> i & 1)
            g->w[i] = turned(B, in_plane(k, *trmi_second_frame(of), i));
}

// sum of c w x u, and of c w.u
static void turn_dots(const geometry *g, const trmi_row_type *type, double *n, double *t)
{
    *n = *t = 0;
    for (int k = 0; k < type->dots; k++) {
        v2 u = g->u[type->dot[k].u], w = g->w[type->dot[k].w];
        *n += type->dot[k].coefficient * cross(w, u);
        *t += type->dot[k].coefficient * dot(w, u);
    }
}

// ---- rows ------------------------------------------------------------------------------------

static double *write_pair(double *out, double sign, const side *side, double along, double turn)
{
    if (side->ground)
        return out;
    out[0] = sign * along;
    out[1] = sign * turn;
    return out + 2;
}

static double *write_slide(double *out, double sign, const side *side, v2 u, double turn)
{
    if (side->ground)
        return out;
    out[0] = sign * u.x;
    out[1] = sign * u.y;
    out[2] = sign * turn;
    return out + 3;
}

static double *write_dots(double *out, const geometry *g, double n)
{
    if (!g->B.ground)
        *out++ = n;
    if (!g->A.ground)
        *out++ = -n;
    return out;
}

// where the values of the next row go; NULL: not wanted
typedef struct places {
    double *g, *G, *Gv, *gamma;
} places;

// a x u for u along the first or second axis
static double lever(v2 a, int axis)
{
    return axis == 0 ? -a.y : a.x;
}

static double component(v2 a, int axis)
{
    return axis == 0 ? a.x : a.y;
}

// a point held along an axis of the plane
static void add_fixed(const geometry *g, int axis, int i, places *to)
{
    const side *A = &g->A, *B = &g->B;
    if (to->g)
        to->g[i] = component(g->d, axis);
    if (to->G) {
        to->G = write_pair(to->G, 1, B, 1, lever(B->arm, axis));
        to->G = write_pair(to->G, -1, A, 1, lever(A->arm, axis));
    }
    if (to->Gv) {
        to->Gv = write_pair(to->Gv, 1, B, 0, lever(B->arm_rate, axis));
        to->Gv = write_pair(to->Gv, -1, A, 0, lever(A->arm_rate, axis));
    }
    if (to->gamma)
        to->gamma[i] =
            A->w * A->w * component(A->arm, axis) - B->w * B->w * component(B->arm, axis);
}

static void add_slide(const geometry *g, const trmi_row_type *type, int i, places *to)
{
    const side *A = &g->A, *B = &g->B;
    v2 u = g->u[type->axis], du = turning(A->w, u);
    if (to->g)
        to->g[i] = dot(u, g->d);
    if (to->G) {
        to->G = write_slide(to->G, 1, B, u, cross(B->arm, u));
        to->G = write_slide(to->G, -1, A, u, cross(A->arm, u));
    }
    if (to->Gv) {
        to->Gv = write_slide(to->Gv, 1, B, du, cross(B->arm_rate, u) + cross(B->arm, du));
        to->Gv = write_slide(to->Gv, -1, A, du, cross(A->arm_rate, u) + cross(A->arm, du));
    }
    if (to->gamma)
        to->gamma[i] =
            2 * dot(du, A->arm_rate) - A->w * A->w * dot(u, A->arm) - B->w * B->w * dot(u, B->arm);
}

static void add_dots(const geometry *g, const trmi_row_type *type, int i, places *to)
{
    double n, t, w = g->B.w - g->A.w;
    turn_dots(g, type, &n, &t);
    if (to->g)
        to->g[i] = t;
    if (to->G)
        to->G = write_dots(to->G, g, n);
    if (to->Gv)
        to->Gv = write_dots(to->Gv, g, -t * w);
    if (to->gamma)
        to->gamma[i] = -t * w * w;
}

// in the order of trmi_plane_announce
static void add_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                          const geometry *g, const double *lambda, double *out)
{
    int at = joint->first_K;
    v2 f = {0, 0};
    double t = 0, sign = joint->fixed_axes ? 1 : -1;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->type[r];
        double l = lambda[joint->first + r], n, own;
        if (type->shape == TRMI_ROW_SLIDE && joint->fixed_axes)
            f = sum(f, l, type->axis == 0 ? (v2){1, 0} : (v2){0, 1});
        else if (type->shape == TRMI_ROW_SLIDE)
            f = sum(f, l, g->u[type->axis]);
        else {
            turn_dots(g, type, &n, &own);
            t += l * own;
        }
    }
    if (!g->B.ground)
        out[trmi_slots_at(&c->K, at++)] += -dot(f, g->B.arm) - t;
    if (g->A.ground)
        return;
    out[trmi_slots_at(&c->K, at++)] += sign * dot(f, g->A.arm) - t;
    const double coupling[2] = {f.y, -f.x};
    for (int k = 0; k < 2 && !joint->fixed_axes; k++)
        for (int side = 0; side < (g->B.ground ? 1 : 2); side++) {
            out[trmi_slots_at(&c->K, at++)] += side == 0 ? coupling[k] : -coupling[k];
            out[trmi_slots_at(&c->K, at++)] += side == 0 ? coupling[k] : -coupling[k];
        }
    if (!g->B.ground && (!joint->fixed_axes || joint->axes_B)) {
        double between = joint->fixed_axes ? t : dot(f, g->B.arm) + t;
        out[trmi_slots_at(&c->K, at++)] += between;
        out[trmi_slots_at(&c->K, at++)] += between;
    }
}

void trmi_plane_joint(const trmi_constraints *c, const trmi_constraint *joint,
                      const trmi_kinematics *k, const trm_state *state,
                      double *const want[TRM_QUANTITY_COUNT])
{
    geometry g;
    locate(&g, joint, k, &c->mechanism->joint[joint->joint]);
    int first = trmi_slots_at(&c->G, joint->first_G);
    places to = {want[TRM_QUANTITY_CONSTRAINT],
                 want[TRM_QUANTITY_CONSTRAINT_Q] ? want[TRM_QUANTITY_CONSTRAINT_Q] + first : NULL,
                 want[TRM_QUANTITY_VELOCITY_Q] ? want[TRM_QUANTITY_VELOCITY_Q] + first : NULL,
                 want[TRM_QUANTITY_GAMMA]};
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->type[r];
        if (type->shape == TRMI_ROW_SLIDE && joint->fixed_axes)
            add_fixed(&g, type->axis, joint->first + r, &to);
        else if (type->shape == TRMI_ROW_SLIDE)
            add_slide(&g, type, joint->first + r, &to);
        else
            add_dots(&g, type, joint->first + r, &to);
    }
    if (want[TRM_QUANTITY_GEOMETRIC])
        add_geometric(c, joint, &g, state->lambda, want[TRM_QUANTITY_GEOMETRIC]);
}
