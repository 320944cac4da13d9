// SPDX-License-Identifier: Apache-2.0
// A simulation of any integrator, formulation and linear solver gives back all its memory, that of
// the libraries below it too: a second one leaves the heap as it found it. (An integrator once
// created the matrix of KLU twice.) So does a model that is read from a file and simulated.
#define _POSIX_C_SOURCE 200809L
#include "driven.h"
#include "fail/fail.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
// bytes in use; 0 with sanitizers, which look for leaks themselves
static size_t heap(void)
{
    return mallinfo2().uordblks;
}
#else
static size_t heap(void)
{
    return 0;
}
#endif

// whether these options go together
static bool run_once(const trm_options *o)
{
    const trm_system system = pendulum(NULL);
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, &system, o, &pendulum_start, &error);
    bool created = status == TRM_OK;
    for (int k = 0; k < 5 && status == TRM_OK; k++)
        status = trm_simulation_step(s, 1, NULL);
    trm_simulation_destroy(s);
    return created;
}

static void test_leaks_simulations_give_back_their_memory(void **state)
{
    (void)state;
    int created = 0;
    trm_options o = trm_options_default();
#define NUMBER(name, ...) +1
    const int integrators = 0 TRM_INTEGRATOR_LIST(NUMBER);
    const int formulations = 0 TRM_FORMULATION_LIST(NUMBER);
    const int solvers = 0 TRM_SOLVER_LIST(NUMBER);
    for (int i = 0; i < integrators; i++)
        for (int f = 0; f < formulations; f++)
            for (int solver = 0; solver < solvers; solver++) {
                o.integrator = (trm_integrator)i;
                o.formulation = (trm_formulation)f;
                o.linear_solver = (trm_solver)solver;
                created += run_once(&o); // the libraries may keep something for themselves
                size_t before = heap();
                run_once(&o);
                if (heap() != before)
                    fail_msg("integrator %d, formulation %d, solver %d: %zu bytes, then %zu", i, f,
                             solver, before, heap());
            }
    assert_true(created > 100); // the others were refused
}

static bool drive_once(const char *path, trm_integrator integrator)
{
    trm_model *model;
    trm_error error;
    assert_status(trm_model_load(&model, path, NULL, &error), TRM_OK, &error);
    driven d = {.model = model, .integrator = integrator};
    drive(&d, 20);
    trm_model_destroy(model);
    return d.steps > 1;
}

static void test_leaks_models_give_back_their_memory(void **state)
{
    (void)state;
    int moved = 0;
    for (int k = 0; k < DRIVEN_MODELS; k++)
        for (int i = 0; i < DRIVEN_INTEGRATORS; i++) {
            moved += drive_once(driven_models[k], (trm_integrator)i);
            size_t before = heap();
            drive_once(driven_models[k], (trm_integrator)i);
            if (heap() != before)
                fail_msg("%s, integrator %d: %zu bytes, then %zu", driven_models[k], i, before,
                         heap());
        }
    assert_true(moved > DRIVEN_MODELS * DRIVEN_INTEGRATORS * 3 / 4); // few are refused
}

int main(int argc, char **argv)
{
    // malloc counts blocks that it keeps for later as used: it must keep none, from its start on
    if (argc > 0 && !getenv("GLIBC_TUNABLES") &&
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0", 1) == 0)
        execv(argv[0], argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaks_simulations_give_back_their_memory),
        cmocka_unit_test(test_leaks_models_give_back_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
