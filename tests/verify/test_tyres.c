// SPDX-License-Identifier: Apache-2.0
// Tyres: weighted slips against numbers from the published formulas, roads against tilted planes,
// slips that follow against their closed form; all derivatives against differences.
#include "mechanism_runs.h"

#include <trammel/check.h>

#define TYRE(more)                                                                                 \
    "  forces:\n"                                                                                  \
    "    tyre:\n"                                                                                  \
    "      tyre: {between: [ground, wheel], center: [0, 0, 0.3], law: {pac2002: {file: "           \
    "saloon.tir, RBX1: 12, RBX2: 9, RCX1: 1.1, REX1: -0.3, REX2: 0.2, RHX1: 0.01, RBY1: 14, "      \
    "RBY2: 11, RBY3: 0.01, RCY1: 1.05, REY1: 0.1, REY2: 0.05, RHY1: 0.02, RHY2: -0.01, RVY1: "     \
    "0.05, RVY2: -0.02, RVY3: -0.3, RVY4: 12, RVY5: 1.9, RVY6: -11, SSZ1: 0.02, SSZ2: -0.01, "     \
    "SSZ3: 0.3, SSZ4: -0.1, PTX1: 1.9, PTX2: 0.1, PTX3: 0.3, PTY1: 1.7, PTY2: 2.1}}" more "}\n"    \
    "outputs: {load: tyre_load, slip: tyre_slip, angle: tyre_slip_angle, along: "                  \
    "tyre_longitudinal, across: tyre_lateral, moment: tyre_aligning, road: tyre_road, x: "         \
    "wheel_x, y: wheel_y, z: wheel_z}\n"                                                           \
    "simulate: {end: 1, tolerance: 1e-9}\n"
#define HEAD                                                                                       \
    "trammel: 1\n"                                                                                 \
    "name: wheel\n"                                                                                \
    "tables:\n"                                                                                    \
    "  bump: {points: [[-5, 0], [0, 0], [2, 0], [2.5, 0.01], [3, 0.02], [4, 0], [9, 0]], "         \
    "interpolation: spline, beyond: hold}\n"                                                       \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  bodies: {wheel: {mass: 300, center: [0, 0, 0.3], inertia: [20, 30, 25]}}\n"
#define FREE "  joints: {place: {free: {between: [ground, wheel]}}}\n"

enum { LOAD, SLIP, ANGLE, ALONG, ACROSS, MOMENT, ROAD, X, Y, Z, OUTPUTS };

static trm_simulation *open_wheel(model_case *c, const char *text, const char *const *set)
{
    model_try(c, text, "examples/vehicles/m.yaml", set);
    if (c->status != TRM_OK)
        fail_msg("%s", c->said);
    model_instantiate(c);
    return start(c);
}

static void outputs_at(model_case *c, trm_simulation *s, double t, double *value)
{
    if (t > 0)
        run_to(s, t);
    assert_int_equal(trm_instance_outputs(c->instance, trm_simulation_state(s), value), 0);
}

static void close_wheel(model_case *c, trm_simulation *s)
{
    trm_simulation_destroy(s);
    model_close(c);
}

// ---- weighted slips --------------------------------------------------------------------------

// Numbers of a program of its own for the formulas of PAC2002, all digits.
static void test_tyres_weighted_slips_have_published_forces(void **state)
{
    (void)state;
    static const struct {
        double load, slip, angle, along, across, moment;
    } at[] = {{3000, 0.03, -0.05, 1552.04434, 1915.05255, -29.6719142},
              {4500, -0.1, 0.08, -3638.91373, -2769.04454, -1.41374417}};
    for (int k = 0; k < 2; k++) {
        char z[100], rates[100], spin[100];
        double value[OUTPUTS];
        snprintf(z, sizeof z, "mechanism.joints.place.start.z=%.17g",
                 0.344 - at[k].load / 158294 - 0.3);
        snprintf(rates, sizeof rates, "initial.values={place_x_rate: 20, place_y_rate: %.17g}",
                 20 * tan(at[k].angle));
        snprintf(spin, sizeof spin, "mechanism.joints.place.start.spin=[0, %.17g, 0]",
                 20 * (1 + at[k].slip) / 0.344);
        const char *const set[] = {z, rates, spin, NULL};
        model_case c;
        trm_simulation *s = open_wheel(&c, HEAD FREE TYRE(", slip: weighted"), set);
        outputs_at(&c, s, 0, value);
        assert_true(fabs(value[LOAD] - at[k].load) < 1e-6);
        assert_true(fabs(value[SLIP] - at[k].slip) < 1e-9);
        assert_true(fabs(value[ALONG] - at[k].along) < 1e-8 * fabs(at[k].along));
        assert_true(fabs(value[ACROSS] - at[k].across) < 1e-8 * fabs(at[k].across));
        assert_true(fabs(value[MOMENT] - at[k].moment) < 1e-7 * fabs(at[k].moment));
        close_wheel(&c, s);
    }
}

// ---- derivatives -----------------------------------------------------------------------------

#define FOLLOWING ", slip: weighted, relaxation: law, relaxation_along: law, damping: 500"

// Differences of a smooth system agree to 1e-6 or better (measured 1e-8).
static void test_tyres_derivatives_agree_with_differences(void **state)
{
    (void)state;
    static const char *const text[] = {
        HEAD FREE TYRE(FOLLOWING ", road: \"table(bump, road_x + 2.6 + 0.1*road_y) + "
                                 "0.01*sin(3*road_x)*cos(2*road_y)\""),
        HEAD FREE TYRE(FOLLOWING
                       ", road_along: \"table(bump, road_s + 2.6) + 0.01*sin(3*road_s)\"")};
    for (int k = 0; k < 4; k++) {
        const char *const set[] = {"initial.values={place_x_rate: 20, place_y_rate: 0.4}",
                                   "mechanism.joints.place.start.rotation=[0.05, 0.1, 0.08]",
                                   "mechanism.joints.place.start.spin=[0.1, 59, 0.2]",
                                   coordinates[k % 2], NULL};
        model_case c;
        trm_simulation *s = open_wheel(&c, text[k / 2], set);
        trm_derivative_report report;
        trm_status status = trm_system_check_derivatives(c.system, trm_simulation_state(s), 1e-6,
                                                         &report, &c.error);
        if (status != TRM_OK)
            fail_msg("%s", c.error.text);
        assert_true(report.quantities >= 7);
        close_wheel(&c, s);
    }
}

// ---- roads -----------------------------------------------------------------------------------

// A road of constant slope is a plane with another normal: the same motion, to the tolerance.
static void test_tyres_slope_is_a_tilted_plane(void **state)
{
    (void)state;
    static const char *const text[] = {
        HEAD FREE TYRE(", slip: combined, damping: 900, road: \"0.1*road_x - 0.05*road_y\""),
        HEAD FREE TYRE(", slip: combined, damping: 900, normal: [-0.1, 0.05, 1]")};
    static const char *const set[] = {"initial.values={place_x_rate: 8, place_y_rate: 0.2}",
                                      "mechanism.joints.place.start.z=0.025",
                                      "mechanism.joints.place.start.rotation=[0.02, 0.03, 0.1]",
                                      "mechanism.joints.place.start.spin=[0, 24, 0]", NULL};
    double value[2][OUTPUTS];
    for (int k = 0; k < 2; k++) {
        model_case c;
        trm_simulation *s = open_wheel(&c, text[k], set);
        outputs_at(&c, s, 0.05, value[k]);
        close_wheel(&c, s);
    }
    assert_true(value[0][LOAD] > 500 && fabs(value[0][ACROSS]) > 10);
    for (int i = 0; i < OUTPUTS; i++)
        if (i != ROAD && fabs(value[0][i] - value[1][i]) > 1e-6 * (fabs(value[1][i]) + 1e-3))
            fail_msg("output %d: %.10g and %.10g", i, value[0][i], value[1][i]);
}

// Rolling straight on, the way is the place: the same motion over the same bumps.
static void test_tyres_way_is_the_place_straight_on(void **state)
{
    (void)state;
    static const char *const text[] = {
        HEAD FREE TYRE(", slip: combined, damping: 900, road: \"table(bump, 10*road_x)\""),
        HEAD FREE TYRE(", slip: combined, damping: 900, road_along: \"table(bump, 10*road_s)\"")};
    static const char *const set[] = {"initial.values={place_x_rate: 8}",
                                      "mechanism.joints.place.start.z=0.025",
                                      "mechanism.joints.place.start.spin=[0, 24, 0]", NULL};
    double value[2][OUTPUTS];
    for (int k = 0; k < 2; k++) {
        model_case c;
        trm_simulation *s = open_wheel(&c, text[k], set);
        outputs_at(&c, s, 0.035, value[k]);
        close_wheel(&c, s);
    }
    assert_true(value[0][LOAD] > 500 && value[0][ROAD] > 0.005);
    for (int i = 0; i < OUTPUTS; i++)
        if (fabs(value[0][i] - value[1][i]) > 1e-6 * (fabs(value[1][i]) + 1e-3))
            fail_msg("output %d: %.10g and %.10g", i, value[0][i], value[1][i]);
}

// ---- bumps -----------------------------------------------------------------------------------

// One wheel that rolls steadily with 25 m/s onto what begins after 50 m of flat road: long steps do
// not pass over it. The road is a bump of straight lines, of cubics, or 150 points of a rough
// patch, more than there are conditions.
static void write_road(char *text, size_t size, bool rough)
{
    size_t used = (size_t)snprintf(text, size, "tables.ahead.points=[[0, 0], [50, 0]");
    for (int i = 1; i < 150 && rough; i++)
        used += (size_t)snprintf(text + used, size - used, ", [%.17g, %.17g]", 50 + 0.02 * i,
                                 0.004 * sin(i * i));
    snprintf(text + used, size - used, "%s, [53, 0], [500, 0]]",
             rough ? "" : ", [50.5, 0.02], [51, 0.03], [51.5, 0.02], [52, 0]");
}

static void roll_onto(const char *road, const char *points, const char *interpolation,
                      const char *const how[3], double *value)
{
    static const char text[] =
        "trammel: 1\n"
        "name: wheel\n"
        "tables: {ahead: {points: [[0, 0], [1, 0]], beyond: hold}}\n"
        "mechanism:\n"
        "  gravity: [0, 0, -9.81]\n"
        "  bodies: {wheel: {mass: 300, center: [0, 0, 0.344], inertia: [20, 30, 25]}}\n"
        "  joints: {place: {planar: {between: [ground, wheel], at: [0, 0, 0.344], axis: y}, start: "
        "{x_rate: 25, y: 0.0185919870620491, keep: true}}}\n"
        "  forces: {tyre: {tyre: {between: [ground, wheel], center: [0, 0, 0.344], damping: 3000, "
        "law: {pac2002: {file: saloon.tir}}}}}\n"
        "outputs: {z: wheel_z, load: tyre_load}\n"
        "simulate: {end: 4}\n";
    const char *const set[] = {road, points, interpolation, how[0], how[1], how[2], NULL};
    model_case c;
    trm_simulation *s = open_wheel(&c, text, set);
    run_to(s, 2.05);
    assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(s), value), 0);
    close_wheel(&c, s);
}

// Reference: the same with steps of at most 1 ms at 1e-9, at 2.05 s, behind 1.25 m of it. 3e-4 m, 1
// % of the load: what corners inside of a step leave (measured 1e-4 m); a bump that is passed over
// is 15 mm and half of the load.
static void test_tyres_no_bump_is_passed_over(void **state)
{
    (void)state;
    static const char *const fine[3] = {"simulate.integrator=explicit", "simulate.tolerance=1e-9",
                                        "simulate.step.max=1e-3"};
    static const char *const integrator[] = {"simulate.integrator=auto", "simulate.integrator=bdf",
                                             "simulate.integrator=radau-adaptive"};
    static const char *const roads[] = {
        "mechanism.forces.tyre.tyre.road=table(ahead, road_x)",
        "mechanism.forces.tyre.tyre.road_along=table(ahead, road_s)"};
    static const char *const interpolation[] = {"tables.ahead.interpolation=linear",
                                                "tables.ahead.interpolation=monotone",
                                                "tables.ahead.interpolation=linear"};
    static char points[10000];
    for (int k = 0; k < 3; k++) {
        double expected[2];
        write_road(points, sizeof points, k == 2);
        roll_onto(roads[k % 2], points, interpolation[k], fine, expected);
        assert_true(fabs(expected[1] - 2943) > 100);
        for (int i = 0; i < 3; i++) {
            const char *const how[3] = {integrator[i], "simulate.tolerance=1e-6", NULL};
            double value[2];
            roll_onto(roads[k % 2], points, interpolation[k], how, value);
            if (!(fabs(value[0] - expected[0]) < 3e-4 && fabs(value[1] - expected[1]) < 30))
                fail_msg("road %d, %s: z %.9g, load %.7g instead of %.9g, %.7g", k, integrator[i],
                         value[0], value[1], expected[0], expected[1]);
        }
    }
}

// ---- relaxation ------------------------------------------------------------------------------

#define GUIDE(axis)                                                                                \
    "  joints: {guide: {prismatic: {between: [ground, wheel], at: [0, 0, 0.3], axis: " axis "}}}"  \
    "\n"

// A heavy wheel that is turned by 0.02 rolls on with v: y = tan 0.02 (1 - exp(-v cos 0.02
// t/sigma)).
static void test_tyres_slip_follows_over_its_length(void **state)
{
    (void)state;
    static const char *const set[] = {"mechanism.bodies.wheel.mass=1e9",
                                      "initial.values={guide_travel_rate: 20}",
                                      "mechanism.gravity=[0, 0, 0]", NULL};
    model_case c;
    trm_simulation *s = open_wheel(
        &c, HEAD GUIDE("x") TYRE(", axis: [-0.0199986667, 0.9998000067, 0], relaxation: 0.5"), set);
    for (int k = 1; k < 5; k++) {
        double t = 0.02 * k, value[OUTPUTS];
        double exact = atan(tan(0.02) * -expm1(-20 * cos(0.02) * t / 0.5));
        outputs_at(&c, s, t, value);
        if (fabs(fabs(value[ANGLE]) - exact) > 1e-7)
            fail_msg("t = %g: %.9g instead of %.9g", t, value[ANGLE], exact);
    }
    close_wheel(&c, s);
}

// Parked across a slope a tyre without relaxation creeps, F = C v/(s/2) with the low speed s: 2.6
// mm/s here; with it it is a spring of C/sigma, whose oscillation has twice its deflection.
static void test_tyres_parked_wheel_is_held_by_relaxation(void **state)
{
    (void)state;
    static const char *const text[] = {HEAD GUIDE("y") TYRE(""),
                                       HEAD GUIDE("y") TYRE(", relaxation: 0.5")};
    static const char *const set[] = {"mechanism.gravity=[0, 0.5, -9.81]",
                                      "mechanism.joints.guide.prismatic.at=[0, 0, 0.3]", NULL};
    double value[2][OUTPUTS];
    for (int k = 0; k < 2; k++) {
        model_case c;
        trm_simulation *s = open_wheel(&c, text[k], set);
        outputs_at(&c, s, 10, value[k]);
        close_wheel(&c, s);
    }
    double force = 300 * 0.5, C = fabs(value[0][ACROSS] / value[0][ANGLE]);
    double creep = 10 * force / C * 0.5, deflection = force / C * 0.5;
    assert_true(fabs(value[0][Y] - creep) < 0.05 * creep);
    assert_true(value[1][Y] >= -1e-6 && value[1][Y] < 2.1 * deflection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tyres_weighted_slips_have_published_forces),
        cmocka_unit_test(test_tyres_derivatives_agree_with_differences),
        cmocka_unit_test(test_tyres_slope_is_a_tilted_plane),
        cmocka_unit_test(test_tyres_way_is_the_place_straight_on),
        cmocka_unit_test(test_tyres_no_bump_is_passed_over),
        cmocka_unit_test(test_tyres_slip_follows_over_its_length),
        cmocka_unit_test(test_tyres_parked_wheel_is_held_by_relaxation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
