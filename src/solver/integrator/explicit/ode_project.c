// SPDX-License-Identifier: Apache-2.0
// A new point onto g = 0 and G v + g_t = 0, in the norm of the masses, with the factors of the last
// rate: [M G^T; G 0] (d, .) = (0, -residual). G is that of a point close by: corrections shrink by
// the distance between the two, one is enough at most tolerances. Velocities follow when q is
// final.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/explicit/ode.h"

#include <math.h>
#include <string.h>

// A projection is finished when the next correction would be this part of the tolerance, and a
// failure when it would be more than that; below roundoff nothing can be gained.
static const trmi_sweeps SWEEPS = {
    .min = 1, .max = 5, .roundoff = 1e-14, .enough = 1e-4, .too_large = 0.1};

// Newton with the matrix of the last rate; the last evaluation, at the new q, has G and g_t too.
static trmi_outcome project_with_rate(trm_simulation *s, trmi_point *p, uint64_t levels)
{
    const trmi_manifold m = {.saddle = &s->saddle, .scratch = &s->scratch};
    trm_statistics *st = &s->statistics;
    trmi_sweeps sweeps = SWEEPS;
    bool positions = s->e.n_g > 0;
    sweeps.want = levels;
    sweeps.weight = s->weight;
    trmi_outcome result = trmi_callback_result(
        trmi_evaluate(&s->e, p, positions ? TRM_BIT(CONSTRAINT) : levels, &s->values));
    if (!positions)
        st->position_residual = 0;
    else if (result == TRMI_OUTCOME_OK)
        result = trmi_manifold_sweep(&m, TRMI_POSITIONS, p, &sweeps, &st->position_residual, NULL);
    sweeps.weight += s->e.n_q;
    if (result == TRMI_OUTCOME_OK)
        result = trmi_manifold_sweep(&m, TRMI_VELOCITIES, p, &sweeps, &st->velocity_residual, NULL);
    return result;
}

trmi_outcome trmi_ode_project(trm_simulation *s, trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    const uint64_t levels = TRM_BIT(CONSTRAINT) | trmi_velocity_quantities(e);
    if (e->n_r == 0 && !s->manifold.invariants)
        return TRMI_OUTCOME_OK;
    bool projects = s->options.formulation != TRM_FORMULATION_INDEX1;
    // Where z moves with the constraints the effective g is needed; other norms and invariants need
    // another matrix than that of the rate.
    bool apart = e->constraint_uses_z || s->manifold.invariants ||
                 s->options.projection_norm != TRM_PROJECTION_NORM_MASS;
    if (projects && !apart)
        return project_with_rate(s, p, levels);
    trm_error error; // reported by the failure of the step, if no shorter one helps
    trmi_error_clear(&error);
    trmi_outcome result = projects ? trmi_outcome_of(e, trmi_project_onto(&s->manifold, p, &error))
                                   : trmi_callback_result(trmi_evaluate(e, p, levels, &s->values));
    if (result == TRMI_OUTCOME_OK)
        trmi_manifold_residuals(&s->manifold, p->v, &s->statistics.position_residual,
                                &s->statistics.velocity_residual);
    return result;
}
