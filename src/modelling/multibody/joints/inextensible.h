// SPDX-License-Identifier: Apache-2.0
// The joint between neighbouring nodes of a beam. No key of model files: beams make it.
#ifndef TRMI_MODELLING_MULTIBODY_JOINTS_INEXTENSIBLE_H
#define TRMI_MODELLING_MULTIBODY_JOINTS_INEXTENSIBLE_H

#include "modelling/multibody/joints/joint.h"

extern const trmi_joint_type trmi_joint_inextensible;

#endif
