// SPDX-License-Identifier: Apache-2.0
// Neighbours of a model, and derivatives of what its instances compute.
#ifndef TRMI_MODELLING_READER_NEIGHBOURS_H
#define TRMI_MODELLING_READER_NEIGHBOURS_H

#include "trammel/sensitivity.h"

#include <stdbool.h>

// Numbers that an instance computes at a state.
typedef void trmi_values_function(trm_instance *instance, const trm_state *state, double *values);

// The derivatives of these `count` numbers by a parameter, along the sensitivities of the state:
// differences between the neighbours at the state, and of the instance beside it. False: no memory.
bool trmi_neighbours_derive(trm_neighbours *neighbours, int parameter, trm_instance *instance,
                            const trm_state *state, const trm_state *along,
                            trmi_values_function *function, int count, double *values);

#endif
