// SPDX-License-Identifier: Apache-2.0
// What is wrong or doubtful about a model that could be assembled, as diagnostics.
#ifndef TRMI_PROGRAM_CLI_COMPLAINTS_H
#define TRMI_PROGRAM_CLI_COMPLAINTS_H

#include "trammel/model.h"

// Redundant rows by name, at their place in the file, with the row they follow from most.
void trmi_report_redundant(const trm_model *model, const trm_simulation *simulation,
                           trm_diagnostic_function *report, void *user);

// A mechanism that nothing drives and that cannot move was hardly meant.
void trmi_report_locked(const trm_model *model, const trm_start_report *start,
                        trm_diagnostic_function *report, void *user);

#endif
