// SPDX-License-Identifier: Apache-2.0
// Order and step selection. `classic` follows DASSL; `default` uses the same estimates with a
// smooth step change and looks at the lower order only when an order change is due.
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"

#include <float.h>
#include <math.h>

// largest growth of a step, and the growth below which it is not worth changing
static const double MAX_GROWTH = 2.0, MIN_GROWTH = 1.2, MIN_SHRINK = 0.95, SAFETY = 0.9;
// the same for formulations tested at the full tolerance (measured on the wheelset with its kinks:
// as many iterations, half as many rejected steps, errors smaller by 4)
static const double SAFETY_FULL = 0.75;

// decay of the maximum of accepted steps
static const double TYPICAL_DECAY = 0.98;
// the lower order is looked at this often (measured: the same steps as every time)
enum { LOOK_EVERY = 2 };

static bool classic(const trm_simulation *s)
{
    return s->options.control == TRM_CONTROL_CLASSIC;
}

bool trmi_near_singular(const trm_simulation *s)
{
    return !s->coupled && trmi_saddle_nearly_singular(&s->saddle);
}

static double wrms(const double *x, const double *weight, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * weight[i] * x[i] * weight[i];
    return n > 0 ? sqrt(sum / n) : 0;
}

// The first step. Classic: as DASSL. Default: the order-one predictor error h^2 |a| stays small.
static double first_step(const trm_simulation *s, double t_end)
{
    const trm_options *o = &s->options;
    int n = s->e.n_q;
    double range = fabs(t_end - s->now.t), h = 1e-3 * range, noise = 0;
    if (o->h_fixed > 0)
        return o->h_fixed;
    if (o->h_initial > 0)
        return fmin(o->h_initial, range);
    double speed = wrms(s->now.v, s->weight, n), change = wrms(s->now.a, s->weight + n, n);
    if (classic(s)) {
        // |y'| over (q, v), and over the multipliers with zero rates where they are unknowns
        int unknowns = 2 * n + (s->corrector.policy->unknown_multipliers ? 2 * s->e.n_r : 0);
        double slope = sqrt((speed * speed + change * change) * n / unknowns);
        return slope > 0.5 / h ? 0.5 / slope : h;
    }
    // not below the step at which roundoff spoils the velocities, if the run is shorter than that
    // and the acceleration changes nothing on the way
    for (int i = 0; i < n; i++)
        noise = fmax(noise, 10 * DBL_EPSILON * fabs(s->now.q[i]) * s->weight[n + i]);
    double bend = wrms(s->now.a, s->weight, n);
    if (h < noise && bend * range * range < 0.01 && range < 1e-6 * fmax(1, fabs(s->now.t)))
        h = noise;
    if (bend * h * h > 0.1)
        h = sqrt(0.1 / bend);
    return fmin(h, o->h_max);
}

void trmi_start_control(trm_simulation *s, double t_end)
{
    trmi_control *c = &s->control;
    *c = (trmi_control){.k = 1, .starting = true, .started = true};
    c->h = fmin(fmax(first_step(s, t_end), s->options.h_min), s->options.h_max);
    // the size of v, to judge roundoff; a start from rest soon has the speed of a hundredth of a
    // run
    for (int i = 0; i < s->e.n_q; i++) {
        double soon = 0.01 * fabs(s->now.a[i]) * (t_end - s->now.t);
        s->watch.max_v = fmax(s->watch.max_v, fmax(fabs(s->now.v[i]), soon));
    }
}

trmi_step_errors trmi_estimate_errors(trm_simulation *s, double h, int k,
                                      const trmi_coefficients *c)
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

// the factor for the next step if the error behaves like h^(order + 1)
static double step_factor(double estimate, int order)
{
    return pow(2 * estimate + 1e-4, -1.0 / (order + 1));
}

void trmi_after_error_failure(trm_simulation *s, const trmi_step_errors *errors)
{
    trmi_control *c = &s->control;
    // a first step that was too long says nothing against raising the order: without that, a test
    // of velocities may want order one to take steps that drown in roundoff
    bool first = s->corrector.policy->test_velocities && trmi_steps_since_start(s) == 0;
    c->starting = c->starting && first;
    c->since_order = 0;
    c->error_failures++;
    if (c->error_failures == 1) {
        c->k = errors->order;
        c->h *= fmax(0.25, fmin(0.9, 0.9 * step_factor(errors->estimate, c->k)));
    } else {
        c->k = c->error_failures == 2 ? errors->order : 1;
        c->h *= 0.25;
    }
}

// A step that ends where the constraints lose rank cannot converge, and a shorter one ends still
// closer to that position: two longer ones are tried first, to step across. The error test judges
// them as any other.
static const double LEAPS[] = {1.6, 1.5, 0.2};

void trmi_after_newton_failure(trm_simulation *s, trmi_outcome reason)
{
    trmi_control *c = &s->control;
    c->starting = false;
    c->since_order = 0;
    c->newton_failures++;
    c->singular_failures += reason == TRMI_OUTCOME_SINGULAR;
    if (!classic(s) && trmi_near_singular(s) && c->newton_failures <= 3)
        c->h *= LEAPS[c->newton_failures - 1];
    else if (reason == TRMI_OUTCOME_OFF_CONSTRAINTS)
        c->h *= 0.25;
    else
        c->h *= classic(s) || c->newton_failures > 3 ? 0.25 : 0.5;
    c->h = fmin(c->h, s->options.h_max);
}

// whether the order should rise: the estimate at k + 1 is looked at after k + 1 steps at order k
static void consider_raising(trm_simulation *s, trmi_step_errors *e, double t, int k)
{
    const trmi_control *c = &s->control;
    int needed = classic(s) ? k + 2 : k + 1;
    if (e->order != k || k >= s->options.max_order || c->since_order < needed ||
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

void trmi_after_acceptance(trm_simulation *s, trmi_step_errors e, double h, int k)
{
    trmi_control *c = &s->control;
    c->newton_failures = c->error_failures = c->singular_failures = 0;
    if (e.order < k || k == s->options.max_order)
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
    c->h = fmin(c->h, s->options.h_max);
    c->k_last = k;
    c->h_last = h;
    c->h_typical = fmax(h, TYPICAL_DECAY * c->h_typical);
}
