// SPDX-License-Identifier: Apache-2.0
// The rows of a companion, in the order of those of the run: evaluated where the run has one, or
// ahead of it. A row has the same bits either way: its values are taken in the step that first
// reaches it, whenever that is.
#ifndef TRMI_PROGRAM_RUN_OWN_ROWS_H
#define TRMI_PROGRAM_RUN_OWN_ROWS_H

#include "program/run/follower.h"
#include "program/run/row_queue.h"

#include <stdint.h>

// Methods of a companion, in the order in which they are tried.
typedef enum trmi_rows_method {
    TRMI_ROWS_EXPLICIT, // of implicit runs, as long as stability allows steps from row to row
    TRMI_ROWS_ACCURATE, // that of trm_verify_companion
    TRMI_ROWS_OF_RUN
} trmi_rows_method;

typedef struct trmi_own_rows {
    const trm_model *model;
    const trm_options *options; // of the run
    const char *run_integrator;
    bool on_grid; // the rows of the run are those of the grid, from the first on
    trmi_rows_method method;
    trmi_follower follower;
    const char *integrator; // of the companion, "" before its start
    double rtol;
    // ---- the present row: [t | values | events] ----
    double *row;
    double *value;
    int64_t taken;  // rows before it, and it
    double reached; // time of the last one that was evaluated
    // ---- ahead of it ----
    trmi_row_queue ahead;
    bool over; // no further row can be evaluated now
} trmi_own_rows;

// Memory for rows of `width` values, where the members above the follower are set. False: none.
bool trmi_own_rows_init(trmi_own_rows *rows, int width);
void trmi_own_rows_free(trmi_own_rows *rows);

// How the companion is integrated.
trm_options trmi_own_rows_options(const trmi_own_rows *rows);
// The companion at its start, without rows ahead.
trm_status trmi_own_rows_begin(trmi_own_rows *rows);
// A companion, or one beside it (trmi_follower_begin): steps that rows contradict are repeated.
trm_status trmi_own_rows_follow(const trmi_own_rows *rows, trmi_follower *follower, int beside);

// The next method where the present one failed, or was left; false: there is no other.
bool trmi_own_rows_replace(trmi_own_rows *rows);

// The next row, which is at t. Statuses are those of trmi_follower_values; TRM_ERR_STEPS without an
// error of the follower: stability forbids steps from row to row, another method needs fewer.
trm_status trmi_own_rows_next(trmi_own_rows *rows, double t, trmi_patience *patience, void *user);
// The present row, at t, from the start on.
trm_status trmi_own_rows_again(trmi_own_rows *rows, double t, trmi_patience *patience, void *user);

// The events carried out before the present row.
long trmi_own_rows_events(const trmi_own_rows *rows);

// Whether the time of a row behind those ahead is known, and it may be evaluated.
bool trmi_own_rows_can_go_ahead(const trmi_own_rows *rows);
// Evaluates that row. The present one is lost.
void trmi_own_rows_go_ahead(trmi_own_rows *rows, trmi_patience *patience, void *user);

#endif
