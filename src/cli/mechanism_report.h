// SPDX-License-Identifier: Apache-2.0
// What a mechanism has become: tree, cuts, coordinates.
#ifndef TRMI_MECHANISM_REPORT_H
#define TRMI_MECHANISM_REPORT_H

#include "model/model.h"

// Nothing for other models.
void trmi_print_mechanism(const trm_model *model);

// Joints whose reactions are not unique because constraints are redundant, if there are some.
void trmi_print_shared(const trm_model *model, const trm_simulation *simulation);

#endif
