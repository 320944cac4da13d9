// SPDX-License-Identifier: Apache-2.0
// Signs of stiffness in the steps of explicit methods.
#include "solver/integrator/simulation.h"

#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/log.h"
#include "solver/integrator/weights.h"

#include <math.h>

// stiff after this many steps with signs of it, no longer after this many without
enum { STIFF_SIGNS = 15, CALM_STEPS = 6 };

double trmi_ode_stiffness(const trm_simulation *s, double h, const double *q, const double *v,
                          const double *rate)
{
    int n = s->e.n_q, m = trmi_ode_of(s)->size;
    const double *weight_v = s->weight + n;
    double distance = trmi_weighted_square(q, s->weight, n) + trmi_weighted_square(v, weight_v, m);
    double change = trmi_weighted_square(v, s->weight, n) + trmi_weighted_square(rate, weight_v, m);
    return distance > 0 ? h * sqrt(change / distance) : 0;
}

void trmi_ode_watch_stiffness(trm_simulation *s, bool sign)
{
    trmi_ode *ode = trmi_ode_of(s);
    if (!sign) {
        if (++ode->calm_steps >= CALM_STEPS)
            ode->stiff_signs = ode->calm_steps = 0;
        return;
    }
    ode->calm_steps = 0;
    if (ode->stiff_signs < STIFF_SIGNS)
        ode->stiff_signs++;
    if (ode->stiff_signs < STIFF_SIGNS || ode->stiff)
        return;
    ode->stiff = true;
    trmi_log(s, TRM_LOG_WARNING,
             "t = %.9g: the system appears to be stiff, stability limits the steps (h = %.3g) of "
             "integrator %s; an implicit one (radau-adaptive, bdf) takes longer ones unless the "
             "accuracy needs steps as short",
             s->now.t, s->statistics.h_last, s->method->name);
}

bool trmi_ode_appears_stiff(const trm_simulation *s)
{
    return trmi_ode_of(s)->stiff;
}
