// SPDX-License-Identifier: Apache-2.0
// What every operation computes: the one definition, in line, so that the tape's interpreter and
// trmi_operation_value are the same code.
#ifndef TRMI_MODELLING_EXPRESSION_OPERATION_H
#define TRMI_MODELLING_EXPRESSION_OPERATION_H

#include "modelling/expression/graph.h"
#include "modelling/expression/path.h"

#include <math.h>

// The smaller and the larger of two numbers, NaN when one of them is: fmin would hide it.
static inline double trmi_smaller(double a, double b)
{
    return a <= b ? a : b < a ? b : a + b;
}

static inline double trmi_larger(double a, double b)
{
    return a >= b ? a : b > a ? b : a + b;
}

static inline double trmi_operation_sign(double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a; // NaN stays
}

// TABLE: the curve that the second operand stands for.
static inline double trmi_table_value(const trmi_interpolant *curve, double x, double operand)
{
    const trmi_table_choice choice = trmi_table_of(operand);
    return trmi_interpolant_at(&curve[choice.curve], choice.order, x);
}

// PATH: the component and the curve that the third operand stands for.
static inline double trmi_path_value(const trmi_interpolant *curve, double from, double to,
                                     double operand)
{
    const trmi_path_place place = trmi_path_between(&curve[(int)operand / 2], from, to);
    return (int)operand % 2 ? place.y : place.x;
}

// clang-format off
static inline double trmi_compute(trmi_operation operation, double a, double b, double c)
{
    switch (operation) {
    case TRMI_ADD: return a + b;
    case TRMI_SUBTRACT: return a - b;
    case TRMI_MULTIPLY: return a * b;
    case TRMI_DIVIDE: return a / b;
    case TRMI_NEGATE: return -a;
    case TRMI_POWER: return pow(a, b);
    case TRMI_SIN: return sin(a);
    case TRMI_COS: return cos(a);
    case TRMI_TAN: return tan(a);
    case TRMI_ASIN: return asin(a);
    case TRMI_ACOS: return acos(a);
    case TRMI_ATAN: return atan(a);
    case TRMI_ATAN2: return atan2(a, b);
    case TRMI_SINH: return sinh(a);
    case TRMI_COSH: return cosh(a);
    case TRMI_TANH: return tanh(a);
    case TRMI_EXP: return exp(a);
    case TRMI_LOG: return log(a);
    case TRMI_LOG10: return log10(a);
    case TRMI_SQRT: return sqrt(a);
    case TRMI_CBRT: return cbrt(a);
    case TRMI_ABS: return fabs(a);
    case TRMI_SIGN: return trmi_operation_sign(a);
    case TRMI_MIN: return trmi_smaller(a, b);
    case TRMI_MAX: return trmi_larger(a, b);
    case TRMI_HYPOT: return hypot(a, b);
    case TRMI_MOD: return a - b * floor(a / b);
    case TRMI_FLOOR: return floor(a);
    case TRMI_CEIL: return ceil(a);
    case TRMI_STEP: return a >= 0;
    case TRMI_LESS: return a < b;
    case TRMI_LESS_EQUAL: return a <= b;
    case TRMI_EQUAL: return a == b;
    case TRMI_AND: return a != 0 && b != 0;
    case TRMI_OR: return a != 0 || b != 0;
    case TRMI_NOT: return a == 0;
    case TRMI_IF: return a != 0 ? b : c;
    case TRMI_CONSTANT:
    case TRMI_INPUT:
    case TRMI_TABLE:
    case TRMI_PATH:
    case TRMI_OPERATION_COUNT: break;
    }
    return NAN;
}
// clang-format on

#endif
