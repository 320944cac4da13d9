// SPDX-License-Identifier: Apache-2.0
// Shared by the verification tests: a run of a built-in problem or of a system, something to do at
// every accepted point, reference solutions. Failures name the case.
#ifndef VERIFY_H
#define VERIFY_H

#include "problems/problems.h"
#include "trammel/trammel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { VERIFY_LARGEST = 16 }; // equations of an ordinary differential equation

// ---- runs ----

// A simulation and what it is of.
typedef struct verify_run {
    trp_problem *problem; // NULL: of a system of the test
    trm_simulation *simulation;
} verify_run;

// Default options with rtol = atol = tol.
static inline trm_options verify_options(double tol)
{
    trm_options options = trm_options_default();
    options.rtol = options.atol = tol;
    return options;
}

// As in the papers: DASSL's control, orders 1 and 2.
static inline trm_options verify_classic(trm_formulation formulation, double tol)
{
    trm_options options = verify_options(tol);
    options.formulation = formulation;
    options.control = TRM_CONTROL_CLASSIC;
    options.max_order = 2;
    return options;
}

// "cs", for messages.
static inline const char *verify_formulation(trm_formulation formulation)
{
    return trm_option(1)->choices[formulation];
}

static inline verify_run verify_start(const trm_system *system, const trm_initial *initial,
                                      const trm_options *options)
{
    verify_run run = {0};
    trm_error error;
    if (trm_simulation_create(&run.simulation, system, options, initial, &error) != TRM_OK)
        fail_msg("%s: %s", system->name, error.text);
    return run;
}

// option may be NULL
static inline verify_run verify_open(const char *name, const char *option, double value,
                                     const trm_options *options)
{
    const trm_problem_option numbers[] = {{option, value}, {NULL, 0.0}};
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, name, numbers, &error) != TRM_OK)
        fail_msg("%s: %s", name, error.text);
    verify_run run =
        verify_start(trp_problem_system(problem), trp_problem_initial(problem), options);
    run.problem = problem;
    return run;
}

static inline void verify_close(verify_run *run)
{
    trm_simulation_destroy(run->simulation);
    trp_problem_destroy(run->problem);
    *run = (verify_run){0};
}

// Called at every accepted point.
typedef void verify_watch(trm_simulation *simulation, void *user);

// Runs to the end; watch may be NULL.
static inline trm_status verify_run_to(trm_simulation *simulation, double end, verify_watch *watch,
                                       void *user)
{
    trm_status status = TRM_OK;
    double t = trm_simulation_state(simulation)->t;
    while (status == TRM_OK && t < end) {
        status = trm_simulation_step(simulation, end, &t);
        if (status == TRM_OK && watch)
            watch(simulation, user);
    }
    // at its end a run judges whether it can be trusted
    return status == TRM_OK ? trm_simulation_run(simulation, t) : status;
}

// The same, and the status must be TRM_OK.
static inline void verify_run_well(trm_simulation *simulation, double end, verify_watch *watch,
                                   void *user)
{
    trm_status status = verify_run_to(simulation, end, watch, user);
    if (status != TRM_OK)
        fail_msg("%s at t = %g: %s", trm_status_name(status), trm_simulation_state(simulation)->t,
                 trm_simulation_error(simulation)->text);
}

// ---- references ----

// Positions, velocities and multipliers of a reference run at t, which must not decrease from call
// to call. Each pointer may be NULL.
static inline void verify_follow(trm_simulation *reference, double t, double *q, double *v,
                                 double *lambda)
{
    while (trm_simulation_state(reference)->t < t) // the end is far away: no step is cut short
        assert_int_equal(trm_simulation_step(reference, t + 1e3, NULL), TRM_OK);
    assert_int_equal(trm_simulation_interpolate(reference, t, q, v, NULL, NULL, lambda), TRM_OK);
}

// y' = f(t, y)
typedef void verify_ode(double t, const double *y, double *rate, void *user);

// y from t0 to t1 by the classical Runge-Kutta method of order 4 with steps of at most h.
static inline void verify_rk4(verify_ode *f, void *user, int n, double t0, double t1, double h,
                              double *y)
{
    double k[4][VERIFY_LARGEST], at[VERIFY_LARGEST];
    const double node[] = {0.0, 0.5, 0.5, 1.0};
    const int steps = (int)ceil((t1 - t0) / h);
    h = steps > 0 ? (t1 - t0) / steps : 0.0;
    for (int step = 0; step < steps; step++) {
        double t = t0 + step * h;
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < n; i++)
                at[i] = y[i] + (stage > 0 ? node[stage] * h * k[stage - 1][i] : 0.0);
            f(t + node[stage] * h, at, k[stage], user);
        }
        for (int i = 0; i < n; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

// ---- small things ----

static inline double verify_distance(const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = isnan(a[i] - b[i]) ? INFINITY : fmax(most, fabs(a[i] - b[i]));
    return most;
}

// A number in -1 .. 1 of a fixed sequence.
static inline double verify_noise(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

#endif
