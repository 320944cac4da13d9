// SPDX-License-Identifier: Apache-2.0
// Row sets: markers, rows and columns.
#include "modelling/multibody/rows/row_set.h"

trmi_pair trmi_pair_at(const trmi_mechanism *mechanism, const int body[2], trmi_v3 at,
                       trmi_v3 at_second, trmi_m3 frame, trmi_m3 frame_second, double size)
{
    return (trmi_pair){.A = body[0],
                       .B = body[1],
                       .a = trmi_v3_sub(at, mechanism->body[body[0]].center),
                       .b = trmi_v3_sub(at_second, mechanism->body[body[1]].center),
                       .Q_A = frame,
                       .Q_B = frame_second,
                       .size = size,
                       .joint = TRMI_NOTHING};
}

// Components of one rotation vector share what is held of it.
void trmi_set_add(trmi_row_set *set, const trmi_row_type *type, int *n_held)
{
    trmi_row row = {type, TRMI_NOTHING};
    for (int r = 0; r < set->rows; r++)
        if (type->hold && set->row[r].type->hold == type->hold)
            row.held = set->row[r].held;
    if (type->held > 0 && row.held == TRMI_NOTHING) {
        row.held = *n_held;
        *n_held += type->held;
    }
    set->row[set->rows++] = row;
    set->shape = type->shape > set->shape ? type->shape : set->shape;
    set->absolute = set->absolute || type->absolute;
}

// The columns on the ways to i and j from where they meet. Parents have smaller numbers, so the
// larger of two is never on the way to the other.
static int common_column(const trmi_tree *tree, int i, int j, int *on_i, int *on_j)
{
    *on_i = *on_j = 0;
    while (i != j) {
        if (i > j) {
            i = trmi_column_of(tree, i).parent;
            ++*on_i;
        } else {
            j = trmi_column_of(tree, j).parent;
            ++*on_j;
        }
    }
    return i;
}

// writes the branch from below `stop` to `column`, which has `count` columns
static void list_branch(const trmi_tree *tree, int column, int stop, int count, int *list)
{
    for (; column != stop; column = trmi_column_of(tree, column).parent)
        list[--count] = column;
}

static int count_to_ground(const trmi_tree *tree, int column)
{
    int count = 0;
    for (; column != TRMI_NOTHING; column = trmi_column_of(tree, column).parent)
        count++;
    return count;
}

// Columns that both branches have in common cancel, but for absolute rates: these have them twice.
bool trmi_set_finish(trmi_row_set *set, trmi_memory *memory, const trmi_tree *tree)
{
    int a = tree->body[set->pair.A].column, b = tree->body[set->pair.B].column;
    int on_a, *list, stop = common_column(tree, a, b, &on_a, &set->columns_b);
    if (set->absolute) {
        stop = TRMI_NOTHING;
        on_a = count_to_ground(tree, a);
        set->columns_b = count_to_ground(tree, b);
    }
    set->own = TRMI_NOTHING;
    set->columns = set->columns_b + on_a;
    if (!TRMI_TAKE(memory, list, set->columns))
        return false;
    list_branch(tree, b, stop, set->columns_b, list);
    list_branch(tree, a, stop, on_a, list + set->columns_b);
    set->column = list;
    return true;
}

bool trmi_set_drop_driven(trmi_row_set *set, trmi_memory *memory, const trmi_tree *tree)
{
    int *list, kept = 0, kept_b = 0;
    if (tree->n_u == 0 || set->own != TRMI_NOTHING || set->formula_row)
        return true;
    if (!TRMI_TAKE(memory, list, set->columns))
        return false;
    for (int j = 0; j < set->columns; j++) {
        if (trmi_column_of(tree, set->column[j]).coordinate == TRMI_NOTHING)
            continue;
        list[kept++] = set->column[j];
        kept_b += j < set->columns_b;
    }
    set->column = list;
    set->columns = kept;
    set->columns_b = kept_b;
    return true;
}

trmi_row_set trmi_set_of_joint(const trmi_mechanism *mechanism, const trmi_joint *joint,
                               const trmi_row_type *const *rows, int *n_held)
{
    trmi_marker second = trmi_second_marker(joint);
    trmi_row_set set = {.pair =
                            trmi_pair_at(mechanism, joint->body, joint->at, second.at,
                                         *joint->frame, second.frame, trmi_extra_of(joint).size),
                        .own = TRMI_NOTHING};
    set.pair.data = trmi_extra_of(joint).data;
    set.pair.joint = (int)(joint - mechanism->joint);
    for (int r = 0; r < TRMI_MAX_ROWS && rows[r]; r++)
        trmi_set_add(&set, rows[r], n_held);
    return set;
}

// the column that has this measure as its coordinate; those of charts are not measures
static int column_of_measure(const trmi_tree *tree, int joint, int measure)
{
    for (int j = 0; tree->in_tree[joint] && j < tree->columns; j++)
        if (trmi_column_of(tree, j).joint == joint && trmi_column_of(tree, j).measure == measure &&
            trmi_column_of(tree, j).kind != TRMI_COLUMN_CHART)
            return j;
    return TRMI_NOTHING;
}

bool trmi_set_of_measure(trmi_row_set *set, trmi_memory *memory, const trmi_mechanism *mechanism,
                         const trmi_tree *tree, int joint, int measure, int *n_held)
{
    const trmi_joint *j = &mechanism->joint[joint];
    const trmi_row_type *rows[] = {
        trmi_measure_row(trmi_measure_of(j->type, mechanism->plane, measure)), NULL};
    int own = column_of_measure(tree, joint, measure), unused = 0, *list;
    *set = trmi_set_of_joint(mechanism, j, rows, own == TRMI_NOTHING ? n_held : &unused);
    if (own == TRMI_NOTHING)
        return trmi_set_finish(set, memory, tree);
    set->own = own;
    set->row[0].held = TRMI_NOTHING;
    set->columns = set->columns_b = 1;
    if (!TRMI_TAKE(memory, list, 1))
        return false;
    list[0] = own;
    set->column = list;
    return true;
}

bool trmi_row_workspace_create(trmi_row_workspace *workspace, trmi_memory *memory, int columns)
{
    return TRMI_TAKE(memory, workspace->s, columns) &&
           TRMI_TAKE(memory, workspace->turned, 6 * columns) &&
           TRMI_TAKE(memory, workspace->moved, 6 * columns) &&
           TRMI_TAKE(memory, workspace->block, columns * columns);
}
