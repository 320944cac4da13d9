// SPDX-License-Identifier: Apache-2.0
// Order and step selection: the estimates of DASSL with a smooth step change. The lower order is
// considered only when an order change is due.
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/watch/trust.h"

#include <float.h>
#include <math.h>

// safety, and the growth below which a step is not worth changing
static const double SAFETY = 0.9, MIN_GROWTH = 1.2;
// safety for formulations tested at the full tolerance (measured on the wheelset with its kinks:
// as many iterations, half as many rejected steps, errors smaller by 4)
static const double SAFETY_FULL = 0.75;

// the lower order is tested this often (measured: the same steps as every time)
enum { TEST_EVERY = 2 };

static trmi_step_errors find_errors(trm_simulation *s, double h, int k, const trmi_coefficients *c)
{
    trmi_step_errors e = {.order = k, .positions = NAN};
    double t = s->history.t[0] + h, norm = trmi_test_norm(s, k, t, &e.positions);
    e.error = c->ck * norm;
    e.estimate = c->sigma[k] * norm;
    e.now = (k + 1) * e.estimate;
    e.below = HUGE_VAL;
    bool due = s->control.since_order % TEST_EVERY == TEST_EVERY - 1 || e.error > 1;
    if (k == 1 || !due)
        return e;
    double below = c->sigma[k - 1] * trmi_test_norm(s, k - 1, t, &e.positions);
    e.below = k * below;
    bool lower = e.below <= (k == 2 ? 0.5 : 1.0) * e.now;
    if (lower) {
        e.order = k - 1;
        e.estimate = below;
    }
    return e;
}

double trmi_bdf_estimate(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_bdf *b = trmi_bdf_of(s);
    b->errors = find_errors(s, trial->h, trial->k, &b->coefficients);
    return b->errors.error;
}

double trmi_bdf_step_factor(double estimate, int order)
{
    return pow(2 * estimate + 1e-4, -1.0 / (order + 1));
}

void trmi_bdf_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    const trmi_step_errors *errors = &trmi_bdf_of(s)->errors;
    trmi_control *c = &s->control;
    (void)trial;
    // a first step that was too long is no reason against raising the order: without that, a test
    // of velocities may want order one to take steps that drown in roundoff
    bool first = s->corrector.policy->test_velocities && trmi_steps_since_start(s) == 0;
    c->starting = c->starting && first;
    c->since_order = 0;
    if (c->error_failures == 1) {
        c->k = errors->order;
        c->h *= fmax(0.25, fmin(0.9, 0.9 * trmi_bdf_step_factor(errors->estimate, c->k)));
    } else {
        c->k = c->error_failures == 2 ? errors->order : 1;
        c->h *= 0.25;
    }
}

void trmi_bdf_consider_raising(trm_simulation *s, trmi_step_errors *e, double t, int k)
{
    if (e->order != k || k >= s->accuracy.max_order || s->history.count < k + 2)
        return;
    double above = trmi_test_norm(s, k + 1, t, &e->positions); // times (k + 2), as the others
    if (k > 1 && e->below <= fmin(e->now, above)) {
        e->order = k - 1;
        e->estimate = e->below / k;
    } else if (above < (k == 1 ? 0.5 : 1.0) * e->now) {
        e->order = k + 1;
        e->estimate = above / (k + 2);
    }
}

static double next_step(const trm_simulation *s, double h, const trmi_step_errors *e)
{
    double r = trmi_bdf_step_factor(e->estimate, e->order);
    r *= s->corrector.policy->test_velocities ? SAFETY_FULL : SAFETY;
    return trmi_change_step(h, r, MIN_GROWTH);
}

bool trmi_bdf_starts(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    if (trmi_bdf_of(s)->errors.order < trial->k || trial->k == s->accuracy.max_order)
        c->starting = false;
    if (!c->starting)
        return false;
    c->k = trial->k + 1;
    c->h = 2 * trial->h;
    c->since_order = 0;
    return true;
}

// The estimate at k + 1 is considered after k + 1 steps at order k.
void trmi_bdf_plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    const trmi_bdf *b = trmi_bdf_of(s);
    trmi_step_errors e = b->errors;
    int k = trial->k;
    if (!trmi_bdf_starts(s, trial)) {
        if (c->since_order >= k + 1)
            trmi_bdf_consider_raising(s, &e, s->history.t[0] + trial->h, k);
        c->since_order = e.order == k ? c->since_order + 1 : 0;
        c->k = e.order;
        c->h = next_step(s, trial->h, &e);
    }
    trmi_trust_sample_estimate(s, b->coefficients.ck, b->coefficients.cj);
}
