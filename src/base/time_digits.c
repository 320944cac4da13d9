// SPDX-License-Identifier: Apache-2.0
#include "base/time_digits.h"

#include <float.h>
#include <math.h>

// three digits of the length, and those by which t is larger
int trmi_time_digits(double t, double length)
{
    double digits = length > 0 && t != 0 ? 3 + log10(fabs(t) / length) : 0;
    return (int)ceil(fmin(fmax(digits, 4), DBL_DECIMAL_DIG));
}
