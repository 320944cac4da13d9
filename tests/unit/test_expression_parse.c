// SPDX-License-Identifier: Apache-2.0
// Formulas as text: what they mean, and what is said about those that mean nothing.
#include "unit/expressions.h"

#include <locale.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, euler = 2.71828182845904523536;

static const double input[INPUTS] = {2, 3, 0.5, 7, [20] = 11, [21] = 12};

static double value_of(const char *text)
{
    trmi_graph graph = {0};
    double value = trmi_graph_value(&graph, parse(&graph, text), input);
    trmi_graph_release(&graph);
    return value;
}

// ---- meaning ----

static void test_expression_parse_values_follow_precedence(void **state)
{
    (void)state;
    // x = 2, y = 3, z = 0.5, p0 = 7, a(x) = 11, a(y) = 12; worked out by hand, exact in binary
    const struct {
        const char *text;
        double value;
    } all[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"8 - 3 - 2", 3},
        {"16/4/2", 2},
        {"16/4*2", 8},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"-x^2", -4},
        {"(-x)^2", 4},
        {"2^-1", 0.5},
        {"2^-x^2", 0.0625},
        {"2^--1", 2},
        {"x^-y", 0.125},
        {"-2^-2", -0.25},
        {"x*-y", -6},
        {"x - -y", 5},
        {"--x", 2},
        {"+x", 2},
        {"x*+y", 6},
        {"-x*y", -6},
        {"-x + y", 1},
        {"x < y", 1},
        {"x > y", 0},
        {"x <= 2", 1},
        {"x >= 3", 0},
        {"x == 2", 1},
        {"x != 2", 0},
        {"x + 1 == y", 1},
        {"not x == 3", 1},
        {"not (x == 2)", 0},
        {"not not x", 1},
        {"not x < y or x == 2", 1},
        {"1 or 1 and 0", 1},
        {"(1 or 1) and 0", 0},
        {"not 0 and not 0", 1},
        {"x < y and y < 4", 1},
        {"x == 2 and not y == 3 or z < 1", 1},
        {"(x < y)*5", 5},
        {"if(x < y, p0, 1/0)", 7},
        {"if(x > y, p0, -1)", -1},
        {"min(4, x)", 2},
        {"min(4, 3, x, 9)", 2},
        {"max(1, y, x, 2.5)", 3},
        {"pow(x, y)", 8},
        {"sqrt(16)", 4},
        {"hypot(3, 4)", 5},
        {"mod(7, 3)", 1},
        {"mod(-1, 3)", 2},
        {"floor(-1.5) + ceil(1.25)", 0},
        {"step(0) + step(-1) + sign(-x)", 0},
        {"abs(-x) + cbrt(27)", 5},
        {"a(x) + a( y )", 23},
        {" x\t+\n y\r", 5},
        {"exp(0) + cos(0) + atan2(0, 1) + log(1) + sinh(0)", 2},
        {"((((x))))", 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (value_of(all[k].text) != all[k].value)
            fail_msg("%s = %g, not %g", all[k].text, value_of(all[k].text), all[k].value);
    assert_true(value_of("pi") == pi);
    assert_true(value_of("e") == euler);
}

static void test_expression_parse_numbers_are_read_exactly(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } all[] = {
        {"0", 0},
        {"3.", 3},
        {".5", 0.5},
        {"1e-6", 1e-6},
        {"1E+3", 1000},
        {"1.5e3", 1500},
        {".5e1", 5},
        {"3.e2", 300},
        {"0.1", 0.1},
        {"1e308", 1e308},
        {"4.9e-324", 4.9e-324},
        {"0e999", 0},
        {"0.0000", 0},
        {"007", 7},
        {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_true(is_same(value_of(all[k].text), all[k].value));
}

// where the decimal point is a comma, formulas are the same
static void test_expression_parse_locale_does_not_matter(void **state)
{
    (void)state;
    const char *const comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    bool found = false;
    for (size_t k = 0; k < sizeof comma / sizeof *comma && !found; k++)
        found = setlocale(LC_NUMERIC, comma[k]) != NULL;
    double value = value_of("1.25e1 + .5");
    setlocale(LC_NUMERIC, "C");
    assert_true(value == 13);
    if (!found)
        print_message("no locale with a decimal comma is installed\n");
}

static void test_expression_parse_million_terms_work(void **state)
{
    (void)state;
    // "x+x+...": as long as a formula may be
    char *text = malloc(TRMI_FORMULA_BYTES + 1);
    assert_non_null(text);
    for (int i = 0; i < TRMI_FORMULA_BYTES; i++)
        text[i] = i % 2 ? '+' : 'x';
    text[TRMI_FORMULA_BYTES - 1] = '\0';
    // x = 2: sums of whole numbers are exact
    assert_true(value_of(text) == TRMI_FORMULA_BYTES);
    for (int i = 1; i < TRMI_FORMULA_BYTES - 1; i += 2)
        text[i] = '-';
    assert_true(value_of(text) == 4 - TRMI_FORMULA_BYTES);
    free(text);
}

// ---- errors ----

typedef struct wrong_formula {
    const char *text;
    int offset, length;
    const char *message;
} wrong_formula;

static void assert_wrong(const wrong_formula *w)
{
    trmi_graph graph = {0};
    trmi_parse_error error = {.offset = -7};
    trmi_node node = trmi_parse(&graph, w->text, resolve_name, &graph, &error);
    if (node != TRMI_NO_NODE || strcmp(error.message, w->message) || error.offset != w->offset ||
        error.length != w->length)
        fail_msg("%.60s: node %d, at %d+%d: %s", w->text, node, error.offset, error.length,
                 error.message);
    trmi_graph_release(&graph);
}

static void test_expression_parse_errors_say_what_and_where(void **state)
{
    (void)state;
    const char *const operand = "expected a number, a name or '(' here";
    const char *const early = "the formula ends where a number, a name or '(' is expected";
    const char *const chained = "comparisons cannot be chained: write a < b and b < c";
    const wrong_formula all[] = {
        {"", 0, 0, "the formula is empty"},
        {"  \t", 0, 0, "the formula is empty"},
        {"x +", 3, 0, early},
        {"x + ", 4, 0, early},
        {"-", 1, 0, early},
        {"sin(", 4, 0, early},
        {"x + * y", 4, 1, operand},
        {"*x", 0, 1, operand},
        {"()", 1, 1, operand},
        {"min(x,)", 6, 1, operand},
        {"max(,x)", 4, 1, operand},
        {"x or and y", 5, 3, operand},
        {"x + (y*z", 8, 0, "missing ')' for the '(' at column 5"},
        {"sin(x + 1", 9, 0, "missing ')' for the '(' at column 4"},
        {"((x)", 4, 0, "missing ')' for the '(' at column 1"},
        {"a(x", 3, 0, "missing ')' for the '(' at column 2"},
        {"x)", 1, 1, "this ')' has no '('"},
        {"(x))*2", 3, 1, "this ')' has no '('"},
        {"x, y", 1, 1, "',' only separates the arguments of a function"},
        {"2x", 1, 1, "expected an operator before 'x'; is a '*' missing?"},
        {"x y", 2, 1, "expected an operator before 'y'; is a '*' missing?"},
        {"(x + 1)(y)", 7, 1, "expected an operator before '('; is a '*' missing?"},
        {"sin(x y)", 6, 1, "expected an operator before 'y'; is a '*' missing?"},
        {"0x10", 1, 3, "expected an operator before 'x10'; is a '*' missing?"},
        {"1.2.3", 3, 2, "expected an operator before '.3'; is a '*' missing?"},
        {"2(x)", 1, 1, "expected an operator before '('; is a '*' missing?"},
        {"sin(x, y)", 0, 3, "'sin' takes 1 argument, 2 given"},
        {"1 + sin()", 4, 3, "'sin' takes 1 argument, 0 given"},
        {"atan2(x)", 0, 5, "'atan2' takes 2 arguments, 1 given"},
        {"if(x, y)", 0, 2, "'if' takes 3 arguments, 2 given"},
        {"if(x, y, z, 4, 5)", 0, 2, "'if' takes 3 arguments, 5 given"},
        {"min(x)", 0, 3, "'min' takes 2 or more arguments, 1 given"},
        {"max()", 0, 3, "'max' takes 2 or more arguments, 0 given"},
        {"sin x", 0, 3, "'sin' is a function: write sin(...)"},
        {"2*sqrt", 2, 4, "'sqrt' is a function: write sqrt(...)"},
        {"pi(x)", 2, 1, "'pi' is a number; is a '*' missing before '('?"},
        {"sine(x)", 0, 4, "unknown function 'sine'; did you mean 'sin'?"},
        {"1 + Sin(2*x)", 4, 3, "unknown function 'Sin'; did you mean 'sin'?"},
        {"sqr(x)", 0, 3, "unknown function 'sqr'; did you mean 'sqrt'?"},
        {"arctg(x)", 0, 5, "unknown function 'arctg'"},
        {"bessel(x + 1)", 0, 6, "unknown function 'bessel'; is a '*' missing?"},
        {"x(y + 1)", 0, 1, "unknown function 'x'; is a '*' missing?"},
        {"2*rood", 2, 4, "'rood' is not known here"},
        {"2*a( rood ) + 1", 2, 9, "'rood' is not known here"},
        {"x < y < z", 6, 1, chained},
        {"x == y != z", 7, 2, chained},
        {"x + not y", 4, 3, "'not' must stand in parentheses here: (not ...)"},
        {"x == not y", 5, 3, "'not' must stand in parentheses here: (not ...)"},
        {"1e", 0, 2, "'1e': the exponent of this number has no digits"},
        {"x + 1.5e+", 4, 5, "'1.5e+': the exponent of this number has no digits"},
        {"1e999", 0, 5, "'1e999': this number is too large; the largest is about 1.8e308"},
        {"1e-999", 0, 6, "'1e-999': this number is too small; the smallest is about 4.9e-324"},
        {"x**2", 1, 2, "'**': powers are written with '^'"},
        {"x = 2", 2, 1, "'=': write '==' to compare"},
        {"x && y", 2, 2, "'&&': write 'and'"},
        {"x || y", 2, 2, "'||': write 'or'"},
        {"!x", 0, 1, "'!': write 'not'"},
        {"x % 2", 2, 1, "'%': write mod(a, b) for a remainder"},
        {"[x]", 0, 1, "'[': only round parentheses group"},
        {"max(x; y)", 5, 1, "';': arguments are separated by ','"},
        {"x' + 1", 1, 1, "''': derivatives are not written in formulas"},
        {"x + .", 4, 1, "'.': this character has no meaning in a formula"},
        {"2*\xc3\xa4", 2, 2, "'\xc3\xa4': this character has no meaning in a formula"},
        {"x $ y", 2, 1, "'$': this character has no meaning in a formula"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_wrong(&all[k]);
}

// a resolver without sentences, and none at all
static trmi_node know_nothing(void *user, const char *name, const char *argument, char *message,
                              size_t size)
{
    (void)user, (void)name, (void)argument, (void)message, (void)size;
    return TRMI_NO_NODE;
}

static void test_expression_parse_speaks_for_silent_resolvers(void **state)
{
    (void)state;
    trmi_resolve *const resolver[] = {know_nothing, NULL};
    for (int k = 0; k < 2; k++) {
        trmi_graph graph = {0};
        trmi_parse_error error;
        assert_int_equal(trmi_parse(&graph, "1 + rood", resolver[k], NULL, &error), TRMI_NO_NODE);
        assert_string_equal(error.message, "'rood' is not defined");
        assert_int_equal(error.offset, 4);
        assert_int_equal(error.length, 4);
        assert_int_equal(trmi_parse(&graph, "qq(rood)", resolver[k], NULL, &error), TRMI_NO_NODE);
        assert_string_equal(error.message, "unknown function 'qq'");
        assert_true(trmi_parse(&graph, "1 + 2*pi", resolver[k], NULL, &error) != TRMI_NO_NODE);
        trmi_graph_release(&graph);
    }
}

static void test_expression_parse_long_words_are_refused(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[300] = '\0';
    assert_wrong(&(wrong_formula){text, 0, 300, "this name has more than 200 characters"});
    memcpy(text, "a(", 2);
    memcpy(text + 300, ")", 2);
    assert_wrong(&(wrong_formula){text, 2, 298, "this name has more than 200 characters"});
    memset(text, '1', sizeof text);
    text[801] = '\0';
    trmi_graph graph = {0};
    trmi_parse_error error;
    assert_int_equal(trmi_parse(&graph, text, NULL, NULL, &error), TRMI_NO_NODE);
    assert_non_null(strstr(error.message, "more than 800 characters"));
    text[800] = '\0'; // 800 ones are too large a number
    assert_int_equal(trmi_parse(&graph, text, NULL, NULL, &error), TRMI_NO_NODE);
    assert_non_null(strstr(error.message, "too large"));
    memcpy(text, "0.", 2); // 0.111... of 800 characters
    assert_true(trmi_parse(&graph, text, NULL, NULL, &error) != TRMI_NO_NODE);
    trmi_graph_release(&graph);
}

static void test_expression_parse_long_formula_is_refused(void **state)
{
    (void)state;
    char *text = malloc(TRMI_FORMULA_BYTES + 2);
    assert_non_null(text);
    memset(text, ' ', TRMI_FORMULA_BYTES + 1);
    text[0] = 'x';
    text[TRMI_FORMULA_BYTES + 1] = '\0';
    assert_wrong(
        &(wrong_formula){text, 0, 0, "the formula has more than 1048576 bytes; name parts of it"});
    text[TRMI_FORMULA_BYTES] = '\0';
    assert_true(value_of(text) == 2);
    free(text);
}

// text = opening * n, "x", closing * n
static void nest(char *text, const char *opening, const char *closing, int n)
{
    text[0] = '\0';
    char *to = text;
    for (int k = 0; k < n; k++)
        to += sprintf(to, "%s", opening);
    *to++ = 'x';
    for (int k = 0; k < n; k++)
        to += sprintf(to, "%s", closing);
    *to = '\0';
}

static void test_expression_parse_depth_is_limited(void **state)
{
    (void)state;
    const struct {
        const char *opening, *closing;
    } all[] = {{"(", ")"}, {"-", ""},       {"+", ""},    {"not ", ""},      {"sin(", ")"},
               {"2^", ""}, {"min(1,", ")"}, {"x-(", ")"}, {"if(x<", ",1,2)"}};
    char *text = malloc(1 << 20);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int n = TRMI_FORMULA_DEPTH; n <= 100000;
             n = n == TRMI_FORMULA_DEPTH ? n + 1 : 100000) {
            trmi_graph graph = {0};
            trmi_parse_error error;
            nest(text, all[k].opening, all[k].closing, n);
            if (strlen(text) > TRMI_FORMULA_BYTES)
                break;
            trmi_node node = trmi_parse(&graph, text, resolve_name, &graph, &error);
            assert_int_equal(node != TRMI_NO_NODE, n == TRMI_FORMULA_DEPTH);
            if (node == TRMI_NO_NODE)
                assert_string_equal(error.message, "parentheses and signs are nested more than 200 "
                                                   "deep; name parts of the formula");
            trmi_graph_release(&graph);
            if (n == 100000)
                break;
        }
    free(text);
}

static void test_expression_parse_failed_graph_is_an_error(void **state)
{
    (void)state;
    trmi_graph graph = {.failed = true};
    trmi_parse_error error;
    assert_int_equal(trmi_parse(&graph, "sin(x)^2 + min(1, y, 3)", resolve_name, &graph, &error),
                     TRMI_NO_NODE);
    assert_string_equal(error.message, "no memory for the formula");
}

// ---- names ----

static void test_expression_parse_names_are_recognised(void **state)
{
    (void)state;
    const char *const good[] = {"x", "_", "x1", "Foo_Bar", "and", "_9", "left.shin", "a.b.c_1"};
    const char *const bad[] = {"",   "1x", "x y", "x-1",  "x'", "\xc3\xa4",
                               "x ", "x.", ".x",  "x..y", "x.1"};
    const char *const taken[] = {"t", "pi", "e", "and", "or", "not", "if", "sin", "step", "pow"};
    const char *const unused[] = {"x", "T", "Pi", "add", "constant", "negate", "sine", "i", ""};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        assert_true(trmi_is_name(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(trmi_is_name(bad[k]));
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        assert_true(trmi_is_reserved(taken[k]));
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        assert_false(trmi_is_reserved(unused[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_parse_values_follow_precedence),
        cmocka_unit_test(test_expression_parse_numbers_are_read_exactly),
        cmocka_unit_test(test_expression_parse_locale_does_not_matter),
        cmocka_unit_test(test_expression_parse_million_terms_work),
        cmocka_unit_test(test_expression_parse_errors_say_what_and_where),
        cmocka_unit_test(test_expression_parse_speaks_for_silent_resolvers),
        cmocka_unit_test(test_expression_parse_long_words_are_refused),
        cmocka_unit_test(test_expression_parse_long_formula_is_refused),
        cmocka_unit_test(test_expression_parse_depth_is_limited),
        cmocka_unit_test(test_expression_parse_failed_graph_is_an_error),
        cmocka_unit_test(test_expression_parse_names_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
