// SPDX-License-Identifier: Apache-2.0
#include "solver/system/check_pattern.h"

#include "solver/system/groups.h"

#include <math.h>
#include <string.h>

double trmi_check_size(const trmi_comparison *c)
{
    double size = fmax(1e-3, c->noise / TRMI_UNSEEN);
    for (int k = 0; k < c->count; k++)
        size = fmax(size, fmax(fabs(c->supplied[k]), fabs(c->difference[k])));
    return size;
}

void trmi_check_spread(const trmi_comparison *c, const trmi_values *values, trm_quantity quantity,
                       double *entries)
{
    const trmi_matrix b = trmi_matrix_of(values, (int)quantity);
    memset(entries, 0, (size_t)c->count * sizeof *entries);
    for (int k = 0; k < b.count && b.value && (c->pattern || b.pattern.count == 0); k++)
        entries[k] = b.value[k];
    if (c->pattern)
        return;
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.pattern.count && b.value;
         trmi_pattern_next(&at))
        entries[at.row + c->rows * at.column] += b.value[at.k];
}

bool trmi_check_group(trmi_evaluator *bare, trm_quantity quantity, trmi_memory *memory)
{
    trmi_quantity *b = &bare->block[quantity];
    trmi_groups g;
    trmi_column_groups *groups;
    int *start, *column;
    if (!trmi_groups_create(&g, memory, b->rows, b->columns, b->count) ||
        !TRMI_TAKE(memory, groups, 1) || !TRMI_TAKE(memory, start, b->columns + 2) ||
        !TRMI_TAKE(memory, column, b->columns))
        return false;
    trmi_groups_form(&g, b->count, b->pattern.row, b->pattern.column);
    for (int j = 0; j < b->columns; j++)
        if (g.group[j] >= 0)
            start[g.group[j] + 2]++;
    for (int k = 2; k <= g.count; k++)
        start[k] += start[k - 1];
    for (int j = 0; j < b->columns; j++)
        if (g.group[j] >= 0)
            column[start[g.group[j] + 1]++] = j;
    *groups = (trmi_column_groups){g.count, start, column};
    trmi_quantity_regroup(b, groups, g.group, NULL);
    return true;
}

double trmi_check_outside(trmi_evaluator *bare, const trmi_point *p, trm_quantity quantity,
                          trmi_values *differences, trmi_memory *memory, const trmi_comparison *c)
{
    trmi_quantity *b = &bare->block[quantity];
    trmi_column_groups *all;
    int *start, *column, *group;
    double *scale, *change;
    if (!TRMI_TAKE(memory, all, 1) || !TRMI_TAKE(memory, start, 2) ||
        !TRMI_TAKE(memory, column, c->columns) || !TRMI_TAKE(memory, group, c->columns) ||
        !TRMI_TAKE(memory, scale, c->columns) || !TRMI_TAKE(memory, change, c->rows))
        return HUGE_VAL;
    const double *usual = trmi_difference_scales(bare, quantity);
    for (int j = 0; j < c->columns; j++) {
        double direction = sin(1.0 + 2.0 * j); // some number between -1 and 1
        column[j] = j;
        scale[j] = (usual ? usual[j] : 1) * (direction < 0 ? direction - 0.5 : direction + 0.5);
    }
    start[1] = c->columns;
    *all = (trmi_column_groups){1, start, column};
    trmi_quantity_regroup(b, all, group, NULL);
    bare->user.q_scale = bare->user.v_scale = bare->user.x_scale = bare->user.z_scale = scale;
    if (trmi_difference(bare, p, TRM_BIT_OF(quantity), true, differences, differences->of) != 0)
        return HUGE_VAL;
    const trmi_difference_work *w = &bare->work[0];
    int first = trmi_difference_first_row(bare, quantity);
    double worst = 0, width = 0;
    for (int i = 0; i < c->rows; i++)
        change[i] = w->plus[first + i] - w->minus[first + i];
    for (trmi_cursor at = trmi_pattern_begin(c->pattern); at.k < c->count; trmi_pattern_next(&at)) {
        change[at.row] -= c->difference[at.k] * w->width[at.column];
        width = fmax(width, fabs(w->width[at.column]));
    }
    for (int i = 0; i < c->rows; i++)
        worst = fmax(worst, isnan(change[i]) ? HUGE_VAL : fabs(change[i]));
    return worst > 0 ? worst / (width * trmi_check_size(c)) : 0;
}
