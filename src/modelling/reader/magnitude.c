// SPDX-License-Identifier: Apache-2.0
// Numbers that no computation has digits for. Squares of lengths, products of three quantities and
// the quotient of the largest by the smallest number must be numbers, with a margin.
#include "modelling/reader/keys/check.h"

#include "modelling/reader/reading.h"

#include <math.h>

static const double MAX_SIZE = 1e50, MIN_SIZE = 1e-100;

bool trmi_check_magnitude(trmi_document *d, const trmi_item *item, const char *subject,
                          double value)
{
    double size = fabs(value);
    if (size > MAX_SIZE)
        trmi_report(d, item,
                    "%s is %g, beyond %g: no computation has digits for that; the units are m, kg, "
                    "s and rad",
                    subject, value, MAX_SIZE);
    else if (value != 0 && size < MIN_SIZE)
        trmi_report(d, item, "%s is %g, closer to 0 than %g: if nothing is meant, write 0", subject,
                    value, MIN_SIZE);
    return size <= MAX_SIZE && (value == 0 || size >= MIN_SIZE);
}

bool trmi_read_quantity(trmi_reading *r, const trmi_item *item, double *value)
{
    double plain;
    if (!trmi_read_number(r, item, value))
        return false;
    if (trmi_item_number(item, &plain)) // was checked with the keys
        return true;
    return trmi_check_magnitude(r->document, item, "this number", *value);
}
