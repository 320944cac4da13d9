// SPDX-License-Identifier: Apache-2.0
// Step and order at a start, and after attempts whose corrector failed.
#include "solver/integrator/control.h"

#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>

bool trmi_near_singular(const trm_simulation *s)
{
    return !s->method->split && trmi_saddle_nearly_singular(&s->saddle);
}

// The first step of order one, whose predictor error h^2 |a| stays small.
static double first_step(const trm_simulation *s, double t_end)
{
    const trm_options *o = &s->options;
    int n = s->e.n_q;
    double range = fabs(t_end - s->now.t), h = TRMI_FIRST_STEP * range, noise = 0;
    // not below the step at which roundoff spoils the velocities, if the run is shorter than that
    // and the acceleration changes nothing on the way
    for (int i = 0; i < n; i++)
        noise = fmax(noise, 10 * DBL_EPSILON * fabs(s->now.q[i]) * s->weight[n + i]);
    double bend = trmi_weighted_norm(s->now.a, s->weight, n);
    if (h < noise && bend * range * range < 0.01 && range < 1e-6 * fmax(1, fabs(s->now.t)))
        h = noise;
    if (bend * h * h > 0.1)
        h = sqrt(0.1 / bend);
    return fmin(h, o->h_max);
}

// Accelerations without bound would make it 0.
double trmi_limit_first_step(const trm_simulation *s, double h)
{
    double shortest = fmax(4 * DBL_EPSILON * fabs(s->now.t), DBL_MIN);
    return fmin(fmax(h, fmax(shortest, s->options.h_min)), s->options.h_max);
}

void trmi_start_control(trm_simulation *s, double t_end)
{
    trmi_control *c = &s->control;
    double given = s->rule->first_step(&s->options), range = fabs(t_end - s->now.t);
    *c = (trmi_control){.k = 1, .given = given > 0, .starting = true, .started = true};
    double h = !c->given ? (s->method->first_step ? s->method->first_step : first_step)(s, t_end)
               : s->rule->adapts ? fmin(given, range)
                                 : given;
    c->h = s->rule->adapts ? trmi_limit_first_step(s, h) : h;
    // the size of v, to judge roundoff; a start from rest soon has the speed of a hundredth of a
    // run
    for (int i = 0; i < s->e.n_q; i++) {
        double soon = 0.01 * fabs(s->now.a[i]) * (t_end - s->now.t);
        s->watch.max_v = fmax(s->watch.max_v, fmax(fabs(s->now.v[i]), soon));
        s->watch.max_q = fmax(s->watch.max_q, fabs(s->now.q[i]));
    }
}

double trmi_change_step(double h, double growth, double worth)
{
    if (growth > worth)
        return h * fmin(growth, 2);
    return growth < 0.95 ? h * fmax(0.5, fmin(0.9, growth)) : h;
}

// A step that ends where the constraints lose rank cannot converge, and a shorter one ends still
// closer to that position: two longer ones are tried first, to step across. The error test judges
// them as any other.
static const double LEAPS[] = {1.6, 1.5, 0.2};

void trmi_adapt_to_failure(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason)
{
    trmi_control *c = &s->control;
    (void)trial;
    if (trmi_near_singular(s) && c->newton_failures <= 3)
        c->h *= LEAPS[c->newton_failures - 1];
    else if (reason == TRMI_OUTCOME_OFF_CONSTRAINTS)
        c->h *= 0.25;
    else
        c->h *= c->newton_failures > 3 ? 0.25 : 0.5;
}
