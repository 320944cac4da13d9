// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/checked_evaluation.h"

#include "base/error.h"

static trm_status callback_failed(trmi_evaluator *e, int result, trm_error *error)
{
    e->returned = result;
    trmi_error_item(error, "%s", trm_quantity_name(e->culprit));
    trmi_error_advise(error, "start where the callbacks can be evaluated");
    return trmi_error_set(error, TRM_ERR_CALLBACK, "the callback for %s returned %d at the start",
                          trm_quantity_name(e->culprit), result);
}

trm_status trmi_evaluate_checked(trmi_evaluator *e, const trmi_point *p, uint64_t want,
                                 trmi_values *into, trm_error *error)
{
    int result = trmi_evaluate(e, p, want, into);
    if (result != 0)
        return callback_failed(e, result, error);
    e->returned = 0;
    return trmi_find_not_finite(into, want, error) ? TRM_ERR_CALLBACK : TRM_OK;
}

trm_status trmi_settle_checked(trmi_evaluator *e, trmi_point *p, trmi_values *into,
                               trm_error *error)
{
    int result = trmi_settle_z(e, p, into);
    if (result == 0)
        return TRM_OK;
    if (result < 0)
        return callback_failed(e, result, error);
    trmi_error_item(error, "%s", trm_quantity_name(TRM_QUANTITY_ALGEBRAIC));
    trmi_error_advise(error, "give better initial values of the algebraic variables");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "the algebraic equations have no solution near the given z, or b_z is "
                          "singular");
}

static trm_status report_failure(const trmi_saddle *s, trmi_factor_status found, trm_error *error)
{
    char name[64];
    if (found == TRMI_FACTOR_MEMORY) {
        trmi_error_advise(error, "describe it by coordinates of joints, or take a smaller model");
        return trmi_error_set(error, TRM_ERR_MEMORY,
                              "the factors of the matrix of order %d with %d entries need more "
                              "than 2 GB, or there is no memory for them",
                              s->n, s->factored->value_count);
    }
    trmi_name_unknown(s->e, s->factored->pivot.row, name, sizeof name);
    trmi_error_item(error, "%s", name);
    if (error)
        error->pivot = s->factored->pivot.smallest;
    if (s->factored->pivot.row >= s->n - s->e->n_r) {
        trmi_error_advise(error, "start from a position in which the constraints have full rank");
        return trmi_error_set(error, TRM_ERR_SINGULAR, "the constraints lose rank at %s", name);
    }
    trmi_error_advise(error, "check the masses of the bodies that no constraint holds");
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the mass matrix is singular on the motions the constraints allow (%s)",
                          name);
}

trm_status trmi_factor_start_checked(trmi_saddle *s, trm_error *error)
{
    s->values->statistics->factorizations++;
    trmi_factor_status found = TRMI_FACTOR_SINGULAR;
    if (trmi_saddle_prepare(s))
        found = trmi_saddle_factor_start(s);
    return found == TRMI_FACTOR_OK ? TRM_OK : report_failure(s, found, error);
}

trm_status trmi_factor_projection_checked(trmi_saddle *s, const double *diagonal, trm_error *error)
{
    s->values->statistics->factorizations++;
    trmi_factor_status found = TRMI_FACTOR_SINGULAR;
    if (trmi_saddle_prepare(s))
        found = trmi_saddle_factor_projection(s, diagonal);
    return found == TRMI_FACTOR_OK ? TRM_OK : report_failure(s, found, error);
}
