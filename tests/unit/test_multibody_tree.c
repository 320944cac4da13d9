// SPDX-License-Identifier: Apache-2.0
// Trees without loops: the residual, composite and explicit formalism agree, derivatives are exact.
#include "mechanisms.h"

// largest |x - y|, relative to the largest |y| and 1
static double difference(const double *x, const double *y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

// tau = residual at the accelerations of the state
static void residual(sketch_machine *x, const double *a, double *tau)
{
    trmi_kinematics *k = &x->work->kinematics;
    trmi_kinematics_move(k, &x->state);
    trmi_kinematics_accelerate(k, &x->state, a, true);
    trmi_inertia_force(&x->work->recursion, NULL, tau);
    for (int i = 0; i < x->system.n_q; i++)
        tau[i] = -tau[i];
}

// spec: M a + bias from composite inertias equals the recursion (1e-15 of the largest term)
static void test_multibody_random_trees_residual_equals_mass_and_bias(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        sketch_random_tree(&s, 9);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        int n = x.system.n_q;
        double *M = sketch_dense(&x, TRM_MASS), *f = sketch_dense(&x, TRM_FORCE), *tau;
        assert_true(TRMI_TAKE(&x.memory, tau, n));
        residual(&x, x.a, tau);
        for (int i = 0; i < n; i++) {
            f[i] = -f[i];
            for (int j = 0; j < n; j++)
                f[i] += M[i + n * j] * x.a[j];
        }
        // rounding of sums over nine bodies
        assert_true(difference(f, tau, n) < 1e-13);
        sketch_close(&x);
    }
}

static void test_multibody_random_trees_derivatives_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        sketch_random_tree(&s, 6);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        trm_error error;
        trm_derivative_report report;
        // two-sided differences of increment eps^(1/3): 1e-9 of the largest entry
        if (trm_system_check_derivatives(&x.system, &x.state, 1e-7, &report, &error) != TRM_OK)
            fail_msg("seed %d: %s", (int)seed, error.text);
        assert_int_equal(report.quantities, 2);
        sketch_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_random_trees_residual_equals_mass_and_bias),
        cmocka_unit_test(test_multibody_random_trees_derivatives_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
