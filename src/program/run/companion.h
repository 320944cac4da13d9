// SPDX-License-Identifier: Apache-2.0
// The companion of a run (trammel/verify.h) in a thread of its own: it compares the rows of the run
// with its own values at the same times. Where it is faster it goes ahead of the run, as far as the
// times of rows are known, and keeps its values. What it finds does not depend on which of the two
// is ahead. Model and rows are all that they share; the comparison belongs to the thread until the
// end.
#ifndef TRMI_PROGRAM_RUN_COMPANION_H
#define TRMI_PROGRAM_RUN_COMPANION_H

#include "base/stop.h"
#include "trammel/model.h"
#include "trammel/verify.h"

#include <stdbool.h>

// Whether a run has a companion.
typedef enum trmi_verify_mode {
    TRMI_VERIFY_NEVER,
    TRMI_VERIFY_SHORT, // for as long as the companion is short, and no slower than the run
    TRMI_VERIFY_ALWAYS
} trmi_verify_mode;

// Of processor time, after which a companion that was not requested gives up.
#define TRMI_VERIFY_SECONDS 5.0

typedef enum trmi_companion_ending {
    TRMI_COMPANION_COMPLETE, // every row was compared
    TRMI_COMPANION_LONG,     // gave up after TRMI_VERIFY_SECONDS
    TRMI_COMPANION_SLOW,     // gave up some time after the end of the run
    TRMI_COMPANION_FAILED,   // error has the reason
    TRMI_COMPANION_STOPPED   // with the run, or by an event that the run has not met
} trmi_companion_ending;

typedef struct trmi_companion trmi_companion;

typedef struct trmi_companion_request {
    const trm_model *model;
    const trm_options *options;       // of the run
    const trm_simulation *simulation; // of the run, at its start; read at the beginning only
    trmi_verify_mode mode;
    bool resumed;          // the run, which then is shorter than its companion
    const trmi_stop *stop; // != 0: ends; may be NULL
} trmi_companion_request;

// Starts it, in the thread of the run. NULL: no memory or no thread.
trmi_companion *trmi_companion_start(const trmi_companion_request *request);

// A row of the run, copied. Waits where the companion is far behind.
void trmi_companion_row(trmi_companion *companion, double t, const double *value);

// How many rows it is ahead of the run, where it can go no further before it has the next row of
// the run; -1 while it works.
int trmi_companion_ahead(trmi_companion *companion);

// No more rows come, in the thread of the run: waits until it has compared all of them or has given
// up, or ends at once.
void trmi_companion_end(trmi_companion *companion, bool at_once);

// What became of it, after the end.
typedef struct trmi_companion_result {
    const trm_verify *verify;     // of the run with it
    const trm_verify *neighbours; // of it with one that began beside it; NULL: not needed
    trmi_companion_ending ending;
    const char *integrator; // "" when there was none
    double rtol;
    double seconds;     // of processor time
    double run_seconds; // of the run meanwhile
    long events;        // until the last row
    trm_error error;
    bool dead_end; // it failed because its steps find no way beyond error.t, by either method
} trmi_companion_result;

const trmi_companion_result *trmi_companion_result_of(const trmi_companion *companion);

// Ends it at once where it still runs. NULL is allowed.
void trmi_companion_destroy(trmi_companion *companion);

#endif
