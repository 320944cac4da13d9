// SPDX-License-Identifier: Apache-2.0
// Angles of three rotations one after the other, about axes i, j, k that turn along:
//
//     R = R_i(a_1) R_j(a_2) R_k(a_3),   R: from the axes of B to those of A
//
// There are two such triples, (a_1, a_2, a_3) and (a_1 + pi, pi - a_2, a_3 + pi), of sequences with
// i = k (a_1 + pi, -a_2, a_3 + pi), and full turns. The one nearest to what is held is taken: no
// angle jumps, also where a_2 passes the position in which the first and the third axis agree.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_ROW_EULER_H
#define TRMI_MODELLING_MULTIBODY_ROWS_ROW_EULER_H

#include "modelling/multibody/rows/row_library.h"

enum { TRMI_EULER_SEQUENCES = 12 };

typedef struct trmi_euler {
    const char *name; // "zyx"
    int i, j, k;      // k: the third axis, of sequences with two axes the one that is not in them
    bool twice;       // the third axis is the first again
    double e;         // 1: i, j, k are in cyclic order, otherwise -1
} trmi_euler;

// The sequence of that name, the data of the rows; NULL: there is none.
const trmi_euler *trmi_euler_find(const char *name, int length);
// The sequence with that number, NULL past the end.
const trmi_euler *trmi_euler_at(int index);
// The number of a sequence.
int trmi_euler_index(const trmi_euler *sequence);

extern const trmi_row_type trmi_euler_row[3]; // a_1, a_2, a_3

#endif
