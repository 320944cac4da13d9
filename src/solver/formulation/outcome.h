// SPDX-License-Identifier: Apache-2.0
// The result of an evaluation, of a projection or of an attempt at a step.
#ifndef TRMI_SOLVER_FORMULATION_OUTCOME_H
#define TRMI_SOLVER_FORMULATION_OUTCOME_H

#include "solver/system/evaluator.h"

typedef enum trmi_outcome {
    TRMI_OUTCOME_OK,
    TRMI_OUTCOME_DIVERGED,       // contraction too slow or too many iterations
    TRMI_OUTCOME_SINGULAR,       // matrix singular
    TRMI_OUTCOME_RETRY,          // a callback asked for a smaller step
    TRMI_OUTCOME_STOP,           // a callback asked to stop
    TRMI_OUTCOME_NOT_FINITE,     // a callback returned a value that is not finite
    TRMI_OUTCOME_OFF_CONSTRAINTS // the point found could not be projected
} trmi_outcome;

// Of what an evaluation returned.
static inline trmi_outcome trmi_callback_result(int result)
{
    return result == 0 ? TRMI_OUTCOME_OK : result > 0 ? TRMI_OUTCOME_RETRY : TRMI_OUTCOME_STOP;
}

// Of a projection or start that reports a status.
static inline trmi_outcome trmi_outcome_of(const trmi_evaluator *e, trm_status status)
{
    if (status == TRM_OK)
        return TRMI_OUTCOME_OK;
    if (status == TRM_ERR_CALLBACK)
        return e->returned == 0 ? TRMI_OUTCOME_NOT_FINITE : trmi_callback_result(e->returned);
    return status == TRM_ERR_SINGULAR ? TRMI_OUTCOME_SINGULAR : TRMI_OUTCOME_OFF_CONSTRAINTS;
}

#endif
