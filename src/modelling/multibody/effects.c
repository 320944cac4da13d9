// SPDX-License-Identifier: Apache-2.0
// What forces and joints do, as numbers for outputs and events.
#include "modelling/multibody/forces/effect.h"
#include "modelling/multibody/machine.h"

// what the rest of the mechanism knows of a joint; 0 for effects of elements
static double joint_effect(const trmi_machine_work *work, const trm_state *state,
                           const trmi_effect *effect)
{
    const trmi_machine *machine = work->machine;
    int constraint = machine->constraint_of[effect->index];
    switch (effect->kind) {
    case TRMI_EFFECT_REACTION:
        return trmi_wrench_component(trmi_machine_reaction(work, state, effect->index),
                                     effect->part);
    case TRMI_EFFECT_DRIVE:
        return trmi_machine_drive_effort(work, state, effect->index, effect->part);
    case TRMI_EFFECT_SUM:
        return state->lambda ? -state->lambda[trmi_constraint_number(
                                   &machine->constraints.joint[constraint], 0)]
                             : 0;
    default:
        return 0;
    }
}

static bool is_of_joint(const trmi_effect *effect)
{
    return effect->kind == TRMI_EFFECT_REACTION || effect->kind == TRMI_EFFECT_DRIVE ||
           effect->kind == TRMI_EFFECT_SUM;
}

// Effects of one force are together: its law is evaluated once for them.
static void evaluate(trmi_machine_work *work, const trm_state *state, const trmi_effect *effect,
                     int count, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    const trmi_forces *f = &work->machine->forces;
    trmi_acting a = {.element = NULL};
    trmi_forces_formulas(f, &work->force, &work->kinematics, state, false);
    for (int i = 0; i < count; i++) {
        value[i] = is_of_joint(&effect[i]) ? joint_effect(work, state, &effect[i]) : 0;
        for (int k = 0; k < f->elements; k++) {
            if (!trmi_effect_is_of(m, &f->element[k], &effect[i]))
                continue;
            if (a.element != &f->element[k])
                trmi_act(&a, &f->element[k], &work->force, &work->kinematics, state, false);
            value[i] += trmi_effect_value(&a, &effect[i]);
        }
    }
}

void trmi_machine_effects(trmi_machine_work *work, const trm_state *state, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    bool reactions = false;
    for (int i = 0; i < m->effects; i++)
        reactions = reactions || is_of_joint(&m->effect[i]);
    if (reactions && state->a && state->lambda)
        trmi_machine_set_state(work, state);
    else
        trmi_kinematics_move(&work->kinematics, state);
    evaluate(work, state, m->effect, m->effects, value);
}

void trmi_machine_force_channels(trmi_machine_work *work, const trm_state *state, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    if (m->force_channels > 0)
        evaluate(work, state, m->force_channel, m->force_channels, value);
}
