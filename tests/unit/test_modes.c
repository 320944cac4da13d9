// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and shapes against closed forms: at rest, in steady motion, with rolling rows,
// states, algebraic variables and redundant constraints.
#include "models.h"
#include "problems/problems.h"

#include "solver/analysis/modes.h"

#include <complex.h>

// The modes of a model text at its start.
static trm_modes *modes_of(model_case *c, const char *text, int count)
{
    trm_modes *modes = NULL;
    model_read(c, text);
    trm_status status = trm_modes_create(&modes, c->system, trm_model_options(c->model),
                                         trm_instance_initial(c->instance), count, &c->error);
    if (status != TRM_OK)
        fail_msg("%s", c->error.text);
    return modes;
}

static void check_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g instead of %.15g", value, wanted);
}

static void check_mode(const trm_modes *modes, int index, double growth, double omega,
                       double tolerance)
{
    const trm_mode *mode = trm_modes_get(modes, index);
    assert_non_null(mode);
    if (!(fabs(mode->growth - growth) <= tolerance && fabs(mode->omega - omega) <= tolerance))
        fail_msg("mode %d: %.12g +- %.12g i instead of %.12g +- %.12g i", index, mode->growth,
                 mode->omega, growth, omega);
}

static void finish(model_case *c, trm_modes *modes)
{
    trm_modes_destroy(modes);
    model_close(c);
}

static void test_modes_hanging_pendulum_has_root_of_g_over_l(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: vx, y: vy}\n"
                            "  mass: [3, 3]\n"
                            "  force: [0, -29.43]\n"
                            "  constraints: {rod: \"(x^2 + y^2 - 4)/2\"}\n"
                            "initial: {values: {y: -2}}\n"
                            "simulate: {end: 1}\n",
                            0);
    assert_int_equal(trm_modes_count(m), 1);
    // sqrt(g/l), l = 2: closed form; exact derivatives leave roundoff
    check_mode(m, 0, 0, sqrt(9.81 / 2), 1e-13);
    const trm_mode *mode = trm_modes_get(m, 0);
    check_near(mode->frequency, sqrt(9.81 / 2) / (2 * acos(-1.0)), 1e-13);
    assert_int_equal(mode->pair, 1);
    // tangent of the circle at its lowest point
    check_near(mode->shape[0], 1, 0);
    check_near(mode->shape[1], 0, 1e-15);
    assert_true(trm_modes_get_report(m)->at_rest && trm_modes_get_report(m)->balanced);
    assert_null(trm_modes_get(m, 1));
    assert_null(trm_modes_get(m, -1));
    finish(&c, m);
}

// Two equal masses on equal rods, absolute coordinates, one rod written twice.
static void test_modes_double_pendulum_with_redundant_row_has_its_two_frequencies(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c, MODEL_DOUBLE_PENDULUM, 0);
    assert_int_equal(trm_modes_count(m), 2);
    assert_int_equal(trm_modes_get_report(m)->redundant, 1);
    assert_int_equal(trm_modes_get_report(m)->mobility, 2);
    // omega^2 = (2 -+ sqrt 2) g/l: Lagrange's double pendulum with equal masses and rods
    check_mode(m, 0, 0, sqrt(10 * (2 - sqrt(2))), 1e-12);
    check_mode(m, 1, 0, sqrt(10 * (2 + sqrt(2))), 1e-12);
    // shapes X/x = 1 + sqrt 2 and 1 - sqrt 2, from the same eigenproblem
    check_near(trm_modes_get(m, 0)->shape[0], 1 / (1 + sqrt(2)), 1e-12);
    check_near(trm_modes_get(m, 1)->shape[2] / trm_modes_get(m, 1)->shape[0], 1 - sqrt(2), 1e-12);
    finish(&c, m);
}

static void test_modes_damped_oscillator_has_growth_and_ratio(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: v}\n"
                            "  mass: [2]\n"
                            "  force: [\"-50*x - 4*v\"]\n"
                            "simulate: {end: 1}\n",
                            0);
    // x'' + 2 x' + 25 x = 0: s = -1 +- i sqrt(24), ratio 1/5
    check_mode(m, 0, -1, sqrt(24), 1e-14);
    check_near(trm_modes_get(m, 0)->damping, 0.2, 1e-15);
    finish(&c, m);
}

static void test_modes_unstable_and_free_motions_are_real(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: v, y: w}\n"
                            "  mass: [1, 1]\n"
                            "  force: [\"9*x\", 0]\n"
                            "simulate: {end: 1}\n",
                            0);
    assert_int_equal(trm_modes_count(m), 4);
    // y'' = 0: twice s = 0; x'' = 9 x: s = 3, -3, the growing one first
    check_mode(m, 0, 0, 0, 0);
    check_mode(m, 1, 0, 0, 0);
    check_mode(m, 2, 3, 0, 1e-14);
    check_mode(m, 3, -3, 0, 1e-14);
    check_near(trm_modes_get(m, 2)->damping, -1, 1e-15);
    check_near(trm_modes_get(m, 3)->damping, 1, 1e-15);
    assert_int_equal(trm_modes_get(m, 0)->pair, 0);
    finish(&c, m);
}

// A spring that acts through a first-order lag x' = (q - x)/T and an algebraic force z = k x.
static void test_modes_states_and_algebraic_variables_take_part(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {q: v}\n"
                            "  mass: [1]\n"
                            "  force: [\"-z\"]\n"
                            "  states: {x: \"2*(q - x)\"}\n"
                            "  algebraic: {z: \"z - 3*x\"}\n"
                            "simulate: {end: 1}\n",
                            0);
    assert_int_equal(trm_modes_get_report(m)->states, 3);
    assert_int_equal(trm_modes_count(m), 2);
    // q'' = -3 x, x' = 2 (q - x): s^3 + 2 s^2 + 6 = 0; each eigenvalue must solve it
    for (int k = 0; k < 2; k++) {
        double a = trm_modes_get(m, k)->growth, b = trm_modes_get(m, k)->omega;
        double re = a * a * a - 3 * a * b * b + 2 * (a * a - b * b) + 6;
        double im = 3 * a * a * b - b * b * b + 4 * a * b;
        check_near(re, 0, 1e-12);
        check_near(im, 0, 1e-12);
    }
    // the real root is about -2.67, the pair grows: their sum is -2
    check_near(trm_modes_get(m, 1)->growth + 2 * trm_modes_get(m, 0)->growth, -2, 1e-12);
    finish(&c, m);
}

// Chaplygin's sleigh: mass centre a ahead of a blade that moves along the sleigh only.
static void test_modes_sleigh_in_straight_motion_turns_back(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m =
        modes_of(&c,
                 "trammel: 1\n"
                 "equations:\n"
                 "  coordinates: {x: vx, y: vy, theta: turn}\n"
                 "  mass: [2, 2, 0.3]\n"
                 "  force: [0, 0, 0]\n"
                 "  velocity_constraints:\n"
                 "    blade: \"-sin(theta)*vx + cos(theta)*vy - 0.4*turn\"\n"
                 "initial: {values: {theta: 0.7, vx: \"5*cos(0.7)\", vy: \"5*sin(0.7)\"}}\n"
                 "simulate: {end: 1}\n",
                 0);
    const trm_modes_report *r = trm_modes_get_report(m);
    assert_true(!r->at_rest && r->balanced);
    assert_int_equal(trm_modes_count(m), 5);
    for (int k = 0; k < 4; k++) // where and which way it goes, how fast
        check_mode(m, k, 0, 0, 0);
    // turn' = -m a u / (J + m a^2) turn: Neimark and Fufaev, ch. III; 1e-10: rows by differences
    check_mode(m, 4, -2 * 0.4 * 5 / (0.3 + 2 * 0.4 * 0.4), 0, 1e-10);
    finish(&c, m);
}

static void test_modes_swinging_pendulum_has_what_the_motion_adds(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: vx, y: vy}\n"
                            "  mass: [1, 1]\n"
                            "  force: [0, -9.81]\n"
                            "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
                            "initial: {values: {y: -1, vx: 3}}\n"
                            "simulate: {end: 1}\n",
                            0);
    // x'' = -g x sqrt(1 - x^2) - x x'^2/(1 - x^2): by x -(g + 9), by x' 0 at the lowest point
    check_mode(m, 0, 0, sqrt(9.81 + 9), 1e-9);
    assert_false(trm_modes_get_report(m)->at_rest);
    assert_false(trm_modes_get_report(m)->balanced);
    assert_int_equal(trm_modes_get_report(m)->most_accelerated, 1);
    finish(&c, m);
}

// A pendulum whose rod length comes from an algebraic variable in the constraint.
static void test_modes_algebraic_variable_in_constraint_is_followed(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: vx, y: vy}\n"
                            "  mass: [1, 1]\n"
                            "  force: [0, -10]\n"
                            "  algebraic: {z: \"z - x^2\"}\n"
                            "  constraints: {path: \"y - 3*z\"}\n"
                            "simulate: {end: 1}\n",
                            0);
    // a bead on y = 3 x^2: omega^2 = g y'' = 60; the rows by differences leave 1e-10 of it
    check_mode(m, 0, 0, sqrt(60), 1e-8);
    finish(&c, m);
}

static void test_modes_count_keeps_the_lowest(void **state)
{
    (void)state;
    model_case c;
    trm_modes *m = modes_of(&c,
                            "trammel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: v, y: w}\n"
                            "  mass: [1, 1]\n"
                            "  force: [\"-9*x\", \"-4*y\"]\n"
                            "simulate: {end: 1}\n",
                            1);
    assert_int_equal(trm_modes_count(m), 1);
    check_mode(m, 0, 0, 2, 1e-14);
    finish(&c, m);
}

// ---- large systems: a chain of unit masses between walls, ends free or fixed by constraints ----

enum { CHAIN = 800, LONG_CHAIN = 10000 };

typedef struct chain {
    int n;            // masses
    bool free;        // no constraint on the first mass
    double damping;   // of every spring
    double frequency; // near which modes are sought
    trm_allocator allocator;
} chain;

static int chain_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < ((const chain *)user)->n; i++)
        out[i] = 1;
    return 0;
}

static int chain_force(const trm_state *s, double *out, void *user)
{
    const chain *c = user;
    for (int i = 0; i < c->n; i++)
        out[i] = 0;
    for (int i = 0; i + 1 < c->n; i++) {
        double pull = 1e4 * (s->q[i + 1] - s->q[i]) + c->damping * (s->v[i + 1] - s->v[i]);
        out[i] += pull;
        out[i + 1] -= pull;
    }
    return 0;
}

static int chain_constraint(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0];
    return 0;
}

static trm_status chain_modes(trm_modes **m, chain *c, int count, trm_error *error)
{
    static int row[3 * LONG_CHAIN], column[3 * LONG_CHAIN];
    int entries = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < c->n)
                row[entries] = i, column[entries++] = j;
    static const int first[] = {0};
    const trm_pattern band = {.count = entries, .row = row, .column = column};
    trm_system system = {
        .n_q = c->n,
        .n_g = c->free ? 0 : 1,
        .function = {[TRM_QUANTITY_MASS] = chain_mass,
                     [TRM_QUANTITY_FORCE] = chain_force,
                     [TRM_QUANTITY_CONSTRAINT] = chain_constraint},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL},
                    [TRM_QUANTITY_STIFFNESS] = band,
                    [TRM_QUANTITY_DAMPING] = band,
                    [TRM_QUANTITY_CONSTRAINT_Q] = {.count = 1, .row = first, .column = first},
                    [TRM_QUANTITY_GEOMETRIC] = {.count = TRM_PATTERN_ZERO},
                    [TRM_QUANTITY_VELOCITY_Q] = {.count = TRM_PATTERN_ZERO}},
        .user = c};
    if (c->free) {
        system.function[TRM_QUANTITY_CONSTRAINT] = NULL;
        system.pattern[TRM_QUANTITY_CONSTRAINT_Q] = (trm_pattern){0};
    }
    trm_options options = trm_options_default();
    options.allocator = c->allocator;
    return trm_modes_create_near(m, &system, &options, NULL, count, c->frequency, error);
}

static void test_modes_of_long_chain_are_found_by_iteration(void **state)
{
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        chain c = {.n = CHAIN, .free = is_free};
        trm_modes *m;
        trm_error error;
        assert_int_equal(chain_modes(&m, &c, 6, &error), TRM_OK);
        assert_int_equal(trm_modes_count(m), 6);
        assert_true(trm_modes_get_report(m)->iterations > 0);
        for (int k = 0; k < 6; k++) {
            // free: 2 w sin(k pi / 2N); fixed at one end: 2 w sin((2k + 1) pi / (2 (2N - 1))).
            // 1e-7 of the largest is the square root of roundoff; the stiffness is differenced
            double angle = is_free ? k * acos(-1.0) / (2 * CHAIN)
                                   : (2 * k + 1) * acos(-1.0) / (2 * (2 * CHAIN - 1));
            check_mode(m, k, 0, 200 * sin(angle), 2e-5);
        }
        trm_modes_destroy(m);
    }
}

// mode k of the chain: s^2 + (d/k) w^2 s + w^2 = 0, w = 2 sqrt(k) sin(angle)
static double complex chain_mode(const chain *c, int k)
{
    double n = c->n, angle = c->free ? k * acos(-1.0) / (2 * n)
                                     : (2 * k + 1) * acos(-1.0) / (2 * (2 * n - 1));
    double w = 200 * sin(angle), growth = -0.5e-4 * c->damping * w * w;
    return growth + I * sqrt(w * w - growth * growth);
}

// from mode `first` on
static void check_chain(const chain *c, int count, int first, double tolerance)
{
    trm_modes *m;
    trm_error error;
    assert_int_equal(chain_modes(&m, (chain *)c, count, &error), TRM_OK);
    assert_int_equal(trm_modes_count(m), count);
    assert_true(trm_modes_get_report(m)->iterations > 0);
    for (int k = 0; k < count; k++) {
        double complex mode = chain_mode(c, first + k);
        check_mode(m, k, creal(mode), cimag(mode), tolerance);
    }
    trm_modes_destroy(m);
}

// tolerances: as above; with damping roundoff of differences is 1e-8 of the largest, of the square
// of which the lowest are the root
static void test_modes_of_long_damped_chain_are_found_next_to_zero(void **state)
{
    (void)state;
    check_chain(&(chain){.n = CHAIN, .damping = 100}, 6, 0, 2e-5);
    check_chain(&(chain){.n = LONG_CHAIN, .damping = 100}, 6, 0, 2e-4);
}

// by 200 sin(angle): 161 to 164 of 800 masses, 2032 to 2035 of 10000, are next to 10 Hz; 1e-6: as
// above for the largest, of which these are a third
static void test_modes_of_long_chain_are_found_near_a_frequency(void **state)
{
    (void)state;
    for (int damping = 0; damping < 2; damping++) {
        check_chain(&(chain){.n = CHAIN, .damping = damping, .frequency = 10}, 4, 161, 1e-6);
        check_chain(&(chain){.n = LONG_CHAIN, .damping = damping, .frequency = 10}, 4, 2032, 1e-6);
    }
}

// a chain that nothing holds moves as a whole: s = 0, twice
static void test_modes_of_free_damped_chain_begin_with_zero(void **state)
{
    (void)state;
    trm_modes *m;
    trm_error error;
    chain c = {.n = CHAIN, .free = true, .damping = 100};
    assert_int_equal(chain_modes(&m, &c, 4, &error), TRM_OK);
    for (int k = 0; k < 4; k++) {
        double complex mode = k < 2 ? 0 : chain_mode(&c, k - 1);
        check_mode(m, k, creal(mode), cimag(mode), 2e-5);
    }
    trm_modes_destroy(m);
}

static void test_modes_of_long_damped_chain_are_dense(void **state)
{
    (void)state;
    chain c = {.n = CHAIN, .damping = 1};
    trm_modes *m = NULL;
    trm_error error;
    const char *why;
    // the way by iteration says no, with its reason (the dense one takes too long for a test)
    assert_int_equal(chain_modes(&m, &(chain){.n = CHAIN}, 1, &error), TRM_OK);
    assert_true(trmi_modes_undamped(m, &why));
    m->e.user.user = &c;
    assert_false(trmi_modes_undamped(m, &why));
    assert_string_equal(why, "it has damping");
    trm_modes_destroy(m);
}

// ---- memory ----

typedef struct account {
    int left; // allocations that succeed
    int held; // blocks not given back
} account;

static void *take(size_t size, void *user)
{
    account *a = user;
    if (a->left-- <= 0)
        return NULL;
    a->held++;
    return malloc(size);
}

static void give_back(void *block, void *user)
{
    account *a = user;
    a->held -= block != NULL;
    free(block);
}

static void test_modes_without_memory_end_with_a_status(void **state)
{
    (void)state;
    const char *const names[] = {"andrews", "flexible-slider-crank"};
    for (int k = 0; k < 2; k++) {
        // the second one takes the way of large systems
        const trm_problem_option numbers[] = {
            {k ? "elements" : NULL, 260}, {"torque", 0}, {NULL, 0}};
        trp_problem *problem;
        assert_int_equal(trp_problem_create(&problem, names[k], numbers, NULL), TRM_OK);
        trm_status status = TRM_ERR_MEMORY;
        for (int most = 0; status == TRM_ERR_MEMORY && most < 2000; most += 1 + most / 10) {
            account a = {.left = most};
            trm_options options = trm_options_default();
            options.allocator = (trm_allocator){take, give_back, &a};
            trm_modes *m = NULL;
            status = trm_modes_create(&m, trp_problem_system(problem), &options,
                                      trp_problem_initial(problem), 3, NULL);
            assert_true(status == TRM_ERR_MEMORY || status == TRM_OK);
            assert_int_equal(m != NULL, status == TRM_OK);
            trm_modes_destroy(m);
            assert_int_equal(a.held, 0);
        }
        assert_int_equal(status, TRM_OK);
        trp_problem_destroy(problem);
    }
}

static void test_modes_near_a_frequency_without_memory_end_with_a_status(void **state)
{
    (void)state;
    trm_status status = TRM_ERR_MEMORY;
    for (int most = 0; status == TRM_ERR_MEMORY && most < 2000; most += 1 + most / 10) {
        account a = {.left = most};
        chain c = {.n = CHAIN, .frequency = 10, .allocator = {take, give_back, &a}};
        trm_modes *m = NULL;
        status = chain_modes(&m, &c, 2, NULL);
        assert_true(status == TRM_ERR_MEMORY || status == TRM_OK);
        trm_modes_destroy(m);
        assert_int_equal(a.held, 0);
    }
    assert_int_equal(status, TRM_OK);
}

static void test_modes_bad_state_is_an_error(void **state)
{
    (void)state;
    chain c = {.n = CHAIN};
    trm_modes *m;
    trm_error error;
    assert_int_equal(chain_modes(&m, &c, -1, &error), TRM_ERR_RANGE);
    assert_null(m);
    assert_int_equal(chain_modes(&m, &c, -1, NULL), TRM_ERR_RANGE);
    c.frequency = -1;
    assert_int_equal(chain_modes(&m, &c, 1, &error), TRM_ERR_RANGE);
    assert_string_equal(error.text, "modes near -1 Hz are wanted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_hanging_pendulum_has_root_of_g_over_l),
        cmocka_unit_test(test_modes_double_pendulum_with_redundant_row_has_its_two_frequencies),
        cmocka_unit_test(test_modes_damped_oscillator_has_growth_and_ratio),
        cmocka_unit_test(test_modes_unstable_and_free_motions_are_real),
        cmocka_unit_test(test_modes_states_and_algebraic_variables_take_part),
        cmocka_unit_test(test_modes_sleigh_in_straight_motion_turns_back),
        cmocka_unit_test(test_modes_swinging_pendulum_has_what_the_motion_adds),
        cmocka_unit_test(test_modes_algebraic_variable_in_constraint_is_followed),
        cmocka_unit_test(test_modes_count_keeps_the_lowest),
        cmocka_unit_test(test_modes_of_long_chain_are_found_by_iteration),
        cmocka_unit_test(test_modes_of_long_damped_chain_are_found_next_to_zero),
        cmocka_unit_test(test_modes_of_long_chain_are_found_near_a_frequency),
        cmocka_unit_test(test_modes_of_free_damped_chain_begin_with_zero),
        cmocka_unit_test(test_modes_of_long_damped_chain_are_dense),
        cmocka_unit_test(test_modes_without_memory_end_with_a_status),
        cmocka_unit_test(test_modes_near_a_frequency_without_memory_end_with_a_status),
        cmocka_unit_test(test_modes_bad_state_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
