// SPDX-License-Identifier: Apache-2.0
// The signs of the stiffness of a system at rest along the motions that the constraints allow,
// without the mass: where stability comes from, whatever the inertias are. In units u of the
// coordinates,
//
//     dq = u X xi,  G u X = 0,  X^T X = 1,    (X^T u K u X) V = V kappa
//
// Free directions V_0 have kappa = 0 up to roundoff. Frequencies are those of the others, with the
// free ones moving along (^+: where these have no inertia they need not),
//
//     kappa y = s S y,   S = M_11 - M_10 M_00^+ M_01,   M_ij = V_i^T X^T u M u X V_j
#ifndef TRMI_SOLVER_ANALYSIS_SIGNATURE_H
#define TRMI_SOLVER_ANALYSIS_SIGNATURE_H

#include "solver/linear/split.h"
#include "solver/system/evaluator.h"

typedef struct trmi_signature {
    int n, p;                  // coordinates; motions that the constraints allow
    int unstable, free;        // negative and zero kappa; the others are positive
    trmi_split split;          // of G u, orthonormal
    double *kappa;             // p: negative ones, zeros, positive ones
    double *shape;             // n x p: dq; after the frequencies those of small motions
    double *square;            // p: s, 0 of the free ones
    double *uncertainty;       // p: of s
    trmi_memory *memory;       // owns all of it
    const trmi_values *values; // M, K + (G^T lambda)_q and G, as evaluated last
} trmi_signature;

typedef enum trmi_signature_status {
    TRMI_SIGNATURE_OK,
    TRMI_SIGNATURE_MEMORY,
    TRMI_SIGNATURE_UNKNOWN // the constraints lose rank, or the values are not finite
} trmi_signature_status;

// Finds the signs, in `memory`. `load`: trmi_stiffness_loads; noise: what is roundoff of K,
// relative to its largest kappa.
trmi_signature_status trmi_signature_find(trmi_signature *s, trmi_memory *memory,
                                          const trmi_values *values, const double *load,
                                          double noise);

// Then their frequencies.
trmi_signature_status trmi_signature_frequencies(trmi_signature *s);

#endif
