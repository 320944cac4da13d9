// SPDX-License-Identifier: Apache-2.0
// Full turns at the start: a row that measures an angle takes the branch nearest to the start value
// of the joint, or to the prescribed motion.
#include "modelling/multibody/machine.h"
#include "modelling/multibody/rows/formula_row.h"
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/rows/turn_count.h"

#include <math.h>

// the column of a measure in the tree of the joints; TRMI_NOTHING: the joint is cut
static int find_column(const trmi_tree *t, const trmi_joint *joint, int number, int measure)
{
    for (int e = 0; e < 2 && t->in_tree[number]; e++) {
        const trmi_tree_body *body = &t->body[joint->body[e]];
        if (t->edge[joint->body[e]] != number || body->first == TRMI_NOTHING)
            continue;
        for (int k = body->first; k <= body->column; k++)
            if (t->column[k].measure == measure)
                return k;
    }
    return TRMI_NOTHING;
}

double trmi_start_measure(const trmi_mechanism *m, const trmi_tree *joints, const trm_state *state,
                          int number, int measure)
{
    const trmi_joint *joint = &m->joint[number];
    int k = find_column(joints, joint, number, measure);
    const trmi_column *c = k == TRMI_NOTHING ? NULL : &joints->column[k];
    if (c && c->coordinate != TRMI_NOTHING && c->kind != TRMI_COLUMN_CHART)
        return state->q[c->coordinate];
    int drive = trmi_drive_of(joint, measure);
    return drive != TRMI_NOTHING ? state->u[drive] : trmi_start_of(joint, measure).value;
}

void trmi_seed_angle(const trmi_row *row, double t, double angle, double *held)
{
    trmi_seed_turns(t, angle, held + row->held);
}

static void seed_row(const trmi_row_set *set, int r, double t, double angle, double *held)
{
    if (set->own != TRMI_NOTHING)
        return;
    if (set->row[r].type->counts_turns)
        trmi_seed_angle(&set->row[r], t, angle, held);
    if (set->row[r].type->seed)
        set->row[r].type->seed(t, held + set->row[r].held);
}

void trmi_seed_constraints(const trmi_mechanism *m, const trmi_tree *joints,
                           const trmi_constraints *c, const trm_state *state, double *held)
{
    for (int i = 0; i < c->joints; i++) {
        const trmi_constraint *row = &c->joint[i];
        const trmi_joint_extra extra = trmi_extra_of(&m->joint[row->joint]);
        const trmi_general *general = row->general;
        for (int s = 0; general && s < general->sets; s++)
            for (int r = 0; r < general->set[s].rows; r++) {
                const trmi_term own = {row->joint, 0, 1};
                const trmi_signal *signal = extra.relation ? &extra.relation->signal[s] : NULL;
                const trmi_term measured =
                    signal ? (trmi_term){signal->index, signal->part, 1} : own;
                const trmi_term *of = extra.terms > 0 ? &extra.term[s] : &measured;
                bool body = signal && signal->kind != TRMI_SIGNAL_MEASURE; // from its reference on
                double angle = general->drive[r] != TRMI_NOTHING ? state->u[general->drive[r]]
                               : body
                                   ? 0
                                   : trmi_start_measure(m, joints, state, of->joint, of->measure);
                seed_row(&general->set[s], r, state->t, angle, held);
            }
    }
}

// a row that is one measure of a joint; a component of a rotation vector holds all three
static void seed_measure(const trmi_machine *machine, const trmi_tree *joints,
                         const trm_state *state, const trmi_row_set *set, int joint, int measure,
                         double *held)
{
    const trmi_mechanism *m = machine->mechanism;
    const trmi_row *row = &set->row[0];
    if (set->own != TRMI_NOTHING || row->held == TRMI_NOTHING)
        return;
    int first = trmi_measure_first(m->joint[joint].type, m->plane, measure);
    if (row->type->counts_turns)
        trmi_seed_angle(row, state->t, trmi_start_measure(m, joints, state, joint, measure), held);
    for (int i = 0; i < row->type->held && !row->type->counts_turns; i++)
        held[row->held + i] = trmi_start_measure(m, joints, state, joint, first + i);
}

static void seed_signal(const trmi_machine *machine, const trmi_tree *joints,
                        const trm_state *state, const trmi_row_set *set, const trmi_signal *signal,
                        double *held)
{
    if (signal->kind == TRMI_SIGNAL_MEASURE)
        seed_measure(machine, joints, state, set, signal->index, signal->part, held);
    else
        seed_row(set, 0, state->t, 0, held); // of a body, from its reference configuration
}

void trmi_seed_machine(const trmi_machine *machine, const trmi_tree *joints, const trm_state *state,
                       double *held)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_seed_constraints(m, joints, &machine->constraints, state, held);
    for (int i = 0; i < machine->signals.count; i++)
        seed_signal(machine, joints, state, &machine->signals.set[i], &m->signal[i], held);
    for (int i = 0; i < machine->forces.elements; i++) {
        const trmi_element *e = &machine->forces.element[i];
        const trmi_formula_row *c = e->set.formula_row;
        for (int s = 0; c && s < c->relation->signals; s++)
            seed_signal(machine, joints, state, &c->set[s], &c->relation->signal[s], held);
        if (e->joint)
            seed_measure(machine, joints, state, &e->set, (int)(e->joint - m->joint), e->measure,
                         held);
    }
}
