// SPDX-License-Identifier: Apache-2.0
// Models that are mechanisms: what instances of them do.
#include "modelling/multibody/machine.h"
#include "modelling/reader/library.h"
#include "modelling/reader/mechanism/draft.h"
#include "modelling/reader/model_type.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the model ----

static trmi_line_column row_place(const trm_model *m, int row)
{
    const trmi_constraints *c = &m->machine->constraints;
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < c->joint[i].rows; k++)
            if (trmi_constraint_number(&c->joint[i], k) == row)
                return m->place[c->joint[i].joint];
    return (trmi_line_column){0};
}

static const trmi_machine *machine_of(const trm_model *m)
{
    return m->machine;
}

bool *trmi_model_shared_joints(const trm_model *m, const trm_simulation *simulation)
{
    const trmi_machine *machine = trmi_model_machine(m);
    int rows = m->system.n_g + m->system.n_a;
    if (!machine || !simulation || trm_simulation_start(simulation)->redundant == 0)
        return NULL;
    bool *row = calloc((size_t)rows, sizeof *row);
    bool *joint = calloc((size_t)machine->mechanism->joints, sizeof *joint);
    for (int i = 0; i < rows && row; i++)
        row[i] = !trm_simulation_row_unique(simulation, i);
    if (row && joint)
        trmi_machine_shared(machine, row, joint);
    if (!row) {
        free(joint);
        joint = NULL;
    }
    free(row);
    return joint;
}

// parameters of rotations, whose names are those of signals; reactions that redundant rows leave
// open
static void describe(const trm_model *m, const trm_simulation *simulation, const char **text)
{
    const trmi_tree *t = m->machine->tree;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.kind != TRMI_COLUMN_CHART || c.joint == TRMI_NOTHING || c.coordinate == TRMI_NOTHING)
            continue;
        for (int level = 0; level < 3; level++) // position, velocity, acceleration
            text[level * t->n_q + c.coordinate] =
                "parameter of a rotation about a centre that moves along; an output of this name "
                "is the rotation vector";
    }
    int reactions = trm_model_count(m, TRM_CHANNEL_REACTION);
    bool *shared = trmi_model_shared_joints(m, simulation);
    for (int kind = 0; kind < TRM_CHANNEL_REACTION; kind++)
        text += trm_model_count(m, (trm_channel_kind)kind);
    for (int i = 0; i < reactions && shared; i++)
        if (shared[i / trmi_reaction_size(m->machine)])
            text[i] = "not unique: constraints are redundant; the smallest multipliers";
    free(shared);
}

static void mark_open(const trm_model *m, const trm_simulation *simulation, bool *open)
{
    const trmi_tree *t = m->machine->tree;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        for (int level = 0; level < 3; level++) // position, velocity, acceleration
            if (c.kind == TRMI_COLUMN_CHART && c.coordinate != TRMI_NOTHING)
                open[level * t->n_q + c.coordinate] = true;
    }
    bool *shared = trmi_model_shared_joints(m, simulation);
    for (int kind = 0; kind < TRM_CHANNEL_REACTION; kind++)
        open += trm_model_count(m, (trm_channel_kind)kind);
    for (int i = 0; i < trm_model_count(m, TRM_CHANNEL_REACTION) && shared; i++)
        open[i] = shared[i / trmi_reaction_size(m->machine)];
    open += trm_model_count(m, TRM_CHANNEL_REACTION);
    for (int i = 0; i < m->mechanism->force_channels; i++) // which is 0 or 1
        open[i] = m->mechanism->force_channel[i].kind == TRMI_EFFECT_TOUCH;
    free(shared);
}

// ---- an instance ----

// the system lies in a workspace of the instance
static trm_status create_instance(trm_instance *i, trm_error *error)
{
    const trm_model *m = i->model;
    trmi_memory scratch; // q and v are those of the model: only held values are new
    double *q, *v;
    trm_status status;
    trmi_memory_init(&scratch, NULL);
    i->machine = trmi_machine_work_create(&i->memory, m->machine, m->parameter_value);
    if (i->machine && TRMI_TAKE(&scratch, q, m->system.n_q) &&
        TRMI_TAKE(&scratch, v, m->system.n_q))
        status = trmi_machine_start(i->machine, m->initial.t, q, v, error);
    else
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
    trmi_memory_release_all(&scratch);
    if (status != TRM_OK)
        return status;
    i->system = trmi_machine_system(i->machine);
    if (m->remembered)
        memcpy(i->machine->held + i->system.first_memory, m->remembered,
               (size_t)i->system.n_memories * sizeof *m->remembered);
    i->system.q_scale = m->system.q_scale; // tolerances by name are the model's
    i->system.v_scale = m->system.v_scale;
    return TRM_OK;
}

static void set_parameters(trm_instance *i)
{
    trmi_machine_set_parameters(i->machine, i->parameter);
}

static void set_signals(const trm_instance *i, const trm_state *state, double *reg)
{
    const trmi_layout *l = &i->model->layout;
    if (i->model->signals > 0)
        trmi_machine_signals(i->machine, state, reg + l->signal, reg + l->signal_rate,
                             state->a ? reg + l->signal_second : NULL);
    if (i->model->effects > 0)
        trmi_machine_effects(i->machine, state, reg + l->effect);
}

static void set_state(trm_instance *i, const trm_state *state)
{
    trmi_machine_set_state(i->machine, state);
}

static void bodies_and_reactions(trm_instance *i, const trm_state *state, double *values)
{
    trmi_machine_poses(i->machine, state, values);
    trmi_machine_reactions(i->machine, state, values + i->model->names[TRM_CHANNEL_BODY].count);
}

static void forces(trm_instance *i, const trm_state *state, double *values)
{
    trmi_machine_force_channels(i->machine, state, values);
}

static void energies(trm_instance *i, const trm_state *state, double energy[2])
{
    trmi_energies e;
    trmi_machine_energies(i->machine, state, &e);
    energy[0] = e.kinetic;
    energy[1] = e.potential;
}

static bool powers(trm_instance *i, const trm_state *state, double power[2])
{
    trmi_energies e;
    if (trmi_machine_energies(i->machine, state, &e) != 0)
        return false;
    power[0] = e.supplied + trmi_machine_drive_power(i->machine, state);
    power[1] = e.dissipated;
    return true;
}

// whether it is an edge of the tree of the joints
static bool is_edge(const trmi_machine *machine, int j)
{
    const int *body = machine->mechanism->joint[j].body;
    return machine->edge[body[0]] == j || machine->edge[body[1]] == j;
}

// Measures of the joints of the tree with their rates, unless a formula prescribes them; and the
// coordinates that belong to no joint: of nodes of beams, and of bodies that nothing holds.
static bool start_values(trm_instance *i, const trm_state *state, trmi_value_sink *sink, void *to)
{
    const trm_model *model = i->model;
    const trmi_machine *machine = model->machine;
    const trmi_mechanism *m = machine->mechanism;
    const trmi_tree *t = machine->tree, *joints = machine->joints;
    for (int j = 0; j < m->joints; j++) {
        const trmi_joint *joint = &m->joint[j];
        int count = is_edge(machine, j) ? trmi_measure_count(joint->type, m->plane) : 0;
        for (int k = 0; k < count; k++) {
            const trmi_measure measure = trmi_measure_of(joint->type, m->plane, k);
            bool travel = measure.kind == TRMI_MEASURE_TRAVEL;
            char rate[64];
            double value, speed;
            if (trmi_drive_of(joint, k) != TRMI_NOTHING)
                continue;
            if (!trmi_machine_measure(i->machine, state, j, k, &value, &speed))
                return false;
            snprintf(rate, sizeof rate, "%s_rate", measure.name);
            sink(to, joint->name, measure.name, value, travel ? "m" : "rad");
            sink(to, joint->name, rate, speed, travel ? "m/s" : "rad/s");
        }
    }
    for (int k = 0; joints && k < joints->columns; k++) {
        const trmi_column *c = &joints->column[k];
        if (c->coordinate == TRMI_NOTHING || c->joint != TRMI_NOTHING)
            continue;
        int place = k - joints->body[c->body].first; // among the columns of its body
        int q = t->column[t->body[c->body].first + place].coordinate;
        sink(to, trm_model_channel(model, TRM_CHANNEL_POSITION, q), "", state->q[q],
             trm_model_unit(model, TRM_CHANNEL_POSITION, q));
        sink(to, trm_model_channel(model, TRM_CHANNEL_VELOCITY, q), "", state->v[q],
             trm_model_unit(model, TRM_CHANNEL_VELOCITY, q));
    }
    return true;
}

// The numbers of inputs are those of the mechanism here, whose names but t went with the file.
static void report_fault(trm_error *error, const trm_model *m, int formula, bool derivative,
                         trmi_tape_fault *fault)
{
    for (int k = 0; k < fault->operands; k++)
        if (fault->input[k] != m->layout.t)
            fault->input[k] = TRMI_NO_NODE;
    trmi_explain_fault(error, m, m->formula_place[formula].place, derivative, fault);
}

// The force without value instead of the coordinate on which it acts, and why its road has none.
static void report_element(trm_error *error, const trm_model *m, const trmi_force_work *work)
{
    const trmi_element *e = work->faulty;
    const char *name = e->force ? e->force->name : e->joint->name;
    trmi_tape_fault fault;
    trmi_error_item(error, "%.60s", name);
    trmi_error_set(error, error->status, "%s '%.60s' has no value",
                   e->road ? "the road of tyre" : "the force of", name);
    for (int i = 0; e->road && i < trmi_tape_group_size(e->road->tape, TRMI_ROAD_SECOND); i++)
        if (trmi_tape_blame(e->road->tape, work->road + e->first_register, TRMI_ROAD_SECOND, i,
                            &fault)) {
            for (int k = 0; k < fault.operands; k++)
                fault.input[k] = TRMI_NO_NODE;
            trmi_explain_fault(error, m, (trmi_line_column){e->road->line, e->road->column}, i > 0,
                               &fault);
            return;
        }
}

// A formula of a force acts on many coordinates: whichever has no value.
static void explain(const trm_instance *instance, trm_error *error)
{
    const trm_model *m = instance->model;
    const trmi_tape *tape = m->mechanism->tape;
    const double *reg = instance->machine->tape;
    trmi_tape_fault fault;
    for (int i = 0; tape && i < m->formulas; i++)
        if (trmi_tape_blame(tape, reg, TRMI_TAPE_VALUES, i, &fault)) {
            report_fault(error, m, i, false, &fault);
            return;
        }
    for (int i = 0, k = 0; tape && i < trmi_tape_group_size(tape, TRMI_TAPE_SLOPES); i++) {
        while (k + 1 < m->formulas && m->formula_place[k + 1].slope <= i)
            k++;
        if (trmi_tape_blame(tape, reg, TRMI_TAPE_SLOPES, i, &fault)) {
            report_fault(error, m, k, true, &fault);
            return;
        }
    }
    if (instance->machine->force.faulty)
        report_element(error, m, &instance->machine->force);
}

const trmi_model_type trmi_mechanism_model = {
    .section = "mechanism",
    .read = trmi_read_mechanism,
    .walk_signals = trmi_draft_walk_signals,
    .release = trmi_library_release_forces,
    .row_place = row_place,
    .machine = machine_of,
    .describe = describe,
    .mark_open = mark_open,
    .create_instance = create_instance,
    .set_parameters = set_parameters,
    .set_inputs = set_signals,
    .set_state = set_state,
    .bodies_and_reactions = bodies_and_reactions,
    .forces = forces,
    .energies = energies,
    .powers = powers,
    .start_values = start_values,
    .explain = explain,
};
