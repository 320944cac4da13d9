// SPDX-License-Identifier: Apache-2.0
// The cost of a step over the number of elements of a beam: the slider-crank with an elastic rod,
// generalized-alpha with 100 constant steps of 20 us, sparse matrices.
//
//     bench_beam [ELEMENTS...]
//
// A step is linear in the elements: the last column must stay about the same.
#include "peer_run.h"
#include "problems/problems.h"

#include <stdio.h>
#include <stdlib.h>

static const double STEP = 2e-5;
enum { STEPS = 100 };

static int complain(const trm_error *error)
{
    fprintf(stderr, "bench_beam: %s\n", error->text);
    return 1;
}

// One line. Returns 0, or 1 after a message.
static int measure(int elements)
{
    const trm_problem_option numbers[] = {{"elements", elements}, {"modulus", 2e9}, {NULL, 0}};
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA;
    options.linear_solver = TRM_SOLVER_SPARSE;
    options.h_fixed = STEP;
    trp_problem *problem;
    trm_simulation *simulation;
    trm_error error;
    if (trp_problem_create(&problem, "flexible-slider-crank", numbers, &error) != TRM_OK)
        return complain(&error);
    if (trm_simulation_create(&simulation, trp_problem_system(problem), &options,
                              trp_problem_initial(problem), &error) != TRM_OK) {
        trp_problem_destroy(problem);
        return complain(&error);
    }
    double begin = peer_cpu_seconds();
    trm_status status = trm_simulation_run(simulation, STEPS * STEP);
    double seconds = peer_cpu_seconds() - begin;
    const trm_statistics *s = trm_simulation_statistics(simulation);
    int failed = status == TRM_OK ? 0 : complain(trm_simulation_error(simulation));
    if (!failed)
        printf("%9d %7ld %10.2f %14.3f %16.2f\n", elements, s->steps,
               (double)s->newton_iterations / (double)s->steps, 1e3 * seconds / (double)s->steps,
               1e6 * seconds / ((double)s->steps * elements));
    trm_simulation_destroy(simulation);
    trp_problem_destroy(problem);
    return failed;
}

int main(int argc, char **argv)
{
    static const int usual[] = {10, 100, 1000, 10000};
    int failed = 0;
    printf("%9s %7s %10s %14s %16s\n", "elements", "steps", "iterations", "ms per step",
           "us per element");
    for (int k = 0; argc > 1 ? k < argc - 1 : k < 4; k++)
        failed |= measure(argc > 1 ? atoi(argv[k + 1]) : usual[k]);
    return failed;
}
