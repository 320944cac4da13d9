// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/slots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool grow_array(int **array, int capacity)
{
    int *more = realloc(*array, (size_t)capacity * sizeof *more);
    if (more)
        *array = more;
    return more != NULL;
}

static bool grow(trmi_slots *e)
{
    int capacity = e->capacity ? 2 * e->capacity : 64;
    if (!grow_array(&e->row, capacity) || !grow_array(&e->column, capacity) ||
        !grow_array(&e->length, capacity))
        return false;
    e->capacity = capacity;
    return true;
}

int trmi_slots_add_run(trmi_slots *e, int row, int column, int length)
{
    if (e->failed || (e->added == e->capacity && !grow(e))) {
        e->failed = true;
        return 0;
    }
    e->row[e->added] = row;
    e->column[e->added] = column;
    e->length[e->added] = length;
    return e->added++;
}

int trmi_slots_add(trmi_slots *e, int row, int column)
{
    return trmi_slots_add_run(e, row, column, 1);
}

void trmi_slots_drop(trmi_slots *e)
{
    free(e->row);
    free(e->column);
    free(e->length);
    e->row = e->column = e->length = NULL;
}

static int largest(const int *x, int n)
{
    int most = -1;
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

// order: numbers of the entries, sorted by row, in the order of their announcement within a row
static void sort_by_row(const trmi_slots *e, int rows, int *first, int *order)
{
    for (int k = 0; k < e->added; k++)
        if (e->row[k] >= 0)
            first[e->row[k] + 1]++;
    for (int i = 0; i < rows; i++)
        first[i + 1] += first[i];
    for (int k = 0; k < e->added; k++)
        if (e->row[k] >= 0)
            order[first[e->row[k]]++] = k;
}

// seen[column] is the slot of that column in the present row, if it is at least `begin`
static int number_slots(const trmi_slots *e, const int *order, int sorted, int *seen, int *slot)
{
    int count = 0, begin = 0, row = -1;
    for (int i = 0; i < sorted; i++) {
        int k = order[i], column = e->column[k];
        if (e->row[k] != row) {
            row = e->row[k];
            begin = count;
        }
        slot[k] = -1;
        for (int j = column; column >= 0 && j < column + e->length[k]; j++) {
            if (seen[j] - 1 < begin)
                seen[j] = ++count; // kept one higher, 0 means never
            assert(seen[j] - seen[column] == j - column);
            slot[k] = seen[column] - 1;
        }
    }
    return count;
}

// whether every position is the one announced
static bool in_order(const int *slot, int added, int count)
{
    for (int k = 0; k < added; k++)
        if (slot[k] != k)
            return false;
    return added == count;
}

// slots into `memory`, unless they are their own numbers
static bool keep_slots(trmi_slots *e, trmi_memory *memory, const int *slot, int count)
{
    int *kept;
    if (in_order(slot, e->added, count))
        return true;
    if (!TRMI_TAKE(memory, kept, e->added))
        return false;
    memcpy(kept, slot, (size_t)e->added * sizeof *kept);
    e->slot = kept;
    return true;
}

static bool keep_pattern(trmi_slots *e, trmi_memory *memory, const int *slot, int count)
{
    int *row = malloc(((size_t)count + 1) * sizeof *row);
    int *column = malloc(((size_t)count + 1) * sizeof *column);
    bool good = row && column;
    for (int k = 0; k < e->added && good; k++)
        for (int j = 0; slot[k] >= 0 && j < e->length[k]; j++) {
            row[slot[k] + j] = e->row[k];
            column[slot[k] + j] = e->column[k] + j;
        }
    good = good && (count == 0 || trmi_pattern_pack(&e->pattern, memory, count, row, column));
    free(row);
    free(column);
    return good;
}

bool trmi_slots_finish(trmi_slots *e, trmi_memory *memory)
{
    int rows = largest(e->row, e->added) + 1;
    int columns = largest(e->column, e->added) + largest(e->length, e->added) + 1;
    int *first = calloc((size_t)rows + 1, sizeof *first);
    int *seen = calloc((size_t)columns + 1, sizeof *seen);
    int *order = malloc(((size_t)e->added + 1) * sizeof *order);
    int *slot = malloc(((size_t)e->added + 1) * sizeof *slot);
    bool ok = !e->failed && first && seen && order && slot;
    e->pattern = (trm_pattern){.count = TRM_PATTERN_ZERO};
    if (ok) {
        for (int k = 0; k < e->added; k++)
            slot[k] = -1;
        sort_by_row(e, rows, first, order);
        int count = number_slots(e, order, rows ? first[rows - 1] : 0, seen, slot);
        ok = keep_slots(e, memory, slot, count) && keep_pattern(e, memory, slot, count);
    }
    free(first);
    free(seen);
    free(order);
    free(slot);
    trmi_slots_drop(e);
    return ok;
}
