// SPDX-License-Identifier: Apache-2.0
// Creation of a machine and of its workspaces.
#include "multibody/machine.h"

#include "base/error.h"

// relative tolerances of angles refer to 1 rad, however many turns they count
static bool size_coordinates(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    double *size;
    if (!TRMI_TAKE(memory, size, t->n_q))
        return false;
    for (int k = 0; k < t->columns; k++)
        if (t->column[k].coordinate != TRMI_NOTHING)
            size[t->column[k].coordinate] = t->column[k].kind == TRMI_COLUMN_SLIDE ? 0 : 1;
    machine->q_size = size;
    return true;
}

static bool find_constraints(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_constraints *c = &machine->constraints;
    int *number;
    if (!TRMI_TAKE(memory, number, machine->mechanism->joints))
        return false;
    for (int j = 0; j < machine->mechanism->joints; j++)
        number[j] = TRMI_NOTHING;
    for (int i = 0; i < c->joints; i++)
        number[c->joint[i].joint] = i;
    machine->constraint_of = number;
    return true;
}

// the unknowns of every body and of every cut joint of the star
static bool list_blocks(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    const trmi_constraints *c = &machine->constraints;
    int *body, *joint;
    if (!t->star || c->n_a > 0)
        return true;
    if (!TRMI_TAKE(memory, body, t->bodies) || !TRMI_TAKE(memory, joint, c->joints + 1))
        return false;
    for (int b = 1; b < t->bodies; b++)
        body[b - 1] = t->column[t->body[b].first].coordinate;
    body[t->bodies - 1] = t->n_q;
    for (int j = 0; j < c->joints; j++)
        joint[j] = c->joint[j].number[0];
    joint[c->joints] = c->n_g;
    machine->body_first = body;
    machine->joint_first = joint;
    return true;
}

static bool find_patterns(trmi_machine *machine, trmi_memory *memory)
{
    static const trm_quantity inertial[] = {TRM_MASS, TRM_DAMPING, TRM_STIFFNESS};
    for (int i = 0; i < 3; i++) {
        trm_pattern *p = &machine->pattern[inertial[i]];
        if (!trmi_inertia_pattern(memory, machine->tree, inertial[i], p))
            return false;
        if (p->count == 0)
            p->count = TRM_PATTERN_ZERO;
    }
    machine->pattern[TRM_CONSTRAINT_Q] = machine->constraints.G.pattern;
    machine->pattern[TRM_ROLLING] = machine->constraints.A.pattern;
    machine->pattern[TRM_VELOCITY_Q] = machine->constraints.velocity_q;
    machine->pattern[TRM_GEOMETRIC] = machine->constraints.K.pattern;
    return true;
}

const trmi_machine *trmi_machine_create(trmi_memory *memory, const trmi_mechanism *mechanism,
                                        trm_error *error)
{
    trmi_machine *machine;
    if (!TRMI_TAKE(memory, machine, 1)) {
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the mechanism");
        return NULL;
    }
    machine->mechanism = mechanism;
    machine->joints = trmi_tree_create(memory, mechanism, error);
    if (!machine->joints)
        return NULL;
    machine->tree =
        mechanism->absolute ? trmi_star_create(memory, mechanism, error) : machine->joints;
    if (!machine->tree)
        return NULL;
    machine->n_held = machine->tree->n_held;
    if (trmi_constraints_create(&machine->constraints, memory, mechanism, machine->tree, true,
                                &machine->n_held, error) != TRM_OK)
        return NULL;
    if (!trmi_signals_create(&machine->signals, memory, mechanism, machine->tree,
                             mechanism->watched, &machine->n_held) ||
        !size_coordinates(machine, memory) || !find_constraints(machine, memory) ||
        !list_blocks(machine, memory) || !find_patterns(machine, memory) ||
        !trmi_machine_name(machine, memory)) {
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the mechanism");
        return NULL;
    }
    return machine;
}

trmi_machine_work *trmi_machine_work_create(trmi_memory *memory, const trmi_machine *machine,
                                            const double *parameters)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_machine_work *work;
    int registers = m->tape ? trmi_tape_registers(m->tape) : 0;
    if (!TRMI_TAKE(memory, work, 1) || !TRMI_TAKE(memory, work->tape, registers) ||
        !TRMI_TAKE(memory, work->q, machine->tree->n_q) ||
        !TRMI_TAKE(memory, work->v, machine->tree->n_q) ||
        !TRMI_TAKE(memory, work->held, machine->n_held) ||
        !TRMI_TAKE(memory, work->applied, machine->tree->bodies) ||
        !TRMI_TAKE(memory, work->through, machine->tree->bodies) ||
        !TRMI_TAKE(memory, work->effort, machine->tree->columns) ||
        !trmi_kinematics_create(&work->kinematics, memory, machine->tree) ||
        !trmi_recursion_create(&work->recursion, memory, &work->kinematics, m->explicit) ||
        !trmi_set_room_create(&work->room, memory, machine->constraints.most_columns))
        return NULL;
    work->machine = machine;
    trmi_machine_set_parameters(work, parameters);
    return work;
}

// what the callback fills
static const uint64_t EVALUATES =
    TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_DAMPING) | TRM_BIT(TRM_STIFFNESS) |
    TRM_BIT(TRM_ENERGY) | TRM_BIT(TRM_INPUT) | TRM_BIT(TRM_CONSTRAINT) | TRM_BIT(TRM_CONSTRAINT_Q) |
    TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_GAMMA) | TRM_BIT(TRM_VELOCITY_Q) |
    TRM_BIT(TRM_GEOMETRIC) | TRM_BIT(TRM_ROLLING) | TRM_BIT(TRM_ROLLING_OFFSET);

trm_system trmi_machine_system(trmi_machine_work *work)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *t = machine->tree;
    const trmi_constraints *c = &machine->constraints;
    trm_system s = {.n_q = t->n_q,
                    .n_g = c->n_g,
                    .n_a = c->n_a,
                    .n_u = t->n_u,
                    .evaluate = trmi_machine_evaluate,
                    .evaluates = EVALUATES,
                    .q_names = machine->q_names,
                    .g_names = c->name,
                    .q_size = machine->q_size,
                    .n_held = machine->n_held,
                    .held = work->held,
                    .settle = machine->n_held > 0 ? trmi_machine_settle : NULL,
                    .reexpress = t->n_held > 0 ? trmi_machine_reexpress : NULL,
                    .user = work};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        s.pattern[k] = machine->pattern[k];
    if (t->star && t->plane != TRMI_SPATIAL)
        s.constant |= TRM_BIT(TRM_MASS);
    if (t->n_u == 0)
        s.constant |= TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING_OFFSET);
    if (machine->body_first) {
        s.n_bodies = t->bodies - 1;
        s.body_first = machine->body_first;
        s.n_joints = c->joints;
        s.joint_first = machine->joint_first;
    }
    return s;
}
