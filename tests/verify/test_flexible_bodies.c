// SPDX-License-Identifier: Apache-2.0
// Beams as bodies of mechanism files: the motion of the hand-written slider-crank with an elastic
// rod, frequencies of Euler's beam, reactions, and the spin-up of a slender beam.
#include "models.h"
#include "problems/problems.h"

#include "modelling/multibody/mechanism.h"
#include "modelling/reader/model.h"

static void check_near(const char *what, double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, wanted);
}

// Where a model is at its end: the channels of its bodies and joints.
typedef struct place {
    double value[200];
    int bodies; // numbers of bodies, then those of joints
    double energy;
} place;

static place run_model(const char *path, const char *const *set, double end)
{
    place p;
    model_case c;
    trm_simulation *s;
    model_open(&c, path, set);
    assert_int_equal(trm_simulation_create(&s, c.system, trm_model_options(c.model),
                                           trm_instance_initial(c.instance), &c.error),
                     TRM_OK);
    if (trm_simulation_run(s, end) != TRM_OK)
        fail_msg("%s: %s", path, trm_simulation_error(s)->text);
    p.bodies = trm_model_count(c.model, TRM_CHANNEL_BODY);
    assert_true(p.bodies + trm_model_count(c.model, TRM_CHANNEL_REACTION) <= 200);
    trmi_instance_mechanism(c.instance, trm_simulation_state(s), p.value);
    p.energy = trm_simulation_energy(s);
    trm_simulation_destroy(s);
    model_close(&c);
    return p;
}

// ---- the slider-crank ----

// phi1, x3 and the place of the middle of the rod, node 2, of the problem at `end`
static void run_problem(bool chord, double end, double out[4], double *energy)
{
    const double l1 = 0.15, l2 = 0.3, section = 0.008 * 0.008;
    const trm_problem_option options[] = {{"modulus", 2e9},
                                          {"rod_inertia", 7870 * section * l2 * l2 * l2 / 3},
                                          {"chord_frame", chord},
                                          {NULL, 0}};
    trp_problem *problem = NULL;
    trm_simulation *s;
    trm_error error;
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_EXPLICIT;
    o.rtol = 1e-9;
    o.atol = 1e-11;
    assert_int_equal(trp_problem_create(&problem, "flexible-slider-crank", options, &error),
                     TRM_OK);
    assert_int_equal(trm_simulation_create(&s, trp_problem_system(problem), &o,
                                           trp_problem_initial(problem), &error),
                     TRM_OK);
    assert_int_equal(trm_simulation_run(s, end), TRM_OK);
    const double *q = trm_simulation_state(s)->q;
    const double w = q[chord ? 6 : 5]; // node 2: behind slope_0, w_1, slope_1
    out[0] = q[0];
    out[1] = q[2];
    out[2] = l1 * cos(q[0]) + l2 / 2 * cos(q[1]) - w * sin(q[1]);
    out[3] = l1 * sin(q[0]) + l2 / 2 * sin(q[1]) + w * cos(q[1]);
    *energy = trm_simulation_energy(s);
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
}

static void test_flexible_bodies_crank_moves_as_the_problem(void **state)
{
    (void)state;
    const double end = 0.1;
    for (int k = 0; k < 4; k++) {
        const bool chord = k / 2, absolute = k % 2;
        const char *const set[] = {absolute ? "mechanism.coordinates=absolute"
                                            : "mechanism.coordinates=joint",
                                   chord ? "mechanism.bodies.rod.beam.frame=chord"
                                         : "mechanism.bodies.rod.beam.frame=tangent",
                                   "mechanism.bodies.rod.beam.stiffening=false", // as the problem
                                   "outputs.middle=rod_2_w",
                                   "outputs.tip=rod_3_w",
                                   "simulate.integrator=explicit",
                                   "simulate.step.fixed=0",
                                   "simulate.tolerance.relative=1e-9",
                                   "simulate.tolerance.absolute=1e-11",
                                   NULL};
        double wanted[4], energy;
        run_problem(chord, end, wanted, &energy);
        const place p = run_model("examples/mechanisms/flexible-slider-crank.yaml", set, end);
        // bodies: crank, rod, slider, then rod_0 (chord only), rod_1, rod_2
        const double *middle = &p.value[3 * (3 + 1 + chord)];
        // both at 1e-9: some hundred steps of the fastest mode, errors of positions below 1e-8
        check_near("crank", p.value[2], wanted[0], 1e-7);
        check_near("slider", p.value[6], wanted[1], 1e-8);
        check_near("middle, x", middle[0], wanted[2], 1e-8);
        check_near("middle, y", middle[1], wanted[3], 1e-8);
        check_near("energy", p.energy, energy, 1e-8);
    }
}

static void test_flexible_bodies_reactions_do_not_depend_on_coordinates(void **state)
{
    (void)state;
    const char *const joint[] = {"mechanism.gravity=[0, -9.81]", "mechanism.coordinates=joint",
                                 NULL};
    const char *const absolute[] = {joint[0], "mechanism.coordinates=absolute", NULL};
    const char *const path = "examples/mechanisms/flexible-slider-crank.yaml";
    // the same fixed steps, the same discrete equations in other coordinates: second order with
    // h = 1e-3 leaves 1e-3 of the largest reaction, 7 N
    const place a = run_model(path, joint, 0.2), b = run_model(path, absolute, 0.2);
    double largest = 0;
    for (int k = 0; k < 12; k++) {
        largest = fmax(largest, fabs(a.value[a.bodies + k]));
        check_near("reaction", b.value[b.bodies + k], a.value[a.bodies + k], 2e-2);
    }
    assert_true(largest > 1);
}

// ---- Euler's beam ----

static const char cantilever[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  bodies:\n"
    "    arm: {beam: {from: [0, 0], to: [0, 2], elements: 8, modulus: 2e11, area: 1e-4,\n"
    "                 inertia: 8e-10, density: 8000}}\n"
    "  joints:\n"
    "    wall: {fixed: {between: [ground, arm], at: [0, 0]}}\n"
    "simulate: {end: 1}\n";

static void test_flexible_bodies_frequencies_are_those_of_euler(void **state)
{
    (void)state;
    // clamped-free: k_i l with cos cosh = -1, k l = 1.87510407, 4.69409113, 7.85475744
    static const double square[] = {3.51601527, 22.0344916, 61.6972144};
    for (int absolute = 0; absolute < 2; absolute++) {
        const char *const set[] = {
            absolute ? "mechanism.coordinates=absolute" : "mechanism.coordinates=joint", NULL};
        const trm_options options = trm_options_default();
        model_case c;
        trm_modes *modes = NULL;
        model_try(&c, cantilever, "m.yaml", set);
        model_instantiate(&c);
        assert_int_equal(trm_modes_create(&modes, c.system, &options,
                                          trm_instance_initial(c.instance), 0, &c.error),
                         TRM_OK);
        assert_int_equal(trm_modes_count(modes), 16);
        const double scale = sqrt(2e11 * 8e-10 / (8000 * 1e-4)) / 4; // sqrt(EI/rA) / l^2
        // cubic elements: (k l / 8)^4/720 too stiff, 1.3e-3 for the third and 4e-6 for the first
        static const double stiffer[] = {1e-5, 2e-4, 2e-3};
        for (int i = 0; i < 3; i++) {
            double ratio = trm_modes_get(modes, i)->omega / (scale * square[i]) - 1;
            assert_true(ratio > -1e-8 && ratio < stiffer[i]);
        }
        trm_modes_destroy(modes);
        model_close(&c);
    }
}

// ---- spin-up ----

static void test_flexible_bodies_spin_up_lags_and_straightens(void **state)
{
    (void)state;
    // bodies: blade, then nodes 1 to 4; w of the tip against the hub's angle
    const char *const set[] = {"simulate.tolerance=1e-7", NULL};
    const char *const path = "examples/mechanisms/spin-up-beam.yaml";
    const double at[] = {6.76, 20}, rate = 0.4, T = 15, pi = 3.14159265358979323846;
    double w[2];
    for (int k = 0; k < 2; k++) {
        const place p = run_model(path, set, at[k]);
        const double *tip = &p.value[3 * 4], t = at[k];
        double turned = t < T
                            ? rate * (t * t / 2 + pow(T / (2 * pi), 2) * (cos(2 * pi * t / T) - 1))
                            : 6 * (t - T / 2);
        w[k] = -sin(turned) * tip[0] + cos(turned) * tip[1];
    }
    // Simo and Vu-Quoc's figure: the tip lags most by a little less than 0.6 m, and by about 0 in
    // the end; geometrically linear deflections are right to (w/L)^2 = 0.3 %
    check_near("lag", w[0], -0.574, 0.02);
    check_near("end", w[1], 0, 0.01);
}

// ---- bending beyond a hundredth ----

// A beam between a pin and a sprung roller, loaded in its middle, that hangs on the tangent of the
// pinned end.
static const char bridge[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies:\n"
    "    rod: {beam: {from: [0, 0], to: [0.68, 0], elements: 4, modulus: 2e11, area: 6.4e-5,\n"
    "                 inertia: 3.4e-10, density: 7870}}\n"
    "    slider: {mass: 0.5, center: [0.68, 0], inertia: 0.001}\n"
    "  joints:\n"
    "    left: {revolute: {between: [ground, rod], at: [0, 0]}}\n"
    "    right: {revolute: {between: [rod, slider], at: [0.68, 0]}}\n"
    "    guide: {prismatic: {between: [ground, slider], at: [0.68, 0], axis: x}}\n"
    "  forces:\n"
    "    load: {force: {on: rod, at: [0.34, 0], value: [0, -150]}}\n"
    "    hold: {spring: {between: [ground, slider], from: [1, 0], to: [0.68, 0],\n"
    "           stiffness: 1000, length: 0.32}}\n"
    "simulate: {end: 0.01}\n";

static void test_flexible_bodies_loaded_bridge_comes_to_rest(void **state)
{
    (void)state;
    model_case c;
    trm_equilibrium *rest = NULL;
    model_try(&c, bridge, "m.yaml", NULL);
    model_instantiate(&c);
    if (trm_equilibrium_create(&rest, c.system, trm_model_options(c.model),
                               trm_instance_initial(c.instance), &c.error) != TRM_OK)
        fail_msg("%s", c.error.text);
    double value[200];
    trmi_instance_mechanism(c.instance, trm_equilibrium_state(rest), value);
    // bodies: rod, slider, rod_1, rod_2. F l^3 / (48 EI) and 5 q l^4 / (384 EI) with q = 4.94 N/m:
    // right to the square of the slope of the far end against the tangent, 0.13^2 = 1.7 %
    const double l = 0.68, EI = 68, q = 7870 * 6.4e-5 * 9.81;
    const double sag = 150 * l * l * l / (48 * EI) + 5 * q * l * l * l * l / (384 * EI);
    check_near("middle", value[3 * 3 + 1], -sag, 0.017 * sag);
    trm_equilibrium_destroy(rest);
    model_close(&c);
}

typedef struct warnings {
    int count;
    char text[256];
} warnings;

static void collect(trm_log_level level, const char *text, void *user)
{
    warnings *w = user;
    if (level == TRM_LOG_WARNING)
        snprintf(w->text, sizeof w->text, "%s", text);
    w->count += level == TRM_LOG_WARNING;
}

static void test_flexible_bodies_bent_too_much_are_named_once(void **state)
{
    (void)state;
    // a sudden load bends twice as much as a resting one, with slopes F l^2 / (16 EI) at the ends
    // against the chord, twice as much against the tangent: 0.15, and 0.68
    static const char *const loads[] = {"mechanism.forces.load.force.value=[0, -90]",
                                        "mechanism.forces.load.force.value=[0, -400]"};
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {loads[k], NULL};
        model_case c;
        trm_simulation *s;
        warnings w = {0};
        model_try(&c, bridge, "m.yaml", set);
        model_instantiate(&c);
        trm_options o = *trm_model_options(c.model);
        o.log = collect;
        o.user = &w;
        assert_int_equal(
            trm_simulation_create(&s, c.system, &o, trm_instance_initial(c.instance), &c.error),
            TRM_OK);
        assert_int_equal(trm_simulation_run(s, 0.01), TRM_OK);
        assert_int_equal(w.count, k);
        if (k == 1) {
            assert_non_null(strstr(w.text, "t = 0.00"));
            assert_non_null(strstr(w.text, "beam 'rod' is inclined by 0.3"));
            assert_non_null(strstr(w.text, "at node 4"));
        }
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flexible_bodies_crank_moves_as_the_problem),
        cmocka_unit_test(test_flexible_bodies_reactions_do_not_depend_on_coordinates),
        cmocka_unit_test(test_flexible_bodies_frequencies_are_those_of_euler),
        cmocka_unit_test(test_flexible_bodies_spin_up_lags_and_straightens),
        cmocka_unit_test(test_flexible_bodies_loaded_bridge_comes_to_rest),
        cmocka_unit_test(test_flexible_bodies_bent_too_much_are_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
