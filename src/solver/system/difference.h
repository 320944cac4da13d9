// SPDX-License-Identifier: Apache-2.0
// Derivatives by differences: what each derivative is the derivative of (differentiated.c), which
// columns are moved together (columns.c), and the differences themselves (difference.c).
#ifndef TRMI_SOLVER_SYSTEM_DIFFERENCE_H
#define TRMI_SOLVER_SYSTEM_DIFFERENCE_H

#include "solver/system/evaluator.h"
#include "trammel/options.h"

// What the elimination of z from the constraints needs.
#define TRMI_ELIMINATION_QUANTITIES                                                                \
    (TRM_BIT(CONSTRAINT_Z) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_Q) | TRM_BIT(ALGEBRAIC_T) |  \
     TRM_BIT(ALGEBRAIC) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_T))

typedef enum trmi_variable {
    TRMI_BY_T,
    TRMI_BY_Q,
    TRMI_BY_V,
    TRMI_BY_X,
    TRMI_BY_Z,
    TRMI_BY_LAMBDA
} trmi_variable;

// What a derivative is the derivative of: sign times a vector of the system, or `base`.
typedef struct trmi_differentiated {
    trm_quantity copied; // the vector
    double sign;
    // out = the differenced quantity at the point, from the values there; NULL: the vector
    void (*base)(const trmi_values *values, const trmi_point *p, double *out);
    uint64_t needs;   // quantities it is made of; of M a - f: trmi_differentiated_needs
    trmi_variable by; // the variable
    bool shares;      // evaluations with other derivatives by this variable
} trmi_differentiated;
const trmi_differentiated *trmi_differentiated_of(trm_quantity quantity);
// out = what `quantity` is the derivative of, from the values at the point.
void trmi_differentiated_find(trm_quantity quantity, const trmi_values *values, const trmi_point *p,
                              double *out);

// The quantities that are evaluated for it, at this system.
uint64_t trmi_differentiated_needs(const trmi_evaluator *e, trm_quantity quantity);

// Everything that bases are made of.
uint64_t trmi_difference_bases(const trmi_evaluator *e);
// Whether a quantity is differenced two-sided, as is everything the levels of the constraints are
// made of.
bool trmi_difference_central(const trmi_evaluator *e, trm_quantity quantity);
// The quantities formed by differences that share the evaluations of this one, and itself.
uint64_t trmi_difference_companions(const trmi_evaluator *e, trm_quantity quantity);
// The first row of a quantity among those of its companions.
int trmi_difference_first_row(const trmi_evaluator *e, trm_quantity quantity);
// The number of its (active) columns.
int trmi_difference_columns(const trmi_evaluator *e, trm_quantity quantity);
// The typical sizes of its columns, NULL: 1.
const double *trmi_difference_scales(const trmi_evaluator *e, trm_quantity quantity);
// Whether G is known without differences.
bool trmi_gradient_supplied(const trmi_evaluator *e);

// Forms quantities that share their evaluations (companions) by differences, each into out[k] with
// its pattern (full rows). central: two-sided. The evaluations count, and take their excitations,
// as those of `from` do.
int trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities, bool central,
                    const trmi_values *from, double *const out[TRM_QUANTITY_COUNT]);

// The increment of a two-sided difference by coordinate i with value q.
double trmi_increment_q(const trmi_evaluator *e, double q, int i);

// Groups for all quantities that are formed by differences: every column is moved alone. At first,
// and after rows were dropped.
bool trmi_evaluator_create_columns(trmi_evaluator *e, trmi_memory *memory);
// The groups in which each column of the quantity is moved alone.
const trmi_column_groups *trmi_single_columns(const trmi_evaluator *e, trm_quantity quantity);
// A quantity takes these groups: group[j] of column j, -1 for none. included (may be NULL): only
// these entries. All other entries are zero from now on.
void trmi_quantity_regroup(trmi_quantity *b, const trmi_column_groups *groups, const int *group,
                           const unsigned char *included);

// dependences.c: the system as the option jacobian_source selects it: for differences without the
// derivatives that occur in the matrix alone. Those of the constraints occur in the equations and
// stay exact.
trm_system trmi_source_system(const trm_system *system, trm_jacobian_source source);

// dependences.c: jacobian_source = analytic: an error names what is needed and not supplied.
trm_status trmi_source_check(const trmi_evaluator *e, trm_jacobian_source source, uint64_t needed,
                             trm_error *error);

#endif
