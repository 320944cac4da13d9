// SPDX-License-Identifier: Apache-2.0
// Simulations of every kind (formulation, control, solver, derivatives, states, redundant rows,
// constant steps), for what must hold in all of them.
#ifndef CASES_H
#define CASES_H

#include "fail/fail.h"
#include "problems/problems.h"

#include <stdio.h>
#include <stdlib.h>

// ---- a pendulum driven through a lag and an implicit force law ----
//
//     f = (z, -9.81),  x' = (u - x)/0.2,  0 = z + z^3 - x - 0.1 x'_q,  u = sin 3t

static inline int driven_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = 1;
    return 0;
}

static inline int driven_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0];
    out[1] = -9.81;
    return 0;
}

static inline int driven_rate(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = (s->u[0] - s->x[0]) / 0.2;
    return 0;
}

static inline int driven_law(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0] + s->z[0] * s->z[0] * s->z[0] - s->x[0] - 0.1 * s->v[0];
    return 0;
}

static inline int driven_input(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = sin(3 * s->t);
    out[1] = 3 * cos(3 * s->t);
    out[2] = -9 * sin(3 * s->t);
    return 0;
}

static inline trm_system driven_pendulum(void)
{
    trm_system s = {.name = "driven pendulum",
                    .n_q = 2,
                    .n_x = 1,
                    .n_z = 1,
                    .n_g = 1,
                    .n_u = 1,
                    .function = {[TRM_QUANTITY_MASS] = driven_mass,
                                 [TRM_QUANTITY_FORCE] = driven_force,
                                 [TRM_QUANTITY_RATE] = driven_rate,
                                 [TRM_QUANTITY_ALGEBRAIC] = driven_law,
                                 [TRM_QUANTITY_INPUT] = driven_input,
                                 [TRM_QUANTITY_CONSTRAINT] = pendulum_constraint}};
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return s;
}

// the pendulum with its circle written twice
static inline int circle_twice(const trm_state *s, double *out, void *user)
{
    (void)user;
    pendulum_constraint(s, out, NULL);
    out[1] = 2 * out[0];
    return 0;
}

static inline trm_system doubled_pendulum(void)
{
    trm_system system = pendulum(NULL);
    const trm_quantity of_rows[] = {TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_CONSTRAINT_T,
                                    TRM_QUANTITY_GAMMA, TRM_QUANTITY_GEOMETRIC};
    for (int k = 0; k < 4; k++)
        system.function[of_rows[k]] = NULL;
    system.pattern[TRM_QUANTITY_GEOMETRIC].count = TRM_PATTERN_DENSE;
    system.function[TRM_QUANTITY_CONSTRAINT] = circle_twice;
    system.g_names = NULL;
    system.n_g = 2;
    return system;
}

// A pendulum whose options must be refused because of this item, with words and advice.
static inline void assert_refuses(const trm_options *options, const char *item, const char *part,
                                  const char *advice)
{
    const trm_system system = pendulum(NULL);
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, &system, options, &pendulum_start, &error);
    assert_status(status, TRM_ERR_OPTION, &error);
    assert_null(s);
    assert_string_equal(error.item, item);
    assert_contains(error.text, part);
    assert_contains(error.advice, advice);
}

// ---- cases ----

typedef struct trial {
    const char *problem; // built in, or "driven", "doubled"
    const char *option;
    double value;
    trm_integrator integrator;
    trm_formulation formulation;
    trm_control control;
    trm_solver solver;
    bool differences; // derivatives of the forces are not supplied
    double h_fixed;
    double end; // 0: that of the problem
} trial;

static const trial trials[] = {
    {.problem = "pendulum"},
    {.problem = "pendulum", .formulation = TRM_FORMULATION_CM},
    {.problem = "pendulum", .formulation = TRM_FORMULATION_GGL},
    {.problem = "pendulum", .formulation = TRM_FORMULATION_GGL_STAR, .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .control = TRM_CONTROL_CLASSIC},
    {.problem = "pendulum", .control = TRM_CONTROL_CLASSIC, .formulation = TRM_FORMULATION_CM},
    {.problem = "pendulum",
     .control = TRM_CONTROL_CLASSIC,
     .formulation = TRM_FORMULATION_CM_FROZEN,
     .end = 0.5},
    {.problem = "pendulum", .control = TRM_CONTROL_CLASSIC, .formulation = TRM_FORMULATION_GGL},
    {.problem = "pendulum",
     .control = TRM_CONTROL_CLASSIC,
     .formulation = TRM_FORMULATION_GGL_STAR,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .h_fixed = 0.01},
    {.problem = "pendulum", .control = TRM_CONTROL_CLASSIC, .h_fixed = 0.01},
    {.problem = "andrews", .differences = true},
    {.problem = "andrews", .differences = true, .solver = TRM_SOLVER_SPARSE},
    {.problem = "andrews", .differences = true, .control = TRM_CONTROL_CLASSIC},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .control = TRM_CONTROL_CLASSIC,
     .formulation = TRM_FORMULATION_GGL,
     .solver = TRM_SOLVER_SPARSE,
     .end = 0.5},
    {.problem = "chain", .option = "links", .value = 8, .solver = TRM_SOLVER_BLOCK, .end = 1},
    {.problem = "chain", .option = "links", .value = 8, .solver = TRM_SOLVER_SPARSE, .end = 1},
    {.problem = "chain", .option = "links", .value = 8, .solver = TRM_SOLVER_DENSE, .end = 1},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .formulation = TRM_FORMULATION_GGL,
     .differences = true,
     .solver = TRM_SOLVER_BLOCK,
     .end = 1},
    {.problem = "driven"},
    {.problem = "driven", .solver = TRM_SOLVER_SPARSE, .formulation = TRM_FORMULATION_GGL},
    {.problem = "driven", .h_fixed = 0.01},
    {.problem = "driven", .control = TRM_CONTROL_CLASSIC},
    {.problem = "driven",
     .control = TRM_CONTROL_CLASSIC,
     .formulation = TRM_FORMULATION_GGL_UNTESTED,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_HHT,
     .formulation = TRM_FORMULATION_INDEX3,
     .h_fixed = 0.01},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_HHT,
     .formulation = TRM_FORMULATION_INDEX1_PROJECTED},
    {.problem = "doubled"},
    {.problem = "doubled", .solver = TRM_SOLVER_SPARSE},
    {.problem = "doubled", .control = TRM_CONTROL_CLASSIC},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_ADAMS},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_EXPLICIT},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_ADAMS,
     .formulation = TRM_FORMULATION_INDEX1,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_EXPLICIT,
     .formulation = TRM_FORMULATION_INDEX1_PROJECTED,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_ADAMS, .h_fixed = 0.01},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_EXPLICIT, .h_fixed = 0.05},
    {.problem = "andrews", .integrator = TRM_INTEGRATOR_ADAMS},
    {.problem = "andrews", .integrator = TRM_INTEGRATOR_EXPLICIT, .solver = TRM_SOLVER_SPARSE},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_ADAMS,
     .solver = TRM_SOLVER_BLOCK,
     .end = 1},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_EXPLICIT,
     .solver = TRM_SOLVER_BLOCK,
     .end = 1},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_ADAMS},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_EXPLICIT},
    // order 10 is stable up to h = 0.002 or so
    {.problem = "driven", .integrator = TRM_INTEGRATOR_ADAMS, .h_fixed = 0.001, .end = 0.2},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_ADAMS},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_EXPLICIT},
    // explicit alone, all methods in turn, and the last ones of these
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_AUTO},
    {.problem = "stiff-bushing", .option = "k", .value = 1e6, .integrator = TRM_INTEGRATOR_AUTO},
    {.problem = "stiff-bushing",
     .option = "k",
     .value = 1e6,
     .integrator = TRM_INTEGRATOR_AUTO,
     .formulation = TRM_FORMULATION_GGL,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_AUTO},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_RADAU},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_RADAU,
     .formulation = TRM_FORMULATION_GGL,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_RADAU, .h_fixed = 0.02},
    {.problem = "andrews", .integrator = TRM_INTEGRATOR_RADAU, .differences = true},
    {.problem = "andrews",
     .integrator = TRM_INTEGRATOR_RADAU,
     .differences = true,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_RADAU,
     .solver = TRM_SOLVER_SPARSE,
     .end = 1},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_RADAU,
     .solver = TRM_SOLVER_DENSE,
     .end = 1},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_RADAU},
    {.problem = "driven",
     .integrator = TRM_INTEGRATOR_RADAU,
     .solver = TRM_SOLVER_SPARSE,
     .formulation = TRM_FORMULATION_GGL},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_RADAU},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_RADAU, .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .formulation = TRM_FORMULATION_INDEX1_PROJECTED},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE, .h_fixed = 0.05},
    {.problem = "andrews",
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .formulation = TRM_FORMULATION_INDEX1_PROJECTED,
     .solver = TRM_SOLVER_SPARSE},
    // with one matrix for all stages from time to time
    {.problem = "stiff-bushing",
     .option = "k",
     .value = 1e8,
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .solver = TRM_SOLVER_DENSE},
    {.problem = "stiff-bushing",
     .option = "k",
     .value = 1e8,
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .solver = TRM_SOLVER_BLOCK,
     .end = 1},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE},
    {.problem = "doubled",
     .integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_NEWMARK},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_HHT, .formulation = TRM_FORMULATION_CM},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA,
     .formulation = TRM_FORMULATION_GGL,
     .solver = TRM_SOLVER_SPARSE},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA,
     .formulation = TRM_FORMULATION_CM_FROZEN},
    {.problem = "pendulum",
     .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA,
     .control = TRM_CONTROL_CLASSIC,
     .formulation = TRM_FORMULATION_GGL},
    {.problem = "pendulum", .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA, .h_fixed = 0.01},
    {.problem = "andrews", .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA, .differences = true},
    {.problem = "chain",
     .option = "links",
     .value = 8,
     .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA,
     .solver = TRM_SOLVER_BLOCK,
     .end = 0.5},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA},
    {.problem = "driven", .integrator = TRM_INTEGRATOR_HHT, .h_fixed = 0.01},
    {.problem = "doubled", .integrator = TRM_INTEGRATOR_GENERALIZED_ALPHA},
};
enum { TRIALS = sizeof trials / sizeof *trials };

typedef struct trial_case {
    trp_problem *problem;
    trm_system system;
    trm_initial initial;
    trm_options options;
    double end;
    char name[80]; // for messages
} trial_case;

static inline trial_case open_trial(const trial *a)
{
    trial_case c = {.initial = pendulum_start, .end = 2, .options = trm_options_default()};
    const trm_problem_option numbers[] = {{a->option, a->value}, {NULL, 0}};
    if (strcmp(a->problem, "driven") == 0) {
        c.system = driven_pendulum();
    } else if (strcmp(a->problem, "doubled") == 0) {
        c.system = doubled_pendulum();
    } else {
        assert_int_equal(trp_problem_create(&c.problem, a->problem, numbers, NULL), TRM_OK);
        c.system = *trp_problem_system(c.problem);
        c.initial = *trp_problem_initial(c.problem);
        c.end = fmin(trp_problem_end(c.problem), 2);
    }
    c.end = a->end > 0 ? a->end : c.end;
    const trm_quantity of_forces[] = {TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_DAMPING,
                                      TRM_QUANTITY_GEOMETRIC};
    for (int k = 0; k < 3 && a->differences; k++) {
        c.system.function[of_forces[k]] = NULL;
        c.system.evaluates &= ~TRM_BIT_OF(of_forces[k]);
    }
    c.options.integrator = a->integrator;
    c.options.linear_solver = a->solver;
    c.options.control = a->control;
    c.options.formulation = a->formulation;
    c.options.h_fixed = a->h_fixed;
    snprintf(c.name, sizeof c.name,
             "%s, integrator %d, formulation %d, control %d, solver %d, h_fixed %g", a->problem,
             (int)a->integrator, (int)a->formulation, (int)a->control, (int)a->solver, a->h_fixed);
    return c;
}

static inline void close_trial(trial_case *c)
{
    trp_problem_destroy(c->problem);
}

// ---- memory ----

// An allocator that counts and fails at the call fail_at (0: never).
typedef struct supply {
    long calls, held, fail_at;
} supply;

static inline void *take(size_t size, void *user)
{
    supply *s = user;
    if (++s->calls == s->fail_at)
        return NULL;
    void *block = malloc(size);
    s->held += block != NULL;
    return block;
}

static inline void give(void *block, void *user)
{
    ((supply *)user)->held -= block != NULL;
    free(block);
}

// ---- comparisons ----

static inline bool same_bits(const double *a, const double *b, int n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// the present state, the statistics and the next step, bit by bit
static inline void assert_same_run(const trial_case *c, const trm_simulation *a,
                                   const trm_simulation *b)
{
    const trm_state *x = trm_simulation_state(a), *y = trm_simulation_state(b);
    const trm_system *u = &c->system;
    bool same = x->t == y->t && same_bits(x->q, y->q, u->n_q) && same_bits(x->v, y->v, u->n_q) &&
                same_bits(x->a, y->a, u->n_q) && same_bits(x->x, y->x, u->n_x) &&
                same_bits(x->z, y->z, u->n_z) && same_bits(x->lambda, y->lambda, u->n_g + u->n_a) &&
                same_bits(x->u, y->u, 3 * u->n_u);
    if (!same)
        fail_msg("%s: the states differ at t = %.17g and %.17g", c->name, x->t, y->t);
    if (trm_simulation_next_step(a) != trm_simulation_next_step(b))
        fail_msg("%s: the next steps differ at t = %g", c->name, x->t);
    if (memcmp(trm_simulation_statistics(a), trm_simulation_statistics(b),
               sizeof(trm_statistics)) != 0)
        fail_msg("%s: the statistics differ at t = %g", c->name, x->t);
}

static inline double distance_of(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isnan(a[i] - b[i]) ? INFINITY : fmax(most, fabs(a[i] - b[i]));
    return most;
}

#endif
