// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/forces/forces.h"

#define ENTRY(name) &trmi_force_##name,
static const trmi_force_type *const types[] = {TRMI_FORCE_LIST(ENTRY)};
#undef ENTRY

const trmi_force_type *trmi_force_type_at(int index)
{
    return index < (int)(sizeof types / sizeof *types) ? types[index] : NULL;
}
