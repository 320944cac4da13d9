// SPDX-License-Identifier: Apache-2.0
// Which member of auto runs: trials, and who goes on after them or after a failure.
#include "solver/integrator/auto/auto.h"

#include "base/error.h"
#include "solver/integrator/log.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// the incumbent does so many times the work of a lost trial before the next one
static const double WAIT = 20;
// steps that become cheaper by less have found their length
static const double FALLS = 0.8;
// Work of a trial before the first one. A lost trial of radau-adaptive needs 57 in the mean of 23
// examples, of explicit 14, of bdf 82: the first of radau-adaptive comes after ten times its cost.
static const double FIRST_TRIAL[TRMI_MEMBERS] = {
    [TRMI_MEMBER_EXPLICIT] = 30, [TRMI_MEMBER_RADAU] = 30, [TRMI_MEMBER_BDF] = 100};

int trmi_auto_first(const trmi_auto *a)
{
    int k = 0;
    while (k < TRMI_MEMBERS - 1 && !a->member[k].admitted)
        k++;
    return k;
}

// A member that was refused may try as soon as the other comes to need more than it would.
static void note_refusal(trmi_auto *a, trmi_member *m, double spent)
{
    m->lost = m->lost > 0 ? m->lost : 1;
    m->wait = fmax(spent, 1);
    m->left = a->total;
}

// The first member after the active one that does not begin badly, or the last.
static trm_status begin_another(trm_simulation *s, trmi_auto *a, double t_end)
{
    trm_status status = TRM_OK;
    double before = trmi_auto_counted_work(&s->statistics);
    bool bad = trmi_auto_begins_badly(s, a, s->control.h);
    for (int k = a->active + 1; k < TRMI_MEMBERS && status == TRM_OK && bad; k++) {
        if (!a->member[k].admitted)
            continue;
        note_refusal(a, &a->member[a->active], trmi_auto_counted_work(&s->statistics) - before);
        a->incumbent = k;
        status = trmi_auto_activate(s, a, k);
        if (status == TRM_OK)
            status = trmi_auto_begin_member(s, a, t_end);
        before = trmi_auto_counted_work(&s->statistics);
        bad = status == TRM_OK && trmi_auto_begins_badly(s, a, s->control.h);
    }
    return status;
}

// A member that has run goes on after a restart without a question: its first step shows as much.
// The equations may be others: verdicts about stability count no more, and what steps have cost
// only until those behind the restart show it.
trm_status trmi_auto_begin(trm_simulation *s, double t_end)
{
    trmi_auto *a = trmi_auto_of(s);
    trm_status status = trmi_auto_begin_member(s, a, t_end);
    a->question = a->total;
    for (int k = 0; k < TRMI_MEMBERS; k++) {
        a->member[k].judged = false;
        a->member[k].recent = (trmi_need){.last = a->member[k].recent.last};
    }
    bool known = a->member[a->active].steps > 0;
    return status == TRM_OK && !known ? begin_another(s, a, t_end) : status;
}

// Accelerations of bdf are differences of velocities, those that others begin with follow from the
// forces. Where there are none, close to lost rank, the differences stay.
static void find_accelerations(trm_simulation *s)
{
    trmi_point *p = &s->corrector.point; // scratch between steps
    trm_error error;
    trmi_error_clear(&error);
    trmi_copy_point(&s->e, &s->now, p);
    if (trmi_accelerations(&s->manifold, p, &error) == TRM_OK)
        memcpy(s->now.a, p->a, (size_t)s->e.n_q * sizeof *p->a);
}

// A member goes on from the present point, one-step methods with the step they had planned when
// they stopped or, the first time, that of the one before.
static trm_status switch_to(trm_simulation *s, trmi_auto *a, int member, double t_end)
{
    trmi_member *m = &a->member[member];
    double h_typical = s->control.h_typical, h = m->h > 0 ? m->h : s->control.h;
    if (s->method->multistep)
        find_accelerations(s);
    trm_status status = trmi_auto_activate(s, a, member);
    trmi_corrector_reset(&s->corrector);
    trmi_update_reset(&s->corrector.update);
    if (status == TRM_OK)
        status = trmi_auto_begin_member(s, a, t_end);
    if (status != TRM_OK)
        return status;
    if (s->method->join)
        s->method->join(s);
    s->control.h_typical = h_typical;
    if (!s->method->multistep)
        s->control.h = fmin(h, s->options.h_max);
    m->recent = (trmi_need){0};
    trmi_log(s, TRM_LOG_DEBUG, "t = %.9g: %s goes on", s->now.t, s->method->name);
    return TRM_OK;
}

// ---- trials ----

// It has not been tried yet.
static bool is_fresh(const trmi_member *m)
{
    return m->lost == 0 && m->steps == 0;
}

// Whether stability limits the steps of the active member: the next one is beyond half of the
// boundary. The signs that steps show are often wrong: a wrong one waits as a trial does.
static bool is_limited(trm_simulation *s, trmi_auto *a)
{
    double h = 2 * s->control.h, before = trmi_auto_counted_work(&s->statistics);
    bool limited = s->method->stable_step(s, h) < h;
    a->question = a->total + WAIT * (trmi_auto_counted_work(&s->statistics) - before);
    return limited;
}

// Whether what the active member needs is known: it has done the steps that show it since the start
// or the last restart, and they do not become longer any more.
static bool has_settled(const trm_simulation *s, const trmi_auto *a, double time)
{
    return trmi_steps_since_start(s) >= trmi_auto_learning(a->active) &&
           !(time < FALLS * s->control.h);
}

// The work that others do before the next trial of a member: little where it promises to need less
// than the active one, if that is known (settled).
static double wait_of(const trmi_auto *a, int k, bool settled)
{
    const trmi_member *m = &a->member[k];
    bool promises = settled && trmi_auto_cost_of(m) < trmi_auto_cost_of(&a->member[a->active]);
    return is_fresh(m) ? WAIT * FIRST_TRIAL[k] : (promises ? 1 : WAIT) * m->wait;
}

// Whether a member may take part in a trial; bdf, of lower order, is for stiff machines: where
// radau-adaptive has won.
static bool may_try(const trmi_auto *a, int k)
{
    const trmi_member *m = &a->member[k];
    bool suits = k != TRMI_MEMBER_BDF || a->active == TRMI_MEMBER_RADAU;
    return k != a->active && suits && m->admitted && !m->failed;
}

// The next member whose trial is due after a step of this length, -1: none. A verdict from before
// stability limited the active one is out of date.
static int due(trm_simulation *s, trmi_auto *a, double time)
{
    bool sign = s->method->stable_step && trmi_appears_stiff(s);
    bool settled = has_settled(s, a, time);
    for (int k = 0; k < TRMI_MEMBERS; k++) {
        const trmi_member *m = &a->member[k];
        if (!may_try(a, k))
            continue;
        bool fresh = is_fresh(m), waited = a->total >= m->left + wait_of(a, k, settled);
        bool open = sign && !m->judged && a->total >= a->question;
        if (!waited && !open)
            continue;
        a->limited = sign && is_limited(s, a);
        if (waited || fresh || a->limited)
            return k;
    }
    return -1;
}

// The books after a trial: when the loser may try again.
static void note_trial(trm_simulation *s, trmi_auto *a, bool won)
{
    trmi_member *tried = &a->member[a->active], *incumbent = &a->member[a->incumbent];
    trmi_member *loser = won ? incumbent : tried;
    trmi_log(s, TRM_LOG_INFO, "auto: t = %.9g: %s needs %.3g per second, %s %.3g: %s goes on",
             s->now.t, tried->method.name, trmi_auto_cost_of(tried), incumbent->method.name,
             trmi_auto_cost_of(incumbent), won ? tried->method.name : incumbent->method.name);
    loser->lost = won ? 0 : loser->lost + 1;
    double beyond = a->spent - (won ? 0 : trmi_auto_cost_of(incumbent) * a->covered);
    loser->wait = fmax(beyond, 1) * ldexp(1, loser->lost);
    loser->left = a->total;
    loser->judged = a->limited;
    if (won)
        tried->lost = 0;
}

// The incumbent has a right to its place until another one is better.
static trm_status end_trial(trm_simulation *s, trmi_auto *a, bool won, double t_end)
{
    note_trial(s, a, won);
    if (won) {
        a->incumbent = a->active;
        return TRM_OK;
    }
    trmi_member *incumbent = &a->member[a->incumbent];
    const trmi_need known = incumbent->recent;
    trm_status status = switch_to(s, a, a->incumbent, t_end);
    incumbent->recent = known;
    return status;
}

// The work per time that the incumbent is expected to need where a trial of this member begins: by
// its last steps or by the step it plans here, whichever is less, so that a stretch that has become
// easy wins no trial. What is on the way wins others, in favour of either: where both have been the
// incumbent before, their means over these times, which contain many stretches, weigh as much as
// what the trial shows.
static double expected_cost(const trm_simulation *s, const trmi_auto *a, int member)
{
    const trmi_member *m = &a->member[a->incumbent];
    const trmi_expense *own = &m->reign, *other = &a->member[member].reign;
    double planned = m->recent.last.work / (m->recent.last.steps * s->control.h);
    double cost =
        m->recent.last.steps > 0 ? fmin(trmi_auto_cost_of(m), planned) : trmi_auto_cost_of(m);
    return own->time > 0 && other->time > 0
               ? cost * trmi_auto_rate_of(own) / trmi_auto_rate_of(other)
               : cost;
}

// A trial that begins badly ends before its first step: the incumbent goes on with its
// past. What began in the meantime wrote only into the point that is scratch between steps.
static trm_status begin_trial(trm_simulation *s, trmi_auto *a, int member, double t_end)
{
    const trmi_history past = s->history;
    const trmi_control control = s->control;
    a->spent = a->covered = a->work_last = a->time_last = 0;
    a->trial_steps = 0;
    a->expected = expected_cost(s, a, member);
    trmi_auto_keep_point(s, a);
    // the step with which it would need as much as the incumbent, if each has as many evaluations
    double even =
        a->member[member].method.evaluations / trmi_auto_cost_of(&a->member[a->incumbent]);
    trm_status status = switch_to(s, a, member, t_end);
    bool bad = status == TRM_OK && trmi_auto_begins_badly(s, a, even);
    if (even > 0)
        s->control.h = fmin(even, s->options.h_max);
    if (status != TRM_OK || !bad)
        return status;
    a->spent = trmi_auto_counted_work(&s->statistics) - a->work_seen;
    note_trial(s, a, false);
    s->history = past;
    s->control = control;
    trmi_bind_points(s);
    status = trmi_auto_activate(s, a, a->incumbent);
    trmi_update_weights(s);
    return status;
}

// The work per time from which a trial is lost. Between this and the expected cost it is neither
// won nor lost until its mean has as many steps as that of the incumbent.
static double dear_from(const trmi_auto *a)
{
    return fmax(a->expected, trmi_auto_cost_of(&a->member[a->incumbent]));
}

// Whether the next steps of the trial, after one of this cost, will be dear. A one-step method
// plans the next one by the error of this one, and what an attempt costs is known: the first shows
// it, unless the next one is longer. Explicit steps at the limit of stability have left it a point
// that swings, which its first step damps: the second shows it there, one more after each loss. bdf
// first raises its order.
static bool stays_dear(const trm_simulation *s, const trmi_auto *a, double cost, double time)
{
    int damping = a->limited ? 1 + a->member[a->active].lost : 0;
    double h = s->control.h, attempt = a->work_seen - a->attempted;
    bool improves = time < FALLS * h || attempt < dear_from(a) * h;
    if (!s->method->multistep)
        return a->trial_steps > damping && !improves;
    bool falls = a->time_last > 0 && cost < FALLS * a->work_last / a->time_last;
    return a->trial_steps >= trmi_auto_learning(a->active) && !falls;
}

// A trial goes on for as long as its steps are cheaper than those of the incumbent, or the next
// ones will be.
static trm_status go_on_trial(trm_simulation *s, trmi_auto *a, double work, double time,
                              double t_end)
{
    double cost = work / time, mean = trmi_auto_cost_of(&a->member[a->active]);
    a->spent += work;
    a->covered += time;
    a->trial_steps++;
    bool dear = stays_dear(s, a, cost, time) && !(fmin(cost, mean) < dear_from(a));
    a->work_last = work;
    a->time_last = time;
    bool cheap = a->trial_steps > 1 && fmax(cost, mean) < a->expected;
    if (cheap || (a->trial_steps >= trmi_auto_steps_of_mean(a->active) && mean < dear_from(a)))
        return end_trial(s, a, true, t_end);
    return dear ? end_trial(s, a, false, t_end) : TRM_OK;
}

// ---- failures ----

// Another member tries: after a failed trial from where that began, the incumbent first; otherwise
// from the last point that was reached.
static trm_status replace_failed(trm_simulation *s, trmi_auto *a, trm_status status, double t_end)
{
    const trm_error error = s->error;
    trmi_member *failed = &a->member[a->active];
    bool lost = status == TRM_ERR_MEMORY || status == TRM_ERR_CALLBACK;
    bool trial = a->active != a->incumbent;
    double t = s->now.t;
    int first = trial ? a->incumbent : 0;
    failed->failed = true;
    failed->lost++;
    failed->wait = FIRST_TRIAL[a->active] * ldexp(1, failed->lost);
    failed->left = a->total;
    failed->recent = (trmi_need){0};
    if (trial && !lost)
        trmi_auto_go_back(s, a);
    for (int i = 0; i < TRMI_MEMBERS && !lost; i++) {
        int k = (first + i) % TRMI_MEMBERS;
        if (!a->member[k].admitted || a->member[k].failed)
            continue;
        trmi_error_clear(&s->error);
        trmi_log(s, TRM_LOG_INFO, "auto: t = %.9g: %s fails (%s), %s goes on from t = %.9g", t,
                 failed->method.name, trm_status_text(status), a->member[k].method.name, s->now.t);
        const trmi_need recent = a->member[k].recent;
        bool known = trial && k == a->incumbent;
        a->incumbent = k;
        if (switch_to(s, a, k, t_end) == TRM_OK) {
            a->member[k].recent = known ? recent : (trmi_need){0};
            return TRM_OK;
        }
        a->member[k].failed = true;
    }
    s->error = error;
    return status;
}

trm_status trmi_auto_hand_over(trm_simulation *s, double t_end, trm_status status)
{
    trmi_auto *a = trmi_auto_of(s);
    if (status != TRM_OK)
        return replace_failed(s, a, status, t_end);
    long steps = s->statistics.steps;
    if (s->points.place != TRMI_AT_NEWEST || steps == a->steps_seen)
        return TRM_OK;
    double time, work = trmi_auto_note_steps(s, a, &time);
    if (a->active != a->incumbent)
        return go_on_trial(s, a, work, time, t_end);
    int next = due(s, a, time);
    return next < 0 ? TRM_OK : begin_trial(s, a, next, t_end);
}
