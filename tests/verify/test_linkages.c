// SPDX-License-Identifier: Apache-2.0
// Linkages from files in joint and absolute coordinates: redundant rows against the plane twin,
// mobility of known linkages, gears, Bricard's linkage, shafts that turn alike.
#include "mechanism_runs.h"

// ---- redundant rows ----

// the links of examples/mechanisms/four-bar.yaml on hinges in space
static const char spatial_four_bar[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, -9.81, 0]\n"
    "  bodies:\n"
    "    crank: {mass: 0.5, center: [0, 0.1, 0], inertia: [1.7e-3, 1e-4, 1.7e-3]}\n"
    "    coupler: {mass: 1, center: [0.25, 0.3, 0], inertia: [1.3e-2, 1.3e-2, 2.5e-2]}\n"
    "    rocker: {mass: 0.8, center: [0.5, 0.2, 0], inertia: [1.1e-2, 1e-4, 1.1e-2]}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, start: {rate: "
    "-1, keep: true}}\n"
    "    elbow: {revolute: {between: [crank, coupler], at: [0, 0.2, 0], axis: z}}\n"
    "    knee: {revolute: {between: [coupler, rocker], at: [0.5, 0.4, 0], axis: z}}\n"
    "    hinge: {revolute: {between: [ground, rocker], at: [0.5, 0, 0], axis: z}}\n"
    "simulate: {end: 1, tolerance: 1e-9}\n";

// the redundant rows all hold the linkage in its plane: z, ax, ay of some hinge
static int count_redundant(const model_case *c, const trm_simulation *simulation)
{
    int count = 0;
    for (int r = 0; r < c->system->n_g; r++) {
        if (!trm_simulation_row_redundant(simulation, r))
            continue;
        char name[64];
        const char *row = strrchr(trm_row_name(c->system, r, name, sizeof name), '_');
        assert_true(row && (!strcmp(row, "_z") || !strcmp(row, "_ax") || !strcmp(row, "_ay")));
        count++;
    }
    return count;
}

static void test_linkages_redundant_linkage_moves_like_its_plane_twin(void **state)
{
    (void)state;
    static const char *const places[] = {"crank_x",   "crank_y",  "coupler_x",
                                         "coupler_y", "rocker_x", "rocker_y"};
    double plane[6];
    for (int k = -1; k < 2; k++) { // the plane twin first
        const char *const set[] = {k < 0 ? "simulate.tolerance=1e-9" : coordinates[k], NULL};
        model_case c;
        model_try(&c, k < 0 ? NULL : spatial_four_bar,
                  k < 0 ? "examples/mechanisms/four-bar.yaml" : "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *simulation = start(&c);
        assert_int_equal(count_redundant(&c, simulation), k < 0 ? 0 : 3);
        assert_int_equal(trm_simulation_start(simulation)->mobility, 1);
        run_to(simulation, 1);
        double off = 0;
        for (int i = 0; i < 6; i++) {
            double x = channel(&c, simulation, places[i]);
            plane[i] = k < 0 ? x : plane[i];
            off = fmax(off, fabs(x - plane[i]));
        }
        if (k >= 0)
            printf("four-bar in space, %s: off its plane twin by %.1e\n", coordinates[k], off);
        // two solutions of tolerance 1e-9; measured 5e-8
        assert_true(off < 5e-7);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

// ---- mobility ----

typedef struct count {
    const char *name, *coordinates;
    int n, rows, rank;
} count;

// Gruebler's count and what is known of these linkages: Bricard's moves though 30 rows hold 30
// coordinates; six legs leave a platform its six freedoms.
static const count counts[] = {
    {"four-bar", "joint", 3, 2, 2},         {"four-bar", "absolute", 9, 8, 8},
    {"bricard", "joint", 5, 5, 4},          {"bricard", "absolute", 30, 30, 29},
    {"stewart", "joint", 21, 15, 15},       {"stewart", "absolute", 78, 72, 72},
    {"andrews-squeezer", "joint", 7, 6, 6}, {"andrews-squeezer", "absolute", 21, 20, 20}};

static void test_linkages_mobility_of_known_linkages(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        char path[80], text[80];
        const char *const set[] = {text, NULL};
        model_case c;
        snprintf(path, sizeof path, "examples/mechanisms/%s.yaml", counts[k].name);
        snprintf(text, sizeof text, "mechanism.coordinates=%s", counts[k].coordinates);
        model_open(&c, path, set);
        trm_simulation *simulation = start(&c);
        assert_int_equal(c.system->n_q, counts[k].n);
        assert_int_equal(c.system->n_g, counts[k].rows);
        assert_int_equal(trm_simulation_start(simulation)->rank, counts[k].rank);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

// ---- gears ----

// A pendulum drives another shaft by a gear, and that a slider by a rack; 14 turns in 3 s.
static const char geared[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    wheel: {mass: 2, center: [0.1, 0, 0], inertia: [0.05, 0.05, 0.08]}\n"
    "    second: {mass: 1, center: [1, 0.2, 0], inertia: [0.02, 0.02, 0.03]}\n"
    "    slider: {mass: 3, center: [0, 2, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  joints:\n"
    "    a: {revolute: {between: [ground, wheel], at: [0, 0, 0], axis: [0, 1, 1]}, start: {rate: "
    "2, "
    "keep: true}}\n"
    "    b: {revolute: {between: [ground, second], at: [1, 0, 0], axis: [1, 0, 1]}}\n"
    "    c: {prismatic: {between: [ground, slider], at: [0, 2, 0], axis: [1, 0, 1]}}\n"
    "    gear: {coupling: {terms: {a_angle: 1, b_angle: 2.5}}}\n"
    "    rack: {rack-pinion: {rack: c, pinion: b, radius: 0.3}}\n"
    "outputs: {a: a_angle, b: b_angle, c: c_travel, tooth: lambda_gear_gear, push: "
    "lambda_rack_rack}\n"
    "simulate: {end: 3, tolerance: 1e-10, integrator: radau-adaptive}\n";

static void test_linkages_gear_and_rack_in_both_coordinates(void **state)
{
    (void)state;
    double y[2][5];
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], NULL};
        model_case c;
        model_try(&c, geared, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *simulation = start(&c);
        run_to(simulation, 3);
        assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(simulation), y[k]),
                         0);
        // the constraints themselves, to roundoff of 14 turns
        assert_true(fabs(y[k][0]) > 50);
        assert_true(fabs(y[k][0] + 2.5 * y[k][1]) < 1e-11);
        assert_true(fabs(y[k][2] - 0.3 * y[k][1]) < 1e-11);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
    for (int i = 0; i < 5; i++) // at tolerance 1e-10, measured 4e-11
        assert_true(fabs(y[0][i] - y[1][i]) < 1e-8);
}

// ---- Bricard's linkage ----

// With a redundant row and multipliers of minimum norm the loop stays closed and nothing does work.
static void test_linkages_bricard_keeps_its_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], "simulate.tolerance=1e-12",
                                   "simulate.integrator=radau-adaptive", NULL};
        model_case c;
        double energy[2];
        model_open(&c, "examples/mechanisms/bricard.yaml", set);
        trm_simulation *simulation = start(&c);
        for (int i = 0; i < 2; i++) {
            run_to(simulation, i);
            energy[i] = trm_simulation_energy(simulation);
        }
        printf("Bricard, %s: energy off by %.1e of %.3g J\n", coordinates[k], energy[1] - energy[0],
               energy[0]);
        const trm_statistics *st = trm_simulation_statistics(simulation);
        assert_true(fabs(energy[1] - energy[0]) < 1e-9); // measured 2e-12
        assert_true(st->position_residual_max < 1e-13);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

// ---- shafts that turn alike ----

// Two shafts at 0.5 rad, turned by the same angle: nothing is to be assembled (spec, section 9: rz
// is 0 to 3e-16; 1e-15 is roundoff of numbers of size 1). Turned by different ones, the second
// follows.
static void test_linkages_constant_velocity_joint_of_shafts_at_an_angle(void **state)
{
    (void)state;
    static const double angles[][2] = {{0.3, 0.3}, {1.4, 1.4}, {-2.5, -2.5}, {2, 1.2}};
    for (int k = 0; k < 4; k++) {
        char text[900];
        model_case c;
        snprintf(text, sizeof text,
                 "trammel: 1\nmechanism:\n  bodies:\n"
                 "    a: {mass: 1, center: [0, 0, -1], inertia: [1, 1, 1]}\n"
                 "    b: {mass: 1, center: [0, \"sin(0.5)\", \"cos(0.5)\"], inertia: [1, 1, 1]}\n"
                 "  joints:\n"
                 "    first: {revolute: {between: [ground, a], at: [0, 0, -1], axis: z}, start: "
                 "{angle: %g, keep: true}}\n"
                 "    second: {revolute: {between: [ground, b], at: [0, \"sin(0.5)\", "
                 "\"cos(0.5)\"], axis: [0, \"sin(0.5)\", \"cos(0.5)\"]}, start: {angle: %g}}\n"
                 "    alike: {constant-velocity: {between: [a, b], at: [0, 0, 0], axis: z, "
                 "second_axis: [0, \"sin(0.5)\", \"cos(0.5)\"]}}\n"
                 "simulate: {end: 1}\n",
                 angles[k][0], angles[k][1]);
        model_read(&c, text);
        trm_simulation *simulation = start(&c);
        const trm_start_report *r = trm_simulation_start(simulation);
        if (k < 3)
            assert_true(r->position_before < 1e-15);
        // bound of the assembly
        assert_true(fabs(trm_simulation_state(simulation)->q[1] - angles[k][0]) < 1e-9);
        assert_int_equal(r->mobility, 1);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linkages_redundant_linkage_moves_like_its_plane_twin),
        cmocka_unit_test(test_linkages_mobility_of_known_linkages),
        cmocka_unit_test(test_linkages_gear_and_rack_in_both_coordinates),
        cmocka_unit_test(test_linkages_bricard_keeps_its_energy),
        cmocka_unit_test(test_linkages_constant_velocity_joint_of_shafts_at_an_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
