// SPDX-License-Identifier: Apache-2.0
// What helps a run whose steps are constant, and one whose steps follow from its tolerance.
#include "solver/verify/verify.h"

static const trmi_verify_steps adaptive = {.limit = "step.max",
                                           .shorter = "tighten the tolerance or limit step.max"};
static const trmi_verify_steps constant = {
    .limit = "step.fixed",
    .shorter = "or shorten step.fixed",
    .cause = "the steps are too long",
    .advice = "shorten the steps (step.fixed), or leave their length to a tolerance"};

const trmi_verify_steps *trmi_verify_steps_of(const trm_options *options)
{
    return options->h_fixed > 0 ? &constant : &adaptive;
}
