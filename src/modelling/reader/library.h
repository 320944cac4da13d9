// SPDX-License-Identifier: Apache-2.0
// Shared objects that a model file names.
#ifndef TRMI_MODELLING_READER_LIBRARY_H
#define TRMI_MODELLING_READER_LIBRARY_H

#include "modelling/reader/reading.h"
#include "trammel/force.h"

// Loads the shared object at an item, whose path is relative to the model file, and finds a symbol
// in it. NULL after an error, which is reported. *handle is for dlclose, NULL: nothing is open.
void *trmi_library_open(trmi_reading *r, const trmi_item *item, const char *symbol, void **handle);

// The force `name` of the library at an item; NULL after an error, which is reported. It lives as
// long as the model.
const trm_user_force *trmi_library_force(trmi_reading *r, const trmi_item *item,
                                         const trmi_item *name);
// The constraint `name` likewise.
const trm_user_constraint *trmi_library_constraint(trmi_reading *r, const trmi_item *item,
                                                   const trmi_item *name);
// Gives back the forces and constraints of a model.
void trmi_library_release_forces(trm_model *model);

#endif
