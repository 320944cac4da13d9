// SPDX-License-Identifier: Apache-2.0
// A constraint by formula, the joint `relation`: g = f(t, p_1, .. p_n) of signals, which may belong
// to any bodies. With the rows of the signals
//
//     G = f_i G_i,   g_t = f_t + f_i p_i,t
//     (Gv)_q = f_i (p_i')_q + c_i G_i,    c_i = f_ij p_j' + f_ti
//     gamma = f_i bias_i + f_ij p_i' p_j' + 2 f_ti p_i' + f_tt
//     (G^T lambda)_q = lambda (f_i (G_i^T)_q + f_ij G_i^T G_j)
//
// summed over i and j. All derivatives of f are exact. Where f = h(a_1, .. a_m) is a function in C
// of formulas a, with y = (t, p_1, .. p_n) they are
//
//     f_i = h_a a_i,   f_ij = h_ab a_i b_j + h_a a_ij        summed over the formulas a and b
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_RELATION_H
#define TRMI_MODELLING_MULTIBODY_ROWS_RELATION_H

#include "modelling/expression/tape.h"
#include "modelling/multibody/rows/row_set.h"

// Groups of outputs of the tape of a relation.
enum {
    TRMI_RELATION_FIRST, // f, f_t, f_1 .. f_n; of a function in C these of every formula that it
                         // gets, then its parameters
    TRMI_RELATION_SECOND // f_tt, f_t1 .. f_tn, f_11 .. f_nn row by row; likewise
};

struct trmi_relation {
    int signals;
    const trmi_signal *signal;
    const int *input; // of the tape, for each signal
    const trmi_tape *tape;
    int time, parameter;             // inputs of the tape: t, and the first of the parameters,
    int u, inputs;                   // u, u', u'' of the inputs of the file
    const double *value;             // of the parameters at the start
    int first;                       // of its registers
    const trm_user_constraint *code; // NULL: it is a formula
    int arguments, parameters;       // formulas and parameters that the code gets
};

// What a function in C gets and gives.
typedef struct trmi_code_work {
    double *first, *second; // of its formulas, as the tape gives them
    double *value;          // of the formulas
    double *h_a, *h_ab;     // its derivatives
    double *plus, *minus;   // h_a beside
} trmi_code_work;

struct trmi_relation_work {
    double *reg;         // of all relations
    trmi_set_state *set; // of the one at hand,
    double *first, *second, *gradient;
    int columns; // of a gradient
    trmi_code_work code;
};

// Registers for all relations of a mechanism, and arrays for the largest, with gradients of so many
// columns; NULL where it has none. False: no memory.
bool trmi_relation_work_create(trmi_relation_work **work, trmi_memory *memory,
                               const trmi_mechanism *mechanism, int columns);
// Parameters of one relation; NULL: those of the start.
void trmi_relation_set(const trmi_relation *relation, trmi_relation_work *work,
                       const trmi_mechanism *mechanism, const double *parameters);
// The same for all relations of a mechanism.
void trmi_relation_set_parameters(trmi_relation_work *work, const trmi_mechanism *mechanism,
                                  const double *parameters);

// The derivatives of f at a state into first and (second) second, and the sets of its signals.
void trmi_relation_at(const trmi_relation *relation, trmi_relation_work *work,
                      const trmi_row_set *set, const trmi_kinematics *k, const trm_state *state,
                      bool second);
// c_i = f_ij p_j' + f_ti, after second derivatives.
double trmi_relation_turning(const trmi_relation *relation, const trmi_relation_work *work, int i);
// What of gamma the biases of the rows do not have.
double trmi_relation_bias(const trmi_relation *relation, const trmi_relation_work *work);

// The set of a signal (signals.c). False: no memory.
bool trmi_signal_set(trmi_row_set *set, trmi_memory *memory, const trmi_mechanism *mechanism,
                     const trmi_tree *tree, const trmi_signal *signal, int *n_held);

#endif
