// SPDX-License-Identifier: Apache-2.0
// Trammel itself, through its public interface.
#include "peer_run.h"

#include <string.h>

static void report(const trm_simulation *simulation, peer_run *run)
{
    const trm_statistics *count = trm_simulation_statistics(simulation);
    run->steps = count->steps;
    run->iterations = count->newton_iterations;
    run->residuals = count->residual_evaluations;
    run->jacobians = count->jacobian_evaluations;
    run->factorizations = count->factorizations;
    run->rejected = count->rejected_error + count->rejected_newton;
}

static void simulate(const peer_task *task, trm_integrator integrator, trm_solver solver,
                     peer_run *run)
{
    size_t before = peer_heap_bytes(), bytes = (size_t)task->system->n_q * sizeof(double);
    trm_options options = trm_options_default();
    options.rtol = task->rtol;
    options.atol = task->atol;
    options.integrator = integrator;
    options.linear_solver = solver;
    options.max_steps = 1000000; // explicit steps on a stiff problem end here
    trm_simulation *simulation;
    trm_status status =
        trm_simulation_create(&simulation, task->system, &options, task->initial, NULL);
    if (status < 0) {
        peer_run_fail(run, trm_status_name(status));
        return;
    }
    status = trm_simulation_run(simulation, task->t_end);
    const trm_state *state = trm_simulation_state(simulation);
    memcpy(run->q, state->q, bytes);
    memcpy(run->v, state->v, bytes);
    run->t_reached = state->t;
    report(simulation, run);
    run->heap = peer_heap_bytes() - before;
    trm_simulation_destroy(simulation);
    if (status != TRM_OK) {
        peer_run_fail(run, trm_status_name(status));
        run->failed = status < 0;
    }
}

void peer_trammel(const peer_task *task, peer_run *run)
{
    simulate(task, TRM_INTEGRATOR_BDF, TRM_SOLVER_AUTO, run);
}

void peer_trammel_klu(const peer_task *task, peer_run *run)
{
    simulate(task, TRM_INTEGRATOR_BDF, TRM_SOLVER_SPARSE, run);
}

void peer_adams(const peer_task *task, peer_run *run)
{
    simulate(task, TRM_INTEGRATOR_ADAMS, TRM_SOLVER_AUTO, run);
}

void peer_explicit(const peer_task *task, peer_run *run)
{
    simulate(task, TRM_INTEGRATOR_EXPLICIT, TRM_SOLVER_AUTO, run);
}

void peer_radau(const peer_task *task, peer_run *run)
{
    simulate(task, TRM_INTEGRATOR_RADAU_ADAPTIVE, TRM_SOLVER_AUTO, run);
}
