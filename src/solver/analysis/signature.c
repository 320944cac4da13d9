// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/signature.h"

#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/analysis/subspace.h"
#include "solver/linear/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static trmi_signature_status status_of(trmi_eigen_status found)
{
    return found == TRMI_EIGEN_OK       ? TRMI_SIGNATURE_OK
           : found == TRMI_EIGEN_MEMORY ? TRMI_SIGNATURE_MEMORY
                                        : TRMI_SIGNATURE_UNKNOWN;
}

// ---- signs ----

// dq = u X xi
static void expand(const trmi_signature *s, const double *xi, double *dq)
{
    trmi_split_expand(&s->split, xi, NULL, dq);
    for (int i = 0; i < s->n; i++)
        dq[i] *= trmi_q_unit(&s->values->e->user, i, 0);
}

// X from the rows at the point; false: they lose rank
static bool factor_rows(trmi_signature *s, double *gt)
{
    trmi_dense_constraints(s->values, gt);
    for (int j = 0; j < s->split.m; j++)
        for (int i = 0; i < s->n; i++)
            gt[(size_t)i + (size_t)s->n * (size_t)j] *= trmi_q_unit(&s->values->e->user, i, 0);
    return trmi_split_factor(&s->split, gt, 0) && s->split.pivot >= TRMI_RANK_PIVOT;
}

// matrix = X^T u K u X, with scratch x, r (n), xi (p)
static void project(const trmi_signature *s, double *matrix, double *x, double *r, double *xi)
{
    size_t p = (size_t)s->p;
    memset(xi, 0, p * sizeof *xi);
    for (size_t j = 0; j < p; j++) {
        xi[j] = 1;
        expand(s, xi, x);
        xi[j] = 0;
        memset(r, 0, (size_t)s->n * sizeof *r);
        trmi_add_product(s->values, TRM_QUANTITY_STIFFNESS, 1, x, r);
        trmi_add_product(s->values, TRM_QUANTITY_GEOMETRIC, 1, x, r);
        for (int i = 0; i < s->n; i++)
            r[i] *= trmi_q_unit(&s->values->e->user, i, 0);
        trmi_split_reduce(&s->split, r, matrix + p * j);
    }
    for (size_t j = 0; j < p; j++) // exactly symmetric
        for (size_t i = j + 1; i < p; i++)
            matrix[i + p * j] = 0.5 * (matrix[i + p * j] + matrix[j + p * i]);
}

// of kappa along a shape: errors of the entries of K are independent of each other, those of the
// eigenvalues relative to the largest one
static double roundoff_of(const trmi_signature *s, const double *shape, const double *load,
                          double largest)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        double part = shape[i] / trmi_q_unit(&s->values->e->user, i, 0);
        sum += (load[i] * part * part) * (load[i] * part * part);
    }
    return TRMI_ZERO_FACTOR * DBL_EPSILON * fmax(sqrt(sum), largest);
}

// shapes from the vectors, and which kappa are zero
static void count_signs(trmi_signature *s, const double *vector, const double *load, double noise)
{
    size_t n = (size_t)s->n, p = (size_t)s->p;
    double largest = trmi_max_abs(s->kappa, s->p), zero = 0;
    for (size_t k = 0; k < p; k++) {
        double *shape = s->shape + n * k;
        expand(s, vector + p * k, shape);
        if (fabs(s->kappa[k]) <= roundoff_of(s, shape, load, largest) + noise * largest)
            zero = fmax(zero, fabs(s->kappa[k])); // and all that are smaller
    }
    for (size_t k = 0; k < p; k++) {
        s->kappa[k] = fabs(s->kappa[k]) <= zero ? 0 : s->kappa[k];
        s->unstable += s->kappa[k] < 0;
        s->free += s->kappa[k] == 0;
    }
}

trmi_signature_status trmi_signature_find(trmi_signature *s, trmi_memory *memory,
                                          const trmi_values *values, const double *load,
                                          double noise)
{
    const trmi_evaluator *e = values->e;
    size_t n = (size_t)e->n_q, m = (size_t)e->n_r, p = n - m;
    *s = (trmi_signature){.n = e->n_q, .p = e->n_q - e->n_r, .memory = memory, .values = values};
    double *gt, *matrix, *work;
    if (!trmi_split_create_orthonormal(&s->split, memory, e->n_q, e->n_r) ||
        !TRMI_TAKE(memory, gt, n * m) || !TRMI_TAKE(memory, matrix, p * p) ||
        !TRMI_TAKE(memory, work, 2 * n + p) || !TRMI_TAKE(memory, s->kappa, p) ||
        !TRMI_TAKE(memory, s->shape, n * p) || !TRMI_TAKE(memory, s->square, p) ||
        !TRMI_TAKE(memory, s->uncertainty, p))
        return TRMI_SIGNATURE_MEMORY;
    if (!factor_rows(s, gt))
        return TRMI_SIGNATURE_UNKNOWN;
    project(s, matrix, work, work + n, work + 2 * n);
    trmi_eigen_status found = trmi_eigen_symmetric(s->kappa, memory, matrix, s->p);
    if (found == TRMI_EIGEN_OK)
        count_signs(s, matrix, load, noise);
    return status_of(found);
}

// ---- frequencies ----

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

// x -= (x^T M z) / (z^T M z) z for the free shapes z, which are M-orthogonal; those without inertia
// follow nothing. mass_z: n x free
static void let_free_follow(const trmi_signature *s, const double *mass_z, double negligible,
                            double *x)
{
    for (int k = 0; k < s->free; k++) {
        const double *z = s->shape + (size_t)s->n * (size_t)(s->unstable + k),
                     *mz = mass_z + (size_t)s->n * (size_t)k;
        double inertia = dot(z, mz, s->n), part = dot(x, mz, s->n);
        for (int i = 0; i < s->n && inertia > negligible; i++)
            x[i] -= part / inertia * z[i];
    }
}

// Free shapes are turned so that they are M-orthogonal: z <- Z U, U^T (Z^T M Z) U diagonal.
// mass_z = M Z then; matrix: free x free, row: free
static trmi_signature_status turn_free(trmi_signature *s, double *mass_z, double *matrix,
                                       double *row)
{
    size_t n = (size_t)s->n, f = (size_t)s->free;
    double *z = s->shape + n * (size_t)s->unstable;
    for (size_t j = 0; j < f; j++)
        trmi_mass_product(s->values, z + n * j, mass_z + n * j);
    for (size_t j = 0; j < f; j++)
        for (size_t i = j; i < f; i++)
            matrix[i + f * j] = dot(z + n * i, mass_z + n * j, s->n);
    trmi_eigen_status found = trmi_eigen_symmetric(row, s->memory, matrix, s->free);
    for (size_t i = 0; i < n && found == TRMI_EIGEN_OK; i++) {
        for (size_t j = 0; j < f; j++) {
            row[j] = 0;
            for (size_t k = 0; k < f; k++)
                row[j] += z[i + n * k] * matrix[k + f * j];
        }
        for (size_t j = 0; j < f; j++)
            z[i + n * j] = row[j];
    }
    for (size_t j = 0; j < f; j++)
        trmi_mass_product(s->values, z + n * j, mass_z + n * j);
    return status_of(found);
}

// column of the direction number k of those that are not free
static size_t driven(const trmi_signature *s, int k)
{
    return (size_t)(k < s->unstable ? k : k + s->free);
}

// matrix = D |kappa|^-1/2 S |kappa|^-1/2, D = sign kappa; driven shapes become those without
// inertia along free ones, divided by |kappa|^1/2
static void form_inertia(trmi_signature *s, const double *mass_z, double *matrix, double *mass_x)
{
    int count = s->p - s->free;
    double negligible = 0;
    for (int k = 0; k < count; k++) {
        double *x = s->shape + (size_t)s->n * driven(s, k);
        trmi_mass_product(s->values, x, mass_x);
        negligible = fmax(negligible, s->p * DBL_EPSILON * dot(x, mass_x, s->n));
    }
    for (int k = 0; k < count; k++) {
        double *x = s->shape + (size_t)s->n * driven(s, k),
               size = sqrt(fabs(s->kappa[driven(s, k)]));
        let_free_follow(s, mass_z, negligible, x);
        for (int i = 0; i < s->n; i++)
            x[i] /= size;
    }
    for (int k = 0; k < count; k++) {
        trmi_mass_product(s->values, s->shape + (size_t)s->n * driven(s, k), mass_x);
        for (int i = 0; i < count; i++) {
            double entry = dot(s->shape + (size_t)s->n * driven(s, i), mass_x, s->n);
            matrix[(size_t)i + (size_t)count * (size_t)k] =
                s->kappa[driven(s, i)] < 0 ? -entry : entry;
        }
    }
}

// s = 1/mu of the eigenvalues mu; its sign is that of u^T D u, where mu is roundoff too
static void take_squares(trmi_signature *s, const trmi_eigen *eigen, size_t *place)
{
    int count = s->p - s->free, unstable = 0, stable = 0;
    double least = DBL_EPSILON * trmi_max_abs(eigen->real, count);
    for (int k = 0; k < count; k++) {
        const double *u = eigen->vector + (size_t)count * (size_t)k;
        double sign = 0;
        for (int i = 0; i < count; i++)
            sign += i < s->unstable ? -u[i] * u[i] : u[i] * u[i];
        double mu = fmax(fabs(eigen->real[k]), fmax(least, DBL_MIN));
        bool down = unstable < s->unstable && (sign < 0 || stable == count - s->unstable);
        size_t to = driven(s, down ? unstable++ : s->unstable + stable++);
        s->square[to] = (down ? -1 : 1) / mu;
        s->uncertainty[to] = eigen->uncertainty[k] / (mu * mu);
        place[k] = to;
    }
}

// driven shapes <- shapes times the vectors
static void turn_driven(trmi_signature *s, const trmi_eigen *eigen, const size_t *place,
                        double *row)
{
    size_t n = (size_t)s->n, count = (size_t)(s->p - s->free);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < count; j++) {
            row[j] = 0;
            for (size_t k = 0; k < count; k++)
                row[j] += s->shape[i + n * driven(s, (int)k)] * eigen->vector[k + count * j];
        }
        for (size_t j = 0; j < count; j++)
            s->shape[i + n * place[j]] = row[j];
    }
}

trmi_signature_status trmi_signature_frequencies(trmi_signature *s)
{
    size_t n = (size_t)s->n, p = (size_t)s->p;
    double *mass_z, *matrix, *row;
    size_t *place;
    trmi_eigen eigen;
    if (!TRMI_TAKE(s->memory, mass_z, n * (size_t)s->free + n) ||
        !TRMI_TAKE(s->memory, matrix, p * p) || !TRMI_TAKE(s->memory, row, p) ||
        !TRMI_TAKE(s->memory, place, p))
        return TRMI_SIGNATURE_MEMORY;
    trmi_signature_status status = turn_free(s, mass_z, matrix, row);
    if (status != TRMI_SIGNATURE_OK)
        return status;
    form_inertia(s, mass_z, matrix, mass_z + n * (size_t)s->free);
    status = status_of(trmi_eigen_general(&eigen, s->memory, matrix, s->p - s->free));
    if (status != TRMI_SIGNATURE_OK)
        return status;
    take_squares(s, &eigen, place);
    turn_driven(s, &eigen, place, row);
    return TRMI_SIGNATURE_OK;
}
