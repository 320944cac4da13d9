// SPDX-License-Identifier: Apache-2.0
// Creep forces of a wheel that rolls on a rail. With the velocities V_x, V_y of the wheel at the
// point of contact, its spin w about the normal, its speed v and the normal force N
//
//     nu_x = V_x/|v|,  nu_y = V_y/|v|,  phi = w/v,       a, b = (a_0, b_0) (N/N_0 K_0/K)^(1/3)
//
// where K is the sum of the curvatures of both bodies, if the ellipse follows it, otherwise K_0.
// Of a wheel that runs backwards these are the creepages of its mirror image, whose forces are the
// same and whose moment has the other sign. Kalker's linear theory
//
//     F_x~ = -G ab C_11 nu_x,   F_y~ = -G ab C_22 nu_y - G (ab)^(3/2) C_23 phi
//     M = (G (ab)^(3/2) C_23 nu_y - G (ab)^2 C_33 phi) v/|v|
//
// is saturated as Johnson and Vermeulen do, (F_x, F_y) = s(e) (F_x~, F_y~) with
//
//     e = |F~|/(mu N),   s = 1 - e/3 + e^2/27 for e < 3, else 1/e
//
// or replaced by Kalker's FASTSIM (fastsim.c), which has the same linear theory as its limit, or
// saturated one by one, F_k = mu N tanh(F_k~/(mu N)), together at most mu N, and without M: so is
// the wheelset of Simeon, Fuehrer and Rentrop, Surv. Math. Ind. 1 (1991) 1-37.
#ifndef TRMI_MODELLING_MULTIBODY_RAIL_CREEP_H
#define TRMI_MODELLING_MULTIBODY_RAIL_CREEP_H

#include "modelling/multibody/forces/dual.h"

#include <stdbool.h>

// Kalker's coefficients.
enum { TRMI_C_11, TRMI_C_22, TRMI_C_23, TRMI_C_33, TRMI_C_COUNT };

typedef enum trmi_creep_law {
    TRMI_CREEP_JOHNSON_VERMEULEN,
    TRMI_CREEP_FASTSIM,
    TRMI_CREEP_TANH
} trmi_creep_law;

// The numbers of a pair.
typedef struct trmi_creep {
    double mu, G;
    double N_0, a_0, b_0; // semi-axes of the contact at this load, along and across
    double C[TRMI_C_COUNT];
    double speed; // to which creepages refer; NAN: that of the wheel
    double slow;  // below it they refer to this speed
    double K_0;   // sum of the curvatures to which the semi-axes belong
    bool follows; // the ellipse follows the curvatures in the contact
    trmi_creep_law law;
} trmi_creep;

// What forces depend on, and what they are: they act on the wheel along x, along the tangent, and
// about the normal.
enum { TRMI_CREEP_VX, TRMI_CREEP_VY, TRMI_CREEP_W, TRMI_CREEP_V, TRMI_CREEP_N, TRMI_CREEP_K };

// Creepages nu_x, nu_y, phi with their derivatives.
void trmi_creepages(const trmi_creep *c, const double V[4], trmi_dual nu[3]);
// Forces F_x, F_y and moment M; N > 0. K counts where the ellipse follows it.
void trmi_creep_forces(const trmi_creep *c, const double V[4], double N, double K, trmi_dual F[3]);
// The same by FASTSIM, from creepages and semi-axes.
void trmi_fastsim(const trmi_creep *c, const trmi_dual nu[3], trmi_dual a, trmi_dual b, trmi_dual N,
                  trmi_dual F[3]);

// Semi-axes a, b of Hertz' ellipse along and across, of bodies with equal moduli E, nu; curvatures
// along and across are sums over both bodies, positive.
void trmi_hertz_ellipse(double along, double across, double E, double nu, double N, double *a,
                        double *b);
// The constant k of N = k penetration^(3/2).
double trmi_hertz_stiffness(double along, double across, double E, double nu);
// Kalker's coefficients for nu = 0.25 and an ellipse from 1:10 to 10:1, linear between the values
// of his table; beyond it those at its end.
void trmi_kalker_coefficients(double a, double b, double C[TRMI_C_COUNT]);

#endif
