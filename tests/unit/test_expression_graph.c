// SPDX-License-Identifier: Apache-2.0
// Nodes: what operations compute, which expressions are one node, and large graphs.
#include "unit/expressions.h"

// ---- operations ----

typedef struct operation_case {
    trmi_operation operation;
    double a, b, c, value;
} operation_case;

static double remainder_of(double a, double b)
{
    return a - b * floor(a / b);
}

// expected values from libm or the definition itself: the same bits
static void test_expression_graph_operations_equal_libm(void **state)
{
    (void)state;
    volatile double number[] = {0.7, -1.3, 2.5}; // else the compiler computes sin(0.7), not libm
    const double a = number[0], b = number[1], c = number[2];
    const operation_case all[] = {
        {TRMI_ADD, a, b, 0, a + b},
        {TRMI_SUBTRACT, a, b, 0, a - b},
        {TRMI_MULTIPLY, a, b, 0, a * b},
        {TRMI_DIVIDE, a, b, 0, a / b},
        {TRMI_NEGATE, a, 0, 0, -a},
        {TRMI_POWER, a, b, 0, pow(a, b)},
        {TRMI_SIN, a, 0, 0, sin(a)},
        {TRMI_COS, a, 0, 0, cos(a)},
        {TRMI_TAN, a, 0, 0, tan(a)},
        {TRMI_ASIN, a, 0, 0, asin(a)},
        {TRMI_ACOS, a, 0, 0, acos(a)},
        {TRMI_ATAN, a, 0, 0, atan(a)},
        {TRMI_ATAN2, a, b, 0, atan2(a, b)},
        {TRMI_SINH, a, 0, 0, sinh(a)},
        {TRMI_COSH, a, 0, 0, cosh(a)},
        {TRMI_TANH, a, 0, 0, tanh(a)},
        {TRMI_EXP, a, 0, 0, exp(a)},
        {TRMI_LOG, a, 0, 0, log(a)},
        {TRMI_LOG10, a, 0, 0, log10(a)},
        {TRMI_SQRT, a, 0, 0, sqrt(a)},
        {TRMI_CBRT, b, 0, 0, cbrt(b)},
        {TRMI_ABS, b, 0, 0, -b},
        {TRMI_SIGN, b, 0, 0, -1},
        {TRMI_SIGN, a, 0, 0, 1},
        {TRMI_SIGN, 0, 0, 0, 0},
        {TRMI_MIN, a, b, 0, b},
        {TRMI_MAX, a, b, 0, a},
        {TRMI_HYPOT, a, b, 0, hypot(a, b)},
        {TRMI_MOD, a, b, 0, remainder_of(a, b)},
        {TRMI_MOD, -a, c, 0, remainder_of(-a, c)},
        {TRMI_FLOOR, b, 0, 0, -2},
        {TRMI_CEIL, b, 0, 0, -1},
        {TRMI_STEP, b, 0, 0, 0},
        {TRMI_STEP, 0, 0, 0, 1},
        {TRMI_STEP, a, 0, 0, 1},
        {TRMI_LESS, a, b, 0, 0},
        {TRMI_LESS, b, a, 0, 1},
        {TRMI_LESS, a, a, 0, 0},
        {TRMI_LESS_EQUAL, a, a, 0, 1},
        {TRMI_LESS_EQUAL, a, b, 0, 0},
        {TRMI_EQUAL, a, a, 0, 1},
        {TRMI_EQUAL, a, b, 0, 0},
        {TRMI_AND, a, b, 0, 1},
        {TRMI_AND, a, 0, 0, 0},
        {TRMI_OR, 0, b, 0, 1},
        {TRMI_OR, 0, 0, 0, 0},
        {TRMI_NOT, a, 0, 0, 0},
        {TRMI_NOT, 0, 0, 0, 1},
        {TRMI_IF, a, b, c, b},
        {TRMI_IF, 0, b, c, c},
    };
    bool seen[TRMI_OPERATION_COUNT] = {false};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const operation_case *o = &all[k];
        const double input[] = {o->a, o->b, o->c};
        trmi_graph graph = {0};
        trmi_node x[3], constant[3];
        for (int i = 0; i < 3; i++) {
            x[i] = trmi_input(&graph, i);
            constant[i] = trmi_constant(&graph, input[i]);
        }
        seen[o->operation] = true;
        assert_true(is_same(trmi_operation_value(o->operation, o->a, o->b, o->c), o->value));
        trmi_node node = trmi_apply(&graph, o->operation, x[0], x[1], x[2]);
        assert_true(is_same(trmi_graph_value(&graph, node, input), o->value));
        double folded;
        node = trmi_apply(&graph, o->operation, constant[0], constant[1], constant[2]);
        assert_true(trmi_is_constant(&graph, node, &folded));
        assert_true(is_same(folded, o->value));
        trmi_graph_release(&graph);
    }
    for (int k = TRMI_ADD; k < TRMI_TABLE; k++)
        assert_true(seen[k]);
}

static void test_expression_graph_nan_is_not_hidden(void **state)
{
    (void)state;
    const trmi_operation all[] = {TRMI_MIN, TRMI_MAX, TRMI_HYPOT, TRMI_MOD, TRMI_ADD};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        assert_true(isnan(trmi_operation_value(all[k], NAN, 1, 0)));
        assert_true(isnan(trmi_operation_value(all[k], 1, NAN, 0)));
    }
    assert_true(isnan(trmi_operation_value(TRMI_SIGN, NAN, 0, 0)));
    assert_true(isnan(trmi_operation_value(TRMI_ABS, NAN, 0, 0)));
    // everything but 0 is true
    assert_true(trmi_operation_value(TRMI_IF, NAN, 1, 2) == 1);
}

// ---- equal expressions ----

static void test_expression_graph_equal_expressions_are_one_node(void **state)
{
    (void)state;
    const char *const same[][2] = {
        {"x + y", "y + x"},
        {"x*y", "y*x"},
        {"x + 0", "x"},
        {"0 + x", "x"},
        {"x - 0", "x"},
        {"0 - x", "-x"},
        {"x*1", "x"},
        {"x*0", "0"},
        {"x*(-1)", "-x"},
        {"x/1", "x"},
        {"x/-1", "-x"},
        {"0/x", "0"},
        {"x - x", "0"},
        {"x + x", "2*x"},
        {"2*x + 3*x", "5*x"},
        {"2*x - 3*x", "-x"},
        {"x^0", "1"},
        {"x^1", "x"},
        {"x^2", "x*x"},
        {"x^3", "x*x*x"},
        {"x^3*x^2", "x^5"},
        {"(x^2)^3", "x^6"},
        {"x^-1", "1/x"},
        {"x^-2", "1/(x*x)"},
        {"x^0.5", "sqrt(x)"},
        {"x^-0.5", "1/sqrt(x)"},
        {"1^x", "1"},
        {"e^x", "exp(x)"},
        {"--x", "x"},
        {"x + -y", "x - y"},
        {"x - -y", "x + y"},
        {"-x + y", "y - x"},
        {"-x - y", "-(x + y)"},
        {"-(x - y)", "y - x"},
        {"-x*y", "-(x*y)"},
        {"-x*-y", "x*y"},
        {"-x/y", "-(x/y)"},
        {"x/-y", "-(x/y)"},
        {"-x/-y", "x/y"},
        {"x - 2*y", "x + -2*y"},
        {"x + -1", "x - 1"},
        {"2*(3*x)", "6*x"},
        {"2*x*3*y", "6*(x*y)"},
        {"2*(3/x)", "6/x"},
        {"(x*4)/2", "2*x"},
        {"6*x/3", "2*x"},
        {"4*x/(2*y)", "2*(x/y)"},
        {"6/(2*x)", "3/x"},
        {"x/2", "0.5*x"},
        {"(2*x)^2", "4*x^2"},
        {"(-x)^2", "x^2"},
        {"sin(-x)", "-sin(x)"},
        {"cos(-x)", "cos(x)"},
        {"abs(-x)", "abs(x)"},
        {"min(x, y)", "min(y, x)"},
        {"max(x, x)", "x"},
        {"hypot(x, y)", "hypot(y, x)"},
        {"x > y", "y < x"},
        {"x != y", "not (x == y)"},
        {"not not (x < y)", "x < y"},
        {"x < y and x < y", "x < y"},
        {"x or 1", "1"},
        {"x and 0", "0"},
        {"x or not x", "1"},
        {"x and not x", "0"},
        {"if(1, x, y)", "x"},
        {"if(0, x, y)", "y"},
        {"if(z, x, x)", "x"},
        {"if(not z, x, y)", "if(z, y, x)"},
        {"if(z, x, 0) + if(z, 0, y)", "if(z, x, y)"},
        {"sin(x + y)*cos(y + x)", "cos(x + y)*sin(y + x)"},
        {"2^3^2", "512"},
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        trmi_graph graph = {0};
        if (parse(&graph, same[k][0]) != parse(&graph, same[k][1]))
            fail_msg("%s and %s are two nodes", same[k][0], same[k][1]);
        trmi_graph_release(&graph);
    }
}

static void test_expression_graph_different_expressions_stay_apart(void **state)
{
    (void)state;
    const char *const different[][2] = {
        {"x/x", "1"},
        {"(x + 1e20) - 1e20", "x"},
        {"x - y", "y - x"},
        {"x/y", "y/x"},
        {"x^1.5", "x*sqrt(x)"},
        {"x == x", "1"},
        {"not not x", "x"},
        {"x and x", "x"},
        {"0.1*(x + y)", "0.1*x + 0.1*y"},
        {"x < y", "y < x"},
        {"atan2(x, y)", "atan2(y, x)"},
        {"1e-200*(1e-200*x)", "0"},
        {"1e200*(1e200*x)", "1e300*x"},
    };
    for (size_t k = 0; k < sizeof different / sizeof *different; k++) {
        trmi_graph graph = {0};
        if (parse(&graph, different[k][0]) == parse(&graph, different[k][1]))
            fail_msg("%s and %s are one node", different[k][0], different[k][1]);
        trmi_graph_release(&graph);
    }
}

static void test_expression_graph_undefined_constants_stay_nan(void **state)
{
    (void)state;
    const char *const undefined[] = {"0/0",     "sqrt(-1)",  "0*(1/0)",    "log(-1)",
                                     "(0/0)^2", "0/0 - 0/0", "min(0/0, 1)"};
    for (size_t k = 0; k < sizeof undefined / sizeof *undefined; k++) {
        trmi_graph graph = {0};
        double value = 0;
        assert_true(trmi_is_constant(&graph, parse(&graph, undefined[k]), &value));
        assert_true(isnan(value));
        trmi_graph_release(&graph);
    }
}

// factors that cannot be merged (infinite, denormal): no rule may turn them over for ever
static void test_expression_graph_extreme_factors_end(void **state)
{
    (void)state;
    const char *const factor[] = {"1e-310",  "(1/0)",  "(0/0)", "1e308",
                                  "-1e-310", "(-1/0)", "0",     "-1"};
    const char *const form[] = {"%s*x - y",    "y - %s*x",  "-(%s*x)",   "%s*x + %s*y",
                                "%s*x - %s*x", "x/%s",      "(-x)/%s",   "(3*x)/%s",
                                "%s/x",        "%s/(%s*x)", "%s*(%s*x)", "(%s*x)*(%s*y)",
                                "x/(%s*y)",    "(%s*x)^3",  "x^%s",      "%s^x",
                                "-(%s/x)",     "x + %s",    "%s - x",    "-(%s*x) - %s*y"};
    const double input[INPUTS] = {1.5, -2.5, 0.5};
    for (size_t f = 0; f < sizeof factor / sizeof *factor; f++)
        for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
            char pattern[100], text[100];
            trmi_graph graph = {0};
            snprintf(pattern, sizeof pattern, "%s", form[k]);
            for (char *at = strstr(pattern, "%s"), *to = text;; at = strstr(pattern, "%s")) {
                if (!at) {
                    memcpy(to, pattern, strlen(pattern) + 1);
                    break;
                }
                to += snprintf(to, (size_t)(text + sizeof text - to), "%.*s%s", (int)(at - pattern),
                               pattern, factor[f]);
                memmove(pattern, at + 2, strlen(at + 2) + 1);
            }
            trmi_graph_value(&graph, parse(&graph, text), input);
            assert_false(graph.failed);
            trmi_graph_release(&graph);
        }
}

// simplified and step by step: sums, products, quotients of numbers of moderate size agree to a few
// roundings of the largest intermediate result; 1e-12 allows for 60 steps
static void test_expression_graph_simplification_keeps_values(void **state)
{
    (void)state;
    const trmi_operation all[] = {TRMI_ADD,    TRMI_SUBTRACT, TRMI_MULTIPLY, TRMI_DIVIDE,
                                  TRMI_NEGATE, TRMI_SIN,      TRMI_ABS};
    enum { START = 8, STEPS = 60 };
    generator g = {4711};
    for (int trial = 0; trial < 2000; trial++) {
        trmi_graph graph = {0};
        random_step step[STEPS];
        double input[3], largest = 1;
        for (int i = 0; i < START; i++) {
            double value = draw_between(&g, 0.5, 1.5);
            step[i] = i < 3 ? (random_step){trmi_input(&graph, i), value}
                            : (random_step){trmi_constant(&graph, value), value};
            if (i < 3)
                input[i] = value;
        }
        int count = START;
        while (count < STEPS && largest < 1e3) {
            trmi_operation o = all[draw(&g, sizeof all / sizeof *all)];
            random_step a = step[draw(&g, (unsigned)count)], b = step[draw(&g, (unsigned)count)];
            if (o == TRMI_DIVIDE && fabs(b.value) < 0.5)
                continue;
            step[count].node = trmi_apply(&graph, o, a.node, b.node, TRMI_NO_NODE);
            step[count].value = trmi_operation_value(o, a.value, b.value, 0);
            largest = fmax(largest, fabs(step[count].value));
            double value = trmi_graph_value(&graph, step[count].node, input);
            if (!(fabs(value - step[count].value) <= 1e-12 * largest * largest))
                fail_msg("trial %d: %.17g instead of %.17g", trial, value, step[count].value);
            count++;
        }
        trmi_graph_release(&graph);
    }
}

// ---- large graphs ----

static void test_expression_graph_million_terms_work(void **state)
{
    (void)state;
    enum { TERMS = 1000000 };
    trmi_graph graph = {0};
    trmi_node sum = trmi_input(&graph, 0), product = sum;
    for (int i = 1; i < TERMS; i++) {
        sum = trmi_add(&graph, sum, trmi_input(&graph, i % 7));
        product = trmi_multiply(&graph, product, trmi_apply(&graph, TRMI_COS, product, 0, 0));
    }
    assert_false(graph.failed);
    const double input[7] = {1, 1, 1, 1, 1, 1, 1};
    // a sum of ones is exact
    assert_true(trmi_graph_value(&graph, sum, input) == TERMS);
    assert_true(isfinite(trmi_graph_value(&graph, product, input)));
    bool depends[8] = {false};
    trmi_graph_inputs(&graph, sum, depends, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(depends[i], i < 7);
    trmi_graph_release(&graph);
}

static void test_expression_graph_inputs_are_those_used(void **state)
{
    (void)state;
    trmi_graph graph = {0};
    bool depends[INPUTS] = {false};
    parse(&graph, "p7*p8"); // in the graph, but not in the expression
    trmi_node node = parse(&graph, "if(x > 0, p3^2, 0*z)");
    depends[10] = true; // stays
    trmi_graph_inputs(&graph, node, depends, INPUTS);
    for (int i = 0; i < INPUTS; i++)
        assert_int_equal(depends[i], i == 0 || i == 6 || i == 10);
    // inputs past the end are not written
    bool one = false;
    trmi_graph_inputs(&graph, node, &one, 1);
    assert_true(one);
    trmi_graph_release(&graph);
}

static void test_expression_graph_failed_graph_is_harmless(void **state)
{
    (void)state;
    trmi_graph graph = {.failed = true}; // as after the very first allocation
    trmi_node x = trmi_input(&graph, 3), y = trmi_constant(&graph, 2);
    for (int k = TRMI_ADD; k < TRMI_TABLE; k++)
        assert_int_equal(trmi_apply(&graph, (trmi_operation)k, x, y, x), 0);
    assert_false(trmi_is_constant(&graph, y, NULL));
    assert_false(trmi_is_zero(&graph, y));
    assert_true(isnan(trmi_graph_value(&graph, x, NULL)));
    bool depends[2] = {false};
    trmi_graph_inputs(&graph, x, depends, 2);
    assert_true(depends[0] && depends[1]);
    trmi_graph_release(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_graph_operations_equal_libm),
        cmocka_unit_test(test_expression_graph_nan_is_not_hidden),
        cmocka_unit_test(test_expression_graph_equal_expressions_are_one_node),
        cmocka_unit_test(test_expression_graph_different_expressions_stay_apart),
        cmocka_unit_test(test_expression_graph_undefined_constants_stay_nan),
        cmocka_unit_test(test_expression_graph_extreme_factors_end),
        cmocka_unit_test(test_expression_graph_simplification_keeps_values),
        cmocka_unit_test(test_expression_graph_million_terms_work),
        cmocka_unit_test(test_expression_graph_inputs_are_those_used),
        cmocka_unit_test(test_expression_graph_failed_graph_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
