// SPDX-License-Identifier: Apache-2.0
#include "solver/system/derivative_source.h"

#include "base/error.h"

trm_system trmi_source_system(const trm_system *system, trm_jacobian_source source)
{
    const uint64_t equations =
        TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_RATE) | TRM_BIT(TRM_ALGEBRAIC) |
        TRM_BIT(TRM_CONSTRAINT) | TRM_BIT(TRM_ROLLING) | TRM_BIT(TRM_ROLLING_OFFSET) |
        TRM_BIT(TRM_INPUT) | TRM_BIT(TRM_ENERGY) | TRM_BIT(TRM_POWER) | TRM_BIT(TRM_CONSTRAINT_Q) |
        TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_GAMMA) |
        TRM_BIT(TRM_INVARIANT);
    trm_system s = *system;
    if (source != TRM_JACOBIAN_SOURCE_DIFFERENCES && source != TRM_JACOBIAN_SOURCE_GROUPED)
        return s;
    s.evaluates &= equations;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (!(equations & TRM_BIT(k)))
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
    trmi_error_item(error, "TRM_%s", trm_quantity_name(first));
    trmi_error_advise(error, "supply it, or use jacobian_source = auto, which forms it by "
                             "differences");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "jacobian_source = analytic, but the system does not supply %s",
                          trm_quantity_name(first));
}
