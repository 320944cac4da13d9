// SPDX-License-Identifier: Apache-2.0
// A simulation of a model with its events that goes where it is asked to, for comparisons.
#ifndef TRMI_PROGRAM_RUN_FOLLOWER_H
#define TRMI_PROGRAM_RUN_FOLLOWER_H

#include "trammel/model.h"

#include <stdbool.h>

typedef struct trmi_follower {
    const trm_model *model;
    trm_instance *instance;
    trm_simulation *simulation;
    double span; // the distance of the times asked for: what contradicts a step there has it
                 // repeated; 0: nothing does
    bool fired;  // an event at the present state, carried out before the next step
    bool ended;  // by an event
    long events; // carried out
    trm_error error;
} trmi_follower;

// A simulation of its own at the start of the model (beside 0), or a little beside it, to one side
// or the other (1, -1). Anything before is given back, `span` is 0.
trm_status trmi_follower_begin(trmi_follower *follower, const trm_model *model,
                               const trm_options *options, int beside);

// Whether to go on; asked before every step.
typedef bool trmi_patience(void *user);

// Steps until t lies in the last step, and its values there. TRM_STOP_USER: patience was at its
// end, and another call goes on; TRM_STOP_EVENT: an event ended the simulation before. After these
// and after a failure every call returns the same.
trm_status trmi_follower_values(trmi_follower *follower, double t, trmi_patience *patience,
                                void *user, double *value);

void trmi_follower_end(trmi_follower *follower);

#endif
