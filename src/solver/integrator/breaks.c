// SPDX-License-Identifier: Apache-2.0
// Crossing a time where functions of t break. Positions stay, velocities may jump (impulse.c).
//
// Where nothing but accelerations and rates jump, and by so little that the error test would not
// notice, the run does not begin again: the past is changed into one that the motion after the
// break, at t_b, continues smoothly,
//
//     q += (t - t_b)^2/2 da + (t - t_b)^3/6 da',     da = a+ - a-,   da' the same of their rates
//     v += (t - t_b) da + (t - t_b)^2/2 da',         x += (t - t_b) dx' + (t - t_b)^2/2 dx''
//
// Steps end there all the same, so that nothing between two breaks is missed.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/restart.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trmi_breaks_forget(trm_simulation *s)
{
    s->breaks = (trmi_time_breaks){0};
}

// The first break of a kind after the current point by more than `apart`, searched for up to t_end.
static double find_next(const trm_simulation *s, trm_break_function *next, void *user,
                        trmi_next_break *known, double apart, double t_end)
{
    if (!next || !s->rule->adapts)
        return INFINITY;
    bool valid = known->until > known->from && known->from <= s->now.t &&
                 s->now.t + apart < known->t && (known->t <= known->until || t_end <= known->until);
    if (!valid)
        *known = (trmi_next_break){s->now.t, t_end, next(s->now.t + apart, t_end, user)};
    return known->t;
}

// A break is crossed, whatever is left of the way to it; at the sign of an event a step must end.
double trmi_break_limit(trm_simulation *s, double t_end)
{
    const trm_system *system = &s->e.user;
    const trm_events *events = &s->events.user;
    trmi_time_breaks *b = &s->breaks;
    double t = find_next(s, system->next_break, system->user, &b->functions,
                         fmax(b->passed - s->now.t, 0), t_end);
    double event = find_next(s, events->next_break, events->user, &b->events,
                             trmi_smallest_step(s, t_end), t_end);
    bool breaks = t <= t_end;
    trmi_sensitivities_find_breaks(s, t, t_end);
    b->crossing = breaks && nextafter(t, -INFINITY) <= s->now.t;
    b->exact = breaks || event <= t_end;
    return fmin(breaks ? nextafter(t, -INFINITY) : t_end, fmin(event, t_end));
}

// ---- slight breaks ----

// Where a and x' are among the numbers of a side.
static int rates_of(const trmi_evaluator *e)
{
    return 2 * e->n_u + e->n_g + e->n_r;
}

// What one side of a break has into out, at the positions and velocities of the present point,
// moved on by d with the a and x' of another side, `from`. That is nearby: the matrix and the
// multipliers are its own at first. NULL: this is the first one.
static trm_status evaluate_side(trm_simulation *s, double t, const double *from, double d,
                                double *out)
{
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    const uint64_t more = TRM_BIT(RATE) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET);
    trmi_point *p = trmi_restart_point(s, t + d);
    const double *a = from ? from + rates_of(e) : NULL, *rate = from ? a + n : NULL;
    for (int i = 0; i < n && from; i++) {
        p->q[i] += d * (p->v[i] + d / 2 * a[i]);
        p->v[i] += d * a[i];
        p->a[i] = a[i];
    }
    for (int i = 0; i < e->n_x && from; i++)
        p->x[i] += d * rate[i];
    if (from)
        memcpy(p->lambda, rate + e->n_x, (size_t)e->n_r * sizeof *out);
    trmi_values_forget_inputs(&s->values);
    trm_status status =
        (from ? trmi_accelerations_near : trmi_accelerations)(&s->manifold, p, &s->error);
    if (status == TRM_OK && trmi_evaluate(&s->e, p, more & ~e->absent, &s->values) != 0)
        status = TRM_ERR_CALLBACK;
    trmi_values_forget_inputs(&s->values);
    if (status != TRM_OK)
        return status;
    memcpy(out, s->values.input, (size_t)(2 * e->n_u) * sizeof *out);
    memcpy(out += 2 * e->n_u, trmi_position_level(&s->values), (size_t)e->n_g * sizeof *out);
    trmi_velocity_level(&s->values, p->v, out += e->n_g);
    memcpy(out += e->n_r, p->a, (size_t)n * sizeof *out);
    if (e->n_x > 0)
        memcpy(out + n, s->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *out);
    memcpy(out + n + e->n_x, p->lambda, (size_t)e->n_r * sizeof *out);
    return TRM_OK;
}

// jump, rate: of a and x', and of their rates.
static void bend_past(trm_simulation *s, double t, const double *jump, const double *rate)
{
    const int n = s->e.n_q;
    for (int k = 1; k < s->history.count; k++) {
        trmi_point p = trmi_past_point(s, k);
        double ago = p.t - t;
        for (int i = 0; i < n; i++) {
            p.q[i] += ago * ago / 2 * (jump[i] + ago / 3 * rate[i]);
            p.v[i] += ago * (jump[i] + ago / 2 * rate[i]);
        }
        for (int i = 0; i < s->e.n_x; i++)
            p.x[i] += ago * (jump[n + i] + ago / 2 * rate[n + i]);
    }
}

// The norm of what jumps of a and x' change in positions and states within h.
static double change_within(const trm_simulation *s, const double *jump, double h)
{
    const int n = s->e.n_q, n_x = s->e.n_x;
    double sum = trmi_weighted_square(jump, s->weight, n) * h * h * h * h +
                 trmi_weighted_square(jump + n, s->weight + 2 * n, n_x) * h * h;
    return sqrt(sum / (n + n_x));
}

// The jumps of the rates of a and x' along the motion into rate, from what both sides have a short
// time d away.
static bool find_rates(trm_simulation *s, const double times[2], double d, const double *left,
                       const double *right, double *rate, double *work)
{
    if (evaluate_side(s, times[1], right, d, rate) != TRM_OK ||
        evaluate_side(s, times[0], left, -d, work) != TRM_OK)
        return false;
    for (int i = 0; i < trmi_break_side(&s->e); i++)
        rate[i] = (rate[i] - right[i] - (left[i] - work[i])) / d;
    return true;
}

// Whether a break leaves positions and velocities as they are and changes, in a step of the planned
// length h, positions by h^2 da and states by h dx' by less than tolerances, and so does what
// follows from their rates, h^3 da'/6. Then the past is changed. Algebraic variables have no
// tolerance: runs with them always begin again, and so do methods without a past, for which that
// costs nothing.
static bool pass_slight(trm_simulation *s, double t)
{
    const trmi_evaluator *e = &s->e;
    const int size = trmi_break_side(e), rates = rates_of(e);
    const double h = s->control.h;
    bool kept = s->method->multistep && s->points.place == TRMI_AT_NEWEST && !s->sensitivity;
    if (!s->control.started || !kept || e->n_z > 0)
        return false;
    double *left = trmi_scratch_take(&s->scratch, 4 * size), *right = left + size;
    double *rate = right + size, *work = rate + size;
    double apart = TRMI_BREAK_ROUNDINGS * DBL_EPSILON * fmax(fabs(t), h);
    const double times[2] = {t - apart, t + apart};
    bool slight = evaluate_side(s, times[0], NULL, 0, left) == TRM_OK &&
                  evaluate_side(s, times[1], left, 0, right) == TRM_OK;
    for (int i = 0; i < rates && slight; i++)
        slight = fabs(right[i] - left[i]) <= s->options.atol;
    slight = slight && find_rates(s, times, sqrt(DBL_EPSILON) * h, left, right, rate, work);
    for (int i = 0; i < size; i++)
        right[i] -= left[i];
    const double *jump = right + rates;
    slight =
        slight && change_within(s, jump, h) <= 1 && change_within(s, rate + rates, h) * h / 6 <= 1;
    if (slight) {
        bend_past(s, t, jump, rate + rates);
        s->control.bent = s->statistics.steps;
        s->breaks.passed = t + apart; // other breaks up to there are part of this one
    }
    trmi_scratch_release(&s->scratch, left);
    return slight;
}

trm_status trmi_cross_break(trm_simulation *s)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    const double t = s->breaks.functions.t;
    if (pass_slight(s, t))
        return TRM_OK;
    trmi_sensitivities_before_break(s, t);
    trmi_point *p;
    trm_status status = trmi_cross_impulse(s, t, &p);
    if (status == TRM_OK)
        status = trmi_restart_there(s, p);
    if (status == TRM_OK)
        trmi_sensitivities_behind_break(s);
    return status == TRM_OK ? trmi_fire_events(s) : status;
}
