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
#include "modelling/multibody/star/row_star_geometry.h"
#include "modelling/multibody/star/star.h"

// ---- geometry --------------------------------------------------------------------------------

static void set_side(trmi_star_side *side, const trmi_kinematics *k, int body)
{
    side->placed = trmi_placed(k, body, &side->scratch);
    side->E = body == TRMI_GROUND ? NULL : &side->placed->E;
}

static void locate(trmi_star_geometry *g, const trmi_constraint *joint, const trmi_kinematics *k,
                   const trmi_joint *of)
{
    g->fixed_axes = joint->fixed_axes;
    set_side(&g->A, k, joint->A);
    set_side(&g->B, k, joint->B);
    const trmi_pose *A = &g->A.placed->pose, *B = &g->B.placed->pose;
    trmi_v3 on_A = trmi_m3_times(A->R, joint->a), b = trmi_m3_times(B->R, joint->b);
    trmi_v3 to_P = trmi_v3_add(trmi_v3_sub(B->r, A->r), b);
    g->B.arm = b;
    g->d = trmi_v3_sub(to_P, on_A);
    g->A.arm = joint->fixed_axes ? on_A : to_P;
    for (int i = 0; i < 3; i++)
        if (joint->axes_A >> i & 1)
            g->u[i] = trmi_m3_times(A->R, trmi_m3_column(*of->frame, i));
    for (int i = 0; i < 3; i++)
        if (joint->axes_B >> i & 1)
            g->w[i] = trmi_m3_times(B->R, trmi_m3_column(*trmi_second_frame(of), i));
}

static void move(trmi_star_geometry *g, const trmi_constraint *joint, const trmi_kinematics *k)
{
    trmi_motion v_A = g->v_A = trmi_velocity_of(k, joint->A);
    trmi_motion v_B = g->v_B = trmi_velocity_of(k, joint->B);
    if (g->A.E)
        g->A.E1 = trmi_star_turning_axes(k, joint->A, g->A.E);
    if (g->B.E)
        g->B.E1 = trmi_star_turning_axes(k, joint->B, g->B.E);
    g->B.arm_rate = trmi_v3_cross(v_B.w, g->B.arm);
    g->A.arm_rate = joint->fixed_axes ? trmi_v3_cross(v_A.w, g->A.arm)
                                      : trmi_v3_add(trmi_v3_sub(v_B.v, v_A.v), g->B.arm_rate);
}

// n = sum c w x u
static trmi_v3 moment_of(const trmi_row_type *type, const trmi_star_geometry *g)
{
    trmi_v3 n = {0, 0, 0};
    for (int i = 0; i < type->dots; i++)
        n = trmi_v3_axpy(n, type->dot[i].coefficient,
                         trmi_v3_cross(g->w[type->dot[i].w], g->u[type->dot[i].u]));
    return n;
}

static double value_of(const trmi_row_type *type, const trmi_star_geometry *g)
{
    double p = 0;
    if (type->shape == TRMI_ROW_SLIDE)
        return trmi_v3_dot(g->u[type->axis], g->d);
    for (int i = 0; i < type->dots; i++)
        p += type->dot[i].coefficient * trmi_v3_dot(g->u[type->dot[i].u], g->w[type->dot[i].w]);
    return p;
}

// Hp^T x = sum c (u (w.x) - (u.w) x)
static trmi_v3 bend(const trmi_row_type *type, const trmi_star_geometry *g, trmi_v3 x)
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
static double *write_points(const trmi_star_geometry *g, double along, const trmi_m3 *of_B,
                            const trmi_m3 *of_A, double *out)
{
    int stride = 4 * ((g->B.E != NULL) + (g->A.E != NULL));
    if (g->B.E)
        write_point(out, stride, 1, along, *of_B);
    if (g->A.E)
        write_point(out + (g->B.E ? 4 : 0), stride, -1, along, *of_A);
    return out + 3 * stride;
}

static double *write_fixed_gradient(const trmi_star_geometry *g, double *out)
{
    trmi_m3 of_B, of_A;
    if (g->B.E)
        of_B = trmi_star_levers(g->B.E, g->B.arm);
    if (g->A.E)
        of_A = trmi_star_levers(g->A.E, g->A.arm);
    return write_points(g, 1, &of_B, &of_A, out);
}

// E^T (arm' x e) + E1^T (arm x e)
static trmi_m3 lever_rates(const trmi_star_side *side)
{
    return trmi_m3_axpy(trmi_star_levers(side->E, side->arm_rate), 1,
                        trmi_star_levers(&side->E1, side->arm));
}

static double *write_fixed_rate(const trmi_star_geometry *g, double *out)
{
    trmi_m3 of_B, of_A;
    if (g->B.E)
        of_B = lever_rates(&g->B);
    if (g->A.E)
        of_A = lever_rates(&g->A);
    return write_points(g, 0, &of_B, &of_A, out);
}

static double *write_gradient(const trmi_row_type *type, const trmi_star_side *side, double sign,
                              const trmi_star_geometry *g, trmi_v3 n, double *out)
{
    if (!side->E)
        return out;
    if (type->shape != TRMI_ROW_SLIDE)
        return write_vector(out, sign, trmi_star_along(side->E, n));
    trmi_v3 u = g->u[type->axis];
    out = write_vector(out, sign, u);
    return write_vector(out, sign, trmi_star_along(side->E, trmi_v3_cross(side->arm, u)));
}

// E^T x + E1^T n
static trmi_v3 moving(const trmi_star_side *side, trmi_v3 x, trmi_v3 n)
{
    return trmi_v3_add(trmi_star_along(side->E, x), trmi_star_along(&side->E1, n));
}

static double *write_slide_rate(const trmi_star_side *side, double sign, trmi_v3 u, trmi_v3 u_rate,
                                double *out)
{
    if (!side->E)
        return out;
    trmi_v3 x = trmi_v3_add(trmi_v3_cross(side->arm_rate, u), trmi_v3_cross(side->arm, u_rate));
    out = write_vector(out, sign, u_rate);
    return write_vector(out, sign, moving(side, x, trmi_v3_cross(side->arm, u)));
}

static double *write_rate(const trmi_row_type *type, const trmi_star_geometry *g, double *out)
{
    bool slide = type->shape == TRMI_ROW_SLIDE;
    if (slide) {
        trmi_v3 u = g->u[type->axis], u_rate = trmi_v3_cross(g->v_A.w, u);
        out = write_slide_rate(&g->B, 1, u, u_rate, out);
        return write_slide_rate(&g->A, -1, u, u_rate, out);
    }
    trmi_v3 n = moment_of(type, g);
    trmi_v3 y =
        trmi_v3_add(bend(type, g, trmi_v3_sub(g->v_B.w, g->v_A.w)), trmi_v3_cross(g->v_B.w, n));
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
static void write_fixed_bias(const trmi_star_geometry *g, trmi_motion a_A, trmi_motion a_B,
                             double *out)
{
    write_vector(out, 1, trmi_v3_sub(swing(g->v_B, a_B, g->B.arm), swing(g->v_A, a_A, g->A.arm)));
}

// u.(a_B - a_A - v_A x v_B)_P - w.(u x v), and n.(..)_w + w.Hp w; w, v relative at P.
static double bias_of(const trmi_row_type *type, const trmi_star_geometry *g, trmi_motion a_A,
                      trmi_motion a_B)
{
    trmi_v3 w = trmi_v3_sub(g->v_B.w, g->v_A.w);
    if (type->shape != TRMI_ROW_SLIDE) {
        trmi_v3 turn = trmi_v3_sub(trmi_v3_sub(a_B.w, a_A.w), trmi_v3_cross(g->v_A.w, g->v_B.w));
        return trmi_v3_dot(moment_of(type, g), turn) + trmi_v3_dot(bend(type, g, w), w);
    }
    trmi_v3 u = g->u[type->axis];
    trmi_motion v_A = trmi_motion_at(g->v_A, g->A.arm), v_B = trmi_motion_at(g->v_B, g->B.arm);
    trmi_motion a = trmi_motion_sub(trmi_motion_at(a_B, g->B.arm), trmi_motion_at(a_A, g->A.arm));
    a = trmi_motion_sub(a, trmi_motion_cross(v_A, v_B));
    return trmi_v3_dot(u, a.v) - trmi_v3_dot(w, trmi_v3_cross(u, trmi_v3_sub(v_B.v, v_A.v)));
}

// ---- all -------------------------------------------------------------------------------------

// where the values of the next row go; NULL: not wanted
typedef struct places {
    double *g, *G, *Gv, *gamma;
} places;

// all slides of a point along the global axes
static void write_fixed(const trmi_star_geometry *g, trmi_motion a_A, trmi_motion a_B, places *to)
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

static void write_row(const trmi_row_type *type, const trmi_star_geometry *g, trmi_motion a_A,
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

// The rows of a joint are stored next to each other in G and (Gv)_q.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT])
{
    trmi_motion a_A = {0}, a_B = {0};
    int first = trmi_slots_at(&c->G, joint->first_G), row = joint->first, r = 0;
    places to = {from(want[TRM_QUANTITY_CONSTRAINT], row),
                 from(want[TRM_QUANTITY_CONSTRAINT_Q], first),
                 from(want[TRM_QUANTITY_VELOCITY_Q], first), from(want[TRM_QUANTITY_GAMMA], row)};
    trmi_star_geometry g;
    locate(&g, joint, k, &c->mechanism->joint[joint->joint]);
    if (to.Gv || to.gamma)
        move(&g, joint, k);
    if (to.gamma) {
        a_A = trmi_acceleration_of(k, joint->A);
        a_B = trmi_acceleration_of(k, joint->B);
    }
    if (g.fixed_axes) {
        write_fixed(&g, a_A, a_B, &to);
        r = 3;
    }
    for (; r < joint->rows; r++)
        write_row(joint->type[r], &g, a_A, a_B, &to);
    if (want[TRM_QUANTITY_GEOMETRIC])
        trmi_star_geometric(c, joint, &g, k, state->lambda + row, want[TRM_QUANTITY_GEOMETRIC]);
}
