// SPDX-License-Identifier: Apache-2.0
// Held coordinates and steady motions through the C interface, and the system with held rows.
#include "models.h"

#include "solver/analysis/hold.h"

static void check_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g instead of %.15g", value, wanted);
}

static trm_equilibrium *trimmed(model_case *c, const trm_trim *trim)
{
    trm_equilibrium *found = NULL;
    trm_equilibrium_create_trimmed(&found, c->system, trm_model_options(c->model),
                                   trm_instance_initial(c->instance), trim, &c->error);
    return found;
}

// A skate on a slope with friction that depends on the multiplier of its edge, on a constraint that
// couples z to x: rows of all kinds, forces of multipliers, an algebraic variable and a state.
static const char skate[] =
    "trammel: 1\n"
    "equations:\n"
    "  coordinates: {x: u, y: v, phi: w, z: s}\n"
    "  mass: [2, 2, 0.5, 1]\n"
    "  force: [\"1 - 0.1*u + b\", \"-y + 0.2*edge\", \"-3*phi\", \"-5 - p\"]\n"
    "  states: {p: \"z - p\"}\n"
    "  algebraic: {b: \"b + 0.1*x - 0.05*edge\"}\n"
    "  constraints: {ramp: \"z - 0.3*x - 0.1*y^2\"}\n"
    "  velocity_constraints: {edge: \"v*cos(phi) - u*sin(phi)\"}\n"
    "initial: {values: {x: 0.4, y: 0.2, phi: 0.3, z: 0.2, u: 1, p: 0.1}}\n"
    "simulate: {end: 1}\n";

static void test_trim_held_system_has_right_derivatives(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, skate);
    const trm_initial *at = trm_instance_initial(c.instance);
    const int held[] = {2, 0};
    trmi_hold *h = trmi_hold_create(NULL, c.system, at, held, 2);
    assert_non_null(h);
    assert_int_equal(h->held.n_g, 3);
    const double lambda[] = {0.7, -2, 3, 1.1}; // ramp, two holds, edge
    const double a[4] = {0.3, -0.2, 0.5, 0.1}, z[1] = {0.2};
    const trm_state point = {
        .t = 0, .q = at->q, .v = at->v, .a = a, .x = at->x, .z = z, .lambda = lambda};
    trm_derivative_report report;
    trm_error error;
    // differences of second order: half of the digits and some
    if (trm_system_check_derivatives(&h->held, &point, 1e-5, &report, &error) != TRM_OK)
        fail_msg("%s", error.text);
    char name[48];
    assert_string_equal(trm_row_name(&h->held, 0, name, sizeof name), "ramp");
    assert_string_equal(trm_row_name(&h->held, 1, name, sizeof name), "hold of phi");
    assert_string_equal(trm_row_name(&h->held, 3, name, sizeof name), "edge");
    double rows[] = {1, 2, 3, 4}, force[2];
    trmi_hold_split(h, rows, force);
    check_near(rows[0], 1, 0);
    check_near(rows[1], 4, 0);
    check_near(force[0], -2, 0);
    check_near(force[1], -3, 0);
    trmi_hold_destroy(h);
    model_close(&c);
}

static void test_trim_held_pendulum_needs_its_weight(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {x: u, y: v}\n"
                   "  mass: [2, 2]\n"
                   "  force: [0, -19.62]\n"
                   "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
                   "initial: {values: {x: 0.6, y: -0.8}}\n"
                   "simulate: {end: 1}\n");
    const int x = 0;
    trm_equilibrium *rest = trimmed(&c, &(trm_trim){.n_hold = 1, .hold = &x});
    assert_non_null(rest);
    const trm_state *s = trm_equilibrium_state(rest);
    // rod: lambda y = f_y, force = lambda x
    check_near(s->q[0], 0.6, 1e-12);
    check_near(s->lambda[0], 19.62 / 0.8, 1e-9);
    check_near(trm_equilibrium_holding_force(rest, 0), 19.62 / 0.8 * 0.6, 1e-9);
    check_near(trm_equilibrium_holding_force(rest, 1), 0, 0);
    assert_int_equal(trm_equilibrium_get_report(rest)->mobility, 0);
    trm_equilibrium_destroy(rest);
    model_close(&c);
}

static void test_trim_steady_spin_is_found(void **state)
{
    (void)state;
    model_case c;
    // a drive torque 3 against 0.5 w: w = 6, which pushes a spring of 10 by 0.2 w^2 / 10
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {phi: w, y: v}\n"
                   "  mass: [1, 1]\n"
                   "  force: [\"3 - 0.5*w\", \"0.2*w^2 - 10*y - v\"]\n"
                   "  states: {p: \"y - 2*p\"}\n"
                   "initial: {values: {phi: 1, w: 1}}\n"
                   "simulate: {end: 1}\n");
    const int phi = 0;
    trm_equilibrium *found = trimmed(&c, &(trm_trim){.steady = 1, .n_rates = 1, .rate = &phi});
    if (!found)
        fail_msg("%s", c.error.text);
    const trm_state *s = trm_equilibrium_state(found);
    check_near(s->v[0], 6, 1e-12);
    check_near(s->q[0], 1, 0);
    check_near(s->q[1], 0.72, 1e-12);
    check_near(s->x[0], 0.36, 1e-12);
    trm_equilibrium_destroy(found);
    model_close(&c);
}

static void test_trim_motion_that_changes_is_refused(void **state)
{
    (void)state;
    model_case c;
    // v' = -sin q vanishes at q = 0, but not a moment later
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {q: v}\n"
                   "  mass: [1]\n"
                   "  force: [\"-sin(q)\"]\n"
                   "initial: {values: {q: 0.1, v: 2}}\n"
                   "simulate: {end: 1}\n");
    assert_null(trimmed(&c, &(trm_trim){.steady = 1}));
    assert_int_equal(c.error.status, TRM_ERR_NEWTON);
    assert_non_null(strstr(c.error.text, "does not keep its acceleration of 0"));
    model_close(&c);
}

static void test_trim_wrong_lists_are_refused(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, skate);
    const int beyond = 4, twice[] = {1, 1}, one = 1;
    const struct {
        trm_trim trim;
        const char *text;
    } wrong[] = {
        {{.n_hold = 1, .hold = &beyond}, "there is no coordinate 4 to be held"},
        {{.n_hold = 2, .hold = twice}, "y is held twice"},
        {{.n_rates = 1, .rate = &one}, "in steady motion only"},
        {{.steady = 1, .n_hold = 1, .hold = &one, .n_rates = 1, .rate = &one}, "it is held"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_null(trimmed(&c, &wrong[k].trim));
        if (!strstr(c.error.text, wrong[k].text))
            fail_msg("%s", c.error.text);
    }
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim_held_system_has_right_derivatives),
        cmocka_unit_test(test_trim_held_pendulum_needs_its_weight),
        cmocka_unit_test(test_trim_steady_spin_is_found),
        cmocka_unit_test(test_trim_motion_that_changes_is_refused),
        cmocka_unit_test(test_trim_wrong_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
