// SPDX-License-Identifier: Apache-2.0
// Drawings: points, lines and circles of the section `draw`, tied to formulas. Every formula
// becomes an output, NAME_x, NAME_y, NAME_z of a point or the centre of a circle, NAME_r its
// radius, and NAME_1_x, ... of the points of a line.
#ifndef TRMI_MODELLING_READER_DRAWING_H
#define TRMI_MODELLING_READER_DRAWING_H

#include "modelling/reader/reading.h"

// Number of formulas that a section, which may be NULL, has at most.
int trmi_drawings_count(const trmi_item *section);
// Reads them: nodes and names of *count outputs, the first of which is output number `first` of the
// model; places with errors have none. False: no memory.
bool trmi_drawings_read(trmi_reading *r, const trmi_item *section, int first, trmi_node *node,
                        const char **name, int *count);

#endif
