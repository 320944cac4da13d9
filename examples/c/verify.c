// SPDX-License-Identifier: Apache-2.0
// A pendulum and its companion: how many digits of the result are right. The system has no
// workspace, so that both simulations can use it.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0; // kg, the diagonal
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    (void)state, (void)user;
    f[0] = 0.0;
    f[1] = -9.81; // N
    return 0;
}

static int circle(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = state->q[0] * state->q[0] + state->q[1] * state->q[1] - 1.0; // rod of 1 m
    return 0;
}

int main(void)
{
    enum { ROWS = 100 };
    const double end = 10;
    const trm_system system = {.n_q = 2,
                               .n_g = 1,
                               .function = {[TRM_QUANTITY_MASS] = mass,
                                            [TRM_QUANTITY_FORCE] = force,
                                            [TRM_QUANTITY_CONSTRAINT] = circle},
                               .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}}};
    const trm_initial start = {.q = (const double[]){1.0, 0.0}}; // horizontal, at rest
    const trm_options options = trm_options_default();
    const trm_options other = trm_verify_companion(&options, end / ROWS);
    trm_simulation *run = NULL, *companion = NULL;
    trm_verify_report report;
    trm_error error;

    trm_status status = trm_simulation_create(&run, &system, &options, &start, &error);
    if (status == TRM_OK)
        status = trm_simulation_create(&companion, &system, &other, &start, &error);
    if (status == TRM_OK)
        status = trm_verify_run(run, companion, end, ROWS, &report, &error);
    if (status == TRM_OK)
        printf("%.1f digits of the positions are right until t = %g\n", -log10(report.error),
               report.t_right);
    char text[2048] = "";
    if (status != TRM_OK)
        trm_error_format(&error, text, sizeof text);
    fputs(text, stderr);
    trm_simulation_destroy(run);
    trm_simulation_destroy(companion);
    return status == TRM_OK ? 0 : 1;
}
