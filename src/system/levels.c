// SPDX-License-Identifier: Apache-2.0
// Products with M, G and A, and the elimination of algebraic variables from the constraints.
#include "system/levels.h"

#include "linear/lapack.h"

#include <math.h>
#include <string.h>

void trmi_values_multiply(const trmi_values *b, const double *x, double *restrict y)
{
    for (int k = 0; k < b->count; k++)
        y[b->row[k]] += b->value[k] * x[b->column[k]];
}

static void add_transposed_product(const trmi_values *b, const double *x, double scale,
                                   double *restrict y)
{
    for (int k = 0; k < b->count; k++)
        y[b->column[k]] += scale * b->value[k] * x[b->row[k]];
}

void trmi_mass_product(const trmi_evaluator *e, const double *x, double *restrict out)
{
    const trmi_values *m = &e->block[TRM_MASS];
    if (e->user.pattern[TRM_MASS].count == TRM_PATTERN_DIAGONAL) {
        for (int i = 0; i < e->n_q; i++)
            out[i] = m->value[i] * x[i];
        return;
    }
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    trmi_values_multiply(m, x, out);
}

uint64_t trmi_inertia_quantities(const trmi_evaluator *e)
{
    const uint64_t whole = TRM_BIT(TRM_RESIDUAL);
    return e->supplied & whole ? whole : TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE);
}

void trmi_inertia_residual(const trmi_evaluator *e, const double *a, double *restrict out)
{
    if (e->supplied & TRM_BIT(TRM_RESIDUAL)) {
        memcpy(out, e->block[TRM_RESIDUAL].value, (size_t)e->n_q * sizeof *out);
        return;
    }
    const double *f = e->block[TRM_FORCE].value;
    trmi_mass_product(e, a, out);
    for (int i = 0; i < e->n_q; i++)
        out[i] -= f[i];
}

// Row by row in both products: G streams through once, in the order in which it is stored where
// its rows are in order.
void trmi_add_total_product(const trmi_evaluator *e, const double *value, const double *x,
                            double *restrict out)
{
    const int *start = e->by_row.start, *entry = e->by_row.entry, *column = e->total.column;
    for (int i = 0; i < e->by_row.n; i++) {
        double sum = 0;
        if (entry)
            for (int k = start[i]; k < start[i + 1]; k++)
                sum += value[entry[k]] * x[column[entry[k]]];
        else
            for (int k = start[i]; k < start[i + 1]; k++)
                sum += value[k] * x[column[k]];
        out[i] += sum;
    }
}

void trmi_add_total_force(const trmi_evaluator *e, const double *value, const double *lambda,
                          double scale, double *restrict out)
{
    const int *start = e->by_row.start, *entry = e->by_row.entry, *column = e->total.column;
    for (int i = 0; i < e->by_row.n; i++) {
        const double force = scale * lambda[i];
        if (entry)
            for (int k = start[i]; k < start[i + 1]; k++)
                out[column[entry[k]]] += value[entry[k]] * force;
        else
            for (int k = start[i]; k < start[i + 1]; k++)
                out[column[k]] += value[k] * force;
    }
}

void trmi_add_constraint_force(const trmi_evaluator *e, const double *lambda, double scale,
                               double *restrict out)
{
    trmi_add_total_force(e, e->total.value, lambda, scale, out);
    if (e->n_a > 0)
        add_transposed_product(&e->block[TRM_ROLLING], lambda, scale, out);
}

void trmi_constraint_product(const trmi_evaluator *e, const double *x, double *restrict out)
{
    memset(out, 0, (size_t)e->n_r * sizeof *out);
    trmi_add_total_product(e, e->total.value, x, out);
    if (e->n_a > 0)
        trmi_values_multiply(&e->block[TRM_ROLLING], x, out);
}

static void add_velocity_offset(const trmi_evaluator *e, double *restrict out)
{
    bool moving = e->constraint_uses_z || !(e->absent & TRM_BIT(TRM_CONSTRAINT_T));
    const double *g_t = e->constraint_uses_z ? e->g_t_total : e->block[TRM_CONSTRAINT_T].value;
    for (int i = 0; i < e->n_g && moving; i++)
        out[i] += g_t[i];
    if (!(e->absent & TRM_BIT(TRM_ROLLING_OFFSET)))
        for (int i = 0; i < e->n_a; i++)
            out[e->n_g + i] += e->block[TRM_ROLLING_OFFSET].value[i];
}

void trmi_velocity_offset(const trmi_evaluator *e, double *restrict out)
{
    memset(out, 0, (size_t)e->n_r * sizeof *out);
    add_velocity_offset(e, out);
}

void trmi_velocity_level(const trmi_evaluator *e, const double *v, double *restrict out)
{
    trmi_constraint_product(e, v, out);
    add_velocity_offset(e, out);
}

void trmi_dense_constraints(const trmi_evaluator *e, double *gt)
{
    const trmi_values *blocks[] = {&e->total, &e->block[TRM_ROLLING]};
    size_t n = (size_t)e->n_q;
    memset(gt, 0, n * (size_t)e->n_r * sizeof *gt);
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < blocks[b]->count; k++)
            if (blocks[b]->row[k] < e->n_r)
                gt[(size_t)blocks[b]->column[k] + n * (size_t)blocks[b]->row[k]] +=
                    blocks[b]->value[k];
}

uint64_t trmi_velocity_quantities(const trmi_evaluator *e)
{
    (void)e;
    return TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING) |
           TRM_BIT(TRM_ROLLING_OFFSET);
}

const double *trmi_position_level(const trmi_evaluator *e)
{
    return e->constraint_uses_z ? e->g_effective : e->block[TRM_CONSTRAINT].value;
}

// b_z as a dense factored matrix; false when singular
static bool factor_bz(trmi_evaluator *e)
{
    int n = e->n_z, info;
    memset(e->bz, 0, (size_t)(n * n) * sizeof *e->bz);
    const trmi_values *b = &e->block[TRM_ALGEBRAIC_Z];
    for (int k = 0; k < b->count; k++)
        e->bz[b->row[k] + n * b->column[k]] += b->value[k];
    dgetrf_(&n, &n, e->bz, &n, e->bz_pivots, &info);
    return info == 0;
}

static void solve_bz(const trmi_evaluator *e, double *rhs, int count)
{
    int n = e->n_z, info;
    dgetrs_("N", &n, &count, e->bz, &n, e->bz_pivots, rhs, &n, &info);
}

int trmi_eliminate_z(trmi_evaluator *e)
{
    int n_q = e->n_q, n_z = e->n_z;
    if (!factor_bz(e))
        return 1;
    // columns of bz_rhs: b_q, b_t, b
    double *w = e->bz_rhs;
    memset(w, 0, (size_t)n_z * (size_t)(n_q + 2) * sizeof *w);
    const trmi_values *bq = &e->block[TRM_ALGEBRAIC_Q];
    for (int k = 0; k < bq->count; k++)
        w[bq->row[k] + n_z * bq->column[k]] += bq->value[k];
    double *wt = w + n_z * n_q, *wb = wt + n_z;
    if (!(e->absent & TRM_BIT(TRM_ALGEBRAIC_T)))
        memcpy(wt, e->block[TRM_ALGEBRAIC_T].value, (size_t)n_z * sizeof *wt);
    memcpy(wb, e->block[TRM_ALGEBRAIC].value, (size_t)n_z * sizeof *wb);
    solve_bz(e, w, n_q + 2);

    // total = g_q - g_z w_q, g_t_total = g_t - g_z w_t, g_effective = g - g_z w_b
    double *total = e->total.value, *gt = e->g_t_total;
    bool still = (e->absent & TRM_BIT(TRM_CONSTRAINT_T)) != 0;
    trmi_copy_or_zero(gt, still ? NULL : e->block[TRM_CONSTRAINT_T].value, e->n_g);
    int rows = e->total.rows; // dense in full numbering: entry (full row i, column j) at i + rows j
    memset(total, 0, (size_t)e->total.count * sizeof *total);
    const trmi_values *gq = &e->block[TRM_CONSTRAINT_Q], *gz = &e->block[TRM_CONSTRAINT_Z];
    for (int k = 0; k < gq->count; k++)
        if (gq->row[k] < e->n_r)
            total[e->full[gq->row[k]] + rows * gq->column[k]] += gq->value[k];
    memcpy(e->g_effective, e->block[TRM_CONSTRAINT].value, (size_t)e->n_g * sizeof *total);
    for (int k = 0; k < gz->count; k++) {
        int r = gz->row[k], j = gz->column[k];
        if (r == e->n_r)
            continue;
        for (int i = 0; i < n_q; i++)
            total[e->full[r] + rows * i] -= gz->value[k] * w[j + n_z * i];
        gt[r] -= gz->value[k] * wt[j];
        e->g_effective[r] -= gz->value[k] * wb[j];
    }
    return 0;
}

int trmi_settle_z(trmi_evaluator *e, trmi_point *p)
{
    double before = HUGE_VAL;
    for (int iteration = 0; iteration < 30 && e->n_z > 0; iteration++) {
        int result = trmi_evaluate(e, p, TRM_BIT(TRM_ALGEBRAIC) | TRM_BIT(TRM_ALGEBRAIC_Z));
        if (result != 0)
            return result;
        if (!factor_bz(e))
            return 1;
        double *dz = e->bz_rhs, size = 0, change = 0;
        memcpy(dz, e->block[TRM_ALGEBRAIC].value, (size_t)e->n_z * sizeof *dz);
        solve_bz(e, dz, 1);
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
