// SPDX-License-Identifier: Apache-2.0
// Rows between bodies of random trees and stars: G, (Gv)_q, bias and (G^T lambda)_q of every kind
// of row against differences, and the identity of holonomic rows.
#include "rows.h"

static const trmi_row_type *const all_rows[] = {
    &trmi_slide[0],        &trmi_slide[1],       &trmi_slide[2],        &trmi_axis_x,
    &trmi_axis_y,          &trmi_skew[0],        &trmi_skew[1],         &trmi_skew[2],
    &trmi_cross,           &trmi_plane_turn,     &trmi_plane_axis,      &trmi_tilt[0],
    &trmi_tilt[1],         &trmi_shortest[0],    &trmi_shortest[1],     &trmi_shortest[2],
    &trmi_plane_angle,     &trmi_plane_lean,     &trmi_turn[0],         &trmi_turn[1],
    &trmi_turn[2],         &trmi_second_turn,    &trmi_rotation[0],     &trmi_rotation[1],
    &trmi_rotation[2],     &trmi_plain_length,   &trmi_mean_slide[0],   &trmi_mean_slide[1],
    &trmi_mean_slide[2],   &trmi_sphere_slip[0], &trmi_sphere_slip[1],  &trmi_force_along[0],
    &trmi_force_along[1],  &trmi_force_along[2], &trmi_torque_along[0], &trmi_torque_along[1],
    &trmi_torque_along[2],
};
enum { KINDS = sizeof all_rows / sizeof all_rows[0] };

static void check_all(bool star)
{
    static const int pair[][2] = {{0, 4}, {5, 4}, {3, 1}, {2, 5}};
    for (int i = 0; i < KINDS * 4; i++)
        check_row(all_rows[i / 4], pair[i % 4][0], pair[i % 4][1], star, (uint32_t)(7 * i + 1));
    // rows that only one joint has; those of wheels and curves need data (test_wheel_rail.c,
    // test_mechanism_paths.c)
    for (int k = 0; trmi_joint_type_at(k); k++) {
        const trmi_joint_type *type = trmi_joint_type_at(k);
        bool data = type == &trmi_joint_wheel_rail || type == &trmi_joint_path;
        for (int r = 0; type->row[r] && !data; r++)
            for (int i = 0; i < 4 && type->row[r]->shape == TRMI_ROW_GENERAL; i++)
                check_row(type->row[r], pair[i][0], pair[i][1], star, (uint32_t)(7 * i + 1));
    }
}

static void test_row_on_tree_agrees_with_differences(void **state)
{
    (void)state;
    check_all(false);
}

static void test_row_on_star_agrees_with_differences(void **state)
{
    (void)state;
    check_all(true);
}

// A torque in world axes is a row with A = ground only.
static void test_row_world_torque_agrees_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        check_row(&trmi_world_torque[i], TRMI_GROUND, 4, false, (uint32_t)(i + 1));
}

static void turn_about_z(trmi_view *view, double angle)
{
    *view = (trmi_view){.u = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    view->w[0] = (trmi_v3){cos(angle), sin(angle), 0};
    view->w[1] = (trmi_v3){-sin(angle), cos(angle), 0};
    view->w[2] = view->u[2];
}

// The angle of a shaft that turns ten times, held like in a run with steps of half a radian.
static void test_row_angle_many_turns_counts_them(void **state)
{
    (void)state;
    const trmi_row_type *turn = &trmi_turn[2];
    double held = 0;
    for (double angle = 0; angle < 63; angle += 0.5) {
        trmi_view view;
        turn_about_z(&view, angle);
        view.held = &held;
        assert_near(turn->evaluate(turn, &view).p, angle, 1e-14 * 63); // atan2 and 2 pi k
        held = turn->evaluate(turn, &view).p;
    }
}

// The rotation vector follows its branch beyond half a turn, up to a whole one.
static void test_row_rotation_beyond_half_turn_keeps_branch(void **state)
{
    (void)state;
    const trmi_row_type *row = &trmi_rotation[2];
    double held[3] = {0, 0, 0};
    for (double angle = 0; angle < 6; angle += 0.25) {
        trmi_view view;
        double now[3];
        turn_about_z(&view, angle);
        view.held = held;
        // quaternion from a matrix: loses half of the digits at most near half a turn
        assert_near(row->evaluate(row, &view).p, angle, 1e-8);
        memcpy(now, held, sizeof now);
        row->hold(row, &view, now);
        memcpy(held, now, sizeof held);
    }
}

// k(s) of the rotation vector: series and closed form meet at s = 0.5.
static void test_row_rotation_near_series_limit_is_smooth(void **state)
{
    (void)state;
    trmi_row_value row[2];
    for (int i = 0; i < 2; i++) {
        trmi_view view;
        turn_about_z(&view, sqrt(0.5) * (1 + (i ? 1e-13 : -1e-13)));
        row[i] = trmi_row_rotation(&view, 0);
    }
    // the series stops at s^6: its next term is 3e-13 of k; slope and rounding are smaller
    assert_near(row[0].gamma.n.y, row[1].gamma.n.y, 1e-12);
    assert_near(row[0].H.aa.row[2].x, row[1].H.aa.row[2].x, 1e-11); // one derivative more
    assert_near(row[0].H.aa.row[0].x, row[1].H.aa.row[0].x, 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_on_tree_agrees_with_differences),
        cmocka_unit_test(test_row_on_star_agrees_with_differences),
        cmocka_unit_test(test_row_world_torque_agrees_with_differences),
        cmocka_unit_test(test_row_angle_many_turns_counts_them),
        cmocka_unit_test(test_row_rotation_beyond_half_turn_keeps_branch),
        cmocka_unit_test(test_row_rotation_near_series_limit_is_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
