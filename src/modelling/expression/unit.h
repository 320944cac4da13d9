// SPDX-License-Identifier: Apache-2.0
// Units of measurement as text: "mm", "kN/m", "kg m^2", "deg/s".
#ifndef TRMI_MODELLING_EXPRESSION_UNIT_H
#define TRMI_MODELLING_EXPRESSION_UNIT_H

#include <stdbool.h>

// Base quantities. Angles are numbers: rad = 1.
enum { TRMI_METRE, TRMI_KILOGRAM, TRMI_SECOND, TRMI_AMPERE, TRMI_KELVIN, TRMI_BASE_UNITS };

// One of a unit is `factor` times the product of the powers of base units.
typedef struct trmi_unit {
    double factor;
    signed char power[TRMI_BASE_UNITS];
} trmi_unit;

// Products (by * or a space) and quotients (by /, of the next one only) of names with whole powers
// (^2). False when it is no such text or a name is not known; `length` bytes are read.
bool trmi_unit_read(const char *text, int length, trmi_unit *unit);

// Whether two units measure the same kind of quantity.
bool trmi_unit_same_kind(const trmi_unit *a, const trmi_unit *b);

#endif
