// SPDX-License-Identifier: Apache-2.0
// What acts between a wheel and its rail: creep forces, and where the contact is elastic the normal
// force N = k d^(3/2) (1 + c d') of the penetration d = -gap, while it pushes.
#ifndef TRMI_MODELLING_MULTIBODY_RAIL_CONTACT_FORCE_H
#define TRMI_MODELLING_MULTIBODY_RAIL_CONTACT_FORCE_H

#include "modelling/multibody/forces/press.h"
#include "modelling/multibody/rail/creep.h"
#include "modelling/multibody/rail/wheel_rail.h"

// What a joint keeps.
typedef struct trmi_rail_data {
    trmi_wheel_rail pair; // first: rows read it
    trmi_creep creep;
    trmi_press_law law; // of an elastic contact
} trmi_rail_data;

// p = -gap, the row of the joint.
extern const trmi_row_type trmi_rail_gap;

// Make the element of a joint whose N is its multiplier, and of one that is elastic.
bool trmi_make_creep(trmi_force_maker *m, int joint);
bool trmi_make_elastic_rail(trmi_force_maker *m, int joint);

// Numbers of a wheel for outputs and events.
extern const trmi_shown trmi_rail_channels[];

#endif
