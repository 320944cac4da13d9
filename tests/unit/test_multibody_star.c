// SPDX-License-Identifier: Apache-2.0
// Absolute coordinates, rotation charts and their re-centring.
#include "mechanisms.h"
#include "parameters.h"

#include "modelling/multibody/star/star.h"

#include "modelling/multibody/chart.h"

static void test_multibody_star_derivatives_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        s.mechanism.absolute = true;
        for (int i = 0; i < 3; i++)
            sketch_random_body(&s);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        sketch_check_derivatives(&x, (int)seed, 2); // K and D
        sketch_close(&x);
    }
}

// A free body by the recursion over its six columns (a tree of free joints), and in closed form.
static void test_multibody_star_equals_the_tree_of_free_bodies(void **state)
{
    (void)state;
    static const trm_quantity quantities[] = {TRM_QUANTITY_MASS, TRM_QUANTITY_FORCE,
                                              TRM_QUANTITY_DAMPING, TRM_QUANTITY_STIFFNESS,
                                              TRM_QUANTITY_ENERGY};
    for (int plane = TRMI_SPATIAL; plane <= TRMI_PLANE_ZX; plane++) {
        sketch s[2];
        sketch_machine x[2];
        for (int i = 0; i < 2; i++) {
            sketch_begin(&s[i], 5);
            s[i].mechanism.plane = (trmi_plane)plane;
            s[i].mechanism.absolute = i == 1;
            for (int b = 0; b < 3; b++)
                sketch_random_body(&s[i]);
            sketch_open(&x[i], &s[i]);
            sketch_shake(&x[i], &s[i], 1);
        }
        int n = x[0].system.n_q;
        assert_int_equal(n, plane == TRMI_SPATIAL ? 18 : 9);
        for (int k = 0; k < 5; k++) {
            double *tree = sketch_dense(&x[0], quantities[k]),
                   *star = sketch_dense(&x[1], quantities[k]);
            int rows, columns;
            trm_system_shape(&x[0].system, quantities[k], &rows, &columns);
            for (int i = 0; i < rows * columns; i++)
                // rounding of a few products of size 10
                if (!(fabs(tree[i] - star[i]) < 1e-13 * (10 + fabs(star[i]))))
                    fail_msg("plane %d, %s, %d: %.17g instead of %.17g", plane,
                             trm_quantity_name(quantities[k]), i, star[i], tree[i]);
        }
        sketch_close(&x[0]);
        sketch_close(&x[1]);
    }
}

static void test_multibody_star_of_the_plane_has_constant_mass(void **state)
{
    (void)state;
    sketch s;
    sketch_machine x;
    sketch_begin(&s, 2);
    s.mechanism.plane = TRMI_PLANE_YZ;
    s.mechanism.absolute = true;
    sketch_random_body(&s);
    sketch_open(&x, &s);
    assert_true(x.system.constant & TRM_BIT(MASS));
    assert_int_equal(x.system.pattern[TRM_QUANTITY_STIFFNESS].count, TRM_PATTERN_ZERO);
    char name[64];
    assert_string_equal(trm_coordinate_name(&x.system, 0, name, sizeof name), "b1_y");
    assert_string_equal(trm_coordinate_name(&x.system, 1, name, sizeof name), "b1_z");
    assert_string_equal(trm_coordinate_name(&x.system, 2, name, sizeof name), "b1_angle");
    sketch_close(&x);
}

// Bodies in three tiles, joined to each other and to the ground across them in an order of its own.
static void sketch_scattered(sketch *s, trmi_plane plane)
{
    static const trmi_joint_type *const spatial[] = {&trmi_joint_revolute, &trmi_joint_spherical,
                                                     &trmi_joint_universal,
                                                     &trmi_joint_cylindrical};
    static const trmi_joint_type *const flat[] = {&trmi_joint_revolute, &trmi_joint_fixed};
    enum { BODIES = 67 };
    s->mechanism.plane = plane;
    s->mechanism.absolute = true;
    for (int b = 0; b < BODIES; b++)
        sketch_random_body(s);
    for (int i = 1; i <= BODIES; i++) { // 25 has no common factor with 67: every body once
        int earlier = i % 9 ? i - 1 - i % 5 : 0;
        int b = 1 + 25 * i % BODIES, before = earlier > 0 ? 1 + 25 * earlier % BODIES : TRMI_GROUND;
        bool space = plane == TRMI_SPATIAL;
        trmi_m3 frame = space ? sketch_rotation(s) : trmi_m3_unit();
        sketch_joint(s, space ? spatial[i % 4] : flat[i % 2], i % 2 ? before : b,
                     i % 2 ? b : before, sketch_vector(s), frame);
    }
}

// A star of closed blocks is evaluated tile by tile. With a force, of a spring without stiffness,
// bodies come first, then joints, then forces.
static void test_multibody_star_tile_by_tile_equals_the_whole(void **state)
{
    (void)state;
    static const trm_quantity quantities[] = {
        TRM_QUANTITY_MASS,         TRM_QUANTITY_FORCE,      TRM_QUANTITY_DAMPING,
        TRM_QUANTITY_STIFFNESS,    TRM_QUANTITY_ENERGY,     TRM_QUANTITY_CONSTRAINT,
        TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_VELOCITY_Q, TRM_QUANTITY_GAMMA,
        TRM_QUANTITY_GEOMETRIC,    TRM_QUANTITY_RESIDUAL,   TRM_QUANTITY_CONSTRAINT_T};
    double memory[64] = {0};
    trmi_force *idle = (trmi_force *)memory;
    assert_true(trmi_force_spring.size <= sizeof memory);
    *idle = (trmi_force){
        .name = "idle", .type = &trmi_force_spring, .body = {1, 2}, .at_second = {1, 2, 0}};
    ((trmi_formula *)parameter_of(idle, "force"))->value = TRMI_NOTHING;
    for (int plane = TRMI_SPATIAL; plane <= TRMI_PLANE_XY; plane++) {
        static sketch s[2];
        sketch_machine x[2];
        for (int i = 0; i < 2; i++) {
            sketch_begin(&s[i], 3);
            sketch_scattered(&s[i], (trmi_plane)plane);
            s[i].mechanism.forces = i;
            s[i].mechanism.force = (const trmi_force *const *)&idle;
            sketch_open(&x[i], &s[i]);
            sketch_shake(&x[i], &s[i], 1);
            assert_int_equal(x[i].machine->closed, i == 0);
        }
        assert_int_equal(x[0].machine->constraints.tiles, 3);
        for (int k = 0; k < (int)(sizeof quantities / sizeof *quantities); k++) {
            const double *tiles = sketch_dense(&x[0], quantities[k]),
                         *whole = sketch_dense(&x[1], quantities[k]);
            int rows, columns;
            trm_system_shape(&x[0].system, quantities[k], &rows, &columns);
            for (int i = 0; i < rows * columns; i++)
                // the same operations; the idle spring adds zeros, f changes its sign on the way
                if (!(fabs(tiles[i] - whole[i]) <= 1e-15 * (1 + fabs(whole[i]))))
                    fail_msg("plane %d, %s, %d: %.17g instead of %.17g", plane,
                             trm_quantity_name(quantities[k]), i, tiles[i], whole[i]);
        }
        sketch_close(&x[0]);
        sketch_close(&x[1]);
    }
}

// ---- charts ----

static double distance(trmi_v3 a, trmi_v3 b)
{
    return trmi_v3_length(trmi_v3_sub(a, b));
}

static void test_multibody_chart_rotation_is_that_of_its_quaternion(void **state)
{
    (void)state;
    sketch s;
    sketch_begin(&s, 1);
    for (int i = 0; i < 20; i++) {
        trmi_v3 theta = trmi_v3_scale(2, sketch_vector(&s)), zero = {0, 0, 0};
        trmi_quaternion e = trmi_chart_quaternion(theta);
        trmi_m3 C = trmi_chart_at(theta, zero).C, R = trmi_quaternion_matrix(e);
        // rounding
        for (int k = 0; k < 3; k++)
            assert_true(distance(C.row[k], R.row[k]) < 2e-15);
        assert_true(distance(trmi_chart_theta(e), theta) < 4e-15);
    }
}

// Pose, velocity and acceleration of the bodies stay what they are, bit-close.
static void test_multibody_recentring_leaves_the_motion_as_it_is(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        s.mechanism.absolute = seed % 2;
        int b = sketch_random_body(&s);
        trmi_v3 at = sketch_vector(&s);
        sketch_joint(&s, &trmi_joint_free, seed % 3 ? 0 : b, seed % 3 ? b : 0, at,
                     sketch_rotation(&s));
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 0.8);
        x.q[trmi_column_of(x.machine->tree, x.machine->tree->body[1].column).coordinate] += 1.5;
        trmi_kinematics *k = &x.work->kinematics;
        double *held = NULL;
        assert_true(TRMI_TAKE(&x.memory, held, x.system.n_held));
        memcpy(held, x.state.held, (size_t)x.system.n_held * sizeof *held);
        trmi_kinematics_move(k, &x.state);
        trmi_kinematics_accelerate(k, &x.state, x.a, false);
        trmi_pose pose = trmi_pose_of(k, 1);
        trmi_motion v = trmi_velocity_of(k, 1), a = trmi_acceleration_of(k, 1);

        assert_int_equal(x.system.settle(&x.state, held, x.system.user), 2);
        assert_int_equal(x.system.reexpress(x.state.held, held, x.q, x.v, x.a, x.system.user), 0);
        x.state.held = held;
        assert_int_equal(x.system.settle(&x.state, held, x.system.user), 0);
        trmi_kinematics_move(k, &x.state);
        trmi_kinematics_accelerate(k, &x.state, x.a, false);
        // rounding of two rotations of vectors of size up to 10
        for (int i = 0; i < 3; i++)
            assert_true(distance(trmi_pose_of(k, 1).R.row[i], pose.R.row[i]) < 2e-15);
        assert_true(distance(trmi_pose_of(k, 1).r, pose.r) < 5e-15);
        assert_true(distance(trmi_velocity_of(k, 1).w, v.w) < 5e-15);
        assert_true(distance(trmi_velocity_of(k, 1).v, v.v) < 1e-14);
        assert_true(distance(trmi_acceleration_of(k, 1).w, a.w) < 1e-14);
        assert_true(distance(trmi_acceleration_of(k, 1).v, a.v) < 5e-14);
        sketch_close(&x);
    }
}

static void test_multibody_point_beyond_reach_is_given_up(void **state)
{
    (void)state;
    const trmi_quaternion one = {1, {0, 0, 0}}, turned = {cos(1.5), {sin(1.5), 0, 0}};
    trmi_v3 theta = {0, 0, 0}, rate = {1, 0, 0};
    // a turn of 3 rad: theta = 4 tan(3/4) = 3.7
    assert_false(trmi_chart_reexpress(one, turned, &theta, &rate, NULL));
    theta = (trmi_v3){-0.5, 0, 0};
    assert_true(trmi_chart_reexpress(one, (trmi_quaternion){cos(0.5), {sin(0.5), 0, 0}}, &theta,
                                     &rate, NULL));
}

// the small change of the state with the rotation dphi and its rate w, at time t of the motion
static void change_at(const sketch_machine *x, double t, trmi_v3 dphi, trmi_v3 w, trmi_v3 *dq,
                      trmi_v3 *dv)
{
    trmi_v3 theta = trmi_three(x->q, 3), rate = trmi_three(x->v, 3), a = trmi_three(x->a, 3);
    theta = trmi_v3_axpy(trmi_v3_axpy(theta, t, rate), 0.5 * t * t, a);
    trmi_chart chart = trmi_chart_at(theta, trmi_v3_axpy(rate, t, a));
    double scale = 1 / trmi_v3_dot(chart.T.row[0], chart.T.row[0]);
    *dq = trmi_v3_scale(scale, trmi_m3_tr_times(chart.T, dphi));
    trmi_v3 rest = trmi_v3_sub(w, trmi_m3_times(chart.T1, *dq));
    *dv = trmi_v3_scale(scale, trmi_m3_tr_times(chart.T, rest));
}

// a rotation that keeps its axes while the chart turns with the body: its coordinates against
// differences in time
static void test_multibody_transport_keeps_rotations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        s.mechanism.absolute = true;
        sketch_random_body(&s);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 0.8);
        trmi_v3 dphi = sketch_vector(&s), w = sketch_vector(&s), q[3], v[3];
        const double h = 1e-4;
        for (int k = 0; k < 3; k++)
            change_at(&x, (k - 1) * h, dphi, w, &q[k], &v[k]);
        double dq[6] = {1, 2, 3, q[1].x, q[1].y, q[1].z}, dv[6] = {1, 2, 3, v[1].x, v[1].y, v[1].z};
        double dq_rate[6], dv_rate[6];
        assert_int_equal(x.system.transport(&x.state, dq, dv, dq_rate, dv_rate, x.system.user), 0);
        for (int i = 0; i < 3; i++) // places mean the same anyway
            assert_true(dq_rate[i] == 0 && dv_rate[i] == 0);
        // central differences: h^2 times third derivatives of about 1
        trmi_v3 expected = trmi_v3_scale(0.5 / h, trmi_v3_sub(q[2], q[0]));
        assert_true(distance(trmi_three(dq_rate, 3), expected) < 1e-7);
        expected = trmi_v3_scale(0.5 / h, trmi_v3_sub(v[2], v[0]));
        assert_true(distance(trmi_three(dv_rate, 3), expected) < 1e-7);
        sketch_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_star_derivatives_are_exact),
        cmocka_unit_test(test_multibody_star_equals_the_tree_of_free_bodies),
        cmocka_unit_test(test_multibody_star_of_the_plane_has_constant_mass),
        cmocka_unit_test(test_multibody_star_tile_by_tile_equals_the_whole),
        cmocka_unit_test(test_multibody_chart_rotation_is_that_of_its_quaternion),
        cmocka_unit_test(test_multibody_recentring_leaves_the_motion_as_it_is),
        cmocka_unit_test(test_multibody_transport_keeps_rotations),
        cmocka_unit_test(test_multibody_point_beyond_reach_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
