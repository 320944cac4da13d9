// SPDX-License-Identifier: Apache-2.0
// The values of a row: [q | v | a | x | z | lambda | outputs | poses | reactions | forces].
#ifndef TRMI_PROGRAM_RUN_VALUES_H
#define TRMI_PROGRAM_RUN_VALUES_H

#include "base/texts.h"
#include "trammel/model.h"
#include "trammel/sensitivity.h"

#include <stdbool.h>

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

// A value that is not finite: "nan", "inf", "-inf".
const char *trmi_lost_text(double value);

// Their derivatives by a parameter, at a state that trmi_values_at has found. TRM_ERR_MEMORY, or
// the error of the simulation.
trm_status trmi_values_derivative(trm_instance *instance, trm_simulation *simulation,
                                  trm_neighbours *neighbours, int parameter, const trm_state *state,
                                  double *value);

// ---- by name (value_names.c) ----

// Which values are parameters of rotations. The caller frees the flags; NULL: no memory.
bool *trmi_values_parameters(const trm_model *model);

// The value of a channel, "speed" or "output/speed" as in result files; -1: there is none. Of a
// plain name that several kinds of channels have, the output, or else the first. The parameters of
// rotations, whose plain names formulas have for the rotation vector, are found as "position/NAME";
// hidden: trmi_values_parameters.
int trmi_values_find(const trm_model *model, const bool *hidden, const char *text);

// For a plain name of such a parameter that no other channel has: the override of the model that
// makes it an output, "outputs.NAME=NAME". NULL: it is none, or (failed memory of texts) no memory.
const char *trmi_values_override(const trm_model *model, const bool *hidden, const char *text,
                                 trmi_texts *texts);

#endif
