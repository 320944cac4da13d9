// SPDX-License-Identifier: Apache-2.0
// A sample inside a step may contradict the polynomial p of the method: a short pulse lies there
// that no evaluation of the step has met. What the step has passed over is
//
//     e(t) = int (p' - f) dt    over the samples since its beginning,
//
// for velocities along the constraints, for states, and for velocities across the constraints,
// which follow from these and show what is prescribed. It counts in tolerances of the velocity and,
// over the length of the step, of the position. Or nothing lies there: the equations are stiff, and
// an error of the positions below the tolerance is a large one of the accelerations. So the step is
// tried again from where it began, to the time of the sample and no further. Where that attempt
// passes the error test with the equations of that place in it, and ends where the sample is,
// nothing had been passed over: the step stays, and what contradicts at most twice as much is no
// reason for another trial. Otherwise the trial takes the place of the step.
#include "solver/integrator/repeat.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// Tolerances: what contradicts before any trial has judged.
static const double CONTRADICTION = 1;
// Tolerances: a sample as far as that from the end of a trial is wrong without a doubt. Polynomials
// are less accurate than the points between them, by up to hundreds (chains of many rods with bdf).
static const double APART = 1000;

// an age of a state that is not that before the last step
enum { LONG_AGO = 2 };

// [along the constraints | states | across]
static int defects(const trm_simulation *s)
{
    return 2 * s->e.n_q + s->e.n_x;
}

bool trmi_repetition_create(trm_simulation *s)
{
    trmi_repetition *r = &s->repetition;
    const int n = defects(s);
    r->t = NAN;
    r->age = LONG_AGO;
    trmi_memory_init(&r->before.memory, &s->options.allocator);
    trmi_memory_init(&r->after.memory, &s->options.allocator);
    return TRMI_TAKE(&s->memory, r->sum, n) && TRMI_TAKE(&s->memory, r->harmless, n) &&
           TRMI_TAKE(&s->memory, r->sample, n);
}

void trmi_repetition_destroy(trm_simulation *s)
{
    trmi_memory_release_all(&s->repetition.before.memory);
    trmi_memory_release_all(&s->repetition.after.memory);
}

void trmi_repetition_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_archive_doubles(a, &s->repetition.t, 1);
    trmi_archive_doubles(a, s->repetition.harmless, defects(s));
}

double trmi_repetition_limit(const trm_simulation *s, double t_end)
{
    return fmin(t_end, s->repetition.t); // the number where that is NaN
}

void trmi_repetition_update(trm_simulation *s, trm_status status)
{
    trmi_repetition *r = &s->repetition;
    r->age += r->age < LONG_AGO;
    r->last = status;
    if (s->now.t >= r->t)
        r->t = NAN;
}

// Constant steps have no error test, and control `classic` does not end where it is asked to.
static bool can_repeat(const trm_simulation *s)
{
    return s->rule->adapts && !s->method->passes_end;
}

static trm_status keep(trm_simulation *s, trmi_kept_state *state)
{
    state->size = trmi_simulation_copy(s, state->bytes, state->capacity);
    if (state->size <= state->capacity)
        return TRM_OK;
    trmi_memory_release_all(&state->memory);
    state->capacity = 0;
    if (!TRMI_TAKE(&state->memory, state->bytes, 2 * state->size)) { // the history grows
        trmi_error_clear(&s->error);
        s->error.t = s->now.t;
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory to repeat a step");
    }
    state->capacity = 2 * state->size;
    trmi_simulation_copy(s, state->bytes, state->capacity);
    return TRM_OK;
}

trm_status trm_simulation_keep(trm_simulation *s)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    trmi_repetition *r = &s->repetition;
    if (!can_repeat(s))
        return TRM_OK;
    r->steps = s->statistics.steps;
    r->begin = s->now.t;
    r->t_summed = -HUGE_VAL;
    memset(r->sum, 0, (size_t)defects(s) * sizeof *r->sum);
    trm_status status = keep(s, &r->before);
    r->age = status == TRM_OK ? 0 : LONG_AGO;
    return status;
}

// Adds the sample to the integral; each counts once.
static void add_sample(trm_simulation *s, double span)
{
    trmi_repetition *r = &s->repetition;
    const double *defect = s->sampler->point.t > r->t_summed ? trmi_sample_defects(s) : NULL;
    if (!defect)
        return;
    r->t_summed = s->sampler->point.t;
    for (int i = 0; i < defects(s); i++)
        if (isfinite(defect[i]))
            r->sum[i] += span * defect[i];
}

// What was passed over in entry i, in tolerances.
static double passed_over(const trm_simulation *s, int i)
{
    const int n_q = s->e.n_q, n_x = s->e.n_x, k = i < n_q + n_x ? i : i - n_q - n_x;
    const double *of_q = s->weight, *of_v = s->weight + n_q;
    double per = k < n_q ? fmax(of_v[k], s->statistics.h_last * of_q[k]) : of_v[k];
    return fabs(s->repetition.sum[i]) * per;
}

int trm_simulation_contradicts(trm_simulation *s, double span)
{
    if (!s || !can_repeat(s) || !s->sampler || s->repetition.age != 1 ||
        s->statistics.steps == s->repetition.steps || !(s->sampler->point.t < s->now.t))
        return 0;
    add_sample(s, span);
    // a trial is not shorter than half the distance of samples: the next one has this in its sum
    if (s->sampler->point.t < s->repetition.begin + 0.5 * span)
        return 0;
    bool much = false;
    for (int i = 0; i < defects(s); i++)
        much = much || passed_over(s, i) > fmax(CONTRADICTION, s->repetition.harmless[i]);
    return much;
}

static long failed_attempts(const trm_simulation *s)
{
    return s->statistics.rejected_error + s->statistics.rejected_newton;
}

// The work of the step that is taken back was done.
static void keep_work(trm_statistics *now, const trm_statistics *done)
{
    now->newton_iterations = done->newton_iterations;
    now->residual_evaluations = done->residual_evaluations;
    now->residual_evaluations_for_jacobian = done->residual_evaluations_for_jacobian;
    now->jacobian_evaluations = done->jacobian_evaluations;
    now->jacobian_updates = done->jacobian_updates;
    now->jacobian_dense_evaluations = done->jacobian_dense_evaluations;
    now->factorizations = done->factorizations;
    now->solves = done->solves;
}

static void keep_sample(trm_simulation *s)
{
    const trmi_point *p = &s->sampler->point;
    const size_t n_q = (size_t)s->e.n_q;
    memcpy(s->repetition.sample, p->q, n_q * sizeof *p->q);
    memcpy(s->repetition.sample + n_q, p->v, n_q * sizeof *p->v);
    memcpy(s->repetition.sample + 2 * n_q, p->x, (size_t)s->e.n_x * sizeof *p->x);
}

// Whether the present point is where the sample was.
static bool agrees(const trm_simulation *s)
{
    const int n_q = s->e.n_q;
    double *apart = s->repetition.sample; // which is not needed any more
    for (int i = 0; i < n_q; i++) {
        apart[i] -= s->now.q[i];
        apart[n_q + i] -= s->now.v[i];
    }
    for (int i = 0; i < s->e.n_x; i++)
        apart[2 * n_q + i] -= s->now.x[i];
    return trmi_weighted_max(apart, s->weight, 2 * n_q + s->e.n_x) <= APART;
}

// The step once more, to t. *same: at the first attempt, and ending where the sample was.
static trm_status try_again(trm_simulation *s, double t, double t_end, bool *same)
{
    const trm_statistics done = s->statistics;
    trmi_simulation_paste(s, s->repetition.before.bytes, s->repetition.before.size);
    keep_work(&s->statistics, &done);
    const long failed = failed_attempts(s);
    s->repetition.t = t;
    s->control.h = fmin(s->control.h, t - s->now.t);
    trm_status status = trm_simulation_step(s, t_end, NULL);
    *same = status == TRM_OK && s->now.t >= t && failed_attempts(s) == failed && agrees(s);
    return status;
}

// The step is as it was, and what contradicts it is harmless.
static void let_stand(trm_simulation *s, trm_status last)
{
    trmi_repetition *r = &s->repetition;
    trmi_simulation_paste(s, r->after.bytes, r->after.size);
    r->age = 1;
    r->last = last;
    for (int i = 0; i < defects(s); i++)
        r->harmless[i] = fmax(r->harmless[i], 2 * passed_over(s, i));
}

static trm_status repeat(trm_simulation *s, double t_end)
{
    trmi_repetition *r = &s->repetition;
    const trm_status last = r->last;
    const double t = s->sampler->point.t;
    bool same = false;
    keep_sample(s);
    trm_status status = keep(s, &r->after);
    if (status == TRM_OK)
        status = try_again(s, t, t_end, &same);
    if (same) {
        let_stand(s, last);
        return last;
    }
    s->statistics.repeated++;
    trmi_log(s, TRM_LOG_INFO, "t = %.9g: accelerations contradict the step over it: repeated", t);
    return status;
}

trm_status trm_simulation_repeat(trm_simulation *s, double span, double t_end, double *t_reached)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    trm_status status = trm_simulation_contradicts(s, span) ? repeat(s, t_end) : s->repetition.last;
    if (t_reached)
        *t_reached = s->now.t;
    return status;
}
