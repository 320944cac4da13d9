// SPDX-License-Identifier: Apache-2.0
// Excitations, motions and events that change at given times, with every integrator: none is
// stepped over, however short, and none is smeared over a step.
#include "models.h"

#include "solver/integrator/simulation.h"

static const char *const integrators[] = {
    "bdf", "adams", "explicit", "radau", "radau-adaptive", "generalized-alpha", "hht", "newmark"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

// What a run leaves.
typedef struct result {
    trm_status status;
    double q[4], v[4];
    int fired;
    long steps;
    char said[400];
} result;

// Runs a model with one of the integrators, going on after events.
static result run(const char *text, const char *integrator, double tolerance, const char *more)
{
    model_case c;
    trm_simulation *s = model_simulate(&c, text, "m.yaml", integrator, tolerance, more);
    assert_int_equal(trm_simulation_watch(s, trm_instance_events(c.instance)), TRM_OK);
    result r = {0};
    double end = trm_model_schedule(c.model)->end;
    while ((r.status = trm_simulation_run(s, end)) == TRM_STOP_EVENT) {
        r.fired++;
        assert_int_equal(trm_instance_event(c.instance, s, 0), TRM_OK);
    }
    snprintf(r.said, sizeof r.said, "%s", trm_simulation_error(s)->text);
    r.steps = trm_simulation_statistics(s)->steps;
    const trm_state *now = trm_simulation_state(s);
    for (int i = 0; i < c.system->n_q && i < 4; i++) {
        r.q[i] = now->q[i];
        r.v[i] = now->v[i];
    }
    trm_simulation_destroy(s);
    model_close(&c);
    return r;
}

static void assert_near(const char *what, const char *integrator, double value, double expected,
                        double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%s, %s: %.12g instead of %.12g +- %g", what, integrator, value, expected, within);
}

// 1000 N on 1 kg for 1 ms after 5 s: v = 1, and x(10) = 5 - 0.0005. The motion is a polynomial of
// degree two in each part: methods of order two and more have roundoff only, BDF begins with order
// one.
static void test_breaks_pulse_on_mass_at_rest(void **state)
{
    (void)state;
    static const char text[] = "trammel: 1\n"
                               "equations:\n"
                               "  inputs: {hit: \"if(t >= 5 and t < 5.001, 1000, 0)\"}\n"
                               "  coordinates: {x: v}\n"
                               "  mass: [1]\n"
                               "  force: [hit]\n"
                               "simulate: {end: 10}\n";
    for (int i = 0; i < INTEGRATORS; i++)
        for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 1e-3) {
            result r = run(text, integrators[i], tolerance, NULL);
            assert_int_equal(r.status, TRM_OK);
            double within = i == 0 ? 10 * tolerance : 1e-9;
            assert_near("pulse", integrators[i], r.q[0], 4.9995, within);
            assert_near("pulse", integrators[i], r.v[0], 1, within);
        }
}

// 1 N on 1 kg, at 3, 5 and 7.5 s by 1e-5 N more, less, more: x(10) changes by 1e-5 (7^2 - 5^2 +
// 2.5^2)/2, v(10) by 1e-5 (7 - 5 + 2.5). BDF does not begin again at such jumps: its past becomes
// one of the new force, a polynomial of degree two still, so that velocities are exact, and
// positions but for the error of the start, at order one, whose steps end elsewhere: 1.3e-6. With
// an unchanged past it would be 1e-5. A few steps more end at the jumps.
static void test_breaks_slight_jumps_keep_the_past(void **state)
{
    (void)state;
    static const char text[] =
        "trammel: 1\n"
        "parameters: {more: 1e-5}\n"
        "equations:\n"
        "  inputs: {push: \"1 + more*if(t >= 3 and t < 5 or t >= 7.5, 1, 0)\"}\n"
        "  coordinates: {x: v}\n"
        "  mass: [1]\n"
        "  force: [push]\n"
        "simulate: {end: 10}\n";
    static const char smooth[] = "trammel: 1\n"
                                 "equations:\n"
                                 "  coordinates: {x: v}\n"
                                 "  mass: [1]\n"
                                 "  force: [1]\n"
                                 "simulate: {end: 10}\n";
    const result without = run(smooth, "bdf", 1e-3, NULL), with = run(text, "bdf", 1e-3, NULL);
    assert_int_equal(without.status, TRM_OK);
    assert_int_equal(with.status, TRM_OK);
    assert_near("slight jumps", "bdf", with.q[0] - without.q[0], 1e-5 * 15.125, 3e-6);
    assert_near("slight jumps", "bdf", with.v[0] - without.v[0], 1e-5 * 4.5, 1e-9);
    assert_in_range(with.steps, without.steps, without.steps + 12);
}

// The same by a condition on an input, which is a variable of its own in the force, in equations
// and in a mechanism that has a motion and another input as well: 100 N for 50 ms after 5 s on 1
// kg, x(10) = 0.125 + 5 * 4.95.
static void test_breaks_condition_on_an_input(void **state)
{
    (void)state;
    static const char equations[] = "trammel: 1\n"
                                    "equations:\n"
                                    "  inputs: {w: \"sin(t)\", u: \"t - 5\"}\n"
                                    "  coordinates: {x: v}\n"
                                    "  mass: [1]\n"
                                    "  force: [\"if(u > 0 and u < 0.05, 100, 0) + 0*w\"]\n"
                                    "simulate: {end: 10}\n";
    static const char mechanism[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  plane: xy\n"
        "  inputs: {w: \"sin(t)\", u: \"t - 5\"}\n"
        "  bodies:\n"
        "    b: {mass: 1, center: [0, 0], inertia: 1}\n"
        "    c: {mass: 1, center: [0, 0], inertia: 1}\n"
        "  joints:\n"
        "    s: {prismatic: {between: [ground, b], at: [0, 0], axis: x}}\n"
        "    p: {revolute: {between: [ground, c], at: [0, 0]}, motion: \"w\"}\n"
        "  forces:\n"
        "    f: {force: {on: b, at: [0, 0], value: [\"if(u > 0 and u < 0.05, 100, 0)\", 0]}}\n"
        "simulate: {end: 10}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        result r = run(equations, integrators[i], 1e-6, NULL);
        assert_int_equal(r.status, TRM_OK);
        assert_near("input", integrators[i], r.q[0], 24.875, 1e-4);
        r = run(mechanism, integrators[i], 1e-6, NULL);
        assert_int_equal(r.status, TRM_OK);
        assert_near("input of a mechanism", integrators[i], r.q[0], 24.875, 1e-4);
    }
}

#define CART(motion)                                                                               \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  plane: xy\n"                                                                                \
    "  gravity: [0, -9.81]\n"                                                                      \
    "  bodies:\n"                                                                                  \
    "    cart: {mass: 1, center: [0, 0], inertia: 0.1}\n"                                          \
    "    bob: {mass: 1, center: [0, -1], inertia: 0.001}\n"                                        \
    "  joints:\n"                                                                                  \
    "    rail: {prismatic: {between: [ground, cart], at: [0, 0], axis: x}, motion: \"" motion      \
    "\"}\n"                                                                                        \
    "    pin: {revolute: {between: [cart, bob], at: [0, 0]}}\n"

// The cart starts with 1 m/s within no time. The bob has no angular momentum about the moving pin's
// instantaneous place but that of its own mass: (m l^2 + J) w = -m l u', and then it swings in the
// frame of the cart, which moves uniformly. Compared with a bob that starts so.
static void test_breaks_kink_of_motion_is_impulse(void **state)
{
    (void)state;
    const double w = -1 / 1.001;
    static const char kink[] = CART("max(t - 1, 0)") "simulate: {end: 3}\n";
    static const char smooth[] = CART("t") "initial: {values: {pin_rate: -0.999000999000999}}\n"
                                           "simulate: {end: 2}\n";
    result expected = run(smooth, "radau-adaptive", 1e-10, NULL);
    result at_once = run(CART("max(t - 1, 0)") "simulate: {end: 1.0000001}\n", "explicit", 1e-8, 0);
    assert_near("impulse", "explicit", at_once.v[0], w, 1e-6); // after 1e-7 s
    for (int i = 0; i < INTEGRATORS; i++) {
        bool low_order = i > 4;
        result r = run(kink, integrators[i], 1e-7, NULL);
        assert_int_equal(r.status, TRM_OK);
        // second order, and BDF, accumulate more than the tolerance
        assert_near("kink", integrators[i], r.q[0], expected.q[0], low_order ? 2e-4 : 2e-5);
    }
    // in absolute coordinates the constraint of the motion carries the impulse: bob at q[1]
    result r = run(kink, "radau-adaptive", 1e-8, "mechanism.coordinates=absolute");
    assert_int_equal(r.status, TRM_OK);
}

static void test_breaks_jump_of_motion_is_error(void **state)
{
    (void)state;
    static const char jump[] = CART("if(t < 1, 0, 1)") "simulate: {end: 3}\n";
    static const char *const coordinates[] = {"mechanism.coordinates=joint",
                                              "mechanism.coordinates=absolute"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < INTEGRATORS; i++) {
            result r = run(jump, integrators[i], 1e-6, coordinates[k]);
            assert_int_equal(r.status, TRM_ERR_RANGE);
            assert_non_null(strstr(r.said, "at t = 1"));
            assert_non_null(strstr(r.said, "jumps by 1: no motion can follow"));
        }
}

// Quarter car at rest, half-sine bump of 5 cm within 50 ms. As equations and as a mechanism whose
// road is a prescribed plate with a rate that jumps: the same motion.
static void test_breaks_bump_moves_car(void **state)
{
    (void)state;
#define BUMP "if(t > 5 and t < 5.05, 0.05*sin(pi*(t - 5)/0.05), 0)"
    static const char equations[] =
        "trammel: 1\n"
        "equations:\n"
        "  inputs: {road: \"" BUMP "\"}\n"
        "  coordinates: {zb: vb, zw: vw}\n"
        "  mass: [300, 40]\n"
        "  force: [\"-15000*(zb - zw) - 1200*(vb - vw)\",\n"
        "          \"15000*(zb - zw) + 1200*(vb - vw) - 160000*(zw - road)\"]\n"
        "simulate: {end: 5.08}\n";
    static const char mechanism[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies:\n"
        "    plate: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
        "    wheel: {mass: 40, center: [0, 0, 0.3], inertia: [1, 1, 1]}\n"
        "    body: {mass: 300, center: [0, 0, 1], inertia: [10, 10, 10]}\n"
        "  joints:\n"
        "    road: {prismatic: {between: [ground, plate], at: [0, 0, 0], axis: z},\n"
        "           motion: \"" BUMP "\"}\n"
        "    w: {prismatic: {between: [plate, wheel], at: [0, 0, 0.3], axis: z}}\n"
        "    b: {prismatic: {between: [wheel, body], at: [0, 0, 1], axis: z}}\n"
        "  forces:\n"
        "    tyre: {actuator: {joint: w, stiffness: 160000}}\n"
        "    suspension: {actuator: {joint: b, stiffness: 15000, damping: 1200}}\n"
        "simulate: {end: 5.08}\n";
    // the body at 5.08 s by Runge-Kutta steps of 1e-5 s outside of this program
    const double rise = 0.010142261;
    for (int i = 0; i < INTEGRATORS; i++) {
        result e = run(equations, integrators[i], 1e-6, NULL);
        result m = run(mechanism, integrators[i], 1e-6, NULL);
        assert_int_equal(e.status, TRM_OK);
        assert_int_equal(m.status, TRM_OK);
        // tolerance 1e-6, in the mechanism of travels relative to each other; some are of second
        // order
        assert_near("bump", integrators[i], e.q[0], rise, i > 4 ? 3e-5 : 3e-6);
        assert_near("bump", integrators[i], m.q[0] + m.q[1], rise, i > 4 ? 3e-5 : 3e-6);
    }
}

// rising zeros of sin(100 pi (t + 0.001)) in one second: 50
static void test_breaks_fast_events_are_all_seen(void **state)
{
    (void)state;
    static const char text[] =
        "trammel: 1\n"
        "equations: {coordinates: {x: v}, mass: [1], force: [0], states: {count: 0}}\n"
        "initial: {values: {v: 1}}\n"
        "events: {tick: {when: \"sin(2*pi*50*(t + 0.001))\", direction: rising,\n"
        "                set: {count: \"count + 1\"}}}\n"
        "simulate: {end: 1}\n";
    for (int i = 0; i < INTEGRATORS; i++)
        for (double tolerance = 1e-3; tolerance > 1e-9; tolerance *= 1e-5)
            assert_int_equal(run(text, integrators[i], tolerance, NULL).fired, 50);
}

// The event of the position crosses twice in a long smooth step of a method of high order, and the
// one of the time lies where the force jumps: it fires once.
static void test_breaks_events_inside_steps_and_at_breaks(void **state)
{
    (void)state;
    static const char parabola[] =
        "trammel: 1\n"
        "equations: {coordinates: {x: v}, mass: [1], force: [-2]}\n"
        "initial: {values: {v: 10}}\n" // x = t (10 - t) is above 24 from 4 to 6
        "events: {high: {when: \"x - 24\", log: above}}\n"
        "simulate: {end: 10}\n";
    static const char jump[] =
        "trammel: 1\n"
        "equations: {coordinates: {x: v}, mass: [1], force: [\"if(t >= 5, 1, 0)\"]}\n"
        "events: {now: {when: \"t - 5\", log: now}}\n"
        "simulate: {end: 10}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        assert_int_equal(run(parabola, integrators[i], 1e-4, NULL).fired, 2);
        result r = run(jump, integrators[i], 1e-6, NULL);
        assert_int_equal(r.fired, 1);
        assert_near("jump", integrators[i], r.q[0], 12.5, 1e-4);
    }
}

// A pendulum on the first of twelve carts that all start at once: far more excitations than
// unknowns. The bob as in test_breaks_kink_of_motion_is_impulse, right behind the kink.
static void test_breaks_many_excitations_fit_into_scratch_memory(void **state)
{
    (void)state;
    enum { CARTS = 12 };
    char text[4000] = "trammel: 1\nmechanism:\n  plane: xy\n  gravity: [0, -9.81]\n  bodies:\n",
         line[200];
    for (int k = 0; k < CARTS; k++) {
        snprintf(line, sizeof line, "    b%d: {mass: 1, center: [%d, 0], inertia: 0.1}\n", k, k);
        strcat(text, line);
    }
    strcat(text, "    bob: {mass: 1, center: [0, -1], inertia: 0.001}\n  joints:\n");
    for (int k = 0; k < CARTS; k++) {
        snprintf(line, sizeof line,
                 "    j%d: {prismatic: {between: [ground, b%d], at: [%d, 0], axis: x}, motion: "
                 "\"max(0, t - 0.5)\"}\n",
                 k, k, k);
        strcat(text, line);
    }
    strcat(text, "    pin: {revolute: {between: [b0, bob], at: [0, 0]}}\nsimulate: {end: 0.5}\n");
    for (int i = 0; i < INTEGRATORS; i++) {
        model_case c;
        trm_simulation *s = model_simulate(&c, text, "m.yaml", integrators[i], 1e-8, NULL);
        assert_int_equal(trm_simulation_run(s, 0.5 + 1e-9), TRM_OK);
        assert_in_range(s->scratch.peak, 1, s->scratch.size);
        // the swing within 1e-9 s changes 1e-8 of it
        assert_near("carts", integrators[i], trm_simulation_state(s)->v[0], -1 / 1.001, 1e-6);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_pulse_on_mass_at_rest),
        cmocka_unit_test(test_breaks_slight_jumps_keep_the_past),
        cmocka_unit_test(test_breaks_condition_on_an_input),
        cmocka_unit_test(test_breaks_kink_of_motion_is_impulse),
        cmocka_unit_test(test_breaks_jump_of_motion_is_error),
        cmocka_unit_test(test_breaks_bump_moves_car),
        cmocka_unit_test(test_breaks_fast_events_are_all_seen),
        cmocka_unit_test(test_breaks_events_inside_steps_and_at_breaks),
        cmocka_unit_test(test_breaks_many_excitations_fit_into_scratch_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
