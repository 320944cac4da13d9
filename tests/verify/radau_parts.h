// SPDX-License-Identifier: Apache-2.0
// Small systems that have every part of the system class: states, algebraic variables, also in the
// constraints, multipliers in forces, rolling rows.
#ifndef VERIFY_RADAU_PARTS_H
#define VERIFY_RADAU_PARTS_H

#include "trammel/trammel.h"

#include <math.h>

// A pendulum with everything that can enter its force.
//     lag:       x' = (sin 3t - x)/0.2 + 0.3 v_x,  0 = z + z^3 - x - 0.1 v_x,  f = (z, -9.81)
//     length:    g = (q^2 - z^2)/2 with 0 = z - 1 - 0.1 sin(3t) - 0.05 x', x' as above
//     friction:  f = (0, -9.81) - 0.1 lambda v: multipliers in the forces
static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = 1;
    return 0;
}

static int lag_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0];
    out[1] = -9.81;
    return 0;
}

static int lag_rate(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = (sin(3 * s->t) - s->x[0]) / 0.2 + 0.3 * s->v[0];
    return 0;
}

static int lag_law(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0] + s->z[0] * s->z[0] * s->z[0] - s->x[0] - 0.1 * s->v[0];
    return 0;
}

static int circle(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    return 0;
}

static int circle_q(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0];
    out[1] = s->q[1];
    return 0;
}

static int gravity(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    out[1] = -9.81;
    return 0;
}

static int length_law(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0] - 1 - 0.1 * sin(3 * s->t);
    return 0;
}

static int length_circle(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - s->z[0] * s->z[0]);
    return 0;
}

static int friction_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -0.1 * s->lambda[0] * s->v[0];
    out[1] = -9.81 - 0.1 * s->lambda[0] * s->v[1];
    return 0;
}

// A skate on a slope that turns at the rate w = 2: A = (sin phi, -cos phi, 0), f = (9.81, 0, 0).
// With u = 9.81/w sin(w t) along the skate, x = 9.81/(2 w^2) sin^2(w t),
// y = 9.81/(2 w^2) (w t - sin(w t) cos(w t)), lambda = 2 9.81 sin(w t).
static int skate_force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 9.81;
    out[1] = out[2] = 0;
    return 0;
}

static int skate_row(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = sin(s->q[2]);
    out[1] = -cos(s->q[2]);
    out[2] = 0;
    return 0;
}

// the same skate, pushed by z of the first system
static int pushed_skate_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 9.81 + s->z[0];
    out[1] = out[2] = 0;
    return 0;
}

static int two = 2, three = 3;
static const double hanging[] = {0.6, -0.8}, pushed[] = {0.8, 0.6}, turning[] = {0, 0, 2};

typedef struct part {
    trm_system system;
    trm_initial initial;
    double h;
} part;

static inline part states_and_algebraic(void)
{
    part p = {.system = {.name = "lag",
                         .n_q = 2,
                         .n_x = 1,
                         .n_z = 1,
                         .n_g = 1,
                         .user = &two,
                         .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                      [TRM_QUANTITY_FORCE] = lag_force,
                                      [TRM_QUANTITY_RATE] = lag_rate,
                                      [TRM_QUANTITY_ALGEBRAIC] = lag_law,
                                      [TRM_QUANTITY_CONSTRAINT] = circle,
                                      [TRM_QUANTITY_CONSTRAINT_Q] = circle_q}},
              .initial = {.q = hanging, .v = pushed},
              .h = 0.05};
    p.system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return p;
}

static inline part algebraic_in_constraint(void)
{
    part p = {.system = {.name = "length",
                         .n_q = 2,
                         .n_z = 1,
                         .n_g = 1,
                         .user = &two,
                         .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                      [TRM_QUANTITY_FORCE] = gravity,
                                      [TRM_QUANTITY_ALGEBRAIC] = length_law,
                                      [TRM_QUANTITY_CONSTRAINT] = length_circle,
                                      [TRM_QUANTITY_CONSTRAINT_Q] = circle_q}},
              .initial = {.q = hanging, .v = pushed},
              .h = 0.05};
    p.system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return p;
}

static inline part multipliers_in_force(void)
{
    part p = {.system = {.name = "friction",
                         .n_q = 2,
                         .n_g = 1,
                         .user = &two,
                         .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                      [TRM_QUANTITY_FORCE] = friction_force,
                                      [TRM_QUANTITY_CONSTRAINT] = circle,
                                      [TRM_QUANTITY_CONSTRAINT_Q] = circle_q}},
              .initial = {.q = hanging, .v = pushed},
              .h = 0.05};
    p.system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return p;
}

static inline part skate(void)
{
    part p = {.system = {.name = "skate",
                         .n_q = 3,
                         .n_a = 1,
                         .user = &three,
                         .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                      [TRM_QUANTITY_FORCE] = skate_force,
                                      [TRM_QUANTITY_ROLLING] = skate_row}},
              .initial = {.v = turning},
              .h = 0.05};
    p.system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return p;
}

static inline part pushed_skate(void)
{
    part p = {.system = {.name = "pushed skate",
                         .n_q = 3,
                         .n_x = 1,
                         .n_z = 1,
                         .n_a = 1,
                         .user = &three,
                         .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                      [TRM_QUANTITY_FORCE] = pushed_skate_force,
                                      [TRM_QUANTITY_RATE] = lag_rate,
                                      [TRM_QUANTITY_ALGEBRAIC] = lag_law,
                                      [TRM_QUANTITY_ROLLING] = skate_row}},
              .initial = {.v = turning},
              .h = 0.025};
    p.system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return p;
}

#endif
