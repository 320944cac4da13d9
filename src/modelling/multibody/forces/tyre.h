// SPDX-License-Identifier: Apache-2.0
// Tyres: what tyre.c reads and tyre_contact.c evaluates.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_TYRE_H
#define TRMI_MODELLING_MULTIBODY_FORCES_TYRE_H

#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/forces/tyre_law.h"

typedef struct trmi_tyre {
    trmi_force force; // at: a point of the road, at_second: the centre; size: radius
    double stiffness, damping, low_speed;
    double relaxation, relaxation_along; // lengths; NAN: none, 0: those of the law
    trmi_v3 axis, normal;
    int slip;                    // trmi_tyre_mode
    const trmi_road *road;       // NULL: a plane, or
    const trmi_road *road_along; // one over the way of the wheel
    trmi_tyre_choice law;
} trmi_tyre;

// Rows: those of a plane, then what a road is a function of, its place and the axle in its plane.
enum {
    TRMI_TYRE_HEIGHT,
    TRMI_TYRE_FORWARD,
    TRMI_TYRE_SIDE,
    TRMI_TYRE_LEAN,
    TRMI_TYRE_SPIN,
    TRMI_TYRE_TURN,
    TRMI_TYRE_X,
    TRMI_TYRE_Y,
    TRMI_TYRE_AXLE_X,
    TRMI_TYRE_AXLE_Y
};

trmi_law_function trmi_tyre_act;
// Of an uneven road, after trmi_tyre_act.
trmi_warn_function trmi_tyre_warn;
double trmi_tyre_channel(const trmi_element *element, const trmi_law_input *in, int part);
void trmi_tyre_gaps(const trmi_element *element, const trmi_law_input *in, const double *second,
                    trmi_gap *out);

#endif
