// SPDX-License-Identifier: Apache-2.0
// The energy balance of a run. Power is integrated over every step by Lobatto's rule with four
// points (order 6), the inner two from dense output with their own accelerations and multipliers:
//
//     defect = T + V - (T + V)(start) - int P_in + int P_lost - jumps
//
// It measures errors of the integration and of the model's forces, and costs two samples a step.
// Everything is NaN where a part of the run was not balanced, or where powers are not known.
#include "program/run/run.h"

#include "modelling/reader/model.h"

#include <math.h>

// T + V and the powers at a time of the last step
static bool look(trmi_run *run, double t, double *total, double power[2])
{
    const trm_state *state;
    double kinetic, potential;
    if (trm_simulation_sample(run->simulation, t, &state) != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(run->simulation));
    trmi_instance_set_state(run->instance, state);
    trmi_instance_energies(run->instance, state, &kinetic, &potential);
    *total = kinetic + potential;
    trmi_instance_powers(run->instance, state, &power[0], &power[1]);
    return true;
}

bool trmi_balance_begin(trmi_run *run)
{
    trmi_balance *b = &run->balance;
    *b = (trmi_balance){NAN, NAN, {NAN, NAN}, {NAN, NAN}, NAN, NAN};
    if (!run->request.energy || !trmi_model_has_powers(run->request.model))
        return true;
    *b = (trmi_balance){.t = trm_simulation_state(run->simulation)->t};
    bool good = look(run, b->t, &b->total, b->power);
    b->start = b->total;
    return good;
}

static bool wanted(const trmi_run *run)
{
    return run->request.energy && !isnan(run->balance.t);
}

bool trmi_balance_step(trmi_run *run)
{
    static const double node[] = {0.27639320225002103036, 0.72360679774997896964, 1};
    static const double weight[] = {5. / 12, 5. / 12, 1. / 12};
    trmi_balance *b = &run->balance;
    if (!wanted(run))
        return true;
    double from = b->t, to = trm_simulation_state(run->simulation)->t, h = to - from;
    for (int i = 0; i < 2; i++)
        b->work[i] += h / 12 * b->power[i];
    for (int k = 0; k < 3; k++) {
        if (!look(run, k < 2 ? from + node[k] * h : to, &b->total, b->power))
            return false;
        for (int i = 0; i < 2; i++)
            b->work[i] += h * weight[k] * b->power[i];
    }
    b->t = to;
    return true;
}

bool trmi_balance_jump(trmi_run *run)
{
    trmi_balance *b = &run->balance;
    double before = b->total;
    if (!wanted(run))
        return true;
    bool good = look(run, b->t, &b->total, b->power);
    b->jumps += b->total - before;
    return good;
}

double trmi_balance_defect(const trmi_run *run)
{
    const trmi_balance *b = &run->balance;
    return b->total - b->start - b->work[0] + b->work[1] - b->jumps;
}
