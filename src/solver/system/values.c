// SPDX-License-Identifier: Apache-2.0
// Value sets and points: memory, checkpoints, and the hash of the structure they have.
#include "solver/system/evaluator.h"

#include "base/quantities.h"
#include "solver/system/difference.h"

#include <math.h>

// Constants, and vectors that are zero, have one array for all sets.
static bool is_shared(const trmi_evaluator *e, trm_quantity quantity)
{
    return trmi_has(e->user.constant | e->absent, quantity);
}

bool trmi_values_create(trmi_values *values, trmi_memory *memory, trmi_evaluator *e,
                        uint64_t quantities, trm_statistics *statistics)
{
    trmi_vector vectors[TRMI_QUANTITIES + 3];
    int count = 0;
    if (e->constraint_uses_z && trmi_has(quantities, TRM_QUANTITY_CONSTRAINT_Q))
        quantities |= TRMI_ELIMINATION_QUANTITIES;
    quantities &= e->prepared;
    values->e = e;
    values->statistics = statistics;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        bool shared = is_shared(e, (trm_quantity)k);
        double **value = shared ? &e->constant[k] : &values->of[k];
        if (trmi_has(quantities, (trm_quantity)k) && !*value)
            vectors[count++] = (trmi_vector){value, (size_t)e->block[k].count + 1};
    }
    bool eliminated = e->constraint_uses_z && trmi_has(quantities, TRM_QUANTITY_CONSTRAINT_Q);
    if (eliminated) {
        size_t rows = (size_t)e->n_r_full + 1;
        vectors[count++] =
            (trmi_vector){&values->of[TRMI_TOTAL], (size_t)e->block[TRMI_TOTAL].count};
        vectors[count++] = (trmi_vector){&values->g_effective, rows};
        vectors[count++] = (trmi_vector){&values->g_t_total, rows};
    }
    if (!values->input) {
        vectors[count++] = (trmi_vector){&values->input, 3 * (size_t)e->n_u};
        trmi_values_forget_inputs(values);
    }
    if (!trmi_memory_take_vectors(memory, vectors, count))
        return false;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(quantities, (trm_quantity)k) && is_shared(e, (trm_quantity)k))
            values->of[k] = e->constant[k];
    if (!eliminated)
        values->of[TRMI_TOTAL] = values->of[TRM_QUANTITY_CONSTRAINT_Q];
    return true;
}

void trmi_values_forget_inputs(trmi_values *values)
{
    values->input_time = NAN;
}

void trmi_values_archive(trmi_values *values, trmi_evaluator *e, trmi_archive *a)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (values->of[k])
            trmi_archive_doubles(a, values->of[k], e->block[k].count + 1);
    if (e->constraint_uses_z) {
        trmi_archive_doubles(a, values->of[TRMI_TOTAL], e->block[TRMI_TOTAL].count);
        trmi_archive_doubles(a, values->g_t_total, e->n_r_full + 1);
        trmi_archive_doubles(a, values->g_effective, e->n_r_full + 1);
    }
    trmi_archive_bytes(a, &e->constant_done, sizeof e->constant_done);
    trmi_archive_doubles(a, values->input, 3 * e->n_u);
    trmi_archive_doubles(a, &values->input_time, 1);
    trmi_archive_doubles(a, &values->dropped_residual, 1);
}

bool trmi_point_create(trmi_point *p, trmi_memory *memory, const trmi_evaluator *e)
{
    return TRMI_TAKE(memory, p->q, e->n_q) && TRMI_TAKE(memory, p->v, e->n_q) &&
           TRMI_TAKE(memory, p->a, e->n_q) && TRMI_TAKE(memory, p->x, e->n_x) &&
           TRMI_TAKE(memory, p->z, e->n_z) && TRMI_TAKE(memory, p->lambda, e->n_r_full + 1);
}

void trmi_point_set(trmi_point *p, const trmi_evaluator *e, const trm_initial *initial)
{
    p->t = initial->t;
    trmi_copy_or_zero(p->q, initial->q, e->n_q);
    trmi_copy_or_zero(p->v, initial->v, e->n_q);
    trmi_copy_or_zero(p->x, initial->x, e->n_x);
    trmi_copy_or_zero(p->z, initial->z, e->n_z);
    trmi_copy_or_zero(p->lambda, initial->lambda, e->n_r_full);
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

// rows, as given, then columns of all entries, however they are written
static uint64_t hash_pattern(const trmi_quantity *b, uint64_t hash)
{
    const trm_pattern *p = &b->pattern;
    for (int part = 0; part < 2; part++)
        for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at)) {
            int number = part ? at.column : trmi_full_row(b, &at);
            hash = trmi_hash(hash, &number, sizeof number);
        }
    return hash;
}

uint64_t trmi_evaluator_hash(const trmi_evaluator *e, uint64_t hash)
{
    const int sizes[] = {e->n_q, e->n_x, e->n_z,      e->n_u,     e->n_g,
                         e->n_a, e->n_r, e->n_r_full, e->user.n_i};
    const uint64_t masks[] = {e->supplied, e->absent, e->user.constant};
    hash = trmi_hash(hash, sizes, sizeof sizes);
    hash = trmi_hash(hash, masks, sizeof masks);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_quantity *b = &e->block[k];
        hash = trmi_hash(hash, &b->count, sizeof b->count);
        hash = hash_pattern(b, hash);
    }
    return hash;
}
