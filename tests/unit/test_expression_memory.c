// SPDX-License-Identifier: Apache-2.0
// Expressions when memory ends: at each allocation in turn everything must come to an orderly end.
#include "base/grow.h"
#include "modelling/expression/derive.h"
#include "modelling/expression/tape.h"
#include "unit/expressions.h"

#include <stdlib.h>

static int allocations_left;

// takes the place of the one in src/base/grow.c: exact sizes, every block a new one
void *trmi_grow(void *array, int *capacity, int needed, size_t size)
{
    if (array && needed <= *capacity)
        return array;
    if (allocations_left-- <= 0)
        return NULL;
    int larger = needed + needed / 4 + 1;
    void *grown = malloc((size_t)larger * size);
    if (!grown)
        return NULL;
    if (array)
        memcpy(grown, array, (size_t)*capacity * size);
    free(array);
    *capacity = larger;
    return grown;
}

static const char *const formula =
    "if(x > 0, sqrt(x)*sin(y), cos(y)/z) + (x - y)^3*max(x, y, z) - 2*exp(-x*y)/(1 + z^2)";

// all stages; whether they had the memory they needed, with the sum of all results
static bool go_through(double *sum)
{
    const double input[INPUTS] = {0.5, 0.25, 2};
    trmi_graph graph = {0};
    trmi_parse_error error;
    trmi_derive derive = {.graph = &graph};
    trmi_forward forward;
    trmi_tape_output output[10];
    int outputs = 0;
    *sum = 0;
    trmi_node node = trmi_parse(&graph, formula, resolve_name, &graph, &error);
    if (node == TRMI_NO_NODE)
        assert_string_equal(error.message, "no memory for the formula");
    else
        output[outputs++] = (trmi_tape_output){node, 0};
    const trmi_partial *partial;
    int count = node == TRMI_NO_NODE ? 0 : trmi_gradient(&derive, node, 0, 3, &partial);
    for (int k = 0; k < count; k++)
        output[outputs++] = (trmi_tape_output){partial[k].value, 1};
    trmi_node direction[] = {trmi_constant(&graph, 1), TRMI_NO_NODE, trmi_input(&graph, 0)};
    trmi_forward_begin(&forward, &graph, direction, 3);
    if (node != TRMI_NO_NODE)
        output[outputs++] = (trmi_tape_output){trmi_forward_rate(&forward, node), 2};
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    const trmi_tape *tape = trmi_tape_create(&memory, &graph, output, outputs, 3, 3);
    bool done = !graph.failed && tape;
    for (int k = 0; k < outputs && done; k++) {
        double value = trmi_graph_value(&graph, output[k].node, input);
        done = !isnan(value);
        *sum += value;
    }
    trmi_memory_release_all(&memory);
    trmi_forward_release(&forward);
    trmi_derive_release(&derive);
    trmi_graph_release(&graph);
    return done;
}

static void test_expression_memory_every_failure_is_noticed(void **state)
{
    (void)state;
    double expected, sum;
    allocations_left = 1000000;
    assert_true(go_through(&expected));
    const int needed = 1000000 - allocations_left;
    assert_true(needed > 20);
    for (int limit = 0; limit < needed; limit++) {
        allocations_left = limit;
        assert_false(go_through(&sum));
    }
    allocations_left = needed;
    assert_true(go_through(&sum));
    assert_true(sum == expected);
}

static void test_expression_memory_inputs_without_memory_are_all(void **state)
{
    (void)state;
    trmi_graph graph = {0};
    bool depends[4] = {false};
    allocations_left = 1000;
    trmi_node node = parse(&graph, "x + y");
    allocations_left = 0;
    trmi_graph_inputs(&graph, node, depends, 4);
    for (int i = 0; i < 4; i++)
        assert_true(depends[i]);
    trmi_graph_release(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_memory_every_failure_is_noticed),
        cmocka_unit_test(test_expression_memory_inputs_without_memory_are_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
