// SPDX-License-Identifier: Apache-2.0
// Events: zero crossings of functions of the state. Each function has a sign where it was last
// evaluated; another sign at the end of a step is a crossing, which is located inside the step. The
// present point then makes a detour to it; the integration knows nothing of that and goes on from
// where it was, unless it is restarted.
#include "solver/integrator/events.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Chattering: an event that fires TRMI_MAX_FIRES times ...
// ... within this part of the time simulated so far, or whose intervals shrink this often in a row
// and are as short as that already: a ball that comes to rest bounces without end before its time
// is over
static const double CHATTER_TIME = 1e-5;
enum { MAX_SHRINKS = 2 };
static const double SHRINKS = 0.99;
// ... or that fires again within so many roundoffs of t, where two crossings cannot be
// distinguished
static const double CHATTER_ROUNDOFF = 1e4 * DBL_EPSILON;

// The sign a little after the present point, for functions that are zero there or were just
// crossed: from this many roundoffs of t up to this part of a step, each time this much further,
// until the function grows in proportion
static const double MIN_AHEAD = 128 * DBL_EPSILON, MAX_AHEAD = 1e-3, AHEAD_FACTOR = 8;

// ---- what is watched ----

static trm_status refuse(trm_simulation *s, trm_status status, const char *text)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, status, "%s", text);
}

static trm_status check_events(trm_simulation *s, const trm_events *events)
{
    if (events->count < 0)
        return refuse(s, TRM_ERR_RANGE, "the number of events is negative");
    if (events->count > 0 && !events->function)
        return refuse(s, TRM_ERR_RANGE, "events have no function");
    for (int i = 0; i < events->count && events->direction; i++)
        if (events->direction[i] < -1 || events->direction[i] > 1)
            return refuse(s, TRM_ERR_RANGE,
                          "the direction of an event is -1 (falling), 0 (both) or 1 (rising)");
    return TRM_OK;
}

static bool take_memory(trm_simulation *s, int count)
{
    trmi_events *events = &s->events;
    trmi_memory *memory = &s->memory;
    const trmi_evaluator *e = &s->e;
    if (events->capacity == 0 &&
        (!trmi_point_create(&events->probe, memory, e) ||
         !trmi_point_create(&s->points.detour, memory, e) ||
         !TRMI_TAKE(memory, events->lambda, e->n_r_full + 1) ||
         !trmi_values_create(&events->values, memory, &s->e, 0, &s->statistics)))
        return false;
    if (count <= events->capacity)
        return true;
    trmi_event *event;
    double *value, *ahead;
    if (!TRMI_TAKE(memory, event, count) || !TRMI_TAKE(memory, value, count) ||
        !TRMI_TAKE(memory, ahead, count))
        return false;
    events->event = event;
    events->value = value;
    events->ahead = ahead;
    events->capacity = count;
    return true;
}

trm_status trm_simulation_watch(trm_simulation *s, const trm_events *user)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    const trm_events none = {0};
    trmi_events *events = &s->events;
    user = user ? user : &none;
    trm_status status = check_events(s, user);
    if (status == TRM_OK && user->count > 0)
        status = trmi_sampler_create(s);
    if (status != TRM_OK)
        return status;
    if (user->count > 0 && !take_memory(s, user->count))
        return refuse(s, TRM_ERR_MEMORY, "no memory for events");
    events->user = *user;
    events->arm = true;
    events->t_seen = s->now.t;
    for (int i = 0; i < user->count; i++)
        events->event[i] = (trmi_event){.t_last = NAN, .interval = NAN, .t_counted = -HUGE_VAL};
    // a function that has no value is reported at once
    return user->count > 0 ? trmi_evaluate_events(s, &s->now) : TRM_OK;
}

int trm_simulation_fired(const trm_simulation *s, int event)
{
    return s && event >= 0 && event < s->events.user.count && s->events.event[event].fired;
}

void trmi_clear_fired(trm_simulation *s)
{
    for (int i = 0; i < s->events.user.count; i++)
        s->events.event[i].fired = s->events.event[i].crossed = false;
}

static void archive_event(trmi_event *event, trmi_archive *a)
{
    trmi_archive_int(a, &event->sign, -1, 1);
    trmi_archive_bool(a, &event->crossed);
    trmi_archive_bool(a, &event->fired);
    trmi_archive_doubles(a, &event->t_last, 1);
    trmi_archive_doubles(a, event->seen, 2);
    trmi_archive_doubles(a, &event->interval, 1);
    trmi_archive_int(a, &event->shrinking, 0, TRMI_COUNTER_MAX);
    trmi_archive_doubles(a, &event->t_counted, 1);
    trmi_archive_int(a, &event->count, 0, TRMI_COUNTER_MAX);
}

void trmi_events_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_events *events = &s->events;
    int count = events->user.count;
    trmi_archive_int(a, &count, 0, TRMI_COUNTER_MAX);
    if (count != events->user.count && a->status == TRM_OK) {
        trmi_error_advise(&s->error, "watch the events that were watched, then load");
        a->status = trmi_error_set(&s->error, TRM_ERR_RANGE,
                                   "the checkpoint watches %d events, this simulation %d", count,
                                   events->user.count);
    }
    trmi_archive_bool(a, &events->arm);
    trmi_archive_doubles(a, &events->t_seen, 1);
    trmi_archive_doubles(a, events->t_point, 2);
    trmi_archive_doubles(a, &events->t_turn, 1);
    trmi_archive_int(a, &events->points, 0, 2);
    for (int i = 0; i < events->user.count; i++)
        archive_event(&events->event[i], a);
}

// ---- signs ----

// Where a function that needs it has its sign after d: equal signs there and further on, and growth
static bool settled(const trmi_events *events, int i)
{
    double near = events->ahead[i], far = events->value[i];
    return trmi_sign(near) == trmi_sign(far) && fabs(far) >= 0.5 * AHEAD_FACTOR * fabs(near);
}

// The signs along the motion that begins at the present point: q + d v + d^2 a/2 at the start.
static trm_status probe_signs(trm_simulation *s)
{
    trmi_events *events = &s->events;
    int count = events->user.count;
    double t = s->now.t, most = MAX_AHEAD * s->control.h;
    double d = fmin(fmax(MIN_AHEAD * fabs(t), 1e-9 * most), most);
    trm_status status = trmi_probe_events(s, t + d);
    for (bool last = false; status == TRM_OK && !last;) {
        memcpy(events->ahead, events->value, (size_t)count * sizeof *events->ahead);
        d *= AHEAD_FACTOR;
        last = !(d <= most && d > 0);
        status = trmi_probe_events(s, t + d);
        for (int i = 0; i < count && status == TRM_OK; i++)
            if (events->event[i].sign == 0 && (last || settled(events, i)))
                events->event[i].sign = trmi_sign(events->ahead[i]);
    }
    return status;
}

trm_status trmi_arm_events(trm_simulation *s)
{
    trmi_events *events = &s->events;
    if (!events->arm || events->user.count == 0)
        return TRM_OK;
    trm_status status = trmi_evaluate_events(s, &s->now);
    bool unknown = false;
    for (int i = 0; i < events->user.count && status == TRM_OK; i++) {
        trmi_event *event = &events->event[i];
        event->sign = event->crossed ? 0 : trmi_sign(events->value[i]);
        unknown = unknown || event->sign == 0;
    }
    if (status == TRM_OK && unknown)
        status = probe_signs(s);
    events->t_seen = events->t_turn = s->now.t;
    events->points = 0;
    events->arm = status != TRM_OK;
    return status;
}

// the values and signs of the last probe, at t; a zero keeps the sign before
static void take_signs(trm_simulation *s, double t)
{
    trmi_events *events = &s->events;
    const bool back = events->points > 0 && t <= events->t_point[0];
    events->points = back ? 1 : events->points < 2 ? events->points + 1 : 2;
    events->t_point[1] = events->t_point[0];
    events->t_point[0] = t;
    for (int i = 0; i < events->user.count; i++) {
        trmi_event *event = &events->event[i];
        int sign = trmi_sign(events->value[i]);
        event->sign = sign != 0 ? sign : event->sign;
        event->seen[1] = event->seen[0];
        event->seen[0] = events->value[i];
    }
    events->t_seen = t;
}

// ---- crossings ----

double trmi_chatter_time(const trm_simulation *s, double t)
{
    return fmax(CHATTER_TIME * (t - s->points.t_first), CHATTER_ROUNDOFF * fabs(t));
}

static bool chatters(const trm_simulation *s, trmi_event *event, double t)
{
    double roundoff = CHATTER_ROUNDOFF * fabs(t), brief = trmi_chatter_time(s, t);
    double interval = t - event->t_last;
    event->shrinking = interval <= SHRINKS * event->interval ? event->shrinking + 1 : 0;
    event->interval = interval;
    event->t_last = t;
    if (t - event->t_counted > brief) {
        event->t_counted = t;
        event->count = 0;
    }
    return ++event->count > TRMI_MAX_FIRES ||
           (event->shrinking >= MAX_SHRINKS && interval < brief) ||
           (event->shrinking > 0 && interval < roundoff);
}

static trm_status chattering(trm_simulation *s, int i)
{
    const trmi_event *event = &s->events.event[i];
    trmi_name_event(s, i);
    trmi_error_advise(&s->error, "end the bouncing where the velocity is small, or regularize the "
                                 "force instead of switching it");
    return trmi_error_set(&s->error, TRM_ERR_CHATTER,
                          "at t = %.9g %s fires again after %.2g: no end of that is in sight",
                          s->now.t, s->error.item, event->interval);
}

// marks what the last probe shows to be crossed; the first of the events that chatter, or -1
static int mark_events(trm_simulation *s, double t)
{
    trmi_events *events = &s->events;
    int worst = -1;
    for (int i = 0; i < events->user.count; i++) {
        trmi_event *event = &events->event[i];
        event->crossed = trmi_event_crossed(events, i);
        event->fired = trmi_event_wanted(events, i);
        if (event->fired && chatters(s, event, t) && worst < 0)
            worst = i;
        if (event->fired) // an exact zero leaves the sign open: it must not fire once more
            event->sign = trmi_sign(events->value[i]);
    }
    return worst;
}

// the present point goes to t inside the way
static void detour(trm_simulation *s, double t)
{
    if (t == s->now.t)
        return;
    trmi_sample_point(s, t, false, &s->points.detour, NULL);
    trmi_move_to(s, TRMI_AT_DETOUR);
}

bool trmi_events_pending(const trm_simulation *s)
{
    return s->events.user.count > 0 && !s->events.arm && s->events.t_seen < s->now.t;
}

// The next time on the way to the present point at which the functions are evaluated. A polynomial
// of the order k of the step turns k - 1 times at most: the step is seen in k + 1 parts.
static double next_point(const trm_simulation *s)
{
    const trmi_history *history = &s->history;
    double seen = s->events.t_seen, next = s->now.t;
    int j = 0, parts = s->statistics.order_last + 1;
    const double turn = s->events.t_turn > seen ? s->events.t_turn : HUGE_VAL;
    while (j < history->count && history->t[j] > seen)
        next = fmin(next, history->t[j++]);
    if (j == 0 || j == history->count)
        return next; // beyond the last step, or before the first
    double begin = history->t[j], length = next - begin;
    for (int k = 1; k < parts; k++)
        if (begin + k * length / parts > seen)
            return fmin(begin + k * length / parts, turn);
    return fmin(next, turn);
}

static bool any(const trmi_events *events, bool (*is)(const trmi_events *events, int i))
{
    for (int i = 0; i < events->user.count; i++)
        if (is(events, i))
            return true;
    return false;
}

// The next point on the way, with the values there: one at which a function has turned to the other
// side comes before, also if the way has been seen to behind it.
static trm_status probe_next(trm_simulation *s, double *t)
{
    trmi_events *events = &s->events;
    trm_status status = trmi_probe_events(s, *t = next_point(s));
    double turn = NAN;
    if (status == TRM_OK && !any(events, trmi_event_crossed))
        status = trmi_find_turn(s, *t, &turn);
    if (status != TRM_OK || isnan(turn))
        return status;
    if (turn <= events->t_seen)
        events->t_seen = fmax(events->t_point[1], s->history.t[1]);
    *t = events->t_turn = turn; // a point also behind an event before it
    return TRM_OK;
}

trm_status trmi_find_events(trm_simulation *s, double t_end)
{
    trmi_events *events = &s->events;
    bool ahead = false; // an event lies beyond t_end
    while (trmi_events_pending(s) && !ahead) {
        double t;
        trm_status status = probe_next(s, &t);
        bool wanted = status == TRM_OK && any(events, trmi_event_wanted);
        if (wanted)
            status = trmi_locate_event(s, t, &t);
        if (status != TRM_OK)
            return status;
        ahead = wanted && t > t_end;
        if (wanted && !ahead) {
            int chatter = mark_events(s, t);
            take_signs(s, t);
            detour(s, t);
            return chatter < 0 ? TRM_STOP_EVENT : chattering(s, chatter);
        }
        if (!ahead)
            take_signs(s, t);
    }
    // a step may pass the end, but not an event
    if (s->now.t > t_end && (ahead || !s->method->passes_end))
        detour(s, t_end);
    return TRM_OK;
}

trm_status trmi_fire_events(trm_simulation *s)
{
    trmi_events *events = &s->events;
    if (events->user.count == 0)
        return TRM_OK;
    trm_status status = trmi_evaluate_events(s, &s->now);
    if (status != TRM_OK)
        return status;
    bool wanted = any(events, trmi_event_wanted);
    int chatter = mark_events(s, s->now.t);
    events->t_seen = s->now.t;
    events->points = 0;
    if (chatter >= 0)
        return chattering(s, chatter);
    return wanted ? TRM_STOP_EVENT : TRM_OK;
}
