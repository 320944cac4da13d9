// SPDX-License-Identifier: Apache-2.0
// A row set: rows between one pair of bodies, over the columns of a tree.
//
// Only columns on exactly one of the two branches matter: what A and B have in common cancels. With
// sig_j = 1 on the way to B and -1 on the way to A, and motions referred to P, the marker on B:
//
//     G_j = sig_j gamma.s_j
//     (Gv)_q,j = sig_j (s_j.y + sdot_j.gamma),        y = H^T xi + v_B x* gamma
//     p'' = G a + bias,   bias = gamma.(a_B - a_A - v_A x v_B) + xi.H xi       a with q'' = 0
//     (G^T lambda)_q, gamma and H summed over the rows with their multipliers:
//       BB: s_i.H s_j + X_ij                     AB: -s_i.H s_j
//       BA: -s_i.H s_j - gamma.(s_j x s_i)       AA: s_i.H s_j + gamma.(s_j x s_i) - X_ij
//     X_ij = gamma.ds_i/dq_j: gamma.(s_j x s_i) for j before i, the chart's matrix inside a chart
//
// Rows of absolute rates p' = gamma.v_B have G_j = 0 on the way to A, y = H^T v_B + v_B x* gamma,
// (Gv)_q,j = -s_j.y there, and no rows AB, AA of (G^T lambda)_q: the ground takes their reaction.
// What A and B have in common does not cancel then: such columns are in both parts of the list.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_ROW_SET_H
#define TRMI_MODELLING_MULTIBODY_ROWS_ROW_SET_H

#include "modelling/multibody/joints/joint.h"
#include "modelling/multibody/kinematics.h"

// Markers on two bodies, in their axes, from their centres of mass.
typedef struct trmi_pair {
    int A, B;
    trmi_v3 a, b;
    trmi_m3 Q_A, Q_B; // columns: axes
    double size;      // pitch, radius or length
    const void *data; // what the rows need besides, NULL: nothing
    int joint;        // whose rows these are; TRMI_NOTHING: those of a force
} trmi_pair;

typedef struct trmi_row {
    const trmi_row_type *type;
    int held; // first of its held values; TRMI_NOTHING: none
} trmi_row;

typedef struct trmi_formula_row trmi_formula_row; // formula_row.h

typedef struct trmi_row_set {
    trmi_pair pair;
    int rows;
    trmi_row row[TRMI_MAX_ROWS];
    trmi_row_shape shape; // the richest of the rows
    bool absolute;        // a row has absolute rates
    int columns;          // on exactly one branch,
    int columns_b;        // first those on the way to B, then those to A, each from the ground on
    const int *column;    //
    int own;              // the one row is the coordinate of this column; TRMI_NOTHING: rows above
    const trmi_formula_row *formula_row; // the one row is a formula of other sets; NULL: rows above
} trmi_row_set;

// One set at one state.
typedef struct trmi_set_state {
    const trmi_row_set *set;
    const trmi_kinematics *k;
    const trm_state *state;
    trmi_view view;
    trmi_v3 arm[2];           // from O of the trees of A and B to P
    trmi_motion v_A, v_B, xi; // at P
    trmi_row_value value[TRMI_MAX_ROWS];
} trmi_set_state;

typedef struct trmi_relation_work trmi_relation_work; // relation.h

// Arrays for the columns of the largest set.
typedef struct trmi_row_workspace {
    trmi_motion *s;
    double *turned, *moved; // 6 x columns
    double *block;
    trmi_relation_work *relation; // NULL: there are no constraints by formula
} trmi_row_workspace;

// ---- creation ----

// Markers at these points with these axes, all in the reference configuration.
trmi_pair trmi_pair_at(const trmi_mechanism *mechanism, const int body[2], trmi_v3 at,
                       trmi_v3 at_second, trmi_m3 frame, trmi_m3 frame_second, double size);
// Adds a row; held values are numbered on from *n_held.
void trmi_set_add(trmi_row_set *set, const trmi_row_type *type, int *n_held);
// Finds the columns. False: no memory.
bool trmi_set_finish(trmi_row_set *set, trmi_memory *memory, const trmi_tree *tree);
// Leaves out the columns of prescribed motions, which forces do not change. False: no memory.
bool trmi_set_drop_driven(trmi_row_set *set, trmi_memory *memory, const trmi_tree *tree);
// The set of a joint as a cut, with its rows.
trmi_row_set trmi_set_of_joint(const trmi_mechanism *mechanism, const trmi_joint *joint,
                               const trmi_row_type *const *rows, int *n_held);
// A measure of a joint as the only row: the coordinate of its column, where it has one.
bool trmi_set_of_measure(trmi_row_set *set, trmi_memory *memory, const trmi_mechanism *mechanism,
                         const trmi_tree *tree, int joint, int measure, int *n_held);

bool trmi_row_workspace_create(trmi_row_workspace *workspace, trmi_memory *memory, int columns);

// ---- evaluation ----

// Values, gradients and H of the rows of a set, after a move of the kinematics.
void trmi_set_at(trmi_set_state *x, const trmi_row_set *set, const trmi_kinematics *k,
                 const trm_state *state);
// The same without H, for values, rates and gradients.
void trmi_set_straight_at(trmi_set_state *x, const trmi_row_set *set, const trmi_kinematics *k,
                          const trm_state *state);
// p'
double trmi_set_rate(const trmi_set_state *x, int row);
// What p'' is without accelerations of the coordinates.
double trmi_set_bias(const trmi_set_state *x, int row);
// p'', where the kinematics have the accelerations of the state.
double trmi_set_second(const trmi_set_state *x, int row);
// G of a row, one number for each column of the set.
void trmi_set_gradient(const trmi_set_state *x, int row, double *G);
// (G v)_q of a row, likewise.
void trmi_set_velocity_q(const trmi_set_state *x, int row, double *out);
// (G^T lambda)_q of all rows, columns x columns, row by row.
void trmi_set_geometric(const trmi_set_state *x, const double *lambda,
                        trmi_row_workspace *workspace, double *block);
// Wrench sum lambda gamma, moment about P.
trmi_wrench trmi_set_wrench(const trmi_set_state *x, const double *lambda);
// -lambda gamma on B and the opposite on A, at O of their trees; the set of a coordinate acts on
// its column.
void trmi_set_load(const trmi_set_state *x, const double *lambda, trmi_wrench *on_body,
                   double *on_column);
// What is to be held from this accepted point on; true if it changed.
bool trmi_set_settle(const trmi_row_set *set, const trmi_kinematics *k, const trm_state *state,
                     double *held);

// Whether row r has an entry of G, (Gv)_q in the set's column j: torques do not reach slides.
static inline bool trmi_set_touches(const trmi_row_set *set, int r, const trmi_tree *tree, int j)
{
    return set->own != TRMI_NOTHING || set->row[r].type->shape >= TRMI_ROW_SLIDE ||
           !trmi_column_slides(tree, set->column[j]);
}

// Whether (G^T lambda)_q has an entry where columns i and j of the set meet: two slides bend
// nothing unless a distance is measured, and torques do not reach slides.
static inline bool trmi_set_bends(const trmi_row_set *set, const trmi_tree *tree, int i, int j)
{
    bool slide_i = trmi_column_slides(tree, set->column[i]);
    bool slide_j = trmi_column_slides(tree, set->column[j]);
    if (set->own != TRMI_NOTHING)
        return false;
    return set->shape == TRMI_ROW_GENERAL ||
           (set->shape == TRMI_ROW_SLIDE ? !(slide_i && slide_j) : !(slide_i || slide_j));
}

#endif
