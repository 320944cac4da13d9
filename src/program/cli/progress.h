// SPDX-License-Identifier: Apache-2.0
// The progress line of a run, on the standard error:
//     four-bar  42 %  t 4.20/10 s  left 0:07  h 3.1e-03  order 4  rejected 12  9.8e+04 steps/s
// A terminal gets as much of it as fits into one line, the end first left out, then the name cut.
#ifndef TRMI_PROGRAM_CLI_PROGRESS_H
#define TRMI_PROGRAM_CLI_PROGRESS_H

#include "trammel/options.h"

#include <stdbool.h>
#include <stddef.h>

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
    double interval;                                             // seconds between lines
    double clock[TRMI_PROGRESS_WINDOW], t[TRMI_PROGRESS_WINDOW]; // moving window
    long samples; // in the window, counted from the start
    bool open;    // there is an unfinished line on the terminal
} trmi_progress;

// mode by word: auto, always, never, json; NULL: auto. *interval: seconds between lines.
trmi_progress_mode trmi_progress_mode_of(const char *when, double *interval);
// "0:07", "1:02:03"; "?" when not known
void trmi_format_left(double seconds, char *text, size_t size);
// Characters of a line of the terminal; 80 where it does not report its size.
int trmi_terminal_width(void);

// mode by word, as above.
void trmi_progress_begin(trmi_progress *progress, const char *when, const char *name, double start);
// The parts of a line, as many of them as fit into `width` characters, in `line`.
void trmi_progress_format(const trmi_progress *progress, const trm_progress *now,
                          double steps_per_second, double seconds_left, int width, char *line,
                          size_t size);
// A trm_progress_function.
int trmi_progress_update(const trm_progress *now, void *progress);
// Ends the line; good = false when the run failed.
void trmi_progress_end(trmi_progress *progress, bool good);

#endif
