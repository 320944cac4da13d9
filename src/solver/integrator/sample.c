// SPDX-License-Identifier: Apache-2.0
// A consistent state inside the last step: the dense output, brought onto g = 0 and G v + g_t = 0,
// with the accelerations and multipliers that belong to it. It leaves no trace. The matrix is one
// of its own and chooses its pivots again each time, so that a sample depends on nothing but the
// state.
#include "solver/integrator/sample.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

// what output projections, accelerations and rates need
static const uint64_t SAMPLED = TRMI_POSITION_QUANTITIES | TRMI_INVARIANT_QUANTITIES |
                                TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET) | TRM_BIT(FORCE) |
                                TRM_BIT(GAMMA) | TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA) |
                                TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z) |
                                TRM_BIT(ALGEBRAIC_LAMBDA) | TRM_BIT(RATE) | TRM_BIT(ACCELERATION);

trm_status trmi_sampler_create(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    trmi_memory first; // of the sampler itself, which owns what follows
    trmi_sampler *sampler;
    if (s->sampler)
        return TRM_OK;
    trmi_memory_init(&first, &s->options.allocator);
    bool good = TRMI_TAKE(&first, sampler, 1);
    if (good) {
        trm_error error;
        trmi_error_clear(&error);
        s->sampler = sampler;
        sampler->memory = first;
        trmi_memory *memory = &sampler->memory;
        good = trmi_point_create(&sampler->point, memory, e) &&
               TRMI_TAKE(memory, sampler->lambda, e->n_r_full + 1) &&
               TRMI_TAKE(memory, sampler->rate, 2 * e->n_q + e->n_x) &&
               trmi_values_create(&sampler->values, memory, &s->e, SAMPLED, &sampler->uncounted) &&
               trmi_saddle_create(&sampler->saddle, memory, &sampler->values,
                                  trmi_mass_saddle_solver(s), false, &error) == TRM_OK;
    }
    if (good)
        return TRM_OK;
    trmi_sampler_destroy(s);
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for states inside a step");
}

void trmi_sampler_destroy(trm_simulation *s)
{
    if (!s->sampler)
        return;
    trmi_saddle_destroy(&s->sampler->saddle);
    trmi_memory memory = s->sampler->memory; // it lives in it
    trmi_memory_release_all(&memory);
    s->sampler = NULL;
}

trmi_sampler *trmi_sampler_reset(trm_simulation *s)
{
    trmi_saddle_forget(&s->sampler->saddle);
    trmi_values_forget_inputs(&s->sampler->values);
    return s->sampler;
}

// the point before it is made consistent
static void predict_point(trm_simulation *s, double t, bool present, trmi_point *p)
{
    if (present)
        trmi_copy_point(&s->e, &s->now, p);
    else
        s->method->dense(s, t, p);
}

// Conditions of multipliers are free at a row: what a step on the held branch has passed over shows
// as a contradiction.
static void free_branches(trm_simulation *s)
{
    const trmi_switches *w = &s->switches;
    double *lock = s->e.held + s->e.user.first_lock;
    for (int i = 0; i < w->count; i++) {
        w->bumps.lock[i] = lock[i];
        lock[i] = w->solved[i] ? 0 : lock[i];
    }
}

static void hold_branches(trm_simulation *s)
{
    for (int i = 0; i < s->switches.count; i++)
        s->e.held[s->e.user.first_lock + i] = s->switches.bumps.lock[i];
}

void trmi_sample_point(trm_simulation *s, double t, bool present, trmi_point *p, double *full)
{
    trmi_evaluator *e = &s->e;
    trm_error error; // ignored: a = NaN marks that there is none
    trmi_error_clear(&error);
    predict_point(s, t, present, p);
    trmi_sampler *sampler = trmi_sampler_reset(s);
    const trmi_manifold manifold = {.saddle = &sampler->saddle, .scratch = &s->scratch};
    trm_status status = present ? TRM_OK : trmi_project_output(s, &sampler->saddle, p, &error);
    free_branches(s);
    if (status == TRM_OK)
        status = trmi_accelerations(&manifold, p, &error);
    hold_branches(s);
    if (status == TRM_OK && full)
        trmi_full_multipliers(&sampler->values, &s->memory, p, full);
    if (status == TRM_OK && present)
        memcpy(p->z, s->now.z, (size_t)e->n_z * sizeof *p->z); // the state itself is not touched
    if (status != TRM_OK) {
        predict_point(s, t, present, p);
        for (int i = 0; i < e->n_q; i++)
            p->a[i] = NAN;
        if (full)
            trmi_expand_rows(e, p->lambda, full);
    }
    trmi_evaluate(e, p, 0, &sampler->values); // the excitations at this time
}

const trmi_point *trmi_sample_solved(trm_simulation *s, const trmi_point *p)
{
    trmi_sampler *sampler = trmi_sampler_reset(s);
    const trmi_manifold manifold = {.saddle = &sampler->saddle, .scratch = &s->scratch};
    trm_error error; // ignored: the caller goes on without
    trmi_error_clear(&error);
    if (p != &sampler->point)
        trmi_copy_point(&s->e, p, &sampler->point);
    return trmi_accelerations(&manifold, &sampler->point, &error) == TRM_OK ? &sampler->point
                                                                            : NULL;
}

bool trmi_sample_rates(trm_simulation *s, double *rate)
{
    const trmi_evaluator *e = &s->e;
    trmi_sampler *sampler = s->sampler;
    const trmi_point *p = trmi_sample_solved(s, &sampler->point);
    if (!p || (e->n_x > 0 && trmi_evaluate(&s->e, p, TRM_BIT(RATE), &sampler->values) != 0))
        return false;
    memcpy(rate, p->a, (size_t)e->n_q * sizeof *rate);
    if (e->n_x > 0)
        memcpy(rate + e->n_q, sampler->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *rate);
    return true;
}

trm_status trm_simulation_sample(trm_simulation *s, double t, const trm_state **out)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    TRMI_REQUIRE(&s->error, out, "out");
    bool present;
    trm_status status = trmi_check_inside(s, t, &present);
    if (status == TRM_OK)
        status = trmi_sampler_create(s);
    if (status != TRM_OK)
        return status;
    trmi_sampler *sampler = s->sampler;
    trmi_point *p = &sampler->point;
    trmi_sample_point(s, t, present, p, sampler->lambda);
    sampler->view = (trm_state){
        p->t, p->q, p->v, p->a, p->x, p->z, sampler->lambda, sampler->values.input, s->e.held};
    *out = &sampler->view;
    return TRM_OK;
}

// ---- the equations against the polynomial ----

// [v' | x'] of the polynomial at t
static void differentiate_dense(trm_simulation *s, double t, double *rate)
{
    const trmi_evaluator *e = &s->e;
    trmi_point *p = &s->corrector.point; // scratch between steps
    // central differences: roundoff eps / delta equals the error delta^2 of what is left out
    const double delta = cbrt(DBL_EPSILON) * s->statistics.h_last;
    const double *const part[] = {p->v, p->x};
    const int n[] = {e->n_q, e->n_x};
    s->sampler->raw = true;
    for (int side = 1; side >= -1; side -= 2) {
        double *r = rate;
        s->method->dense(s, t + side * delta, p);
        for (int k = 0; k < 2; r += n[k++])
            for (int i = 0; i < n[k]; i++)
                r[i] = side > 0 ? part[k][i] : (r[i] - part[k][i]) / (2 * delta);
    }
    s->sampler->raw = false;
}

// rate [v | x | n_q more] -= f of the equations [a | x']; of velocities what lies across the
// constraints comes last, which the projection of rows takes away.
static void subtract_equations(trm_simulation *s, double *rate)
{
    const trmi_evaluator *e = &s->e;
    trmi_sampler *sampler = s->sampler;
    trmi_manifold manifold = {.saddle = &sampler->saddle, .scratch = &s->scratch};
    double *across = rate + e->n_q + e->n_x;
    for (int i = 0; i < e->n_q; i++)
        rate[i] -= sampler->point.a[i];
    memcpy(across, rate, (size_t)e->n_q * sizeof *across);
    if (e->n_r > 0)
        trmi_project_velocity_error(&manifold, rate);
    for (int i = 0; i < e->n_q; i++)
        across[i] -= rate[i];
    bool rates =
        e->n_x > 0 && trmi_evaluate(&s->e, &sampler->point, TRM_BIT(RATE), &sampler->values) == 0;
    for (int i = 0; i < e->n_x; i++)
        rate[e->n_q + i] -= rates ? sampler->values.of[TRM_QUANTITY_RATE][i] : NAN;
}

const double *trmi_sample_defects(trm_simulation *s)
{
    if (!s->sampler || !s->control.started || !(s->sampler->point.t < s->now.t))
        return NULL;
    differentiate_dense(s, s->sampler->point.t, s->sampler->rate);
    subtract_equations(s, s->sampler->rate);
    return s->sampler->rate;
}

double trm_simulation_defect(trm_simulation *s, double span)
{
    const double *defect = s ? trmi_sample_defects(s) : NULL;
    return defect ? span * trmi_weighted_max(defect, s->weight + s->e.n_q, s->e.n_q + s->e.n_x) : 0;
}
