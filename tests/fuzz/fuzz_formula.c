// SPDX-License-Identifier: Apache-2.0
// Any bytes as a formula: parse, differentiate, compile, run. The tape must give the bits of the
// graph, and an error must point into the text.
#include "modelling/expression/derive.h"
#include "modelling/expression/parse.h"
#include "modelling/expression/tape.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 6, SLOW = 4, MAX_OUTPUTS = 2 + INPUTS, POINTS = 3 };

static const char *const names[INPUTS] = {"x", "y", "z", "t", "k", "m"};

// ordinary, awkward and special values; x, y, z, t are fast and k, m slow inputs
static const double points[POINTS][INPUTS] = {
    {0.3, -1.7, 2.5, 0.01, 3.0, -0.5},
    {0.0, -0.0, 1.0, -1.0, 0.0, 1e-300},
    {NAN, INFINITY, -INFINITY, 1e308, -1e308, 0.5},
};

static trmi_node resolve(void *user, const char *name, const char *argument, char *message,
                         size_t size)
{
    trmi_graph *graph = user;
    const char *wanted = argument ? argument : name; // a(x) stands for x
    for (int i = 0; i < INPUTS && (!argument || !strcmp(name, "a")); i++)
        if (!strcmp(names[i], wanted))
            return trmi_input(graph, i);
    if (size > 0)
        message[0] = '\0';
    return TRMI_NO_NODE;
}

static void demand(bool condition)
{
    if (!condition)
        abort();
}

// the same bits, or both NaN
static bool is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void compare(const trmi_graph *graph, const trmi_tape *tape, const trmi_tape_output *output,
                    int outputs)
{
    double value[MAX_OUTPUTS];
    double *reg = calloc((size_t)trmi_tape_registers(tape), sizeof *reg);
    demand(reg);
    for (int p = 0; p < POINTS; p++) {
        memcpy(reg, points[p], sizeof points[p]);
        trmi_tape_prepare(tape, reg);
        for (int k = 0; k < outputs; k++) { // every group alone
            trmi_tape_run(tape, reg, UINT64_C(1) << output[k].group);
            demand(trmi_tape_group_size(tape, output[k].group) == 1);
            trmi_tape_fetch(tape, reg, output[k].group, value);
            demand(is_same(value[0], trmi_graph_value(graph, output[k].node, points[p])));
        }
    }
    free(reg);
}

static void differentiate_and_run(trmi_graph *graph, trmi_node node)
{
    trmi_tape_output output[MAX_OUTPUTS] = {{node, 0}};
    int outputs = 1;
    trmi_derive derive = {.graph = graph};
    const trmi_partial *partial;
    int count = trmi_gradient(&derive, node, 0, INPUTS, &partial);
    for (int k = 0; k < count; k++, outputs++)
        output[outputs] = (trmi_tape_output){partial[k].value, outputs};
    trmi_derive_release(&derive);

    trmi_node direction[INPUTS];
    trmi_forward forward;
    for (int i = 0; i < INPUTS; i++)
        direction[i] = i % 2 ? TRMI_NO_NODE : trmi_input(graph, INPUTS - 1 - i);
    trmi_forward_begin(&forward, graph, direction, INPUTS);
    output[outputs] = (trmi_tape_output){trmi_forward_rate(&forward, node), outputs};
    outputs++;
    trmi_forward_release(&forward);

    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    const trmi_tape *tape = trmi_tape_create(&memory, graph, output, outputs, INPUTS, SLOW);
    if (tape)
        compare(graph, tape, output, outputs);
    trmi_memory_release_all(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    const int length = (int)strlen(text);
    trmi_graph graph = {0};
    trmi_parse_error error;
    trmi_node node = trmi_parse(&graph, text, resolve, &graph, &error);
    if (node != TRMI_NO_NODE) {
        differentiate_and_run(&graph, node);
    } else {
        demand(error.offset >= 0 && error.length >= 0 && error.offset + error.length <= length);
        demand(error.message[0] != '\0');
    }
    trmi_graph_release(&graph);
    free(text);
    return 0;
}
