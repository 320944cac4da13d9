// SPDX-License-Identifier: Apache-2.0
// Constraint rows that follow from others: found, named, dropped; contradictions are errors.
#ifndef TRMI_SOLVER_FORMULATION_REDUNDANCY_H
#define TRMI_SOLVER_FORMULATION_REDUNDANCY_H

#include "solver/formulation/saddle.h"
#include "solver/linear/dependence.h"
#include "trammel/options.h"

// With the saddle created for all rows and M, G evaluated: if the factors show lost rank, finds the
// dependent rows by QR, drops them from the evaluator and creates the saddle again. What was
// evaluated must then be evaluated again.
trm_status trmi_drop_redundant_rows(trmi_saddle *s, trmi_memory *memory, const trm_options *options,
                                    bool geometric, const trmi_point *p, trm_start_report *report,
                                    trm_error *error);

// What rows that are dropped follow from, for messages and for multipliers; in the numbering as
// given.
void trmi_record_dependences(trmi_evaluator *e, const trmi_dependences *all);

// The dropped rows must hold where the others do: otherwise they contradict them, or they were
// redundant in a singular position only. Evaluates all rows at the point.
trm_status trmi_check_dropped_rows(trmi_values *values, const trmi_point *p, trm_error *error);

// Minimum-norm multipliers over all rows (full numbering) from those of the point, with the
// values of G at that point. Takes memory for a moment if rows are dropped.
void trmi_full_multipliers(const trmi_values *values, const trmi_memory *memory,
                           const trmi_point *p, double *full);

#endif
