// SPDX-License-Identifier: Apache-2.0
// Which channels of a model are compared with a companion, and how.
#ifndef TRMI_PROGRAM_RUN_COMPARED_H
#define TRMI_PROGRAM_RUN_COMPARED_H

#include "trammel/model.h"
#include "trammel/verify.h"

#include <stdbool.h>

// A comparison of the values of trmi_values_at. NULL: no memory.
trm_verify *trmi_compared_create(const trm_model *model, const trm_simulation *simulation,
                                 const trm_options *options);

// Which of these values are compared.
void trmi_compared_which(const trm_model *model, const trm_simulation *simulation, bool *which);

#endif
