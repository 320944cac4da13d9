// SPDX-License-Identifier: Apache-2.0
// A study with its model: what a row has, and a run from its number to its row. Nothing here
// changes while workers use it, so they share it.
#ifndef TRMI_PROGRAM_STUDY_PLAN_H
#define TRMI_PROGRAM_STUDY_PLAN_H

#include "base/stop.h"
#include "program/files/text.h"
#include "program/run/resolve.h"
#include "program/study/study.h"

// What is recorded of a run.
typedef struct trmi_record_column {
    trmi_record_kind kind;
    int index;      // of the channel among all values of the model, event, or number of the summary
    bool counts;    // of an event: how often it fired, not when first
    int place;      // among the results of a run,
    int width;      // and how many of them: the times of a whole channel, otherwise 1
    bool qualified; // the name is that of several channels
    const char *group, *name, *unit;
} trmi_record_column;

typedef struct trmi_plan {
    trmi_memory memory;
    const trmi_study *study;
    const trm_model *model; // loaded to vary the parameters of the study
    bool *hidden;           // of the values of the model: a parameter of a rotation
    int columns;
    trmi_record_column *column;
    int results;   // of a run: all columns
    int times;     // of whole channels; 0: there are none
    double *time;  // from the start to the end of the model
    int resolveds; // maxima, minima and integrals
    trmi_resolved *resolved;
    bool balances;        // the energy balance is recorded
    uint64_t fingerprint; // of all that decides results, but for the values of the parameters
    uint64_t limits;      // of runs: exclusive or with the fingerprints of those that they ended
    trmi_text header;     // of the table, with the end of the line
} trmi_plan;

// Completes a plan with study and model; patterns that fit nothing are reported at their places in
// the study. False after errors; the plan must be released in any case.
bool trmi_plan_make(trmi_plan *plan, const trmi_study *study, const trm_model *model);
void trmi_plan_release(trmi_plan *plan);

// Of the model with these values of the parameters of the study.
uint64_t trmi_plan_fingerprint(const trmi_plan *plan, const double *value);

// Whether a model with other values of the parameters is still the one of the plan: the files that
// it names, which are read for every run, have not changed.
bool trmi_plan_fits(const trmi_plan *plan, const trm_model *model);

// The status of a run that a limit has ended.
#define TRMI_STATUS_LIMIT "limit"

// The end of a run.
typedef struct trmi_study_row {
    int64_t run;
    int code;       // exit code of the command for such a run; 130: interrupted, there is no line
    trmi_text line; // of the table, without the number of the run before it
} trmi_study_row;

// Simulates run number `run`. The line is cleared first and must be freed at the end.
void trmi_plan_simulate(const trmi_plan *plan, int64_t run, const trmi_stop *stop,
                        trmi_study_row *row);

// The row of a run whose worker was killed so many times, the last time by that signal (0: another
// reason).
void trmi_plan_give_up(const trmi_plan *plan, int64_t run, int times, int signal_number,
                       trmi_study_row *row);

// follow.c: what is recorded over the whole time of a run -----------------------------------------

typedef struct trmi_run trmi_run;

typedef struct trmi_follower_state {
    const trmi_plan *plan;
    double *result; // of the run
    double *value;  // of all channels of the model
    int next;       // the first time of whole channels that the run has not reached
    double began;   // processor time of the thread
    trmi_resolver resolver;
} trmi_follower_state;

// Begins with no value seen. The arrays are the caller's, trmi_follow_values doubles in `value` and
// resolver.work is NULL or behind trmi_values_count of them.
int trmi_follow_values(const trmi_plan *plan);
void trmi_follow_begin(trmi_follower_state *state);
// For trmi_run_observer; user is a trmi_follower_state.
bool trmi_follow_step(trmi_run *run, double from, double to, void *user);
void trmi_follow_event(const trmi_run *run, int event, double t, void *user);

#endif
