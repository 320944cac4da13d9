// SPDX-License-Identifier: Apache-2.0
// Systems that cannot be simulated: wrong sizes, missing callbacks, patterns and blocks that do not
// fit, masses that are not masses. Each is refused with a text that names the mistake.
#include "fail/fail.h"

#include <stdlib.h>

static void refuse(const trm_system *system, const char *part)
{
    trm_error error;
    assert_status(trm_system_validate(system, &error), TRM_ERR_SYSTEM, &error);
    assert_contains(error.text, part);
    assert_int_equal(trm_system_validate(system, NULL), TRM_ERR_SYSTEM);
    assert_refused(system, NULL, &pendulum_start, TRM_ERR_SYSTEM, part);
}

static void test_description_struct_of_another_version_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.size = sizeof system - 8;
    refuse(&system, "bytes, that of this version of the library");
    system.size = sizeof system;
    assert_int_equal(trm_system_validate(&system, NULL), TRM_OK);
}

static void test_description_size_out_of_range_is_named(void **state)
{
    (void)state;
    const struct {
        size_t offset;
        const char *name;
    } sizes[] = {{offsetof(trm_system, n_q), "n_q"}, {offsetof(trm_system, n_x), "n_x"},
                 {offsetof(trm_system, n_z), "n_z"}, {offsetof(trm_system, n_g), "n_g"},
                 {offsetof(trm_system, n_a), "n_a"}, {offsetof(trm_system, n_u), "n_u"}};
    const int values[] = {-1, INT32_MIN, 100000001, INT32_MAX};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 4; i++) {
            trm_system system = pendulum(NULL);
            memcpy((char *)&system + sizes[k].offset, &values[i], sizeof values[i]);
            refuse(&system, sizes[k].name);
        }
}

static void test_description_nothing_to_simulate_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.n_q = system.n_g = 0;
    refuse(&system, "neither positions nor states");
}

static void test_description_missing_callback_is_named(void **state)
{
    (void)state;
    const trm_quantity required[] = {TRM_QUANTITY_MASS, TRM_QUANTITY_FORCE,
                                     TRM_QUANTITY_CONSTRAINT};
    for (int k = 0; k < 3; k++) {
        trm_system system = pendulum(NULL);
        system.function[required[k]] = NULL;
        refuse(&system, trm_quantity_name(required[k]));
    }
    trm_system system = pendulum(NULL);
    system.n_x = 1;
    refuse(&system, trm_quantity_name(TRM_QUANTITY_RATE));
    system = pendulum(NULL);
    system.n_z = 1;
    refuse(&system, trm_quantity_name(TRM_QUANTITY_ALGEBRAIC));
    system = pendulum(NULL);
    system.n_a = 1;
    refuse(&system, trm_quantity_name(TRM_QUANTITY_ROLLING));
    system = pendulum(NULL);
    system.n_u = 1;
    refuse(&system, trm_quantity_name(TRM_QUANTITY_INPUT));
}

// bits without the function that fills them are not a callback
static void test_description_evaluates_without_function_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_FORCE] = NULL;
    system.evaluates = TRM_BIT(FORCE);
    refuse(&system, trm_quantity_name(TRM_QUANTITY_FORCE));
}

static void test_description_pattern_outside_is_named(void **state)
{
    (void)state;
    const int good[] = {0, 1}, wrong[][2] = {{0, 2}, {-1, 1}, {0, 1000}};
    for (int k = 0; k < 3; k++) {
        trm_system system = pendulum(NULL);
        system.pattern[TRM_QUANTITY_STIFFNESS] =
            (trm_pattern){.count = 2, .row = wrong[k], .column = good};
        refuse(&system, "STIFFNESS");
        system.pattern[TRM_QUANTITY_STIFFNESS] =
            (trm_pattern){.count = 2, .row = good, .column = wrong[k]};
        refuse(&system, "outside 2 x 2");
    }
}

static void test_description_pattern_that_cannot_be_is_refused(void **state)
{
    (void)state;
    const int index[] = {0, 1};
    trm_system system = pendulum(NULL);
    system.pattern[TRM_QUANTITY_STIFFNESS].count = -3;
    refuse(&system, "count -3");
    system = pendulum(NULL);
    system.pattern[TRM_QUANTITY_STIFFNESS] =
        (trm_pattern){.count = 2, .row = index, .column = NULL};
    refuse(&system, "no rows or columns");
    system = pendulum(NULL);
    system.pattern[TRM_QUANTITY_CONSTRAINT_Q].count = TRM_PATTERN_DIAGONAL;
    refuse(&system, "1 x 2");
    system = pendulum(NULL);
    system.pattern[TRM_QUANTITY_FORCE] = (trm_pattern){.count = 2, .row = index, .column = index};
    refuse(&system, "FORCE is a vector");
}

// "each position at most once": values of a double entry would be ambiguous
static void test_description_pattern_double_entry_is_refused(void **state)
{
    (void)state;
    const int row[] = {0, 1, 0}, column[] = {0, 1, 0};
    trm_system system = pendulum(NULL);
    system.pattern[TRM_QUANTITY_STIFFNESS] =
        (trm_pattern){.count = 3, .row = row, .column = column};
    refuse(&system, "STIFFNESS");
}

static void test_description_bodies_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const int wrong[][3] = {{0, 1, 3}, {1, 2, 2}, {0, 0, 2}, {0, 2, 1}, {0, 1, 1}, {-1, 1, 2}};
    for (int k = 0; k < 6; k++) {
        trm_system system = pendulum(NULL);
        system.n_bodies = 2;
        system.body_first = wrong[k];
        refuse(&system, "body_first");
    }
    trm_system system = pendulum(NULL);
    system.n_bodies = 1;
    refuse(&system, "body_first");
    const int bodies[] = {0, 2}, joints[] = {0, 2};
    system.body_first = bodies;
    system.n_joints = 1;
    refuse(&system, "joint_first");
    system.joint_first = joints;
    refuse(&system, "joint_first must rise from 0 to 1");
    system = pendulum(NULL);
    system.n_bodies = -1;
    refuse(&system, "n_bodies");
}

static void test_description_block_solver_without_bodies_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.linear_solver = TRM_SOLVER_BLOCK;
    assert_refused(&system, &options, &pendulum_start, TRM_ERR_OPTION, "declared bodies");
}

// ---- masses ----

static double masses[2];

static int given_masses(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = masses[0];
    out[1] = masses[1];
    return 0;
}

static void test_description_negative_mass_names_coordinate(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_MASS] = given_masses;
    masses[0] = 1;
    masses[1] = -1e-3;
    assert_refused(&system, NULL, &pendulum_start, TRM_ERR_SYSTEM, "mass of y is negative: -0.001");
}

static int indefinite_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 2; // eigenvalues 3 and -1
    return 0;
}

static void test_description_indefinite_mass_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.n_g = 0;
    system.function[TRM_QUANTITY_MASS] = indefinite_mass;
    system.pattern[TRM_QUANTITY_MASS] = (trm_pattern){0};
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_status status = trm_simulation_create(&s, &system, &preset, &pendulum_start, NULL);
    trm_simulation_destroy(s);
    assert_true(status == TRM_ERR_SYSTEM || status == TRM_ERR_SINGULAR);
}

// no mass and no constraint: the acceleration is not determined
static void test_description_massless_free_coordinate_is_named(void **state)
{
    (void)state;
    const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE, TRM_SOLVER_BLOCK};
    const int bodies[] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        trm_system system = pendulum(NULL);
        trm_options options = trm_options_default();
        options.linear_solver = solvers[k];
        system.n_g = 0;
        system.n_bodies = 2;
        system.body_first = bodies;
        system.function[TRM_QUANTITY_MASS] = given_masses;
        masses[0] = 1;
        masses[1] = 0;
        assert_refused(&system, &options, &pendulum_start, TRM_ERR_SINGULAR, "dynamics of y");
    }
}

// a coordinate without mass that a constraint holds is not a mistake
static void test_description_massless_held_coordinate_works(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_MASS] = given_masses;
    masses[0] = 1;
    masses[1] = 0;
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_status(trm_simulation_run(s, 0.5), TRM_OK, trm_simulation_error(s));
    trm_simulation_destroy(s);
}

// ---- too large ----

// an allocator of a machine with little memory
static void *allocate_little(size_t size, void *user)
{
    (void)user;
    return size < (size_t)1 << 28 ? malloc(size) : NULL;
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

static trm_options little_memory(void)
{
    trm_options options = trm_options_default();
    options.allocator = (trm_allocator){allocate_little, release, NULL};
    return options;
}

static int ones(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < *(int *)user; i++)
        out[i] = 1;
    return 0;
}

static void test_description_large_dense_matrix_advises_pattern(void **state)
{
    (void)state;
    int n = 7000;
    const trm_system system = {
        .n_q = n,
        .function = {[TRM_QUANTITY_MASS] = ones, [TRM_QUANTITY_FORCE] = ones},
        .user = &n};
    trm_error error;
    trm_simulation *s;
    const trm_options preset = trm_options_default();
    trm_status status = trm_simulation_create(&s, &system, &preset, NULL, &error);
    assert_status(status, TRM_ERR_SYSTEM, &error);
    assert_contains(error.text, "dense matrix of 7000 x 7000");
    assert_contains(error.advice, "pattern[TRM_QUANTITY_MASS]");
}

// 65536^2 entries: more than an int counts
static void test_description_large_dense_solver_is_refused(void **state)
{
    (void)state;
    int n = 65536;
    const trm_pattern zero = {.count = TRM_PATTERN_ZERO};
    const trm_system system = {
        .n_q = n,
        .function = {[TRM_QUANTITY_MASS] = ones, [TRM_QUANTITY_FORCE] = ones},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL},
                    [TRM_QUANTITY_STIFFNESS] = zero,
                    [TRM_QUANTITY_DAMPING] = zero,
                    [TRM_QUANTITY_GEOMETRIC] = zero},
        .user = &n};
    trm_options options = little_memory();
    options.linear_solver = TRM_SOLVER_DENSE;
    trm_simulation *s;
    trm_status status = trm_simulation_create(&s, &system, &options, NULL, NULL);
    trm_simulation_destroy(s);
    assert_true(status == TRM_ERR_OPTION || status == TRM_ERR_SYSTEM || status == TRM_ERR_MEMORY);
}

enum { MANY = 65536 }; // b_z is kept dense

static int many_equations(const trm_state *s, double *out, void *user) // z = 1
{
    (void)user;
    for (int i = 0; i < MANY; i++)
        out[i] = s->z[i] - 1;
    return 0;
}

static void test_description_many_algebraic_variables_are_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.n_z = MANY;
    system.function[TRM_QUANTITY_ALGEBRAIC] = many_equations;
    const trm_quantity zero[] = {TRM_QUANTITY_FORCE_Z,          TRM_QUANTITY_CONSTRAINT_Z,
                                 TRM_QUANTITY_ALGEBRAIC_Q,      TRM_QUANTITY_ALGEBRAIC_V,
                                 TRM_QUANTITY_ALGEBRAIC_LAMBDA, TRM_QUANTITY_ALGEBRAIC_T};
    for (int k = 0; k < 6; k++)
        system.pattern[zero[k]].count = TRM_PATTERN_ZERO;
    system.pattern[TRM_QUANTITY_ALGEBRAIC_Z].count = TRM_PATTERN_DIAGONAL;
    const trm_options options = little_memory();
    trm_simulation *s;
    trm_status status = trm_simulation_create(&s, &system, &options, &pendulum_start, NULL);
    trm_simulation_destroy(s);
    assert_true(status == TRM_ERR_SYSTEM || status == TRM_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description_struct_of_another_version_is_refused),
        cmocka_unit_test(test_description_size_out_of_range_is_named),
        cmocka_unit_test(test_description_nothing_to_simulate_is_refused),
        cmocka_unit_test(test_description_missing_callback_is_named),
        cmocka_unit_test(test_description_evaluates_without_function_is_refused),
        cmocka_unit_test(test_description_pattern_outside_is_named),
        cmocka_unit_test(test_description_pattern_that_cannot_be_is_refused),
        cmocka_unit_test(test_description_pattern_double_entry_is_refused),
        cmocka_unit_test(test_description_bodies_that_do_not_fit_are_refused),
        cmocka_unit_test(test_description_block_solver_without_bodies_is_refused),
        cmocka_unit_test(test_description_negative_mass_names_coordinate),
        cmocka_unit_test(test_description_indefinite_mass_is_refused),
        cmocka_unit_test(test_description_massless_free_coordinate_is_named),
        cmocka_unit_test(test_description_massless_held_coordinate_works),
        cmocka_unit_test(test_description_large_dense_matrix_advises_pattern),
        cmocka_unit_test(test_description_large_dense_solver_is_refused),
        cmocka_unit_test(test_description_many_algebraic_variables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
