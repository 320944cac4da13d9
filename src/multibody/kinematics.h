// SPDX-License-Identifier: Apache-2.0
// The forward pass over the columns of a tree: places, velocities, accelerations.
#ifndef TRMI_KINEMATICS_H
#define TRMI_KINEMATICS_H

#include "multibody/tree.h"

bool trmi_kinematics_create(trmi_kinematics *k, trmi_memory *memory, const trmi_tree *tree);

// Places and velocities: everything but a, column_a and sddot. Keeps q and v of the state.
void trmi_kinematics_move(trmi_kinematics *k, const trm_state *state);

// Accelerations a and column_a for the q'' given (NULL: 0) and the u'' of the state; with
// `second` sddot too, which the star does without. After `move` at the same state.
void trmi_kinematics_accelerate(trmi_kinematics *k, const trm_state *state, const double *a,
                                bool second);

// X_ij(f) = f . ds_i/dq_j inside the chart whose first column is given, f at O.
trmi_m3 trmi_kinematics_chart_matrix(const trmi_kinematics *k, int chart, trmi_wrench f);

// The same for the star, where every column but those of the charts is constant (star.c).
void trmi_star_prepare(trmi_kinematics *k);
void trmi_star_move(trmi_kinematics *k, const trm_state *state);
// Plane: angles alone, which is all that the blocks of row_plane.c need.
void trmi_star_turn(trmi_kinematics *k, const trm_state *state);
void trmi_star_accelerate(trmi_kinematics *k, const double *a);

// R turned by an angle about an axis given in its axes: R (1 + sin [e] + (1 - cos) [e]^2)
trmi_m3 trmi_turn_about(trmi_m3 R, trmi_v3 axis, double angle);

// three coordinates from the first on
static inline trmi_v3 trmi_three(const double *x, int first)
{
    return (trmi_v3){x[first], x[first + 1], x[first + 2]};
}

// W of the chart that a column belongs to
static inline trmi_m3 *trmi_chart_axes(const trmi_kinematics *k, int column)
{
    return &k->chart_axes[k->tree->column[column].held / 4];
}

// the held centre of a chart
static inline trmi_quaternion trmi_center(const double *held, int first)
{
    return (trmi_quaternion){held[first], trmi_three(held, first + 1)};
}

#endif
