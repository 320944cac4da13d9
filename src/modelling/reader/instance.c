// SPDX-License-Identifier: Apache-2.0
// A model with its own workspace: what a simulation uses.
#include "modelling/reader/model_type.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// ---- inputs of the formulas ----

void trmi_copy_state(const trm_instance *i, const trm_state *s, double *reg)
{
    const trmi_layout *l = &i->model->layout;
    const trm_system *y = &i->model->system;
    const struct {
        int first, count;
        const double *value;
    } parts[] = {{l->q, y->n_q, s->q},    {l->v, y->n_q, s->v},
                 {l->a, y->n_q, s->a},    {l->x, y->n_x, s->x},
                 {l->z, y->n_z, s->z},    {l->lambda, y->n_g + y->n_a, s->lambda},
                 {l->u, 3 * y->n_u, s->u}};
    reg[l->t] = s->t;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].count > 0 && parts[k].value)
            memcpy(reg + parts[k].first, parts[k].value, (size_t)parts[k].count * sizeof *reg);
}

void trmi_set_inputs(const trm_instance *i, const trm_state *state, double *reg)
{
    trmi_copy_state(i, state, reg);
    if (i->model->type->set_inputs)
        i->model->type->set_inputs(i, state, reg);
}

void trmi_prepare_registers(const trm_instance *i, const trmi_tape *tape, double *reg)
{
    const trm_model *m = i->model;
    memcpy(reg + m->layout.parameter, i->parameter, (size_t)m->parameters * sizeof *i->parameter);
    trmi_tape_prepare(tape, reg);
}

// the parameters at their present values
void trmi_instance_prepare(trm_instance *i)
{
    if (i->extra_reg)
        trmi_prepare_registers(i, i->model->extras, i->extra_reg);
    if (i->model->type->set_parameters)
        i->model->type->set_parameters(i);
}

// ---- creation ----

// values of the event functions
static int event_values(const trm_state *state, double *out, void *user)
{
    trm_instance *i = user;
    trmi_set_inputs(i, state, i->extra_reg);
    trmi_tape_run(i->model->extras, i->extra_reg, TRM_BIT_OF(TRMI_GROUP_EVENTS));
    trmi_tape_fetch(i->model->extras, i->extra_reg, TRMI_GROUP_EVENTS, out);
    return 0;
}

static double next_event_break(double t, double t_end, void *user)
{
    const trm_instance *i = user;
    return trmi_breaks_next(i->model->event_breaks, i->parameter, t, t_end, i->event_break_work);
}

double trmi_instance_output_break(const trm_instance *i, double t, double t_end)
{
    return trmi_breaks_next(i->model->output_breaks, i->parameter, t, t_end, i->output_break_work);
}

static bool take_memory(trm_instance *i)
{
    const trm_model *m = i->model;
    const trm_system *s = &m->system;
    int sets = 0, registers = 0; // the largest number of values an event sets; of formulas
    for (int k = 0; k < m->events; k++)
        sets = m->event[k].sets > sets ? m->event[k].sets : sets;
    if (m->names[TRM_CHANNEL_OUTPUT].count > 0 || m->events > 0 ||
        trmi_tape_group_size(m->extras, TRMI_GROUP_ENERGY) > 0)
        registers = trmi_tape_registers(m->extras);
    return TRMI_TAKE(&i->memory, i->parameter, m->parameters) &&
           (registers == 0 || TRMI_TAKE(&i->memory, i->extra_reg, registers)) &&
           TRMI_TAKE(&i->memory, i->set_v, m->events > 0 ? s->n_q : 0) &&
           TRMI_TAKE(&i->memory, i->set_x, m->events > 0 ? s->n_x : 0) &&
           TRMI_TAKE(&i->memory, i->set_value, sets) &&
           TRMI_TAKE(&i->memory, i->event_break_work, trmi_breaks_work(m->event_breaks)) &&
           TRMI_TAKE(&i->memory, i->output_break_work, trmi_breaks_work(m->output_breaks));
}

trm_status trm_instance_create(trm_instance **out, const trm_model *model, trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, model, "model");
    *out = NULL;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_instance *i;
    if (!TRMI_TAKE(&memory, i, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
    i->memory = memory;
    i->model = model;
    i->system = model->system;
    trm_status status = TRM_OK;
    if (!take_memory(i))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
    else if (model->type->create_instance)
        status = model->type->create_instance(i, error);
    if (status != TRM_OK) {
        trm_instance_destroy(i);
        return status;
    }
    i->system.name = model->name;
    i->events = (trm_events){.count = model->events,
                             .function = event_values,
                             .direction = model->event_direction,
                             .names = model->event_names,
                             .user = i,
                             .next_break = model->event_breaks ? next_event_break : NULL};
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
    if (!i)
        return NULL;
    return &i->system;
}

const trm_initial *trm_instance_initial(const trm_instance *i)
{
    if (!i)
        return NULL;
    return &i->model->initial;
}

const trm_events *trm_instance_events(const trm_instance *i)
{
    if (!i)
        return NULL;
    return i->events.count > 0 ? &i->events : NULL;
}

int trm_instance_outputs(trm_instance *i, const trm_state *state, double *values)
{
    TRMI_REQUIRE(NULL, i, "instance");
    TRMI_REQUIRE(NULL, state, "state");
    TRMI_REQUIRE(NULL, values, "values");
    if (i->model->names[TRM_CHANNEL_OUTPUT].count == 0)
        return 0;
    trmi_set_inputs(i, state, i->extra_reg);
    trmi_tape_run(i->model->extras, i->extra_reg, TRM_BIT_OF(TRMI_GROUP_OUTPUTS));
    trmi_tape_fetch(i->model->extras, i->extra_reg, TRMI_GROUP_OUTPUTS, values);
    return 0;
}

// ---- what the type of the model knows ----

void trmi_instance_set_state(trm_instance *i, const trm_state *state)
{
    if (i->model->type->set_state)
        i->model->type->set_state(i, state);
}

void trmi_instance_mechanism(trm_instance *i, const trm_state *state, double *values)
{
    trmi_instance_set_state(i, state);
    if (i->model->type->bodies_and_reactions)
        i->model->type->bodies_and_reactions(i, state, values);
}

void trmi_instance_forces(trm_instance *i, const trm_state *state, double *values)
{
    if (i->model->type->forces)
        i->model->type->forces(i, state, values);
}

void trmi_instance_energies(trm_instance *i, const trm_state *state, double *kinetic,
                            double *potential)
{
    double energy[2] = {NAN, NAN};
    if (i->model->type->energies)
        i->model->type->energies(i, state, energy);
    *kinetic = energy[0];
    *potential = energy[1];
}

void trmi_instance_powers(trm_instance *i, const trm_state *state, double *supplied,
                          double *dissipated)
{
    double power[2];
    bool known = trmi_model_has_powers(i->model) && i->model->type->powers(i, state, power);
    *supplied = known ? power[0] : NAN;
    *dissipated = known ? power[1] : NAN;
}

// Messages of the solver name callbacks, for programs in C: those of a model file are its formulas.
static void speak_of_formulas(trm_error *error)
{
    static const char callback[] = "the callback ", formulas[] = "the formulas ";
    _Static_assert(sizeof callback == sizeof formulas, "one takes the place of the other");
    if (strncmp(error->text, callback, strlen(callback)) == 0)
        memcpy(error->text, formulas, strlen(formulas));
    trmi_error_advise(error, "guard the formula where it has no value, as in sqrt(max(x, 0)), or "
                             "end the run before by an event");
}

// A step that failed leaves its values in the registers; where they are finite meanwhile nothing is
// added.
void trmi_instance_explain(const trm_instance *i, trm_error *error)
{
    if (!i || error->status != TRM_ERR_CALLBACK || !i->model->type->explain)
        return;
    speak_of_formulas(error);
    i->model->type->explain(i, error);
}

bool trmi_start_channels(trm_instance *i, const trm_state *state, trmi_value_sink *sink, void *to)
{
    const double *value[] = {state->q, state->v};
    for (int kind = TRM_CHANNEL_POSITION; kind <= TRM_CHANNEL_VELOCITY; kind++)
        for (int k = 0; k < trm_model_count(i->model, (trm_channel_kind)kind); k++)
            sink(to, trm_model_channel(i->model, (trm_channel_kind)kind, k), "",
                 value[kind - TRM_CHANNEL_POSITION][k],
                 trm_model_unit(i->model, (trm_channel_kind)kind, k));
    return true;
}

bool trmi_instance_start_values(trm_instance *i, const trm_state *state, trmi_value_sink *sink,
                                void *to)
{
    return i->model->type->start_values(i, state, sink, to);
}

// ---- events ----

int trm_instance_parameters(const trm_instance *i, const double **values)
{
    if (!i || !values)
        return 0;
    *values = i->parameter;
    return i->model->parameters;
}

void trm_instance_set_parameters(trm_instance *i, const double *values)
{
    if (!i || !values)
        return;
    memcpy(i->parameter, values, (size_t)i->model->parameters * sizeof *values);
    trmi_instance_prepare(i);
}

// The values an event sets are all computed from the state before it.
bool trmi_instance_set_event(trm_instance *i, const trm_state *now, int event)
{
    const trm_model *m = i->model;
    const trmi_model_event *e = event >= 0 && event < m->events ? &m->event[event] : NULL;
    if (!e || e->action == TRM_EVENT_LOG || (e->action == TRM_EVENT_STOP && e->sets == 0))
        return false;
    memcpy(i->set_v, now->v, (size_t)m->system.n_q * sizeof *i->set_v);
    if (m->system.n_x > 0)
        memcpy(i->set_x, now->x, (size_t)m->system.n_x * sizeof *i->set_x);
    trmi_set_inputs(i, now, i->extra_reg);
    trmi_tape_run(m->extras, i->extra_reg, TRM_BIT_OF(TRMI_GROUP_SETS + event));
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
    trmi_instance_prepare(i);
    return true;
}

trm_status trm_instance_event(trm_instance *i, trm_simulation *simulation, int event)
{
    TRMI_REQUIRE(NULL, i, "instance");
    TRMI_REQUIRE(NULL, simulation, "simulation");
    if (!trmi_instance_set_event(i, trm_simulation_state(simulation), event))
        return TRM_OK;
    const trm_initial changed = {.v = i->set_v, .x = i->set_x};
    return trm_simulation_restart(simulation, &changed);
}
