// SPDX-License-Identifier: Apache-2.0
#include "program/run/lobatto.h"

#include <math.h>
#include <stdbool.h>

void trmi_lobatto_points(double from, double to, double t[TRMI_LOBATTO_POINTS])
{
    // on [-1, 1]: the ends, 0 and the roots of 7 x^2 = 3
    const double inner = 0.5 * (to - from) * sqrt(3.0 / 7), middle = 0.5 * (from + to);
    t[0] = from;
    t[1] = middle - inner;
    t[2] = middle;
    t[3] = middle + inner;
    t[4] = to;
}

// a / (a + b), 0 where both are
static double share(double a, double b)
{
    return a > 0 ? a / (a + b) : 0;
}

// The polynomial through the points is c0 + c1 P1 + c2 P2 + c3 P3 + c4 P4 with Legendre's Pn: cn is
// (2 n + 1)/2 times the sum of weight * Pn * y, and c4 half of 9/2, 2 times it, as the rule is not
// exact for the square of P4. The rule misses c8 first. Of a sine of the phase z over half of the
// interval cn is about z^n / (1 3 .. (2 n - 1)), so that decay = c3/c1 or c4/c2 is z^2/15 or less,
// c4 decay^2 is 4e-5 z^8, and the error 2e-7 z^8: a tenth of that product is safe by 20. Where the
// points do not resolve the function, all cn are of one size, decay is about 1 and one of c3 and c4
// is large, but for rare accidents. Sizes are those of the bend, without c0 and (of c4) c1: a fast
// ripple of a large value, or on a steep line, is not small beside them.
trmi_lobatto trmi_lobatto_judge(const double y[TRMI_LOBATTO_POINTS])
{
    const double inner = sqrt(3.0 / 7);
    double outer = y[0] + y[4], sum = y[1] + y[3], odd = y[4] - y[0];
    double skew = 49.0 / 60 * inner * (y[3] - y[1]);
    double c1 = fabs(0.15 * odd + skew), c3 = fabs(0.35 * odd - skew);
    double c2 = fabs(outer / 4 + 7.0 / 36 * sum - 8.0 / 9 * y[2]);
    double c4 = fabs(outer / 5 - 7.0 / 15 * sum + 8.0 / 15 * y[2]);
    trmi_lobatto l = {.mean = outer / 20 + 49.0 / 180 * sum + 16.0 / 45 * y[2]};
    l.bend = c2 + c3 + c4;
    l.decay = fmax(share(c4, c2 + c3), share(c3, c1 + c2));
    l.error = 0.1 * l.decay * l.decay * (c4 + c3 * l.decay);
    return l;
}

// of a sine c5 is a fifth of it
double trmi_lobatto_miss(const trmi_lobatto *l)
{
    return l->bend * l->decay * sqrt(l->decay);
}

double trmi_lobatto_test(const double t[TRMI_LOBATTO_POINTS], const double y[TRMI_LOBATTO_POINTS],
                         double sign)
{
    int top = 0, last = TRMI_LOBATTO_POINTS - 1;
    for (int i = 1; i <= last; i++)
        top = sign * y[i] > sign * y[top] ? i : top;
    bool forward = top == 0 || (top < last && sign * y[top + 1] > sign * y[top - 1]);
    return 0.5 * (t[top] + t[forward ? top + 1 : top - 1]);
}

void trmi_newton_form_add(trmi_newton_form *form, double t, double y)
{
    // divided differences of the new point with the first one, the first two, ...
    for (int i = 0; i < form->count; i++)
        y = (y - form->d[i]) / (t - form->t[i]);
    form->t[form->count] = t;
    form->d[form->count++] = y;
}

double trmi_newton_form_value(const trmi_newton_form *form, double t)
{
    double y = 0;
    for (int i = form->count - 1; i >= 0; i--)
        y = y * (t - form->t[i]) + form->d[i];
    return y;
}

double trmi_newton_form_top(const trmi_newton_form *form, double from, double to)
{
    enum { PLACES = 16, SECTIONS = 36 }; // 0.618^36 = 3e-8
    const double distance = (to - from) / PLACES, golden = 0.5 * (sqrt(5) - 1);
    double best = from, top = trmi_newton_form_value(form, from);
    for (int i = 1; i <= PLACES; i++) {
        double t = i < PLACES ? from + i * distance : to, y = trmi_newton_form_value(form, t);
        best = y > top ? t : best;
        top = fmax(y, top);
    }
    double a = fmax(from, best - distance), b = fmin(to, best + distance);
    for (int i = 0; i < SECTIONS; i++) {
        double left = b - golden * (b - a), right = a + golden * (b - a);
        if (trmi_newton_form_value(form, left) > trmi_newton_form_value(form, right))
            b = right;
        else
            a = left;
    }
    double t = 0.5 * (a + b);
    return trmi_newton_form_value(form, t) > top ? t : best;
}
