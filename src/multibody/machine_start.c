// SPDX-License-Identifier: Apache-2.0
// Start values: measures of the joints of the tree, and from there the coordinates of the star.
#include "multibody/chart.h"
#include "multibody/machine.h"

#include "base/error.h"

#include <string.h>

// exp of a rotation vector
static trmi_quaternion turn_by(trmi_v3 vector)
{
    double angle = trmi_v3_length(vector), half = 0.5 * angle;
    double c = angle > 0 ? sin(half) / angle : 0.5;
    return (trmi_quaternion){cos(half), trmi_v3_scale(c, vector)};
}

static void put(double *x, int first, trmi_v3 v)
{
    x[first] = v.x;
    x[first + 1] = v.y;
    x[first + 2] = v.z;
}

// A chart starts at theta = 0 with its centre where the joint stands. X turns the axes of the
// first body into those of the second, w is the angular velocity in the axes of the second:
//
//     A = Q X, theta' = w          backwards: A = Q X^T, theta' = -X w
static void start_chart(const trmi_column *c, const trmi_joint *joint, double *v, double *held)
{
    const trmi_start_value *s = &joint->start[c->measure];
    trmi_quaternion X = turn_by((trmi_v3){s[0].value, s[1].value, s[2].value});
    trmi_v3 w = {s[0].rate, s[1].rate, s[2].rate};
    if (c->sign < 0) {
        w = trmi_v3_scale(-1, trmi_m3_times(trmi_quaternion_matrix(X), w));
        X = trmi_quaternion_conjugate(X);
    }
    trmi_quaternion A = trmi_center(held, c->held);
    A = trmi_quaternion_unit(trmi_quaternion_mul(A, X));
    held[c->held] = A.s;
    put(held, c->held + 1, A.v);
    put(v, c->coordinate, w);
}

static void start_tree(const trmi_machine *machine, const trmi_tree *t, double *q, double *v,
                       double *held)
{
    const trmi_mechanism *m = machine->mechanism;
    memcpy(held, t->held, (size_t)t->n_held * sizeof *held);
    memset(v, 0, (size_t)t->n_q * sizeof *v);
    trmi_tree_reference(t, m, q);
    for (int k = 0; k < t->columns; k++) {
        const trmi_column *c = &t->column[k];
        if (c->joint == TRMI_NOTHING || c->coordinate == TRMI_NOTHING)
            continue;
        const trmi_start_value *s = &m->joint[c->joint].start[c->measure];
        if (c->chart == k)
            start_chart(c, &m->joint[c->joint], v, held);
        else if (c->kind != TRMI_COLUMN_CHART) {
            q[c->coordinate] = s->value;
            v[c->coordinate] = s->rate;
        }
    }
}

// pose and twist of a body as coordinates of its free columns
static void start_body(const trmi_kinematics *from, const trmi_tree *star, int b, double *q,
                       double *v, double *held)
{
    const trmi_column *c = &star->column[star->body[b].first];
    trmi_pose pose = from->pose[b];
    trmi_v3 w = from->v[b].w, u = trmi_motion_at(from->v[b], from->c[b]).v;
    int slides = star->plane == TRMI_SPATIAL ? 3 : 2;
    for (int i = 0; i < slides; i++) {
        q[c[i].coordinate] = trmi_v3_dot(c[i].axis, pose.r);
        v[c[i].coordinate] = trmi_v3_dot(c[i].axis, u);
    }
    if (star->plane == TRMI_SPATIAL) {
        trmi_quaternion A = trmi_quaternion_of(pose.R);
        held[c[3].held] = A.s;
        put(held, c[3].held + 1, A.v);
        put(q, c[3].coordinate, (trmi_v3){0, 0, 0});
        put(v, c[3].coordinate, trmi_m3_tr_times(pose.R, w));
    } else {
        trmi_v3 turned = trmi_m3_times(pose.R, c[0].axis);
        q[c[2].coordinate] = atan2(trmi_v3_dot(c[1].axis, turned), trmi_v3_dot(c[0].axis, turned));
        v[c[2].coordinate] = trmi_v3_dot(c[2].axis, w);
    }
}

// the state of the tree of the joints, and the motion of the bodies that belongs to it
static bool start_star(trmi_machine_work *work, trmi_memory *scratch, double t)
{
    const trmi_machine *machine = work->machine;
    const trmi_tree *joints = machine->joints, *star = machine->tree;
    trmi_kinematics k;
    double *q, *v, *held, *u;
    if (!TRMI_TAKE(scratch, q, joints->n_q) || !TRMI_TAKE(scratch, v, joints->n_q) ||
        !TRMI_TAKE(scratch, held, joints->n_held) || !TRMI_TAKE(scratch, u, 3 * joints->n_u) ||
        !trmi_kinematics_create(&k, scratch, joints))
        return false;
    start_tree(machine, joints, q, v, held);
    if (joints->n_u > 0)
        trmi_machine_drive(work, t, u);
    const trm_state state = {.t = t, .q = q, .v = v, .u = u, .held = held};
    trmi_kinematics_move(&k, &state);
    for (int b = 1; b < star->bodies; b++)
        start_body(&k, star, b, work->q, work->v, work->held);
    return true;
}

trm_status trmi_machine_start(trmi_machine_work *work, double t, trm_error *error)
{
    const trmi_machine *machine = work->machine;
    if (!machine->tree->star) {
        start_tree(machine, machine->tree, work->q, work->v, work->held);
        return TRM_OK;
    }
    trmi_memory scratch;
    trmi_memory_init(&scratch, NULL);
    bool good = start_star(work, &scratch, t);
    trmi_memory_release_all(&scratch);
    return good ? TRM_OK : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for start values");
}
