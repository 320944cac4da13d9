// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/unit.h"

#include "base/space.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct unit_name {
    const char *name;
    bool prefixes; // k, m, ... may stand before it
    double factor;
    signed char m, kg, s, A, K;
} unit_name;

static const double degree = TRMI_PI / 180;

static const unit_name names[] = {
    {"1", false, 1, 0, 0, 0, 0, 0},
    {"%", false, 0.01, 0, 0, 0, 0, 0},
    {"m", true, 1, 1, 0, 0, 0, 0},
    {"g", true, 1e-3, 0, 1, 0, 0, 0},
    {"t", false, 1e3, 0, 1, 0, 0, 0},
    {"s", true, 1, 0, 0, 1, 0, 0},
    {"min", false, 60, 0, 0, 1, 0, 0},
    {"h", false, 3600, 0, 0, 1, 0, 0},
    {"A", true, 1, 0, 0, 0, 1, 0},
    {"K", false, 1, 0, 0, 0, 0, 1},
    {"rad", true, 1, 0, 0, 0, 0, 0},
    {"deg", false, degree, 0, 0, 0, 0, 0},
    {"rev", false, 360 * degree, 0, 0, 0, 0, 0},
    {"rpm", false, 6 * degree, 0, 0, -1, 0, 0},
    {"Hz", true, 1, 0, 0, -1, 0, 0},
    {"N", true, 1, 1, 1, -2, 0, 0},
    {"Pa", true, 1, -1, 1, -2, 0, 0},
    {"bar", true, 1e5, -1, 1, -2, 0, 0},
    {"J", true, 1, 2, 1, -2, 0, 0},
    {"W", true, 1, 2, 1, -3, 0, 0},
    {"V", true, 1, 2, 1, -3, -1, 0},
    {"Ohm", true, 1, 2, 1, -3, -2, 0},
    {"H", true, 1, 2, 1, -2, -2, 0},
    {"F", true, 1, -2, -1, 4, 2, 0},
    {"l", true, 1e-3, 3, 0, 0, 0, 0},
    {"in", false, 0.0254, 1, 0, 0, 0, 0},
    {"ft", false, 0.3048, 1, 0, 0, 0, 0},
    {"lb", false, 0.45359237, 0, 1, 0, 0, 0},
    {"lbf", false, 4.4482216152605, 1, 1, -2, 0, 0},
};
enum { NAMES = sizeof names / sizeof *names };

static double prefix_of(char letter)
{
    static const struct {
        char letter;
        double factor;
    } prefix[] = {{'G', 1e9},  {'M', 1e6},  {'k', 1e3},  {'d', 1e-1},
                  {'c', 1e-2}, {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};
    for (size_t k = 0; k < sizeof prefix / sizeof *prefix; k++)
        if (prefix[k].letter == letter)
            return prefix[k].factor;
    return 0;
}

static bool is_name(const unit_name *n, const char *text, int length)
{
    return strlen(n->name) == (size_t)length && strncmp(n->name, text, (size_t)length) == 0;
}

// a name, whole or after a prefix
static const unit_name *find_name(const char *text, int length, double *scale)
{
    *scale = 1;
    for (int k = 0; k < NAMES; k++)
        if (is_name(&names[k], text, length))
            return &names[k];
    *scale = length > 1 ? prefix_of(text[0]) : 0;
    for (int k = 0; k<NAMES && * scale> 0; k++)
        if (names[k].prefixes && is_name(&names[k], text + 1, length - 1))
            return &names[k];
    return NULL;
}

static void multiply(trmi_unit *unit, const unit_name *n, double scale, int power)
{
    const signed char own[TRMI_BASE_UNITS] = {n->m, n->kg, n->s, n->A, n->K};
    unit->factor *= pow(scale * n->factor, power);
    for (int k = 0; k < TRMI_BASE_UNITS; k++)
        unit->power[k] = (signed char)(unit->power[k] + power * own[k]);
}

static bool continues(char c)
{
    return isalpha((unsigned char)c) || c == '%';
}

// a whole power from -9 to 9 after '^'; how many bytes it has, 0: there is none
static int read_power(const char *text, int length, int *power)
{
    int at = 1, sign = 1;
    if (length < 2 || text[0] != '^')
        return 0;
    if (text[at] == '-') {
        sign = -1;
        at++;
    }
    if (at >= length || !isdigit((unsigned char)text[at]))
        return 0;
    *power = sign * (text[at] - '0');
    return at + 1;
}

bool trmi_unit_read(const char *text, int length, trmi_unit *unit)
{
    int at = 0, sign = 1;
    bool expected = true; // a name must come
    *unit = (trmi_unit){.factor = 1};
    while (at < length) {
        char c = text[at];
        if (c == ' ' || ((c == '*' || c == '/') && !expected)) {
            sign = c == '/' ? -1 : sign;
            expected = expected || c != ' ';
            at++;
            continue;
        }
        int end = at + 1, power = 1;
        double scale;
        while (end < length && continues(c) && continues(text[end]))
            end++;
        const unit_name *n = find_name(text + at, end - at, &scale);
        if (!n)
            return false;
        end += read_power(text + end, length - end, &power);
        multiply(unit, n, scale, sign * power);
        sign = 1;
        expected = false;
        at = end;
    }
    return !expected;
}

bool trmi_unit_same_kind(const trmi_unit *a, const trmi_unit *b)
{
    return memcmp(a->power, b->power, sizeof a->power) == 0;
}
