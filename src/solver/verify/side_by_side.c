// SPDX-License-Identifier: Apache-2.0
// A simulation and its companion in one thread.
#include "solver/verify/verify.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps until t lies in the last step, and the state there as [q | v]. Coordinates that were
// re-expressed have no values: they depend on where that happened.
static trm_status reach(trm_simulation *s, double t, double t_end, double *row, trm_error *error)
{
    const trm_state *state;
    trm_status status = TRM_OK;
    int n = s->e.n_q;
    while (status == TRM_OK && trm_simulation_state(s)->t < t)
        status = trm_simulation_step(s, t_end, NULL);
    if (status == TRM_OK)
        status = trm_simulation_sample(s, t, &state);
    if (status != TRM_OK) {
        if (error)
            *error = *trm_simulation_error(s);
        return status;
    }
    for (int i = 0; i < n; i++) {
        bool same = !s->turns || s->turns[i] == 0;
        row[i] = same ? state->q[i] : NAN;
        row[n + i] = same ? state->v[i] : NAN;
    }
    return TRM_OK;
}

static trm_status compare_rows(trm_verify *v, trm_simulation *const s[2], double t_end, int rows,
                               double *row, trm_error *error)
{
    const double start = trm_simulation_state(s[0])->t;
    trm_status status = TRM_OK;
    int n = s[0]->e.n_q;
    for (int i = 0; i <= rows && status == TRM_OK; i++) {
        double t = i < rows ? start + (t_end - start) * i / rows : t_end;
        for (int k = 0; k < 2 && status == TRM_OK; k++)
            status = reach(s[k], t, t_end, row + (size_t)(2 * n) * (size_t)k, error);
        if (status == TRM_OK && trm_verify_add(v, t, row, row + 2 * n) != TRM_OK)
            status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory to compare two runs");
    }
    return status;
}

trm_status trm_verify_run(trm_simulation *simulation, trm_simulation *companion, double t_end,
                          int rows, trm_verify_report *report, trm_error *error)
{
    TRMI_REQUIRE(error, simulation, "simulation");
    TRMI_REQUIRE(error, companion, "companion");
    static const trm_verify_group group[] = {
        {"positions", TRM_VERIFY_RANGE, TRM_VERIFY_DECIDES, NULL},
        {"velocities", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL}};
    trm_simulation *const both[] = {simulation, companion};
    trm_verify_report own;
    trm_verify *v = NULL;
    int n = simulation->e.n_q;
    trmi_error_clear(error);
    if (rows < 1 || companion->e.n_q != n)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              rows < 1 ? "%d rows cannot be compared: at least 1"
                                       : "the companion has another system: %d positions",
                              rows < 1 ? rows : companion->e.n_q);
    int *group_of = malloc(2 * (size_t)n * sizeof *group_of + 1);
    double *row = malloc(4 * (size_t)n * sizeof *row + 1);
    trm_status status = TRM_ERR_MEMORY;
    if (!group_of || !row) {
        trmi_error_set(error, status, "no memory to compare two runs");
    } else {
        for (int k = 0; k < 2 * n; k++)
            group_of[k] = k >= n;
        status = trm_verify_create(&v, group, 2, group_of, 2 * n, &simulation->options, error);
    }
    if (status == TRM_OK)
        status = compare_rows(v, both, t_end, rows, row, error);
    if (status == TRM_OK)
        status = trm_verify_judge(v, NULL, report ? report : &own, error);
    trm_verify_destroy(v);
    free(group_of);
    free(row);
    return status;
}
