// SPDX-License-Identifier: Apache-2.0
// Forces: the elements of a mechanism with their rows, laws and positions.
#include "modelling/multibody/forces/force.h"

#include "base/error.h"

typedef struct making {
    trmi_memory *memory;
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    const trmi_constraints *constraints;
    int *n_held;
    trmi_element *element;
    int elements;
} making;

// Which rows and which law a kind of force has.
typedef struct recipe {
    const trmi_row_type *row[TRMI_MAX_ROWS + 1];
    trmi_law_function *law;
} recipe;

#define DISPLACEMENTS &trmi_slide[0], &trmi_slide[1], &trmi_slide[2]
#define MEAN_DISPLACEMENTS &trmi_mean_slide[0], &trmi_mean_slide[1], &trmi_mean_slide[2]
#define ROTATIONS &trmi_rotation[0], &trmi_rotation[1], &trmi_rotation[2]

static const recipe recipes[TRMI_FORCE_KINDS] = {
    [TRMI_FORCE_POINT_FORCE] = {{DISPLACEMENTS}, trmi_law_load},
    [TRMI_FORCE_TORQUE] = {{&trmi_world_torque[0], &trmi_world_torque[1], &trmi_world_torque[2]},
                           trmi_law_load},
    [TRMI_FORCE_SPRING] = {{&trmi_plain_length}, trmi_law_spring},
    [TRMI_FORCE_JOINT_FORCE] = {{NULL}, trmi_law_spring}, // a measure of its joint
    [TRMI_FORCE_BUSHING] = {{DISPLACEMENTS, ROTATIONS}, trmi_law_bushing},
    [TRMI_FORCE_BEAM] = {{MEAN_DISPLACEMENTS, ROTATIONS}, trmi_law_bushing},
    [TRMI_FORCE_BUMP_STOP] = {{&trmi_plain_length}, trmi_law_bump},
    [TRMI_FORCE_CONTACT] = {{&trmi_slide[2], &trmi_sphere_slip[0], &trmi_sphere_slip[1]},
                            trmi_law_contact},
    [TRMI_FORCE_USER] = {{DISPLACEMENTS, ROTATIONS}, trmi_law_user},
};

static const recipe following[TRMI_FORCE_KINDS] = {
    [TRMI_FORCE_POINT_FORCE] = {{&trmi_force_along[0], &trmi_force_along[1], &trmi_force_along[2]},
                                trmi_law_load},
    [TRMI_FORCE_TORQUE] = {{&trmi_torque_along[0], &trmi_torque_along[1], &trmi_torque_along[2]},
                           trmi_law_load},
};

// ---- elements --------------------------------------------------------------------------------

static bool any_nonzero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return true;
    return false;
}

static bool finish_set(making *m, trmi_element *e, const int body[2], trmi_v3 at, trmi_v3 at_second,
                       trmi_m3 frame, const trmi_row_type *const *row)
{
    e->set = (trmi_row_set){
        .pair = trmi_pair_at(m->mechanism, body, at, at_second, frame, frame, e->force->radius)};
    for (int r = 0; r < TRMI_MAX_ROWS && row[r]; r++)
        trmi_set_add(&e->set, row[r], m->n_held);
    return trmi_set_finish(&e->set, m->memory, m->tree);
}

static bool add_load(making *m, const trmi_force *force, const recipe *r, const int body[2],
                     trmi_v3 at, double sign)
{
    trmi_element *e = &m->element[m->elements++];
    e->force = force;
    e->law = r->law;
    e->sign = sign;
    for (e->formulas = 0; e->formulas < 3; e->formulas++)
        e->formula[e->formulas] = &force->component[e->formulas];
    return finish_set(m, e, body, at, at, trmi_m3_unit(), r->row);
}

// A force in axes of the second body is one between the two bodies. One in global axes is a row
// from the ground, and its opposite on the first body another one. A law pulls back: sign -1.
static bool make_load(making *m, const trmi_force *force)
{
    const int first[2] = {TRMI_GROUND, force->body[0]}, second[2] = {TRMI_GROUND, force->body[1]};
    const recipe *global = &recipes[force->kind];
    if (force->follows)
        return add_load(m, force, &following[force->kind], force->body, force->at_second, -1);
    return add_load(m, force, global, second, force->at_second, -1) &&
           (force->body[0] == TRMI_GROUND || add_load(m, force, global, first, force->at, 1));
}

static bool make_beam(making *m, trmi_element *e, const trmi_force *force)
{
    double length = trmi_v3_length(trmi_v3_sub(force->at_second, force->at)), *K, *C;
    if (!TRMI_TAKE(m->memory, K, 36) || !TRMI_TAKE(m->memory, C, 36))
        return false;
    trmi_beam_stiffness(force, length, K);
    for (int i = 0; i < 36; i++)
        C[i] = force->damping[0] * K[i];
    e->natural[0] = length;
    e->stiffness = K;
    e->damping = C;
    return true;
}

static bool make_numbers(making *m, trmi_element *e, const trmi_force *force)
{
    e->natural[0] = force->natural;
    e->stiffness = force->stiffness;
    e->damping = force->damping;
    e->damped = any_nonzero(force->damping, 36) || force->damper_curve.count > 0 ||
                force->kind == TRMI_FORCE_CONTACT || force->kind == TRMI_FORCE_USER;
    if (force->kind == TRMI_FORCE_BUSHING)
        e->natural[0] = 0;
    if (force->kind == TRMI_FORCE_USER)
        e->user = m->mechanism->user_force[force->user];
    return (force->kind != TRMI_FORCE_BEAM || make_beam(m, e, force)) &&
           trmi_spline_create(&e->spring, m->memory, &force->spring_curve) &&
           trmi_spline_create(&e->damper, m->memory, &force->damper_curve);
}

static void add_switch(trmi_element *e, double at, double sign)
{
    e->open[e->switches++] = (trmi_switch){at, sign};
}

static bool make_force(making *m, const trmi_force *force)
{
    if (force->kind == TRMI_FORCE_POINT_FORCE || force->kind == TRMI_FORCE_TORQUE)
        return make_load(m, force);
    trmi_element *e = &m->element[m->elements++];
    const recipe *r = &recipes[force->kind];
    e->force = force;
    e->law = r->law;
    e->sign = 1;
    e->formula[0] = &force->law;
    e->formulas = force->kind == TRMI_FORCE_SPRING || force->kind == TRMI_FORCE_JOINT_FORCE;
    if (force->kind == TRMI_FORCE_CONTACT)
        add_switch(e, force->radius, 1);
    if (force->kind == TRMI_FORCE_BUMP_STOP)
        add_switch(e, force->gap, 1);
    if (!make_numbers(m, e, force))
        return false;
    if (force->kind == TRMI_FORCE_JOINT_FORCE)
        return trmi_set_of_measure(&e->set, m->memory, m->mechanism, m->tree, force->joint,
                                   force->measure, m->n_held);
    return finish_set(m, e, force->body, force->at, force->at_second, force->frame, r->row);
}

// the multipliers of the rows across the axis of a cut joint
static void find_loads(const making *m, int joint, trmi_element *e)
{
    for (int i = 0; i < m->constraints->joints; i++) {
        const trmi_constraint *c = &m->constraints->joint[i];
        for (int r = 0; c->joint == joint && r < c->rows; r++) {
            const trmi_row_type *type = trmi_constraint_type(c, r);
            bool across = type->shape == TRMI_ROW_SLIDE && type->axis != 2;
            bool driven = c->general && c->general->drive[r] != TRMI_NOTHING;
            if (across && !driven && e->loads < TRMI_MAX_LOADS)
                e->load[e->loads++] = trmi_constraint_number(c, r);
        }
    }
}

static bool make_on_measure(making *m, int joint, int measure, trmi_law_function *law, bool damped)
{
    trmi_element *e = &m->element[m->elements++];
    e->joint = &m->mechanism->joint[joint];
    e->measure = measure;
    e->law = law;
    e->damped = damped;
    if (law == trmi_law_friction)
        find_loads(m, joint, e);
    if (law == trmi_law_stop) {
        add_switch(e, trmi_more_of(e->joint).stop[measure].low, 1);
        add_switch(e, trmi_more_of(e->joint).stop[measure].high, -1);
    }
    return trmi_set_of_measure(&e->set, m->memory, m->mechanism, m->tree, joint, measure,
                               m->n_held);
}

static bool make_joint(making *m, int j)
{
    const trmi_joint *joint = &m->mechanism->joint[j];
    const trmi_stop *stop = trmi_more_of(joint).stop;
    if (trmi_more_of(joint).friction && !make_on_measure(m, j, 0, trmi_law_friction, true))
        return false;
    for (int i = 0; i < trmi_measure_count(joint->kind, m->mechanism->plane); i++)
        if (stop && stop[i].given && !make_on_measure(m, j, i, trmi_law_stop, stop[i].damping != 0))
            return false;
    return true;
}

int trmi_forces_max(const trmi_mechanism *mechanism)
{
    int most = 2 * mechanism->forces;
    for (int j = 0; j < mechanism->joints; j++) {
        const trmi_joint *joint = &mechanism->joint[j];
        const trmi_joint_extra more = trmi_more_of(joint);
        int measures = trmi_measure_count(joint->kind, mechanism->plane);
        most += more.friction != NULL;
        for (int i = 0; i < measures && more.stop; i++)
            most += more.stop[i].given;
    }
    return most;
}

static bool make_elements(making *m)
{
    const trmi_mechanism *mechanism = m->mechanism;
    if (!TRMI_TAKE(m->memory, m->element, trmi_forces_max(mechanism)))
        return false;
    for (int i = 0; i < mechanism->forces; i++)
        if (!make_force(m, &mechanism->force[i]))
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
        for (int k = 0; e->formula[i]->value != TRMI_NOTHING && k < e->formula[i]->uses; k++) {
            const trmi_row_set *signal = &f->signals->set[e->formula[i]->signal[k]];
            announce_block(f, K, &e->set, signal);
            announce_block(f, D, &e->set, signal);
        }
    for (int i = 0; i < e->loads; i++)
        for (int j = 0; j < e->set.columns; j++)
            trmi_slots_add(L, coordinate_of(f, &e->set, j), e->load[i]);
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

// switches are numbered through; their locks come last among the held values of the forces
static void number_switches(trmi_forces *f, trmi_element *element, int elements, int *n_held)
{
    f->first_lock = *n_held;
    for (int i = 0; i < elements; i++) {
        element[i].first_switch = f->switches;
        element[i].first_lock = f->first_lock + f->switches;
        f->switches += element[i].switches;
    }
    *n_held += f->switches;
}

trm_status trmi_forces_create(trmi_forces *f, trmi_memory *memory, const trmi_mechanism *mechanism,
                              const trmi_tree *tree, const trmi_constraints *constraints,
                              const trmi_signals *signals, trmi_slots *K, trmi_slots *D,
                              trmi_slots *L, int *n_held, trm_error *error)
{
    making m = {memory, mechanism, tree, constraints, n_held, NULL, 0};
    *f = (trmi_forces){.mechanism = mechanism, .tree = tree, .signals = signals};
    if (!make_elements(&m) || !place_signals(f, memory))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the forces");
    for (int i = 0; i < m.elements; i++) {
        int n = m.element[i].set.columns;
        announce(f, &m.element[i], K, D, L);
        f->max_columns = n > f->max_columns ? n : f->max_columns;
    }
    number_switches(f, m.element, m.elements, n_held);
    f->element = m.element;
    f->elements = m.elements;
    return TRM_OK;
}

bool trmi_force_work_create(trmi_force_work *work, trmi_memory *memory, const trmi_forces *forces,
                            trmi_row_workspace *room, double *tape)
{
    const trmi_tape *formulas = forces->mechanism->tape;
    int signals = forces->signals ? forces->signals->count : 0;
    int values = formulas ? trmi_tape_group_size(formulas, TRMI_TAPE_VALUES) : 0;
    int slopes = formulas ? trmi_tape_group_size(formulas, TRMI_TAPE_SLOPES) : 0;
    int most = TRMI_MAX_ROWS * forces->max_columns;
    *work = (trmi_force_work){.tape = tape, .room = room};
    return TRMI_TAKE(memory, work->value, values) && TRMI_TAKE(memory, work->slope, slopes) &&
           TRMI_TAKE(memory, work->signal_G, forces->column[signals]) &&
           TRMI_TAKE(memory, work->signal_Gv, forces->column[signals]) &&
           TRMI_TAKE(memory, work->G, most) && TRMI_TAKE(memory, work->Gv, most) &&
           TRMI_TAKE(memory, work->T, most);
}
