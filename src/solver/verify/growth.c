// SPDX-License-Identifier: Apache-2.0
// How errors and differences grow.
#include "solver/verify/verify.h"

#include <math.h>

enum { MIN_ROWS = 8 }; // too few for a law

// After the first rows, in which every error begins: whether more than half of what log E gains is
// gained between two neighbouring rows.
bool trmi_verify_is_sudden(const double *error, int count)
{
    const int first = MIN_ROWS - 1;
    for (int i = first + 1; i < count; i++)
        if (log(error[i] / error[i - 1]) > 0.5 * log(error[count - 1] / error[first]))
            return true;
    return false;
}

// Two motions that begin at a distance d stay there, or part like d (1 + t/T)^p: of two swings with
// slightly different periods p is 1, of rotors that slightly different torques speed up 2. In the
// second half of a time they then part by a factor of 2^p at the most. Motions that part by more
// than 2^3 there do it exponentially: d e^(t/T).
bool trmi_verify_parts(const double *t, const double *error, int count, double *time)
{
    if (count < MIN_ROWS || !(t[count - 1] > t[0]))
        return false;
    int middle = 0;
    while (t[middle] - t[0] < 0.5 * (t[count - 1] - t[0]))
        middle++;
    double gain = log(error[count - 1] / error[middle]);
    *time = (t[count - 1] - t[middle]) / gain;
    return gain > 3 * log(2);
}
