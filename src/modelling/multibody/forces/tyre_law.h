// SPDX-License-Identifier: Apache-2.0
// Laws of tyres: what acts in the plane of the road, as a function of load, slip, slip angle and
// camber. A new law is a line in TRMI_TYRE_LAW_LIST and its struct trmi_tyre_<name>.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_TYRE_LAW_H
#define TRMI_MODELLING_MULTIBODY_FORCES_TYRE_LAW_H

#include "modelling/multibody/forces/dual.h"

#include <stdbool.h>

// How the slips along and across the wheel act together.
typedef enum trmi_tyre_mode {
    TRMI_TYRE_LATERAL,  // the one along does not count: no force there
    TRMI_TYRE_COMBINED, // the force of the total slip, in shares of its parts
    TRMI_TYRE_WEIGHTED  // the force of each slip alone, less for the other one
} trmi_tyre_mode;

// What a law sees: load > 0; slip (v_spin - v_x)/|v_x|, slip angle atan(v_l/|v_x|), camber; 1 where
// the wheel rolls forward, -1 backward, between them near standstill.
typedef struct trmi_tyre_slip {
    trmi_dual load, slip, angle, camber, direction;
    trmi_tyre_mode mode;
} trmi_tyre_slip;

// What it gives: forces along and across the wheel, moment about the normal of the road.
typedef struct trmi_tyre_force {
    trmi_dual along, across, moment;
} trmi_tyre_force;

// What coefficients are for, as bits.
enum {
    TRMI_TYRE_FOR_ALL = 1,
    TRMI_TYRE_FOR_SLIP = 2,     // where the slip along the wheel counts
    TRMI_TYRE_FOR_WEIGHTS = 4,  // where forces are weighted
    TRMI_TYRE_FOR_LENGTH = 8,   // where the law gives the relaxation length across the wheel
    TRMI_TYRE_FOR_LENGTHS = 16, // and along it
};

typedef struct trmi_tyre_coefficient {
    const char *name;
    double preset;    // NAN: it must be given,
    unsigned use;     // where it is for one of these
    const char *unit; // NULL: a number
    int sign;         // 1: it must be positive, -1: negative, 0: any
} trmi_tyre_coefficient;

typedef struct trmi_tyre_law {
    const char *name;
    bool slip;    // it has a force along the wheel
    bool weights; // it knows TRMI_TYRE_WEIGHTED
    // where among the coefficients are radius, vertical stiffness, vertical damping and the lowest
    // speed of slips, for tyres that do not give them; -1: not among them
    int radius, stiffness, damping, low_speed;
    int count;
    const trmi_tyre_coefficient *coefficient;
    // Names of property files that it reads, and coefficients of others; NULL: it knows none.
    const char *const *formats, *const *foreign;
    trmi_tyre_force (*evaluate)(const double *coefficient, const trmi_tyre_slip *at);
    // Relaxation length along (otherwise across) the wheel at a load and camber; NULL: it has none.
    trmi_dual (*length)(const double *coefficient, bool along, trmi_dual load, trmi_dual camber);
} trmi_tyre_law;

// A law with the values of its coefficients.
typedef struct trmi_tyre_choice {
    const trmi_tyre_law *law;
    const double *coefficient;
} trmi_tyre_choice;

#define TRMI_TYRE_LAW_LIST(X)                                                                      \
    X(calspan)                                                                                     \
    X(pac2002)

#define TRMI_TYRE_LAW_DECLARE(name) extern const trmi_tyre_law trmi_tyre_##name;
TRMI_TYRE_LAW_LIST(TRMI_TYRE_LAW_DECLARE)
#undef TRMI_TYRE_LAW_DECLARE

// The law with that number, NULL after the last one.
const trmi_tyre_law *trmi_tyre_law_at(int index);

#endif
