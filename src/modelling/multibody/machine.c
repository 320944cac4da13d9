// SPDX-License-Identifier: Apache-2.0
// Creation of a machine and of its workspaces.
#include "modelling/multibody/machine.h"
#include "modelling/multibody/rows/formula_row.h"
#include "modelling/multibody/rows/relation.h"

#include "base/error.h"

// Relative tolerances of angles refer to 1 rad, however many turns they count. In the star they are
// those of the first body again and again.
static bool size_coordinates(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    int columns = t->star && t->bodies > 1 ? trmi_free_columns(t->plane) : t->columns;
    double *size;
    if (!TRMI_TAKE(memory, size, t->star ? columns : t->n_q))
        return false;
    for (int k = 0; k < columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.coordinate != TRMI_NOTHING)
            size[c.coordinate] = c.kind == TRMI_COLUMN_SLIDE ? 0 : 1;
    }
    machine->q_size = size;
    machine->q_size_period = t->star ? columns : 0;
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
        body[b - 1] = trmi_column_of(t, t->body[b].first).coordinate;
    body[t->bodies - 1] = t->n_q;
    for (int j = 0; j < c->joints; j++)
        joint[j] = trmi_constraint_number(&c->joint[j], 0);
    joint[c->joints] = c->n_g;
    machine->body_first = body;
    machine->joint_first = joint;
    return true;
}

static bool find_inertial_patterns(trmi_machine *machine, trmi_memory *memory)
{
    if (machine->matrix_free)
        return true;
    trm_pattern *p = machine->pattern;
    bool good = trmi_inertia_patterns(memory, machine->tree, &p[TRM_QUANTITY_MASS],
                                      &p[TRM_QUANTITY_STIFFNESS]);
    p[TRM_QUANTITY_DAMPING] = p[TRM_QUANTITY_STIFFNESS];
    return good;
}

// the positions of the inertial part, in the order of its values
static int announce(trmi_slots *slots, const trm_pattern *own)
{
    for (trmi_cursor at = trmi_pattern_begin(own); at.k < own->count; trmi_pattern_next(&at))
        trmi_slots_add(slots, at.row, at.column);
    return slots->added;
}

// Forces add to K and D of the inertial part, elastic bodies to M too. Without them the patterns
// remain what they are.
static trm_status create_forces(trmi_machine *machine, trmi_memory *memory, trm_error *error)
{
    trm_pattern *p = machine->pattern;
    bool bends = machine->mechanism->flexibles > 0;
    if (bends)
        machine->own_M = announce(&machine->M, &p[TRM_QUANTITY_MASS]);
    if (bends || trmi_forces_max(machine->mechanism) > 0) {
        machine->own_K = announce(&machine->K, &p[TRM_QUANTITY_STIFFNESS]);
        machine->own_D = announce(&machine->D, &p[TRM_QUANTITY_DAMPING]);
    }
    machine->used = (trmi_signals){machine->mechanism->signals, machine->signals.set};
    trm_status status = trmi_forces_create(
        &machine->forces, memory, machine->mechanism, machine->tree, &machine->constraints,
        &machine->used, &machine->K, &machine->D, &machine->L, &machine->n_held, error);
    bool finished = trmi_bendings_create(&machine->bendings, memory, machine->mechanism,
                                         machine->tree, &machine->M, &machine->K, &machine->D);
    finished = trmi_slots_finish(&machine->M, memory) && finished;
    finished = trmi_slots_finish(&machine->K, memory) && finished;
    finished = trmi_slots_finish(&machine->D, memory) && finished;
    finished = trmi_slots_finish(&machine->L, memory) && finished;
    if (machine->forces.elements > 0 || machine->bendings.count > 0) {
        p[TRM_QUANTITY_STIFFNESS] = machine->K.pattern;
        p[TRM_QUANTITY_DAMPING] = machine->D.pattern;
    }
    if (machine->bendings.count > 0)
        p[TRM_QUANTITY_MASS] = machine->M.pattern;
    finished = trmi_laws_create(&machine->laws, memory, &machine->forces) && finished;
    return status != TRM_OK ? status : finished ? TRM_OK : TRM_ERR_MEMORY;
}

static void set_patterns(trmi_machine *machine)
{
    trm_pattern *p = machine->pattern;
    p[TRM_QUANTITY_CONSTRAINT_Q] = machine->constraints.G.pattern;
    p[TRM_QUANTITY_ROLLING] = machine->constraints.A.pattern;
    p[TRM_QUANTITY_VELOCITY_Q] = machine->constraints.velocity_q;
    p[TRM_QUANTITY_GEOMETRIC] = machine->constraints.K.pattern;
    p[TRM_QUANTITY_FORCE_LAMBDA] = machine->L.pattern;
    trmi_laws_patterns(&machine->laws, p);
    if (p[TRM_QUANTITY_STIFFNESS].count == 0)
        p[TRM_QUANTITY_STIFFNESS].count = TRM_PATTERN_ZERO;
    if (p[TRM_QUANTITY_DAMPING].count == 0)
        p[TRM_QUANTITY_DAMPING].count = TRM_PATTERN_ZERO;
}

// The tree of the coordinates. That of the joints is kept beside it, but with the star, where it
// serves the start only (trmi_machine_start makes it again), the edges of it alone.
static bool create_trees(trmi_machine *machine, trmi_memory *memory, trm_error *error)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_memory passing;
    int *edge;
    trmi_memory_init(&passing, &memory->allocator);
    machine->tree = m->absolute ? trmi_star_create(memory, m, error) : NULL;
    bool star = machine->tree && machine->tree->star;
    const trmi_tree *joints = trmi_tree_create(star ? &passing : memory, m, error);
    machine->tree = m->absolute ? machine->tree : joints;
    machine->joints = star ? NULL : joints;
    bool good = joints && machine->tree && TRMI_TAKE(memory, edge, m->bodies);
    for (int b = 0; b < m->bodies && good; b++)
        edge[b] = joints->edge[b];
    machine->edge = good ? edge : NULL;
    trmi_memory_release_all(&passing);
    return good;
}

// ---- size of the matrices ----

static bool has_cuts(const trmi_machine *machine)
{
    for (int j = 0; j < machine->mechanism->joints; j++)
        if (!machine->tree->in_tree[j])
            return true;
    return false;
}

// Sum over the coordinates of their depth: coordinate k shares an entry with those before it. The
// explicit formalism multiplies by M^-1, and all of them meet.
static bool count_pairs(trmi_machine *machine, trmi_memory *memory)
{
    const trmi_tree *t = machine->tree;
    trmi_memory passing;
    int *depth;
    if (t->star)
        return true;
    trmi_memory_init(&passing, &memory->allocator);
    bool good = TRMI_TAKE(&passing, depth, t->columns);
    for (int k = 0; k < t->columns && good; k++) {
        const trmi_column *c = &t->column[k];
        int own = c->coordinate == TRMI_NOTHING ? 0 : 1;
        depth[k] = own + (c->parent == TRMI_NOTHING ? 0 : depth[c->parent]);
        machine->pairs += own * depth[k];
    }
    trmi_memory_release_all(&passing);
    if (trmi_machine_explicit(machine) && !machine->rates_only)
        machine->pairs = 0.5 * t->n_q * (t->n_q + 1.0);
    return good;
}

void trmi_machine_report_pairs(const trmi_machine *machine, trm_error *error)
{
    bool explicit = trmi_machine_explicit(machine), chosen = machine->rates_only;
    trmi_error_set(
        error, TRM_ERR_MODEL,
        "in joint coordinates every body meets all those before it: M, K and D have %.2g "
        "entries each and a run takes about %.2g GB",
        2 * machine->pairs, TRMI_PAIR_GB * machine->pairs);
    trmi_error_advise(error, "try 'coordinates: absolute'%s%s",
                      has_cuts(machine)     ? ""
                      : explicit && !chosen ? ", or 'integrator: adams'"
                      : !explicit && chosen ? ", or 'formalism: explicit'"
                                            : ", or 'formalism: explicit' with 'integrator: adams'",
                      has_cuts(machine) ? "" : ", which needs no matrices");
}

// Decides before anything is taken for them.
static trm_status size_matrices(trmi_machine *machine, trmi_memory *memory, trm_error *error)
{
    if (!count_pairs(machine, memory))
        return TRM_ERR_MEMORY;
    machine->matrix_free = machine->pairs > TRMI_PAIRS_MANY && trmi_machine_explicit(machine) &&
                           machine->rates_only && !has_cuts(machine);
    if (machine->pairs <= TRMI_BODY_PAIRS_MAX || machine->matrix_free)
        return TRM_OK;
    trmi_machine_report_pairs(machine, error);
    return TRM_ERR_MODEL;
}

static trm_status create_parts(trmi_machine *machine, trmi_memory *memory, trm_error *error)
{
    const trmi_mechanism *m = machine->mechanism;
    if (!create_trees(machine, memory, error))
        return TRM_ERR_MEMORY;
    machine->n_held = machine->tree->n_held;
    trm_status status = size_matrices(machine, memory, error);
    if (status != TRM_OK)
        return status;
    status = trmi_constraints_create(&machine->constraints, memory, m, machine->tree, true,
                                     &machine->n_held, error);
    int signals = m->watched > m->signals ? m->watched : m->signals;
    if (status == TRM_OK && (!trmi_signals_create(&machine->signals, memory, m, machine->tree,
                                                  signals, &machine->n_held) ||
                             !find_inertial_patterns(machine, memory)))
        status = TRM_ERR_MEMORY;
    if (status == TRM_OK)
        status = create_forces(machine, memory, error);
    if (status == TRM_OK && (!size_coordinates(machine, memory) ||
                             !find_constraints(machine, memory) || !list_blocks(machine, memory)))
        status = TRM_ERR_MEMORY;
    set_patterns(machine);
    machine->closed = machine->constraints.all_closed && machine->forces.elements == 0 &&
                      machine->laws.count == 0;
    return status;
}

const trmi_machine *trmi_machine_create(trmi_memory *memory, const trmi_mechanism *mechanism,
                                        bool rates_only, trm_error *error)
{
    trmi_machine *machine;
    trm_status status = TRM_ERR_MEMORY;
    if (TRMI_TAKE(memory, machine, 1)) {
        machine->mechanism = mechanism;
        machine->rates_only = rates_only;
        status = create_parts(machine, memory, error);
    }
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, status, "no memory for the mechanism");
    return status == TRM_OK ? machine : NULL;
}

// arrays of the size of the tree
static bool create_arrays(trmi_machine_work *work, trmi_memory *memory)
{
    const trmi_tree *t = work->machine->tree;
    return TRMI_TAKE(memory, work->inertial[0], work->machine->own_K) &&
           TRMI_TAKE(memory, work->inertial[1], work->machine->own_D) &&
           TRMI_TAKE(memory, work->inertial[2], work->machine->own_M) &&
           trmi_bending_work_create(&work->bending, memory, &work->machine->bendings) &&
           TRMI_TAKE(memory, work->held, work->machine->n_held) &&
           (work->machine->closed || TRMI_TAKE(memory, work->applied, t->bodies)) &&
           (t->star || (TRMI_TAKE(memory, work->through, t->bodies) &&
                        TRMI_TAKE(memory, work->effort, t->columns)));
}

// what rows of joints share
static bool create_memos(trmi_kinematics *k, trmi_memory *memory, const trmi_mechanism *m)
{
    for (int j = 0; j < m->joints; j++) {
        size_t size = m->joint[j].type->memo;
        if (size == 0)
            continue;
        if ((!k->memo && !TRMI_TAKE(memory, k->memo, m->joints)) ||
            !(k->memo[j] = trmi_memory_take(memory, 1, size)))
            return false;
    }
    return true;
}

// what rows by formula work with
static bool create_formula_rows(trmi_kinematics *k, trmi_memory *memory,
                                const trmi_machine *machine)
{
    const trmi_forces *f = &machine->forces;
    for (int i = 0; i < f->elements; i++)
        if (f->element[i].set.formula_row &&
            !trmi_formula_row_work_create(k, memory, machine->mechanism, &f->element[i].set,
                                          f->formula_rows))
            return false;
    return true;
}

trmi_machine_work *trmi_machine_work_create(trmi_memory *memory, const trmi_machine *machine,
                                            const double *parameters)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_machine_work *work;
    int registers = m->tape ? trmi_tape_registers(m->tape) : 0;
    int columns = machine->constraints.max_columns > machine->forces.max_columns
                      ? machine->constraints.max_columns
                      : machine->forces.max_columns;
    if (!TRMI_TAKE(memory, work, 1))
        return NULL;
    work->machine = machine;
    if (!create_arrays(work, memory) || !TRMI_TAKE(memory, work->tape, registers) ||
        !TRMI_TAKE(memory, work->breaks, trmi_breaks_work(m->breaks)) ||
        !trmi_kinematics_create(&work->kinematics, memory, machine->tree, !machine->closed) ||
        !create_memos(&work->kinematics, memory, m) ||
        !create_formula_rows(&work->kinematics, memory, machine) ||
        !trmi_recursion_create(&work->recursion, memory, &work->kinematics) ||
        !trmi_machine_explicit_create(work, memory) ||
        !trmi_row_workspace_create(&work->workspace, memory, columns) ||
        !trmi_relation_work_create(&work->workspace.relation, memory, m, columns) ||
        !trmi_force_work_create(&work->force, memory, &machine->forces, &work->workspace,
                                work->tape))
        return NULL;
    trmi_machine_set_parameters(work, parameters);
    return work;
}

// what the callback fills
static const uint64_t EVALUATES =
    TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(DAMPING) | TRM_BIT(STIFFNESS) | TRM_BIT(ENERGY) |
    TRM_BIT(POWER) | TRM_BIT(INPUT) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) |
    TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) | TRM_BIT(VELOCITY_Q) | TRM_BIT(GEOMETRIC) |
    TRM_BIT(ROLLING) | TRM_BIT(ROLLING_OFFSET) | TRM_BIT(FORCE_LAMBDA);

// M a - f at once, and M^-1 f where nothing else is asked for; the explicit formalism has M = 1,
// without constraints f = M^-1 f alone, with them the masses as metric
static uint64_t evaluates(const trmi_machine *machine)
{
    uint64_t rates = trmi_machine_accelerates(machine) ? TRM_BIT(ACCELERATION) : 0;
    uint64_t laws = trmi_laws_evaluates(&machine->laws, trmi_machine_explicit(machine));
    if (!trmi_machine_explicit(machine))
        return EVALUATES | TRM_BIT(RESIDUAL) | rates | laws;
    // whoever wants K and D all the same takes differences
    uint64_t unknown = machine->matrix_free ? TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING) : 0;
    return (EVALUATES & ~unknown) | laws | (rates ? rates : TRM_BIT(METRIC));
}

trm_system trmi_machine_system(trmi_machine_work *work)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *t = machine->tree;
    const trmi_constraints *c = &machine->constraints;
    trm_system s = {.n_q = t->n_q,
                    .n_g = c->n_g,
                    .n_a = c->n_a,
                    .n_u = t->n_u,
                    .n_x = machine->mechanism->states,
                    .n_z = machine->mechanism->algebraics,
                    .x_names = machine->mechanism->state_name,
                    .z_names = machine->mechanism->algebraic_name,
                    .evaluate = trmi_machine_evaluate,
                    .evaluates = evaluates(machine),
                    .constant = trmi_machine_conserves(machine) ? TRM_BIT(POWER) : 0,
                    .q_name = trmi_machine_q_name,
                    .g_name = trmi_machine_g_name,
                    .q_size = machine->q_size,
                    .q_size_period = machine->q_size_period,
                    .n_held = machine->n_held,
                    .held = work->held,
                    .n_switches = machine->forces.switches,
                    .switches = trmi_machine_switches,
                    .switch_bends =
                        trmi_forces_bend(&machine->forces) ? trmi_machine_switch_bends : NULL,
                    .first_memory = machine->forces.first_lock - machine->forces.memories,
                    .n_memories = machine->forces.memories,
                    .first_lock = machine->forces.first_lock,
                    .settle = machine->n_held > 0 ? trmi_machine_settle : NULL,
                    .reexpress = t->n_held > 0 ? trmi_machine_reexpress : NULL,
                    .transport = t->n_held > 0 ? trmi_machine_transport : NULL,
                    .n_warnings = machine->bendings.count + machine->forces.warnings,
                    .warning = trmi_machine_warning,
                    .next_break = machine->mechanism->breaks ? trmi_machine_next_break : NULL,
                    .user = work};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        s.pattern[k] = machine->pattern[k];
    if (trmi_machine_explicit(machine)) {
        s.pattern[TRM_QUANTITY_METRIC] = s.pattern[TRM_QUANTITY_MASS];
        s.pattern[TRM_QUANTITY_MASS] = (trm_pattern){.count = TRM_PATTERN_DIAGONAL};
        s.pattern[TRM_QUANTITY_STIFFNESS] = s.pattern[TRM_QUANTITY_DAMPING] =
            s.pattern[TRM_QUANTITY_FORCE_LAMBDA] = s.pattern[TRM_QUANTITY_FORCE_X] =
                s.pattern[TRM_QUANTITY_FORCE_Z] = (trm_pattern){.count = TRM_PATTERN_DENSE};
    }
    if (trmi_machine_explicit(machine) || (t->star && t->plane != TRMI_SPATIAL))
        s.constant |= TRM_BIT(MASS);
    if (t->n_u == 0 && !work->workspace.relation) // whose formula may depend on t
        s.constant |= TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET);
    if (machine->body_first) {
        s.n_bodies = t->bodies - 1;
        s.body_first = machine->body_first;
        s.n_joints = c->joints;
        s.joint_first = machine->joint_first;
    }
    return s;
}
