// SPDX-License-Identifier: Apache-2.0
// Indices of first and of total order from Saltelli's design. Block j has y_A, y_B, and y_i where
// parameter i is as in B and the others as in A; centred by their mean c, with n blocks,
//
//     V   = sum (y_A - c)^2/(2n) + sum (y_B - c)^2/(2n) - m^2,  m: the mean of both
//     S_i = sum (y_B - c)(y_i - y_A)/(n V)      Saltelli and others, 2010
//     T_i = sum (y_A - y_i)^2/(2 n V)           Jansen, 1999
//
// Their standard errors are those of the jackknife over the blocks, (n - 1)/n sum (S_(j) - S_i)^2,
// with S_(j) from all blocks but j. Points that fill the space more evenly than random ones have
// smaller errors than that.
#include "program/study/study_report.h"

#include <math.h>

// Sums over blocks.
typedef struct sums {
    double n, y, square, first, total;
} sums;

static sums of_block(const double *y, int parameters, int k, double centre)
{
    double a = y[0] - centre, b = y[parameters + 1] - centre, change = y[k + 1] - y[0];
    return (sums){1, a + b, a * a + b * b, b * change, change * change};
}

static bool is_complete(const double *y, int parameters, int k)
{
    return isfinite(y[0]) && isfinite(y[parameters + 1]) && isfinite(y[k + 1]);
}

static void add(sums *to, const sums *from, double sign)
{
    to->n += sign * from->n;
    to->y += sign * from->y;
    to->square += sign * from->square;
    to->first += sign * from->first;
    to->total += sign * from->total;
}

static trmi_sobol_indices estimate(const sums *s)
{
    double mean = s->y / (2 * s->n), V = s->square / (2 * s->n) - mean * mean;
    if (!(V > 0)) // all values are the same
        return (trmi_sobol_indices){0};
    return (trmi_sobol_indices){.first = s->first / (s->n * V), .total = s->total / (2 * s->n * V)};
}

trmi_sobol_indices trmi_total_order_index(const double *y, int64_t blocks, int parameters, int k)
{
    sums all = {0};
    double centre = 0, values = 0, first = 0, total = 0;
    int64_t size = parameters + 2;
    for (int64_t j = 0; j < blocks; j++)
        if (is_complete(y + j * size, parameters, k)) {
            values += 2;
            centre += (y[j * size] + y[j * size + size - 1] - 2 * centre) / values;
        }
    for (int64_t j = 0; j < blocks; j++)
        if (is_complete(y + j * size, parameters, k)) {
            const sums here = of_block(y + j * size, parameters, k, centre);
            add(&all, &here, 1);
        }
    if (all.n < 2)
        return (trmi_sobol_indices){NAN, NAN, NAN, NAN};
    trmi_sobol_indices out = estimate(&all);
    for (int64_t j = 0; j < blocks; j++)
        if (is_complete(y + j * size, parameters, k)) {
            const sums here = of_block(y + j * size, parameters, k, centre);
            sums others = all;
            add(&others, &here, -1);
            const trmi_sobol_indices without = estimate(&others);
            first += (without.first - out.first) * (without.first - out.first);
            total += (without.total - out.total) * (without.total - out.total);
        }
    out.first_error = sqrt((all.n - 1) / all.n * first);
    out.total_error = sqrt((all.n - 1) / all.n * total);
    return out;
}
