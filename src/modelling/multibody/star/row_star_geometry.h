// SPDX-License-Identifier: Apache-2.0
// A joint of closed blocks between bodies of the star in space, at one state: see row_star.c.
#ifndef TRMI_MODELLING_MULTIBODY_STAR_ROW_STAR_GEOMETRY_H
#define TRMI_MODELLING_MULTIBODY_STAR_ROW_STAR_GEOMETRY_H

#include "modelling/multibody/star/row_star.h"

// One of the two bodies; E NULL: the ground.
typedef struct trmi_star_side {
    const trmi_star_body *placed;
    trmi_star_body scratch; // holds `placed` where it is not stored
    const trmi_m3 *E;
    trmi_m3 E1;
    trmi_v3 arm, arm_rate;
} trmi_star_side;

// The joint at one state; rates after `move`.
typedef struct trmi_star_geometry {
    bool fixed_axes;
    trmi_star_side A, B;
    trmi_v3 d;          // from the marker on A to that on B
    trmi_v3 u[3], w[3]; // axes that slides and dots use
    trmi_motion v_A, v_B;
} trmi_star_geometry;

// E^T x
static inline trmi_v3 trmi_star_along(const trmi_m3 *E, trmi_v3 x)
{
    return trmi_m3_tr_times(*E, x);
}

// rows E^T (arm x e) for the global axes e
static inline trmi_m3 trmi_star_levers(const trmi_m3 *E, trmi_v3 arm)
{
    const trmi_v3 *e = E->row;
    return (trmi_m3){{trmi_v3_axpy(trmi_v3_scale(arm.z, e[1]), -arm.y, e[2]),
                      trmi_v3_axpy(trmi_v3_scale(arm.x, e[2]), -arm.z, e[0]),
                      trmi_v3_axpy(trmi_v3_scale(arm.y, e[0]), -arm.x, e[1])}};
}

// Adds the blocks of a joint to (G^T lambda)_q; lambda: its multipliers.
void trmi_star_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                         const trmi_star_geometry *g, const trmi_kinematics *k,
                         const double *lambda, double *out);

#endif
