// SPDX-License-Identifier: Apache-2.0
// The callback of a machine: every wanted quantity from one pass over the tree.
#include "multibody/machine.h"

void trmi_machine_drive(trmi_machine_work *work, double t, double *u)
{
    const trmi_tape *tape = work->machine->mechanism->tape;
    work->tape[0] = t;
    trmi_tape_run(tape, work->tape, UINT64_C(1) << TRMI_TAPE_DRIVES);
    trmi_tape_fetch(tape, work->tape, TRMI_TAPE_DRIVES, u);
}

static bool any(double *const *want, const trm_quantity *quantities, int count)
{
    for (int i = 0; i < count; i++)
        if (want[quantities[i]])
            return true;
    return false;
}

static bool wants_constraints(double *const *want)
{
    static const trm_quantity of_rows[] = {TRM_CONSTRAINT,     TRM_CONSTRAINT_Q, TRM_CONSTRAINT_T,
                                           TRM_GAMMA,          TRM_VELOCITY_Q,   TRM_ROLLING,
                                           TRM_ROLLING_OFFSET, TRM_GEOMETRIC};
    return any(want, of_rows, sizeof of_rows / sizeof *of_rows);
}

int trmi_machine_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                          void *user)
{
    trmi_machine_work *work = user;
    trmi_kinematics *k = &work->kinematics;
    if (want[TRM_INPUT]) { // asked for before anything else, and alone
        trmi_machine_drive(work, state->t, want[TRM_INPUT]);
        return 0;
    }
    trmi_kinematics_move(k, state);
    if (want[TRM_FORCE] || want[TRM_GAMMA])
        trmi_kinematics_accelerate(k, state, NULL, false);
    if (want[TRM_FORCE])
        trmi_inertia_force(&work->recursion, NULL, want[TRM_FORCE]);
    if (wants_constraints(want))
        trmi_constraints_evaluate(&work->machine->constraints, &work->room, k, state, want);
    if (want[TRM_STIFFNESS])
        trmi_kinematics_accelerate(k, state, state->a, true);
    if (want[TRM_MASS] || want[TRM_DAMPING] || want[TRM_STIFFNESS])
        trmi_inertia_matrices(&work->recursion, state->a, want[TRM_MASS], want[TRM_DAMPING],
                              want[TRM_STIFFNESS]);
    if (want[TRM_ENERGY])
        want[TRM_ENERGY][0] = trmi_machine_kinetic(work) + trmi_machine_potential(work);
    return 0;
}
