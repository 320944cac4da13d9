// SPDX-License-Identifier: Apache-2.0
// Dynamics of the bodies of a tree over its columns: the residual formalism (Newton-Euler
// recursion), the mass matrix (composite inertias), exact derivatives, and the explicit formalism
// (articulated inertias). Forces and constraints enter as wrenches on bodies.
//
//     tau = M a + bias - (generalised forces of the wrenches)
#ifndef TRMI_MODELLING_MULTIBODY_RECURSION_H
#define TRMI_MODELLING_MULTIBODY_RECURSION_H

#include "modelling/multibody/articulated.h"
#include "modelling/multibody/beams/flexible.h"

// Sums over subtrees, per column; arrays of a workspace.
typedef struct trmi_recursion {
    const trmi_kinematics *k;
    trmi_wrench *F; // wrench through the column
    trmi_inertia *composite;
    trmi_m3 *spin;    // B_n, see inertia_derivatives.c
    trmi_v3 *impulse; // sum of m u_c
    trmi_articulated *A;
    trmi_wrench *U, *p; // explicit formalism
    double *d, *rest;
    trmi_motion *moved;
    const trmi_bendings *bendings;
    int *beam;                      // per column: elastic body it belongs to, or TRMI_NOTHING
    double (*band)[TRMI_BEAM_BAND]; // per elastic column: what M has left of it, nearest first
    trmi_beam_block block;          // of one beam: its mass matrix,
    trmi_beam_work points;          // and its points
} trmi_recursion;

// The star needs nothing here: its bodies do not meet in M.
bool trmi_recursion_create(trmi_recursion *r, trmi_memory *memory, const trmi_kinematics *k);
// The rest, for the explicit formalism. bendings: the elastic bodies, NULL: none.
bool trmi_recursion_create_explicit(trmi_recursion *r, trmi_memory *memory,
                                    const trmi_bendings *bendings);

// F_k = sum over the subtree of I a + v x* I v - applied, at the accelerations of the kinematics.
// applied: per body, at the O of its tree; NULL: none.
void trmi_recursion_wrenches(trmi_recursion *r, const trmi_wrench *applied);

// The composite inertias. After a move.
void trmi_recursion_composites(trmi_recursion *r);

// What a column contributes: tau_k = s_k . F_k
static inline double trmi_recursion_effort(const trmi_recursion *r, int k)
{
    return trmi_power(r->k->s[k], r->F[k]);
}

// q'' (per coordinate) for generalised forces (per coordinate; NULL: 0) and applied wrenches, in
// one backward and one forward pass. Forces and wrenches of elastic bodies are those of
// trmi_bendings_resist. False: column *singular has no inertia.
bool trmi_recursion_explicit(trmi_recursion *r, const trm_state *state, const double *force,
                             const trmi_wrench *applied, double *a, int *singular);

// x := M^-1 x, per coordinate, with the factors of the last trmi_recursion_explicit.
void trmi_recursion_solve(trmi_recursion *r, double *x);

// ---- matrices of the inertial part, tree or star
// -------------------------------------------------

// Where the entries of M, and of K and D, are: pairs of coordinates of which one is at or before
// the other. count 0 and nothing else when there are none. False: no memory.
bool trmi_inertia_patterns(trmi_memory *memory, const trmi_tree *tree, trm_pattern *mass,
                           trm_pattern *stiffness);

// f = - bias of the inertia and gravity + generalised forces of the applied wrenches (NULL: none).
// After accelerate with a = NULL; after accelerate with a it is f - M a.
void trmi_inertia_force(trmi_recursion *r, const double *a, const trmi_wrench *applied, double *f);

// M, D and (after accelerate with this a, and sddot) K = d(M a + bias)/dq, each in the order of its
// pattern; any may be NULL.
void trmi_inertia_matrices(trmi_recursion *r, const double *a, double *M, double *D, double *K);

#endif
