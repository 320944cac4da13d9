// SPDX-License-Identifier: Apache-2.0
// BDF of order k with constant steps has order k, in positions, velocities and multipliers, for
// every formulation and both controls; so have the explicit integrators. Pendulum whose pivot
// stands still or moves as p = a sin(w t): with the angle phi from downward
//
//     phi'' = -g sin(phi) - p'' cos(phi),   q = (p + sin(phi), -cos(phi)),
//     lambda = phi'^2 - p'' sin(phi) + g cos(phi)
//
// is the exact solution, phi by a fine Runge-Kutta method.
#include "verify.h"

// A problem with the numbers of its exact solution.
typedef struct motion {
    const char *problem;
    double a, w, g; // pivot and gravity
    double angle, rate, end;
} motion;

// horizontal at rest; and from the bottom, where the mass rests while the pivot moves with a w
static const motion fixed_pivot = {"pendulum", 0.0, 3.0, 9.81, -1.57079632679489662, 0.0, 1.0};
static const motion moving_pivot = {"rheonomic-pendulum", 0.5, 3.0, 9.81, 0.0, -1.5, 2.0};

enum { POSITION, VELOCITY, MULTIPLIER, MULTIPLIER_AFTER, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "lambda of the state",
                                             "lambda of the accelerations"};

// ---- errors of one run ----

typedef struct comparison {
    const motion *motion;
    double t, y[2]; // exact phi, phi'
    double error[QUANTITIES];
} comparison;

static void swing(double t, const double *y, double *rate, void *user)
{
    const motion *m = user;
    const double pivot_a = -m->a * m->w * m->w * sin(m->w * t);
    rate[0] = y[1];
    rate[1] = -m->g * sin(y[0]) - pivot_a * cos(y[0]);
}

// takes the errors at the present point into the largest so far
static void compare(trm_simulation *simulation, comparison *c)
{
    const trm_state *s = trm_simulation_state(simulation);
    const motion *m = c->motion;
    // steps of 5e-4: errors of 1e-13
    verify_rk4(swing, (void *)m, 2, c->t, s->t, 5e-4, c->y);
    c->t = s->t;
    if (s->t < 0.5 * m->end) // over the second half: no zero crossings matter
        return;
    const double sine = sin(c->y[0]), cosine = cos(c->y[0]), rate = c->y[1];
    const double p = m->a * sin(m->w * s->t), p_v = m->a * m->w * cos(m->w * s->t);
    const double p_a = -m->w * m->w * p;
    const double q[] = {p + sine, -cosine}, v[] = {p_v + rate * cosine, rate * sine};
    const double lambda = rate * rate - p_a * sine + m->g * cosine;
    double after;
    assert_int_equal(trm_simulation_accelerations(simulation, NULL, &after), TRM_OK);
    double *e = c->error;
    e[POSITION] = fmax(e[POSITION], verify_distance(s->q, q, 2));
    e[VELOCITY] = fmax(e[VELOCITY], verify_distance(s->v, v, 2));
    e[MULTIPLIER] = fmax(e[MULTIPLIER], fabs(s->lambda[0] - lambda));
    e[MULTIPLIER_AFTER] = fmax(e[MULTIPLIER_AFTER], fabs(after - lambda));
}

static void run_fixed(const motion *m, const trm_options *options, comparison *c)
{
    *c = (comparison){.motion = m, .y = {m->angle, m->rate}};
    const bool moves = m->a != 0.0;
    verify_run run = verify_open(m->problem, moves ? "a" : NULL, m->a, options);
    while (c->t < m->end - 0.5 * options->h_fixed) { // the end is far away: no step is cut short
        assert_int_equal(trm_simulation_step(run.simulation, 2.0 * m->end, NULL), TRM_OK);
        compare(run.simulation, c);
    }
    // nothing but the constant steps
    const double steps = m->end / options->h_fixed;
    assert_int_equal(trm_simulation_statistics(run.simulation)->steps, lround(steps));
    verify_close(&run);
}

// ---- order ----

// Newton errors must not show. Control default: corrections far below a tolerance of 1e-11. Control
// classic carries the rate of convergence over from step to step and, with constant steps, never
// measures it anew: the factor 1e-4 makes up for that.
static trm_options tight_options(trm_control control, trm_formulation formulation, int order)
{
    const bool classic = control == TRM_CONTROL_CLASSIC;
    trm_options options = verify_options(classic ? 1e-10 : 1e-11);
    options.control = control;
    options.formulation = formulation;
    options.max_order = order;
    options.newton_iterations = 100;
    if (classic)
        options.newton_tolerance = 1e-4;
    return options;
}

static void check_order(const motion *m, trm_control control, trm_formulation formulation,
                        int order)
{
    // fine enough for the asymptotic regime, coarse enough that errors are above 1e-8
    static const int steps[] = {0, 400, 200, 100, 100, 100, 100};
    trm_options options = tight_options(control, formulation, order);
    comparison coarse, fine;
    options.h_fixed = m->end / steps[order];
    run_fixed(m, &options, &coarse);
    options.h_fixed *= 0.5;
    run_fixed(m, &options, &fine);
    for (int i = 0; i < QUANTITIES; i++) {
        const double measured = log2(coarse.error[i] / fine.error[i]);
        // measured deviations are up to 0.10, of the order of h
        if (!(fabs(measured - order) <= 0.15))
            fail_msg("%s, %s, control %d, order %d: %.3f in %s (error %g)", m->problem,
                     verify_formulation(formulation), (int)control, order, measured,
                     quantity_names[i], fine.error[i]);
    }
}

static void check_orders(const motion *m, trm_control control)
{
    static const trm_formulation formulations[] = {
        TRM_FORMULATION_CS,       TRM_FORMULATION_CM,           TRM_FORMULATION_GGL,
        TRM_FORMULATION_GGL_STAR, TRM_FORMULATION_GGL_UNTESTED, TRM_FORMULATION_INDEX1_PROJECTED};
    const int count = control == TRM_CONTROL_DEFAULT ? 6 : 5; // the last has no classic form
    for (int i = 0; i < count; i++)
        for (int order = 1; order <= 6; order++)
            check_order(m, control, formulations[i], order);
}

static void test_order_pendulum_default_is_that_of_bdf(void **state)
{
    (void)state;
    check_orders(&fixed_pivot, TRM_CONTROL_DEFAULT);
}

static void test_order_pendulum_classic_is_that_of_bdf(void **state)
{
    (void)state;
    check_orders(&fixed_pivot, TRM_CONTROL_CLASSIC);
}

static void test_order_rheonomic_default_is_that_of_bdf(void **state)
{
    (void)state;
    check_orders(&moving_pivot, TRM_CONTROL_DEFAULT);
}

static void test_order_rheonomic_classic_is_that_of_bdf(void **state)
{
    (void)state;
    check_orders(&moving_pivot, TRM_CONTROL_CLASSIC);
}

// ---- explicit integrators ----

static void check_explicit_order(const motion *m, trm_integrator integrator, int order, int steps,
                                 double slack)
{
    trm_options options = verify_options(1e-13);
    options.integrator = integrator;
    options.max_order = integrator == TRM_INTEGRATOR_ADAMS ? order : 0;
    comparison coarse, fine;
    options.h_fixed = m->end / steps;
    run_fixed(m, &options, &coarse);
    options.h_fixed *= 0.5;
    run_fixed(m, &options, &fine);
    for (int i = 0; i < QUANTITIES; i++) {
        const double measured = log2(coarse.error[i] / fine.error[i]);
        if (!(fabs(measured - order) <= slack))
            fail_msg("%s, integrator %d, order %d: %.3f in %s (error %g)", m->problem,
                     (int)integrator, order, measured, quantity_names[i], fine.error[i]);
    }
}

// Errors between 1e-2 and 1e-13; measured deviations: 0.06 up to order 6, then 0.32, roundoff.
static void test_order_adams_is_that_of_the_corrector(void **state)
{
    (void)state;
    static const int steps[] = {0, 400, 400, 200, 200, 200, 200, 100, 100};
    for (int order = 1; order <= 8; order++) {
        const double slack = order <= 6 ? 0.15 : 0.4;
        check_explicit_order(&fixed_pivot, TRM_INTEGRATOR_ADAMS, order, steps[order], slack);
        check_explicit_order(&moving_pivot, TRM_INTEGRATOR_ADAMS, order, steps[order], slack);
    }
}

// Little room between instability and roundoff: measured 9.0 to 9.2, 9.8 to 10.5.
static void test_order_adams_9_and_10_are_reached(void **state)
{
    (void)state;
    check_explicit_order(&moving_pivot, TRM_INTEGRATOR_ADAMS, 9, 100, 0.4);
    check_explicit_order(&moving_pivot, TRM_INTEGRATOR_ADAMS, 10, 100, 0.7);
}

// Steps of a tenth of a period: the next power of h shows, measured 7.9 to 8.6.
static void test_order_explicit_is_8(void **state)
{
    (void)state;
    check_explicit_order(&fixed_pivot, TRM_INTEGRATOR_EXPLICIT, 8, 10, 0.7);
    check_explicit_order(&moving_pivot, TRM_INTEGRATOR_EXPLICIT, 8, 20, 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_pendulum_default_is_that_of_bdf),
        cmocka_unit_test(test_order_pendulum_classic_is_that_of_bdf),
        cmocka_unit_test(test_order_rheonomic_default_is_that_of_bdf),
        cmocka_unit_test(test_order_rheonomic_classic_is_that_of_bdf),
        cmocka_unit_test(test_order_adams_is_that_of_the_corrector),
        cmocka_unit_test(test_order_adams_9_and_10_are_reached),
        cmocka_unit_test(test_order_explicit_is_8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
