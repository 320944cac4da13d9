// SPDX-License-Identifier: Apache-2.0
// Neighbours of a model, and derivatives of what its instances compute.
#ifndef TRMI_MODELLING_READER_NEIGHBOURS_H
#define TRMI_MODELLING_READER_NEIGHBOURS_H

#include "base/memory.h"
#include "trammel/sensitivity.h"

#include <stdbool.h>

// A model with another value of a parameter.
typedef struct trmi_side {
    trm_model *model;
    trm_instance *instance;
} trmi_side;

struct trm_neighbours {
    trmi_memory memory;
    const trm_model *model;
    int count;
    trm_parameter *parameter;
    trmi_side *above, *below;
    trmi_side *derivative;  // of the equations; empty where there is none
    double *u;              // 3 n_u
    double *held;           // n_held
    double *part;           // a state beside another
    double *along, *before; // at an event: sensitivities and rates of the state before it
    double *delay;          // derivative of its time by each parameter
    double *value[2];
    int values; // numbers in each of them
};

// Numbers of a state: q, v, a, x, z, lambda.
static inline int trmi_state_size(const trm_system *y)
{
    return 3 * y->n_q + y->n_x + y->n_z + y->n_g + y->n_a;
}

// ---- neighbours_derive.c ----

// Numbers that an instance computes at a state.
typedef void trmi_values_function(trm_instance *instance, const trm_state *state, double *values);

// The derivatives of these `count` numbers by a parameter, along the sensitivities of the state:
// differences between the neighbours at the state, and of the instance beside it. False: no memory.
bool trmi_neighbours_derive(trm_neighbours *neighbours, int parameter, trm_instance *instance,
                            const trm_state *state, const trm_state *along,
                            trmi_values_function *function, int count, double *values);

#endif
