// SPDX-License-Identifier: Apache-2.0
// integrator = auto: a trial that fails leaves nothing behind. The method on trial is
// radau-adaptive with an attempt that takes some good steps, then spoils the state and finds no
// point any more.
#include "unit/cases.h"

#include "solver/integrator/auto/auto.h"

static const double END = 3;
// steps of the trial before it fails: fewer than it takes to win
enum { GOOD_STEPS = 1 };
// work per second of explicit steps against which a trial wins by its second step, and loses
static const double DEAR = 1e9, CHEAP = 1e-9;
// what the failing method adds to a velocity, the end of the run without remedy is off by as much
static const double SPOILED = 0.05;

static trmi_outcome (*sound)(trm_simulation *s, trmi_step_trial *trial);
static double t_failed; // 0: not yet

static trmi_outcome failing_attempt(trm_simulation *s, trmi_step_trial *trial)
{
    if (trmi_auto_of(s)->trial_steps < GOOD_STEPS)
        return sound(s, trial);
    if (t_failed == 0) {
        t_failed = s->now.t;
        s->now.v[0] += SPOILED;
    }
    return TRMI_OUTCOME_DIVERGED;
}

static trm_simulation *open_auto(const trm_system *system)
{
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_AUTO;
    options.rtol = options.atol = 1e-9;
    trm_simulation *s = create(system, &options, &pendulum_start);
    trmi_member *radau = &trmi_auto_of(s)->member[TRMI_MEMBER_RADAU];
    sound = radau->method.attempt;
    radau->method.attempt = failing_attempt;
    t_failed = 0;
    return s;
}

// radau-adaptive is due, against explicit steps that need this work per second
static void make_due(trm_simulation *s, double cost)
{
    trmi_auto *a = trmi_auto_of(s);
    a->total = 1e9;
    a->member[TRMI_MEMBER_EXPLICIT].recent = (trmi_need){.last = {cost, 1, 1}};
    a->member[TRMI_MEMBER_RADAU].h = 1e-4;
}

static void step_well(trm_simulation *s)
{
    double t;
    assert_status(trm_simulation_step(s, END, &t), TRM_OK, trm_simulation_error(s));
}

// a run on its way, whose next step is the first one of a trial
static trm_simulation *open_before_trial(const trm_system *system, double cost)
{
    trm_simulation *s = open_auto(system);
    while (trm_simulation_state(s)->t < 0.3 * END)
        step_well(s);
    make_due(s, cost);
    return s;
}

// The pendulum by the same method alone, at a tolerance of 1e-11.
static void find_reference(const trm_system *system, double q[2])
{
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_EXPLICIT;
    options.rtol = options.atol = 1e-11;
    trm_simulation *s = create(system, &options, &pendulum_start);
    assert_status(trm_simulation_run(s, END), TRM_OK, trm_simulation_error(s));
    memcpy(q, trm_simulation_state(s)->q, 2 * sizeof *q);
    trm_simulation_destroy(s);
}

static void test_auto_failed_trial_leaves_nothing(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    double expected[2];
    find_reference(&system, expected);
    trm_simulation *s = open_before_trial(&system, DEAR);
    double begun = trm_simulation_state(s)->t, before = begun;
    bool returned = false;
    while (before < END) {
        step_well(s);
        const trm_state *at = trm_simulation_state(s);
        assert_true(at->t > before);     // nothing is shown twice
        if (t_failed > 0 && !returned) { // the last step covers the time where the trial failed
            returned = true;
            assert_true(trmi_auto_of(s)->kept.point.t == begun && before == t_failed);
            assert_true(s->history.t[1] <= t_failed);
            assert_int_equal(trmi_auto_of(s)->active, TRMI_MEMBER_EXPLICIT);
        }
        // rows inside of the step lie on the circle, as the state does
        const trm_state *row;
        assert_int_equal(trm_simulation_sample(s, 0.5 * (before + at->t), &row), TRM_OK);
        assert_true(fabs(hypot(row->q[0], row->q[1]) - 1) < 1e-9);
        before = at->t;
    }
    assert_true(returned && t_failed > begun);
    const double *q = trm_simulation_state(s)->q;
    double off = hypot(q[0] - expected[0], q[1] - expected[1]);
    if (!(off < 1e-7)) // a hundred tolerances
        fail_msg("off by %g", off);
    trm_simulation_destroy(s);
}

// One step that is dear, and whose error does not allow a cheaper one, is enough to lose.
static void test_auto_dear_trial_ends_with_its_first_step(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = open_before_trial(&system, CHEAP);
    trmi_auto_of(s)->member[TRMI_MEMBER_RADAU].h = 0.2; // what the tolerance allows, and more
    for (int k = 0; k < 2; k++)
        step_well(s);
    assert_int_equal(trmi_auto_of(s)->active, TRMI_MEMBER_EXPLICIT);
    assert_int_equal(trmi_auto_of(s)->member[TRMI_MEMBER_RADAU].steps, 1);
    assert_int_equal(trmi_auto_of(s)->member[TRMI_MEMBER_RADAU].lost, 1);
    trm_simulation_destroy(s);
}

// A trial that is cheaper than the last steps is not won at once where the step planned at its
// place would be cheaper still, or where its method needed more whenever it was in use: ten steps
// decide.
static void test_auto_trial_is_not_won_by_what_is_on_the_way(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < 3; k++) {
        trm_simulation *s = open_before_trial(&system, DEAR);
        trmi_member *member = trmi_auto_of(s)->member, *radau = &member[TRMI_MEMBER_RADAU];
        radau->method.attempt = sound;
        radau->h = 0.1;
        if (k == 1)
            member[TRMI_MEMBER_EXPLICIT].recent.last.steps = DEAR * DEAR;
        if (k == 2) {
            radau->reign = (trmi_expense){DEAR * DEAR, 1, 1};
            member[TRMI_MEMBER_EXPLICIT].reign = (trmi_expense){1, 1, 1};
        }
        for (int i = 0; i < 3; i++)
            step_well(s);
        assert_int_equal(trmi_auto_of(s)->active, TRMI_MEMBER_RADAU);
        assert_int_equal(trmi_auto_of(s)->incumbent,
                         k == 0 ? TRMI_MEMBER_RADAU : TRMI_MEMBER_EXPLICIT);
        for (int i = 0; i < 8; i++)
            step_well(s);
        assert_int_equal(trmi_auto_of(s)->incumbent, TRMI_MEMBER_RADAU);
        assert_int_equal(radau->lost, 0);
        trm_simulation_destroy(s);
    }
}

static bool always(const trm_simulation *s)
{
    (void)s;
    return true;
}

static double allow_half(trm_simulation *s, double h)
{
    (void)s;
    return 0.5 * h;
}

// Explicit steps at the limit of stability leave a point that swings: a trial against them is
// judged by the second step of radau-adaptive, the next one by the third.
static void test_auto_trial_against_limited_steps_goes_on(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = open_before_trial(&system, CHEAP);
    trmi_member *member = trmi_auto_of(s)->member, *radau = &member[TRMI_MEMBER_RADAU];
    radau->method.attempt = sound;
    radau->h = 0.1; // what 1e-9 allows, and more
    member[TRMI_MEMBER_EXPLICIT].method.appears_stiff = always;
    member[TRMI_MEMBER_EXPLICIT].method.stable_step = allow_half;
    for (int k = 0; k < 3; k++)
        step_well(s);
    assert_int_equal(trmi_auto_of(s)->active, TRMI_MEMBER_EXPLICIT);
    assert_int_equal(radau->steps, 2);
    assert_int_equal(radau->lost, 1);
    assert_true(radau->judged);
    trmi_auto_of(s)->total = 2e9; // it is due again
    radau->h = 0.1;
    for (int k = 0; k < 4; k++)
        step_well(s);
    assert_int_equal(radau->steps, 5);
    assert_int_equal(radau->lost, 2);
    trm_simulation_destroy(s);
}

static bool refuse; // the next question

static double refuse_first(trm_simulation *s, double h)
{
    (void)s;
    bool refused = refuse;
    refuse = false;
    return refused ? 0.5 * h : h;
}

// explicit is refused at the start, with what it would need by stability in the books; it takes
// over where radau-adaptive turns out to need more.
static void test_auto_refused_method_is_tried_where_the_other_needs_more(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = open_auto(&system);
    trmi_auto *a = trmi_auto_of(s);
    trmi_member *first = &a->member[TRMI_MEMBER_EXPLICIT];
    a->member[TRMI_MEMBER_RADAU].method.attempt = sound;
    first->method.stable_step = refuse_first;
    refuse = true;
    step_well(s);
    assert_int_equal(a->active, TRMI_MEMBER_RADAU);
    assert_true(first->recent.last.time > 0 &&
                first->recent.last.work == first->method.evaluations);
    assert_int_equal(first->lost, 1);
    assert_status(trm_simulation_run(s, END), TRM_OK, trm_simulation_error(s));
    assert_int_equal(a->incumbent, TRMI_MEMBER_EXPLICIT);
    assert_true(first->elapsed > 0.5 * END);
    trm_simulation_destroy(s);
}

// A checkpoint during the trial: the same steps follow, bit for bit.
static void test_auto_checkpoint_knows_where_a_trial_began(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = open_before_trial(&system, DEAR);
    step_well(s);
    assert_int_equal(trmi_auto_of(s)->active, TRMI_MEMBER_RADAU);
    size_t size = trm_simulation_save(s, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    trm_simulation_save(s, bytes, size);
    double end[2][2];
    for (int k = 0; k < 2; k++) {
        trm_simulation *run = k == 0 ? s : open_auto(&system);
        if (k == 1)
            assert_status(trm_simulation_load(run, bytes, size), TRM_OK, trm_simulation_error(run));
        while (trm_simulation_state(run)->t < END)
            step_well(run);
        assert_true(t_failed > 0);
        memcpy(end[k], trm_simulation_state(run)->q, sizeof end[k]);
        trm_simulation_destroy(run);
    }
    free(bytes);
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

// What steps have cost before a restart counts until the steps since it show more.
static void test_auto_cost_behind_a_restart(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = open_auto(&system);
    trmi_member *m = &trmi_auto_of(s)->member[TRMI_MEMBER_EXPLICIT];
    const int enough = trmi_auto_learning(TRMI_MEMBER_EXPLICIT);
    step_well(s);
    m->recent = (trmi_need){.last = {10, 1, 1}, .since = {100, 1, 1}, .taken = enough};
    assert_true(trmi_auto_cost_of(m) == 100);
    assert_status(trm_simulation_restart(s, NULL), TRM_OK, trm_simulation_error(s));
    step_well(s);
    assert_int_equal(m->recent.taken, 1);
    assert_true(trmi_auto_cost_of(m) != trmi_auto_rate_of(&m->recent.since));
    assert_true(trmi_auto_cost_of(m) == trmi_auto_rate_of(&m->recent.last));
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_cost_behind_a_restart),
        cmocka_unit_test(test_auto_failed_trial_leaves_nothing),
        cmocka_unit_test(test_auto_dear_trial_ends_with_its_first_step),
        cmocka_unit_test(test_auto_trial_is_not_won_by_what_is_on_the_way),
        cmocka_unit_test(test_auto_trial_against_limited_steps_goes_on),
        cmocka_unit_test(test_auto_refused_method_is_tried_where_the_other_needs_more),
        cmocka_unit_test(test_auto_checkpoint_knows_where_a_trial_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
