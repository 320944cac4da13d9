// SPDX-License-Identifier: Apache-2.0
// How a joint is added, the example of CONTRIBUTING.md: its file, and a line in the list of types.
// The list of this program replaces that of the library.
#define TRMI_MORE_JOINTS(X) X(point_on_cylinder)
#include "modelling/multibody/joints/joints.c"
#include "unit/example/point_on_cylinder.c"

#include "models.h"
#include "rows.h"

static void test_new_joint_row_agrees_with_differences(void **state)
{
    (void)state;
    check_row(&cylinder, 5, 4, false, 1);
    check_row(&cylinder, 0, 3, true, 2);
}

// As the cut of a joint, its value is the distance from the cylinder to first order.
static void test_new_joint_as_cut_measures_distance(void **state)
{
    (void)state;
    machine m;
    trmi_set_state x;
    start_machine(&m, 3);
    trmi_joint *joint = add_joint(&m, &trmi_joint_point_on_cylinder, 0, 1);
    joint->extra->size = 2;
    joint->extra->second->frame = trmi_m3_unit();
    joint->frame = &joint->extra->second->frame;
    joint->extra->second->at = trmi_v3_add(joint->at, (trmi_v3){1.2, 1.6, 5}); // on the cylinder
    finish_machine(&m, true);
    trmi_row_set set = trmi_set_of_joint(&m.mechanism, joint, joint->type->row, &m.n_held);
    assert_true(trmi_set_finish(&set, &m.memory, m.tree));
    trmi_tree_held(m.tree, m.held);
    memset(m.q, 0, sizeof m.q);
    trmi_tree_reference(m.tree, &m.mechanism, m.q);
    move_machine(&m);
    trmi_set_at(&x, &set, &m.k, &m.state);
    assert_near(x.value[0].p, 0, 1e-15); // 1.2^2 + 1.6^2 = 2^2
    m.q[0] += 1.2e-6;                    // outwards by 2e-6
    m.q[1] += 1.6e-6;
    move_machine(&m);
    trmi_set_at(&x, &set, &m.k, &m.state);
    assert_near(x.value[0].p, 2e-6, 2e-12); // second order: (2e-6)^2/(2 R) = 1e-12
    end_machine(&m);
}

// A bead of mass 2 on a cylinder of radius 0.5 about x, under gravity along -z.
#define BEAD(keys)                                                                                 \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -10]\n"                                                                     \
    "  bodies: {bead: {mass: 2, center: [1, 0.3, -0.4], inertia: [1, 1, 1]}}\n"                    \
    "  joints: {track: {point-on-cylinder: {between: [ground, bead], " keys "}}}\n"                \
    "simulate: {end: 1}\n"

static void test_new_joint_is_read_from_a_file(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, BEAD("at: [1, 0.3, -0.4], axis: x, center: [0, 0, 0], radius: 0.5"));
    model_point start = model_near(c.system, trm_instance_initial(c.instance), 0, 1);
    double g = NAN, held[8] = {0}, *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_CONSTRAINT] = &g};
    trm_state at = model_view(&start);
    assert_in_range(c.system->n_held, 0, 8);
    if (c.system->held)
        memcpy(held, c.system->held, (size_t)c.system->n_held * sizeof *held);
    at.held = held;
    assert_int_equal(c.system->n_g, 1);
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_MULTIPLIER, 0), "track_cylinder");
    assert_int_equal(c.system->evaluate(&at, want, c.system->user), 0);
    assert_near(g, 0, 1e-15); // 0.3^2 + 0.4^2 = 0.5^2
    model_close(&c);
}

static void test_new_joint_mistakes_are_reported(void **state)
{
    (void)state;
    model_case c;
    model_try(&c, BEAD("at: [1, 0.3, -0.4], axis: x, center: [0, 0, 0], radius: -1"), "m.yaml",
              NULL);
    assert_non_null(strstr(c.said, "'radius' must be positive, not -1"));
    model_close(&c);
    model_try(&c, BEAD("at: [1, 0.3, -0.4], centre: [0, 0, 0], radius: 1"), "m.yaml", NULL);
    assert_non_null(strstr(c.said, "unknown key 'centre'; did you mean 'center'?"));
    model_close(&c);
    model_try(&c, BEAD("at: [1, 0.3, -0.4], center: [0, 0, 0], radius: 1"), "m.yaml", NULL);
    assert_non_null(strstr(c.said, "point-on-cylinder joint 'track' needs an 'axis'"));
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_joint_row_agrees_with_differences),
        cmocka_unit_test(test_new_joint_as_cut_measures_distance),
        cmocka_unit_test(test_new_joint_is_read_from_a_file),
        cmocka_unit_test(test_new_joint_mistakes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
