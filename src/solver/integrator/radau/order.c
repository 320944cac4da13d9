// SPDX-License-Identifier: Apache-2.0
// The number of stages and the corrector. Stages are taken from 3, 5 and 7 (orders 5, 9, 13). More
// stages mean longer steps as long as Newton converges well over them, so its contraction decides:
//
//     begin with 3; two more after 3 accepted steps whose iteration contracts well;
//     two failures of Newton lately, or one where forces are stiff: one matrix for all stages
//     (stacked_stages.c), until a trial after some steps shows that one per shift would do again;
//     three failures in a row there: two stages less, and then no more for a while.
//
// At loose tolerances steps are too long for high orders to mean anything: the tolerance bounds
// the number of stages.
#include "solver/integrator/simulation.h"

#include "solver/integrator/log.h"
#include "solver/integrator/radau/radau.h"

enum { STEPS_BEFORE_RAISE = 3, ATTEMPTS_BLOCKED = 20, FAILURES_IN_A_ROW = 3 };
// Failures of Newton that are too many; every accepted step leaves nine tenths of their number, so
// that two in a row count as much as one every fifth step. One is enough where stiffness exceeds
// inertia so much over a step.
static const double MAX_FAILURES = 2, FORGETTING = 0.9, STIFF = 30;
// The coupled corrector is tried without after so many accepted steps, after some relapses later.
enum { COUPLED_STEPS = 30, RELAPSES = 3, COUPLED_LONG = 230 };
static const double RATE_GOOD = 0.2; // of an iteration that allows more stages, or no coupling
// relative tolerances above which at most 3, and 5, stages are used
static const double LOOSE = 3e-3, MODERATE = 3e-6;

// the most stages of at most this order, as a family
static int family_of_order(int order)
{
    return order >= 13 ? 2 : order >= 9 ? 1 : 0;
}

static int family_of_tolerance(double rtol)
{
    return rtol > LOOSE ? 0 : rtol > MODERATE ? 1 : 2;
}

void trmi_radau_order_create(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    for (int k = 0; k < TRMI_RADAU_FAMILIES; k++)
        trmi_radau_tableau_fill(&r->family[k], 3 + 2 * k);
    bool constant = !s->rule->adapts;
    int allowed = family_of_order(s->options.max_order);
    int useful = constant ? allowed : family_of_tolerance(s->options.rtol);
    r->order.max = useful < allowed ? useful : allowed;
    r->order.min = r->order.now = constant ? r->order.max : 0;
    r->tableau = r->past.tableau = &r->family[r->order.min];
}

void trmi_radau_use_family(trm_simulation *s, int family)
{
    trmi_radau *r = trmi_radau_of(s);
    r->tableau = &r->family[family];
    r->order.now = family;
    r->order.since = 0;
    r->h_factored = 0;
    s->control.k = 2 * r->tableau->s - 1;
}

// ---- the coupled corrector ----

// coupled steps take their derivatives at the beginning, others in the middle
static void use_other_set(trm_simulation *s)
{
    trmi_radau_of(s)->order.trial = false;
    trmi_radau_of(s)->set_wanted = true;
    trmi_radau_of(s)->h_factored = 0;
}

// one matrix for all stages of a family from now on; false: there is no memory for it
static bool couple(trm_simulation *s, int family)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    if (trmi_radau_of(s)->index1 ||
        order->denied) // rows of index 1 would need derivatives of gamma
        return false;
    order->stacked = trmi_radau_couple(s, family);
    order->denied = !order->stacked;
    order->left = order->returns >= RELAPSES ? COUPLED_LONG : COUPLED_STEPS;
    use_other_set(s);
    if (!order->stacked)
        trmi_log(s, TRM_LOG_WARNING, "t = %.9g: no memory for the matrix of all stages", s->now.t);
    return order->stacked;
}

static void decouple(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->stacked = false;
    order->returns++;
    order->failures = 0;
    use_other_set(s);
}

// After some coupled steps the next one is also tried without (trmi_radau_try_alone): where
// that would contract well, coupling has done its work. Leaving on trial and error instead would
// cost failures, and near the limit of Newton errors that no estimate sees.
static void reconsider_coupling(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    if (order->trial && order->rate_alone < RATE_GOOD) {
        decouple(s);
    } else if (order->trial) {
        order->left = COUPLED_STEPS;
        use_other_set(s);
    } else if (--order->left < 0) {
        order->trial = true;
        trmi_radau_of(s)->set_wanted = true;
    }
}

// ---- the rules ----

void trmi_radau_order_begin(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->failures = 0;
    order->returns = order->blocked = 0;
    order->stacked = order->trial = false;
    trmi_radau_use_family(s, order->min);
}

// stages for the next step; where they are coupled there must be memory for that
static void change_family(trm_simulation *s, int family)
{
    trmi_radau_use_family(s, family);
    if (trmi_radau_of(s)->order.stacked)
        trmi_radau_of(s)->order.stacked = trmi_radau_couple(s, family);
}

static void use_fewer_stages(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->blocked = ATTEMPTS_BLOCKED;
    if (order->now > order->min)
        change_family(s, order->now - 1);
}

// Two failures lately: one matrix for all stages. Where it is in use already Newton limits steps
// of any number of stages, and more of them are more accurate.
static void after_failures(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->failures = 0;
    if (order->stacked)
        return;
    if (couple(s, order->now))
        trmi_radau_of(s)->h_cap = 0; // what limited the step is gone
    else
        use_fewer_stages(s);
}

void trmi_radau_order_accepted(trm_simulation *s)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->since++;
    order->blocked -= order->blocked > 0;
    if (order->stacked)
        reconsider_coupling(s);
    if (order->failures >= MAX_FAILURES)
        after_failures(s);
    else if (order->now < order->max && order->since >= STEPS_BEFORE_RAISE &&
             trmi_radau_of(s)->newton.rate < RATE_GOOD && order->blocked == 0)
        change_family(s, order->now + 1);
    order->failures *= FORGETTING;
}

// whether a force that turns is likely to be what failed: it is stiff over the step
static bool is_stiff(const trm_simulation *s)
{
    const trmi_radau *r = trmi_radau_of(s);
    double alpha = r->tableau->real_shift / r->h_failed;
    return r->set_exists && trmi_shifted_stiffness(&r->matrix, alpha) > STIFF;
}

void trmi_radau_order_failed(trm_simulation *s, trmi_outcome reason)
{
    trmi_radau_order *order = &trmi_radau_of(s)->order;
    order->failures += reason == TRMI_OUTCOME_DIVERGED;
    order->blocked -= order->blocked > 0;
    if (!order->stacked && reason == TRMI_OUTCOME_DIVERGED && is_stiff(s) &&
        couple(s, order->now)) {
        order->failures = 0;
        s->control.h = trmi_radau_of(s)->h_failed; // what limited the step is gone
        trmi_radau_of(s)->h_cap = 0;
        return;
    }
    if (order->stacked && reason == TRMI_OUTCOME_SINGULAR) // the other corrector may do without
        decouple(s);
    else if (order->stacked && s->control.newton_failures % FAILURES_IN_A_ROW == 0)
        use_fewer_stages(s);
}

bool trmi_radau_order_rescue(trm_simulation *s)
{
    return !trmi_radau_of(s)->order.stacked && couple(s, trmi_radau_of(s)->order.now);
}

void trmi_radau_order_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_radau *r = trmi_radau_of(s);
    trmi_radau_order *order = &r->order;
    int now = order->now, past = (int)(r->past.tableau - r->family);
    trmi_archive_int(a, &now, order->min, order->max);
    trmi_archive_int(a, &past, order->min, order->max);
    trmi_archive_long(a, &order->since);
    trmi_archive_doubles(a, &order->failures, 1);
    trmi_archive_int(a, &order->blocked, 0, TRMI_COUNTER_MAX);
    trmi_archive_int(a, &order->left, -1, TRMI_COUNTER_MAX);
    trmi_archive_long(a, &order->returns);
    trmi_archive_bool(a, &order->stacked);
    trmi_archive_bool(a, &order->trial);
    if (!a->loading || a->status != TRM_OK)
        return;
    order->now = now;
    r->tableau = &r->family[now];
    r->past.tableau = &r->family[past];
}
