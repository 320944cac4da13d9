// SPDX-License-Identifier: Apache-2.0
// The integrators. To add one: its trmi_method, an entry here, in TRM_INTEGRATOR_LIST and, where it
// restricts other options, in base/integrators.c.
#include "solver/integrator/method.h"

#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/auto/auto.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/classic/classic_methods.h"
#include "solver/integrator/explicit/adams.h"
#include "solver/integrator/explicit/explicit.h"
#include "solver/integrator/radau/radau.h"
#include "solver/integrator/simulation.h"

#include <assert.h>

static const trmi_method *const methods[][TRM_CHOICE_MAX(TRM_INTEGRATOR_LIST) + 1] = {
    [TRM_CONTROL_DEFAULT] =
        {
            [TRM_INTEGRATOR_AUTO] = &trmi_method_auto,
            [TRM_INTEGRATOR_BDF] = &trmi_method_bdf,
            [TRM_INTEGRATOR_ADAMS] = &trmi_method_adams,
            [TRM_INTEGRATOR_EXPLICIT] = &trmi_method_explicit,
            [TRM_INTEGRATOR_RADAU] = &trmi_method_radau,
            [TRM_INTEGRATOR_NEWMARK] = &trmi_method_newmark,
            [TRM_INTEGRATOR_HHT] = &trmi_method_hht,
            [TRM_INTEGRATOR_GENERALIZED_ALPHA] = &trmi_method_generalized_alpha,
            [TRM_INTEGRATOR_RADAU_ADAPTIVE] = &trmi_method_radau_adaptive,
        },
    [TRM_CONTROL_CLASSIC] =
        {
            [TRM_INTEGRATOR_BDF] = &trmi_classic_bdf,
            [TRM_INTEGRATOR_NEWMARK] = &trmi_classic_newmark,
            [TRM_INTEGRATOR_HHT] = &trmi_classic_hht,
            [TRM_INTEGRATOR_GENERALIZED_ALPHA] = &trmi_classic_generalized_alpha,
        },
};

const trmi_method *trmi_method_of(trm_integrator integrator, trm_control control)
{
    const trmi_method *method = methods[control][integrator];
    assert(method); // pairs without one are refused by base/integrators.c
    return method;
}

const trmi_split *trmi_step_split(const trm_simulation *s)
{
    return s->method->split ? s->method->split(s) : trmi_saddle_split(&s->saddle);
}

bool trmi_appears_stiff(const trm_simulation *s)
{
    return s->method->appears_stiff && s->method->appears_stiff(s);
}

bool trmi_is_stable_over(trm_simulation *s, double h)
{
    bool known = s->method->stable_step && s->points.place == TRMI_AT_NEWEST &&
                 s->control.started && trmi_steps_since_start(s) > 0;
    return !known || s->method->stable_step(s, h) >= h;
}
