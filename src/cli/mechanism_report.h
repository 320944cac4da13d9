// SPDX-License-Identifier: Apache-2.0
// What a mechanism has become: tree, cuts, coordinates.
#ifndef TRMI_MECHANISM_REPORT_H
#define TRMI_MECHANISM_REPORT_H

#include "model/model.h"

// Nothing for other models.
void trmi_print_mechanism(const trm_model *model);

#endif
