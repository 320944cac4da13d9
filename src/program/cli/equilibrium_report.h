// SPDX-License-Identifier: Apache-2.0
// An equilibrium for people, and as the beginning of a run.
#ifndef TRMI_PROGRAM_CLI_EQUILIBRIUM_REPORT_H
#define TRMI_PROGRAM_CLI_EQUILIBRIUM_REPORT_H

#include "program/files/text.h"
#include "trammel/equilibrium.h"
#include "trammel/model.h"

// A parameter that was found.
typedef struct trmi_found {
    char *name;
    double value;
} trmi_found;

// An equilibrium, what its state belongs to, and the parameters found with it.
typedef struct trmi_rest {
    trm_model *model;
    trm_instance *instance;
    trm_equilibrium *equilibrium;
    int founds;
    trmi_found *found;
} trmi_rest;

// How it was found, what is not stable, positions, multipliers and reactions. False: no memory.
bool trmi_rest_print(const trmi_rest *rest);

// The same as a value of --set, initial.values={..}.
void trmi_rest_write_values(const trmi_rest *rest, trmi_text *text);

// The section `initial` of a model that starts there; text.failed: no memory.
void trmi_rest_write(const trmi_rest *rest, trmi_text *text);

#endif
