// SPDX-License-Identifier: Apache-2.0
// Five signs, each from the numbers at the end of a run:
//   - the motion stays below atol, and a method that tests positions has nothing to test;
//   - time is known to eps |t| only, and the motion goes far in that;
//   - the constraints are violated by many tolerances (formulations that drift);
//   - velocities contradict them (formulations that do not ask for them);
//   - an invariant that is kept changes along the motion.
#include "solver/integrator/watch/signs.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

// velocities of so many tolerances are no rest
static const double MOVES = 10;
// roundoff, in tolerances
static const double LIMIT = 100;
// violations of constraints, in tolerances: what is added to in every step may become that large
static const double DRIFT = 1000;
// of velocities that constraints forbid, as a part of those they are the sum of
static const double VIOLATED = 0.05;
// dI/dt as part of what it is the sum of; exact ones have the error of differences at most
static const double INVARIANT_RATE = 1e-3;

static trm_error *begin_report(trm_simulation *s, const char *advice)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = s->statistics.h_last;
    trmi_error_advise(&s->error, "%s", advice);
    return &s->error;
}

static trm_status check_amplitude(trm_simulation *s)
{
    const trmi_watch *w = &s->watch;
    double atol = s->options.atol, size = fmax(w->max_q, trmi_max_abs(s->now.q, s->e.n_q));
    // at most: a motion that has just started is small
    double way = w->max_v * s->statistics.h_last * (double)trmi_steps_since_start(s);
    if (!s->method->noisy_velocities || !s->rule->adapts || !(w->max_v > MOVES * atol) ||
        !(size < atol) || !(way > atol))
        return TRM_OK;
    return trmi_error_set(
        begin_report(s, "set atol to the size of the motion times rtol, or measure in other units"),
        TRM_UNTRUSTED,
        "positions stay below the absolute tolerance (largest %.2g, atol %.0e): the error test saw "
        "nothing of the motion",
        size, atol);
}

// How far the motion goes while the time changes by its roundoff.
static double way_of_roundoff(const trm_simulation *s)
{
    double v = fmax(s->watch.max_v, trmi_max_abs(s->now.v, s->e.n_q));
    return DBL_EPSILON * fabs(s->now.t) * v;
}

bool trmi_time_is_coarse(const trm_simulation *s)
{
    double q = fmax(s->watch.max_q, trmi_max_abs(s->now.q, s->e.n_q));
    return way_of_roundoff(s) > LIMIT * (s->options.rtol * q + s->options.atol);
}

static trm_status check_time(trm_simulation *s)
{
    if (!trmi_time_is_coarse(s))
        return TRM_OK;
    double t = fabs(s->now.t);
    return trmi_error_set(
        begin_report(s, TRMI_COARSE_TIME), TRM_UNTRUSTED,
        "times of %.2g are known to %.1g only, in which the motion goes %.2g: more than the "
        "tolerance rtol = %.0e",
        t, DBL_EPSILON * t, way_of_roundoff(s), s->options.rtol);
}

// A tolerance of the options in each row of G: the root of the sum of (G_ij / weight_j)^2. Rows
// that are dropped stand behind the others.
static void row_lengths(const trm_simulation *s, const double *weight, double *length)
{
    const trmi_matrix G = trmi_matrix_of(&s->values, TRMI_TOTAL);
    for (int i = 0; i <= s->e.n_r; i++)
        length[i] = 0;
    for (trmi_cursor at = trmi_pattern_begin(&G.pattern); at.k < G.count; trmi_pattern_next(&at))
        length[at.row] += pow(G.value[at.k] / weight[at.column], 2);
    for (int i = 0; i < s->e.n_r; i++)
        length[i] = sqrt(length[i]) / trmi_tightening(s);
}

// |g_i| as a displacement along its gradient, in tolerances: |g_i| / |G_i / weight|
static trm_status check_drift(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    char name[48];
    int worst = -1;
    double most = DRIFT;
    const uint64_t want = TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q);
    if (e->n_g == 0 || trmi_evaluate(&s->e, &s->now, want, &s->values) != 0)
        return TRM_OK;
    double *length = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    row_lengths(s, s->weight, length);
    const double *g = trmi_position_level(&s->values);
    for (int i = 0; i < e->n_g; i++)
        if (fabs(g[i]) > most * length[i] && length[i] > 0) {
            most = fabs(g[i]) / length[i];
            worst = i;
        }
    trmi_scratch_release(&s->scratch, length);
    if (worst < 0)
        return TRM_OK;
    return trmi_error_set(
        begin_report(s, "use formulation cs, which keeps the constraints, or tighten rtol"),
        TRM_UNTRUSTED, "constraint %s is violated at the end by %.2g tolerances",
        trmi_name_row(e, worst, name, sizeof name), most);
}

// sum_j |G_ij v_j| of all rows
static void row_speeds(const trm_simulation *s, double *speed)
{
    const trmi_matrix G = trmi_matrix_of(&s->values, TRMI_TOTAL);
    for (int i = 0; i <= s->e.n_r; i++)
        speed[i] = 0;
    for (trmi_cursor at = trmi_pattern_begin(&G.pattern); at.k < G.count; trmi_pattern_next(&at))
        speed[at.row] += fabs(G.value[at.k] * s->now.v[at.column]);
}

// Velocities that contradict the constraints: |G v + g_t| is a part of the velocities in it, and
// more than some tolerances.
static trm_status check_velocities(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const uint64_t want = trmi_velocity_quantities(e) | TRM_BIT(CONSTRAINT_Q);
    char name[48];
    int worst = -1;
    double most = VIOLATED;
    if (e->n_g == 0 || trmi_evaluate(&s->e, &s->now, want, &s->values) != 0)
        return TRM_OK;
    double *length = trmi_scratch_take(&s->scratch, 3 * (e->n_r_full + 1));
    double *residual = length + e->n_r_full + 1, *speed = residual + e->n_r_full + 1;
    row_lengths(s, s->weight + e->n_q, length);
    trmi_velocity_level(&s->values, s->now.v, residual);
    row_speeds(s, speed);
    for (int i = 0; i < e->n_g; i++) {
        double off = fabs(residual[i]), all = speed[i] + off;
        if (off > most * all && off > MOVES * length[i]) {
            most = off / all;
            worst = i;
        }
    }
    trmi_scratch_release(&s->scratch, length);
    if (worst < 0)
        return TRM_OK;
    return trmi_error_set(
        begin_report(s, "use formulation cs, which keeps the constraints, or tighten rtol"),
        TRM_UNTRUSTED, "velocities at the end contradict constraint %s by %.2g %% of their size",
        trmi_name_row(e, worst, name, sizeof name), 100 * most);
}

// I at the present point moved by dt along (1, v, a), written to out; false: it has no value
static bool invariants_along(trm_simulation *s, const double *a, double dt, double *work,
                             double *out)
{
    trmi_point p = s->now;
    int n = s->e.n_q;
    p.t += dt;
    p.q = work;
    p.v = work + n;
    for (int i = 0; i < n; i++) {
        p.q[i] = s->now.q[i] + dt * s->now.v[i];
        p.v[i] = s->now.v[i] + dt * a[i];
    }
    bool good = trmi_evaluate(&s->e, &p, TRM_BIT(INVARIANT), &s->values) == 0;
    memcpy(out, s->values.of[TRM_QUANTITY_INVARIANT], (size_t)s->e.user.n_i * sizeof *out);
    return good;
}

// |I_q| |v| + |I_v| |a| of invariant i
static double size_of_rate(const trm_simulation *s, int i, const double *a)
{
    const double *by[] = {s->now.v, a};
    double size = 0;
    for (int part = 0; part < 2; part++) {
        const trmi_matrix b = trmi_matrix_of(&s->values, part == 0 ? TRM_QUANTITY_INVARIANT_Q
                                                                   : TRM_QUANTITY_INVARIANT_V);
        for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count;
             trmi_pattern_next(&at))
            size += at.row == i ? fabs(b.value[at.k] * by[part][at.column]) : 0;
    }
    return size;
}

// dI/dt by a difference along the motion, at the end of the run
static trm_status check_invariants(trm_simulation *s)
{
    const trm_state *now;
    int n = s->e.n_q, n_i = s->e.user.n_i, wrong = -1;
    double dt = TRMI_WATCH_DIFFERENCE * s->statistics.h_last, rate = 0;
    if (!trmi_keeps_invariants(s) || s->e.n_x > 0 || !(s->now.t + dt > s->now.t) ||
        trm_simulation_sample(s, s->now.t, &now) != TRM_OK)
        return TRM_OK;
    double *work = trmi_scratch_take(&s->scratch, 2 * n + 2 * n_i), *I = work + 2 * n;
    bool good =
        invariants_along(s, now->a, -dt, work, I) &&
        invariants_along(s, now->a, dt, work, I + n_i) &&
        trmi_evaluate(&s->e, &s->now, TRM_BIT(INVARIANT_Q) | TRM_BIT(INVARIANT_V), &s->values) == 0;
    for (int i = 0; i < n_i && good && wrong < 0; i++) {
        rate = (I[n_i + i] - I[i]) / (2 * dt);
        if (fabs(rate) >
            INVARIANT_RATE * size_of_rate(s, i, now->a) + LIMIT * DBL_EPSILON * fabs(I[i]) / dt)
            wrong = i;
    }
    trmi_scratch_release(&s->scratch, work);
    if (wrong < 0)
        return TRM_OK;
    return trmi_error_set(
        begin_report(s, "check its formula, or leave it out"), TRM_UNTRUSTED,
        "invariant %d is none: along the motion it would change by %.3g in a second", wrong + 1,
        rate);
}

trm_status trmi_trust_numbers(trm_simulation *s)
{
    trm_status (*const checks[])(trm_simulation *) = {check_amplitude, check_time, check_drift,
                                                      check_velocities, check_invariants};
    trm_status status = TRM_OK;
    for (size_t k = 0; k < sizeof checks / sizeof *checks && status == TRM_OK; k++)
        status = checks[k](s);
    return status;
}
