// SPDX-License-Identifier: Apache-2.0
// Mechanisms in motion, in joint and in absolute coordinates, with several integrators.
//
// Heavy top (Geradin and Cardona; Bruels, Cardona and Arnold 2012) and single bodies on a joint
// (data of Project Chrono), with the values recomputed to more digits in extended precision.
#include "unit/mechanisms.h"
#include "verify.h"

static const trm_integrator integrators[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU,
                                             TRM_INTEGRATOR_EXPLICIT, TRM_INTEGRATOR_ADAMS};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

// those that reach the digits of the references
static const trm_integrator fine[] = {TRM_INTEGRATOR_RADAU_ADAPTIVE, TRM_INTEGRATOR_EXPLICIT};
enum { FINE = sizeof fine / sizeof *fine };

typedef struct moving {
    sketch_machine x;
    verify_run run;
    long recentrings;
} moving;

static void start_moving(moving *m, const sketch *s, const trm_options *options, double end)
{
    sketch_open(&m->x, s);
    const trm_initial initial = {.q = m->x.q, .v = m->x.v};
    m->run = verify_start(&m->x.system, &initial, options);
    verify_run_well(m->run.simulation, end, NULL, NULL);
    m->recentrings = trm_simulation_statistics(m->run.simulation)->recentrings;
    trmi_machine_set_state(m->x.work, trm_simulation_state(m->run.simulation));
}

static void run_to(moving *m, const sketch *s, trm_integrator integrator, double tol, double end)
{
    trm_options options = verify_options(tol);
    options.integrator = integrator;
    start_moving(m, s, &options, end);
}

static void stop(moving *m)
{
    verify_close(&m->run);
    sketch_close(&m->x);
}

static void assert_near(trmi_v3 is, trmi_v3 should, double tolerance, const char *what,
                        trm_integrator integrator, bool absolute)
{
    double off = trmi_v3_length(trmi_v3_sub(is, should));
    if (!(off <= tolerance))
        fail_msg("%s, integrator %d, %s: off by %.2g", what, (int)integrator,
                 absolute ? "absolute" : "joint", off);
}

static void heavy_top(sketch *s)
{
    sketch_begin(s, 1);
    s->mechanism.gravity = (trmi_v3){0, 0, -9.81};
    const trmi_m3 J = {{{0.234375, 0, 0}, {0, 0.46875, 0}, {0, 0, 0.234375}}};
    sketch_body(s, 15, (trmi_v3){0, 1, 0}, J);
    trmi_joint *tip =
        sketch_joint(s, &trmi_joint_spherical, 0, 1, (trmi_v3){0, 0, 0}, trmi_m3_unit());
    tip->extra->start[1].rate = 150;
    tip->extra->start[2].rate = -4.61538;
}

// 30 rad in 0.2 s: the chart is re-centred 49 to 58 times
static void test_mechanisms_heavy_top_through_many_charts(void **state)
{
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++)
        for (int i = 0; i < INTEGRATORS; i++) {
            sketch s;
            moving m;
            heavy_top(&s);
            s.mechanism.absolute = absolute;
            run_to(&m, &s, integrators[i], 1e-9, 0.2);
            assert_true(m.recentrings >= 10);
            // reference 14 digits; at this tolerance measured 1e-11 (radau) to 5e-7 (bdf)
            const trmi_v3 r = {0.60555056137712, 0.59895768179492, -0.52398302743000};
            trmi_body_motion b = trmi_machine_body(m.x.work, 1);
            assert_near(b.r, r, 2e-6, "place", integrators[i], absolute);
            // the spin about the axis of symmetry stays 150 exactly; measured up to 5e-5
            trmi_v3 spin = trmi_m3_tr_times(trmi_quaternion_matrix(b.rotation), b.w);
            assert_true(fabs(spin.y - 150) < 2e-4);
            stop(&m);
        }
}

// Reference 14 digits; measured off by 6e-13 m and 1.3e-8 N of 670 N.
static void test_mechanisms_heavy_top_has_nine_digits(void **state)
{
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++)
        for (int i = 0; i < FINE; i++) {
            sketch s;
            moving m;
            heavy_top(&s);
            s.mechanism.absolute = absolute;
            run_to(&m, &s, fine[i], 1e-12, 0.2);
            assert_true(m.recentrings >= 10);
            const trmi_v3 r = {0.60555056137712, 0.59895768179492, -0.52398302743000},
                          f = {-640.2364079920977, -148.6277113469508, 136.9293130384150};
            assert_near(trmi_machine_body(m.x.work, 1).r, r, 1e-11, "place", fine[i], absolute);
            const trm_state *now = trm_simulation_state(m.run.simulation);
            assert_near(trmi_machine_reaction(m.x.work, now, 0).f, f, 2e-7, "force in the tip",
                        fine[i], absolute);
            stop(&m);
        }
}

// ---- order ----

// A method with constant steps, and the number of them in 1 s.
typedef struct steady {
    trm_integrator integrator;
    int order, steps;
} steady;

static const steady methods[] = {
    {TRM_INTEGRATOR_BDF, 1, 8000}, {TRM_INTEGRATOR_BDF, 2, 1000},
    {TRM_INTEGRATOR_BDF, 3, 1000}, {TRM_INTEGRATOR_BDF, 4, 500},
    {TRM_INTEGRATOR_BDF, 5, 250},  {TRM_INTEGRATOR_GENERALIZED_ALPHA, 2, 1000},
    {TRM_INTEGRATOR_RADAU, 5, 50}};

// The top at a tenth of its speed, 15 rad in 1 s; steps 0: variable ones, as exact as can be.
static trmi_v3 slow_top(const steady *m, int steps, bool absolute)
{
    sketch s;
    moving run;
    heavy_top(&s);
    s.joint[0].extra->start[1].rate = 15;
    s.mechanism.absolute = absolute;
    trm_options options = verify_options(steps > 0 ? 1e-10 : 1e-12);
    options.integrator = steps > 0 ? m->integrator : TRM_INTEGRATOR_RADAU_ADAPTIVE;
    options.max_order = steps > 0 && m->integrator == TRM_INTEGRATOR_BDF ? m->order : 0;
    options.h_fixed = steps > 0 ? 1.0 / steps : 0;
    options.newton_tolerance = steps > 0 ? 0.01 : options.newton_tolerance;
    start_moving(&run, &s, &options, 1);
    assert_true(run.recentrings >= 10);
    trmi_v3 r = trmi_machine_body(run.x.work, 1).r;
    stop(&run);
    return r;
}

static void test_mechanisms_recentring_keeps_the_order(void **state)
{
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        trmi_v3 exact = slow_top(NULL, 0, absolute);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const steady *m = &methods[k];
            double error[2];
            for (int i = 0; i < 2; i++)
                error[i] = trmi_v3_length(trmi_v3_sub(slow_top(m, m->steps << i, absolute), exact));
            double order = log2(error[0] / error[1]);
            // measured 0.08 off at most
            if (!(fabs(order - m->order) < 0.2))
                fail_msg("integrator %d of order %d, %s: order %.2f, error %.2g",
                         (int)m->integrator, m->order, absolute ? "absolute" : "joint", order,
                         error[1]);
        }
    }
}

// a body on one joint of an inclined axis, at rest: revolute case 02, cylindrical case 03
static void inclined(sketch *s, const trmi_joint_type *type)
{
    double c = sqrt(0.5);
    const trmi_m3 R = {{{1, 0, 0}, {0, c, c}, {0, -c, c}}}; // by -45 degrees about x
    const trmi_m3 J = {{{0.04, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}};
    sketch_begin(s, 1);
    s->mechanism.gravity = (trmi_v3){0, 0, -9.80665};
    sketch_body(s, 1, (trmi_v3){3, 2, 3}, trmi_m3_mul(R, trmi_m3_mul(J, trmi_m3_transpose(R))));
    sketch_joint(s, type, 0, 1, (trmi_v3){1, 2, 3}, R);
}

typedef struct single_body {
    const trmi_joint_type *type;
    trmi_v3 r, velocity, force; // at t = 1
} single_body;

// eleven digits
static const single_body bodies[] = {{&trmi_joint_revolute,
                                      {1.042103807, 3.4139001502, 1.5860998498},
                                      {-5.2002774605, 0.07742819687, -0.07742819687},
                                      {-0.42716747742, -9.5611032141, 19.367753214}},
                                     {&trmi_joint_cylindrical,
                                      {1.042103807, 0.96223765019, -0.86556265019},
                                      {-5.2002774605, -4.8258968031, -4.9807531969},
                                      {-0.42716747742, -14.464428214, 14.464428214}}};

static void check_single_body(const single_body *b, trm_integrator integrator, double tol,
                              bool absolute, double place, double force)
{
    sketch s;
    moving m;
    inclined(&s, b->type);
    s.mechanism.absolute = absolute;
    run_to(&m, &s, integrator, tol, 1);
    trmi_body_motion is = trmi_machine_body(m.x.work, 1);
    const trm_state *now = trm_simulation_state(m.run.simulation);
    assert_near(is.r, b->r, place, "place", integrator, absolute);
    assert_near(is.velocity, b->velocity, place, "velocity", integrator, absolute);
    assert_near(trmi_machine_reaction(m.x.work, now, 0).f, b->force, force, "reaction", integrator,
                absolute);
    stop(&m);
}

static void test_mechanisms_single_bodies_with_their_reactions(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int absolute = 0; absolute < 2; absolute++) {
            // measured 3e-11 (radau) to 1.3e-7 (bdf), forces up to 6e-7
            for (int i = 0; i < INTEGRATORS; i++)
                check_single_body(&bodies[k], integrators[i], 1e-9, absolute, 1e-6, 5e-6);
            // measured 5e-11, the digits printed, and 1.6e-9 of forces
            for (int i = 0; i < FINE; i++)
                check_single_body(&bodies[k], fine[i], 1e-12, absolute, 2e-10, 1e-8);
        }
}

// three links on revolute, universal and ball joints, swinging out of the plane
static void chain(sketch *s)
{
    static const trmi_joint_type *const types[] = {&trmi_joint_revolute, &trmi_joint_universal,
                                                   &trmi_joint_spherical};
    const trmi_m3 J = {{{0.01, 0, 0}, {0, 0.09, 0}, {0, 0, 0.08}}};
    sketch_begin(s, 3);
    for (int i = 0; i < 3; i++) {
        sketch_body(s, 1, (trmi_v3){i + 0.5, 0, 0}, J);
        trmi_joint *j = sketch_joint(s, types[i], i, i + 1, (trmi_v3){i, 0, 0}, trmi_m3_unit());
        for (int k = 0; k < 3; k++)
            j->extra->start[k].rate = 1;
    }
}

static void test_mechanisms_move_alike_in_both_coordinates(void **state)
{
    (void)state;
    trmi_v3 reference = {0, 0, 0};
    for (int absolute = 0; absolute < 2; absolute++)
        for (int i = 0; i < INTEGRATORS; i++) {
            sketch s;
            moving m;
            chain(&s);
            s.mechanism.absolute = absolute;
            run_to(&m, &s, integrators[i], 1e-8, 1);
            trmi_v3 r = trmi_machine_body(m.x.work, 3).r;
            if (absolute == 0 && i == 0)
                reference = r;
            // two solutions of tolerance 1e-8 after 1 s; measured up to 1.6e-7
            assert_near(r, reference, 2e-6, "last link", integrators[i], absolute);
            stop(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanisms_heavy_top_through_many_charts),
        cmocka_unit_test(test_mechanisms_heavy_top_has_nine_digits),
        cmocka_unit_test(test_mechanisms_recentring_keeps_the_order),
        cmocka_unit_test(test_mechanisms_single_bodies_with_their_reactions),
        cmocka_unit_test(test_mechanisms_move_alike_in_both_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
