// SPDX-License-Identifier: Apache-2.0
// Wheelsets on straight track (examples/vehicles/wheelset-track.yaml) against closed forms and
// modes against simulations.
#include "mechanism_runs.h"

#include "trammel/modes.h"

static const char path[] = "examples/vehicles/wheelset-track.yaml";

static double output(model_case *c, const trm_simulation *s, const char *name)
{
    double value[VALUES];
    trm_instance_outputs(c->instance, trm_simulation_state(s), value);
    for (int i = 0; i < trm_model_count(c->model, TRM_CHANNEL_OUTPUT); i++)
        if (!strcmp(trm_model_channel(c->model, TRM_CHANNEL_OUTPUT, i), name))
            return value[i];
    fail_msg("no output %s", name);
    return NAN;
}

// The wave that a displaced wheelset follows: y = 0 for the fifth time after 2 1/4 of them. y is
// straight there, so that two points beside it suffice.
static double find_wave(const char *const *set, double expected)
{
    model_case c;
    double v = 2, x[2], y[2];
    model_open(&c, path, set);
    trm_simulation *s = start(&c);
    for (int k = 0; k < 2; k++) {
        run_to(s, (2.25 * expected / v) * (k ? 1.01 : 0.99));
        x[k] = output(&c, s, "way");
        y[k] = output(&c, s, "y");
    }
    assert_true(y[0] > 0 && y[1] < 0); // it is the right one
    trm_simulation_destroy(s);
    model_close(&c);
    return (x[0] - y[0] * (x[1] - x[0]) / (y[1] - y[0])) / 2.25;
}

#define RIGID "parts.wheel.joints.contact.wheel-rail.softness=0"

// Klingel: 2 pi sqrt(r0 b/gamma) for cones on edges. On heads of radius R the contact of a wheelset
// that is rolled by gamma y/b moves by R gamma y/b, so that gamma counts 1 + R gamma/b times: 1.001
// for R = 30 mm, which is the third digit of the square, 1.01 for 0.3 m. The dynamics at 2 m/s move
// the wave by 2e-5 (measured).
static void test_track_wheelset_follows_klingels_wave(void **state)
{
    (void)state;
    const double pi = acos(-1), klingel = 2 * pi * sqrt(0.46 * 0.75 / 0.025);
    static const struct {
        double head, within;
        const char *set[4];
    } runs[] = {
        {0.03, 1e-4, {"parameters.head=0.03"}},
        {0.03, 1e-4, {"parameters.head=0.03", "mechanism.coordinates=absolute"}},
        {0.3, 1e-4, {NULL}},
        {0.3, 1e-4, {"variant=free"}},
        {0.03, 1e-4, {"parameters.head=0.03", RIGID}},
        {0.3, 1e-4, {RIGID}},
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        double expected = klingel / sqrt(1 + runs[k].head * 0.025 / 0.75);
        double wave = find_wave(runs[k].set, expected);
        if (!(fabs(wave / expected - 1) <= runs[k].within))
            fail_msg("case %zu: wave of %.6f m instead of %.6f", k, wave, expected);
        if (runs[k].head < 0.1 && !(fabs(wave / klingel - 1) <= 1e-3))
            fail_msg("case %zu: wave of %.6f m, Klingel %.6f", k, wave, klingel);
    }
}

// Opens the suspended wheelset at speed v, displaced by 0.1 mm: creep is linear there.
static void open_suspended(model_case *c, double v)
{
    char speed[60];
    snprintf(speed, sizeof speed, "parameters.v=%.17g", v);
    const char *set[] = {"variant=suspended", speed, "parameters.y0=1e-4", NULL};
    model_open(c, path, set);
}

// the pair that grows first
static trm_mode hunting(double v)
{
    model_case c;
    trm_modes *modes;
    trm_mode found = {.growth = -HUGE_VAL};
    open_suspended(&c, v);
    trm_status status = trm_modes_create(&modes, c.system, trm_model_options(c.model),
                                         trm_instance_initial(c.instance), 0, &c.error);
    if (status != TRM_OK)
        fail_msg("%s", c.error.text);
    for (int k = 0; k < trm_modes_count(modes); k++)
        if (trm_modes_get(modes, k)->pair && trm_modes_get(modes, k)->growth > found.growth)
            found = *trm_modes_get(modes, k);
    found.shape = found.imaginary = NULL;
    trm_modes_destroy(modes);
    model_close(&c);
    return found;
}

// 1/s at which the swings of y grow in a simulation of 12 periods: from the largest |y| of the
// second and of the last one
static double simulated_growth(double v, double frequency)
{
    enum { PERIODS = 12, SAMPLES = 24 }; // samples of a period
    model_case c;
    double largest[PERIODS] = {0};
    open_suspended(&c, v);
    trm_simulation *s = start(&c);
    for (int k = 1; k <= PERIODS * SAMPLES; k++) {
        run_to(s, k / (SAMPLES * frequency));
        int period = (k - 1) / SAMPLES;
        largest[period] = fmax(largest[period], fabs(output(&c, s, "y")));
    }
    trm_simulation_destroy(s);
    model_close(&c);
    return log(largest[PERIODS - 1] / largest[1]) * frequency / (PERIODS - 2);
}

// The speed at which modes become unstable is that at which simulations begin to hunt: 2 % below it
// swings die out, 2 % above they grow, and as fast as the mode, to a hundredth (measured 3e-4; the
// samples are 1/24 of a period apart, 0.2 % of |y|).
static void test_track_critical_speed_of_modes_is_that_of_simulations(void **state)
{
    (void)state;
    double low = 60, high = 110;
    assert_true(hunting(low).growth < 0 && hunting(high).growth > 0);
    while (high - low > 1e-3 * high) {
        double v = (low + high) / 2;
        *(hunting(v).growth < 0 ? &low : &high) = v;
    }
    for (int side = -1; side <= 1; side += 2) {
        double v = low * (1 + 0.02 * side);
        trm_mode mode = hunting(v);
        double growth = simulated_growth(v, mode.frequency);
        assert_true(side * mode.growth > 0);
        if (!(fabs(growth - mode.growth) <= 0.01 * fabs(mode.growth)))
            fail_msg("v = %g: growth %g instead of %g", v, growth, mode.growth);
    }
}

// What examples/wheelset.yaml has of the direction in which a wheel rolls, without its
// approximations: there an angle theta/cos(delta) about the vertical turns the velocities of the
// wheel as well as the axes of creep, the spin is that of an axle across the track, and both wheels
// have the speed of the centre of the wheelset. Here the axle l = (ct cp, sp, -st cp), the normal n
// = (-sd, cd, 0), e = l x n/|l x n|, b = n x e, on the right with -sd, and the speed of the centre
// of each wheel. @: the wheel, # its sign, ~ the other one.
#define SIZE "sqrt((st*cp)^2 + (ct*cp*cd_@ # sp*sd_@)^2)"
#define E1 "(st*cp*cd_@/" SIZE ")"
#define E2 "(0 # st*cp*sd_@/" SIZE ")"
#define E3 "((ct*cp*cd_@ # sp*sd_@)/" SIZE ")"
#define B1 "(cd_@*" E3 ")"
#define B2 "(0 # sd_@*" E3 ")"
#define B3 "(-cd_@*" E1 " ~ sd_@*" E2 ")"
static const char *const exact[] = {
    "sa_@=st",
    "ca_@=ct",
    "vr_@=" E1 "*(vx ~ ar*(vtheta*st*cp + vphi*ct*sp) - w1_@/2) + " E2 "*(vy # ar*vphi*cp - "
    "w2_@/2) + " E3 "*(V + vz ~ ar*(vtheta*ct*cp - vphi*st*sp) - w3_@/2)",
    "nx_@=(" E1 "*w1_@ + " E2 "*w2_@ + " E3 "*w3_@)/vr_@",
    "ny_@=(" B1 "*w1_@ + " B2 "*w2_@ + " B3 "*w3_@)/vr_@",
    "spin_@=(Om*(cd_@*sp ~ sd_@*ct*cp) + cd_@*vtheta ~ sd_@*st*vphi)/vr_@",
    "F1_@=cut_@*(" E1 "*tf_@ + " B1 "*tl_@)",
    "F2_@=cut_@*(" E2 "*tf_@ + " B2 "*tl_@)",
    "F3_@=cut_@*(" E3 "*tf_@ + " B3 "*tl_@)",
};
enum { EXACT = sizeof exact / sizeof *exact, LENGTH = 1000 };

// equations.define. and the formula of one wheel
static void write_formula(const char *formula, char side, char text[LENGTH])
{
    int length = snprintf(text, LENGTH, "equations.define.");
    for (const char *c = formula; *c; c++)
        text[length++] = *c == '@'   ? side
                         : *c == '#' ? (side == 'L' ? '+' : '-')
                         : *c == '~' ? (side == 'L' ? '-' : '+')
                                     : *c;
    text[length] = 0;
}

#define TIGHT "simulate.tolerance={relative: 1e-9, absolute: 1e-11}"

// The largest differences of x, theta, phi and z up to 0.3 s, as parts of their largest values.
static void compare_wheelsets(const char *const *set, double distance[4])
{
    static const char *const name[] = {"x", "theta", "phi", "z"}, *const tight[] = {TIGHT, NULL};
    static const int coordinate[] = {0, 3, 4, 2}; // of examples/wheelset.yaml
    model_case joints, equations;
    double largest[4] = {0}, error[4] = {0};
    model_open(&joints, "examples/vehicles/wheelset-small.yaml", tight);
    model_open(&equations, "examples/wheelset.yaml", set);
    trm_simulation *a = start(&joints), *b = start(&equations);
    for (int i = 1; i <= 15; i++) {
        run_to(a, 0.02 * i);
        run_to(b, 0.02 * i);
        for (int k = 0; k < 4; k++) {
            double truth = trm_simulation_state(b)->q[coordinate[k]];
            largest[k] = fmax(largest[k], fabs(truth));
            error[k] = fmax(error[k], fabs(output(&joints, a, name[k]) - truth));
        }
    }
    for (int k = 0; k < 4; k++)
        distance[k] = error[k] / largest[k];
    trm_simulation_destroy(a);
    trm_simulation_destroy(b);
    model_close(&joints);
    model_close(&equations);
}

// The wheelset of the test set as a special case: the same geometry, creep and springs, from bodies
// and joints. Against its equations without the approximations above 1.2e-6 over 0.3 s of growing
// hunting, what the spline of the rail and the tolerance leave; against those as they are 2.5e-3.
static void test_track_wheelset_of_the_test_set_is_a_special_case(void **state)
{
    (void)state;
    static char text[2 * EXACT][LENGTH];
    const char *set[2 * EXACT + 4] = {"parameters.gap_L=0", "parameters.gap_R=0", TIGHT};
    double same[4], original[4];
    for (int i = 0; i < 2 * EXACT; i++) {
        write_formula(exact[i / 2], i % 2 ? 'R' : 'L', text[i]);
        set[3 + i] = text[i];
    }
    compare_wheelsets(set, same);
    compare_wheelsets(NULL, original);
    for (int k = 0; k < 4; k++)
        if (!(same[k] <= 5e-6 && original[k] <= 5e-3))
            fail_msg("coordinate %d: %.2g, %.2g with approximations", k, same[k], original[k]);
}

// The way and y of the wheelset that coasts, or is driven, through a bend, after 20 s.
static void coast(const char *set, double *way, double *y)
{
    const char *const sets[] = {"simulate.integrator=radau-adaptive", set, NULL};
    model_case c;
    model_open(&c, "examples/vehicles/wheelset-coasting.yaml", sets);
    trm_simulation *s = start(&c);
    run_to(s, 20);
    *way = output(&c, s, "way");
    *y = output(&c, s, "y");
    trm_simulation_destroy(s);
    model_close(&c);
}

// A free speed in a bend: the frame of the track by relations, in coordinates of joints and of
// bodies; driven with constant speed it is a frame with prescribed motions. y is 0.9 mm there, of
// an amplitude of 2 mm; tolerance 1e-7 (measured 1e-9 and 4e-8 m). Creep brakes: the way is 2.5 mm
// behind.
static void test_track_free_speed_in_a_bend(void **state)
{
    (void)state;
    double way[4], y[4];
    coast(NULL, &way[0], &y[0]);
    coast("mechanism.coordinates=absolute", &way[1], &y[1]);
    coast("variant=driven", &way[2], &y[2]);
    coast("variant=followed", &way[3], &y[3]);
    assert_true(fabs(way[0] - way[1]) < 2e-7 && fabs(y[0] - y[1]) < 2e-7);
    assert_true(fabs(way[2] - 40) < 1e-9 && fabs(y[2] - y[3]) < 2e-7);
    assert_true(40 - way[0] > 2e-3 && 40 - way[0] < 3e-3);
    assert_true(fabs(y[0] - y[2]) < 2e-6);
}

// Steps of the train into its first bend, in explicit form, with kept derivatives.
static long steps_into_the_bend(const char *update)
{
    char text[60];
    snprintf(text, sizeof text, "simulate.jacobian.update=%s", update);
    const char *const set[] = {"simulate.integrator=bdf",
                               "simulate.control=classic",
                               "simulate.formulation=ggl",
                               "simulate.error_test=qv",
                               "simulate.tolerance=1e-4",
                               "mechanism.formalism=explicit",
                               "simulate.jacobian.source=grouped-differences",
                               text,
                               NULL};
    model_case c;
    model_open(&c, "examples/vehicles/train.yaml", set);
    trm_simulation *s = start(&c);
    run_to(s, 2.8);
    long steps = trm_simulation_statistics(s)->steps;
    trm_simulation_destroy(s);
    model_close(&c);
    return steps;
}

// Derivatives that follow excitations know their sizes over the whole run, not only up to the first
// corner of the line, before which curvatures are roundoff: 700 steps and more in place of 130.
static void test_track_derivatives_follow_the_line(void **state)
{
    (void)state;
    long kept = steps_into_the_bend("partitioned"), extended = steps_into_the_bend("extended");
    if (extended > 2 * kept)
        fail_msg("%ld steps, without excitations %ld", extended, kept);
}

// Steady running of the bogie in a curve with cant: across the track m (v^2 kappa cos c - g sin c)
// is the force of the rails and of the secondary springs. The wheelsets stand at other places of
// the line than the frame, 1.28 m of 1200 m: 1e-3 of m v^2 kappa (measured 2e-5).
static void test_track_cant_takes_its_share_of_a_curve(void **state)
{
    (void)state;
    const double m = 2615 + 2 * 1813, curve = 30 * 30 / 1200.0, c = 0.05;
    model_case bogie;
    const char *set[] = {"outputs.rails=lead.left.contact_y - lead.right.contact_y + "
                         "trail.left.contact_y - trail.right.contact_y",
                         NULL};
    model_open(&bogie, "examples/vehicles/bogie.yaml", set);
    trm_simulation *s = start(&bogie);
    run_to(s, 4);
    double y = output(&bogie, s, "frame_y") - 0.2275 * output(&bogie, s, "frame_roll");
    double needed = m * (curve * cos(c) - 9.81 * sin(c)), springs = -2 * 160e3 * y;
    double rails = -output(&bogie, s, "rails");
    if (!(fabs(rails + springs - needed) <= 1e-3 * m * curve))
        fail_msg("rails %g N and springs %g N instead of %g N", rails, springs, needed);
    assert_true(fabs(needed) < 0.4 * m * curve); // two thirds are taken by the cant
    trm_simulation_destroy(s);
    model_close(&bogie);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_track_wheelset_follows_klingels_wave),
        cmocka_unit_test(test_track_critical_speed_of_modes_is_that_of_simulations),
        cmocka_unit_test(test_track_wheelset_of_the_test_set_is_a_special_case),
        cmocka_unit_test(test_track_free_speed_in_a_bend),
        cmocka_unit_test(test_track_derivatives_follow_the_line),
        cmocka_unit_test(test_track_cant_takes_its_share_of_a_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
