// SPDX-License-Identifier: Apache-2.0
// The slider-crank with an elastic rod: what its equations and its description share.
#ifndef TRP_FLEXIBLE_CRANK_H
#define TRP_FLEXIBLE_CRANK_H

#include "modelling/multibody/beams/beam.h"
#include "trammel/system.h"

enum { PHI1, PHI2, X3, U }; // coordinates; those of the rod from U on

typedef struct trp_crank {
    trmi_memory rod_memory;
    trmi_beam rod; // the beam of mechanisms, which this problem tests: internal to the library
    double l1, l2, J1, m3;
    double torque, off; // off > 0: the torque acts until then, and is not a state
    int tip;            // coordinate of w(l2), -1: it is zero
} trp_crank;

// Entries of M and K: four of (phi1, phi2), (x3, x3), then rows phi1, phi2 and columns phi1, phi2
// over u, then those of the rod: as many as the matrix has.
enum { HEAD = 5 };

// The callbacks, for `user` a trp_crank.
void trp_crank_equations(trm_system *system);

#endif
