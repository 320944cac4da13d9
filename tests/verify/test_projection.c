// SPDX-License-Identifier: Apache-2.0
// Index reduction and projection on the pendulum of Eich (1993): x'' = -lambda x, y'' = -lambda y -
// g on the unit circle from (1, 0) at rest, with g so that the period is 2: after 50 periods the
// state is the initial one. Bars: prototype and paper, measured over 33 tolerances; single
// tolerances mean nothing where phase is lost, so errors are compared as geometric means.
#include "verify.h"

#include "solver/integrator/simulation.h"

// Gamma(1/4)^4 / (4 pi), period 2 at an amplitude of 90 degrees
static const double GRAVITY = 13.750371636040745655;
static const double END = 100.0;

// ---- the system ----

// The pivot moves as s = height sin(3 t); forgetful: the projection does not know g_t.
typedef struct pivot {
    double height;
    bool forgetful;
} pivot;

static double pivot_at(const trm_state *s, const void *user, int derivative)
{
    const pivot *p = user;
    const double value[] = {sin(3 * s->t), 3 * cos(3 * s->t), -9 * sin(3 * s->t)};
    return p->height * value[derivative];
}

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    (void)user;
    out[0] = out[1] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    (void)s;
    (void)user;
    out[0] = 0;
    out[1] = -GRAVITY;
    return 0;
}

// (x^2 + (y - s)^2 - 1) / 2
static int circle(const trm_state *s, double *out, void *user)
{
    const double y = s->q[1] - pivot_at(s, user, 0);
    out[0] = 0.5 * (s->q[0] * s->q[0] + y * y - 1);
    return 0;
}

static int circle_q(const trm_state *s, double *out, void *user)
{
    out[0] = s->q[0];
    out[1] = s->q[1] - pivot_at(s, user, 0);
    return 0;
}

static int circle_t(const trm_state *s, double *out, void *user)
{
    const pivot *p = user;
    out[0] = p->forgetful ? 0 : -(s->q[1] - pivot_at(s, user, 0)) * pivot_at(s, user, 1);
    return 0;
}

static int gamma_level(const trm_state *s, double *out, void *user)
{
    const double v = s->v[1] - pivot_at(s, user, 1);
    out[0] = s->v[0] * s->v[0] + v * v - (s->q[1] - pivot_at(s, user, 0)) * pivot_at(s, user, 2);
    return 0;
}

static int geometric(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = out[1] = s->lambda[0];
    return 0;
}

static int velocity_q(const trm_state *s, double *out, void *user)
{
    out[0] = s->v[0];
    out[1] = s->v[1] - pivot_at(s, user, 1);
    return 0;
}

static int energy(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1]) + GRAVITY * s->q[1];
    return 0;
}

static trm_system pendulum(pivot *p)
{
    trm_system s = {.name = "pendulum", .n_q = 2, .n_g = 1, .user = p};
    s.constant = TRM_BIT(MASS) | TRM_BIT(FORCE);
    s.function[TRM_QUANTITY_MASS] = mass;
    s.function[TRM_QUANTITY_FORCE] = force;
    s.function[TRM_QUANTITY_CONSTRAINT] = circle;
    s.function[TRM_QUANTITY_CONSTRAINT_Q] = circle_q;
    s.function[TRM_QUANTITY_CONSTRAINT_T] = circle_t;
    s.function[TRM_QUANTITY_GAMMA] = gamma_level;
    s.function[TRM_QUANTITY_GEOMETRIC] = geometric;
    s.function[TRM_QUANTITY_VELOCITY_Q] = velocity_q;
    s.pattern[TRM_QUANTITY_MASS].count = s.pattern[TRM_QUANTITY_GEOMETRIC].count =
        TRM_PATTERN_DIAGONAL;
    s.pattern[TRM_QUANTITY_STIFFNESS].count = s.pattern[TRM_QUANTITY_DAMPING].count =
        TRM_PATTERN_ZERO;
    return s;
}

// ---- runs ----

typedef struct outcome {
    double q[2], v[2];         // at the end
    double position, velocity; // max |x^2 + Y^2 - 1|, max |x vx + Y (vy - s')| over the steps
    long steps, projected, iterations;
} outcome;

static void watch(trm_simulation *simulation, void *user)
{
    outcome *out = user;
    const trm_state *s = trm_simulation_state(simulation);
    const void *p = simulation->e.user.user;
    const double y = s->q[1] - pivot_at(s, p, 0), w = s->v[1] - pivot_at(s, p, 1);
    out->position = fmax(out->position, fabs(s->q[0] * s->q[0] + y * y - 1));
    out->velocity = fmax(out->velocity, fabs(s->q[0] * s->v[0] + y * w));
}

static outcome run(const trm_system *system, const trm_options *options, double end)
{
    const pivot *p = system->user;
    const double q[] = {1, 0}, v[] = {0, 3 * p->height};
    const trm_initial initial = {.q = q, .v = v};
    outcome out = {0};
    verify_run run = verify_start(system, &initial, options);
    trm_status status = verify_run_to(run.simulation, end, watch, &out);
    // what drifts by 1000 tolerances, or so that velocities contradict it, is reported
    const char *text = trm_simulation_error(run.simulation)->text;
    if (status != TRM_OK &&
        !(status == TRM_UNTRUSTED && (strstr(text, "is violated") || strstr(text, "contradict"))))
        fail_msg("%s", text);
    const trm_state *s = trm_simulation_state(run.simulation);
    memcpy(out.q, s->q, sizeof out.q);
    memcpy(out.v, s->v, sizeof out.v);
    out.steps = trm_simulation_statistics(run.simulation)->steps;
    out.projected = run.simulation->projection.manifold.projected;
    out.iterations = run.simulation->projection.manifold.iterations;
    verify_close(&run);
    return out;
}

static outcome swing(trm_formulation formulation, trm_projection_estimate estimate, double tol)
{
    pivot still = {0};
    const trm_system system = pendulum(&still);
    trm_options options = verify_options(tol);
    options.formulation = formulation;
    options.projection_estimate = estimate;
    options.baumgarte_alpha = options.baumgarte_beta = 1;
    return run(&system, &options, END);
}

// ---- Table 3.1 ----

// Bars of the prototype with iterated Gauss-Newton (it measured 2e-14 and 2e-15), consistency on
// the circle (dx = 1 - sqrt(1 - dy^2) but for roundoff), and iterations (it had 1.5 and 1.0 per
// step).
static void check_residuals(const outcome *with, double tol)
{
    assert_true(with->position <= 1e-13);
    assert_true(with->velocity <= 1e-14);
    assert_true(fabs(fabs(with->q[0] - 1) - (1 - sqrt(1 - with->q[1] * with->q[1]))) <= 1e-13);
    const double iterations = (double)with->iterations / (double)with->projected;
    assert_true(iterations <= (tol > 5e-6 ? 1.6 : 1.1));
}

static void test_projection_pendulum_stays_on_the_circle(void **state)
{
    (void)state;
    for (int k = 5; k <= 9; k++) {
        const double tol = pow(10, -k);
        const outcome raw =
            swing(TRM_FORMULATION_INDEX1_PROJECTED, TRM_PROJECTION_ESTIMATE_RAW, tol);
        const outcome p =
            swing(TRM_FORMULATION_INDEX1_PROJECTED, TRM_PROJECTION_ESTIMATE_PROJECTED, tol);
        const outcome without = swing(TRM_FORMULATION_INDEX1, TRM_PROJECTION_ESTIMATE_RAW, tol);
        print_message("1e-%d: dvy %.1e raw, %.1e projected, %.1e without; residual %.1e, %.1e "
                      "without; steps %ld, %ld, %ld; iterations %.2f\n",
                      k, fabs(raw.v[1]), fabs(p.v[1]), fabs(without.v[1]), raw.position,
                      without.position, raw.steps, p.steps, without.steps,
                      (double)raw.iterations / (double)raw.projected);
        check_residuals(&raw, tol);
        check_residuals(&p, tol);
        // the prototype drifted by 1e3 to 1e5 tolerances, the paper's code by 2e2 to 3e4
        assert_true(fabs(without.q[0] * without.q[0] + without.q[1] * without.q[1] - 1) >=
                    100 * tol);
        // prototype: at least 452
        assert_true(fabs(without.q[0] - 1) >= 50 * fabs(raw.q[0] - 1));
        // prototype: 0.90 to 1.04
        const double share = (double)raw.steps / (double)without.steps;
        assert_true(share >= 0.85 && share <= 1.10);
        // prototype: at most 6.5e4 and 2.1e5 tolerances
        if (k >= 6)
            assert_true(fabs(raw.v[1]) <= 2e5 * tol && fabs(p.v[1]) <= 5e5 * tol);
    }
}

// 13 tolerances from 1e-6 to 1e-9. The prototype gained 13 to 111 per decade with the raw estimate,
// 2.9 to 37 with the projected one; the bars are those of the issue and of the specification.
static void test_projection_pendulum_ensemble_gains_accuracy(void **state)
{
    (void)state;
    double raw_gain = 0, projected_gain = 0, steps = 0;
    const int count = 13;
    for (int j = 0; j < count; j++) {
        const double tol = pow(10, -6 - 0.25 * j);
        const outcome without = swing(TRM_FORMULATION_INDEX1, TRM_PROJECTION_ESTIMATE_RAW, tol);
        const outcome raw =
            swing(TRM_FORMULATION_INDEX1_PROJECTED, TRM_PROJECTION_ESTIMATE_RAW, tol);
        const outcome p =
            swing(TRM_FORMULATION_INDEX1_PROJECTED, TRM_PROJECTION_ESTIMATE_PROJECTED, tol);
        raw_gain += log(fabs(without.v[1]) / fabs(raw.v[1])) / count;
        projected_gain += log(fabs(without.v[1]) / fabs(p.v[1])) / count;
        steps += log((double)p.steps / (double)raw.steps) / count;
    }
    print_message("gain %.1f raw, %.1f projected; steps of the projected estimate %.2f\n",
                  exp(raw_gain), exp(projected_gain), exp(steps));
    assert_true(exp(raw_gain) >= 5);
    assert_true(exp(projected_gain) >= 2);
    // the projected estimate saves 7 to 10 % of the steps there; here it must save some
    assert_true(exp(steps) < 0.97);
}

// ---- other formulations ----

// What each keeps and what it loses: dvy, max |x^2+y^2-1| and max |x vx + y vy| at 1e-8 of the
// prototype, with a factor 30 for another step control; the levels that hold, to roundoff times h.
static void test_projection_other_formulations_drift_as_they_must(void **state)
{
    (void)state;
    static const struct {
        trm_formulation formulation;
        double dvy, position_min, position_max, velocity_min, velocity_max;
    } cases[] = {
        {TRM_FORMULATION_INDEX1, 1.9e-2, 1e-5, 1e-2, 1e-7, 1e-4},
        {TRM_FORMULATION_INDEX2, 1.8e-3, 1e-7, 1e-4, 0, 1e-9},
        {TRM_FORMULATION_INDEX3, 2.6e-1, 0, 1e-12, 1e-9, 1e-2},
        {TRM_FORMULATION_BAUMGARTE, 2.0e-3, 1e-9, 1e-5, 1e-9, 1e-5},
    };
    for (int k = 0; k < 4; k++) {
        const outcome out = swing(cases[k].formulation, TRM_PROJECTION_ESTIMATE_RAW, 1e-8);
        print_message("%s: dvy %.1e, %.1e, %.1e\n", verify_formulation(cases[k].formulation),
                      fabs(out.v[1]), out.position, out.velocity);
        assert_true(fabs(out.v[1]) <= 30 * cases[k].dvy);
        assert_true(out.position >= cases[k].position_min);
        assert_true(out.position <= cases[k].position_max);
        assert_true(out.velocity >= cases[k].velocity_min);
        assert_true(out.velocity <= cases[k].velocity_max);
    }
}

// ---- norms and iterations ----

static void test_projection_every_norm_and_method_stays_on_the_circle(void **state)
{
    (void)state;
    pivot still = {0};
    const trm_system system = pendulum(&still);
    for (int norm = TRM_PROJECTION_NORM_MASS; norm <= TRM_PROJECTION_NORM_WEIGHTS; norm++)
        for (int method = TRM_PROJECTION_METHOD_EXACT; method <= TRM_PROJECTION_METHOD_FROZEN;
             method++)
            for (int solver = TRM_SOLVER_DENSE; solver <= TRM_SOLVER_SPARSE; solver++) {
                trm_options options = verify_options(1e-6);
                options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
                options.projection_norm = (trm_projection_norm)norm;
                options.projection_method = (trm_projection_method)method;
                options.linear_solver = (trm_solver)solver;
                const outcome out = run(&system, &options, END);
                // as above; dvy: bar of the issue for the raw estimate
                assert_true(out.position <= 1e-13 && out.velocity <= 1e-14);
                assert_true(fabs(out.v[1]) <= 2e5 * 1e-6);
            }
}

// ---- invariants ----

// Bar of the issue; the prototype had 760 and 1400 tolerances at 1e-6 and 1e-8.
static void test_projection_energy_keeps_the_phase(void **state)
{
    (void)state;
    pivot still = {0};
    trm_system system = pendulum(&still);
    system.n_i = 1;
    system.function[TRM_QUANTITY_INVARIANT] = energy; // its derivatives by differences
    for (int k = 5; k <= 9; k++) {
        const double tol = pow(10, -k);
        trm_options options = verify_options(tol);
        options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
        const outcome out = run(&system, &options, END);
        const trm_state end = {.q = out.q, .v = out.v};
        double value;
        energy(&end, &value, NULL);
        print_message("1e-%d: dvy %.1e, energy %.1e\n", k, fabs(out.v[1]), fabs(value));
        assert_true(fabs(out.v[1]) <= 1e4 * tol);
        // the energy of the start is 0; sums of size 14 with roundoff
        assert_true(fabs(value) <= 1e-12);
        assert_true(out.position <= 1e-13);
    }
}

// ---- moving pivot ----

// phi'' = -(g + s'') sin(phi), phi from downward: the exact motion, by a fine Runge-Kutta method
static void swing_angle(double t, const double *y, double *rate, void *user)
{
    const pivot *p = user;
    rate[0] = y[1];
    rate[1] = -(GRAVITY - 9 * p->height * sin(3 * t)) * sin(y[0]);
}

static double pivot_error(const outcome *out, pivot *p, double end)
{
    double y[] = {1.57079632679489662, 0};
    // steps of 2e-4: errors of 1e-12
    verify_rk4(swing_angle, p, 2, 0, end, 2e-4, y);
    const double q[] = {sin(y[0]), p->height * sin(3 * end) - cos(y[0])};
    return verify_distance(out->q, q, 2);
}

// Bars of the issue; the prototype had errors of at most 7.7e3 tolerances.
static void test_projection_moving_pivot_follows_the_exact_motion(void **state)
{
    (void)state;
    pivot moving = {.height = 0.2};
    const trm_system system = pendulum(&moving);
    for (int k = 7; k <= 9; k++)
        for (int estimate = TRM_PROJECTION_ESTIMATE_RAW;
             estimate <= TRM_PROJECTION_ESTIMATE_PROJECTED; estimate++) {
            const double tol = pow(10, -k);
            trm_options options = verify_options(tol);
            options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
            options.projection_estimate = (trm_projection_estimate)estimate;
            const outcome out = run(&system, &options, 20);
            const double error = pivot_error(&out, &moving, 20);
            print_message("1e-%d: error %.1e, residuals %.1e, %.1e\n", k, error, out.position,
                          out.velocity);
            assert_true(error <= 3e4 * tol);
            // 1e-14 in the constraint itself, which is half of what is watched
            assert_true(0.5 * out.position <= 1e-14 && out.velocity <= 1e-14);
        }
}

// The mutant holds the velocities against a pivot at rest: its positions are as good as ever, and
// it does not get through the test above. The raw estimate notices and takes ever shorter steps.
static void test_projection_without_g_t_does_not_pass(void **state)
{
    (void)state;
    pivot forgetful = {.height = 0.2, .forgetful = true};
    const trm_system system = pendulum(&forgetful);
    const double q[] = {1, 0}, v[] = {0, 0.6};
    const trm_initial initial = {.q = q, .v = v};
    for (int estimate = TRM_PROJECTION_ESTIMATE_RAW; estimate <= TRM_PROJECTION_ESTIMATE_PROJECTED;
         estimate++) {
        trm_options options = verify_options(1e-7);
        options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
        options.projection_estimate = (trm_projection_estimate)estimate;
        options.max_steps = 20000; // the right system takes 2500
        outcome out = {0};
        verify_run run = verify_start(&system, &initial, &options);
        const trm_status status = verify_run_to(run.simulation, 20, watch, &out);
        memcpy(out.q, trm_simulation_state(run.simulation)->q, sizeof out.q);
        print_message("%s, residuals %.1e, %.1e\n", trm_status_name(status), out.position,
                      out.velocity);
        assert_true(out.position <= 1e-13);
        assert_true(out.velocity > 1e-6); // the right one has 1e-15
        assert_true(status != TRM_OK || pivot_error(&out, &forgetful, 20) > 0.1);
        verify_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_pendulum_stays_on_the_circle),
        cmocka_unit_test(test_projection_pendulum_ensemble_gains_accuracy),
        cmocka_unit_test(test_projection_other_formulations_drift_as_they_must),
        cmocka_unit_test(test_projection_every_norm_and_method_stays_on_the_circle),
        cmocka_unit_test(test_projection_energy_keeps_the_phase),
        cmocka_unit_test(test_projection_moving_pivot_follows_the_exact_motion),
        cmocka_unit_test(test_projection_without_g_t_does_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
