// SPDX-License-Identifier: Apache-2.0
// Mechanisms from their parts: Trammel, Simbody and MuJoCo side by side, at equal error.
//
//     bench_peers MAKE-MECHANISM [--quick]
//
// The chain of N rods falls for 1 s; N four-bar loops run for 10 s through their singular
// positions. Times are those of the integration, without building the model.
#include "bench_table.h"
#include "contender.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_CACHE
#define BENCH_CACHE NULL
#endif

enum { ROUNDS = 3 };
static const double repeat_below = 2.0; // runs of more seconds than this are not repeated

typedef struct contender {
    const char *name;
    contender_function *run;
    double loose, tight;      ///< tolerances, or steps
    int max_links, max_loops; ///< larger ones are not asked of it
} contender;

static const contender contenders[] = {
    {"absolute", contend_absolute, 1e-4, 1e-8, 1000000, 1000000},
    {"joint", contend_joint, 1e-4, 1e-8, 100, 0},
    {"explicit", contend_explicit, 1e-4, 1e-8, 1000, 0},
#ifdef HAVE_SIMBODY
    {"simbody", contend_simbody, 1e-3, 1e-8, 1000, 40},
    {"cpodes", contend_cpodes, 1e-3, 1e-8, 100, 10}, // dense matrices: 40 loops take minutes
#endif
#ifdef HAVE_MUJOCO
    {"mujoco", contend_mujoco, 2e-2, 5e-4, 90, 40}, // it reads no deeper nesting
#endif
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

static double largest_difference(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = isnan(a[i]) ? NAN : fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void measure(const contender *who, contest c, const reference *ref, bench_point *point,
                    double *q)
{
    if (point->run.failed || (point->cpu < HUGE_VAL && point->cpu > repeat_below))
        return;
    c.accuracy = point->rtol;
    point->run = (peer_run){.q = q};
    double cpu = who->run(&c, &point->run);
    point->cpu = fmin(point->cpu, cpu);
    point->error_q = point->run.failed ? NAN : largest_difference(q, ref->q, ref->n);
}

static bench_curve open_curve(const contender *who)
{
    bench_curve curve = {.code = who->name};
    int decades = (int)lround(log10(who->loose / who->tight));
    curve.count = decades * (decades > 2 ? 1 : 3) + 1;
    for (int k = 0; k < curve.count; k++) {
        double share = (double)k / (curve.count - 1);
        curve.point[k].rtol = who->loose * pow(who->tight / who->loose, share);
        curve.point[k].cpu = HUGE_VAL;
    }
    // constant steps must divide the time
    for (int k = 0; k < curve.count && strcmp(who->name, "mujoco") == 0; k++)
        curve.point[k].rtol = 1 / ceil(1 / curve.point[k].rtol - 1e-9);
    return curve;
}

static void print_curve(const bench_curve *curve)
{
    for (int k = 0; k < curve->count; k++) {
        const bench_point *p = &curve->point[k];
        printf("%-10s %9.1e %11.3f %8ld %9.1e  %s\n", curve->code, p->rtol, 1e3 * p->cpu,
               p->run.steps, p->error_q, p->run.note);
    }
}

static int takes_part(const contender *who, const contest *c)
{
    return c->size <= (c->four_bar ? who->max_loops : who->max_links);
}

// A round of one contender, loose to tight; who takes a wrong branch is not asked for more digits.
static void run_round(const contender *who, contest c, const reference *ref, bench_curve *curve,
                      double *q)
{
    for (int k = 0; k < curve->count; k++) {
        measure(who, c, ref, &curve->point[k], q);
        if (!(curve->point[k].error_q < 1)) {
            curve->count = k + 1;
            snprintf(curve->point[k].run.note, sizeof curve->point[k].run.note, "wrong");
        }
    }
}

// One mechanism and all who can do it, compared at an error.
static void hold(const char *script, int four_bar, int size, double error)
{
    contest c = {.script = script,
                 .four_bar = four_bar,
                 .size = size,
                 .bodies = four_bar ? 2 * size + 1 : size,
                 .t_end = four_bar ? 10 : 1};
    bench_curve curve[CONTENDERS];
    bench_output out = {.problem = four_bar ? "four-bar" : "chain"};
    reference ref;
    double *q = calloc(3 * (size_t)c.bodies, sizeof *q);
    snprintf(out.title, sizeof out.title, "%s N=%d", out.problem, size);
    if (!q || reference_create(&ref, out.problem, size, BENCH_CACHE) != 0) {
        fprintf(stderr, "%s: no reference\n", out.title);
        free(q);
        return;
    }
    for (int i = 0; i < CONTENDERS; i++)
        curve[i] = open_curve(&contenders[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CONTENDERS; i++)
            if (takes_part(&contenders[i], &c))
                run_round(&contenders[i], c, &ref, &curve[i], q);
    printf("\n%s (reference known to %.0e)\n%-10s %9s %11s %8s %9s\n", out.title, ref.uncertainty,
           "code", "rtol, h", "cpu ms", "steps", "error q");
    for (int i = 0; i < CONTENDERS; i++)
        if (takes_part(&contenders[i], &c))
            print_curve(&curve[i]);
    for (int i = 0; i < CONTENDERS; i++)
        if (takes_part(&contenders[i], &c))
            printf("%s at %.0e: %-10s %.3g ms\n", out.title, error, contenders[i].name,
                   1e3 * bench_time_at(&curve[i], error));
    fflush(stdout);
    reference_destroy(&ref);
    free(q);
}

int main(int argc, char **argv)
{
    int quick = argc > 2 && strcmp(argv[2], "--quick") == 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_peers MAKE-MECHANISM [--quick]\n");
        return 2;
    }
    hold(argv[1], 0, 10, 7e-6);
    hold(argv[1], 0, 80, 7e-6);
    if (!quick)
        hold(argv[1], 0, 1000, 1e-5);
    hold(argv[1], 1, 10, 1e-3);
    if (!quick)
        hold(argv[1], 1, 40, 1e-3);
    return 0;
}
