// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/eigen.h"

#include "base/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool all_finite(const double *a, int n)
{
    size_t count = (size_t)n * (size_t)n;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(a[k]))
            return false;
    return true;
}

void trmi_clear_roundoff(double *block, int stride, int rows, int columns, double *work)
{
    const double share = (rows + columns) * DBL_EPSILON;
    double *of_row = work, *of_column = work + rows;
    memset(work, 0, (size_t)(rows + columns) * sizeof *work);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double size = fabs(block[(size_t)i + (size_t)stride * (size_t)j]);
            of_row[i] = fmax(of_row[i], size);
            of_column[j] = fmax(of_column[j], size);
        }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double *entry = &block[(size_t)i + (size_t)stride * (size_t)j];
            if (fabs(*entry) <= share * fmax(of_row[i], of_column[j]))
                *entry = 0;
        }
}

// What dgeevx needs besides the result.
typedef struct general_work {
    double *left, *scale, *condition, *vector_condition, *work;
    int *whole, length;
} general_work;

// one call: of the size of its work space (length = -1), or of everything
static int call_general(trmi_eigen *out, double *a, general_work *w, double *norm)
{
    int n = out->n, low, high, info, lead = n > 0 ? n : 1;
    dgeevx_("B", "V", "V", "E", &n, a, &lead, out->real, out->imaginary, w->left, &lead,
            out->vector, &lead, &low, &high, w->scale, norm, w->condition, w->vector_condition,
            w->work, &w->length, w->whole, &info);
    return info;
}

trmi_eigen_status trmi_eigen_general(trmi_eigen *out, trmi_memory *memory, double *a, int n)
{
    size_t square = (size_t)n * (size_t)n;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    out->n = n;
    general_work w = {.length = -1};
    double norm = 0, size;
    if (!all_finite(a, n))
        return TRMI_EIGEN_FAILED;
    bool good = TRMI_TAKE(memory, out->real, n) && TRMI_TAKE(memory, out->imaginary, n) &&
                TRMI_TAKE(memory, out->vector, square) && TRMI_TAKE(memory, out->uncertainty, n) &&
                TRMI_TAKE(&scratch, w.left, square) && TRMI_TAKE(&scratch, w.scale, n) &&
                TRMI_TAKE(&scratch, w.condition, n) && TRMI_TAKE(&scratch, w.vector_condition, n) &&
                TRMI_TAKE(&scratch, w.whole, 2 * n);
    int info = 0;
    if (good) {
        w.work = &size;
        info = call_general(out, a, &w, &norm);
        w.length = (int)size;
        good = TRMI_TAKE(&scratch, w.work, w.length);
    }
    if (good && info == 0)
        info = call_general(out, a, &w, &norm);
    for (int i = 0; i < n && good && info == 0; i++)
        out->uncertainty[i] = DBL_EPSILON * norm / fmax(w.condition[i], DBL_MIN);
    trmi_memory_release_all(&scratch);
    return !good ? TRMI_EIGEN_MEMORY : info == 0 ? TRMI_EIGEN_OK : TRMI_EIGEN_FAILED;
}

trmi_eigen_status trmi_eigen_general_complex(trmi_eigen_complex *out, trmi_memory *memory,
                                             double complex *a, int n)
{
    size_t square = (size_t)n * (size_t)n;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    int length = 40 * (n > 0 ? n : 1), info = 0, lead = n > 0 ? n : 1;
    double complex *left, *work;
    double *real_work;
    for (size_t k = 0; k < square; k++)
        if (!isfinite(creal(a[k])) || !isfinite(cimag(a[k])))
            return TRMI_EIGEN_FAILED;
    bool good = TRMI_TAKE(memory, out->value, n) && TRMI_TAKE(memory, out->vector, square) &&
                TRMI_TAKE(memory, out->condition, n) && TRMI_TAKE(&scratch, left, square) &&
                TRMI_TAKE(&scratch, work, length) && TRMI_TAKE(&scratch, real_work, 2 * n);
    if (good)
        zgeev_("V", "V", &n, a, &lead, out->value, left, &lead, out->vector, &lead, work, &length,
               real_work, &info);
    for (int i = 0; i < n && good && info == 0; i++) {
        double complex product = 0;
        for (int j = 0; j < n; j++)
            product += conj(left[j + n * i]) * out->vector[j + n * i];
        out->condition[i] = cabs(product);
    }
    trmi_memory_release_all(&scratch);
    return !good ? TRMI_EIGEN_MEMORY : info == 0 ? TRMI_EIGEN_OK : TRMI_EIGEN_FAILED;
}

trmi_eigen_status trmi_eigen_symmetric(double *value, trmi_memory *memory, double *a, int n)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    int length = 40 * (n > 0 ? n : 1), info = 0, lead = n > 0 ? n : 1;
    double *work;
    if (!all_finite(a, n))
        return TRMI_EIGEN_FAILED;
    bool good = TRMI_TAKE(&scratch, work, length);
    if (good)
        dsyev_("V", "L", &n, a, &lead, value, work, &length, &info);
    trmi_memory_release_all(&scratch);
    return !good ? TRMI_EIGEN_MEMORY : info == 0 ? TRMI_EIGEN_OK : TRMI_EIGEN_FAILED;
}
