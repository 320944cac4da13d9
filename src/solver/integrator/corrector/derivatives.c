// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/corrector/derivatives.h"

#include "base/quantities.h"
#include "solver/system/difference.h"

#include <math.h>
#include <string.h>

// changes of U, relative to its size, below which nothing is learned from an evaluation (squared),
// and below which a matrix formed again would be the same
static const double MIN_LEARN = 1e-4, MIN_MOVE = 1e-3;
enum { MAX_FAILURES = 2 };

bool trmi_derivatives_create(trmi_derivatives *d, trmi_memory *memory, trmi_values *values,
                             uint64_t quantities, trm_jacobian_update rule)
{
    trmi_evaluator *e = values->e;
    *d = (trmi_derivatives){.e = e, .values = values, .rule = rule};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(quantities & e->prepared, (trm_quantity)k) &&
            !trmi_difference_central(e, (trm_quantity)k)) {
            d->quantities |= TRM_BIT_OF(k);
            d->size += e->block[k].count;
        }
    return TRMI_TAKE(memory, d->base, d->size);
}

static bool follows(const trmi_derivatives *d)
{
    return d->known && d->count > 0;
}

// U_i at the last evaluation
static double input(const trmi_derivatives *d, int i)
{
    return d->values->input[d->input[i]];
}

static void record_inputs(trmi_derivatives *d)
{
    for (int i = 0; i < d->count; i++) {
        d->at_matrix[i] = input(d, i);
        d->largest[i] = fmax(d->largest[i], fabs(input(d, i)));
    }
}

// calls `visit` with the part of the kept entries that belongs to each quantity
typedef void visit_part(const trmi_derivatives *d, int first, int count, double *value);

static void visit_parts(const trmi_derivatives *d, visit_part *visit)
{
    for (int k = 0, first = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(d->quantities, (trm_quantity)k)) {
            int count = d->e->block[k].count;
            visit(d, first, count, d->values->of[k]);
            first += count;
        }
}

// sum_i D_i (U_i - U_i,B) of an entry
static double following_part(const trmi_derivatives *d, int entry)
{
    double sum = 0;
    for (int i = 0; i < d->count; i++)
        sum += d->slope[(size_t)i * (size_t)d->size + (size_t)entry] * (input(d, i) - d->at[i]);
    return sum;
}

static void keep_part(const trmi_derivatives *d, int first, int count, double *value)
{
    memcpy(d->base + first, value, (size_t)count * sizeof *value);
}

static void apply_part(const trmi_derivatives *d, int first, int count, double *value)
{
    memcpy(value, d->base + first, (size_t)count * sizeof *value);
    for (int k = 0; k < count && follows(d); k++)
        if (!d->worse[first + k])
            value[k] += following_part(d, first + k);
}

// w_i = (U_i - U_i,B) / sc_i
static double relative_move(const trmi_derivatives *d, int i)
{
    return d->largest[i] > 0 ? (input(d, i) - d->at[i]) / d->largest[i] : 0;
}

static void learn_part(const trmi_derivatives *d, int first, int count, double *value)
{
    double q = 0;
    for (int i = 0; i < d->count; i++)
        q += relative_move(d, i) * relative_move(d, i);
    if (!(q > MIN_LEARN))
        return;
    for (int k = 0; k < count; k++) {
        double changed = value[k] - d->base[first + k];
        double missed = changed - following_part(d, first + k);
        d->worse[first + k] = !(fabs(missed) < fabs(changed)); // nothing learned: missed = changed
        for (int i = 0; i < d->count; i++)
            if (d->largest[i] > 0)
                d->slope[(size_t)i * (size_t)d->size + (size_t)(first + k)] +=
                    missed * relative_move(d, i) / (d->largest[i] * q);
    }
}

void trmi_derivatives_take(trmi_derivatives *d)
{
    record_inputs(d);
    if (d->rule == TRM_JACOBIAN_UPDATE_SECANT && d->exists) {
        visit_parts(d, learn_part);
        d->known = true;
    }
    visit_parts(d, keep_part);
    d->exists = true;
    for (int i = 0; i < d->count; i++)
        d->at[i] = input(d, i);
}

void trmi_derivatives_apply(trmi_derivatives *d)
{
    record_inputs(d);
    visit_parts(d, apply_part);
}

bool trmi_derivatives_moved(const trmi_derivatives *d)
{
    for (int i = 0; i < d->count && follows(d); i++)
        if (fabs(input(d, i) - d->at_matrix[i]) > MIN_MOVE * d->largest[i])
            return true;
    return false;
}

static void forget(trmi_derivatives *d)
{
    if (d->count == 0)
        return;
    memset(d->slope, 0, (size_t)d->count * (size_t)d->size * sizeof *d->slope);
    d->known = false;
    d->failures = 0;
}

void trmi_derivatives_judge(trmi_derivatives *d, bool converged)
{
    bool counts = d->rule == TRM_JACOBIAN_UPDATE_SECANT && follows(d) && !converged;
    d->failures = counts ? d->failures + 1 : 0;
    if (d->failures >= MAX_FAILURES)
        forget(d);
}

void trmi_derivatives_reset(trmi_derivatives *d, bool all)
{
    d->exists = false;
    if (all || d->rule == TRM_JACOBIAN_UPDATE_SECANT)
        forget(d);
}

void trmi_derivatives_archive(trmi_derivatives *d, trmi_archive *a)
{
    trmi_archive_doubles(a, d->base, d->size);
    trmi_archive_bool(a, &d->exists);
    trmi_archive_bool(a, &d->known);
    trmi_archive_int(a, &d->failures, 0, MAX_FAILURES);
    for (int i = 0; i < d->count; i++)
        trmi_archive_doubles(a, d->slope + (size_t)i * (size_t)d->size, d->size);
    for (int k = 0; k < d->size && d->count > 0; k++)
        trmi_archive_bool(a, &d->worse[k]);
    trmi_archive_doubles(a, d->at, d->count);
    trmi_archive_doubles(a, d->at_matrix, d->count);
    trmi_archive_doubles(a, d->largest, d->count);
}
