// SPDX-License-Identifier: Apache-2.0
// The force between neighbouring nodes of a plane beam that stretches. No key of model files: beams
// make it.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_STRETCHING_H
#define TRMI_MODELLING_MULTIBODY_FORCES_STRETCHING_H

#include "modelling/multibody/forces/force.h"

typedef struct trmi_stretching_force {
    trmi_force force; // size: L
    double stiffness; // EA/L
    double damping;   // of the material, s
} trmi_stretching_force;

extern const trmi_force_type trmi_force_stretching;

#endif
