// SPDX-License-Identifier: Apache-2.0
// The values of a row: [q | v | a | x | z | lambda | outputs | poses | reactions | forces].
#ifndef TRMI_PROGRAM_RUN_VALUES_H
#define TRMI_PROGRAM_RUN_VALUES_H

#include "trammel/model.h"

// Numbers of a row.
int trmi_values_count(const trm_model *model);

// Kind of the value with that index; *index becomes that of the channel of the kind.
trm_channel_kind trmi_values_kind(const trm_model *model, int *index);

// Those of them that are computed from a state: outputs, poses, reactions, forces.
void trmi_values_computed(trm_instance *instance, const trm_state *state, double *value);

// The values at t, which lies in the last step, and the state they belong to.
trm_status trmi_values_at(const trm_model *model, trm_instance *instance,
                          trm_simulation *simulation, double t, double *value,
                          const trm_state **state);

#endif
