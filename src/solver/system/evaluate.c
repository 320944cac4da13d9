// SPDX-License-Identifier: Apache-2.0
// Evaluation: dispatch of the callbacks, constants once, differences for what is missing.
#include "base/quantities.h"
#include "solver/system/difference.h"
#include "solver/system/evaluator.h"

#include <math.h>
#include <string.h>

// a vector over constraint rows, from full to active numbering, in place
static void compress_rows(const trmi_evaluator *e, trm_quantity quantity, double *value)
{
    int first;
    if (e->n_r == e->n_r_full || !trmi_rows_are_constraints(&e->user, quantity, &first))
        return;
    int begin = first == 0 ? 0 : e->n_g;
    int end = quantity == TRM_QUANTITY_GAMMA || first > 0 ? e->n_r : e->n_g;
    for (int r = begin; r < end; r++)
        value[r - begin] = value[e->full[r] - first];
}

void trmi_expand_rows(const trmi_evaluator *e, const double *rows, double *full)
{
    memset(full, 0, (size_t)e->n_r_full * sizeof *full);
    for (int r = 0; r < e->n_r; r++)
        full[trmi_given_row(e, r)] = rows[r];
}

void trmi_select_rows(const trmi_evaluator *e, const double *full, double *rows)
{
    for (int r = 0; r < e->n_r; r++) // r <= full[r]
        rows[r] = full[trmi_given_row(e, r)];
    rows[e->n_r] = 0;
}

static const double *full_multipliers(trmi_evaluator *e, const double *lambda)
{
    if (e->n_r == e->n_r_full)
        return lambda;
    trmi_expand_rows(e, lambda, e->lambda_full);
    return e->lambda_full;
}

int trmi_call(trmi_evaluator *e, const trm_state *s, trm_quantity quantity, double *out)
{
    e->culprit = quantity;
    if (!e->user.evaluate || !trmi_has(e->user.evaluates, quantity))
        return e->user.function[quantity](s, out, e->user.user);
    double *want[TRM_QUANTITY_COUNT] = {0};
    want[quantity] = out;
    return e->user.evaluate(s, want, e->user.user);
}

static int evaluate_inputs(trmi_evaluator *e, trm_state *s, trmi_values *into)
{
    s->u = into->input;
    if (e->n_u == 0 || s->t == into->input_time)
        return 0;
    int result = trmi_call(e, s, TRM_QUANTITY_INPUT, into->input);
    for (int i = 0; i < 3 * e->n_u && into->input_shift; i++)
        into->input[i] += into->input_shift[i];
    into->input_time = result == 0 ? s->t : NAN;
    return result;
}

static int evaluate_supplied(trmi_evaluator *e, const trm_state *s, uint64_t want,
                             trmi_values *into)
{
    double *targets[TRM_QUANTITY_COUNT] = {0};
    uint64_t together = e->user.evaluate ? want & e->user.evaluates : 0;
    for (uint64_t rest = together; rest; rest &= rest - 1) {
        int k = __builtin_ctzll(rest);
        targets[k] = into->of[k];
    }
    int result = 0;
    if (together) {
        result = e->user.evaluate(s, targets, e->user.user);
        e->culprit = (trm_quantity)__builtin_ctzll(together);
    }
    for (uint64_t rest = want & ~together; rest && result == 0; rest &= rest - 1) {
        int k = __builtin_ctzll(rest);
        e->culprit = (trm_quantity)k;
        result = e->user.function[k](s, into->of[k], e->user.user);
    }
    if (e->n_r != e->n_r_full)
        for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
            if (trmi_has(want, (trm_quantity)k) && trmi_is_vector((trm_quantity)k))
                compress_rows(e, (trm_quantity)k, into->of[k]);
    return result;
}

void trmi_values_add_mass(trmi_values *values, const double *added)
{
    values->added_mass = added;
    values->e->constant_done &= ~TRM_BIT(MASS);
}

// M_ii += added_i
static void add_mass(trmi_values *into)
{
    const trm_pattern *M = &into->e->block[TRM_QUANTITY_MASS].pattern;
    int count = into->e->block[TRM_QUANTITY_MASS].count;
    for (trmi_cursor at = trmi_pattern_begin(M); at.k < count; trmi_pattern_next(&at))
        if (at.row == at.column)
            into->of[TRM_QUANTITY_MASS][at.k] += into->added_mass[at.row];
}

static void count_evaluation(const trmi_evaluator *e, uint64_t want, trm_statistics *statistics)
{
    const uint64_t dynamics = TRM_BIT(FORCE) | TRM_BIT(RESIDUAL) | TRM_BIT(ACCELERATION);
    if (!(want & (dynamics | TRM_BIT(CONSTRAINT))))
        return;
    if (e->depth > 0)
        statistics->residual_evaluations_for_jacobian++;
    else if (want & dynamics)
        statistics->residual_evaluations++;
}

// by differences; what shares its evaluations is formed together
static int evaluate_missing(trmi_evaluator *e, const trmi_point *p, uint64_t missing,
                            trmi_values *into)
{
    int result = 0;
    missing &= TRM_BIT_OF(TRM_QUANTITY_COUNT) - 1; // `want` may be everything
    while (missing && result == 0) {
        trm_quantity first = (trm_quantity)__builtin_ctzll(missing);
        uint64_t together = missing & trmi_difference_companions(e, first);
        result = trmi_difference(e, p, together, trmi_difference_central(e, first), into, into->of);
        if (result == 0 && e->depth == 0)
            e->constant_done |= together;
        missing &= ~together;
    }
    return result;
}

int trmi_evaluate(trmi_evaluator *e, const trmi_point *p, uint64_t want, trmi_values *into)
{
    bool eliminate = e->constraint_uses_z && trmi_has(want, TRM_QUANTITY_CONSTRAINT_Q);
    if (eliminate)
        want |= TRMI_ELIMINATION_QUANTITIES;
    count_evaluation(e, want, into->statistics);
    want &= ~(e->absent | (e->constant_done & e->user.constant));
    trm_state s = {p->t, p->q,   p->v, p->a, p->x, p->z, full_multipliers(e, p->lambda),
                   NULL, e->held};
    int result = evaluate_inputs(e, &s, into);
    if (result == 0)
        result = evaluate_supplied(e, &s, want & e->supplied, into);
    if (result == 0 && e->depth == 0)
        e->constant_done |= want & e->supplied;
    if (result == 0)
        result = evaluate_missing(e, p, want & ~e->supplied, into);
    if (result == 0 && into->added_mass && trmi_has(want, TRM_QUANTITY_MASS))
        add_mass(into);
    if (result == 0 && eliminate) // also where g_q is constant: g_z, b_q and b_z need not be
        result = trmi_eliminate_z(e, into);
    return result;
}

int trmi_settle_z(trmi_evaluator *e, trmi_point *p, trmi_values *into)
{
    double before = HUGE_VAL;
    for (int iteration = 0; iteration < 30 && e->n_z > 0; iteration++) {
        int result = trmi_evaluate(e, p, TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z), into);
        if (result != 0)
            return result;
        if (!trmi_factor_bz(e, into))
            return 1;
        double *dz = e->bz_rhs, size = 0, change = 0;
        memcpy(dz, into->of[TRM_QUANTITY_ALGEBRAIC], (size_t)e->n_z * sizeof *dz);
        trmi_solve_bz(e, dz, 1);
        for (int i = 0; i < e->n_z; i++) {
            p->z[i] -= dz[i];
            change = fmax(change, fabs(dz[i]));
            size = fmax(size, fabs(p->z[i]));
        }
        if (!isfinite(change))
            return 1;
        // converged to roundoff, or no longer improving near it
        if (change <= 4e-16 * size || (change <= 1e-10 * (1 + size) && change >= 0.5 * before))
            return 0;
        before = change;
    }
    return e->n_z > 0;
}
