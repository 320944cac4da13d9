// SPDX-License-Identifier: Apache-2.0
// What an element does at a state, as outputs, events and formulas use it.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_EFFECT_H
#define TRMI_MODELLING_MULTIBODY_FORCES_EFFECT_H

#include "modelling/multibody/forces/force.h"

// An element at a state, with what its law gives.
typedef struct trmi_acting {
    const trmi_element *element; // NULL: rows of a joint, with multipliers as forces
    const trmi_force_work *work;
    trmi_set_state x;
    trmi_law law;
} trmi_acting;

// Evaluates the law, after a move and after the formulas.
void trmi_act(trmi_acting *acting, const trmi_element *element, const trmi_force_work *work,
              const trmi_kinematics *k, const trm_state *state, bool derivatives);

// Whether an effect is one of this element: of a force, of friction or stops.
bool trmi_effect_is_of(const trmi_mechanism *mechanism, const trmi_element *element,
                       const trmi_effect *effect);

// Whether the element acts on the second body of its force, as a wrench.
bool trmi_acts_as_wrench(const trmi_element *element);

// Component 0 .. 5 of force and moment.
double trmi_wrench_component(trmi_wrench w, int part);

// The share of the element in an effect of this kind.
double trmi_effect_value(const trmi_acting *acting, const trmi_effect *effect);

#endif
