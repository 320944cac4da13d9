// SPDX-License-Identifier: Apache-2.0
// Rolling rows of the Newton matrix. A v* + a = 0 with v* = cv q + bq has the derivative
// A + (A v + a)_q / cv by q, the matrix only A: it is symmetric. What is missing are few rows, and
// with K the matrix, U the unit vectors of these rows and B = (A v + a)_q / cv
//
//     (K + U B) d = r:    d = y - W (1 + B W)^-1 B y,   y = K^-1 r,   W = K^-1 U
//
// Without it Newton contracts by about h v/R only, for a wheel of radius R: long steps fail.
#include "base/lapack.h"
#include "solver/integrator/corrector/corrector.h"

#include <string.h>

// more rows are not worth a solution each
enum { MAX_ROWS = 16 };

bool trmi_rolling_suits(const trm_system *s, const trmi_policy *policy)
{
    bool supplied =
        s->function[TRM_QUANTITY_VELOCITY_Q] || (s->evaluate && s->evaluates & TRM_BIT(VELOCITY_Q));
    return s->n_a > 0 && s->n_a <= MAX_ROWS && supplied &&
           s->pattern[TRM_QUANTITY_VELOCITY_Q].count != TRM_PATTERN_ZERO &&
           policy->level == TRMI_LEVEL_POSITION && !policy->frozen_direction;
}

bool trmi_rolling_create(trmi_corrector *c, trmi_memory *memory)
{
    const trmi_evaluator *e = c->e;
    trmi_rolling *r = &c->rolling;
    int n = e->n_q + e->n_x + e->n_z + e->n_r_full, rows = e->user.n_a;
    *r = (trmi_rolling){.serves = true};
    return TRMI_TAKE(memory, r->B, rows * e->n_q) && TRMI_TAKE(memory, r->W, rows * n) &&
           TRMI_TAKE(memory, r->lu, rows * rows) && TRMI_TAKE(memory, r->pivots, rows) &&
           TRMI_TAKE(memory, r->y, rows);
}

// row i of B times x
static double product(const trmi_corrector *c, int i, const double *x)
{
    int n = c->e->n_q;
    const double *row = c->rolling.B + (size_t)i * (size_t)n;
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += row[j] * x[j];
    return sum;
}

static void fill_B(trmi_corrector *c, double cv)
{
    const trmi_evaluator *e = c->e;
    const trmi_quantity *b = &e->block[TRM_QUANTITY_VELOCITY_Q];
    memset(c->rolling.B, 0, (size_t)e->n_a * (size_t)e->n_q * sizeof *c->rolling.B);
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count; trmi_pattern_next(&at))
        if (at.row >= e->n_g && at.row < e->n_r)
            c->rolling.B[(size_t)(at.row - e->n_g) * (size_t)e->n_q + (size_t)at.column] +=
                c->values->of[TRM_QUANTITY_VELOCITY_Q][at.k] / cv;
}

bool trmi_rolling_form(trmi_corrector *c, trmi_leading lead)
{
    const trmi_evaluator *e = c->e;
    trmi_rolling *r = &c->rolling;
    int before = e->n_q + e->n_x + e->n_z + e->n_g, n = before + e->n_a, rows = e->n_a, info = 0;
    if (!r->serves || rows == 0)
        return true;
    fill_B(c, lead.cv);
    memset(r->W, 0, (size_t)rows * (size_t)n * sizeof *r->W);
    for (int k = 0; k < rows; k++)
        r->W[(size_t)k * (size_t)n + (size_t)(before + k)] = 1;
    trmi_saddle_solve(c->saddle, r->W, rows);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < rows; i++)
            r->lu[k * rows + i] = (i == k) + product(c, i, r->W + (size_t)k * (size_t)n);
    dgetrf_(&rows, &rows, r->lu, &rows, r->pivots, &info);
    return info == 0;
}

void trmi_rolling_correct(const trmi_corrector *c, double *d)
{
    const trmi_evaluator *e = c->e;
    const trmi_rolling *r = &c->rolling;
    int n = e->n_q + e->n_x + e->n_z + e->n_r, rows = e->n_a, one = 1, info = 0;
    if (!r->serves || rows == 0)
        return;
    for (int i = 0; i < rows; i++)
        r->y[i] = product(c, i, d);
    dgetrs_("N", &rows, &one, r->lu, &rows, r->pivots, r->y, &rows, &info);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < n; i++)
            d[i] -= r->W[(size_t)k * (size_t)n + (size_t)i] * r->y[k];
}
