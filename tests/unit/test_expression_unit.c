// SPDX-License-Identifier: Apache-2.0
// Units as text. Factors are those of the SI brochure and of the international pound and inch.
#include "modelling/expression/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static trmi_unit read(const char *text)
{
    trmi_unit unit;
    if (!trmi_unit_read(text, (int)strlen(text), &unit))
        fail_msg("%s", text);
    return unit;
}

static void test_expression_unit_known_factors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *same;
        double factor;
    } cases[] = {
        {"mm", "m", 1e-3},
        {"kN/m", "kg/s^2", 1e3},
        {"N m", "J", 1},
        {"N*m", "kg m^2 / s^2", 1},
        {"km/h", "m/s", 1 / 3.6},
        {"deg", "1", 0.017453292519943295},
        {"rpm", "1/s", 0.10471975511965978},
        {"bar", "Pa", 1e5},
        {"g/cm^3", "kg/m^3", 1000},
        {"N s/m", "kg/s", 1},
        {"m^-1", "1/m", 1},
        {"mA", "A", 1e-3},
        {"cm^2", "m^2", 1e-4},
        {"kg m^2", "kg m m", 1},
        {"min", "s", 60},
        {"lbf/in", "N/m", 175.12683524647637},
        {"V", "W/A", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trmi_unit unit = read(cases[k].text), same = read(cases[k].same);
        assert_true(fabs(unit.factor / cases[k].factor - 1) < 1e-14);
        assert_true(trmi_unit_same_kind(&unit, &same));
    }
}

static void test_expression_unit_no_units_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     " ",     "furlong", "/s",   "m/",
                                        "m//s", "m^",    "m^x",     "2",    "m*",
                                        "*m",   "m^2^2", "[m]",     "kdeg", "\xc3\xa9"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        trmi_unit unit;
        if (trmi_unit_read(wrong[k], (int)strlen(wrong[k]), &unit))
            fail_msg("accepted: '%s'", wrong[k]);
    }
    const trmi_unit m = read("m"), s = read("s");
    assert_false(trmi_unit_same_kind(&m, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_unit_known_factors),
        cmocka_unit_test(test_expression_unit_no_units_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
