// SPDX-License-Identifier: Apache-2.0
// Work and precision of generalized-alpha with variable steps beside BDF: Andrews' squeezer, the
// slider-crank with an elastic rod (before its torque ends), the stiff spring pendulum. The error
// is the largest one of the positions at the end, against radau-adaptive at 1e-11.
//
//     bench_alpha FOLDER        with examples/ and experiments/
#include "peer_run.h"
#include "problems/problems.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_Q = 64, MAX_SET = 8, TEXT = 120, REPEAT = 5 };

static const struct {
    const char *name, *file, *set[3];
} problems[] = {
    {"Andrews' squeezer", "examples/andrews.yaml", {NULL}},
    {"crank with elastic rod, 0.29 s",
     "examples/elastic-rod.yaml",
     {"simulate.end=0.29", "simulate.step.fixed=0", NULL}},
    {"stiff spring pendulum",
     "experiments/models/alpha-spring.yaml",
     {"simulate.end=1", "simulate.step.fixed=0", NULL}},
};

typedef struct result {
    int n;
    double q[MAX_Q], seconds;
    trm_statistics statistics;
    bool good;
} result;

// one run of a loaded model
static void simulate(const trm_model *model, result *out)
{
    trm_instance *instance = NULL;
    trm_simulation *simulation = NULL;
    trm_error error;
    out->good =
        trm_instance_create(&instance, model, &error) == TRM_OK &&
        trm_simulation_create(&simulation, trm_instance_system(instance), trm_model_options(model),
                              trm_instance_initial(instance), &error) == TRM_OK;
    double before = peer_cpu_seconds();
    trm_status status =
        out->good ? trm_simulation_run(simulation, trm_model_schedule(model)->end) : TRM_ERR_MODEL;
    out->seconds = peer_cpu_seconds() - before;
    out->good = status == TRM_OK || status == TRM_UNTRUSTED;
    if (out->good) {
        out->n = trm_model_count(model, TRM_CHANNEL_POSITION);
        memcpy(out->q, trm_simulation_state(simulation)->q, (size_t)out->n * sizeof *out->q);
        out->statistics = *trm_simulation_statistics(simulation);
    }
    trm_simulation_destroy(simulation);
    trm_instance_destroy(instance);
}

// the fastest of a few runs
static result measure(const char *folder, size_t k, const char *integrator, double tolerance,
                      int repeat)
{
    char path[1000], method[TEXT], limit[TEXT], parameter[TEXT];
    const char *set[MAX_SET] = {method, limit, parameter};
    int count = 2;
    snprintf(path, sizeof path, "%s/%s", folder, problems[k].file);
    snprintf(method, sizeof method, "simulate.integrator=%s", integrator);
    snprintf(limit, sizeof limit, "simulate.tolerance=%g", tolerance);
    for (int i = 0; problems[k].set[i]; i++)
        set[count++] = problems[k].set[i];
    set[count] = NULL;
    const trm_load load = {.set = set, .problem = trp_problem_open};
    trm_model *model;
    trm_error error;
    result best = {.seconds = HUGE_VAL};
    if (trm_model_load(&model, path, &load, &error) != TRM_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        return best;
    }
    for (int i = 0; i < repeat; i++) {
        result r = {0};
        simulate(model, &r);
        if (r.good && (!best.good || r.seconds < best.seconds))
            best = r;
    }
    trm_model_destroy(model);
    return best;
}

static double distance(const result *a, const result *b)
{
    double most = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

static int table(const char *folder, size_t k)
{
    static const char *const integrators[] = {"generalized-alpha", "bdf"};
    result exact = measure(folder, k, "radau-adaptive", 1e-11, 1);
    printf("\n%s\n%-18s %8s %9s %7s %9s %10s\n", problems[k].name, "integrator", "rtol", "error",
           "steps", "residuals", "CPU ms");
    for (int i = 0; i < 2; i++)
        for (int digits = 3; digits <= 7; digits++) {
            double tolerance = pow(10, -digits);
            result r = measure(folder, k, integrators[i], tolerance, REPEAT);
            if (!r.good) {
                printf("%-18s %8.0e  failed\n", integrators[i], tolerance);
                continue;
            }
            printf("%-18s %8.0e %9.1e %7ld %9ld %10.2f\n", integrators[i], tolerance,
                   distance(&r, &exact), r.statistics.steps, r.statistics.residual_evaluations,
                   1e3 * r.seconds);
        }
    return exact.good ? 0 : 1;
}

int main(int count, char **argument)
{
    int failed = 0;
    if (count != 2) {
        fprintf(stderr, "usage: bench_alpha FOLDER\n");
        return 2;
    }
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        failed |= table(argument[1], k);
    return failed;
}
