// SPDX-License-Identifier: Apache-2.0
// A railway wheelset on straight track (Simeon, Fuehrer, Rentrop, Surv. Math. Ind. 1 (1991) 1-37;
// Test Set for IVP Solvers, "wheelset"): the system of examples/wheelset.yaml, written in C.
//
//     q = (x, y, z, theta, phi)   lateral, vertical, along the track; yaw, roll
//     x = (beta)                  spin of the axle beyond V/r
//     z = (psi_L, xi_L, psi_R, xi_R)  points of contact on the wheels; b: the surfaces touch there
//     g = heights of the rails over the wheels at these points; g_z = 0 where b = 0
//     lambda = contact forces, on which the creep forces depend
//
// With the option defect = 1 the acceleration level is differentiated as if the points of contact
// were fixed on the wheels: gamma lacks (G v)_z z', which is 0.5 m/s^2 here. This is the kind of
// mistake with which a wheelset flies off its track in index-1 form, and which the projection hides
// in perfect residuals of a wrong motion (docs/reproduction.md).
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { X, Y, Z, YAW, ROLL, COORDINATES };

static const double mass = 16.08, gravity = 9.81, speed = 30.0, friction = 0.12;
static const double axle_inertia = 0.0605, cross_inertia = 0.366; // about the axle, across it
static const double radius = 0.1, cone = 0.0262;                  // nominal; angle of the cone
static const double gauge = 0.1506, rail = 0.06; // half the gauge, radius of the rail head
static const double spring = 6400.0, lever = 0.19;
// Hertzian contact, Kalker's coefficients, and pi as in the original code
static const double ellipse = 1.3537956, ratio = 0.7115218, poisson = 0.28, shear = 7.92e10;
static const double kalker_11 = 4.72772197, kalker_22 = 4.27526987, kalker_23 = 1.97203505;
static const double short_pi = 3.1415926;
// what the published start leaves in the contacts; an exact solution of the test set keeps it
static const double gap[] = {5.269749128e-10, -4.966841219e-10};

// ---- geometry ----

// The axle: sines and cosines of yaw (t) and roll (p), spin.
typedef struct axle {
    const double *q, *v;
    double st, ct, sp, cp, spin;
} axle;

static axle axle_at(const trm_state *s)
{
    const double yaw = s->q[YAW], roll = s->q[ROLL];
    return (axle){.q = s->q,
                  .v = s->v,
                  .st = sin(yaw),
                  .ct = cos(yaw),
                  .sp = sin(roll),
                  .cp = cos(roll),
                  .spin = speed / radius + s->x[0]};
}

// One wheel at its point of contact (psi, xi): radius r and slope of the cone there, height and
// derivatives of the rail under it, angle of the contact plane.
typedef struct wheel {
    double side; // 1 left, -1 right
    double ss, cs, xi;
    double r, slope;
    double rail_y, rail_d, rail_dd;
    double sd, cd; // sine and cosine of the contact angle
} wheel;

// 1: the wheel is beside the head of the rail
static int wheel_at(const axle *a, const double *z, int side, wheel *w)
{
    *w = (wheel){.side = side ? -1.0 : 1.0,
                 .ss = sin(z[2 * side]),
                 .cs = cos(z[2 * side]),
                 .xi = z[2 * side + 1]};
    w->r = radius + tan(cone) * (gauge - fabs(w->xi));
    w->slope = -copysign(tan(cone), w->xi);
    const double abscissa =
        a->q[X] + w->xi * a->ct * a->cp + w->r * (a->ct * a->sp * w->cs - a->st * w->ss);
    const double u = fabs(abscissa) - gauge - rail * sin(cone);
    if (!(fabs(u) < rail))
        return 1;
    const double rise = sqrt(rail * rail - u * u);
    w->rail_y = rise - radius - rail * cos(cone);
    w->rail_d = -copysign(1.0, abscissa) * u / rise;
    w->rail_dd = -rail * rail / (rise * rise * rise);
    const double across = (w->slope * a->cp - a->sp * w->cs) * a->ct + w->ss * a->st;
    const double delta = atan(-w->side * across / (w->slope * a->sp + w->cs * a->cp));
    w->sd = sin(delta);
    w->cd = cos(delta);
    return 0;
}

// height of the rail over the wheel
static double contact(const axle *a, const wheel *w)
{
    return w->rail_y - a->q[Y] - w->xi * a->sp + w->r * a->cp * w->cs;
}

// its derivatives by q
static void contact_q(const axle *a, const wheel *w, double row[COORDINATES])
{
    row[X] = w->rail_d;
    row[Y] = -1.0;
    row[Z] = 0.0;
    row[YAW] =
        w->rail_d * (w->r * (-a->ct * w->ss - w->cs * a->sp * a->st) - a->cp * a->st * w->xi);
    row[ROLL] = -w->cs * w->r * a->sp - a->cp * w->xi +
                w->rail_d * (a->cp * w->cs * a->ct * w->r - a->ct * a->sp * w->xi);
}

// and by psi and xi: they vanish where the surfaces touch
static void contact_z(const axle *a, const wheel *w, double row[2])
{
    const double turned = a->ct * a->sp * w->cs - a->st * w->ss;
    row[0] = -w->rail_d * w->r * (a->ct * a->sp * w->ss + a->st * w->cs) - w->r * a->cp * w->ss;
    row[1] = w->rail_d * (a->ct * a->cp + w->slope * turned) - a->sp + w->slope * a->cp * w->cs;
}

// Both tangents of the wheel are tangent to the rail.
static void touch(const axle *a, const wheel *w, double out[2])
{
    out[0] = w->slope * a->st * a->cp - a->st * a->sp * w->cs - a->ct * w->ss;
    out[1] = w->rail_d * (w->slope * a->sp + a->cp * w->cs) + w->slope * a->ct * a->cp -
             a->ct * a->sp * w->cs + a->st * w->ss;
}

// d^2/ds^2 of the contact along q + s v with fixed psi and xi: what is left of gamma when the
// motion of the point of contact is forgotten.
static double curvature(const axle *a, const wheel *w)
{
    const double yaw = a->v[YAW], roll = a->v[ROLL], arm = w->r * w->cs;
    const double both = yaw * yaw + roll * roll;
    const double first = a->v[X] + w->xi * (-a->st * a->cp * yaw - a->ct * a->sp * roll) +
                         arm * (-a->st * a->sp * yaw + a->ct * a->cp * roll) -
                         w->r * w->ss * a->ct * yaw;
    const double second = w->xi * (-a->ct * a->cp * both + 2.0 * a->st * a->sp * yaw * roll) +
                          arm * (-a->ct * a->sp * both - 2.0 * a->st * a->cp * yaw * roll) +
                          w->r * w->ss * a->st * yaw * yaw;
    return w->rail_dd * first * first + w->rail_d * second +
           (w->xi * a->sp - arm * a->cp) * roll * roll;
}

// ---- forces ----

// Semi-axis of the contact ellipse under the normal force n.
static double contact_axis(const wheel *w, double n)
{
    const double of_wheel = 1.0 / (2.0 * w->r * sqrt(1.0 + w->slope * w->slope));
    const double of_rail = -w->rail_dd / (2.0 * pow(1.0 + w->rail_d * w->rail_d, 1.5));
    return cbrt(3.0 * fabs(n) * (1.0 - poisson) * ellipse /
                (2.0 * short_pi * shear * sqrt(ratio) * (of_wheel + of_rail)));
}

// Creepages along (x) and across (y) the rail, and spin.
typedef struct creepage {
    double x, y, spin;
} creepage;

// sa, ca: sine and cosine of theta / cos(delta)
static creepage creepage_of(const axle *a, const wheel *w, double sa, double ca)
{
    const double *v = a->v;
    const double lean = w->xi * a->sp - w->r * a->cp * w->cs;
    const double along = w->r * (sa * a->sp * w->cs + ca * w->ss) + w->xi * sa * a->cp;
    const double across = w->xi * ca * a->cp + w->r * (ca * a->sp * w->cs - sa * w->ss);
    const double w1 = -a->spin * w->r * (sa * w->cs + ca * a->sp * w->ss) + v[X] - v[YAW] * along -
                      v[ROLL] * ca * lean;
    const double w2 =
        a->spin * w->r * a->cp * w->ss + v[Y] + v[ROLL] * (w->xi * a->cp + w->r * a->sp * w->cs);
    const double w3 = -a->spin * w->r * (ca * w->cs - sa * a->sp * w->ss) + speed + v[Z] -
                      v[YAW] * across + v[ROLL] * sa * lean;
    const double m1 = w1 - 2.0 * v[X], m2 = w2 - 2.0 * v[Y], m3 = w3 - 2.0 * v[Z] - 2.0 * speed;
    const double rolling = 0.5 * sqrt(m1 * m1 + m2 * m2 + m3 * m3);
    return (creepage){(sa * w1 + ca * w3) / rolling,
                      (ca * w->cd * w1 + w->side * w->sd * w2 - sa * w->cd * w3) / rolling,
                      (-w->side * w->sd * a->spin + w->cd * v[YAW]) / rolling};
}

// Creep force under the normal force n: saturates, and is cut off at dry friction (a kink).
static void creep(const axle *a, const wheel *w, double n, double force[3])
{
    const double sa = sin(a->q[YAW] / w->cd), ca = cos(a->q[YAW] / w->cd);
    const creepage c = creepage_of(a, w, sa, ca);
    const double axis = contact_axis(w, n), most = friction * n;
    const double stiff = shear * axis * axis;
    double along = -most * tanh(stiff * kalker_11 * c.x / most);
    double across =
        -most * tanh((stiff * kalker_22 * c.y + stiff * axis * kalker_23 * c.spin) / most);
    const double share = hypot(along, across) / fabs(most);
    along /= fmax(share, 1.0);
    across /= fmax(share, 1.0);
    force[0] = sa * along + ca * w->cd * across;
    force[1] = w->side * w->sd * across;
    force[2] = ca * along - sa * w->cd * across;
}

// Adds the creep force of a wheel to the forces f (n_q) and its moment about the axle to *spin.
static void add_creep(const axle *a, const wheel *w, double n, double *f, double *spin)
{
    const double rs = w->r * w->ss, rc = w->r * w->cs, xi = w->xi;
    const double st = a->st, ct = a->ct, sp = a->sp, cp = a->cp;
    double t[3];
    creep(a, w, n, t);
    f[X] += t[0];
    f[Y] += t[1];
    f[Z] += t[2];
    f[YAW] += -(xi * st + rs * ct * cp) * t[0] - rs * sp * t[1] + (-xi * ct + rs * st * cp) * t[2];
    f[ROLL] += -(xi * ct * sp - rc * ct * cp) * t[0] + (xi * cp + rc * sp) * t[1] +
               (xi * st * sp - rc * st * cp) * t[2];
    *spin += -(rc * st + rs * ct * sp) * t[0] + rs * cp * t[1] - (rc * ct - rs * st * sp) * t[2];
}

// f, and the rate of beta from I1 (beta' + sin(phi) theta'') = moment about the axle.
static double forces(const axle *a, const wheel w[2], const double *lambda, double *f)
{
    const double *q = a->q, *v = a->v;
    const double w1 = -(w[0].rail_d * lambda[0] + w[1].rail_d * lambda[1]);
    const double w2 = lambda[0] + lambda[1];
    const double det = -w[0].sd * w[1].cd - w[1].sd * w[0].cd;
    const double normal[] = {(w[1].cd * w1 - w[1].sd * w2) / det,
                             (-w[0].cd * w1 - w[0].sd * w2) / det};
    const double torque = -2.0 * lever * lever * spring * q[YAW],
                 excess = axle_inertia - cross_inertia;
    double moment = -axle_inertia * v[YAW] * v[ROLL] * a->cp + a->sp * torque;
    double yaw = 0.0, row[COORDINATES];
    f[X] = -2.0 * spring * q[X];
    f[Y] = -mass * gravity;
    f[Z] = -2.0 * spring * q[Z];
    f[YAW] = (cross_inertia - excess) * v[YAW] * v[ROLL] * a->sp -
             axle_inertia * a->spin * v[ROLL] + a->cp * torque;
    f[ROLL] = axle_inertia * a->spin * v[YAW] * a->cp + excess * v[YAW] * v[YAW] * a->sp * a->cp;
    for (int side = 0; side < 2; side++) {
        add_creep(a, &w[side], normal[side], f, &moment);
        contact_q(a, &w[side], row);
        yaw -= row[YAW] * lambda[side];
    }
    return moment / axle_inertia - a->sp * (f[YAW] + yaw) / (cross_inertia * a->cp);
}

// ---- the system ----

static void evaluate_contacts(const axle *a, const wheel w[2], double *const *want)
{
    for (int side = 0; side < 2; side++) {
        if (want[TRM_QUANTITY_CONSTRAINT])
            want[TRM_QUANTITY_CONSTRAINT][side] = contact(a, &w[side]) - gap[side];
        if (want[TRM_QUANTITY_ALGEBRAIC])
            touch(a, &w[side], want[TRM_QUANTITY_ALGEBRAIC] + 2 * side);
        if (want[TRM_QUANTITY_CONSTRAINT_Q])
            contact_q(a, &w[side], want[TRM_QUANTITY_CONSTRAINT_Q] + COORDINATES * side);
        if (want[TRM_QUANTITY_CONSTRAINT_Z])
            contact_z(a, &w[side], want[TRM_QUANTITY_CONSTRAINT_Z] + 2 * side);
        if (want[TRM_QUANTITY_GAMMA]) // only with the defect: else it comes from differences, and
                                      // is right
            want[TRM_QUANTITY_GAMMA][side] = curvature(a, &w[side]);
    }
    if (want[TRM_QUANTITY_CONSTRAINT_T])
        memset(want[TRM_QUANTITY_CONSTRAINT_T], 0, 2 * sizeof(double));
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    (void)user;
    const axle a = axle_at(state);
    wheel w[2];
    if (want[TRM_QUANTITY_MASS]) {
        const double m[] = {mass, mass, mass, cross_inertia * a.cp, cross_inertia};
        memcpy(want[TRM_QUANTITY_MASS], m, sizeof m);
    }
    for (int side = 0; side < 2; side++)
        if (wheel_at(&a, state->z, side, &w[side]))
            return 1;
    evaluate_contacts(&a, w, want);
    if (want[TRM_QUANTITY_FORCE] || want[TRM_QUANTITY_RATE]) {
        double f[COORDINATES], rate = forces(&a, w, state->lambda, f);
        if (want[TRM_QUANTITY_FORCE])
            memcpy(want[TRM_QUANTITY_FORCE], f, sizeof f);
        if (want[TRM_QUANTITY_RATE])
            want[TRM_QUANTITY_RATE][0] = rate;
    }
    return 0;
}

// row by row
static const int jacobian_row[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
static const int jacobian_column[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
static const int contact_row[] = {0, 0, 1, 1}, contact_column[] = {0, 1, 2, 3};

static bool create(trp_problem *problem, const double *o)
{
    static const char *const q_names[] = {"x", "y", "z", "theta", "phi"}, *const x_names[] = {
                                                                              "beta"};
    static const char *const z_names[] = {"psi_L", "xi_L", "psi_R", "xi_R"};
    static const char *const g_names[] = {"contact_L", "contact_R"};
    static const double q[] = {0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3, 0.26459e-3};
    static const double v[COORDINATES] = {0}, beta[] = {0.0}, lambda[] = {83.593, 74.144};
    static const double z[] = {7.5634406395172940e-6, 0.1490635714733819, -7.4122380357667139e-6,
                               -0.1521364296121248};
    trm_system *s = &problem->system;
    s->n_q = COORDINATES;
    s->n_x = 1;
    s->n_z = 4;
    s->n_g = 2;
    s->evaluate = evaluate;
    s->evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) |
                   TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) |
                   TRM_BIT(CONSTRAINT_Z);
    if (o[0] > 0.0)
        s->evaluates |= TRM_BIT(GAMMA);
    s->constant = TRM_BIT(CONSTRAINT_T);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 10, .row = jacobian_row, .column = jacobian_column};
    s->pattern[TRM_QUANTITY_CONSTRAINT_Z] =
        (trm_pattern){.count = 4, .row = contact_row, .column = contact_column};
    s->q_names = q_names;
    s->x_names = x_names;
    s->z_names = z_names;
    s->g_names = g_names;
    problem->initial.x = beta;
    problem->initial.z = z;
    problem->initial.lambda = lambda;
    problem->end = 10.0;
    return trp_problem_start(problem, COORDINATES, q, v);
}

static const trp_problem_range range[] = {{0.0, 1.0, true}};
static const trm_problem_option options[] = {{"defect", 0.0}, {NULL, 0.0}};

const trp_problem_kind trp_problem_wheelset = {
    {"wheelset",
     "railway wheelset with creep forces (IVP test set); defect 1: gamma as if the points of "
     "contact "
     "did not move, which is wrong",
     options},
    range,
    create};
