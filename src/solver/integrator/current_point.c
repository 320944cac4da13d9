// SPDX-License-Identifier: Apache-2.0
// The place of the present point: at the newest point of the history (before the first step: at the
// start, in its place), beyond it after a glide, or inside the last step at an event. The arrays
// stay where they are, `now` points to them.
#include "solver/integrator/current_point.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <string.h>

// The arrays of a point of the history, [q | v | x | z] and its multipliers; accelerations apart
static void bind(const trm_simulation *s, trmi_point *p, double *y, double *multipliers)
{
    const trmi_evaluator *e = &s->e;
    p->q = y;
    p->v = p->q + e->n_q;
    p->x = p->v + e->n_q;
    p->z = p->x + e->n_x;
    p->lambda = multipliers;
}

trmi_point trmi_past_point(const trm_simulation *s, int i)
{
    const trmi_history *history = &s->history;
    trmi_point p = {.t = history->t[i]};
    bind(s, &p, history->y[i], i < history->multiplier_points - 1 ? history->m[i] : NULL);
    return p;
}

void trmi_copy_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)e->n_q * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)e->n_q * sizeof *to->v);
    memcpy(to->x, from->x, (size_t)e->n_x * sizeof *to->x);
    memcpy(to->z, from->z, (size_t)e->n_z * sizeof *to->z);
    memcpy(to->lambda, from->lambda, (size_t)e->n_r * sizeof *to->lambda);
}

bool trmi_points_create(trm_simulation *s)
{
    bool good = TRMI_TAKE(&s->memory, s->now.a, s->e.n_q) &&
                TRMI_TAKE(&s->memory, s->corrector.point.a, s->e.n_q);
    if (good)
        trmi_bind_points(s);
    return good;
}

// Few runs have a stop close to a step: memory is taken for the first one.
trm_status trmi_glide_create(trm_simulation *s)
{
    const trmi_history *history = &s->history;
    double *y;
    if (s->points.glided.q)
        return TRM_OK;
    if (!TRMI_TAKE(&s->memory, y, history->size + s->e.n_r_full + 1)) {
        trmi_error_clear(&s->error);
        s->error.t = s->now.t;
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for a point between steps");
    }
    bind(s, &s->points.glided, y, y + history->size);
    return TRM_OK;
}

void trmi_bind_points(trm_simulation *s)
{
    const trmi_history *history = &s->history;
    bind(s, &s->corrector.point, history->y[history->points - 1],
         history->m[history->multiplier_points - 1]);
    trmi_move_to(s, TRMI_AT_NEWEST);
}

// The corrector works in the oldest point of the history, which no polynomial needs any more: to
// accept is to turn the ring, and to exchange accelerations.
void trmi_take_point(trm_simulation *s, double t)
{
    double *a = s->now.a;
    trmi_history_push(&s->history, t);
    s->now.a = s->corrector.point.a;
    s->corrector.point.a = a;
    trmi_bind_points(s);
}

// A detour has its own accelerations; all other places share one array, which accepting a step
// exchanges with that of the corrector.
void trmi_move_to(trm_simulation *s, trmi_point_place place)
{
    double *a = s->points.place == TRMI_AT_DETOUR ? s->points.way_a : s->now.a;
    trmi_point_place from = s->points.place == TRMI_AT_DETOUR ? s->points.way : s->points.place;
    switch (place) {
    case TRMI_AT_GLIDE:
        s->now = s->points.glided;
        break;
    case TRMI_AT_NEWEST:
        s->now = trmi_past_point(s, 0);
        break;
    case TRMI_AT_DETOUR:
        s->points.way = from;
        s->points.way_a = a;
        s->now = s->points.detour;
        a = s->points.detour.a;
        break;
    }
    s->now.a = a;
    s->points.place = place;
}

void trmi_end_detour(trm_simulation *s)
{
    if (s->points.place == TRMI_AT_DETOUR)
        trmi_move_to(s, s->points.way);
}

long trmi_steps_since_start(const trm_simulation *s)
{
    return s->statistics.steps - s->points.steps_before;
}

trmi_point *trmi_restart_point(trm_simulation *s, double t)
{
    trmi_point *p = &s->corrector.point;
    trmi_copy_point(&s->e, &s->now, p);
    p->t = t;
    memset(p->a, 0, (size_t)s->e.n_q * sizeof *p->a);
    return p;
}
