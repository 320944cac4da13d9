// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the alpha methods: the problems of Yen, Petzold and Raha (CMAME 158, 1998)
// as models, and runs of a member of the family.
#ifndef VERIFY_ALPHA_H
#define VERIFY_ALPHA_H

#include "models.h"

enum { ALPHA_Q = 8, ALPHA_LAMBDA = 6 };

// ---- models ----

#define ALPHA_POINT                                                                                \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy}\n"                                                              \
    "  mass: [1, 1]\n"

static const char alpha_pendulum[] = ALPHA_POINT "  force: [0, -9.81]\n"
                                                 "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
                                                 "initial: {values: {x: 1}}\n"
                                                 "simulate: {end: 1}\n";

static const char alpha_rheonomic[] =
    ALPHA_POINT "  force: [0, -9.81]\n"
                "  constraints: {rod: \"(x^2 + y^2 - (1 + 0.2*sin(2*t))^2)/2\"}\n"
                "initial: {values: {x: 1, vx: 0.4}}\n"
                "simulate: {end: 1}\n";

// 4.1: k = 1/eps^2 = 1000, stretched by -0.1
static const char alpha_spring[] =
    ALPHA_POINT "  define: {r: \"sqrt(x^2 + y^2)\"}\n"
                "  force: [\"-1000*(r - 1)*x/r\", \"-1000*(r - 1)*y/r + 1\"]\n"
                "  energy: {potential: \"500*(r - 1)^2 - y\"}\n"
                "initial: {values: {x: 0.9}}\n"
                "simulate: {end: 5}\n";

// 4.2, the torque with the sign of the force at (-cos th, -sin th)/2; k = 1/eps^2
static const char alpha_bushing[] =
    "trammel: 1\n"
    "parameters: {k: 1e10}\n"
    "equations:\n"
    "  define: {fx: \"0.5 - x + cos(th)/2\", fy: \"-y + sin(th)/2\"}\n"
    "  coordinates: {x: vx, y: vy, th: w}\n"
    "  mass: [1, 1, 1]\n"
    "  force: [\"k*fx\", \"k*fy + 1\", \"-k*th/10 - (cos(th)*(k*fy + 1) - sin(th)*k*fx)/2\"]\n"
    "  constraints: {rod: \"x^2 + y^2 - 1\"}\n"
    "  energy: {potential: \"k*(fx^2 + fy^2)/2 + k*th^2/20 - y + sin(th)/2\"}\n"
    "initial: {values: {x: 0.8, y: 0.6}}\n"
    "simulate: {end: 1}\n";

// ---- runs ----

// Constant steps; Newton errors of this tolerance do not show.
static inline trm_options alpha_options(trm_integrator integrator, double h)
{
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-10;
    options.integrator = integrator;
    options.h_fixed = h;
    return options;
}

static inline trm_options alpha_generalized(double rho, double h)
{
    trm_options options = alpha_options(TRM_INTEGRATOR_GENERALIZED_ALPHA, h);
    options.rho = rho;
    return options;
}

// Runge-Kutta of order 8 at 1e-12: errors are far below those of order 2.
static inline trm_options alpha_reference(void)
{
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_EXPLICIT;
    options.rtol = options.atol = 1e-12;
    return options;
}

typedef struct alpha_run {
    model_case model;
    trm_simulation *simulation;
} alpha_run;

// text: a model, or the path of one that ends in .yaml; set may be NULL
static inline void alpha_open(alpha_run *run, const char *text, const char *const *set,
                              const trm_options *options)
{
    size_t length = strlen(text);
    bool path = length > 5 && strcmp(text + length - 5, ".yaml") == 0;
    model_try(&run->model, path ? NULL : text, path ? text : "m.yaml", set);
    model_instantiate(&run->model);
    trm_error error;
    if (trm_simulation_create(&run->simulation, run->model.system, options,
                              trm_instance_initial(run->model.instance), &error) != TRM_OK)
        fail_msg("%s", error.text);
}

static inline void alpha_close(alpha_run *run)
{
    trm_simulation_destroy(run->simulation);
    model_close(&run->model);
}

// What a run ends with.
typedef struct alpha_result {
    double q[ALPHA_Q], v[ALPHA_Q], lambda[ALPHA_LAMBDA];
    double energy; // relative to the start
    long steps, rejected;
} alpha_result;

static inline alpha_result alpha_state(const alpha_run *run)
{
    const trm_system *u = run->model.system;
    const trm_state *s = trm_simulation_state(run->simulation);
    const trm_statistics *st = trm_simulation_statistics(run->simulation);
    alpha_result r = {.steps = st->steps, .rejected = st->rejected_error + st->rejected_newton};
    memcpy(r.q, s->q, (size_t)u->n_q * sizeof *r.q);
    memcpy(r.v, s->v, (size_t)u->n_q * sizeof *r.v);
    memcpy(r.lambda, s->lambda, (size_t)(u->n_g + u->n_a) * sizeof *r.lambda);
    return r;
}

static inline alpha_result alpha_simulate(const char *text, const char *const *set,
                                          trm_options options, double end)
{
    alpha_run run;
    alpha_open(&run, text, set, &options);
    double before = trm_simulation_energy(run.simulation);
    trm_status status = trm_simulation_run(run.simulation, end);
    if (status != TRM_OK)
        fail_msg("%s: %s", trm_status_name(status), trm_simulation_error(run.simulation)->text);
    alpha_result r = alpha_state(&run);
    r.energy = trm_simulation_energy(run.simulation) / before;
    alpha_close(&run);
    return r;
}

// largest errors of positions, velocities, multipliers
typedef struct alpha_error {
    double of[3];
} alpha_error;

static inline alpha_error alpha_compare(const alpha_result *a, const alpha_result *b, int n, int m)
{
    alpha_error e = {{0}};
    for (int i = 0; i < n; i++) {
        e.of[0] = fmax(e.of[0], fabs(a->q[i] - b->q[i]));
        e.of[1] = fmax(e.of[1], fabs(a->v[i] - b->v[i]));
    }
    for (int i = 0; i < m; i++)
        e.of[2] = fmax(e.of[2], fabs(a->lambda[i] - b->lambda[i]));
    return e;
}

#endif
