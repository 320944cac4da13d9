// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/choose.h"

#include "base/integrators.h"
#include "solver/integrator/step.h"

const char *trmi_reason_for_bdf(const trm_options *o)
{
    if (!trmi_integrator_admits(TRM_INTEGRATOR_RADAU_ADAPTIVE, o) || o->max_order > 0)
        return "other settings ask for it";
    if (!trmi_step_rule_of(o)->adapts)
        return "the step is constant";
    return NULL;
}

const char *trmi_choose_for_sensitivities(trm_options *o, int n_a)
{
    const char *reason = trmi_reason_for_bdf(o);
    o->integrator = reason || n_a > 0 ? TRM_INTEGRATOR_BDF : TRM_INTEGRATOR_RADAU_ADAPTIVE;
    return reason    ? reason
           : n_a > 0 ? "it has sensitivities of rolling joints"
                     : "it has sensitivities";
}
