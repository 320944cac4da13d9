// SPDX-License-Identifier: Apache-2.0
// Mechanisms written in C for the tests: a sketch that grows body by body, and its system.
#ifndef MECHANISMS_H
#define MECHANISMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "modelling/multibody/joints/joints.h"
#include "modelling/multibody/machine.h"
#include "trammel/trammel.h"

enum { MAX_SKETCH = 70 };

// Bodies, joints and the mechanism they make; names are b1, b2, .. and j1, j2, ..
typedef struct sketch {
    trmi_body body[MAX_SKETCH];
    trmi_joint joint[MAX_SKETCH];
    trmi_joint_extra extra[MAX_SKETCH];
    trmi_m3 frame[MAX_SKETCH];
    trmi_marker second[MAX_SKETCH];
    int drive[MAX_SKETCH][TRMI_MAX_MEASURES];
    trmi_start_value start[MAX_SKETCH][TRMI_MAX_MEASURES];
    char name[2 * MAX_SKETCH][16];
    trmi_mechanism mechanism;
    uint64_t seed;
} sketch;

static inline void sketch_begin(sketch *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = 2 * seed + 1;
    s->body[0] = (trmi_body){.name = "ground"};
    s->mechanism = (trmi_mechanism){.gravity = {0.3, -1.2, -9.81},
                                    .bodies = 1,
                                    .body = s->body,
                                    .joint = s->joint,
                                    .length = 1};
}

// between -1 and 1
static inline double sketch_random(sketch *s)
{
    s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int32_t)(s->seed >> 32) / 2147483648.0;
}

static inline trmi_v3 sketch_vector(sketch *s)
{
    double x = sketch_random(s), y = sketch_random(s);
    return (trmi_v3){x, y, sketch_random(s)};
}

static inline trmi_m3 sketch_rotation(sketch *s)
{
    trmi_quaternion q = {sketch_random(s), sketch_vector(s)};
    return trmi_quaternion_matrix(trmi_quaternion_unit(q));
}

static inline int sketch_body(sketch *s, double mass, trmi_v3 center, trmi_m3 inertia)
{
    int b = s->mechanism.bodies++;
    snprintf(s->name[b], sizeof s->name[b], "b%d", b);
    s->body[b] = (trmi_body){
        .name = s->name[b], .mass = mass, .center = center, .inertia = trmi_s3_of(inertia)};
    return b;
}

// a body with an inertia that a body can have
static inline int sketch_random_body(sketch *s)
{
    trmi_m3 Q = sketch_rotation(s), J = {{{1, 0, 0}, {0, 1.3, 0}, {0, 0, 0.8}}};
    J = trmi_m3_mul(Q, trmi_m3_mul(J, trmi_m3_transpose(Q)));
    double mass = 1.5 + 0.5 * sketch_random(s);
    return sketch_body(s, mass, sketch_vector(s), J);
}

static inline trmi_joint *sketch_joint(sketch *s, const trmi_joint_type *type, int first,
                                       int second, trmi_v3 at, trmi_m3 frame)
{
    int j = s->mechanism.joints++;
    char *name = s->name[MAX_SKETCH + j];
    snprintf(name, sizeof s->name[0], "j%d", j + 1);
    memset(s->start[j], 0, sizeof s->start[j]);
    s->joint[j] = (trmi_joint){.name = name,
                               .type = type,
                               .body = {first, second},
                               .at = at,
                               .frame = &s->frame[j],
                               .extra = &s->extra[j]};
    s->extra[j] = (trmi_joint_extra){.second = &s->second[j],
                                     .drive = s->drive[j],
                                     .start = s->start[j],
                                     .size = type == &trmi_joint_screw ? 0.3 : 0};
    s->frame[j] = frame;
    s->second[j] = (trmi_marker){at, frame};
    for (int i = 0; i < TRMI_MAX_MEASURES; i++)
        s->drive[j][i] = TRMI_NOTHING;
    return &s->joint[j];
}

static const trmi_joint_type *const sketch_tree_types[] = {
    &trmi_joint_revolute,    &trmi_joint_free,          &trmi_joint_prismatic,
    &trmi_joint_spherical,   &trmi_joint_fixed,         &trmi_joint_screw,
    &trmi_joint_universal,   &trmi_joint_planar,        &trmi_joint_point_on_line,
    &trmi_joint_cylindrical, &trmi_joint_point_on_plane};
enum { SKETCH_TREE_KINDS = sizeof sketch_tree_types / sizeof *sketch_tree_types };

// n bodies, each on a joint of another kind to an earlier one; every second edge backwards
static inline void sketch_random_tree(sketch *s, int n)
{
    for (int i = 0; i < n; i++) {
        int b = sketch_random_body(s);
        int before = (int)(0.5 * (1 + sketch_random(s)) * b);
        before = before >= b ? b - 1 : before;
        const trmi_joint_type *type =
            sketch_tree_types[(i + (int)(s->seed >> 60)) % SKETCH_TREE_KINDS];
        int first = i % 2 ? b : before, second = i % 2 ? before : b;
        trmi_v3 at = sketch_vector(s);
        sketch_joint(s, type, first, second, at, sketch_rotation(s));
    }
}

// ---- the machine of a sketch, at a random state ----

typedef struct sketch_machine {
    trmi_memory memory;
    const trmi_machine *machine;
    trmi_machine_work *work;
    trm_system system;
    double *q, *v, *a, *lambda, *u;
    trm_state state;
} sketch_machine;

static inline void sketch_open(sketch_machine *x, const sketch *s)
{
    trm_error error;
    trmi_memory_init(&x->memory, NULL);
    x->machine = trmi_machine_create(&x->memory, &s->mechanism, false, &error);
    if (!x->machine)
        fail_msg("%s", error.text);
    x->work = trmi_machine_work_create(&x->memory, x->machine, NULL);
    assert_non_null(x->work);
    x->system = trmi_machine_system(x->work);
    int n = x->system.n_q, r = x->system.n_g + x->system.n_a;
    assert_true(TRMI_TAKE(&x->memory, x->q, n) && TRMI_TAKE(&x->memory, x->v, n) &&
                TRMI_TAKE(&x->memory, x->a, n) && TRMI_TAKE(&x->memory, x->lambda, r) &&
                TRMI_TAKE(&x->memory, x->u, 3 * x->system.n_u));
    assert_int_equal(trmi_machine_start(x->work, 0, x->q, x->v, &error), TRM_OK);
    x->state = (trm_state){
        .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .u = x->u, .held = x->work->held};
}

static inline void sketch_close(sketch_machine *x)
{
    trmi_memory_release_all(&x->memory);
}

// Every derivative of the system against differences; which: of the random mechanism, for messages.
static inline void sketch_check_derivatives(const sketch_machine *x, int which, int quantities)
{
    trm_error error;
    trm_derivative_report report;
    // two-sided differences of increment eps^(1/3): 1e-9 of the largest entry
    if (trm_system_check_derivatives(&x->system, &x->state, 1e-7, &report, &error) != TRM_OK)
        fail_msg("mechanism %d: %s", which, error.text);
    assert_true(report.quantities >= quantities);
}

// moves the state at random: positions by up to `far`, velocities, accelerations and multipliers
// up to 1
static inline void sketch_shake(sketch_machine *x, sketch *s, double far)
{
    for (int i = 0; i < x->system.n_q; i++) {
        x->q[i] += far * sketch_random(s);
        x->v[i] = sketch_random(s);
        x->a[i] = sketch_random(s);
    }
    for (int i = 0; i < x->system.n_g + x->system.n_a; i++)
        x->lambda[i] = sketch_random(s);
}

// one quantity as a dense matrix, column by column; from x->memory
static inline double *sketch_dense(sketch_machine *x, trm_quantity quantity)
{
    int rows, columns;
    trm_system_shape(&x->system, quantity, &rows, &columns);
    const trm_pattern *p = &x->system.pattern[quantity];
    size_t count = (size_t)rows * (size_t)columns;
    double *dense, *values = NULL, *want[TRM_QUANTITY_COUNT] = {0};
    assert_true(TRMI_TAKE(&x->memory, dense, count) && TRMI_TAKE(&x->memory, values, count));
    if (p->count == TRM_PATTERN_ZERO)
        return dense;
    want[quantity] = values;
    assert_int_equal(x->system.evaluate(&x->state, want, x->system.user), 0);
    if (p->count == TRM_PATTERN_DENSE)
        return values;
    for (int k = 0; k < rows && p->count == TRM_PATTERN_DIAGONAL; k++)
        dense[k + rows * k] = values[k];
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at))
        dense[at.row + rows * at.column] = values[at.k];
    return dense;
}

#endif
