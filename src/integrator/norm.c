// SPDX-License-Identifier: Apache-2.0
// The norm of the error test: which components are looked at, and when.
#include "integrator/simulation.h"

#include <float.h>
#include <math.h>

// Velocities are tested too in this many first steps, and where steps are short against those
// before (a decaying maximum).
enum { CAREFUL_STEPS = 12 };
static const double SHORT = 0.1;

// Positions alone are tested, but an error of one tolerance in q over a short step is a large error
// in v, which the motion keeps for good: at the start, and after a jump, velocities are tested too.
static bool careful(const trm_simulation *s, double h)
{
    // velocities that start off the constraints jump onto them: no step is short enough for that
    bool consistent = s->options.start == TRM_START_PROJECT;
    return s->options.control != TRM_CONTROL_CLASSIC && consistent &&
           (trmi_steps_since_start(s) < CAREFUL_STEPS || h < SHORT * s->control.h_typical);
}

// What a component of the error test looks at: all coordinates, or the independent ones.
typedef struct subset {
    const int *list; // NULL: all
    int count;
} subset;

static trm_error_test error_test(const trm_simulation *s)
{
    if (s->options.error_test != TRM_ERROR_TEST_AUTO)
        return s->options.error_test;
    bool independent =
        s->options.control == TRM_CONTROL_CLASSIC && s->corrector.policy->classic_independent;
    return independent ? TRM_ERROR_TEST_INDEPENDENT : TRM_ERROR_TEST_Q;
}

static subset tested_coordinates(const trm_simulation *s, trm_error_test test)
{
    const trmi_split *split = s->coupled ? trmi_coupled_get_split(s->coupled) : NULL;
    split = split ? split : trmi_saddle_split(&s->saddle);
    bool independent = test == TRM_ERROR_TEST_INDEPENDENT || test == TRM_ERROR_TEST_INDEPENDENT_QV;
    if (independent && split && split->p > 0)
        return (subset){split->independent, split->p};
    return (subset){NULL, s->e.n_q};
}

// sum of (weight (y - p_k(t)))^2 over the subset of the block that begins at `begin`
static double defect(const trm_simulation *s, subset of, int k, double t, int begin,
                     const double *y)
{
    const double *weight = s->weight + begin;
    double sum = 0;
    if (of.list) {
        for (int j = 0; j < of.count; j++)
            sum += trmi_history_defect(&s->history, k, t, begin + of.list[j], 1, y + of.list[j],
                                       weight + of.list[j]);
        return sum;
    }
    if (begin > 0 || k != s->predicted_order)
        return trmi_history_defect(&s->history, k, t, begin, of.count, y, weight);
    for (int i = 0; i < of.count; i++) { // the predictor is at hand
        double d = (y[i] - s->predicted[i]) * weight[i];
        sum += d * d;
    }
    return sum;
}

// The roundoff in v = cj q + offset, 2^(k+1) eps |q| / h, in the norm of the velocities. It is no
// error that a shorter step could reduce.
static double velocity_roundoff(const trm_simulation *s, int k, double h)
{
    const double *weight = s->weight + s->e.n_q;
    double shortest = s->control.h_last > 0 ? fmin(h, s->control.h_last) : h, sum = 0;
    for (int i = 0; i < s->e.n_q; i++) {
        double q = s->now.q[i] * weight[i];
        sum += q * q;
    }
    return (double)(2 << k) * DBL_EPSILON / shortest * sqrt(sum);
}

double trmi_test_norm(const trm_simulation *s, int k, double t)
{
    const trmi_evaluator *e = &s->e;
    const trmi_point *p = &s->corrector.point;
    trm_error_test test = error_test(s);
    subset of = tested_coordinates(s, test);
    double h = t - s->history.t[0], sum = defect(s, of, k, t, 0, p->q);
    int count = of.count + e->n_x;
    bool wanted = test == TRM_ERROR_TEST_QV || test == TRM_ERROR_TEST_INDEPENDENT_QV;
    if (wanted || careful(s, h)) {
        double velocities = sqrt(defect(s, of, k, t, e->n_q, p->v));
        if (!wanted)
            velocities = fmax(0, velocities - velocity_roundoff(s, k, h));
        sum += velocities * velocities;
        count += of.count;
    }
    const subset states = {NULL, e->n_x};
    sum += defect(s, states, k, t, 2 * e->n_q, p->x);
    return sqrt(sum / count);
}
