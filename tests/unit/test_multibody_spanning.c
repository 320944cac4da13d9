// SPDX-License-Identifier: Apache-2.0
// Which joints the tree takes, and the loops that are left.
#include "mechanisms.h"

static void point_body(sketch *s)
{
    const trmi_m3 J = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    sketch_body(s, 1, (trmi_v3){0, 0, 0}, J);
}

static void revolute(sketch *s, int first, int second)
{
    sketch_joint(s, &trmi_joint_revolute, first, second, (trmi_v3){0, 0, 0}, trmi_m3_unit());
}

static const trmi_tree *tree_of(sketch *s, trmi_memory *memory)
{
    trm_error error;
    trmi_memory_init(memory, NULL);
    const trmi_tree *tree = trmi_tree_create(memory, &s->mechanism, &error);
    assert_non_null(tree);
    return tree;
}

// Seven bodies: crank 1, its rod 2, 3 on B, 5 and 7 on A, 4 on 5, 6 on 7; 2, 3, 4 and 6 meet in one
// point. The classical tree (seven angles, Test Set for IVP Solvers) cuts the three joints there.
static void test_multibody_squeezer_is_cut_at_the_common_point(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    sketch_begin(&s, 1);
    for (int b = 1; b <= 7; b++)
        point_body(&s);
    const int pair[][2] = {{0, 1}, {1, 2}, {0, 3}, {0, 5}, {0, 7},
                           {5, 4}, {7, 6}, {3, 2}, {3, 4}, {3, 6}};
    for (int j = 0; j < 10; j++)
        revolute(&s, pair[j][0], pair[j][1]);
    const trmi_tree *tree = tree_of(&s, &memory);
    assert_int_equal(tree->n_q, 7);
    for (int j = 0; j < 10; j++)
        assert_int_equal(tree->in_tree[j], j < 7);
    assert_int_equal(tree->roots, 4);
    trmi_memory_release_all(&memory);
}

// crank, coupler, rocker: cut between coupler and rocker (depth 2), not at the end (depth 3)
static void test_multibody_four_bar_is_cut_in_the_middle(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    sketch_begin(&s, 1);
    for (int b = 1; b <= 3; b++)
        point_body(&s);
    const int pair[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    for (int j = 0; j < 4; j++)
        revolute(&s, pair[j][0], pair[j][1]);
    const trmi_tree *tree = tree_of(&s, &memory);
    const bool in_tree[] = {true, true, false, true};
    assert_memory_equal(tree->in_tree, in_tree, sizeof in_tree);
    // the joint of the rocker names it first: its column is turned round
    const trmi_column *column = &tree->column[tree->body[3].column];
    assert_true(trmi_line_of(tree, tree->body[3].column)->axis.z == -1 && column->sign == 1);
    trmi_memory_release_all(&memory);
}

// fewest unknowns first: a driven joint and a fixed one have none
static void test_multibody_tree_prefers_joints_without_unknowns(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    sketch_begin(&s, 1);
    s.mechanism.drives = 1;
    point_body(&s);
    point_body(&s);
    sketch_joint(&s, &trmi_joint_spherical, 0, 1, (trmi_v3){0, 0, 0}, trmi_m3_unit());
    revolute(&s, 0, 2);
    revolute(&s, 0, 1);
    s.joint[2].extra->drive[0] = 0;
    sketch_joint(&s, &trmi_joint_fixed, 2, 1, (trmi_v3){0, 0, 0}, trmi_m3_unit());
    const trmi_tree *tree = tree_of(&s, &memory);
    assert_int_equal(tree->n_q, 0);
    assert_int_equal(tree->edge[1], 2);
    assert_int_equal(tree->edge[2], 3);
    assert_int_equal(tree->body[2].column, tree->body[1].column); // fixed: the same column
    assert_int_equal(tree->body[2].first, TRMI_NOTHING);
    trmi_memory_release_all(&memory);
}

static void test_multibody_unheld_bodies_get_free_columns(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    sketch_begin(&s, 1);
    for (int b = 1; b <= 3; b++)
        point_body(&s);
    revolute(&s, 2, 3);
    revolute(&s, 0, 1);
    s.joint[1].cut = true;
    const trmi_tree *tree = tree_of(&s, &memory);
    assert_int_equal(tree->n_q, 6 + 6 + 1); // 1 and 2 free, 3 on 2
    assert_int_equal(tree->edge[1], TRMI_NOTHING);
    assert_int_equal(tree->edge[2], TRMI_NOTHING);
    assert_int_equal(tree->edge[3], 0);
    assert_int_equal(tree->roots, 2);
    trmi_memory_release_all(&memory);
}

// the columns of a chart have no meaning one by one
static void test_multibody_prescribed_rotation_makes_a_cut(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    sketch_begin(&s, 1);
    s.mechanism.drives = 1;
    point_body(&s);
    sketch_joint(&s, &trmi_joint_spherical, 0, 1, (trmi_v3){0, 0, 0}, trmi_m3_unit())
        ->extra->drive[1] = 0;
    const trmi_tree *tree = tree_of(&s, &memory);
    assert_int_equal(tree->n_q, 6);
    assert_false(tree->in_tree[0]);
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_squeezer_is_cut_at_the_common_point),
        cmocka_unit_test(test_multibody_four_bar_is_cut_in_the_middle),
        cmocka_unit_test(test_multibody_tree_prefers_joints_without_unknowns),
        cmocka_unit_test(test_multibody_unheld_bodies_get_free_columns),
        cmocka_unit_test(test_multibody_prescribed_rotation_makes_a_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
