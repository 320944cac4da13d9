// SPDX-License-Identifier: Apache-2.0
// The problems with excitations against what is known of them from elsewhere.
#include "fail/fail.h"

#include "problems/problems.h"
#include "trammel/trammel.h"

#include <math.h>

enum { MOST = 16 };

static trp_problem *make(const char *name, const trm_problem_option *options)
{
    trp_problem *problem;
    trm_error error;
    assert_status(trp_problem_create(&problem, name, options, &error), TRM_OK, &error);
    return problem;
}

// q at t, from the initial values of the problem or those given
static void run(const char *name, const trm_problem_option *options, const trm_initial *initial,
                double t, double *q)
{
    trp_problem *problem = make(name, options);
    const trm_system *system = trp_problem_system(problem);
    trm_options o = trm_options_default();
    o.rtol = 1e-9;
    o.atol = 1e-11;
    trm_simulation *s = create(system, &o, initial ? initial : trp_problem_initial(problem));
    assert_status(trm_simulation_run(s, t), TRM_OK, trm_simulation_error(s));
    memcpy(q, trm_simulation_state(s)->q, (size_t)system->n_q * sizeof *q);
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
}

static void test_excited_single_pendulum_moves_as_point_mass(void **state)
{
    (void)state;
    const double a = 0.2, w = 3, t = 5, v[] = {-a * w};
    const trm_problem_option chain[] = {{"links", 1}, {"ax", a}, {"ay", 0}, {"w", w}, {NULL, 0}};
    const trm_problem_option mass[] = {{"a", a}, {"w", w}, {NULL, 0}};
    const trm_initial initial = {.v = v}; // the mass at rest below the moving pivot
    double angle[1], q[2];
    run("pendulum-chain", chain, &initial, t, angle);
    run("rheonomic-pendulum", mass, NULL, t, q);
    // the same motion in an angle and in two coordinates with a constraint; tolerance 1e-9, and
    // some swings
    assert_true(fabs(a * sin(w * t) + sin(angle[0]) - q[0]) < 1e-6);
    assert_true(fabs(-cos(angle[0]) - q[1]) < 1e-6);
}

static void test_excited_double_pendulum_has_its_frequency(void **state)
{
    (void)state;
    const trm_problem_option still[] = {{"links", 2}, {"ax", 0}, {"ay", 0}, {NULL, 0}};
    for (int mode = 0; mode < 2; mode++) {
        // small oscillations: M = [2 1; 1 1], K = g [2 0; 0 1], w^2 = g (2 -+ sqrt 2), shape
        // (1, +- sqrt 2)
        double sign = mode ? -1 : 1, w = sqrt(9.81 * (2 - sign * sqrt(2)));
        const double q0[] = {1e-5, sign * sqrt(2) * 1e-5};
        const trm_initial initial = {.q = q0};
        double q[2];
        run("pendulum-chain", still, &initial, 2 * acos(-1) / w, q);
        for (int i = 0; i < 2; i++) // atol 1e-11; the amplitude changes the period by 1e-11
            assert_true(fabs(q[i] - q0[i]) < 1e-9);
    }
}

static void test_excited_wheel_rests_on_resting_stamp(void **state)
{
    (void)state;
    const trm_problem_option still[] = {{"a", 0}, {NULL, 0}};
    trp_problem *problem = make("wheel-on-stamp", still);
    const double *q0 = trp_problem_initial(problem)->q;
    double a[3];
    trm_simulation *s = create(trp_problem_system(problem), NULL, trp_problem_initial(problem));
    assert_int_equal(trm_simulation_accelerations(s, a, NULL), TRM_OK);
    for (int i = 0; i < 3; i++) // heights of 0.16 m, rounded to 3e-17 m: 3e-9 m/s^2 in the link
        assert_true(fabs(a[i]) < 1e-8);
    trm_simulation_destroy(s);
    // 2e5 d + 8e8 d^3 = 342 kg g, the tyre under everything above it
    double d = -q0[2], load = 342 * 9.81;
    assert_true(fabs(2e5 * d + 8e8 * d * d * d - load) < 1e-9 * load);
    trp_problem_destroy(problem);
}

static void test_excited_masses_sag_on_resting_platform(void **state)
{
    (void)state;
    const trm_problem_option still[] = {{"a", 0}, {NULL, 0}};
    double q[MOST];
    run("tilting-platform", still, NULL, 5, q);
    for (int i = 0; i < 8; i++) {
        double y = q[2 * i + 1];
        assert_true(fabs(q[2 * i]) < 1e-9); // nothing pulls sideways
        // k s + kc s^3 = -m g in the soft direction, from the start on
        assert_true(fabs(1e4 * y + 5e8 * y * y * y + 3 * 9.81) < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_excited_single_pendulum_moves_as_point_mass),
        cmocka_unit_test(test_excited_double_pendulum_has_its_frequency),
        cmocka_unit_test(test_excited_wheel_rests_on_resting_stamp),
        cmocka_unit_test(test_excited_masses_sag_on_resting_platform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
