// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/watch/balance.h"

#include <math.h>
#include <string.h>

void trmi_balance_begin(trmi_balance *b, double t, double total, const double power[2])
{
    *b = (trmi_balance){.t = t, .total = total, .power = {power[0], power[1]}, .start = total};
}

// Of two rules that differ by the part r of the integral the better one, of order 6 instead of 2,
// is right to about r^3.
bool trmi_balance_integrate(const trmi_balance *b, double to, const double power[2],
                            trmi_balance_probe *probe, void *context, double work[2],
                            double error[2])
{
    static const double node[] = {0.27639320225002103036, 0.72360679774997896964};
    double h = to - b->t, inner[2][2], total;
    for (int k = 0; k < 2; k++)
        if (!probe(context, b->t + node[k] * h, &total, inner[k]))
            return false;
    for (int i = 0; i < 2; i++) {
        double first = b->power[i], last = power[i], sum = inner[0][i] + inner[1][i];
        work[i] = h / 12 * (first + last + 5 * sum);
        double r = fabs(work[i] - h / 2 * sum);
        double size = fabs(first) + fabs(last) + 5 * fabs(inner[0][i]) + 5 * fabs(inner[1][i]);
        size *= h / 12;
        if (error)
            error[i] = size > 0 ? r * r * r / (size * size) : 0;
    }
    return true;
}

void trmi_balance_advance(trmi_balance *b, double t, double total, const double power[2],
                          const double work[2])
{
    b->t = t;
    b->total = total;
    for (int i = 0; i < 2; i++) {
        b->power[i] = power[i];
        b->work[i] += work[i];
    }
}

void trmi_balance_jump(trmi_balance *b, double before, double total, const double power[2])
{
    b->jumps += total - before;
    b->total = total;
    memcpy(b->power, power, sizeof b->power);
}

double trmi_balance_defect(const trmi_balance *b)
{
    return b->total - b->start - b->work[0] + b->work[1] - b->jumps;
}
