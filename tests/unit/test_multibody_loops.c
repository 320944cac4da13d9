// SPDX-License-Identifier: Apache-2.0
// The same mechanism in joint and in absolute coordinates: accelerations and reactions agree,
// whether a joint is in the tree (forwards or backwards) or cut.
#include "mechanisms.h"

#include "linear/lapack.h"

// [M G^T; G 0] (a, lambda) = (f, -gamma) into the state
static void accelerate(sketch_machine *x)
{
    int n = x->system.n_q, m = x->system.n_g + x->system.n_a, size = n + m, one = 1, info = -1;
    double *M = sketch_dense(x, TRM_MASS), *f = sketch_dense(x, TRM_FORCE), *A = NULL, *b = NULL;
    int *pivot = NULL;
    assert_true(TRMI_TAKE(&x->memory, A, (size_t)size * (size_t)size) &&
                TRMI_TAKE(&x->memory, b, size) && TRMI_TAKE(&x->memory, pivot, size));
    for (int j = 0; j < n; j++) {
        b[j] = f[j];
        for (int i = 0; i < n; i++)
            A[i + size * j] = M[i + n * j];
    }
    if (x->system.n_g > 0) {
        double *G = sketch_dense(x, TRM_CONSTRAINT_Q), *gamma = sketch_dense(x, TRM_GAMMA);
        for (int r = 0; r < x->system.n_g; r++) {
            b[n + r] = -gamma[r];
            for (int j = 0; j < n; j++)
                A[n + r + size * j] = A[j + size * (n + r)] = G[r + x->system.n_g * j];
        }
    }
    dgetrf_(&size, &size, A, &size, pivot, &info);
    assert_int_equal(info, 0);
    dgetrs_("N", &size, &one, A, &size, pivot, b, &size, &info);
    memcpy(x->a, b, (size_t)n * sizeof *b);
    memcpy(x->lambda, b + n, (size_t)m * sizeof *b);
}

static void assert_near(trmi_v3 is, trmi_v3 should, double tolerance, const char *what, int item,
                        uint64_t seed)
{
    double off = trmi_v3_length(trmi_v3_sub(is, should));
    if (!(off <= tolerance * (1 + trmi_v3_length(should))))
        fail_msg("seed %d, %s of %d: off by %.2g of %.3g", (int)seed, what, item, off,
                 trmi_v3_length(should));
}

// motion of all bodies and reactions of all joints
static void assert_same(sketch *s, sketch_machine *x, sketch_machine *y, double tolerance,
                        bool reactions)
{
    uint64_t seed = s->seed;
    trmi_machine_look(x->work, &x->state);
    trmi_machine_look(y->work, &y->state);
    for (int b = 1; b < s->mechanism.bodies; b++) {
        trmi_body_motion p = trmi_machine_body(x->work, b), q = trmi_machine_body(y->work, b);
        assert_near(p.r, q.r, tolerance, "place", b, seed);
        assert_near(p.velocity, q.velocity, tolerance, "velocity", b, seed);
        assert_near(p.w, q.w, tolerance, "angular velocity", b, seed);
        assert_near(p.acceleration, q.acceleration, tolerance, "acceleration", b, seed);
        assert_near(p.w_rate, q.w_rate, tolerance, "angular acceleration", b, seed);
    }
    for (int j = 0; j < s->mechanism.joints && reactions; j++) {
        trmi_wrench f = trmi_machine_reaction(x->work, &x->state, j),
                    g = trmi_machine_reaction(y->work, &y->state, j);
        assert_near(f.f, g.f, tolerance, "force", j, seed);
        assert_near(f.n, g.n, tolerance, "moment", j, seed);
    }
}

// start values of all measures of all joints
static void random_start(sketch *s, double far)
{
    for (int j = 0; j < s->mechanism.joints; j++)
        for (int i = 0; i < TRMI_MEASURES_MOST; i++) {
            s->joint[j].start[i].value = far * sketch_random(s);
            s->joint[j].start[i].rate = sketch_random(s);
        }
}

static void test_multibody_tree_joints_equal_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 22; seed++) {
        sketch s;
        sketch_machine joint, absolute;
        sketch_begin(&s, seed);
        sketch_random_tree(&s, 5);
        random_start(&s, 0.8);
        sketch_open(&joint, &s);
        accelerate(&joint);
        s.mechanism.absolute = true;
        sketch_open(&absolute, &s);
        accelerate(&absolute);
        double *g = sketch_dense(&absolute, TRM_CONSTRAINT);
        for (int r = 0; r < absolute.system.n_g; r++)
            if (!(fabs(g[r]) < 1e-13)) // rounding of rotations
                fail_msg("seed %d: %s is %.2g", (int)seed, absolute.system.g_names[r], g[r]);
        // rounding times the condition of the saddle point, up to 1e4
        s.seed = seed;
        assert_same(&s, &joint, &absolute, 1e-11, true);
        sketch_close(&joint);
        sketch_close(&absolute);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_tree_joints_equal_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
