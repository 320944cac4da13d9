// SPDX-License-Identifier: Apache-2.0
// G^T D E = Q R with unit columns (D = 1/length of the rows of G, E a permutation). Dependent rows:
//     R = [R11 R12; 0 ~0],   row order[k] = sum_i w_i row order[i],   w = D^-1 R11^-1 R12 D
#include "solver/linear/rank.h"

#include "base/lapack.h"

#include <math.h>
#include <string.h>

typedef struct rank_work {
    double *r;      // n x m: G^T with unit columns, then R
    double *length; // m: of the rows of G
    double *tau;    // min(n, m)
    double *work;
    int work_count;
} rank_work;

static bool take_work(rank_work *w, trmi_memory *scratch, int n, int m)
{
    w->work_count = 32 * (m + 1); // at least 3 m + 1
    return TRMI_TAKE(scratch, w->r, (size_t)n * (size_t)m) && TRMI_TAKE(scratch, w->length, m) &&
           TRMI_TAKE(scratch, w->tau, m) && TRMI_TAKE(scratch, w->work, w->work_count);
}

static void scale_columns(rank_work *w, const double *gt, int n, int m)
{
    for (int k = 0; k < m; k++) {
        const double *from = gt + (size_t)k * (size_t)n;
        double *to = w->r + (size_t)k * (size_t)n;
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += from[i] * from[i];
        w->length[k] = sqrt(sum);
        double scale = sum > 0 ? 1 / w->length[k] : 0;
        for (int i = 0; i < n; i++)
            to[i] = scale * from[i];
    }
}

// columns k >= rank of the coefficients: R11^-1 R12, then for unscaled rows
static void find_coefficients(trmi_rank *out, const rank_work *w, int n, int m)
{
    int rank = out->rank, rest = m - rank;
    const double one = 1;
    if (rank == 0 || rest == 0)
        return;
    double *first = out->coefficients + (size_t)rank * (size_t)m;
    for (int k = 0; k < rest; k++)
        memcpy(first + (size_t)k * (size_t)m, w->r + (size_t)(rank + k) * (size_t)n,
               (size_t)rank * sizeof *first);
    dtrsm_("L", "U", "N", "N", &rank, &rest, &one, w->r, &n, first, &m);
    for (int k = 0; k < rest; k++)
        for (int i = 0; i < rank; i++)
            first[(size_t)k * (size_t)m + (size_t)i] *=
                w->length[out->order[rank + k]] / w->length[out->order[i]];
}

bool trmi_rank_reveal(trmi_rank *out, trmi_memory *memory, const double *gt, int n, int m,
                      double tolerance)
{
    rank_work w;
    trmi_memory scratch;
    *out = (trmi_rank){0};
    if (!TRMI_TAKE(memory, out->order, m) ||
        !TRMI_TAKE(memory, out->coefficients, (size_t)m * (size_t)m))
        return false;
    trmi_memory_init(&scratch, &memory->allocator);
    if (!take_work(&w, &scratch, n, m)) {
        trmi_memory_release_all(&scratch);
        return false;
    }
    scale_columns(&w, gt, n, m);
    int info = 0, smaller = n < m ? n : m;
    if (smaller > 0)
        dgeqp3_(&n, &m, w.r, &n, out->order, w.tau, w.work, &w.work_count, &info);
    for (int k = 0; k < m; k++)
        out->order[k] = smaller > 0 ? out->order[k] - 1 : k;
    // |R_kk| is the length that column k has left
    while (out->rank < smaller && fabs(w.r[(size_t)out->rank * (size_t)(n + 1)]) > tolerance)
        out->rank++;
    find_coefficients(out, &w, n, m);
    trmi_memory_release_all(&scratch);
    return true;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// a += s b
static void add_scaled(double *a, double s, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += s * b[i];
}

// z := unit vector with G^T z = 0 that belongs to the dependent row order[k]
static void null_vector(double *z, const trmi_rank *rank, int k, int m)
{
    const double *w = rank->coefficients + (size_t)k * (size_t)m;
    double scale = 1 / sqrt(1 + dot(w, w, rank->rank));
    for (int i = 0; i < rank->rank; i++)
        z[rank->order[i]] = -scale * w[i];
    z[rank->order[k]] = scale;
}

// z := z without its parts along the `count` orthonormal columns before it, unit length
static void orthonormalize(double *z, const double *columns, int count, int m)
{
    for (int pass = 0; pass < 2; pass++) { // the second removes the roundoff of the first
        for (int k = 0; k < count; k++) {
            const double *other = columns + (size_t)k * (size_t)m;
            add_scaled(z, -dot(z, other, m), other, m);
        }
        double scale = 1 / sqrt(dot(z, z, m));
        for (int i = 0; i < m; i++)
            z[i] *= scale;
    }
}

// lambda -= Z Z^T lambda, Z an orthonormal basis of the null space of G^T
bool trmi_minimum_norm(double *lambda, trmi_memory *memory, const double *gt, int n, int m,
                       double tolerance, int *dependent)
{
    trmi_rank rank;
    double *basis;
    if (!trmi_rank_reveal(&rank, memory, gt, n, m, tolerance) ||
        !TRMI_TAKE(memory, basis, (size_t)m * (size_t)(m - rank.rank)))
        return false;
    if (dependent)
        *dependent = m - rank.rank;
    for (int k = rank.rank; k < m; k++) {
        double *z = basis + (size_t)(k - rank.rank) * (size_t)m;
        null_vector(z, &rank, k, m);
        orthonormalize(z, basis, k - rank.rank, m);
        add_scaled(lambda, -dot(z, lambda, m), z, m);
    }
    return true;
}
