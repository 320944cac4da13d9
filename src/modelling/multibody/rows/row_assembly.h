// SPDX-License-Identifier: Apache-2.0
// The constraints of a mechanism: the cut joints of a tree with their rows, prescribed motions of
// cut joints, couplings. Fills g, G, g_t, A, a, gamma, (Gv)_q and (G^T lambda)_q of the system.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_ROW_ASSEMBLY_H
#define TRMI_MODELLING_MULTIBODY_ROWS_ROW_ASSEMBLY_H

#include "base/texts.h"
#include "modelling/multibody/rows/row_set.h"
#include "modelling/multibody/slots.h"

// The rows of a joint as sets. Couplings have one row, the weighted sum of one set for each term.
typedef struct trmi_general {
    int sets;
    const trmi_row_set *set;
    const double *weight;          // of each set
    double offset;                 // subtracted
    const trmi_relation *relation; // its formula, whose derivatives are the weights; NULL: a sum
    int number[TRMI_MAX_ROWS]; // of the multipliers: holonomic rows, drives, velocity rows in the
                               // order of the set
    int drive[TRMI_MAX_ROWS];  // input that is subtracted; TRMI_NOTHING: none
} trmi_general;

// One joint with rows. Those made of slides and dots between free bodies of the star are closed
// blocks (row_star.h), which keep no more than they read: there are many of them.
typedef struct trmi_constraint {
    int joint;            // of the mechanism
    unsigned char rows;   //
    bool fixed_axes;      // closed: its point is held along the global axes, those of the plane in
                          // plane models
    unsigned char axes_A; // closed: bits of the axes of the markers that are needed
    unsigned char axes_B; //
    int first_G, first_A, first_K; // of its positions, in the order of evaluation
    int first;                     // closed: number of its first multiplier; the others follow,
    int A, B;                      // bodies
    trmi_v3 a, b; // and markers from their centres of mass; in the plane two components
    const trmi_row_type *const *type; // closed: of its rows
    const trmi_general *general;      // NULL: closed
} trmi_constraint;

// number of the multiplier of a row, and its type
static inline int trmi_constraint_number(const trmi_constraint *joint, int row)
{
    return joint->general ? joint->general->number[row] : joint->first + row;
}

static inline const trmi_row_type *trmi_constraint_type(const trmi_constraint *joint, int row)
{
    return joint->general ? joint->general->set->row[row].type : joint->type[row];
}

// A few bodies of the star with what is complete when they are placed, so that what is known of
// them is still at hand.
typedef struct trmi_tile {
    int bodies; // up to this one, without it,
    int joints; // in `order`,
    int K;      // entries of (G^T lambda)_q in the rows of these bodies
} trmi_tile;

// Immutable.
typedef struct trmi_constraints {
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    int n_g, n_a, joints;
    const trmi_constraint *joint; // those with rows
    trmi_slots G, A, K;           // patterns of G, A, (G^T lambda)_q
    trm_pattern velocity_q;       // of (Gv)_q: those of G, then of A
    int max_columns;
    bool all_closed; // every joint is closed blocks, which are written, not added;
    int tiles;       // then: bodies and joints group by group
    const trmi_tile *tile;
    const int *order;
} trmi_constraints;

// The rows of a joint of the mechanism; NULL: it has none.
const trmi_constraint *trmi_constraint_of(const trmi_constraints *c, int joint);

// Names of the rows, "pivot_x": all of them, joint by joint, or one, like snprintf.
void trmi_constraints_name_rows(const trmi_constraints *c, trmi_name_sink *sink, void *to);
int trmi_constraints_row_name(const trmi_constraints *c, int row, char *name, size_t size);

// Held values are numbered on from *n_held. star: use the faster blocks where they apply.
trm_status trmi_constraints_create(trmi_constraints *c, trmi_memory *memory,
                                   const trmi_mechanism *mechanism, const trmi_tree *tree,
                                   bool star, int *n_held, trm_error *error);

// The same rows as they lead to the right root from far: names, numbers, and near it values and
// gradients, are equal.
trm_status trmi_constraints_create_far(trmi_constraints *c, trmi_memory *memory,
                                       const trmi_mechanism *mechanism, const trmi_tree *tree,
                                       int *n_held, trm_error *error);

// Fills those of CONSTRAINT, CONSTRAINT_Q, CONSTRAINT_T, ROLLING, ROLLING_OFFSET, GAMMA, VELOCITY_Q
// and GEOMETRIC that are wanted. GAMMA needs accelerations k->a with q'' = 0.
void trmi_constraints_evaluate(const trmi_constraints *c, trmi_row_workspace *workspace,
                               const trmi_kinematics *k, const trm_state *state,
                               double *const want[TRM_QUANTITY_COUNT]);

// The same for the joints of one tile, where all_closed; the tiles before it come first. Of the
// kinematics it needs what trmi_star_place, _speed and _accelerate find of the bodies so far.
void trmi_constraints_evaluate_tile(const trmi_constraints *c, int tile, const trmi_kinematics *k,
                                    const trm_state *state, double *const want[TRM_QUANTITY_COUNT]);

// Wrenches of the multipliers on the bodies, at O of their trees, and on columns: added.
void trmi_constraints_load(const trmi_constraints *c, const trmi_row_workspace *workspace,
                           const trmi_kinematics *k, const trm_state *state, trmi_wrench *on_body,
                           double *on_column);

// What joint number i of the constraints does to its second body: moment about its point, force.
trmi_wrench trmi_constraints_reaction(const trmi_constraints *c,
                                      const trmi_row_workspace *workspace, int i,
                                      const trmi_kinematics *k, const trm_state *state);

// Power that constraints by formula put in because they depend on t: sum lambda f_t.
double trmi_constraints_power(const trmi_constraints *c, const trmi_row_workspace *workspace,
                              const trmi_kinematics *k, const trm_state *state);

// Renews held values at an accepted point; true if one changed.
bool trmi_constraints_settle(const trmi_constraints *c, const trmi_kinematics *k,
                             const trm_state *state, double *held);

// The mechanism's first joint whose rows vanish at the wrong one of two roots (an axis that points
// backwards, a half turn), or TRMI_NOTHING.
int trmi_constraints_overturned(const trmi_constraints *c, const trmi_kinematics *k,
                                const trm_state *state);

#endif
