// SPDX-License-Identifier: Apache-2.0
// An algebraic variable: a spring pulls a pendulum with the force -k z, z defined by the equation
//     z^3 + z - x = 0
// Its energy is k (3/4 z^4 + 1/2 z^2), so the total must stay where it was.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

static const double m = 1.0, gravity = 9.81, length = 1.0, k = 20.0; // kg, m/s^2, m, N

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = m;
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    (void)user;
    f[0] = -k * state->z[0];
    f[1] = -m * gravity;
    return 0;
}

static int algebraic(const trm_state *state, double *b, void *user)
{
    (void)user;
    const double z = state->z[0];
    b[0] = z * z * z + z - state->q[0];
    return 0;
}

static int constraint(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = state->q[0] * state->q[0] + state->q[1] * state->q[1] - length * length;
    return 0;
}

static int energy(const trm_state *state, double *E, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v, z = state->z[0];
    E[0] = 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + m * gravity * q[1] +
           k * (0.75 * z * z * z * z + 0.5 * z * z);
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
        .name = "pendulum with an implicit spring",
        .n_q = 2,
        .n_z = 1,
        .n_g = 1,
        .function = {[TRM_QUANTITY_MASS] = mass,
                     [TRM_QUANTITY_FORCE] = force,
                     [TRM_QUANTITY_ALGEBRAIC] = algebraic,
                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                     [TRM_QUANTITY_ENERGY] = energy},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .constant = TRM_BIT(MASS),
    };
    const double q[2] = {length, 0.0}, z[1] = {0.7}; // z is a guess, the start makes it consistent
    const trm_initial initial = {.q = q, .z = z};
    trm_options options = trm_options_default();
    options.rtol = 1e-8;
    options.atol = 1e-10;

    trm_simulation *simulation;
    trm_error error;
    if (trm_simulation_create(&simulation, &system, &options, &initial, &error) != TRM_OK)
        return fail(&error, NULL);

    printf("%4s %12s %12s %12s %10s\n", "t", "x", "z", "energy", "|b|");
    const double start = trm_simulation_energy(simulation);
    double worst = 0.0;
    for (int i = 0; i <= 8; i++) {
        if (trm_simulation_run(simulation, 0.25 * i) != TRM_OK)
            return fail(trm_simulation_error(simulation), simulation);
        const trm_state *s = trm_simulation_state(simulation);
        const double now = trm_simulation_energy(simulation);
        double b;
        algebraic(s, &b, NULL);
        printf("%4.2f %12.8f %12.8f %12.8f %10.1e\n", s->t, s->q[0], s->z[0], now, fabs(b));
        worst = fmax(worst, fmax(fabs(now - start), fabs(b)));
    }
    trm_simulation_destroy(simulation);
    if (!(worst < 3e-5)) {
        fprintf(stderr, "energy or equation is off by %.1e\n", worst);
        return 1;
    }
    return 0;
}
