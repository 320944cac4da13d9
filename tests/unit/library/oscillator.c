// SPDX-License-Identifier: Apache-2.0
// A problem as a shared object, for the tests: x'' = -k x with the option k, scales that must not
// be written to, and a start that is not at t = 0.
#include "trammel/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct oscillator {
    double k;
    trm_system system;
} oscillator;

static const char *const names[] = {"x"};
static const double scale[] = {2}, start[] = {0.5};
static const trm_initial initial = {.t = 1, .q = start};

static int mass(const trm_state *state, double *out, void *user)
{
    (void)state, (void)user;
    out[0] = 1;
    return 0;
}

static int force(const trm_state *state, double *out, void *user)
{
    const oscillator *o = user;
    out[0] = -o->k * state->q[0];
    return 0;
}

static void release(trm_user_problem *problem)
{
    free(problem->user);
}

trm_status trm_problem_open(trm_user_problem *out, const trm_problem_option *options,
                            trm_error *error);

trm_status trm_problem_open(trm_user_problem *out, const trm_problem_option *options,
                            trm_error *error)
{
    oscillator *o = calloc(1, sizeof *o);
    if (!o)
        return TRM_ERR_MEMORY;
    o->k = 1;
    for (; options->name; options++)
        if (strcmp(options->name, "k") == 0 && options->value > 0) {
            o->k = options->value;
        } else {
            snprintf(error->text, sizeof error->text, "the only option is k > 0");
            snprintf(error->item, sizeof error->item, "%s", options->name);
            free(o);
            return TRM_ERR_OPTION;
        }
    o->system.n_q = o->k < 1e6 ? 1 : -1; // a system that is invalid
    o->system.function[TRM_QUANTITY_MASS] = mass;
    o->system.function[TRM_QUANTITY_FORCE] = force;
    o->system.q_names = names;
    o->system.q_scale = scale;
    o->system.user = o;
    *out = (trm_user_problem){&o->system, &initial, 5, o, release};
    return TRM_OK;
}
