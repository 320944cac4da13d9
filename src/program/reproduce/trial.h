// SPDX-License-Identifier: Apache-2.0
// One run of a model with given settings, and its summary as a tree of items.
#ifndef TRMI_PROGRAM_REPRODUCE_TRIAL_H
#define TRMI_PROGRAM_REPRODUCE_TRIAL_H

#include "base/stop.h"
#include "program/reproduce/experiment.h"
#include "program/run/console.h"
#include "solver/system/newton_pattern.h"

// What all runs of the command share.
typedef struct trmi_reproduce_context {
    const trmi_console *console;
    const trmi_stop *stop; // != 0: end after the present step
    bool progress;         // a line on the standard error shows the run
} trmi_reproduce_context;

typedef struct trmi_trial {
    trmi_memory memory;
    const trmi_item *summary; // as trammel run --summary writes it
    bool finished;
    char failure[400]; // why not, one line
} trmi_trial;

enum { TRMI_TRIAL_SETTINGS = 3 * TRMI_EXPERIMENT_SETTINGS + TRMI_EXPERIMENT_VARIATIONS + 2 };

// Assignments of a run in the order of their weight, ended by NULL.
typedef struct trmi_assignments {
    const char *text[TRMI_TRIAL_SETTINGS];
    int count;
} trmi_assignments;

void trmi_assignments_add(trmi_assignments *list, const trmi_settings *settings);

// Runs a model; hdf5: path of a result file, NULL: none. Returns an exit code: other than
// TRMI_EXIT_DONE when the model is invalid, memory is short, the file cannot be written or somebody
// asked to stop, all of which has been reported. A run that ends early is not an error here, see
// `finished`. The trial is to be released in any case.
int trmi_trial_run(trmi_trial *trial, const trmi_reproduce_context *context, const char *model,
                   const trmi_assignments *set, const char *hdf5);
void trmi_trial_release(trmi_trial *trial);

// The Newton matrix of a model at its start, by structure and by what constraints depend on.
typedef struct trmi_trial_matrices {
    trmi_newton_pattern declared, dependent;
} trmi_trial_matrices;

// Both of a model. Returns an exit code as above. What
// it points to lives as long as memory.
int trmi_trial_matrix(trmi_trial_matrices *out, trmi_memory *memory,
                      const trmi_reproduce_context *context, const char *model,
                      const trmi_assignments *set);

#endif
