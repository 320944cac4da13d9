// SPDX-License-Identifier: Apache-2.0
// A step and its rows. Rows are written more often than steps are made: one whose accelerations
// contradict the step over it shows what no evaluation of the step has met, and the step is
// repeated.
#include "program/run/run.h"

#include "modelling/reader/model.h"

static double distance_of_rows(const trmi_run *run)
{
    return trm_model_schedule(run->request.model)->output_interval;
}

// Whether rows of the grid will be written inside a step of the planned length.
static bool may_have_rows(const trmi_run *run)
{
    const double t = trm_simulation_state(run->simulation)->t;
    const double h = trm_simulation_next_step(run->simulation);
    return distance_of_rows(run) > 0 && trmi_run_has_files(run) &&
           (h == 0 || trmi_schedule_row(trm_model_schedule(run->request.model), run->grid) < t + h);
}

bool trmi_step_with_rows(trmi_run *run, double end, double *t, trm_status *status)
{
    const trm_schedule *schedule = trm_model_schedule(run->request.model);
    trm_simulation *s = run->simulation;
    bool contradicted = false;
    *status = may_have_rows(run) ? trm_simulation_keep(s) : TRM_OK;
    if (*status == TRM_OK)
        *status = trm_simulation_step(s, end, t);
    while (*status >= 0) {
        if (!trmi_record_until(run, *t, &contradicted))
            return false;
        if (!contradicted)
            return true;
        *status = trm_simulation_repeat(s, distance_of_rows(run), end, t);
        while (run->sampled > 0 && schedule->output_times[run->sampled - 1] > *t)
            run->sampled--; // samples inside the step that was replaced
    }
    trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(s));
    trmi_record_step(run);
    return false;
}
