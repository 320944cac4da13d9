// SPDX-License-Identifier: Apache-2.0
// The star: every body on free columns of its own, O at its centre of mass. Closed forms instead of
// recursions. Bodies do not meet, so that everything is done for a range of them, first .. end-1.
//
// In space a body has coordinates (r, theta) and the chart of chart.h with the held centre A. With
// T = rho O, its rotation R and E = W T, angular velocity w = E theta', are those of quaternions:
//
//     E = rho^2 |p|^2 rot(p), p = A (1; x)          R = rho^2 |p'|^2 rot(p'), p' = p (1; x)
//     T' = (k1 + [nu]) T,  k1 = -rho s',  nu = 2 rho (x' + x x x')
//     w' = E theta*,       theta* = theta'' + k1 theta' - nu x theta'
//     E1 = W T' = (k1 + [E y]) E,  y = 2 (x' - x x x')
//
// In the plane (x, y, angle): the cosine and sine of the angle.
#ifndef TRMI_MODELLING_MULTIBODY_STAR_STAR_H
#define TRMI_MODELLING_MULTIBODY_STAR_STAR_H

#include "modelling/multibody/chart.h"
#include "modelling/multibody/kinematics.h"

// the first coordinate of a body; negative for the ground
static inline int trmi_star_coordinate(const trmi_tree *tree, int body)
{
    return (body - 1) * (tree->plane == TRMI_SPATIAL ? 6 : 3);
}

// the columns of a body of the plane star: its two directions and the normal
static inline const trmi_line *trmi_star_line(const trmi_tree *tree, int body, int i)
{
    return &tree->line[i == 0 ? tree->body[body].line : tree->column[i].line];
}

// How a chart turns.
typedef struct trmi_turning {
    trmi_v3 x, rate, nu, second; // second: theta*
    double rho, k1;
} trmi_turning;

// q, v, a: from the first coordinate of the chart on; a may be NULL: theta'' = 0
static inline trmi_turning trmi_turning_at(const double *q, const double *v, const double *a)
{
    trmi_turning t = {.x = trmi_v3_scale(0.25, trmi_v3_of(q)), .rate = trmi_v3_of(v)};
    t.rho = 1 / (1 + trmi_v3_dot(t.x, t.x));
    t.k1 = -0.5 * t.rho * trmi_v3_dot(t.x, t.rate);
    t.nu = trmi_v3_scale(0.5 * t.rho, trmi_v3_add(t.rate, trmi_v3_cross(t.x, t.rate)));
    t.second = trmi_v3_sub(trmi_v3_scale(t.k1, t.rate), trmi_v3_cross(t.nu, t.rate));
    if (a)
        t.second = trmi_v3_add(t.second, trmi_v3_of(a));
    return t;
}

// ---- kinematics (star.c) ----

// The columns and places that never change.
void trmi_star_prepare(trmi_kinematics *k);
// R, r and E; in the plane cosine and sine. Keeps q and v of the state.
void trmi_star_place(trmi_kinematics *k, const trm_state *state, int first, int end);
// v and the columns, after place at the same state; in the plane R and r too.
void trmi_star_speed(trmi_kinematics *k, int first, int end);
// E1 of a body in space from its E, after place.
trmi_m3 trmi_star_turning_axes(const trmi_kinematics *k, int body, const trmi_m3 *E);
// a for q'' given (NULL: 0), after speed.
void trmi_star_accelerate(trmi_kinematics *k, const double *a, int first, int end);

// v of a body, after trmi_star_place; reads the state.
trmi_motion trmi_star_velocity(const trmi_kinematics *k, int body);
// a of a body, after trmi_star_accelerate; reads the state.
trmi_motion trmi_star_acceleration(const trmi_kinematics *k, int body);

// v and a of a body of any tree
static inline trmi_motion trmi_velocity_of(const trmi_kinematics *k, int body)
{
    return k->v ? k->v[body] : trmi_star_velocity(k, body);
}

static inline trmi_motion trmi_acceleration_of(const trmi_kinematics *k, int body)
{
    return k->a ? k->a[body] : trmi_star_acceleration(k, body);
}

// ---- inertia (star_inertia.c) ----

// f - M a (a NULL: f) without forces, and with applied wrenches (NULL: none); after place.
void trmi_star_force(const trmi_kinematics *k, const double *a, const trmi_wrench *applied,
                     double *f, int first, int end);
// M a - f without forces.
void trmi_star_residual(const trmi_kinematics *k, const double *a, double *residual, int first,
                        int end);
// M, D and K = d(M a + bias)/dq of the bodies, each from the first body of the star on.
void trmi_star_matrices(const trmi_kinematics *k, const double *a, double *M, double *D, double *K,
                        int first, int end);
// In space M has the slides of all bodies, then their rotations, and these K and D have too.
bool trmi_star_patterns(trmi_memory *memory, const trmi_tree *tree, trm_pattern *mass,
                        trm_pattern *stiffness);

#endif
