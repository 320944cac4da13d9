// SPDX-License-Identifier: Apache-2.0
// The alpha methods from inside: parameters of the family, options they refuse, what is reported,
// dense output, failures.
#include "solver/integrator/simulation.h"

#include "models.h"
#include "solver/integrator/alpha/alpha.h"
#include "unit/cases.h"

static const trm_integrator integrators[] = {TRM_INTEGRATOR_NEWMARK, TRM_INTEGRATOR_HHT,
                                             TRM_INTEGRATOR_GENERALIZED_ALPHA};
enum { INTEGRATORS = 3 };

static trm_options options_of(trm_integrator integrator)
{
    trm_options o = trm_options_default();
    o.integrator = integrator;
    return o;
}

// ---- parameters ----

// Cq = beta - gamma/2 + 1/12 and Cv of the same expansion, by hand for the members of order 2; five
// digits.
static void test_alpha_members_have_the_error_constants_of_the_theory(void **state)
{
    (void)state;
    const double rho[] = {1, 0.75, 0.5, 0}, c_q[] = {0.08333, 0.08844, 0.11111, 0.33333};
    const double c_v[] = {0.08333, 0.09354, 0.13889, 0.58333};
    for (int k = 0; k < 4; k++) {
        trm_options o = options_of(TRM_INTEGRATOR_GENERALIZED_ALPHA);
        o.rho = rho[k];
        trmi_alpha_member m = trmi_alpha_member_of(&o);
        assert_true(fabs(m.c_q - c_q[k]) < 6e-6 && fabs(m.c_v - c_v[k]) < 6e-6);
        assert_int_equal(m.order, 2);
    }
    trm_options o = options_of(TRM_INTEGRATOR_HHT);
    o.alpha = -0.3;
    trmi_alpha_member m = trmi_alpha_member_of(&o);
    assert_true(fabs(m.c_q - 0.10583) < 6e-6 && fabs(m.c_v - 0.14333) < 6e-6);
    assert_int_equal(m.order, 2);
}

// rho = 1, alpha = 0 and beta = 1/4, gamma = 1/2: q = q + h v + h^2/4 (a + phi), error constants
// 1/12
static void test_alpha_undamped_members_are_the_trapezoidal_rule(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k]);
        o.rho = 1;
        o.alpha = 0;
        trmi_alpha_member m = trmi_alpha_member_of(&o);
        assert_true(fabs(m.b_hat - 0.25) < 1e-15 && fabs(m.g_hat - 0.5) < 1e-15);
        assert_true(fabs(m.c_q - 1.0 / 12) < 1e-15 && fabs(m.c_v - 1.0 / 12) < 1e-15);
    }
}

static void test_alpha_newmark_with_damping_is_of_order_1(void **state)
{
    (void)state;
    trm_options o = options_of(TRM_INTEGRATOR_NEWMARK);
    o.gamma = 0.6;
    o.beta = 0.3025;
    trmi_alpha_member m = trmi_alpha_member_of(&o);
    assert_int_equal(m.order, 1);
    assert_true(fabs(m.c_1 - 0.1) < 1e-15);
}

// ---- options ----

static void test_alpha_formulations_are_all_accepted(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++)
        for (int f = 0; f <= TRM_CHOICE_MAX(TRM_FORMULATION_LIST); f++) {
            trm_options o = options_of(integrators[k]);
            o.formulation = (trm_formulation)f;
            o.baumgarte_alpha = o.baumgarte_beta = 1;
            const trm_system system = pendulum(NULL);
            trm_simulation_destroy(create(&system, &o, &pendulum_start));
        }
}

static void test_alpha_options_of_other_methods_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k]);
        o.max_order = 3;
        assert_refuses(&o, "max_order", "it has order 2", "leave max_order at 0");
        o = options_of(integrators[k]);
        o.error_test = TRM_ERROR_TEST_INDEPENDENT;
        assert_refuses(&o, "error_test", "independent", "bdf");
    }
}

static void test_alpha_parameters_of_another_integrator_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        trm_integrator owner;
    } parameters[] = {{"rho", "0.5", TRM_INTEGRATOR_GENERALIZED_ALPHA},
                      {"alpha", "-0.2", TRM_INTEGRATOR_HHT},
                      {"beta", "0.3", TRM_INTEGRATOR_NEWMARK},
                      {"gamma", "0.55", TRM_INTEGRATOR_NEWMARK}};
    for (int k = 0; k < 4; k++)
        for (int i = TRM_INTEGRATOR_BDF; i <= TRM_INTEGRATOR_GENERALIZED_ALPHA; i++) {
            trm_options o = options_of((trm_integrator)i);
            assert_int_equal(trm_options_set(&o, parameters[k].name, parameters[k].value, NULL),
                             TRM_OK);
            const trm_system system = pendulum(NULL);
            if (o.integrator == parameters[k].owner)
                trm_simulation_destroy(create(&system, &o, &pendulum_start));
            else
                assert_refuses(&o, parameters[k].name, "has no meaning for integrator", "leave");
        }
}

// ---- model files ----

#define MODEL                                                                                      \
    "trammel: 1\n"                                                                                 \
    "equations: {coordinates: {x: vx}, mass: [1], force: [\"-x\"]}\n"

static void test_alpha_parameters_are_read_from_the_file(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, MODEL "simulate: {end: 1, integrator: generalized-alpha, rho: 0.3}\n");
    assert_true(trm_model_options(c.model)->rho == 0.3);
    assert_string_equal(c.said, "");
    model_close(&c);
    model_read(&c,
               MODEL "simulate: {end: 1, integrator: newmark, beta: 0.3, gamma: \"0.5 + 0.05\"}\n");
    assert_true(trm_model_options(c.model)->beta == 0.3);
    assert_true(trm_model_options(c.model)->gamma == 0.55);
    model_close(&c);
}

// a file may be tried with another method: the parameter is reported and not set
static void test_alpha_parameter_without_its_integrator_is_warned_of(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, MODEL "simulate: {end: 1, integrator: hht, rho: 0.3}\n");
    assert_non_null(strstr(c.said, "warning: 'rho' has no meaning for this integrator"));
    assert_true(trm_model_options(c.model)->rho == 0.8);
    model_close(&c);
}

static void test_alpha_parameter_out_of_range_is_an_error(void **state)
{
    (void)state;
    model_case c;
    model_try(&c, MODEL "simulate: {end: 1, integrator: generalized-alpha, rho: 1.5}\n", "m.yaml",
              NULL);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_non_null(strstr(c.said, "'rho' must be from 0 to 1, not 1.5"));
    model_close(&c);
}

// ---- what is reported ----

// accelerations and multipliers solve M a + G^T lambda = f, G a + gamma = 0 at the present state
static void test_alpha_reports_accelerations_of_the_state(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k]);
        trm_simulation *s = create(&system, &o, &pendulum_start);
        for (int step = 0; step < 30; step++) {
            double a[2], lambda;
            assert_int_equal(trm_simulation_step(s, 2, NULL), TRM_OK);
            assert_int_equal(trm_simulation_accelerations(s, a, &lambda), TRM_OK);
            const trm_state *now = trm_simulation_state(s);
            // the same linear system, solved twice: roundoff
            assert_true(fabs(a[0] - now->a[0]) + fabs(a[1] - now->a[1]) < 1e-12);
            assert_true(fabs(lambda - now->lambda[0]) < 1e-12);
        }
        trm_simulation_destroy(s);
    }
}

// the fall of a mass is a parabola, which the cubic repeats to roundoff, and so does what follows
// the last step where a stop is close
static void test_alpha_dense_output_repeats_a_parabola(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations: {coordinates: {x: vx}, mass: [1], force: [-2], "
                   "states: {s: \"vx\"}}\n"
                   "initial: {values: {vx: 3}}\n"
                   "simulate: {end: 1}\n");
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k]);
        trm_simulation *s = create(c.system, &o, trm_instance_initial(c.instance));
        for (double t = 0, from = 0; t < 0.9; from = t) {
            assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
            for (double share = 0.1; share < 1; share += 0.2) {
                double at = from + share * (t - from), q, v, x;
                assert_int_equal(trm_simulation_interpolate(s, at, &q, &v, &x, NULL, NULL), TRM_OK);
                assert_true(fabs(q - 3 * at + at * at) < 1e-12 && fabs(v - 3 + 2 * at) < 1e-12);
                // dampers begin with a_0 = phi_0 instead of that of t + (am - af) h
                if (integrators[k] == TRM_INTEGRATOR_NEWMARK)
                    assert_true(fabs(x - 3 * at + at * at) < 1e-12);
            }
        }
        double t = trm_simulation_state(s)->t + 0.01 * trm_simulation_next_step(s);
        if (t < 1) {
            assert_int_equal(trm_simulation_run(s, t), TRM_OK);
            assert_true(fabs(trm_simulation_state(s)->q[0] - 3 * t + t * t) < 1e-12);
        }
        trm_simulation_destroy(s);
    }
    model_close(&c);
}

// ---- failures ----

// A force that has no value from x = 0.5 on: the step is cut until the end is clear, then reported.
static int walled_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 1;
    return s->q[0] >= 0.5;
}

static int one(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static void test_alpha_force_without_value_ends_before_it(void **state)
{
    (void)state;
    static const double rest = 0;
    const trm_system system = {
        .name = "wall",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = one, [TRM_QUANTITY_FORCE] = walled_force}};
    const trm_initial start = {.q = &rest, .v = &rest};
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k]);
        trm_error error;
        trm_simulation *s;
        trm_status status = trm_simulation_create(&s, &system, &o, &start, &error);
        assert_status(status, TRM_OK, &error);
        assert_int_equal(trm_simulation_run(s, 2), TRM_ERR_CALLBACK);
        assert_true(trm_simulation_state(s)->q[0] > 0.49 && trm_simulation_state(s)->q[0] < 0.5);
        trm_simulation_destroy(s);
    }
}

// A constant step that cannot converge says what, where and how much, also without constraints.
static void test_alpha_constant_step_that_fails_is_reported(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations: {coordinates: {x: vx}, mass: [1], force: [\"-1e8*(x^3 - x)\"]}\n"
                   "initial: {values: {x: 3}}\n"
                   "simulate: {end: 1}\n");
    trm_options o = options_of(TRM_INTEGRATOR_GENERALIZED_ALPHA);
    o.h_fixed = 0.5;
    o.newton_iterations = 2;
    trm_simulation *s = create(c.system, &o, trm_instance_initial(c.instance));
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_NEWTON);
    const trm_error *error = trm_simulation_error(s);
    assert_true(error->t == 0 && error->h == 0.5 && error->iterations > 0);
    assert_contains(error->text, "Newton");
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_members_have_the_error_constants_of_the_theory),
        cmocka_unit_test(test_alpha_undamped_members_are_the_trapezoidal_rule),
        cmocka_unit_test(test_alpha_newmark_with_damping_is_of_order_1),
        cmocka_unit_test(test_alpha_formulations_are_all_accepted),
        cmocka_unit_test(test_alpha_options_of_other_methods_are_refused),
        cmocka_unit_test(test_alpha_parameters_of_another_integrator_are_refused),
        cmocka_unit_test(test_alpha_parameters_are_read_from_the_file),
        cmocka_unit_test(test_alpha_parameter_without_its_integrator_is_warned_of),
        cmocka_unit_test(test_alpha_parameter_out_of_range_is_an_error),
        cmocka_unit_test(test_alpha_reports_accelerations_of_the_state),
        cmocka_unit_test(test_alpha_dense_output_repeats_a_parabola),
        cmocka_unit_test(test_alpha_force_without_value_ends_before_it),
        cmocka_unit_test(test_alpha_constant_step_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
