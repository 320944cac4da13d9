// SPDX-License-Identifier: Apache-2.0
// A row that is a formula of signals, p = f(t, p_1, .. p_n): a set whose columns are those of the
// sets of its signals, with the derivatives of relation.h.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_COMPOSITE_H
#define TRMI_MODELLING_MULTIBODY_ROWS_COMPOSITE_H

#include "modelling/multibody/rows/row_set.h"

// Immutable.
struct trmi_composite {
    const trmi_relation *relation;
    const trmi_row_set *set; // of its signals, one row each
    const int *place;        // of their columns, set by set: which column of the whole
    int number;              // of its state, which lies in the kinematics
};

// The set of a formula; held values are numbered on from *n_held. False: no memory.
bool trmi_composite_set(trmi_row_set *set, trmi_memory *memory, const trmi_mechanism *mechanism,
                        const trmi_tree *tree, const trmi_relation *relation, int number,
                        int *n_held);

// What one simulation works with. False: no memory.
bool trmi_composite_work_create(trmi_kinematics *k, trmi_memory *memory,
                                const trmi_mechanism *mechanism, const trmi_row_set *set,
                                int composites);
void trmi_composite_set_parameters(const trmi_kinematics *k, const trmi_mechanism *mechanism,
                                   const trmi_row_set *set, const double *parameters);

// ---- what row_set.h does with such a set ----

void trmi_composite_at(trmi_set_state *x, bool straight);
double trmi_composite_rate(const trmi_set_state *x);
// f_t: what moves it with everything at rest.
double trmi_composite_time_rate(const trmi_set_state *x);
// p'' with the accelerations of the kinematics; own: also those of coordinates, as the state has
// them.
double trmi_composite_second(const trmi_set_state *x, bool own);
void trmi_composite_gradient(const trmi_set_state *x, double *G);
void trmi_composite_velocity_q(const trmi_set_state *x, double *out);
void trmi_composite_geometric(const trmi_set_state *x, double lambda, trmi_row_workspace *workspace,
                              double *block);
void trmi_composite_load(const trmi_set_state *x, double lambda, trmi_wrench *on_body,
                         double *on_column);
bool trmi_composite_settle(const trmi_row_set *set, const trmi_kinematics *k,
                           const trm_state *state, double *held);

#endif
