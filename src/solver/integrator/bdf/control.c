// SPDX-License-Identifier: Apache-2.0
// Order and step selection. `classic` follows DASSL; `default` uses the same estimates with a
// smooth step change and looks at the lower order only when an order change is due.
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"

#include "solver/integrator/watch/trust.h"

#include <float.h>
#include <math.h>

// largest growth of a step, and the growth below which it is not worth changing
static const double MAX_GROWTH = 2.0, MIN_GROWTH = 1.2, MIN_SHRINK = 0.95, SAFETY = 0.9;
// the same for formulations tested at the full tolerance (measured on the wheelset with its kinks:
// as many iterations, half as many rejected steps, errors smaller by 4)
static const double SAFETY_FULL = 0.75;

// the lower order is looked at this often (measured: the same steps as every time)
enum { LOOK_EVERY = 2 };

static bool classic(const trm_simulation *s)
{
    return s->options.control == TRM_CONTROL_CLASSIC;
}

static trmi_step_errors find_errors(trm_simulation *s, double h, int k, const trmi_coefficients *c)
{
    double t = s->history.t[0] + h, norm = trmi_test_norm(s, k, t);
    trmi_step_errors e = {.error = c->ck * norm, .order = k, .estimate = c->sigma[k] * norm};
    e.now = (k + 1) * e.estimate;
    e.below = HUGE_VAL;
    bool due = classic(s) || s->control.since_order % LOOK_EVERY == LOOK_EVERY - 1 || e.error > 1;
    if (k == 1 || !due)
        return e;
    double below = c->sigma[k - 1] * trmi_test_norm(s, k - 1, t);
    e.below = k * below;
    bool lower = e.below <= (k == 2 ? 0.5 : 1.0) * e.now;
    if (k > 2 && classic(s))
        lower = fmax(e.below, (k - 1) * c->sigma[k - 2] * trmi_test_norm(s, k - 2, t)) <= e.now;
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

// the factor for the next step if the error behaves like h^(order + 1)
static double step_factor(double estimate, int order)
{
    return pow(2 * estimate + 1e-4, -1.0 / (order + 1));
}

void trmi_bdf_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    const trmi_step_errors *errors = &trmi_bdf_of(s)->errors;
    trmi_control *c = &s->control;
    (void)trial;
    // a first step that was too long says nothing against raising the order: without that, a test
    // of velocities may want order one to take steps that drown in roundoff
    bool first = s->corrector.policy->test_velocities && trmi_steps_since_start(s) == 0;
    c->starting = c->starting && first;
    c->since_order = 0;
    if (c->error_failures == 1) {
        c->k = errors->order;
        c->h *= fmax(0.25, fmin(0.9, 0.9 * step_factor(errors->estimate, c->k)));
    } else {
        c->k = c->error_failures == 2 ? errors->order : 1;
        c->h *= 0.25;
    }
}

// whether the order should rise: the estimate at k + 1 is looked at after k + 1 steps at order k
static void consider_raising(trm_simulation *s, trmi_step_errors *e, double t, int k)
{
    const trmi_control *c = &s->control;
    int needed = classic(s) ? k + 2 : k + 1;
    if (e->order != k || k >= s->accuracy.max_order || c->since_order < needed ||
        s->history.count < k + 2 || (classic(s) && c->k_last != k))
        return;
    double above = trmi_test_norm(s, k + 1, t); // times (k + 2), as the others
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
    double r = step_factor(e->estimate, e->order);
    if (classic(s)) {
        if (r >= 2)
            return 2 * h;
        return r <= 1 ? h * fmax(0.5, fmin(0.9, r)) : h;
    }
    r *= s->corrector.policy->test_velocities ? SAFETY_FULL : SAFETY;
    if (r > MIN_GROWTH)
        return h * fmin(r, MAX_GROWTH);
    return r < MIN_SHRINK ? h * fmax(0.5, fmin(0.9, r)) : h;
}

void trmi_bdf_plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    const trmi_bdf *b = trmi_bdf_of(s);
    trmi_step_errors e = b->errors;
    double h = trial->h;
    int k = trial->k;
    if (e.order < k || k == s->accuracy.max_order)
        c->starting = false;
    if (c->starting) {
        c->k = k + 1;
        c->h = 2 * h;
        c->since_order = 0;
    } else {
        if (classic(s)) // constant steps in a row at this order
            c->since_order = h == c->h_last && k == c->k_last
                                 ? (c->since_order < k + 1 ? c->since_order + 1 : k + 2)
                                 : 1;
        consider_raising(s, &e, s->history.t[0] + h, k);
        if (!classic(s))
            c->since_order = e.order == k ? c->since_order + 1 : 0;
        c->k = e.order;
        c->h = next_step(s, h, &e);
    }
    trmi_trust_sample_estimate(s, b->coefficients.ck, b->coefficients.cj);
}
