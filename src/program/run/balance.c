// SPDX-License-Identifier: Apache-2.0
// The energy balance of a run (solver/integrator/watch/balance.h), where --energy requests it: of
// every step, with the powers that the mechanism puts in and loses, at states of the dense output
// with their own accelerations and multipliers. It measures errors of the integration and of the
// model's forces, and costs two samples a step, more where the powers change fast in it. Everything
// is NaN where a part of the run was not balanced, or where powers are not known.
#include "program/run/run.h"

#include "modelling/reader/model.h"

#include <math.h>

// the powers, and unless NULL T + V, at a time of the last step
static bool sample(trmi_run *run, double t, double *total, double power[2])
{
    const trm_state *state;
    double kinetic, potential;
    if (trm_simulation_sample(run->simulation, t, &state) != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(run->simulation));
    trmi_instance_set_state(run->instance, state);
    if (total) {
        trmi_instance_energies(run->instance, state, &kinetic, &potential);
        *total = kinetic + potential;
    }
    trmi_instance_powers(run->instance, state, &power[0], &power[1]);
    return true;
}

static bool probe(void *context, double t, double power[2])
{
    return sample(context, t, NULL, power);
}

bool trmi_run_balance_begin(trmi_run *run)
{
    trmi_balance *b = &run->balance;
    double t = trm_simulation_state(run->simulation)->t, total = NAN, power[2];
    *b = (trmi_balance){NAN, NAN, {NAN, NAN}, {NAN, NAN}, NAN, NAN, NAN};
    if (!run->request.energy || !trmi_model_has_powers(run->request.model))
        return true;
    if (!sample(run, t, &total, power))
        return false;
    trmi_balance_begin(b, t, total, power);
    return true;
}

bool trmi_run_balance_step(trmi_run *run)
{
    trmi_balance *b = &run->balance;
    double to = trm_simulation_state(run->simulation)->t, total = NAN, power[2], work[2], error;
    if (!run->request.energy || isnan(b->t))
        return true;
    if (!sample(run, to, &total, power))
        return false;
    double exchanged = fabs(total - b->start) + fabs(b->work[0]) + fabs(b->work[1]);
    for (int i = 0; i < 2; i++)
        exchanged += (to - b->t) * (fabs(b->power[i]) + fabs(power[i]));
    double limit = trmi_run_options(run)->rtol * exchanged;
    if (!trmi_balance_integrate(b, to, power, limit, probe, run, work, &error))
        return false;
    trmi_balance_advance(b, to, total, power, work, error);
    return true;
}

bool trmi_run_balance_jump(trmi_run *run)
{
    trmi_balance *b = &run->balance;
    double total = NAN, power[2];
    if (!run->request.energy || isnan(b->t))
        return true;
    if (!sample(run, b->t, &total, power))
        return false;
    trmi_balance_jump(b, b->total, total, power);
    return true;
}
