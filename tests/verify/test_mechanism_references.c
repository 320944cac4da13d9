// SPDX-License-Identifier: Apache-2.0
// Mechanisms from their parts, read from files, against references from elsewhere: Andrews'
// squeezing mechanism, the N-four-bar mechanism through its singular positions, the spin-up of a
// beam, and a slider-crank by its equations. Linkages: test_linkages.c; heavy top and single
// bodies: test_mechanisms.c; modes of the bicycle: tests/cli/check_modes.sh.
#include "mechanism_runs.h"
#include "references.h"

// ---- Andrews' squeezing mechanism ----

// The seven angles of the reference from those of the bodies K1 .. K7 since the start.
static void squeezer_angles(model_case *c, const trm_simulation *simulation, double *angle)
{
    // beta, Theta, gamma, Phi, delta, Omega, epsilon at the start (definition of the problem)
    static const double first[] = {-0.0617138900142764496, 0,
                                   0.455279819163070380,   0.222668390165885885,
                                   0.487364979543842550,   -0.222668390165885885,
                                   1.23054744454982119};
    double body[7];
    for (int i = 0; i < 7; i++) {
        char name[20];
        snprintf(name, sizeof name, "K%d_angle", i + 1);
        body[i] = channel(c, simulation, name);
    }
    const double turned[] = {body[0], body[1] - body[0], body[2], body[3] - body[4],
                             body[4], body[5] - body[6], body[6]};
    for (int i = 0; i < 7; i++)
        angle[i] = first[i] + turned[i];
}

// The force of pin F3 on K3, which holds g1 and g2 of the reference: there it is -G^T lambda, here
// the reaction on the second body.
static void squeezer_forces(model_case *c, const trm_simulation *simulation, double *lambda)
{
    static const char *const names[] = {"F3_fx", "F3_fy", "F4_fx", "F4_fy", "F6_fx", "F6_fy"};
    for (int i = 0; i < 6; i++)
        lambda[i] = channel(c, simulation, names[i]);
}

// Accelerations and forces at the start, of which 21 digits were confirmed (IVP test set).
static void test_references_andrews_from_parts_starts_as_published(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k],
                                   "outputs={beta: \"a(K1_angle)\", gamma: "
                                   "\"a(K3_angle)\", theta: \"a(K2_angle) - "
                                   "a(K1_angle)\"}",
                                   "units={}", NULL};
        model_case c;
        double second[3], lambda[6];
        model_open(&c, "examples/mechanisms/andrews-squeezer.yaml", set);
        trm_simulation *simulation = start(&c);
        assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(simulation), second),
                         0);
        squeezer_forces(&c, simulation, lambda);
        // roundoff times the condition of the saddle point; measured 2e-14 and 3e-14 of them
        assert_true(fabs(second[0] / 14222.4439199541139 - 1) < 1e-12);
        assert_true(fabs(second[2] / -10666.8329399655854 - 1) < 1e-12);
        assert_true(fabs(second[1]) < 1e-8);
        assert_true(fabs(lambda[0] / 98.5668703962410896 - 1) < 1e-12);
        assert_true(fabs(lambda[1] / -6.12268834425566266 - 1) < 1e-12);
        for (int i = 2; i < 6; i++)
            assert_true(fabs(lambda[i]) < 1e-10);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

static void test_references_andrews_from_parts(void **state)
{
    (void)state;
    const reference_problem *r = &reference_andrews;
    printf("andrews from parts: correct digits at 0.03 s (angles, forces of the pins at F)\n");
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], "simulate.tolerance=1e-12",
                                   "simulate.integrator=radau-adaptive", NULL};
        model_case c;
        double angle[7], lambda[6];
        model_open(&c, "examples/mechanisms/andrews-squeezer.yaml", set);
        trm_simulation *simulation = start(&c);
        run_to(simulation, r->end.t);
        squeezer_angles(&c, simulation, angle);
        squeezer_forces(&c, simulation, lambda);
        double digits = reference_scd(angle, r->end.q, 7),
               forces = reference_scd(lambda, r->lambda, 6);
        printf("  %-32s %5.1f %5.1f\n", coordinates[k], digits, forces);
        // 14 position digits are attainable in double precision, 10 of the multipliers (condition
        // numbers of the reference); measured 13.0 and 9.1
        assert_true(digits > 11);
        assert_true(forces > 8);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

// ---- N-four-bar mechanism, N = 2 ----

#define BAR(name, x, y) "    " name ": {mass: 1, center: [" x ", " y "], inertia: \"1/12\"}\n"
#define PIN(name, a, b, x, y, more)                                                                \
    "    " name ": {revolute: {between: [" a ", " b "], at: [" x ", " y "]}" more "}\n"
static const char two_four_bars[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies:\n" BAR("crank0", "0", "0.5") BAR("crank1", "1", "0.5") BAR("crank2", "2", "0.5")
        BAR("coupler1", "0.5", "1") BAR("coupler2", "1.5", "1") "  joints:\n" PIN(
            "foot0", "ground", "crank0", "0", "0", ", start: {rate: -1}")
            PIN("foot1", "ground", "crank1", "1", "0", ", start: {rate: -1}")
                PIN("foot2", "ground", "crank2", "2", "0", ", start: {rate: -1}")
                    PIN("left1", "crank0", "coupler1", "0", "1", ", start: {rate: 1}")
                        PIN("right1", "coupler1", "crank1", "1", "1", "")
                            PIN("left2", "crank1", "coupler2", "1", "1", ", start: {rate: 1}")
                                PIN("right2", "coupler2", "crank2", "2", "1",
                                    "") "simulate: {end: 10, tolerance: 1e-8}\n";

static void test_references_four_bars_pass_their_singular_positions(void **state)
{
    (void)state;
    // B0 = (sin phi, -cos phi) of a pendulum, by elliptic functions; at 10 s the cranks have passed
    // the singular positions ten times
    static const double reference[][3] = {{1, -0.19502030194943509, -0.98079920566217383},
                                          {4, 0.11761610237680861, 0.99305913845132510},
                                          {10, 0.32845811154081538, 0.94451853817860096}};
    // at tolerance 1e-8, measured 1.3e-5 and 9e-10; the limit of the library of benchmarks is 1e-3
    static const struct {
        const char *set;
        double most;
    } methods[] = {{"simulate.integrator=bdf", 1e-4}, {"simulate.integrator=radau-adaptive", 1e-8}};
    printf("two four-bars through their singular positions: B0 off by\n");
    for (int k = 0; k < 4; k++) {
        const char *const set[] = {coordinates[k % 2], methods[k / 2].set, NULL};
        model_case c;
        model_try(&c, two_four_bars, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *simulation = start(&c);
        printf("  %-32s %-36s", set[0], set[1]);
        for (int i = 0; i < 3; i++) {
            run_to(simulation, reference[i][0]);
            double x = 2 * channel(&c, simulation, "crank0_x"),
                   y = 2 * channel(&c, simulation, "crank0_y");
            double off = hypot(x - reference[i][1], y - reference[i][2]);
            printf(" %.1e at %g s", off, reference[i][0]);
            assert_true(off < methods[k / 2].most);
        }
        printf("\n");
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

// ---- spin-up of a beam ----

// Beam of n elements (Simo and Vu-Quoc 1986) on a hub, masses lumped in its nodes.
static void write_beam(char *text, size_t size, int n)
{
    const double h = 10.0 / n;
    int at = snprintf(text, size,
                      "trammel: 1\n"
                      "parameters: {EA: 2.8e7, EI: 1.4e4, rhoA: 1.2, rhoI: 6e-4}\n"
                      "mechanism:\n"
                      "  plane: xy\n"
                      "  bodies:\n"
                      "    n0: {mass: 1, center: [0, 0], inertia: 1}\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "    n%d: {mass: \"rhoA*%g\", center: [%g, 0], inertia: \"rhoI*%g\"}\n", i,
                       i < n ? h : h / 2, i * h, i < n ? h : h / 2);
    at += snprintf(text + at, size - (size_t)at,
                   "  joints:\n"
                   "    hub: {revolute: {between: [ground, n0], at: [0, 0]}, motion: \"if(t < 15, "
                   "0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) - 1)), 6*t - 45)\"}\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "    place%d: {free: {between: [ground, n%d]}}\n", i, i);
    at += snprintf(text + at, size - (size_t)at, "  forces:\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "    b%d: {beam: {between: [n%d, n%d], from: [%g, 0], to: [%g, 0], area: "
                       "\"EA\", modulus: 1, inertia_y: \"EI\", inertia_z: \"EI\", damping: "
                       "0.01}}\n",
                       i, i - 1, i, (i - 1) * h, i * h);
    snprintf(text + at, size - (size_t)at, "simulate: {end: 20, tolerance: 1e-7}\n");
}

// by how much its end is farther than 10 m from the hub at 20 s
static double beam_extension(int n, const char *set)
{
    static char text[8192];
    const char *const sets[] = {set, NULL};
    char x[8], y[8];
    model_case c;
    write_beam(text, sizeof text, n);
    model_try(&c, text, "m.yaml", sets);
    model_instantiate(&c);
    trm_simulation *simulation = start(&c);
    run_to(simulation, 20);
    snprintf(x, sizeof x, "n%d_x", n);
    snprintf(y, sizeof y, "n%d_y", n);
    double length = hypot(channel(&c, simulation, x), channel(&c, simulation, y));
    trm_simulation_destroy(simulation);
    model_close(&c);
    return length - 10;
}

static void test_references_beam_is_stretched_by_its_rotation(void **state)
{
    (void)state;
    // tan(a L)/a - L, a = 6 sqrt(rho A/E A), of the continuous beam (published: 5.14e-4)
    const double reference = 5.14317455e-4;
    printf("extension of the rotating beam, m\n");
    for (int k = 0; k < 2; k++) {
        double e4 = beam_extension(4, coordinates[k]), e8 = beam_extension(8, coordinates[k]);
        double limit = (4 * e8 - e4) / 3;
        printf("  %-32s %.4e, %.4e of 4, 8 elements; in the limit %.4e\n", coordinates[k], e4, e8,
               limit);
        // lumped masses are of order 2: the error falls to a quarter; measured 3.9
        assert_true(fabs((e4 - reference) / (e8 - reference) - 4) < 0.2);
        // 2e-7: the bending that is left
        assert_true(fabs(limit - reference) < 1e-6);
    }
}

// ---- the slider-crank by its equations ----

static void test_mechanism_references_slider_crank_moves_as_its_equations(void **state)
{
    (void)state;
    model_case parts, equations;
    model_open(&parts, "examples/slider-crank.yaml", NULL);
    model_open(&equations, "examples/slider-crank-equations.yaml", NULL);
    trm_simulation *a = start(&parts), *b = start(&equations);
    run_to(a, 1);
    run_to(b, 1);
    const double *q = trm_simulation_state(b)->q; // crank, x_rod, y_rod, rod, slider
    // both at 1e-8; errors of a thousand steps, 3 turns of the crank
    assert_true(fabs(channel(&parts, a, "crank_angle") - q[0]) < 1e-5);
    assert_true(fabs(channel(&parts, a, "rod_y") - q[2]) < 1e-6);
    assert_true(fabs(channel(&parts, a, "slider_x") - q[4]) < 1e-6);
    trm_simulation_destroy(a);
    trm_simulation_destroy(b);
    model_close(&parts);
    model_close(&equations);
}

// ---- bicycle ----

// Steering angle and place of the frame after 5 s, and the work.
static trm_statistics ride(const char *integrator, const char *tolerance, int k, double *end)
{
    char method[60], accuracy[60];
    snprintf(method, sizeof method, "simulate.integrator=%s", integrator);
    snprintf(accuracy, sizeof accuracy, "simulate.tolerance=%s", tolerance);
    const char *const set[] = {coordinates[k], method, accuracy, NULL};
    model_case c;
    model_open(&c, "examples/mechanisms/bicycle.yaml", set);
    trm_simulation *simulation = start(&c);
    run_to(simulation, 5);
    assert_int_equal(trm_simulation_trust(simulation), TRM_OK);
    assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(simulation), end), 0);
    trm_statistics statistics = *trm_simulation_statistics(simulation);
    trm_simulation_destroy(simulation);
    model_close(&c);
    return statistics;
}

// The matrix of BDF has rolling rows as they are: Newton does not fail in steps in which wheels
// turn by 1 rad (in joint coordinates, with A alone: 17 and 64 failures).
static void test_references_bicycle_by_bdf_at_loose_tolerances(void **state)
{
    (void)state;
    static const char *const tolerance[] = {"1e-3", "1e-2"};
    const double rtol[] = {1e-3, 1e-2}, way = 23; // m
    for (int k = 0; k < 2; k++) {
        double exact[3], end[3];
        ride("radau-adaptive", "1e-10", k, exact); // another method
        for (int i = 0; i < 2; i++) {
            trm_statistics s = ride("bdf", tolerance[i], k, end);
            assert_int_equal(s.rejected_newton, 0);
            assert_true(s.newton_iterations < 3 * s.steps); // measured 1.1 to 1.6 per step
            // measured up to 0.6 of the tolerance, and 1.7 of it on the way of 23 m
            assert_true(fabs(end[0] - exact[0]) < 3 * rtol[i]);
            assert_true(fabs(end[1] - exact[1]) < 3 * rtol[i] * way);
            assert_true(fabs(end[2] - exact[2]) < 3 * rtol[i] * way);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references_andrews_from_parts_starts_as_published),
        cmocka_unit_test(test_references_andrews_from_parts),
        cmocka_unit_test(test_references_four_bars_pass_their_singular_positions),
        cmocka_unit_test(test_references_beam_is_stretched_by_its_rotation),
        cmocka_unit_test(test_mechanism_references_slider_crank_moves_as_its_equations),
        cmocka_unit_test(test_references_bicycle_by_bdf_at_loose_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
