// SPDX-License-Identifier: Apache-2.0
// Every example mechanism moves alike in joint and in absolute coordinates, with the residual and
// the explicit formalism: the poses of all bodies agree. The test prints the table.
#include "models.h"

#include "model/model.h"
#include "multibody/mechanism.h"

#include <math.h>
#include <stdio.h>

enum { MOST_POSES = 128 };

typedef struct example {
    const char *name;
    double end;   // at most, s
    double error; // largest difference of a coordinate, angle or quaternion
} example;

// Runs an example to `end` and gives the poses of its bodies, `size` numbers each.
static int run_example(const example *e, const char *coordinates, const char *formalism,
                       double *pose, int *size)
{
    char path[200], coordinate_set[80], formalism_set[80];
    snprintf(path, sizeof path, "examples/mechanisms/%s.yaml", e->name);
    snprintf(coordinate_set, sizeof coordinate_set, "mechanism.coordinates=%s", coordinates);
    snprintf(formalism_set, sizeof formalism_set, "mechanism.formalism=%s", formalism);
    const char *const set[] = {coordinate_set, formalism_set, "simulate.tolerance=1e-8", NULL};
    model_case c;
    trm_simulation *simulation;
    model_open(&c, path, set);
    assert_string_equal(c.said, "");
    trm_status status = trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                                              trm_instance_initial(c.instance), &c.error);
    if (status == TRM_OK)
        status = trm_simulation_run(simulation, e->end);
    if (status != TRM_OK)
        fail_msg("%s, %s, %s: %s", e->name, coordinates, formalism, c.error.text);
    int count = trm_model_count(c.model, TRM_CHANNEL_BODY);
    *size = count / (c.model->mechanism->bodies - 1);
    double values[2 * MOST_POSES];
    assert_true(count <= MOST_POSES);
    assert_true(count + trm_model_count(c.model, TRM_CHANNEL_REACTION) <= 2 * MOST_POSES);
    trmi_instance_mechanism(c.instance, trm_simulation_state(simulation), values);
    memcpy(pose, values, (size_t)count * sizeof *pose);
    trm_simulation_destroy(simulation);
    model_close(&c);
    return count;
}

// of n numbers, `size` for a body: the last four of seven are a quaternion, where e and -e are the
// same turn
static double largest_difference(const double *a, const double *b, int n, int size)
{
    double largest = 0;
    for (int first = 0; first < n; first += size) {
        double plus = 0, minus = 0;
        for (int k = first; k < first + size; k++) {
            double d = fabs(a[k] - b[k]), s = fabs(a[k] + b[k]);
            if (k < first + 3)
                largest = fmax(largest, d);
            plus = k < first + 3 ? plus : fmax(plus, d);
            minus = k < first + 3 ? minus : fmax(minus, s);
        }
        largest = fmax(largest, fmin(plus, minus));
    }
    return largest;
}

// Tolerance 1e-8 of every step; errors of some hundred steps add up, and more so where bodies spin
// fast (rotor 314 rad/s, wheel 50 rad/s) or the motion is unstable (pendulum, Andrews: 1e6
// rad/s^2).
static const example examples[] = {{"four-bar", 1, 1e-6},          {"slider-crank", 0.5, 1e-5},
                                   {"quick-return", 1, 1e-9},      {"andrews-squeezer", 0.02, 1e-4},
                                   {"n-pendulum", 1, 1e-5},        {"bricard", 0.5, 1e-6},
                                   {"stewart", 0.3, 1e-6},         {"scissor-lift", 1, 1e-6},
                                   {"gyroscope", 0.1, 2e-3},       {"rolling-disc", 0.5, 1e-6},
                                   {"robot-arm", 0.5, 1e-6},       {"excavator", 0.3, 1e-6},
                                   {"double-wishbone", 0.3, 1e-3}, {"bushing-pendulum", 0.5, 1e-6}};

static void test_mechanism_examples_move_alike_in_all_coordinates(void **state)
{
    (void)state;
    static const char *const other[][2] = {
        {"joint", "explicit"}, {"absolute", "residual"}, {"absolute", "explicit"}};
    printf("%-18s %18s %18s %18s\n", "difference to joint", "joint explicit", "absolute residual",
           "absolute explicit");
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        double first[MOST_POSES], second[MOST_POSES];
        int size, n = run_example(&examples[k], "joint", "residual", first, &size);
        printf("%-18s", examples[k].name);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(run_example(&examples[k], other[j][0], other[j][1], second, &size), n);
            double d = largest_difference(first, second, n, size);
            printf(" %18.2e", d);
            if (!(d < examples[k].error))
                fail_msg("%s, %s %s: %g", examples[k].name, other[j][0], other[j][1], d);
        }
        printf("\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_examples_move_alike_in_all_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
