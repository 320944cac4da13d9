// SPDX-License-Identifier: Apache-2.0
// Derivatives against central differences, their form, branches, and the cost of a sweep.
#include "modelling/expression/derive.h"
#include "unit/expressions.h"

#include <stdlib.h>

// A formula with its derivatives.
typedef struct derived {
    trmi_graph graph;
    trmi_derive derive;
    trmi_node node;
} derived;

static void start(derived *d, const char *text)
{
    *d = (derived){0};
    d->derive.graph = &d->graph;
    d->node = parse(&d->graph, text);
}

static void finish(derived *d)
{
    assert_false(d->graph.failed);
    trmi_derive_release(&d->derive);
    trmi_graph_release(&d->graph);
}

// d node / d input, 0 where the gradient has no entry
static trmi_node partial_of(derived *d, trmi_node node, int input)
{
    const trmi_partial *partial;
    int count = trmi_gradient(&d->derive, node, input, 1, &partial);
    assert_true(count == 0 || (count == 1 && partial[0].input == input));
    return count ? partial[0].value : trmi_constant(&d->graph, 0);
}

// central difference of a node along one input
static double difference(const trmi_graph *graph, trmi_node node, const double *at, int input,
                         double h)
{
    double x[INPUTS];
    memcpy(x, at, sizeof x);
    x[input] = at[input] + h;
    double right = trmi_graph_value(graph, node, x);
    x[input] = at[input] - h;
    return (right - trmi_graph_value(graph, node, x)) / (2 * h);
}

// Central differences of step h have the error h^2 f'''/6 + eps f/h; with h = 6e-6 and functions
// whose value and derivatives are of order 1 to 10 that is below 1e-9.
static void assert_derivative(derived *d, trmi_node node, const double *at, int input,
                              const char *text)
{
    double exact = trmi_graph_value(&d->graph, partial_of(d, node, input), at);
    double approximate = difference(&d->graph, node, at, input, 6e-6);
    if (!(fabs(exact - approximate) <= 1e-7 * (1 + fabs(exact))))
        fail_msg("%s: derivative by input %d is %.12g, difference %.12g", text, input, exact,
                 approximate);
}

// ---- against differences ----

static void test_expression_derive_every_operation_equals_differences(void **state)
{
    (void)state;
    const char *const all[] = {
        "x + y",
        "x - y",
        "x*y",
        "x/y",
        "-x",
        "x^y",
        "x^2.5",
        "x^-3",
        "x^9",
        "2^x",
        "x^y*y^x",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(z)",
        "acos(z)",
        "atan(x)",
        "atan2(x, y)",
        "atan2(-x, -y)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "exp(x)",
        "log(x)",
        "log10(x)",
        "sqrt(x)",
        "cbrt(x)",
        "cbrt(-x)",
        "abs(x)",
        "abs(-x - y)",
        "sign(x)*y",
        "min(x, y)",
        "max(x, y)",
        "min(y, x, z)",
        "hypot(x, y)",
        "mod(x, y)",
        "mod(y, z)",
        "floor(x)*y",
        "ceil(x)*y",
        "step(x)*y",
        "(x < y)*x",
        "(x <= y)*x",
        "(x == y)*x",
        "(x and y)*x",
        "(x or y)*x",
        "(not x)*x + x",
        "if(x < y, x*y, x/y)",
        "if(x > y, x*y, x/y)",
        "x*x",
        "x/x^2",
        "sin(x)*cos(x)*x^3/(1 + y^2)",
        "exp(-x^2/2)*sqrt(1 + sin(x*y)^2)",
    };
    const double points[][INPUTS] = {{1.3, 2.2, 0.4}, {0.9, 0.35, -0.7}, {2.7, 1.9, 0.15}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int p = 0; p < 3; p++) {
            derived d;
            start(&d, all[k]);
            for (int i = 0; i < 3; i++) {
                trmi_node first = partial_of(&d, d.node, i);
                assert_derivative(&d, d.node, points[p], i, all[k]);
                for (int j = 0; j < 3; j++) // second derivatives
                    assert_derivative(&d, first, points[p], j, all[k]);
            }
            finish(&d);
        }
}

// smooth steps that keep values of order 1: a draw of operations, their arguments kept in range
static trmi_node draw_smooth_step(generator *g, trmi_graph *graph, const trmi_node *step, int count)
{
    trmi_node a = step[draw(g, (unsigned)count)], b = step[draw(g, (unsigned)count)];
    trmi_node one = trmi_constant(graph, 1), two = trmi_constant(graph, 2);
    trmi_node sine = trmi_apply(graph, TRMI_SIN, a, 0, 0);
    trmi_node positive = trmi_add(graph, two, sine); // in 1 .. 3
    switch (draw(g, 12)) {
    case 0:
        return trmi_add(graph, a, sine);
    case 1:
        return trmi_subtract(graph, sine, b);
    case 2:
        return trmi_multiply(graph, sine, trmi_apply(graph, TRMI_COS, b, 0, 0));
    case 3:
        return trmi_divide(graph, b, positive);
    case 4:
        return trmi_apply(graph, TRMI_SQRT, positive, 0, 0);
    case 5:
        return trmi_apply(graph, TRMI_POWER, positive, trmi_apply(graph, TRMI_TANH, b, 0, 0), 0);
    case 6:
        return trmi_apply(graph, TRMI_LOG, positive, 0, 0);
    case 7:
        return trmi_apply(graph, TRMI_ATAN2, sine, trmi_add(graph, positive, one), 0);
    case 8:
        return trmi_apply(graph, TRMI_HYPOT, positive, sine, 0);
    case 9:
        return trmi_apply(graph, TRMI_MAX, a, trmi_subtract(graph, b, two), 0);
    case 10:
        return trmi_apply(graph, TRMI_IF, trmi_apply(graph, TRMI_LESS, a, b, 0), sine,
                          trmi_apply(graph, TRMI_ATAN, b, 0, 0));
    default:
        return trmi_apply(graph, TRMI_EXP, trmi_negate(graph, positive), 0, 0);
    }
}

// Nested functions have larger third derivatives than single ones: differences with h and h/2 tell
// how good they are, and a kink between the points spoils both; such points are left out.
static bool find_difference(const trmi_graph *graph, trmi_node node, const double *at, int input,
                            double *out)
{
    double coarse = difference(graph, node, at, input, 4e-5);
    double fine = difference(graph, node, at, input, 2e-5);
    *out = fine + (fine - coarse) / 3; // Richardson: error of order h^4
    return fabs(fine - coarse) < 1e-5 * (1 + fabs(fine));
}

static void test_expression_derive_random_expressions_equal_differences(void **state)
{
    (void)state;
    enum { STEPS = 24, TRIALS = 300 };
    generator g = {20240607};
    int compared = 0, skipped = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        derived d = {.derive.graph = &d.graph};
        trmi_node step[STEPS];
        double at[INPUTS] = {0};
        for (int i = 0; i < 4; i++) {
            step[i] = trmi_input(&d.graph, i);
            at[i] = draw_between(&g, -1.5, 1.5);
        }
        for (int i = 4; i < STEPS; i++)
            step[i] = draw_smooth_step(&g, &d.graph, step, i);
        for (int i = 0; i < 4; i++) {
            trmi_node first = partial_of(&d, step[STEPS - 1], i);
            for (int j = -1; j < 4; j++) { // the node itself, then its first derivative
                trmi_node node = j < 0 ? step[STEPS - 1] : first;
                int by = j < 0 ? i : j;
                double approximate;
                double exact = trmi_graph_value(&d.graph, partial_of(&d, node, by), at);
                assert_true(isfinite(exact));
                if (!find_difference(&d.graph, node, at, by, &approximate)) {
                    skipped++;
                    continue;
                }
                compared++;
                // rounding eps f/h is 1e-11, h^4 f5/30 below 1e-9 where h^2 f3/6 is below 1e-5
                if (!(fabs(exact - approximate) <= 1e-6 * (1 + fabs(exact))))
                    fail_msg("trial %d, input %d, then %d: %.12g, difference %.12g", trial, i, j,
                             exact, approximate);
            }
        }
        finish(&d);
    }
    assert_true(compared > 20 * skipped);
}

// ---- form ----

static void test_expression_derive_results_are_small(void **state)
{
    (void)state;
    const char *const all[][2] = {
        {"x^2", "2*x"},
        {"x^5", "5*x^4"},
        {"x^9", "9*x^8"},
        {"3*x^2.5", "7.5*x^1.5"},
        {"(x^2 + y^2 - 1)/2", "x"},
        {"sin(x)", "cos(x)"},
        {"cos(x)", "-sin(x)"},
        {"sqrt(x)", "if(sqrt(x) == 0, 0, 0.5/sqrt(x))"},
        {"log(x)", "1/x"},
        {"exp(x)", "exp(x)"},
        {"exp(2*x)", "2*exp(2*x)"},
        {"tan(x)", "1 + tan(x)^2"},
        {"x*y", "y"},
        {"1/x", "-((1/x)*(1/x))"},
        {"abs(x)", "if(x < 0, -1, 1)"},
        {"max(x, 0)", "if(x <= 0, 0, 1)"},
        {"if(z > 0, x^2, 3*x)", "if(z > 0, 2*x, 3)"},
        {"if(z > 0, x^2, y)", "if(z > 0, 2*x, 0)"},
        {"floor(x)", "0"},
        {"step(x)", "0"},
        {"x > y", "0"},
        {"y", "0"},
        {"pi", "0"},
        {"x", "1"},
        {"hypot(x, y)", "if(hypot(x, y) == 0, 0, x/hypot(x, y))"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        derived d;
        start(&d, all[k][0]);
        if (partial_of(&d, d.node, 0) != parse(&d.graph, all[k][1]))
            fail_msg("the derivative of %s is not %s", all[k][0], all[k][1]);
        finish(&d);
    }
}

static void test_expression_derive_gradient_has_only_nonzero_entries(void **state)
{
    (void)state;
    derived d;
    const trmi_partial *partial;
    start(&d, "p7*x + sin(p2) + y - y + 0*z + floor(p3) + p9");
    assert_int_equal(trmi_gradient(&d.derive, d.node, 0, INPUTS, &partial), 4);
    const int expected[] = {0, 5, 10, 12}; // x, p2, p7, p9
    for (int k = 0; k < 4; k++)
        assert_int_equal(partial[k].input, expected[k]);
    assert_int_equal(partial[1].value, parse(&d.graph, "cos(p2)"));
    // only those asked for
    assert_int_equal(trmi_gradient(&d.derive, d.node, 1, 9, &partial), 1);
    assert_int_equal(partial[0].input, 5);
    assert_int_equal(trmi_gradient(&d.derive, d.node, 1, 4, &partial), 0);
    assert_int_equal(trmi_gradient(&d.derive, d.node, 0, 0, &partial), 0);
    finish(&d);
}

// ---- branches ----

// derivatives by x where the branch not taken, or its derivative, is not a number; worked out by
// hand |v| v at rest: the slope of a length that vanishes is taken as 0, not as 0/0
static void test_expression_derive_length_at_zero_has_no_nan(void **state)
{
    (void)state;
    static const char *const drags[] = {"hypot(x, y)*x", "sqrt(x^2 + y^2)*x"};
    for (int i = 0; i < 2; i++) {
        derived d;
        const trmi_partial *partial;
        const double at[INPUTS] = {0};
        start(&d, drags[i]);
        int count = trmi_gradient(&d.derive, d.node, 0, INPUTS, &partial);
        assert_int_equal(count, 2);
        for (int k = 0; k < count; k++)
            assert_true(trmi_graph_value(&d.graph, partial[k].value, at) == 0);
        finish(&d);
    }
}

static void test_expression_derive_branch_not_taken_never_matters(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double x, value;
    } all[] = {
        {"if(x > 0, sqrt(x), 0)", -1, 0},
        {"if(x > 0, sqrt(x), 0)", 0, 0},
        {"if(x > 0, sqrt(x), 3*x)", -4, 3},
        {"if(x > 0, sqrt(x), 3*x)", 4, 0.25},
        {"if(x > 0, log(x)*x, x^2)", -1, -2},
        {"if(x <= 0, x^2, log(x))", 0, 0},
        {"max(sqrt(x), 1 + x)", 0, 1},
        {"min(x, 1 + sqrt(x))", 0, 1},
        {"2*if(x > 0, sqrt(x), 0) + x*if(x > 1, sqrt(x), 0)", 0, 0},
        {"if(x > 0, sqrt(x), 0) + if(x > 1, 2*sqrt(x), 0)", 0, 0},
        {"if(x > 0, if(x > 1, sqrt(x - 1), sqrt(x)), x)", 0.25, 1},
        {"if(x > 0, if(x > 1, sqrt(x - 1), sqrt(x)), x)", -3, 1},
        {"if(x > 0, if(x > 1, sqrt(x - 1), sqrt(x)), x)", 2, 0.5},
        {"if(x > 0, if(x > 0, sqrt(x), 1), x)", -3, 1},
        {"if(x < 0, -1, if(x < 1, asin(x), if(x < 2, log(x), sqrt(x - 2))))", -5, 0},
        {"if(x < 0, -1, if(x < 1, asin(x), if(x < 2, log(x), sqrt(x - 2))))", 0, 1},
        {"if(x < 0, -1, if(x < 1, asin(x), if(x < 2, log(x), sqrt(x - 2))))", 1, 1},
        {"if(x < 0, -1, if(x < 1, asin(x), if(x < 2, log(x), sqrt(x - 2))))", 3, 0.5},
        {"max(0, x)^1.5", 0, 0},
        {"max(0, x)^1.5", -1, 0},
        {"max(0, x)^1.5", 4, 3},
        {"abs(x)", 0, 1},
        {"abs(x)", -2, -1},
        {"sign(x)*x", 0, 0},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const double at[INPUTS] = {all[k].x};
        derived d;
        start(&d, all[k].text);
        double value = trmi_graph_value(&d.graph, partial_of(&d, d.node, 0), at);
        // square roots of 0.25, 1 and 4 and products of such numbers are exact
        if (value != all[k].value)
            fail_msg("%s at %g: %g, not %g", all[k].text, all[k].x, value, all[k].value);
        trmi_node direction[] = {trmi_constant(&d.graph, 1)};
        trmi_forward forward;
        trmi_forward_begin(&forward, &d.graph, direction, 1);
        value = trmi_graph_value(&d.graph, trmi_forward_rate(&forward, d.node), at);
        if (value != all[k].value)
            fail_msg("%s at %g: rate %g, not %g", all[k].text, all[k].x, value, all[k].value);
        trmi_forward_release(&forward);
        finish(&d);
    }
}

// the second derivative of a branch, too: d2/dx2 x^3 = 6x beside sqrt
static void test_expression_derive_second_derivative_keeps_to_branch(void **state)
{
    (void)state;
    derived d;
    start(&d, "if(x > 0, sqrt(x), x^3) + if(y > 0, sqrt(x)*y, 0)");
    const double at[INPUTS] = {-2, -1};
    trmi_node first = partial_of(&d, d.node, 0);
    assert_true(trmi_graph_value(&d.graph, first, at) == 12);
    assert_true(trmi_graph_value(&d.graph, partial_of(&d, first, 0), at) == -12);
    assert_true(trmi_graph_value(&d.graph, partial_of(&d, first, 1), at) == 0);
    finish(&d);
}

// 0^p does not change with p > 0
static void test_expression_derive_power_of_zero_has_no_log(void **state)
{
    (void)state;
    derived d;
    start(&d, "x^y");
    const double at[INPUTS] = {0, 2};
    assert_true(trmi_graph_value(&d.graph, partial_of(&d, d.node, 0), at) == 0);
    assert_true(trmi_graph_value(&d.graph, partial_of(&d, d.node, 1), at) == 0);
    finish(&d);
}

// ---- forwards ----

static void test_expression_derive_rate_is_gradient_times_direction(void **state)
{
    (void)state;
    enum { STEPS = 24, WAYS = 4 };
    generator g = {987654321};
    for (int trial = 0; trial < 300; trial++) {
        derived d = {.derive.graph = &d.graph};
        trmi_node step[STEPS], direction[WAYS];
        double at[INPUTS] = {0};
        for (int i = 0; i < WAYS; i++) {
            step[i] = trmi_input(&d.graph, i);
            direction[i] = i == 2 ? TRMI_NO_NODE : trmi_input(&d.graph, WAYS + i);
            at[i] = draw_between(&g, -1.5, 1.5);
            at[WAYS + i] = draw_between(&g, -1, 1);
        }
        trmi_forward forward;
        trmi_forward_begin(&forward, &d.graph, direction, WAYS);
        for (int i = WAYS; i < STEPS; i++) {
            step[i] = draw_smooth_step(&g, &d.graph, step, i); // also nodes made after begin
            const trmi_partial *partial;
            double rate = trmi_graph_value(&d.graph, trmi_forward_rate(&forward, step[i]), at);
            double sum = 0, size = 1;
            int count = trmi_gradient(&d.derive, step[i], 0, WAYS, &partial);
            for (int k = 0; k < count; k++)
                if (partial[k].input != 2) {
                    double term = trmi_graph_value(&d.graph, partial[k].value, at) *
                                  at[WAYS + partial[k].input];
                    sum += term;
                    size += fabs(term);
                }
            // both exact up to the rounding of some 100 operations
            assert_true(fabs(rate - sum) <= 1e-12 * size);
        }
        trmi_forward_release(&forward);
        finish(&d);
    }
}

static void test_expression_derive_rate_of_still_nodes_is_zero(void **state)
{
    (void)state;
    derived d;
    start(&d, "sin(p5)*p6 + 3");
    trmi_node direction[] = {trmi_constant(&d.graph, 1), TRMI_NO_NODE};
    trmi_forward forward;
    trmi_forward_begin(&forward, &d.graph, direction, 2);
    assert_true(trmi_is_zero(&d.graph, trmi_forward_rate(&forward, d.node)));
    assert_true(trmi_is_zero(&d.graph, trmi_forward_rate(&forward, trmi_input(&d.graph, 1))));
    // x has the rate 1
    assert_int_equal(trmi_forward_rate(&forward, parse(&d.graph, "x + y^2")), direction[0]);
    trmi_forward_release(&forward);
    finish(&d);
}

// ---- cost ----

// A gradient makes nodes in proportion to its expression: for a sum of squares of differences at
// most 3 for each term (2*(x - y), its negative or the sum with the neighbour's).
static void test_expression_derive_cost_is_that_of_the_expression(void **state)
{
    (void)state;
    enum { TERMS = 1000 };
    derived d = {.derive.graph = &d.graph};
    trmi_node sum = trmi_constant(&d.graph, 0);
    for (int i = 0; i < TERMS; i++) {
        trmi_node stretch =
            trmi_subtract(&d.graph, trmi_input(&d.graph, i + 1), trmi_input(&d.graph, i));
        sum = trmi_add(&d.graph, sum, trmi_multiply(&d.graph, stretch, stretch));
    }
    const trmi_partial *partial;
    int before = d.graph.count;
    assert_int_equal(trmi_gradient(&d.derive, sum, 0, TERMS + 1, &partial), TERMS + 1);
    assert_true(d.graph.count - before <= 3 * TERMS + 3);
    // entries of the Hessian matrix: a row has three
    trmi_node row = partial[500].value;
    before = d.graph.count;
    assert_int_equal(trmi_gradient(&d.derive, row, 0, TERMS + 1, &partial), 3);
    assert_true(d.graph.count - before <= 10);
    finish(&d);
}

static void test_expression_derive_million_terms_work(void **state)
{
    (void)state;
    enum { TERMS = 1000000 };
    derived d = {.derive.graph = &d.graph};
    trmi_node chain = trmi_input(&d.graph, 0);
    for (int i = 1; i < TERMS; i++) // ((x + y)*z + x)*y + ...
        chain = i % 2 ? trmi_add(&d.graph, chain, trmi_input(&d.graph, i % 3))
                      : trmi_multiply(&d.graph, chain, trmi_input(&d.graph, i % 3));
    const trmi_partial *partial;
    assert_int_equal(trmi_gradient(&d.derive, chain, 0, 3, &partial), 3);
    trmi_node direction[] = {trmi_constant(&d.graph, 1), TRMI_NO_NODE, TRMI_NO_NODE};
    trmi_node by_x = partial[0].value;
    trmi_forward forward;
    trmi_forward_begin(&forward, &d.graph, direction, 3);
    trmi_node rate = trmi_forward_rate(&forward, chain);
    const double at[] = {0.5, 0.25, 0.75};
    double value = trmi_graph_value(&d.graph, by_x, at);
    // a geometric series that has long converged: rounding only
    assert_true(fabs(value - trmi_graph_value(&d.graph, rate, at)) <= 1e-13 * fabs(value));
    trmi_forward_release(&forward);
    finish(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_derive_every_operation_equals_differences),
        cmocka_unit_test(test_expression_derive_random_expressions_equal_differences),
        cmocka_unit_test(test_expression_derive_results_are_small),
        cmocka_unit_test(test_expression_derive_gradient_has_only_nonzero_entries),
        cmocka_unit_test(test_expression_derive_length_at_zero_has_no_nan),
        cmocka_unit_test(test_expression_derive_branch_not_taken_never_matters),
        cmocka_unit_test(test_expression_derive_second_derivative_keeps_to_branch),
        cmocka_unit_test(test_expression_derive_power_of_zero_has_no_log),
        cmocka_unit_test(test_expression_derive_rate_is_gradient_times_direction),
        cmocka_unit_test(test_expression_derive_rate_of_still_nodes_is_zero),
        cmocka_unit_test(test_expression_derive_cost_is_that_of_the_expression),
        cmocka_unit_test(test_expression_derive_million_terms_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
