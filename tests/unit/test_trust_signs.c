// SPDX-License-Identifier: Apache-2.0
// The signs against a result, one by one, at their limits: what a run observed is set by hand, and
// the energy of the error estimate is compared with its closed form.
#include "models.h"

#include "solver/integrator/simulation.h"
#include "solver/integrator/watch/trust.h"

#include <float.h>

// Two masses that move together, each on a spring: G = (1, -1), M = diag(2, 3), K = diag(50, 70).
static const char pair[] = "trammel: 1\n"
                           "equations:\n"
                           "  coordinates: {a: va, b: vb}\n"
                           "  mass: [2, 3]\n"
                           "  force: [\"-50*a\", \"-70*b\"]\n"
                           "  constraints: {together: \"a - b\"}\n"
                           "  energy: {potential: \"25*a^2 + 35*b^2\"}\n"
                           "initial: {values: {a: 0.1, b: 0.1}}\n"
                           "simulate: {end: 1, integrator: bdf, tolerance: 1e-3}\n";
static const double mass[] = {2, 3}, stiffness[] = {50, 70};

typedef struct trust_case {
    model_case model;
    trm_simulation *s;
} trust_case;

// A run of some steps that nothing speaks against; what it observed is forgotten.
static int begin(void **state)
{
    trust_case *c = calloc(1, sizeof *c);
    trm_error error;
    model_read(&c->model, pair);
    assert_int_equal(trm_simulation_create(&c->s, c->model.system,
                                           trm_model_options(c->model.model),
                                           trm_instance_initial(c->model.instance), &error),
                     TRM_OK);
    assert_int_equal(trm_simulation_run(c->s, 0.2), TRM_OK);
    trmi_watch *w = &c->s->watch;
    w->motion_energy = w->rest_energy = w->estimate_energy_sum = w->noise_v = 0;
    w->estimate_samples = 0;
    w->energy.known = false;       // no balance
    w->energy.t_sample = HUGE_VAL; // and no further sample of it
    c->s->statistics.steps = 100;
    c->s->watch.rejected_newton = c->s->watch.rejected_error = 0;
    c->s->corrector.rescued = 0;
    *state = c;
    return 0;
}

static int end(void **state)
{
    trust_case *c = *state;
    trm_simulation_destroy(c->s);
    model_close(&c->model);
    free(c);
    return 0;
}

static trm_simulation *simulation_of(void **state)
{
    return ((trust_case *)*state)->s;
}

// not trusted, with these words in text and advice
static void assert_untrusted(trm_simulation *s, const char *text, const char *advice)
{
    assert_int_equal(trm_simulation_trust(s), TRM_UNTRUSTED);
    assert_contains(trm_simulation_error(s)->text, text);
    assert_contains(trm_simulation_error(s)->advice, advice);
}

static void assert_trusted(trm_simulation *s)
{
    if (trm_simulation_trust(s) != TRM_OK)
        fail_msg("%s", trm_simulation_error(s)->text);
}

// ---- roundoff ----

static void test_trust_roundoff_in_velocities_counts_from_100_tolerances(void **state)
{
    trm_simulation *s = simulation_of(state);
    s->options.rtol = 1e-3;
    s->options.atol = 1e-5;
    s->watch.max_v = 4;
    const double limit = 100 * (1e-3 * 4 + 1e-5);
    s->watch.shortest_step = 1e-12;
    s->watch.noise_v = limit;
    assert_trusted(s);
    s->watch.noise_v = limit * (1 + 1e-12);
    assert_untrusted(s, "a step was as short as 1e-12", "remove the jump");
    // positions of noise h / eps: 1e6 are far away
    s->watch.shortest_step = 0.999e6 * DBL_EPSILON / s->watch.noise_v;
    assert_untrusted(s, "with positions of 1e+06", "remove the jump");
    s->watch.shortest_step = 1.001e6 * DBL_EPSILON / s->watch.noise_v;
    assert_untrusted(s, "with positions of 1e+06", "an origin close to the motion");
}

// ---- rejections ----

static void test_trust_a_quarter_of_rejected_attempts_is_too_much(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_watch *w = &s->watch;
    w->rejected_newton = 19;
    s->corrector.rescued = 6;
    assert_trusted(s);
    s->corrector.rescued = 7;
    assert_untrusted(s, "in 100 steps the Newton iteration failed 26 times", "very stiff force");
    w->rejected_newton = 0;
    s->corrector.rescued = 0;
    w->rejected_error = 25;
    assert_trusted(s);
    w->rejected_error = 26;
    assert_untrusted(s, "and the error test 26 times", "and compare");
    w->rejected_newton = 1;
    assert_untrusted(s, "failed 1 times and the error test 26 times", "very stiff force");
}

static void test_trust_fewer_than_eight_rejections_do_not_count(void **state)
{
    trm_simulation *s = simulation_of(state);
    s->statistics.steps = 20;
    s->watch.rejected_newton = 7;
    assert_trusted(s);
    s->watch.rejected_newton = 8;
    assert_untrusted(s, "failed 8 times", "tighten rtol");
}

// A balance that closes says that the rejected errors did no harm; Newton's failures count still.
static void test_trust_errors_do_not_count_where_the_energy_balance_closes(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_energy *w = &s->watch.energy;
    w->known = true;
    w->exceeded = false;
    w->defect = w->worst = w->duration = 0;
    s->watch.rejected_error = 60;
    assert_true(trmi_energy_judge(s).closes);
    s->watch.rejected_newton = 25;
    assert_trusted(s);
    s->watch.rejected_newton = 26;
    assert_untrusted(s, "failed 26 times", "tighten rtol");
}

// ---- energy ----

static void test_trust_energy_that_a_method_made_is_told_with_its_share(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_energy *w = &s->watch.energy;
    w->known = w->exceeded = true;
    w->exceeded_since = 0.125;
    w->defect = 1e-3;
    char share[40];
    snprintf(share, sizeof share, "%.3g %% of the energy", 100 * trmi_energy_judge(s).defect);
    assert_untrusted(s, "from t = 0.125 on the method, not a force, brought in", "");
    assert_contains(trm_simulation_error(s)->text, share);
    w->defect = -1e-3;
    assert_untrusted(s, "took out", "");
    assert_contains(trm_simulation_error(s)->text, share);
    w->defect = 0;
    assert_untrusted(s, "took out 0 %", "");
    // errors that were rejected are a result of that; a few failures of Newton are no better
    // reason, many are
    s->watch.rejected_error = 60;
    assert_untrusted(s, "the energy balance does not close", "");
    s->watch.rejected_error = 0;
    s->watch.rejected_newton = 5;
    assert_untrusted(s, "the energy balance does not close", "");
    s->watch.rejected_newton = 50;
    assert_untrusted(s, "the Newton iteration failed 50 times", "");
    // where the balance does not close, rejected errors count, but one failure of Newton must be
    // among them
    w->worst = 1e6;
    assert_false(trmi_energy_judge(s).closes);
    s->watch.rejected_error = 60;
    s->watch.rejected_newton = 0;
    assert_untrusted(s, "the energy balance does not close", "");
    s->watch.rejected_newton = 1;
    assert_untrusted(s, "failed 1 times and the error test 60 times", "");
}

// ---- the error estimate ----

static void test_trust_energy_of_the_estimate_counts_from_three_percent(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_watch *w = &s->watch;
    w->rest_energy = 4;
    w->motion_energy = 401;
    w->estimate_samples = 4;
    w->estimate_energy_sum = 4 * 0.031;
    assert_untrusted(s, "stored 0.031 times the energy of the motion", "very stiff force");
    w->estimate_energy_sum = 4 * 0.03;
    assert_trusted(s);
    w->estimate_energy_sum = 2 * 0.5;
    w->estimate_samples = 2; // too few
    assert_trusted(s);
    w->estimate_samples = 3;
    assert_untrusted(s, "stored 0.33 times", "");
    w->motion_energy = 400; // the machine rests
    assert_trusted(s);
}

enum { STEP_RATE = 20 }; // cj

// a sample of the estimate e with these velocities, matrix and values of a step with cj = STEP_RATE
static void sample(trm_simulation *s, long steps, const double e[2], const double v[2])
{
    const double ck = 0.25;
    s->statistics.steps = steps;
    for (int i = 0; i < 2; i++) {
        s->corrector.point.v[i] = v[i];
        s->prediction.y[i] = s->corrector.point.q[i] - e[i] / ck;
    }
    assert_int_equal(trmi_saddle_factor(&s->saddle, (trmi_leading){STEP_RATE, STEP_RATE}),
                     TRMI_FACTOR_OK);
    trmi_trust_sample_estimate(s, ck, STEP_RATE);
}

static double kinetic(const double v[2])
{
    return mass[0] * v[0] * v[0] + mass[1] * v[1] * v[1];
}

// The part of e along (1, 1): a (1, 1), a = sum S_i e_i / sum S_i, S = M + K/cj^2. Its energy
// x^T K x, against the largest v^T M v.
static double share(const double e[2], double motion)
{
    double sum = 0, weighted = 0;
    for (int i = 0; i < 2; i++) {
        double S = mass[i] + stiffness[i] / (STEP_RATE * STEP_RATE);
        sum += S;
        weighted += S * e[i];
    }
    double a = weighted / sum;
    return (stiffness[0] + stiffness[1]) * a * a / motion;
}

// roundoff: 1e-9 of the share; the prediction q - e/ck loses some digits of e
static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, not %.12g", value, expected);
}

static void test_trust_estimate_energy_has_its_closed_form(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_watch *w = &s->watch;
    const double slow[] = {0.5, 0.25}, fast[] = {3, 3}, e[] = {0.02, 0.05};
    s->weight[2] = 4; // velocities have the tolerances 1/4 and 1/2
    s->weight[3] = 2;
    const double rest = 2. / 16 + 3. / 4; // more than that of slow, 0.6875
    sample(s, 7, e, slow);                // every second step
    assert_int_equal(w->estimate_samples, 0);
    assert_true(w->motion_energy == 0);
    sample(s, 8, e, slow);
    assert_int_equal(w->estimate_samples, 1);
    assert_near(w->rest_energy, rest);
    assert_near(w->motion_energy, rest);
    double sum = share(e, rest);
    assert_near(w->estimate_energy_sum, sum);
    // the largest motion counts from then on; the tolerances of the first sample
    s->weight[2] = s->weight[3] = 1e-3;
    sample(s, 10, e, fast);
    assert_near(w->rest_energy, rest);
    assert_near(w->motion_energy, kinetic(fast));
    sum += share(e, kinetic(fast));
    assert_near(w->estimate_energy_sum, sum);
    sample(s, 12, e, slow);
    assert_near(w->motion_energy, kinetic(fast));
    sum += share(e, kinetic(fast));
    assert_near(w->estimate_energy_sum, sum);
    assert_int_equal(w->estimate_samples, 3);
}

static void test_trust_estimate_energy_is_bounded_and_negligible_parts_are_left_out(void **state)
{
    trm_simulation *s = simulation_of(state);
    trmi_watch *w = &s->watch;
    const double fast[] = {3, 3}, motion = kinetic(fast);
    // e^T K e = factor * 1e-3 * 0.03 v^T M v
    const double least = sqrt(1e-3 * 0.03 * motion / (stiffness[0] + stiffness[1]));
    const double below[] = {0.99 * least, 0.99 * least}, above[] = {1.01 * least, 1.01 * least};
    const double huge[] = {100, 100}, across[] = {1, -1};
    s->weight[2] = s->weight[3] = 1e3;
    sample(s, 2, below, fast);
    assert_int_equal(w->estimate_samples, 1);
    assert_true(w->estimate_energy_sum == 0);
    sample(s, 4, above, fast);
    assert_near(w->estimate_energy_sum, share(above, motion));
    w->estimate_energy_sum = 0;
    sample(s, 6, huge, fast);
    assert_true(w->estimate_energy_sum == 10);
    w->estimate_energy_sum = 0;
    sample(s, 8, across, fast); // nearly all of it across the constraint
    assert_near(w->estimate_energy_sum, share(across, motion));
    assert_true(w->estimate_energy_sum < 0.2); // of 2.7
}

// How many samples a machine has after one was asked for.
static long count_samples(const char *text)
{
    trust_case c = {0};
    trm_error error;
    model_read(&c.model, text);
    assert_int_equal(trm_simulation_create(&c.s, c.model.system, trm_model_options(c.model.model),
                                           trm_instance_initial(c.model.instance), &error),
                     TRM_OK);
    assert_int_equal(trm_simulation_run(c.s, 0.2), TRM_OK);
    c.s->watch.estimate_samples = 0;
    c.s->statistics.steps = 100;
    trmi_trust_sample_estimate(c.s, 0.25, STEP_RATE);
    long samples = c.s->watch.estimate_samples;
    trm_simulation_destroy(c.s);
    model_close(&c.model);
    return samples;
}

// One coordinate is enough; without a spring there is nothing to store energy in.
static void test_trust_estimate_is_sampled_where_there_is_stiffness(void **state)
{
    (void)state;
    assert_int_equal(
        count_samples("trammel: 1\n"
                      "equations: {coordinates: {a: va}, mass: [2], force: [\"-50*a\"]}\n"
                      "initial: {values: {a: 0.1}}\n"
                      "simulate: {end: 1, integrator: bdf, tolerance: 1e-3}\n"),
        1);
    assert_int_equal(
        count_samples("trammel: 1\n"
                      "equations: {coordinates: {a: va}, mass: [2], force: [\"-0.1*va\"]}\n"
                      "initial: {values: {a: 0.1, va: 1}}\n"
                      "simulate: {end: 1, integrator: bdf, tolerance: 1e-3}\n"),
        0);
}

int main(void)
{
#define AFTER_STEPS(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        AFTER_STEPS(test_trust_roundoff_in_velocities_counts_from_100_tolerances),
        AFTER_STEPS(test_trust_a_quarter_of_rejected_attempts_is_too_much),
        AFTER_STEPS(test_trust_fewer_than_eight_rejections_do_not_count),
        AFTER_STEPS(test_trust_errors_do_not_count_where_the_energy_balance_closes),
        AFTER_STEPS(test_trust_energy_that_a_method_made_is_told_with_its_share),
        AFTER_STEPS(test_trust_energy_of_the_estimate_counts_from_three_percent),
        cmocka_unit_test(test_trust_estimate_is_sampled_where_there_is_stiffness),
        AFTER_STEPS(test_trust_estimate_energy_has_its_closed_form),
        AFTER_STEPS(test_trust_estimate_energy_is_bounded_and_negligible_parts_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
