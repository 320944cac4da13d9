// SPDX-License-Identifier: Apache-2.0
// What is watched of a machine: signals and the poses of its bodies.
#include "modelling/multibody/frames.h"
#include "modelling/multibody/machine.h"
#include "modelling/multibody/rows/formula_row.h"
#include "modelling/multibody/rows/relation.h"

#include <math.h>
#include <string.h>

double trmi_machine_next_break(double t, double t_end, void *user)
{
    const trmi_machine_work *work = user;
    const trmi_mechanism *m = work->machine->mechanism;
    return trmi_breaks_next(m->breaks, work->tape + m->at.parameter, t, t_end, work->breaks);
}

void trmi_machine_set_parameters(trmi_machine_work *work, const double *parameters)
{
    const trmi_mechanism *m = work->machine->mechanism;
    int first = m->at.parameter;
    trmi_relation_set_parameters(work->workspace.relation, m, parameters);
    trmi_forces_set_parameters(&work->machine->forces, &work->force, parameters);
    for (int i = 0; i < work->machine->forces.elements; i++) {
        const trmi_row_set *set = &work->machine->forces.element[i].set;
        if (set->formula_row)
            trmi_formula_row_set_parameters(&work->kinematics, m, set, parameters);
    }
    if (!m->tape)
        return;
    for (int i = 0; i < m->parameters; i++)
        work->tape[first + i] = parameters[i];
    trmi_tape_prepare(m->tape, work->tape);
}

void trmi_machine_signals(trmi_machine_work *work, const trm_state *state, double *p, double *rate,
                          double *second)
{
    trmi_kinematics_move(&work->kinematics, state);
    if (second)
        trmi_kinematics_accelerate(&work->kinematics, state, state->a, false);
    trmi_signals_evaluate(&work->machine->signals, &work->kinematics, state, p, rate, second);
}

// held values of a row of its own: those of the start
static void seed_own(const trmi_mechanism *mechanism, const trmi_row *row, int joint, int measure,
                     double t, double *held)
{
    const trmi_joint *j = &mechanism->joint[joint];
    int first = trmi_measure_first(j->type, mechanism->plane, measure);
    if (row->type->counts_turns)
        trmi_seed_angle(row, t, trmi_start_of(j, measure).value, held);
    for (int i = 0; i < row->type->held && !row->type->counts_turns; i++)
        held[row->held + i] = trmi_start_of(j, first + i).value;
}

bool trmi_measure_at(const trmi_mechanism *mechanism, const trmi_kinematics *k,
                     const trm_state *state, double *held, int n_held, int joint, int measure,
                     double *value, double *rate)
{
    trmi_memory scratch;
    trmi_row_set set;
    trmi_memory_init(&scratch, NULL);
    bool good = trmi_set_of_measure(&set, &scratch, mechanism, k->tree, joint, measure, &n_held);
    if (good) {
        trmi_set_state x;
        if (set.row[0].held != TRMI_NOTHING)
            seed_own(mechanism, &set.row[0], joint, measure, state->t, held);
        trmi_set_at(&x, &set, k, state);
        *value = x.value[0].p;
        *rate = trmi_set_rate(&x, 0);
    }
    trmi_memory_release_all(&scratch);
    return good;
}

// The angular velocity w in body axes, of a rotation vector theta and its rate:
//     w = theta' - (1 - cos |theta|)/|theta|^2 theta x theta'
//         + (|theta| - sin |theta|)/|theta|^3 theta x (theta x theta')
static trmi_v3 angular_velocity(trmi_v3 theta, trmi_v3 rate)
{
    double s = trmi_v3_dot(theta, theta), angle = sqrt(s);
    bool small = angle < 1e-3; // series: the next terms are below 1e-14
    double a = small ? 0.5 - s / 24 : (1 - cos(angle)) / s;
    double b = small ? 1.0 / 6 - s / 120 : (angle - sin(angle)) / (s * angle);
    trmi_v3 once = trmi_v3_cross(theta, rate);
    return trmi_v3_axpy(trmi_v3_axpy(rate, -a, once), b, trmi_v3_cross(theta, once));
}

// value and rate, with the kinematics at the state; held may be changed
static bool find_measure(const trmi_machine_work *work, const trm_state *state, double *held,
                         int joint, int measure, double *value, double *rate)
{
    const trmi_machine *machine = work->machine;
    const trmi_mechanism *m = machine->mechanism;
    const trmi_joint *j = &m->joint[joint];
    int first = trmi_measure_first(j->type, m->plane, measure);
    trmi_measure kind = trmi_measure_of(j->type, m->plane, measure);
    double theta[3], slope[3];
    if (kind.kind != TRMI_MEASURE_ROTATION)
        return trmi_measure_at(m, &work->kinematics, state, held, machine->n_held, joint, measure,
                               value, rate);
    for (int c = 0; c < 3; c++)
        if (!trmi_measure_at(m, &work->kinematics, state, held, machine->n_held, joint, first + c,
                             &theta[c], &slope[c]))
            return false;
    *value = theta[(int)kind.axis];
    *rate = trmi_component(angular_velocity(trmi_three(theta, 0), trmi_three(slope, 0)),
                           (int)kind.axis);
    return true;
}

bool trmi_machine_measure(trmi_machine_work *work, const trm_state *state, int joint, int measure,
                          double *value, double *rate)
{
    const trmi_machine *machine = work->machine;
    trmi_memory scratch;
    double *held;
    trmi_memory_init(&scratch, NULL);
    bool good = TRMI_TAKE(&scratch, held, machine->n_held + TRMI_MAX_HELD);
    if (good) {
        trm_state at = *state;
        memcpy(held, state->held, (size_t)machine->n_held * sizeof *held);
        at.held = held;
        trmi_kinematics_move(&work->kinematics, &at);
        good = find_measure(work, &at, held, joint, measure, value, rate);
    }
    trmi_memory_release_all(&scratch);
    return good;
}

int trmi_pose_size(const trmi_machine *machine)
{
    return machine->tree->plane == TRMI_SPATIAL ? 7 : 3;
}

// place and angle of every body; an angle is that of the body before it, which comes first in the
// order, and its own
static void plane_poses(const trmi_kinematics *k, const trm_state *state, double *pose)
{
    const trmi_tree *t = k->tree;
    const trmi_m3 axes = trmi_m3_unit();
    int axis[3];
    trmi_plane_axes(t->plane, axis);
    for (int i = 1; i < t->bodies; i++) {
        int b = t->star ? i : t->order[i], before = t->star ? TRMI_GROUND : t->parent[b];
        double *own = pose + 3 * (b - 1);
        trmi_v3 r = trmi_pose_of(k, b).r;
        own[0] = trmi_v3_dot(axes.row[axis[0]], r);
        own[1] = trmi_v3_dot(axes.row[axis[1]], r);
        own[2] = trmi_own_turn_of(t, state, b, axes.row[axis[2]]) +
                 (before > TRMI_GROUND ? pose[3 * (before - 1) + 2] : 0);
    }
}

void trmi_machine_poses(const trmi_machine_work *work, const trm_state *state, double *pose)
{
    const trmi_kinematics *k = &work->kinematics;
    if (k->tree->plane != TRMI_SPATIAL) {
        plane_poses(k, state, pose);
        return;
    }
    for (int b = 1; b < k->tree->bodies; b++, pose += 7) {
        trmi_pose of = trmi_pose_of(k, b);
        trmi_v3 r = of.r;
        trmi_quaternion e = trmi_quaternion_of(of.R);
        const double value[7] = {r.x, r.y, r.z, e.s, e.v.x, e.v.y, e.v.z};
        for (int i = 0; i < 7; i++)
            pose[i] = value[i];
    }
}

int trmi_reaction_size(const trmi_machine *machine)
{
    return machine->tree->plane == TRMI_SPATIAL ? 6 : 3;
}

// the joints from a body towards the ground that are not on the way from another one
static void mark_branch(const trmi_tree *t, int from, int other, bool *joint)
{
    for (int b = from; b > TRMI_GROUND; b = t->parent[b]) {
        int c = other;
        while (c > TRMI_GROUND && c != b)
            c = t->parent[c];
        if (c != b && t->edge[b] != TRMI_NOTHING)
            joint[t->edge[b]] = true;
    }
}

void trmi_machine_shared(const trmi_machine *machine, const bool *row, bool *joint)
{
    const trmi_constraints *c = &machine->constraints;
    memset(joint, 0, (size_t)machine->mechanism->joints * sizeof *joint);
    for (int i = 0; i < c->joints; i++) {
        bool shared = false;
        for (int k = 0; k < c->joint[i].rows; k++)
            shared = shared || row[trmi_constraint_number(&c->joint[i], k)];
        if (!shared)
            continue;
        joint[c->joint[i].joint] = true;
        const trmi_general *general = c->joint[i].general;
        for (int s = 0; general && s < general->sets && !machine->tree->star; s++) {
            const trmi_pair *pair = &general->set[s].pair;
            mark_branch(machine->tree, pair->A, pair->B, joint);
            mark_branch(machine->tree, pair->B, pair->A, joint);
        }
    }
}

void trmi_machine_reactions(const trmi_machine_work *work, const trm_state *state, double *value)
{
    const trmi_machine *machine = work->machine;
    bool plane = machine->tree->plane != TRMI_SPATIAL;
    int axis[3];
    trmi_plane_axes(machine->tree->plane, axis);
    for (int j = 0; j < machine->mechanism->joints - machine->mechanism->links; j++) {
        trmi_wrench w = trmi_machine_reaction(work, state, j);
        const double f[3] = {w.f.x, w.f.y, w.f.z}, n[3] = {w.n.x, w.n.y, w.n.z};
        for (int k = 0; k < (plane ? 2 : 3); k++)
            *value++ = f[axis[k]];
        for (int k = plane ? 2 : 0; k < 3; k++)
            *value++ = n[axis[k]];
    }
}
