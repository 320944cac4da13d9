// SPDX-License-Identifier: Apache-2.0
// The end of the step is found a second time, by two steps of continuation along the constraints,
//
//     q <- q + h/2 v,  Newton's method onto g(t, q) = 0,  v from G v + g_t = 0,
//
// in which Newton's method must halve |g| from the first iteration on. Both ends are the same to
// the tolerance, or the step is too long.
#include "solver/integrator/branch.h"

#include "base/error.h"
#include "solver/integrator/control.h"
#include "solver/integrator/simulation.h"

#include <math.h>

static bool has_freedoms(const trm_simulation *s)
{
    return s->e.n_r < s->e.n_q || s->e.n_g == 0 || !s->rule->adapts;
}

static bool drifts(const trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    return s->method->watches_drift && s->rule->adapts && s->e.n_g > 0 &&
           policy->level != TRMI_LEVEL_POSITION && policy->after != TRMI_AFTER_PROJECTION;
}

trm_status trmi_branch_create(trm_simulation *s)
{
    return has_freedoms(s) && !drifts(s) ? TRM_OK : trmi_sampler_create(s);
}

// The point of the sampler onto g = 0; false: that fails.
static bool project(trm_simulation *s)
{
    trmi_manifold manifold = {
        .saddle = &s->sampler->saddle, .scratch = &s->scratch, .options = &s->options};
    trm_error error;
    trmi_error_clear(&error);
    return trmi_project_onto(&manifold, &s->sampler->point, &error) == TRM_OK;
}

bool trmi_drift_hides_branch(trm_simulation *s)
{
    if (!drifts(s) || !s->sampler || !trmi_near_singular(s))
        return false;
    trmi_point *p = &trmi_sampler_reset(s)->point;
    trmi_copy_point(&s->e, &s->now, p);
    if (!project(s))
        return true;
    double drift = 0, way = 0;
    for (int i = 0; i < s->e.n_q; i++) {
        drift = fmax(drift, s->weight[i] * fabs(p->q[i] - s->now.q[i]));
        way = fmax(way, s->weight[i] * fabs(s->control.h * s->now.v[i]));
    }
    return drift > way;
}

bool trmi_leaves_branch(trm_simulation *s, const trmi_step_trial *trial)
{
    if (has_freedoms(s) || !s->sampler) // none: the start of a run with constant steps
        return false;
    const trmi_point from = trmi_past_point(s, 0), *to = &s->corrector.point;
    trmi_point *p = &trmi_sampler_reset(s)->point;
    trmi_copy_point(&s->e, to, p); // states and multipliers
    for (int i = 0; i < s->e.n_q; i++) {
        p->q[i] = from.q[i];
        p->v[i] = from.v[i];
    }
    for (int half = 1; half <= 2; half++) {
        p->t = half == 2 ? trial->t : from.t + 0.5 * trial->h;
        for (int i = 0; i < s->e.n_q; i++)
            p->q[i] += 0.5 * trial->h * p->v[i];
        if (!project(s))
            return true;
    }
    double distance = 0;
    for (int i = 0; i < s->e.n_q; i++)
        distance = fmax(distance, s->weight[i] * fabs(p->q[i] - to->q[i]));
    return distance > 1;
}
