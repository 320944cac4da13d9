// SPDX-License-Identifier: Apache-2.0
// Times in messages, for "t = %.*g".
#ifndef TRMI_BASE_TIME_DIGITS_H
#define TRMI_BASE_TIME_DIGITS_H

// Significant digits that show a thousandth of a length of time at t, which may be far from 0: at
// least 4, and no more than a double has.
int trmi_time_digits(double t, double length);

#endif
