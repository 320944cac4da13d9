// SPDX-License-Identifier: Apache-2.0
// The wheelset three times: equation file on straight track, equation file with curvature, problem
// in C, whose acceleration level can be spoiled.
#include "problems/problems.h"
#include "wheelset.h"

static const char straight[] = "examples/wheelset.yaml";
static const char curved[] = "experiments/models/wheelset-curved.yaml";

// everything but what is formed by differences
static const trm_quantity basic[] = {TRM_QUANTITY_MASS,        TRM_QUANTITY_FORCE,
                                     TRM_QUANTITY_RATE,        TRM_QUANTITY_ALGEBRAIC,
                                     TRM_QUANTITY_CONSTRAINT,  TRM_QUANTITY_CONSTRAINT_Q,
                                     TRM_QUANTITY_CONSTRAINT_Z};

static void assert_same(const trm_system *a, const trm_system *b, const model_point *p,
                        double tolerance)
{
    for (size_t k = 0; k < sizeof basic / sizeof *basic; k++) {
        int rows, columns;
        trm_system_shape(a, basic[k], &rows, &columns);
        double *is = model_dense(a, basic[k], p), *should = model_dense(b, basic[k], p);
        double size = 1e-3; // of a derivative that vanishes
        for (int i = 0; i < rows * columns; i++)
            size = fmax(size, fabs(should[i]));
        for (int i = 0; i < rows * columns; i++)
            if (!(fabs(is[i] - should[i]) <= tolerance * size))
                fail_msg("%s %d: %.17g instead of %.17g", trm_quantity_name(basic[k]), i, is[i],
                         should[i]);
        free(is);
        free(should);
    }
}

static trp_problem *make(double defect)
{
    trp_problem *problem;
    const trm_problem_option options[] = {{"defect", defect}, {NULL, 0}};
    assert_int_equal(trp_problem_create(&problem, "wheelset", options, NULL), TRM_OK);
    return problem;
}

static void test_wheelset_problem_equals_the_equations(void **state)
{
    (void)state;
    model_case c;
    trp_problem *problem = make(0);
    const trm_initial *start = trp_problem_initial(problem);
    model_open(&c, straight, NULL);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        // 5 mm and 5 mrad; rounding of the creepages, differences of 30 m/s, times a stiffness of
        // 1e5 N: 1e-10 of the forces of 100 N
        const model_point p = model_near(c.system, start, 5e-3, seed);
        assert_same(trp_problem_system(problem), c.system, &p, 1e-10);
    }
    const trm_initial *own = trm_instance_initial(c.instance);
    assert_memory_equal(own->q, start->q, 5 * sizeof *own->q);
    assert_memory_equal(own->z, start->z, 4 * sizeof *own->z);
    trp_problem_destroy(problem);
    model_close(&c);
}

static void test_wheelset_without_curvature_is_on_straight_track(void **state)
{
    (void)state;
    model_case a, b;
    model_open(&a, curved, NULL);
    model_open(&b, straight, NULL);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const model_point p = model_near(b.system, trm_instance_initial(b.instance), 5e-3, seed);
        assert_same(a.system, b.system, &p, 1e-12); // terms times 0 may change the order of sums
    }
    model_close(&a);
    model_close(&b);
}

// Without friction what is left of the curvature are the forces of the turning frame.
static void test_wheelset_on_a_curve_feels_its_turning_frame(void **state)
{
    (void)state;
    const char *bent[] = {"parameters.kap=0.01", "parameters.mu=1e-15", NULL};
    const char *even[] = {"parameters.kap=0", "parameters.mu=1e-15", NULL};
    model_case a, b;
    model_open(&a, curved, bent);
    model_open(&b, curved, even);
    const model_point p = model_near(a.system, trm_instance_initial(a.instance), 5e-3, 1);
    double difference[5];
    for (int i = 0; i < 5; i++)
        difference[i] = model_value(a.system, TRM_QUANTITY_FORCE, &p, i, 0) -
                        model_value(b.system, TRM_QUANTITY_FORCE, &p, i, 0);
    // centrifugal and Coriolis force m (V^2 k (1 + x k) + 2 V k vz), m (V^2 k^2 z - 2 V k vx); the
    // creep forces are below 1e-12 N, rounding of sums of 100 N is 1e-13
    const double m = 16.08, V = 30, k = 0.01;
    const double along_x = m * (V * V * k * (1 + p.q[0] * k) + 2 * V * k * p.v[2]);
    const double along_z = m * (V * V * k * k * p.q[2] - 2 * V * k * p.v[0]);
    assert_true(fabs(difference[0] - along_x) <= 1e-10);
    assert_true(fabs(difference[1]) <= 1e-10);
    assert_true(fabs(difference[2] - along_z) <= 1e-10);
    // gyroscopic moment about the track: -I1 Om V k cos(phi) at leading order, -5.4 N m
    const double spin = V / 0.1 + p.x[0], excess = 0.0605 - 0.366;
    const double before = p.v[3], after = p.v[3] - V * k;
    const double sp = sin(p.q[4]), cp = cos(p.q[4]);
    const double roll =
        -0.0605 * spin * V * k * cp + excess * (after * after - before * before) * sp * cp;
    assert_true(fabs(difference[4] - roll) <= 1e-10);
    model_close(&a);
    model_close(&b);
}

static void test_wheelset_defect_is_found_by_the_check(void **state)
{
    (void)state;
    const model_point p = published_end;
    const trm_state at = model_view(&p);
    for (int defect = 0; defect <= 1; defect++) {
        trp_problem *problem = make(defect);
        trm_derivative_report report;
        trm_error error;
        trm_status status =
            trm_system_check_derivatives(trp_problem_system(problem), &at, 1e-5, &report, &error);
        assert_int_equal(status, defect ? TRM_ERR_DERIVATIVE : TRM_OK);
        if (defect) {
            assert_int_equal(report.quantity, TRM_QUANTITY_GAMMA);
            // the forgotten term is far larger than what is left: 1.9e-3 instead of some -1e-2
            assert_true(fabs(report.supplied - report.difference) > 5e-3);
        }
        trp_problem_destroy(problem);
    }
}

static void test_wheelset_beside_the_rail_cannot_be_evaluated(void **state)
{
    (void)state;
    trp_problem *problem = make(0);
    const trm_system *s = trp_problem_system(problem);
    model_point p = model_near(s, trp_problem_initial(problem), 0, 1);
    double g[2], *want[TRM_QUANTITY_COUNT] = {NULL};
    want[TRM_QUANTITY_CONSTRAINT] = g;
    const trm_state at = model_view(&p);
    assert_int_equal(s->evaluate(&at, want, s->user), 0);
    p.q[0] = 0.1; // the head of the rail is 0.06 wide to each side
    assert_true(s->evaluate(&at, want, s->user) > 0);
    trp_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheelset_problem_equals_the_equations),
        cmocka_unit_test(test_wheelset_without_curvature_is_on_straight_track),
        cmocka_unit_test(test_wheelset_on_a_curve_feels_its_turning_frame),
        cmocka_unit_test(test_wheelset_defect_is_found_by_the_check),
        cmocka_unit_test(test_wheelset_beside_the_rail_cannot_be_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
