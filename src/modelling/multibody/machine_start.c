// SPDX-License-Identifier: Apache-2.0
// Start values: measures of the joints of the tree, and from there the coordinates of the star.
#include "modelling/multibody/chart.h"
#include "modelling/multibody/machine.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// A chart starts at theta = 0 with its centre at the position of the joint. X turns the axes of the
// first body into those of the second, w is the angular velocity in the axes of the second:
//
//     A = Q X, theta' = w          backwards: A = Q X^T, theta' = -X w
static void start_chart(const trmi_column *c, const trmi_joint *joint, double *v, double *held)
{
    trmi_start_value s[3];
    for (int i = 0; i < 3; i++)
        s[i] = trmi_start_of(joint, c->measure + i);
    trmi_quaternion X = trmi_quaternion_exp((trmi_v3){s[0].value, s[1].value, s[2].value});
    trmi_v3 w = {s[0].rate, s[1].rate, s[2].rate};
    if (c->sign < 0) {
        w = trmi_v3_scale(-1, trmi_m3_times(trmi_quaternion_matrix(X), w));
        X = trmi_quaternion_conjugate(X);
    }
    trmi_quaternion A = trmi_center(held, c->held);
    A = trmi_quaternion_unit(trmi_quaternion_mul(A, X));
    held[c->held] = A.s;
    trmi_put_three(held, c->held + 1, A.v);
    trmi_put_three(v, c->coordinate, w);
}

static void start_tree(const trmi_mechanism *m, const trmi_tree *t, double *q, double *v,
                       double *held)
{
    trmi_tree_held(t, held);
    memset(v, 0, (size_t)t->n_q * sizeof *v);
    trmi_tree_reference(t, m, q);
    for (int k = 0; k < t->columns; k++) {
        const trmi_column *c = &t->column[k];
        const trmi_body *body = &m->body[c->body];
        if (c->coordinate == TRMI_NOTHING)
            continue;
        if (body->carrier != TRMI_GROUND) {
            q[c->coordinate] = body->node->start[c->measure];
            v[c->coordinate] = body->node->start_rate[c->measure];
        }
        if (c->joint == TRMI_NOTHING)
            continue;
        const trmi_start_value s = trmi_start_of(&m->joint[c->joint], c->measure);
        if (c->chart == k)
            start_chart(c, &m->joint[c->joint], v, held);
        else if (c->kind != TRMI_COLUMN_CHART) {
            q[c->coordinate] = s.value;
            v[c->coordinate] = s.rate;
        }
    }
}

// pose and twist of a body as coordinates of its free columns
static void start_body(const trmi_kinematics *from, const trmi_tree *star, int b, double *q,
                       double *v, double *held)
{
    trmi_column c[4]; // the last one is that of the chart
    trmi_v3 axis[3];
    trmi_pose pose = from->pose[b];
    trmi_v3 w = from->v[b].w, u = trmi_motion_at(from->v[b], from->c[b]).v;
    int slides = star->plane == TRMI_SPATIAL ? 3 : 2;
    for (int i = 0; i <= slides; i++)
        c[i] = trmi_column_of(star, star->body[b].first + i);
    for (int i = 0; i < 3; i++)
        axis[i] = star->line[c[i].line].axis;
    for (int i = 0; i < slides; i++) {
        q[c[i].coordinate] = trmi_v3_dot(axis[i], pose.r);
        v[c[i].coordinate] = trmi_v3_dot(axis[i], u);
    }
    if (star->plane == TRMI_SPATIAL) {
        trmi_quaternion A = trmi_quaternion_of(pose.R);
        held[c[3].held] = A.s;
        trmi_put_three(held, c[3].held + 1, A.v);
        trmi_put_three(q, c[3].coordinate, (trmi_v3){0, 0, 0});
        trmi_put_three(v, c[3].coordinate, trmi_m3_tr_times(pose.R, w));
    } else {
        trmi_v3 turned = trmi_m3_times(pose.R, axis[0]);
        q[c[2].coordinate] = atan2(trmi_v3_dot(axis[1], turned), trmi_v3_dot(axis[0], turned));
        v[c[2].coordinate] = trmi_v3_dot(axis[2], w);
    }
}

// A body that hangs on the same columns in both trees: nodes of beams, edges that are not cut.
static void start_same(const trmi_kinematics *from, const trmi_tree *tree, int b, double *q,
                       double *v, const double *held_from, double *held)
{
    const trmi_tree *joints = from->tree;
    int first = tree->body[b].first;
    for (int i = 0; first != TRMI_NOTHING && i <= tree->body[b].column - first; i++) {
        const trmi_column *to = &tree->column[first + i];
        const trmi_column *at = &joints->column[joints->body[b].first + i];
        if (to->coordinate == TRMI_NOTHING)
            continue;
        q[to->coordinate] = from->q[at->coordinate];
        v[to->coordinate] = from->rate[at->coordinate];
        if (to->chart == first + i)
            memcpy(held + to->held, held_from + at->held, 4 * sizeof *held);
    }
}

// The state of the tree of the joints: q, v, held, and u.
typedef struct start {
    const trmi_tree *joints;
    trmi_constraints constraints; // of that tree, as they lead from far
    int n_held;
    bool *edge;  // per joint: it has columns of that tree
    bool differ; // start values of other joints were not those of the assembled tree
    double *q, *v, *held, *u;
    trm_state state;
} start;

static void note_move(trmi_assembly *assembly, trmi_move move)
{
    if (assembly->moves < TRMI_MAX_MOVES)
        assembly->move[assembly->moves] = move;
    assembly->moves++;
}

static bool differs(double given, double became, bool keep)
{
    return fabs(became - given) > 1e-10 + (keep ? 1e-6 : 1e-3) * fmax(fabs(given), fabs(became));
}

// Start rates that assembly has changed by more than rounding of what was given, and angles that
// are no longer about what they were. Rates of a chart that runs against its joint are no
// coordinates and are left out, and so are its angles.
static void note_moves(const trmi_machine *machine, const start *s, trmi_assembly *assembly)
{
    const double far = 10 * TRMI_PI / 180;
    const trmi_tree *t = s->joints;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column *c = &t->column[k];
        bool chart = c->kind == TRMI_COLUMN_CHART;
        if (c->joint == TRMI_NOTHING || c->coordinate == TRMI_NOTHING || (chart && c->sign < 0))
            continue;
        trmi_start_value given = trmi_start_of(&machine->mechanism->joint[c->joint], c->measure);
        double angle = s->q[c->coordinate], rate = s->v[c->coordinate];
        bool turns = c->kind == TRMI_COLUMN_TURN || c->kind == TRMI_COLUMN_SCREW;
        if (given.given && turns && fabs(angle - given.value) > far)
            note_move(assembly, (trmi_move){c->joint, c->measure, false, given.value, angle});
        if (given.rate_given && differs(given.rate, rate, false))
            note_move(assembly, (trmi_move){c->joint, c->measure, true, given.rate, rate});
    }
}

// Joints that are not edges of the tree, with a start value: which of their values are others?
static bool note_cut(const trmi_machine *machine, const start *s, const trmi_kinematics *k, int j,
                     trmi_assembly *assembly)
{
    const trmi_mechanism *m = machine->mechanism;
    for (int i = 0; i < trmi_measure_count(m->joint[j].type, m->plane); i++) {
        trmi_start_value given = trmi_start_of(&m->joint[j], i);
        double value, rate, intended;
        if (!given.given && !given.rate_given)
            continue;
        if (!trmi_measure_at(m, k, &s->state, s->held, s->n_held, j, i, &value, &rate) ||
            !trmi_start_rate(m, k, &s->state, s->held, s->n_held, j, i, &intended))
            return false;
        if (given.given && differs(given.value, value, given.keep))
            note_move(assembly, (trmi_move){j, i, false, given.value, value});
        if (given.rate_given && differs(intended, rate, given.keep))
            note_move(assembly, (trmi_move){j, i, true, intended, rate});
    }
    return true;
}

// Cuts, and with them joints with friction, and what closes loops.
static bool note_cuts(const trmi_machine *machine, const start *s, trmi_memory *scratch,
                      trmi_assembly *assembly)
{
    const trmi_mechanism *m = machine->mechanism;
    trmi_kinematics k = {0};
    bool good = true;
    for (int j = 0; good && j < m->joints; j++) {
        if (s->edge[j] || !trmi_extra_of(&m->joint[j]).start)
            continue;
        if (!k.tree && (good = trmi_kinematics_create(&k, scratch, s->joints, true)))
            trmi_kinematics_move(&k, &s->state);
        good = good && note_cut(machine, s, &k, j, assembly);
    }
    return good;
}

static trm_status close_loops(const trmi_machine *machine, start *s, trmi_assembly *assembly,
                              trm_error *error)
{
    return trmi_close_loops(machine->mechanism, s->joints, &s->constraints, s->state, s->q, s->v,
                            assembly, error);
}

// Once more, from the start values of the tree, with those of the other joints.
static trm_status close_with_cuts(const trmi_machine *machine, start *s, trmi_assembly *assembly,
                                  const double *q, const double *v, trm_error *error)
{
    const trmi_mechanism *m = machine->mechanism;
    size_t size = (size_t)s->joints->n_q * sizeof *q;
    memcpy(s->q, q, size);
    memcpy(s->v, v, size);
    trm_status status =
        trmi_hold_values(m, s->joints, s->edge, &s->state, s->held, s->n_held, s->q, s->v, error);
    if (status == TRM_OK)
        status = close_loops(machine, s, assembly, error);
    if (status != TRM_OK)
        return status;
    memcpy(s->v, v, size);
    status =
        trmi_hold_rates(m, s->joints, s->edge, &s->state, s->held, s->n_held, s->q, s->v, error);
    return status == TRM_OK ? close_loops(machine, s, assembly, error) : status;
}

// The loops closed, with the start values of all joints as far as they fit.
static trm_status assemble(const trmi_machine *machine, start *s, trmi_memory *scratch,
                           trmi_assembly *assembly, trm_error *error)
{
    trmi_assembly cuts = {0};
    double *q, *v;
    size_t size = (size_t)s->joints->n_q * sizeof *q;
    if (!TRMI_TAKE(scratch, q, s->joints->n_q) || !TRMI_TAKE(scratch, v, s->joints->n_q) ||
        !trmi_find_edges(scratch, machine->mechanism, s->joints, &s->edge))
        return TRM_ERR_MEMORY;
    memcpy(q, s->q, size);
    memcpy(v, s->v, size);
    trm_status status = close_loops(machine, s, assembly, error);
    if (status == TRM_OK && !note_cuts(machine, s, scratch, &cuts))
        status = TRM_ERR_MEMORY;
    s->differ = cuts.moves > 0;
    if (status == TRM_OK && s->differ && !assembly->skipped)
        status = close_with_cuts(machine, s, assembly, q, v, error);
    return status;
}

// The tree that start values belong to: that of the joints, with those that are cut where the tree
// is open; if need be for a while.
static const trmi_tree *find_joints(const trmi_machine *machine, trmi_memory *scratch,
                                    trm_error *error)
{
    return machine->joints && !machine->joints->opened
               ? machine->joints
               : trmi_tree_create_for_start(scratch, machine->mechanism, error);
}

// start values of the joints, assembled
static trm_status start_joints(trmi_machine_work *work, trmi_memory *scratch, double t, start *s,
                               trm_error *error)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *joints = s->joints = find_joints(machine, scratch, error);
    if (!joints)
        return TRM_ERR_MEMORY;
    int n_held = joints->n_held;
    trm_status status = trmi_constraints_create_far(&s->constraints, scratch, machine->mechanism,
                                                    joints, &n_held, error);
    s->n_held = n_held = machine->tree == joints ? machine->n_held : n_held;
    if (status == TRM_OK &&
        (!TRMI_TAKE(scratch, s->q, joints->n_q) || !TRMI_TAKE(scratch, s->v, joints->n_q) ||
         !TRMI_TAKE(scratch, s->held, n_held + TRMI_MAX_HELD) ||
         !TRMI_TAKE(scratch, s->u, 3 * joints->n_u)))
        status = TRM_ERR_MEMORY;
    if (status != TRM_OK)
        return status;
    start_tree(machine->mechanism, joints, s->q, s->v, s->held);
    if (joints->n_u > 0)
        trmi_machine_drive(work, t, s->u);
    s->state = (trm_state){.t = t, .q = s->q, .v = s->v, .u = s->u, .held = s->held};
    trmi_seed_constraints(machine->mechanism, joints, &s->constraints, &s->state, s->held);
    status = assemble(machine, s, scratch, &work->assembly, error);
    if (status == TRM_OK && !work->assembly.skipped)
        note_moves(machine, s, &work->assembly);
    if (status == TRM_OK && s->differ && !note_cuts(machine, s, scratch, &work->assembly))
        status = TRM_ERR_MEMORY;
    return status;
}

// the same motion in the coordinates of the machine
static bool start_bodies(trmi_machine_work *work, trmi_memory *scratch, const start *s, double *q,
                         double *v)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *t = machine->tree;
    trmi_kinematics k;
    if (!trmi_kinematics_create(&k, scratch, s->joints, true))
        return false;
    trmi_kinematics_move(&k, &s->state);
    for (int b = 1; b < t->bodies; b++)
        if (machine->mechanism->body[b].carrier != TRMI_GROUND ||
            (!t->star && t->edge[b] != TRMI_NOTHING))
            start_same(&k, t, b, q, v, s->held, work->held);
        else
            start_body(&k, t, b, q, v, work->held);
    return true;
}

trm_status trmi_machine_start(trmi_machine_work *work, double t, double *q, double *v,
                              trm_error *error)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *tree = machine->tree;
    trmi_memory scratch;
    start s;
    trmi_memory_init(&scratch, NULL);
    trm_status status = start_joints(work, &scratch, t, &s, error);
    bool same = status == TRM_OK && s.joints == tree;
    if (status == TRM_OK && !same && !start_bodies(work, &scratch, &s, q, v))
        status = TRM_ERR_MEMORY;
    if (same) {
        memcpy(q, s.q, (size_t)tree->n_q * sizeof *s.q);
        memcpy(v, s.v, (size_t)tree->n_q * sizeof *s.v);
        memcpy(work->held, s.held, (size_t)machine->n_held * sizeof *s.held);
    }
    if (status == TRM_OK)
        trmi_seed_machine(machine, s.joints, &s.state, work->held);
    if (status == TRM_OK && machine->forces.memories > 0) {
        const trm_state at = {.t = t, .q = q, .v = v, .u = s.u, .held = work->held};
        trmi_kinematics_move(&work->kinematics, &at);
        trmi_forces_remember(&machine->forces, &work->kinematics, &at, work->held);
    }
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, status, "no memory for start values");
    trmi_memory_release_all(&scratch);
    return status;
}
