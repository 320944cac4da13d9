// SPDX-License-Identifier: Apache-2.0
// Workers of a study: threads that take the next run that has no row.
#ifndef TRMI_PROGRAM_STUDY_CREW_H
#define TRMI_PROGRAM_STUDY_CREW_H

#include "program/study/study_table.h"

// How far a study is.
typedef struct trmi_study_progress {
    int64_t runs, done, failed;
    int64_t found; // of those done, that were there before
} trmi_study_progress;

// Seconds between flushes of the table.
static const double TRMI_FLUSH_AFTER = 1;

typedef struct trmi_crew_request {
    const trmi_plan *plan;
    trmi_study_table *table;
    int workers;
    bool split; // other ranks have files of their own (study_parts.h)
    const trmi_stop *stop;
    // about ten times a second, in the thread that called
    void (*progress)(const trmi_study_progress *progress, void *user);
    void *user;
    // Writes the table in other forms while it grows; may be NULL. Called after flushes, so seldom
    // that it takes at most a twentieth of the time.
    void (*save)(void *user);
    void *save_user;
} trmi_crew_request;

// When `save` is called.
typedef struct trmi_crew_clock {
    double saved, took; // the end of the last time, and how long it was
} trmi_crew_clock;
// Calls it where it is time.
void trmi_crew_save(const trmi_crew_request *request, trmi_crew_clock *clock);

// Runs all that is left. TRM_OK also when it was stopped; otherwise what could not be written.
trm_status trmi_crew_work(const trmi_crew_request *request, trm_error *error);

#endif
