// SPDX-License-Identifier: Apache-2.0
// Ticks: hand-worked cases, properties over random ranges, labels.
#include "program/plot/ticks.h"
#include "results_xml.h"

#include <float.h>

#define MINUS "\xe2\x88\x92"
#define TIMES "\xc3\x97"
#define SPACE "\xc2\xa0"

// ---- values ----

// the ticks as numbers
static int choose_ticks(double low, double high, bool logarithmic, int wanted, double *tick,
                        int most)
{
    trmi_tick decimal[TRMI_MAX_TICKS];
    int count = trmi_ticks_choose(low, high, logarithmic, wanted, decimal,
                                  most > TRMI_MAX_TICKS ? TRMI_MAX_TICKS : most);
    for (int k = 0; k < count; k++)
        tick[k] = trmi_tick_value(decimal[k]);
    return count;
}

static void test_ticks_known_ranges_give_known_ticks(void **state)
{
    (void)state;
    // by hand: the smallest step of 1, 2, 2.5, 5 times 10^e with at most `wanted` multiples inside,
    // one finer when fewer than three are left; the same literals, so equal to the last bit
    const struct {
        double low, high;
        bool logarithmic;
        int wanted, count;
        double tick[8];
    } table[] = {
        {0, 1, false, 5, 5, {0, 0.25, 0.5, 0.75, 1}},
        {0, 10, false, 6, 6, {0, 2, 4, 6, 8, 10}},
        {-1, 1, false, 5, 5, {-1, -0.5, 0, 0.5, 1}},
        {0, 0.3, false, 4, 4, {0, 0.1, 0.2, 0.3}},
        {3.15, 3.9, false, 4, 4, {3.2, 3.4, 3.6, 3.8}},
        {0.01, 0.99, false, 3, 3, {0.25, 0.5, 0.75}},
        {-1234, -1200, false, 5, 4, {-1230, -1220, -1210, -1200}},
        {1,
         1 + 1e-12,
         false,
         6,
         6,
         {1, 1.0000000000002, 1.0000000000004, 1.0000000000006, 1.0000000000008, 1.000000000001}},
        {-1.7e308, 1.7e308, false, 5, 3, {-1e308, 0, 1e308}},
        {0, 3e-300, false, 4, 4, {0, 1e-300, 2e-300, 3e-300}},
        {1e-12, 1e-3, true, 5, 5, {1e-12, 1e-10, 1e-8, 1e-6, 1e-4}},
        {0.5, 2000, true, 5, 4, {1, 10, 100, 1000}},
        {1, 50, true, 6, 6, {1, 2, 5, 10, 20, 50}},
        {2, 5, true, 5, 4, {2, 3, 4, 5}},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        double tick[TRMI_MAX_TICKS];
        int count = choose_ticks(table[k].low, table[k].high, table[k].logarithmic, table[k].wanted,
                                 tick, TRMI_MAX_TICKS);
        if (count != table[k].count)
            fail_msg("[%g, %g]: %d ticks from %g", table[k].low, table[k].high, count, tick[0]);
        for (int i = 0; i < count; i++)
            if (tick[i] != table[k].tick[i])
                fail_msg("[%g, %g]: %.17g", table[k].low, table[k].high, tick[i]);
    }
}

static void test_ticks_bad_ranges_have_none(void **state)
{
    (void)state;
    double tick[4];
    assert_int_equal(choose_ticks(1, 1, false, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(2, 1, false, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(NAN, 1, false, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(0, NAN, false, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(0, INFINITY, false, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(-INFINITY, INFINITY, true, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(0, 1, true, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(-1, 1, true, 5, tick, 4), 0);
    assert_int_equal(choose_ticks(0, 1, false, 5, tick, 0), 0);
    assert_int_equal(choose_ticks(0, 1, false, 5, tick, -1), 0);
}

static void test_ticks_most_is_kept(void **state)
{
    (void)state;
    for (int most = 1; most <= 6; most++)
        for (int wanted = -1; wanted <= 40; wanted++) {
            double tick[7] = {[6] = 77};
            tick[most] = 77;
            assert_in_range(choose_ticks(-3, 8, false, wanted, tick, most), 1, most);
            assert_true(tick[most] == 77);
            assert_in_range(choose_ticks(1e-9, 1e9, true, wanted, tick, most), 1, most);
            assert_true(tick[most] == 77);
            assert_in_range(choose_ticks(1.5, 70, true, wanted, tick, most), 1, most);
            assert_true(tick[most] == 77);
        }
}

// random ends over many orders of magnitude, also close together
static void choose_range(uint64_t *seed, bool positive, double *low, double *high)
{
    double size = pow(10, 580 * random_unit(seed) - 290);
    double width = pow(10, -10 * random_unit(seed));
    double centre = random_unit(seed) * (positive || random_bits(seed) % 2 ? 1 : -1);
    *low = size * (centre - (positive ? 0.9 * fmin(width, centre) : width));
    *high = size * (centre + width);
}

static void test_ticks_random_ranges_have_round_numbers_inside(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 20000; k++) {
        double low, high, tick[TRMI_MAX_TICKS];
        int wanted = 3 + (int)(random_bits(&seed) % 8);
        bool logarithmic = k % 3 == 0;
        choose_range(&seed, logarithmic, &low, &high);
        int count = choose_ticks(low, high, logarithmic, wanted, tick, TRMI_MAX_TICKS);
        // where a step leaves two ticks, half the step has at most 6; on a logarithmic axis two
        // powers of ten have at most 8 of 1, 2, 5 times powers of ten around them
        int greatest = logarithmic ? 8 : 6;
        if (count < 3 || count > (wanted < greatest ? greatest : wanted))
            fail_msg("[%.17g, %.17g], %d wanted: %d", low, high, wanted, count);
        for (int i = 0; i < count; i++) {
            assert_true(tick[i] >= low && tick[i] <= high);
            assert_true(i == 0 || tick[i] > tick[i - 1]);
            assert_false(tick[i] == 0 && signbit(tick[i]));
        }
    }
}

static void test_ticks_random_steps_are_equal_and_round(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < 20000; k++) {
        double low, high;
        trmi_tick tick[TRMI_MAX_TICKS];
        choose_range(&seed, false, &low, &high);
        int count = trmi_ticks_choose(low, high, false, 6, tick, TRMI_MAX_TICKS);
        int64_t step = tick[1].digits - tick[0].digits;
        assert_true(step == 1 || step == 2 || step == 5 || step == 25);
        for (int i = 0; i < count; i++) {
            assert_int_equal(tick[i].exponent, tick[0].exponent);
            assert_true(tick[i].digits == tick[0].digits + i * step);
            assert_true(tick[i].digits % step == 0);
        }
        // all of them: the next ones on both sides lie outside
        assert_true(trmi_tick_value((trmi_tick){tick[0].digits - step, tick[0].exponent}) < low);
        assert_true(trmi_tick_value((trmi_tick){tick[count - 1].digits + step, tick[0].exponent}) >
                    high);
    }
}

static void test_ticks_neighbouring_doubles_end(void **state)
{
    (void)state;
    const double values[] = {1, -1, 0.1, 1e300, -1e-300, 5e-324, DBL_MIN, 123456789};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        double tick[TRMI_MAX_TICKS], low = values[k], high = low;
        for (int ulps = 1; ulps < 200; ulps++) {
            high = nextafter(high, INFINITY);
            int count = choose_ticks(low, high, false, 5, tick, TRMI_MAX_TICKS);
            assert_in_range(count, 0, 12);
            for (int i = 0; i < count; i++)
                assert_true(tick[i] >= low && tick[i] <= high && (!i || tick[i] > tick[i - 1]));
        }
    }
}

// ---- labels ----

static void test_ticks_labels_known_ranges_give_known_texts(void **state)
{
    (void)state;
    // by hand, from the ticks above; the last column is what the texts are to be combined with
    const struct {
        double low, high;
        bool logarithmic;
        int wanted;
        const char *texts, *common;
    } table[] = {
        {0, 1, false, 5, "0.00 0.25 0.50 0.75 1.00", ""},
        {-2, 2, false, 5, MINUS "2 " MINUS "1 0 1 2", ""},
        {0, 3e-3, false, 4, "0 1 2 3", TIMES "10^" MINUS "3"},
        {-0.03, 0, false, 4, MINUS "0.03 " MINUS "0.02 " MINUS "0.01 0.00", ""},
        {0, 3e4, false, 4, "0 10000 20000 30000", ""},
        {0, 2e5, false, 5, "0 50 100 150 200", TIMES "10^3"},
        {0, 3e-300, false, 4, "0 1 2 3", TIMES "10^" MINUS "300"},
        {1, 1 + 1e-12, false, 6, "0.0 0.2 0.4 0.6 0.8 1.0",
         TIMES "10^" MINUS "12" SPACE "+" SPACE "1"},
        {1e6, 1e6 + 1, false, 6, "0.0 0.2 0.4 0.6 0.8 1.0", "+" SPACE "1" TIMES "10^6"},
        {0.9999999, 1.0000001, false, 5, MINUS "100 " MINUS "50 0 50 100",
         TIMES "10^" MINUS "9" SPACE "+" SPACE "1"},
        {-12.5000002, -12.5, false, 3, MINUS "200 " MINUS "100 0",
         TIMES "10^" MINUS "9" SPACE MINUS SPACE "12.5"},
        {0.01, 100, true, 5, "0.01 0.1 1 10 100", ""},
        {1e-9, 1e-3, true, 4, "10^" MINUS "8 10^" MINUS "6 10^" MINUS "4", ""},
        {1e-7, 1e-6, true, 6, "0.1 0.2 0.5 1.0", TIMES "10^" MINUS "6"},
        {1, 50, true, 6, "1 2 5 10 20 50", ""},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        trmi_tick tick[TRMI_MAX_TICKS];
        trmi_tick_labels labels;
        char texts[400] = "";
        int count = trmi_ticks_choose(table[k].low, table[k].high, table[k].logarithmic,
                                      table[k].wanted, tick, TRMI_MAX_TICKS);
        trmi_ticks_label(&labels, tick, count);
        for (int i = 0; i < count; i++) {
            strcat(texts, i ? " " : "");
            strcat(texts, labels.text[i]);
        }
        assert_string_equal(texts, table[k].texts);
        assert_string_equal(labels.common, table[k].common);
    }
}

static void test_ticks_labels_of_nothing_are_empty(void **state)
{
    (void)state;
    trmi_tick_labels labels;
    trmi_ticks_label(&labels, NULL, 0);
    assert_string_equal(labels.common, "");
    assert_string_equal(labels.text[0], "");
    trmi_ticks_label(&labels, &(trmi_tick){0, 5}, 1);
    assert_string_equal(labels.text[0], "0");
    assert_string_equal(labels.common, "");
}

// "−1.5", "+ 1.5×10^6" back to a number; *at moves behind it
static double read_number(const char **at)
{
    char plain[64];
    size_t n = 0;
    double sign = 1;
    for (; **at == '+' || strncmp(*at, SPACE, 2) == 0 || strncmp(*at, MINUS, 3) == 0;)
        if (strncmp(*at, MINUS, 3) == 0) {
            sign = -1;
            *at += 3;
        } else {
            *at += **at == '+' ? 1 : 2;
        }
    while (isdigit((unsigned char)**at) || **at == '.')
        plain[n++] = *(*at)++;
    plain[n] = '\0';
    return sign * strtod(plain, NULL);
}

// reads "×10^−3" if it is there
static int read_power(const char **at)
{
    if (strncmp(*at, TIMES "10^", 5) != 0)
        return 0;
    *at += 5;
    return (int)read_number(at);
}

static void test_ticks_labels_random_ranges_read_back_as_ticks(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 20000; k++) {
        double low, high;
        trmi_tick tick[TRMI_MAX_TICKS];
        trmi_tick_labels labels;
        choose_range(&seed, false, &low, &high);
        int count = trmi_ticks_choose(low, high, false, 6, tick, TRMI_MAX_TICKS);
        trmi_ticks_label(&labels, tick, count);
        const char *at = labels.common;
        int power = read_power(&at);
        double offset = *at ? read_number(&at) : 0;
        offset *= pow(10, read_power(&at));
        assert_string_equal(at, "");
        for (int i = 0; i < count; i++) {
            at = labels.text[i];
            assert_true(strlen(at) <= 12);
            double value = read_number(&at) * pow(10, power) + offset;
            assert_string_equal(at, "");
            // a few roundings of 1.1e-16; neighbouring ticks differ by more than 1e-12
            double is = trmi_tick_value(tick[i]), most = 1e-15 * (fabs(is) + fabs(offset));
            if (!(fabs(value - is) <= most))
                fail_msg("%.17g reads as %s with %s", is, labels.text[i], labels.common);
            assert_true(i == 0 || strcmp(labels.text[i], labels.text[i - 1]) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_known_ranges_give_known_ticks),
        cmocka_unit_test(test_ticks_bad_ranges_have_none),
        cmocka_unit_test(test_ticks_most_is_kept),
        cmocka_unit_test(test_ticks_random_ranges_have_round_numbers_inside),
        cmocka_unit_test(test_ticks_random_steps_are_equal_and_round),
        cmocka_unit_test(test_ticks_neighbouring_doubles_end),
        cmocka_unit_test(test_ticks_labels_known_ranges_give_known_texts),
        cmocka_unit_test(test_ticks_labels_of_nothing_are_empty),
        cmocka_unit_test(test_ticks_labels_random_ranges_read_back_as_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
