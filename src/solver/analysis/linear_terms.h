// SPDX-License-Identifier: Apache-2.0
// Products with the derivatives of a system, and properties of its stiffness, from a set of values.
#ifndef TRMI_SOLVER_ANALYSIS_LINEAR_TERMS_H
#define TRMI_SOLVER_ANALYSIS_LINEAR_TERMS_H

#include "solver/system/evaluator.h"

// y += factor B x with a matrix B of the values; an absent quantity is zero.
void trmi_add_product(const trmi_values *values, trm_quantity quantity, double factor,
                      const double *x, double *y);

// Whether every entry of a quantity is zero.
bool trmi_quantity_vanishes(const trmi_values *values, trm_quantity quantity);

// Whether K + (G^T lambda)_q is symmetric: y^T K x = x^T K y for two vectors without symmetry.
bool trmi_stiffness_symmetric(const trmi_values *values, const trmi_memory *memory);

// Sets mass (n_q) to the diagonal of M; returns its largest entry.
double trmi_mass_diagonal(const trmi_values *values, double *mass);

// largest_i (n_q) = the largest of the inertias given, of the coordinates of the body of i that
// have the size of i; where no bodies are declared, of all coordinates of that size.
void trmi_largest_inertias(const trmi_values *values, const double *mass, double *largest);

// The largest |K_ii| / M_ii and |(G^T lambda)_q,ii| / M_ii, an estimate of the largest omega^2.
double trmi_largest_square(const trmi_values *values, const double *mass);

// out_i = sum_j |K_ij| x_j with the size x_j = max(|q_j|, 1 or the typical size) of a position: the
// terms of which forces that change with the positions are made.
void trmi_stiffness_rows(const trmi_values *values, const double *q, double *out);

// out_i = the largest |K_jk| of rows j that K joins to i, each for changes by a unit of both
// coordinates: eps of it is what K knows of coordinate i. work: n_q.
void trmi_stiffness_loads(const trmi_values *values, double *work, double *out);

// The largest entry of f and of G^T lambda. work: n_q.
double trmi_force_size(const trmi_values *values, const double *lambda, double *work);

// The largest |x_i| and its index.
double trmi_largest_entry(const double *x, int n, int *index);

// Entry i of start vector number `seed`, between -1 and 1.
double trmi_start_entry(int i, int seed);

#endif
