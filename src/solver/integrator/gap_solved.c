// SPDX-License-Identifier: Apache-2.0
// Gaps of multipliers, as of a formula if(rod > 20, F, 0). The multipliers that a step ends with
// are as noisy as it is short, for they are second differences of its positions: those that the
// equations have at its positions and velocities are taken instead. Their rates are no formulas,
// but differences along the free flight, on the branch on which the gap is, with the states as they
// are: what these add is found by the attempts. Nothing bounds how they bend: between two points at
// which they are evaluated one may cross and come back. Rows are evaluated on the free branch
// (sample.c), and contradict a step that has passed over that.
#include "solver/integrator/simulation.h"
#include "solver/integrator/switches.h"

#include "base/error.h"
#include "solver/integrator/events.h"
#include "solver/integrator/output.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A step that ends at a crossing may end this part of it behind; one that would end before it by
// less than that other part goes on to it.
static const double LATE = 1e-8, SOON = 1e-2;
// A step is evaluated inside at 2^INSIDE - 1 points: about as often as the stages of explicit and
// radau would on a free branch.
enum { INSIDE = 3 };

// The gaps after a time t of free flight, into gap_end, with the open ones kept open.
static bool probe_ahead(trm_simulation *s, double t)
{
    trmi_switches *w = &s->switches;
    double *lock = s->e.held + s->e.user.first_lock;
    memcpy(w->bumps.lock, lock, (size_t)w->count * sizeof *lock);
    for (int i = 0; i < w->count; i++)
        lock[i] = lock[i] != 0 || w->gap[i] > 0;
    trmi_point_ahead(s, t, s->now.a, NULL, &s->sampler->point);
    bool good = trmi_evaluate_gaps(s, &s->sampler->values, &s->sampler->point, NULL, w->gap_end,
                                   w->rate_end, NULL) == 0;
    memcpy(lock, w->bumps.lock, (size_t)w->count * sizeof *lock);
    return good;
}

void trmi_find_gap_rates(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    w->longest = fmax(w->longest, s->control.h);
    // roundoff, eps/t, and what is left out, t/h, are equal; steps that land are too short for h
    const double t = sqrt(DBL_EPSILON) * w->longest;
    bool any = false;
    for (int i = 0; i < w->count; i++) {
        w->solved[i] = isnan(w->rate[i]) && !isnan(w->gap[i]);
        any = any || w->solved[i];
    }
    if (!any || !probe_ahead(s, t))
        return;
    for (int i = 0; i < w->count; i++)
        if (w->solved[i]) {
            w->rate[i] = (w->gap_end[i] - w->gap[i]) / t;
            w->second[i] = 0;
        }
}

// ---- where a step ends ----

// The time behind the end of the path at which gap i crosses, by the parabola through it.
static double time_behind(const trmi_gap_path *path, int i)
{
    const trmi_gap_piece p = trmi_gap_piece_of(&path->start, &path->end, i, 1, path->h);
    return p.gap[1] > 0 && p.rate[1] < 0 ? p.gap[1] / -p.rate[1] : HUGE_VAL;
}

// Behind the crossing, by less than LATE of the step: attempts are repeated until one ends there,
// for a short step from a point before the crossing to it would have no more digits of
// multipliers.
double trmi_find_branch_end(trm_simulation *s, const trmi_gap_path *path, double first, double rest)
{
    trmi_switches *w = &s->switches;
    const double late = fmax(LATE * path->h, 4 * DBL_EPSILON * fabs(path->from->t));
    const trmi_gap_search search = {
        .wanted = w->marked, .sign = 1, .at_end = late, .halvings = INSIDE};
    double behind = HUGE_VAL;
    for (int i = 0; i < w->count; i++) {
        w->marked[i] = w->solved[i] && s->e.held[s->e.user.first_lock + i] != 0;
        if (w->marked[i])
            behind = fmin(behind, time_behind(path, i));
    }
    double crosses = trmi_find_crossing(s, path, &search);
    if (crosses == HUGE_VAL && behind < fmin(SOON * path->h, rest))
        crosses = path->h + behind;
    return fmin(first, crosses + 0.5 * late);
}

// ---- the other branch ----

// All multipliers at the newest point, as the branches are.
static void keep_multipliers(trm_simulation *s)
{
    const trmi_point now = trmi_past_point(s, 0), *p = trmi_sample_solved(s, &now);
    const double *all = trmi_all_multipliers(s, p ? p->lambda : now.lambda);
    memcpy(s->sampler->lambda, all, (size_t)(s->e.n_r_full) * sizeof *all);
}

// The multiplier that has changed most since they were kept is named.
static trm_status report_contradiction(trm_simulation *s)
{
    const trmi_point now = trmi_past_point(s, 0), *p = trmi_sample_solved(s, &now);
    const double *before = s->sampler->lambda;
    const double *behind = trmi_all_multipliers(s, p ? p->lambda : now.lambda);
    char name[64];
    int row = 0;
    for (int i = 1; i < s->e.n_r_full; i++)
        if (fabs(behind[i] - before[i]) > fabs(behind[row] - before[row]))
            row = i;
    trmi_error_clear(&s->error);
    s->error.t = now.t;
    trm_row_name(&s->e.user, row, name, sizeof name);
    trmi_error_item(&s->error, "%s", name);
    trmi_error_advise(&s->error,
                      "let it go over smoothly, as 0.5*(1 + tanh((%s - 20)/0.1)) does "
                      "for %s > 20, or make it an event",
                      name, name);
    return trmi_error_set(&s->error, TRM_ERR_CHATTER,
                          "what a condition of multipliers switches takes the condition back: the "
                          "multiplier of %s goes from %.6g to %.6g, and neither branch holds%s",
                          name, before[row], behind[row],
                          s->switches.changes > TRMI_MAX_FIRES ? " for long" : "");
}

// Both branches drive the multipliers back: they change again and again, and the run comes no
// further.
static bool chatters(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    if (w->changes == 0 || s->now.t - w->changed_since > trmi_chatter_time(s, s->now.t)) {
        w->changes = 0;
        w->changed_since = s->now.t;
    }
    return ++w->changes > TRMI_MAX_FIRES;
}

bool trmi_change_branches(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    double *lock = s->e.held + s->e.user.first_lock;
    bool any = false;
    for (int i = 0; i < w->count; i++) {
        w->marked[i] = w->solved[i] && lock[i] != 0 && w->gap[i] <= 0;
        any = any || w->marked[i];
    }
    if (any)
        keep_multipliers(s);
    for (int i = 0; i < w->count && any; i++) {
        int other = w->marked[i] ? trmi_opposite_gap(w->gap, w->count, i) : -1;
        lock[i] = w->marked[i] ? 0 : lock[i];
        if (other >= 0)
            lock[other] = 1;
    }
    return any;
}

trm_status trmi_check_branches(trm_simulation *s)
{
    const trmi_switches *w = &s->switches;
    for (int i = 0; i < w->count; i++)
        if (w->marked[i] && w->gap[i] > 0)
            return report_contradiction(s);
    return chatters(s) ? report_contradiction(s) : TRM_OK;
}
