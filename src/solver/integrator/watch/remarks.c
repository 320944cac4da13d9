// SPDX-License-Identifier: Apache-2.0
// What a system has to say about the motion it is in, after steps: each remark once.
#include "solver/integrator/simulation.h"

bool trmi_remarks_create(trm_simulation *s)
{
    return TRMI_TAKE(&s->memory, s->remarked, s->e.user.n_remarks);
}

void trmi_remark(trm_simulation *s)
{
    const trm_system *u = &s->e.user;
    if (u->n_remarks == 0 || !s->options.log)
        return;
    for (int i = 0; i < u->n_remarks; i++) {
        char text[200];
        if (s->remarked[i] || u->remark(&s->view, i, text, sizeof text, u->user) == 0)
            continue;
        s->remarked[i] = true;
        trmi_log(s, TRM_LOG_WARNING, "t = %.9g: %s", s->now.t, text);
    }
}
