// SPDX-License-Identifier: Apache-2.0
// Consistent states inside the last step: on the constraints, as accurate as the steps, without a
// trace in the integration.
#include "one_mass.h"
#include "unit/cases.h"

static const trm_state *sample_at(trm_simulation *s, double t)
{
    const trm_state *at = NULL;
    assert_status(trm_simulation_sample(s, t, &at), TRM_OK, trm_simulation_error(s));
    assert_non_null(at);
    return at;
}

static trm_options options_with(trm_control control, double tol)
{
    trm_options options = trm_options_default();
    options.control = control;
    options.rtol = options.atol = tol;
    return options;
}

static trm_simulation *pendulum_with(const trm_options *options, fault *f)
{
    const trm_system system = pendulum(f);
    return create(&system, options, &pendulum_start);
}

// ---- no trace ----

// Three samples in every step, reading energy and state in between: the same bits as without.
static void check_no_trace(const trial *a)
{
    trial_case c = open_trial(a);
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *sampled = create(&c.system, &c.options, &c.initial);
    sample_at(sampled, 0);
    for (double t = 0; t < c.end;) {
        double before = t;
        assert_status(trm_simulation_step(plain, c.end, NULL), TRM_OK, trm_simulation_error(plain));
        assert_status(trm_simulation_step(sampled, c.end, &t), TRM_OK,
                      trm_simulation_error(sampled));
        if (c.options.h_fixed > 0) // several steps at once at the start
            before = t - 0.9 * trm_simulation_statistics(sampled)->h_last;
        for (int k = 0; k <= 3; k++)
            sample_at(sampled, before + k * (t - before) / 3);
        assert_same_run(&c, plain, sampled);
    }
    trm_simulation_destroy(plain);
    trm_simulation_destroy(sampled);
    close_trial(&c);
}

static void test_sample_every_step_leaves_no_trace(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++)
        check_no_trace(&trials[k]);
}

static void test_sample_with_close_ends_leaves_no_trace(void **state)
{
    (void)state;
    trial_case c = open_trial(&trials[0]);
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *sampled = create(&c.system, &c.options, &c.initial);
    for (int k = 1; k <= 200; k++) { // glides among them
        double t = 0.0011 * k;
        assert_int_equal(trm_simulation_run(plain, t), TRM_OK);
        double from = t - 0.5 * trm_simulation_next_step(sampled) * (k > 1);
        for (double reached = 0; reached < t;)
            assert_int_equal(trm_simulation_step(sampled, t, &reached), TRM_OK);
        const trm_state *at;
        trm_simulation_sample(sampled, from, &at); // may lie outside
        const trm_state *now = sample_at(sampled, t);
        assert_true(same_bits(now->q, trm_simulation_state(sampled)->q, c.system.n_q));
        assert_same_run(&c, plain, sampled);
    }
    trm_simulation_destroy(plain);
    trm_simulation_destroy(sampled);
    close_trial(&c);
}

// a sample depends on the state alone, not on samples before it
static void test_sample_is_the_same_whatever_came_before(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        trial_case c = open_trial(&trials[k]);
        trm_simulation *once = create(&c.system, &c.options, &c.initial);
        trm_simulation *often = create(&c.system, &c.options, &c.initial);
        for (int step = 0; step < 20; step++) {
            double t;
            assert_int_equal(trm_simulation_step(once, c.end, NULL), TRM_OK);
            assert_int_equal(trm_simulation_step(often, c.end, &t), TRM_OK);
            sample_at(often, t - 0.2 * trm_simulation_statistics(often)->h_last);
        }
        double t = trm_simulation_state(once)->t - 0.4 * trm_simulation_statistics(once)->h_last;
        const trm_state *x = sample_at(once, t), *y = sample_at(often, t);
        const trm_system *u = &c.system;
        assert_true(same_bits(x->q, y->q, u->n_q) && same_bits(x->v, y->v, u->n_q) &&
                    same_bits(x->a, y->a, u->n_q) && same_bits(x->lambda, y->lambda, u->n_g));
        trm_simulation_destroy(once);
        trm_simulation_destroy(often);
        close_trial(&c);
    }
}

// ---- what it gives ----

// |g|, |G v| and M a + G^T lambda - f, G a + gamma of the pendulum
static void assert_consistent(const trm_state *s)
{
    double g, f[2], gamma;
    pendulum_constraint(s, &g, NULL);
    pendulum_force(s, f, NULL);
    pendulum_gamma(s, &gamma, NULL);
    // projections end at 1e-13 (1 + |q|); then roundoff of numbers of size 6 in v, 40 in f and
    // lambda
    assert_true(fabs(g) < 2e-13);
    assert_true(fabs(s->q[0] * s->v[0] + s->q[1] * s->v[1]) < 4e-15);
    assert_true(fabs(s->q[0] * s->a[0] + s->q[1] * s->a[1] + gamma) < 4e-14);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(s->a[i] + s->q[i] * s->lambda[0] - f[i]) < 4e-14);
}

static void test_sample_inside_is_on_the_constraints(void **state)
{
    (void)state;
    for (int control = 0; control < 2; control++) {
        trm_options options = options_with((trm_control)control, 1e-4);
        trm_simulation *s = pendulum_with(&options, NULL);
        for (double t = 0; t < 2;) {
            double before = t;
            assert_int_equal(trm_simulation_step(s, 2, &t), TRM_OK);
            for (int k = 0; k < 8; k++) {
                const trm_state *at = sample_at(s, before + k * (t - before) / 8);
                assert_true(at->t == before + k * (t - before) / 8);
                assert_consistent(at);
            }
        }
        trm_simulation_destroy(s);
    }
}

// largest errors of q, v, a inside the steps, against a run at 1e-12
static void find_errors(trm_control control, double tol, double error[3])
{
    trm_options options = options_with(control, tol), tight = options_with(0, 1e-12);
    trm_simulation *s = pendulum_with(&options, NULL), *exact = pendulum_with(&tight, NULL);
    error[0] = error[1] = error[2] = 0;
    for (double t = 0; t < 2;) {
        double before = t;
        assert_int_equal(trm_simulation_step(s, 2, &t), TRM_OK);
        for (int k = 1; k < 4; k++) {
            double at = before + 0.25 * k * (t - before);
            while (trm_simulation_state(exact)->t < at)
                assert_int_equal(trm_simulation_step(exact, 1e3, NULL), TRM_OK);
            const trm_state *x = sample_at(s, at), *y = sample_at(exact, at);
            error[0] = fmax(error[0], distance_of(x->q, y->q, 2));
            error[1] = fmax(error[1], distance_of(x->v, y->v, 2));
            error[2] = fmax(error[2], distance_of(x->a, y->a, 2));
        }
    }
    trm_simulation_destroy(s);
    trm_simulation_destroy(exact);
}

// As for interpolated values: over two seconds some hundred tolerances in q, ten times that in v,
// and accelerations are as good as v (their size is ten times as large again).
static void test_sample_error_follows_the_tolerance(void **state)
{
    (void)state;
    for (int control = 0; control < 2; control++) {
        double error[3], last[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        const double factor[] = {300, 3000, 3e4};
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
            find_errors((trm_control)control, tol, error);
            for (int k = 0; k < 3; k++) {
                if (!(error[k] < factor[k] * tol && error[k] < 0.2 * last[k]))
                    fail_msg("control %d, tolerance %g, level %d: off by %g after %g", control, tol,
                             k, error[k], last[k]);
                last[k] = error[k];
            }
        }
    }
}

static void test_sample_at_present_is_the_state_with_its_accelerations(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        trial_case c = open_trial(&trials[k]);
        trm_simulation *s = create(&c.system, &c.options, &c.initial);
        double a[64], lambda[64];
        const trm_system *u = &c.system;
        assert_true(u->n_q <= 64 && u->n_g <= 64);
        for (int step = 0; step <= 5; step++) {
            const trm_state *now = trm_simulation_state(s), *at = sample_at(s, now->t);
            assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
            assert_true(at->t == now->t && same_bits(at->q, now->q, u->n_q) &&
                        same_bits(at->v, now->v, u->n_q) && same_bits(at->x, now->x, u->n_x) &&
                        same_bits(at->z, now->z, u->n_z) && same_bits(at->u, now->u, 3 * u->n_u));
            // the same equations, other pivots: roundoff; gamma by differences is known to 1e-8
            double size = 1 + distance_of(a, (double[64]){0}, u->n_q);
            double size_l = 1 + distance_of(lambda, (double[64]){0}, u->n_g);
            if (distance_of(a, at->a, u->n_q) > 1e-8 * size ||
                distance_of(lambda, at->lambda, u->n_g) > 1e-8 * size_l)
                fail_msg("%s, step %d: a is off by %g", c.name, step,
                         distance_of(a, at->a, u->n_q));
            assert_int_equal(trm_simulation_step(s, c.end, NULL), TRM_OK);
        }
        trm_simulation_destroy(s);
        close_trial(&c);
    }
}

// BDF keeps the multipliers of four points: between steps they are as good as at their ends, where
// they differ from those that belong to the state by its error.
static void test_sample_interpolated_multipliers_are_as_good_as_at_points(void **state)
{
    (void)state;
    const double tolerances[] = {1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 3; k++) {
        trm_options options = options_with(TRM_CONTROL_DEFAULT, tolerances[k]);
        trm_simulation *s = pendulum_with(&options, NULL);
        double inside = 0, at_points = 0, t = 0, lambda, exact, a[2];
        for (int step = 0; step < 300; step++) {
            double before = t;
            assert_int_equal(trm_simulation_step(s, 100, &t), TRM_OK);
            if (step < 20)
                continue;
            double middle = 0.5 * (before + t);
            assert_int_equal(trm_simulation_interpolate(s, middle, NULL, NULL, NULL, NULL, &lambda),
                             TRM_OK);
            inside = fmax(inside, fabs(lambda - sample_at(s, middle)->lambda[0]));
            assert_int_equal(trm_simulation_accelerations(s, a, &exact), TRM_OK);
            at_points = fmax(at_points, fabs(exact - trm_simulation_state(s)->lambda[0]));
        }
        // measured: 1.1, 1.0, 1.1 (through three points: 1.5, 2.1, 9.4)
        if (!(inside <= 3 * at_points) || at_points == 0)
            fail_msg("rtol %g: %g inside of steps, %g at their ends", tolerances[k], inside,
                     at_points);
        trm_simulation_destroy(s);
    }
}

// An end so close that the first step would drown in roundoff is reached by the Taylor series of
// the start, and so is what lies before it.
static void test_sample_after_a_glide_from_the_start_is_taylor(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_DEFAULT, 1e-6);
    trm_simulation *s = pendulum_with(&options, NULL);
    const double end = 1e-9, t = 0.5 * end;
    double a[2];
    memcpy(a, sample_at(s, 0)->a, sizeof a);
    assert_int_equal(trm_simulation_run(s, end), TRM_OK);
    assert_int_equal(trm_simulation_statistics(s)->steps, 0);
    const trm_state *at = sample_at(s, t);
    assert_consistent(at);
    for (int i = 0; i < 2; i++) { // what is left out is below 1e-17: roundoff
        assert_true(fabs(at->q[i] - pendulum_q[i] - t * pendulum_v[i]) < 4e-16);
        assert_true(fabs(at->v[i] - pendulum_v[i] - t * a[i]) < 4e-16);
    }
    trm_simulation_destroy(s);
}

// the first step: beside its ends the Taylor series of the start, not a straight line
static void test_sample_in_the_first_step_knows_the_acceleration(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_DEFAULT, 1e-3);
    trm_simulation *s = pendulum_with(&options, NULL);
    double a[2], h;
    memcpy(a, sample_at(s, 0)->a, sizeof a);
    assert_int_equal(trm_simulation_step(s, 2, &h), TRM_OK);
    const trm_state *at = sample_at(s, 0.1 * h);
    for (int i = 0; i < 2; i++) {
        // a straight line would be off by 0.045 h^2 a; the cubic end correction is 1e-3 h^2 a/2
        double taylor = pendulum_q[i] + 0.1 * h * pendulum_v[i] + 0.005 * h * h * a[i];
        assert_true(fabs(at->q[i] - taylor) < 0.002 * h * h * 40);
    }
    trm_simulation_destroy(s);
}

static void test_sample_dropped_rows_share_their_multipliers(void **state)
{
    (void)state;
    const trm_system system = doubled_pendulum();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 0.3), TRM_OK);
    double t = 0.3 - 0.5 * trm_simulation_statistics(s)->h_last;
    const trm_state *at = sample_at(s, t);
    // rows c and 2c: the shortest multipliers are l (1, 2)/5 with l that of the single circle; G
    // comes from differences with an error of 1e-10
    assert_true(fabs(at->lambda[1] - 2 * at->lambda[0]) < 1e-8 * fabs(at->lambda[0]));
    double f[2];
    pendulum_force(at, f, NULL);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(at->a[i] + at->q[i] * 5 * at->lambda[0] - f[i]) < 1e-7);
    trm_simulation_destroy(s);
}

static void test_sample_excitations_belong_to_its_time(void **state)
{
    (void)state;
    const trm_system system = driven_pendulum();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    for (double t = 0, before = 0; t < 1; before = t) {
        assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
        double middle = 0.5 * (before + t);
        assert_true(sample_at(s, middle)->u[0] == sin(3 * middle));
        assert_true(trm_simulation_state(s)->u[0] == sin(3 * t)); // not disturbed
    }
    trm_simulation_destroy(s);
}

// ---- what it refuses, and what fails inside ----

static void test_sample_outside_is_refused(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL, NULL);
    const trm_state *at = NULL;
    assert_int_equal(trm_simulation_sample(s, 1e-3, &at), TRM_ERR_RANGE);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    double h = trm_simulation_statistics(s)->h_last;
    const double outside[] = {0.5 + 1e-6, 0.5 - 1.01 * h, 0, -1, HUGE_VAL, -HUGE_VAL, NAN};
    for (int k = 0; k < 7; k++) {
        assert_int_equal(trm_simulation_sample(s, outside[k], &at), TRM_ERR_RANGE);
        assert_contains(trm_simulation_error(s)->text, "outside the last step");
        assert_null(at);
    }
    trm_simulation_destroy(s);
}

// The gradient of the constraint cannot be had inside the last step: the polynomial alone, and NaN.
static void test_sample_without_a_projection_is_the_polynomial(void **state)
{
    (void)state;
    fault f = {.quantity = TRM_QUANTITY_CONSTRAINT_Q, .from = 5, .until = 6, .result = -1};
    trm_simulation *s = pendulum_with(NULL, &f);
    assert_int_equal(trm_simulation_run(s, 0.4), TRM_OK);
    double h = trm_simulation_statistics(s)->h_last, t = 0.4 - 0.5 * h, q[2], v[2], lambda;
    f.from = 0.4 - 0.6 * h;
    f.until = 0.4 - 0.4 * h;
    const trm_state *at = sample_at(s, t);
    trm_simulation_interpolate(s, t, q, v, NULL, NULL, &lambda);
    assert_true(same_bits(at->q, q, 2) && same_bits(at->v, v, 2) && at->lambda[0] == lambda);
    assert_true(isnan(at->a[0]) && isnan(at->a[1]));
    assert_consistent(sample_at(s, 0.4 - 0.2 * h)); // beside it all is well
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    trm_simulation_destroy(s);
}

static void test_sample_without_memory_says_so_and_goes_on(void **state)
{
    (void)state;
    supply memory = {0};
    trm_options options = trm_options_default();
    options.allocator = (trm_allocator){take, give, &memory};
    trm_simulation *s = pendulum_with(&options, NULL);
    assert_int_equal(trm_simulation_run(s, 0.2), TRM_OK);
    const long held = memory.held;
    const trm_state *at;
    trm_status status = TRM_ERR_MEMORY;
    for (long n = 1; status != TRM_OK; n++) {
        memory.fail_at = memory.calls + n;
        status = trm_simulation_sample(s, 0.2, &at);
        if (status == TRM_OK)
            break;
        assert_status(status, TRM_ERR_MEMORY, trm_simulation_error(s));
        assert_contains(trm_simulation_error(s)->text, "no memory");
        assert_int_equal(memory.held, held);
    }
    memory.fail_at = 0;
    const long calls = memory.calls;
    assert_consistent(sample_at(s, 0.2 - 0.5 * trm_simulation_statistics(s)->h_last));
    assert_int_equal(memory.calls, calls); // memory is taken by the first call only
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

// ---- the equations against the polynomial ----

static double pulse_at(double t)
{
    return 100 * exp(-pow((t - 5) / 0.01, 2));
}

static int pulse_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = pulse_at(s->t);
    return 0;
}

// A mass at rest, and a pulse that the steps pass over: inside of it the sample has the
// acceleration of the force while the polynomial stays at rest, and in a span of 1 ms the velocity
// would change by F span / m, in tolerances F span / atol (closed form; the slope of the polynomial
// is roundoff). Away from the pulse nothing contradicts.
static void test_sample_contradicts_a_step_over_a_pulse(void **state)
{
    (void)state;
    static const double q = 0, v = 0, span = 1e-3;
    const trm_initial start = {.q = &q, .v = &v};
    const trm_system system = {
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = pulse_force}};
    trm_options options = options_with(TRM_CONTROL_DEFAULT, 1e-6);
    options.integrator = TRM_INTEGRATOR_EXPLICIT;
    trm_simulation *s = create(&system, &options, &start);
    double before = 0, t = 0;
    assert_true(trm_simulation_defect(s, span) == 0); // there is no sample
    while (t < 5.005) {
        before = t;
        assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
    }
    assert_true(before < 4.9 && t > 5.1); // passed over in one step
    assert_true(fabs(sample_at(s, 5.005)->v[0]) < 1e-9);
    assert_true(fabs(trm_simulation_defect(s, span) * options.atol / (span * pulse_at(5.005)) - 1) <
                1e-6);
    sample_at(s, 0.5 * (before + 5));
    assert_true(trm_simulation_defect(s, span) < 1);
    sample_at(s, t);
    assert_true(trm_simulation_defect(s, span) == 0); // the end of the step
    trm_simulation_destroy(s);
}

// Of a smooth motion the polynomial contradicts the equations by no more than the tolerance allows:
// over a step it stays below a thousand tolerances (measured: 19).
static void test_sample_of_a_smooth_step_is_not_contradicted(void **state)
{
    (void)state;
    fault f = {.result = 0};
    const trm_options options = options_with(TRM_CONTROL_DEFAULT, 1e-7);
    trm_simulation *s = pendulum_with(&options, &f);
    double largest = 0;
    for (double t = 0; t < 1;) {
        assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
        double h = trm_simulation_statistics(s)->h_last;
        sample_at(s, t - 0.4 * h);
        largest = fmax(largest, trm_simulation_defect(s, h));
    }
    print_message("largest defect of a step: %.3g tolerances\n", largest);
    assert_true(largest > 0 && largest < 1000);
    trm_simulation_destroy(s);
}

// x = sin(10 t) is prescribed, y'' = -y is free beside it
static int driven_row(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] - sin(10 * s->t);
    return 0;
}

static int driven_row_q(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    out[1] = 0;
    return 0;
}

static int driven_row_t(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -10 * cos(10 * s->t);
    return 0;
}

static int driven_gamma(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 100 * sin(10 * s->t);
    return 0;
}

static int force_beside(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 0;
    out[1] = -s->q[1];
    return 0;
}

static int two_masses(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

// Steps are as long as the free motion allows, more than a period of the prescribed one, whose
// polynomial is then off by all of it: rows are projected, so that is no contradiction. What is
// left is that of the smooth free motion (measured: 0.006; without the projection 3e5).
static void test_sample_prescribed_motion_does_not_contradict(void **state)
{
    (void)state;
    static const double q[] = {0, 1}, v[] = {10, 0};
    const trm_initial start = {.q = q, .v = v};
    const trm_system system = {.n_q = 2,
                               .n_g = 1,
                               .function = {[TRM_QUANTITY_MASS] = two_masses,
                                            [TRM_QUANTITY_FORCE] = force_beside,
                                            [TRM_QUANTITY_CONSTRAINT] = driven_row,
                                            [TRM_QUANTITY_CONSTRAINT_Q] = driven_row_q,
                                            [TRM_QUANTITY_CONSTRAINT_T] = driven_row_t,
                                            [TRM_QUANTITY_GAMMA] = driven_gamma}};
    trm_options options = options_with(TRM_CONTROL_DEFAULT, 1e-7);
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    trm_simulation *s = create(&system, &options, &start);
    double largest = 0, longest = 0;
    for (double t = 0; t < 10;) {
        assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
        double h = trm_simulation_statistics(s)->h_last;
        sample_at(s, t - 0.4 * h);
        largest = fmax(largest, trm_simulation_defect(s, 0.01));
        longest = fmax(longest, h);
    }
    print_message("largest defect beside a prescribed motion: %.3g tolerances\n", largest);
    assert_true(longest > 0.628); // a period
    assert_true(largest > 0 && largest < 1);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_every_step_leaves_no_trace),
        cmocka_unit_test(test_sample_with_close_ends_leaves_no_trace),
        cmocka_unit_test(test_sample_is_the_same_whatever_came_before),
        cmocka_unit_test(test_sample_inside_is_on_the_constraints),
        cmocka_unit_test(test_sample_error_follows_the_tolerance),
        cmocka_unit_test(test_sample_at_present_is_the_state_with_its_accelerations),
        cmocka_unit_test(test_sample_interpolated_multipliers_are_as_good_as_at_points),
        cmocka_unit_test(test_sample_after_a_glide_from_the_start_is_taylor),
        cmocka_unit_test(test_sample_in_the_first_step_knows_the_acceleration),
        cmocka_unit_test(test_sample_dropped_rows_share_their_multipliers),
        cmocka_unit_test(test_sample_excitations_belong_to_its_time),
        cmocka_unit_test(test_sample_outside_is_refused),
        cmocka_unit_test(test_sample_without_a_projection_is_the_polynomial),
        cmocka_unit_test(test_sample_without_memory_says_so_and_goes_on),
        cmocka_unit_test(test_sample_contradicts_a_step_over_a_pulse),
        cmocka_unit_test(test_sample_of_a_smooth_step_is_not_contradicted),
        cmocka_unit_test(test_sample_prescribed_motion_does_not_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
