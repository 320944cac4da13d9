// SPDX-License-Identifier: Apache-2.0
// A model with its own workspace: what a simulation uses.
#include "modelling/multibody/machine.h"
#include "modelling/reader/equations/equations.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// registers of a tape, with the parameters at their present values
static bool take_registers(trm_instance *i, const trmi_tape *tape, double **reg)
{
    return TRMI_TAKE(&i->memory, *reg, trmi_tape_registers(tape));
}

static void prepare(trm_instance *i)
{
    const trm_model *m = i->model;
    const trmi_tape *tape[] = {m->equations ? m->equations->tape : NULL, m->extras};
    double *reg[] = {i->reg, i->extra_reg};
    for (int k = 0; k < 2; k++)
        if (reg[k]) {
            memcpy(reg[k] + m->layout.parameter, i->parameter,
                   (size_t)m->parameters * sizeof *i->parameter);
            trmi_tape_prepare(tape[k], reg[k]);
        }
    if (i->machine)
        trmi_machine_set_parameters(i->machine, i->parameter);
}

// values of the event functions
static int event_values(const trm_state *state, double *out, void *user)
{
    trm_instance *i = user;
    trmi_set_inputs(i, state, i->extra_reg);
    trmi_tape_run(i->model->extras, i->extra_reg, TRM_BIT(TRMI_GROUP_EVENTS));
    trmi_tape_fetch(i->model->extras, i->extra_reg, TRMI_GROUP_EVENTS, out);
    return 0;
}

// whether there is a formula beyond those of the equations
static bool has_extras(const trm_model *m)
{
    return m->names[TRM_CHANNEL_OUTPUT].count > 0 || m->events > 0 ||
           (m->equations && m->has_energy);
}

static bool take_memory(trm_instance *i)
{
    const trm_model *m = i->model;
    const trm_system *s = &m->system;
    int sets = 0; // most values an event sets
    for (int k = 0; k < m->events; k++)
        sets = m->event[k].sets > sets ? m->event[k].sets : sets;
    return TRMI_TAKE(&i->memory, i->parameter, m->parameters) &&
           (!has_extras(m) || take_registers(i, m->extras, &i->extra_reg)) &&
           (!m->equations || take_registers(i, m->equations->tape, &i->reg)) &&
           TRMI_TAKE(&i->memory, i->work, trmi_elimination_work(m)) &&
           TRMI_TAKE(&i->memory, i->pivots, s->n_z) &&
           TRMI_TAKE(&i->memory, i->set_v, m->events > 0 ? s->n_q : 0) &&
           TRMI_TAKE(&i->memory, i->set_x, m->events > 0 ? s->n_x : 0) &&
           TRMI_TAKE(&i->memory, i->set_value, sets);
}

// a workspace of the mechanism, in which the system lies
static trm_status take_machine(trm_instance *i, trm_error *error)
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
    i->system.q_scale = m->system.q_scale; // tolerances by name are the model's
    i->system.v_scale = m->system.v_scale;
    return TRM_OK;
}

trm_status trm_instance_create(trm_instance **out, const trm_model *model, trm_error *error)
{
    *out = NULL;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_instance *i;
    if (!TRMI_TAKE(&memory, i, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
    i->memory = memory;
    i->model = model;
    if (!take_memory(i)) {
        trm_instance_destroy(i);
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
    }
    i->system = model->system;
    if (model->equations)
        i->system.user = i;
    trm_status status;
    if (model->machine && (status = take_machine(i, error)) != TRM_OK) {
        trm_instance_destroy(i);
        return status;
    }
    i->system.name = model->name;
    i->events =
        (trm_events){model->events, event_values, model->event_direction, model->event_names, i};
    trm_instance_set_parameters(i, model->parameter_value);
    *out = i;
    return TRM_OK;
}

void trm_instance_destroy(trm_instance *i)
{
    if (!i)
        return;
    trmi_memory memory = i->memory; // the instance lies in it
    trmi_memory_release_all(&memory);
}

const trm_system *trm_instance_system(const trm_instance *i)
{
    return &i->system;
}

const trm_initial *trm_instance_initial(const trm_instance *i)
{
    return &i->model->initial;
}

const trm_events *trm_instance_events(const trm_instance *i)
{
    return i->events.count > 0 ? &i->events : NULL;
}

int trm_instance_outputs(trm_instance *i, const trm_state *state, double *values)
{
    if (i->model->names[TRM_CHANNEL_OUTPUT].count == 0)
        return 0;
    trmi_set_inputs(i, state, i->extra_reg);
    trmi_tape_run(i->model->extras, i->extra_reg, TRM_BIT(TRMI_GROUP_OUTPUTS));
    trmi_tape_fetch(i->model->extras, i->extra_reg, TRMI_GROUP_OUTPUTS, values);
    return 0;
}

void trmi_instance_look(trm_instance *i, const trm_state *state)
{
    if (i->machine)
        trmi_machine_set_state(i->machine, state);
}

void trmi_instance_mechanism(trm_instance *i, const trm_state *state, double *values)
{
    if (!i->machine)
        return;
    trmi_machine_set_state(i->machine, state);
    trmi_machine_poses(i->machine, state, values);
    trmi_machine_reactions(i->machine, state, values + i->model->names[TRM_CHANNEL_BODY].count);
}

void trmi_instance_energies(trm_instance *i, const trm_state *state, double *kinetic,
                            double *potential)
{
    double energy[2] = {NAN, NAN};
    if (i->model->equations && i->model->has_energy) {
        trmi_set_inputs(i, state, i->extra_reg);
        trmi_tape_run(i->model->extras, i->extra_reg, TRM_BIT(TRMI_GROUP_ENERGY));
        trmi_tape_fetch(i->model->extras, i->extra_reg, TRMI_GROUP_ENERGY, energy);
    }
    if (i->machine) {
        trmi_energies e;
        trmi_machine_energies(i->machine, state, &e);
        energy[0] = e.kinetic;
        energy[1] = e.potential;
    }
    *kinetic = energy[0];
    *potential = energy[1];
}

void trmi_instance_powers(trm_instance *i, const trm_state *state, double *supplied,
                          double *dissipated)
{
    *supplied = *dissipated = NAN;
    trmi_energies e;
    if (!i->machine || trmi_machine_energies(i->machine, state, &e) != 0)
        return;
    *supplied = e.supplied + trmi_machine_drive_power(i->machine, state);
    *dissipated = e.dissipated;
}

trmi_line_column trmi_model_row_place(const trm_model *m, int row)
{
    if (!m->machine)
        return m->place ? m->place[row] : (trmi_line_column){0};
    const trmi_constraints *c = &m->machine->constraints;
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < c->joint[i].rows; k++)
            if (trmi_constraint_number(&c->joint[i], k) == row)
                return m->place[c->joint[i].joint];
    return (trmi_line_column){0};
}

bool *trmi_model_shared_joints(const trm_model *m, const trm_simulation *simulation)
{
    int rows = m->system.n_g + m->system.n_a;
    if (!m->machine || trm_simulation_start(simulation)->redundant == 0)
        return NULL;
    bool *row = calloc((size_t)rows, sizeof *row);
    bool *joint = calloc((size_t)m->mechanism->joints, sizeof *joint);
    for (int i = 0; i < rows && row; i++)
        row[i] = !trm_simulation_row_unique(simulation, i);
    if (row && joint)
        trmi_machine_shared(m->machine, row, joint);
    free(row);
    return joint;
}

void trmi_model_describe(const trm_model *m, const trm_simulation *simulation, const char **text)
{
    const trmi_tree *t = m->machine ? m->machine->tree : NULL;
    for (int k = 0; t && k < t->columns; k++) {
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

int trm_instance_parameters(const trm_instance *i, const double **values)
{
    *values = i->parameter;
    return i->model->parameters;
}

void trm_instance_set_parameters(trm_instance *i, const double *values)
{
    memcpy(i->parameter, values, (size_t)i->model->parameters * sizeof *values);
    prepare(i);
}

// The values an event sets are all computed from the state before it.
trm_status trm_instance_event(trm_instance *i, trm_simulation *simulation, int event)
{
    const trm_model *m = i->model;
    const trmi_model_event *e = event >= 0 && event < m->events ? &m->event[event] : NULL;
    if (!e || e->action == TRM_EVENT_LOG || (e->action == TRM_EVENT_STOP && e->sets == 0))
        return TRM_OK;
    const trm_state *now = trm_simulation_state(simulation);
    memcpy(i->set_v, now->v, (size_t)m->system.n_q * sizeof *i->set_v);
    if (m->system.n_x > 0)
        memcpy(i->set_x, now->x, (size_t)m->system.n_x * sizeof *i->set_x);
    trmi_set_inputs(i, now, i->extra_reg);
    trmi_tape_run(m->extras, i->extra_reg, TRM_BIT(TRMI_GROUP_SETS + event));
    trmi_tape_fetch(m->extras, i->extra_reg, TRMI_GROUP_SETS + event, i->set_value);
    for (int k = 0; k < e->sets; k++) {
        int target = e->target[k];
        if (target >= m->layout.parameter)
            i->parameter[target - m->layout.parameter] = i->set_value[k];
        else if (target >= m->layout.x)
            i->set_x[target - m->layout.x] = i->set_value[k];
        else
            i->set_v[target - m->layout.v] = i->set_value[k];
    }
    prepare(i);
    const trm_initial changed = {.v = i->set_v, .x = i->set_x};
    return trm_simulation_restart(simulation, &changed);
}
