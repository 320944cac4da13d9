// SPDX-License-Identifier: Apache-2.0
// Values held between steps. Before a step the system is given the newest point and may change
// them: turns are counted, a rotation chart gets a new centre. Then coordinates mean something
// else, and every point of the past is re-expressed, so that the polynomials go through the same
// motion. What is asked about the inside of the last step comes before, in the old coordinates.
#include "solver/integrator/settle.h"

#include "base/error.h"
#include "solver/integrator/log.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <limits.h>
#include <string.h>

static int reexpress(trm_simulation *s, const trmi_recentring *r, double *q, double *v, double *a)
{
    const trm_system *u = &s->e.user;
    return u->reexpress(r->from, r->to, q, v, a, u->user);
}

// copy: q and v in other coordinates; a (may be NULL) itself
static int try_point(trm_simulation *s, const trmi_recentring *r, const double *q, const double *v,
                     double *a, double *copy)
{
    size_t n = (size_t)s->e.n_q;
    memcpy(copy, q, n * sizeof *q);
    memcpy(copy + n, v, n * sizeof *v);
    return reexpress(s, r, copy, copy + n, a);
}

bool trmi_reexpress_values(trm_simulation *s, const trmi_recentring *r, double *y)
{
    return reexpress(s, r, y, y + s->e.n_q, NULL) == 0;
}

void trmi_reexpress_acceleration(trm_simulation *s, const trmi_recentring *r, const double *q,
                                 const double *v, double *a)
{
    double *copy = trmi_scratch_take(&s->scratch, 2 * s->e.n_q);
    try_point(s, r, q, v, a, copy);
    trmi_scratch_release(&s->scratch, copy);
}

// which coordinates mean something else now: q and its copy in the new ones differ
static void mark_turning(trm_simulation *s, const double *q, const double *copy)
{
    for (int i = 0; i < s->e.n_q; i++)
        if (copy[i] != q[i] && s->turns[i] < UCHAR_MAX)
            s->turns[i]++;
}

// how many of the newest points have coordinates in the new charts
static int count_expressible(trm_simulation *s, const trmi_recentring *r)
{
    double *copy = trmi_scratch_take(&s->scratch, 2 * s->e.n_q);
    int count = 0;
    for (; count < s->history.count; count++) {
        const trmi_point p = trmi_past_point(s, count);
        if (try_point(s, r, p.q, p.v, NULL, copy) != 0)
            break;
        if (count == 0)
            mark_turning(s, p.q, copy);
    }
    trmi_scratch_release(&s->scratch, copy);
    return count;
}

// every point that the next step needs, and the present one
static void reexpress_all(trm_simulation *s, const trmi_recentring *r)
{
    bool outside = s->points.place != TRMI_AT_NEWEST; // a glide has arrays of its own
    if (s->method->reexpress)
        s->method->reexpress(s, r);
    trmi_reexpress_acceleration(s, r, s->now.q, s->now.v, s->now.a);
    for (int i = 0; i < s->history.count; i++)
        trmi_reexpress_values(s, r, s->history.y[i]);
    if (outside)
        reexpress(s, r, s->now.q, s->now.v, NULL);
}

void trmi_extend_derivatives(trm_simulation *s, double t_end)
{
    int failed = trmi_derivatives_extend(&s->corrector.derivatives, &s->now, t_end);
    if (failed > 0)
        trmi_log(s, TRM_LOG_WARNING,
                 "jacobian_update = extended: the derivatives cannot be evaluated with %d of the "
                 "excitations moved; they do not follow these",
                 failed);
}

static trm_status refuse(trm_simulation *s, const char *text)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, TRM_ERR_CALLBACK, "%s", text);
}

static trm_status recentre(trm_simulation *s, const double *ahead, double t_end)
{
    const trmi_recentring r = {s->e.held, ahead};
    if (!s->e.user.reexpress)
        return refuse(s, "settle changed the coordinates, but there is no callback reexpress");
    int expressible = count_expressible(s, &r);
    if (expressible == 0)
        return refuse(s, "reexpress found no coordinates for the newest point");
    s->history.count = expressible;
    trmi_sensitivities_reexpress(s, &r);
    reexpress_all(s, &r);
    memcpy(s->e.held, r.to, (size_t)s->e.user.n_held * sizeof *r.to);
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
    const double *lambda = trmi_all_multipliers(s, p.lambda);
    const trm_state state = {p.t, p.q, p.v, s->now.a, p.x, p.z, lambda, s->values.input, e->held};
    double *ahead = trmi_scratch_take(&s->scratch, u->n_held);
    trm_status status = TRM_OK;
    memcpy(ahead, e->held, (size_t)u->n_held * sizeof *ahead);
    switch (u->settle(&state, ahead, u->user)) {
    case 0:
        break;
    case 1:
        memcpy(e->held, ahead, (size_t)u->n_held * sizeof *ahead);
        break;
    case 2:
        status = recentre(s, ahead, t_end);
        break;
    default:
        status = refuse(s, "the callback settle asked to stop");
    }
    trmi_scratch_release(&s->scratch, ahead);
    return status;
}
