// SPDX-License-Identifier: Apache-2.0
// Common to the tests of models: reading a text or file with all its diagnostics, states, and the
// quantities of a system as dense matrices.
#ifndef MODELS_H
#define MODELS_H

#include "framework.h"

#include "problems/problems.h"
#include "trammel/trammel.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// ---- reading ----

typedef struct model_case {
    trm_model *model;
    trm_instance *instance;
    const trm_system *system;
    trm_status status;
    trm_error error;
    char said[20000]; // every diagnostic as trm_diagnostic_format writes it
} model_case;

static inline void model_collect(const trm_diagnostic *diagnostic, void *user)
{
    model_case *c = user;
    size_t length = strlen(c->said);
    trm_diagnostic_format(diagnostic, c->said + length, sizeof c->said - length);
}

static inline int model_allow(const char *path, void *user)
{
    (void)path, (void)user;
    return 1;
}

// Reads a text as the file m.yaml, or (text NULL) the file at that path; set may be NULL.
static inline void model_try(model_case *c, const char *text, const char *path,
                             const char *const *set)
{
    const trm_load load = {.set = set,
                           .report = model_collect,
                           .user = c,
                           .problem = trp_problem_open,
                           .library = model_allow};
    memset(c, 0, sizeof *c);
    c->status = text ? trm_model_read(&c->model, text, strlen(text), path, &load, &c->error)
                     : trm_model_load(&c->model, path, &load, &c->error);
}

static inline void model_instantiate(model_case *c)
{
    if (c->status != TRM_OK)
        fail_msg("%s\n%s", c->error.text, c->said);
    assert_int_equal(trm_instance_create(&c->instance, c->model, &c->error), TRM_OK);
    c->system = trm_instance_system(c->instance);
}

static inline void model_read(model_case *c, const char *text)
{
    model_try(c, text, "m.yaml", NULL);
    model_instantiate(c);
}

static inline void model_open(model_case *c, const char *path, const char *const *set)
{
    model_try(c, NULL, path, set);
    model_instantiate(c);
}

// A simulation of the model in a text or a file, at its start, with an integrator, a tolerance and
// one setting more (NULL: none).
static inline trm_simulation *model_simulate(model_case *c, const char *text, const char *path,
                                             const char *integrator, double tolerance,
                                             const char *more)
{
    char method[80], accuracy[80];
    snprintf(method, sizeof method, "simulate.integrator=%s", integrator);
    snprintf(accuracy, sizeof accuracy, "simulate.tolerance=%g", tolerance);
    const char *const set[] = {method, accuracy, more, NULL};
    trm_simulation *s;
    model_try(c, text, path, set);
    model_instantiate(c);
    assert_int_equal(trm_simulation_create(&s, c->system, trm_model_options(c->model),
                                           trm_instance_initial(c->instance), &c->error),
                     TRM_OK);
    return s;
}

static inline void model_close(model_case *c)
{
    trm_instance_destroy(c->instance);
    trm_model_destroy(c->model);
    c->instance = NULL;
    c->model = NULL;
}

// The text is refused, with this in what is reported.
static inline void model_assert_says(const char *text, const char *message)
{
    model_case c;
    model_try(&c, text, "m.yaml", NULL);
    assert_int_not_equal(c.status, TRM_OK);
    if (!strstr(c.said, message))
        fail_msg("%s\ninstead of\n%s", c.said, message);
    model_close(&c);
}

// ---- texts ----

// two equal masses on equal rods, hanging, absolute coordinates, one rod written twice
#define MODEL_DOUBLE_PENDULUM                                                                      \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy, X: vX, Y: vY}\n"                                                \
    "  mass: [1, 1, 1, 1]\n"                                                                       \
    "  force: [0, -10, 0, -10]\n"                                                                  \
    "  constraints:\n"                                                                             \
    "    upper: \"x^2 + y^2 - 1\"\n"                                                               \
    "    lower: \"(X-x)^2 + (Y-y)^2 - 1\"\n"                                                       \
    "    again: \"2*(X-x)^2 + 2*(Y-y)^2 - 2\"\n"                                                   \
    "initial: {values: {y: -1, Y: -2}}\n"                                                          \
    "simulate: {end: 1}\n"

// ---- states ----

enum { MODEL_LARGEST = 64 }; // unknowns of one kind

typedef struct model_point {
    double t;
    double q[MODEL_LARGEST], v[MODEL_LARGEST], a[MODEL_LARGEST], x[MODEL_LARGEST];
    double z[MODEL_LARGEST], lambda[MODEL_LARGEST];
} model_point;

static inline trm_state model_view(const model_point *p)
{
    return (trm_state){
        .t = p->t, .q = p->q, .v = p->v, .a = p->a, .x = p->x, .z = p->z, .lambda = p->lambda};
}

// A number in -1 .. 1 of a fixed sequence.
static inline double model_noise(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

// The start of a model with noise of the given size on everything.
static inline model_point model_near(const trm_system *s, const trm_initial *start, double size,
                                     uint64_t seed)
{
    model_point p = {0};
    struct {
        double *to;
        const double *from;
        int count;
    } part[] = {{p.q, start->q, s->n_q}, {p.v, start->v, s->n_q},
                {p.a, NULL, s->n_q},     {p.x, start->x, s->n_x},
                {p.z, start->z, s->n_z}, {p.lambda, start->lambda, s->n_g + s->n_a}};
    p.t = start->t + 0.3 * fabs(model_noise(&seed));
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].count; i++) {
            assert_true(i < MODEL_LARGEST);
            part[k].to[i] = (part[k].from ? part[k].from[i] : 0.0) + size * model_noise(&seed);
        }
    return p;
}

// ---- quantities ----

static inline bool model_supplies(const trm_system *s, trm_quantity quantity)
{
    return s->pattern[quantity].count == TRM_PATTERN_ZERO || s->function[quantity] ||
           (s->evaluates & TRM_BIT_OF(quantity));
}

static inline void model_call(const trm_system *s, trm_quantity quantity, const model_point *p,
                              double *out)
{
    const trm_state state = model_view(p);
    double *want[TRM_QUANTITY_COUNT] = {NULL};
    want[quantity] = out;
    if (s->evaluates & TRM_BIT_OF(quantity))
        assert_int_equal(s->evaluate(&state, want, s->user), 0);
    else
        assert_int_equal(s->function[quantity](&state, out, s->user), 0);
}

static inline int model_entries(const trm_system *s, trm_quantity quantity)
{
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    const int count = s->pattern[quantity].count;
    return count == TRM_PATTERN_ZERO       ? 0
           : count == TRM_PATTERN_DIAGONAL ? rows
           : count == TRM_PATTERN_DENSE    ? rows * columns
                                           : count;
}

// The quantity as a dense matrix, column by column; the caller frees it.
static inline double *model_dense(const trm_system *s, trm_quantity quantity, const model_point *p)
{
    int rows, columns, count = model_entries(s, quantity);
    trm_system_shape(s, quantity, &rows, &columns);
    const trm_pattern *pattern = &s->pattern[quantity];
    double *out = calloc((size_t)(rows * columns) + 1, sizeof *out);
    double *value = malloc((size_t)(count + 1) * sizeof *value);
    value[count] = 12345.0; // must stay
    if (count > 0)
        model_call(s, quantity, p, value);
    assert_true(value[count] == 12345.0);
    int *row = calloc((size_t)(2 * count) + 1, sizeof *row), *column = row + count;
    trm_pattern_list(pattern, row, column);
    for (int k = 0; k < count; k++) {
        int at = pattern->count == TRM_PATTERN_DENSE      ? k
                 : pattern->count == TRM_PATTERN_DIAGONAL ? k * (rows + 1)
                                                          : row[k] + rows * column[k];
        assert_true(at >= 0 && at < rows * columns);
        out[at] += value[k];
    }
    free(row);
    free(value);
    return out;
}

static inline double model_value(const trm_system *s, trm_quantity quantity, const model_point *p,
                                 int row, int column)
{
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    double *all = model_dense(s, quantity, p), value = all[row + rows * column];
    free(all);
    return value;
}

#endif
