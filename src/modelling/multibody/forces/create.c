// SPDX-License-Identifier: Apache-2.0
// Forces: the elements of a mechanism with their rows, laws and positions.
#include "modelling/multibody/forces/force.h"

#include "base/error.h"

// ---- elements --------------------------------------------------------------------------------

static bool make_force(trmi_force_maker *m, const trmi_force *force)
{
    if (force->type->make)
        return force->type->make(m, force);
    trmi_element *e = trmi_force_add(m, force);
    e->damped = true;
    return trmi_force_own_rows(m, e);
}

// the multipliers of the rows across the axis of a cut joint
static void find_loads(const trmi_force_maker *m, int joint, trmi_element *e)
{
    const trmi_constraint *c = trmi_constraint_of(m->constraints, joint);
    for (int r = 0; c && r < c->rows; r++) {
        const trmi_row_type *type = trmi_constraint_type(c, r);
        bool across = type->shape == TRMI_ROW_SLIDE && type->axis != 2;
        bool driven = c->general && c->general->drive[r] != TRMI_NOTHING;
        if (across && !driven && e->loads < TRMI_MAX_LOADS)
            e->load[e->loads++] = trmi_constraint_number(c, r);
    }
}

static bool make_on_measure(trmi_force_maker *m, int joint, int measure, trmi_law_function *law,
                            bool damped)
{
    trmi_element *e = &m->element[m->elements++];
    const trmi_joint *of = &m->mechanism->joint[joint];
    e->law = law;
    e->damped = damped;
    if (law == trmi_law_friction)
        find_loads(m, joint, e);
    if (law == trmi_law_friction && trmi_extra_of(of).friction->stick > 0) {
        e->memories = 1;
        e->remember = trmi_remember_anchor;
        e->gaps = trmi_gaps_friction;
        trmi_force_add_switch(e, 0, 1); // breaks away forwards,
        trmi_force_add_switch(e, 0, 1); // backwards
    }
    if (law == trmi_law_stop) {
        trmi_force_add_switch(e, trmi_extra_of(of).stop[measure].low, 1);
        trmi_force_add_switch(e, trmi_extra_of(of).stop[measure].high, -1);
    }
    return trmi_force_measure(m, e, joint, measure);
}

static bool make_joint(trmi_force_maker *m, int j)
{
    const trmi_joint *joint = &m->mechanism->joint[j];
    const trmi_stop *stop = trmi_extra_of(joint).stop;
    if (trmi_extra_of(joint).friction && !make_on_measure(m, j, 0, trmi_law_friction, true))
        return false;
    if (joint->type->make && !joint->type->make(m, j))
        return false;
    for (int i = 0; i < trmi_measure_count(joint->type, m->mechanism->plane); i++)
        if (stop && stop[i].given && !make_on_measure(m, j, i, trmi_law_stop, stop[i].damping != 0))
            return false;
    return true;
}

int trmi_forces_max(const trmi_mechanism *mechanism)
{
    int max = 0;
    for (int i = 0; i < mechanism->forces; i++)
        max += mechanism->force[i]->type->elements > 0 ? mechanism->force[i]->type->elements : 2;
    for (int j = 0; j < mechanism->joints; j++) {
        const trmi_joint *joint = &mechanism->joint[j];
        const trmi_joint_extra extra = trmi_extra_of(joint);
        int measures = trmi_measure_count(joint->type, mechanism->plane);
        max += (extra.friction != NULL) + (joint->type->make != NULL);
        for (int i = 0; i < measures && extra.stop; i++)
            max += extra.stop[i].given;
    }
    return max;
}

static bool make_elements(trmi_force_maker *m)
{
    const trmi_mechanism *mechanism = m->mechanism;
    if (!TRMI_TAKE(m->memory, m->element, trmi_forces_max(mechanism)))
        return false;
    for (int i = 0; i < mechanism->forces; i++)
        if (!make_force(m, mechanism->force[i]))
            return false;
    for (int j = 0; j < mechanism->joints; j++)
        if (!make_joint(m, j))
            return false;
    return true;
}

// ---- positions -------------------------------------------------------------------------------

static int coordinate_of(const trmi_forces *f, const trmi_row_set *set, int j)
{
    return trmi_column_of(f->tree, set->column[j]).coordinate;
}

static void announce_block(const trmi_forces *f, trmi_slots *slots, const trmi_row_set *rows,
                           const trmi_row_set *columns)
{
    for (int i = 0; i < rows->columns; i++)
        for (int j = 0; j < columns->columns; j++)
            trmi_slots_add(slots, coordinate_of(f, rows, i), coordinate_of(f, columns, j));
}

// where the coordinates of an element meet those of an effect
static void announce_effect(const trmi_forces *f, const trmi_row_set *rows,
                            const trmi_feedback_row *effect, trmi_slots *K, trmi_slots *D)
{
    for (int i = 0; i < rows->columns; i++)
        for (int j = 0; j < effect->Q.count; j++) {
            trmi_slots_add(K, coordinate_of(f, rows, i), effect->Q.index[j]);
            trmi_slots_add(D, coordinate_of(f, rows, i), effect->Q.index[j]);
        }
}

static void announce_formula(const trmi_forces *f, const trmi_element *e,
                             const trmi_formula *formula, trmi_slots *K, trmi_slots *D)
{
    for (int k = 0; k < formula->uses; k++) {
        const trmi_row_set *signal = &f->signals->set[formula->signal[k]];
        announce_block(f, K, &e->set, signal);
        announce_block(f, D, &e->set, signal);
    }
    for (int k = 0; k < formula->effects; k++)
        announce_effect(f, &e->set, &f->feedback.row[formula->effect[k]], K, D);
}

static void announce_loads(const trmi_forces *f, const trmi_element *e, trmi_slots *L)
{
    for (int i = 0; i < e->loads; i++)
        for (int j = 0; j < e->set.columns; j++)
            trmi_slots_add(L, coordinate_of(f, &e->set, j), e->load[i]);
    for (int r = 0; r < e->formulas; r++)
        for (int k = 0; e->formula[r].value != TRMI_NOTHING && k < e->formula[r].effects; k++) {
            const trmi_feedback_part *by = &f->feedback.row[e->formula[r].effect[k]].L;
            for (int i = 0; i < by->count; i++)
                for (int j = 0; j < e->set.columns; j++)
                    trmi_slots_add(L, coordinate_of(f, &e->set, j), by->index[i]);
        }
}

static void announce(const trmi_forces *f, trmi_element *e, trmi_slots *K, trmi_slots *D,
                     trmi_slots *L)
{
    e->first_K = K->added;
    e->first_D = D->added;
    e->first_L = L->added;
    announce_block(f, K, &e->set, &e->set);
    if (e->damped)
        announce_block(f, D, &e->set, &e->set);
    for (int i = 0; i < e->formulas; i++)
        if (e->formula[i].value != TRMI_NOTHING)
            announce_formula(f, e, &e->formula[i], K, D);
    announce_loads(f, e, L);
}

// where the columns of each signal begin in one array
static bool place_signals(trmi_forces *f, trmi_memory *memory)
{
    int count = f->signals ? f->signals->count : 0, *column;
    if (!TRMI_TAKE(memory, column, count + 1))
        return false;
    for (int i = 0; i < count; i++) {
        int n = f->signals->set[i].columns;
        column[i + 1] = column[i] + n;
        f->max_columns = n > f->max_columns ? n : f->max_columns;
    }
    f->column = column;
    return true;
}

// What elements remember, then switches are numbered through, those of conditions in formulas after
// those of elements: their locks come last among the held values.
static void number_held(trmi_forces *f, trmi_element *element, int elements, int *n_held)
{
    for (int i = 0; i < elements; i++) {
        element[i].memory = *n_held;
        *n_held += element[i].memories;
        f->memories += element[i].memories;
    }
    f->first_lock = *n_held;
    for (int i = 0; i < elements; i++) {
        element[i].first_switch = f->switches;
        element[i].first_lock = f->first_lock + f->switches;
        f->switches += element[i].switches;
    }
    f->switches += 2 * f->mechanism->kinks;
    *n_held += f->switches;
}

trm_status trmi_forces_create(trmi_forces *f, trmi_memory *memory, const trmi_mechanism *mechanism,
                              const trmi_tree *tree, const trmi_constraints *constraints,
                              const trmi_signals *signals, trmi_slots *K, trmi_slots *D,
                              trmi_slots *L, int *n_held, trm_error *error)
{
    trmi_force_maker m = {memory, mechanism, tree, constraints, n_held, NULL, 0, 0};
    *f = (trmi_forces){.mechanism = mechanism, .tree = tree, .signals = signals};
    bool good = make_elements(&m) && place_signals(f, memory);
    for (int i = 0; i < m.elements && good; i++)
        good = trmi_set_drop_driven(&m.element[i].set, memory, tree);
    if (!good || !trmi_feedback_create(&f->feedback, &m, f))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the forces");
    for (int i = 0; i < m.elements; i++) {
        int n = m.element[i].set.columns;
        announce(f, &m.element[i], K, D, L);
        f->warnings += m.element[i].warn != NULL;
        f->max_columns = n > f->max_columns ? n : f->max_columns;
        if (m.element[i].arguments && m.element[i].formulas > f->max_arguments)
            f->max_arguments = m.element[i].formulas;
    }
    number_held(f, m.element, m.elements, n_held);
    for (int i = 0; i < m.elements; i++) {
        m.element[i].first_register = f->registers;
        f->registers += m.element[i].road ? trmi_tape_registers(m.element[i].road->tape) : 0;
    }
    f->element = m.element;
    f->elements = m.elements;
    f->formula_rows = m.formula_rows;
    return TRM_OK;
}

static bool take_way(trmi_way_work *way, trmi_memory *memory, const trmi_forces *forces)
{
    bool good = true;
    if (!trmi_forces_bend(forces))
        return true;
    way->n_q = forces->tree->n_q;
    for (int k = 0; k < 2 && good; k++) {
        trmi_way_end *end = &way->end[k];
        good = TRMI_TAKE(memory, end->q, way->n_q) && TRMI_TAKE(memory, end->v, way->n_q) &&
               TRMI_TAKE(memory, end->p, 2 * forces->signals->count);
        end->t = NAN;
    }
    return good && TRMI_TAKE(memory, way->bound, trmi_tape_registers(forces->mechanism->tape));
}

bool trmi_force_work_create(trmi_force_work *work, trmi_memory *memory, const trmi_forces *forces,
                            trmi_row_workspace *workspace, double *tape)
{
    const trmi_tape *formulas = forces->mechanism->tape;
    int signals = forces->signals ? forces->signals->count : 0;
    int values = formulas ? trmi_tape_group_size(formulas, TRMI_TAPE_VALUES) : 0;
    int slopes = formulas ? trmi_tape_group_size(formulas, TRMI_TAPE_SLOPES) : 0;
    int max = TRMI_MAX_ROWS * forces->max_columns;
    *work = (trmi_force_work){.tape = tape, .workspace = workspace};
    return take_way(&work->way, memory, forces) && TRMI_TAKE(memory, work->value, values) &&
           TRMI_TAKE(memory, work->slope, slopes) &&
           TRMI_TAKE(memory, work->signal_G, forces->column[signals]) &&
           TRMI_TAKE(memory, work->signal_Gv, forces->column[signals]) &&
           TRMI_TAKE(memory, work->G, max) && TRMI_TAKE(memory, work->Gv, max) &&
           TRMI_TAKE(memory, work->T, max) && TRMI_TAKE(memory, work->road, forces->registers) &&
           TRMI_TAKE(memory, work->argument, forces->max_arguments) &&
           TRMI_TAKE(memory, work->F_a, TRMI_MAX_ROWS * forces->max_arguments) &&
           trmi_feedback_work_create(&work->feedback, memory, &forces->feedback);
}
