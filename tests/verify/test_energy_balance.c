// SPDX-License-Identifier: Apache-2.0
// The energy balance as a judge: models, integrators and tolerances, each run compared with a
// reference. A result whose balance is reported not to close is wrong; results that are known
// to be wrong are reported. The table is printed.
#include "solver/integrator/simulation.h"

#include "models.h"
#include "solver/integrator/watch/energy.h"

enum { NUMBERS = 200 };

// A run: its end state [q | v], and what it says of itself.
typedef struct outcome {
    trm_status status;
    trm_error error;
    int n_q;
    double y[NUMBERS];
    long steps, rejected;
    double defect; // as part of the energy that was exchanged
} outcome;

// A clamped steel beam under a force of 0.1 N at its tip, from rest.
static const char beam[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  bodies:\n"
    "    blade: {beam: {from: [0, 0], to: [1, 0], elements: 4, modulus: 2e11, area: 1e-4,\n"
    "                   inertia: 8e-10, density: 7850}}\n"
    "  joints:\n"
    "    clamp: {fixed: {between: [ground, blade], at: [0, 0]}}\n"
    "  forces:\n"
    "    tip: {force: {on: blade, at: [1, 0], value: [0, -0.1]}}\n"
    "simulate: {end: 1}\n";

// A ball that falls on an elastic stop without damping, again and again.
static const char stop[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    ball: {mass: 1, center: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}\n"
    "  joints:\n"
    "    rail: {prismatic: {between: [ground, ball], at: [0, 0, 1], axis: z}}\n"
    "  forces:\n"
    "    bump: {bump-stop: {between: [ground, ball], from: [0, 0, -1], to: [0, 0, 1], gap: 1,\n"
    "                       stiffness: 1e5}}\n"
    "simulate: {end: 5}\n";

// A ball that falls on a floor with friction and damping, and bounces.
static const char contact[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    ball: {mass: 1, center: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}\n"
    "  joints:\n"
    "    free: {free: {between: [ground, ball], at: [0, 0, 1]}, start: {x_rate: 1}}\n"
    "  forces:\n"
    "    floor: {contact: {between: [ground, ball], at: [0, 0, 0], normal: z, center: [0, 0, 1],\n"
    "                      radius: 0.1, stiffness: 1e5, damping: 0.1, friction: 0.3}}\n"
    "simulate: {end: 2}\n";

// A block that slides down a slope against friction.
static const char slope[] = "trammel: 1\n"
                            "mechanism:\n"
                            "  gravity: [4, 0, -9]\n"
                            "  bodies:\n"
                            "    block: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                            "  joints:\n"
                            "    rail:\n"
                            "      prismatic: {between: [ground, block], at: [0, 0, 0], axis: x}\n"
                            "      friction: {static: 0.2, dynamic: 0.2, slip: 1e-3}\n"
                            "simulate: {end: 2}\n";

// A top on its tip that spins with %g rad/s.
static const char top[] = "trammel: 1\n"
                          "mechanism:\n"
                          "  gravity: [0, 0, -9.81]\n"
                          "  bodies:\n"
                          "    top: {mass: 1, center: [0, 0, 0.5], inertia: [0.05, 0.05, 0.02]}\n"
                          "  joints:\n"
                          "    tip: {spherical: {between: [ground, top], at: [0, 0, 0]},\n"
                          "          start: {rotation: [0.3, 0, 0], spin: [0, 0, %g]}}\n"
                          "simulate: {end: 1}\n";

// A text, or the file of an example.
static void open_model(model_case *c, const char *model)
{
    if (strchr(model, '\n'))
        model_read(c, model);
    else
        model_open(c, model, NULL);
}

static outcome run_tested(const char *model, const char *integrator, double tolerance,
                          trm_error_test test)
{
    model_case c;
    trm_simulation *s;
    outcome out = {0};
    open_model(&c, model);
    trm_options options = *trm_model_options(c.model);
    assert_int_equal(trm_options_set(&options, "integrator", integrator, &out.error), TRM_OK);
    options.rtol = options.atol = tolerance;
    options.error_test = test;
    assert_int_equal(
        trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), &out.error),
        TRM_OK);
    out.status = trm_simulation_run(s, trm_model_schedule(c.model)->end);
    out.error = *trm_simulation_error(s);
    out.defect = trmi_energy_judge(s).defect;
    out.steps = trm_simulation_statistics(s)->steps;
    out.rejected = trm_simulation_statistics(s)->rejected_error;
    out.n_q = c.system->n_q;
    assert_true(2 * out.n_q <= NUMBERS);
    memcpy(out.y, trm_simulation_state(s)->q, (size_t)out.n_q * sizeof *out.y);
    memcpy(out.y + out.n_q, trm_simulation_state(s)->v, (size_t)out.n_q * sizeof *out.y);
    trm_simulation_destroy(s);
    model_close(&c);
    return out;
}

static outcome run(const char *model, const char *integrator, double tolerance)
{
    return run_tested(model, integrator, tolerance, TRM_ERROR_TEST_AUTO);
}

// The largest difference in positions or in velocities, as part of the largest of the reference.
static double apart(const outcome *a, const outcome *reference)
{
    double most = 0;
    for (int part = 0; part < 2; part++) {
        const double *y = a->y + part * a->n_q, *z = reference->y + part * a->n_q;
        double difference = 0, size = 0;
        for (int i = 0; i < a->n_q; i++) {
            difference = fmax(difference, fabs(y[i] - z[i]));
            size = fmax(size, fabs(z[i]));
        }
        most = fmax(most, difference / size);
    }
    return most;
}

static bool reports_energy(const outcome *o)
{
    return o->status == TRM_UNTRUSTED && strstr(o->error.text, "energy balance");
}

static const struct {
    const char *name, *model;
} models[] = {{"beam", beam},
              {"bump stop", stop},
              {"slope with friction", slope},
              {"pendulum", "examples/pendulum.yaml"},
              {"shaken pendulum", "examples/excited-pendulum.yaml"},
              {"four-bar", "examples/mechanisms/four-bar.yaml"},
              {"andrews-squeezer", "examples/mechanisms/andrews-squeezer.yaml"},
              {"scissor-lift", "examples/mechanisms/scissor-lift.yaml"},
              {"stewart", "examples/mechanisms/stewart.yaml"},
              {"robot-arm", "examples/mechanisms/robot-arm.yaml"}};
enum { MODELS = sizeof models / sizeof *models };

static void test_energy_balance_reported_results_are_wrong(void **state)
{
    (void)state;
    static const char *const integrators[] = {"bdf", "generalized-alpha", "adams", "explicit",
                                              "radau-adaptive"};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-6};
    int wrong = 0;
    double open = 0; // the largest defect of explicit at 1e-6, whose steps carry the work along
    for (int m = 0; m < MODELS; m++) {
        // measured: 1e-9 and explicit agree to 1e-6 of the state
        outcome reference = run(models[m].model, "radau-adaptive", 1e-10);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 4; k++) {
                bool slow = models[m].model == beam && k > 1; // alpha methods, adams: seconds
                if (slow && i > 0 && i < 3)
                    continue;
                outcome o = run(models[m].model, integrators[i], tolerances[k]);
                double difference = apart(&o, &reference);
                bool reported = reports_energy(&o);
                printf("%-20s %-18s %.0e  defect %8.2g %%  difference %8.2g %%  %s\n",
                       models[m].name, integrators[i], tolerances[k], 100 * o.defect,
                       100 * difference, reported ? "reported" : "");
                // The smallest that was measured is 0.023 (stewart, adams at 1e-2).
                wrong += reported && difference < 0.02;
                if (i == 3 && k == 3)
                    open = fmax(open, fabs(o.defect));
            }
    }
    assert_int_equal(wrong, 0);
    // measured 2.5e-5 (andrews-squeezer, whose power is taken at the ends of steps); work that is
    // integrated with an error of its own is off by percents
    assert_true(open < 1e-4);
}

// Results that are off by 5 % of the energy and more, as --energy shows, and what is close to them.
static void test_energy_balance_wrong_results_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *model, *integrator;
        double tolerance;
        const char *reported; // NULL: nothing
    } cases[] = {
        // the beam at 1e-5: 11 % more, with a tip speed that is 1.9 times as large as it should be
        {beam, "bdf", 1e-5, "brought in"},
        {beam, "bdf", 1e-2, "below the absolute tolerance"}, // said before the energy
        {beam, "generalized-alpha", 1e-3, "below the absolute tolerance"},
        {beam, "radau-adaptive", 1e-5, NULL},
        {beam, "explicit", 1e-6, NULL},
        // the bump stop: below 1 %, however loose the tolerance
        {stop, "generalized-alpha", 1e-2, NULL},
        {stop, "bdf", 5e-2, NULL},
        {stop, "adams", 5e-2, NULL},
        {stop, "generalized-alpha", 1e-3, NULL},
        {stop, "adams", 1e-3, NULL},
        {stop, "radau-adaptive", 1e-2, NULL},
        // the ball loses 70 % in contacts, each of which is over in some ten steps; bdf at 1e-2
        // keeps 3.48 J of them, radau-adaptive at 1e-10 3.45 J
        {contact, "bdf", 1e-2, NULL},
        {contact, "adams", 1e-2, NULL},
        {contact, "adams", 1e-3, NULL},
        {contact, "generalized-alpha", 1e-4, NULL},
        // friction takes out all energy there is, and no method any: 1e-9 and less
        {slope, "bdf", 1e-10, NULL},
        {slope, "adams", 1e-10, NULL},
        {slope, "radau-adaptive", 1e-3, NULL},
        // example models: 0.7 % and less
        {"examples/pendulum.yaml", "hht", 1e-2, NULL},
        {"examples/slider-crank-equations.yaml", "bdf", 1e-2, NULL},
        {"examples/mechanisms/slider-crank.yaml", "bdf", 1e-4, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o = run(cases[i].model, cases[i].integrator, cases[i].tolerance);
        bool right = cases[i].reported
                         ? o.status == TRM_UNTRUSTED && strstr(o.error.text, cases[i].reported)
                         : o.status == TRM_OK;
        if (!right)
            fail_msg("case %zu, %s at %g: %s %s", i, cases[i].integrator, cases[i].tolerance,
                     trm_status_name(o.status), o.error.text);
    }
}

static outcome run_top(double spin, const char *integrator, double tolerance, trm_error_test test)
{
    char text[sizeof top + 20];
    snprintf(text, sizeof text, top, spin);
    return run_tested(text, integrator, tolerance, test);
}

// Positions alone let a spin go wrong: at 1e-3 the top gained 14 % in 279 steps and 80 rejected
// ones, at 1e-6 with 1000 rad/s 0.8 % in 13041. With its rates in the error test 2.6 % and 6
// rejected ones, 0.07 % in 8074 steps; the limits are twice that.
static void test_energy_balance_spinning_body_keeps_its_energy(void **state)
{
    (void)state;
    outcome o = run_top(100, "bdf", 1e-3, TRM_ERROR_TEST_AUTO);
    assert_int_equal(o.status, TRM_OK);
    assert_true(fabs(o.defect) < 0.05);
    assert_in_range(o.rejected, 0, 12);
    o = run_top(1000, "bdf", 1e-6, TRM_ERROR_TEST_AUTO);
    assert_int_equal(o.status, TRM_OK);
    assert_true(fabs(o.defect) < 0.0015);
    assert_in_range(o.steps, 4000, 10000);
}

// A motion that the method has driven until no step succeeds, by rates that are not tested, has no
// jump to look for.
static void test_energy_balance_run_away_blames_the_method(void **state)
{
    (void)state;
    outcome o = run_top(3000, "adams", 1e-1, TRM_ERROR_TEST_Q);
    assert_int_equal(o.status, TRM_ERR_ERROR_TEST);
    assert_non_null(strstr(o.error.advice, "the method brought in"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_balance_reported_results_are_wrong),
        cmocka_unit_test(test_energy_balance_wrong_results_are_reported),
        cmocka_unit_test(test_energy_balance_spinning_body_keeps_its_energy),
        cmocka_unit_test(test_energy_balance_run_away_blames_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
