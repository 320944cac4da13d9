// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/rows.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/formulation/row_choice.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step_projection.h"

#include <math.h>
#include <string.h>

// a pivot that has fallen to this part of the largest since the last choice asks for another one
static const double FALLEN = 0.5;

// Methods with matrices of their own keep their choice.
static bool can_choose(const trm_simulation *s)
{
    const trmi_method *m = s->method;
    return trmi_rows_exchangeable(&s->e) && !m->split && !m->unknown_velocities;
}

bool trmi_rows_create(trm_simulation *s)
{
    trmi_memory_init(&s->rows.memory, &s->options.allocator);
    s->rows.t_rescued = NAN;
    return s->e.n_r == s->e.n_r_full || TRMI_TAKE(&s->memory, s->rows.dropped, s->e.n_r_full);
}

void trmi_rows_destroy(trm_simulation *s)
{
    trmi_memory_release_all(&s->rows.memory);
}

// Implicit methods: the pivot of G alone, since that of the whole matrix changes with the step.
static double smallest_pivot(const trm_simulation *s)
{
    return s->method->implicit ? trmi_saddle_rank(&s->saddle).smallest
                               : s->saddle.factored->pivot.smallest;
}

// s->rows.dropped are left out from now on.
static trm_status exchange(trm_simulation *s)
{
    bool sampled = s->sampler != NULL, geometric = s->saddle.geometric;
    trmi_memory *memory = &s->rows.memory;
    trmi_sampler_destroy(s);
    trmi_evaluator_exchange_rows(&s->e, s->rows.dropped);
    trmi_saddle_destroy(&s->saddle);
    if (s->mass_saddle)
        trmi_saddle_destroy(s->mass_saddle);
    trmi_memory_release_all(memory);
    trmi_memory_init(memory, &s->options.allocator);
    trm_status status = trmi_saddle_create(&s->saddle, memory, &s->values, s->options.linear_solver,
                                           geometric, &s->error);
    if (status == TRM_OK && s->mass_saddle)
        status = trmi_saddle_create(s->mass_saddle, memory, &s->values, trmi_mass_saddle_solver(s),
                                    false, &s->error);
    if (status == TRM_OK && sampled)
        status = trmi_sampler_create(s);
    if (status == TRM_OK && s->sensitivity)
        status = trmi_sensitivities_exchange(s);
    trmi_corrector_reset(&s->corrector);
    return status;
}

static bool evaluate_constraints(trm_simulation *s)
{
    const uint64_t want = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q);
    return trmi_evaluate(&s->e, &s->now, want, &s->values) == 0;
}

// all multipliers that are kept
static void convert_multipliers(trm_simulation *s, const trmi_row_choice *choice)
{
    for (int k = 0; k < s->history.multiplier_points; k++)
        trmi_row_choice_convert(choice, &s->e, s->history.m[k]);
    double *const others[] = {s->points.glided.lambda, s->points.detour.lambda,
                              s->corrector.point.lambda};
    for (int k = 0; k < 3; k++)
        if (others[k])
            trmi_row_choice_convert(choice, &s->e, others[k]);
}

// At the newest point: whether others are left out from now on. Not TRM_OK: the matrices of the new
// ones could not be made.
static bool choose(trm_simulation *s, trm_status *status)
{
    trmi_row_choice choice;
    *status = TRM_OK;
    if (!can_choose(s) || !evaluate_constraints(s))
        return false;
    bool other = trmi_row_choice_find(&choice, &s->values, &s->now, &s->memory);
    if (other) {
        convert_multipliers(s, &choice);
        trmi_record_dependences(&s->e, &choice.all);
        memcpy(s->rows.dropped, choice.dropped, (size_t)s->e.n_r_full * sizeof *choice.dropped);
        *status = exchange(s);
        s->rows.pivot = 0;
        trmi_log(s, TRM_LOG_INFO, "t = %.9g: other redundant constraint rows are left out",
                 s->now.t);
    }
    trmi_row_choice_release(&choice);
    return other;
}

trm_status trmi_rows_follow(trm_simulation *s)
{
    trm_status status = TRM_OK;
    if (!can_choose(s))
        return TRM_OK;
    double pivot = smallest_pivot(s);
    bool fallen = pivot < FALLEN * s->rows.pivot;
    s->rows.pivot = fallen ? pivot : fmax(pivot, s->rows.pivot);
    if (fallen)
        choose(s, &status);
    return status;
}

trm_status trmi_rows_rescue(trm_simulation *s, trm_status status)
{
    trm_status chosen;
    bool numerical =
        status == TRM_ERR_SINGULAR || status == TRM_ERR_NEWTON || status == TRM_ERR_ERROR_TEST;
    if (!numerical || s->rows.t_rescued == s->now.t || !choose(s, &chosen))
        return status;
    s->rows.t_rescued = s->now.t;
    s->control.newton_failures = s->control.error_failures = s->control.singular_failures = 0;
    return chosen;
}

void trmi_rows_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_evaluator *e = &s->e;
    bool other = false;
    if (!s->rows.dropped)
        return;
    trmi_archive_doubles(a, &s->rows.pivot, 1);
    trmi_archive_doubles(a, &s->rows.t_rescued, 1);
    for (int i = 0; i < e->n_r_full; i++) {
        bool before = e->active[i] == e->n_r;
        s->rows.dropped[i] = before;
        trmi_archive_bool(a, &s->rows.dropped[i]);
        trmi_archive_bool(a, &e->shared[i]);
        trmi_archive_int(a, &e->follows[i], 0, e->n_r_full - 1);
        other = other || s->rows.dropped[i] != before;
    }
    if (!a->loading || a->status != TRM_OK || !other)
        return;
    int count = 0;
    for (int i = 0; i < e->n_r_full; i++)
        count += s->rows.dropped[i];
    if (count != e->n_r_full - e->n_r || !can_choose(s))
        a->status = TRM_ERR_RANGE;
    else
        a->status = exchange(s);
}
