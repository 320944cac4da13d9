// SPDX-License-Identifier: Apache-2.0
// What is wrong with wheels on rails: the messages.
#include "models.h"

#define MODEL(joint, keys)                                                                         \
    "trammel: 1\n"                                                                                 \
    "tables:\n"                                                                                    \
    "  wheel: {points: [[-0.02, -0.0005], [0.02, 0.0005]]}\n"                                      \
    "  flat: {points: [[-0.04, 0], [0.04, 0]]}\n"                                                  \
    "  rail: {points: [[-0.04, 0.0026], [0, 0], [0.04, 0.0026]], interpolation: spline}\n"         \
    "mechanism:\n"                                                                                 \
    "  bodies: {set: {mass: 1800, center: [0, 0, 0.46], inertia: [1100, 110, 1100]}}\n"            \
    "  joints:\n"                                                                                  \
    "    place: {free: {between: [ground, set]}}\n"                                                \
    "    left: {" joint ": {between: [ground, set], " keys "}}\n"                                  \
    "outputs: {n: left_n, yq: left_yq}\n"                                                          \
    "simulate: {end: 1}\n"
#define PLACE "at: [0, 0.75, 0], center: [0, 0.75, 0.46], axis: y, radius: 0.46, load: 1e4, "

static void test_rail_places_are_explained(void **state)
{
    (void)state;
    model_assert_says(
        MODEL("wheel-rail", "at: [0, 0.75, 0], center: [0, 0.75, 0.47], axis: y, radius: "
                            "0.46, load: 1e4, wheel: wheel, rail: rail"),
        "m.yaml:10:53: error: wheel and rail of 'left' do not touch: they are 9.9 mm apart\n");
    model_assert_says(MODEL("wheel-rail",
                            "at: [0, 0.75, 0], center: [0, 0.75, 0.46], axis: y, radius: "
                            "0.01, load: 1e4, wheel: wheel, rail: rail"),
                      " m wide, and the wheel has a radius of 0.01 m: were millimetres meant? "
                      "Lengths without a unit are in metres\n");
    model_assert_says(MODEL("wheel-rail",
                            "at: [0, 0.75, 0], center: [0, 0.75, 0.46], axis: y, radius: "
                            "0.46, load: 1e4, poisson: 1, wheel: wheel, rail: rail"),
                      "error: 'poisson' is at most 0.5, not 1\n");
    model_assert_says(
        MODEL("wheel-rail", "at: [0, 0.75, 0], center: [0, 0.75, 0.44], axis: y, radius: "
                            "0.46, load: 1e4, wheel: wheel, rail: rail"),
        "error: wheel and rail of 'left' do not touch: they are 20.1 mm inside each other\n");
    model_assert_says(MODEL("wheel-rail",
                            "at: [0, 0.75, 0], center: [0, 0.75, 0.46], axis: z, radius: "
                            "0.46, load: 1e4, wheel: wheel, rail: rail"),
                      "error: the axle of 'left' is normal to the track\n");
}

static void test_rail_numbers_are_explained(void **state)
{
    (void)state;
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: tread, rail: rail"),
                      "error: there is no table 'tread'");
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, points: 2"),
                      "error: 'points' must be a whole number from 3 to 512\n");
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, points: 10.5"),
                      "error: 'points' must be a whole number from 3 to 512\n");
    model_assert_says(
        MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, creep: [0, 1, 1, 1, 1, 1]"),
        "error: the semi-axes of the contact must be positive\n");
    model_assert_says(
        MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, creep_law: fast"),
        "error: 'creep_law' cannot be 'fast'; it is one of johnson-vermeulen, fastsim");
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, creep_axes: track"),
                      "error: 'creep_axes' cannot be 'track'; it is one of rail, wheel");
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, ellipse: moving"),
                      "error: 'ellipse' cannot be 'moving'; it is one of constant, follows");
    model_assert_says(
        MODEL("wheel-rail", PLACE "wheel: wheel, rail: flat, inclination: 0.025"),
        "error: the profiles of 'left' do not curve away from each other where they touch "
        "(1/radius 0 1/m): give `creep`\n");
    model_assert_says(MODEL("elastic-wheel-rail", PLACE "wheel: wheel, rail: rail, stiffness: 0"),
                      "error: 'stiffness' must be positive, not 0\n");
    model_assert_says(MODEL("wheel-rail", PLACE "wheel: wheel, rail: rail, stiffness: 1e9"),
                      "error: unknown key 'stiffness'");
}

// What a wheel shows is not part of formulas that need derivatives.
static void test_rail_channels_are_for_outputs(void **state)
{
    (void)state;
    model_assert_says(
        "trammel: 1\n"
        "tables:\n"
        "  wheel: {points: [[-0.02, -0.0005], [0.02, 0.0005]]}\n"
        "  rail: {points: [[-0.04, 0.0026], [0, 0], [0.04, 0.0026]]}\n"
        "mechanism:\n"
        "  bodies: {set: {mass: 1800, center: [0, 0, 0.46], inertia: [1100, 110, 1100]}}\n"
        "  joints:\n"
        "    place: {free: {between: [ground, set]}}\n"
        "    left: {wheel-rail: {between: [ground, set], " PLACE
        "wheel: wheel, rail: rail, creep: [0.005, 0.005, 4, 4, 2, 1]}}\n"
        "  forces: {push: {force: {body: set, at: [0, 0, 0.46], value: [0, \"left_xi\", "
        "0]}}}\n"
        "simulate: {end: 1}\n",
        "error: 'left_xi' is for outputs and events only: its derivatives are not known\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rail_places_are_explained),
        cmocka_unit_test(test_rail_numbers_are_explained),
        cmocka_unit_test(test_rail_channels_are_for_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
