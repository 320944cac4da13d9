// SPDX-License-Identifier: Apache-2.0
// Which quantities a system has: those it declares, dependences it does not declare, found by
// trying, and derivatives the options take from it.
#include "solver/system/difference.h"

#include "base/error.h"
#include "base/quantities.h"

#include <math.h>
#include <string.h>

void trmi_evaluator_declared(trmi_evaluator *e)
{
    const trm_system *s = &e->user;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        trm_quantity quantity = (trm_quantity)k;
        int rows, columns;
        trm_system_shape(s, quantity, &rows, &columns);
        if (rows == 0 || columns == 0 || s->pattern[k].count == TRM_PATTERN_ZERO)
            e->absent |= TRM_BIT_OF(k);
        else if (s->function[k] || (s->evaluate && trmi_has(s->evaluates, quantity)))
            e->supplied |= TRM_BIT_OF(k);
    }
    if (s->n_g + s->n_a == 0) // no constraint forces
        e->absent |= TRM_BIT(GEOMETRIC);
    // zero, or done without
    const trm_quantity absent_unless_supplied[] = {
        TRM_QUANTITY_ROLLING_OFFSET, TRM_QUANTITY_FORCE_LAMBDA, TRM_QUANTITY_CONSTRAINT_Z,
        TRM_QUANTITY_ENERGY,         TRM_QUANTITY_RESIDUAL,     TRM_QUANTITY_ACCELERATION,
        TRM_QUANTITY_METRIC,         TRM_QUANTITY_POWER,        TRM_QUANTITY_FORCE_P};
    for (size_t k = 0; k < sizeof absent_unless_supplied / sizeof *absent_unless_supplied; k++)
        if (!trmi_has(e->supplied, absent_unless_supplied[k]))
            e->absent |= TRM_BIT_OF(absent_unless_supplied[k]);
}

// whether `quantity` changes when the variable changes: a dependence need not be declared
static bool depends(trmi_evaluator *e, trmi_values *values, trmi_point *p, trm_quantity quantity,
                    double *variable, int n, double *first)
{
    const double *value = values->of[quantity];
    size_t size = (size_t)e->block[quantity].count * sizeof *value;
    for (int i = 0; i < n; i++)
        variable[i] += 0.01 * (1 + fabs(variable[i])) * (1 + 0.1 * i);
    bool failed = trmi_evaluate(e, p, TRM_BIT_OF(quantity), values) != 0;
    memcpy(first, value, size);
    for (int i = 0; i < n; i++)
        variable[i] -= 0.02 * (1 + fabs(variable[i])) * (1 + 0.1 * i);
    failed = trmi_evaluate(e, p, TRM_BIT_OF(quantity), values) != 0 || failed;
    return !failed && memcmp(first, value, size) != 0;
}

trm_status trmi_evaluator_probe(trmi_evaluator *e, trmi_values *values, const trmi_memory *memory,
                                const trm_initial *initial, trm_error *error)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trmi_point p = {0};
    double *first;
    if (!trmi_point_create(&p, &scratch, e) ||
        !TRMI_TAKE(&scratch, first, e->n_q + e->n_x + e->n_z + e->n_r_full)) {
        trmi_memory_release_all(&scratch);
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a point");
    }
    const struct {
        trm_quantity derivative, of;
        double *variable;
        int n;
    } probes[] = {{TRM_QUANTITY_CONSTRAINT_Z, TRM_QUANTITY_CONSTRAINT, p.z, e->n_z},
                  {TRM_QUANTITY_FORCE_LAMBDA, TRM_QUANTITY_FORCE, p.lambda, e->n_r_full},
                  {TRM_QUANTITY_RATE_LAMBDA, TRM_QUANTITY_RATE, p.lambda, e->n_r_full},
                  {TRM_QUANTITY_ALGEBRAIC_LAMBDA, TRM_QUANTITY_ALGEBRAIC, p.lambda, e->n_r_full}};
    for (int k = 0; k < 4; k++) {
        uint64_t bit = TRM_BIT_OF(probes[k].derivative);
        int rows, columns;
        trm_system_shape(&e->user, probes[k].derivative, &rows, &columns);
        if ((e->supplied & bit) || rows == 0 || columns == 0 ||
            e->user.pattern[probes[k].derivative].count == TRM_PATTERN_ZERO)
            continue;
        trmi_point_set(&p, e, initial);
        for (int i = 0; i < e->n_q; i++) // friction shows its dependence only in motion
            p.v[i] += 0.3 * (1 + fabs(p.v[i])) * (i % 2 ? -1 : 1);
        bool found = depends(e, values, &p, probes[k].of, probes[k].variable, probes[k].n, first);
        e->absent = found ? e->absent & ~bit : e->absent | bit;
    }
    trmi_memory_release_all(&scratch);
    return TRM_OK;
}

trm_system trmi_source_system(const trm_system *system, trm_jacobian_source source)
{
    const uint64_t equations = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) |
                               TRM_BIT(CONSTRAINT) | TRM_BIT(ROLLING) | TRM_BIT(ROLLING_OFFSET) |
                               TRM_BIT(INPUT) | TRM_BIT(ENERGY) | TRM_BIT(POWER) |
                               TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) |
                               TRM_BIT(CONSTRAINT_Z) | TRM_BIT(GAMMA) | TRM_BIT(INVARIANT);
    trm_system s = *system;
    if (source != TRM_JACOBIAN_SOURCE_DIFFERENCES && source != TRM_JACOBIAN_SOURCE_GROUPED)
        return s;
    s.evaluates &= equations;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (!(equations & TRM_BIT_OF(k)))
            s.function[k] = NULL;
    return s;
}

trm_status trmi_source_check(const trmi_evaluator *e, trm_jacobian_source source, uint64_t needed,
                             trm_error *error)
{
    uint64_t missing = needed & ~(e->supplied | e->absent);
    if (source != TRM_JACOBIAN_SOURCE_ANALYTIC || !missing)
        return TRM_OK;
    trm_quantity first = (trm_quantity)__builtin_ctzll(missing);
    trmi_error_item(error, "TRM_QUANTITY_%s", trm_quantity_name(first));
    trmi_error_advise(error, "supply it, or use jacobian_source = auto, which forms it by "
                             "differences");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "jacobian_source = analytic, but the system does not supply %s",
                          trm_quantity_name(first));
}
