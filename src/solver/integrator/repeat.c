// SPDX-License-Identifier: Apache-2.0
// A sample inside a step may contradict the polynomial of the method: a short pulse lies there that
// no evaluation of the step has met. Or nothing lies there: the equations are stiff, and an error
// of the positions below the tolerance is a large one of the accelerations. So the step is tried
// again from where it began, to the time of the sample and no further. Where that attempt passes
// the error test with the equations of that place in it, nothing had been passed over: the step
// stays, and what contradicts at most twice as much is no reason for another trial. Otherwise the
// trial takes the place of the step.
#include "solver/integrator/repeat.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

// what samples are compared with that no trial has judged yet: more than a tolerance
static const double CONTRADICTION = 1;

bool trmi_repetition_create(trm_simulation *s)
{
    trmi_repetition *r = &s->repetition;
    const int n = s->e.n_q + s->e.n_x;
    r->t = NAN;
    trmi_memory_init(&r->before.memory, &s->options.allocator);
    trmi_memory_init(&r->after.memory, &s->options.allocator);
    return TRMI_TAKE(&s->memory, r->defect, n) && TRMI_TAKE(&s->memory, r->harmless, n);
}

void trmi_repetition_destroy(trm_simulation *s)
{
    trmi_memory_release_all(&s->repetition.before.memory);
    trmi_memory_release_all(&s->repetition.after.memory);
}

void trmi_repetition_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_archive_doubles(a, &s->repetition.t, 1);
    trmi_archive_doubles(a, s->repetition.harmless, s->e.n_q + s->e.n_x);
}

double trmi_repetition_limit(const trm_simulation *s, double t_end)
{
    return fmin(t_end, s->repetition.t); // the number where that is NaN
}

void trmi_repetition_update(trm_simulation *s, trm_status status)
{
    trmi_repetition *r = &s->repetition;
    r->age++;
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
    if (!can_repeat(s))
        return TRM_OK;
    s->repetition.age = 0;
    s->repetition.steps = s->statistics.steps;
    return keep(s, &s->repetition.before);
}

int trm_simulation_contradicts(trm_simulation *s, double span)
{
    if (!s || !can_repeat(s) || s->repetition.age != 1 ||
        s->statistics.steps == s->repetition.steps)
        return 0;
    const double *defect = trmi_sample_defects(s, span);
    bool much = false;
    for (int i = 0; defect && i < s->e.n_q + s->e.n_x; i++)
        much = much || defect[i] > fmax(CONTRADICTION, s->repetition.harmless[i]);
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

// The step once more, to t. *passes: at the first attempt.
static trm_status try_again(trm_simulation *s, double t, double t_end, bool *passes)
{
    const trm_statistics done = s->statistics;
    trmi_simulation_paste(s, s->repetition.before.bytes, s->repetition.before.size);
    keep_work(&s->statistics, &done);
    const long failed = failed_attempts(s);
    s->repetition.t = t;
    s->control.h = fmin(s->control.h, t - s->now.t);
    trm_status status = trm_simulation_step(s, t_end, NULL);
    *passes = status == TRM_OK && s->now.t >= t && failed_attempts(s) == failed;
    return status;
}

// The step is as it was, and what contradicts it is harmless.
static void let_stand(trm_simulation *s, trm_status last)
{
    trmi_repetition *r = &s->repetition;
    trmi_simulation_paste(s, r->after.bytes, r->after.size);
    r->age = 1;
    r->last = last;
    for (int i = 0; i < s->e.n_q + s->e.n_x; i++)
        r->harmless[i] = fmax(r->harmless[i], 2 * r->defect[i]);
}

static trm_status repeat(trm_simulation *s, double t_end)
{
    trmi_repetition *r = &s->repetition;
    const trm_status last = r->last;
    const double t = s->sampler->point.t;
    bool passes = false;
    memcpy(r->defect, s->sampler->rate, (size_t)(s->e.n_q + s->e.n_x) * sizeof *r->defect);
    trm_status status = keep(s, &r->after);
    if (status == TRM_OK)
        status = try_again(s, t, t_end, &passes);
    if (passes) {
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
