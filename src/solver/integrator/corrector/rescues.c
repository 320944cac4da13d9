// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/corrector/rescues.h"

#include <stdio.h>

// attempts with the unsymmetric matrix, once it was needed
enum { UNSYMMETRIC_ATTEMPTS = 1000 };

// Dampers that turn fast have stiffness that is not symmetric. The block solver takes the symmetric
// part of it only, its reserve takes all.
static bool symmetric_part_was_used(const trmi_corrector *c)
{
    return !c->saddle->unsymmetric && trmi_is_block(c->saddle->solver) &&
           !trmi_saddle_nearly_singular(c->saddle);
}

static void use_unsymmetric_matrix(trmi_corrector *c)
{
    c->unsymmetric_until = c->attempts + UNSYMMETRIC_ATTEMPTS;
    c->saddle->unsymmetric = true;
}

static bool last_multipliers_were_used(const trmi_corrector *c)
{
    return trmi_uses_residual_multipliers(c) && !trmi_residual_multipliers_now(c);
}

// Algebraic variables that jump come no nearer in shorter steps.
static bool fresh_matrices_may_help(const trmi_corrector *c)
{
    return c->rough_predictor || c->e->n_z > 0;
}

static void refresh(trmi_corrector *c)
{
    c->refreshing = true;
}

static void stop_refreshing(trmi_corrector *c, bool succeeded)
{
    (void)succeeded;
    c->refreshing = false;
}

// Predicted velocities may lie beyond the slip at which friction changes its direction, for the
// past oscillates or does not contain it: those of the last point are closer.
static bool forces_depend_on_velocities(const trmi_corrector *c)
{
    return !(c->e->absent & TRM_BIT(DAMPING));
}

static void start_from_last_velocity(trmi_corrector *c)
{
    c->start_from_last_velocity = c->refreshing = true;
}

static void stop_start_from_last_velocity(trmi_corrector *c, bool succeeded)
{
    c->start_from_last_velocity = c->refreshing = false;
    c->was_rescued = succeeded;
}

const trmi_rescue trmi_rescues[TRMI_RESCUE_COUNT] = {
    {.name = "the unsymmetric matrix",
     .applies = symmetric_part_was_used,
     .prepare = use_unsymmetric_matrix,
     .counts_attempt = true},
    {.name = "multipliers of the residual",
     .applies = last_multipliers_were_used,
     .prepare = trmi_request_residual_multipliers},
    {.name = "a fresh matrix per iteration",
     .applies = fresh_matrices_may_help,
     .prepare = refresh,
     .undo = stop_refreshing},
    {.name = "velocities of the last point",
     .applies = forces_depend_on_velocities,
     .prepare = start_from_last_velocity,
     .undo = stop_start_from_last_velocity},
};

static void trace(const trmi_corrector *c, double t, const trmi_rescue *rescue)
{
    const trm_options *o = c->options;
    char text[128];
    if (!o->log || o->log_level < TRM_LOG_TRACE)
        return;
    snprintf(text, sizeof text, "step %ld to t = %.9g: no convergence, retry with %s",
             c->statistics->steps + 1, t, rescue->name);
    o->log(TRM_LOG_TRACE, text, o->user);
}

trmi_outcome trmi_try_with_rescues(trmi_corrector *c, const trmi_stage *stage, bool fresh,
                                   trmi_try *try_once)
{
    c->saddle->unsymmetric = c->attempts < c->unsymmetric_until;
    c->was_rescued = false;
    trmi_outcome result = try_once(c, stage, fresh);
    for (int k = 0; k < TRMI_RESCUE_COUNT; k++) {
        const trmi_rescue *rescue = &trmi_rescues[k];
        if (fresh && result == TRMI_OUTCOME_DIVERGED && rescue->applies(c)) {
            trace(c, stage->t, rescue);
            rescue->prepare(c);
            result = try_once(c, stage, true);
            if (rescue->undo)
                rescue->undo(c, result == TRMI_OUTCOME_OK);
        }
        c->attempts += rescue->counts_attempt;
    }
    return result;
}
