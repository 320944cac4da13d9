// SPDX-License-Identifier: Apache-2.0
// integrator = auto beside single methods at equal error. Every model is run by every method over a
// range of tolerances and compared with a converged run, as a companion would be; the cost of an
// error is read off the line through the two runs on either side of it, in logarithms. Cost is CPU
// time of creation and steps, without rows (the smallest of the runs that take ENOUGH together: the
// first ones find nothing of theirs in the caches), or with --work what auto counts, which is the
// same on every machine.
//
// Usage: bench_choice [--work] [--seconds S] FILE...
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "program/run/compared.h"
#include "program/run/follower.h"
#include "program/run/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const methods[] = {"auto", "explicit", "radau-adaptive", "bdf", "adams"};
enum { METHODS = sizeof methods / sizeof *methods, ROWS = 100 };
static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };
static const double errors[] = {1e-3, 1e-5, 1e-7};
enum { ERRORS = sizeof errors / sizeof *errors };
static const double ENOUGH = 0.05; // s

typedef struct sample {
    double error, cost; // NaN: failed
} sample;

typedef struct settings {
    bool work;
    int methods;    // adams has more to do per evaluation than the others: not by work
    double seconds; // of CPU time for one run at most
} settings;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// trmi_patience
static bool before(void *user)
{
    return cpu_seconds() < *(const double *)user;
}

static trm_options options_for(const trm_model *model, const char *method, double tolerance)
{
    trm_options o = *trm_model_options(model);
    trm_options_set(&o, "integrator", method, NULL);
    o.rtol = o.atol = tolerance;
    o.h_fixed = 0; // a tolerance means nothing for constant steps
    o.max_order = 0;
    return o;
}

static double time_of_row(const trm_model *model, int i)
{
    const trm_schedule *s = trm_model_schedule(model);
    return s->start + (s->end - s->start) * i / ROWS;
}

// Rows of a run into value (ROWS + 1 of them), or none but the last; returns how many there are.
static int follow(const trm_model *model, const trm_options *options, double limit, bool rows,
                  double *value, double *work)
{
    trmi_follower f = {0};
    int width = trmi_values_count(model), done = 0;
    double until = cpu_seconds() + limit;
    trm_status status = trmi_follower_begin(&f, model, options, false);
    for (int i = rows ? 0 : ROWS; i <= ROWS && status == TRM_OK; i++) {
        status = trmi_follower_values(&f, time_of_row(model, i), before, &until,
                                      value + (rows ? (size_t)i * (size_t)width : 0));
        done += status == TRM_OK;
        if (status == TRM_STOP_EVENT && i > 0) // the model ends by itself
            status = TRM_STOP_EVENT;
    }
    if (f.simulation && work) {
        const trm_statistics *st = trm_simulation_statistics(f.simulation);
        *work = (double)st->residual_evaluations + 1.5 * (double)st->jacobian_evaluations +
                0.1 * (double)st->solves;
    }
    bool ended = status == TRM_OK || status == TRM_STOP_EVENT;
    trmi_follower_end(&f);
    return ended ? done : -1;
}

static double error_of(const trm_model *model, const trm_options *options, const double *run,
                       const double *right, int rows)
{
    trmi_follower f = {0};
    trm_verify_report report = {.error = NAN};
    int width = trmi_values_count(model);
    if (trmi_follower_begin(&f, model, options, false) != TRM_OK)
        return NAN;
    trm_options exact = *options;
    exact.rtol = trm_options_default().rtol * 1e-6; // errors below the tolerance count here
    trm_verify *verify = trmi_compared_create(model, f.simulation, &exact);
    for (int i = 0; i < rows; i++)
        trm_verify_add(verify, time_of_row(model, i), run + (size_t)i * (size_t)width,
                       right + (size_t)i * (size_t)width);
    trm_verify_judge(verify, NULL, &report, NULL);
    trm_verify_destroy(verify);
    trmi_follower_end(&f);
    return report.error;
}

static sample measure(const trm_model *model, const settings *s, const char *method,
                      double tolerance, const double *right, int rows, double *value)
{
    const trm_options options = options_for(model, method, tolerance);
    sample out = {NAN, NAN};
    double work = 0;
    if (follow(model, &options, s->seconds, true, value, &work) < rows)
        return out;
    out.error = error_of(model, &options, value, right, rows);
    out.cost = s->work ? work : HUGE_VAL;
    for (double begin, seconds = 0; seconds < ENOUGH && !s->work;
         seconds += cpu_seconds() - begin) {
        begin = cpu_seconds();
        follow(model, &options, s->seconds, false, value, NULL);
        out.cost = fmin(out.cost, cpu_seconds() - begin);
    }
    return out;
}

// The cheapest way to an error: a run that reaches it, or the line to the looser one that does not.
static double cost_of(const sample *of, double error)
{
    double best = INFINITY;
    for (int i = 0; i < TOLERANCES; i++) {
        if (!(of[i].error <= error))
            continue;
        double cost = of[i].cost;
        if (i > 0 && of[i - 1].error > error && of[i - 1].cost < cost) {
            double share =
                log(of[i - 1].error / error) / log(of[i - 1].error / fmax(of[i].error, 1e-15));
            cost = of[i - 1].cost * pow(cost / of[i - 1].cost, fmin(share, 1));
        }
        best = fmin(best, cost);
    }
    return best;
}

typedef struct totals {
    double logarithms, worst;
    int count, beyond, failures;
    char name[100];
} totals;

static void report(const char *name, const settings *s, sample all[METHODS][TOLERANCES],
                   totals total[ERRORS])
{
    for (int e = 0; e < ERRORS; e++) {
        double cost[METHODS], best = INFINITY;
        const char *winner = "";
        for (int m = 0; m < s->methods; m++) {
            cost[m] = cost_of(all[m], errors[e]);
            if (m > 0 && cost[m] < best) {
                best = cost[m];
                winner = methods[m];
            }
        }
        if (!isfinite(best))
            continue;
        double ratio = cost[0] / best;
        printf("%-34s %.0e ", name, errors[e]);
        for (int m = 0; m < s->methods; m++)
            printf(s->work ? " %9.0f" : " %9.3f", s->work ? cost[m] : 1e3 * cost[m]);
        printf("  %-15s %6.2f\n", winner, ratio);
        fflush(stdout);
        if (!isfinite(ratio)) {
            total[e].failures++;
            continue;
        }
        total[e].logarithms += log(ratio);
        total[e].count++;
        total[e].beyond += ratio > 1.5;
        if (ratio > total[e].worst) {
            total[e].worst = ratio;
            snprintf(total[e].name, sizeof total[e].name, "%s", name);
        }
    }
}

static void bench(const char *path, const settings *s, totals total[ERRORS])
{
    trm_model *model;
    trm_error error;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (trm_model_load(&model, path, NULL, &error) != TRM_OK) {
        printf("%s: %s\n", path, error.text);
        return;
    }
    size_t size = (size_t)trmi_values_count(model) * (ROWS + 1) + 1;
    double *right = calloc(size, sizeof *right), *value = calloc(size, sizeof *value);
    sample all[METHODS][TOLERANCES];
    const trm_schedule *schedule = trm_model_schedule(model);
    trm_options tight = options_for(model, "radau-adaptive", 1e-12);
    tight.formulation = TRM_FORMULATION_CS;
    tight.h_max = (schedule->end - schedule->start) / ROWS;
    int rows = right && value ? follow(model, &tight, 4 * s->seconds, true, right, NULL) : -1;
    if (rows < 0) {
        tight.rtol = tight.atol = 1e-10;
        rows = right && value ? follow(model, &tight, 4 * s->seconds, true, right, NULL) : -1;
    }
    for (int m = 0; m < s->methods && rows > 0; m++)
        for (int i = 0; i < TOLERANCES; i++)
            all[m][i] = measure(model, s, methods[m], tolerances[i], right, rows, value);
    if (rows > 0)
        report(name, s, all, total);
    else
        printf("%-34s no reference\n", name);
    free(right);
    free(value);
    trm_model_destroy(model);
}

int main(int argc, char **argv)
{
    settings s = {.seconds = 2, .methods = METHODS};
    totals total[ERRORS] = {{0}};
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--work") == 0)
            s.work = true;
        else if (strcmp(argv[first], "--seconds") == 0 && first + 1 < argc)
            s.seconds = atof(argv[++first]);
    }
    if (s.work)
        s.methods--;
    printf("%-34s error ", s.work ? "work" : "ms");
    for (int m = 0; m < s.methods; m++)
        printf(" %9.9s", methods[m]);
    printf("  best             auto / best\n");
    for (int k = first; k < argc; k++)
        bench(argv[k], &s, total);
    for (int e = 0; e < ERRORS; e++)
        printf("error %.0e: auto / best %.2f in the geometric mean of %d, largest %.2f (%s), above "
               "1.5: "
               "%d; not reached where another method does: %d\n",
               errors[e], total[e].count ? exp(total[e].logarithms / total[e].count) : NAN,
               total[e].count, total[e].worst, total[e].name, total[e].beyond, total[e].failures);
    return 0;
}
