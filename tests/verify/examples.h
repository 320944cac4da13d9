// SPDX-License-Identifier: Apache-2.0
// Example mechanisms in every way there is to compute them: coordinates, formalism, formulation and
// integrator. The poses of all bodies over the first second are compared with those of a reference
// run, and the table of the differences is printed.
//
// Asked is agreement within ten times a tolerance. A run keeps its tolerance in every step, and the
// errors of the steps add up, most in bodies that spin freely (nothing calls their velocity back).
// So a way that does not agree at once is repeated with a tolerance ten times smaller, some times;
// the table has the difference and the tolerance that was enough for it.
#ifndef VERIFY_EXAMPLES_H
#define VERIFY_EXAMPLES_H

#include "models.h"

#include "modelling/multibody/mechanism.h"
#include "modelling/reader/model.h"

#include <math.h>
#include <stdio.h>

enum { EXAMPLE_POSES = 128, EXAMPLE_TIMES = 4, EXAMPLE_TIGHTER = 4 };

typedef struct example {
    const char *name;
    double end; // s
} example;

// Shorter than a second: Andrews' mechanism is published for 30 ms (2.5 turns), the rotor of the
// gyroscope makes 5 turns in 100 ms, the rod of the flexible slider-crank rings at 10 000 rad/s.
static const example examples[] = {{"four-bar", 1},         {"slider-crank", 1},
                                   {"quick-return", 1},     {"andrews-squeezer", 0.03},
                                   {"n-pendulum", 1},       {"bricard", 1},
                                   {"stewart", 1},          {"scissor-lift", 1},
                                   {"gyroscope", 0.1},      {"fan", 1},
                                   {"rolling-disc", 1},     {"robot-arm", 1},
                                   {"excavator", 1},        {"double-wishbone", 1},
                                   {"bushing-pendulum", 1}, {"bicycle", 1},
                                   {"spin-up-beam", 1},     {"flexible-slider-crank", 0.02}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

// The way to compute, in the words of the model file.
typedef struct example_way {
    const char *coordinates, *formalism, *formulation, *integrator;
    double tolerance;
} example_way;

// Poses at EXAMPLE_TIMES times up to the end, or why there are none.
typedef struct example_motion {
    trm_status status;
    trm_error error;
    int count, size; // numbers in all, and of one body
    long steps;
    double pose[EXAMPLE_TIMES][EXAMPLE_POSES];
} example_motion;

static inline void example_poses(model_case *c, const trm_simulation *simulation, double *pose)
{
    double values[3 * EXAMPLE_POSES]; // reactions stand behind the poses
    int count = trm_model_count(c->model, TRM_CHANNEL_BODY);
    assert_true(count <= EXAMPLE_POSES);
    assert_true(count + trm_model_count(c->model, TRM_CHANNEL_REACTION) <= 3 * EXAMPLE_POSES);
    trmi_instance_mechanism(c->instance, trm_simulation_state(simulation), values);
    memcpy(pose, values, (size_t)count * sizeof *pose);
}

static inline void example_open(model_case *c, const example *e, const example_way *way)
{
    char path[200], text[4][80];
    // the last: variable steps, whatever the file says
    const char *const set[] = {text[0], text[1], text[2], text[3], "simulate.step={}", NULL};
    snprintf(path, sizeof path, "examples/mechanisms/%s.yaml", e->name);
    snprintf(text[0], sizeof text[0], "mechanism.coordinates=%s", way->coordinates);
    snprintf(text[1], sizeof text[1], "mechanism.formalism=%s", way->formalism);
    snprintf(text[2], sizeof text[2], "simulate.integrator=%s", way->integrator);
    snprintf(text[3], sizeof text[3], "simulate.tolerance=%g", way->tolerance);
    model_open(c, path, set);
    assert_null(strstr(c->said, "error"));
}

static inline void example_run(example_motion *m, const example *e, const example_way *way)
{
    model_case c;
    trm_simulation *simulation = NULL;
    example_open(&c, e, way);
    memset(m, 0, sizeof *m);
    m->count = trm_model_count(c.model, TRM_CHANNEL_BODY);
    m->size = m->count / (c.model->mechanism->bodies - 1);
    trm_options options = *trm_model_options(c.model); // a file with a refused formulation is none
    assert_int_equal(trm_options_set(&options, "formulation", way->formulation, &m->error), TRM_OK);
    m->status = trm_simulation_create(&simulation, c.system, &options,
                                      trm_instance_initial(c.instance), &m->error);
    for (int k = 0; k < EXAMPLE_TIMES && m->status == TRM_OK; k++) {
        m->status = trm_simulation_run(simulation, e->end * (k + 1) / EXAMPLE_TIMES);
        if (m->status == TRM_OK)
            example_poses(&c, simulation, m->pose[k]);
        else
            m->error = *trm_simulation_error(simulation);
    }
    m->steps = simulation ? trm_simulation_statistics(simulation)->steps : 0;
    trm_simulation_destroy(simulation);
    model_close(&c);
}

// Of one body at one time: the largest difference of a coordinate or angle, or of the quaternion
// that the last four of seven numbers are (e and -e are the same turn).
static inline double example_apart(const double *a, const double *b, int size)
{
    double place = 0, plus = 0, minus = 0;
    for (int k = 0; k < 3; k++)
        place = fmax(place, fabs(a[k] - b[k]));
    for (int k = 3; k < size; k++) {
        plus = fmax(plus, fabs(a[k] - b[k]));
        minus = fmax(minus, fabs(a[k] + b[k]));
    }
    return isfinite(place + plus) ? fmax(place, fmin(plus, minus)) : INFINITY;
}

static inline double example_difference(const example_motion *a, const example_motion *b)
{
    double largest = 0;
    for (int t = 0; t < EXAMPLE_TIMES; t++)
        for (int k = 0; k < a->count; k += a->size)
            largest = fmax(largest, example_apart(a->pose[t] + k, b->pose[t] + k, a->size));
    return largest;
}

// The reference: two ways that have nothing in common but the file agree to 1e-8; measured 1e-9
// (double-wishbone, whose road has a kink) and less.
static inline void example_refer(example_motion *reference, const example *e)
{
    static const example_way one = {"joint", "residual", "cs", "radau-adaptive", 1e-12};
    static const example_way two = {"absolute", "residual", "index1-projected", "explicit", 1e-12};
    example_motion other;
    example_run(reference, e, &one);
    example_run(&other, e, &two);
    if (reference->status != TRM_OK || other.status != TRM_OK)
        fail_msg("%s: %s%s", e->name, reference->error.text, other.error.text);
    double d = example_difference(reference, &other);
    if (!(d < 1e-8))
        fail_msg("%s: two references differ by %.2g", e->name, d);
}

// Group setup and teardown: *state is the references of all examples.
static inline int example_begin(void **state)
{
    example_motion *reference = malloc(EXAMPLES * sizeof *reference);
    assert_non_null(reference);
    *state = reference;
    for (int k = 0; k < EXAMPLES; k++)
        example_refer(&reference[k], &examples[k]);
    return 0;
}

static inline int example_end(void **state)
{
    free(*state);
    return 0;
}

// What became of the cells of a table: agreed with the tolerance over 10^i, refused, wrong.
typedef struct example_count {
    int agreed[EXAMPLE_TIGHTER + 1], refused, wrong;
} example_count;

// One cell of the table.
static inline void example_agrees(const example *e, const example_motion *reference,
                                  example_way way, double most, example_count *count)
{
    example_motion m;
    double d = INFINITY;
    int i = 0;
    for (; i <= EXAMPLE_TIGHTER; i++) {
        example_run(&m, e, &way);
        if (m.status == TRM_ERR_OPTION) {
            printf("  %-18s", "refused");
            count->refused++;
            return;
        }
        if (m.status != TRM_OK)
            fail_msg("%s, %s, %s, %s, %s: %s", e->name, way.coordinates, way.formalism,
                     way.formulation, way.integrator, m.error.text);
        d = example_difference(reference, &m);
        if (d <= most)
            break;
        way.tolerance /= 10;
    }
    printf("  %.1e at %.0e ", d, way.tolerance);
    fflush(stdout);
    *(d <= most ? &count->agreed[i] : &count->wrong) += 1;
}

// Most agree with the tolerance that was asked for; measured 86 % (alpha methods) to 98 %
// (radau-adaptive).
static inline void example_judge(const example_count *count, double tolerance)
{
    int all = 0;
    for (int i = 0; i <= EXAMPLE_TIGHTER; i++)
        all += count->agreed[i];
    printf("\nagreed at");
    for (int i = 0; i <= EXAMPLE_TIGHTER; i++)
        printf(" %.0e: %d%s", tolerance * pow(10, -i), count->agreed[i],
               i < EXAMPLE_TIGHTER ? "," : "");
    printf("; refused: %d\n", count->refused);
    assert_int_equal(count->wrong, 0);
    assert_true(2 * count->agreed[0] > all);
}

// A formulation that an integrator refuses, with its words.
static inline void example_tell_refusal(const char *integrator, const char *formulation,
                                        bool refuses)
{
    example_motion m;
    example_run(&m, &examples[0],
                &(example_way){"joint", "residual", formulation, integrator, 1e-6});
    assert_int_equal(m.status == TRM_ERR_OPTION, refuses);
    if (refuses)
        printf("refused: %s\n", m.error.text);
}

// The table of one integrator, which refuses the formulation `refused` (NULL: none).
static inline void example_table(const example_motion *reference, const char *integrator,
                                 const char *refused, double tolerance)
{
    static const char *const ways[][2] = {{"joint", "residual"},
                                          {"joint", "explicit"},
                                          {"absolute", "residual"},
                                          {"absolute", "explicit"}};
    static const char *const formulations[] = {"cs", "ggl", "index1-projected"};
    example_count count = {0};
    printf("%s: poses of all bodies agree within %g\n%-37s", integrator, 10 * tolerance, "");
    for (int f = 0; f < 3; f++)
        printf("  %-18s", formulations[f]);
    for (int k = 0; k < EXAMPLES; k++) {
        for (int w = 0; w < 4; w++) {
            printf("\n%-17s %-9s%-9s ", examples[k].name, ways[w][0], ways[w][1]);
            for (int f = 0; f < 3; f++) {
                example_way way = {ways[w][0], ways[w][1], formulations[f], integrator, tolerance};
                example_agrees(&examples[k], &reference[k], way, 10 * tolerance, &count);
            }
        }
    }
    example_judge(&count, tolerance);
    for (int f = 0; f < 3; f++)
        example_tell_refusal(integrator, formulations[f],
                             refused && !strcmp(refused, formulations[f]));
}

#endif
