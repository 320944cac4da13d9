// SPDX-License-Identifier: Apache-2.0
// The integrators. To add one: its functions, an entry here, and in TRM_INTEGRATOR_LIST.
#include "integrator/simulation.h"

// Two past points are enough for a start of order one.
static trm_status begin_bdf(trm_simulation *s, double t_end)
{
    trmi_start_control(s, t_end);
    trmi_start_history(s);
    return TRM_OK;
}

// In order of trm_integrator.
//
// BDF tests positions only. At a tenth of the tolerance that costs and means what a test of
// positions and velocities at the full tolerance does (measured on chain and Andrews).
static const trmi_method methods[] = {
    {.name = "bdf",
     .order_most = 5,
     .tightening = 0.1,
     .implicit = true,
     .glides = true,
     .create = trmi_fixed_create,
     .begin = begin_bdf,
     .start_fixed = trmi_fixed_start,
     .step = trmi_bdf_step,
     .dense = trmi_bdf_dense},
};

const trmi_method *trmi_method_of(trm_integrator integrator)
{
    return &methods[integrator];
}

trm_status trmi_check_method(trm_simulation *s)
{
    (void)s;
    return TRM_OK;
}
