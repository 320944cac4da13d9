// SPDX-License-Identifier: Apache-2.0
// Mechanisms from files, in absolute coordinates, over the number of bodies: chain and ladder of
// closed loops, plane and spatial. Per body: loading, evaluation of the residual (M a - f, g, G)
// and of all of M, D, K, (G^T lambda)_q, G, a step of the default integrator, memory; then the
// memory of a simulation by integrator.
//
//     bench_mechanism MAKE-MECHANISM [--quick] [--kind WORDS] [N...]
//
// WORDS: one of "chain", "--spatial chain", "ladder", "--spatial ladder". They start folded, so
// that all bodies move alike whatever their number. Steps are the same in every run: each counts
// with the least time it took in several, and so does every figure, in several rounds.
//
// Bars: residual 250 ns and matrices 500 ns per spatial body, 5 kB per body, time per step
// linear within 20 % per decade, the plane chain at most 1.5 times the one written in C.
#include "mechanism_text.h"
#include "peer_run.h"
#include "problems/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPEATS = 5,
    SETTLING_STEPS = 10,
    STEPS = 16,
    RUNS = 2,
    MAX_RUNS = 20,
    ROUNDS = 3,
    MAX_SIZES = 16
};
// runs are repeated this many seconds
static const double LONG_ENOUGH = 0.1;

/// What is measured of one mechanism, per body.
typedef struct figures {
    double load, residual, matrices, step; ///< seconds
    double equal;                          ///< seconds: a step of one iteration, one factorization
    double iterations, factorizations;     ///< of a step
    double bytes;
    double pass; ///< seconds: the machine reads as many bytes once
} figures;

// ---- evaluation -------------------------------------------------------------------------------

/// A state with motion in everything, and memory for what is evaluated there.
typedef struct probe {
    const trm_system *system;
    trm_state state;
    double *numbers;
    double *want[TRM_QUANTITY_COUNT];
} probe;

static int count_values(const trm_system *s, trm_quantity quantity)
{
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    int entries = s->pattern[quantity].count;
    return columns <= 1 || entries == TRM_PATTERN_DIAGONAL ? rows : entries > 0 ? entries : 1;
}

static int probe_open(probe *p, const mechanism *m)
{
    const trm_system *s = trm_instance_system(m->instance);
    const trm_initial *start = trm_instance_initial(m->instance);
    int n = s->n_q, r = s->n_g + s->n_a;
    *p = (probe){.system = s, .numbers = calloc((size_t)(3 * n + r + 1), sizeof(double))};
    if (!p->numbers)
        return -1;
    double *v = p->numbers + n, *a = v + n, *lambda = a + n;
    for (int i = 0; i < n; i++) {
        p->numbers[i] = start->q[i] + 0.1 * sin(i);
        v[i] = cos(i);
        a[i] = sin(2 * i);
    }
    for (int i = 0; i < r; i++)
        lambda[i] = cos(3 * i);
    p->state =
        (trm_state){.q = p->numbers, .v = v, .a = a, .lambda = lambda, .u = NULL, .held = s->held};
    return 0;
}

static void probe_close(probe *p)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        free(p->want[k]);
    free(p->numbers);
}

// The CPU time of evaluating some quantities together, the best of several rounds.
static double time_evaluation(probe *p, uint64_t quantities)
{
    double *want[TRM_QUANTITY_COUNT] = {0}, best = HUGE_VAL;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (quantities & p->system->evaluates & TRM_BIT_OF(k)) {
            size_t count = (size_t)count_values(p->system, (trm_quantity)k);
            if (!p->want[k] && !(p->want[k] = calloc(count, sizeof(double))))
                return NAN;
            want[k] = p->want[k];
        }
    int each = 1 + 200000 / p->system->n_q;
    for (int round = 0; round < REPEATS; round++) {
        double begin = peer_cpu_seconds();
        for (int k = 0; k < each; k++)
            p->system->evaluate(&p->state, want, p->system->user);
        best = fmin(best, (peer_cpu_seconds() - begin) / each);
    }
    return best;
}

static int measure_evaluation(const mechanism *m, figures *f)
{
    const uint64_t residual = TRM_BIT(RESIDUAL) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q);
    const uint64_t matrices = TRM_BIT(MASS) | TRM_BIT(DAMPING) | TRM_BIT(STIFFNESS) |
                              TRM_BIT(GEOMETRIC) | TRM_BIT(CONSTRAINT_Q);
    probe p;
    if (probe_open(&p, m) != 0)
        return -1;
    f->residual = time_evaluation(&p, residual) / m->bodies;
    f->matrices = time_evaluation(&p, matrices) / m->bodies;
    probe_close(&p);
    return 0;
}

// ---- steps ------------------------------------------------------------------------------------

/// One step: CPU seconds, the least of several runs, and the work, the same in all of them.
typedef struct step_record {
    double seconds;
    long iterations, factorizations;
} step_record;

// Steps after those of the start, in a new simulation. Returns -1 after a message.
static int run_steps(const trm_system *system, const trm_initial *initial,
                     trm_integrator integrator, step_record *record, size_t *bytes)
{
    trm_options options = trm_options_default();
    trm_simulation *simulation;
    trm_error error;
    options.integrator = integrator;
    options.rtol = 1e-5;
    options.atol = 1e-7;
    size_t before = peer_heap_bytes();
    if (trm_simulation_create(&simulation, system, &options, initial, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    trm_status status = TRM_OK;
    for (int k = 0; k < SETTLING_STEPS && status == TRM_OK; k++)
        status = trm_simulation_step(simulation, 100, NULL);
    const trm_statistics *now = trm_simulation_statistics(simulation);
    for (int k = 0; k < STEPS && status == TRM_OK; k++) {
        trm_statistics at = *now;
        double begin = peer_cpu_seconds();
        status = trm_simulation_step(simulation, 100, NULL);
        record[k].seconds = fmin(record[k].seconds, peer_cpu_seconds() - begin);
        record[k].iterations = now->newton_iterations - at.newton_iterations;
        record[k].factorizations = now->factorizations - at.factorizations;
    }
    *bytes = peer_heap_bytes() - before;
    if (status != TRM_OK)
        fprintf(stderr, "%s\n", trm_simulation_error(simulation)->text);
    trm_simulation_destroy(simulation);
    return status == TRM_OK ? 0 : -1;
}

// The figures of a step, NaN after a message. What a run adds to the heap is added to f->bytes.
static void time_steps(const trm_system *system, const trm_initial *initial, figures *f)
{
    step_record record[STEPS];
    double begin = peer_cpu_seconds();
    size_t bytes = 0;
    int equal = 0;
    for (int k = 0; k < STEPS; k++)
        record[k].seconds = HUGE_VAL;
    f->step = f->equal = f->iterations = f->factorizations = 0;
    for (int run = 0; run < RUNS || (run < MAX_RUNS && peer_cpu_seconds() < begin + LONG_ENOUGH);
         run++)
        if (run_steps(system, initial, TRM_INTEGRATOR_BDF, record, &bytes) != 0) {
            f->step = NAN;
            return;
        }
    f->bytes += (double)bytes;
    for (int k = 0; k < STEPS; k++) {
        f->step += record[k].seconds / STEPS;
        f->iterations += (double)record[k].iterations / STEPS;
        f->factorizations += (double)record[k].factorizations / STEPS;
        if (record[k].iterations == 1 && record[k].factorizations == 1) {
            f->equal += record[k].seconds;
            equal++;
        }
    }
    f->equal /= equal; // NaN: there is none
}

// CPU seconds for reading so many bytes once, the best of several passes: what of the growth over
// the number of bodies is that of the memory. NaN: there are not so many.
static double time_pass(size_t bytes)
{
    size_t count = bytes / sizeof(double) / 8 * 8;
    double *numbers = malloc(count * sizeof *numbers), best = HUGE_VAL;
    if (!numbers)
        return NAN;
    for (size_t i = 0; i < count; i++)
        numbers[i] = 1;
    int each = 1 + (int)(4000000 / (count + 1));
    for (int round = 0; round < REPEATS; round++) {
        volatile double sum[8] = {0}; // a pass cannot be left out
        double begin = peer_cpu_seconds();
        for (int k = 0; k < each; k++) {
            double part[8] = {0};
            for (size_t i = 0; i < count; i += 8)
                for (int j = 0; j < 8; j++)
                    part[j] += numbers[i + (size_t)j];
            for (int j = 0; j < 8; j++)
                sum[j] += part[j];
        }
        best = fmin(best, (peer_cpu_seconds() - begin) / each);
    }
    free(numbers);
    return best;
}

static int measure(const char *script, const char *words, int size, figures *f)
{
    mechanism m;
    char folded[64];
    *f = (figures){0};
    snprintf(folded, sizeof folded, "--folded %s", words);
    size_t before = peer_heap_bytes();
    if (mechanism_open(&m, script, folded, size) != 0)
        return -1;
    f->bytes = (double)(peer_heap_bytes() - before);
    f->load = m.seconds / m.bodies;
    int failed = measure_evaluation(&m, f);
    time_steps(trm_instance_system(m.instance), trm_instance_initial(m.instance), f);
    f->step /= m.bodies;
    f->equal /= m.bodies;
    f->pass = time_pass((size_t)f->bytes) / m.bodies;
    f->bytes /= m.bodies;
    mechanism_close(&m);
    return failed;
}

// ---- tables -----------------------------------------------------------------------------------

static const char *judge(int reached)
{
    return reached ? "reached" : "MISSED";
}

// All sizes in turn, several times: what else the machine does hits each of them.
static int measure_all(const char *script, const char *words, const int *size, int sizes,
                       figures *best)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < sizes; k++) {
            figures f;
            if (measure(script, words, size[k], &f) != 0)
                return -1;
            if (round > 0) {
                f.load = fmin(f.load, best[k].load);
                f.residual = fmin(f.residual, best[k].residual);
                f.matrices = fmin(f.matrices, best[k].matrices);
                f.step = fmin(f.step, best[k].step);
                f.equal = fmin(f.equal, best[k].equal);
                f.pass = fmin(f.pass, best[k].pass);
            }
            best[k] = f;
        }
    return 0;
}

// Growth of a step per decade from 100 bodies on: in the mean and at most.
static void judge_growth(const int *size, int sizes, const figures *f)
{
    double mean = 1, most = 0;
    int first = 0, last = sizes - 1;
    while (first < last && size[first] < 100)
        first++;
    if (first == last)
        return;
    mean = pow(f[last].step / f[first].step, 1 / log10((double)size[last] / size[first]));
    for (int k = first; k < last; k++) {
        double decades = log10((double)size[k + 1] / size[k]);
        most = fmax(most, pow(f[k + 1].step / f[k].step, 1 / decades));
    }
    printf("from %d to %d bodies a step per body grows by %.2f per decade in the mean (bar 1.2): "
           "%s; by %.2f at most (bar 1.2): %s\n",
           size[first], size[last], mean, judge(mean <= 1.2), most, judge(most <= 1.2));
}

// One kind of mechanism over its sizes.
static void sweep(const char *script, const char *words, const int *size, int sizes)
{
    figures f[MAX_SIZES];
    double residual = 0, matrices = 0, bytes = 0;
    if (measure_all(script, words, size, sizes, f) != 0)
        return;
    printf("\n%s\n%8s %9s %9s %9s %10s %11s %9s %10s %8s %6s\n", words, "bodies", "load us",
           "residual", "matrices", "iterations", "factorized", "step ns", "equal work", "bytes",
           "pass");
    for (int k = 0; k < sizes; k++) {
        printf("%8d %9.1f %9.0f %9.0f %10.2f %11.2f %9.0f %10.0f %8.0f %6.0f\n", size[k],
               1e6 * f[k].load, 1e9 * f[k].residual, 1e9 * f[k].matrices, f[k].iterations,
               f[k].factorizations, 1e9 * f[k].step, 1e9 * f[k].equal, f[k].bytes, 1e9 * f[k].pass);
        residual = fmax(residual, size[k] >= 100 ? 1e9 * f[k].residual : 0);
        matrices = fmax(matrices, size[k] >= 100 ? 1e9 * f[k].matrices : 0);
        bytes = fmax(bytes, size[k] >= 1000 ? f[k].bytes : 0);
    }
    if (strstr(words, "--spatial"))
        printf(
            "from 100 bodies on: residual %.0f ns (bar 250): %s; matrices %.0f ns (bar 500): %s\n",
            residual, judge(residual <= 250), matrices, judge(matrices <= 500));
    if (bytes > 0) // a small model has tens of kB besides
        printf("from 1000 bodies on: %.0f bytes per body (bar 5000): %s\n", bytes,
               judge(bytes <= 5000));
    printf("pass: the bytes of a body read once, by this machine in ns\n");
    judge_growth(size, sizes, f);
}

// The plane chain from a file against the one in C, in turns.
static void compare_chain(const char *script, int links)
{
    const trm_problem_option options[] = {{"links", links}, {NULL, 0}};
    mechanism m;
    trp_problem *problem;
    double best[2] = {HUGE_VAL, HUGE_VAL};
    figures f = {0};
    if (mechanism_open(&m, script, "chain", links) != 0)
        return;
    if (trp_problem_create(&problem, "chain", options, NULL) == TRM_OK) {
        for (int round = 0; round < REPEATS; round++) {
            time_steps(trm_instance_system(m.instance), trm_instance_initial(m.instance), &f);
            best[0] = fmin(best[0], f.step);
            time_steps(trp_problem_system(problem), trp_problem_initial(problem), &f);
            best[1] = fmin(best[1], f.step);
        }
        printf("plane chain of %d: a step takes %.0f ns per body from a file, %.0f ns in C, ratio "
               "%.2f (bar 1.5): %s\n",
               links, 1e9 * best[0] / links, 1e9 * best[1] / links, best[0] / best[1],
               judge(best[0] <= 1.5 * best[1]));
        trp_problem_destroy(problem);
    }
    mechanism_close(&m);
}

// What a simulation takes, without the model.
static void list_integrators(const char *script, const char *words, int size)
{
    static const struct {
        const char *name;
        trm_integrator integrator;
    } list[] = {{"bdf", TRM_INTEGRATOR_BDF},
                {"adams", TRM_INTEGRATOR_ADAMS},
                {"explicit", TRM_INTEGRATOR_EXPLICIT},
                {"generalized-alpha", TRM_INTEGRATOR_GENERALIZED_ALPHA},
                {"radau", TRM_INTEGRATOR_RADAU}};
    step_record unused[STEPS] = {{0}};
    mechanism m;
    if (mechanism_open(&m, script, words, size) != 0)
        return;
    printf("\n%s of %d: bytes per body of a simulation by integrator\n", words, size);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        size_t bytes = 0;
        if (run_steps(trm_instance_system(m.instance), trm_instance_initial(m.instance),
                      list[k].integrator, unused, &bytes) == 0)
            printf("%20s %8.0f\n", list[k].name, (double)bytes / m.bodies);
    }
    mechanism_close(&m);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"chain", "--spatial chain", "ladder", "--spatial ladder"};
    const char *only = NULL;
    int size[MAX_SIZES] = {10, 100, 1000, 10000, 100000}, sizes = 5, given = 0;
    for (int k = 2; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0)
            sizes = 3;
        else if (strcmp(argv[k], "--kind") == 0 && k + 1 < argc)
            only = argv[++k];
        else if (atoi(argv[k]) > 0 && given < MAX_SIZES)
            size[given++] = atoi(argv[k]);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: bench_mechanism MAKE-MECHANISM [--quick] [--kind WORDS] [N...]\n");
        return 2;
    }
    if (given > 0)
        sizes = given;
    printf("mechanisms in absolute coordinates; times in ns per body unless stated otherwise\n");
    for (int k = 0; k < 4; k++)
        if (!only || strcmp(only, kinds[k]) == 0)
            sweep(argv[1], kinds[k], size, sizes);
    if (only)
        return 0;
    list_integrators(argv[1], "--spatial ladder", 1000);
    printf("\n");
    compare_chain(argv[1], 100);
    compare_chain(argv[1], 1000);
    return 0;
}
