// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/joints/joints.h"

#define ENTRY(name) &trmi_joint_##name,
static const trmi_joint_type *const types[] = {TRMI_JOINT_LIST(ENTRY)};
#undef ENTRY

const trmi_joint_type *trmi_joint_type_at(int index)
{
    return index < (int)(sizeof types / sizeof *types) ? types[index] : NULL;
}
