// SPDX-License-Identifier: Apache-2.0
// The alpha methods with variable steps: the estimate of the local error, what a tolerance buys,
// and restarts where forces jump.
#include "alpha.h"

#include "solver/integrator/simulation.h"

// ---- the estimate ----

typedef struct ratios {
    double least, most;
} ratios;

// the part of an error of q or v along the circle through q
static double along(const double *q, const double *a, const double *b)
{
    return ((a[1] - b[1]) * q[0] - (a[0] - b[0]) * q[1]) / hypot(q[0], q[1]);
}

// What a step from (q, v) at t should have reached: the parts along the circle of its errors.
static void true_errors(const alpha_run *run, double t, const alpha_result *before, double error[2])
{
    alpha_result after = alpha_state(run);
    const trm_initial start = {.t = t, .q = before->q, .v = before->v};
    trm_options exact = alpha_reference();
    trm_simulation *flow;
    assert_int_equal(trm_simulation_create(&flow, run->model.system, &exact, &start, NULL), TRM_OK);
    assert_int_equal(trm_simulation_run(flow, trm_simulation_state(run->simulation)->t), TRM_OK);
    const trm_state *s = trm_simulation_state(flow);
    error[0] = along(s->q, after.q, s->q);
    error[1] = along(s->q, after.v, s->v);
    trm_simulation_destroy(flow);
}

// Estimate over true local error of steps of h, every twentieth; norms over the tested components
// with weights of 1/atol.
static ratios compare_estimate(const char *model, trm_options options, double h)
{
    const double atol = 0.1; // so large that no step is shorter than h
    bool velocities = options.error_test != TRM_ERROR_TEST_Q;
    ratios r = {HUGE_VAL, 0};
    options.h_fixed = 0;
    options.h_initial = options.h_max = h;
    options.rtol = 1e-13; // atol alone counts
    options.atol = atol;
    options.newton_tolerance = 1e-6;
    alpha_run run;
    alpha_open(&run, model, NULL, &options);
    for (int step = 1; step * h < 0.96; step++) {
        alpha_result before = alpha_state(&run);
        double t = trm_simulation_state(run.simulation)->t, error[2];
        double sum = trm_simulation_statistics(run.simulation)->error_sum;
        assert_int_equal(trm_simulation_step(run.simulation, 1, NULL), TRM_OK);
        if (step % 20 != 0)
            continue;
        true_errors(&run, t, &before, error);
        double size = hypot(error[0], velocities ? error[1] : 0) / sqrt(velocities ? 4 : 2) / atol;
        double ratio = (trm_simulation_statistics(run.simulation)->error_sum - sum) / size;
        r.least = fmin(r.least, ratio);
        r.most = fmax(r.most, ratio);
    }
    alpha_close(&run);
    return r;
}

// The bar is 0.7 .. 1.2; measured 0.754 .. 1.124.
static void test_alpha_estimate_is_the_local_error(void **state)
{
    (void)state;
    const char *models[] = {alpha_pendulum, alpha_rheonomic};
    const double rho[] = {1, 0.75, 0.5, 0};
    const trm_error_test tests[] = {TRM_ERROR_TEST_Q, TRM_ERROR_TEST_QV};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 4; k++)
            for (int t = 0; t < 2; t++) {
                trm_options options = alpha_generalized(rho[k], 0);
                options.error_test = tests[t];
                ratios r = compare_estimate(models[m], options, 1.0 / 200);
                if (!(r.least > 0.7 && r.most < 1.2))
                    fail_msg("model %d, rho = %g, test %d: %.3f .. %.3f", m, rho[k], t, r.least,
                             r.most);
            }
}

// ---- tolerances ----

// Errors of a method of order 2 go with tol^(2/3), steps with tol^(-1/3). Measured: error a factor
// 4.4 .. 4.8 and steps 2.0 .. 2.2 per decade, errors 20 .. 100 tolerances per second at 1e-4 ..
// 1e-6.
static void test_alpha_tolerance_buys_accuracy(void **state)
{
    (void)state;
    for (int i = TRM_INTEGRATOR_NEWMARK; i <= TRM_INTEGRATOR_GENERALIZED_ALPHA; i++) {
        alpha_result exact = alpha_simulate(alpha_rheonomic, NULL, alpha_reference(), 1),
                     before = {0};
        for (int k = 4; k <= 7; k++) {
            trm_options options = alpha_options((trm_integrator)i, 0);
            options.rtol = options.atol = pow(10, -k);
            alpha_result r = alpha_simulate(alpha_rheonomic, NULL, options, 1);
            double e = alpha_compare(&r, &exact, 2, 1).of[0];
            double was = alpha_compare(&before, &exact, 2, 1).of[0];
            assert_true(r.rejected <= 5);
            if (k > 4) {
                assert_in_range(r.steps, (uintmax_t)(1.8 * (double)before.steps),
                                (uintmax_t)(2.5 * (double)before.steps));
                assert_true(was / e > 4 && was / e < 5.5);
            }
            before = r;
        }
    }
}

// Full and nested corrector under step control: the same accuracy; the estimate in full is not
// filtered by the stiffness, so that steps need not agree.
static void test_alpha_control_classic_adapts_steps_too(void **state)
{
    (void)state;
    alpha_result exact = alpha_simulate(alpha_pendulum, NULL, alpha_reference(), 1);
    trm_options options = alpha_options(TRM_INTEGRATOR_GENERALIZED_ALPHA, 0);
    options.rtol = options.atol = 1e-6;
    options.control = TRM_CONTROL_CLASSIC;
    alpha_result r = alpha_simulate(alpha_pendulum, NULL, options, 1);
    // measured 225 steps, error 9.9e-5
    assert_in_range(r.steps, 180, 280);
    assert_true(alpha_compare(&r, &exact, 2, 1).of[0] < 2e-4);
}

// ---- jumps ----

// A mass pulled with 1 until t = 0.35, an event that switches the force off and restarts: q is a
// parabola and then a line, which a method of order 2 follows to roundoff with any steps. Without
// the one-sided values the error would be of first order, h/2 0.35.
static void test_alpha_restart_has_one_sided_values(void **state)
{
    (void)state;
    const char pulled[] =
        "trammel: 1\n"
        "parameters: {pull: 1}\n"
        "equations: {coordinates: {x: vx, y: vy}, mass: [1, 1], force: [pull, 0],\n"
        "  constraints: {ground: \"y\"}}\n"
        "events:\n"
        "  off: {when: \"t - 0.35\", set: {pull: 0}}\n"
        "simulate: {end: 1}\n";
    for (int i = TRM_INTEGRATOR_NEWMARK; i <= TRM_INTEGRATOR_GENERALIZED_ALPHA; i++) {
        trm_options options = alpha_options((trm_integrator)i, 0.02);
        alpha_run run;
        alpha_open(&run, pulled, NULL, &options);
        assert_int_equal(
            trm_simulation_watch(run.simulation, trm_instance_events(run.model.instance)), TRM_OK);
        assert_int_equal(trm_simulation_run(run.simulation, 1), TRM_STOP_EVENT);
        assert_true(trm_simulation_state(run.simulation)->a[0] == 1);
        assert_int_equal(trm_instance_event(run.model.instance, run.simulation, 0), TRM_OK);
        assert_true(trm_simulation_state(run.simulation)->a[0] == 0);
        assert_int_equal(trm_simulation_run(run.simulation, 1), TRM_OK);
        const trm_state *s = trm_simulation_state(run.simulation);
        // the event is located to 1e-13
        assert_true(fabs(s->v[0] - 0.35) < 1e-11);
        assert_true(fabs(s->q[0] - 0.5 * 0.35 * 0.35 - 0.35 * 0.65) < 1e-11);
        alpha_close(&run);
    }
}

// ---- charts ----

// x'' = -x in the chart x = centre + sinh(s), whose centre follows when |s| exceeds 0.2: mass
// cosh(s)^2, force -x cosh(s) - sinh(s) cosh(s) s'^2.
static int chart_mass(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = cosh(s->q[0]) * cosh(s->q[0]);
    return 0;
}

static int chart_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    double x = s->held[0] + sinh(s->q[0]), c = cosh(s->q[0]);
    out[0] = -c * (x + sinh(s->q[0]) * s->v[0] * s->v[0]);
    return 0;
}

static int chart_settle(const trm_state *s, double *held, void *user)
{
    (void)user;
    if (fabs(s->q[0]) < 0.2)
        return 0;
    held[0] += sinh(s->q[0]);
    return 2;
}

static int chart_reexpress(const double *from, const double *to, double *q, double *v, double *a,
                           void *user)
{
    (void)user;
    double s = asinh(from[0] - to[0] + sinh(q[0])), rate = cosh(q[0]) * v[0] / cosh(s);
    if (a)
        a[0] = (cosh(q[0]) * a[0] + sinh(q[0]) * v[0] * v[0] - sinh(s) * rate * rate) / cosh(s);
    q[0] = s;
    v[0] = rate;
    return 0;
}

// |x - cos(t)| at t = 2 with steps of h
static double follow_charts(trm_integrator integrator, double h)
{
    static const double one = 1, zero = 0;
    trm_system system = {
        .name = "chart",
        .n_q = 1,
        .n_held = 1,
        .held = &one,
        .function = {[TRM_QUANTITY_MASS] = chart_mass, [TRM_QUANTITY_FORCE] = chart_force},
        .settle = chart_settle,
        .reexpress = chart_reexpress};
    const trm_initial start = {.q = &zero, .v = &zero};
    trm_options options = alpha_options(integrator, h);
    trm_error error;
    trm_simulation *s;
    if (trm_simulation_create(&s, &system, &options, &start, &error) != TRM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(trm_simulation_run(s, 2), TRM_OK);
    assert_in_range(trm_simulation_statistics(s)->recentrings, 5, 12); // 1.42 of way, 0.2 each
    const trm_state *now = trm_simulation_state(s);
    double x = now->held[0] + sinh(now->q[0]);
    trm_simulation_destroy(s);
    return fabs(x - cos(2));
}

// Against cos t. Without re-expressed accelerations the order would be one.
static void test_alpha_moving_charts_keep_order_2(void **state)
{
    (void)state;
    for (int i = TRM_INTEGRATOR_NEWMARK; i <= TRM_INTEGRATOR_GENERALIZED_ALPHA; i++) {
        double one = follow_charts((trm_integrator)i, 0.002),
               half = follow_charts((trm_integrator)i, 0.001);
        if (!(log2(one / half) > 1.8 && half < 1e-5))
            fail_msg("integrator %d: order %.2f, error %.3g", i, log2(one / half), half);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_estimate_is_the_local_error),
        cmocka_unit_test(test_alpha_tolerance_buys_accuracy),
        cmocka_unit_test(test_alpha_control_classic_adapts_steps_too),
        cmocka_unit_test(test_alpha_restart_has_one_sided_values),
        cmocka_unit_test(test_alpha_moving_charts_keep_order_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
