// SPDX-License-Identifier: Apache-2.0
// A pendulum in Cartesian coordinates: a mass, a force and one constraint are all it takes.
// Prints time, position and energy, which should stay where it was, and what the run cost.
// docs/getting-started.md explains it line by line.
#include <stdio.h>
#include <trammel/trammel.h>

static const double gravity = 9.81; // m/s^2; mass 1 kg, length 1 m

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0; // the diagonal
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    (void)state, (void)user;
    f[0] = 0.0;
    f[1] = -gravity;
    return 0;
}

static int constraint(const trm_state *state, double *g, void *user)
{
    (void)user;
    const double x = state->q[0], y = state->q[1];
    g[0] = x * x + y * y - 1.0;
    return 0;
}

static int fail(const trm_error *error, trm_simulation *simulation)
{
    char text[2048];
    trm_error_format(error, text, sizeof text);
    fputs(text, stderr);
    trm_simulation_destroy(simulation);
    return 1;
}

int main(void)
{
    const trm_system system = {
        .name = "pendulum",
        .n_q = 2,
        .n_g = 1,
        .function = {[TRM_MASS] = mass, [TRM_FORCE] = force, [TRM_CONSTRAINT] = constraint},
        .pattern = {[TRM_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .constant = TRM_BIT(TRM_MASS),
    };
    const double q[2] = {1.0, 0.0}; // horizontal, at rest
    const trm_initial initial = {.q = q};
    const trm_options options = trm_options_default();

    trm_simulation *simulation;
    trm_error error;
    if (trm_simulation_create(&simulation, &system, &options, &initial, &error) != TRM_OK)
        return fail(&error, NULL);

    printf("%6s %12s %12s %12s\n", "t", "x", "y", "energy");
    for (int i = 0; i <= 8; i++) {
        if (trm_simulation_run(simulation, 0.25 * i) != TRM_OK)
            return fail(trm_simulation_error(simulation), simulation);
        const trm_state *s = trm_simulation_state(simulation);
        const double energy = 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1]) + gravity * s->q[1];
        printf("%6.2f %12.6f %12.6f %12.6f\n", s->t, s->q[0], s->q[1], energy);
    }

    const trm_statistics *n = trm_simulation_statistics(simulation);
    printf("%ld steps, %ld rejected, %ld Newton iterations, largest |g| %.1e\n", n->steps,
           n->rejected_error + n->rejected_newton, n->newton_iterations, n->position_residual_max);
    trm_simulation_destroy(simulation);
    return 0;
}
