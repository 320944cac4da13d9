// SPDX-License-Identifier: Apache-2.0
// Memory runs out at any moment: creation says so and gives everything back. The step loop takes
// none at all.
#include "fail/fail.h"
#include "models.h"
#include "problems/problems.h"

#include "modelling/reader/model.h"

// An allocator that counts and fails from the call fail_at on (0: never) as long as `fail_for`
// says.
typedef struct supply {
    long calls, held, fail_at;
} supply;

static void *take(size_t size, void *user)
{
    supply *s = user;
    s->calls++;
    if (s->fail_at > 0 && s->calls == s->fail_at)
        return NULL;
    void *block = malloc(size);
    s->held += block != NULL;
    return block;
}

static void give(void *block, void *user)
{
    supply *s = user;
    s->held -= block != NULL;
    free(block);
}

// ---- systems ----

// the pendulum with its circle written twice
static int circle_twice(const trm_state *s, double *out, void *user)
{
    (void)user;
    pendulum_constraint(s, out, NULL);
    out[1] = 2 * out[0];
    return 0;
}

static trm_system redundant_pendulum(void)
{
    static const int blocks[] = {0, 2};
    trm_system system = pendulum(NULL);
    const trm_quantity of_rows[] = {TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_CONSTRAINT_T,
                                    TRM_QUANTITY_GAMMA, TRM_QUANTITY_GEOMETRIC};
    for (int k = 0; k < 4; k++)
        system.function[of_rows[k]] = NULL;
    system.pattern[TRM_QUANTITY_GEOMETRIC].count = TRM_PATTERN_DENSE;
    system.function[TRM_QUANTITY_CONSTRAINT] = circle_twice;
    system.g_names = NULL;
    system.n_g = 2;
    system.n_bodies = system.n_joints = 1;
    system.body_first = system.joint_first = blocks;
    return system;
}

typedef struct sample {
    const char *problem; // NULL: the redundant pendulum
    const char *option;
    double value;
    trm_solver solver;
    trm_control control;
    trm_formulation formulation;
    trm_jacobian_source source;
    trm_integrator integrator;
} sample;

static const sample samples[] = {
    {"pendulum", NULL, 0, TRM_SOLVER_DENSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"chain", "links", 20, TRM_SOLVER_BLOCK, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"chain", "links", 20, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"andrews", NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_INTEGRATOR_BDF},
    {"andrews", NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_GROUPED, TRM_INTEGRATOR_BDF},
    {"pendulum-chain", "links", 5, TRM_SOLVER_AUTO, TRM_CONTROL_CLASSIC, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_GROUPED, TRM_INTEGRATOR_BDF},
    {"pendulum", NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_CLASSIC, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"pendulum", NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_CLASSIC, TRM_FORMULATION_GGL,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"chain", "links", 20, TRM_SOLVER_SPARSE, TRM_CONTROL_CLASSIC, TRM_FORMULATION_GGL,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {NULL, NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {NULL, NULL, 0, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    // the block solver meets lost rank and calls KLU for help
    {NULL, NULL, 0, TRM_SOLVER_BLOCK, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    // a second matrix, for the projection
    {"pendulum", NULL, 0, TRM_SOLVER_DENSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_INDEX1_PROJECTED,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"chain", "links", 20, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_INDEX1_PROJECTED,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {NULL, NULL, 0, TRM_SOLVER_BLOCK, TRM_CONTROL_DEFAULT, TRM_FORMULATION_INDEX1_PROJECTED,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_BDF},
    {"chain", "links", 20, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_RADAU},
    {"andrews", NULL, 0, TRM_SOLVER_DENSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_GGL,
     TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_INTEGRATOR_RADAU},
    {NULL, NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_RADAU},
    {"chain", "links", 20, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_GENERALIZED_ALPHA},
    {"pendulum", NULL, 0, TRM_SOLVER_AUTO, TRM_CONTROL_CLASSIC, TRM_FORMULATION_GGL,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_HHT},
    {NULL, NULL, 0, TRM_SOLVER_BLOCK, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CM,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_NEWMARK},
    // one matrix for all stages, made on the way
    {"stiff-bushing", "k", 1e8, TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_RADAU_ADAPTIVE},
    {"pendulum", NULL, 0, TRM_SOLVER_DENSE, TRM_CONTROL_DEFAULT, TRM_FORMULATION_INDEX1_PROJECTED,
     TRM_JACOBIAN_SOURCE_AUTO, TRM_INTEGRATOR_RADAU_ADAPTIVE},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const char *name_of(const sample *a)
{
    return a->problem ? a->problem : "redundant pendulum";
}

typedef struct case_of {
    trp_problem *problem;
    trm_system system;
    trm_initial initial;
    trm_options options;
    double end;
} case_of;

static case_of open_case(const sample *a, supply *memory)
{
    case_of c = {.system = redundant_pendulum(), .initial = pendulum_start, .end = 10};
    const trm_problem_option numbers[] = {{a->option, a->value}, {NULL, 0}};
    if (a->problem) {
        assert_int_equal(trp_problem_create(&c.problem, a->problem, numbers, NULL), TRM_OK);
        c.system = *trp_problem_system(c.problem);
        c.initial = *trp_problem_initial(c.problem);
        c.end = trp_problem_end(c.problem);
    }
    c.options = trm_options_default();
    c.options.integrator = a->integrator;
    c.options.linear_solver = a->solver;
    c.options.control = a->control;
    c.options.jacobian_source = a->source;
    c.options.formulation = a->formulation;
    c.options.allocator = (trm_allocator){take, give, memory};
    return c;
}

// ---- tests ----

// The nth allocation fails, for every n until nothing is left to fail. Returns how often that was
// not reported, and prints it.
static int check_creation(const sample *a)
{
    int missed = 0;
    for (long n = 1;; n++) {
        supply memory = {.fail_at = n};
        case_of c = open_case(a, &memory);
        trm_simulation *s = (trm_simulation *)&memory; // anything but NULL
        trm_error error;
        trm_status status = trm_simulation_create(&s, &c.system, &c.options, &c.initial, &error);
        bool failed = memory.calls >= n;
        // a block solver without memory is replaced by another: that is not a failure
        bool replaced = status == TRM_OK && strcmp(trm_simulation_start(s)->solver, "block") != 0;
        bool reserve = status == TRM_OK && trm_simulation_start(s)->redundant > 0;
        if (failed && status != TRM_ERR_MEMORY && !replaced && !reserve) {
            if (missed++ == 0)
                print_error("%s, solver %d: allocation %ld fails, creation gives %s %s\n",
                            name_of(a), (int)a->solver, n, trm_status_name(status), error.text);
        } else if (failed && status != TRM_OK) {
            assert_null(s);
            assert_int_equal(error.status, TRM_ERR_MEMORY);
            assert_contains(error.text, "no memory");
        } else {
            assert_status(status, TRM_OK, &error);
            assert_true(memory.held > 0);
        }
        if (status == TRM_OK)
            trm_simulation_destroy(s);
        if (memory.held != 0)
            fail_msg("%s: %ld blocks are lost when allocation %ld fails", name_of(a), memory.held,
                     n);
        trp_problem_destroy(c.problem);
        if (!failed) {
            if (missed > 0)
                print_error("... and %d more\n", missed - 1);
            return missed;
        }
    }
}

static void test_allocation_any_failure_is_reported_and_cleaned_up(void **state)
{
    (void)state;
    int missed = 0;
    for (int k = 0; k < SAMPLES; k++)
        missed += check_creation(&samples[k]);
    assert_int_equal(missed, 0);
}

// a tolerance so tight that a thousand steps happen; all memory was taken before
static void check_steps(const sample *a)
{
    supply memory = {0};
    case_of c = open_case(a, &memory);
    c.options.rtol = c.options.atol = 1e-8;
    c.options.h_max = c.end / 1000;
    trm_simulation *s;
    trm_error error;
    assert_status(trm_simulation_create(&s, &c.system, &c.options, &c.initial, &error), TRM_OK,
                  &error);
    const long before = memory.calls;
    for (long k = 0; k < 1000; k++)
        assert_status(trm_simulation_step(s, 10 * c.end, NULL), TRM_OK, trm_simulation_error(s));
    assert_int_equal(trm_simulation_statistics(s)->steps, 1000);
    double q[256], v[256];
    trm_simulation_interpolate(s, trm_simulation_state(s)->t, q, v, NULL, NULL, NULL);
    trm_simulation_energy(s);
    if (memory.calls != before)
        fail_msg("%s, solver %d: %ld allocations in 1000 steps", name_of(a), (int)a->solver,
                 memory.calls - before);
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
    trp_problem_destroy(c.problem);
}

static void test_allocation_thousand_steps_take_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++)
        check_steps(&samples[k]);
}

// A mechanism with an elastic body, in both formalisms: neither the simulation nor the instance of
// the model, whose callbacks are at work, takes any.
static void test_allocation_steps_with_a_beam_take_nothing(void **state)
{
    (void)state;
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU,
                                                 TRM_INTEGRATOR_ADAMS};
    static const char *const formalisms[] = {"residual", "explicit"};
    for (int k = 0; k < 6; k++) {
        model_case c;
        supply memory = {0};
        trm_simulation *s;
        char formalism[60];
        snprintf(formalism, sizeof formalism, "mechanism.formalism=%s", formalisms[k % 2]);
        model_open(&c, "examples/mechanisms/flexible-slider-crank.yaml",
                   (const char *const[]){formalism, NULL});
        trm_options options = trm_options_default();
        options.integrator = integrators[k / 2];
        options.h_max = 1e-5;
        options.allocator = (trm_allocator){take, give, &memory};
        assert_int_equal(
            trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), NULL),
            TRM_OK);
        const long before = memory.calls;
        const size_t of_instance = c.instance->memory.total;
        for (int step = 0; step < 300; step++)
            assert_status(trm_simulation_step(s, 1, NULL), TRM_OK, trm_simulation_error(s));
        if (memory.calls != before || c.instance->memory.total != of_instance)
            fail_msg("%s: %ld allocations, %zu bytes in callbacks", formalisms[k % 2],
                     memory.calls - before, c.instance->memory.total - of_instance);
        trm_simulation_destroy(s);
        assert_int_equal(memory.held, 0);
        model_close(&c);
    }
}

// accelerations of a system with redundant rows take memory for a moment; without, they still come
static void test_allocation_failing_accelerations_leave_the_rest(void **state)
{
    (void)state;
    supply memory = {0};
    const sample redundant = {NULL,
                              NULL,
                              0,
                              TRM_SOLVER_AUTO,
                              TRM_CONTROL_DEFAULT,
                              TRM_FORMULATION_CS,
                              TRM_JACOBIAN_SOURCE_AUTO,
                              TRM_INTEGRATOR_BDF};
    case_of c = open_case(&redundant, &memory);
    trm_simulation *s;
    assert_int_equal(trm_simulation_create(&s, &c.system, &c.options, &c.initial, NULL), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 0.1), TRM_OK);
    double a[2], lambda[2], again[2];
    assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
    for (long n = 1; n <= 3; n++) {
        const long held = memory.held;
        memory.fail_at = memory.calls + n;
        trm_status status = trm_simulation_accelerations(s, again, lambda);
        assert_true(status == TRM_ERR_MEMORY || status == TRM_OK);
        assert_int_equal(memory.held, held);
        // with TRM_OK the multipliers must be some of those that balance: g = (c, 2 c)
        double f[2];
        const trm_state *at = trm_simulation_state(s);
        pendulum_force(at, f, NULL);
        for (int i = 0; i < 2 && status == TRM_OK; i++)
            assert_true(fabs(a[i] + at->q[i] * (lambda[0] + 2 * lambda[1]) - f[i]) < 1e-6);
        memory.fail_at = 0;
    }
    assert_int_equal(trm_simulation_run(s, 0.2), TRM_OK);
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

// One matrix for all stages is made when Newton fails for the second time. Without memory for it
// the run goes on with the other corrector, and asks no second time.
static void test_allocation_without_coupled_stages_the_run_goes_on(void **state)
{
    (void)state;
    const sample *a = &samples[SAMPLES - 2];
    long held[2], coupled[2];
    for (int fails = 0; fails < 2; fails++) {
        supply memory = {0};
        case_of c = open_case(a, &memory);
        trm_simulation *s;
        assert_int_equal(trm_simulation_create(&s, &c.system, &c.options, &c.initial, NULL),
                         TRM_OK);
        const long before = memory.held;
        memory.fail_at = fails ? memory.calls + 3 : 0;
        assert_int_equal(trm_simulation_run(s, c.end), TRM_OK);
        held[fails] = memory.held - before;
        coupled[fails] = trm_simulation_statistics(s)->coupled_steps;
        trm_simulation_destroy(s);
        assert_int_equal(memory.held, 0);
        trp_problem_destroy(c.problem);
    }
    assert_true(coupled[0] > 0 && coupled[1] == 0);
    assert_true(held[1] < held[0]);
}

// A stop closer than a tenth of a step is reached without one: the first takes memory for its
// point, later ones do not. Where there is none the state stays, and the run can go on.
static void test_allocation_first_glide_takes_one_block(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        supply memory = {0};
        case_of c = open_case(&samples[0], &memory);
        trm_simulation *s;
        assert_int_equal(trm_simulation_create(&s, &c.system, &c.options, &c.initial, NULL),
                         TRM_OK);
        for (int k = 0; k < 20; k++)
            assert_int_equal(trm_simulation_step(s, c.end, NULL), TRM_OK);
        const long before = memory.calls, steps = trm_simulation_statistics(s)->steps;
        const double t = trm_simulation_state(s)->t, h = trm_simulation_next_step(s);
        const double q = trm_simulation_state(s)->q[0];
        memory.fail_at = fails ? before + 1 : 0;
        if (fails) {
            assert_int_equal(trm_simulation_run(s, t + 0.03 * h), TRM_ERR_MEMORY);
            assert_contains(trm_simulation_error(s)->text, "no memory");
            assert_true(trm_simulation_state(s)->t == t && trm_simulation_state(s)->q[0] == q);
        }
        assert_int_equal(trm_simulation_run(s, t + 0.03 * h), TRM_OK);
        assert_int_equal(trm_simulation_run(s, t + 0.06 * h), TRM_OK);
        assert_int_equal(trm_simulation_statistics(s)->steps, steps);
        assert_int_equal(memory.calls, before + 1 + fails);
        assert_int_equal(trm_simulation_run(s, c.end), TRM_OK);
        trm_simulation_destroy(s);
        assert_int_equal(memory.held, 0);
        trp_problem_destroy(c.problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocation_any_failure_is_reported_and_cleaned_up),
        cmocka_unit_test(test_allocation_thousand_steps_take_nothing),
        cmocka_unit_test(test_allocation_steps_with_a_beam_take_nothing),
        cmocka_unit_test(test_allocation_failing_accelerations_leave_the_rest),
        cmocka_unit_test(test_allocation_without_coupled_stages_the_run_goes_on),
        cmocka_unit_test(test_allocation_first_glide_takes_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
