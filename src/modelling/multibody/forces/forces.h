// SPDX-License-Identifier: Apache-2.0
// The list of the types of forces. Each is a struct trmi_force_<name> in a file of this folder.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_FORCES_H
#define TRMI_MODELLING_MULTIBODY_FORCES_FORCES_H

#include "modelling/multibody/forces/force.h"

// In the order of the manual.
#define TRMI_FORCE_LIST(X)                                                                         \
    X(force)                                                                                       \
    X(torque)                                                                                      \
    X(spring)                                                                                      \
    X(actuator)                                                                                    \
    X(bushing)                                                                                     \
    X(beam)                                                                                        \
    X(bump_stop)                                                                                   \
    X(contact)                                                                                     \
    X(relation)                                                                                    \
    X(path)                                                                                        \
    X(tyre)                                                                                        \
    X(user)                                                                                        \
    TRMI_MORE_FORCES(X)

// A test that includes forces.c appends its own types.
#ifndef TRMI_MORE_FORCES
#define TRMI_MORE_FORCES(X)
#endif

#define TRMI_FORCE_DECLARE(name) extern const trmi_force_type trmi_force_##name;
TRMI_FORCE_LIST(TRMI_FORCE_DECLARE)
#undef TRMI_FORCE_DECLARE

// The type with that number, NULL after the last one.
const trmi_force_type *trmi_force_type_at(int index);

#endif
