// SPDX-License-Identifier: Apache-2.0
// Sensitivities where a force switches. With the gap g of the switch, at the point where it closes
// or opens,
//
//     s+ = s- + (y'- - y'+) t_p,        t_p = -(g_p + g_y s- + g_m m_p)/g'
//
// y' on both sides: at a state just behind the closing, with the lock of the gap and without.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_DOUBLINGS = 60 };
// Gaps so many times as large as the largest difference between those of a neighbour and the system
// so far have the same sign in both.
static const double FAR = 100;

// ---- memory, doubts ----

bool trmi_jumps_create(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_jumps *j = &z->jumps;
    trmi_memory *m = &s->memory;
    const trm_system *u = &s->e.user;
    const int n = s->e.n_q, gaps = 3 * u->n_switches, rates = n + s->e.n_x;
    const int values = gaps > u->n_held ? gaps : u->n_held, all = gaps > n ? gaps : n;
    bool good = TRMI_TAKE(m, j->own, gaps) && TRMI_TAKE(m, j->apart, u->n_switches);
    for (int i = 0; i < u->n_switches && good; i++)
        j->apart[i] = INFINITY;
    j->passed = j->switched = s->now.t;
    j->ahead = -INFINITY;
    for (int k = 0; k < z->count; k++)
        for (int i = 0; i < 2; i++)
            z->parameter[k].passed[i] = z->parameter[k].ahead[i] = s->now.t;
    return good && TRMI_TAKE(m, j->memory, z->count * u->n_memories) &&
           TRMI_TAKE(m, j->next, u->n_memories) && TRMI_TAKE(m, j->value[0], values) &&
           TRMI_TAKE(m, j->value[1], values) && TRMI_TAKE(m, j->held, u->n_held) &&
           TRMI_TAKE(m, j->side, u->n_switches) && TRMI_TAKE(m, j->gap, all) &&
           TRMI_TAKE(m, j->rate[0], rates) && TRMI_TAKE(m, j->rate[1], rates) &&
           TRMI_TAKE(m, j->delay, z->count) && TRMI_TAKE(m, j->frame, z->count) &&
           TRMI_TAKE(m, j->along, z->size) && TRMI_TAKE(m, j->kick, z->count * n) &&
           trmi_sampler_create(s) == TRM_OK;
}

void trmi_jumps_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_jumps *j = &z->jumps;
    int doubt = (int)j->doubt;
    trmi_archive_doubles(a, j->memory, z->count * s->e.user.n_memories);
    trmi_archive_bytes(a, j->side, (size_t)s->e.user.n_switches);
    trmi_archive_doubles(a, j->apart, s->e.user.n_switches);
    trmi_archive_doubles(a, &j->passed, 1);
    trmi_archive_doubles(a, &j->switched, 1);
    trmi_archive_doubles(a, j->frame, z->count);
    for (int k = 0; k < z->count; k++)
        trmi_archive_doubles(a, z->parameter[k].passed, 2);
    trmi_archive_int(a, &doubt, TRMI_DOUBT_NONE, TRMI_DOUBTS - 1);
    trmi_archive_doubles(a, &j->doubt_t, 1);
    for (int i = 0; i < TRMI_DOUBTS; i++)
        trmi_archive_bool(a, &j->warned[i]);
    j->doubt = (trmi_doubt)doubt;
    if (a->loading)
        j->ahead = -INFINITY;
}

static const char *const reasons[TRMI_DOUBTS] = {
    [TRMI_DOUBT_GRAZING] = "a force switches where the motion only touches its condition",
    [TRMI_DOUBT_BREAK] = "formulas of t break at other times with the parameter a little changed",
    [TRMI_DOUBT_IMPULSE] = "the velocities behind an impulse are not known with the parameter a "
                           "little changed",
    [TRMI_DOUBT_PAST] = "friction or an impact switches, behind which this method has few digits "
                        "(radau-adaptive has more)"};

void trmi_sensitivities_doubt(trm_simulation *s, trmi_doubt why, int k, double t)
{
    trmi_jumps *j = &s->sensitivity->jumps;
    const char *name = s->sensitivity->parameter[k].name;
    if (!j->warned[why])
        trmi_log(s, TRM_LOG_WARNING, "t = %.6g: %s: sensitivities by %.60s are wrong from there on",
                 t, reasons[why], name ? name : "a parameter");
    j->warned[why] = true;
    if (j->doubt == TRMI_DOUBT_NONE) {
        j->doubt = why;
        j->doubt_t = t;
    }
}

const char *trmi_sensitivities_doubtful(const trm_simulation *s, double *t)
{
    if (!s->sensitivity)
        return NULL;
    *t = s->sensitivity->jumps.doubt_t;
    return reasons[s->sensitivity->jumps.doubt];
}

void trmi_sensitivities_forget_sides(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    memset(z->jumps.side, TRMI_GAP_UNKNOWN, (size_t)s->e.user.n_switches);
    for (int i = 0; i < s->e.user.n_switches; i++)
        z->jumps.apart[i] = INFINITY;
    z->jumps.own_of = NULL;
    memset(z->jumps.frame, 0, (size_t)z->count * sizeof *z->jumps.frame);
}

double *trmi_sensitivities_newest(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    return z->past.count > 0 ? z->past.y[0] : z->begin;
}

// ---- gaps ----

// gap, rate and, with accelerations, second of all switches: 3 n_switches
static bool gaps_of(trm_simulation *of, const trm_state *state, double *work, double *out)
{
    const trm_system *u = &of->e.user;
    const int n = u->n_switches;
    (void)work;
    return u->switches(state, out, out + n, out + 2 * n, u->user) == 0;
}

// The gaps of the system at p into jumps.own, unless they are there.
static bool find_own_gaps(trm_simulation *s, const trmi_point *p)
{
    trmi_jumps *j = &s->sensitivity->jumps;
    trm_state state;
    if (j->own_of == p->q && j->own_t == p->t)
        return true;
    j->own_of = NULL;
    if (!trmi_sensitivities_state(s, p, s->e.held, &state) || !gaps_of(s, &state, NULL, j->own))
        return false;
    j->own_of = p->q;
    j->own_t = p->t;
    return true;
}

// At the end of an attempt that was found to step over no switch they are known.
void trmi_sensitivities_take_gaps(trm_simulation *s, const trmi_point *p)
{
    trmi_jumps *j = &s->sensitivity->jumps;
    if (s->switches.count == 0)
        return;
    memcpy(j->own, s->switches.gap_end, (size_t)s->switches.count * sizeof *j->own);
    j->own_of = p->q;
    j->own_t = p->t;
}

// whether a gap is so small that neighbours may be on its other side: by how much theirs differ
static bool is_near(const trm_simulation *s)
{
    const trmi_jumps *j = &s->sensitivity->jumps;
    bool near = false;
    for (int i = 0; i < s->e.user.n_switches; i++)
        near = near || !(fabs(j->own[i]) > FAR * j->apart[i]);
    return near;
}

// Whether neighbours are on the branches of the system at p inside the step: by the cubics of the
// gaps through values and rates at both ends of it, less what these bend away from straight lines,
// which is more than they are wrong by.
static bool is_far_inside(const trm_simulation *s, const trmi_point *p)
{
    const trmi_switches *w = &s->switches;
    const double h = s->corrector.point.t - s->history.t[0], x = (p->t - s->history.t[0]) / h;
    bool far = x > 0 && x < 1;
    for (int i = 0; i < w->count && far; i++) {
        const double d = w->gap_end[i] - w->gap[i];
        const double bend =
            x * (1 - x) * ((1 - x) * (h * w->rate[i] - d) - x * (h * w->rate_end[i] - d));
        far = fabs(w->gap[i] + x * d + bend) - fabs(bend) > FAR * s->sensitivity->jumps.apart[i];
    }
    return far;
}

bool trmi_sensitivities_hold_branches(trm_simulation *s, const trmi_point *p, trm_simulation *side,
                                      const trmi_point *at)
{
    trmi_jumps *j = &s->sensitivity->jumps;
    const trm_system *u = &s->e.user;
    trm_state state;
    if (s->switches.count == 0 || is_far_inside(s, p) || !find_own_gaps(s, p) || !is_near(s) ||
        !trmi_sensitivities_state(side, at, side->e.held, &state) ||
        !gaps_of(side, &state, NULL, j->value[1]))
        return true;
    bool same = true;
    for (int i = 0; i < u->n_switches; i++) {
        const double own = j->own[i], other = j->value[1][i];
        j->apart[i] = fmax(isinf(j->apart[i]) ? 0 : j->apart[i], fabs(other - own));
        if (own > 0 && other <= 0)
            side->e.held[u->first_lock + i] = 1;
        else if (own < 0 && other > 0 && trmi_opposite_gap(j->own, u->n_switches, i) < 0)
            same = false; // with an opposite gap, its lock holds the side on which this is closed
    }
    return same;
}

// beside = the newest point h further, with its accelerations; states stay.
static void move_on(trm_simulation *s, double h)
{
    trmi_point *p = &s->sensitivity->beside;
    trmi_point_ahead(s, h, s->now.a, NULL, p);
    memcpy(p->a, s->now.a, (size_t)s->e.n_q * sizeof *p->a);
}

static bool evaluate_beside(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    trm_state state;
    return trmi_sensitivities_state(s, &z->beside, s->e.held, &state) &&
           gaps_of(s, &state, NULL, z->jumps.gap);
}

// beside = a state close to the newest point in which gap i is closed: behind it if the gap closes,
// before it if it has opened. False: there is none within a step.
static bool find_closed(trm_simulation *s, int i, bool closing)
{
    const trmi_switches *w = &s->switches;
    const double gap = w->gap[i], rate = w->rate[i], last = s->control.h_last;
    double h = gap > 0 && rate != 0 && isfinite(rate) ? 1.01 * fabs(gap / rate) : 0;
    double least = fmax(sqrt(DBL_EPSILON) * last, 4 * DBL_EPSILON * fabs(s->now.t));
    for (int k = 0; k < MAX_DOUBLINGS; k++) {
        move_on(s, closing ? h : -h);
        if (evaluate_beside(s) && s->sensitivity->jumps.gap[i] < 0)
            return true;
        h = fmax(2 * h, least);
        if (h > 4 * last)
            break;
    }
    return false;
}

// ---- jumps ----

// y' of both sides: [0] before the switch, [1] behind it
static bool find_rates(trm_simulation *s, int i, bool closing)
{
    trmi_sensitivities *z = s->sensitivity;
    double *lock = &s->e.held[s->e.user.first_lock + i], kept = *lock;
    bool good = true;
    for (int closed = 0; closed < 2 && good; closed++) {
        *lock = !closed;
        good =
            trmi_sensitivities_rates_at(s, &z->beside, z->jumps.rate[closing ? closed : !closed]);
    }
    *lock = kept;
    return good;
}

// g' with the accelerations before the switch
static double find_gap_rate(trm_simulation *s, int i)
{
    trmi_sensitivities *z = s->sensitivity;
    const int n = s->e.user.n_switches;
    memcpy(z->beside.a, z->jumps.rate[0], (size_t)s->e.n_q * sizeof *z->beside.a);
    return evaluate_beside(s) ? z->jumps.gap[n + i] : NAN;
}

// s at the time of the switch, which is later by tau: into along
static bool reach(trm_simulation *s, int k, const trmi_point *p, double tau)
{
    trmi_sensitivities *z = s->sensitivity;
    const int n = s->e.n_q;
    double *y = z->jumps.along, *a = z->difference[0], *lambda = z->offset;
    memcpy(y, trmi_sensitivities_newest(s) + (size_t)k * (size_t)z->size,
           (size_t)z->size * sizeof *y);
    bool ahead = tau > 0;
    if (ahead && (!trmi_sensitivities_evaluate(s, p) ||
                  trmi_saddle_factor_start(&z->saddle) != TRMI_FACTOR_OK ||
                  !trmi_sensitivities_accelerations(s, k, p, y, a, lambda)))
        return false;
    for (int i = 0; i < n; i++) {
        y[i] += tau * y[n + i];
        y[n + i] += ahead ? tau * a[i] : 0;
    }
    return true;
}

// s of the newest point, as if the switch, which is later by tau, were there
static void apply(trm_simulation *s, int k, double delay, double tau)
{
    trmi_sensitivities *z = s->sensitivity;
    const int n = s->e.n_q;
    double *y = trmi_sensitivities_newest(s) + (size_t)k * (size_t)z->size;
    for (int i = 0; i < n + s->e.n_x; i++) {
        double change = (z->jumps.rate[0][i] - z->jumps.rate[1][i]) * delay;
        y[n + i] += change;
        if (i < n)
            y[i] -= tau * change;
    }
}

static void jump(trm_simulation *s, int i, bool closing)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_switches *w = &s->switches;
    trmi_point p = trmi_past_point(s, 0);
    const int n = 3 * s->e.user.n_switches;
    p.a = s->now.a;
    bool found = find_closed(s, i, closing) && find_rates(s, i, closing);
    const double rate = found ? find_gap_rate(s, i) : NAN, later = z->beside.t - p.t;
    double tau = closing && w->gap[i] > 0 ? trmi_gap_closes(w->gap[i], w->rate[i], w->second[i])
                                          : -w->gap[i] / rate;
    tau = isfinite(tau) ? tau : 0;
    for (int k = 0; k < z->count; k++) {
        double delay = NAN;
        if (found && reach(s, k, &p, tau) &&
            trmi_sensitivities_derive(s, k, &p, z->jumps.along, 0, gaps_of, n, z->jumps.gap))
            delay = -z->jumps.gap[i] / rate;
        if (isfinite(delay))
            apply(s, k, delay, tau);
        else
            trmi_sensitivities_doubt(s, TRMI_DOUBT_GRAZING, k, p.t);
        z->jumps.delay[k] = isfinite(delay) ? delay : 0;
    }
    if (closing && found) {
        move_on(s, later);
        trmi_sensitivities_keep_memory(s, i, later);
        memcpy(z->jumps.frame, z->jumps.delay, (size_t)z->count * sizeof *z->jumps.frame);
    }
}

// whether a condition that closes has this one, which opens, as its opposite: one jump of the two
static bool is_opposite(const trm_simulation *s, int i)
{
    const trmi_switches *w = &s->switches;
    for (int j = 0; j < w->count; j++)
        if (j != i && w->gap[j] == -w->gap[i] && w->closed[j])
            return true;
    return false;
}

static void doubt_all(trm_simulation *s, trmi_doubt why)
{
    for (int k = 0; k < s->sensitivity->count; k++)
        trmi_sensitivities_doubt(s, why, k, s->now.t);
}

// On which side a gap is that was on another one. What is about to close may have to wait.
static trmi_gap_side side_of(const trmi_switches *w, int i, trmi_gap_side was)
{
    if (isnan(w->gap[i]))
        return TRMI_GAP_UNKNOWN;
    if (w->gap[i] <= 0)
        return TRMI_GAP_CLOSED;
    if (was == TRMI_GAP_CLOSES && !(w->rate[i] > 0))
        return TRMI_GAP_CLOSES;
    if (!w->closed[i] || was == TRMI_GAP_CLOSES)
        return TRMI_GAP_OPEN;
    return was == TRMI_GAP_OPEN ? TRMI_GAP_CLOSES : was == TRMI_GAP_CLOSED ? was : TRMI_GAP_OPEN;
}

// The past of a method with one is not that of what follows: sensitivities, or their rates, jump.
static trm_status begin_again(trm_simulation *s, double t_end)
{
    if (s->e.user.n_memories > 0)
        doubt_all(s, TRMI_DOUBT_PAST);
    const double h = s->control.h;
    trm_status status = s->method->begin(s, t_end);
    s->points.steps_before = s->statistics.steps;
    s->control.h = fmin(s->control.h, h);
    return status;
}

trm_status trmi_sensitivities_switch(trm_simulation *s, double t_end)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_switches *w = &s->switches;
    bool switched = false;
    if (!z)
        return TRM_OK;
    for (int i = 0; i < w->count; i++) {
        trmi_gap_side was = (trmi_gap_side)z->jumps.side[i], now = side_of(w, i, was);
        z->jumps.side[i] = (signed char)now;
        bool opens = was == TRMI_GAP_CLOSED && now == TRMI_GAP_OPEN;
        bool closes = was == TRMI_GAP_OPEN && (now == TRMI_GAP_CLOSES || now == TRMI_GAP_CLOSED);
        if (was == TRMI_GAP_CLOSES && now == TRMI_GAP_OPEN) // it turned back
            doubt_all(s, TRMI_DOUBT_GRAZING);
        if (closes || (opens && !is_opposite(s, i)))
            jump(s, i, closes);
        switched = switched || closes || opens;
        if (was != now && now != TRMI_GAP_CLOSES && was != TRMI_GAP_UNKNOWN)
            z->jumps.switched = s->now.t;
    }
    bool past = s->method->multistep && s->points.place == TRMI_AT_NEWEST;
    return past && switched ? begin_again(s, t_end) : TRM_OK;
}
