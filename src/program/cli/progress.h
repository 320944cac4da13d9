// SPDX-License-Identifier: Apache-2.0
// The progress line of a run, on the standard error:
//     four-bar  42 %  t 4.20/10 s  h 3.1e-3  order 4  rejected 12  9.8e4 steps/s  left 0:07
#ifndef TRMI_PROGRAM_CLI_PROGRESS_H
#define TRMI_PROGRAM_CLI_PROGRESS_H

#include "trammel/options.h"

#include <stdbool.h>

typedef enum trmi_progress_mode {
    TRMI_PROGRESS_NEVER,
    TRMI_PROGRESS_LINE,  // one line that changes, for terminals
    TRMI_PROGRESS_LINES, // a line every ten seconds, for logs
    TRMI_PROGRESS_JSON   // an object per line, for programs
} trmi_progress_mode;

enum { TRMI_PROGRESS_WINDOW = 50 };

typedef struct trmi_progress {
    trmi_progress_mode mode;
    const char *name;
    double start; // simulated time at which the run began
    double shown; // clock at the last line
    long steps_shown;
    long calls;
    double interval;                                             // seconds between lines
    double clock[TRMI_PROGRESS_WINDOW], t[TRMI_PROGRESS_WINDOW]; // moving window
    long samples; // in the window, counted from the start
    bool open;    // there is an unfinished line on the terminal
} trmi_progress;

// mode by word: auto, always, never, json; false for another word.
bool trmi_progress_begin(trmi_progress *progress, const char *when, const char *name, double start);
// A trm_progress_function.
int trmi_progress_update(const trm_progress *now, void *progress);
// Ends the line; good = false when the run failed.
void trmi_progress_end(trmi_progress *progress, bool good);

#endif
