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

// The wheelset of the test set as a special case: the same geometry, creep and springs, from bodies
// and joints. What differs are terms of the size of slopes of the cones squared (7e-4), changes of
// Hertz' ellipse with the rolling radius (1e-4) and the speed that creepages refer to (1e-3 between
// the wheels); measured 7.4e-4 of the largest value over 0.1 s, 3.1e-3 over 0.3 s of growing
// hunting.
static void test_track_wheelset_of_the_test_set_is_a_special_case(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int coordinate; // of examples/wheelset.yaml
    } same[] = {{"x", 0}, {"theta", 3}, {"phi", 4}};
    model_case joints, equations;
    double largest[3] = {0}, error[3] = {0};
    model_open(&joints, "examples/vehicles/wheelset-small.yaml", NULL);
    model_open(&equations, "examples/wheelset.yaml", NULL);
    trm_simulation *a = start(&joints), *b = start(&equations);
    for (int i = 1; i <= 15; i++) {
        run_to(a, 0.02 * i);
        run_to(b, 0.02 * i);
        for (int k = 0; k < 3; k++) {
            double truth = trm_simulation_state(b)->q[same[k].coordinate];
            largest[k] = fmax(largest[k], fabs(truth));
            error[k] = fmax(error[k], fabs(output(&joints, a, same[k].name) - truth));
            double within = i <= 5 ? 1.5e-3 : 5e-3;
            if (!(error[k] <= within * largest[k]))
                fail_msg("t = %g, %s: error %.2g of %.3g", 0.02 * i, same[k].name, error[k],
                         largest[k]);
        }
    }
    trm_simulation_destroy(a);
    trm_simulation_destroy(b);
    model_close(&joints);
    model_close(&equations);
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
        cmocka_unit_test(test_track_cant_takes_its_share_of_a_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
