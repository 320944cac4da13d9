// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/krylov.h"

#include "solver/analysis/linear_terms.h"
#include "solver/linear/eigen.h"

#include <math.h>
#include <string.h>

// what orthogonalisation leaves of a vector that brings nothing new
static const double NOTHING_NEW = 1e-12;

// x^H y; products of complex numbers in C check for NaN, those of their parts do not
static double complex dot(const double complex *x, const double complex *y, int n)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        double a = creal(x[i]), b = cimag(x[i]), c = creal(y[i]), d = cimag(y[i]);
        re += a * c + b * d;
        im += a * d - b * c;
    }
    return re + im * I;
}

// y += factor x
static void add_multiple(double complex *y, double complex factor, const double complex *x, int n)
{
    double a = creal(factor), b = cimag(factor);
    for (int i = 0; i < n; i++) {
        double c = creal(x[i]), d = cimag(x[i]);
        y[i] += (a * c - b * d) + (a * d + b * c) * I;
    }
}

static double length_of(const double complex *x, int n)
{
    return sqrt(creal(dot(x, x, n)));
}

// x -= V V^H x, twice; column += V^H x. The length that is left.
static double orthogonalise(const trmi_krylov *k, double complex *x, double complex *column)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k->count; i++) {
            double complex part = dot(k->vector[i], x, k->n);
            add_multiple(x, -part, k->vector[i], k->n);
            if (column)
                column[i] += part;
        }
    return length_of(x, k->n);
}

// x / length as a new vector, which x becomes
static void append(trmi_krylov *k, double complex *x, double length)
{
    for (int i = 0; i < k->n; i++)
        x[i] /= length;
    k->vector[k->count++] = x;
}

bool trmi_krylov_create(trmi_krylov *k, trmi_memory *memory, int n, int most, trmi_operator *apply,
                        void *context)
{
    *k = (trmi_krylov){.memory = memory, .n = n, .most = most, .apply = apply, .context = context};
    if (!TRMI_TAKE(memory, k->vector, most) ||
        !TRMI_TAKE(memory, k->b, (size_t)most * (size_t)most))
        return false;
    double complex *between;
    if (!TRMI_TAKE(memory, between, n))
        return false;
    for (int seed = 1; seed <= TRMI_KRYLOV_WIDTH && seed <= most; seed++) {
        double complex *x;
        if (!TRMI_TAKE(memory, x, n))
            return false;
        for (int i = 0; i < n; i++)
            x[i] = trmi_start_entry(i, seed);
        apply(context, x, between);
        apply(context, between, x);
        double before = length_of(x, n), after = orthogonalise(k, x, NULL);
        if (after > NOTHING_NEW * before)
            append(k, x, after);
    }
    return true;
}

// A is only applied while there is memory for the result, which is part of the residuals.
bool trmi_krylov_extend(trmi_krylov *k, int columns)
{
    for (int c = 0; c < columns && k->done < k->count && k->count < k->most; c++) {
        double complex *x, *column = k->b + (size_t)k->most * (size_t)k->done;
        if (!TRMI_TAKE(k->memory, x, k->n))
            return false;
        k->apply(k->context, k->vector[k->done], x);
        double before = length_of(x, k->n), after = orthogonalise(k, x, column);
        if (after > NOTHING_NEW * before) {
            column[k->count] = after;
            append(k, x, after);
        }
        k->done++;
    }
    return true;
}

trmi_ritz *trmi_krylov_ritz(const trmi_krylov *k, trmi_memory *memory)
{
    size_t n = (size_t)k->done;
    trmi_eigen_complex eigen;
    trmi_ritz *ritz;
    double complex *square;
    if (n == 0 || !TRMI_TAKE(memory, square, n * n) || !TRMI_TAKE(memory, ritz, n))
        return NULL;
    for (size_t j = 0; j < n; j++)
        memcpy(square + n * j, k->b + (size_t)k->most * j, n * sizeof *square);
    if (trmi_eigen_general_complex(&eigen, memory, square, k->done) != TRMI_EIGEN_OK)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const double complex *y = eigen.vector + n * i;
        double sum = 0;
        for (int row = k->done; row < k->count; row++) {
            double complex rest = 0;
            for (size_t j = 0; j < n; j++)
                rest += k->b[(size_t)row + (size_t)k->most * j] * y[j];
            sum += creal(rest * conj(rest));
        }
        ritz[i] = (trmi_ritz){eigen.value[i], y, sqrt(sum), eigen.condition[i]};
    }
    return ritz;
}

void trmi_krylov_expand(const trmi_krylov *k, const double complex *y, double complex *out)
{
    memset(out, 0, (size_t)k->n * sizeof *out);
    for (int j = 0; j < k->done; j++)
        add_multiple(out, y[j], k->vector[j], k->n);
}
