// SPDX-License-Identifier: Apache-2.0
// The forward pass over the columns of a tree: places, velocities, accelerations.
#ifndef TRMI_MODELLING_MULTIBODY_KINEMATICS_H
#define TRMI_MODELLING_MULTIBODY_KINEMATICS_H

#include "modelling/multibody/tree.h"

// columns: with s and sdot, v and a, and all places, which the closed blocks of the star
// (row_star.h) do without: they read the bodies placed last, and others rarely.
bool trmi_kinematics_create(trmi_kinematics *k, trmi_memory *memory, const trmi_tree *tree,
                            bool columns);

// Places and velocities: everything but a, column_a and sddot. Keeps q and v of the state.
void trmi_kinematics_move(trmi_kinematics *k, const trm_state *state);

// Accelerations a and column_a for the q'' given (NULL: 0) and the u'' of the state; with
// `second` sddot too, which the star does without. After `move` at the same state.
void trmi_kinematics_accelerate(trmi_kinematics *k, const trm_state *state, const double *a,
                                bool second);

// X_ij(f) = f . ds_i/dq_j inside the chart whose first column is given, f at O.
trmi_m3 trmi_kinematics_chart_matrix(const trmi_kinematics *k, int chart, trmi_wrench f);

// R turned by an angle about an axis given in its axes: R (1 + sin [e] + (1 - cos) [e]^2)
trmi_m3 trmi_turn_about(trmi_m3 R, trmi_v3 axis, double angle);
// How far a body is turned about the normal of the plane by its own columns; full turns count.
double trmi_own_turn_of(const trmi_tree *tree, const trm_state *state, int body, trmi_v3 normal);
// The same by the columns of all bodies before it, too.
double trmi_plane_turn_of(const trmi_tree *tree, const trm_state *state, int body);

// three coordinates from the first on
static inline trmi_v3 trmi_three(const double *x, int first)
{
    return (trmi_v3){x[first], x[first + 1], x[first + 2]};
}

static inline void trmi_put_three(double *x, int first, trmi_v3 v)
{
    x[first] = v.x;
    x[first + 1] = v.y;
    x[first + 2] = v.z;
}

// A body of the star in space where the state has it; the ground has no E.
void trmi_star_find(const trmi_kinematics *k, int body, trmi_star_body *found);

// The pose of one of a plane star.
trmi_pose trmi_star_plane_pose(const trmi_kinematics *k, int body);

// A body in space: the stored one, or else computed in `scratch`.
static inline const trmi_star_body *trmi_placed(const trmi_kinematics *k, int body,
                                                trmi_star_body *scratch)
{
    const trmi_star_body *kept = &k->placed[body & k->mask];
    if (kept->body == body)
        return kept;
    trmi_star_find(k, body, scratch);
    return scratch;
}

// Where a body is.
static inline trmi_pose trmi_pose_of(const trmi_kinematics *k, int body)
{
    trmi_star_body scratch;
    if (k->pose)
        return k->pose[body];
    return k->placed ? trmi_placed(k, body, &scratch)->pose : trmi_star_plane_pose(k, body);
}

// O of the tree of a body, its centre of mass against it, its inertia about that in world axes. In
// the star O is the centre of mass.
static inline trmi_v3 trmi_origin_of(const trmi_kinematics *k, int body)
{
    int root = k->tree->body[body].root;
    if (root == TRMI_NOTHING)
        return (trmi_v3){0, 0, 0};
    return k->tree->star ? trmi_pose_of(k, body).r : k->origin[root];
}

static inline trmi_v3 trmi_arm_of(const trmi_kinematics *k, int body)
{
    if (!k->tree->star)
        return k->c[body];
    return body == TRMI_GROUND ? trmi_pose_of(k, body).r : (trmi_v3){0, 0, 0};
}

static inline trmi_s3 trmi_turned_inertia(const trmi_kinematics *k, int body)
{
    return k->tree->star ? trmi_s3_turned(trmi_pose_of(k, body).R, k->tree->described[body].inertia)
                         : k->J[body];
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
