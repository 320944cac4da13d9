// SPDX-License-Identifier: Apache-2.0
// Numbers with their derivatives by a few variables: laws of many intermediate values are written
// as formulas, and their derivatives are exact.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_DUAL_H
#define TRMI_MODELLING_MULTIBODY_FORCES_DUAL_H

#include <math.h>

enum { TRMI_DUAL_VARIABLES = 10 };

typedef struct trmi_dual {
    double v, d[TRMI_DUAL_VARIABLES]; // value, derivatives
} trmi_dual;

static inline trmi_dual trmi_dual_constant(double v)
{
    return (trmi_dual){.v = v};
}

static inline trmi_dual trmi_dual_variable(double v, int index)
{
    trmi_dual x = {.v = v};
    x.d[index] = 1;
    return x;
}

// f(a, b) with the partial derivatives f_a, f_b
static inline trmi_dual trmi_dual_combine(double f, double f_a, const trmi_dual *a, double f_b,
                                          const trmi_dual *b)
{
    trmi_dual x = {.v = f};
    for (int i = 0; i < TRMI_DUAL_VARIABLES; i++)
        x.d[i] = f_a * a->d[i] + f_b * b->d[i];
    return x;
}

// f(a) with its derivative
static inline trmi_dual trmi_dual_chain(double f, double slope, trmi_dual a)
{
    trmi_dual x = {.v = f};
    for (int i = 0; i < TRMI_DUAL_VARIABLES; i++)
        x.d[i] = slope * a.d[i];
    return x;
}

static inline trmi_dual trmi_dual_add(trmi_dual a, trmi_dual b)
{
    return trmi_dual_combine(a.v + b.v, 1, &a, 1, &b);
}

static inline trmi_dual trmi_dual_sub(trmi_dual a, trmi_dual b)
{
    return trmi_dual_combine(a.v - b.v, 1, &a, -1, &b);
}

static inline trmi_dual trmi_dual_mul(trmi_dual a, trmi_dual b)
{
    return trmi_dual_combine(a.v * b.v, b.v, &a, a.v, &b);
}

static inline trmi_dual trmi_dual_div(trmi_dual a, trmi_dual b)
{
    return trmi_dual_combine(a.v / b.v, 1 / b.v, &a, -a.v / (b.v * b.v), &b);
}

// s a + c
static inline trmi_dual trmi_dual_line(double c, double s, trmi_dual a)
{
    return trmi_dual_chain(c + s * a.v, s, a);
}

static inline trmi_dual trmi_dual_abs(trmi_dual a)
{
    return trmi_dual_chain(fabs(a.v), a.v < 0 ? -1 : 1, a);
}

static inline trmi_dual trmi_dual_atan(trmi_dual a)
{
    return trmi_dual_chain(atan(a.v), 1 / (1 + a.v * a.v), a);
}

static inline trmi_dual trmi_dual_sin(trmi_dual a)
{
    return trmi_dual_chain(sin(a.v), cos(a.v), a);
}

static inline trmi_dual trmi_dual_cos(trmi_dual a)
{
    return trmi_dual_chain(cos(a.v), -sin(a.v), a);
}

static inline trmi_dual trmi_dual_exp(trmi_dual a)
{
    return trmi_dual_chain(exp(a.v), exp(a.v), a);
}

static inline trmi_dual trmi_dual_tan(trmi_dual a)
{
    double t = tan(a.v);
    return trmi_dual_chain(t, 1 + t * t, a);
}

// a > 0
static inline trmi_dual trmi_dual_sqrt(trmi_dual a)
{
    return trmi_dual_chain(sqrt(a.v), 0.5 / sqrt(a.v), a);
}

#endif
