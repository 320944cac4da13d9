// SPDX-License-Identifier: Apache-2.0
// A pendulum in Cartesian coordinates: a mass, a force and one constraint are all it takes.
// Prints time, position and energy, which should stay where it was, and what the run cost.
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
    const trm_system system = {.n_q = 2,
                               .n_g = 1,
                               .function = {[TRM_QUANTITY_MASS] = mass,
                                            [TRM_QUANTITY_FORCE] = force,
                                            [TRM_QUANTITY_CONSTRAINT] = circle},
                               .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}}};
    const trm_initial start = {.q = (const double[]){1.0, 0.0}}; // horizontal, at rest
    const trm_options options = trm_options_default();
    trm_simulation *simulation;
    trm_error error;
    trm_status status = trm_simulation_create(&simulation, &system, &options, &start, &error);

    for (int i = 0; i <= 8 && status == TRM_OK; i++) {
        status = trm_simulation_run(simulation, 0.25 * i);
        error = *trm_simulation_error(simulation);
        const trm_state *s = trm_simulation_state(simulation);
        double energy = 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1]) + 9.81 * s->q[1];
        printf("t %4.2f  x %9.6f  y %9.6f  energy %9.6f\n", s->t, s->q[0], s->q[1], energy);
    }
    if (status == TRM_OK)
        printf("%ld steps\n", trm_simulation_statistics(simulation)->steps);
    char text[2048] = "";
    if (status != TRM_OK)
        trm_error_format(&error, text, sizeof text);
    fputs(text, stderr);
    trm_simulation_destroy(simulation);
    return status == TRM_OK ? 0 : 1;
}
