// SPDX-License-Identifier: Apache-2.0
// The first crossing of an event function inside the last step. The dense output stands for the
// motion; a bracket [low, high] with a change of sign is made smaller by the Illinois variant of
// regula falsi, every third time by bisection, so that 3 log2 of its length are always enough.
#include "solver/integrator/simulation.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// a bracket is short enough at this many roundoffs of t
static const double SHORT_BRACKET = 4 * DBL_EPSILON;
enum { BISECT_EVERY = 3, MAX_PROBES = 3 * 64 }; // 2^64 short ones are longer than any bracket
// parabolas in a row: each shows the turn of a smooth function to half as many digits more
enum { MAX_TURNS = 8 };
// than all points of an arc: a turn as close to zero as that may be on the other side
static const double CLOSER = 0.5;

int trmi_sign(double x)
{
    return (x > 0) - (x < 0);
}

bool trmi_event_crossed(const trmi_events *events, int i)
{
    int sign = events->event[i].sign;
    return sign != 0 && trmi_sign(events->value[i]) != sign;
}

bool trmi_event_wanted(const trmi_events *events, int i)
{
    int direction = events->user.direction ? events->user.direction[i] : 0;
    return trmi_event_crossed(events, i) && (direction == 0 || direction == -events->event[i].sign);
}

static const char *event_name(const trm_simulation *s, int i, char *buffer, size_t size)
{
    const char *const *names = s->events.user.names;
    if (names && names[i])
        snprintf(buffer, size, "%s", names[i]);
    else
        snprintf(buffer, size, "%d", i);
    return buffer;
}

void trmi_name_event(trm_simulation *s, int i)
{
    char name[48];
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trmi_error_item(&s->error, "event %s", event_name(s, i, name, sizeof name));
}

// what a callback or a value that is not a number means
static trm_status judge(trm_simulation *s, int result, double t)
{
    const trmi_events *events = &s->events;
    char name[48];
    if (result != 0) {
        trmi_name_event(s, 0);
        if (events->user.count > 1)
            trmi_error_item(&s->error, "events %s and %d more", event_name(s, 0, name, sizeof name),
                            events->user.count - 1);
        trmi_error_advise(&s->error, "the functions must have values wherever the motion leads");
        return trmi_error_set(&s->error, TRM_ERR_CALLBACK,
                              "the callback of the event functions returned %d at t = %.9g", result,
                              t);
    }
    for (int i = 0; i < events->user.count; i++)
        if (!isfinite(events->value[i])) {
            trmi_name_event(s, i);
            trmi_error_advise(&s->error, "guard the formula");
            return trmi_error_set(&s->error, TRM_ERR_CALLBACK,
                                  "the function of event %s is %g at t = %.9g",
                                  event_name(s, i, name, sizeof name), events->value[i], t);
        }
    return TRM_OK;
}

trm_status trmi_evaluate_events(trm_simulation *s, const trmi_point *p)
{
    trmi_events *events = &s->events;
    trmi_values_forget_inputs(&events->values); // an event may have changed them
    int result = trmi_evaluate(&s->e, p, 0, &events->values);
    trmi_expand_rows(&s->e, p->lambda, events->lambda);
    const trm_state state = {
        p->t, p->q, p->v, p->a, p->x, p->z, events->lambda, events->values.input, s->e.held};
    if (result == 0)
        result = events->user.function(&state, events->value, events->user.user);
    return judge(s, result, p->t);
}

trm_status trmi_probe_events(trm_simulation *s, double t)
{
    s->method->dense(s, t, &s->events.probe);
    return trmi_evaluate_events(s, &s->events.probe);
}

// Three points of a function, in the order of time.
typedef struct arc {
    double t[3], f[3];
} arc;

// Where the parabola through an arc turns, if that is between its ends, and on the other side of
// zero than all three, which have this sign, or much closer to it; NaN: not so.
static double turn_of(const arc *a, int sign)
{
    const double back = a->t[1] - a->t[0], last = (a->f[1] - a->f[0]) / back;
    const double next = (a->f[2] - a->f[1]) / (a->t[2] - a->t[1]);
    const double bend = (next - last) / (a->t[2] - a->t[0]), slope = last + bend * back;
    const double turn = a->t[1] - slope / (2 * bend);
    const double value = a->f[1] - slope * slope / (4 * bend);
    bool inside = turn > a->t[0] && turn < a->t[2] && turn != a->t[1];
    for (int k = 0; k < 3; k++)
        inside = inside && trmi_sign(a->f[k]) == sign;
    const double closest = fmin(fmin(fabs(a->f[0]), fabs(a->f[1])), fabs(a->f[2]));
    return inside && value * sign < CLOSER * closest ? turn : NAN;
}

// The arc with one more point inside, around the one of the two inner points that is closer to
// zero.
static void add_point(arc *a, double t, double f)
{
    const int place = t < a->t[1] ? 1 : 2;
    double t_all[4], f_all[4];
    for (int k = 0; k < 4; k++) {
        t_all[k] = k == place ? t : a->t[k - (k > place)];
        f_all[k] = k == place ? f : a->f[k - (k > place)];
    }
    const int first = fabs(f_all[2]) < fabs(f_all[1]);
    memcpy(a->t, t_all + first, sizeof a->t);
    memcpy(a->f, f_all + first, sizeof a->f);
}

// Follows the turns of function i over the last two points and t, until one is across, which is
// *turn with the values there, or none is expected to be: NaN.
static trm_status follow_turns(trm_simulation *s, int i, double t, double f, double *turn)
{
    trmi_events *events = &s->events;
    const trmi_event *event = &events->event[i];
    arc a = {{events->t_point[1], events->t_point[0], t}, {event->seen[1], event->seen[0], f}};
    for (int probe = 0; probe < MAX_TURNS; probe++) {
        *turn = turn_of(&a, event->sign);
        if (isnan(*turn) || *turn < s->history.t[1])
            break;
        trm_status status = trmi_probe_events(s, *turn);
        if (status != TRM_OK || trmi_event_crossed(events, i))
            return status;
        add_point(&a, *turn, events->value[i]);
    }
    *turn = NAN;
    return TRM_OK;
}

trm_status trmi_find_turn(trm_simulation *s, double t, double *first)
{
    trmi_events *events = &s->events;
    const int count = events->user.count;
    trm_status status = TRM_OK;
    *first = NAN;
    if (events->points < 2 || s->history.count < 2)
        return TRM_OK;
    double *value = events->ahead; // scratch here: those at t
    memcpy(value, events->value, (size_t)count * sizeof *value);
    for (int i = 0; i < count && status == TRM_OK; i++) {
        double turn;
        status = follow_turns(s, i, t, value[i], &turn);
        *first = fmin(*first, turn);
    }
    const double at = isnan(*first) ? t : *first;
    return status == TRM_OK && events->probe.t != at ? trmi_probe_events(s, at) : status;
}

// the two ends of a bracket, the sign at the lower one known, its value perhaps not
typedef struct bracket {
    double low, high, f_low, f_high;
    bool low_known;
    int side; // +1, -1: the high, the low end moved last
} bracket;

static double next_guess(const bracket *b, int probe, double width)
{
    double middle = b->low + 0.5 * (b->high - b->low);
    if (probe % BISECT_EVERY == BISECT_EVERY - 1 || !b->low_known)
        return middle;
    double guess = b->high - b->f_high * (b->high - b->low) / (b->f_high - b->f_low);
    // not at an end: where the guess is good the other end comes close with the next one
    return fmin(fmax(guess, b->low + 0.5 * width), b->high - 0.5 * width);
}

// Illinois: an end that stays twice counts half
static void shrink(bracket *b, double t, double f, bool across)
{
    if (across) {
        b->f_low *= b->side > 0 ? 0.5 : 1;
        b->high = t;
        b->f_high = f;
    } else {
        b->f_high *= b->side < 0 ? 0.5 : 1;
        b->low = t;
        b->f_low = f;
        b->low_known = true;
    }
    b->side = across ? 1 : -1;
}

// *high: a time at which function i is across, as early as roundoff and the polynomial allow; on
// entry one at which it is, with the values there, as on return
static trm_status locate_one(trm_simulation *s, int i, double *high)
{
    trmi_events *events = &s->events;
    bracket b = {.low = events->t_seen, .high = *high, .f_high = events->value[i]};
    trm_status status = trmi_probe_events(s, b.low);
    b.f_low = events->value[i];
    b.low_known = trmi_sign(b.f_low) == events->event[i].sign;
    double width = SHORT_BRACKET * fmax(fabs(b.low), fabs(b.high)), at = b.low; // the last probe
    for (int probe = 0; probe < MAX_PROBES && b.high - b.low > width; probe++) {
        if (status != TRM_OK || b.f_high == 0)
            break;
        at = next_guess(&b, probe, width);
        if (at <= b.low || at >= b.high)
            break;
        status = trmi_probe_events(s, at);
        if (status == TRM_OK)
            shrink(&b, at, events->value[i], trmi_event_crossed(events, i));
    }
    *high = b.high;
    return status == TRM_OK && at != b.high ? trmi_probe_events(s, b.high) : status;
}

trm_status trmi_locate_event(trm_simulation *s, double to, double *t)
{
    trmi_events *events = &s->events;
    trm_status status = TRM_OK;
    *t = to;
    for (int i = 0; i < events->user.count; i++)
        events->event[i].located = false;
    // each function that is across at the time found so far moves it to its own crossing, until no
    // other one is
    for (int i = 0; i < events->user.count && status == TRM_OK; i++)
        if (trmi_event_wanted(events, i) && !events->event[i].located) {
            events->event[i].located = true;
            status = locate_one(s, i, t);
            i = -1; // from the beginning
        }
    return status;
}
