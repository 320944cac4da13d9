// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/relation.h"

static const trmi_relation *relation_of(const trmi_mechanism *m, int joint)
{
    return trmi_extra_of(&m->joint[joint]).relation;
}

bool trmi_relation_work_create(trmi_relation_work **out, trmi_memory *memory,
                               const trmi_mechanism *m, int columns)
{
    int registers = 0, n = 0;
    for (int j = 0; j < m->joints; j++) {
        const trmi_relation *r = relation_of(m, j);
        int end = r ? r->first + trmi_tape_registers(r->tape) : 0;
        registers = end > registers ? end : registers;
        n = r && r->signals > n ? r->signals : n;
    }
    *out = NULL;
    if (registers == 0)
        return true;
    trmi_relation_work *work;
    if (!TRMI_TAKE(memory, work, 1) || !TRMI_TAKE(memory, work->reg, registers) ||
        !TRMI_TAKE(memory, work->set, n) || !TRMI_TAKE(memory, work->first, 2 + n) ||
        !TRMI_TAKE(memory, work->second, 1 + n + n * n) ||
        !TRMI_TAKE(memory, work->gradient, n * columns))
        return false;
    work->columns = columns;
    *out = work;
    trmi_relation_set_parameters(work, m, NULL);
    return true;
}

void trmi_relation_set(const trmi_relation *r, trmi_relation_work *work, const trmi_mechanism *m,
                       const double *parameters)
{
    const double *value = parameters ? parameters : r->value;
    for (int k = 0; k < m->parameters; k++)
        work->reg[r->first + r->parameter + k] = value[k];
    trmi_tape_prepare(r->tape, work->reg + r->first);
}

void trmi_relation_set_parameters(trmi_relation_work *work, const trmi_mechanism *m,
                                  const double *parameters)
{
    for (int j = 0; j < m->joints && work; j++)
        if (relation_of(m, j))
            trmi_relation_set(relation_of(m, j), work, m, parameters);
}

// u, u', u'' of the inputs of the file, the last ones of all drives
static void set_inputs(const trmi_relation *r, const trmi_kinematics *k, const trm_state *state,
                       double *reg)
{
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < r->inputs && state->u; i++)
            reg[r->u + level * r->inputs + i] =
                state->u[(level + 1) * k->tree->n_u - r->inputs + i];
}

void trmi_relation_at(const trmi_relation *relation, trmi_relation_work *work,
                      const trmi_row_set *set, const trmi_kinematics *k, const trm_state *state,
                      bool second)
{
    double *reg = work->reg + relation->first;
    reg[relation->time] = state->t;
    set_inputs(relation, k, state, reg);
    for (int i = 0; i < relation->signals; i++) {
        trmi_set_at(&work->set[i], &set[i], k, state);
        reg[relation->input[i]] = work->set[i].value[0].p;
    }
    trmi_tape_run(relation->tape, reg,
                  (uint64_t)1 << TRMI_RELATION_FIRST |
                      (second ? (uint64_t)1 << TRMI_RELATION_SECOND : 0));
    trmi_tape_fetch(relation->tape, reg, TRMI_RELATION_FIRST, work->first);
    if (second)
        trmi_tape_fetch(relation->tape, reg, TRMI_RELATION_SECOND, work->second);
}

double trmi_relation_turning(const trmi_relation *relation, const trmi_relation_work *work, int i)
{
    int n = relation->signals;
    double sum = work->second[1 + i];
    for (int j = 0; j < n; j++)
        sum += work->second[1 + n + i * n + j] * trmi_set_rate(&work->set[j], 0);
    return sum;
}

// sum (c_i + f_ti) p_i' + f_tt
double trmi_relation_bias(const trmi_relation *relation, const trmi_relation_work *work)
{
    double sum = work->second[0];
    for (int i = 0; i < relation->signals; i++)
        sum += (trmi_relation_turning(relation, work, i) + work->second[1 + i]) *
               trmi_set_rate(&work->set[i], 0);
    return sum;
}
