// SPDX-License-Identifier: Apache-2.0
// Numbers of files that are no models: of studies and optimisations.
#ifndef TRMI_MODELLING_READER_CONSTANT_H
#define TRMI_MODELLING_READER_CONSTANT_H

#include "modelling/reader/yaml/document.h"

// A number, or a formula of numbers. False: there is none, or an error, which is reported.
bool trmi_read_constant(trmi_document *document, const trmi_item *item, double *value);

#endif
