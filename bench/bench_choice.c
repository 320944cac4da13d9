// SPDX-License-Identifier: Apache-2.0
// integrator = auto beside bdf on the problems in C at 1e-4, 1e-6, 1e-8 and 1e-10: CPU time of
// both, creation and modal analysis included.
#include "peer_run.h"
#include "problems/problems.h"

#include <stdio.h>
#include <string.h>

static const double seconds_min = 0.03; // of bdf; runs are repeated until then
enum { MAX_ROUNDS = 200 };

typedef struct outcome {
    double seconds; // of all rounds
    long steps;
    char integrator[32];
} outcome;

// one run; adds its time
static int run_once(const trp_problem *problem, trm_integrator integrator, double tol, outcome *out)
{
    trm_options options = trm_options_default();
    options.integrator = integrator;
    options.rtol = options.atol = tol;
    trm_simulation *s;
    trm_error error;
    double begin = peer_cpu_seconds();
    if (trm_simulation_create(&s, trp_problem_system(problem), &options,
                              trp_problem_initial(problem), &error) != TRM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    trm_status status = trm_simulation_run(s, trp_problem_end(problem));
    snprintf(out->integrator, sizeof out->integrator, "%s", trm_simulation_start(s)->integrator);
    out->steps = trm_simulation_statistics(s)->steps;
    trm_simulation_destroy(s);
    out->seconds += peer_cpu_seconds() - begin;
    return status < 0 ? -1 : 0;
}

static void compare(const char *name, const trm_problem_option *options, double tol)
{
    trp_problem *problem;
    outcome bdf = {0}, chosen = {0};
    int rounds = 0;
    if (trp_problem_create(&problem, name, options, NULL) != TRM_OK)
        return;
    for (; rounds < MAX_ROUNDS && bdf.seconds < seconds_min; rounds++)
        if (run_once(problem, TRM_INTEGRATOR_BDF, tol, &bdf) != 0 ||
            run_once(problem, TRM_INTEGRATOR_AUTO, tol, &chosen) != 0) {
            trp_problem_destroy(problem);
            return;
        }
    trp_problem_destroy(problem);
    printf("%-20s %-6.0e %-15s %6ld steps %8.3f ms, bdf %6ld steps %8.3f ms, ratio %.2f\n", name,
           tol, chosen.integrator, chosen.steps, 1e3 * chosen.seconds / rounds, bdf.steps,
           1e3 * bdf.seconds / rounds, chosen.seconds / bdf.seconds);
    fflush(stdout);
}

int main(void)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    const trm_problem_option few[] = {{"links", 4}, {NULL, 0}}; // of the pendulum chain, not 16
    const trp_problem_info *info;
    for (int k = 0; (info = trp_problem_list(k)) != NULL; k++) {
        if (strcmp(info->name, "wheelset") == 0 || strcmp(info->name, "flexible-slider-crank") == 0)
            continue; // these run for seconds
        for (int i = 0; i < 4; i++)
            compare(info->name, strcmp(info->name, "pendulum-chain") == 0 ? few : NULL,
                    tolerances[i]);
    }
    return 0;
}
