// SPDX-License-Identifier: Apache-2.0
// The value of a parameter in the struct of a force, found by its key.
#ifndef TRMI_TESTS_PARAMETERS_H
#define TRMI_TESTS_PARAMETERS_H

#include "framework.h"
#include "modelling/multibody/forces/forces.h"

static inline void *parameter_of(const trmi_force *force, const char *key)
{
    for (int k = 0; force->type->parameter[k]; k++)
        if (strcmp(force->type->parameter[k]->key, key) == 0)
            return (char *)(uintptr_t)force + force->type->parameter[k]->offset;
    fail_msg("%s has no parameter %s", force->type->name, key);
    return NULL;
}

static inline void set_number(trmi_force *force, const char *key, double value)
{
    *(double *)parameter_of(force, key) = value;
}

#endif
