// SPDX-License-Identifier: Apache-2.0
// Elastic bodies in the recursion of articulated inertias.
#ifndef TRMI_MODELLING_MULTIBODY_BEAMS_ARTICULATED_BEAM_H
#define TRMI_MODELLING_MULTIBODY_BEAMS_ARTICULATED_BEAM_H

#include "modelling/multibody/recursion.h"

// The beam that an elastic column belongs to, otherwise NULL.
static inline const trmi_bending *trmi_recursion_beam(const trmi_recursion *r, int column)
{
    bool elastic = r->beam && r->beam[column] != TRMI_NOTHING;
    return elastic ? &r->bendings->bending[r->beam[column]] : NULL;
}

// The factors of the elastic columns, with the articulated inertias of all that the nodes carry;
// what is left is added to that of the frame. False: column *singular has no inertia.
bool trmi_articulate_beam(trmi_recursion *r, const trmi_bending *beam, int *singular);

// The right-hand sides of the elastic columns for these forces (per coordinate, NULL: 0) and for
// the wrenches on the nodes; what is left is added to that on the frame. state NULL: at rest.
void trmi_reduce_beam(trmi_recursion *r, const trmi_bending *beam, const trm_state *state,
                      const double *force);

// u'' into a (per coordinate) for the acceleration of the frame.
void trmi_expand_beam(const trmi_recursion *r, const trmi_bending *beam, trmi_motion frame,
                      double *a);

#endif
