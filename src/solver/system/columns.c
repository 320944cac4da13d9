// SPDX-License-Identifier: Apache-2.0
// Which columns are moved together when derivatives are formed by differences.
#include "base/quantities.h"
#include "solver/system/evaluator.h"

#include <string.h>

void trmi_values_regroup(trmi_values *b, const trmi_column_groups *groups, const int *group,
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
            for (int depth = 0; depth < 3 && !listed && pass == 0; depth++)
                b->value[k] = b->spare[depth][k] = 0;
        }
        for (int g = 1; g <= n && pass == 0; g++) // the end of each list; entries fill it downwards
            start[g] += start[g - 1];
    }
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
        trmi_values *b = &e->block[k];
        trm_quantity quantity = (trm_quantity)k;
        if (!b->value || b->pattern.count == 0 || trmi_has(e->supplied | e->absent, quantity))
            continue;
        int n = trmi_difference_columns(e, quantity), which = 0;
        while (which < 3 && lengths[which] != n)
            which++;
        good = TRMI_TAKE(memory, b->group_start, b->columns + 1) &&
               TRMI_TAKE(memory, b->group_entry, b->count);
        if (good)
            trmi_values_regroup(b, &e->each[which], e->each[which].column, NULL);
    }
    return good;
}
