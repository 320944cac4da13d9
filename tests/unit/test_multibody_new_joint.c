// SPDX-License-Identifier: Apache-2.0
// How a joint is added, the example of CONTRIBUTING.md: a point that stays on a cylinder about the
// z-axis of the first body. Its row is the function (x^2 + y^2 - R^2)/(2R) of two slides.
#include "rows.h"

static trmi_row_value on_cylinder(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    double R = view->size;
    trmi_row_value slide[2] = {trmi_row_slide(view, view->u[0]), trmi_row_slide(view, view->u[1])};
    double x = slide[0].p, y = slide[1].p;
    trmi_composition c = {.f = (x * x + y * y - R * R) / (2 * R), .f_i = {x / R, y / R}};
    c.f_ij[0][0] = c.f_ij[1][1] = 1 / R;
    return trmi_row_composite(2, slide, &c);
}

static const trmi_row_type cylinder = {
    .name = "cylinder", .shape = TRMI_ROW_GENERAL, .evaluate = on_cylinder};

// what joint_library.c would have as [TRMI_JOINT_POINT_ON_CYLINDER]
static const trmi_row_type *const point_on_cylinder[] = {&cylinder, NULL};

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
    trmi_joint *joint = add_joint(&m, TRMI_JOINT_ROD, 0, 1);
    joint->more->size = 2;
    joint->more->second->frame = trmi_m3_unit();
    joint->frame = &joint->more->second->frame;
    joint->more->second->at = trmi_v3_add(joint->at, (trmi_v3){1.2, 1.6, 5}); // on the cylinder
    finish_machine(&m, true);
    trmi_row_set set = trmi_set_of_joint(&m.mechanism, joint, point_on_cylinder, &m.n_held);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_joint_row_agrees_with_differences),
        cmocka_unit_test(test_new_joint_as_cut_measures_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
