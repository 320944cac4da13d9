// SPDX-License-Identifier: Apache-2.0
// When a gap closes: by its value and derivatives now, or by those at both ends of a step.
#include "solver/integrator/simulation.h"

#include "solver/integrator/switches.h"

#include <math.h>

// points at which a cubic is evaluated, and halvings of the piece in which it falls below 0
enum { PIECES = 32, HALVINGS = 50 };

// t = (-rate -+ sqrt(d))/second = 2 gap/(-rate +- sqrt(d)), d = rate^2 - 2 second gap: the largest
// positive denominator gives the first time; of both forms the one in which nothing cancels
double trmi_gap_closes(double gap, double rate, double second)
{
    double d = rate * rate - 2 * second * gap;
    if (gap <= 0)
        return 0;
    if (rate > 0)
        return second < 0 && isfinite(gap) ? (rate + sqrt(d)) / -second : HUGE_VAL;
    double denominator = d >= 0 ? sqrt(d) - rate : 0;
    return denominator > 0 && isfinite(gap) ? 2 * gap / denominator : HUGE_VAL;
}

// Bernstein's form: it lies between the least and the greatest of b
static double cubic(const double b[4], double s)
{
    double r = 1 - s;
    return r * r * (r * b[0] + 3 * s * b[1]) + s * s * (3 * r * b[2] + s * b[3]);
}

double trmi_gap_closed(double h, const double gap[2], const double rate[2], double least)
{
    const double b[4] = {gap[0], gap[0] + h * rate[0] / 3, gap[1] - h * rate[1] / 3, gap[1]};
    int piece = 0;
    if (!isfinite(b[1] + b[2]) || fmin(fmin(b[0], b[1]), fmin(b[2], b[3])) >= -least)
        return HUGE_VAL;
    while (piece <= PIECES && !(cubic(b, (double)piece / PIECES) < -least))
        piece++;
    if (piece > PIECES)
        return HUGE_VAL;
    double low = 0, high = (double)piece / PIECES;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(cubic(b, middle) > 0 ? &low : &high) = middle;
    }
    return low * h;
}
