// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/choose.h"

#include "base/integrators.h"
#include "solver/integrator/step.h"

#include <math.h>

// part = factor rtol^power, within bounds. The error of a run over its tolerance (medians over the
// examples) is 0.2 with explicit at every tolerance, 3 to 60 with bdf, 0.1 to 5e-4 with radau:
//
//     bdf     each step adds a tolerance, and with order 5 there are rtol^(-1/6) steps
//     radau   what is tested is of order s = 3, the solution of order 2 s - 1: its local error is
//             that to the power 2 s / (s + 1) = 3/2, and a test at rtol^(2/3) keeps it at rtol;
//             no looser than 10, as one machine in ten has an error of the tolerance
static const struct {
    trm_integrator integrator;
    double factor, power, least, most;
} parts[] = {{TRM_INTEGRATOR_BDF, 0.15, 1.0 / 6, 0.01, 1},
             {TRM_INTEGRATOR_RADAU_ADAPTIVE, 0.05, -1.0 / 3, 1, 10}};

double trmi_tightening_in_auto(trm_integrator integrator, double rtol)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].integrator == integrator)
            return fmin(fmax(parts[i].factor * pow(rtol, parts[i].power), parts[i].least),
                        parts[i].most);
    return 1;
}

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
