// SPDX-License-Identifier: Apache-2.0
// Products with M, G and A, and the elimination of algebraic variables from the constraints.
#include "solver/system/evaluator.h"

#include "base/lapack.h"

#include <string.h>

// sum + a . x; three entries, a rotation, are the most frequent
static inline double add_dot(const double *restrict a, const double *restrict x, int n, double sum)
{
    if (n == 3)
        return sum + a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    for (int j = 0; j < n; j++)
        sum += a[j] * x[j];
    return sum;
}

// y += a factor
static inline void add_scaled(const double *restrict a, double factor, int n, double *restrict y)
{
    if (n == 3) {
        y[0] += a[0] * factor;
        y[1] += a[1] * factor;
        y[2] += a[2] * factor;
        return;
    }
    for (int j = 0; j < n; j++)
        y[j] += a[j] * factor;
}

// y += A x and y += scale A^T x, A by blocks: row by row, so that its values stream through once
static void multiply_blocks(const trm_pattern *p, const double *value, const double *x,
                            double *restrict y)
{
    const trm_block *end = p->block + p->blocks;
    for (const trm_block *panel = p->block, *after; panel < end; panel = after) {
        after = trmi_panel_end(p, panel);
        for (int i = 0; i < panel->rows; i++) {
            double sum = 0;
            for (const trm_block *b = panel; b < after; b++) {
                if (b->columns == 0)
                    sum += *value++ * x[b->column + i];
                else
                    sum = add_dot(value, x + b->column, b->columns, sum);
                value += b->columns;
            }
            y[panel->row + i] += sum;
        }
    }
}

static void multiply_blocks_transposed(const trm_pattern *p, const double *value, const double *x,
                                       double scale, double *restrict y)
{
    const trm_block *end = p->block + p->blocks;
    for (const trm_block *panel = p->block, *after; panel < end; panel = after) {
        after = trmi_panel_end(p, panel);
        for (int i = 0; i < panel->rows; i++) {
            const double factor = scale * x[panel->row + i];
            for (const trm_block *b = panel; b < after; b++) {
                if (b->columns == 0)
                    y[b->column + i] += *value++ * factor;
                else
                    add_scaled(value, factor, b->columns, y + b->column);
                value += b->columns;
            }
        }
    }
}

void trmi_matrix_multiply(const trmi_matrix *b, const double *x, double *restrict y)
{
    const int *row = b->pattern.row, *column = b->pattern.column;
    if (b->pattern.block)
        multiply_blocks(&b->pattern, b->value, x, y);
    else
        for (int k = 0; k < b->count; k++)
            y[row[k]] += b->value[k] * x[column[k]];
}

static void add_transposed_product(const trmi_matrix *b, const double *x, double scale,
                                   double *restrict y)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count; trmi_pattern_next(&at))
        y[at.column] += scale * b->value[at.k] * x[at.row];
}

void trmi_mass_product(const trmi_values *values, const double *x, double *restrict out)
{
    const trmi_evaluator *e = values->e;
    const trmi_matrix m = trmi_matrix_of(values, TRM_QUANTITY_MASS);
    if (e->user.pattern[TRM_QUANTITY_MASS].count == TRM_PATTERN_DIAGONAL) {
        for (int i = 0; i < e->n_q; i++)
            out[i] = m.value[i] * x[i];
        return;
    }
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    trmi_matrix_multiply(&m, x, out);
}

uint64_t trmi_inertia_quantities(const trmi_evaluator *e)
{
    const uint64_t whole = TRM_BIT(RESIDUAL);
    return e->supplied & whole ? whole : TRM_BIT(MASS) | TRM_BIT(FORCE);
}

void trmi_inertia_residual(const trmi_values *values, const double *a, double *restrict out)
{
    const trmi_evaluator *e = values->e;
    if (e->supplied & TRM_BIT(RESIDUAL)) {
        memcpy(out, values->of[TRM_QUANTITY_RESIDUAL], (size_t)e->n_q * sizeof *out);
        return;
    }
    const double *f = values->of[TRM_QUANTITY_FORCE];
    trmi_mass_product(values, a, out);
    for (int i = 0; i < e->n_q; i++)
        out[i] -= f[i];
}

// Row by row in both products: G streams through once, in the order in which it is stored where
// its rows are in order.
void trmi_add_total_product(const trmi_evaluator *e, const double *value, const double *x,
                            double *restrict out)
{
    const trm_pattern *p = &e->block[TRMI_TOTAL].pattern;
    const int *start = e->by_row.start, *entry = e->by_row.entry, *column = p->column;
    if (p->block)
        multiply_blocks(p, value, x, out);
    for (int i = 0; i < e->by_row.n && start; i++) {
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
    const trm_pattern *p = &e->block[TRMI_TOTAL].pattern;
    const int *start = e->by_row.start, *entry = e->by_row.entry, *column = p->column;
    if (p->block)
        multiply_blocks_transposed(p, value, lambda, scale, out);
    for (int i = 0; i < e->by_row.n && start; i++) {
        const double force = scale * lambda[i];
        if (entry)
            for (int k = start[i]; k < start[i + 1]; k++)
                out[column[entry[k]]] += value[entry[k]] * force;
        else
            for (int k = start[i]; k < start[i + 1]; k++)
                out[column[k]] += value[k] * force;
    }
}

void trmi_add_constraint_force(const trmi_values *values, const double *lambda, double scale,
                               double *restrict out)
{
    trmi_add_total_force(values->e, values->of[TRMI_TOTAL], lambda, scale, out);
    const trmi_matrix rolling = trmi_matrix_of(values, TRM_QUANTITY_ROLLING);
    if (values->e->n_a > 0)
        add_transposed_product(&rolling, lambda, scale, out);
}

void trmi_constraint_product(const trmi_values *values, const double *x, double *restrict out)
{
    memset(out, 0, (size_t)values->e->n_r * sizeof *out);
    trmi_add_total_product(values->e, values->of[TRMI_TOTAL], x, out);
    const trmi_matrix rolling = trmi_matrix_of(values, TRM_QUANTITY_ROLLING);
    if (values->e->n_a > 0)
        trmi_matrix_multiply(&rolling, x, out);
}

static bool constraints_move(const trmi_evaluator *e)
{
    return e->constraint_uses_z || !(e->absent & TRM_BIT(CONSTRAINT_T));
}

bool trmi_has_velocity_offset(const trmi_evaluator *e)
{
    return constraints_move(e) || !(e->absent & TRM_BIT(ROLLING_OFFSET));
}

static void add_velocity_offset(const trmi_values *values, double *restrict out)
{
    const trmi_evaluator *e = values->e;
    bool moving = constraints_move(e);
    const double *g_t =
        e->constraint_uses_z ? values->g_t_total : values->of[TRM_QUANTITY_CONSTRAINT_T];
    for (int i = 0; i < e->n_g && moving; i++)
        out[i] += g_t[i];
    if (!(e->absent & TRM_BIT(ROLLING_OFFSET)))
        for (int i = 0; i < e->n_a; i++)
            out[e->n_g + i] += values->of[TRM_QUANTITY_ROLLING_OFFSET][i];
}

void trmi_velocity_offset(const trmi_values *values, double *restrict out)
{
    memset(out, 0, (size_t)values->e->n_r * sizeof *out);
    add_velocity_offset(values, out);
}

void trmi_velocity_level(const trmi_values *values, const double *v, double *restrict out)
{
    trmi_constraint_product(values, v, out);
    add_velocity_offset(values, out);
}

void trmi_dense_constraints(const trmi_values *values, double *gt)
{
    const trmi_evaluator *e = values->e;
    const int parts[] = {TRMI_TOTAL, TRM_QUANTITY_ROLLING};
    size_t n = (size_t)e->n_q;
    memset(gt, 0, n * (size_t)e->n_r * sizeof *gt);
    for (int k = 0; k < 2; k++) {
        const trmi_matrix b = trmi_matrix_of(values, parts[k]);
        for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count;
             trmi_pattern_next(&at))
            if (at.row < e->n_r)
                gt[(size_t)at.column + n * (size_t)at.row] += b.value[at.k];
    }
}

uint64_t trmi_velocity_quantities(const trmi_evaluator *e)
{
    (void)e;
    return TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING) |
           TRM_BIT(ROLLING_OFFSET);
}

const double *trmi_position_level(const trmi_values *values)
{
    return values->e->constraint_uses_z ? values->g_effective : values->of[TRM_QUANTITY_CONSTRAINT];
}

// out (column-major, `rows` rows) += the matrix
static void add_dense(const trmi_matrix *b, int rows, double *out)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count; trmi_pattern_next(&at))
        out[at.row + rows * at.column] += b->value[at.k];
}

bool trmi_factor_bz(trmi_evaluator *e, const trmi_values *values)
{
    int n = e->n_z, info;
    const trmi_matrix b = trmi_matrix_of(values, TRM_QUANTITY_ALGEBRAIC_Z);
    memset(e->bz, 0, (size_t)(n * n) * sizeof *e->bz);
    add_dense(&b, n, e->bz);
    dgetrf_(&n, &n, e->bz, &n, e->bz_pivots, &info);
    return info == 0;
}

void trmi_solve_bz(const trmi_evaluator *e, double *rhs, int count)
{
    int n = e->n_z, info;
    dgetrs_("N", &n, &count, e->bz, &n, e->bz_pivots, rhs, &n, &info);
}

int trmi_eliminate_z(trmi_evaluator *e, trmi_values *values)
{
    int n_q = e->n_q, n_z = e->n_z;
    if (!trmi_factor_bz(e, values))
        return 1;
    // columns of bz_rhs: b_q, b_t, b
    double *w = e->bz_rhs;
    memset(w, 0, (size_t)n_z * (size_t)(n_q + 2) * sizeof *w);
    const trmi_matrix bq = trmi_matrix_of(values, TRM_QUANTITY_ALGEBRAIC_Q);
    add_dense(&bq, n_z, w);
    double *wt = w + n_z * n_q, *wb = wt + n_z;
    if (!(e->absent & TRM_BIT(ALGEBRAIC_T)))
        memcpy(wt, values->of[TRM_QUANTITY_ALGEBRAIC_T], (size_t)n_z * sizeof *wt);
    memcpy(wb, values->of[TRM_QUANTITY_ALGEBRAIC], (size_t)n_z * sizeof *wb);
    trmi_solve_bz(e, w, n_q + 2);

    // total = g_q - g_z w_q, g_t_total = g_t - g_z w_t, g_effective = g - g_z w_b
    double *total = values->of[TRMI_TOTAL], *gt = values->g_t_total, *g = values->g_effective;
    bool still = (e->absent & TRM_BIT(CONSTRAINT_T)) != 0;
    trmi_copy_or_zero(gt, still ? NULL : values->of[TRM_QUANTITY_CONSTRAINT_T], e->n_g);
    memcpy(g, values->of[TRM_QUANTITY_CONSTRAINT], (size_t)e->n_g * sizeof *g);
    // dense in full numbering: entry (full row i, column j) at i + rows j
    int rows = e->block[TRMI_TOTAL].rows;
    memset(total, 0, (size_t)e->block[TRMI_TOTAL].count * sizeof *total);
    const trmi_matrix gq = trmi_matrix_of(values, TRM_QUANTITY_CONSTRAINT_Q);
    for (trmi_cursor at = trmi_pattern_begin(&gq.pattern); at.k < gq.count; trmi_pattern_next(&at))
        if (at.row < e->n_r)
            total[trmi_given_row(e, at.row) + rows * at.column] += gq.value[at.k];
    const trmi_matrix gz = trmi_matrix_of(values, TRM_QUANTITY_CONSTRAINT_Z);
    for (trmi_cursor at = trmi_pattern_begin(&gz.pattern); at.k < gz.count;
         trmi_pattern_next(&at)) {
        int r = at.row, j = at.column;
        if (r == e->n_r)
            continue;
        for (int i = 0; i < n_q; i++)
            total[trmi_given_row(e, r) + rows * i] -= gz.value[at.k] * w[j + n_z * i];
        gt[r] -= gz.value[at.k] * wt[j];
        g[r] -= gz.value[at.k] * wb[j];
    }
    return 0;
}
