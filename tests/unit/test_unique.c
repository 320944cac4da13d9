// SPDX-License-Identifier: Apache-2.0
// Which multipliers and reactions are unique where constraints are redundant.
#include "models.h"

#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

static trm_simulation *simulate(model_case *c)
{
    trm_simulation *s = NULL;
    trm_status status = trm_simulation_create(&s, c->system, trm_model_options(c->model),
                                              trm_instance_initial(c->instance), &c->error);
    if (status != TRM_OK)
        fail_msg("%s", c->error.text);
    return s;
}

static void test_unique_rows_are_those_without_part_in_a_dependence(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, MODEL_DOUBLE_PENDULUM);
    trm_simulation *s = simulate(&c);
    assert_int_equal(trm_simulation_row_unique(s, 0), 1);
    assert_int_equal(trm_simulation_row_unique(s, 1), 0); // one of them is dropped,
    assert_int_equal(trm_simulation_row_unique(s, 2), 0); // the other carries its share
    assert_int_equal(trm_simulation_row_unique(s, 3), 0); // there is no such row
    assert_int_equal(trm_simulation_row_unique(s, -1), 0);
    trm_simulation_destroy(s);
    model_close(&c);
}

// A four-bar of spatial revolutes on a carriage: three rows of its loop follow from the others.
#define CARRIAGE(coordinates)                                                                      \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  coordinates: " coordinates "\n"                                                             \
    "  gravity: [0, -9.81, 0]\n"                                                                   \
    "  bodies:\n"                                                                                  \
    "    carriage: {mass: 2, center: [1, 0, 0], inertia: [1, 1, 1]}\n"                             \
    "    crank: {mass: 1, center: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1]}\n"                        \
    "    coupler: {mass: 1, center: [1, 1.5, 0], inertia: [0.1, 0.1, 0.1]}\n"                      \
    "    rocker: {mass: 1, center: [2, 1, 0], inertia: [0.1, 0.1, 0.1]}\n"                         \
    "  joints:\n"                                                                                  \
    "    rail: {prismatic: {between: [ground, carriage], at: [1, 0, 0], axis: x}}\n"               \
    "    pivot: {revolute: {between: [carriage, crank], at: [0, 0, 0], axis: z}}\n"                \
    "    elbow: {revolute: {between: [crank, coupler], at: [0, 1, 0], axis: z}}\n"                 \
    "    knee: {revolute: {between: [coupler, rocker], at: [2, 2, 0], axis: z}}\n"                 \
    "    hinge: {revolute: {between: [carriage, rocker], at: [2, 0, 0], axis: z}}\n"               \
    "simulate: {end: 1}\n"

static void check_carriage(const char *text)
{
    model_case c;
    model_read(&c, text);
    trm_simulation *s = simulate(&c);
    assert_int_equal(trm_simulation_start(s)->mobility, 2);
    assert_int_equal(trm_simulation_start(s)->redundant, 3);
    int joints = 0;
    bool *shared = trmi_model_shared_joints(c.model, s, &joints);
    assert_non_null(shared);
    assert_false(shared[0]); // the loop hangs on the rail, whatever goes round in it
    for (int j = 1; j < 5; j++)
        assert_true(shared[j]);
    free(shared);
    trm_simulation_destroy(s);
    model_close(&c);
}

static void test_unique_reactions_are_those_outside_the_redundant_loop(void **state)
{
    (void)state;
    check_carriage(CARRIAGE("joint"));
    check_carriage(CARRIAGE("absolute"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique_rows_are_those_without_part_in_a_dependence),
        cmocka_unit_test(test_unique_reactions_are_those_outside_the_redundant_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
