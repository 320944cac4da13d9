// SPDX-License-Identifier: Apache-2.0
// Which joints have closed blocks in the star, in which axes their points are held, and where the
// blocks in space are stored.
#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/multibody/star/row_star.h"
#include "modelling/multibody/star/star.h"

bool trmi_star_closes(const trmi_joint *joint, trmi_plane plane)
{
    const trmi_row_type *const *type = trmi_joint_rows(joint->type, plane);
    int r = 0;
    if (joint->observed)
        return false;
    for (; r < TRMI_MAX_ROWS && type[r]; r++)
        if (type[r]->shape != TRMI_ROW_SLIDE && type[r]->shape != TRMI_ROW_DOTS)
            return false;
    for (int i = 0; i < trmi_measure_count(joint->type, plane); i++)
        if (trmi_drive_of(joint, i) != TRMI_NOTHING)
            return false;
    return r > 0;
}

trmi_v3 trmi_star_flatten(trmi_v3 a, trmi_plane plane)
{
    int axis[3];
    if (plane == TRMI_SPATIAL)
        return a;
    trmi_plane_axes(plane, axis);
    return (trmi_v3){trmi_component(a, axis[0]), trmi_component(a, axis[1]), 0};
}

// the axes that dots and turning slides use
static void find_axes(trmi_constraint *c)
{
    for (int r = 0; r < c->rows; r++) {
        const trmi_row_type *type = c->type[r];
        for (int i = 0; i < type->dots; i++) {
            c->axes_A = (unsigned char)(c->axes_A | 1 << type->dot[i].u);
            c->axes_B = (unsigned char)(c->axes_B | 1 << type->dot[i].w);
        }
        if (type->shape == TRMI_ROW_SLIDE && !c->fixed_axes)
            c->axes_A = (unsigned char)(c->axes_A | 1 << type->axis);
    }
}

// All slides of a point hold it in any axes, and come before other rows. Fixed ones do not couple
// the bodies in (G^T lambda)_q. Friction asks for the multipliers in the axes of the joint.
void trmi_star_close(trmi_constraint *c, const trmi_mechanism *mechanism, const trmi_tree *tree)
{
    const trmi_joint *joint = &mechanism->joint[c->joint];
    int slides = 0;
    c->type = trmi_joint_rows(joint->type, tree->plane);
    for (c->rows = 0; c->rows < TRMI_MAX_ROWS && c->type[c->rows]; c->rows++)
        slides += c->type[c->rows]->shape == TRMI_ROW_SLIDE && c->type[c->rows]->axis == c->rows;
    c->fixed_axes =
        slides == (tree->plane != TRMI_SPATIAL ? 2 : 3) && !trmi_extra_of(joint).friction;
    c->A = joint->body[0];
    c->B = joint->body[1];
    c->a = trmi_star_flatten(trmi_v3_sub(joint->at, mechanism->body[c->A].center), tree->plane);
    c->b = trmi_star_flatten(
        trmi_v3_sub(trmi_second_marker(joint).at, mechanism->body[c->B].center), tree->plane);
    find_axes(c);
}

// ---- patterns --------------------------------------------------------------------------------

static void announce_gradient(trmi_constraints *c, const trmi_constraint *joint, int r, int first)
{
    const trmi_row_type *type = joint->type[r];
    bool slide = type->shape == TRMI_ROW_SLIDE;
    for (int k = 0; k < 6 && first >= 0; k++)
        if (k >= 3 || (slide && (!joint->fixed_axes || k == type->axis)))
            trmi_slots_add(&c->G, joint->first + r, first + k);
}

// the rows of a 3 x 3 block, and with `both` those of its transpose
static void announce_block(trmi_constraints *c, int row, int column, bool both)
{
    for (int i = 0; i < 3; i++)
        trmi_slots_add_run(&c->K, row + i, column, 3);
    if (both)
        announce_block(c, column, row, false);
}

void trmi_star_announce(trmi_constraints *c, const trmi_constraint *joint)
{
    int A = trmi_star_coordinate(c->tree, joint->A), B = trmi_star_coordinate(c->tree, joint->B);
    for (int r = 0; r < joint->rows; r++) {
        announce_gradient(c, joint, r, B);
        announce_gradient(c, joint, r, A);
    }
    if (B >= 0)
        announce_block(c, B + 3, B + 3, false);
    if (A < 0)
        return;
    announce_block(c, A + 3, A + 3, false);
    if (!joint->fixed_axes)
        announce_block(c, A + 3, A, true);
    if (B >= 0 && !joint->fixed_axes)
        announce_block(c, A + 3, B, true);
    if (B >= 0 && (!joint->fixed_axes || joint->axes_B))
        announce_block(c, A + 3, B + 3, true);
}

// ---- multipliers -----------------------------------------------------------------------------

void trmi_star_turn_multipliers(const trmi_constraint *joint, const trmi_pair *pair,
                                const trmi_kinematics *k, double *lambda)
{
    static const trmi_v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool plane = k->tree->plane != TRMI_SPATIAL;
    trmi_v3 f = {0, 0, 0};
    int axis[3] = {0, 1, 2};
    if (!joint->fixed_axes)
        return;
    if (plane)
        trmi_plane_axes(k->tree->plane, axis);
    for (int r = 0; r < (plane ? 2 : 3); r++)
        f = trmi_v3_axpy(f, lambda[r], unit[axis[r]]);
    f = trmi_m3_tr_times(trmi_pose_of(k, pair->A).R, f); // in the axes of A
    for (int r = 0; r < (plane ? 2 : 3); r++)
        lambda[r] = trmi_v3_dot(f, trmi_m3_column(pair->Q_A, r));
}
