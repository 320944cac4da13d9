// SPDX-License-Identifier: Apache-2.0
// Contact of two bodies: parameters, and where they can touch.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_CONTACT_H
#define TRMI_MODELLING_MULTIBODY_FORCES_CONTACT_H

#include "modelling/multibody/forces/press.h"
#include "modelling/multibody/rows/touch.h"

enum { TRMI_MAX_SPOTS = 8 }; // corners of a box

// On the plane z = 0 of force.frame at force.at, or, with a form, on the core there.
typedef struct trmi_contact {
    trmi_force force; // size: radius of the sphere
    trmi_press_law law;
    double mu, slip;              // friction, and the speed at which it is there
    double stick;                 // how far it gives before it slips; 0: it does not stick
    double restitution;           // NAN: damping is given instead
    double impact;                // c v of impacts with that restitution, v: speed of approach
    trmi_v3 normal;               // of the plane
    int spots;                    // where it can touch, an element each
    trmi_v3 spot[TRMI_MAX_SPOTS]; // points of the second body
    const trmi_form *form;        // NULL: spheres of force.size about them on the plane
} trmi_contact;

// Friction of a contact between 0 and 1, by direction, and what differentiates it: the rows of the
// slip, those of the centre and their rates.
typedef struct trmi_grip {
    double part[3], by_slip[3][3], by_p[2][2], by_center[2][2];
} trmi_grip;

// memory: of the grip; NULL: nothing is remembered yet.
trmi_grip trmi_grip_of(const trmi_contact *c, const trmi_law_input *in, const double *memory);
// Where it breaks away, and where it reverses; second: of the rows, NULL: not known.
void trmi_grip_gaps(const trmi_contact *c, const trmi_law_input *in, const double *second,
                    const double *memory, trmi_gap out[2]);
// How many numbers it remembers.
int trmi_grip_numbers(const trmi_contact *c);
// Where it sticks from an accepted point on; loose: it begins there.
void trmi_grip_remember(const trmi_contact *c, const trmi_set_state *x, bool loose, double *memory);

// Finds spots, form and frame from the keys, or from the shapes of the bodies. False after an
// error.
bool trmi_contact_find_shapes(trmi_finish *finish, trmi_contact *c);

#endif
