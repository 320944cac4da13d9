// SPDX-License-Identifier: Apache-2.0
// The alpha methods where frequencies are high: the damping each member promises, the stiff
// problems of Yen, Petzold and Raha with the energies a converged solution has, and the same steps
// by every formulation, nested and in full.
#include "alpha.h"

static const double pi = 3.14159265358979323846;

// ---- linear oscillations ----

// q_1 .. q_n of q'' = -(w/h)^2 q with w = h omega, from so high that it stays above atol
static void oscillate(trm_options options, double w, double *q, int n)
{
    char text[300];
    snprintf(text, sizeof text,
             "trammel: 1\nparameters: {k: %.17g}\nequations: {coordinates: {x: vx}, mass: [1], "
             "force: [\"-k*x\"]}\ninitial: {values: {x: 1}}\nsimulate: {end: 1}\n",
             w * w);
    alpha_run run;
    options.h_fixed = 1;
    alpha_open(&run, text, NULL, &options);
    const double high[] = {1e120}, rest[] = {0}; // files have no such numbers
    const trm_initial start = {.q = high, .v = rest};
    assert_int_equal(trm_simulation_restart(run.simulation, &start), TRM_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(trm_simulation_step(run.simulation, i + 1.0, NULL), TRM_OK);
        q[i] = trm_simulation_state(run.simulation)->q[0];
    }
    alpha_close(&run);
}

// |z| of the slowest decay q_n ~ n^p |z|^n: ln q_4n - 2 ln q_2n + ln q_n loses p
static double radius_at_infinity(trm_options options)
{
    enum { N = 100 };
    static double q[4 * N];
    oscillate(options, 1e6, q, 4 * N);
    double a = log(fabs(q[N - 1])), b = log(fabs(q[2 * N - 1])), c = log(fabs(q[4 * N - 1]));
    return exp((c - 2 * b + a) / N);
}

// The limits of rho and, for HHT, the roots of beta z^2 + (gamma + 1/2 - 2 beta) z + (1/2 + beta -
// gamma) and -alpha/(1 + alpha); 1e-3 for h omega = 1e6 instead of infinity.
static void test_alpha_fastest_modes_decay_as_promised(void **state)
{
    (void)state;
    const double rho[] = {1, 0.75, 0.5, 0.25}, alpha[] = {-0.05, -0.1, -0.3};
    for (int k = 0; k < 4; k++) {
        double is = radius_at_infinity(alpha_generalized(rho[k], 1));
        if (!(fabs(is - rho[k]) < 1e-3))
            fail_msg("rho = %g: %.5f", rho[k], is);
    }
    for (int k = 0; k < 3; k++) {
        trm_options options = alpha_options(TRM_INTEGRATOR_HHT, 1);
        options.alpha = alpha[k];
        double is = radius_at_infinity(options), wanted = (1 + alpha[k]) / (1 - alpha[k]);
        if (!(fabs(is - wanted) < 1e-3))
            fail_msg("alpha = %g: %.5f, not %.5f", alpha[k], is, wanted);
    }
    // rho = 0 leaves nothing: a triple root of size (h omega)^(-2/3)
    double q[8];
    oscillate(alpha_generalized(0, 1), 1e6, q, 8);
    assert_true(fabs(q[7]) < 1e-12 * fabs(q[1]));
}

// |z| of the pair of roots at h omega = 1, from q_{n+1} q_{n-1} - q_n^2 ~ |z|^2n. Six digits by
// eigenvalues of the amplification matrix.
static void test_alpha_oscillations_decay_as_in_theory(void **state)
{
    (void)state;
    const double rho[] = {0.75, 0.5, 0}, radius[] = {0.998913, 0.989313, 0.906563};
    enum { N = 60 };
    double q[N];
    for (int k = 0; k < 3; k++) {
        oscillate(alpha_generalized(rho[k], 1), 1, q, N);
        double early = q[31] * q[29] - q[30] * q[30], late = q[51] * q[49] - q[50] * q[50];
        double is = pow(late / early, 1.0 / 40);
        if (!(fabs(is - radius[k]) < 2e-6))
            fail_msg("rho = %g: %.7f, not %.6f", rho[k], is, radius[k]);
    }
}

// ---- 4.1: stiff spring pendulum ----

// E(5) by an independent program on the same steps (E(0) = 5); to the digit printed.
static void test_alpha_stiff_spring_has_the_energies_of_the_method(void **state)
{
    (void)state;
    const double h[] = {1e-3, 1e-2, 2e-2, 5e-2, 1e-1}, rho[] = {1, 0.75, 0.5, 0};
    const double energy[5][4] = {{5.0000, 4.9999, 4.9990, 4.9742},
                                 {5.0044, 4.9344, 4.2018, 0.1299},
                                 {4.9885, 4.4949, 1.5781, -0.0034},
                                 {4.9497, 1.9832, -0.0098, -0.0090},
                                 {5.8827, 0.2611, -0.0165, -0.0477}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            trm_options options = alpha_generalized(rho[k], h[i]);
            double is = 5 * alpha_simulate(alpha_spring, NULL, options, 5).energy;
            if (!(fabs(is - energy[i][k]) < 6e-5))
                fail_msg("h = %g, rho = %g: E = %.5f, not %.4f", h[i], rho[k], is, energy[i][k]);
        }
}

// ---- 4.2: bushing ----

static const double rho_of[] = {1, 0.75, 0.5, 0};
static const int steps_of[] = {200, 500, 1200};

static alpha_result bushing(double rho, int steps, trm_formulation formulation, trm_control control)
{
    double end = 40 * pi * 1e-5;
    trm_options options = alpha_generalized(rho, end / steps);
    options.formulation = formulation;
    options.control = control;
    return alpha_simulate(alpha_bushing, NULL, options, end);
}

// E(T)/E(0) by an independent program on the same steps, Newton to 1e-11; half of the last digit.
static void test_alpha_bushing_has_the_energies_of_the_method(void **state)
{
    (void)state;
    const double ratio[3][4] = {{0.60863, 0.51328, 0.15793, 0.01255},
                                {0.95084, 0.93346, 0.79722, 0.08013},
                                {0.99558, 0.99399, 0.98032, 0.72963}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double is =
                bushing(rho_of[k], steps_of[i], TRM_FORMULATION_CS, TRM_CONTROL_DEFAULT).energy;
            if (!(fabs(is - ratio[i][k]) < 6e-6))
                fail_msg("N = %d, rho = %g: %.6f, not %.5f", steps_of[i], rho_of[k], is,
                         ratio[i][k]);
        }
}

// The same equations, solved nested or in full, with multipliers as unknowns or not, with or
// without geometric stiffness in the matrix. Differences are what Newton leaves at 1e-10: measured
// at most 5e-10 in q.
static void test_alpha_formulations_take_the_same_steps(void **state)
{
    (void)state;
    const struct {
        trm_formulation formulation;
        trm_control control;
    } ways[] = {{TRM_FORMULATION_CM, TRM_CONTROL_DEFAULT},
                {TRM_FORMULATION_GGL, TRM_CONTROL_DEFAULT},
                {TRM_FORMULATION_CS, TRM_CONTROL_CLASSIC},
                {TRM_FORMULATION_CM, TRM_CONTROL_CLASSIC},
                {TRM_FORMULATION_GGL, TRM_CONTROL_CLASSIC}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            alpha_result nested =
                bushing(rho_of[k], steps_of[i], TRM_FORMULATION_CS, TRM_CONTROL_DEFAULT);
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                alpha_result r =
                    bushing(rho_of[k], steps_of[i], ways[w].formulation, ways[w].control);
                double e = alpha_compare(&r, &nested, 3, 1).of[0];
                if (!(e < 1e-8))
                    fail_msg("N = %d, rho = %g, formulation %d, control %d: %.2g", steps_of[i],
                             rho_of[k], (int)ways[w].formulation, (int)ways[w].control, e);
            }
        }
}

// The constraint force along G of the predictor q + h v + h^2 a/2: another discretization.
// E(T)/E(0) by an independent program, three digits; nested and in full the same equations (M is
// constant).
static void test_alpha_frozen_direction_damps_as_measured(void **state)
{
    (void)state;
    const double ratio[3][2] = {{0.355, 0.119}, {0.880, 0.740}, {0.989, 0.974}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            double rho = rho_of[k + 1];
            alpha_result nested =
                bushing(rho, steps_of[i], TRM_FORMULATION_CM_FROZEN, TRM_CONTROL_DEFAULT);
            alpha_result full =
                bushing(rho, steps_of[i], TRM_FORMULATION_CM_FROZEN, TRM_CONTROL_CLASSIC);
            assert_true(fabs(nested.energy - ratio[i][k]) < 6e-4);
            assert_true(alpha_compare(&nested, &full, 3, 1).of[0] < 1e-8);
        }
}

// Forces of velocities: the nested sweeps find what the full Newton finds.
static void test_alpha_damped_pendulum_nested_is_full(void **state)
{
    (void)state;
    const char damped[] =
        ALPHA_POINT "  force: [\"-50*vx*(1 + vx^2 + vy^2)\", \"-9.81 - 50*vy*(1 + vx^2 + vy^2)\"]\n"
                    "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
                    "initial: {values: {x: 1}}\n"
                    "simulate: {end: 1}\n";
    trm_options options = alpha_generalized(0.75, 0.02);
    alpha_result nested = alpha_simulate(damped, NULL, options, 1);
    options.control = TRM_CONTROL_CLASSIC;
    alpha_result full = alpha_simulate(damped, NULL, options, 1);
    // Newton to 1e-10
    assert_true(alpha_compare(&nested, &full, 2, 1).of[0] < 1e-9);
    assert_true(alpha_compare(&nested, &full, 2, 1).of[1] < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_fastest_modes_decay_as_promised),
        cmocka_unit_test(test_alpha_oscillations_decay_as_in_theory),
        cmocka_unit_test(test_alpha_stiff_spring_has_the_energies_of_the_method),
        cmocka_unit_test(test_alpha_bushing_has_the_energies_of_the_method),
        cmocka_unit_test(test_alpha_formulations_take_the_same_steps),
        cmocka_unit_test(test_alpha_frozen_direction_damps_as_measured),
        cmocka_unit_test(test_alpha_damped_pendulum_nested_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
