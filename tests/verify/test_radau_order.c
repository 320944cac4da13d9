// SPDX-License-Identifier: Apache-2.0
// Radau IIA with constant steps has order 2s - 1 in positions, velocities, states and multipliers,
// for every part of the system class: 5 with three stages, 9 with five, 13 with seven. Errors
// against the exact solution where there is one, otherwise against steps eight times shorter, whose
// own error is 8^-5 or less of the one measured.
#include "solver/integrator/simulation.h"

#include "models.h"
#include "radau_coupled.h"
#include "radau_parts.h"
#include "verify.h"

enum { LARGEST = 7 };

// ---- runs ----

// A method: its order, how much longer its steps are than those of three stages, the tolerance of
// Newton (3e-5 to 3e-4 of which are left; gamma formed by differences allows no more), and the
// orders that pass. Coupled: one matrix for all stages in every step but the first.
typedef struct method {
    const char *name;
    trm_integrator integrator;
    trm_formulation formulation;
    int order;
    bool coupled;
    double longer, tol, least, most;
} method;

// measured 4.96 .. 5.08 (index 1: 4.78 .. 5.07) and 8.61 .. 9.44
static const method methods[] = {
    {"three stages", TRM_INTEGRATOR_RADAU, TRM_FORMULATION_CS, 5, false, 1, 1e-9, 4.9, 5.1},
    {"three stages, coupled", TRM_INTEGRATOR_RADAU, TRM_FORMULATION_CS, 5, true, 1, 1e-9, 4.9, 5.1},
    {"three stages, index 1", TRM_INTEGRATOR_RADAU, TRM_FORMULATION_INDEX1_PROJECTED, 5, false, 1,
     1e-7, 4.7, 5.3},
    {"five stages", TRM_INTEGRATOR_RADAU_ADAPTIVE, TRM_FORMULATION_CS, 9, false, 4, 1e-9, 8.3, 12},
};
enum { METHODS = sizeof methods / sizeof *methods };

enum { POSITION, VELOCITY, STATE, ALGEBRAIC, MULTIPLIER, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "x", "z", "lambda"};

typedef struct result {
    double value[QUANTITIES][LARGEST];
    int n[QUANTITIES];
} result;

static trm_options constant_steps(const method *m, double h)
{
    trm_options options = verify_options(m->tol);
    options.integrator = m->integrator;
    options.formulation = m->formulation;
    options.max_order = m->order;
    options.h_fixed = h;
    options.newton_tolerance = 0.0033; // a hundredth of the usual: only the steps' errors show
    return options;
}

static result finish(const method *m, verify_run *run, const trm_system *u, double end)
{
    verify_run_well(run->simulation, end, m->coupled ? keep_coupled : NULL, NULL);
    const trm_state *s = trm_simulation_state(run->simulation);
    result r = {.n = {u->n_q, u->n_q, u->n_x, u->n_z, u->n_g + u->n_a}};
    const double *values[] = {s->q, s->v, s->x, s->z, s->lambda};
    for (int k = 0; k < QUANTITIES; k++)
        memcpy(r.value[k], values[k], (size_t)r.n[k] * sizeof(double));
    verify_close(run);
    return r;
}

static result run(const method *m, const part *p, double h, double end)
{
    trm_options options = constant_steps(m, h);
    verify_run run = verify_start(&p->system, &p->initial, &options);
    return finish(m, &run, &p->system, end);
}

// noise: of the multipliers, where gamma is formed by differences; smaller errors tell no order
static void check_order(const method *m, const char *name, const result *coarse, const result *fine,
                        const result *exact, double noise)
{
    for (int k = 0; k < QUANTITIES; k++) {
        double one = verify_distance(coarse->value[k], exact->value[k], coarse->n[k]);
        double half = verify_distance(fine->value[k], exact->value[k], coarse->n[k]);
        double order = log2(one / half),
               floor = fmax(k == MULTIPLIER ? noise : 1e-12, 1e-2 * m->tol);
        if (coarse->n[k] > 0 && half > floor && !(order > m->least && order < m->most))
            fail_msg("%s, %s: order %.2f in %s (errors %.3g, %.3g)", name, m->name, order,
                     quantity_names[k], one, half);
        if (coarse->n[k] > 0 && !(half < 2e-4))
            fail_msg("%s, %s: error %.3g in %s", name, m->name, half, quantity_names[k]);
    }
}

static void check_against_short_steps(part p, double noise)
{
    for (const method *m = methods; m < methods + METHODS; m++) {
        double h = p.h * m->longer;
        result coarse = run(m, &p, h, 1), fine = run(m, &p, h / 2, 1), exact = run(m, &p, h / 8, 1);
        check_order(m, p.system.name, &coarse, &fine, &exact, noise);
    }
}

static void test_radau_states_and_algebraic_variables_have_full_order(void **state)
{
    (void)state;
    check_against_short_steps(states_and_algebraic(), 2e-8);
}

static void test_radau_algebraic_variables_in_constraints_have_full_order(void **state)
{
    (void)state;
    check_against_short_steps(algebraic_in_constraint(), 1e-7);
}

static void test_radau_multipliers_in_forces_have_full_order(void **state)
{
    (void)state;
    check_against_short_steps(multipliers_in_force(), 2e-8);
}

static void test_radau_rolling_has_full_order(void **state)
{
    (void)state;
    part p = skate();
    const double a = 9.81 / 8, w = 2, end = 1, sine = sin(w * end), cosine = cos(w * end);
    const double q[] = {a * sine * sine, a * (w * end - sine * cosine), w * end};
    const double v[] = {2 * a * w * sine * cosine, 2 * a * w * sine * sine, w};
    for (const method *m = methods; m < methods + METHODS; m++) {
        double h = p.h * m->longer;
        result coarse = run(m, &p, h, end), fine = run(m, &p, h / 2, end), exact = coarse;
        memcpy(exact.value[POSITION], q, sizeof q);
        memcpy(exact.value[VELOCITY], v, sizeof v);
        exact.value[MULTIPLIER][0] = 2 * 9.81 * sine;
        check_order(m, "skate", &coarse, &fine, &exact, 2e-8);
    }
}

static void test_radau_states_with_rolling_have_full_order(void **state)
{
    (void)state;
    check_against_short_steps(pushed_skate(), 2e-8);
}

// Built-in problems with and without time in the constraints, supplied derivatives.
static void check_problem(const char *name, double h, double end)
{
    for (const method *m = methods; m < methods + METHODS; m++) {
        result r[3] = {0};
        const double steps[] = {h * m->longer, h * m->longer / 2, h * m->longer / 8};
        for (int k = 0; k < 3; k++) {
            trm_options options = constant_steps(m, steps[k]);
            verify_run run = verify_open(name, NULL, 0, &options);
            r[k] = finish(m, &run, trp_problem_system(run.problem), end);
        }
        check_order(m, name, &r[0], &r[1], &r[2], 1e-11);
    }
}

// 150 rad/s: a turn takes 42 ms, and on the level of accelerations Newton wants shorter steps.
static void test_radau_heavy_top_has_full_order(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        if (m->formulation == TRM_FORMULATION_INDEX1_PROJECTED)
            continue;
        model_case c;
        model_open(&c, "examples/heavy-top.yaml", NULL);
        result r[3] = {0};
        const double h = 2e-3 * m->longer, steps[] = {h, h / 2, h / 8};
        for (int k = 0; k < 3; k++) {
            trm_options options = constant_steps(m, steps[k]);
            verify_run run = verify_start(c.system, trm_instance_initial(c.instance), &options);
            r[k] = finish(m, &run, c.system, 0.08);
        }
        check_order(m, "heavy top", &r[0], &r[1], &r[2], 1e-6);
        model_close(&c);
    }
}

static void test_radau_pendulum_has_full_order(void **state)
{
    (void)state;
    check_problem("pendulum", 1.0 / 24, 1);
}

static void test_radau_rheonomic_pendulum_has_full_order(void **state)
{
    (void)state;
    check_problem("rheonomic-pendulum", 0.05, 1);
}

static void test_radau_andrews_has_full_order(void **state)
{
    (void)state;
    check_problem("andrews", 0.01 / 48, 0.01);
}

// Errors of seven stages fall into roundoff before steps are short: two steps against three.
static void test_radau_seven_stages_have_order_13(void **state)
{
    (void)state;
    const method m = {.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE, .order = 13, .tol = 1e-11};
    const double steps[] = {2, 3, 48};
    result r[3] = {0};
    for (int k = 0; k < 3; k++) {
        trm_options options = constant_steps(&m, 1 / steps[k]);
        verify_run run = verify_open("rheonomic-pendulum", NULL, 0, &options);
        r[k] = finish(&m, &run, trp_problem_system(run.problem), 1);
    }
    for (int k = 0; k < QUANTITIES; k++) {
        double one = verify_distance(r[0].value[k], r[2].value[k], r[0].n[k]);
        double two = verify_distance(r[1].value[k], r[2].value[k], r[0].n[k]);
        double order = log(one / two) / log(steps[1] / steps[0]);
        // measured 12.5 .. 12.8
        if (r[0].n[k] > 0 && !(order > 12 && order < 13.5))
            fail_msg("order %.2f in %s (errors %.3g, %.3g)", order, quantity_names[k], one, two);
    }
}

// The collocation polynomials have order s + 1 = 4 inside a step.
static void test_radau_dense_output_has_order_4(void **state)
{
    (void)state;
    part p = skate();
    double error[2] = {0};
    for (int k = 0; k < 2; k++) {
        trm_options options = constant_steps(&methods[0], p.h / (1 << k));
        verify_run run = verify_start(&p.system, &p.initial, &options);
        for (double t = 0; t < 0.99;) {
            double from = t, q[3];
            assert_int_equal(trm_simulation_step(run.simulation, 1, &t), TRM_OK);
            for (double at = 0.1; at < 1; at += 0.2) {
                double when = from + at * (t - from), sine = sin(2 * when);
                assert_int_equal(
                    trm_simulation_interpolate(run.simulation, when, q, NULL, NULL, NULL, NULL),
                    TRM_OK);
                error[k] = fmax(error[k], fabs(q[0] - 9.81 / 8 * sine * sine));
            }
        }
        verify_close(&run);
    }
    // measured 4.06
    assert_true(fabs(log2(error[0] / error[1]) - 4) < 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_pendulum_has_full_order),
        cmocka_unit_test(test_radau_rheonomic_pendulum_has_full_order),
        cmocka_unit_test(test_radau_andrews_has_full_order),
        cmocka_unit_test(test_radau_seven_stages_have_order_13),
        cmocka_unit_test(test_radau_states_and_algebraic_variables_have_full_order),
        cmocka_unit_test(test_radau_algebraic_variables_in_constraints_have_full_order),
        cmocka_unit_test(test_radau_multipliers_in_forces_have_full_order),
        cmocka_unit_test(test_radau_rolling_has_full_order),
        cmocka_unit_test(test_radau_states_with_rolling_have_full_order),
        cmocka_unit_test(test_radau_heavy_top_has_full_order),
        cmocka_unit_test(test_radau_dense_output_has_order_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
