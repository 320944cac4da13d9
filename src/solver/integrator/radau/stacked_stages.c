// SPDX-License-Identifier: Apache-2.0
// The corrector for stiff forces that turn. With one stiffness for all stages a step over which
// the direction of a stiff force k turns by the angle theta leaves a soft residual of size
// k theta^2, and the iteration contracts by k h^2 theta^2 only: steps of h ~ k^(-1/4). Here every
// stage has derivatives of its own, those of the first iterate, and all stages are solved for at
// once:
//
//     sum_j (M_i (Gamma^2)_ij / h^2 + D_i Gamma_ij / h) dY_j + K_i dY_i + C_i^T kappa_i = -r_i
//     G_i dY_i = 0
//
// One matrix of order s (n_q + n_r) costs much more than one real and some complex ones of order
// n_q + n_r, so it serves only while Newton limits the steps (order.c). Its structure
// is created, in a step, when it is first needed: it is the largest matrix of all, and most
// machines never need it.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

bool trmi_radau_couple(trm_simulation *s, int family)
{
    trmi_radau *r = trmi_radau_of(s);
    const trmi_radau_tableau *t = &r->family[family];
    trmi_stacked *stacked = &r->stacked[family];
    if (!trmi_radau_leave_blocks(s))
        return false;
    bool exists =
        stacked->solver || trmi_stacked_create(stacked, &s->memory, &r->matrix.whole.saddle, t->s,
                                               t->gamma, r->matrix.small.exists);
    return exists && trmi_stacked_order(stacked);
}

// derivatives of all stages; TRMI_OUTCOME_SINGULAR: only the whole matrix will do
static trmi_outcome enter_stages(trm_simulation *s, double h, bool whole)
{
    trmi_radau *r = trmi_radau_of(s);
    trmi_stacked *stacked = &r->stacked[r->order.now];
    uint64_t want = TRMI_RADAU_LEVELS | trmi_saddle_derivatives(&r->matrix.form->saddle);
    trmi_stacked_clear(stacked, whole);
    for (int i = 0; i < r->tableau->s; i++) {
        int result = trmi_evaluate(&s->e, &r->stage[i].point, want, &s->values);
        if (result != 0)
            return trmi_callback_result(result);
        if (!trmi_stacked_add(stacked, i, h, r->stage[i].tangent.regularization))
            return TRMI_OUTCOME_SINGULAR;
        s->statistics.jacobian_evaluations++;
    }
    return TRMI_OUTCOME_OK;
}

trmi_outcome trmi_radau_factor_coupled(trm_simulation *s, double h)
{
    trmi_stacked *stacked = &trmi_radau_of(s)->stacked[trmi_radau_of(s)->order.now];
    trmi_outcome result = enter_stages(s, h, false);
    if (result == TRMI_OUTCOME_SINGULAR)
        result = enter_stages(s, h, true);
    if (result != TRMI_OUTCOME_OK)
        return result;
    return trmi_stacked_factor(stacked) == TRMI_FACTOR_OK ? TRMI_OUTCOME_OK : TRMI_OUTCOME_SINGULAR;
}

void trmi_radau_solve_coupled(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    double *rhs[TRMI_MAX_STAGES];
    for (int i = 0; i < r->tableau->s; i++)
        rhs[i] = r->stage[i].rhs;
    trmi_stacked_solve(&r->stacked[r->order.now], h, rhs);
}

// With dY of the coupled matrix, close to what is missing, and dY* of the transformed system for
// the same right-hand sides, an iteration with the latter would leave |dY - dY*| of |dY|.
void trmi_radau_try_alone(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    const trmi_radau_tableau *t = r->tableau;
    double *rest = r->work[0], all = 0, left = 0;
    trmi_radau_solve_transformed(s, h);
    trmi_radau_solve_coupled(s, h);
    for (int i = 0; i < t->s; i++) {
        const double *dy = r->stage[i].rhs;
        memcpy(rest, dy, (size_t)s->e.n_q * sizeof *rest);
        for (int j = 0; j < t->s; j++)
            for (int k = 0; k < s->e.n_q; k++)
                rest[k] -= t->to_stages[i][j] * r->transformed[j][k];
        all += trmi_weighted_square(dy, s->weight, s->e.n_q);
        left += trmi_weighted_square(rest, s->weight, s->e.n_q);
    }
    r->order.rate_alone = all > 0 ? sqrt(left / all) : 0;
}

void trmi_radau_archive_coupled(trm_simulation *s, trmi_archive *a)
{
    trmi_radau *r = trmi_radau_of(s);
    for (int k = 0; k < TRMI_RADAU_FAMILIES; k++) {
        trmi_stacked *stacked = &r->stacked[k];
        bool exists = stacked->solver != NULL;
        trmi_archive_bool(a, &exists);
        if (a->loading && a->status == TRM_OK)
            stacked->ordered = false; // to be computed again when it is needed
        if (exists && a->status == TRM_OK && !trmi_radau_couple(s, k))
            a->status = TRM_ERR_MEMORY;
        if (exists && a->status == TRM_OK)
            trmi_stacked_archive(stacked, a);
        bool used = r->order.stacked && k == r->order.now;
        if (a->loading && a->status == TRM_OK && used && !exists)
            a->status = TRM_ERR_RANGE; // the matrix in use is missing
    }
}
