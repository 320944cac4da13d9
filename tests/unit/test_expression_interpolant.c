// SPDX-License-Identifier: Apache-2.0
// Curves through points: values against closed forms, derivatives and integrals against each other.
#include "expressions.h"
#include "modelling/expression/derive.h"
#include "modelling/expression/interpolant.h"

enum { POINTS = 13 };

static void assert_near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g, not %.17g", a, b);
}

typedef struct fixture {
    trmi_memory memory;
    double x[POINTS], y[POINTS];
    trmi_interpolant curve;
} fixture;

// unequal distances in [-1, 3]
static void set_x(fixture *f)
{
    for (int i = 0; i < POINTS; i++)
        f->x[i] = -1 + 4 * pow((double)i / (POINTS - 1), 1.3);
}

static void create(fixture *f, trmi_interpolation interpolation, trmi_continuation beyond)
{
    trmi_memory_init(&f->memory, NULL);
    f->curve = (trmi_interpolant){.name = "c",
                                  .count = POINTS,
                                  .x = f->x,
                                  .y = f->y,
                                  .interpolation = interpolation,
                                  .beyond = beyond};
    assert_true(trmi_interpolant_create(&f->curve, &f->memory));
}

// Not-a-knot splines reproduce cubics: y = 2 - x + 3 x^2 - x^3 with all derivatives, to roundoff
// (values of order 10, distances of order 0.1 cubed in the third derivative).
static void test_expression_interpolant_spline_reproduces_cubics(void **state)
{
    (void)state;
    fixture f;
    set_x(&f);
    for (int i = 0; i < POINTS; i++)
        f.y[i] = 2 - f.x[i] + 3 * f.x[i] * f.x[i] - pow(f.x[i], 3);
    create(&f, TRMI_INTERPOLATION_SPLINE, TRMI_BEYOND_STRAIGHT);
    for (double x = -0.99; x < 3; x += 0.083) {
        assert_near(trmi_interpolant_at(&f.curve, 0, x), 2 - x + 3 * x * x - x * x * x, 1e-13);
        assert_near(trmi_interpolant_at(&f.curve, 1, x), -1 + 6 * x - 3 * x * x, 1e-12);
        assert_near(trmi_interpolant_at(&f.curve, 2, x), 6 - 6 * x, 1e-10);
        assert_near(trmi_interpolant_at(&f.curve, 3, x), -6, 1e-8);
        assert_near(trmi_interpolant_at(&f.curve, TRMI_INTERPOLANT_INTEGRAL, x),
                    2 * x - x * x / 2 + x * x * x - pow(x, 4) / 4, 1e-13);
    }
    trmi_memory_release_all(&f.memory);
}

// Derivatives up to that of its smoothness are continuous at the points, also where it repeats.
static void test_expression_interpolant_is_as_smooth_as_it_says(void **state)
{
    (void)state;
    static const trmi_continuation beyond[] = {TRMI_BEYOND_STRAIGHT, TRMI_BEYOND_REPEAT};
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 2; b++) {
            fixture f;
            set_x(&f);
            for (int i = 0; i < POINTS; i++)
                f.y[i] = i == POINTS - 1 ? f.y[0] : cos(3 * f.x[i]) + 0.3 * sin(7 * f.x[i]);
            create(&f, (trmi_interpolation)k, beyond[b]);
            assert_int_equal(trmi_interpolant_smoothness(&f.curve), k);
            for (int i = b ? 0 : 1; i < POINTS - !b; i++)
                for (int order = TRMI_INTERPOLANT_INTEGRAL; order <= k; order++) {
                    double eps = 1e-9, low = trmi_interpolant_at(&f.curve, order, f.x[i] - eps);
                    double high = trmi_interpolant_at(&f.curve, order, f.x[i] + eps);
                    // the next derivative is below 1e4, times 2e-9
                    assert_near(low, high, 2e-5);
                }
            trmi_memory_release_all(&f.memory);
        }
}

// A periodic spline through 13 points of a sine is off by less than h^4/384 max|y''''| times a
// small constant (de Boor): 5 h^4/384 = 9.8e-4 with h = pi/6; every turn is the same.
static void test_expression_interpolant_repeats(void **state)
{
    (void)state;
    fixture f;
    const double period = 2 * 3.14159265358979323846;
    for (int i = 0; i < POINTS; i++) {
        f.x[i] = period * i / (POINTS - 1);
        f.y[i] = i == POINTS - 1 ? 0 : sin(f.x[i]);
    }
    create(&f, TRMI_INTERPOLATION_SPLINE, TRMI_BEYOND_REPEAT);
    for (double x = -20; x < 20; x += 0.37) {
        assert_near(trmi_interpolant_at(&f.curve, 0, x), sin(x), 9.8e-4);
        assert_near(trmi_interpolant_at(&f.curve, 0, x),
                    trmi_interpolant_at(&f.curve, 0, x + period), 1e-14);
        assert_near(trmi_interpolant_at(&f.curve, TRMI_INTERPOLANT_INTEGRAL, x), 1 - cos(x), 1e-3);
    }
    assert_near(trmi_interpolant_next_corner(&f.curve, 7), f.x[2] + period, 1e-14);
    assert_near(trmi_interpolant_next_corner(&f.curve, -0.1), 0, 1e-14);
    trmi_memory_release_all(&f.memory);
}

// Derivatives and integrals of all kinds against central differences of the order below: steps of
// 1e-5 leave 1e-10 times the third derivative (below 1e4), and 1e-16/1e-5 of roundoff.
static void test_expression_interpolant_orders_fit_each_other(void **state)
{
    (void)state;
    for (int k = 0; k < 9; k++) {
        fixture f;
        set_x(&f);
        for (int i = 0; i < POINTS; i++)
            f.y[i] = i == POINTS - 1 ? f.y[0] : cos(3 * f.x[i]) + 0.3 * sin(7 * f.x[i]);
        create(&f, (trmi_interpolation)(k / 3), (trmi_continuation)(k % 3));
        for (double x = -3.017; x < 6; x += 0.0931) {
            double next = trmi_interpolant_next_corner(&f.curve, x - 1e-5);
            if (next < x + 1e-5)
                continue; // a corner between the two
            for (int order = TRMI_INTERPOLANT_INTEGRAL; order < 2; order++) {
                double slope = (trmi_interpolant_at(&f.curve, order, x + 1e-5) -
                                trmi_interpolant_at(&f.curve, order, x - 1e-5)) /
                               2e-5;
                assert_near(trmi_interpolant_at(&f.curve, order + 1, x), slope, 1e-5);
            }
        }
        assert_true(trmi_interpolant_at(&f.curve, TRMI_INTERPOLANT_INTEGRAL, 0) == 0);
        trmi_memory_release_all(&f.memory);
    }
}

// A damper by three points: straight lines give what is meant between them.
static void test_expression_interpolant_linear_has_corners(void **state)
{
    (void)state;
    fixture f = {.x = {-1, 0, 1}, .y = {-900, 0, 2400}};
    create(&f, TRMI_INTERPOLATION_LINEAR, TRMI_BEYOND_STRAIGHT);
    f.curve.count = 3;
    assert_true(trmi_interpolant_at(&f.curve, 0, 0.5) == 1200);
    assert_true(trmi_interpolant_at(&f.curve, 0, -0.5) == -450);
    assert_true(trmi_interpolant_at(&f.curve, 0, 2) == 4800);
    assert_true(trmi_interpolant_at(&f.curve, 1, 0) == 2400); // to the right
    assert_true(trmi_interpolant_next_corner(&f.curve, -0.5) == 0);
    assert_true(trmi_interpolant_next_corner(&f.curve, 1) == HUGE_VAL);
    f.curve.beyond = TRMI_BEYOND_HOLD;
    assert_true(trmi_interpolant_at(&f.curve, 0, 2) == 2400);
    assert_true(trmi_interpolant_at(&f.curve, 1, 2) == 0);
    trmi_memory_release_all(&f.memory);
}

// Cubics that are monotone where the points are stay between neighbouring points.
static void test_expression_interpolant_monotone_does_not_overshoot(void **state)
{
    (void)state;
    fixture f;
    set_x(&f);
    for (int i = 0; i < POINTS; i++)
        f.y[i] = i < 5 ? 0 : i < 7 ? 1 : i < 10 ? 5 : 4.9;
    create(&f, TRMI_INTERPOLATION_MONOTONE, TRMI_BEYOND_HOLD);
    for (int i = 0; i + 1 < POINTS; i++)
        for (int k = 0; k <= 50; k++) {
            double x = f.x[i] + (f.x[i + 1] - f.x[i]) * k / 50,
                   y = trmi_interpolant_at(&f.curve, 0, x);
            assert_true(y >= fmin(f.y[i], f.y[i + 1]) - 1e-15);
            assert_true(y <= fmax(f.y[i], f.y[i + 1]) + 1e-15);
        }
    trmi_memory_release_all(&f.memory);
}

// d/dx table(c, x^2 y) = c'(x^2 y) 2 x y, and twice: exact nodes, equal to the curve's own values.
static void test_expression_interpolant_in_formulas_is_differentiated(void **state)
{
    (void)state;
    fixture f;
    set_x(&f);
    for (int i = 0; i < POINTS; i++)
        f.y[i] = cos(3 * f.x[i]);
    create(&f, TRMI_INTERPOLATION_SPLINE, TRMI_BEYOND_STRAIGHT);
    trmi_graph graph = {.curve = &f.curve, .curves = 1};
    trmi_derive derive = {.graph = &graph};
    const trmi_partial *partial;
    const double at[INPUTS] = {1.1, 0.7};
    double u = 1.1 * 1.1 * 0.7;
    trmi_node node = parse(&graph, "table(c, x^2*y) + integral(c, x)");
    assert_near(trmi_graph_value(&graph, node, at),
                trmi_interpolant_at(&f.curve, 0, u) + trmi_interpolant_at(&f.curve, -1, 1.1),
                1e-15);
    assert_int_equal(trmi_gradient(&derive, node, 0, 2, &partial), 2);
    trmi_node slope = partial[0].value;
    double expected =
        trmi_interpolant_at(&f.curve, 1, u) * 2 * 1.1 * 0.7 + trmi_interpolant_at(&f.curve, 0, 1.1);
    assert_near(trmi_graph_value(&graph, slope, at), expected, 1e-14);
    assert_int_equal(trmi_gradient(&derive, slope, 1, 1, &partial), 1);
    expected = trmi_interpolant_at(&f.curve, 2, u) * 2 * pow(1.1, 3) * 0.7 +
               trmi_interpolant_at(&f.curve, 1, u) * 2 * 1.1;
    assert_near(trmi_graph_value(&graph, partial[0].value, at), expected, 1e-13);
    assert_true(f.curve.used);
    trmi_derive_release(&derive);
    trmi_graph_release(&graph);
    trmi_memory_release_all(&f.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_interpolant_spline_reproduces_cubics),
        cmocka_unit_test(test_expression_interpolant_is_as_smooth_as_it_says),
        cmocka_unit_test(test_expression_interpolant_repeats),
        cmocka_unit_test(test_expression_interpolant_orders_fit_each_other),
        cmocka_unit_test(test_expression_interpolant_linear_has_corners),
        cmocka_unit_test(test_expression_interpolant_monotone_does_not_overshoot),
        cmocka_unit_test(test_expression_interpolant_in_formulas_is_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
