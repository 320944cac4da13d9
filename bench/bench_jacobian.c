// SPDX-License-Identifier: Apache-2.0
// What derivatives cost: the pendulum chain (N rods in angles, all blocks full) by source and
// update of the Jacobian. Calls of the residual, time, its ratio to that of exact derivatives, and
// where the time goes. Best of several runs.
#include "peer_run.h"
#include "problems/problems.h"
#include "watch.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZES = 8, MAX_ROWS = 15 };
// All rows take turns, so that a slow moment of the machine does not hit one of them alone.
enum { ROUNDS = 3 };
static const double round_seconds = 0.3; // for one row, at least one run
static const double long_seconds = 2;    // runs of more seconds than this are not repeated
static const double rest_bar = 0.1;      // share of the rest with exact derivatives, N = 64

// A run of the chain: end time by size, so that each has some hundred steps.
typedef struct task {
    int n;
    double end;
    const trm_system *system;
    const trm_initial *initial;
    double *reference; // q at the end, exact derivatives at a tight tolerance
} task;

// A source with an update, and what came out.
typedef struct row {
    trm_options options;
    trm_status status;
    trm_statistics statistics;
    double seconds, error; // CPU time
    double phase[WATCH_PHASES];
} row;

static trm_options choose(trm_jacobian_source source, trm_jacobian_update update)
{
    trm_options o = trm_options_default();
    o.rtol = 1e-5;
    o.atol = 1e-7;
    o.jacobian_source = source;
    o.jacobian_update = update;
    return o;
}

// One run; q at the end into `q`.
static trm_status run(const task *t, const trm_system *system, const trm_options *o,
                      trm_statistics *statistics, double *q)
{
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, system, o, t->initial, &error);
    if (status != TRM_OK) {
        fprintf(stderr, "N = %d: %s\n", t->n, error.text);
        return status;
    }
    status = trm_simulation_run(s, t->end);
    if (status != TRM_OK)
        fprintf(stderr, "N = %d: %s\n", t->n, trm_simulation_error(s)->text);
    *statistics = *trm_simulation_statistics(s);
    memcpy(q, trm_simulation_state(s)->q, (size_t)t->n * sizeof *q);
    trm_simulation_destroy(s);
    return status;
}

// A run under the watch. The machine disturbs now this phase, now that: each has its least time.
static void watch_run(const task *t, row *r, double *q)
{
    watched_system watched;
    double phase[WATCH_PHASES];
    watch_system(&watched, t->system);
    watch_begin();
    r->status = run(t, &watched.system, &r->options, &r->statistics, q);
    watch_end(phase);
    for (int i = 0; i < WATCH_PHASES; i++)
        r->phase[i] = fmin(r->phase[i], phase[i]);
}

// One round of a row: runs with and without the watch in turn. Where one takes long the watch costs
// nothing that counts, and its time is taken.
static void measure(const task *t, row *r, double *q)
{
    for (double spent = 0; spent < round_seconds && r->status == TRM_OK;) {
        double start = peer_cpu_seconds();
        watch_run(t, r, q);
        double seconds = peer_cpu_seconds() - start;
        if (seconds < long_seconds && r->status == TRM_OK) {
            start = peer_cpu_seconds();
            r->status = run(t, t->system, &r->options, &r->statistics, q);
            seconds = peer_cpu_seconds() - start;
        }
        r->seconds = fmin(r->seconds, seconds);
        spent += seconds;
    }
    r->error = 0;
    for (int i = 0; i < t->n; i++)
        r->error = fmax(r->error, fabs(q[i] - t->reference[i]));
}

static void print_head(const task *t)
{
    printf(
        "\nN = %d, %g s\n%-20s %-12s %6s %9s %9s %6s %6s %8s %9s %6s %8s | %5s %5s %5s %5s %5s\n",
        t->n, t->end, "source", "update", "steps", "residuals", "for J", "#J", "#upd", "factors",
        "ms", "ratio", "error", "resid", "J", "fact", "solve", "rest");
}

#define NAME(name, value, key, help) key,
static const char *const source_names[] = {TRM_JACOBIAN_SOURCE_LIST(NAME)};
static const char *const update_names[] = {TRM_JACOBIAN_UPDATE_LIST(NAME)};
#undef NAME

static double share(const row *r, watch_phase phase)
{
    double sum = 0;
    for (int i = 0; i < WATCH_PHASES; i++)
        sum += r->phase[i];
    return r->phase[phase] / sum;
}

static void print_row(const row *r, double exact)
{
    static const watch_phase order[] = {WATCH_RESIDUAL, WATCH_JACOBIAN, WATCH_FACTOR, WATCH_SOLVE,
                                        WATCH_REST};
    const trm_statistics *s = &r->statistics;
    printf("%-20s %-12s %6ld %9ld %9ld %6ld %6ld %8ld %9.2f %6.2f %8.1e |",
           source_names[r->options.jacobian_source], update_names[r->options.jacobian_update],
           s->steps, s->residual_evaluations, s->residual_evaluations_for_jacobian,
           s->jacobian_evaluations, s->jacobian_updates, s->factorizations, 1e3 * r->seconds,
           r->seconds / exact, r->error);
    for (int k = 0; k < WATCH_PHASES; k++)
        printf(" %4.1f%%", 100 * share(r, order[k]));
    printf("\n");
}

// All sources with all updates; the first, exact derivatives with auto, is what the others are
// compared with.
static int choose_rows(row *r)
{
    static const trm_jacobian_source sources[] = {
        TRM_JACOBIAN_SOURCE_ANALYTIC, TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_JACOBIAN_SOURCE_GROUPED};
    static const trm_jacobian_update updates[] = {
        TRM_JACOBIAN_UPDATE_AUTO, TRM_JACOBIAN_UPDATE_FULL, TRM_JACOBIAN_UPDATE_PARTITIONED,
        TRM_JACOBIAN_UPDATE_EXTENDED, TRM_JACOBIAN_UPDATE_SECANT};
    int count = 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (size_t k = 0; k < sizeof updates / sizeof *updates; k++) {
            trm_options o = choose(sources[i], updates[k]);
            if (trm_options_check(&o, NULL) != TRM_OK)
                continue;
            r[count] = (row){.options = o, .seconds = HUGE_VAL};
            for (int phase = 0; phase < WATCH_PHASES; phase++)
                r[count].phase[phase] = HUGE_VAL;
            count++;
        }
    return count;
}

static int compare(const task *t, double *q)
{
    row r[MAX_ROWS];
    int rows = choose_rows(r);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < rows; k++) {
            if (round == 0 || r[k].seconds < long_seconds)
                measure(t, &r[k], q);
            if (r[k].status != TRM_OK)
                return 1;
        }
    print_head(t);
    for (int k = 0; k < rows; k++)
        print_row(&r[k], r[0].seconds);
    double rest = share(&r[0], WATCH_REST);
    if (t->n == 64)
        printf("the rest with exact derivatives: %.1f %% (bar %.0f %%)%s\n", 100 * rest,
               100 * rest_bar, rest < rest_bar ? "" : "  MISSED");
    fflush(stdout);
    return 0;
}

static int bench_size(int n)
{
    const trm_problem_option options[] = {{"links", n}, {NULL, 0}};
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, "pendulum-chain", options, &error) != TRM_OK) {
        fprintf(stderr, "pendulum-chain: %s\n", error.text);
        return 1;
    }
    double *memory = calloc(2 * (size_t)n, sizeof *memory);
    task t = {.n = n,
              .end = n <= 32    ? 40
                     : n <= 128 ? 10
                                : 1,
              .system = trp_problem_system(problem),
              .initial = trp_problem_initial(problem),
              .reference = memory};
    trm_options tight = choose(TRM_JACOBIAN_SOURCE_ANALYTIC, TRM_JACOBIAN_UPDATE_AUTO);
    tight.rtol = 1e-8;
    tight.atol = 1e-10;
    trm_statistics statistics;
    int status = !memory || run(&t, t.system, &tight, &statistics, t.reference) != TRM_OK ||
                 compare(&t, memory + n) != 0;
    free(memory);
    trp_problem_destroy(problem);
    return status;
}

int main(int count, char **argument)
{
    int size[MAX_SIZES] = {16, 64, 256}, sizes = 3, status = 0;
    if (count > 1)
        sizes = 0;
    for (int k = 1; k < count && sizes < MAX_SIZES; k++) {
        size[sizes++] = (int)strtol(argument[k], NULL, 10);
        if (size[sizes - 1] < 1 || size[sizes - 1] > 1000) {
            fprintf(stderr, "usage: bench_jacobian [N ...], 1 to 1000 rods\n");
            return 2;
        }
    }
    for (int k = 0; k < sizes && status == 0; k++)
        status = bench_size(size[k]);
    return status;
}
