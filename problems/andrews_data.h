// SPDX-License-Identifier: Apache-2.0
// Data of Andrews' squeezing mechanism in SI units, names as in the Test Set for IVP Solvers:
// masses, inertias, fixed points A, B, C, lengths, spring, drive torque, start angles.
#ifndef TRP_ANDREWS_DATA_H
#define TRP_ANDREWS_DATA_H

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                    m7 = .05498;
static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                    i6 = 5.667e-7, i7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double d = .028, da = .0115, e = .02, ra = .00092, rr = .007, ss = .035, sa = .01874,
                    sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                    ua = .01228, ub = .00449, zf = .02, zt = .04;
static const double e_ea = .02 - .01421, zf_fa = .02 - .01421; // e - ea, zf - fa
static const double c0 = 4530.0, l0 = .07785, mom = .033;

static const double beta_0 = -0.0617138900142764496358948458001,
                    gamma_0 = 0.455279819163070380255912382449,
                    phi_0 = 0.222668390165885884674473185609,
                    delta_0 = 0.487364979543842550225598953530,
                    omega_0 = -0.222668390165885884674473185609,
                    epsilon_0 = 1.23054744454982119249735015568; // Theta is 0

#endif
