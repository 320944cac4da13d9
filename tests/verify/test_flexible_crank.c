// SPDX-License-Identifier: Apache-2.0
// The slider-crank with an elastic rod (Yen, Petzold and Raha 1998, section 4.3): frequencies of
// the rod and the mechanism, the motion at tight tolerance, and that of generalized-alpha at large
// steps. "Study": values computed with DOP853 at 1e-9 and dense matrices in another program.
#include "verify.h"

#include "modelling/multibody/beams/beam.h"

static void check_near(const char *what, double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, wanted);
}

static trp_problem *open_crank(double modulus, double torque)
{
    const trm_problem_option options[] = {{"modulus", modulus}, {"torque", torque}, {NULL, 0}};
    trp_problem *problem = NULL;
    trm_error error;
    if (trp_problem_create(&problem, "flexible-slider-crank", options, &error) != TRM_OK)
        fail_msg("%s", error.text);
    return problem;
}

// ---- frequencies ----

// lowest and highest frequency that is not zero
static void find_range(const trm_system *system, const trm_initial *at, double *low, double *high)
{
    const trm_options options = trm_options_default();
    trm_modes *modes = NULL;
    trm_error error;
    if (trm_modes_create(&modes, system, &options, at, 0, &error) != TRM_OK)
        fail_msg("%s", error.text);
    *low = *high = 0;
    for (int k = 0; k < trm_modes_count(modes); k++) {
        double omega = trm_modes_get(modes, k)->omega;
        *low = *low > 0 ? *low : omega;
        *high = fmax(*high, omega);
    }
    trm_modes_destroy(modes);
}

// the rod alone, clamped at the crank pin
static int rod_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    const trmi_beam *rod = user;
    memcpy(out, rod->mass_U, (size_t)rod->count * sizeof *out);
    return 0;
}

static int rod_force(const trm_state *s, double *out, void *user)
{
    const trmi_beam *rod = user;
    memset(out, 0, (size_t)rod->n * sizeof *out);
    trmi_beam_multiply(rod, rod->stiffness_u, -1, s->q, out);
    return 0;
}

static int rod_stiffness(const trm_state *s, double *out, void *user)
{
    (void)s;
    const trmi_beam *rod = user;
    memcpy(out, rod->stiffness_u, (size_t)rod->count * sizeof *out);
    return 0;
}

static void test_flexible_crank_frequencies_are_those_of_the_study(void **state)
{
    (void)state;
    double low, high;
    trp_problem *problem = open_crank(2e11, 0);
    trm_system system = *trp_problem_system(problem);
    const trm_initial *start = trp_problem_initial(problem);
    // study, E = 2e11: constrained mechanism 1407 to 9.97e4; digits printed
    find_range(&system, start, &low, &high);
    check_near("lowest", low, 1407, 0.5);
    check_near("constrained", high, 9.97e4, 50);
    // study: without the slider 1.237e5
    system.n_g = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (k == TRM_QUANTITY_CONSTRAINT || k == TRM_QUANTITY_CONSTRAINT_Q ||
            k == TRM_QUANTITY_GAMMA || k == TRM_QUANTITY_VELOCITY_Q ||
            k == TRM_QUANTITY_GEOMETRIC) {
            system.function[k] = NULL;
            system.pattern[k] = (trm_pattern){0};
        }
    find_range(&system, start, &low, &high);
    check_near("mechanism", high, 1.237e5, 50);
    trp_problem_destroy(problem);
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_beam rod;
    const double section = 0.008 * 0.008;
    const trmi_beam_data data = {.elements = 4,
                                 .length = 0.3,
                                 .line_mass = 7870 * section,
                                 .stiffness = 2e11 * section * section / 12};
    assert_true(trmi_beam_create(&rod, &memory, &data));
    const trm_pattern band = {.count = rod.count, .row = rod.row, .column = rod.column};
    const trm_system clamped = {.n_q = rod.n,
                                .function = {[TRM_QUANTITY_MASS] = rod_mass,
                                             [TRM_QUANTITY_FORCE] = rod_force,
                                             [TRM_QUANTITY_STIFFNESS] = rod_stiffness},
                                .pattern = {[TRM_QUANTITY_MASS] = band,
                                            [TRM_QUANTITY_STIFFNESS] = band,
                                            [TRM_QUANTITY_DAMPING] = {.count = TRM_PATTERN_ZERO}},
                                .user = &rod};
    // study: clamped-free 1.233e5 (the free pencil, 1.290e5, is a test of the beam)
    find_range(&clamped, NULL, &low, &high);
    check_near("clamped", high, 1.233e5, 50);
    // clamped-free beam of Euler: 1.87510407^2 sqrt(EI / rA l^4); four elements are 1.3e-4 stiffer
    double euler = 3.5160153 * sqrt(data.stiffness / data.line_mass) / (0.3 * 0.3);
    check_near("Euler", low / euler, 1 + 0.7e-4, 1e-4);
    trmi_memory_release_all(&memory);
}

// ---- motion ----

// t - 0.3
static int switch_time(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->t - 0.3;
    return 0;
}

// The crank with E = 2e9, its torque switched off by an event at 0.3 s; values at the end.
typedef struct outcome {
    double phi1_off, energy_off; // at 0.3 s
    double phi1, phi2, x3, middle, tip, energy;
    long rejected, steps;
} outcome;

static outcome run_crank(const trm_options *options, double end)
{
    static const trm_events events = {.count = 1, .function = switch_time};
    const double off[] = {0};
    trp_problem *problem = open_crank(2e9, 0.2);
    verify_run run =
        verify_start(trp_problem_system(problem), trp_problem_initial(problem), options);
    trm_simulation *s = run.simulation;
    outcome o = {0};
    assert_int_equal(trm_simulation_watch(s, &events), TRM_OK);
    assert_int_equal(trm_simulation_run(s, end), TRM_STOP_EVENT);
    check_near("event", trm_simulation_state(s)->t, 0.3, 1e-15);
    o.phi1_off = trm_simulation_state(s)->q[0];
    o.energy_off = trm_simulation_energy(s);
    assert_int_equal(trm_simulation_restart(s, &(trm_initial){.x = off}), TRM_OK);
    if (trm_simulation_run(s, end) != TRM_OK)
        fail_msg("%s", trm_simulation_error(s)->text);
    const double *q = trm_simulation_state(s)->q;
    o.phi1 = q[0];
    o.phi2 = q[1];
    o.x3 = q[2];
    o.middle = q[5]; // w of node 2
    o.tip = q[9];    // of node 4
    o.energy = trm_simulation_energy(s);
    o.rejected = trm_simulation_statistics(s)->rejected_newton;
    o.steps = trm_simulation_statistics(s)->steps;
    verify_close(&run);
    trp_problem_destroy(problem);
    return o;
}

static void test_flexible_crank_motion_is_that_of_the_study(void **state)
{
    (void)state;
    trm_options options = verify_options(1e-9);
    options.integrator = TRM_INTEGRATOR_EXPLICIT;
    options.atol = 1e-11;
    const outcome half = run_crank(&options, 0.5), o = run_crank(&options, 1);
    // study, tolerance 1e-9: all digits printed; the fast modes let phi2 and w differ in the last
    check_near("phi1(0.3)", o.phi1_off, 1.60587842, 1e-7);
    check_near("E(0.3)", o.energy_off, 0.321175684, 1e-8);
    check_near("E(1)", o.energy, 0.321175684, 1e-8);
    check_near("phi1(0.5)", half.phi1, 3.93566670, 1e-7);
    check_near("phi2(0.5)", half.phi2, 0.35952680, 1e-6);
    check_near("x3(0.5)", half.x3, 0.17513866, 1e-7);
    check_near("phi1(1)", o.phi1, 8.97842359, 2e-7);
    check_near("phi2(1)", o.phi2, -0.21235928, 1e-6);
    check_near("x3(1)", o.x3, 0.15762874, 1e-7);
    check_near("tip(1)", o.tip, -1.5569e-3, 1e-7);
    check_near("middle(1)", o.middle, -2.7177e-4, 1e-7);
}

static void test_flexible_crank_generalized_alpha_keeps_the_slow_motion(void **state)
{
    (void)state;
    trm_options options = verify_options(1e-9);
    options.integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA;
    options.rho = 0.75;
    options.h_fixed = 1.0 / 500;
    const outcome o = run_crank(&options, 1);
    assert_in_range(o.steps, 500, 502);
    assert_int_equal(o.rejected, 0);
    // bars of the study: work of the torque, slow motion of the reference
    check_near("E(1) - 0.2 phi1(0.3)", o.energy - 0.2 * o.phi1_off, 0, 2e-5);
    check_near("phi1(1)", o.phi1, 8.978424, 2e-4);
    check_near("x3(1)", o.x3, 0.157629, 1e-5);
    // and the study's own run with these steps, digits printed
    check_near("E(0.3)", o.energy_off, 0.321198, 1e-6);
    check_near("phi1(1) of these steps", o.phi1, 8.978567, 1e-6);
    check_near("phi2(1) of these steps", o.phi2, -0.209713, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flexible_crank_frequencies_are_those_of_the_study),
        cmocka_unit_test(test_flexible_crank_motion_is_that_of_the_study),
        cmocka_unit_test(test_flexible_crank_generalized_alpha_keeps_the_slow_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
