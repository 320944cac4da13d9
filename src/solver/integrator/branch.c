// SPDX-License-Identifier: Apache-2.0
// The end of the step is found a second time, by two steps of continuation along the constraints,
//
//     q <- q + h/2 v,  Newton's method onto g(t, q) = 0,  v from G v + g_t = 0,
//
// in which Newton's method must halve |g| from the first iteration on. Both ends are the same to
// the tolerance, or the step is too long.
//
// Positions that drift keep g = eps, not 0. Where two branches of g = 0 cross, x y = 0 in the
// coordinates along them, these are the hyperbolas x y = eps, which turn from one branch into the
// other. On the way along x the drift is y = eps/x, and the nearest velocity on the constraints
// differs by the part kappa = eps/x^2: the crossing is drift/kappa ahead. A step from where kappa
// is large that ends before the crossing follows the hyperbola, a longer one comes across. So close
// to the crossing that velocities on the constraints are roundoff, one shorter than the drift does.
#include "solver/integrator/branch.h"

#include "base/error.h"
#include "solver/integrator/control.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// kappa from which a short step follows the hyperbola. It is 1 at the vertex, and a quarter twice
// as far from the crossing, before the turn.
static const double TURNED = 0.25;

static bool has_freedoms(const trm_simulation *s)
{
    return s->e.n_r < s->e.n_q || s->e.n_g == 0 || !s->rule->adapts;
}

static bool drifts(const trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    return s->rule->adapts && s->e.n_g > 0 && policy->level != TRMI_LEVEL_POSITION &&
           policy->after != TRMI_AFTER_PROJECTION;
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

// How far the positions are from the constraints, with the factors of the last matrix; HUGE_VAL:
// that does not show.
static double estimate_drift(trm_simulation *s)
{
    trmi_values *values = s->sampler->saddle.values;
    if (s->e.constraint_uses_z || trmi_evaluate(&s->e, &s->now, TRM_BIT(CONSTRAINT), values) != 0)
        return HUGE_VAL;
    double *d = trmi_scratch_take(&s->scratch, s->saddle.n);
    trmi_manifold_direction(&s->manifold, trmi_position_level(values), s->e.n_g, d);
    double drift = trmi_weighted_max(d, s->weight, s->e.n_q);
    trmi_scratch_release(&s->scratch, d);
    return drift;
}

// The point of the sampler: the present one, with v onto G v + g_t = 0 there; false: that fails.
static bool set_present(trm_simulation *s, trmi_manifold *manifold)
{
    trmi_values *values = manifold->saddle->values;
    trmi_point *p = &s->sampler->point;
    trm_error error;
    trmi_error_clear(&error);
    trmi_copy_point(&s->e, &s->now, p);
    return trmi_evaluate(&s->e, p, TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(&s->e),
                         values) == 0 &&
           trmi_project_velocities(manifold, p, &error) == TRM_OK;
}

// The present point onto the constraints, where that is far as at a start; false: that fails.
static bool find_nearest(trm_simulation *s, trmi_manifold *manifold)
{
    trmi_approach ignored;
    trm_error error;
    trmi_error_clear(&error);
    return project(s) ||
           (set_present(s, manifold) &&
            trmi_approach_positions(manifold, &s->sampler->point, &ignored, &error) == TRM_OK &&
            project(s));
}

bool trmi_drift_hides_branch(trm_simulation *s)
{
    if (!drifts(s) || !s->sampler)
        return false;
    const double h = s->control.h, way = h * trmi_weighted_max(s->now.v, s->weight, s->e.n_q);
    const bool near = trmi_near_singular(s);
    trmi_sampler *sampler = trmi_sampler_reset(s);
    if (!near && estimate_drift(s) <= TURNED * way)
        return false;
    trmi_manifold manifold = {
        .saddle = &sampler->saddle, .scratch = &s->scratch, .options = &s->options};
    if (!set_present(s, &manifold))
        return true;
    trmi_point *p = &sampler->point;
    double *v = trmi_scratch_take(&s->scratch, s->e.n_q);
    memcpy(v, p->v, (size_t)s->e.n_q * sizeof *v);
    bool found = find_nearest(s, &manifold);
    for (int i = 0; i < s->e.n_q; i++) {
        p->q[i] -= s->now.q[i];
        p->v[i] -= v[i];
    }
    trmi_scratch_release(&s->scratch, v);
    double drift = trmi_weighted_max(p->q, s->weight, s->e.n_q),
           turn = h * trmi_weighted_max(p->v, s->weight, s->e.n_q);
    return !found || (near && drift > way) || (turn > TURNED * way && turn < drift);
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
    for (int i = 0; i < s->e.n_q; i++)
        p->q[i] -= to->q[i];
    return trmi_weighted_max(p->q, s->weight, s->e.n_q) > 1;
}
