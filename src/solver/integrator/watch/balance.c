// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/watch/balance.h"

#include <math.h>
#include <string.h>

void trmi_balance_begin(trmi_balance *b, double t, double total, const double power[2])
{
    *b = (trmi_balance){.t = t, .total = total, .power = {power[0], power[1]}, .start = total};
}

// a part of a step
typedef struct part {
    double t, h;
    double first[2], last[2]; // powers at its ends
    double work[2], error;
    double factor; // between error and estimate
} part;

// Of powers that differ from a straight line by the part r, proportional to h^2, the rule of order
// 6 gives the integral right to about r^3.
static bool integrate_part(part *p, trmi_balance_probe *probe, void *context)
{
    static const double node[] = {0.27639320225002103036, 0.72360679774997896964};
    double inner[2][2];
    for (int k = 0; k < 2; k++)
        if (!probe(context, p->t + node[k] * p->h, inner[k]))
            return false;
    p->error = 0;
    for (int i = 0; i < 2; i++) {
        double outer = p->first[i] + p->last[i], sum = inner[0][i] + inner[1][i];
        double skew = inner[1][i] - inner[0][i] - (p->last[i] - p->first[i]) / sqrt(5);
        double size = fabs(p->first[i]) + fabs(p->last[i]);
        size += 5 * (fabs(inner[0][i]) + fabs(inner[1][i]));
        p->work[i] = p->h / 12 * (outer + 5 * sum);
        double r = size > 0 ? 6 * (fabs(outer - sum) + fabs(skew)) / size : 0;
        p->error += p->factor * r * r * r * p->h / 12 * size;
    }
    return true;
}

// Replaces a part by its halves. The work changes by the error of the whole; where that was
// estimated too small, so is that of the halves. Where it was estimated too large, theirs is no
// larger than the change, as far as the estimates fall as those of smooth powers do: beside a jump
// a small change is an accident. False: a probe failed.
static bool halve(part *p, part *right, trmi_balance_probe *probe, void *context)
{
    const part whole = *p;
    *right = *p;
    right->h = p->h = p->h / 2;
    right->t = p->t + p->h;
    if (!probe(context, right->t, p->last))
        return false;
    memcpy(right->first, p->last, sizeof right->first);
    if (!integrate_part(p, probe, context) || !integrate_part(right, probe, context))
        return false;
    double change = 0;
    for (int i = 0; i < 2; i++)
        change += fabs(p->work[i] + right->work[i] - whole.work[i]);
    double missed = fmax(1, change / whole.error);
    part *const half[] = {p, right};
    double falls = fmin(1, (p->error + right->error) / whole.error);
    for (int k = 0; k < 2; k++) {
        double estimate = half[k]->error * missed;
        half[k]->factor *= missed;
        half[k]->error = fmax(fmin(estimate, change / 2), falls * estimate);
    }
    return true;
}

bool trmi_balance_integrate(const trmi_balance *b, double to, const double power[2], double limit,
                            trmi_balance_probe *probe, void *context, double work[2], double *error)
{
    enum { MAX_PARTS = 64 }; // halving 63 times finds a jump to the last bit
    part parts[MAX_PARTS] = {{.t = b->t, .h = to - b->t, .factor = 1}};
    memcpy(parts[0].first, b->power, sizeof parts[0].first);
    memcpy(parts[0].last, power, sizeof parts[0].last);
    if (!integrate_part(&parts[0], probe, context))
        return false;
    double errors[MAX_PARTS]; // by the number of parts
    for (int count = 1;; count++) {
        int worst = 0;
        *error = work[0] = work[1] = 0;
        for (int k = 0; k < count; k++) {
            *error += parts[k].error;
            work[0] += parts[k].work[0];
            work[1] += parts[k].work[1];
            worst = parts[k].error > parts[worst].error ? k : worst;
        }
        double t = parts[worst].t, h = parts[worst].h;
        bool divisible = count < MAX_PARTS && t + h / 2 > t && t + h > t + h / 2;
        if (!(*error > limit) || !divisible)
            return true;
        errors[count] = *error;
        bool power_of_two = (count & (count - 1)) == 0;
        if (power_of_two && count >= 8 && !(*error < errors[count / 4] / 2))
            return true;
        if (!halve(&parts[worst], &parts[count], probe, context))
            return false;
    }
}

void trmi_balance_advance(trmi_balance *b, double t, double total, const double power[2],
                          const double work[2], double error)
{
    b->t = t;
    b->error += error;
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
