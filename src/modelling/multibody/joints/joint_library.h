// SPDX-License-Identifier: Apache-2.0
// What the kinds of joints are: columns as an edge of the tree, rows as a cut.
//
// The frame has its axis along z; A is the first body of `between`. A joint is an edge of the tree
// by its columns or a cut by its rows; both give the same motion and reactions. Its measures
// (measure.h) are the coordinates of its columns, in their order:
//
//     travel along an axis   a slide      angle about an axis   a turn (screw: with the pitch)
//     three rotations        a chart
//
// A new kind: a line in TRMI_JOINT_LIST (mechanism.h), its measures (measure.c), its rows here.
#ifndef TRMI_MODELLING_MULTIBODY_JOINTS_JOINT_LIBRARY_H
#define TRMI_MODELLING_MULTIBODY_JOINTS_JOINT_LIBRARY_H

#include "modelling/multibody/rows/row_library.h"
#include "modelling/multibody/tree.h"

enum { TRMI_MAX_ROWS = 6 };

// One column of a joint in the tree.
typedef struct trmi_joint_column {
    trmi_column_kind kind;
    int axis; // 0 1 2: x y z of the frame; charts: which of the three parameters
} trmi_joint_column;

int trmi_joint_columns(trmi_joint_kind kind, trmi_plane plane);
trmi_joint_column trmi_joint_column_of(trmi_joint_kind kind, trmi_plane plane, int index);

// Whether this joint may be an edge of the tree. Friction needs the multipliers of a cut.
bool trmi_joint_may_be_edge(const trmi_joint *joint);

// The rows of a cut, at most TRMI_MAX_ROWS, NULL where they end. Couplings have none here: theirs
// are sums of measures.
const trmi_row_type *const *trmi_joint_rows(trmi_joint_kind kind, trmi_plane plane);

#endif
