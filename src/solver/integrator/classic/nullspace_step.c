// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/classic/nullspace_step.h"

#include "base/lapack.h"

#include <string.h>

bool trmi_nullspace_step_create(trmi_nullspace_step *c, trmi_memory *memory, trmi_values *values,
                                bool orthonormal)
{
    int n = values->e->n_q, m = values->e->n_r, p = n - m;
    *c = (trmi_nullspace_step){.e = values->e, .values = values, .n = n, .m = m, .p = p};
    bool split = orthonormal ? trmi_split_create_orthonormal(&c->split, memory, n, m)
                             : trmi_split_create(&c->split, memory, n, m);
    return split && TRMI_TAKE(memory, c->a, n * n) && TRMI_TAKE(memory, c->k, n * n) &&
           TRMI_TAKE(memory, c->d, n * n) && TRMI_TAKE(memory, c->h, m * n) &&
           TRMI_TAKE(memory, c->an, n * p) && TRMI_TAKE(memory, c->kn, n * p) &&
           TRMI_TAKE(memory, c->v1, n * p) && TRMI_TAKE(memory, c->a1, p * p) &&
           TRMI_TAKE(memory, c->w, p * p) && TRMI_TAKE(memory, c->s, p * p) &&
           TRMI_TAKE(memory, c->pivots, p) && TRMI_TAKE(memory, c->qc, n) &&
           TRMI_TAKE(memory, c->vc, n) && TRMI_TAKE(memory, c->t1, n) &&
           TRMI_TAKE(memory, c->t2, n) && TRMI_TAKE(memory, c->y, m) &&
           TRMI_TAKE(memory, c->xi, p) && TRMI_TAKE(memory, c->a0, p);
}

static void add_dense(const trmi_quantity *b, const double *value, double scale, int rows,
                      int limit, double *out)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count && value;
         trmi_pattern_next(&at))
        if (at.row < limit)
            out[at.row + rows * at.column] += scale * value[at.k];
}

// y (rows) = matrix (rows x columns) x
static void multiply(const double *matrix, int rows, int columns, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        y[i] = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[i] += matrix[i + rows * j] * x[j];
}

static void fill_dense(trmi_nullspace_step *c, trmi_leading lead, bool geometric, const double *mu)
{
    const trmi_quantity *b = c->e->block;
    int n = c->n;
    size_t square = (size_t)(n * n) * sizeof(double);
    memset(c->a, 0, square);
    memset(c->k, 0, square);
    memset(c->d, 0, square);
    memset(c->h, 0, (size_t)(c->m * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        c->a[i + n * i] = lead.cv;
    if (geometric) {
        add_dense(&b[TRM_QUANTITY_GEOMETRIC], mu, 1, n, n, c->a);
        add_dense(&b[TRM_QUANTITY_GEOMETRIC], c->values->of[TRM_QUANTITY_GEOMETRIC], 1, n, n, c->k);
    }
    add_dense(&b[TRM_QUANTITY_STIFFNESS], c->values->of[TRM_QUANTITY_STIFFNESS], 1, n, n, c->k);
    add_dense(&b[TRM_QUANTITY_MASS], c->values->of[TRM_QUANTITY_MASS], lead.ca, n, n, c->d);
    add_dense(&b[TRM_QUANTITY_DAMPING], c->values->of[TRM_QUANTITY_DAMPING], 1, n, n, c->d);
    add_dense(&b[TRM_QUANTITY_VELOCITY_Q], c->values->of[TRM_QUANTITY_VELOCITY_Q], 1, c->m, c->m,
              c->h);
}

trmi_factor_status trmi_nullspace_step_factor(trmi_nullspace_step *c, const trmi_split *split,
                                              trmi_leading lead, bool geometric,
                                              const double *geometric_mu)
{
    int n = c->n, p = c->p, info = 0;
    double *column = c->t1, *product = c->t2;
    fill_dense(c, lead, geometric, geometric_mu);
    trmi_split_copy(&c->split, split);
    // column by column of N: V1 = -Y (GY)^-1 H N, AN = A N - V1, W = N^T N
    for (int j = 0; j < p; j++) {
        memset(c->xi, 0, (size_t)p * sizeof *c->xi);
        c->xi[j] = 1;
        trmi_split_expand(&c->split, c->xi, NULL, column);
        trmi_split_reduce(&c->split, column, c->w + p * j);
        multiply(c->h, c->m, n, column, c->y);
        trmi_split_solve(&c->split, c->y);
        for (int i = 0; i < c->m; i++)
            c->y[i] = -c->y[i];
        c->xi[j] = 0;
        trmi_split_expand(&c->split, c->xi, c->y, c->v1 + n * j);
        multiply(c->a, n, n, column, product);
        for (int i = 0; i < n; i++)
            c->an[i + n * j] = product[i] - c->v1[i + n * j];
        multiply(c->k, n, n, column, c->kn + n * j);
        trmi_split_reduce(&c->split, c->an + n * j, c->a1 + p * j);
    }
    if (p > 0)
        dpotrf_("L", &p, c->w, &p, &info);
    if (info != 0)
        return TRMI_FACTOR_SINGULAR;
    if (p > 0)
        dpotrs_("L", &p, &p, c->w, &p, c->a1, &p, &info);
    // S = P (K N + D (N A1 + V1))
    for (int j = 0; j < p; j++) {
        trmi_split_expand(&c->split, c->a1 + p * j, NULL, column);
        for (int i = 0; i < n; i++)
            column[i] += c->v1[i + n * j];
        multiply(c->d, n, n, column, product);
        for (int i = 0; i < n; i++)
            product[i] += c->kn[i + n * j];
        trmi_split_reduce(&c->split, product, c->s + p * j);
    }
    if (p > 0)
        dgetrf_(&p, &p, c->s, &p, c->pivots, &info);
    return info == 0 ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

// y := -(GY)^-1 rows, expanded with zero independent part
static void particular(trmi_nullspace_step *c, const double *rows, double *out)
{
    for (int i = 0; i < c->m; i++)
        c->y[i] = -rows[i];
    trmi_split_solve(&c->split, c->y);
    memset(c->xi, 0, (size_t)c->p * sizeof *c->xi);
    trmi_split_expand(&c->split, c->xi, c->y, out);
}

void trmi_nullspace_step_solve(trmi_nullspace_step *c, double *r)
{
    double *q = r, *v = q + c->n, *velocity = v + c->n, *position = velocity + c->m;
    int n = c->n, m = c->m, p = c->p, one = 1, info;
    particular(c, position, c->qc);
    multiply(c->h, m, n, c->qc, c->t1);
    for (int i = 0; i < m; i++)
        c->t1[i] += velocity[i];
    particular(c, c->t1, c->vc);
    // a0 = W^-1 P (A qc - vc + r1)
    multiply(c->a, n, n, c->qc, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += q[i] - c->vc[i];
    trmi_split_reduce(&c->split, c->t1, c->a0);
    if (p > 0)
        dpotrs_("L", &p, &one, c->w, &p, c->a0, &p, &info);
    // S xi = -P (r2 + K qc + D (N a0 + vc))
    trmi_split_expand(&c->split, c->a0, NULL, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += c->vc[i];
    multiply(c->d, n, n, c->t1, c->t2);
    multiply(c->k, n, n, c->qc, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += v[i] + c->t2[i];
    trmi_split_reduce(&c->split, c->t1, c->xi);
    if (p > 0)
        dgetrs_("N", &p, &one, c->s, &p, c->pivots, c->xi, &p, &info);
    for (int i = 0; i < p; i++)
        c->xi[i] = -c->xi[i];
    // dq = N xi + qc, dv = N (A1 xi + a0) + V1 xi + vc; corrections are subtracted by the caller
    trmi_split_expand(&c->split, c->xi, NULL, q);
    for (int i = 0; i < n; i++)
        q[i] = -(q[i] + c->qc[i]);
    multiply(c->v1, n, p, c->xi, c->t2);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            c->a0[i] += c->a1[i + p * j] * c->xi[j];
    trmi_split_expand(&c->split, c->a0, NULL, v);
    for (int i = 0; i < n; i++)
        v[i] = -(v[i] + c->t2[i] + c->vc[i]);
}

void trmi_nullspace_step_archive(trmi_nullspace_step *c, trmi_archive *a)
{
    int n = c->n, m = c->m, p = c->p;
    trmi_split_archive(&c->split, a);
    trmi_archive_doubles(a, c->a, n * n);
    trmi_archive_doubles(a, c->k, n * n);
    trmi_archive_doubles(a, c->d, n * n);
    trmi_archive_doubles(a, c->h, m * n);
    trmi_archive_doubles(a, c->v1, n * p);
    trmi_archive_doubles(a, c->a1, p * p);
    trmi_archive_doubles(a, c->w, p * p);
    trmi_archive_doubles(a, c->s, p * p);
    for (int i = 0; i < p; i++) // 0 before the first factors
        trmi_archive_int(a, &c->pivots[i], 0, p);
}
