// SPDX-License-Identifier: Apache-2.0
// Linkages whose every motion is prescribed: no integrator leaves the assembly it started in, at
// any tolerance, neither at the ends of steps nor inside them. And steps that did not converge are
// not accepted.
#include "models.h"

enum { ROWS = 100 };

static const char *const integrators[] = {
    "bdf", "adams", "explicit", "radau", "radau-adaptive", "generalized-alpha", "hht", "newmark"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

// Coordinate 0 at ROWS times, sampled inside the steps.
static void run(const char *text, const char *path, const char *integrator, double tolerance,
                double *row)
{
    model_case c;
    trm_simulation *s = model_simulate(&c, text, path, integrator, tolerance, NULL);
    double end = trm_model_schedule(c.model)->end, t = 0;
    for (int k = 0; k < ROWS; k++) {
        double at = end * (k + 1) / ROWS;
        const trm_state *state;
        while (t < at)
            assert_int_equal(trm_simulation_step(s, end, &t), TRM_OK);
        assert_int_equal(trm_simulation_sample(s, at, &state), TRM_OK);
        row[k] = state->q[0];
    }
    trm_simulation_destroy(s);
    model_close(&c);
}

static void assert_branch(const char *text, const char *path)
{
    double expected[ROWS], row[ROWS];
    run(text, path, "bdf", 1e-9, expected);
    for (int i = 0; i < INTEGRATORS; i++)
        for (double tolerance = 0.1; tolerance > 1e-9; tolerance *= 0.1) {
            run(text, path, integrators[i], tolerance, row);
            for (int k = 0; k < ROWS; k++) {
                // Positions follow from the constraints, whatever the method; only those inside the
                // first, loose steps have an error of the polynomial that the projection leaves. In
                // radians and metres; another assembly is some tenths away.
                if (!(fabs(row[k] - expected[k]) < 1e-2))
                    fail_msg("%s, %g: row %d is %.9g instead of %.9g", integrators[i], tolerance, k,
                             row[k], expected[k]);
            }
        }
}

static void test_branches_of_quick_return(void **state)
{
    (void)state;
    assert_branch(NULL, "examples/mechanisms/quick-return.yaml");
}

static void test_branches_of_four_bar(void **state)
{
    (void)state;
    assert_branch("trammel: 1\n"
                  "mechanism:\n"
                  "  plane: xy\n"
                  "  bodies:\n"
                  "    crank: {mass: 1, center: [0, 0.5], inertia: 0.1}\n"
                  "    rod: {mass: 1, center: [1.5, 1.5], inertia: 0.5}\n"
                  "    rocker: {mass: 1, center: [3, 1], inertia: 0.3}\n"
                  "  joints:\n"
                  "    drive: {revolute: {between: [ground, crank], at: [0, 0]},\n"
                  "            motion: \"2*t + 0.5*sin(3*t)\"}\n"
                  "    pin: {revolute: {between: [crank, rod], at: [0, 1]}}\n"
                  "    knee: {revolute: {between: [rod, rocker], at: [3, 2]}}\n"
                  "    base: {revolute: {between: [ground, rocker], at: [3, 0]}}\n"
                  "simulate: {end: 10}\n",
                  "m.yaml");
}

// the angle behind a Cardan joint bent by 24 degrees, tan(out) = tan(in) / cos(bend), 4.8 turns
static void test_branches_of_cardan_shaft(void **state)
{
    (void)state;
    assert_branch("trammel: 1\n"
                  "mechanism:\n"
                  "  bodies:\n"
                  "    a: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
                  "    b: {mass: 1, center: [0.4, 0.1, 0], inertia: [0.01, 0.01, 0.01]}\n"
                  "  joints:\n"
                  "    drive: {revolute: {between: [ground, a], at: [0, 0, 0], axis: x},\n"
                  "            motion: \"30*t\"}\n"
                  "    cross: {universal: {between: [a, b], at: [0.2, 0, 0], axis: y,\n"
                  "                        second_axis: z}}\n"
                  "    out: {revolute: {between: [ground, b], at: [0.2, 0, 0],\n"
                  "                     axis: [0.9, 0.4, 0]}}\n"
                  "simulate: {end: 1}\n",
                  "m.yaml");
}

// A crank of 1 m whose rod is longer by a part: the slider at cos phi + sqrt(rod^2 - sin^2 phi)
// goes past the pivot of the crank at twice a turn within sqrt(2 part) rad, where the other
// assembly, with the minus sign, is as close as that. No step may take the straight way over to it.
static void test_branches_close_to_dead_centres(void **state)
{
    (void)state;
    static const double parts[] = {0.03, 0.001};
    double row[ROWS];
    for (int k = 0; k < 2; k++) {
        const double rod = 1 + parts[k];
        char text[1000];
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "mechanism:\n"
                 "  plane: xy\n"
                 "  coordinates: absolute\n"
                 "  bodies:\n"
                 "    slider: {mass: 1, center: [%.17g, 0], inertia: 0.1}\n"
                 "    crank: {mass: 1, center: [0.5, 0], inertia: 0.1}\n"
                 "    rod: {mass: 1, center: [%.17g, 0], inertia: 0.1}\n"
                 "  joints:\n"
                 "    shaft: {revolute: {between: [ground, crank], at: [0, 0]}, motion: \"10*t\"}\n"
                 "    pin: {revolute: {between: [crank, rod], at: [1, 0]}}\n"
                 "    wrist: {revolute: {between: [rod, slider], at: [%.17g, 0]}}\n"
                 "    guide: {prismatic: {between: [ground, slider], at: [%.17g, 0], axis: x}}\n"
                 "simulate: {end: 3}\n",
                 1 + rod, 1 + 0.5 * rod, 1 + rod, 1 + rod);
        for (int i = 0; i < INTEGRATORS; i++)
            for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 1e-2) {
                run(text, "m.yaml", integrators[i], tolerance, row);
                for (int j = 0; j < ROWS; j++) {
                    double phi = 0.3 * (j + 1), place = sqrt(rod * rod - sin(phi) * sin(phi));
                    // rows follow from the constraints (see above); the other slider is at -2 place
                    if (!(fabs(row[j] - cos(phi) - place) < 1e-2))
                        fail_msg("rod %g, %s, %g: row %d is %.9g instead of %.9g", rod,
                                 integrators[i], tolerance, j, row[j], cos(phi) + place);
                }
            }
    }
}

// A motor with limited torque: 2 N m until 2.96 rad/s on 1 kg m^2, then an exponential approach to
// 3 rad/s. phi = v^2/4 + (t - v/2) 3 - (0.04 (1 - exp(-50 (t - v/2))))/50 with v = 2.96.
static void test_converged_steps_of_limited_torque(void **state)
{
    (void)state;
    static const char text[] = "trammel: 1\n"
                               "equations:\n"
                               "  coordinates: {phi: om}\n"
                               "  mass: [1]\n"
                               "  force: [\"min(2, max(-2, 50*(3 - om)))\"]\n"
                               "simulate: {end: 5}\n";
    const double v = 2.96, rest = 5 - v / 2;
    const double phi = v * v / 4 + 3 * rest - 0.04 / 50 * (1 - exp(-50 * rest));
    double row[ROWS];
    for (int i = 0; i < INTEGRATORS; i++)
        for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01) {
            run(text, "m.yaml", integrators[i], tolerance, row);
            if (!(fabs(row[ROWS - 1] - phi) < 10 * tolerance + 1e-7))
                fail_msg("%s, %g: %.12g instead of %.12g", integrators[i], tolerance, row[ROWS - 1],
                         phi);
        }
}

// Dry friction 2 tanh(v/0.01) stops 1 kg with 4 m/s after 4 m, less what is missing of the friction
// at small speeds. With the alpha methods, whose estimates see rates and not what led to them.
static void test_converged_steps_of_friction(void **state)
{
    (void)state;
    static const char text[] = "trammel: 1\n"
                               "equations:\n"
                               "  coordinates: {x: v}\n"
                               "  mass: [1]\n"
                               "  force: [\"-2*tanh(v/0.01)\"]\n"
                               "initial: {values: {v: 4}}\n"
                               "simulate: {end: 3}\n";
    double row[ROWS];
    for (int i = 5; i < INTEGRATORS; i++)
        for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 1e-3) {
            run(text, "m.yaml", integrators[i], tolerance, row);
            if (!(fabs(row[ROWS - 1] - 4) < 10 * tolerance + 1e-3))
                fail_msg("%s, %g: %.12g instead of 4", integrators[i], tolerance, row[ROWS - 1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches_of_quick_return),
        cmocka_unit_test(test_branches_of_four_bar),
        cmocka_unit_test(test_branches_of_cardan_shaft),
        cmocka_unit_test(test_branches_close_to_dead_centres),
        cmocka_unit_test(test_converged_steps_of_limited_torque),
        cmocka_unit_test(test_converged_steps_of_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
