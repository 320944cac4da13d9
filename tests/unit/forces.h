// SPDX-License-Identifier: Apache-2.0
// Forces on random trees and stars: a fixture, and the checks that every law must pass. K, D and
// f_lambda against differences, energy and power against the work done, symmetric stiffness.
#ifndef TRMI_TESTS_FORCES_H
#define TRMI_TESTS_FORCES_H

#include "machines.h"
#include "parameters.h"

enum { MAX_FORCES = 12, FORCE_DOUBLES = 160, REGISTERS = 64, LAMBDA = 8 };

typedef struct fixture {
    machine m;
    trmi_force *force[MAX_FORCES];
    double force_memory[MAX_FORCES][FORCE_DOUBLES]; // their structs
    trmi_signal signal[3];
    trmi_signals signals;
    trmi_constraints constraints;
    trmi_forces forces;
    trmi_force_work work;
    trmi_row_workspace workspace;
    trmi_slots K, D, L;
    double tape[REGISTERS];
    double values[3][MAX_Q * MAX_Q];
    double f[MAX_Q], k[MAX_Q][MAX_Q], d[MAX_Q][MAX_Q], l[MAX_Q][MAX_Q];
    trmi_force_energy energy;
} fixture;

// ---- set-up ----------------------------------------------------------------------------------

static inline trmi_force *add_force(fixture *f, const trmi_force_type *type, int a, int b)
{
    int number = f->m.mechanism.forces++;
    trmi_force *force = f->force[number] = (trmi_force *)f->force_memory[number];
    assert_true(type->size <= sizeof f->force_memory[number]);
    *force = (trmi_force){.name = "force", .type = type, .body = {a, b}};
    force->at = noise_vector(&f->m);
    force->at_second = noise_vector(&f->m);
    force->frame = noise_frame(&f->m);
    for (int k = 0; type->parameter[k]; k++) {
        trmi_formula *formula = parameter_of(force, type->parameter[k]->key);
        trmi_parameter_kind kind = type->parameter[k]->kind;
        bool vector = kind == TRMI_PARAMETER_FORCE || kind == TRMI_PARAMETER_TORQUE;
        bool scalar = kind == TRMI_PARAMETER_FORMULA || kind == TRMI_PARAMETER_EFFORT;
        for (int i = 0; i < (vector ? 3 : scalar ? 1 : 0); i++)
            formula[i].value = TRMI_NOTHING;
    }
    return force;
}

static inline void start(fixture *f, uint32_t seed)
{
    memset(f, 0, sizeof *f);
    start_machine(&f->m, seed);
    f->m.mechanism.force = (const trmi_force *const *)f->force;
}

static inline void create(fixture *f, bool star)
{
    machine *m = &f->m;
    finish_machine(m, star);
    assert_int_equal(trmi_constraints_create(&f->constraints, &m->memory, &m->mechanism, m->tree,
                                             true, &m->n_held, NULL),
                     TRM_OK);
    assert_true(trmi_signals_create(&f->signals, &m->memory, &m->mechanism, m->tree,
                                    m->mechanism.signals, &m->n_held));
    assert_int_equal(trmi_forces_create(&f->forces, &m->memory, &m->mechanism, m->tree,
                                        &f->constraints, &f->signals, &f->K, &f->D, &f->L,
                                        &m->n_held, NULL),
                     TRM_OK);
    assert_true(m->n_held <= MAX_HELD);
    assert_true(trmi_slots_finish(&f->K, &m->memory) && trmi_slots_finish(&f->D, &m->memory) &&
                trmi_slots_finish(&f->L, &m->memory));
    assert_true(trmi_row_workspace_create(&f->workspace, &m->memory, f->forces.max_columns));
    assert_true(trmi_force_work_create(&f->work, &m->memory, &f->forces, &f->workspace, f->tape));
    if (m->mechanism.tape) {
        assert_in_range(trmi_tape_registers(m->mechanism.tape), 1, REGISTERS);
        trmi_tape_prepare(m->mechanism.tape, f->tape);
    }
}

static inline void spread(const trm_pattern *pattern, const double *value, double (*dense)[MAX_Q])
{
    memset(dense, 0, MAX_Q * sizeof *dense);
    for (trmi_cursor at = trmi_pattern_begin(pattern); at.k < pattern->count;
         trmi_pattern_next(&at))
        dense[at.row][at.column] = value[at.k];
}

// generalised forces from wrenches on bodies and forces on columns
static inline void project(fixture *f, trmi_wrench *on_body, const double *on_column)
{
    const trmi_tree *tree = f->m.tree;
    for (int b = BODIES - 1; b > 0 && !tree->star; b--) { // parents have smaller numbers here
        int parent = tree->parent[b];
        on_body[parent] = trmi_wrench_axpy(on_body[parent], 1, on_body[b]);
    }
    for (int j = 0; j < tree->columns; j++)
        if (trmi_column_of(tree, j).coordinate != TRMI_NOTHING)
            f->f[trmi_column_of(tree, j).coordinate] =
                trmi_power(f->m.k.s[j], on_body[trmi_column_of(tree, j).body]) + on_column[j];
}

static inline void evaluate(fixture *f)
{
    machine *m = &f->m;
    trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
    double on_column[MAX_Q] = {0};
    memset(f->values, 0, sizeof f->values);
    move_machine(m);
    assert_int_equal(trmi_forces_load(&f->forces, &f->work, &m->k, &m->state, on_body, on_column),
                     0);
    project(f, on_body, on_column);
    f->energy = f->work.energy;
    trmi_force_matrices to = {.slots_K = &f->K,
                              .slots_D = &f->D,
                              .slots_L = &f->L,
                              .K = f->values[0],
                              .D = f->values[1],
                              .L = f->values[2]};
    assert_int_equal(
        trmi_forces_differentiate(&f->forces, &f->work, &m->k, &m->state, &to, NULL, NULL), 0);
    spread(&f->K.pattern, f->values[0], f->k);
    spread(&f->D.pattern, f->values[1], f->d);
    spread(&f->L.pattern, f->values[2], f->l);
}

// ---- checks ----------------------------------------------------------------------------------

// Central differences with h = 1e-5: truncation 1e-10 times third derivatives, rounding 1e-11, both
// in proportion to the forces of up to 1e3 here.
static const double h = 1e-5;

static inline void check_slope(fixture *f, double *value, double sign, double (*slope)[MAX_Q],
                               int column)
{
    double kept = *value, plus[MAX_Q], exact[MAX_Q];
    for (int i = 0; i < f->m.tree->n_q; i++)
        exact[i] = slope[i][column];
    *value = kept + h;
    evaluate(f);
    memcpy(plus, f->f, sizeof plus);
    *value = kept - h;
    evaluate(f);
    *value = kept;
    for (int i = 0; i < f->m.tree->n_q; i++)
        assert_near(exact[i], sign * (plus[i] - f->f[i]) / (2 * h),
                    1e-7 * (10 + fabs(exact[i]) + fabs(plus[i])));
    evaluate(f);
}

// f.v = -V' - dissipated + supplied
static inline void check_power(fixture *f)
{
    machine *m = &f->m;
    double power = 0, q[MAX_Q], before;
    for (int i = 0; i < m->tree->n_q; i++)
        power += f->f[i] * m->v[i];
    trmi_force_energy energy = f->energy;
    memcpy(q, m->q, sizeof q);
    for (int i = 0; i < m->tree->n_q; i++)
        m->q[i] = q[i] - h * m->v[i];
    evaluate(f);
    before = f->energy.potential;
    for (int i = 0; i < m->tree->n_q; i++)
        m->q[i] = q[i] + h * m->v[i];
    evaluate(f);
    double rate = (f->energy.potential - before) / (2 * h);
    memcpy(m->q, q, sizeof q);
    evaluate(f);
    assert_near(power, energy.supplied - energy.dissipated - rate,
                1e-7 * (10 + fabs(power) + fabs(energy.potential)));
}

static inline void check_all(fixture *f)
{
    evaluate(f);
    assert_true(trmi_max_abs(f->f, f->m.tree->n_q) > 0.01); // it acts at all
    for (int j = 0; j < f->m.tree->n_q; j++) {
        check_slope(f, &f->m.q[j], -1, f->k, j);
        check_slope(f, &f->m.v[j], -1, f->d, j);
    }
    for (int j = 0; j < LAMBDA; j++)
        check_slope(f, &f->m.lambda[j], 1, f->l, j);
    check_power(f);
}

static inline void check_symmetry(fixture *f)
{
    memset(f->m.v, 0, sizeof f->m.v);
    evaluate(f);
    for (int i = 0; i < f->m.tree->n_q; i++)
        for (int j = 0; j < i; j++)
            // rounding of sums of products of up to 1e3
            assert_near(f->k[i][j], f->k[j][i], 1e-13 * (100 + fabs(f->k[i][j])));
}

#endif
