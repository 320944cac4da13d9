// SPDX-License-Identifier: Apache-2.0
// Sensitivities between steps: other rows, checkpoints, restarts, other coordinates.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

trm_status trmi_sensitivities_fail(trm_simulation *s, const char *what)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, TRM_ERR_SINGULAR, "sensitivities: %s", what);
}

trm_status trmi_sensitivities_diverge(trm_simulation *s, int k, double h)
{
    const char *name = s->sensitivity->parameter[k].name;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = h;
    trmi_error_advise(&s->error, "give another tolerance, or use integrator = bdf");
    return trmi_error_set(&s->error, TRM_ERR_NEWTON,
                          "sensitivities by %.60s: the iteration over the stages of a step did not "
                          "converge, also in shorter steps",
                          name ? name : "a parameter");
}

static trm_status no_memory(trm_simulation *s)
{
    return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for sensitivities");
}

// values for the matrix and what multiplies sensitivities, and the matrix itself
trm_status trmi_sensitivities_exchange(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    uint64_t want = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(VELOCITY_Q);
    for (int k = 0; k < z->count && s->rows.dropped; k++) {
        trmi_evaluator_exchange_rows(&z->parameter[k].side[0]->e, s->rows.dropped);
        trmi_evaluator_exchange_rows(&z->parameter[k].side[1]->e, s->rows.dropped);
        z->parameter[k].exact = NULL;
    }
    for (int i = 0; i < z->past.multiplier_points; i++) // of the rows before
        memset(z->past.m[i], 0, (size_t)z->past.multipliers * sizeof *z->past.m[i]);
    trmi_saddle_destroy(&z->saddle);
    trmi_memory_release_all(&z->memory);
    trmi_memory_init(&z->memory, &s->options.allocator);
    want |= trmi_saddle_derivatives(&s->saddle) | TRM_BIT(GEOMETRIC) | TRM_BIT(FORCE_P);
    const uint64_t beside = TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(GAMMA);
    if (!trmi_values_create(&z->values, &z->memory, &s->e, want, &z->uncounted) ||
        !trmi_values_create(&z->moved, &z->memory, &s->e, beside, &z->uncounted))
        return no_memory(s);
    // LU: it has the whole matrix, of which the block solver has the symmetric part alone, and
    // small systems are solved faster than with a split
    return trmi_saddle_create_lu(&z->saddle, &z->memory, &z->values, s->options.linear_solver, true,
                                 &s->error);
}

void trmi_sensitivities_archive(trm_simulation *s, trmi_archive *archive)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    trmi_history_archive(&z->past, archive);
    trmi_archive_doubles(archive, z->begin, z->count * z->size);
    trmi_saddle_archive(&z->saddle, archive);
    trmi_jumps_archive(s, archive);
    trmi_archive_bool(archive, &s->corrector.velocity_q);
    if (archive->loading)
        z->sampled_t = NAN;
}

// ---- between steps ----

trm_status trmi_sensitivities_step(trm_simulation *s, const trmi_step_trial *trial)
{
    if (!s->sensitivity)
        return TRM_OK;
    s->sensitivity->sampled_t = NAN;
    s->sensitivity->jumps.own_of = NULL;
    return s->method->sensitivities(s, trial);
}

void trmi_sensitivities_hold(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z || z->past.count == 0) // there is no step yet
        return;
    s->method->sensitivities_at(s, s->now.t, z->begin);
    for (int k = 0; k < z->count; k++) { // the excitations may have jumped as well
        trmi_values_forget_inputs(&z->parameter[k].side[0]->values);
        trmi_values_forget_inputs(&z->parameter[k].side[1]->values);
    }
    trmi_history_clear(&z->past);
    z->sampled_t = NAN;
}

// y of the point (q, v) in other coordinates: a central difference of the transformation along y
static void reexpress(trm_simulation *s, const trmi_recentring *r, const double *q, const double *v,
                      double *y)
{
    trmi_sensitivities *z = s->sensitivity;
    const trm_system *u = &s->e.user;
    const int n = s->e.n_q;
    double along = fmax(trmi_max_abs(y, n), trmi_max_abs(y + n, n));
    double h = along > 0 ? cbrt(DBL_EPSILON) / along : 0;
    if (h == 0)
        return;
    for (int side = 0; side < 2; side++) {
        double *to = z->difference[side], step = side ? -h : h;
        for (int i = 0; i < n; i++) {
            to[i] = q[i] + step * y[i];
            to[n + i] = v[i] + step * y[n + i];
        }
        if (u->reexpress(r->from, r->to, to, to + n, NULL, u->user) != 0)
            return;
    }
    for (int i = 0; i < 2 * n; i++)
        y[i] = (z->difference[0][i] - z->difference[1][i]) / (2 * h);
}

void trmi_sensitivities_reexpress(trm_simulation *s, const trmi_recentring *r)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    const size_t size = (size_t)z->size;
    if (z->past.count > s->history.count)
        z->past.count = s->history.count;
    for (int i = 0; i < z->past.count; i++) {
        const trmi_point p = trmi_past_point(s, i);
        for (int k = 0; k < z->count; k++)
            reexpress(s, r, p.q, p.v, z->past.y[i] + (size_t)k * size);
    }
    for (int k = 0; k < z->count && z->past.count == 0; k++)
        reexpress(s, r, s->now.q, s->now.v, z->begin + (size_t)k * size);
    z->sampled_t = NAN;
}
