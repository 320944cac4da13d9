// SPDX-License-Identifier: Apache-2.0
// Which columns are moved together when derivatives are formed by differences.
#include "base/quantities.h"
#include "solver/system/difference.h"

#include <string.h>

void trmi_quantity_regroup(trmi_quantity *b, const trmi_column_groups *groups, const int *group,
                           const unsigned char *included)
{
    int *start = b->group_start, n = groups->count;
    b->groups = groups;
    memset(start, 0, (size_t)(b->columns + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = b->count - 1; k >= 0; k--) {
            int column = b->pattern.column[k], g = column < b->columns ? group[column] : -1;
            bool listed = g >= 0 && g < n && (!included || included[k]);
            if (listed && pass == 0)
                start[g]++;
            else if (listed)
                b->group_entry[--start[g]] = k;
        }
        for (int g = 1; g <= n && pass == 0; g++) // the end of each list; entries fill it downwards
            start[g] += start[g - 1];
    }
}

const trmi_column_groups *trmi_single_columns(const trmi_evaluator *e, trm_quantity quantity)
{
    int n = trmi_difference_columns(e, quantity), which = 0;
    while (which < 3 && e->each[which].count != n)
        which++;
    return &e->each[which];
}

// every column its own group: those of a variable with n entries
static bool create_single(trmi_column_groups *groups, trmi_memory *memory, int n)
{
    int *identity;
    if (!TRMI_TAKE(memory, identity, n + 1))
        return false;
    for (int j = 0; j <= n; j++)
        identity[j] = j;
    *groups = (trmi_column_groups){n, identity, identity};
    return true;
}

bool trmi_evaluator_create_columns(trmi_evaluator *e, trmi_memory *memory)
{
    const int lengths[] = {e->n_q, e->n_x, e->n_z, e->n_r};
    bool good = true;
    for (int k = 0; k < 4 && good; k++)
        good = create_single(&e->each[k], memory, lengths[k]);
    for (int k = 0; k < TRM_QUANTITY_COUNT && good; k++) {
        trmi_quantity *b = &e->block[k];
        trm_quantity quantity = (trm_quantity)k;
        if (b->pattern.count == 0 || !trmi_has(e->prepared & ~(e->supplied | e->absent), quantity))
            continue;
        const trmi_column_groups *single = trmi_single_columns(e, quantity);
        good = TRMI_TAKE(memory, b->group_start, b->columns + 1) &&
               TRMI_TAKE(memory, b->group_entry, b->count);
        if (good)
            trmi_quantity_regroup(b, single, single->column, NULL);
    }
    return good;
}
