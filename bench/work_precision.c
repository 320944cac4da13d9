// SPDX-License-Identifier: Apache-2.0
// Work and precision on problems of the Test Set for IVP Solvers, against end values verified in
// quad precision: one line per tolerance, rtol = atol = 1e-4 .. 1e-10.
//
//     work_precision [--integrator NAME] [--formulation NAME] [--control NAME] [--solver NAME]
//                    [--problem NAME]
//
// CPU milliseconds of creation and run, best of five.
// digits: scd = -log10 of the largest relative error, of positions, velocities and multipliers.
#include "../tests/verify/references.h"
#include "problems/problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *name;
    const reference_problem *reference;
} problems[] = {{"andrews", &reference_andrews},
                {"andrews-absolute", &reference_andrews},
                {"car-axis", &reference_car_axis}};

enum { PROBLEMS = sizeof problems / sizeof *problems, FIRST = 4, LAST = 10, ROUNDS = 5 };

static void print_line(const trm_options *options, trm_status status, trm_simulation *simulation,
                       reference_digits digits, double seconds)
{
    const trm_statistics *s = trm_simulation_statistics(simulation);
    printf("%8.0e %7ld %8ld %9ld %9ld %10ld %6.2f %6.2f %6.2f %8.2f", options->rtol, s->steps,
           s->rejected_error + s->rejected_newton, s->residual_evaluations, s->jacobian_evaluations,
           s->factorizations, digits.q, digits.v, digits.lambda, 1e3 * seconds);
    printf(status == TRM_OK ? "\n" : "  %s\n", trm_status_name(status));
}

// Returns 0, or 1 after a message; prints at the last of the rounds.
static int run(const trp_problem *problem, const reference_problem *reference,
               const trm_options *options, double *best, bool last)
{
    const trm_system *system = trp_problem_system(problem);
    trm_simulation *simulation;
    trm_error error;
    clock_t begin = clock();
    if (trm_simulation_create(&simulation, system, options, trp_problem_initial(problem), &error) !=
        TRM_OK) {
        fprintf(stderr, "%s: %s\n", system->name, error.text);
        return 1;
    }
    trm_status status = trm_simulation_run(simulation, reference->end.t);
    *best = fmin(*best, (double)(clock() - begin) / CLOCKS_PER_SEC);
    if (last)
        print_line(options, status, simulation,
                   reference_compare_end(reference, system->name, simulation), *best);
    trm_simulation_destroy(simulation);
    return 0;
}

static int table(int index, trm_options options)
{
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, problems[index].name, NULL, &error) != TRM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("\n%s\n", problems[index].name);
    printf("%8s %7s %8s %9s %9s %10s %6s %6s %6s %8s\n", "rtol", "steps", "rejected", "residuals",
           "Jacobians", "factorized", "q", "v", "lambda", "cpu ms");
    int failed = 0;
    for (int digits = FIRST; digits <= LAST && !failed; digits++) {
        options.rtol = options.atol = pow(10.0, -digits);
        double best = HUGE_VAL;
        for (int k = 1; k <= ROUNDS && !failed; k++)
            failed = run(problem, problems[index].reference, &options, &best, k == ROUNDS);
    }
    trp_problem_destroy(problem);
    return failed;
}

// Takes "--formulation cs" and the like. Returns the name of the wanted problem, NULL for all.
static const char *read_arguments(int count, char **argument, trm_options *options)
{
    const char *problem = NULL;
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = argument[i], *value = argument[i + 1];
        trm_error error;
        if (!strcmp(name, "--problem")) {
            problem = value;
            continue;
        }
        const char *option = !strcmp(name, "--solver") ? "linear_solver" : name + 2;
        if (strncmp(name, "--", 2) != 0 || trm_options_set(options, option, value, &error)) {
            fprintf(stderr, "%s %s: not understood\n", name, value);
            exit(2);
        }
    }
    return problem;
}

int main(int count, char **argument)
{
    trm_options options = trm_options_default();
    const char *wanted = read_arguments(count, argument, &options);
    int failed = 0;
    for (int i = 0; i < PROBLEMS; i++)
        if (!wanted || !strcmp(wanted, problems[i].name))
            failed |= table(i, options);
    return failed;
}
