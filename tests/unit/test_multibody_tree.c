// SPDX-License-Identifier: Apache-2.0
// Trees without loops: the residual, composite and explicit formalism agree, derivatives are exact.
#include "mechanisms.h"

#include "modelling/multibody/star/star.h"

// largest |x - y|, relative to the largest |y| and 1
static double difference(const double *x, const double *y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

// tau = residual at the accelerations of the state
static void residual(sketch_machine *x, const double *a, double *tau)
{
    trmi_kinematics *k = &x->work->kinematics;
    trmi_kinematics_move(k, &x->state);
    trmi_kinematics_accelerate(k, &x->state, a, true);
    trmi_inertia_force(&x->work->recursion, NULL, NULL, tau);
    for (int i = 0; i < x->system.n_q; i++)
        tau[i] = -tau[i];
}

// spec: M a + bias from composite inertias equals the recursion (1e-15 of the largest term)
static void test_multibody_random_trees_residual_equals_mass_and_bias(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        sketch_random_tree(&s, 9);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        int n = x.system.n_q;
        double *M = sketch_dense(&x, TRM_QUANTITY_MASS), *f = sketch_dense(&x, TRM_QUANTITY_FORCE),
               *tau;
        assert_true(TRMI_TAKE(&x.memory, tau, n));
        residual(&x, x.a, tau);
        for (int i = 0; i < n; i++) {
            f[i] = -f[i];
            for (int j = 0; j < n; j++)
                f[i] += M[i + n * j] * x.a[j];
        }
        // rounding of sums over nine bodies
        assert_true(difference(f, tau, n) < 1e-13);
        sketch_close(&x);
    }
}

static void test_multibody_random_trees_derivatives_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        sketch_random_tree(&s, 6);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        sketch_check_derivatives(&x, (int)seed, 2); // K and D
        sketch_close(&x);
    }
}

// the explicit formalism takes the efforts of the residual formalism back to the accelerations
static void test_multibody_random_trees_explicit_inverts_residual(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        s.mechanism.explicit = true;
        sketch_random_tree(&s, 9);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        int n = x.system.n_q, singular;
        double *tau = NULL, *a = NULL;
        assert_true(TRMI_TAKE(&x.memory, tau, n) && TRMI_TAKE(&x.memory, a, n));
        residual(&x, x.a, tau);
        assert_true(trmi_recursion_explicit(&x.work->recursion, &x.state, tau, NULL, a, &singular));
        // rounding times the condition of M, up to 1e4 here
        assert_true(difference(a, x.a, n) < 1e-11);
        sketch_close(&x);
    }
}

static void test_multibody_massless_leaf_is_singular_in_its_column(void **state)
{
    (void)state;
    sketch s;
    sketch_machine x;
    sketch_begin(&s, 1);
    s.mechanism.explicit = true;
    int b = sketch_random_body(&s), empty = sketch_body(&s, 0, sketch_vector(&s), (trmi_m3){0});
    sketch_joint(&s, &trmi_joint_revolute, 0, b, sketch_vector(&s), trmi_m3_unit());
    sketch_joint(&s, &trmi_joint_revolute, b, empty, sketch_vector(&s), trmi_m3_unit());
    sketch_open(&x, &s);
    int singular = -1;
    double a[2] = {0, 0};
    trmi_kinematics_move(&x.work->kinematics, &x.state);
    assert_false(trmi_recursion_explicit(&x.work->recursion, &x.state, NULL, NULL, a, &singular));
    assert_int_equal(singular, 1);
    sketch_close(&x);
}

// velocities and accelerations of bodies are derivatives of their places along q(t)
static void test_multibody_random_trees_motion_is_the_derivative_of_places(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sketch s;
        sketch_machine x;
        sketch_begin(&s, seed);
        s.mechanism.absolute = seed > 5;
        sketch_random_tree(&s, 8);
        sketch_open(&x, &s);
        sketch_shake(&x, &s, 1);
        const double h = 1e-4;
        trmi_kinematics *k = &x.work->kinematics;
        int n = x.system.n_q, bodies = s.mechanism.bodies;
        trmi_pose pose[3][MAX_SKETCH];
        double *q, *v;
        assert_true(TRMI_TAKE(&x.memory, q, n) && TRMI_TAKE(&x.memory, v, n));
        for (int i = 0; i < 3; i++) {
            double t = (i - 1) * h;
            for (int j = 0; j < n; j++)
                q[j] = x.q[j] + t * x.v[j] + 0.5 * t * t * x.a[j];
            trm_state at = x.state;
            at.q = q;
            trmi_kinematics_move(k, &at);
            for (int b = 0; b < bodies; b++)
                pose[i][b] = trmi_pose_of(k, b);
        }
        trmi_kinematics_move(k, &x.state);
        trmi_kinematics_accelerate(k, &x.state, x.a, false);
        for (int b = 1; b < bodies; b++) {
            trmi_v3 u = trmi_motion_at(trmi_velocity_of(k, b), trmi_arm_of(k, b)).v;
            // that of a point: spatial acceleration + w x u, and gravity added back
            trmi_v3 acceleration = trmi_v3_add(
                trmi_v3_add(trmi_motion_at(trmi_acceleration_of(k, b), trmi_arm_of(k, b)).v,
                            trmi_v3_cross(trmi_velocity_of(k, b).w, u)),
                s.mechanism.gravity);
            trmi_v3 rate = trmi_v3_scale(0.5 / h, trmi_v3_sub(pose[2][b].r, pose[0][b].r));
            trmi_v3 second =
                trmi_v3_scale(1 / (h * h), trmi_v3_sub(trmi_v3_add(pose[2][b].r, pose[0][b].r),
                                                       trmi_v3_scale(2, pose[1][b].r)));
            trmi_v3 turned = trmi_m3_times(pose[1][b].R, (trmi_v3){1, 2, 3});
            trmi_v3 turning = trmi_v3_scale(
                0.5 / h, trmi_v3_sub(trmi_m3_times(pose[2][b].R, (trmi_v3){1, 2, 3}),
                                     trmi_m3_times(pose[0][b].R, (trmi_v3){1, 2, 3})));
            // differences of order 2 with h = 1e-4: 1e-8 times third derivatives, up to 1e3 at the
            // end of a chain; second differences round to 1e-16/h^2 = 1e-8
            double size = 1 + trmi_v3_length(acceleration);
            assert_true(trmi_v3_length(trmi_v3_sub(rate, u)) < 1e-5 * size);
            assert_true(trmi_v3_length(trmi_v3_sub(second, acceleration)) < 1e-4 * size);
            assert_true(trmi_v3_length(trmi_v3_sub(turning, trmi_v3_cross(trmi_velocity_of(k, b).w,
                                                                          turned))) < 1e-5 * size);
        }
        sketch_close(&x);
    }
}

// Wherever the ground frame lies: with O at the first body of a tree nothing is lost far away.
static void test_multibody_far_from_the_origin_keeps_its_digits(void **state)
{
    (void)state;
    double *tau[2];
    sketch s;
    sketch_machine x[2];
    for (int far = 0; far < 2; far++) {
        sketch_begin(&s, 3);
        sketch_random_tree(&s, 6);
        for (int i = 0; i < 6 && far; i++) {
            const trmi_v3 away = {1e5, -1e5, 1e5};
            s.body[i + 1].center = trmi_v3_add(s.body[i + 1].center, away);
            s.joint[i].at = trmi_v3_add(s.joint[i].at, away);
        }
        sketch_open(&x[far], &s);
        sketch_shake(&x[far], &s, 0.7);
        assert_true(TRMI_TAKE(&x[far].memory, tau[far], x[far].system.n_q));
        residual(&x[far], x[far].a, tau[far]);
    }
    // the reference positions themselves are rounded to 1e5 * 1e-16 = 1e-11
    assert_true(difference(tau[1], tau[0], x[0].system.n_q) < 1e-10);
    sketch_close(&x[0]);
    sketch_close(&x[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_random_trees_residual_equals_mass_and_bias),
        cmocka_unit_test(test_multibody_random_trees_derivatives_are_exact),
        cmocka_unit_test(test_multibody_random_trees_explicit_inverts_residual),
        cmocka_unit_test(test_multibody_massless_leaf_is_singular_in_its_column),
        cmocka_unit_test(test_multibody_random_trees_motion_is_the_derivative_of_places),
        cmocka_unit_test(test_multibody_far_from_the_origin_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
