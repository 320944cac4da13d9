// SPDX-License-Identifier: Apache-2.0
#include "program/run/row_queue.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

// bytes of rows that may wait
static const size_t MAX_WAITING = (size_t)64 << 20;

static size_t row_size(const trmi_row_queue *q)
{
    return (size_t)q->width * sizeof *q->row;
}

static double *row_at(const trmi_row_queue *q, int index)
{
    return q->row + (size_t)index * (size_t)q->width;
}

double *trmi_row_queue_add(trmi_row_queue *q)
{
    // no more rows are moved than were taken since
    if (q->row && q->first + q->count == q->capacity && q->first >= q->count) {
        memmove(q->row, row_at(q, q->first), (size_t)q->count * row_size(q));
        q->first = 0;
    }
    double *grown = trmi_grow(q->row, &q->capacity, q->first + q->count + 1, row_size(q));
    if (!grown)
        return NULL;
    q->row = grown;
    return row_at(q, q->first + q->count++);
}

void trmi_row_queue_take(trmi_row_queue *q, double *row)
{
    memcpy(row, row_at(q, q->first), row_size(q));
    q->first++;
    q->count--;
}

bool trmi_row_queue_full(const trmi_row_queue *q)
{
    return q->count > 0 && (size_t)(q->count + 1) * row_size(q) > MAX_WAITING;
}

void trmi_row_queue_clear(trmi_row_queue *q)
{
    q->first = q->count = 0;
}

void trmi_row_queue_free(trmi_row_queue *q)
{
    free(q->row);
    *q = (trmi_row_queue){.width = q->width};
}
