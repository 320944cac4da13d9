// SPDX-License-Identifier: Apache-2.0
// Which joints have closed blocks in the star, in which axes their points are held, and where the
// blocks in space stand.
#include "multibody/measure.h"
#include "multibody/row_star.h"

static bool blocks_apply(const trmi_constraint *joint)
{
    if (joint->sets != 1 || joint->set->own != TRMI_NOTHING)
        return false;
    for (int r = 0; r < joint->rows; r++) {
        trmi_row_shape shape = joint->set->row[r].type->shape;
        if ((shape != TRMI_ROW_SLIDE && shape != TRMI_ROW_DOTS) || joint->drive[r] != TRMI_NOTHING)
            return false;
    }
    return true;
}

// component i of a vector
static double component(trmi_v3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static trmi_v2 flatten(trmi_v3 a, const int axis[3])
{
    return (trmi_v2){component(a, axis[0]), component(a, axis[1])};
}

static int first_coordinate(const trmi_tree *tree, int body)
{
    return body == TRMI_GROUND ? TRMI_NOTHING : tree->column[tree->body[body].first].coordinate;
}

static bool make_flat(trmi_constraint *joint, trmi_memory *memory, const trmi_tree *tree)
{
    const trmi_pair *pair = &joint->set->pair;
    trmi_flat_pair *flat;
    int axis[3];
    if (!TRMI_TAKE(memory, flat, 1))
        return false;
    trmi_plane_axes(tree->plane, axis);
    flat->A = pair->A;
    flat->B = pair->B;
    flat->first_A = first_coordinate(tree, pair->A);
    flat->first_B = first_coordinate(tree, pair->B);
    flat->a = flatten(pair->a, axis);
    flat->b = flatten(pair->b, axis);
    for (int i = 0; i < 3; i++) {
        flat->u[i] = flatten(trmi_m3_column(pair->Q_A, i), axis);
        flat->w[i] = flatten(trmi_m3_column(pair->Q_B, i), axis);
    }
    joint->flat = flat;
    return true;
}

// All slides of a point hold it in any axes. Fixed ones do not couple the bodies in (G^T lambda)_q.
// Friction asks for the multipliers in the axes of the joint.
bool trmi_star_prepare_joint(trmi_constraint *joint, trmi_memory *memory,
                             const trmi_mechanism *mechanism, const trmi_tree *tree)
{
    bool plane = tree->plane != TRMI_SPATIAL;
    int slides = 0;
    if (!tree->star || !blocks_apply(joint))
        return true;
    joint->star = true;
    for (int r = 0; r < joint->rows; r++) {
        const trmi_row_type *type = joint->set->row[r].type;
        slides += type->shape == TRMI_ROW_SLIDE;
        for (int i = 0; i < type->dots; i++) {
            joint->axes_A |= 1u << type->dot[i].u;
            joint->axes_B |= 1u << type->dot[i].w;
        }
    }
    joint->fixed_axes = slides == (plane ? 2 : 3) && !mechanism->joint[joint->joint].friction;
    for (int r = 0; r < joint->rows && !joint->fixed_axes; r++)
        if (joint->set->row[r].type->shape == TRMI_ROW_SLIDE)
            joint->axes_A |= 1u << joint->set->row[r].type->axis;
    return !plane || make_flat(joint, memory, tree);
}

// ---- patterns --------------------------------------------------------------------------------

static void announce_gradient(trmi_constraints *c, const trmi_constraint *joint, int r, int first)
{
    const trmi_row_type *type = joint->set->row[r].type;
    bool slide = type->shape == TRMI_ROW_SLIDE;
    for (int k = 0; k < 6 && first != TRMI_NOTHING; k++)
        if (k >= 3 || (slide && (!joint->fixed_axes || k == type->axis)))
            trmi_slots_add(&c->G, joint->number[r], first + k);
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
    const trmi_pair *pair = &joint->set->pair;
    int A = first_coordinate(c->tree, pair->A), B = first_coordinate(c->tree, pair->B);
    for (int r = 0; r < joint->rows; r++) {
        announce_gradient(c, joint, r, B);
        announce_gradient(c, joint, r, A);
    }
    if (B != TRMI_NOTHING)
        announce_block(c, B + 3, B + 3, false);
    if (A == TRMI_NOTHING)
        return;
    announce_block(c, A + 3, A + 3, false);
    if (!joint->fixed_axes)
        announce_block(c, A + 3, A, true);
    if (B != TRMI_NOTHING && !joint->fixed_axes)
        announce_block(c, A + 3, B, true);
    if (B != TRMI_NOTHING && (!joint->fixed_axes || joint->axes_B))
        announce_block(c, A + 3, B + 3, true);
}

// ---- multipliers -----------------------------------------------------------------------------

void trmi_star_turn_multipliers(const trmi_constraint *joint, const trmi_kinematics *k,
                                double *lambda)
{
    static const trmi_v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const trmi_pair *pair = &joint->set->pair;
    trmi_v3 f = {0, 0, 0};
    int axis[3] = {0, 1, 2};
    if (!joint->fixed_axes)
        return;
    if (joint->flat)
        trmi_plane_axes(k->tree->plane, axis);
    for (int r = 0; r < joint->rows; r++)
        if (joint->set->row[r].type->shape == TRMI_ROW_SLIDE)
            f = trmi_v3_axpy(f, lambda[r], unit[axis[joint->set->row[r].type->axis]]);
    f = trmi_m3_tr_times(k->pose[pair->A].R, f); // in the axes of A
    for (int r = 0; r < joint->rows; r++)
        if (joint->set->row[r].type->shape == TRMI_ROW_SLIDE)
            lambda[r] = trmi_v3_dot(f, trmi_m3_column(pair->Q_A, joint->set->row[r].type->axis));
}
