// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/linear_terms.h"

#include "base/quantities.h"

#include <math.h>
#include <string.h>

static const trm_quantity stiffness[] = {TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_GEOMETRIC};

static bool is_present(const trmi_values *values, trm_quantity quantity)
{
    return trmi_has(values->e->prepared & ~values->e->absent, quantity);
}

void trmi_add_product(const trmi_values *values, trm_quantity quantity, double factor,
                      const double *x, double *y)
{
    const trmi_matrix b = trmi_matrix_of(values, (int)quantity);
    if (!is_present(values, quantity))
        return;
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count; trmi_pattern_next(&at))
        y[at.row] += factor * b.value[at.k] * x[at.column];
}

bool trmi_quantity_vanishes(const trmi_values *values, trm_quantity quantity)
{
    for (int k = 0; k < values->e->block[quantity].count && is_present(values, quantity); k++)
        if (values->of[quantity][k] != 0)
            return false;
    return true;
}

// sum_i y_i (K x)_i; size: |y| |K x|
static double stiffness_form(const trmi_values *values, const double *x, const double *y,
                             double *product, double *size)
{
    double sum = 0, squares = 0, squares_y = 0;
    memset(product, 0, (size_t)values->e->n_q * sizeof *product);
    for (int k = 0; k < 2; k++) {
        const trmi_matrix b = trmi_matrix_of(values, (int)stiffness[k]);
        if (is_present(values, stiffness[k]))
            trmi_matrix_multiply(&b, x, product);
    }
    for (int i = 0; i < values->e->n_q; i++) {
        sum += y[i] * product[i];
        squares += product[i] * product[i];
        squares_y += y[i] * y[i];
    }
    *size = sqrt(squares * squares_y);
    return sum;
}

bool trmi_stiffness_symmetric(const trmi_values *values, const trmi_memory *memory)
{
    int n = values->e->n_q;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    double *x, *y, *product, size, other_size;
    bool symmetric = false;
    if (TRMI_TAKE(&scratch, x, n) && TRMI_TAKE(&scratch, y, n) && TRMI_TAKE(&scratch, product, n)) {
        for (int i = 0; i < n; i++) {
            x[i] = trmi_start_entry(i, 1);
            y[i] = trmi_start_entry(i, 2);
        }
        double one = stiffness_form(values, x, y, product, &size);
        double other = stiffness_form(values, y, x, product, &other_size);
        symmetric = fabs(one - other) <= 1e-9 * size;
    }
    trmi_memory_release_all(&scratch);
    return symmetric;
}

double trmi_mass_diagonal(const trmi_values *values, double *mass)
{
    const trmi_matrix m = trmi_matrix_of(values, TRM_QUANTITY_MASS);
    double largest = 0;
    memset(mass, 0, (size_t)values->e->n_q * sizeof *mass);
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count; trmi_pattern_next(&at))
        if (at.row == at.column)
            largest = fmax(largest, mass[at.row] += m.value[at.k]);
    return largest;
}

// of the coordinates first .. end-1
static void find_largest(const trm_system *u, int first, int end, const double *mass,
                         double *largest)
{
    for (int i = first; i < end; i++) {
        largest[i] = 0;
        for (int j = first; j < end; j++)
            if (trmi_q_size(u, j) == trmi_q_size(u, i))
                largest[i] = fmax(largest[i], mass[j]);
    }
}

void trmi_largest_inertias(const trmi_values *values, const double *mass, double *largest)
{
    const trm_system *u = &values->e->user;
    for (int b = 0; b < u->n_bodies; b++)
        find_largest(u, u->body_first[b], u->body_first[b + 1], mass, largest);
    if (u->n_bodies == 0)
        find_largest(u, 0, values->e->n_q, mass, largest);
}

double trmi_largest_square(const trmi_values *values, const double *mass)
{
    double largest = 0;
    for (int k = 0; k < 2; k++) {
        const trmi_matrix b = trmi_matrix_of(values, (int)stiffness[k]);
        if (!is_present(values, stiffness[k]))
            continue;
        for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count;
             trmi_pattern_next(&at))
            if (at.row == at.column && mass[at.row] > 0)
                largest = fmax(largest, fabs(b.value[at.k]) / mass[at.row]);
    }
    return largest;
}

void trmi_stiffness_rows(const trmi_values *values, const double *q, double *out)
{
    const double *scale = values->e->user.q_scale;
    memset(out, 0, (size_t)values->e->n_q * sizeof *out);
    for (int k = 0; k < 2; k++) {
        const trmi_matrix b = trmi_matrix_of(values, (int)stiffness[k]);
        if (!is_present(values, stiffness[k]))
            continue;
        for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count;
             trmi_pattern_next(&at)) {
            out[at.row] += fabs(b.value[at.k]) * trmi_unknown_unit(scale, at.column, q[at.column]);
        }
    }
}

// out_i = max(out_i, size_ij, of_j), out_j likewise, over the entries of K; size_ij: |K_ij| for
// changes by a unit of both coordinates
static void spread_loads(const trmi_values *values, const double *of, double *out)
{
    const trm_system *u = &values->e->user;
    for (int k = 0; k < 2; k++) {
        const trmi_matrix b = trmi_matrix_of(values, (int)stiffness[k]);
        if (!is_present(values, stiffness[k]))
            continue;
        for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count;
             trmi_pattern_next(&at)) {
            int i = at.row, j = at.column;
            double size = fabs(b.value[at.k]) * trmi_q_unit(u, i, 0) * trmi_q_unit(u, j, 0);
            out[i] = fmax(out[i], fmax(size, of[j]));
            out[j] = fmax(out[j], fmax(size, of[i]));
        }
    }
}

void trmi_stiffness_loads(const trmi_values *values, double *work, double *out)
{
    size_t size = (size_t)values->e->n_q * sizeof *out;
    memset(out, 0, size);
    memset(work, 0, size);
    spread_loads(values, out, work); // out: 0, or what is there already
    memcpy(out, work, size);
    spread_loads(values, work, out);
}

double trmi_force_size(const trmi_values *values, const double *lambda, double *work)
{
    int n = values->e->n_q;
    memset(work, 0, (size_t)n * sizeof *work);
    trmi_add_constraint_force(values, lambda, 1, work);
    return fmax(trmi_max_abs(values->of[TRM_QUANTITY_FORCE], n), trmi_max_abs(work, n));
}

double trmi_largest_entry(const double *x, int n, int *index)
{
    double size = 0;
    *index = 0;
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) > size) {
            size = fabs(x[i]);
            *index = i;
        }
    return size;
}

double trmi_start_entry(int i, int seed)
{
    return sin(1.3 * i * (1 + 0.37 * seed) + 2.1 * seed);
}
