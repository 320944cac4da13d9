// SPDX-License-Identifier: Apache-2.0
// The point where a trial began. A trial that fails has often come to steps whose velocities are
// differences of positions that agree to all digits but the last: the run goes on from where it
// began, by a step that ends beyond everything that was shown already.
#include "solver/integrator/auto/auto.h"

#include <string.h>

bool trmi_auto_create_point(trm_simulation *s, trmi_auto *a)
{
    trmi_trial_point *kept = &a->kept;
    return trmi_point_create(&kept->point, &s->memory, &s->e) &&
           TRMI_TAKE(&s->memory, kept->lambda, s->e.n_r_full + 1) &&
           TRMI_TAKE(&s->memory, kept->held, s->e.user.n_held + 1) &&
           TRMI_TAKE(&s->memory, kept->closed, s->e.user.n_switches + 1);
}

void trmi_auto_keep_point(const trm_simulation *s, trmi_auto *a)
{
    trmi_trial_point *kept = &a->kept;
    const trmi_evaluator *e = &s->e;
    trmi_copy_point(e, &s->now, &kept->point);
    memcpy(kept->point.a, s->now.a, (size_t)e->n_q * sizeof *s->now.a);
    trmi_expand_rows(e, s->now.lambda, kept->lambda);
    memcpy(kept->held, e->held, (size_t)e->user.n_held * sizeof *e->held);
    for (int i = 0; i < s->switches.count; i++)
        kept->closed[i] = s->switches.closed[i];
    kept->steps_before = s->points.steps_before;
    kept->exists = true;
}

// Nothing that jumps lies between: no restart, no gap that closed or opened.
static bool is_smooth_since(const trm_simulation *s, const trmi_trial_point *kept)
{
    bool smooth = kept->exists && kept->steps_before == s->points.steps_before;
    for (int i = 0; i < s->switches.count && smooth; i++)
        smooth = kept->closed[i] == s->switches.closed[i];
    return smooth;
}

bool trmi_auto_go_back(trm_simulation *s, trmi_auto *a)
{
    trmi_trial_point *kept = &a->kept;
    trmi_point *p = &s->corrector.point;
    const trmi_evaluator *e = &s->e;
    if (!is_smooth_since(s, kept))
        return false;
    trmi_copy_point(e, &kept->point, p);
    memcpy(p->a, kept->point.a, (size_t)e->n_q * sizeof *p->a);
    trmi_select_rows(e, kept->lambda, p->lambda); // others may be left out by now
    memcpy(s->e.held, kept->held, (size_t)e->user.n_held * sizeof *kept->held);
    trmi_take_point(s, kept->point.t);
    trmi_values_forget_inputs(&s->values);
    return true;
}

void trmi_auto_archive_point(trm_simulation *s, trmi_auto *a, trmi_archive *archive)
{
    trmi_trial_point *kept = &a->kept;
    const trmi_evaluator *e = &s->e;
    trmi_archive_bool(archive, &kept->exists);
    if (!kept->exists)
        return;
    trmi_point_archive(&kept->point, e, archive);
    trmi_archive_doubles(archive, kept->point.a, e->n_q);
    trmi_archive_doubles(archive, kept->lambda, e->n_r_full);
    trmi_archive_doubles(archive, kept->held, e->user.n_held);
    for (int i = 0; i < s->switches.count; i++)
        trmi_archive_bool(archive, &kept->closed[i]);
    trmi_archive_long(archive, &kept->steps_before);
}
