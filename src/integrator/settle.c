// SPDX-License-Identifier: Apache-2.0
// Values held between steps. Before a step the system looks at the newest point and may change
// them: turns are counted, a rotation chart gets a new centre. Then coordinates mean something
// else, and every point of the past is re-expressed, so that the polynomials go through the same
// motion. What is asked about the inside of the last step comes before, in the old coordinates.
#include "integrator/simulation.h"

#include "base/error.h"

#include <string.h>

static int reexpress(trm_simulation *s, const trmi_recentring *r, double *q, double *v, double *a)
{
    const trm_system *u = &s->e.user;
    return u->reexpress(r->from, r->to, q, v, a, u->user);
}

// q and v of a point, in s->level_q and s->level_v
static void copy_point(trm_simulation *s, const double *q, const double *v)
{
    memcpy(s->level_q, q, (size_t)s->e.n_q * sizeof *q);
    memcpy(s->level_v, v, (size_t)s->e.n_q * sizeof *v);
}

bool trmi_reexpress_values(trm_simulation *s, const trmi_recentring *r, double *y)
{
    return reexpress(s, r, y, y + s->e.n_q, NULL) == 0;
}

void trmi_reexpress_acceleration(trm_simulation *s, const trmi_recentring *r, const double *q,
                                 const double *v, double *a)
{
    copy_point(s, q, v);
    reexpress(s, r, s->level_q, s->level_v, a);
}

// how many of the newest points have coordinates in the new charts
static int count_expressible(trm_simulation *s, const trmi_recentring *r)
{
    for (int i = 0; i < s->history.count; i++) {
        const trmi_point p = trmi_past_point(s, i);
        copy_point(s, p.q, p.v);
        if (reexpress(s, r, s->level_q, s->level_v, NULL) != 0)
            return i;
    }
    return s->history.count;
}

// every point that the next step needs, and the present one
static void reexpress_all(trm_simulation *s, const trmi_recentring *r)
{
    bool outside = s->place != TRMI_AT_NEWEST; // a glide has arrays of its own
    if (s->method->reexpress)
        s->method->reexpress(s, r);
    trmi_reexpress_acceleration(s, r, s->now.q, s->now.v, s->now.a);
    for (int i = 0; i < s->history.count; i++)
        trmi_reexpress_values(s, r, s->history.y[i]);
    if (outside)
        reexpress(s, r, s->now.q, s->now.v, NULL);
}

static trm_status refuse(trm_simulation *s, const char *text)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, TRM_ERR_CALLBACK, "%s", text);
}

static trm_status recentre(trm_simulation *s, double t_end)
{
    const trmi_recentring r = {s->e.held, s->held_new};
    if (!s->e.user.reexpress)
        return refuse(s, "settle changed the coordinates, but there is no callback reexpress");
    int expressible = count_expressible(s, &r);
    if (expressible == 0)
        return refuse(s, "reexpress found no coordinates for the newest point");
    s->history.count = expressible;
    reexpress_all(s, &r);
    memcpy(s->e.held, s->held_new, (size_t)s->e.user.n_held * sizeof *s->held_new);
    trmi_update_reset(&s->corrector.update); // kept derivatives are those of other coordinates
    trmi_derivatives_reset(&s->corrector.derivatives, true);
    trmi_extend_derivatives(s, t_end);
    s->statistics.recentrings++;
    trmi_update_weights(s);
    bool alone = s->method->multistep && expressible < 2;
    return alone ? s->method->begin(s, t_end) : TRM_OK;
}

trm_status trmi_settle_held(trm_simulation *s, double t_end)
{
    const trmi_evaluator *e = &s->e;
    const trm_system *u = &e->user;
    if (!u->settle)
        return TRM_OK;
    const trmi_point p = trmi_past_point(s, 0);
    trmi_expand_rows(e, p.lambda, s->lambda_full);
    const trm_state state = {p.t, p.q, p.v, s->now.a, p.x, p.z, s->lambda_full, e->input, e->held};
    memcpy(s->held_new, e->held, (size_t)u->n_held * sizeof *s->held_new);
    switch (u->settle(&state, s->held_new, u->user)) {
    case 0:
        return TRM_OK;
    case 1:
        memcpy(e->held, s->held_new, (size_t)u->n_held * sizeof *s->held_new);
        return TRM_OK;
    case 2:
        return recentre(s, t_end);
    default:
        return refuse(s, "the callback settle asked to stop");
    }
}
