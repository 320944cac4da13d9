// SPDX-License-Identifier: Apache-2.0
// The callback of a machine: every quantity in `want` from one pass over the tree.
#include "modelling/multibody/machine.h"
#include "modelling/multibody/star/star.h"

#include <string.h>

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
    static const trm_quantity of_rows[] = {TRM_QUANTITY_CONSTRAINT,     TRM_QUANTITY_CONSTRAINT_Q,
                                           TRM_QUANTITY_CONSTRAINT_T,   TRM_QUANTITY_GAMMA,
                                           TRM_QUANTITY_VELOCITY_Q,     TRM_QUANTITY_ROLLING,
                                           TRM_QUANTITY_ROLLING_OFFSET, TRM_QUANTITY_GEOMETRIC};
    return any(want, of_rows, sizeof of_rows / sizeof *of_rows);
}

static void clear_loads(trmi_machine_work *work)
{
    const trmi_tree *t = work->machine->tree;
    memset(work->applied, 0, (size_t)t->bodies * sizeof *work->applied);
    trmi_clear(work->effort, t->columns);
}

int trmi_machine_load(trmi_machine_work *work, const trm_state *state)
{
    clear_loads(work);
    return trmi_forces_load(&work->machine->forces, &work->force, &work->kinematics, state,
                            work->applied, work->effort);
}

// f, or with accelerations f - M a, after accelerate with the same. loaded: the forces were
// evaluated with the matrices.
static int evaluate_force(trmi_machine_work *work, const trm_state *state, const double *a,
                          bool loaded, double *f)
{
    const trmi_tree *t = work->machine->tree;
    if (work->machine->forces.elements == 0 && work->machine->bendings.count == 0) {
        trmi_inertia_force(&work->recursion, a, NULL, f);
        return 0;
    }
    int result = loaded ? 0 : trmi_machine_load(work, state);
    trmi_bendings_load(&work->machine->bendings, &work->bending, &work->kinematics, a,
                       work->applied, work->effort);
    trmi_inertia_force(&work->recursion, a, work->applied, f);
    for (int k = 0; k < t->columns && work->effort; k++)
        if (t->column[k].coordinate != TRMI_NOTHING)
            f[t->column[k].coordinate] += work->effort[k];
    return result;
}

// M a - f by the Newton-Euler recursion
static int evaluate_residual(trmi_machine_work *work, const trm_state *state, bool loaded,
                             double *out)
{
    trmi_kinematics_accelerate(&work->kinematics, state, state->a, false);
    int result = evaluate_force(work, state, state->a, loaded, out);
    for (int i = 0; i < work->machine->tree->n_q; i++)
        out[i] = -out[i];
    return result;
}

// the inertial part, whose positions were announced first
static void scatter(const trmi_slots *slots, int count, const double *values, double *out)
{
    for (int k = 0; k < count && out; k++)
        trmi_slots_put(slots, k, out, values[k]);
}

int trmi_residual_matrices(trmi_machine_work *work, const trm_state *state, double *const *want)
{
    const trmi_machine *machine = work->machine;
    double *M = want[TRM_QUANTITY_MASS], *D = want[TRM_QUANTITY_DAMPING],
           *K = want[TRM_QUANTITY_STIFFNESS], *L = want[TRM_QUANTITY_FORCE_LAMBDA],
           *P = want[TRM_QUANTITY_FORCE_P];
    if (K)
        trmi_kinematics_accelerate(&work->kinematics, state, state->a, true);
    if (machine->forces.elements == 0 && machine->bendings.count == 0) {
        trmi_inertia_matrices(&work->recursion, state->a, M, D, K);
        return 0;
    }
    double *own_M = machine->bendings.count > 0 ? work->inertial[2] : M;
    trmi_inertia_matrices(&work->recursion, state->a, M ? own_M : NULL,
                          D ? work->inertial[1] : NULL, K ? work->inertial[0] : NULL);
    if (machine->bendings.count > 0) {
        trmi_clear(M, machine->M.pattern.count);
        scatter(&machine->M, machine->own_M, own_M, M);
    }
    trmi_clear(K, machine->K.pattern.count);
    trmi_clear(D, machine->D.pattern.count);
    trmi_clear(L, machine->L.pattern.count);
    scatter(&machine->K, machine->own_K, work->inertial[0], K);
    scatter(&machine->D, machine->own_D, work->inertial[1], D);
    trmi_bendings_matrices(
        &machine->bendings, &work->bending, &work->kinematics, state->a,
        &(trmi_bending_matrices){&machine->M, &machine->K, &machine->D, M, K, D});
    if (!K && !D && !L && !P)
        return 0;
    trmi_clear(P, P ? machine->tree->n_q * work->parameters.count : 0);
    clear_loads(work);
    return trmi_forces_differentiate(&machine->forces, &work->force, &work->kinematics, state,
                                     &(trmi_force_matrices){&machine->K, &machine->D, &machine->L,
                                                            K, D, L, &work->parameters, P},
                                     work->applied, work->effort);
}

// E and dE/dt, after a move; motions are driven by what their joints transmit
static int evaluate_energies(trmi_machine_work *work, const trm_state *state, double *const *want)
{
    trmi_energies e;
    double drives = 0;
    int result;
    if (want[TRM_QUANTITY_POWER] && (work->machine->tree->n_u > 0 || work->workspace.relation)) {
        result = trmi_machine_transmit(work, state);
        drives = trmi_machine_drive_power(work, state);
        trmi_machine_sum_energies(work, &e);
    } else {
        result = trmi_machine_energies(work, state, &e);
    }
    if (want[TRM_QUANTITY_ENERGY])
        *want[TRM_QUANTITY_ENERGY] = e.kinetic + e.potential;
    if (want[TRM_QUANTITY_POWER])
        *want[TRM_QUANTITY_POWER] = drives + e.supplied - e.dissipated;
    return result;
}

// A star of closed blocks: tile by tile, bodies and the joints between them and those before.
static int evaluate_tiles(trmi_machine_work *work, const trm_state *state, double *const *want)
{
    const trmi_constraints *c = &work->machine->constraints;
    trmi_kinematics *k = &work->kinematics;
    double *M = want[TRM_QUANTITY_MASS], *D = want[TRM_QUANTITY_DAMPING],
           *K = want[TRM_QUANTITY_STIFFNESS];
    bool joints = wants_constraints(want),
         energies = want[TRM_QUANTITY_ENERGY] || want[TRM_QUANTITY_POWER];
    trmi_clear(want[TRM_QUANTITY_CONSTRAINT_T], c->n_g);
    for (int i = 0, first = 1; i < c->tiles; first = c->tile[i++].bodies) {
        int end = c->tile[i].bodies;
        trmi_star_place(k, state, first, end);
        if (want[TRM_QUANTITY_VELOCITY_Q] || want[TRM_QUANTITY_GAMMA] || energies)
            trmi_star_speed(k, first, end);
        if (want[TRM_QUANTITY_GAMMA])
            trmi_star_accelerate(k, NULL, first, end);
        if (joints)
            trmi_constraints_evaluate_tile(c, i, k, state, want);
        if (want[TRM_QUANTITY_FORCE])
            trmi_star_force(k, NULL, NULL, want[TRM_QUANTITY_FORCE], first, end);
        if (want[TRM_QUANTITY_RESIDUAL])
            trmi_star_residual(k, state->a, want[TRM_QUANTITY_RESIDUAL], first, end);
        if (M || D || K)
            trmi_star_matrices(k, state->a, M, D, K, first, end);
    }
    return energies ? evaluate_energies(work, state, want) : 0;
}

static int evaluate_all(trmi_machine_work *work, const trm_state *state, double *const *want)
{
    static const trm_quantity matrices[] = {TRM_QUANTITY_DAMPING, TRM_QUANTITY_STIFFNESS,
                                            TRM_QUANTITY_FORCE_LAMBDA, TRM_QUANTITY_FORCE_P,
                                            TRM_QUANTITY_MASS};
    const trm_quantity *of_forces = matrices; // the first four
    trmi_kinematics *k = &work->kinematics;
    int result = 0;
    trmi_kinematics_move(k, state);
    if (want[TRM_QUANTITY_FORCE] || want[TRM_QUANTITY_GAMMA])
        trmi_kinematics_accelerate(k, state, NULL, false);
    if (wants_constraints(want))
        trmi_constraints_evaluate(&work->machine->constraints, &work->workspace, k, state, want);
    if (trmi_machine_explicit(work->machine)) {
        result = trmi_machine_explicit_evaluate(work, state, want);
    } else {
        if (want[TRM_QUANTITY_FORCE])
            result = evaluate_force(work, state, NULL, false, want[TRM_QUANTITY_FORCE]);
        if (result == 0 && want[TRM_QUANTITY_ACCELERATION])
            result = trmi_machine_accelerate(work, state, want[TRM_QUANTITY_ACCELERATION]);
        if (result == 0 && any(want, matrices, 5))
            result = trmi_residual_matrices(work, state, want);
        if (result == 0 && want[TRM_QUANTITY_RESIDUAL])
            result = evaluate_residual(work, state, any(want, of_forces, 4),
                                       want[TRM_QUANTITY_RESIDUAL]);
    }
    if (result == 0 && work->machine->laws.count > 0)
        result = trmi_laws_evaluate(&work->machine->laws, &work->force, k, state, want);
    if (result == 0 && (want[TRM_QUANTITY_ENERGY] || want[TRM_QUANTITY_POWER]))
        result = evaluate_energies(work, state, want);
    return result;
}

int trmi_machine_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                          void *user)
{
    trmi_machine_work *work = user;
    if (want[TRM_QUANTITY_INPUT]) { // asked for before anything else, and alone
        trmi_machine_drive(work, state->t, want[TRM_QUANTITY_INPUT]);
        return 0;
    }
    return work->machine->closed ? evaluate_tiles(work, state, want)
                                 : evaluate_all(work, state, want);
}
