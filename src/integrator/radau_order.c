// SPDX-License-Identifier: Apache-2.0
// The number of stages, from 3, 5 and 7 (orders 5, 9 and 13). More stages mean longer steps as long
// as Newton converges well over them, so its contraction decides:
//
//     begin with 3; two more after 3 accepted steps whose iteration contracts well; two less after
//     two failures of Newton, and then no more for a while.
//
// At loose tolerances steps are too long for high orders to mean anything: the tolerance bounds
// the number of stages.
#include "integrator/simulation.h"

#include <limits.h>

enum { STEPS_BEFORE_RAISE = 3, FAILURES_BEFORE_CHANGE = 2, ATTEMPTS_BLOCKED = 20 };
// failures are forgotten one by one with every step after so many with these stages
enum { STEPS_OF_TRUST = 10 };
static const double RATE_GOOD = 0.2;
// relative tolerances above which 3, and 5, stages are the most
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
    trmi_radau *r = s->radau;
    for (int k = 0; k < TRMI_RADAU_FAMILIES; k++)
        trmi_radau_tableau_fill(&r->family[k], 3 + 2 * k);
    bool constant = s->options.h_fixed > 0;
    int most = family_of_order(s->options.max_order);
    int useful = constant ? most : family_of_tolerance(s->options.rtol);
    r->order.most = useful < most ? useful : most;
    r->order.least = constant ? r->order.most : 0;
    r->tableau = r->past.tableau = &r->family[r->order.least];
}

void trmi_radau_use_family(trm_simulation *s, int family)
{
    trmi_radau *r = s->radau;
    r->tableau = &r->family[family];
    r->order.now = family;
    r->order.since = 0;
    r->h_factored = 0;
    s->control.k = 2 * r->tableau->s - 1;
}

void trmi_radau_order_begin(trm_simulation *s)
{
    trmi_radau_order *order = &s->radau->order;
    order->failures = order->blocked = 0;
    trmi_radau_use_family(s, order->least);
}

void trmi_radau_order_accepted(trm_simulation *s)
{
    trmi_radau_order *order = &s->radau->order;
    order->since++;
    order->blocked -= order->blocked > 0;
    bool bad = order->failures >= FAILURES_BEFORE_CHANGE;
    bool good = order->since >= STEPS_BEFORE_RAISE && s->radau->newton.rate < RATE_GOOD &&
                order->blocked == 0;
    if (bad) {
        order->failures = 0;
        order->blocked = ATTEMPTS_BLOCKED;
    }
    if (order->since > STEPS_OF_TRUST && order->failures > 0)
        order->failures--;
    if (bad && order->now > order->least)
        trmi_radau_use_family(s, order->now - 1);
    else if (!bad && good && order->now < order->most)
        trmi_radau_use_family(s, order->now + 1);
}

void trmi_radau_order_failed(trm_simulation *s)
{
    s->radau->order.failures++;
    s->radau->order.blocked -= s->radau->order.blocked > 0;
}

void trmi_radau_order_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_radau *r = s->radau;
    trmi_radau_order *order = &r->order;
    int now = order->now, past = (int)(r->past.tableau - r->family);
    trmi_archive_int(a, &now, order->least, order->most);
    trmi_archive_int(a, &past, order->least, order->most);
    trmi_archive_int(a, &order->since, 0, INT_MAX);
    trmi_archive_int(a, &order->failures, 0, INT_MAX);
    trmi_archive_int(a, &order->blocked, 0, INT_MAX);
    if (!a->loading || a->status != TRM_OK)
        return;
    order->now = now;
    r->tableau = &r->family[now];
    r->past.tableau = &r->family[past];
}
