// SPDX-License-Identifier: Apache-2.0
// The books of auto: what the steps of each member have cost.
#include "solver/integrator/auto/auto.h"

#include <math.h>

// Steps that show what a member needs: one-step methods soon have their length, bdf its order.
static const int LEARNING[TRMI_MEMBERS] = {
    [TRMI_MEMBER_EXPLICIT] = 3, [TRMI_MEMBER_RADAU] = 4, [TRMI_MEMBER_BDF] = 30};
// What a member needs is the mean of its last steps, so many at least: those of a motion with
// corners and contacts differ by ten.
enum { MEMORY = 10 };

int trmi_auto_learning(int member)
{
    return LEARNING[member];
}

double trmi_auto_counted_work(const trm_statistics *st)
{
    return (double)st->residual_evaluations + (double)st->residual_evaluations_for_jacobian +
           1.5 * (double)st->jacobian_evaluations + 0.1 * (double)st->solves;
}

double trmi_auto_steps_of_mean(int member)
{
    return fmax(LEARNING[member], MEMORY);
}

double trmi_auto_rate_of(const trmi_expense *e)
{
    return e->time > 0 ? e->work / e->time : HUGE_VAL;
}

double trmi_auto_cost_of(const trmi_member *m)
{
    const trmi_need *need = &m->recent;
    bool enough = need->taken >= LEARNING[m - m->owner->member];
    return trmi_auto_rate_of(enough ? &need->since : &need->last);
}

static void add_steps(trmi_expense *e, double keep, double work, double time, long steps)
{
    e->work = keep * e->work + work;
    e->time = keep * e->time + time;
    e->steps = keep * e->steps + (double)steps;
}

void trmi_auto_note_attempt(const trm_simulation *s, trmi_auto *a)
{
    a->attempted = trmi_auto_counted_work(&s->statistics);
}

double trmi_auto_note_steps(trm_simulation *s, trmi_auto *a, double *time)
{
    trmi_member *m = &a->member[a->active];
    double total = trmi_auto_counted_work(&s->statistics), work = total - a->work_seen;
    double length = s->now.t - a->t_seen, keep = 1 - 1 / trmi_auto_steps_of_mean(a->active);
    long steps = s->statistics.steps - a->steps_seen;
    *time = length;
    if (steps > 0) {
        // this step and the next are longer than all before: those were on the way to their length
        if (fmin(length, s->control.h) > m->recent.last.time)
            m->recent = (trmi_need){0};
        add_steps(&m->recent.last, keep, work, length, steps);
        add_steps(&m->recent.since, keep, work, length, steps);
        m->recent.taken += steps;
        if (a->active == a->incumbent)
            add_steps(&m->reign, 1, work, length, steps);
        m->steps += steps;
        m->elapsed += length;
        m->h = s->control.h;
        for (int k = 0; k < TRMI_MEMBERS; k++)
            a->member[k].failed = false;
    }
    a->total += work;
    a->work_seen = total;
    a->steps_seen = s->statistics.steps;
    a->t_seen = s->now.t;
    return work;
}
