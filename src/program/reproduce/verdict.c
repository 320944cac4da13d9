// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/verdict.h"

#include <math.h>
#include <stdlib.h>

const char *trmi_verdict_text(trmi_verdict verdict, bool published)
{
    static const char *const text[2][TRMI_VERDICTS] = {
        {"shown only", "agrees", "disagrees", "disagrees as explained"},
        {"shown only", "reproduced", "differs", "not reproducible"}};
    return text[published][verdict];
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median, or exp of the mean of the logarithms: 0 when one of them is 0, NaN when one is
// negative.
static double middle_of(const double *sorted, int count, bool geometric)
{
    int half = count / 2;
    if (!geometric)
        return count % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += log(sorted[i]);
    return exp(sum / count);
}

// whether two intervals have a point in common
static bool meet(trmi_expected x, double low, double high)
{
    return x.low <= high && x.high >= low;
}

trmi_cell trmi_cell_judge(double *value, int count, bool geometric, trmi_expected expected,
                          double slack)
{
    trmi_cell c = {.expected = expected, .middle = NAN, .low = NAN, .high = NAN};
    c.judged = !isnan(expected.low) && !expected.shown;
    if (count == 0)
        return c;
    qsort(value, (size_t)count, sizeof *value, compare_numbers);
    c.low = value[0];
    c.high = value[count - 1];
    c.middle = middle_of(value, count, geometric);
    c.inside = c.judged && meet(expected, c.low, c.high);
    c.agrees =
        c.judged && meet(expected, c.low - slack * fabs(c.low), c.high + slack * fabs(c.high));
    return c;
}

trmi_verdict trmi_verdict_of(const trmi_cell *cell, int cells, int failed, const char *reason)
{
    int judged = 0, agree = 0;
    for (int k = 0; k < cells; k++) {
        judged += cell[k].judged;
        agree += cell[k].agrees;
    }
    if (agree == judged && failed == 0)
        return judged > 0 ? TRMI_VERDICT_REPRODUCED : TRMI_VERDICT_NONE;
    return reason ? TRMI_VERDICT_NOT_REPRODUCIBLE : TRMI_VERDICT_DIFFERS;
}
