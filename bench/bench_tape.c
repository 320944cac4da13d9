// SPDX-License-Identifier: Apache-2.0
// What formulas cost: Andrews' mechanism from its model file (a tape of instructions) against the
// same problem written in C, evaluations and a whole run; a chain of points for the time per
// coordinate and the time to load. Best of several rounds.
#define _POSIX_C_SOURCE 200809L
#include "problems/problems.h"
#include "trammel/trammel.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, CALLS = 4000, LARGEST = 32 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- evaluations ----

// The quantities of a system that are wanted, with memory for their values.
typedef struct evaluation {
    const trm_system *system;
    uint64_t wanted;
    double *want[TRM_QUANTITY_COUNT];
    trm_state state;
} evaluation;

static int entries(const trm_system *s, trm_quantity quantity)
{
    int rows, columns, count = s->pattern[quantity].count;
    trm_system_shape(s, quantity, &rows, &columns);
    return count > 0 ? count : count == TRM_PATTERN_DENSE ? rows * columns : rows;
}

static bool supplies(const trm_system *s, trm_quantity quantity)
{
    return s->function[quantity] || (s->evaluates & TRM_BIT_OF(quantity));
}

static evaluation prepare(const trm_system *s, const trm_state *state, uint64_t wanted)
{
    evaluation e = {.system = s, .state = *state};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if ((wanted & TRM_BIT_OF(k)) && supplies(s, (trm_quantity)k)) {
            e.want[k] = calloc((size_t)entries(s, (trm_quantity)k), sizeof(double));
            e.wanted |= TRM_BIT_OF(k);
        }
    return e;
}

static void discard(evaluation *e)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        free(e->want[k]);
}

static void evaluate(const evaluation *e)
{
    const trm_system *s = e->system;
    if (s->evaluate && (s->evaluates & e->wanted))
        s->evaluate(&e->state, e->want, s->user);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (e->want[k] && !(s->evaluates & TRM_BIT_OF(k)))
            s->function[k](&e->state, e->want[k], s->user);
}

// seconds of one evaluation
static double time_evaluation(const evaluation *e, int calls)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int k = 0; k < calls; k++)
            evaluate(e);
        double time = (seconds() - start) / calls;
        best = time < best ? time : best;
    }
    return best;
}

static void compare(const char *what, const trm_system *tape, const trm_system *written,
                    const trm_state *state, uint64_t wanted, double bar)
{
    evaluation a = prepare(tape, state, wanted), b = prepare(written, state, wanted);
    double time_a = time_evaluation(&a, CALLS), time_b = time_evaluation(&b, CALLS);
    printf("%-38s %9.0f ns %9.0f ns %7.2f", what, 1e9 * time_a, 1e9 * time_b, time_a / time_b);
    if (bar > 0)
        printf("   bar %.1f%s", bar, time_a / time_b <= bar ? "" : "  MISSED");
    printf("\n");
    discard(&a);
    discard(&b);
}

// ---- runs ----

static double time_run(const trm_system *system, const trm_initial *initial, double end)
{
    double best = 1e9;
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-8;
    for (int round = 0; round < ROUNDS; round++) {
        trm_simulation *simulation;
        double start = seconds();
        if (trm_simulation_create(&simulation, system, &options, initial, NULL) != TRM_OK ||
            trm_simulation_run(simulation, end) != TRM_OK)
            return -1;
        double time = seconds() - start;
        trm_simulation_destroy(simulation);
        best = time < best ? time : best;
    }
    return best;
}

static int bench_andrews(const char *path)
{
    trm_model *model;
    trm_instance *instance;
    trp_problem *problem;
    trm_error error;
    if (trm_model_load(&model, path, NULL, &error) != TRM_OK ||
        trm_instance_create(&instance, model, &error) != TRM_OK ||
        trp_problem_create(&problem, "andrews", NULL, &error) != TRM_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        return 1;
    }
    const trm_system *tape = trm_instance_system(instance), *written = trp_problem_system(problem);
    const trm_initial *initial = trm_instance_initial(instance);
    const double ones[LARGEST] = {1, 1, 1, 1, 1, 1, 1, 1};
    const trm_state state = {.q = initial->q, .v = ones, .a = ones, .lambda = ones};
    const uint64_t residual =
        TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q);
    uint64_t both = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (supplies(tape, (trm_quantity)k) && supplies(written, (trm_quantity)k))
            both |= TRM_BIT_OF(k);
    printf("%-38s %12s %12s %7s\n", "Andrews' mechanism", "model file", "C", "ratio");
    compare("residual: M, f, g, G", tape, written, &state, residual, 3);
    compare("all that both supply", tape, written, &state, both, 0);
    evaluation all = prepare(tape, &state, UINT64_MAX);
    printf("%-38s %9.0f ns\n", "all, derivatives of forces included",
           1e9 * time_evaluation(&all, CALLS));
    discard(&all);
    double a = time_run(tape, initial, trm_model_schedule(model)->end);
    double b = time_run(written, trp_problem_initial(problem), trp_problem_end(problem));
    printf("%-38s %9.2f ms %9.2f ms %7.2f   bar 1.5%s\n", "whole run at 1e-8", 1e3 * a, 1e3 * b,
           a / b, a / b <= 1.5 ? "" : "  MISSED");
    trp_problem_destroy(problem);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return 0;
}

// ---- chain ----

// points in the plane, each tied to the one before by a bar and a damper
static char *write_chain(int points, size_t *length)
{
    char *text;
    FILE *out = open_memstream(&text, length);
    if (!out)
        return NULL;
    fprintf(out, "trammel: 1\nequations:\n  coordinates:\n");
    for (int i = 0; i < points; i++)
        fprintf(out, "    x%d: vx%d\n    y%d: vy%d\n", i, i, i, i);
    fprintf(out, "  mass: [1, 1");
    for (int i = 1; i < points; i++)
        fprintf(out, ", 1, 1");
    fprintf(out, "]\n  force:\n    - \"-vx0\"\n    - \"-vy0 - 9.81\"\n");
    for (int i = 1; i < points; i++)
        fprintf(out, "    - \"vx%d - vx%d\"\n    - \"vy%d - vy%d - 9.81\"\n", i - 1, i, i - 1, i);
    fprintf(out, "  constraints:\n    bar0: \"x0^2 + y0^2 - 1\"\n");
    for (int i = 1; i < points; i++)
        fprintf(out, "    bar%d: \"(x%d - x%d)^2 + (y%d - y%d)^2 - 1\"\n", i, i, i - 1, i, i - 1);
    fprintf(out, "simulate: {end: 1}\n");
    return fclose(out) == 0 ? text : NULL;
}

static int bench_chain(int coordinates)
{
    size_t length;
    char *text = write_chain(coordinates / 2, &length);
    trm_model *model = NULL;
    trm_instance *instance = NULL;
    double load = 1e9, *state = calloc(4 * (size_t)coordinates, sizeof *state);
    bool good = text && state;
    for (int round = 0; round < 3 && good; round++) {
        trm_model_destroy(model);
        double start = seconds();
        good = trm_model_read(&model, text, length, "chain", NULL, NULL) == TRM_OK;
        load = seconds() - start < load ? seconds() - start : load;
    }
    good = good && trm_instance_create(&instance, model, NULL) == TRM_OK;
    if (good) {
        for (int i = 0; i < 4 * coordinates; i++)
            state[i] = 0.1 + i % 7;
        const trm_state at = {.q = state,
                              .v = state + coordinates,
                              .a = state + 2 * coordinates,
                              .lambda = state + 3 * coordinates};
        evaluation all = prepare(trm_instance_system(instance), &at, UINT64_MAX);
        double time = time_evaluation(&all, 400000 / coordinates);
        printf("%-38d %9.1f ns %9.1f us %9.1f ms\n", coordinates, 1e9 * time / coordinates,
               1e6 * load / coordinates, 1e3 * load);
        discard(&all);
    }
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    free(state);
    free(text);
    return good ? 0 : 1;
}

int main(int count, char **argument)
{
    const char *path = count > 1 ? argument[1] : "examples/andrews.yaml";
    int status = bench_andrews(path);
    printf("\n%-38s %12s %12s %12s\n", "chain: coordinates", "evaluation/N", "loading/N",
           "loading");
    const int sizes[] = {100, 1000, 5000, 10000};
    for (int k = 0; k < 4 && status == 0; k++)
        status = bench_chain(sizes[k]);
    return status;
}
