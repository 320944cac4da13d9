// SPDX-License-Identifier: Apache-2.0
// Equilibria against closed forms: where they are, what holds them, and how stable they are.
#include "models.h"

static trm_equilibrium *rest_of(model_case *c)
{
    trm_equilibrium *rest = NULL;
    trm_status status = trm_equilibrium_create(&rest, c->system, trm_model_options(c->model),
                                               trm_instance_initial(c->instance), &c->error);
    if (status != TRM_OK)
        fail_msg("%s", c->error.text);
    return rest;
}

static trm_equilibrium *rest_of_text(model_case *c, const char *text)
{
    model_read(c, text);
    return rest_of(c);
}

static void check_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g instead of %.15g", value, wanted);
}

static void finish(model_case *c, trm_equilibrium *rest)
{
    trm_equilibrium_destroy(rest);
    model_close(c);
}

static void test_equilibrium_hanging_spring_sags_by_weight_over_stiffness(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, "trammel: 1\n"
                                             "equations:\n"
                                             "  coordinates: {y: v}\n"
                                             "  mass: [2]\n"
                                             "  force: [\"-2*9.81 - 50*y - 3*v\"]\n"
                                             "initial: {values: {v: 7}}\n"
                                             "simulate: {end: 1}\n");
    const trm_state *s = trm_equilibrium_state(rest);
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
    // y = -m g / k, linear: exact up to roundoff; the velocity of the start plays no part
    check_near(s->q[0], -2 * 9.81 / 50, 1e-15);
    check_near(s->v[0], 0, 0);
    // k / m = 25
    check_near(trm_equilibrium_direction(rest, 0)->stiffness, 25, 1e-13);
    assert_int_equal(trm_equilibrium_direction(rest, 0)->stability, TRM_STABILITY_STABLE);
    assert_true(r->iterations <= 4 && r->shifted == 0 && r->unstable == 0 && r->free == 0);
    assert_null(trm_equilibrium_direction(rest, 1));
    assert_null(trm_equilibrium_direction(rest, -1));
    finish(&c, rest);
}

#define PENDULUM(start)                                                                            \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy}\n"                                                              \
    "  mass: [3, 3]\n"                                                                             \
    "  force: [0, -29.43]\n"                                                                       \
    "  constraints: {rod: \"(x^2 + y^2 - 4)/2\"}\n"                                                \
    "initial: {values: " start "}\n"                                                               \
    "simulate: {end: 1}\n"

static void test_equilibrium_pendulum_from_nearly_upright_ends_hanging(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, PENDULUM("{x: 0.01, y: 2}"));
    const trm_state *s = trm_equilibrium_state(rest);
    // lowest point of the circle of radius 2; the last iterations are quadratic
    check_near(s->q[0], 0, 1e-12);
    check_near(s->q[1], -2, 1e-14);
    // f = G^T lambda: -29.43 = -2 lambda
    check_near(s->lambda[0], 29.43 / 2, 1e-13);
    // g / l = 9.81 / 2
    check_near(trm_equilibrium_direction(rest, 0)->stiffness, 9.81 / 2, 1e-13);
    assert_true(trm_equilibrium_get_report(rest)->shifted > 0);
    finish(&c, rest);
}

static void test_equilibrium_upright_pendulum_is_unstable_along_x(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, PENDULUM("{x: 0, y: 2}"));
    const trm_static_direction *d = trm_equilibrium_direction(rest, 0);
    // it stays where it starts: the forces are exactly zero along the circle
    check_near(trm_equilibrium_state(rest)->q[1], 2, 0);
    assert_int_equal(d->stability, TRM_STABILITY_UNSTABLE);
    check_near(d->stiffness, -9.81 / 2, 1e-13);
    // tangent of the circle
    check_near(d->shape[0], 1, 0);
    check_near(d->shape[1], 0, 0);
    assert_int_equal(trm_equilibrium_get_report(rest)->unstable, 1);
    finish(&c, rest);
}

// V = 5/2 (x - 2)^2 + y^4/4 - y^2/2: nothing drives the start away from y = 0
#define SADDLE(start)                                                                              \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy}\n"                                                              \
    "  mass: [1, 1]\n"                                                                             \
    "  force: [\"-5*(x - 2)\", \"y - y^3\"]\n"                                                     \
    "initial: {values: " start "}\n"                                                               \
    "simulate: {end: 1}\n"

static void test_equilibrium_saddle_reached_from_afar_is_left_downhill(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, SADDLE("{x: -1, y: 0}"));
    const trm_state *s = trm_equilibrium_state(rest);
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
    // minima of V at (2, 1) and (2, -1); the last iterations are quadratic
    check_near(s->q[0], 2, 1e-12);
    check_near(fabs(s->q[1]), 1, 1e-12);
    // V_yy = 3 y^2 - 1 = 2 there, exact derivatives
    check_near(trm_equilibrium_direction(rest, 0)->stiffness, 2, 1e-11);
    assert_true(r->pushed == 1 && r->unstable == 0 && !r->undecided);
    finish(&c, rest);
}

// the same saddle in lengths of L: the way there, beside it and down is the same one
static void test_equilibrium_saddle_is_left_alike_in_any_unit(void **state)
{
    (void)state;
    const double unit[] = {1, 0x1p-10, 0x1p10};
    int iterations = 0;
    for (int k = 0; k < 3; k++) {
        const double L = unit[k], scale[] = {L, L};
        char text[400];
        model_case c;
        trm_equilibrium *rest = NULL;
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "equations:\n"
                 "  coordinates: {x: vx, y: vy}\n"
                 "  mass: [1, 1]\n"
                 "  force: [\"-5*(x - 2*%.17g)\", \"y - y*(y/%.17g)^2\"]\n"
                 "initial: {values: {x: %.17g}}\n"
                 "simulate: {end: 1}\n",
                 L, L, -L);
        model_read(&c, text);
        trm_system system = *c.system;
        system.q_scale = scale;
        assert_int_equal(trm_equilibrium_create(&rest, &system, trm_model_options(c.model),
                                                trm_instance_initial(c.instance), &c.error),
                         TRM_OK);
        const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
        // powers of two: the numbers differ by roundoff, and by what is at rest in m/s^2, which may
        // be an iteration more
        check_near(trm_equilibrium_state(rest)->q[0] / L, 2, 1e-12);
        check_near(fabs(trm_equilibrium_state(rest)->q[1] / L), 1, 1e-12);
        iterations = k == 0 ? r->iterations : iterations;
        if (r->pushed != 1 || abs(r->iterations - iterations) > 1)
            fail_msg("%d iterations instead of %d, %d times beside a saddle, in units of %g",
                     r->iterations, iterations, r->pushed, L);
        finish(&c, rest);
    }
}

static void test_equilibrium_start_on_saddle_stays_there(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, SADDLE("{x: 2, y: 0}"));
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
    // the forces there are exactly zero
    check_near(trm_equilibrium_state(rest)->q[1], 0, 0);
    assert_true(r->pushed == 0 && r->unstable == 1);
    finish(&c, rest);
}

// A parallelogram that hangs folded together: its constraints have lost rank there.
#define FOLDED(coordinates)                                                                        \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  coordinates: " coordinates "\n"                                                             \
    "  plane: xy\n"                                                                                \
    "  gravity: [0, -9.81]\n"                                                                      \
    "  bodies:\n"                                                                                  \
    "    a: {mass: 1, center: [0.5, 0.5], inertia: 0.1}\n"                                         \
    "    b: {mass: 1, center: [0.5, -0.5], inertia: 0.1}\n"                                        \
    "    r: {mass: 1, center: [1, 0], inertia: 0.1}\n"                                             \
    "  joints:\n"                                                                                  \
    "    j1: {revolute: {between: [ground, a], at: [0, 0.5]}}\n"                                   \
    "    j2: {revolute: {between: [r, a], at: [1, 0.5]}}\n"                                        \
    "    j3: {revolute: {between: [ground, b], at: [0, -0.5]}}\n"                                  \
    "    j4: {revolute: {between: [r, b], at: [1, -0.5]}}\n"                                       \
    "simulate: {end: 1}\n"

static void test_equilibrium_in_singular_position_is_stable_without_directions(void **state)
{
    (void)state;
    const char *const text[] = {FOLDED("absolute"), FOLDED("joint")};
    for (int k = 0; k < 2; k++) {
        model_case c;
        trm_equilibrium *rest = rest_of_text(&c, text[k]);
        const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
        int angle = k == 0 ? 2 : 0; // of a, against its start along x
        // it hangs straight down; in a singular position half of the digits are left. The
        // potential is least there among all positions, so that it is stable on every branch
        check_near(trm_equilibrium_state(rest)->q[angle], -acos(0), 1e-6);
        assert_null(r->undecided);
        assert_true(r->directions == 0 && r->unstable == 0 && r->free == 0);
        assert_null(trm_equilibrium_direction(rest, 0));
        finish(&c, rest);
    }
}

static void test_equilibrium_body_on_level_rail_is_free_along_it(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, "trammel: 1\n"
                                             "equations:\n"
                                             "  coordinates: {x: vx, y: vy}\n"
                                             "  mass: [1, 1]\n"
                                             "  force: [0, \"-10 - 100*y\"]\n"
                                             "initial: {values: {x: 5}}\n"
                                             "simulate: {end: 1}\n");
    const trm_static_direction *d = trm_equilibrium_direction(rest, 0);
    assert_int_equal(d->stability, TRM_STABILITY_FREE);
    check_near(d->stiffness, 0, 0);
    check_near(d->shape[0], 1, 0);
    check_near(d->shape[1], 0, 1e-15);
    // what is free stays where it was; m g / k = 0.1 below
    check_near(trm_equilibrium_state(rest)->q[0], 5, 0);
    check_near(trm_equilibrium_state(rest)->q[1], -0.1, 1e-15);
    assert_int_equal(trm_equilibrium_get_report(rest)->free, 1);
    finish(&c, rest);
}

// A mass whose weight is held by a magnet: current by U = R i, force k i.
static void test_equilibrium_with_state_and_algebraic_variable_finds_both(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, "trammel: 1\n"
                                             "equations:\n"
                                             "  coordinates: {y: v}\n"
                                             "  mass: [1]\n"
                                             "  force: [\"-10 + pull - 4*y\"]\n"
                                             "  states: {current: \"12 - 3*current\"}\n"
                                             "  algebraic: {pull: \"pull^3 - 2*current\"}\n"
                                             "initial: {values: {current: 1, pull: 1}}\n"
                                             "simulate: {end: 1}\n");
    const trm_state *s = trm_equilibrium_state(rest);
    // current = 12/3, pull = cbrt(2*4) = 2, y = (2 - 10)/4
    check_near(s->x[0], 4, 1e-14);
    check_near(s->z[0], 2, 1e-14);
    check_near(s->q[0], -2, 1e-14);
    check_near(trm_equilibrium_get_report(rest)->rate, 0, 1e-12);
    finish(&c, rest);
}

// Two forces that follow the motion (K not symmetric): flutter without a negative stiffness.
static void test_equilibrium_following_forces_flutter_is_unstable(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, "trammel: 1\n"
                                             "equations:\n"
                                             "  coordinates: {a: va, b: vb}\n"
                                             "  mass: [1, 1]\n"
                                             "  force: [\"-4*a - b\", \"a - 4*b\"]\n"
                                             "initial: {values: {a: 1}}\n"
                                             "simulate: {end: 1}\n");
    const trm_static_direction *d = trm_equilibrium_direction(rest, 0);
    // eigenvalues 4 +- i
    check_near(d->stiffness, 4, 1e-13);
    check_near(d->imaginary, 1, 1e-13);
    assert_int_equal(d->stability, TRM_STABILITY_UNSTABLE);
    finish(&c, rest);
}

static void test_equilibrium_falling_body_has_none_and_is_named(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations: {coordinates: {height: v}, mass: [1], force: [-9.81]}\n"
                   "simulate: {end: 1}\n");
    trm_equilibrium *rest = NULL;
    assert_int_equal(trm_equilibrium_create(&rest, c.system, trm_model_options(c.model),
                                            trm_instance_initial(c.instance), &c.error),
                     TRM_ERR_NEWTON);
    assert_null(rest);
    assert_string_equal(c.error.item, "height");
    assert_non_null(strstr(c.error.text, "the largest acceleration is 9.81, of height"));
    assert_non_null(strstr(c.error.advice, "nothing holds it"));
    model_close(&c);
}

#define ARM(coordinates)                                                                           \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -10]\n"                                                                     \
    "  coordinates: " coordinates "\n"                                                             \
    "  bodies: {arm: {mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"                 \
    "  joints:\n"                                                                                  \
    "    ball: {spherical: {between: [ground, arm], at: [0, 0, 0]},\n"                             \
    "           start: {rotation: [0.1, -1.2, 0.3]}}\n"                                            \
    "simulate: {end: 1}\n"

// From above the horizontal to hanging, more than a quarter turn: the charts are re-centred.
static void check_arm(const char *text)
{
    model_case c;
    trm_equilibrium *rest = rest_of_text(&c, text);
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
    // it turns freely about the vertical, which is its own axis
    assert_int_equal(r->mobility, 3);
    assert_int_equal(r->free, 1);
    assert_int_equal(r->unstable, 0);
    // m g l / (J + m l^2) = 10/0.6 both ways; the stiffness is exact where the position is, and
    // that is found to 1e-9 of a coordinate at a free direction
    for (int k = 1; k < 3; k++)
        check_near(trm_equilibrium_direction(rest, k)->stiffness, 10 / 0.6, 1e-7);
    finish(&c, rest);
}

static void test_equilibrium_spherical_pendulum_is_free_about_the_vertical(void **state)
{
    (void)state;
    check_arm(ARM("joint"));
    check_arm(ARM("absolute"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equilibrium_hanging_spring_sags_by_weight_over_stiffness),
        cmocka_unit_test(test_equilibrium_pendulum_from_nearly_upright_ends_hanging),
        cmocka_unit_test(test_equilibrium_upright_pendulum_is_unstable_along_x),
        cmocka_unit_test(test_equilibrium_saddle_reached_from_afar_is_left_downhill),
        cmocka_unit_test(test_equilibrium_saddle_is_left_alike_in_any_unit),
        cmocka_unit_test(test_equilibrium_start_on_saddle_stays_there),
        cmocka_unit_test(test_equilibrium_in_singular_position_is_stable_without_directions),
        cmocka_unit_test(test_equilibrium_body_on_level_rail_is_free_along_it),
        cmocka_unit_test(test_equilibrium_with_state_and_algebraic_variable_finds_both),
        cmocka_unit_test(test_equilibrium_following_forces_flutter_is_unstable),
        cmocka_unit_test(test_equilibrium_falling_body_has_none_and_is_named),
        cmocka_unit_test(test_equilibrium_spherical_pendulum_is_free_about_the_vertical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
