// SPDX-License-Identifier: Apache-2.0
// Where the present point stands: at the start, at the newest point of the history, beyond it after
// a glide, or inside the last step at an event. The arrays stay where they are, `now` points to
// them.
#include "integrator/simulation.h"

// The arrays of a point inside a point of the history, [q | v | x | z | lambda]; accelerations
// apart
static void bind(const trmi_evaluator *e, trmi_point *p, double *y)
{
    p->q = y;
    p->v = p->q + e->n_q;
    p->x = p->v + e->n_q;
    p->z = p->x + e->n_x;
    p->lambda = p->z + e->n_z;
}

trmi_point trmi_past_point(const trm_simulation *s, int i)
{
    trmi_point p = {.t = s->history.t[i]};
    bind(&s->e, &p, s->history.y[i]);
    return p;
}

// Those apart have one scratch array for accelerations; before the first step the corrector's
// arrays are scratch as well.
bool trmi_points_create(trm_simulation *s)
{
    trmi_memory *memory = &s->memory;
    const trmi_evaluator *e = &s->e;
    size_t count = (size_t)(2 * e->n_q + e->n_x + e->n_z + e->n_r_full + 1);
    for (int i = 0; i < 2; i++) {
        double *y;
        if (!TRMI_TAKE(memory, y, count))
            return false;
        bind(e, &s->apart[i], y);
    }
    bind(e, &s->corrector.point, s->history.y[s->history.points - 1]);
    if (!TRMI_TAKE(memory, s->apart[0].a, e->n_q) || !TRMI_TAKE(memory, s->now.a, e->n_q) ||
        !TRMI_TAKE(memory, s->corrector.point.a, e->n_q))
        return false;
    s->apart[1].a = s->apart[0].a;
    trmi_move_to(s, TRMI_AT_START);
    return true;
}

void trmi_bind_points(trm_simulation *s)
{
    bind(&s->e, &s->corrector.point, s->history.y[s->history.points - 1]);
    trmi_move_to(s, TRMI_AT_NEWEST);
}

// A detour has its own accelerations; all other places share one array, which accepting a step
// exchanges with that of the corrector.
void trmi_move_to(trm_simulation *s, trmi_place place)
{
    double *a = s->place == TRMI_AT_DETOUR ? s->way_a : s->now.a;
    trmi_place from = s->place == TRMI_AT_DETOUR ? s->way : s->place;
    switch (place) {
    case TRMI_AT_START:
    case TRMI_AT_GLIDE:
        s->now = s->apart[s->apart_last];
        break;
    case TRMI_AT_NEWEST:
        bind(&s->e, &s->now, s->history.y[0]);
        s->now.t = s->history.t[0];
        break;
    case TRMI_AT_DETOUR:
        s->way = from;
        s->way_a = a;
        s->now = s->detour;
        a = s->detour.a;
        break;
    }
    s->now.a = a;
    s->place = place;
}

void trmi_end_detour(trm_simulation *s)
{
    if (s->place == TRMI_AT_DETOUR)
        trmi_move_to(s, s->way);
}

long trmi_steps_since_start(const trm_simulation *s)
{
    return s->statistics.steps - s->steps_before;
}
