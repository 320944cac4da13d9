// SPDX-License-Identifier: Apache-2.0
// Breaks of formulas of t alone: every one is found, to the last bit, and none is invented.
#include "modelling/expression/breaks.h"
#include "unit/expressions.h"

#include <stdlib.h>

// x is the time, p0 and p1 are parameters (input 3 on), y is a part of the state
enum { TIME = 0, FIRST_PARAMETER = 3 };

typedef struct search {
    trmi_graph graph;
    trmi_memory memory;
    const trmi_breaks *breaks;
    trmi_break_work work[200];
    double parameter[INPUTS];
} search;

static void start(search *s, const char *formula)
{
    memset(s, 0, sizeof *s);
    trmi_memory_init(&s->memory, NULL);
    const trmi_tape_output output = {parse(&s->graph, formula), 0};
    assert_true(trmi_breaks_create(&s->memory, &s->graph, &output, 1, NULL, TIME, FIRST_PARAMETER,
                                   &s->breaks));
    assert_true(trmi_breaks_work(s->breaks) <= 200);
}

static void finish(search *s)
{
    trmi_memory_release_all(&s->memory);
    trmi_graph_release(&s->graph);
}

static double next(search *s, double t, double t_end)
{
    return trmi_breaks_next(s->breaks, s->parameter, t, t_end, s->work);
}

// The breaks of a formula from 0 to t_end are those given, each to `within`.
static void assert_breaks(const char *formula, double t_end, double within, const double *expected,
                          int count)
{
    search s;
    start(&s, formula);
    double t = 0;
    for (int k = 0; k < count; k++) {
        t = next(&s, t, t_end);
        if (!(fabs(t - expected[k]) <= within))
            fail_msg("%s: break %d is %.17g instead of %.17g", formula, k, t, expected[k]);
    }
    double more = next(&s, t, t_end);
    if (!isinf(more))
        fail_msg("%s: one more break at %.17g", formula, more);
    finish(&s);
}

static void test_breaks_of_comparisons_are_exact(void **state)
{
    (void)state;
    // at `x > 5` the other branch begins with the next number, at `x >= 5` with 5 itself
    assert_breaks("if(x > 5, 1, 0)", 10, 0, (const double[]){nextafter(5, 6)}, 1);
    assert_breaks("if(x >= 5 and x < 5.001, 1, 0)", 10, 0, (const double[]){5, 5.001}, 2);
    assert_breaks("abs(x - 2)", 10, 0, (const double[]){2}, 1);
    assert_breaks("max(x - 1, 0) + min(x, 3)", 10, 1e-15, (const double[]){1, 3}, 2);
    assert_breaks("step(x - 0.5)*sin(x)", 10, 0, (const double[]){0.5}, 1);
}

static void test_breaks_of_periodic_functions(void **state)
{
    (void)state;
    assert_breaks("mod(x, 2)", 7, 0, (const double[]){2, 4, 6}, 3);
    assert_breaks("floor(x/3)", 10, 0, (const double[]){3, 6, 9}, 3);
    // sin(x) = 1/2 at pi/6, 5 pi/6, 13 pi/6, 17 pi/6; a few roundoffs of sin
    const double pi = acos(-1);
    assert_breaks("if(sin(x) > 0.5, 1, 2)", 10, 1e-14,
                  (const double[]){pi / 6, 5 * pi / 6, 13 * pi / 6, 17 * pi / 6}, 4);
}

static void test_breaks_close_together_are_all_found(void **state)
{
    (void)state;
    search s;
    start(&s, "if(sin(314.159265358979*x) > 0, 1, 0)");
    int count = 0;
    double t = 0;
    while (isfinite(t = next(&s, t, 1000))) // two in each of 50 000 periods, the first behind 0
        count++;
    assert_in_range(count, 99999, 100001);
    finish(&s);
    // one pulse of 1e-9 in 1e6, found in some halvings
    assert_breaks("if(x > 123456 and x < 123456 + 1e-9, 1, 0)", 1e6, 1e-10,
                  (const double[]){123456, 123456 + 1e-9}, 2);
}

static void test_breaks_only_of_time(void **state)
{
    (void)state;
    search s;
    start(&s, "max(y, 0) + if(y > x, 1, 2) + exp(-x)*cos(x)^2");
    assert_null(s.breaks);
    assert_int_equal(trmi_breaks_work(s.breaks), 0);
    assert_true(isinf(next(&s, 0, 10)));
    finish(&s);
}

static void test_breaks_follow_parameters(void **state)
{
    (void)state;
    search s;
    start(&s, "y*if(x > p0, 1, 0)");
    s.parameter[0] = 3;
    assert_true(next(&s, 0, 10) == nextafter(3, 4));
    s.parameter[0] = 4;
    assert_true(next(&s, 0, 10) == nextafter(4, 5));
    assert_true(isinf(next(&s, 0, 3.5)));
    finish(&s);
}

// Corners of a table of t in straight lines, also repeated ones, and of one through which a
// condition goes. Smooth values have none, but points beside a piece longer than the mean, inside
// of the table, of one that does not repeat.
static void test_breaks_at_corners_of_tables(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 3, 4}, y[] = {0, 2, -2, 0};
    const struct {
        trmi_interpolation interpolation;
        trmi_continuation beyond;
        int order;
        double expected[8];
        int count;
    } cases[] = {{TRMI_INTERPOLATION_LINEAR, TRMI_BEYOND_HOLD, 0, {1, 3, 4}, 3},
                 {TRMI_INTERPOLATION_LINEAR, TRMI_BEYOND_REPEAT, 0, {1, 3, 4, 5, 7}, 5},
                 {TRMI_INTERPOLATION_MONOTONE, TRMI_BEYOND_HOLD, 0, {1, 3}, 2},
                 {TRMI_INTERPOLATION_MONOTONE, TRMI_BEYOND_REPEAT, 0, {0}, 0},
                 {TRMI_INTERPOLATION_SPLINE, TRMI_BEYOND_HOLD, 0, {1, 3}, 2},
                 {TRMI_INTERPOLATION_MONOTONE, TRMI_BEYOND_HOLD, 1, {1, 3, 4}, 3},
                 {TRMI_INTERPOLATION_SPLINE, TRMI_BEYOND_HOLD, 1, {0}, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        search s = {0};
        trmi_memory_init(&s.memory, NULL);
        trmi_interpolant curve = {.count = 4,
                                  .x = x,
                                  .y = y,
                                  .interpolation = cases[k].interpolation,
                                  .beyond = cases[k].beyond};
        assert_true(trmi_interpolant_create(&curve, &s.memory));
        s.graph.curve = &curve;
        s.graph.curves = 1;
        trmi_node table = trmi_table(&s.graph, 0, cases[k].order, trmi_input(&s.graph, TIME));
        const trmi_tape_output output = {table, 0};
        assert_true(trmi_breaks_create(&s.memory, &s.graph, &output, 1, NULL, TIME, FIRST_PARAMETER,
                                       &s.breaks));
        double t = 0;
        for (int i = 0; i < cases[k].count; i++) {
            t = next(&s, t, 7.5);
            assert_true(fabs(t - cases[k].expected[i]) < 1e-14);
        }
        assert_true(isinf(next(&s, t, 7.5)));
        finish(&s);
    }
}

// the monotone curve through the points above crosses zero at 2, by symmetry
static void test_breaks_of_condition_on_table(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 3, 4}, y[] = {0, 2, -2, 0};
    search s = {0};
    trmi_memory_init(&s.memory, NULL);
    trmi_interpolant curve = {
        .count = 4, .x = x, .y = y, .interpolation = TRMI_INTERPOLATION_MONOTONE};
    assert_true(trmi_interpolant_create(&curve, &s.memory));
    s.graph.curve = &curve;
    s.graph.curves = 1;
    trmi_node table = trmi_table(&s.graph, 0, 0, trmi_input(&s.graph, TIME));
    const trmi_tape_output output = {
        trmi_apply(&s.graph, TRMI_MAX, table, trmi_constant(&s.graph, 0), TRMI_NO_NODE), 0};
    assert_true(trmi_breaks_create(&s.memory, &s.graph, &output, 1, NULL, TIME, FIRST_PARAMETER,
                                   &s.breaks));
    assert_true(fabs(next(&s, 0.5, 3.5) - 1) < 1e-14); // its longest piece begins
    assert_true(fabs(next(&s, 1, 3.5) - 2) < 1e-14);
    finish(&s);
}

static void test_breaks_end_where_nothing_is_decided(void **state)
{
    (void)state;
    search s;
    // equal for every x, but intervals do not know: no break is invented, and the search ends
    start(&s, "max(x*x - x, x*(x - 1))");
    double t = next(&s, 0, 10);
    assert_true(isinf(t) || t <= 10);
    finish(&s);
}

// Intervals contain the values at all points inside, for every operation.
static void test_interval_contains_values(void **state)
{
    (void)state;
    generator g = {7};
    for (int operation = TRMI_ADD; operation < TRMI_TABLE; operation++)
        for (int trial = 0; trial < 400; trial++) {
            trmi_interval x[3];
            double scale = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 0.1 : 10;
            for (int k = 0; k < 3; k++) {
                double a = scale * draw_between(&g, -1, 1), b = a + scale * draw_between(&g, 0, 1);
                x[k] = (trmi_interval){a, b};
            }
            trmi_interval y = trmi_interval_apply((trmi_operation)operation, x);
            double branch = trmi_interval_branch((trmi_operation)operation, x);
            for (int point = 0; point < 20; point++) {
                double at[3];
                trmi_interval p[3];
                for (int k = 0; k < 3; k++) {
                    at[k] = x[k].low + (x[k].high - x[k].low) * 0.05 * ((point * (k + 3)) % 21);
                    p[k] = (trmi_interval){at[k], at[k]};
                }
                double value = trmi_operation_value((trmi_operation)operation, at[0], at[1], at[2]);
                double roundoff = 1e-14 * (1 + fabs(value));
                if (!isnan(value) && !(y.low - roundoff <= value && value <= y.high + roundoff))
                    fail_msg("operation %d: %g is not in [%g, %g]", operation, value, y.low,
                             y.high);
                if (!isnan(branch))
                    assert_true(trmi_interval_branch((trmi_operation)operation, p) == branch);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_of_comparisons_are_exact),
        cmocka_unit_test(test_breaks_of_periodic_functions),
        cmocka_unit_test(test_breaks_close_together_are_all_found),
        cmocka_unit_test(test_breaks_only_of_time),
        cmocka_unit_test(test_breaks_follow_parameters),
        cmocka_unit_test(test_breaks_at_corners_of_tables),
        cmocka_unit_test(test_breaks_of_condition_on_table),
        cmocka_unit_test(test_breaks_end_where_nothing_is_decided),
        cmocka_unit_test(test_interval_contains_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
