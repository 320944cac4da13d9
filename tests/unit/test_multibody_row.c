// SPDX-License-Identifier: Apache-2.0
// Rows between bodies of random trees and stars: G, (Gv)_q, bias and (G^T lambda)_q of every kind
// of row against differences, and the identity of holonomic rows.
#include "machines.h"

enum { COLUMNS = 24 };

static const trmi_row_type *const all_rows[] = {
    &trmi_slide[0],
    &trmi_slide[1],
    &trmi_slide[2],
    &trmi_axis_x,
    &trmi_axis_y,
    &trmi_skew[0],
    &trmi_skew[1],
    &trmi_skew[2],
    &trmi_cross,
    &trmi_plane_turn,
    &trmi_plane_axis,
    &trmi_screw,
    &trmi_rod,
    &trmi_contact,
    &trmi_roll[0],
    &trmi_roll[1],
    &trmi_edge,
    &trmi_turn[0],
    &trmi_turn[1],
    &trmi_turn[2],
    &trmi_second_turn,
    &trmi_rotation[0],
    &trmi_rotation[1],
    &trmi_rotation[2],
    &trmi_plain_length,
    &trmi_mean_slide[0],
    &trmi_mean_slide[1],
    &trmi_mean_slide[2],
    &trmi_sphere_slip[0],
    &trmi_sphere_slip[1],
    &trmi_force_along[0],
    &trmi_force_along[1],
    &trmi_force_along[2],
    &trmi_torque_along[0],
    &trmi_torque_along[1],
    &trmi_torque_along[2],
};
enum { KINDS = sizeof all_rows / sizeof all_rows[0] };

// one set with one row, and what it gives
typedef struct probe {
    machine *m;
    trmi_row_set set;
    trmi_set_room room;
    double G[COLUMNS], Gv[COLUMNS], block[COLUMNS * COLUMNS];
    double p, rate, bias;
} probe;

static void start_probe(probe *x, machine *m, const trmi_row_type *type, int a, int b)
{
    const int body[2] = {a, b};
    x->m = m;
    x->set =
        (trmi_row_set){.pair = trmi_pair_at(&m->mechanism, body, noise_vector(m), noise_vector(m),
                                            noise_frame(m), noise_frame(m), 0.4)};
    trmi_set_add(&x->set, type, &m->n_held);
    assert_true(trmi_set_finish(&x->set, &m->memory, m->tree));
    assert_in_range(x->set.columns, 1, COLUMNS);
    assert_true(trmi_set_room_create(&x->room, &m->memory, x->set.columns));
}

static void look_at(probe *x)
{
    const double lambda = 0.8;
    trmi_set_state state;
    move_machine(x->m);
    trmi_set_at(&state, &x->set, &x->m->k, &x->m->state);
    x->p = state.value[0].p;
    x->rate = trmi_set_rate(&state, 0);
    x->bias = trmi_set_bias(&state, 0);
    trmi_set_gradient(&state, 0, x->G);
    trmi_set_velocity_q(&state, 0, x->Gv);
    trmi_set_geometric(&state, &lambda, &x->room, x->block);
}

static int coordinate_of(const probe *x, int j)
{
    return x->m->tree->column[x->set.column[j]].coordinate;
}

// The slopes of p, rate and G along one value, by differences of fourth order with h = 3e-4: their
// error is h^4/30 = 3e-16 times fifth derivatives, which reach 1e6 near singular places here, and
// rounding 1e-12.
static const double increment = 3e-4;

static void assert_slope(double x, double slope)
{
    assert_near(x, slope, 1e-7 * (1 + fabs(x)));
}

static void slopes(probe *x, double *value, probe *out)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double kept = *value;
    *out = *x;
    out->p = out->rate = 0;
    memset(out->G, 0, sizeof out->G);
    for (int i = 0; i < 4; i++) {
        double factor = weight[i] / (12 * increment);
        probe there = *x;
        *value = kept + at[i] * increment;
        look_at(&there);
        out->p += factor * there.p;
        out->rate += factor * there.rate;
        for (int j = 0; j < x->set.columns; j++)
            out->G[j] += factor * there.G[j];
    }
    *value = kept;
}

static void check_column(probe *x, const trmi_row_type *type, int j)
{
    probe slope;
    int n = x->set.columns;
    slopes(x, &x->m->q[coordinate_of(x, j)], &slope);
    if (!type->velocity)
        assert_slope(x->G[j], slope.p);
    assert_slope(x->Gv[j], slope.rate);
    for (int i = 0; i < n; i++) {
        assert_slope(x->block[i * n + j], 0.8 * slope.G[i]);
        if (!trmi_set_bends(&x->set, x->m->tree, i, j))
            assert_near(x->block[i * n + j], 0, 1e-14); // rounding of sums of size 1
    }
    if (!trmi_set_touches(&x->set, 0, x->m->tree, j)) {
        assert_near(x->G[j], 0, 1e-14); // rounding of sums of size 1
        assert_near(x->Gv[j], 0, 1e-14);
    }
    slopes(x, &x->m->v[coordinate_of(x, j)], &slope);
    assert_slope(x->G[j], slope.rate);
}

// without driven columns the bias is (Gv)_q v
static void check_bias(const probe *x)
{
    double sum = 0;
    for (int j = 0; j < x->set.columns; j++)
        sum += x->Gv[j] * x->m->v[coordinate_of(x, j)];
    assert_near(x->bias, sum, 1e-12); // rounding of some 100 products of size 1
}

// s_i.(H - H^T) s_j = gamma.(s_i x s_j) on random motions
static void check_identity(probe *x)
{
    trmi_set_state state;
    move_machine(x->m);
    trmi_set_at(&state, &x->set, &x->m->k, &x->m->state);
    for (int i = 0; i < 10; i++) {
        trmi_motion a = {noise_vector(x->m), noise_vector(x->m)};
        trmi_motion b = {noise_vector(x->m), noise_vector(x->m)};
        const trmi_row_value *row = &state.value[0];
        double ab = trmi_power(a, trmi_m6_times(&row->H, b));
        double ba = trmi_power(b, trmi_m6_times(&row->H, a));
        // rounding of sums of 36 products
        assert_near(ab - ba, trmi_power(trmi_motion_cross(a, b), row->gamma),
                    1e-14 * (1 + fabs(ab) + fabs(ba)));
    }
}

static void check_all(bool star)
{
    static const int pair[][2] = {{0, 4}, {5, 4}, {3, 1}, {2, 5}};
    for (int i = 0; i < KINDS * 4; i++) {
        const trmi_row_type *type = all_rows[i / 4];
        machine m;
        probe x;
        start_machine(&m, (uint32_t)(7 * i + 1));
        finish_machine(&m, star);
        start_probe(&x, &m, type, pair[i % 4][0], pair[i % 4][1]);
        look_at(&x);
        for (int j = 0; j < x.set.columns; j++)
            check_column(&x, type, j);
        check_bias(&x);
        if (!type->velocity)
            check_identity(&x);
        end_machine(&m);
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
    for (int i = 0; i < 3; i++) {
        machine m;
        probe x;
        start_machine(&m, (uint32_t)(i + 1));
        finish_machine(&m, false);
        start_probe(&x, &m, &trmi_world_torque[i], TRMI_GROUND, 4);
        look_at(&x);
        for (int j = 0; j < x.set.columns; j++)
            check_column(&x, &trmi_world_torque[i], j);
        end_machine(&m);
    }
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
        double now = held;
        turn->hold(turn, &view, &now);
        held = now;
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
