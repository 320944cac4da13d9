// SPDX-License-Identifier: Apache-2.0
// A new beginning at the present time, after something jumped: the new values are made consistent
// as at the start, and history, step and order begin again.
#include "solver/integrator/restart.h"

#include "base/error.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// the new values replace the old ones, where there are some
static void replace(double *out, const double *new, int n)
{
    if (new)
        memcpy(out, new, (size_t)n * sizeof *out);
}

static trmi_point *new_point(trm_simulation *s, const trm_initial *initial)
{
    const trmi_evaluator *e = &s->e;
    trmi_point *p = trmi_restart_point(s, s->now.t);
    replace(p->q, initial->q, e->n_q);
    replace(p->v, initial->v, e->n_q);
    replace(p->x, initial->x, e->n_x);
    replace(p->z, initial->z, e->n_z);
    if (initial->lambda)
        trmi_select_rows(e, initial->lambda, p->lambda);
    return p;
}

// the new point becomes the start of what follows
static void begin_there(trm_simulation *s)
{
    trmi_sensitivities_hold(s);
    trmi_end_detour(s);
    trmi_take_point(s, s->corrector.point.t);
    trmi_history_clear(&s->history);
    trmi_corrector_reset(&s->corrector);
    s->control = (trmi_control){0};
    s->points.steps_before = s->statistics.steps;
    s->events.arm = true;
    trmi_update_weights(s);
}

trm_status trmi_restart_there(trm_simulation *s, trmi_point *p)
{
    trm_start_report report = s->start;
    trmi_values_forget_inputs(&s->values); // the excitations may have jumped as well
    trmi_switches_reset(s);
    trmi_sensitivities_forget_sides(s);
    trmi_breaks_forget(s);
    trm_status status = trmi_start_again(&s->manifold, p, &report, &s->error);
    if (status == TRM_OK)
        status = trmi_projected_begin(s, p);
    trmi_update_reset(&s->corrector.update); // the excitations and the matrix may be others now
    if (status == TRM_OK) {
        s->start = report;
        begin_there(s);
    }
    return status;
}

trm_status trm_simulation_restart(trm_simulation *s, const trm_initial *initial)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    const trm_initial same = {0};
    trm_initial given = initial ? *initial : same;
    given.t = s->now.t;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trm_status status = trmi_check_initial(&s->e.user, &given, &s->error);
    if (status == TRM_OK)
        status = trmi_restart_there(s, new_point(s, &given));
    trmi_update_view(s);
    return status;
}
