// SPDX-License-Identifier: Apache-2.0
// A stiff force normal to the constraint changes nothing but the multiplier. Unit mass on the unit
// circle, gravity 1, f = -k (|q| - 1) q/|q| - (0, 1), start at rest at the angle 1: for every k the
// motion is that of the plain pendulum. In cs the projected residual P r is the same function for
// every k, hence so are iterates, steps and counters.
#include "verify.h"

static const double start_angle = 1.0, end = 10.0;
// loose: rtol = atol = 1e-3, where a predictor is off the circle by about 1e-3 and the force of
// k = 1e8 there is 1e5 times gravity
static const double tol = 1e-3;

// ---- the plain pendulum, phi'' = -sin(phi) ----

typedef struct pendulum {
    double t, y[2]; // phi, phi'
    double worst;   // largest error of the angle so far
} pendulum;

static void swing(double t, const double *y, double *rate, void *user)
{
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = -sin(y[0]);
}

static void compare_angle(trm_simulation *simulation, void *user)
{
    pendulum *p = user;
    const trm_state *s = trm_simulation_state(simulation);
    // steps of 1e-3: the error of the reference is below 1e-12
    verify_rk4(swing, NULL, 2, p->t, s->t, 1e-3, p->y);
    p->t = s->t;
    p->worst = fmax(p->worst, fabs(atan2(s->q[0], -s->q[1]) - p->y[0]));
}

// ---- runs for several k ----

typedef struct outcome {
    trm_statistics count;
    double angle_error;
} outcome;

static outcome run_with(double k, const trm_options *options)
{
    verify_run run = verify_open("normal-stiff", "k", k, options);
    pendulum reference = {.y = {start_angle, 0.0}};
    verify_run_well(run.simulation, end, compare_angle, &reference);
    outcome result = {*trm_simulation_statistics(run.simulation), reference.worst};
    verify_close(&run);
    return result;
}

static void assert_near(const char *what, double k, double is, double should, double share)
{
    if (!(fabs(is - should) <= share * should))
        fail_msg("%s is %g for k = %g and %g for k = 0", what, is, k, should);
}

// Counters within 2 %, angle error within 5 % (the bar of the study of TR 96-028 that defines this
// problem). Also below most, so that a run that is equally wrong for every k does not pass.
static void assert_same_run(const trm_options *options, double most)
{
    const outcome plain = run_with(0.0, options);
    const double stiff[] = {1e4, 1e8};
    for (int i = 0; i < 2; i++) {
        const double k = stiff[i];
        const outcome o = run_with(k, options);
        const trm_statistics *a = &o.count, *b = &plain.count;
        assert_near("steps", k, (double)a->steps, (double)b->steps, 0.02);
        assert_near("rejected_error", k, (double)a->rejected_error, (double)b->rejected_error,
                    0.02);
        assert_near("rejected_newton", k, (double)a->rejected_newton, (double)b->rejected_newton,
                    0.02);
        assert_near("newton_iterations", k, (double)a->newton_iterations,
                    (double)b->newton_iterations, 0.02);
        assert_near("jacobian_evaluations", k, (double)a->jacobian_evaluations,
                    (double)b->jacobian_evaluations, 0.02);
        assert_near("angle error", k, o.angle_error, plain.angle_error, 0.05);
    }
    assert_true(plain.angle_error < most);
}

// ---- tests ----

static void test_normal_stiff_cs_classic_counters_do_not_depend_on_k(void **state)
{
    (void)state;
    const trm_options options = verify_classic(TRM_FORMULATION_CS, tol);
    // the study's prototype: 96 steps, angle error 0.089; room for another rounding
    assert_same_run(&options, 0.11);
}

static void test_normal_stiff_cs_default_counters_do_not_depend_on_k(void **state)
{
    (void)state;
    trm_options options = verify_options(tol);
    options.linear_solver = TRM_SOLVER_DENSE; // null-space
    // measured 3.7e-3; the test of positions at a tenth of the tolerance pays here
    assert_same_run(&options, 0.01);
}

// The saddle point has no split: it takes the multipliers from the residual only where those of
// the last point would spoil the matrix. What holds: steps within 5 % and an error below the
// tolerance. A few Newton failures remain (measured 3 at k = 1e8, none at 1e4).
static void test_normal_stiff_cs_sparse_steps_hardly_depend_on_k(void **state)
{
    (void)state;
    trm_options options = verify_options(tol);
    options.linear_solver = TRM_SOLVER_SPARSE;
    const outcome plain = run_with(0.0, &options);
    const double stiff[] = {1e4, 1e8};
    for (int i = 0; i < 2; i++) {
        const outcome o = run_with(stiff[i], &options);
        const double allowed = 0.05 * (double)plain.count.steps;
        if (fabs((double)(o.count.steps - plain.count.steps)) > allowed)
            fail_msg("%ld steps for k = %g, %ld for k = 0", o.count.steps, stiff[i],
                     plain.count.steps);
        assert_true(o.count.rejected_newton <= 5);
        assert_true(o.angle_error < tol); // measured 1.2e-4 and, for k = 1e8, 5.8e-4; k = 0: 1.1e-4
    }
}

// Extrapolated multipliers are wrong by k times the predictor error. The bar of the study: more
// than 100 convergence failures (its prototype: 339).
static void test_normal_stiff_ggl_classic_fails_to_converge_often(void **state)
{
    (void)state;
    const trm_options options = verify_classic(TRM_FORMULATION_GGL, tol);
    const outcome o = run_with(1e8, &options);
    assert_true(o.count.rejected_newton > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_stiff_cs_classic_counters_do_not_depend_on_k),
        cmocka_unit_test(test_normal_stiff_cs_default_counters_do_not_depend_on_k),
        cmocka_unit_test(test_normal_stiff_cs_sparse_steps_hardly_depend_on_k),
        cmocka_unit_test(test_normal_stiff_ggl_classic_fails_to_converge_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
