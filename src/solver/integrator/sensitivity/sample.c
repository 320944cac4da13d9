// SPDX-License-Identifier: Apache-2.0
// Sensitivities inside the last step.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

// [q | v | x | z] of all parameters at t
static void values_at(trm_simulation *s, double t, double *out)
{
    const trmi_sensitivities *z = s->sensitivity;
    if (z->past.count == 0)
        memcpy(out, z->begin, (size_t)(z->count * z->size) * sizeof *out);
    else
        s->method->sensitivities_at(s, t, out);
}

// all parameters at the point of the sampler
static trm_status sample_all(trm_simulation *s, double t)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const trmi_point *p = &s->sampler->point;
    const size_t size = (size_t)z->size, n = (size_t)e->n_q,
                 stride = size + n + (size_t)e->n_r_full + 1;
    double *all = z->offset;
    values_at(s, t, all);
    if (!trmi_sensitivities_evaluate(s, p) ||
        trmi_saddle_factor_start(&z->saddle) != TRMI_FACTOR_OK)
        return trmi_sensitivities_fail(s, "the accelerations cannot be differentiated here");
    for (int k = 0; k < z->count; k++) {
        double *to = z->sample + (size_t)k * stride;
        memcpy(to, all + (size_t)k * size, size * sizeof *to);
        if (!trmi_sensitivities_accelerations(s, k, p, to, to + size, to + size + n))
            return trmi_sensitivities_fail(s, "the equations cannot be evaluated here");
    }
    z->sampled_t = t;
    return TRM_OK;
}

trm_status trm_simulation_sensitivity(trm_simulation *s, double t, int parameter,
                                      const trm_state **out)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    TRMI_REQUIRE(&s->error, out, "out");
    trmi_sensitivities *z = s->sensitivity;
    const trm_state *state;
    if (!z || parameter < 0 || parameter >= z->count) {
        trmi_error_clear(&s->error);
        s->error.t = s->now.t;
        return trmi_error_set(&s->error, TRM_ERR_RANGE, "there is no parameter %d: %s", parameter,
                              z ? "there are fewer" : "the simulation has no sensitivities");
    }
    if (z->sampled_t != t) {
        trm_status status = trm_simulation_sample(s, t, &state);
        if (status == TRM_OK)
            status = sample_all(s, t);
        if (status != TRM_OK)
            return status;
    }
    const trmi_evaluator *e = &s->e;
    const size_t n = (size_t)e->n_q, stride = (size_t)z->size + n + (size_t)e->n_r_full + 1;
    const double *y = z->sample + (size_t)parameter * stride;
    trmi_expand_rows(e, y + z->size + n, z->sample_full);
    const trm_system *u = &e->user;
    double *held = z->jumps.held; // of what is remembered, 0 for all others
    memset(held, 0, (size_t)u->n_held * sizeof *held);
    memcpy(held + u->first_memory, z->jumps.memory + (size_t)parameter * (size_t)u->n_memories,
           (size_t)u->n_memories * sizeof *held);
    z->view = (trm_state){
        t, y, y + n, y + z->size, y + 2 * n, y + 2 * n + e->n_x, z->sample_full, NULL, held};
    *out = &z->view;
    return TRM_OK;
}

// v onto G v + (G v + g_t)_q q + (G v + g_t)_p = 0, in the norm of the masses
static bool project_velocities(trm_simulation *s, int parameter, const double *q, double *v)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    double *r = z->rhs, *rows = r + e->n_q + e->n_x + e->n_z;
    if (e->n_r == 0)
        return true;
    if (!trmi_sensitivities_evaluate(s, &s->now) ||
        !trmi_sensitivities_terms(
            s, parameter, &s->now, false, &z->values,
            trmi_sensitivities_newest(s) + (size_t)parameter * (size_t)z->size, &z->terms) ||
        trmi_saddle_factor_projection(&z->saddle, NULL) != TRMI_FACTOR_OK)
        return false;
    memset(r, 0, (size_t)trmi_rhs_size(e) * sizeof *r);
    trmi_constraint_product(&z->values, v, rows);
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_VELOCITY_Q, 1, q, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -(rows[i] + z->terms.velocity[i]);
    rows[e->n_r] = 0;
    trmi_saddle_solve(&z->saddle, r, 1);
    for (int i = 0; i < e->n_q; i++)
        v[i] += r[i];
    return true;
}

trm_status trm_simulation_set_sensitivity(trm_simulation *s, int parameter, const double *q,
                                          const double *v, const double *x)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    TRMI_REQUIRE(&s->error, q, "q");
    TRMI_REQUIRE(&s->error, v, "v");
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    if (!z || parameter < 0 || parameter >= z->count)
        return trmi_error_set(&s->error, TRM_ERR_RANGE, "there is no parameter %d", parameter);
    if (z->past.count > 0)
        return trmi_error_set(&s->error, TRM_ERR_RANGE,
                              "sensitivities can be set after a restart only");
    double *y = z->begin + (size_t)parameter * (size_t)z->size;
    memcpy(y, q, (size_t)e->n_q * sizeof *y);
    memcpy(y + e->n_q, v, (size_t)e->n_q * sizeof *y);
    if (x && e->n_x > 0)
        memcpy(y + 2 * e->n_q, x, (size_t)e->n_x * sizeof *y);
    z->sampled_t = NAN;
    return project_velocities(s, parameter, y, y + e->n_q)
               ? TRM_OK
               : trmi_sensitivities_fail(s, "velocities cannot be moved onto the constraints");
}
