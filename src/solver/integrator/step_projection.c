// SPDX-License-Identifier: Apache-2.0
// Projection of what a step found (index1-projected), and of points inside a step. What the
// corrector found is kept for the error estimate; what enters the history is on the constraints.
#include "solver/integrator/step_projection.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"

#include <string.h>

// explicit methods project every step whatever the formulation, Radau IIA has no need to
bool trmi_keeps_invariants(const trm_simulation *s)
{
    bool projects = !s->method->implicit || s->corrector.policy->after == TRMI_AFTER_PROJECTION;
    return projects && s->e.user.n_i > 0;
}

trm_status trmi_projected_begin(trm_simulation *s, const trmi_point *start)
{
    return trmi_keeps_invariants(s)
               ? trmi_invariants_keep(&s->projection.invariants, start, &s->values, &s->error)
               : TRM_OK;
}

static trm_status create_invariants(trm_simulation *s)
{
    if (s->e.user.n_i > 0 && !trmi_keeps_invariants(s))
        trmi_log(s, TRM_LOG_WARNING,
                 "formulation %s does not keep invariants, they are ignored; index1-projected does",
                 s->corrector.policy->name);
    if (!trmi_keeps_invariants(s))
        return TRM_OK;
    s->manifold.invariants = &s->projection.invariants;
    return trmi_invariants_create(&s->projection.invariants, &s->memory, &s->e, &s->error);
}

trm_solver trmi_mass_saddle_solver(const trm_simulation *s)
{
    bool dropped = s->e.n_r < s->e.n_r_full; // as at the start: blocks need all rows
    trm_solver solver = s->options.linear_solver;
    return dropped && solver == TRM_SOLVER_BLOCK ? TRM_SOLVER_AUTO : solver;
}

trm_status trmi_mass_saddle_create(trm_simulation *s)
{
    if (s->mass_saddle) // an alpha method has it already
        return TRM_OK;
    if (!TRMI_TAKE(&s->memory, s->mass_saddle, 1))
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the projection");
    return trmi_saddle_create(s->mass_saddle, &s->memory, &s->values, trmi_mass_saddle_solver(s),
                              false, &s->error);
}

trm_status trmi_projected_create(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    trm_status status = create_invariants(s);
    if (status != TRM_OK || !s->method->implicit ||
        s->corrector.policy->after != TRMI_AFTER_PROJECTION)
        return status;
    status = trmi_mass_saddle_create(s);
    if (status == TRM_OK && (!TRMI_TAKE(&s->memory, s->projection.unprojected, 2 * e->n_q) ||
                             !TRMI_TAKE(&s->memory, s->projection.estimate, e->n_q)))
        status = trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the projection");
    s->projection.manifold = s->manifold;
    s->projection.manifold.saddle = s->mass_saddle;
    return status;
}

trmi_outcome trmi_project_step(trm_simulation *s)
{
    trmi_point *p = &s->corrector.point;
    if (s->corrector.policy->after != TRMI_AFTER_PROJECTION)
        return TRMI_OUTCOME_OK;
    size_t n = (size_t)s->e.n_q;
    memcpy(s->projection.unprojected, p->q, n * sizeof *p->q);
    memcpy(s->projection.unprojected + n, p->v, n * sizeof *p->v);
    trm_error error; // reported by the failure of the step, if no shorter one helps
    trmi_error_clear(&error);
    return trmi_outcome_of(&s->e, trmi_project_onto(&s->projection.manifold, p, &error));
}

trm_status trmi_project_output(trm_simulation *s, trmi_saddle *saddle, trmi_point *p,
                               trm_error *error)
{
    const trmi_policy *policy = s->corrector.policy;
    trmi_manifold manifold = s->manifold; // what it counts is not counted here
    manifold.saddle = saddle;
    if (policy->after != TRMI_AFTER_NOTHING)
        return trmi_project_onto(&manifold, p, error);
    if (policy->level == TRMI_LEVEL_POSITION) // ends of steps have positions on g = 0
        return trmi_project_positions(&manifold, p, error);
    return trmi_settle_checked(&s->e, p, saddle->values, error); // ends of steps drift
}
