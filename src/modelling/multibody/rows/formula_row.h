// SPDX-License-Identifier: Apache-2.0
// A row that is a formula of signals, p = f(t, p_1, .. p_n), for the force `relation`: a set whose
// columns are those of the sets of its signals, with the derivatives of relation.h. A function of
// rows of one pair of bodies needs no set of its own: trmi_row_composite of row.h.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_FORMULA_ROW_H
#define TRMI_MODELLING_MULTIBODY_ROWS_FORMULA_ROW_H

#include "modelling/multibody/rows/row_set.h"

// Immutable.
struct trmi_formula_row {
    const trmi_relation *relation;
    const trmi_row_set *set; // of its signals, one row each
    const int *place;        // of their columns, set by set: which column of the whole
    int number;              // of its state, which lies in the kinematics
};

// The set of a formula; held values are numbered on from *n_held. False: no memory.
bool trmi_formula_row_create(trmi_row_set *set, trmi_memory *memory,
                             const trmi_mechanism *mechanism, const trmi_tree *tree,
                             const trmi_relation *relation, int number, int *n_held);

// What one simulation works with. False: no memory.
bool trmi_formula_row_work_create(trmi_kinematics *k, trmi_memory *memory,
                                  const trmi_mechanism *mechanism, const trmi_row_set *set,
                                  int formula_rows);
void trmi_formula_row_set_parameters(const trmi_kinematics *k, const trmi_mechanism *mechanism,
                                     const trmi_row_set *set, const double *parameters);

// ---- what row_set.h does with such a set ----

// Its signals and the derivatives of the formula at the state; straight: without second ones.
void trmi_formula_row_at(trmi_set_state *x, bool straight);
// p'
double trmi_formula_row_rate(const trmi_set_state *x);
// f_t: what moves it with everything at rest.
double trmi_formula_row_time_rate(const trmi_set_state *x);
// p'' with the accelerations of the kinematics; own: also those of coordinates, as the state has
// them.
double trmi_formula_row_second(const trmi_set_state *x, bool own);
// G, one number for each column of the set.
void trmi_formula_row_gradient(const trmi_set_state *x, double *G);
// (G v)_q, likewise.
void trmi_formula_row_velocity_q(const trmi_set_state *x, double *out);
// lambda (G^T)_q, columns x columns.
void trmi_formula_row_geometric(const trmi_set_state *x, double lambda,
                                trmi_row_workspace *workspace, double *block);
// -lambda G^T as wrenches on the bodies and forces on columns.
void trmi_formula_row_load(const trmi_set_state *x, double lambda, trmi_wrench *on_body,
                           double *on_column);
// What its signals hold from this accepted point on; true if it changed.
bool trmi_formula_row_settle(const trmi_row_set *set, const trmi_kinematics *k,
                             const trm_state *state, double *held);

#endif
