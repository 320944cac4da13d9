// SPDX-License-Identifier: Apache-2.0
// A first-order state: a motor drives a pendulum; its torque x follows the command u with a lag,
//     x' = (u - x) / T
// For a constant command x is known, x = u (1 - exp(-t / T)), and printed beside the result.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

static const double m = 1.0, gravity = 9.81, length = 1.0; // kg, m/s^2, m
static const double command = 3.0, lag = 0.2;              // N m, s

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = m;
    return 0;
}

// weight, and the torque as a tangential force
static int force(const trm_state *state, double *f, void *user)
{
    (void)user;
    const double *q = state->q, torque = state->x[0];
    f[0] = -torque * q[1] / (length * length);
    f[1] = torque * q[0] / (length * length) - m * gravity;
    return 0;
}

static int rate(const trm_state *state, double *c, void *user)
{
    (void)user;
    c[0] = (command - state->x[0]) / lag;
    return 0;
}

static int constraint(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = state->q[0] * state->q[0] + state->q[1] * state->q[1] - length * length;
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
    const char *const torque_name[] = {"torque"};
    const trm_system system = {
        .name = "pendulum with a motor",
        .n_q = 2,
        .n_x = 1,
        .n_g = 1,
        .function = {[TRM_QUANTITY_MASS] = mass,
                     [TRM_QUANTITY_FORCE] = force,
                     [TRM_QUANTITY_RATE] = rate,
                     [TRM_QUANTITY_CONSTRAINT] = constraint},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .constant = TRM_BIT(MASS),
        .x_names = torque_name,
    };
    const double q[2] = {0.0, -length}; // hangs at rest, the motor is off
    const trm_initial initial = {.q = q};
    const trm_options options = trm_options_default();

    trm_simulation *simulation;
    trm_error error;
    if (trm_simulation_create(&simulation, &system, &options, &initial, &error) != TRM_OK)
        return fail(&error, NULL);

    printf("%4s %10s %12s %12s\n", "t", "angle", "torque", "exact");
    double worst = 0.0;
    for (int i = 0; i <= 10; i++) {
        if (trm_simulation_run(simulation, 0.2 * i) != TRM_OK)
            return fail(trm_simulation_error(simulation), simulation);
        const trm_state *s = trm_simulation_state(simulation);
        const double exact = command * (1.0 - exp(-s->t / lag));
        printf("%4.1f %10.6f %12.8f %12.8f\n", s->t, atan2(s->q[0], -s->q[1]), s->x[0], exact);
        worst = fmax(worst, fabs(s->x[0] - exact));
    }
    trm_simulation_destroy(simulation);
    if (!(worst < 1e-5)) {
        fprintf(stderr, "the torque is %.1e away from the exact one\n", worst);
        return 1;
    }
    return 0;
}
