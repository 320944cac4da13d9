// SPDX-License-Identifier: Apache-2.0
// Rows of numbers that wait for another, the oldest first. Locks are the business of the caller.
#ifndef TRMI_PROGRAM_RUN_ROW_QUEUE_H
#define TRMI_PROGRAM_RUN_ROW_QUEUE_H

#include <stdbool.h>

typedef struct trmi_row_queue {
    double *row;
    int width; // of a row
    int first, count, capacity;
} trmi_row_queue;

// A row behind the last, to be filled before the next call; NULL: no memory.
double *trmi_row_queue_add(trmi_row_queue *queue);

// Takes the oldest row, of which there is one.
void trmi_row_queue_take(trmi_row_queue *queue, double *row);

// Whether one more row would be more than may wait. An empty queue never is full.
bool trmi_row_queue_full(const trmi_row_queue *queue);

void trmi_row_queue_clear(trmi_row_queue *queue);
void trmi_row_queue_free(trmi_row_queue *queue);

#endif
