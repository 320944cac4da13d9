// SPDX-License-Identifier: Apache-2.0
#include "solver/system/patterns.h"

#include "base/quantities.h"
#include "solver/system/difference.h"

#include <math.h>
#include <string.h>

const double trmi_pattern_noise = 1e-9;

// part of the typical size by which a point is perturbed
static const double PERTURBATION = 1e-3;

// a number between -1 and 1; the same in every run
static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}

// out = in, moved by up to a thousandth of the scale, or of the size where that is larger
static void perturb(double *out, const double *in, const double *scale, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        out[i] =
            in[i] + PERTURBATION * random_number(seed) * fmax(scale ? scale[i] : 1, fabs(in[i]));
}

void trmi_perturb_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to,
                        uint64_t *seed)
{
    const trm_system *u = &e->user;
    to->t = from->t;
    perturb(to->q, from->q, u->q_scale, e->n_q, seed);
    perturb(to->v, from->v, u->v_scale, e->n_q, seed);
    perturb(to->a, from->a, NULL, e->n_q, seed);
    perturb(to->x, from->x, u->x_scale, e->n_x, seed);
    perturb(to->z, from->z, u->z_scale, e->n_z, seed);
    perturb(to->lambda, from->lambda, NULL, e->n_r, seed);
}

static bool has(uint64_t mask, int quantity)
{
    return trmi_has(mask, (trm_quantity)quantity);
}

static trm_quantity first_of(uint64_t mask)
{
    return (trm_quantity)__builtin_ctzll(mask);
}

// the terms of the equations themselves must be complete
static bool may_be_estimated(const trmi_evaluator *e, int quantity)
{
    return e->user.pattern[quantity].count == TRM_PATTERN_DENSE &&
           !trmi_difference_central(e, (trm_quantity)quantity);
}

// columns in order of their groups
static void list_groups(trmi_sweep *s)
{
    const trmi_groups *g = &s->coloring;
    int *start = s->start;
    memset(start, 0, (size_t)(g->columns + 1) * sizeof *start);
    for (int j = 0; j < g->columns; j++)
        if (g->group[j] >= 0)
            start[g->group[j]]++;
    for (int k = 1; k <= g->count; k++)
        start[k] += start[k - 1];
    for (int j = g->columns - 1; j >= 0; j--)
        if (g->group[j] >= 0)
            s->column[--start[g->group[j]]] = j;
    s->groups = (trmi_column_groups){g->count, s->start, s->column};
}

// the row represents all dropped constraint rows
static bool is_dropped(const trmi_evaluator *e, int quantity, int row)
{
    int first;
    return row >= e->n_r && trmi_rows_are_constraints(&e->user, (trm_quantity)quantity, &first);
}

// groups of the present pattern, handed to all quantities of the sweep
static void group_columns(trmi_patterns *p, trmi_sweep *s)
{
    trmi_evaluator *e = p->e;
    int count = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_quantity *b = &e->block[k];
        int first = trmi_difference_first_row(e, (trm_quantity)k);
        for (int i = 0; i < b->count && has(s->quantities, k); i++) {
            bool out =
                is_dropped(e, k, b->pattern.row[i]) || (p->included[k] && !p->included[k][i]);
            s->pattern_row[count] = out ? -1 : first + b->pattern.row[i];
            s->pattern_column[count++] = b->pattern.column[i];
        }
    }
    trmi_groups_form(&s->coloring, count, s->pattern_row, s->pattern_column);
    list_groups(s);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (has(s->quantities, k))
            trmi_quantity_regroup(&e->block[k], &s->groups, s->coloring.group, p->included[k]);
}

void trmi_patterns_count(const trmi_patterns *p)
{
    const trmi_evaluator *e = p->e;
    uint64_t done = e->supplied | e->absent;
    long groups = 0, nonzeros = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_quantity *b = &e->block[k];
        if (!b->groups || trmi_difference_central(e, (trm_quantity)k))
            continue;
        nonzeros += b->group_start[b->groups->count];
        groups += has(done, k) ? 0 : b->groups->count; // companions once
        done |= trmi_difference_companions(e, (trm_quantity)k);
    }
    p->values->statistics->jacobian_groups = groups;
    p->values->statistics->jacobian_nonzeros = nonzeros;
}

static bool create_sweep(trmi_patterns *p, trmi_memory *memory, uint64_t quantities,
                         uint64_t estimated)
{
    trmi_evaluator *e = p->e;
    trmi_sweep *s = &p->sweep[p->count++];
    int columns = trmi_difference_columns(e, first_of(quantities));
    int rows = e->n_q + e->n_x + e->n_z + e->n_r_full, count = 0;
    *s = (trmi_sweep){.quantities = quantities, .estimated = estimated};
    p->estimated |= estimated;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (has(quantities, k)) {
            int entries = e->block[k].count;
            count += entries;
            if (has(estimated, k) && (!TRMI_TAKE(memory, p->included[k], entries) ||
                                      !TRMI_TAKE(memory, p->dense[k], entries)))
                return false;
            if (has(estimated, k))
                memset(p->included[k], 1, (size_t)entries);
        }
    if (!trmi_groups_create(&s->coloring, memory, rows, columns, count) ||
        !TRMI_TAKE(memory, s->start, columns + 1) || !TRMI_TAKE(memory, s->column, columns) ||
        !TRMI_TAKE(memory, s->pattern_row, count) || !TRMI_TAKE(memory, s->pattern_column, count))
        return false;
    group_columns(p, s);
    return true;
}

bool trmi_patterns_create(trmi_patterns *p, trmi_memory *memory, trmi_evaluator *e,
                          const trmi_values *values, bool estimate)
{
    uint64_t formed = 0, sparse = 0, estimated = 0;
    int sweeps = 0; // at most
    *p = (trmi_patterns){.e = e, .values = values};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        if (!e->block[k].groups)
            continue;
        formed |= TRM_BIT_OF(k);
        sweeps++;
        sparse |= e->user.pattern[k].count != TRM_PATTERN_DENSE ? TRM_BIT_OF(k) : 0;
        estimated |= estimate && may_be_estimated(e, k) ? TRM_BIT_OF(k) : 0;
    }
    if (sweeps > 0 && !TRMI_TAKE(memory, p->sweep, sweeps))
        return false;
    while (formed) {
        uint64_t together = formed & trmi_difference_companions(e, first_of(formed));
        formed &= ~together;
        if ((together & (sparse | estimated)) &&
            !create_sweep(p, memory, together, together & estimated))
            return false;
    }
    trmi_patterns_count(p);
    return !p->estimated ||
           (trmi_point_create(&p->probe, memory, e) &&
            TRMI_TAKE(memory, p->row_size, e->n_q + e->n_x + e->n_z + e->n_r_full + 1));
}

static double scaled(const trmi_quantity *b, const double *value, const double *scale, int k)
{
    return fabs(value[k]) * (scale ? scale[b->pattern.column[k]] : 1);
}

// adds the entries of a dense evaluation that stand out from the noise; how many were new
static int add_entries(trmi_patterns *p, int quantity)
{
    const trmi_quantity *b = &p->e->block[quantity];
    const double *scale = trmi_difference_scales(p->e, (trm_quantity)quantity);
    const double *value = p->dense[quantity];
    const int *row = b->pattern.row;
    double *size = p->row_size;
    int added = 0;
    memset(size, 0, (size_t)(b->rows + 1) * sizeof *size);
    for (int k = 0; k < b->count; k++)
        size[row[k]] = fmax(size[row[k]], scaled(b, value, scale, k));
    for (int k = 0; k < b->count; k++) {
        if (p->included[quantity][k])
            continue;
        bool noise = scaled(b, value, scale, k) <= trmi_pattern_noise * size[row[k]];
        p->included[quantity][k] = !noise;
        added += !noise;
    }
    return added;
}

// Dense differences of all estimated derivatives at the point, which leave no trace in their
// values. Returns what the callbacks returned.
static int evaluate_densely(trmi_patterns *p, const trmi_point *point)
{
    trmi_evaluator *e = p->e;
    int result = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (has(p->estimated, k)) {
            const trmi_column_groups *single = trmi_single_columns(e, (trm_quantity)k);
            trmi_quantity_regroup(&e->block[k], single, single->column, NULL);
        }
    for (int i = 0; i < p->count && result == 0; i++)
        if (p->sweep[i].estimated)
            result = trmi_difference(e, point, p->sweep[i].estimated, false, p->values, p->dense);
    p->values->statistics->jacobian_dense_evaluations++;
    return result;
}

static void regroup(trmi_patterns *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->sweep[i].estimated)
            group_columns(p, &p->sweep[i]);
    trmi_patterns_count(p);
}

void trmi_patterns_estimate(trmi_patterns *p, const trmi_point *point, bool exactly)
{
    uint64_t seed = 1;
    if (!p->estimated)
        return;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (has(p->estimated, k))
            memset(p->included[k], 0, (size_t)p->e->block[k].count);
    for (int state = 0; state < (exactly ? 1 : TRMI_PERTURBED_STATES); state++) {
        trmi_perturb_point(p->e, point, &p->probe, &seed);
        int result = evaluate_densely(p, exactly ? point : &p->probe);
        if (result > 0) // outside what the callbacks allow
            result = evaluate_densely(p, point);
        for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
            if (has(p->estimated, k) && result == 0)
                add_entries(p, k);
            else if (has(p->estimated, k))
                memset(p->included[k], 1, (size_t)p->e->block[k].count);
    }
    regroup(p);
}

bool trmi_patterns_widen(trmi_patterns *p, const trmi_point *point)
{
    int added = 0;
    if (!p->estimated)
        return false;
    int result = evaluate_densely(p, point);
    for (int k = 0; k < TRM_QUANTITY_COUNT && result == 0; k++)
        if (has(p->estimated, k))
            added += add_entries(p, k);
    regroup(p);
    return added > 0;
}

void trmi_patterns_archive(trmi_patterns *p, trmi_archive *a)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (has(p->estimated, k))
            trmi_archive_bytes(a, p->included[k], (size_t)p->e->block[k].count);
    if (a->loading)
        regroup(p);
}
