// SPDX-License-Identifier: Apache-2.0
// The dependent coordinates are first chosen as a set (partial pivoting, exchanges), then the rows
// of G^T are brought into the order (Y, X) and factored with pivoting inside Y only.
#include "solver/linear/split.h"

#include "base/lapack.h"
#include "solver/linear/small.h"
#include "solver/linear/solver.h"

#include <math.h>
#include <string.h>

static const double smallest_pivot = 1e-12; // below: rank(G) < m
static const double improve_above = 10;     // max|Q| that asks for a better choice
static const double exchange_above = 2;     // each exchange multiplies |det GY| by more than this

bool trmi_split_create(trmi_split *split, trmi_memory *memory, int n, int m)
{
    if (m < 0 || m > n)
        return false;
    size_t size = (size_t)n * (size_t)m;
    *split = (trmi_split){.n = n, .m = m, .p = n - m, .pivot = 1};
    return TRMI_TAKE(memory, split->dependent, m) && TRMI_TAKE(memory, split->independent, n - m) &&
           TRMI_TAKE(memory, split->lu, size) && TRMI_TAKE(memory, split->work, size) &&
           TRMI_TAKE(memory, split->q, (size_t)m * (size_t)(n - m)) &&
           TRMI_TAKE(memory, split->order, 2 * (size_t)n) && TRMI_TAKE(memory, split->pivots, m);
}

bool trmi_split_create_orthonormal(trmi_split *split, trmi_memory *memory, int n, int m)
{
    return trmi_split_create(split, memory, n, m) && TRMI_TAKE(memory, split->tau, 2 * (size_t)n) &&
           TRMI_TAKE(memory, split->basis, (size_t)n * (size_t)n);
}

void trmi_split_copy_choice(trmi_split *to, const trmi_split *from)
{
    memcpy(to->dependent, from->dependent, (size_t)from->m * sizeof *to->dependent);
    memcpy(to->independent, from->independent, (size_t)from->p * sizeof *to->independent);
    to->chosen = from->chosen;
}

void trmi_split_copy(trmi_split *to, const trmi_split *from)
{
    size_t n = (size_t)from->n, m = (size_t)from->m, p = (size_t)from->p;
    trmi_split_copy_choice(to, from);
    memcpy(to->lu, from->lu, n * m * sizeof *to->lu);
    memcpy(to->q, from->q, m * p * sizeof *to->q);
    if (from->basis)
        memcpy(to->basis, from->basis, n * n * sizeof *to->basis);
    to->max_q = from->max_q;
    to->pivot = from->pivot;
    to->pivot_column = from->pivot_column;
}

void trmi_split_archive(trmi_split *split, trmi_archive *a)
{
    int n = split->n, m = split->m, p = split->p;
    trmi_archive_indices(a, split->dependent, m, n);
    trmi_archive_indices(a, split->independent, p, n);
    trmi_archive_doubles(a, split->lu, n * m);
    trmi_archive_doubles(a, split->q, m * p);
    if (split->basis)
        trmi_archive_doubles(a, split->basis, n * n);
    trmi_archive_doubles(a, &split->max_q, 1);
    trmi_archive_doubles(a, &split->pivot, 1);
    trmi_archive_indices(a, &split->pivot_column, 1, n + 1);
    trmi_archive_long(a, &split->changes);
    trmi_archive_bool(a, &split->chosen);
    trmi_archive_indices(a, split->order + n, n, 2); // marks of the last choice
}

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

// marked[k] = 1 where coordinate k is dependent
static void mark_dependent(const trmi_split *split, int *marked)
{
    memset(marked, 0, (size_t)split->n * sizeof *marked);
    for (int i = 0; i < split->m; i++)
        marked[split->dependent[i]] = 1;
}

// X := all coordinates outside Y, ascending
static void fill_independent(trmi_split *split)
{
    int *marked = split->order;
    mark_dependent(split, marked);
    for (int k = 0, j = 0; k < split->n; k++)
        if (!marked[k])
            split->independent[j++] = k;
}

// rows of gt in the order (Y, X) into lu
static void gather_rows(trmi_split *split, const double *gt)
{
    size_t n = (size_t)split->n;
    for (int k = 0; k < split->m; k++) {
        const double *from = gt + (size_t)k * n;
        double *to = split->lu + (size_t)k * n;
        for (int i = 0; i < split->m; i++)
            to[i] = from[split->dependent[i]];
        for (int j = 0; j < split->p; j++)
            to[split->m + j] = from[split->independent[j]];
    }
}

// Q = (L2 L1^-1)^T and max|Q|; false when it is not finite
static bool compute_q(trmi_split *split)
{
    int n = split->n, m = split->m, p = split->p;
    const double one = 1;
    double *qt = split->work; // p x m
    for (int k = 0; k < m; k++)
        memcpy(qt + (size_t)k * (size_t)p, split->lu + (size_t)k * (size_t)n + m,
               (size_t)p * sizeof *qt);
    if (n <= TRMI_SMALL)
        trmi_small_right_l(split->lu, n, m, qt, p, p);
    else
        dtrsm_("R", "L", "N", "U", &p, &m, &one, split->lu, &n, qt, &p);
    double largest = 0;
    bool finite = true;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < m; i++) {
            double entry = qt[(size_t)i * (size_t)p + (size_t)j];
            split->q[(size_t)j * (size_t)m + (size_t)i] = entry;
            largest = fabs(entry) > largest ? fabs(entry) : largest;
            finite = finite && isfinite(entry);
        }
    split->max_q = finite ? largest : INFINITY;
    return finite;
}

// [L1; L2] U of the rows (Y, X), pivoting inside Y; false when GY is singular
static bool factor_set(trmi_split *split, const double *gt)
{
    int n = split->n, m = split->m, p = split->p, info = 0;
    gather_rows(split, gt);
    split->max_q = 0;
    if (n <= TRMI_SMALL)
        trmi_small_lu(split->lu, n, m, m, split->pivots);
    else if (m > 0)
        dgetrf_(&m, &m, split->lu, &n, split->pivots, &info);
    for (int i = 0; i < m; i++)
        swap(&split->dependent[i], &split->dependent[split->pivots[i] - 1]);
    const trmi_pivot pivot = trmi_smallest_pivot(split->lu, (size_t)n + 1, m);
    split->pivot = pivot.smallest;
    split->pivot_column = pivot.row;
    if (!(split->pivot > smallest_pivot))
        return false;
    if (m == 0 || p == 0)
        return true;
    // L2 = (GX)^T U^-1
    const double one = 1;
    if (n <= TRMI_SMALL)
        trmi_small_right_u(split->lu, n, m, split->lu + m, n, p);
    else
        dtrsm_("R", "U", "N", "N", &p, &m, &one, split->lu, &n, split->lu + m, &n);
    return compute_q(split);
}

// Y := the first m pivot rows of G^T
static void choose_set(trmi_split *split, const double *gt)
{
    int n = split->n, m = split->m, info = 0;
    memcpy(split->work, gt, (size_t)n * (size_t)m * sizeof *gt);
    for (int i = 0; i < n; i++)
        split->order[i] = i;
    if (n <= TRMI_SMALL)
        trmi_small_lu(split->work, n, n, m, split->pivots);
    else if (m > 0)
        dgetrf_(&n, &m, split->work, &n, split->pivots, &info);
    for (int i = 0; i < m; i++) {
        swap(&split->order[i], &split->order[split->pivots[i] - 1]);
        split->dependent[i] = split->order[i];
    }
    fill_independent(split);
}

// y_i and x_j change places. From y = -Q x:
//     Q'_ij = 1/Q_ij,  Q'_ik = Q_ik/Q_ij,  Q'_lj = -Q_lj/Q_ij,  Q'_lk = Q_lk - Q_lj Q_ik/Q_ij
static void exchange(trmi_split *split, int i, int j)
{
    size_t m = (size_t)split->m;
    double *column = split->q + (size_t)j * m, inverse = 1 / column[i];
    for (int k = 0; k < split->p; k++) {
        double *other = split->q + (size_t)k * m;
        if (k == j)
            continue;
        other[i] *= inverse;
        for (int l = 0; l < split->m; l++)
            if (l != i)
                other[l] -= column[l] * other[i];
    }
    for (int l = 0; l < split->m; l++)
        column[l] *= -inverse;
    column[i] = inverse;
    swap(&split->dependent[i], &split->independent[j]);
}

// exchanges while some |Q_ij| > 2; |det GY| grows each time, so no choice returns
static void improve_set(trmi_split *split)
{
    const int max_exchanges = 16 + 8 * split->m;
    for (int count = 0; count < max_exchanges; count++) {
        double largest = exchange_above;
        int row = -1, col = -1;
        for (int j = 0; j < split->p; j++)
            for (int i = 0; i < split->m; i++) {
                double size = fabs(split->q[(size_t)j * (size_t)split->m + (size_t)i]);
                if (size > largest) {
                    largest = size;
                    row = i;
                    col = j;
                }
            }
        if (row < 0)
            break;
        exchange(split, row, col);
    }
    fill_independent(split);
}

// counts a change of Y as a set, and remembers the set
static void note_set(trmi_split *split)
{
    int *now = split->order, *last = split->order + split->n; // 1: dependent
    mark_dependent(split, now);
    if (split->chosen && memcmp(now, last, (size_t)split->n * sizeof *now) != 0)
        split->changes++;
    memcpy(last, now, (size_t)split->n * sizeof *now);
    split->chosen = true;
}

// G^T = [Y X] [R; 0]: R in lu, [Y X] in the basis. Small sizes: no blocked form needs more work.
static bool factor_orthonormal(trmi_split *split, const double *gt)
{
    int n = split->n, m = split->m, info = 0, size = n;
    double *tau = split->tau, *work = tau + n;
    memcpy(split->lu, gt, (size_t)n * (size_t)m * sizeof *gt);
    if (m > 0)
        dgeqrf_(&n, &m, split->lu, &n, tau, work, &size, &info);
    const trmi_pivot pivot = trmi_smallest_pivot(split->lu, (size_t)n + 1, m);
    split->pivot = pivot.smallest;
    split->pivot_column = pivot.row;
    memset(split->basis, 0, (size_t)n * (size_t)n * sizeof *split->basis);
    memcpy(split->basis, split->lu, (size_t)n * (size_t)m * sizeof *split->basis);
    dorgqr_(&n, &n, &m, split->basis, &n, tau, work, &size, &info);
    split->chosen = true;
    return split->pivot > smallest_pivot;
}

bool trmi_split_factor(trmi_split *split, const double *gt, double keep_bound)
{
    if (split->basis)
        return factor_orthonormal(split, gt);
    if (split->chosen && keep_bound > 0) {
        bool regular = factor_set(split, gt);
        if (isinf(keep_bound) || (regular && split->max_q <= keep_bound))
            return regular;
    }
    choose_set(split, gt);
    bool regular = factor_set(split, gt);
    if (regular && split->max_q > improve_above) {
        improve_set(split);
        regular = factor_set(split, gt);
    }
    note_set(split);
    return regular;
}

void trmi_split_solve_transposed(const trmi_split *split, double *c)
{
    const int one = 1, n = split->n, m = split->m;
    if (n <= TRMI_SMALL) {
        if (!split->basis)
            trmi_small_left_l(split->lu, n, m, c);
        trmi_small_left_u(split->lu, n, m, c);
        return;
    }
    if (m > 0 && !split->basis)
        dtrsv_("L", "N", "U", &m, split->lu, &n, c, &one);
    if (m > 0)
        dtrsv_("U", "N", "N", &m, split->lu, &n, c, &one);
}

void trmi_split_solve(const trmi_split *split, double *c)
{
    const int one = 1, n = split->n, m = split->m;
    if (n <= TRMI_SMALL) {
        trmi_small_left_ut(split->lu, n, m, c);
        if (!split->basis)
            trmi_small_left_lt(split->lu, n, m, c);
        return;
    }
    if (m > 0)
        dtrsv_("U", "T", "N", &m, split->lu, &n, c, &one);
    if (m > 0 && !split->basis)
        dtrsv_("L", "T", "U", &m, split->lu, &n, c, &one);
}

// out (count) = columns first .. first + count - 1 of the basis, transposed, times r
static void multiply_basis(const trmi_split *split, int first, int count, const double *r,
                           double *out)
{
    for (int j = 0; j < count; j++) {
        const double *column = split->basis + (size_t)(first + j) * (size_t)split->n;
        out[j] = 0;
        for (int i = 0; i < split->n; i++)
            out[j] += column[i] * r[i];
    }
}

void trmi_split_dependent(const trmi_split *split, const double *r, double *out)
{
    if (split->basis)
        multiply_basis(split, 0, split->m, r, out);
    for (int j = 0; j < split->m && !split->basis; j++)
        out[j] = r[split->dependent[j]];
}

double trmi_split_norm(const trmi_split *split)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)split->m * (size_t)split->p; i++)
        sum += split->q[i] * split->q[i];
    return sqrt(sum);
}

void trmi_split_reduce(const trmi_split *split, const double *r, double *out)
{
    if (split->basis) {
        multiply_basis(split, split->m, split->p, r, out);
        return;
    }
    for (int j = 0; j < split->p; j++) {
        const double *column = split->q + (size_t)j * (size_t)split->m;
        double sum = r[split->independent[j]];
        for (int i = 0; i < split->m; i++)
            sum -= column[i] * r[split->dependent[i]];
        out[j] = sum;
    }
}

// out = [Y X] (y, xi)
static void expand_basis(const trmi_split *split, const double *xi, const double *y, double *out)
{
    memset(out, 0, (size_t)split->n * sizeof *out);
    for (int j = 0; j < split->n; j++) {
        const double *column = split->basis + (size_t)j * (size_t)split->n;
        double part = j >= split->m ? xi[j - split->m] : y ? y[j] : 0;
        for (int i = 0; i < split->n && part != 0; i++)
            out[i] += part * column[i];
    }
}

void trmi_split_expand(const trmi_split *split, const double *xi, const double *y, double *out)
{
    if (split->basis) {
        expand_basis(split, xi, y, out);
        return;
    }
    for (int i = 0; i < split->m; i++)
        out[split->dependent[i]] = y ? y[i] : 0;
    for (int j = 0; j < split->p; j++) {
        const double *column = split->q + (size_t)j * (size_t)split->m;
        out[split->independent[j]] = xi[j];
        for (int i = 0; i < split->m; i++)
            out[split->dependent[i]] -= column[i] * xi[j];
    }
}
