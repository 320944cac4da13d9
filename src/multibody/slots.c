// SPDX-License-Identifier: Apache-2.0
#include "multibody/slots.h"

#include <stdlib.h>

static bool grow(trmi_slots *e)
{
    int capacity = e->capacity ? 2 * e->capacity : 64;
    int *row = realloc(e->row, (size_t)capacity * sizeof *row);
    if (row)
        e->row = row;
    int *column = row ? realloc(e->column, (size_t)capacity * sizeof *column) : NULL;
    if (column)
        e->column = column;
    if (!column)
        return false;
    e->capacity = capacity;
    return true;
}

int trmi_slots_add(trmi_slots *e, int row, int column)
{
    if (e->failed || (e->added == e->capacity && !grow(e))) {
        e->failed = true;
        return 0;
    }
    e->row[e->added] = row;
    e->column[e->added] = column;
    return e->added++;
}

void trmi_slots_drop(trmi_slots *e)
{
    free(e->row);
    free(e->column);
    e->row = e->column = NULL;
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
        if (column >= 0 && seen[column] - 1 < begin)
            seen[column] = ++count; // kept one higher, 0 means never
        slot[k] = column >= 0 ? seen[column] - 1 : -1;
    }
    return count;
}

bool trmi_slots_finish(trmi_slots *e, trmi_memory *memory)
{
    int rows = largest(e->row, e->added) + 1, columns = largest(e->column, e->added) + 1;
    int *slot = NULL, *row = NULL, *column = NULL, count = 0;
    int *first = calloc((size_t)rows + 1, sizeof *first);
    int *seen = calloc((size_t)columns + 1, sizeof *seen);
    int *order = malloc(((size_t)e->added + 1) * sizeof *order);
    bool ok = !e->failed && first && seen && order && TRMI_TAKE(memory, slot, e->added);
    if (ok) {
        for (int k = 0; k < e->added; k++)
            slot[k] = -1;
        sort_by_row(e, rows, first, order);
        int sorted = rows ? first[rows - 1] : 0;
        count = number_slots(e, order, sorted, seen, slot);
        ok = TRMI_TAKE(memory, row, count) && TRMI_TAKE(memory, column, count);
    }
    for (int k = 0; ok && k < e->added; k++)
        if (slot[k] >= 0) {
            row[slot[k]] = e->row[k];
            column[slot[k]] = e->column[k];
        }
    free(first);
    free(seen);
    free(order);
    trmi_slots_drop(e);
    e->slot = slot;
    e->pattern = (trm_pattern){count ? count : TRM_PATTERN_ZERO, row, column};
    return ok;
}
