// SPDX-License-Identifier: Apache-2.0
// A small mechanism with random bodies for tests of rows and forces: a tree with every kind of
// column, or the star of the same bodies, at a random state.
#ifndef TRMI_TESTS_MACHINES_H
#define TRMI_TESTS_MACHINES_H

#include "framework.h"

#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/multibody/kinematics.h"
#include "modelling/multibody/rows/row_assembly.h"

#include <math.h>

enum { BODIES = 6, MAX_JOINTS = 12, MAX_Q = 40, MAX_HELD = 60, INPUTS = 2 };

static inline void near_or_fail(double a, double b, double tolerance, const char *file, int line)
{
    if (fabs(a - b) <= tolerance)
        return;
    print_error("%.17g is not %.17g: difference %.3g, tolerance %.3g\n", a, b, fabs(a - b),
                tolerance);
    _fail(file, line);
}
#define assert_near(a, b, tolerance) near_or_fail(a, b, tolerance, __FILE__, __LINE__)

typedef struct machine {
    trmi_memory memory;
    trmi_body body[BODIES];
    trmi_joint joint[MAX_JOINTS];
    trmi_joint_extra extra[MAX_JOINTS];
    trmi_m3 frame[MAX_JOINTS];
    trmi_marker second[MAX_JOINTS];
    int drive[MAX_JOINTS][TRMI_MAX_MEASURES];
    trmi_mechanism mechanism;
    const trmi_tree *tree;
    trmi_kinematics k;
    double q[MAX_Q], v[MAX_Q], u[3 * INPUTS], held[MAX_HELD], lambda[40];
    trm_state state;
    int n_held;
    uint32_t seed;
} machine;

// in (-1, 1)
static inline double noise(machine *m)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (double)(m->seed >> 8) / 8388608.0 - 1.0;
}

static inline trmi_v3 noise_vector(machine *m)
{
    trmi_v3 x;
    x.x = noise(m);
    x.y = noise(m);
    x.z = noise(m);
    return x;
}

static inline trmi_m3 noise_frame(machine *m)
{
    trmi_quaternion e = {1.5, noise_vector(m)};
    return trmi_quaternion_matrix(trmi_quaternion_unit(e));
}

static inline trmi_joint *add_joint(machine *m, const trmi_joint_type *type, int a, int b)
{
    int j = m->mechanism.joints++;
    trmi_joint *joint = &m->joint[j];
    *joint = (trmi_joint){.name = "joint",
                          .type = type,
                          .body = {a, b},
                          .frame = &m->frame[j],
                          .extra = &m->extra[j]};
    m->extra[j] = (trmi_joint_extra){.second = &m->second[j],
                                     .drive = m->drive[j],
                                     .size = type == &trmi_joint_screw ? 0.3
                                             : type == &trmi_joint_rod ? 1.7
                                                                       : 0.4};
    joint->at = m->second[j].at = noise_vector(m);
    m->frame[j] = m->second[j].frame = noise_frame(m);
    for (int i = 0; i < TRMI_MAX_MEASURES; i++)
        m->drive[j][i] = TRMI_NOTHING;
    return joint;
}

// a tree with all kinds of columns; body 5 hangs on body 1 beside 2 .. 4
static inline void start_machine(machine *m, uint32_t seed)
{
    memset(m, 0, sizeof *m);
    trmi_memory_init(&m->memory, NULL);
    m->seed = seed;
    m->mechanism = (trmi_mechanism){
        .gravity = {0.3, -0.7, -9.81}, .bodies = BODIES, .body = m->body, .joint = m->joint};
    for (int b = 0; b < BODIES; b++) {
        m->body[b] = (trmi_body){.name = "body"};
        if (b == TRMI_GROUND)
            continue;
        m->body[b].mass = 1.5 + noise(m);
        m->body[b].center = noise_vector(m);
        m->body[b].inertia = (trmi_s3){.xx = 1, .yy = 1.3, .zz = 1};
    }
    add_joint(m, &trmi_joint_revolute, 0, 1);
    add_joint(m, &trmi_joint_spherical, 1, 2);
    add_joint(m, &trmi_joint_cylindrical, 2, 3);
    add_joint(m, &trmi_joint_free, 3, 4);
    add_joint(m, &trmi_joint_screw, 1, 5);
}

// the tree or star, and a random state
static inline void finish_machine(machine *m, bool star)
{
    trm_error error = {0};
    m->mechanism.drives = m->mechanism.drives ? m->mechanism.drives : 0;
    m->tree = star ? trmi_star_create(&m->memory, &m->mechanism, &error)
                   : trmi_tree_create(&m->memory, &m->mechanism, &error);
    assert_non_null(m->tree);
    assert_true(m->tree->n_q <= MAX_Q);
    assert_true(trmi_kinematics_create(&m->k, &m->memory, m->tree, true));
    m->n_held = m->tree->n_held;
    for (int i = 0; i < m->tree->n_q; i++) {
        m->q[i] = 0.9 * noise(m);
        m->v[i] = noise(m);
    }
    for (int i = 0; i < 3 * INPUTS; i++)
        m->u[i] = noise(m);
    for (int i = 0; i < 40; i++)
        m->lambda[i] = noise(m);
    trmi_tree_held(m->tree, m->held);
    for (int j = 0; j < m->tree->columns; j++) // charts away from the reference
        if (trmi_column_of(m->tree, j).chart == j) {
            trmi_quaternion e = {1.2, noise_vector(m)};
            e = trmi_quaternion_unit(e);
            double *held = m->held + trmi_column_of(m->tree, j).held;
            held[0] = e.s;
            held[1] = e.v.x;
            held[2] = e.v.y;
            held[3] = e.v.z;
        }
    m->state = (trm_state){
        .q = m->q, .v = m->v, .u = m->u, .held = m->held, .lambda = m->lambda, .t = 0.4};
}

static inline void move_machine(machine *m)
{
    trmi_kinematics_move(&m->k, &m->state);
    trmi_kinematics_accelerate(&m->k, &m->state, NULL, true);
}

static inline void end_machine(machine *m)
{
    trmi_memory_release_all(&m->memory);
}

#endif
