// SPDX-License-Identifier: Apache-2.0
// The life of auto: its members, who is active, checkpoints.
#include "solver/integrator/auto/auto.h"

#include "base/error.h"
#include "base/integrators.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/choose.h"
#include "solver/integrator/explicit/explicit.h"
#include "solver/integrator/radau/radau.h"
#include "solver/integrator/weights.h"

// of the members, in the order of their names
static const struct {
    trm_integrator integrator;
    const trmi_method *method;
} preset[TRMI_MEMBERS] = {
    [TRMI_MEMBER_EXPLICIT] = {TRM_INTEGRATOR_EXPLICIT, &trmi_method_explicit},
    [TRMI_MEMBER_RADAU] = {TRM_INTEGRATOR_RADAU_ADAPTIVE, &trmi_method_radau_adaptive},
    [TRMI_MEMBER_BDF] = {TRM_INTEGRATOR_BDF, &trmi_method_bdf}};

// The member that s->method belongs to; before the first step that is auto itself.
trmi_auto *trmi_auto_of(const trm_simulation *s)
{
    if (s->method == &trmi_method_auto)
        return s->state;
    return s->method->hand_over == trmi_auto_hand_over
               ? ((const trmi_member *)(const void *)s->method)->owner
               : NULL;
}

// ---- members ----

// Memory of a member. That of radau-adaptive is large: it is taken when it is first needed.
static trm_status create_member(trm_simulation *s, trmi_member *m)
{
    void *state = s->state;
    trm_status status = TRM_OK;
    if (m->created)
        return TRM_OK;
    s->state = NULL;
    if (!m->method.create(s))
        status = trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for integrator %s",
                                m->method.name);
    if (status == TRM_OK && m->method.prepare) {
        const char *solver = s->start.solver;
        status = m->method.prepare(s);
        s->start.solver = solver;
    }
    m->state = s->state;
    m->created = status == TRM_OK;
    s->state = state;
    return status;
}

trm_status trmi_auto_begin_member(trm_simulation *s, const trmi_auto *a, double t_end)
{
    trmi_update_weights(s);
    return preset[a->active].method->begin(s, t_end);
}

bool trmi_auto_begins_badly(trm_simulation *s, trmi_auto *a, double h)
{
    trmi_member *m = &a->member[a->active];
    if (!m->method.stable_step)
        return m->method.begins_badly && m->method.begins_badly(s);
    double stable = m->method.stable_step(s, h);
    if (!(stable < h))
        return false;
    m->recent = (trmi_need){.last = {m->method.evaluations, stable, 1}};
    return true;
}

trm_status trmi_auto_activate(trm_simulation *s, trmi_auto *a, int member)
{
    trmi_member *m = &a->member[member];
    trm_status status = create_member(s, m);
    if (status != TRM_OK)
        return status;
    a->active = member;
    s->method = &m->method;
    s->state = m->state;
    s->accuracy.max_order = trmi_usual_order(preset[member].method);
    s->accuracy.tightening = trmi_tightening_in_auto(preset[member].integrator, s->accuracy.rtol);
    return TRM_OK;
}

// ---- the functions of the table ----

static void history(const trm_simulation *s, int *points, int *multipliers)
{
    trmi_bdf_history(s, points, multipliers);
    int needed = trmi_usual_order(&trmi_method_bdf) + 2;
    *multipliers = *multipliers == *points ? needed : *multipliers;
    *points = needed;
}

static trm_status check(trm_simulation *s)
{
    trmi_auto *a = trmi_auto_of(s);
    const trmi_method *own = preset[a->active].method;
    trmi_auto_note_attempt(s, a);
    return own->check ? own->check(s) : TRM_OK;
}

static void destroy(trm_simulation *s)
{
    trmi_auto *a = trmi_auto_of(s);
    for (int k = 0; k < TRMI_MEMBERS; k++) {
        s->state = a->member[k].state;
        if (s->state && preset[k].method->destroy)
            preset[k].method->destroy(s);
    }
}

static void forget_derivatives(trm_simulation *s)
{
    const trmi_auto *a = trmi_auto_of(s);
    if (a->active >= 0 && preset[a->active].method->forget_derivatives)
        preset[a->active].method->forget_derivatives(s);
}

#define MEMBER(field) TRMI_FIELD(trmi_member, field)
static const trmi_field member_fields[] = {MEMBER(recent.last.work),
                                           MEMBER(recent.last.time),
                                           MEMBER(recent.last.steps),
                                           MEMBER(recent.since.work),
                                           MEMBER(recent.since.time),
                                           MEMBER(recent.since.steps),
                                           MEMBER(recent.taken),
                                           MEMBER(reign.work),
                                           MEMBER(reign.time),
                                           MEMBER(reign.steps),
                                           MEMBER(h),
                                           MEMBER(wait),
                                           MEMBER(left),
                                           MEMBER(lost),
                                           MEMBER(failed),
                                           MEMBER(steps),
                                           MEMBER(elapsed),
                                           MEMBER(judged)};

#define AUTO(field) TRMI_FIELD(trmi_auto, field)
static const trmi_field auto_fields[] = {
    AUTO(total),     AUTO(expected),  AUTO(spent),      AUTO(covered),   AUTO(trial_steps),
    AUTO(work_last), AUTO(time_last), AUTO(steps_seen), AUTO(work_seen), AUTO(attempted),
    AUTO(t_seen),    AUTO(limited),   AUTO(question)};

// A member that is not active keeps what does not begin again when it takes over: splits, matrices.
static void archive_member(trm_simulation *s, trmi_member *m, trmi_archive *archive)
{
    bool created = m->created;
    TRMI_ARCHIVE_FIELDS(archive, m, member_fields);
    trmi_archive_bool(archive, &created);
    if (archive->status == TRM_OK && created)
        archive->status = create_member(s, m);
    s->state = m->state;
    const trmi_method *own = preset[m - m->owner->member].method;
    if (archive->loading && m->created && !created) { // it had not run yet
        if (own->destroy)
            own->destroy(s);
        m->created = false;
        m->state = NULL;
    }
    if (archive->status == TRM_OK && created && own->archive)
        own->archive(s, archive);
}

static void archive_state(trm_simulation *s, trmi_archive *archive)
{
    trmi_auto *a = trmi_auto_of(s);
    const trmi_method *method = s->method;
    void *state = s->state;
    int active = a->active;
    trmi_archive_int(archive, &active, -1, TRMI_MEMBERS - 1);
    trmi_archive_int(archive, &a->incumbent, -1, TRMI_MEMBERS - 1);
    TRMI_ARCHIVE_FIELDS(archive, a, auto_fields);
    trmi_auto_archive_point(s, a, archive);
    for (int k = 0; k < TRMI_MEMBERS; k++)
        archive_member(s, &a->member[k], archive);
    s->method = method;
    s->state = state;
    if (!archive->loading || archive->status != TRM_OK)
        return;
    bool chosen = active >= 0 && a->incumbent >= 0;
    if (!chosen && (active >= 0 || s->control.started)) {
        archive->status = TRM_ERR_RANGE;
    } else if (chosen) {
        archive->status =
            a->member[active].admitted ? trmi_auto_activate(s, a, active) : TRM_ERR_RANGE;
    } else {
        a->active = active;
        s->method = &trmi_method_auto;
        s->state = a;
    }
}

// Of the members that have run, in their order.
static bool share_of(const trm_simulation *s, int index, trm_method_share *share)
{
    const trmi_auto *a = trmi_auto_of(s);
    for (int k = 0; k < TRMI_MEMBERS; k++) {
        const trmi_member *m = &a->member[k];
        bool active = k == a->active;
        long steps = m->steps + (active ? s->statistics.steps - a->steps_seen : 0);
        if (steps == 0 || index-- > 0)
            continue;
        *share = (trm_method_share){preset[k].method->name, steps,
                                    m->elapsed + (active ? s->now.t - a->t_seen : 0)};
        return true;
    }
    return false;
}

// The table of a member: its own, with what concerns all of them.
static void fill_member(trm_simulation *s, trmi_auto *a, int k)
{
    trmi_member *m = &a->member[k];
    trm_options options = s->options;
    options.max_order = 0; // each has its own
    // explicit steps project onto invariants, which the manifold of the others does not keep
    bool invariants = k == TRMI_MEMBER_EXPLICIT && s->e.user.n_i > 0;
    m->owner = a;
    m->method = *preset[k].method;
    m->method.order_max = trmi_method_auto.order_max;
    m->method.hand_over = trmi_auto_hand_over;
    m->method.begin = trmi_auto_begin;
    m->method.check = check;
    m->method.archive = archive_state;
    m->method.destroy = destroy;
    m->method.share = share_of;
    m->admitted = trmi_integrator_admits(preset[k].integrator, &options) && !invariants;
}

static bool create(trm_simulation *s)
{
    trmi_auto *a;
    if (!TRMI_TAKE(&s->memory, a, 1) || !trmi_auto_create_point(s, a))
        return false;
    a->active = a->incumbent = -1;
    for (int k = 0; k < TRMI_MEMBERS; k++)
        fill_member(s, a, k);
    s->state = a;
    return true;
}

static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_auto *a = s->state;
    trm_status status = trmi_auto_activate(s, a, trmi_auto_first(a));
    a->incumbent = a->active;
    a->t_seen = s->now.t;
    if (status != TRM_OK)
        return status;
    return s->method->begin(s, t_end);
}

// Of all members together, as far as creation asks for it.
const trmi_method trmi_method_auto = {.name = "auto",
                                      .order_max = 13,
                                      .tightening = 1,
                                      .implicit = true,
                                      .multistep = true,
                                      .corrects = true,
                                      .watches_rank = true,
                                      .energy_advice = {TRMI_TIGHTEN, TRMI_TIGHTEN},
                                      .history = history,
                                      .create = create,
                                      .begin = begin,
                                      .dense = trmi_bdf_dense,
                                      .archive = archive_state,
                                      .share = share_of,
                                      .forget_derivatives = forget_derivatives,
                                      .destroy = destroy};
