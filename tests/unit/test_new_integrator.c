// SPDX-License-Identifier: Apache-2.0
// How an integrator is added, the example of CONTRIBUTING.md: the SDIRK method of Alexander, three
// stages, order 3, L-stable. A stage solves the index-1 form at t + c_i h with the corrector of
// BDF,
//
//     Y_i = psi_i + h g Y'_i,   psi_i = y_n + h sum_{j<i} a_ij Y'_j,
//
// that is Y'_i = (Y_i - psi_i) / (h g): a trmi_stage with cv = ca = 1/(h g). The last stage is the
// new point. The error is the difference from the result of order 2 that the first two stages give.
// A real integrator would have this file and its header in src/solver/integrator/, an entry in
// method.c and in TRM_INTEGRATOR_LIST, and in base/integrators.c the options it does not go with.
#include "unit/cases.h"

#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

enum { STAGES = 3 };
static const double SAFETY = 0.9, MAX_GROWTH = 4, MAX_SHRINK = 0.2;

// ---- the tableau ----

typedef struct tableau {
    double g, c[STAGES], a[STAGES][STAGES];
    double d[STAGES]; // weights of the result minus those of order 2
} tableau;

// g is a root of g^3 - 3 g^2 + 3/2 g - 1/6
static tableau alexander(void)
{
    double g = 0.43586652150845899942, middle = (1 + g) / 2;
    double b[] = {-(6 * g * g - 16 * g + 1) / 4, (6 * g * g - 20 * g + 5) / 4, g};
    double second = (0.5 - g) / (middle - g);
    return (tableau){.g = g,
                     .c = {g, middle, 1},
                     .a = {{g}, {middle - g, g}, {b[0], b[1], b[2]}},
                     .d = {b[0] - (1 - second), b[1] - second, b[2]}};
}

// ---- the method ----

typedef struct sdirk {
    tableau t;
    int size;              // 2 n_q + n_x
    double *slope[STAGES]; // [Q' | V' | X'] of the stages
    double *error;
} sdirk;

static sdirk *sdirk_of(const trm_simulation *s)
{
    return s->state;
}

static bool sdirk_create(trm_simulation *s)
{
    sdirk *m;
    if (!TRMI_TAKE(&s->memory, m, 1))
        return false;
    s->state = m;
    m->t = alexander();
    m->size = 2 * s->e.n_q + s->e.n_x;
    for (int i = 0; i < STAGES; i++)
        if (!TRMI_TAKE(&s->memory, m->slope[i], m->size))
            return false;
    return TRMI_TAKE(&s->memory, m->error, m->size);
}

static trm_status sdirk_begin(trm_simulation *s, double t_end)
{
    s->control.k = 3;
    return trmi_ode_begin(s, t_end, sdirk_of(s)->error);
}

// stage i, its point in corrector.point and its slopes
static trmi_outcome solve_stage(trm_simulation *s, int i, double h)
{
    sdirk *m = sdirk_of(s);
    const trmi_evaluator *e = &s->e;
    const trmi_point from = trmi_past_point(s, 0);
    int n = e->n_q, z = 2 * n + e->n_x;
    double cj = 1 / (h * m->t.g), *y = s->prediction.y;
    double *offset = trmi_scratch_take(&s->scratch, s->history.size);
    for (int k = 0; k < m->size; k++) {
        double psi = from.q[k]; // [q | v | x] of a point are one array
        for (int j = 0; j < i; j++)
            psi += h * m->t.a[i][j] * m->slope[j][k];
        offset[k] = -cj * psi;
    }
    for (int k = 0; k < n; k++)
        y[k] = from.q[k] + m->t.c[i] * h * (from.v[k] + 0.5 * m->t.c[i] * h * s->now.a[k]);
    for (int k = 2 * n; k < z; k++)
        y[k] = from.q[k];
    for (int k = 0; k < e->n_z; k++)
        y[z + k] = from.z[k];
    const trmi_stage stage = {from.t + m->t.c[i] * h, h, {cj, cj}, y, offset, from.lambda, from.v};
    trmi_outcome result = s->method->correct(&s->corrector, &stage);
    for (int k = 0; k < m->size; k++)
        m->slope[i][k] = cj * s->corrector.point.q[k] + offset[k];
    trmi_scratch_release(&s->scratch, offset);
    return result;
}

static trmi_outcome sdirk_attempt(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_outcome result = TRMI_OUTCOME_OK;
    trial->k = 3;
    for (int i = 0; i < STAGES && result == TRMI_OUTCOME_OK; i++)
        result = solve_stage(s, i, trial->h);
    return result == TRMI_OUTCOME_OK ? trmi_project_step(s) : result;
}

static double sdirk_estimate(trm_simulation *s, trmi_step_trial *trial)
{
    const sdirk *m = sdirk_of(s);
    for (int k = 0; k < m->size; k++) {
        m->error[k] = 0;
        for (int i = 0; i < STAGES; i++)
            m->error[k] += trial->h * m->t.d[i] * m->slope[i][k];
    }
    return trmi_weighted_norm(m->error, s->weight, m->size);
}

static double growth_of(double error)
{
    double growth = SAFETY * pow(error + 1e-30, -1.0 / 3);
    return isfinite(growth) ? fmax(MAX_SHRINK, fmin(growth, MAX_GROWTH)) : MAX_SHRINK;
}

static void sdirk_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    s->control.h *= fmin(SAFETY, growth_of(trial->error));
}

static void sdirk_plan(trm_simulation *s, const trmi_step_trial *trial)
{
    s->control.h = trial->h * growth_of(trial->error);
}

static void sdirk_accept(trm_simulation *s, const trmi_step_trial *trial)
{
    const double *last = sdirk_of(s)->slope[STAGES - 1];
    (void)trial;
    memcpy(s->corrector.point.a, last + s->e.n_q, (size_t)s->e.n_q * sizeof *last);
    trmi_measure_residuals(s);
}

// linear, which is enough for output of a short step
static void sdirk_dense(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_point new = trmi_past_point(s, 0), old = trmi_past_point(s, s->history.count > 1);
    double share = new.t > old.t ? (t - old.t) / (new.t - old.t) : 1;
    p->t = t;
    for (int k = 0; k < s->history.size; k++)
        p->q[k] = old.q[k] + share * (new.q[k] - old.q[k]);
    for (int k = 0; k < s->e.n_r; k++)
        p->lambda[k] = old.lambda[k] + share * (new.lambda[k] - old.lambda[k]);
}

static const trmi_method method = {.name = "sdirk",
                                   .order_max = 3,
                                   .tightening = 1,
                                   .implicit = true,
                                   .corrects = true,
                                   .watches_rank = true,
                                   .energy_advice = {"tighten rtol by ten", "tighten rtol by ten"},
                                   .create = sdirk_create,
                                   .begin = sdirk_begin,
                                   .dense = sdirk_dense,
                                   .correct = trmi_correct_nested,
                                   .attempt = sdirk_attempt,
                                   .estimate = sdirk_estimate,
                                   .adapt_to_failure = trmi_adapt_to_failure,
                                   .adapt_to_error = sdirk_adapt_to_error,
                                   .plan = sdirk_plan,
                                   .accept = sdirk_accept};

// ---- tests ----

static trm_simulation *open_pendulum(const trm_system *system, const trm_options *options)
{
    trm_simulation *s;
    trm_error error;
    trm_status status =
        trmi_simulation_create(&s, system, options, &pendulum_start, &method, &error);
    assert_status(status, TRM_OK, &error);
    return s;
}

static trm_options index1_projected(void)
{
    trm_options o = trm_options_default();
    o.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
    return o;
}

// q and v of the pendulum at t = 1 after constant steps
static void final_state(double h, double out[4])
{
    const trm_system system = pendulum(NULL);
    trm_options o = index1_projected();
    o.h_fixed = h;
    trm_simulation *s = open_pendulum(&system, &o);
    assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
    const trm_state *y = trm_simulation_state(s);
    for (int i = 0; i < 2; i++) {
        out[i] = y->q[i];
        out[2 + i] = y->v[i];
    }
    trm_simulation_destroy(s);
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Half the step, an eighth of the error. Differences of three runs: no reference is needed.
static void test_new_integrator_has_order_3(void **state)
{
    (void)state;
    double y[3][4];
    for (int k = 0; k < 3; k++)
        final_state(0.02 / (1 << k), y[k]);
    double order = log2(distance(y[0], y[1]) / distance(y[1], y[2]));
    if (!(order > 2.7 && order < 3.5))
        fail_msg("order %g", order);
}

// The error test keeps the error near the tolerance, and the result on the constraints.
static void test_new_integrator_controls_its_error(void **state)
{
    (void)state;
    double reference[4];
    final_state(0.001, reference);
    const trm_system system = pendulum(NULL);
    trm_options o = index1_projected();
    o.rtol = o.atol = 1e-6;
    trm_simulation *s = open_pendulum(&system, &o);
    assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
    const trm_state *y = trm_simulation_state(s);
    const double final[] = {y->q[0], y->q[1], y->v[0], y->v[1]};
    if (!(distance(final, reference) < 1e-4))
        fail_msg("off by %g", distance(final, reference));
    assert_true(trm_simulation_statistics(s)->steps < 1000);
    assert_true(trm_simulation_statistics(s)->position_residual_max < 1e-8);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_integrator_has_order_3),
        cmocka_unit_test(test_new_integrator_controls_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
