// SPDX-License-Identifier: Apache-2.0
// Blocks of the star: where they apply, what they look up once, and their positions.
#include "multibody/row_star.h"

bool trmi_star_applies(const trmi_tree *tree, const trmi_constraint *joint)
{
    if (!tree->star || joint->sets != 1 || joint->set->own != TRMI_NOTHING)
        return false;
    for (int r = 0; r < joint->rows; r++) {
        trmi_row_shape shape = joint->set->row[r].type->shape;
        if ((shape != TRMI_ROW_SLIDE && shape != TRMI_ROW_DOTS) || joint->drive[r] != TRMI_NOTHING)
            return false;
    }
    return true;
}

void trmi_star_prepare_joint(const trmi_tree *tree, trmi_constraint *joint)
{
    const int body[2] = {joint->set->pair.A, joint->set->pair.B};
    for (int i = 0; i < 2; i++) {
        bool ground = body[i] == TRMI_GROUND;
        joint->column[i] = ground ? TRMI_NOTHING : tree->body[body[i]].first;
        joint->coordinate[i] = ground ? TRMI_NOTHING : tree->column[joint->column[i]].coordinate;
        if (!ground && tree->plane == TRMI_SPATIAL)
            joint->chart[i] = tree->column[joint->column[i] + 3].held / 4;
    }
    for (int r = 0; r < joint->rows; r++)
        for (int i = 0; i < joint->set->row[r].type->dots; i++)
            joint->uses_w |= 1u << joint->set->row[r].type->dot[i].w;
}

static void announce_gradient(trmi_constraints *c, int row, bool slide, int first)
{
    for (int k = slide ? 0 : 3; k < 6 && first != TRMI_NOTHING; k++)
        trmi_slots_add(&c->G, row, first + k);
}

// a 3 x 3 block; with `both`, the positions of its transpose follow, entry by entry
static void announce_block(trmi_constraints *c, int row, int column, bool both)
{
    for (int k = 0; k < 9; k++)
        trmi_slots_add(&c->K, row + k / 3, column + k % 3);
    for (int k = 0; k < 9 && both; k++)
        trmi_slots_add(&c->K, column + k % 3, row + k / 3);
}

void trmi_star_announce(trmi_constraints *c, const trmi_constraint *joint)
{
    int A = joint->coordinate[0], B = joint->coordinate[1];
    if (c->tree->plane != TRMI_SPATIAL) {
        trmi_plane_announce(c, joint);
        return;
    }
    for (int r = 0; r < joint->rows; r++) {
        bool slide = joint->set->row[r].type->shape == TRMI_ROW_SLIDE;
        announce_gradient(c, joint->number[r], slide, B);
        announce_gradient(c, joint->number[r], slide, A);
    }
    if (B != TRMI_NOTHING)
        announce_block(c, B + 3, B + 3, false);
    if (A != TRMI_NOTHING) {
        announce_block(c, A + 3, A + 3, false);
        announce_block(c, A + 3, A, true);
    }
    if (A != TRMI_NOTHING && B != TRMI_NOTHING) {
        announce_block(c, A + 3, B, true);
        announce_block(c, A + 3, B + 3, true);
    }
}
