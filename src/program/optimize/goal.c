// SPDX-License-Identifier: Apache-2.0
// The goal of a search, from the values of a run: its value, its gradient, and which parameters
// have an influence.
#include "program/optimize/optimize.h"

#include <float.h>
#include <math.h>

double trmi_search_goal(const trmi_optimization *o, const trmi_run_values *v)
{
    double sum = 0;
    for (int i = 0; i < o->rows && o->goal == TRMI_GOAL_FIT; i++)
        for (int k = 0; k < o->targets; k++) {
            const trmi_target *t = &o->target[k];
            double r = (v->value[i * o->targets + k] - t->data[i]) /
                       (isnan(t->deviation) ? 1 : t->deviation);
            sum += r * r;
        }
    return o->goal == TRMI_GOAL_FIT ? sum : v->value[0];
}

void trmi_search_gradient(const trmi_search_state *s, double *gradient)
{
    const trmi_optimization *o = s->o;
    const trmi_run_values *v = &s->last;
    int all = o->rows * o->targets;
    for (int p = 0; p < o->parameters; p++) {
        const double *d = v->derivative + p * all;
        double sum = o->goal == TRMI_GOAL_FIT ? 0 : d[0];
        for (int j = 0; j < all && o->goal == TRMI_GOAL_FIT; j++) {
            const trmi_target *t = &o->target[j % o->targets];
            double w = isnan(t->deviation) ? 1 : t->deviation;
            sum += 2 * (v->value[j] - t->data[j / o->targets]) * d[j] / (w * w);
        }
        gradient[p] = sum;
    }
}

// Whether parameter k, at p, changes values of the last run by more than roundoff: p d(value)/dp
static bool has_influence(const trmi_search_state *s, const double *p, int k)
{
    const trmi_run_values *v = &s->last;
    const int all = s->o->rows * s->o->targets;
    double size = DBL_MIN, change = 0;
    for (int j = 0; j < all; j++) {
        size = fmax(size, fabs(v->value[j]));
        change = fmax(change, fabs(v->derivative[k * all + j]) * (p[k] != 0 ? fabs(p[k]) : 1));
    }
    return change > DBL_EPSILON * size;
}

void trmi_search_note_influence(trmi_search_state *s, const double *p)
{
    const trm_schedule *schedule = trm_model_schedule(s->model);
    bool any = false;
    for (int k = 0; k < s->o->parameters; k++) {
        s->influences[k] = s->influences[k] || has_influence(s, p, k);
        any = any || s->influences[k];
    }
    if (!any && s->runs == 1)
        s->ended = schedule->end > schedule->start
                       ? "no parameter has an influence on the goal at the start; begin elsewhere"
                       : "no parameter has an influence on the goal: the run has no length, its "
                         "simulate.end is its start";
}
