// SPDX-License-Identifier: Apache-2.0
// The functions that read one parameter of a joint or force, for the table of parameters.c. The C
// type of each value: trmi_parameter_kind of multibody/parameter.h.
#ifndef TRMI_MODELLING_READER_MECHANISM_PARAMETER_READERS_H
#define TRMI_MODELLING_READER_MECHANISM_PARAMETER_READERS_H

#include "modelling/reader/mechanism/draft.h"

// Where a parameter is read from.
typedef struct trmi_parameter_source {
    const trmi_item *item; // the value at the key
    const trmi_item *map;  // the map of the type, with all keys
    const char *name;      // of the joint or force
    const trmi_parameter *parameter;
} trmi_parameter_source;

// Reads the value at s->item into `to`; errors are reported.
typedef void trmi_parameter_reader(trmi_draft *d, const trmi_parameter_source *s, void *to);

// ---- parameter_formulas.c ----

trmi_parameter_reader trmi_parameter_read_formula, trmi_parameter_read_effort,
    trmi_parameter_read_force, trmi_parameter_read_torque, trmi_parameter_read_measure,
    trmi_parameter_read_travel, trmi_parameter_read_angle, trmi_parameter_read_terms,
    trmi_parameter_read_relation, trmi_parameter_read_constraint_library,
    trmi_parameter_read_library;

#endif
