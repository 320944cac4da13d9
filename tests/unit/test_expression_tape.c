// SPDX-License-Identifier: Apache-2.0
// Tapes: the same bits as the graph node by node, in every subset of groups; what instructions are
// joined; slow inputs; memory.
#include "modelling/expression/tape.h"
#include "unit/expressions.h"

#include <stdlib.h>

// A tape with its registers.
typedef struct fixture {
    trmi_graph graph;
    trmi_memory memory;
    const trmi_tape *tape;
    double *reg;
} fixture;

static void start(fixture *f)
{
    *f = (fixture){0};
    trmi_memory_init(&f->memory, NULL);
}

static void create(fixture *f, const trmi_tape_output *output, int outputs, int inputs, int slow)
{
    f->tape = trmi_tape_create(&f->memory, &f->graph, output, outputs, inputs, slow);
    assert_non_null(f->tape);
    assert_true(trmi_tape_registers(f->tape) >= inputs);
    f->reg = malloc(((size_t)trmi_tape_registers(f->tape) + 1) * sizeof *f->reg);
    assert_non_null(f->reg);
    for (int i = 0; i < trmi_tape_registers(f->tape); i++)
        f->reg[i] = NAN; // nothing may come from what was there before
}

static void finish(fixture *f)
{
    free(f->reg);
    trmi_memory_release_all(&f->memory);
    trmi_graph_release(&f->graph);
}

// the wanted groups, all registers but inputs forgotten before
static void run_groups(fixture *f, const double *input, int inputs, uint64_t groups)
{
    for (int i = 0; i < trmi_tape_registers(f->tape); i++)
        f->reg[i] = i < inputs ? input[i] : NAN;
    trmi_tape_prepare(f->tape, f->reg);
    trmi_tape_run(f->tape, f->reg, groups);
}

static void assert_group(const fixture *f, const trmi_tape_output *output, int outputs, int group,
                         const double *input)
{
    double value[200];
    int size = trmi_tape_group_size(f->tape, group), found = 0;
    assert_true(size <= 200);
    trmi_tape_fetch(f->tape, f->reg, group, value);
    for (int k = 0; k < outputs; k++)
        if (output[k].group == group) {
            double expected = trmi_graph_value(&f->graph, output[k].node, input);
            if (!is_same(value[found], expected))
                fail_msg("output %d of group %d: %.17g, not %.17g", found, group, value[found],
                         expected);
            found++;
        }
    assert_int_equal(found, size);
}

// ---- values ----

static void test_expression_tape_random_sets_equal_graph_in_all_subsets(void **state)
{
    (void)state;
    enum { TRIALS = 150, N = 8, SLOW = 5, STEPS = 150, OUTPUTS = 25, GROUPS = 5 };
    const int number[GROUPS] = {0, 1, 2, 17, 63};
    generator g = {31415926};
    for (int trial = 0; trial < TRIALS; trial++) {
        fixture f;
        random_step step[STEPS];
        trmi_tape_output output[OUTPUTS];
        double input[N];
        start(&f);
        for (int i = 0; i < N; i++) {
            input[i] = draw_between(&g, -2, 2);
            step[i] = (random_step){trmi_input(&f.graph, i), input[i]};
        }
        for (int i = N; i < STEPS; i++)
            step[i] = i % 20 ? draw_any_step(&g, &f.graph, step, i)
                             : (random_step){trmi_constant(&f.graph, draw_between(&g, -2, 2)), 0};
        for (int k = 0; k < OUTPUTS; k++)
            output[k] = (trmi_tape_output){step[draw(&g, STEPS)].node, number[draw(&g, GROUPS)]};
        create(&f, output, OUTPUTS, N, SLOW);
        for (unsigned subset = 0; subset < 1u << GROUPS; subset++) {
            uint64_t groups = 0;
            for (int k = 0; k < GROUPS; k++)
                groups |= (uint64_t)(subset >> k & 1) << number[k];
            run_groups(&f, input, N, groups);
            for (int k = 0; k < GROUPS; k++)
                if (subset >> k & 1)
                    assert_group(&f, output, OUTPUTS, number[k], input);
        }
        finish(&f);
    }
}

// every operation alone, at ordinary and special values
static void test_expression_tape_every_operation_equals_graph(void **state)
{
    (void)state;
    const double special[] = {0.0,    -0.0,  1.0,      -1.0,      0.5, -2.5,
                              1e-310, 1e300, INFINITY, -INFINITY, NAN, 3.0};
    enum { COUNT = sizeof special / sizeof *special };
    for (int o = TRMI_ADD; o < TRMI_TABLE; o++) {
        fixture f;
        start(&f);
        trmi_node x[3];
        for (int i = 0; i < 3; i++)
            x[i] = trmi_input(&f.graph, i);
        trmi_tape_output output = {trmi_apply(&f.graph, (trmi_operation)o, x[0], x[1], x[2]), 0};
        create(&f, &output, 1, 3, 3);
        assert_int_equal(trmi_tape_length(f.tape, 1), 1);
        for (int i = 0; i < COUNT * COUNT * 2; i++) {
            const double input[] = {special[i % COUNT], special[i / COUNT % COUNT],
                                    special[i / COUNT / COUNT]};
            run_groups(&f, input, 3, 1);
            assert_group(&f, &output, 1, 0, input);
        }
        finish(&f);
    }
}

static void test_expression_tape_groups_share_and_skip(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    trmi_node shared = parse(&f.graph, "exp(x)");
    const trmi_tape_output output[] = {{parse(&f.graph, "exp(x)*y"), 0},
                                       {parse(&f.graph, "exp(x)/y"), 1},
                                       {parse(&f.graph, "tanh(y)"), 2},
                                       {shared, 5}};
    create(&f, output, 4, 2, 2);
    assert_int_equal(trmi_tape_length(f.tape, 0), 0);
    assert_int_equal(trmi_tape_length(f.tape, 1 << 0), 2);
    assert_int_equal(trmi_tape_length(f.tape, 1 << 1), 2);
    assert_int_equal(trmi_tape_length(f.tape, 1 << 0 | 1 << 1), 3);
    assert_int_equal(trmi_tape_length(f.tape, 1 << 2), 1);
    assert_int_equal(trmi_tape_length(f.tape, 1 << 5), 1);
    assert_int_equal(trmi_tape_length(f.tape, ~UINT64_C(0)), 4);
    // what is not asked for is not computed
    const double input[] = {0.5, 0.25};
    double value;
    run_groups(&f, input, 2, 1 << 2);
    trmi_tape_fetch(f.tape, f.reg, 2, &value);
    assert_true(is_same(value, tanh(input[1])));
    trmi_tape_fetch(f.tape, f.reg, 0, &value);
    assert_true(isnan(value));
    finish(&f);
}

static void test_expression_tape_outputs_may_be_anything(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    trmi_node x = trmi_input(&f.graph, 0), two = trmi_constant(&f.graph, 2);
    trmi_node sum = trmi_add(&f.graph, x, two);
    const trmi_tape_output output[] = {{two, 3}, {x, 3}, {sum, 3}, {sum, 3}, {x, 4}, {sum, 4}};
    const double input[] = {5, 7};
    double value[4];
    create(&f, output, 6, 2, 2);
    run_groups(&f, input, 2, 1 << 3);
    assert_int_equal(trmi_tape_group_size(f.tape, 3), 4);
    trmi_tape_fetch(f.tape, f.reg, 3, value);
    assert_true(value[0] == 2 && value[1] == 5 && value[2] == 7 && value[3] == 7);
    assert_int_equal(trmi_tape_group_size(f.tape, 4), 2);
    assert_int_equal(trmi_tape_group_size(f.tape, 0), 0);
    assert_int_equal(trmi_tape_group_size(f.tape, 63), 0);
    finish(&f);
}

static void test_expression_tape_nothing_is_a_tape(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    create(&f, NULL, 0, 0, 0);
    assert_int_equal(trmi_tape_registers(f.tape), 0);
    assert_int_equal(trmi_tape_length(f.tape, ~UINT64_C(0)), 0);
    trmi_tape_prepare(f.tape, f.reg);
    trmi_tape_run(f.tape, f.reg, ~UINT64_C(0));
    finish(&f);
}

static void test_expression_tape_million_terms_work(void **state)
{
    (void)state;
    enum { TERMS = 1000000 };
    fixture f;
    start(&f);
    trmi_node chain = trmi_input(&f.graph, 0);
    for (int i = 1; i < TERMS; i++)
        chain = i % 3 ? trmi_add(&f.graph, chain, trmi_input(&f.graph, i % 3))
                      : trmi_multiply(&f.graph, chain, trmi_input(&f.graph, 1));
    const trmi_tape_output output = {chain, 9};
    const double input[] = {0.5, 0.25, 0.75};
    create(&f, &output, 1, 3, 3);
    run_groups(&f, input, 3, 1 << 9);
    assert_group(&f, &output, 1, 9, input);
    finish(&f);
}

// ---- joined instructions ----

static int length_of(const char *const *text, const int *group, int count)
{
    fixture f;
    trmi_tape_output output[8];
    start(&f);
    for (int k = 0; k < count; k++)
        output[k] = (trmi_tape_output){parse(&f.graph, text[k]), group[k]};
    create(&f, output, count, INPUTS, INPUTS);
    int length = trmi_tape_length(f.tape, ~UINT64_C(0));
    const double input[INPUTS] = {1.1, -0.7, 2.3};
    run_groups(&f, input, INPUTS, ~UINT64_C(0));
    for (int k = 0; k < count; k++)
        assert_group(&f, output, count, group[k], input);
    finish(&f);
    return length;
}

static void test_expression_tape_sine_and_cosine_are_one(void **state)
{
    (void)state;
    assert_int_equal(length_of((const char *[]){"sin(x)", "cos(x)"}, (int[]){0, 0}, 2), 1);
    assert_int_equal(length_of((const char *[]){"cos(x)", "sin(x)"}, (int[]){0, 0}, 2), 1);
    assert_int_equal(length_of((const char *[]){"cos(x)", "sin(y)"}, (int[]){0, 0}, 2), 2);
    // in different groups each is computed when it is wanted
    assert_int_equal(length_of((const char *[]){"sin(x)", "cos(x)"}, (int[]){0, 1}, 2), 2);
    assert_int_equal(
        length_of((const char *[]){"sin(x)*y", "cos(x)/y", "cos(x)"}, (int[]){0, 0, 0}, 3), 3);
    // who uses the second of the two waits for it too, though its like (exp) has come before
    const char *const waiting[] = {"exp(y)", "sin(x)", "exp(cos(x))", "exp(sin(x))"};
    assert_int_equal(length_of(waiting, (int[]){0, 0, 0, 0}, 4), 4);
}

static void test_expression_tape_products_go_into_sums(void **state)
{
    (void)state;
    assert_int_equal(length_of((const char *[]){"x*y + z"}, (int[]){0}, 1), 1);
    assert_int_equal(length_of((const char *[]){"z + x*y"}, (int[]){0}, 1), 1);
    assert_int_equal(length_of((const char *[]){"x*y - z"}, (int[]){0}, 1), 1);
    assert_int_equal(length_of((const char *[]){"z - x*y"}, (int[]){0}, 1), 1);
    assert_int_equal(length_of((const char *[]){"x*y + z*x"}, (int[]){0}, 1), 2);
    // not when the product is wanted for itself, twice, or by other groups
    assert_int_equal(length_of((const char *[]){"x*y + z", "x*y"}, (int[]){0, 0}, 2), 2);
    assert_int_equal(length_of((const char *[]){"x*y + z", "x*y - z"}, (int[]){0, 0}, 2), 3);
    assert_int_equal(length_of((const char *[]){"x*y + z", "sin(x*y)"}, (int[]){0, 1}, 2), 3);
}

// one instruction for both must not mean other bits, at small and large arguments
static void test_expression_tape_sine_and_cosine_have_the_bits_of_libm(void **state)
{
    (void)state;
    fixture f;
    generator g = {271828};
    start(&f);
    const trmi_tape_output output[] = {{parse(&f.graph, "sin(x)"), 0},
                                       {parse(&f.graph, "cos(x)"), 0}};
    create(&f, output, 2, 1, 1);
    for (int k = 0; k < 200000; k++) {
        double value[2], x = draw_between(&g, -7, 7) * pow(10, draw_between(&g, -9, 9));
        f.reg[0] = x;
        trmi_tape_run(f.tape, f.reg, 1);
        trmi_tape_fetch(f.tape, f.reg, 0, value);
        assert_true(is_same(value[0], trmi_operation_value(TRMI_SIN, x, 0, 0)));
        assert_true(is_same(value[1], trmi_operation_value(TRMI_COS, x, 0, 0)));
    }
    finish(&f);
}

// ---- slow inputs ----

static void test_expression_tape_slow_inputs_wait_for_prepare(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    // x is fast, y and z are slow
    const trmi_tape_output output[] = {{parse(&f.graph, "x + sin(y)*z"), 0},
                                       {parse(&f.graph, "exp(z)"), 1}};
    const double input[] = {1, 2, 3};
    double value[2];
    create(&f, output, 2, 3, 1);
    // the run has one sum left
    assert_int_equal(trmi_tape_length(f.tape, ~UINT64_C(0)), 1);
    run_groups(&f, input, 3, 3);
    assert_group(&f, output, 2, 0, input);
    assert_group(&f, output, 2, 1, input);
    f.reg[2] = 4;
    f.reg[0] = 10;
    trmi_tape_run(f.tape, f.reg, 3);
    trmi_tape_fetch(f.tape, f.reg, 0, value);
    assert_true(is_same(value[0], 10 + trmi_operation_value(TRMI_SIN, 2, 0, 0) * 3));
    trmi_tape_prepare(f.tape, f.reg);
    trmi_tape_run(f.tape, f.reg, 3);
    const double changed[] = {10, 2, 4};
    assert_group(&f, output, 2, 0, changed);
    assert_group(&f, output, 2, 1, changed);
    finish(&f);
}

// ---- memory ----

typedef struct budget {
    int left; // allocations
} budget;

static void *take_within(size_t size, void *user)
{
    budget *b = user;
    return b->left-- > 0 ? malloc(size) : NULL;
}

static void give_back(void *block, void *user)
{
    (void)user;
    free(block);
}

static void test_expression_tape_without_memory_is_null(void **state)
{
    (void)state;
    trmi_graph graph = {0};
    const trmi_tape_output output[] = {{parse(&graph, "x*sin(y) + cos(y)"), 0},
                                       {parse(&graph, "exp(z) - 3"), 1}};
    bool done = false;
    int failures = 0;
    for (int limit = 0; !done; limit++) {
        budget b = {limit};
        trmi_memory memory;
        trmi_memory_init(&memory, &(trm_allocator){take_within, give_back, &b});
        done = trmi_tape_create(&memory, &graph, output, 2, 3, 2) != NULL;
        failures += !done;
        trmi_memory_release_all(&memory);
    }
    assert_true(failures >= 5);
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    graph.failed = true;
    assert_null(trmi_tape_create(&memory, &graph, output, 2, 3, 2));
    trmi_memory_release_all(&memory);
    trmi_graph_release(&graph);
}

// ---- values that are not finite ----

// one formula of inputs 0 .. 2, run at these values
static bool blame(fixture *f, trmi_node node, const double *input, trmi_tape_fault *fault)
{
    const trmi_tape_output output = {node, 3};
    create(f, &output, 1, 3, 2);
    run_groups(f, input, 3, UINT64_C(1) << 3);
    return trmi_tape_blame(f->tape, f->reg, 3, 0, fault);
}

// sin(1 + x/y) with y = 0: the division, not the sine that is nan for it
static void test_expression_tape_blame_finds_the_first_operation(void **state)
{
    (void)state;
    fixture f;
    trmi_tape_fault fault;
    const double input[] = {2, 0, 5};
    start(&f);
    trmi_node x = trmi_input(&f.graph, 0), y = trmi_input(&f.graph, 1);
    trmi_node sum = trmi_add(&f.graph, trmi_constant(&f.graph, 1), trmi_divide(&f.graph, x, y));
    assert_true(blame(&f, trmi_apply(&f.graph, TRMI_SIN, sum, 0, 0), input, &fault));
    assert_int_equal(fault.operation, TRMI_DIVIDE);
    assert_true(fault.operands == 2 && fault.operand[0] == 2 && fault.operand[1] == 0);
    assert_true(fault.input[0] == 0 && fault.input[1] == 1);
    finish(&f);
}

// a slow input: log(p) is computed by prepare alone
static void test_expression_tape_blame_finds_slow_operations(void **state)
{
    (void)state;
    fixture f;
    trmi_tape_fault fault;
    const double input[] = {2, 0, -5};
    start(&f);
    trmi_node log_p = trmi_apply(&f.graph, TRMI_LOG, trmi_input(&f.graph, 2), 0, 0);
    assert_true(blame(&f, trmi_multiply(&f.graph, trmi_input(&f.graph, 0), log_p), input, &fault));
    assert_int_equal(fault.operation, TRMI_LOG);
    assert_true(fault.operands == 1 && fault.operand[0] == -5 && fault.input[0] == 2);
    finish(&f);
}

// x*y + p in one instruction: the product overflows, or the sum of a product that does not
static void test_expression_tape_blame_parts_joined_instructions(void **state)
{
    (void)state;
    const struct {
        double input[3];
        trmi_operation operation;
    } cases[] = {{{1e200, 1e200, 1}, TRMI_MULTIPLY}, {{1e154, 1.7e154, 1e308}, TRMI_ADD}};
    for (int k = 0; k < 2; k++) {
        fixture f;
        trmi_tape_fault fault;
        const double *in = cases[k].input;
        start(&f);
        trmi_node x = trmi_input(&f.graph, 0), y = trmi_input(&f.graph, 1);
        trmi_node product = trmi_multiply(&f.graph, x, y);
        trmi_node sum = trmi_add(&f.graph, product, trmi_input(&f.graph, 2));
        assert_true(blame(&f, sum, in, &fault));
        assert_int_equal(fault.operation, cases[k].operation);
        assert_true(fault.operands == 2 && fault.operand[0] == (k == 0 ? in[0] : in[0] * in[1]));
        assert_true(fault.operand[1] == (k == 0 ? in[1] : in[2]));
        assert_int_equal(fault.input[0], k == 0 ? 0 : TRMI_NO_NODE);
        assert_int_equal(fault.input[1], k == 0 ? 1 : 2);
        finish(&f);
    }
}

// if(x, y, log(y)) with y < 0: the branch that is not taken is nobody's fault; nor is an input
static void test_expression_tape_blame_passes_over_branches_and_inputs(void **state)
{
    (void)state;
    const double input[][3] = {{1, -1, 0}, {0, -1, 0}, {1, NAN, 0}};
    const bool blamed[] = {false, true, false};
    for (int k = 0; k < 3; k++) {
        fixture f;
        trmi_tape_fault fault;
        start(&f);
        trmi_node x = trmi_input(&f.graph, 0), y = trmi_input(&f.graph, 1);
        trmi_node log_y = trmi_apply(&f.graph, TRMI_LOG, y, 0, 0);
        trmi_node choice = trmi_apply(&f.graph, TRMI_IF, x, y, log_y);
        assert_int_equal(blame(&f, choice, input[k], &fault), blamed[k]);
        assert_true(!blamed[k] || fault.operation == TRMI_LOG);
        finish(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_tape_random_sets_equal_graph_in_all_subsets),
        cmocka_unit_test(test_expression_tape_every_operation_equals_graph),
        cmocka_unit_test(test_expression_tape_groups_share_and_skip),
        cmocka_unit_test(test_expression_tape_outputs_may_be_anything),
        cmocka_unit_test(test_expression_tape_nothing_is_a_tape),
        cmocka_unit_test(test_expression_tape_million_terms_work),
        cmocka_unit_test(test_expression_tape_sine_and_cosine_are_one),
        cmocka_unit_test(test_expression_tape_products_go_into_sums),
        cmocka_unit_test(test_expression_tape_sine_and_cosine_have_the_bits_of_libm),
        cmocka_unit_test(test_expression_tape_slow_inputs_wait_for_prepare),
        cmocka_unit_test(test_expression_tape_blame_finds_the_first_operation),
        cmocka_unit_test(test_expression_tape_blame_finds_slow_operations),
        cmocka_unit_test(test_expression_tape_blame_parts_joined_instructions),
        cmocka_unit_test(test_expression_tape_blame_passes_over_branches_and_inputs),
        cmocka_unit_test(test_expression_tape_without_memory_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
