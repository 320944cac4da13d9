// SPDX-License-Identifier: Apache-2.0
// Round numbers in an interval. On a linear axis the multiples of the smallest step
//     s = {1, 2, 2.5, 5} 10^e   with at most `target` multiples in [low, high],
// one step finer when fewer than three would be left.
#include "program/plot/ticks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MIN_TICKS = 3 }; // three numbers show how an axis runs

// beyond this multiple of the step neighbours are no longer different doubles
static const double greatest_multiple = 1e15;

// The multiples first, first + 1, ..., last of step = digits * 10^exponent.
typedef struct multiples {
    int digits, exponent;
    int64_t first, last;
} multiples;

// strtod rounds to nearest, and a number without a point means the same in every locale
double trmi_tick_value(trmi_tick tick)
{
    char text[48];
    snprintf(text, sizeof text, "%llde%d", (long long)tick.digits, tick.exponent);
    return strtod(text, NULL);
}

static double multiple(const multiples *m, int64_t k)
{
    return trmi_tick_value((trmi_tick){k * m->digits, m->exponent});
}

static int64_t count_of(const multiples *m)
{
    return m->last - m->first + 1;
}

// number `index` in the row ..., 1, 2, 2.5, 5, 10, 20, 25, ... of steps; 0 is 10^exponent
static void set_step(multiples *m, int index, int exponent)
{
    static const int digits[] = {1, 2, 25, 5};
    m->digits = digits[index % 4];
    m->exponent = exponent + index / 4 - (m->digits == 25);
}

// finds first and last in [low, high]; false when the step is too fine for doubles of this size
static bool find_multiples(multiples *m, double low, double high)
{
    double step = multiple(m, 1), from = ceil(low / step), to = floor(high / step);
    if (step < DBL_MIN || !(fabs(from) < greatest_multiple && fabs(to) < greatest_multiple))
        return false;             // a subnormal step is not known to enough digits
    m->first = (int64_t)from - 1; // the quotients may be off by one
    while (multiple(m, m->first) < low)
        m->first++;
    m->last = (int64_t)to + 1;
    while (multiple(m, m->last) > high)
        m->last--;
    return true;
}

static int choose_linear(double low, double high, int target, trmi_tick *tick, int maximum)
{
    double half = high / 2 - low / 2; // the whole may overflow
    if (!(half > 0))
        return 0;
    multiples now = {0}, finer = {0};
    bool has_finer = false;
    int exponent = (int)floor(log10(half) - log10(target)) - 1;
    for (int k = 0; k < 100; k++) {
        set_step(&now, k, exponent);
        if (!find_multiples(&now, low, high))
            continue;
        if (count_of(&now) <= target && count_of(&now) <= maximum)
            break;
        finer = now;
        has_finer = true;
    }
    if (has_finer && count_of(&now) < MIN_TICKS && count_of(&finer) <= maximum)
        now = finer;
    int count = 0;
    for (int64_t k = now.first; k <= now.last && count < maximum; k++)
        tick[count++] = (trmi_tick){k * now.digits, now.exponent};
    return count;
}

// ---- logarithmic ----

static int64_t round_down(int64_t k, int64_t step)
{
    return k >= 0 ? k / step * step : -((-k + step - 1) / step * step);
}

// the powers of ten with exponents in [from, to] that are multiples of stride
static int list_powers(int from, int to, int stride, trmi_tick *tick, int maximum)
{
    int count = 0;
    for (int e = (int)-round_down(-from, stride); e <= to; e += stride, count++)
        if (count < maximum)
            tick[count] = (trmi_tick){1, e};
    return count;
}

static int choose_powers(int from, int to, int target, trmi_tick *tick, int maximum)
{
    static const int strides[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    int limit = target < maximum ? target : maximum, k = 0;
    while (list_powers(from, to, strides[k], tick, maximum) > limit)
        k++;
    if (k > 0 && list_powers(from, to, strides[k], tick, maximum) < MIN_TICKS &&
        list_powers(from, to, strides[k - 1], tick, maximum) <= maximum)
        k--;
    return list_powers(from, to, strides[k], tick, maximum);
}

// 1, 2 and 5 times powers of ten, all with the exponent of the first decade
static int list_one_two_five(double low, double high, int decade, trmi_tick *tick, int maximum)
{
    static const int digits[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    int count = 0;
    for (size_t k = 0; k < sizeof digits / sizeof *digits; k++) {
        trmi_tick t = {digits[k], decade};
        double value = trmi_tick_value(t);
        if (value < low || value > high)
            continue;
        if (count < maximum)
            tick[count] = t;
        count++;
    }
    return count;
}

static int choose_logarithmic(double low, double high, int target, trmi_tick *tick, int maximum)
{
    if (!(low > 0))
        return 0;
    int from = (int)floor(log10(low)) - 1, to = (int)ceil(log10(high)) + 1;
    while (trmi_tick_value((trmi_tick){1, from}) < low)
        from++;
    while (trmi_tick_value((trmi_tick){1, to}) > high)
        to--;
    if (to - from + 1 >= MIN_TICKS)
        return choose_powers(from, to, target, tick, maximum);
    int count = list_one_two_five(low, high, from - 1, tick, maximum);
    return count >= MIN_TICKS && count <= maximum ? count
                                                  : choose_linear(low, high, target, tick, maximum);
}

int trmi_ticks_choose(double low, double high, bool logarithmic, int target, trmi_tick *tick,
                      int maximum)
{
    if (!isfinite(low) || !isfinite(high) || !(low < high) || maximum <= 0)
        return 0;
    if (target < MIN_TICKS)
        target = MIN_TICKS;
    return logarithmic ? choose_logarithmic(low, high, target, tick, maximum)
                       : choose_linear(low, high, target, tick, maximum);
}
