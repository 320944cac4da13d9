// SPDX-License-Identifier: Apache-2.0
// What follows from the kind of a quantity alone.
#ifndef TRMI_BASE_QUANTITIES_H
#define TRMI_BASE_QUANTITIES_H

#include "trammel/system.h"

#include <math.h>
#include <stdbool.h>

static inline bool trmi_has(uint64_t mask, trm_quantity quantity)
{
    return (mask & TRM_BIT_OF(quantity)) != 0;
}

// q_size of coordinate i, 0 where there is none.
static inline double trmi_q_size(const trm_system *s, int i)
{
    return s->q_size ? s->q_size[s->q_size_period > 0 ? i % s->q_size_period : i] : 0;
}

// What a large change of unknown i is: its value, but at least its typical size (scale, NULL: 1).
static inline double trmi_unknown_unit(const double *scale, int i, double value)
{
    return fmax(fabs(value), scale ? scale[i] : 1);
}

// The same of coordinate i, whose size comes first where it has one. Value 0: where it counts from
// does not matter.
static inline double trmi_q_unit(const trm_system *s, int i, double value)
{
    double size = trmi_q_size(s, i);
    return size > 0 ? size : trmi_unknown_unit(s->q_scale, i, value);
}

// Vectors have no pattern; a matrix has one even if the system has a single unknown.
bool trmi_is_vector(trm_quantity quantity);

// Whether the rows are constraint rows, and the number of the first one (full numbering).
bool trmi_rows_are_constraints(const trm_system *s, trm_quantity quantity, int *first);

#endif
