// SPDX-License-Identifier: Apache-2.0
// Equation models: from formulas to a system with exact, sparse derivatives.
#ifndef TRMI_MODELLING_READER_EQUATIONS_EQUATIONS_H
#define TRMI_MODELLING_READER_EQUATIONS_EQUATIONS_H

#include "modelling/expression/breaks.h"
#include "modelling/reader/reading.h"

// An entry of a matrix of formulas.
typedef struct trmi_entry {
    int row, column;
    trmi_node node;
} trmi_entry;

// Entries that grow while they are collected.
typedef struct trmi_entries {
    trmi_entry *entry;
    int count, capacity;
    bool failed; // no memory
} trmi_entries;

void trmi_entries_add(trmi_entries *entries, int row, int column, trmi_node node);
void trmi_entries_release(trmi_entries *entries);

// The formulas of a file.
typedef struct trmi_formulas {
    trmi_entries mass; // structurally non-zero entries, both triangles
    trmi_node *input;  // 3 n_u formulas of t: all u, then all u', then all u''
    trmi_node *force, *rate, *algebraic, *constraint;
    trmi_node *rolling; // A v + a, linear in v
    trmi_node *invariant;
    trmi_node kinetic, potential;
} trmi_formulas;

// Groups of the tape: one per quantity of the system class, and those of the elimination of z.
enum {
    TRMI_GROUP_BETA = TRM_QUANTITY_COUNT, // b_q v + b_t
    TRMI_GROUP_G2,                        // second derivative of g along (1, v, z')
    TRMI_GROUP_B2,                        // the same of b
    TRMI_GROUP_GZL,                       // g_z^T lambda
    TRMI_GROUP_H1,                        // (g_q^T lambda - b_q^T mu)_q
    TRMI_GROUP_H2,                        // (g_z^T lambda - b_z^T mu)_q
    TRMI_GROUP_KINKS,                     // of each condition by state s, s', s''
    TRMI_GROUP_BENDS                      // s, s'' of each, or NaN: bounds are not wanted
};

// Rows and columns of the entries of a block, for the numeric part of the elimination.
typedef struct trmi_places {
    int count;
    const int *row, *column;
} trmi_places;

struct trmi_equations {
    const trmi_tape *tape;
    const trmi_breaks *breaks; // of its formulas of t, NULL: none
    int kinks;                 // conditions by state, whose locks are the held values
    bool bends;                // one of them is not a cubic on the path of a step
    bool eliminates;           // constraints depend on z
    trmi_places b_z, b_q, g_z, h1, h2;
    // in the file, row by row
    const trmi_line_column *mass_place, *force_place, *rate_place, *algebraic_place;
};

// What derivatives.c collects: outputs of the tape, and patterns of the system.
typedef struct trmi_collection {
    trmi_reading *r;
    const trmi_formulas *f;
    trmi_tape_output *output;
    int outputs, capacity;
    bool failed; // no memory
} trmi_collection;

// Adds a vector, or a matrix with its pattern, as the outputs of a quantity. What is structurally
// zero is declared so and not supplied.
void trmi_collect_vector(trmi_collection *c, trm_quantity quantity, const trmi_node *node, int n);
void trmi_collect_matrix(trmi_collection *c, trm_quantity quantity, const trmi_entries *entries);
// Outputs of a group that is not a quantity.
void trmi_collect_group(trmi_collection *c, int group, const trmi_node *node, int n);
trmi_places trmi_collect_places(trmi_collection *c, int group, const trmi_entries *entries);

// Whether constraints depend on z, once CONSTRAINT_Z is collected.
static inline bool trmi_constraints_use_z(const trm_system *s)
{
    return s->n_z > 0 && s->n_g > 0 &&
           s->pattern[TRM_QUANTITY_CONSTRAINT_Z].count != TRM_PATTERN_ZERO;
}

// parameter_derivative.c: the derivatives by the parameter r->by in the place of all outputs but
// excitations and conditions.
void trmi_differentiate_equations(trmi_collection *c);

// inputs.c: the section `inputs`. While it is read an input is its formula of t, which those below
// may use; afterwards a variable of its own.
void trmi_read_inputs(trmi_reading *r, const trmi_item *section, trmi_node *out);
// The direction of motion: that of time with q -> v and, if wanted, z -> z'.
void trmi_fill_direction(trmi_reading *r, trmi_node *direction, bool with_z);

// derivatives.c: every quantity the formulas give.
void trmi_collect_derivatives(trmi_collection *c);
// Entries d node[i] / d input, for inputs first .. first+count-1, times sign.
void trmi_gradients(trmi_collection *c, const trmi_node *node, int n, int row, int first, int count,
                    double sign, trmi_entries *out);

// restrictions.c: reports velocity constraints that are not linear in v.
void trmi_check_linear(trmi_collection *c, const trmi_entries *a);
// restrictions.c: reports z in constraints whose equations depend on more than t and q.
void trmi_check_algebraic(trmi_collection *c);

// elimination.c: collects the formulas behind gamma and the geometric stiffness when g depends on
// z.
void trmi_collect_elimination(trmi_collection *c, trmi_equations *equations);

// elimination.c: computes gamma.
int trmi_eliminate_gamma(const trm_instance *instance, double *gamma);

// elimination.c: computes the geometric stiffness.
int trmi_eliminate_geometric(const trm_instance *instance, double *value);

// elimination.c: numbers of instance->work that the elimination needs.
size_t trmi_elimination_work(const trm_model *model);

// explain.c: keeps where the formulas are in the file; false without memory.
bool trmi_keep_formulas(trmi_reading *r, const trmi_item *section, trmi_equations *equations);
// explain.c: the formula that has no value (model_type.h).
void trmi_explain_equations(const trm_instance *instance, trm_error *error);

// equations.c: the section `equations`.
void trmi_read_equations(trmi_reading *r, const trmi_item *section);

// equation_model.c: the callback of all quantities.
int trmi_equations_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                            void *user);
// equation_model.c: the next break of functions of t.
double trmi_equations_next_break(double t, double t_end, void *user);
// equation_model.c: the gaps of conditions.
int trmi_equations_switches(const trm_state *state, double *gap, double *rate, double *second,
                            void *user);
// equation_model.c: how much they bend.
int trmi_equations_switch_bends(const trm_state *from, const trm_state *to, double *bend,
                                void *user);

#endif
