// SPDX-License-Identifier: Apache-2.0
// Short bumps. if(x > a and x < b, F, 0) is two gaps that close soon one after the other, and what
// the first one begins the second one ends: a step that lets both close at its start may find
// nothing behind them. The rates [v' | x'] show that, with the gaps free to close:
//
//     now    between two closings, w apart    behind the last one
//      r0                r1                           r2
//
// It is a bump if the rate comes back, |r2 - r0| < |r1 - r0|, and w |r1 - r0| is more than the
// error that is tolerated. Contacts that close together go on to grow, and are none.
#include "solver/integrator/simulation.h"

#include "solver/integrator/switches.h"

#include <math.h>
#include <string.h>

bool trmi_bumps_create(trm_simulation *s)
{
    trmi_bumps *b = &s->switches.bumps;
    trmi_memory *m = &s->memory;
    int n = s->e.user.n_switches, rates = s->e.n_q + s->e.n_x;
    return TRMI_TAKE(m, b->width, n) && TRMI_TAKE(m, b->lock, n) && TRMI_TAKE(m, b->now, rates) &&
           TRMI_TAKE(m, b->between, rates) && TRMI_TAKE(m, b->behind, rates);
}

// [v' | x'] after a time h in which those of now, `from`, hold.
static bool probe_rates(trm_simulation *s, double h, const double *from, double *rate)
{
    trmi_point_ahead(s, h, from, from + s->e.n_q, &s->sampler->point);
    return trmi_sample_rates(s, rate); // without rates there is no bump
}

static bool is_bump(const trm_simulation *s, double width)
{
    const trmi_bumps *b = &s->switches.bumps;
    const double *weight = s->weight + s->e.n_q; // of v and x
    bool any = false;
    for (int i = 0; i < s->e.n_q + s->e.n_x; i++) {
        double change = fabs(b->between[i] - b->now[i]);
        any = any || (fabs(b->behind[i] - b->now[i]) < change && width * change * weight[i] > 1);
    }
    return any;
}

int trmi_opposite_gap(const double *gap, int count, int i)
{
    for (int j = 0; j < count; j++)
        if (gap[j] == -gap[i] && j != i)
            return j;
    return -1;
}

// The rates at the place where the marked gaps close on both sides, by the locks of their
// opposites.
double trmi_find_jump_time(trm_simulation *s, double t, const bool *marked)
{
    const trmi_switches *w = &s->switches;
    trmi_bumps *b = &s->switches.bumps;
    const double *weight = s->weight + s->e.n_q; // of v and x
    double *lock = s->e.held + s->e.user.first_lock, worst = 0;
    double *const rate[] = {b->between, b->behind};
    bool good = true, any = false;
    memcpy(b->lock, lock, (size_t)w->count * sizeof *lock);
    for (int closed = 0; closed < 2 && good; closed++) {
        for (int i = 0; i < w->count; i++) {
            int other = marked[i] ? trmi_opposite_gap(w->gap, w->count, i) : -1;
            any = any || other >= 0;
            if (other >= 0) {
                lock[i] = !closed;
                lock[other] = closed;
            }
        }
        trmi_point_ahead(s, t, s->now.a, w->x_rate, &s->sampler->point);
        good = any && trmi_sample_rates(s, rate[closed]);
    }
    memcpy(lock, b->lock, (size_t)w->count * sizeof *lock);
    for (int i = 0; i < s->e.n_q + s->e.n_x && good; i++)
        worst = fmax(worst, fabs(b->behind[i] - b->between[i]) * weight[i]);
    return worst > 0 ? 1 / worst : HUGE_VAL;
}

// The first closing after t that is not the same; HUGE_VAL: none.
static double next_closing(const trm_simulation *s, double t)
{
    const trmi_switches *w = &s->switches;
    double next = HUGE_VAL;
    for (int i = 0; i < w->count; i++)
        if (w->gap[i] > 0 && w->closes[i] > t + w->bumps.same)
            next = fmin(next, w->closes[i]);
    return next;
}

static void set_width(trm_simulation *s, double first, double last)
{
    trmi_switches *w = &s->switches;
    double *width = w->bumps.width;
    for (int i = 0; i < w->count; i++)
        if (w->gap[i] > 0 && w->closes[i] >= first && w->closes[i] <= last)
            width[i] = fmin(width[i], last - first);
}

// Closings from first to last. Behind them is as far again, and a little: an |x - a| < w has not
// shown its other end yet.
static void probe_closings(trm_simulation *s, double first, double last, double near)
{
    trmi_bumps *b = &s->switches.bumps;
    double *lock = s->e.held + s->e.user.first_lock;
    const size_t size = (size_t)s->switches.count * sizeof *lock;
    if (!probe_rates(s, 0, b->now, b->now))
        return;
    memcpy(b->lock, lock, size);
    for (int i = 0; i < s->switches.count; i++)
        if (s->switches.gap[i] > 0 && s->switches.closes[i] <= last)
            lock[i] = 0;
    bool good = probe_rates(s, last + (last - first) + near, b->now, b->behind);
    for (double t = first, next; good && t < last; t = next) {
        next = next_closing(s, t);
        good = probe_rates(s, 0.5 * (t + next), b->now, b->between);
        if (good && is_bump(s, next - t))
            set_width(s, t, next);
    }
    memcpy(lock, b->lock, size);
}

void trmi_find_bumps(trm_simulation *s, double h, double near, double same)
{
    const trmi_switches *w = &s->switches;
    trmi_bumps *b = &s->switches.bumps;
    double first = HUGE_VAL;
    b->same = same;
    for (int i = 0; i < w->count; i++) {
        b->width[i] = HUGE_VAL;
        if (w->gap[i] > 0)
            first = fmin(first, w->closes[i]);
    }
    double last = first;
    for (double t = first; t <= h; t = next_closing(s, t))
        last = t;
    if (last > first)
        probe_closings(s, first, last, near);
}
