// SPDX-License-Identifier: Apache-2.0
// The rules of the step loop with a method whose attempts, errors and plans are prescribed: how
// long each attempt is, which are accepted, and when a run is given up. The numbers are those of
// the rules themselves, computed here a second time.
#include "base/error.h"
#include "fail/fail.h"
#include "one_mass.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/sensitivity/sensitivity.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"

#include <float.h>
#include <string.h>

// ---- a method that does what is written here ----

enum { KEPT = 64 };
typedef struct script {
    trmi_outcome outcome; // of the first `failures` attempts, then TRMI_OUTCOME_OK
    int failures;
    double error[KEPT]; // of the attempts that found a point
    double planned;     // control.h after an accepted step
    int misplaced;      // attempts that end at the wrong place
    int astray;         // attempts that find a point far away
    int unsolved;       // attempts whose sensitivities do not converge
    // what happened
    int attempts, estimates, rescues, withdrawn;
    double h[KEPT], t[KEPT];
    bool cut[KEPT];
} script;

static script *script_of(const trm_simulation *s)
{
    return s->options.user;
}

static bool take_memory(trm_simulation *s)
{
    double *rate;
    if (!TRMI_TAKE(&s->memory, rate, 1))
        return false;
    s->state = rate;
    return true;
}

static trm_status begin(trm_simulation *s, double t_end)
{
    return trmi_ode_begin(s, t_end, s->state);
}

static trmi_outcome attempt(trm_simulation *s, trmi_step_trial *trial)
{
    script *c = script_of(s);
    const trmi_point from = trmi_past_point(s, 0);
    trmi_point *p = &s->corrector.point;
    int k = c->attempts++ % KEPT;
    c->h[k] = trial->h;
    c->t[k] = trial->t;
    c->cut[k] = trial->cut;
    trial->k = 1;
    p->t = trial->t;
    p->q[0] = c->astray-- > 0 ? 100 : from.q[0];
    p->v[0] = from.v[0];
    return c->attempts <= c->failures ? c->outcome : TRMI_OUTCOME_OK;
}

static double estimate(trm_simulation *s, trmi_step_trial *trial)
{
    (void)trial;
    script *c = script_of(s);
    return c->error[c->estimates++ % KEPT];
}

static trmi_outcome rescue(trm_simulation *s, trmi_step_trial *trial, trmi_outcome outcome)
{
    (void)trial;
    script_of(s)->rescues++;
    return outcome;
}

static bool misplaced(trm_simulation *s, trmi_step_trial *trial)
{
    if (script_of(s)->misplaced-- <= 0)
        return false;
    s->control.h = 0.75 * trial->h;
    return true;
}

static void keep_length(trm_simulation *s, const trmi_step_trial *trial)
{
    (void)s, (void)trial;
}

static void keep_length_after(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason)
{
    (void)s, (void)trial, (void)reason;
}

static void withdraw(trm_simulation *s)
{
    script_of(s)->withdrawn++;
}

static trm_status solve_sensitivities(trm_simulation *s, const trmi_step_trial *trial)
{
    (void)trial;
    return script_of(s)->unsolved-- > 0
               ? trmi_error_set(&s->error, TRM_ERR_NEWTON, "sensitivities do not converge")
               : TRM_OK;
}

static void plan(trm_simulation *s, const trmi_step_trial *trial)
{
    (void)trial;
    s->control.h = script_of(s)->planned;
}

static void accept(trm_simulation *s, const trmi_step_trial *trial)
{
    (void)trial;
    s->corrector.point.a[0] = 0;
}

static void dense(trm_simulation *s, double t, trmi_point *p)
{
    (void)s;
    p->t = t;
}

static trmi_method usual_method(void)
{
    return (trmi_method){.name = "script",
                         .order_max = 1,
                         .tightening = 1,
                         .energy_advice = {"", ""},
                         .create = take_memory,
                         .begin = begin,
                         .dense = dense,
                         .attempt = attempt,
                         .estimate = estimate,
                         .adapt_to_error = keep_length,
                         .withdraw = withdraw,
                         .plan = plan,
                         .accept = accept};
}

// ---- a mass without forces ----

typedef struct start {
    double t, q, v, t_end, h;
} start;

static trm_system mass(void)
{
    return (trm_system){
        .name = "mass",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = no_force}};
}

static trm_simulation *open_system(trm_system system, const trmi_method *method, script *c,
                                   trm_options o, start from)
{
    const trm_initial initial = {.t = from.t, .q = &from.q, .v = &from.v};
    trm_simulation *s;
    trm_error error;
    o.user = c;
    assert_status(trmi_simulation_create(&s, &system, &o, &initial, method, &error), TRM_OK,
                  &error);
    assert_status(method->begin(s, from.t_end), TRM_OK, &s->error);
    s->control.h = from.h;
    return s;
}

static trm_simulation *open_run(const trmi_method *method, script *c, trm_options o, start from)
{
    return open_system(mass(), method, c, o, from);
}

static const start usual_start = {.q = 1, .v = 1, .t_end = 100, .h = 1};

// one step of such a run
static trm_status one_step(const trmi_method *method, script *c, const trm_options *o, start from)
{
    trm_simulation *s = open_run(method, c, *o, from);
    trm_status status = trmi_step(s, from.t_end);
    trm_simulation_destroy(s);
    return status;
}

#define assert_equal(a, b)                                                                         \
    do {                                                                                           \
        double x_ = (a), y_ = (b);                                                                 \
        if (!(x_ == y_))                                                                           \
            fail_msg("%s is %.17g, not %.17g", #a, x_, y_);                                        \
    } while (0)

// ---- length ----

// Far from the origin of times a step is the difference of two times; elsewhere as planned.
static void test_step_of_times_is_one_that_times_can_show(void **state)
{
    (void)state;
    const double t = 1e9, h = 1e-3, tiny = 1e-12;
    assert_true((t + h) - t != h); // or this proves nothing
    assert_equal(trmi_step_of_times(t, h), (t + h) - t);
    assert_equal(trmi_step_of_times(-t, h), (-t + h) + t);
    assert_equal(trmi_step_of_times(t, tiny), nextafter(t, INFINITY) - t);
    assert_equal(trmi_step_of_times(1, 0.1), 0.1);
    assert_equal(trmi_step_of_times(0, 0), 0); // no step remains none
}

// four roundoffs of the time, at the beginning of a millionth of the end; or h_min
static void test_step_smallest_is_four_roundoffs_or_h_min(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    script c = {0};
    trm_options o = trm_options_default();
    trm_simulation *s = open_run(&method, &c, o, usual_start);
    const double four = 4 * DBL_EPSILON;
    s->now.t = 2;
    assert_equal(trmi_smallest_step(s, 10), four * 2);
    s->now.t = -2;
    assert_equal(trmi_smallest_step(s, 10), four * 2);
    s->now.t = 0;
    assert_equal(trmi_smallest_step(s, 10), four * (1e-6 * 10));
    assert_equal(trmi_smallest_step(s, -10), four * (1e-6 * 10));
    s->options.h_min = 1e-3;
    assert_equal(trmi_smallest_step(s, 10), 1e-3);
    trm_simulation_destroy(s);
}

// The end: reached at once within 1.0001 steps, in two equal ones within two steps, else as
// planned.
static void test_step_ends_exactly_at_the_end(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    const trm_options o = trm_options_default();
    const struct {
        double t_end, h;
        bool cut;
    } cases[] = {{1.0001, 1.0001, false}, {1.0002, 0.5001, true}, {0.25, 0.25, true},
                 {1.5, 0.75, true},       {2, 1, false},          {2.5, 1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        script c = {.planned = 1};
        start from = usual_start;
        from.t_end = cases[k].t_end;
        assert_int_equal(one_step(&method, &c, &o, from), TRM_OK);
        assert_equal(c.h[0], cases[k].h);
        assert_equal(c.t[0], cases[k].h);
        assert_int_equal(c.cut[0], cases[k].cut);
    }
}

// A method whose steps pass the end takes them as planned, far from the origin too; with constant
// steps as well.
static void test_step_of_methods_that_pass_the_end_is_as_planned(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    trm_options o = trm_options_default();
    script c = {.planned = 1};
    const start from = {.t = 1e9, .q = 1, .v = 1, .t_end = 1e9 + 5e-4, .h = 1e-3};
    method.passes_end = true;
    assert_int_equal(one_step(&method, &c, &o, from), TRM_OK);
    assert_equal(c.h[0], 1e-3);
    start rounded = from;
    rounded.t_end = 2e9;
    method.passes_end = false;
    assert_int_equal(one_step(&method, &c, &o, rounded), TRM_OK);
    assert_equal(c.h[1], (1e9 + 1e-3) - 1e9);
    o.h_fixed = 1e-3;
    assert_int_equal(one_step(&method, &c, &o, rounded), TRM_OK);
    assert_equal(c.h[2], 1e-3);
}

// ---- acceptance ----

// Errors up to the tolerance pass, and nothing above it.
static void test_step_error_of_one_tolerance_passes(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    const trm_options o = trm_options_default();
    script c = {.error = {1.0000001, 1.9, 1}, .planned = 1};
    trm_simulation *s = open_run(&method, &c, o, usual_start);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_int_equal(c.attempts, 3);
    assert_int_equal(c.withdrawn, 2);
    assert_int_equal(s->statistics.rejected_error, 2);
    assert_int_equal(s->statistics.steps, 1);
    assert_int_equal(s->control.error_failures, 0);
    assert_equal(s->statistics.error_sum, 1);
    trm_simulation_destroy(s);
}

// The errors of accepted steps add up, each by its share of the tolerances: a test at a tenth of
// them, of which a step may have a half.
static void test_step_errors_add_up_in_tolerances(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    method.tightening = 0.1;
    method.step_share = 0.5;
    script c = {.error = {0.5, 3, 0.25}, .planned = 1};
    trm_simulation *s = open_run(&method, &c, trm_options_default(), usual_start);
    for (int i = 0; i < 2; i++)
        assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_true(fabs(s->statistics.error_sum - 0.1 * 0.5 * (0.5 + 0.25)) < 1e-15);
    trm_simulation_destroy(s);
}

// The plan holds after a whole step. One that was cut short is no reason for shorter ones, but for
// methods that interpolate past points.
static void test_step_cut_short_keeps_the_planned_length(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    trm_options o = trm_options_default();
    o.formulation = TRM_FORMULATION_INDEX1_PROJECTED; // whose matrix has no split to change
    o.linear_solver = TRM_SOLVER_SPARSE;
    const struct {
        bool multistep;
        double t_end, planned, next;
    } cases[] = {{false, 100, 0.5, 0.5}, {false, 100, 3, 3}, {false, 0.25, 0.125, 1},
                 {false, 0.25, 3, 3},    {true, 100, 3, 3},  {true, 0.25, 0.125, 0.125}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        script c = {.planned = cases[k].planned};
        start from = usual_start;
        from.t_end = cases[k].t_end;
        method.multistep = cases[k].multistep;
        trm_simulation *s = open_run(&method, &c, o, from);
        assert_int_equal(trmi_step(s, from.t_end), TRM_OK);
        assert_equal(s->control.h, cases[k].next);
        assert_int_equal(s->statistics.split_changes, 0);
        trm_simulation_destroy(s);
    }
    o.h_max = 2; // and no more than allowed
    script c = {.planned = 3};
    trm_simulation *s = open_run(&method, &c, o, usual_start);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_equal(s->control.h, 2);
    trm_simulation_destroy(s);
}

// the decaying maximum of accepted steps
static void test_step_typical_length_decays(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    script c = {.planned = 0.5};
    trm_simulation *s = open_run(&method, &c, trm_options_default(), usual_start);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_equal(s->control.h_typical, 1);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_equal(s->control.h_typical, 0.98);
    s->control.h = 3;
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_equal(s->control.h_typical, 3);
    trm_simulation_destroy(s);
}

// An attempt that ended at the wrong place is made again, with the length that the method wants;
// one that found no point is not asked.
static void test_step_misplaced_attempt_is_repeated(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    const trm_options o = trm_options_default();
    method.misplaced = misplaced;
    script c = {.planned = 1, .misplaced = 1};
    assert_int_equal(one_step(&method, &c, &o, usual_start), TRM_OK);
    assert_int_equal(c.attempts, 2);
    assert_equal(c.h[1], 0.75);
    script failed = {.planned = 1, .misplaced = 1, .failures = 1, .outcome = TRMI_OUTCOME_DIVERGED};
    assert_int_equal(one_step(&method, &failed, &o, usual_start), TRM_OK);
    assert_equal(failed.h[1], 0.5);
    assert_equal(failed.h[2], 0.75 * 0.5);
}

// q = 1: no freedom is left
static int stays(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] - 1;
    return 0;
}

// the same twice, the second time wrong from t = 0.5 on
static int stays_for_a_while(const trm_state *s, double *out, void *user)
{
    stays(s, out, user);
    out[1] = 2 * out[0] + (s->t > 0.5);
    return 0;
}

// Where all motion is prescribed, an attempt that ends in another assembly found no point.
static void test_step_in_another_assembly_is_no_point(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    trm_system system = mass();
    script c = {.planned = 1, .astray = 1};
    start from = usual_start;
    from.v = 0;
    system.n_g = 1;
    system.function[TRM_QUANTITY_CONSTRAINT] = stays;
    trm_simulation *s = open_system(system, &method, &c, trm_options_default(), from);
    assert_status(trmi_step(s, 100), TRM_OK, &s->error);
    assert_int_equal(c.attempts, 2);
    assert_equal(c.h[1], 0.5);
    assert_int_equal(s->statistics.rejected_newton, 1);
    trm_simulation_destroy(s);
}

// A row that was dropped because it followed from others, and does not any more, ends the run; the
// error is at the last good point.
static void test_step_dropped_row_that_breaks_ends_the_run(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    trm_system system = mass();
    script c = {.planned = 1};
    start from = usual_start;
    from.v = 0;
    from.h = 0.25;
    system.n_g = 2;
    system.function[TRM_QUANTITY_CONSTRAINT] = stays_for_a_while;
    trm_simulation *s = open_system(system, &method, &c, trm_options_default(), from);
    assert_status(trmi_step(s, 100), TRM_OK, &s->error);
    assert_true(trmi_step(s, 100) < 0);
    assert_int_equal(c.attempts, 2);
    assert_equal(s->error.t, 0.25);
    trm_simulation_destroy(s);
}

static int gap_closes(const trm_state *s, double *gap, double *rate, double *second, void *user)
{
    (void)user;
    gap[0] = 0.25 - s->t;
    rate[0] = -1;
    if (second)
        second[0] = 0;
    return 0;
}

// A gap that closes inside a good step: it is made again, up to there.
static void test_step_over_a_switch_is_repeated(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    trm_system system = mass();
    script c = {.planned = 1};
    const double held = 1; // the force is locked out: it must not be there before the gap closes
    system.n_switches = system.n_held = 1;
    system.held = &held;
    system.switches = gap_closes;
    trm_simulation *s = open_system(system, &method, &c, trm_options_default(), usual_start);
    s->switches.gap[0] = 0.25;
    s->switches.rate[0] = -1;
    assert_status(trmi_step(s, 100), TRM_OK, &s->error);
    assert_int_equal(c.attempts, 2);
    assert_true(c.h[1] <= 0.25 && c.h[1] > 0.24); // a little before
    assert_int_equal(c.withdrawn, 1);
    trm_simulation_destroy(s);
}

// ---- rejection ----

// Half the step, after the third failure in a row a quarter; the start is over with the first.
static void test_step_failed_attempts_shorten_the_step(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    script c = {.failures = 6, .outcome = TRMI_OUTCOME_DIVERGED, .planned = 1};
    trm_simulation *s = open_run(&method, &c, trm_options_default(), usual_start);
    s->control.starting = true;
    s->control.since_order = 5;
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    const double h[] = {1, 0.5, 0.25, 0.125, 0.125 / 4, 0.125 / 16, 0.125 / 64};
    assert_int_equal(c.attempts, 7);
    for (int k = 0; k < 7; k++)
        assert_equal(c.h[k], h[k]);
    assert_int_equal(c.withdrawn, 6);
    assert_int_equal(s->statistics.rejected_newton, 6);
    assert_int_equal(s->control.newton_failures, 0); // after a good one they count from zero
    assert_false(s->control.starting);
    assert_int_equal(s->control.since_order, 0);
    trm_simulation_destroy(s);
}

// A step of a run with sensitivities.
static trm_status sensitive_step(script *c, const trm_options *o)
{
    trmi_method method = usual_method();
    trmi_sensitivities none = {0};
    method.sensitivities = solve_sensitivities;
    trm_simulation *s = open_run(&method, c, *o, usual_start);
    s->sensitivity = &none;
    trm_status status = trmi_step(s, 100);
    s->sensitivity = NULL;
    if (status != TRM_OK)
        assert_contains(s->error.text, "sensitivities do not converge");
    trm_simulation_destroy(s);
    return status;
}

// A step whose sensitivities do not converge is a failed one; constant steps have no shorter ones.
// Where the run is given up, they are the reason.
static void test_step_sensitivities_that_do_not_converge_shorten_the_step(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    script twice = {.unsolved = 2, .planned = 1}, always = {.unsolved = 1000, .planned = 1};
    assert_int_equal(sensitive_step(&twice, &o), TRM_OK);
    assert_int_equal(twice.attempts, 3);
    assert_int_equal(twice.withdrawn, 2);
    for (int k = 0; k < 3; k++)
        assert_equal(twice.h[k], ldexp(1, -k));
    assert_int_equal(sensitive_step(&always, &o), TRM_ERR_NEWTON);
    assert_true(always.attempts > 3);
    always = (script){.unsolved = 1, .planned = 1};
    o.h_fixed = 1;
    assert_int_equal(sensitive_step(&always, &o), TRM_ERR_NEWTON);
    assert_int_equal(always.attempts, 1);
}

// attempts before a run is given up whose attempts keep their length
static int attempts_until(trmi_outcome outcome, int most, const trm_options *o)
{
    trmi_method method = usual_method();
    script c = {.failures = 1000, .outcome = outcome, .planned = 1};
    method.adapt_to_failure = keep_length_after;
    method.max_newton_failures = most;
    assert_true(one_step(&method, &c, o, usual_start) < 0);
    return c.attempts;
}

static void test_step_failures_in_a_row_end_the_run(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    assert_int_equal(attempts_until(TRMI_OUTCOME_DIVERGED, 0, &o), 40);
    assert_int_equal(attempts_until(TRMI_OUTCOME_DIVERGED, 7, &o), 7);
    assert_int_equal(attempts_until(TRMI_OUTCOME_DIVERGED, 1, &o), 1);
    assert_int_equal(attempts_until(TRMI_OUTCOME_SINGULAR, 0, &o), 12);
    assert_int_equal(attempts_until(TRMI_OUTCOME_STOP, 0, &o), 1);
    o.h_min = 1; // the smallest step is tried, shorter ones are not
    assert_int_equal(attempts_until(TRMI_OUTCOME_DIVERGED, 0, &o), 40);
    o.h_min = nextafter(1, 2);
    o.h_initial = 2;
    assert_int_equal(attempts_until(TRMI_OUTCOME_DIVERGED, 0, &o), 1);
}

static void test_step_large_errors_in_a_row_end_the_run(void **state)
{
    (void)state;
    const trmi_method method = usual_method();
    trm_options o = trm_options_default();
    const double h_min[] = {0, 1, nextafter(1, 2)};
    const int attempts[] = {50, 50, 1};
    for (int k = 0; k < 3; k++) {
        script c = {.planned = 1};
        for (int i = 0; i < KEPT; i++)
            c.error[i] = 3;
        o.h_min = h_min[k];
        o.h_initial = 2;
        assert_int_equal(one_step(&method, &c, &o, usual_start), TRM_ERR_ERROR_TEST);
        assert_int_equal(c.attempts, attempts[k]);
    }
}

// Velocities that are differences of positions are known to eps |q| / h: no step for which that is
// ten tolerances, but a millionth of the rest is always allowed.
static void check_noisy(start from, double limit)
{
    trmi_method method = usual_method();
    trm_options o = trm_options_default();
    script c = {.failures = 1000, .outcome = TRMI_OUTCOME_DIVERGED, .planned = 1};
    o.rtol = 1e-3;
    o.atol = 0.09;
    method.noisy_velocities = true;
    trm_simulation *s = open_run(&method, &c, o, from);
    s->watch.max_v = 100;
    assert_true(trmi_step(s, from.t_end) < 0);
    int attempts = 1;
    double h = 0.5 * from.h;
    for (; h >= limit; attempts++)
        h *= attempts + 1 > 3 ? 0.25 : 0.5;
    assert_int_equal(c.attempts, attempts);
    trm_simulation_destroy(s);
}

static void test_step_noise_of_velocities_limits_the_step(void **state)
{
    (void)state;
    const double tolerance = 1e-3 * 100 + 0.09;
    const start noisy = {.q = 1e9, .v = 1, .t_end = 100, .h = 1};
    check_noisy(noisy, DBL_EPSILON * 1e9 / (10 * tolerance));
    const start at_rest = {.t = 90, .q = 1e15, .v = 1, .t_end = 100, .h = 1};
    check_noisy(at_rest, 1e-6 * (100 - 90));
}

// Constant steps: no error is estimated, and after a failure there is the rescue or the end.
static void test_step_constant_steps_are_rescued_or_given_up(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    trm_options o = trm_options_default();
    script good = {.planned = 1}, bad = {.failures = 9, .outcome = TRMI_OUTCOME_DIVERGED},
           adaptive = {.failures = 1, .outcome = TRMI_OUTCOME_DIVERGED, .planned = 1};
    method.rescue = rescue;
    assert_int_equal(one_step(&method, &adaptive, &o, usual_start), TRM_OK);
    assert_int_equal(adaptive.rescues, 0);
    o.h_fixed = 1;
    trm_simulation *s = open_run(&method, &good, o, usual_start);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_int_equal(good.rescues, 0);
    assert_int_equal(good.estimates, 0);
    assert_equal(s->statistics.error_sum, 0);
    trm_simulation_destroy(s);
    assert_true(one_step(&method, &bad, &o, usual_start) < 0);
    assert_int_equal(bad.attempts, 1);
    assert_int_equal(bad.rescues, 1);
    method.rescue = NULL;
    script none = {.failures = 9, .outcome = TRMI_OUTCOME_DIVERGED};
    assert_true(one_step(&method, &none, &o, usual_start) < 0);
    assert_int_equal(none.attempts, 1);
}

// ---- times and noise ----

// A step that ends where it begins is none, wherever the run is.
static void test_step_that_does_not_change_the_time_is_given_up(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    method.passes_end = true; // otherwise its length is rounded to one that times can have
    script c = {.planned = 1};
    trm_simulation *s = open_run(&method, &c, trm_options_default(), usual_start);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    s->control.h = 1e-30;
    assert_int_equal(trmi_step(s, 100), TRM_ERR_ERROR_TEST);
    assert_contains(s->error.text, "does not change the time t = 2");
    trm_simulation_destroy(s);
}

// Velocities are known to eps |q| / h: with |q| = 1e7 steps of 1e-5 are noise. They may be tried
// while their errors fall, and end where a second one is no smaller.
static void test_step_noisy_steps_are_tried_while_errors_fall(void **state)
{
    (void)state;
    trmi_method method = usual_method();
    method.noisy_velocities = true;
    const start from = {.q = 1e7, .v = 1, .t_end = 100, .h = 1e-5};
    script falls = {.error = {2, 1.5, 0.5}, .planned = 1}, stays = {.error = {2, 2, 0.5}};
    trm_simulation *s = open_run(&method, &falls, trm_options_default(), from);
    assert_int_equal(trmi_step(s, 100), TRM_OK);
    assert_int_equal(falls.attempts, 3);
    trm_simulation_destroy(s);
    s = open_run(&method, &stays, trm_options_default(), from);
    assert_int_equal(trmi_step(s, 100), TRM_ERR_ERROR_TEST);
    assert_int_equal(stays.attempts, 2);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_of_times_is_one_that_times_can_show),
        cmocka_unit_test(test_step_smallest_is_four_roundoffs_or_h_min),
        cmocka_unit_test(test_step_ends_exactly_at_the_end),
        cmocka_unit_test(test_step_of_methods_that_pass_the_end_is_as_planned),
        cmocka_unit_test(test_step_error_of_one_tolerance_passes),
        cmocka_unit_test(test_step_errors_add_up_in_tolerances),
        cmocka_unit_test(test_step_cut_short_keeps_the_planned_length),
        cmocka_unit_test(test_step_typical_length_decays),
        cmocka_unit_test(test_step_misplaced_attempt_is_repeated),
        cmocka_unit_test(test_step_in_another_assembly_is_no_point),
        cmocka_unit_test(test_step_dropped_row_that_breaks_ends_the_run),
        cmocka_unit_test(test_step_over_a_switch_is_repeated),
        cmocka_unit_test(test_step_failed_attempts_shorten_the_step),
        cmocka_unit_test(test_step_sensitivities_that_do_not_converge_shorten_the_step),
        cmocka_unit_test(test_step_failures_in_a_row_end_the_run),
        cmocka_unit_test(test_step_large_errors_in_a_row_end_the_run),
        cmocka_unit_test(test_step_noise_of_velocities_limits_the_step),
        cmocka_unit_test(test_step_constant_steps_are_rescued_or_given_up),
        cmocka_unit_test(test_step_that_does_not_change_the_time_is_given_up),
        cmocka_unit_test(test_step_noisy_steps_are_tried_while_errors_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
