// SPDX-License-Identifier: Apache-2.0
// Sampled controllers and tables in machines: the examples against computations of their own.
#include "mechanism_runs.h"

// runs a model with its events to a time; the outputs there
static void run_example(const char *path, const char *const *set, double end, double *value)
{
    model_case c;
    model_open(&c, path, set);
    trm_simulation *s = start(&c);
    const trm_events *events = trm_instance_events(c.instance);
    trm_status status = events ? trm_simulation_watch(s, events) : TRM_OK;
    while (status == TRM_OK && trm_simulation_state(s)->t < end) {
        status = trm_simulation_run(s, end);
        for (int k = 0; status == TRM_STOP_EVENT && k < events->count; k++)
            if (trm_simulation_fired(s, k))
                status = trm_instance_event(c.instance, s, k);
    }
    if (status != TRM_OK && status != TRM_UNTRUSTED)
        fail_msg("%s", trm_simulation_error(s)->text);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    trm_simulation_destroy(s);
    model_close(&c);
}

// Newton's equations of cart and pole by hand,
//     (M + m) X'' - m l cos(a) a'' + m l sin(a) a'^2 = F,
//     4/3 m l^2 a'' - m l cos(a) X'' - m g l sin(a) = 0,
// by the classical method of Runge and Kutta with 40 steps between samples, F held there: at t = 3
// s X = -0.0630126384911, a = 0.00797977296085 (20 steps: the same to 1e-13). The run keeps 1e-9 in
// a step of 3000; after 150 samples 3e-8 is left.
static void test_mechanism_samples_balance_a_pole(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], "simulate.tolerance=1e-9", NULL};
        double value[3];
        run_example("examples/mechanisms/cart-pole.yaml", set, 3, value);
        assert_near(value[1], 0.00797977296085, 1e-7);
        assert_near(value[2], -0.0630126384911, 1e-7);
    }
}

// The periodic spline by its second derivatives (a linear system of 12 equations), and
// m x'' = -F - 2000 (x + 0.02) - m g with F = 2e5 (x - s) + 50 (x' - s'), by the classical method
// of Runge and Kutta with 80000 steps: at t = 0.2 s s = 1.32046940876e-05, x = -0.000193747604353
// m, F = -41.3600854519 N (40000 steps: the same). The run keeps 1e-9: 1e-9 m, times 2e5 N/m in F.
static void test_mechanism_samples_cam_follows_its_table(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], "simulate.tolerance=1e-9", NULL};
        double value[4];
        run_example("examples/mechanisms/cam.yaml", set, 0.2, value);
        assert_near(value[0], 1.32046940876e-05, 1e-15);
        assert_near(value[1], -0.000193747604353, 2e-9);
        assert_near(value[2], -41.3600854519, 4e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_samples_balance_a_pole),
        cmocka_unit_test(test_mechanism_samples_cam_follows_its_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
