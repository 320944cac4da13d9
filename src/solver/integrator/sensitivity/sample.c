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
    z->view = (trm_state){
        t, y, y + n, y + z->size, y + 2 * n, y + 2 * n + e->n_x, z->sample_full, NULL, NULL};
    *out = &z->view;
    return TRM_OK;
}
