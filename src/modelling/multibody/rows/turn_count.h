// SPDX-License-Identifier: Apache-2.0
// Full turns of rows that measure an angle (trmi_row_type, counts_turns): exact however long the
// step. Held are the angle phi_0 of the last accepted point, its time t_0, its rate there, and in
// the plane by how much psi_0 the coordinates had turned the bodies against each other.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_TURN_COUNT_H
#define TRMI_MODELLING_MULTIBODY_ROWS_TURN_COUNT_H

#include "modelling/multibody/rows/row_set.h"

enum { TRMI_HELD_ANGLE, TRMI_HELD_TIME, TRMI_HELD_RATE, TRMI_HELD_TURNED };

// Where the angle is expected at the state of x: the branch nearest to it is the right one.
double trmi_expected_angle(const trmi_set_state *x, const trmi_row_type *type, const double *held);
// The held values of the state of x, which is accepted.
void trmi_count_turns(const trmi_set_state *x, const trmi_row_type *type, double *held);
// Those of a start with this angle.
void trmi_seed_turns(double t, double angle, double *held);

#endif
