// SPDX-License-Identifier: Apache-2.0
// Control of the stage-split iteration (stages.c): with the corrections d_1, d_2, .. in units
// of the tolerance,
//
//     theta_1 = |d_2| / |d_1|, later the geometric mean of the last two;  eta = theta / (1 - theta)
//
// it ends well when eta |d| is small, and badly when the iterations left would not make it so.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>

// contraction at which an iteration is given up
static const double RATE_LIMIT = 0.99;
// the largest part of the tolerance that Newton may leave, and for some attempts after a failure
static const double USUAL = 0.03, CAREFUL = 1e-3;
enum { CAREFUL_ATTEMPTS = 20 };
// corrections that no longer fall, but are that small and fell that well before, are the noise of
// derivatives formed by differences
static const double NOISE = 0.05, FELL_WELL = 0.2;

// corrections this small are roundoff: q and v are known no better
static double roundoff_level(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    double sum = trmi_weighted_square(s->now.q, s->weight, e->n_q) +
                 trmi_weighted_square(s->now.v, s->weight + e->n_q, e->n_q);
    return e->n_q > 0 ? 100 * DBL_EPSILON * sqrt(sum / (2 * e->n_q)) : 0;
}

// Corrections that no longer fall, and need not. Their velocities are measured along the
// constraints as well, which is free of the roundoff that they have near singular positions.
static bool is_noise(trm_simulation *s, double h, double norm, double before, double best)
{
    if (norm <= roundoff_level(s) || (norm <= NOISE && best <= FELL_WELL))
        return true;
    return trmi_radau_measure_along(s, h) <= fmin(NOISE, FELL_WELL * before);
}

// Newton errors below this part of the tolerance do not show; the option is a factor on it.
static double convergence_limit(const trm_simulation *s, double largest)
{
    const double usual = trm_options_default().newton_tolerance;
    double limit = fmax(10 * DBL_EPSILON / s->options.rtol, fmin(largest, sqrt(s->options.rtol)));
    return limit * s->options.newton_tolerance / usual;
}

// What Newton should leave. Where it failed not long ago forces bend within a tolerance (friction
// that is fully there at a slip below it): what is left then spoils the prediction of the next
// step, Newton contracts as badly as before, and steps stay short. So it is to be less, if there
// are iterations left.
static double convergence_goal(const trm_simulation *s)
{
    const trmi_radau *r = trmi_radau_of(s);
    bool careful = r->h_failed > 0 && r->since_failure < CAREFUL_ATTEMPTS;
    return convergence_limit(s, careful ? CAREFUL : USUAL);
}

static trmi_outcome finish(trm_simulation *s, double h)
{
    trmi_radau_finish_stages(s, h);
    return TRMI_OUTCOME_OK;
}

trmi_outcome trmi_radau_iterate(trm_simulation *s, double h)
{
    trmi_radau_newton *newton = &trmi_radau_of(s)->newton;
    // eta starts at 1 in every step: a rate carried over would accept what was never measured
    double limit = convergence_limit(s, USUAL), goal = convergence_goal(s), before = 0, eta = 1,
           best = 1, norm;
    double rate_before = 0, rate_first = 0;
    int count = trmi_radau_iteration_limit(s);
    *newton = (trmi_radau_newton){0};
    s->corrector.log.count = 0;
    trmi_outcome result = trmi_radau_start_stages(s, h);
    for (int m = 0; m < count && result == TRMI_OUTCOME_OK; m++) {
        result = trmi_radau_correct_stages(s, h, m == 0, &norm);
        if (result != TRMI_OUTCOME_OK)
            break;
        newton->iterations = m + 1;
        newton->first = m == 0 ? norm : newton->first;
        double rate = m > 0 ? norm / (before + 1e-300) : 0;
        trmi_log_iteration(&s->corrector, norm, m > 0 ? rate : NAN);
        if (m > 0) {
            rate_first = m == 1 ? rate : rate_first;
            newton->rate = m == 1 ? rate : sqrt(rate * rate_before);
            bool contracts = newton->rate < RATE_LIMIT;
            eta = contracts ? newton->rate / (1 - newton->rate) : HUGE_VAL;
            newton->remaining =
                contracts ? eta * norm * pow(newton->rate, count - 2 - m) / limit : HUGE_VAL;
            if (newton->remaining >= 1 && is_noise(s, h, norm, before, best)) {
                newton->rate = rate_first; // noise is not a measure for longer steps
                return finish(s, h);
            }
            if (newton->remaining >= 1)
                return TRMI_OUTCOME_DIVERGED;
        }
        best = m > 0 ? fmin(best, rate) : best;
        rate_before = rate;
        before = norm;
        if (eta * norm <= (m + 1 < count ? goal : limit))
            return finish(s, h);
    }
    newton->remaining = HUGE_VAL;
    return result == TRMI_OUTCOME_OK ? TRMI_OUTCOME_DIVERGED : result;
}
