// SPDX-License-Identifier: Apache-2.0
// Equation models: the callback of the system, and what instances of them do.
#include "modelling/reader/equations/equations.h"

#include "base/error.h"
#include "base/quantities.h"
#include "modelling/reader/model_type.h"

#include <math.h>
#include <string.h>

// excitations that a state does not bring
static void set_excitations(const trm_instance *i, const trm_state *state, double *reg)
{
    const trm_model *m = i->model;
    if (m->system.n_u == 0 || state->u)
        return;
    i->reg[m->layout.t] = state->t;
    trmi_tape_run(m->equations->tape, i->reg, TRM_BIT(INPUT));
    trmi_tape_fetch(m->equations->tape, i->reg, TRM_QUANTITY_INPUT, reg + m->layout.u);
}

// The locks of conditions, which are slow inputs of the tape.
static void set_locks(const trm_instance *i, const trm_state *state)
{
    const trmi_equations *e = i->model->equations;
    double *lock = i->reg + i->model->layout.count;
    size_t size = 2 * (size_t)e->kinks * sizeof *lock;
    if (e->kinks == 0 || !state->held || memcmp(lock, state->held, size) == 0)
        return;
    memcpy(lock, state->held, size);
    trmi_tape_prepare(e->tape, i->reg);
}

// The state into the registers, the wanted groups run, their values copied out.
int trmi_equations_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                            void *user)
{
    const trm_instance *instance = user;
    const trm_model *m = instance->model;
    const trmi_equations *e = m->equations;
    const uint64_t special = e->eliminates ? TRM_BIT(GAMMA) | TRM_BIT(GEOMETRIC) : UINT64_C(0);
    uint64_t groups = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (want[k])
            groups |= TRM_BIT_OF(k);
    trmi_copy_state(instance, state, instance->reg);
    set_excitations(instance, state, instance->reg);
    set_locks(instance, state);
    if (groups & ~special)
        trmi_tape_run(e->tape, instance->reg, groups & ~special);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(groups & ~special, (trm_quantity)k))
            trmi_tape_fetch(e->tape, instance->reg, k, want[k]);
    int result = 0;
    if (groups & special & TRM_BIT(GAMMA))
        result = trmi_eliminate_gamma(instance, want[TRM_QUANTITY_GAMMA]);
    if (result == 0 && groups & special & TRM_BIT(GEOMETRIC))
        result = trmi_eliminate_geometric(instance, want[TRM_QUANTITY_GEOMETRIC]);
    return result;
}

// a state without accelerations: what needs them is not known
static void set_registers(const trm_instance *i, const trm_state *state)
{
    for (int k = 0; k < i->model->system.n_q && !state->a; k++)
        i->reg[i->model->layout.a + k] = NAN;
    trmi_copy_state(i, state, i->reg);
    set_excitations(i, state, i->reg);
    set_locks(i, state);
}

int trmi_equations_switches(const trm_state *state, double *gap, double *rate, double *second,
                            void *user)
{
    const trm_instance *i = user;
    const trm_model *m = i->model;
    double values[3 * TRMI_MAX_KINKS];
    set_registers(i, state);
    trmi_tape_run(m->equations->tape, i->reg, TRM_BIT_OF(TRMI_GROUP_KINKS));
    trmi_tape_fetch(m->equations->tape, i->reg, TRMI_GROUP_KINKS, values);
    trmi_kinks_gaps(values, m->equations->kinks, gap, rate, second);
    return 0;
}

// What the inputs of the tape may be on the way: positions, velocities and accelerations those of a
// cubic, states and time what lies between both ends, excitations what follows from the time.
static void bound_inputs(const trm_instance *i, const trm_state *from, const trm_state *to)
{
    const trmi_layout *l = &i->model->layout;
    const trmi_tape *tape = i->model->equations->tape;
    trmi_interval *bound = i->bound;
    set_registers(i, from);
    trmi_tape_bounds_begin(tape, i->reg, bound);
    set_registers(i, to);
    for (int k = 0; k < l->parameter; k++)
        bound[k] = trmi_interval_hull(bound[k].low, i->reg[k]);
    for (int k = 0; k < i->model->system.n_q; k++) {
        const double q[] = {from->q[k], to->q[k]}, v[] = {from->v[k], to->v[k]};
        trmi_interval way[3];
        trmi_interval_cubic(to->t - from->t, q, v, way);
        bound[l->q + k] = way[0];
        bound[l->v + k] = way[1];
        bound[l->a + k] = way[2];
    }
    if (i->model->system.n_u > 0)
        trmi_tape_bounds_run(tape, bound, TRM_BIT(INPUT));
    for (int k = 0; k < 3 * i->model->system.n_u; k++)
        bound[l->u + k] = trmi_tape_bounds_of(tape, bound, TRM_QUANTITY_INPUT, k);
}

int trmi_equations_switch_bends(const trm_state *from, const trm_state *to, double *bend,
                                void *user)
{
    const trm_instance *i = user;
    const trmi_equations *e = i->model->equations;
    bound_inputs(i, from, to);
    trmi_tape_bounds_run(e->tape, i->bound, TRM_BIT_OF(TRMI_GROUP_BENDS));
    trmi_kinks_bends(e->tape, i->bound, TRMI_GROUP_BENDS, bend);
    return 0;
}

double trmi_equations_next_break(double t, double t_end, void *user)
{
    const trm_instance *i = user;
    return trmi_breaks_next(i->model->equations->breaks, i->parameter, t, t_end, i->break_work);
}

static trm_status create_instance(trm_instance *i, trm_error *error)
{
    const trm_model *m = i->model;
    i->system.user = i;
    if (TRMI_TAKE(&i->memory, i->reg, trmi_tape_registers(m->equations->tape)) &&
        TRMI_TAKE(&i->memory, i->bound,
                  m->equations->bends ? trmi_tape_registers(m->equations->tape) : 0) &&
        TRMI_TAKE(&i->memory, i->work, trmi_elimination_work(m)) &&
        TRMI_TAKE(&i->memory, i->pivots, m->system.n_z) &&
        TRMI_TAKE(&i->memory, i->break_work, trmi_breaks_work(m->equations->breaks)))
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for an instance of the model");
}

static void set_parameters(trm_instance *i)
{
    trmi_prepare_registers(i, i->model->equations->tape, i->reg);
}

// The formulas of `energy`; without them nothing is known.
static void energies(trm_instance *i, const trm_state *state, double energy[2])
{
    const trmi_tape *tape = i->model->extras;
    if (trmi_tape_group_size(tape, TRMI_GROUP_ENERGY) == 0)
        return;
    trmi_set_inputs(i, state, i->extra_reg);
    trmi_tape_run(tape, i->extra_reg, TRM_BIT_OF(TRMI_GROUP_ENERGY));
    trmi_tape_fetch(tape, i->extra_reg, TRMI_GROUP_ENERGY, energy);
}

static trmi_line_column row_place(const trm_model *m, int row)
{
    return m->place ? m->place[row] : (trmi_line_column){0};
}

const trmi_model_type trmi_equation_model = {
    .section = "equations",
    .read = trmi_read_equations,
    .row_place = row_place,
    .create_instance = create_instance,
    .set_parameters = set_parameters,
    .set_inputs = set_excitations,
    .energies = energies,
    .start_values = trmi_start_channels,
    .explain = trmi_explain_equations,
};
