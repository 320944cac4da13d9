// SPDX-License-Identifier: Apache-2.0
// A simulation as its user sees it: dense output, drivers, several at once, statistics, progress,
// energy, excitations.
#include "fail/fail.h"
#include "problems/problems.h"

static trm_options options_with(trm_control control, trm_formulation formulation, double tol)
{
    trm_options options = trm_options_default();
    options.control = control;
    options.formulation = formulation;
    options.rtol = options.atol = tol;
    return options;
}

// the two controls, and multipliers that are extrapolated
static const struct {
    trm_control control;
    trm_formulation formulation;
} ways[] = {{TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS},
            {TRM_CONTROL_DEFAULT, TRM_FORMULATION_GGL},
            {TRM_CONTROL_CLASSIC, TRM_FORMULATION_CS},
            {TRM_CONTROL_CLASSIC, TRM_FORMULATION_GGL}};
enum { WAYS = sizeof ways / sizeof *ways };

static trm_simulation *pendulum_with(const trm_options *options)
{
    static trm_system system; // borrowed by nobody: the struct is copied
    system = pendulum(NULL);
    return create(&system, options, &pendulum_start);
}

static void run_well(trm_simulation *s, double t)
{
    assert_status(trm_simulation_run(s, t), TRM_OK, trm_simulation_error(s));
}

// largest deviation in q
static double distance(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
}

// ---- dense output ----

static void test_simulation_interpolate_ends_are_the_states(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        trm_options options = options_with(ways[w].control, ways[w].formulation, 1e-6);
        trm_simulation *s = pendulum_with(&options);
        while (trm_simulation_state(s)->t < 1) {
            const trm_state *at = trm_simulation_state(s);
            const double t = at->t, q[] = {at->q[0], at->q[1]}, v[] = {at->v[0], at->v[1]};
            const double lambda = at->lambda[0];
            assert_int_equal(trm_simulation_step(s, 1, NULL), TRM_OK);
            double iq[2], iv[2], il;
            at = trm_simulation_state(s);
            assert_int_equal(trm_simulation_interpolate(s, at->t, iq, iv, NULL, NULL, &il), TRM_OK);
            assert_memory_equal(iq, at->q, sizeof iq);
            assert_memory_equal(iv, at->v, sizeof iv);
            assert_true(il == at->lambda[0]);
            assert_int_equal(trm_simulation_interpolate(s, t, iq, iv, NULL, NULL, &il), TRM_OK);
            assert_memory_equal(iq, q, sizeof iq);
            assert_memory_equal(iv, v, sizeof iv);
            assert_true(il == lambda);
        }
        trm_simulation_destroy(s);
    }
}

// largest error of q and v inside the steps, against a run at 1e-11
static void errors_inside(trm_control control, double tol, double *of_q, double *of_v)
{
    trm_options options = options_with(control, TRM_FORMULATION_CS, tol);
    trm_options tight = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-11);
    trm_simulation *s = pendulum_with(&options), *reference = pendulum_with(&tight);
    *of_q = *of_v = 0;
    for (double t = 0; t < 2;) {
        double before = t;
        assert_int_equal(trm_simulation_step(s, 2, &t), TRM_OK);
        for (int k = 1; k < 4; k++) {
            double at = before + 0.25 * k * (t - before), q[2], v[2], exact_q[2], exact_v[2];
            while (trm_simulation_state(reference)->t < at)
                assert_int_equal(trm_simulation_step(reference, 1e3, NULL), TRM_OK);
            trm_simulation_interpolate(reference, at, exact_q, exact_v, NULL, NULL, NULL);
            assert_int_equal(trm_simulation_interpolate(s, at, q, v, NULL, NULL, NULL), TRM_OK);
            *of_q = fmax(*of_q, distance(q, exact_q));
            *of_v = fmax(*of_v, distance(v, exact_v));
        }
    }
    trm_simulation_destroy(s);
    trm_simulation_destroy(reference);
}

// over two seconds the error is some hundred tolerances at most, and follows the tolerance
static void test_simulation_interpolate_inside_follows_the_tolerance(void **state)
{
    (void)state;
    for (int classic = 0; classic < 2; classic++) {
        double q, v, before_q = HUGE_VAL, before_v = HUGE_VAL;
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
            errors_inside(classic ? TRM_CONTROL_CLASSIC : TRM_CONTROL_DEFAULT, tol, &q, &v);
            if (!(q < 300 * tol && v < 3000 * tol && q < 0.2 * before_q && v < 0.2 * before_v))
                fail_msg("classic %d, tolerance %g: q is off by %g after %g, v by %g after %g",
                         classic, tol, q, before_q, v, before_v);
            before_q = q;
            before_v = v;
        }
    }
}

static void test_simulation_interpolate_outside_is_refused(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL);
    double q[2] = {7, 7};
    // before the first step there is the start only
    assert_int_equal(trm_simulation_interpolate(s, 0, q, NULL, NULL, NULL, NULL), TRM_OK);
    assert_memory_equal(q, pendulum_q, sizeof q);
    assert_int_equal(trm_simulation_interpolate(s, 1e-3, q, NULL, NULL, NULL, NULL), TRM_ERR_RANGE);
    run_well(s, 0.5);
    double h = trm_simulation_statistics(s)->h_last;
    const double outside[] = {0.5 + 1e-6, 0.5 - 1.01 * h, 0, -1, HUGE_VAL, -HUGE_VAL, NAN};
    for (int k = 0; k < 7; k++) {
        double untouched[2] = {7, 7};
        assert_int_equal(
            trm_simulation_interpolate(s, outside[k], untouched, NULL, NULL, NULL, NULL),
            TRM_ERR_RANGE);
        assert_true(untouched[0] == 7 && untouched[1] == 7);
        assert_int_equal(trm_simulation_error(s)->status, TRM_ERR_RANGE);
        assert_contains(trm_simulation_error(s)->text, "outside the last step");
    }
    // every pointer may be left out, and the run goes on
    assert_int_equal(trm_simulation_interpolate(s, 0.5, NULL, NULL, NULL, NULL, NULL), TRM_OK);
    run_well(s, 0.6);
    trm_simulation_destroy(s);
}

// ends closer together than the steps: the way from one state to the next has values
static void test_simulation_interpolate_between_close_ends_is_allowed(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-6);
    trm_simulation *s = pendulum_with(&options);
    for (int k = 1; k <= 300;) {
        const trm_state *at = trm_simulation_state(s);
        const double t = at->t, before[] = {at->q[0], at->q[1]};
        double q[2], reached;
        assert_int_equal(trm_simulation_step(s, k * 0.001, &reached), TRM_OK);
        k += reached == k * 0.001;
        assert_int_equal(trm_simulation_interpolate(s, t, q, NULL, NULL, NULL, NULL), TRM_OK);
        assert_true(distance(q, before) < 1e-5); // both are solutions to a few tolerances
        at = trm_simulation_state(s);
        assert_int_equal(trm_simulation_interpolate(s, at->t, q, NULL, NULL, NULL, NULL), TRM_OK);
        assert_memory_equal(q, at->q, sizeof q);
    }
    trm_simulation_destroy(s);
}

// control classic goes beyond the end: the value there is inside the last step
static void test_simulation_interpolate_classic_reaches_the_end(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_CLASSIC, TRM_FORMULATION_CS, 1e-8);
    trm_simulation *s = pendulum_with(&options);
    double q[2];
    for (int k = 1; k <= 100; k++) {
        if (k * 0.01 < trm_simulation_state(s)->t) // already behind us
            continue;
        run_well(s, k * 0.01);
        assert_true(trm_simulation_state(s)->t >= k * 0.01);
        assert_int_equal(trm_simulation_interpolate(s, k * 0.01, q, NULL, NULL, NULL, NULL),
                         TRM_OK);
        assert_true(fabs(hypot(q[0], q[1]) - 1) < 1e-6); // 100 tolerances
    }
    trm_simulation_destroy(s);
}

// ---- drivers ----

static void assert_same_bits(const trm_simulation *a, const trm_simulation *b)
{
    const trm_state *x = trm_simulation_state(a), *y = trm_simulation_state(b);
    assert_true(x->t == y->t && x->lambda[0] == y->lambda[0]);
    assert_memory_equal(x->q, y->q, 2 * sizeof *x->q);
    assert_memory_equal(x->v, y->v, 2 * sizeof *x->v);
    assert_memory_equal(trm_simulation_statistics(a), trm_simulation_statistics(b),
                        sizeof(trm_statistics));
}

static void test_simulation_steps_and_run_give_the_same_bits(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        trm_options options = options_with(ways[w].control, ways[w].formulation, 1e-6);
        trm_simulation *stepped = pendulum_with(&options), *run = pendulum_with(&options);
        double t = 0;
        while (t < 1)
            assert_int_equal(trm_simulation_step(stepped, 1, &t), TRM_OK);
        run_well(run, 1);
        assert_same_bits(stepped, run);
        trm_simulation_destroy(stepped);
        trm_simulation_destroy(run);
    }
}

// one system, two starts, steps in turn; reading in between
static void test_simulation_two_of_one_system_do_not_meet(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    const double other_q[] = {-0.6, -0.8}, other_v[] = {0, 0};
    const trm_initial starts[] = {pendulum_start, {.q = other_q, .v = other_v}};
    trm_simulation *alone[2], *mixed[2];
    for (int k = 0; k < 2; k++) {
        alone[k] = create(&system, NULL, &starts[k]);
        run_well(alone[k], 1);
        mixed[k] = create(&system, NULL, &starts[k]);
    }
    for (int k = 0; trm_simulation_state(mixed[0])->t < 1 || trm_simulation_state(mixed[1])->t < 1;
         k = !k) {
        double q[2], lambda;
        assert_int_equal(trm_simulation_step(mixed[k], 1, NULL), TRM_OK);
        trm_simulation_interpolate(mixed[k], trm_simulation_state(mixed[k])->t, q, NULL, NULL, NULL,
                                   &lambda);
        trm_simulation_energy(mixed[!k]);
    }
    for (int k = 0; k < 2; k++) {
        assert_same_bits(alone[k], mixed[k]);
        trm_simulation_destroy(alone[k]);
        trm_simulation_destroy(mixed[k]);
    }
}

// 100 tolerances: what a run of this length has anyway
static void test_simulation_two_pieces_end_like_one(void **state)
{
    (void)state;
    const double cuts[] = {0.001, 0.2, 0.37, 0.5, 0.999};
    for (int k = 0; k < 5; k++) {
        trm_options options = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-6);
        trm_simulation *pieces = pendulum_with(&options), *whole = pendulum_with(&options);
        run_well(pieces, cuts[k]);
        assert_true(trm_simulation_state(pieces)->t == cuts[k]);
        run_well(pieces, 1);
        run_well(whole, 1);
        const trm_state *a = trm_simulation_state(pieces), *b = trm_simulation_state(whole);
        assert_true(a->t == 1 && b->t == 1);
        if (!(distance(a->q, b->q) < 1e-4 && distance(a->v, b->v) < 1e-4))
            fail_msg("cut at %g: q is off by %g, v by %g", cuts[k], distance(a->q, b->q),
                     distance(a->v, b->v));
        trm_simulation_destroy(pieces);
        trm_simulation_destroy(whole);
    }
}

static void test_simulation_thousand_outputs_cost_few_steps(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-6);
    trm_options tight = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-11);
    trm_simulation *s = pendulum_with(&options), *straight = pendulum_with(&options);
    trm_simulation *exact = pendulum_with(&tight);
    double worst_q = 0, worst_v = 0;
    for (int k = 1; k <= 1000; k++) {
        double t = k / 200.0, q[2], v[2];
        run_well(s, t);
        const trm_state *at = trm_simulation_state(s);
        assert_true(at->t == t);
        while (trm_simulation_state(exact)->t < t)
            assert_int_equal(trm_simulation_step(exact, 1e3, NULL), TRM_OK);
        trm_simulation_interpolate(exact, t, q, v, NULL, NULL, NULL);
        worst_q = fmax(worst_q, distance(at->q, q));
        worst_v = fmax(worst_v, distance(at->v, v));
        // outputs lie on the constraints, on both levels
        assert_true(fabs(0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1)) < 1e-8);
        assert_true(fabs(at->q[0] * at->v[0] + at->q[1] * at->v[1]) < 1e-7);
    }
    run_well(straight, 5);
    long steps = trm_simulation_statistics(s)->steps;
    long few = trm_simulation_statistics(straight)->steps;
    // 300 tolerances in q: five seconds of a pendulum; v is ten times as large
    if (!(worst_q < 3e-4 && worst_v < 3e-3))
        fail_msg("q is off by %g, v by %g", worst_q, worst_v);
    if (steps > 1000 + few)
        fail_msg("%ld steps for 1000 outputs, %ld without", steps, few);
    trm_simulation_destroy(s);
    trm_simulation_destroy(straight);
    trm_simulation_destroy(exact);
}

// an end just behind the last one is a state like any other, with its own multipliers
static void test_simulation_close_end_has_its_multipliers(void **state)
{
    (void)state;
    trm_options options = options_with(TRM_CONTROL_DEFAULT, TRM_FORMULATION_CS, 1e-6);
    trm_simulation *s = pendulum_with(&options);
    const double ends[] = {0.3, 0.3004, 0.3008, 0.3012, 0.302};
    for (int k = 0; k < 5; k++) {
        double lambda;
        run_well(s, ends[k]);
        assert_int_equal(trm_simulation_accelerations(s, NULL, &lambda), TRM_OK);
        double is = trm_simulation_state(s)->lambda[0];
        // hundred tolerances; at the first end 4e-7
        if (!(fabs(is - lambda) < 1e-4 * fabs(lambda)))
            fail_msg("t = %g: lambda is %.9g instead of %.9g", ends[k], is, lambda);
    }
    trm_simulation_destroy(s);
}

// ---- progress ----

typedef struct watcher {
    int calls, stop_at; // ends the run at this call, 0: never
    double t, t_end;
    long steps;
    bool rising, counting;
} watcher;

static int watch(const trm_progress *p, void *user)
{
    watcher *w = user;
    w->calls++;
    w->rising = w->rising && p->t > w->t && p->t <= p->t_end && p->h > 0 && p->order >= 1;
    w->counting = w->counting && p->steps == w->steps + 1 && p->rejected >= 0;
    w->t = p->t;
    w->t_end = p->t_end;
    w->steps = p->steps;
    return w->calls == w->stop_at ? 5 : 0;
}

static void test_simulation_progress_sees_every_step(void **state)
{
    (void)state;
    watcher w = {.t = 0, .rising = true, .counting = true};
    trm_options options = trm_options_default();
    options.progress = watch;
    options.user = &w;
    trm_simulation *s = pendulum_with(&options);
    run_well(s, 1);
    assert_true(w.rising && w.counting);
    assert_true(w.t == 1 && w.t_end == 1);
    assert_int_equal(w.calls, trm_simulation_statistics(s)->steps);
    trm_simulation_destroy(s);
}

// stopping and going on leaves no trace: the same bits as without
static void test_simulation_progress_stops_and_goes_on(void **state)
{
    (void)state;
    watcher w = {.stop_at = 7, .rising = true, .counting = true};
    trm_options options = trm_options_default();
    trm_simulation *straight = pendulum_with(&options);
    run_well(straight, 1);
    options.progress = watch;
    options.user = &w;
    trm_simulation *s = pendulum_with(&options);
    assert_int_equal(trm_simulation_run(s, 1), TRM_STOP_USER);
    assert_int_equal(trm_simulation_statistics(s)->steps, 7);
    assert_true(trm_simulation_state(s)->t == w.t && w.t < 1);
    run_well(s, 1);
    assert_true(w.rising && w.counting);
    assert_same_bits(s, straight);
    trm_simulation_destroy(s);
    trm_simulation_destroy(straight);
}

// ---- statistics ----

typedef struct extremes {
    double position, velocity;
} extremes;

// a quantity at the present state, by the callback that the system has for it
static void call(const trm_system *system, trm_quantity quantity, const trm_state *at, double *out)
{
    double *want[TRM_QUANTITY_COUNT] = {0};
    want[quantity] = out;
    if (system->evaluates & TRM_BIT_OF(quantity))
        assert_int_equal(system->evaluate(at, want, system->user), 0);
    else if (system->function[quantity])
        assert_int_equal(system->function[quantity](at, out, system->user), 0);
}

// |g| and |G v + g_t| at the present state
static void look(const trm_system *system, const trm_simulation *s, extremes *most)
{
    double g[64], gq[64 * 64], gt[64] = {0};
    const trm_state *at = trm_simulation_state(s);
    call(system, TRM_QUANTITY_CONSTRAINT, at, g);
    call(system, TRM_QUANTITY_CONSTRAINT_Q, at, gq);
    call(system, TRM_QUANTITY_CONSTRAINT_T, at, gt);
    const trm_pattern *p = &system->pattern[TRM_QUANTITY_CONSTRAINT_Q];
    int count = p->count > 0 ? p->count : system->n_g * system->n_q;
    for (int k = 0; k < count; k++)
        gt[p->count > 0 ? p->row[k] : k % system->n_g] +=
            gq[k] * at->v[p->count > 0 ? p->column[k] : k / system->n_g];
    for (int i = 0; i < system->n_g; i++) {
        most->position = fmax(most->position, fabs(g[i]));
        most->velocity = fmax(most->velocity, fabs(gt[i]));
    }
}

static void check_residuals(const char *name, trm_control control, double end)
{
    trp_problem *problem;
    assert_int_equal(trp_problem_create(&problem, name, NULL, NULL), TRM_OK);
    const trm_system *system = trp_problem_system(problem);
    trm_options options = options_with(control, TRM_FORMULATION_CS, 1e-5);
    trm_simulation *s = create(system, &options, trp_problem_initial(problem));
    extremes most = {0};
    for (double t = 0; t < end;) {
        assert_status(trm_simulation_step(s, end, &t), TRM_OK, trm_simulation_error(s));
        look(system, s, &most);
    }
    const trm_statistics *st = trm_simulation_statistics(s);
    // sums in another order: roundoff of v of size 10 (andrews: 1e3)
    double roundoff = strcmp(name, "andrews") ? 1e-14 : 1e-12;
    if (!(fabs(st->position_residual_max - most.position) <= roundoff &&
          fabs(st->velocity_residual_max - most.velocity) <= roundoff))
        fail_msg("%s, control %d: position %.17g is %.17g, velocity %.17g is %.17g", name,
                 (int)control, st->position_residual_max, most.position, st->velocity_residual_max,
                 most.velocity);
    assert_true(st->position_residual_max > 0 && st->velocity_residual_max > 0);
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
}

static void test_simulation_residual_maxima_are_true(void **state)
{
    (void)state;
    const trm_control controls[] = {TRM_CONTROL_DEFAULT, TRM_CONTROL_CLASSIC};
    for (int k = 0; k < 2; k++) {
        check_residuals("pendulum", controls[k], 2);
        check_residuals("rheonomic-pendulum", controls[k], 2);
        check_residuals("andrews", controls[k], 0.005);
        check_residuals("chain", controls[k], 0.3);
    }
}

// the circle three times, in different sizes: the largest row counts, active or not
static int circles(const trm_state *s, double *out, void *user)
{
    pendulum_constraint(s, out, user);
    out[1] = 20 * out[0];
    out[2] = -7 * out[0];
    return 0;
}

// a pendulum and a controller x with a curve z, all derivatives by differences:
//     b = z + 0.3 z^3 - q0 q1 - 0.1 sin t,  g = circle + 0.2 (z - q0 q1)
static int curve(const trm_state *s, double *out, void *user)
{
    (void)user;
    const double z = s->z[0];
    out[0] = z + 0.3 * z * z * z - s->q[0] * s->q[1] - 0.1 * sin(s->t);
    return 0;
}

static int bent_circle(const trm_state *s, double *out, void *user)
{
    pendulum_constraint(s, out, user);
    out[0] += 0.2 * (s->z[0] - s->q[0] * s->q[1]);
    return 0;
}

static int control_rate(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -s->x[0] + s->q[0];
    return 0;
}

static int controlled_force(const trm_state *s, double *out, void *user)
{
    pendulum_force(s, out, user);
    out[0] -= s->x[0] + 3 * s->z[0] * s->z[0] * s->z[0];
    return 0;
}

static trm_system controlled_pendulum(void)
{
    return (trm_system){.n_q = 2,
                        .n_x = 1,
                        .n_z = 1,
                        .n_g = 1,
                        .function = {[TRM_QUANTITY_MASS] = pendulum_mass,
                                     [TRM_QUANTITY_FORCE] = controlled_force,
                                     [TRM_QUANTITY_RATE] = control_rate,
                                     [TRM_QUANTITY_ALGEBRAIC] = curve,
                                     [TRM_QUANTITY_CONSTRAINT] = bent_circle},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}}};
}

// largest |g| that a run shows, and what the statistics say
static void check_position_residual(const trm_system *system)
{
    trm_simulation *s = create(system, NULL, &pendulum_start);
    double most = 0;
    for (double t = 0; t < 1;) {
        double g[3];
        assert_status(trm_simulation_step(s, 1, &t), TRM_OK, trm_simulation_error(s));
        system->function[TRM_QUANTITY_CONSTRAINT](trm_simulation_state(s), g, NULL);
        for (int i = 0; i < system->n_g; i++)
            most = fmax(most, fabs(g[i]));
    }
    double is = trm_simulation_statistics(s)->position_residual_max;
    if (is != most)
        fail_msg("position_residual_max is %.9g, the states show %.9g", is, most);
    trm_simulation_destroy(s);
}

static void test_simulation_residual_maxima_cover_redundant_rows(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    for (int k = TRM_QUANTITY_CONSTRAINT_Q; k < TRM_QUANTITY_COUNT; k++)
        system.function[k] = NULL;
    system.pattern[TRM_QUANTITY_GEOMETRIC].count = TRM_PATTERN_DENSE;
    system.function[TRM_QUANTITY_CONSTRAINT] = circles;
    system.n_g = 3;
    system.g_names = NULL;
    check_position_residual(&system);
}

static void test_simulation_residual_maxima_with_z_are_true(void **state)
{
    (void)state;
    const trm_system system = controlled_pendulum();
    check_position_residual(&system);
}

// whoever looks at a simulation between its steps does not change it
static void test_simulation_reading_leaves_no_trace(void **state)
{
    (void)state;
    const trm_system system = controlled_pendulum();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    trm_simulation *watched = create(&system, NULL, &pendulum_start);
    for (double t = 0; t < 1;) {
        double a[2], lambda;
        assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
        assert_int_equal(trm_simulation_step(watched, 1, NULL), TRM_OK);
        trm_simulation_energy(watched);
        trm_simulation_interpolate(watched, t, a, NULL, NULL, NULL, NULL);
        assert_int_equal(trm_simulation_accelerations(watched, a, &lambda), TRM_OK);
        const trm_state *x = trm_simulation_state(s), *y = trm_simulation_state(watched);
        if (x->t != y->t || distance(x->q, y->q) > 0)
            fail_msg("after step %ld at t = %g: q differs by %g",
                     trm_simulation_statistics(s)->steps, t, distance(x->q, y->q));
    }
    trm_simulation_destroy(s);
    trm_simulation_destroy(watched);
}

// counts the calls of force and mass
typedef struct counts {
    long force, mass;
} counts;

static int counted_force(const trm_state *s, double *out, void *user)
{
    ((counts *)user)->force++;
    return pendulum_force(s, out, NULL);
}

static int counted_mass(const trm_state *s, double *out, void *user)
{
    ((counts *)user)->mass++;
    return pendulum_mass(s, out, NULL);
}

static trm_system counted_pendulum(counts *c)
{
    trm_system system = pendulum(NULL);
    system.user = c;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) // the others want a fault as user
        if (k != TRM_QUANTITY_MASS && k != TRM_QUANTITY_FORCE && k != TRM_QUANTITY_CONSTRAINT)
            system.function[k] = NULL;
    system.function[TRM_QUANTITY_MASS] = counted_mass;
    system.function[TRM_QUANTITY_FORCE] = counted_force;
    return system;
}

static int plain_constraint(const trm_state *s, double *out, void *user)
{
    (void)user;
    return pendulum_constraint(s, out, NULL);
}

static void test_simulation_statistics_add_up(void **state)
{
    (void)state;
    for (int differences = 0; differences < 2; differences++) {
        counts c = {0};
        trm_system system = pendulum(NULL);
        if (differences) {
            system = counted_pendulum(&c);
            system.function[TRM_QUANTITY_CONSTRAINT] = plain_constraint;
            system.constant = TRM_BIT(MASS);
        }
        trm_simulation *s = create(&system, NULL, &pendulum_start);
        const trm_statistics *st = trm_simulation_statistics(s);
        assert_int_equal(st->steps, 0);
        assert_true(st->h_last == 0 && st->position_residual_max == 0);
        double t = 0, before = 0;
        for (long k = 1; t < 1; k++, before = t) {
            assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
            assert_int_equal(st->steps, k);
            assert_true(fabs(st->h_last - (t - before)) < 1e-14);
            assert_in_range(st->order_last, 1, 5);
        }
        long attempts = st->steps + st->rejected_error + st->rejected_newton;
        assert_true(st->newton_iterations >= attempts);
        assert_true(st->residual_evaluations >= st->newton_iterations);
        assert_true(st->solves >= st->newton_iterations);
        // a kept derivative may still mean a new matrix
        assert_true(st->factorizations >= st->jacobian_evaluations + st->jacobian_updates);
        assert_true(st->jacobian_evaluations + st->jacobian_updates >= attempts);
        assert_true(differences ? st->residual_evaluations_for_jacobian > 0
                                : st->residual_evaluations_for_jacobian == 0);
        assert_true(st->rejected_newton == 0 && st->near_singular_steps == 0);
        if (differences) { // forces of the residual and of differences; the mass is constant
            assert_true(c.force >= st->residual_evaluations);
            assert_true(c.force <=
                        st->residual_evaluations + st->residual_evaluations_for_jacobian);
            assert_int_equal(c.mass, 1);
        }
        trm_simulation_destroy(s);
    }
}

// ---- energy, accelerations, excitations ----

static void test_simulation_energy_is_that_of_the_state(void **state)
{
    (void)state;
    trm_simulation *none = pendulum_with(NULL);
    assert_true(isnan(trm_simulation_energy(none)));
    run_well(none, 0.1);
    assert_true(isnan(trm_simulation_energy(none)));
    trm_simulation_destroy(none);
    trp_problem *problem;
    assert_int_equal(trp_problem_create(&problem, "pendulum", NULL, NULL), TRM_OK);
    trm_simulation *s = create(trp_problem_system(problem), NULL, trp_problem_initial(problem));
    for (int k = 0; k < 5; k++) {
        run_well(s, 0.2 * k);
        const trm_state *at = trm_simulation_state(s);
        double should = 0.5 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]) + 9.81 * at->q[1];
        assert_true(fabs(trm_simulation_energy(s) - should) < 1e-14);
        assert_true(fabs(should) < 1e-4); // and it is kept, to hundred tolerances
    }
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
}

// M a + G^T lambda = f, G a + gamma = 0, and the state is left alone
static void test_simulation_accelerations_solve_both_equations(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL), *untouched = pendulum_with(NULL);
    for (int k = 0; k < 5; k++) {
        double a[2], lambda, f[2];
        run_well(s, 0.2 * k);
        run_well(untouched, 0.2 * k);
        const trm_state *at = trm_simulation_state(s);
        assert_int_equal(trm_simulation_accelerations(s, a, &lambda), TRM_OK);
        assert_int_equal(trm_simulation_accelerations(s, NULL, NULL), TRM_OK);
        pendulum_force(at, f, NULL);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(a[i] + at->q[i] * lambda - f[i]) < 1e-12);
        double rest = at->q[0] * a[0] + at->q[1] * a[1] + at->v[0] * at->v[0] + at->v[1] * at->v[1];
        assert_true(fabs(rest) < 1e-12);
        assert_memory_equal(at->q, trm_simulation_state(untouched)->q, 2 * sizeof *at->q);
        assert_memory_equal(at->v, trm_simulation_state(untouched)->v, 2 * sizeof *at->v);
    }
    trm_simulation_destroy(s);
    trm_simulation_destroy(untouched);
}

static int shake(const trm_state *s, double *out, void *user)
{
    (void)user;
    const double all[] = {0.1 * sin(5 * s->t),  s->t, 0.5 * cos(5 * s->t), 1,
                          -2.5 * sin(5 * s->t), 0};
    memcpy(out, all, sizeof all);
    return 0;
}

static int shaken_force(const trm_state *s, double *out, void *user)
{
    pendulum_force(s, out, user);
    out[0] += s->u[0];
    return 0;
}

static void test_simulation_excitations_are_those_of_the_state(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.n_u = 2;
    system.function[TRM_QUANTITY_INPUT] = shake;
    system.function[TRM_QUANTITY_FORCE] = shaken_force;
    for (int classic = 0; classic < 2; classic++) {
        trm_options options = options_with(classic ? TRM_CONTROL_CLASSIC : TRM_CONTROL_DEFAULT,
                                           TRM_FORMULATION_CS, 1e-5);
        trm_simulation *s = create(&system, &options, &pendulum_start);
        for (double t = 0; t < 1;) {
            double should[6];
            const trm_state *at = trm_simulation_state(s);
            shake(at, should, NULL);
            assert_memory_equal(at->u, should, sizeof should);
            assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
        }
        trm_simulation_destroy(s);
    }
    trm_simulation_destroy(NULL); // allowed
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulation_interpolate_ends_are_the_states),
        cmocka_unit_test(test_simulation_interpolate_inside_follows_the_tolerance),
        cmocka_unit_test(test_simulation_interpolate_outside_is_refused),
        cmocka_unit_test(test_simulation_interpolate_between_close_ends_is_allowed),
        cmocka_unit_test(test_simulation_interpolate_classic_reaches_the_end),
        cmocka_unit_test(test_simulation_steps_and_run_give_the_same_bits),
        cmocka_unit_test(test_simulation_two_of_one_system_do_not_meet),
        cmocka_unit_test(test_simulation_two_pieces_end_like_one),
        cmocka_unit_test(test_simulation_thousand_outputs_cost_few_steps),
        cmocka_unit_test(test_simulation_close_end_has_its_multipliers),
        cmocka_unit_test(test_simulation_progress_sees_every_step),
        cmocka_unit_test(test_simulation_progress_stops_and_goes_on),
        cmocka_unit_test(test_simulation_residual_maxima_are_true),
        cmocka_unit_test(test_simulation_residual_maxima_cover_redundant_rows),
        cmocka_unit_test(test_simulation_residual_maxima_with_z_are_true),
        cmocka_unit_test(test_simulation_reading_leaves_no_trace),
        cmocka_unit_test(test_simulation_statistics_add_up),
        cmocka_unit_test(test_simulation_energy_is_that_of_the_state),
        cmocka_unit_test(test_simulation_accelerations_solve_both_equations),
        cmocka_unit_test(test_simulation_excitations_are_those_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
