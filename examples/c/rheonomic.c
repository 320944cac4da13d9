// SPDX-License-Identifier: Apache-2.0
// A constraint that depends on time: a pendulum whose pivot moves, p(t) = 0.3 sin(3 t).
// Prints how well the constraint holds, and x beside the angle equation integrated by Runge-Kutta:
//     length theta'' = -gravity sin(theta) - p'' cos(theta),   x = p + length sin(theta)
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

static const double gravity = 9.81, length = 1.0, amplitude = 0.3, omega = 3.0;

static double pivot(double t)
{
    return amplitude * sin(omega * t);
}

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0;
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
    const double x = state->q[0] - pivot(state->t), y = state->q[1];
    g[0] = x * x + y * y - length * length;
    return 0;
}

// optional: what is not supplied is formed by differences
static int constraint_t(const trm_state *state, double *g_t, void *user)
{
    (void)user;
    const double velocity = amplitude * omega * cos(omega * state->t);
    g_t[0] = -2.0 * (state->q[0] - pivot(state->t)) * velocity;
    return 0;
}

static double angular_acceleration(double t, double theta)
{
    return (-gravity * sin(theta) + omega * omega * pivot(t) * cos(theta)) / length;
}

// one Runge-Kutta step of (theta, theta')
static void reference_step(double t, double h, double *theta, double *rate)
{
    const double a1 = angular_acceleration(t, *theta);
    const double a2 = angular_acceleration(t + h / 2, *theta + h / 2 * *rate);
    const double a3 = angular_acceleration(t + h / 2, *theta + h / 2 * (*rate + h / 2 * a1));
    const double a4 = angular_acceleration(t + h, *theta + h * (*rate + h / 2 * a2));
    *theta += h * (*rate + h / 6 * (a1 + a2 + a3));
    *rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
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
        .name = "pendulum with a moving pivot",
        .n_q = 2,
        .n_g = 1,
        .function = {[TRM_QUANTITY_MASS] = mass,
                     [TRM_QUANTITY_FORCE] = force,
                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                     [TRM_QUANTITY_CONSTRAINT_T] = constraint_t},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .constant = TRM_BIT(MASS),
    };
    const double q[2] = {0.0, -length}, v[2] = {amplitude * omega, 0.0}; // hangs, theta' = 0
    const trm_initial initial = {.q = q, .v = v};
    trm_options options = trm_options_default();
    options.rtol = 1e-8;
    options.atol = 1e-10;

    trm_simulation *simulation;
    trm_error error;
    if (trm_simulation_create(&simulation, &system, &options, &initial, &error) != TRM_OK)
        return fail(&error, NULL);

    printf("%4s %12s %12s %12s\n", "t", "x", "reference", "|g|");
    double theta = 0.0, rate = 0.0, worst = 0.0;
    for (int i = 1; i <= 5; i++) {
        for (int k = 0; k < 1000; k++)
            reference_step(i - 1 + k / 1000.0, 1.0 / 1000.0, &theta, &rate);
        if (trm_simulation_run(simulation, i) != TRM_OK)
            return fail(trm_simulation_error(simulation), simulation);
        const trm_state *s = trm_simulation_state(simulation);
        const double x = pivot(i) + length * sin(theta);
        double g;
        constraint(s, &g, NULL);
        printf("%4.1f %12.8f %12.8f %12.1e\n", s->t, s->q[0], x, fabs(g));
        worst = fmax(worst, fabs(s->q[0] - x));
    }
    trm_simulation_destroy(simulation);
    if (!(worst < 2e-6)) {
        fprintf(stderr, "the motion is %.1e away from the reference\n", worst);
        return 1;
    }
    return 0;
}
