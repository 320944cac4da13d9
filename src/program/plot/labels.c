// SPDX-License-Identifier: Apache-2.0
// Labels of ticks in whole numbers only. What all ticks have in common is taken out:
//     tick_i = (n_i 10^(e - power)) 10^power + offset
// power, a multiple of three, when the numbers are tiny or huge; offset, a round number nearby,
// when they differ only after many digits.
#include "program/plot/ticks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xe2\x88\x92" // U+2212
#define TIMES "\xc3\x97"     // U+00D7
#define SPACE "\xc2\xa0"     // U+00A0, kept by all viewers

enum { MAX_DIGITS = 6 }; // of a label; with more there is an offset

static int count_digits(int64_t n)
{
    int count = 1;
    for (n = n < 0 ? -n : n; n >= 10; n /= 10)
        count++;
    return count;
}

static int64_t power_of_ten(int n)
{
    int64_t p = 1;
    while (n-- > 0)
        p *= 10;
    return p;
}

static int64_t largest_of(const int64_t *n, int count)
{
    int64_t largest = 0;
    for (int k = 0; k < count; k++)
        largest = llabs(n[k]) > largest ? llabs(n[k]) : largest;
    return largest;
}

// removes the zeros that all numbers end in
static void strip_zeros(int64_t *n, int count, int *exponent)
{
    while (largest_of(n, count) > 0) {
        for (int k = 0; k < count; k++)
            if (n[k] % 10 != 0)
                return;
        for (int k = 0; k < count; k++)
            n[k] /= 10;
        (*exponent)++;
    }
}

// n * 10^(-decimals) as text: 1250, 2 -> "12.50"; negative decimals add zeros
static void print_decimal(char *out, size_t size, int64_t n, int decimals)
{
    if (decimals < 0) {
        n *= power_of_ten(-decimals);
        decimals = 0;
    }
    decimals = decimals > 18 ? 18 : decimals; // so many has int64_t; ticks have fewer
    int64_t unit = power_of_ten(decimals), whole = llabs(n) / unit, rest = llabs(n) % unit;
    const char *sign = n < 0 ? MINUS : "";
    if (decimals > 0)
        snprintf(out, size, "%s%lld.%0*lld", sign, (long long)whole, decimals, (long long)rest);
    else
        snprintf(out, size, "%s%lld", sign, (long long)whole);
}

static void print_power(char *out, size_t size, const char *before, int power)
{
    snprintf(out, size, "%s10^%s%d", before, power < 0 ? MINUS : "", abs(power));
}

// exponent of a common power of ten for numbers of this decade; 0 when they read well without
static int common_power(int decade)
{
    if (decade >= -2 && decade < 5)
        return 0;
    return decade >= 0 ? decade / 3 * 3 : -((-decade + 2) / 3 * 3);
}

// The roundest number within a few times the range of the ticks; 0 when they need none.
static int64_t choose_offset(const int64_t *n, int count)
{
    int64_t range = n[count - 1] - n[0], middle = n[0] + range / 2;
    int digits = count_digits(largest_of(n, count));
    if (digits <= MAX_DIGITS)
        return 0;
    for (int k = digits; k >= 0; k--) {
        int64_t unit = power_of_ten(k), half = middle < 0 ? -unit / 2 : unit / 2;
        int64_t offset = (middle + half) / unit * unit;
        if (offset != 0 && llabs(offset - middle) <= 3 * range)
            return offset;
    }
    return 0;
}

// appends "+ 1.5" or "− 2.5×10^6"
static void append_offset(char *out, size_t size, int64_t offset, int exponent)
{
    char number[TRMI_LABEL_SIZE], power[TRMI_LABEL_SIZE] = "";
    int64_t n = llabs(offset);
    strip_zeros(&n, 1, &exponent);
    int decade = exponent + count_digits(n) - 1, common = common_power(decade);
    print_decimal(number, sizeof number, n, common - exponent);
    if (common != 0)
        print_power(power, sizeof power, TIMES, common);
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s" SPACE "%s%s", used ? SPACE : "",
             offset < 0 ? MINUS : "+", number, power);
}

static void label_decimals(trmi_tick_labels *labels, const trmi_tick *tick, int count)
{
    int64_t n[TRMI_MAX_TICKS];
    int exponent = tick[0].exponent;
    for (int k = 0; k < count; k++)
        n[k] = tick[k].digits;
    strip_zeros(n, count, &exponent);
    int64_t offset = choose_offset(n, count);
    int offset_exponent = exponent;
    for (int k = 0; k < count; k++)
        n[k] -= offset;
    strip_zeros(n, count, &exponent);
    int64_t largest = largest_of(n, count);
    int power = largest > 0 ? common_power(exponent + count_digits(largest) - 1) : 0;
    if (largest == 0)
        exponent = 0;
    for (int k = 0; k < count; k++)
        print_decimal(labels->text[k], sizeof labels->text[k], n[k], power - exponent);
    if (power != 0)
        print_power(labels->common, sizeof labels->common, TIMES, power);
    if (offset != 0)
        append_offset(labels->common, sizeof labels->common, offset, offset_exponent);
}

static void label_powers(trmi_tick_labels *labels, const trmi_tick *tick, int count)
{
    bool plain = tick[0].exponent >= -3 && tick[count - 1].exponent <= 4;
    for (int k = 0; k < count; k++)
        if (plain)
            print_decimal(labels->text[k], sizeof labels->text[k], 1, -tick[k].exponent);
        else
            print_power(labels->text[k], sizeof labels->text[k], "", tick[k].exponent);
}

void trmi_ticks_label(trmi_tick_labels *labels, const trmi_tick *tick, int count)
{
    memset(labels, 0, sizeof *labels);
    if (count <= 0)
        return;
    if (count > 1 && tick[0].exponent != tick[1].exponent)
        label_powers(labels, tick, count);
    else
        label_decimals(labels, tick, count);
}
