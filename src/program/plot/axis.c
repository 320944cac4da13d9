// SPDX-License-Identifier: Apache-2.0
// Linear:       p = from + (to - from) (x - low)/(high - low)
// logarithmic:  the same with log10 of x, low and high
#include "program/plot/axis.h"

#include "program/plot/markup.h"

#include <float.h>
#include <math.h>

// Ranges shorter than this, relative to their values, are roundoff: they are drawn as constants.
static const double roundoff = 64 * DBL_EPSILON;

// So are shorter ones, where doubles lose digits.
static const double shortest = 1e-304;

bool trmi_range_is_empty(trmi_range range)
{
    return range.low > range.high;
}

trmi_range trmi_range_with(trmi_range range, double value)
{
    return trmi_range_union(range, (trmi_range){value, value});
}

trmi_range trmi_range_union(trmi_range a, trmi_range b)
{
    if (trmi_range_is_empty(a))
        return b;
    if (trmi_range_is_empty(b))
        return a;
    return (trmi_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

bool trmi_axis_can_show(bool logarithmic, double value)
{
    return isfinite(value) && (!logarithmic || value > 0);
}

static double limit(double x)
{
    return fmax(-DBL_MAX, fmin(DBL_MAX, x));
}

static trmi_range widen_linear(trmi_range data, double margin)
{
    double size = fmax(fabs(data.low), fabs(data.high));
    double half = data.high / 2 - data.low / 2; // the whole may overflow
    double more = 2 * margin * half;
    if (2 * half <= roundoff * size || half < shortest) {
        more = 0.1 * size;
        if (more < shortest)
            more = 1; // zero, or nearly
    }
    return (trmi_range){limit(data.low - more), limit(data.high + more)};
}

// in decades
static trmi_range widen_logarithmic(trmi_range data, double margin)
{
    double length = log10(data.high) - log10(data.low);
    double more = length < 1e-3 ? 0.5 - length / 2 : margin * length;
    double factor = pow(10, more);
    return (trmi_range){fmax(data.low / factor, DBL_TRUE_MIN), limit(data.high * factor)};
}

void trmi_axis_set(trmi_axis *axis, bool logarithmic, trmi_range data, double margin)
{
    axis->logarithmic = logarithmic;
    axis->data = data;
    axis->ticks = 0;
    if (trmi_range_is_empty(data))
        axis->shown = (trmi_range){logarithmic ? 0.1 : 0, 1};
    else
        axis->shown = logarithmic ? widen_logarithmic(data, margin) : widen_linear(data, margin);
}

void trmi_axis_lengthen(trmi_axis *axis, double length)
{
    double more = (length - (axis->shown.high - axis->shown.low)) / 2;
    if (!(more > 0))
        return;
    axis->shown = (trmi_range){limit(axis->shown.low - more), limit(axis->shown.high + more)};
}

// keeps the ticks that are whole numbers
static void keep_whole(trmi_axis *axis)
{
    int kept = 0;
    for (int k = 0; k < axis->ticks; k++) {
        trmi_tick tick = axis->tick[k];
        for (; tick.exponent < 0 && tick.digits % 10 == 0; tick.exponent++)
            tick.digits /= 10;
        if (tick.exponent >= 0)
            axis->tick[kept++] = tick;
    }
    axis->ticks = kept;
}

void trmi_axis_mark(trmi_axis *axis, int target)
{
    axis->ticks = 0;
    if (!trmi_range_is_empty(axis->data))
        axis->ticks = trmi_ticks_choose(axis->shown.low, axis->shown.high, axis->logarithmic,
                                        target, axis->tick, TRMI_MAX_TICKS);
    if (axis->whole)
        keep_whole(axis);
    trmi_ticks_label(&axis->labels, axis->tick, axis->ticks);
}

double trmi_axis_place(const trmi_axis *axis, double value)
{
    double low = axis->shown.low, high = axis->shown.high;
    if (axis->logarithmic) {
        low = log10(low);
        high = log10(high);
        value = log10(value);
    }
    double part = (value / 2 - low / 2) / (high / 2 - low / 2);
    return axis->from + (axis->to - axis->from) * fmax(0, fmin(1, part));
}

double trmi_axis_tick(const trmi_axis *axis, int index)
{
    return trmi_axis_place(axis, trmi_tick_value(axis->tick[index]));
}

double trmi_axis_label_width(const trmi_axis *axis, double size)
{
    double widest = 0;
    for (int k = 0; k < axis->ticks; k++)
        widest = fmax(widest, trmi_markup_rich_width(axis->labels.text[k], size));
    return widest;
}
