// SPDX-License-Identifier: Apache-2.0
// Numbers of the summary of a run that are the same whenever it is done (times and memory are not).
#ifndef TRMI_PROGRAM_RUN_SUMMARY_FIELDS_H
#define TRMI_PROGRAM_RUN_SUMMARY_FIELDS_H

#include "program/run/run.h"

typedef enum trmi_summary_kind {
    TRMI_SUMMARY_COUNTER, // of the statistics: a whole number
    TRMI_SUMMARY_EXTREME, // of the statistics
    TRMI_SUMMARY_EVENTS,
    TRMI_SUMMARY_ENERGY,
    TRMI_SUMMARY_BALANCE // of runs with request.energy
} trmi_summary_kind;

// How many fields there are. They are numbered in the order of the summary.
int trmi_summary_fields(void);
// The key of a field.
const char *trmi_summary_name(int index);
// Its kind: how it is printed, and which runs have it.
trmi_summary_kind trmi_summary_kind_of(int index);
// Its value at the end of a run.
double trmi_summary_value(const trmi_run *run, int index);

#endif
