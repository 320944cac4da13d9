// SPDX-License-Identifier: Apache-2.0
// Trammel itself, through its public interface.
#include "peer_file.h"
#include "peer_run.h"

#include <math.h>
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

// the state in the coordinates of the task; velocities of joint coordinates are left out
static void keep_state(const peer_task *task, const peer_file *file, const trm_system *system,
                       const trm_state *state, peer_run *run)
{
    size_t n = (size_t)task->system->n_q;
    if (file != NULL)
        peer_file_places(file, state, run->q);
    else
        memcpy(run->q, state->q, n * sizeof *run->q);
    for (size_t i = 0; i < n; i++)
        run->v[i] = system->n_q == task->system->n_q ? state->v[i] : NAN;
}

// file NULL: the problem written in C
static void simulate(const peer_task *task, const peer_file *file, trm_integrator integrator,
                     trm_solver solver, peer_run *run)
{
    size_t before = peer_heap_bytes();
    trm_instance *instance = file != NULL ? file->mechanism.instance : NULL;
    const trm_system *system = instance != NULL ? trm_instance_system(instance) : task->system;
    const trm_initial *initial = instance != NULL ? trm_instance_initial(instance) : task->initial;
    trm_options options = trm_options_default();
    options.rtol = task->rtol;
    options.atol = task->atol;
    options.integrator = integrator;
    options.linear_solver = solver;
    options.max_steps = 1000000; // explicit steps on a stiff problem end here
    trm_simulation *simulation;
    trm_status status = trm_simulation_create(&simulation, system, &options, initial, NULL);
    if (status < 0) {
        peer_run_fail(run, trm_status_name(status));
        return;
    }
    status = trm_simulation_run(simulation, task->t_end);
    const trm_state *state = trm_simulation_state(simulation);
    keep_state(task, file, system, state, run);
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
    simulate(task, NULL, TRM_INTEGRATOR_BDF, TRM_SOLVER_AUTO, run);
}

void peer_trammel_klu(const peer_task *task, peer_run *run)
{
    simulate(task, NULL, TRM_INTEGRATOR_BDF, TRM_SOLVER_SPARSE, run);
}

void peer_adams(const peer_task *task, peer_run *run)
{
    simulate(task, NULL, TRM_INTEGRATOR_ADAMS, TRM_SOLVER_AUTO, run);
}

void peer_explicit(const peer_task *task, peer_run *run)
{
    simulate(task, NULL, TRM_INTEGRATOR_EXPLICIT, TRM_SOLVER_AUTO, run);
}

void peer_radau(const peer_task *task, peer_run *run)
{
    simulate(task, NULL, TRM_INTEGRATOR_RADAU_ADAPTIVE, TRM_SOLVER_AUTO, run);
}

void peer_file_absolute(const peer_task *task, peer_run *run)
{
    simulate(task, task->file, TRM_INTEGRATOR_BDF, TRM_SOLVER_AUTO, run);
}

void peer_file_joint(const peer_task *task, peer_run *run)
{
    simulate(task, task->joint, TRM_INTEGRATOR_BDF, TRM_SOLVER_AUTO, run);
}

void peer_file_adams(const peer_task *task, peer_run *run)
{
    simulate(task, task->adams, TRM_INTEGRATOR_ADAMS, TRM_SOLVER_AUTO, run);
}
