// SPDX-License-Identifier: Apache-2.0
// The callback of an equation model: the state into the registers, the wanted groups run, their
// values copied out.
#include "modelling/reader/equations/equations.h"

#include "base/quantities.h"
#include "modelling/multibody/machine.h"

#include <string.h>

void trmi_set_inputs(const trm_instance *instance, const trm_state *s, double *reg)
{
    const trm_model *m = instance->model;
    const trmi_layout *l = &m->layout;
    const trm_system *y = &m->system;
    const struct {
        int first, count;
        const double *value;
    } parts[] = {{l->q, y->n_q, s->q},    {l->v, y->n_q, s->v},
                 {l->a, y->n_q, s->a},    {l->x, y->n_x, s->x},
                 {l->z, y->n_z, s->z},    {l->lambda, y->n_g + y->n_a, s->lambda},
                 {l->u, 3 * y->n_u, s->u}};
    reg[l->t] = s->t;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].count > 0 && parts[k].value)
            memcpy(reg + parts[k].first, parts[k].value, (size_t)parts[k].count * sizeof *reg);
    if (y->n_u > 0 && !s->u && m->equations) {
        instance->reg[l->t] = s->t;
        trmi_tape_run(m->equations->tape, instance->reg, TRM_BIT(TRM_INPUT));
        trmi_tape_fetch(m->equations->tape, instance->reg, TRM_INPUT, reg + l->u);
    }
    if (m->signals > 0)
        trmi_machine_signals(instance->machine, s, reg + l->signal, reg + l->signal_rate,
                             s->a ? reg + l->signal_second : NULL);
}

int trmi_equations_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                            void *user)
{
    const trm_instance *instance = user;
    const trm_model *m = instance->model;
    const trmi_equations *e = m->equations;
    const uint64_t special =
        e->eliminates ? TRM_BIT(TRM_GAMMA) | TRM_BIT(TRM_GEOMETRIC) : UINT64_C(0);
    uint64_t groups = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (want[k])
            groups |= TRM_BIT(k);
    trmi_set_inputs(instance, state, instance->reg);
    if (groups & ~special)
        trmi_tape_run(e->tape, instance->reg, groups & ~special);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(groups & ~special, (trm_quantity)k))
            trmi_tape_fetch(e->tape, instance->reg, k, want[k]);
    int result = 0;
    if (groups & special & TRM_BIT(TRM_GAMMA))
        result = trmi_eliminate_gamma(instance, want[TRM_GAMMA]);
    if (result == 0 && groups & special & TRM_BIT(TRM_GEOMETRIC))
        result = trmi_eliminate_geometric(instance, want[TRM_GEOMETRIC]);
    return result;
}
