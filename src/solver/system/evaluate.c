// SPDX-License-Identifier: Apache-2.0
// Evaluation: dispatch of the callbacks, constants once, differences for what is missing.
#include "base/quantities.h"
#include "solver/system/evaluator.h"
#include "solver/system/levels.h"

#include <math.h>
#include <string.h>

// a vector over constraint rows, from full to active numbering, in place
static void compress_rows(const trmi_evaluator *e, trm_quantity quantity)
{
    int first;
    if (e->n_r == e->n_r_full || !trmi_rows_are_constraints(&e->user, quantity, &first))
        return;
    double *value = e->block[quantity].value;
    int begin = first == 0 ? 0 : e->n_g;
    int end = quantity == TRM_GAMMA || first > 0 ? e->n_r : e->n_g;
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

static int evaluate_inputs(trmi_evaluator *e, trm_state *s)
{
    s->u = e->input;
    if (e->n_u == 0 || s->t == e->input_time)
        return 0;
    int result = trmi_call(e, s, TRM_INPUT, e->input);
    for (int i = 0; i < 3 * e->n_u && e->input_shift; i++)
        e->input[i] += e->input_shift[i];
    e->input_time = result == 0 ? s->t : NAN;
    return result;
}

static int evaluate_supplied(trmi_evaluator *e, const trm_state *s, uint64_t want)
{
    double *targets[TRM_QUANTITY_COUNT] = {0};
    uint64_t together = e->user.evaluate ? want & e->user.evaluates : 0;
    for (uint64_t rest = together; rest; rest &= rest - 1) {
        int k = __builtin_ctzll(rest);
        targets[k] = e->block[k].value;
    }
    int result = 0;
    if (together) {
        result = e->user.evaluate(s, targets, e->user.user);
        e->culprit = (trm_quantity)__builtin_ctzll(together);
    }
    for (uint64_t rest = want & ~together; rest && result == 0; rest &= rest - 1) {
        int k = __builtin_ctzll(rest);
        e->culprit = (trm_quantity)k;
        result = e->user.function[k](s, e->block[k].value, e->user.user);
    }
    if (e->n_r != e->n_r_full)
        for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
            if (trmi_has(want, (trm_quantity)k) && trmi_is_vector((trm_quantity)k))
                compress_rows(e, (trm_quantity)k);
    return result;
}

static void count_evaluation(trmi_evaluator *e, uint64_t want)
{
    const uint64_t dynamics =
        TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_RESIDUAL) | TRM_BIT(TRM_ACCELERATION);
    if (!(want & (dynamics | TRM_BIT(TRM_CONSTRAINT))))
        return;
    if (e->depth > 0)
        e->statistics->residual_evaluations_for_jacobian++;
    else if (want & dynamics)
        e->statistics->residual_evaluations++;
}

// by differences; what shares its evaluations is formed together
static int evaluate_missing(trmi_evaluator *e, const trmi_point *p, uint64_t missing)
{
    double *out[TRM_QUANTITY_COUNT];
    int result = 0;
    missing &= TRM_BIT(TRM_QUANTITY_COUNT) - 1; // `want` may be everything
    if (!missing)
        return 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        out[k] = e->block[k].value;
    while (missing && result == 0) {
        trm_quantity first = (trm_quantity)__builtin_ctzll(missing);
        uint64_t together = missing & trmi_difference_companions(e, first);
        result = trmi_difference(e, p, together, trmi_difference_central(e, first), out);
        missing &= ~together;
    }
    return result;
}

int trmi_evaluate(trmi_evaluator *e, const trmi_point *p, uint64_t want)
{
    if (e->constraint_uses_z && trmi_has(want, TRM_CONSTRAINT_Q))
        want |= TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_Q) |
                TRM_BIT(TRM_ALGEBRAIC_T) | TRM_BIT(TRM_ALGEBRAIC) | TRM_BIT(TRM_CONSTRAINT) |
                TRM_BIT(TRM_CONSTRAINT_T);
    bool eliminate = e->constraint_uses_z && trmi_has(want, TRM_CONSTRAINT_Q);
    count_evaluation(e, want);
    want &= ~(e->absent | (e->constant_done & e->user.constant));
    trm_state s = {p->t, p->q,   p->v, p->a, p->x, p->z, full_multipliers(e, p->lambda),
                   NULL, e->held};
    int result = evaluate_inputs(e, &s);
    if (result == 0)
        result = evaluate_supplied(e, &s, want & e->supplied);
    if (result == 0)
        result = evaluate_missing(e, p, want & ~e->supplied);
    if (result == 0 && e->depth == 0)
        e->constant_done |= want;
    if (result == 0 && eliminate) // also where g_q is constant: g_z, b_q and b_z need not be
        result = trmi_eliminate_z(e);
    return result;
}

void trmi_point_archive(trmi_point *p, const trmi_evaluator *e, trmi_archive *a)
{
    trmi_archive_doubles(a, &p->t, 1);
    trmi_archive_doubles(a, p->q, e->n_q);
    trmi_archive_doubles(a, p->v, e->n_q);
    trmi_archive_doubles(a, p->x, e->n_x);
    trmi_archive_doubles(a, p->z, e->n_z);
    trmi_archive_doubles(a, p->lambda, e->n_r);
}

void trmi_evaluator_archive(trmi_evaluator *e, trmi_archive *a)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (e->block[k].value)
            trmi_archive_doubles(a, e->block[k].value, e->block[k].count + 1);
    if (e->constraint_uses_z) {
        trmi_archive_doubles(a, e->total.value, e->total.count);
        trmi_archive_doubles(a, e->g_t_total, e->n_r_full + 1);
        trmi_archive_doubles(a, e->g_effective, e->n_r_full + 1);
    }
    trmi_archive_bytes(a, &e->constant_done, sizeof e->constant_done);
    trmi_archive_doubles(a, e->input, 3 * e->n_u);
    trmi_archive_doubles(a, &e->input_time, 1);
    trmi_archive_doubles(a, &e->dropped_residual, 1);
}

// rows, then columns of all entries, however they are given
static uint64_t hash_pattern(const trm_pattern *p, uint64_t hash)
{
    for (int part = 0; part < 2; part++)
        for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at))
            hash = trmi_hash(hash, part ? &at.column : &at.row, sizeof at.row);
    return hash;
}

uint64_t trmi_evaluator_hash(const trmi_evaluator *e, uint64_t hash)
{
    const int sizes[] = {e->n_q, e->n_x, e->n_z,      e->n_u,     e->n_g,
                         e->n_a, e->n_r, e->n_r_full, e->user.n_i};
    const uint64_t masks[] = {e->supplied, e->absent, e->user.constant};
    hash = trmi_hash(hash, sizes, sizeof sizes);
    hash = trmi_hash(hash, masks, sizeof masks);
    if (e->active)
        hash = trmi_hash(hash, e->active, (size_t)e->n_r_full * sizeof *e->active);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_values *b = &e->block[k];
        hash = trmi_hash(hash, &b->count, sizeof b->count);
        hash = hash_pattern(&b->pattern, hash);
    }
    return hash;
}
