// SPDX-License-Identifier: Apache-2.0
// What a system has to say about the motion it is in, after steps: each warning once.
#include "solver/integrator/watch/warnings.h"

#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"

bool trmi_warnings_create(trm_simulation *s)
{
    return TRMI_TAKE(&s->memory, s->warned, s->e.user.n_warnings);
}

void trmi_warnings_update(trm_simulation *s)
{
    const trm_system *u = &s->e.user;
    if (u->n_warnings == 0 || !s->options.log)
        return;
    for (int i = 0; i < u->n_warnings; i++) {
        char text[200];
        if (s->warned[i] || u->warning(&s->view, i, text, sizeof text, u->user) == 0)
            continue;
        s->warned[i] = true;
        trmi_log(s, TRM_LOG_WARNING, "t = %.9g: %s", s->now.t, text);
    }
}
