// SPDX-License-Identifier: Apache-2.0
// The energy balance of a motion, which observes its accepted steps from outside:
//
//     defect = E - E(start) - W + L - jumps,   W = integral of P_in,  L = integral of P_lost
//
// is what errors of the integration brought in or took out. A caller that knows only the sum of the
// powers, dE/dt along the exact motion, gives it as P_in with P_lost = 0. The judge of a run
// (energy.h) samples some of its steps, `trammel run --energy` every one.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_BALANCE_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_BALANCE_H

#include <stdbool.h>

typedef struct trmi_balance {
    double t;        // time up to which the balance is known
    double total;    // energy E at t
    double power[2]; // P_in and P_lost at t
    double work[2];  // W and L, from the start to t
    double jumps;    // sum of the changes of E by events
    double start;    // E at the start
    double error;    // estimated error of the work that the powers were integrated with
} trmi_balance;

// Powers at a time t inside the last step; false: there are none.
typedef bool trmi_balance_probe(void *context, double t, double power[2]);

// Starts a balance.
void trmi_balance_begin(trmi_balance *b, double t, double total, const double power[2]);

// Work of both powers from b->t to `to`, where the powers are `power`, by Lobatto's rule with four
// points (order 6), the inner two probed. While the estimated error is above `limit` the part of
// the step with the largest is halved, as often as there is memory for its parts, and as long as
// four times as many parts have less than half the error: around a jump they do, with noise they
// do not. error: what is left of it. False: a probe failed.
bool trmi_balance_integrate(const trmi_balance *b, double to, const double power[2], double limit,
                            trmi_balance_probe *probe, void *context, double work[2],
                            double *error);

// Moves the balance on to t, with the work of both powers since b->t and its estimated error.
void trmi_balance_advance(trmi_balance *b, double t, double total, const double power[2],
                          const double work[2], double error);

// An event at b->t changed the energy from `before` to `total`.
void trmi_balance_jump(trmi_balance *b, double before, double total, const double power[2]);

double trmi_balance_defect(const trmi_balance *b);

#endif
