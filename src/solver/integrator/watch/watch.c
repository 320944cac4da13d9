// SPDX-License-Identifier: Apache-2.0
// What is observed of a run: memory, checkpoints, and the warnings of the system about its motion,
// each once.
#include "solver/integrator/watch/watch.h"

#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"

#include <math.h>

bool trmi_watch_create(trm_simulation *s)
{
    s->watch.shortest_step = HUGE_VAL;
    return TRMI_TAKE(&s->memory, s->watch.warned, s->e.user.n_warnings) && trmi_energy_create(s);
}

void trmi_watch_archive(trmi_watch *w, trmi_archive *a)
{
    double *numbers[] = {&w->motion_energy, &w->rest_energy, &w->estimate_energy_sum,
                         &w->shortest_step, &w->noise_v,     &w->max_v};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        trmi_archive_doubles(a, numbers[i], 1);
    trmi_archive_bool(a, &w->near_singular);
    trmi_archive_bool(a, &w->velocity_inaccurate);
    trmi_archive_bool(a, &w->velocity_warned);
    trmi_archive_long(a, &w->estimate_samples, 0);
    trmi_energy_archive(&w->energy, a);
}

void trmi_warnings_update(trm_simulation *s)
{
    const trm_system *u = &s->e.user;
    if (u->n_warnings == 0 || !s->options.log)
        return;
    for (int i = 0; i < u->n_warnings; i++) {
        char text[200];
        if (s->watch.warned[i] || u->warning(&s->view, i, text, sizeof text, u->user) == 0)
            continue;
        s->watch.warned[i] = true;
        trmi_log(s, TRM_LOG_WARNING, "t = %.9g: %s", s->now.t, text);
    }
}
