// SPDX-License-Identifier: Apache-2.0
// The projection by itself (nearest points, errors, failures), and what it leaves in a simulation:
// the history, samples, checkpoints, refusals.
#include "models.h"
#include "solver/formulation/manifold.h"
#include "solver/integrator/simulation.h"

// ---- a particle on x^2 + y^2 = 1 with masses 4 and 1 ----

typedef struct fixture {
    trmi_memory memory;
    trm_statistics statistics;
    trm_options options;
    trm_system system;
    trmi_evaluator e;
    trmi_values values;
    trmi_saddle saddle;
    trmi_scratch scratch;
    trmi_manifold manifold;
    trmi_point point;
} fixture;

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    (void)user;
    out[0] = 4;
    out[1] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    (void)s;
    (void)user;
    out[0] = 0;
    out[1] = -10;
    return 0;
}

static int circle(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1;
    return 0;
}

static int circle_q(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 2 * s->q[0];
    out[1] = 2 * s->q[1];
    return 0;
}

static trm_system particle(void)
{
    trm_system s = {.name = "particle", .n_q = 2, .n_g = 1};
    s.function[TRM_QUANTITY_MASS] = mass;
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s.function[TRM_QUANTITY_FORCE] = force;
    s.function[TRM_QUANTITY_CONSTRAINT] = circle;
    s.function[TRM_QUANTITY_CONSTRAINT_Q] = circle_q;
    s.pattern[TRM_QUANTITY_CONSTRAINT_T].count = TRM_PATTERN_ZERO;
    return s;
}

static void create(fixture *f, trm_projection_norm norm, trm_projection_method method,
                   const double q[2], const double v[2])
{
    const trm_initial initial = {.q = q, .v = v};
    memset(f, 0, sizeof *f);
    trmi_memory_init(&f->memory, NULL);
    f->options = trm_options_default();
    f->options.projection_norm = norm;
    f->options.projection_method = method;
    f->system = particle();
    assert_int_equal(trmi_evaluator_create(&f->e, &f->values, &f->memory, &f->system, 0, &initial,
                                           &f->statistics, NULL),
                     TRM_OK);
    assert_int_equal(
        trmi_saddle_create(&f->saddle, &f->memory, &f->values, TRM_SOLVER_AUTO, false, NULL),
        TRM_OK);
    assert_true(
        trmi_scratch_create(&f->scratch, &f->memory, trmi_manifold_scratch(&f->e, &f->options)));
    assert_true(trmi_point_create(&f->point, &f->memory, &f->e));
    f->manifold =
        (trmi_manifold){.saddle = &f->saddle, .options = &f->options, .scratch = &f->scratch};
    trmi_point_set(&f->point, &f->e, &initial);
}

static void destroy(fixture *f)
{
    trmi_saddle_destroy(&f->saddle);
    trmi_memory_release_all(&f->memory);
}

// W of each norm at q, up to a factor
static void weights_of(const fixture *f, const double q[2], double w[2])
{
    for (int i = 0; i < 2; i++) {
        const double tolerance = f->options.rtol * fabs(q[i]) + f->options.atol;
        const double choices[] = {i == 0 ? 4 : 1, 1, 1 / (tolerance * tolerance)};
        w[i] = choices[f->options.projection_norm];
    }
}

// the part of W d along the circle at q, relative to |W d|: 0 at the nearest point
static double along(const double w[2], const double d[2], const double q[2])
{
    const double r[] = {w[0] * d[0], w[1] * d[1]};
    return fabs(r[0] * -q[1] + r[1] * q[0]) / hypot(r[0], r[1]);
}

// ---- nearest points ----

static void test_projection_every_norm_finds_nearest_point_and_velocity(void **state)
{
    (void)state;
    const double q[] = {0.6008, 0.8011}, v[] = {0.3, 0.4};
    for (int norm = TRM_PROJECTION_NORM_MASS; norm <= TRM_PROJECTION_NORM_WEIGHTS; norm++)
        for (int method = TRM_PROJECTION_METHOD_EXACT; method <= TRM_PROJECTION_METHOD_FROZEN;
             method++) {
            fixture f;
            double w[2], size;
            create(&f, (trm_projection_norm)norm, (trm_projection_method)method, q, v);
            weights_of(&f, q, w);
            assert_int_equal(trmi_project_onto(&f.manifold, &f.point, NULL), TRM_OK);
            const double *p = f.point.q, *u = f.point.v;
            const double dq[] = {p[0] - q[0], p[1] - q[1]}, dv[] = {u[0] - v[0], u[1] - v[1]};
            // where the iteration stops, 1e-14 (1 + |q|); velocities: roundoff of sums of size 1
            assert_true(fabs(p[0] * p[0] + p[1] * p[1] - 1) <= 2e-14);
            assert_true(fabs(p[0] * u[0] + p[1] * u[1]) <= 1e-15);
            // displacements of 1e-3: exact to their square, otherwise to the first power
            size = method == TRM_PROJECTION_METHOD_EXACT ? 1e-5 : 4e-3;
            assert_true(along(w, dq, p) <= size);
            // linear; frozen: with G at the point before
            assert_true(along(w, dv, p) <= (method == TRM_PROJECTION_METHOD_FROZEN ? 4e-3 : 1e-12));
            destroy(&f);
        }
}

// positions, then velocities: exact and newton two matrices, frozen one
static void test_projection_frozen_takes_one_matrix(void **state)
{
    (void)state;
    const double q[] = {0.6 + 1e-6, 0.8}, v[] = {0.3, 0.4};
    const long expected[] = {2, 2, 1};
    for (int method = TRM_PROJECTION_METHOD_EXACT; method <= TRM_PROJECTION_METHOD_FROZEN;
         method++) {
        fixture f;
        create(&f, TRM_PROJECTION_NORM_MASS, (trm_projection_method)method, q, v);
        assert_int_equal(trmi_project_onto(&f.manifold, &f.point, NULL), TRM_OK);
        // 1e-12 after the first iteration: the second has the matrix anew, unless it is frozen
        assert_int_equal(f.manifold.iterations, 2);
        assert_int_equal(f.statistics.factorizations, expected[method] + (method < 2));
        destroy(&f);
    }
}

// P = I - W^-1 G^T (G W^-1 G^T)^-1 G by hand at (0.6, 0.8): G = (1.2, 1.6), W = (4, 1)
static void test_projection_error_keeps_its_part_along_the_constraint(void **state)
{
    (void)state;
    const double q[] = {0.6, 0.8}, v[] = {0, 0}, ge = 1.2 * 0.5 - 1.6 * 0.25;
    const double gram = 1.2 * 1.2 / 4 + 1.6 * 1.6;
    const double expected[] = {0.5 - 1.2 / 4 * ge / gram, -0.25 - 1.6 * ge / gram};
    double e[] = {0.5, -0.25};
    fixture f;
    create(&f, TRM_PROJECTION_NORM_MASS, TRM_PROJECTION_METHOD_EXACT, q, v);
    assert_int_equal(trmi_project_onto(&f.manifold, &f.point, NULL), TRM_OK);
    for (int pass = 0; pass < 2; pass++) { // a projection: the second changes nothing
        trmi_project_position_error(&f.manifold, e);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(e[i] - expected[i]) <= 1e-15); // roundoff of sums of size 1
    }
    destroy(&f);
}

static void test_projection_lost_rank_is_singular(void **state)
{
    (void)state;
    const double q[] = {0, 0}, v[] = {0, 0};
    fixture f;
    trm_error error;
    create(&f, TRM_PROJECTION_NORM_MASS, TRM_PROJECTION_METHOD_EXACT, q, v);
    assert_int_equal(trmi_project_onto(&f.manifold, &f.point, &error), TRM_ERR_SINGULAR);
    assert_non_null(strstr(error.text, "lose rank"));
    destroy(&f);
}

// from 0.01 the first step overshoots to 50: |g| does not fall
static void test_projection_that_does_not_converge_says_so(void **state)
{
    (void)state;
    const double q[] = {0.01, 0}, v[] = {0, 0};
    fixture f;
    trm_error error;
    create(&f, TRM_PROJECTION_NORM_MASS, TRM_PROJECTION_METHOD_EXACT, q, v);
    assert_int_equal(trmi_project_onto(&f.manifold, &f.point, &error), TRM_ERR_INITIAL);
    assert_non_null(strstr(error.text, "could not be brought onto the constraints"));
    destroy(&f);
}

// ---- in a simulation ----

static const char PENDULUM[] =
    "trammel: 1\n"
    "equations:\n"
    "  coordinates: {x: vx, y: vy}\n"
    "  mass: [1, 1]\n"
    "  force: [0, -10]\n"
    "  constraints: {circle: x^2 + y^2 - 1}\n"
    "  invariants: {energy: (vx^2 + vy^2)/2 + 10*y}\n"
    "initial: {values: {x: 1}}\n"
    "simulate: {end: 3, formulation: index1-projected, tolerance: 1e-6}\n";

static trm_simulation *start(model_case *c, const trm_options *options)
{
    trm_simulation *s;
    trm_error error;
    if (trm_simulation_create(&s, c->system, options, trm_instance_initial(c->instance), &error) !=
        TRM_OK)
        fail_msg("%s", error.text);
    return s;
}

// The points of the history are the states that were accepted, bit for bit, so that the polynomial
// of any order passes through them; that takes rejected steps, too.
static void test_projection_history_holds_projected_points_of_all_orders(void **state)
{
    (void)state;
    enum { KEPT = TRMI_HISTORY_POINTS - 1 };
    for (int order = 1; order <= 5; order++) {
        model_case c;
        double past[KEPT][4];
        model_read(&c, PENDULUM);
        trm_options options = *trm_model_options(c.model);
        options.max_order = order;
        options.h_initial = 0.1; // too long: the first attempts are rejected
        trm_simulation *s = start(&c, &options);
        for (int step = 0; step < 200; step++) {
            assert_int_equal(trm_simulation_step(s, 1e3, NULL), TRM_OK);
            const trm_state *now = trm_simulation_state(s);
            memmove(past[1], past[0], (KEPT - 1) * sizeof *past);
            memcpy(past[0], now->q, sizeof *past / 2);
            memcpy(past[0] + 2, now->v, sizeof *past / 2);
            assert_true(fabs(now->q[0] * now->q[0] + now->q[1] * now->q[1] - 1) <= 1e-13);
            for (int j = 0; j < s->history.points - 1 && j <= step; j++) // the last is scratch
                assert_memory_equal(s->history.y[j], past[j], sizeof *past);
            for (int j = 0; j <= s->statistics.order_last && step > order; j++) {
                double weight[TRMI_HISTORY_POINTS], x = 0;
                trmi_history_weights(&s->history, s->statistics.order_last, s->history.t[j], weight,
                                     NULL);
                for (int i = 0; i <= s->statistics.order_last; i++)
                    x += weight[i] * past[i][0];
                assert_true(x == past[j][0]);
            }
        }
        assert_int_equal(s->statistics.order_last, order);
        assert_true(s->statistics.rejected_error > 0);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Inside a step the polynomial is off the circle; a sample is on it, with the multiplier that
// belongs to it: 2 lambda = v^2 - 10 y. The drifting formulations show their drift.
static void test_projection_samples_are_projected_as_the_formulation_is(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, PENDULUM);
    trm_options options = *trm_model_options(c.model);
    for (int projected = 0; projected < 2; projected++) {
        options.formulation = projected ? TRM_FORMULATION_INDEX1_PROJECTED : TRM_FORMULATION_INDEX1;
        trm_simulation *s = start(&c, &options);
        while (trm_simulation_state(s)->t < 1)
            assert_int_equal(trm_simulation_step(s, 3, NULL), TRM_OK);
        const trm_state *in;
        const double t = 0.5 * (s->history.t[0] + s->history.t[1]);
        assert_int_equal(trm_simulation_sample(s, t, &in), TRM_OK);
        const double *q = in->q, *v = in->v, r2 = q[0] * q[0] + q[1] * q[1];
        const double lambda = (v[0] * v[0] + v[1] * v[1] - 10 * q[1]) / (2 * r2);
        assert_true(fabs(in->lambda[0] - lambda) <= 1e-12); // roundoff of sums of size 30
        if (projected)
            assert_true(fabs(r2 - 1) <= 1e-13);
        else
            assert_true(fabs(r2 - 1) >= 1e-8); // tolerance 1e-6, drift of 1 s
        trm_simulation_destroy(s);
    }
    model_close(&c);
}

static void test_projection_checkpoint_goes_on_bit_for_bit(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, PENDULUM);
    const trm_options *options = trm_model_options(c.model);
    trm_simulation *a = start(&c, options), *b = start(&c, options);
    assert_int_equal(trm_simulation_run(a, 1.5), TRM_OK);
    const size_t size = trm_simulation_save(a, NULL, 0);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    trm_simulation_save(a, bytes, size);
    assert_int_equal(trm_simulation_load(b, bytes, size), TRM_OK);
    assert_int_equal(trm_simulation_run(a, 3), TRM_OK);
    assert_int_equal(trm_simulation_run(b, 3), TRM_OK);
    const trm_state *x = trm_simulation_state(a), *y = trm_simulation_state(b);
    assert_memory_equal(x->q, y->q, 2 * sizeof *x->q);
    assert_memory_equal(x->v, y->v, 2 * sizeof *x->v);
    free(bytes);
    trm_simulation_destroy(a);
    trm_simulation_destroy(b);
    model_close(&c);
}

// From t = 0.5 on G and gamma have the wrong sign: the corrector does not mind, as the multiplier
// changes its sign too; the projection goes the wrong way.
static int turned_q(const trm_state *s, double *out, void *user)
{
    circle_q(s, out, user);
    for (int i = 0; i < 2 && s->t > 0.5; i++)
        out[i] = -out[i];
    return 0;
}

static int turned_gamma(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = (s->t > 0.5 ? -2 : 2) * (s->v[0] * s->v[0] + s->v[1] * s->v[1]);
    return 0;
}

static void test_projection_failure_is_a_convergence_failure(void **state)
{
    (void)state;
    const double q[] = {1, 0};
    const trm_initial initial = {.q = q};
    trm_system system = particle();
    trm_options options = trm_options_default();
    trm_simulation *s;
    options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
    system.function[TRM_QUANTITY_CONSTRAINT_Q] = turned_q;
    system.function[TRM_QUANTITY_GAMMA] = turned_gamma;
    assert_int_equal(trm_simulation_create(&s, &system, &options, &initial, NULL), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_NEWTON);
    assert_true(trm_simulation_statistics(s)->rejected_newton > 3);
    assert_non_null(strstr(trm_simulation_error(s)->text, "projection onto the constraints"));
    // a few steps whose violation is roundoff still pass
    assert_true(trm_simulation_state(s)->t <= 0.51);
    trm_simulation_destroy(s);
}

// Every method that projects keeps the energy of the start, which is 0 as a sum of terms of
// size 10.
static void test_projection_explicit_methods_keep_invariants(void **state)
{
    (void)state;
    for (int k = TRM_INTEGRATOR_BDF; k <= TRM_INTEGRATOR_EXPLICIT; k++) {
        model_case c;
        model_read(&c, PENDULUM);
        trm_options options = *trm_model_options(c.model);
        options.integrator = (trm_integrator)k;
        trm_simulation *s = start(&c, &options);
        assert_int_equal(trm_simulation_run(s, 3), TRM_OK);
        const trm_state *end = trm_simulation_state(s);
        const double v2 = end->v[0] * end->v[0] + end->v[1] * end->v[1];
        assert_true(fabs(0.5 * v2 + 10 * end->q[1]) <= 1e-12);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// ---- sweeps of the manifold with one matrix ----

// the particle beside the circle, with the factors of [M G^T; G 0] there
static void create_factored(fixture *f, const double q[2], const double v[2])
{
    create(f, TRM_PROJECTION_NORM_MASS, TRM_PROJECTION_METHOD_EXACT, q, v);
    const uint64_t want = TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(&f->e);
    assert_int_equal(trmi_evaluate(&f->e, &f->point, want, &f->values), 0);
    assert_int_equal(trmi_saddle_factor_projection(&f->saddle, NULL), TRMI_FACTOR_OK);
}

static void test_manifold_sweep_ends_at_roundoff_or_when_the_next_correction_is_small(void **state)
{
    (void)state;
    const double q[] = {0.61, 0.81}, v[] = {0, 0}, weight[] = {1e6, 1e6};
    trmi_sweeps sweeps = {.max = 50, .roundoff = 1e-14, .want = TRM_BIT(CONSTRAINT)};
    fixture f;
    double residual;
    int corrections, few;
    create_factored(&f, q, v);
    assert_int_equal(trmi_manifold_sweep(&f.manifold, TRMI_POSITIONS, &f.point, &sweeps, &residual,
                                         &corrections),
                     TRMI_OUTCOME_OK);
    assert_true(residual <= 2e-14 && corrections > 3 && corrections < 50);
    destroy(&f);
    // at a tolerance of 1e-6 fewer corrections do
    create_factored(&f, q, v);
    sweeps.enough = 1e-2;
    sweeps.weight = weight;
    assert_int_equal(
        trmi_manifold_sweep(&f.manifold, TRMI_POSITIONS, &f.point, &sweeps, &residual, &few),
        TRMI_OUTCOME_OK);
    assert_true(few < corrections && residual > 1e-14 && residual < 1e-7);
    destroy(&f);
}

static void test_manifold_sweep_without_convergence_fails_only_where_asked(void **state)
{
    (void)state;
    const double q[] = {0.7, 0.9}, v[] = {0, 0}, weight[] = {1e6, 1e6};
    trmi_sweeps sweeps = {
        .min = 1, .max = 2, .enough = 1e-4, .weight = weight, .want = TRM_BIT(CONSTRAINT)};
    fixture f;
    int corrections;
    create_factored(&f, q, v);
    assert_int_equal(
        trmi_manifold_sweep(&f.manifold, TRMI_POSITIONS, &f.point, &sweeps, NULL, &corrections),
        TRMI_OUTCOME_OK);
    assert_int_equal(corrections, 2);
    destroy(&f);
    create_factored(&f, q, v);
    sweeps.too_large = 0.1;
    assert_int_equal(
        trmi_manifold_sweep(&f.manifold, TRMI_POSITIONS, &f.point, &sweeps, NULL, &corrections),
        TRMI_OUTCOME_OFF_CONSTRAINTS);
    assert_int_equal(corrections, 2);
    destroy(&f);
}

// The level is linear in v: one correction leaves roundoff, a second one does not make it smaller.
static void test_manifold_sweep_of_velocities_ends_where_the_residual_stalls(void **state)
{
    (void)state;
    const double q[] = {0.6, 0.8}, v[] = {3, 4};
    const trmi_sweeps sweeps = {.min = 2, .max = 8, .stalled = 0.1};
    fixture f;
    double position, velocity;
    int corrections;
    create_factored(&f, q, v);
    assert_int_equal(
        trmi_manifold_sweep(&f.manifold, TRMI_VELOCITIES, &f.point, &sweeps, NULL, &corrections),
        TRMI_OUTCOME_OK);
    assert_true(corrections >= 2 && corrections <= 3);
    trmi_manifold_residuals(&f.manifold, f.point.v, &position, &velocity);
    assert_true(velocity <= 1e-14 && position <= 1e-15);
    destroy(&f);
}

// ---- the invariant that fails is named ----

// x y, and the square of the speed
static int product_and_speed(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] * s->q[1];
    out[1] = s->v[0] * s->v[0] + s->v[1] * s->v[1];
    return 0;
}

static int product_and_speed_q(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[1];
    out[2] = s->q[0];
    out[1] = out[3] = 0;
    return 0;
}

static int product_and_speed_v(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = out[2] = 0;
    out[1] = 2 * s->v[0];
    out[3] = 2 * s->v[1];
    return 0;
}

static int circle_velocity_q(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 2 * s->v[0];
    out[1] = 2 * s->v[1];
    return 0;
}

// of a particle at (0.6, 0.8) that moves along the circle
static void project_invariants(const char *const *names, double first, double second,
                               trm_error *error)
{
    fixture f;
    trmi_invariants invariants;
    const double q[] = {0.6, 0.8}, v[] = {-0.8, 0.6};
    const trm_initial initial = {.q = q, .v = v};
    memset(&f, 0, sizeof f);
    memset(error, 0, sizeof *error);
    trmi_memory_init(&f.memory, NULL);
    f.system = particle();
    f.system.n_i = 2;
    f.system.i_names = names;
    f.system.function[TRM_QUANTITY_INVARIANT] = product_and_speed;
    f.system.function[TRM_QUANTITY_INVARIANT_Q] = product_and_speed_q;
    f.system.function[TRM_QUANTITY_INVARIANT_V] = product_and_speed_v;
    f.system.function[TRM_QUANTITY_VELOCITY_Q] = circle_velocity_q;
    assert_int_equal(trmi_evaluator_create(&f.e, &f.values, &f.memory, &f.system,
                                           TRMI_INVARIANT_QUANTITIES, &initial, &f.statistics,
                                           NULL),
                     TRM_OK);
    assert_true(trmi_point_create(&f.point, &f.memory, &f.e));
    trmi_point_set(&f.point, &f.e, &initial);
    assert_int_equal(trmi_invariants_create(&invariants, &f.memory, &f.e, error), TRM_OK);
    assert_int_equal(trmi_invariants_keep(&invariants, &f.point, &f.values, error), TRM_OK);
    invariants.target[0] += first;
    invariants.target[1] += second;
    assert_int_equal(trmi_invariants_project(&invariants, &f.point, NULL, &f.values, error),
                     TRM_ERR_INITIAL);
    trmi_memory_release_all(&f.memory);
}

// On the circle x y is at most 1/2, and the square of a speed not negative.
static void test_projection_invariant_out_of_reach_is_named(void **state)
{
    (void)state;
    const char *const names[] = {"product", "speed"};
    trm_error error;
    project_invariants(names, 5, 0, &error);
    assert_string_equal(error.item, "invariant product");
    project_invariants(names, 0, -5, &error);
    assert_string_equal(error.item, "invariant speed");
    project_invariants(NULL, 0, -5, &error);
    assert_string_equal(error.item, "invariant 1");
}

// ---- refusals and warnings ----

static void test_projection_control_classic_is_refused_with_reason(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, PENDULUM);
    for (int k = TRM_FORMULATION_INDEX1_PROJECTED; k <= TRM_FORMULATION_BAUMGARTE; k++) {
        trm_options options = trm_options_default();
        trm_simulation *s;
        trm_error error;
        options.formulation = (trm_formulation)k;
        options.control = TRM_CONTROL_CLASSIC;
        options.baumgarte_alpha = options.baumgarte_beta = 5;
        assert_int_equal(
            trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), &error),
            TRM_ERR_OPTION);
        assert_non_null(strstr(error.text, "control = classic"));
        assert_non_null(strstr(error.advice, "default"));
    }
    model_close(&c);
}

static void collect(trm_log_level level, const char *text, void *user)
{
    if (level == TRM_LOG_WARNING)
        snprintf(user, 200, "%s", text);
}

static void test_projection_other_formulations_ignore_invariants_with_warning(void **state)
{
    (void)state;
    model_case c;
    char said[200] = "";
    model_read(&c, PENDULUM);
    trm_options options = *trm_model_options(c.model);
    options.log = collect;
    options.user = said;
    trm_simulation_destroy(start(&c, &options));
    assert_string_equal(said, "");
    options.formulation = TRM_FORMULATION_CS;
    trm_simulation *s = start(&c, &options);
    assert_non_null(strstr(said, "does not keep invariants"));
    assert_int_equal(trm_simulation_run(s, 1), TRM_OK);
    trm_simulation_destroy(s);
    model_close(&c);
}

static int many_masses(const trm_state *s, double *out, void *user)
{
    (void)s;
    const trm_system *system = user;
    for (int i = 0; i < system->n_q; i++)
        out[i] = 1;
    return 0;
}

static int no_values(const trm_state *s, double *out, void *user)
{
    (void)s;
    const trm_system *system = user;
    memset(out, 0, (size_t)system->n_q * sizeof *out);
    return 0;
}

static int first_speed(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->v[0];
    return 0;
}

static void test_projection_invariants_of_a_large_system_are_refused(void **state)
{
    (void)state;
    trm_system system = {.n_q = TRMI_MAX_INVARIANT_POSITIONS + 1, .n_i = 1, .user = &system};
    const trm_quantity zero[] = {TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_DAMPING};
    trm_options options = trm_options_default();
    trm_simulation *s;
    trm_error error;
    system.function[TRM_QUANTITY_MASS] = many_masses;
    system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    system.function[TRM_QUANTITY_FORCE] = no_values;
    system.function[TRM_QUANTITY_INVARIANT] = first_speed;
    for (int k = 0; k < 2; k++)
        system.pattern[zero[k]].count = TRM_PATTERN_ZERO;
    options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
    assert_int_equal(trm_simulation_create(&s, &system, &options, NULL, &error), TRM_ERR_SYSTEM);
    assert_non_null(strstr(error.text, "at most 500 coordinates; this system has 501"));
    options.formulation = TRM_FORMULATION_CS; // ignores them
    assert_int_equal(trm_simulation_create(&s, &system, &options, NULL, &error), TRM_OK);
    trm_simulation_destroy(s);
}

static void test_projection_invariant_without_motion_is_refused(void **state)
{
    (void)state;
    model_case c;
    const char *set[] = {"equations.invariants.energy=t^2", NULL};
    model_try(&c, PENDULUM, "m.yaml", set);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_non_null(strstr(c.said, "uses neither positions nor velocities"));
    const char *multiplier[] = {"equations.invariants.energy=circle*x", NULL};
    model_try(&c, PENDULUM, "m.yaml", multiplier);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_non_null(strstr(c.said, "invariant 'energy'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_every_norm_finds_nearest_point_and_velocity),
        cmocka_unit_test(test_projection_frozen_takes_one_matrix),
        cmocka_unit_test(test_projection_error_keeps_its_part_along_the_constraint),
        cmocka_unit_test(test_projection_lost_rank_is_singular),
        cmocka_unit_test(test_projection_that_does_not_converge_says_so),
        cmocka_unit_test(test_projection_history_holds_projected_points_of_all_orders),
        cmocka_unit_test(test_projection_samples_are_projected_as_the_formulation_is),
        cmocka_unit_test(test_projection_checkpoint_goes_on_bit_for_bit),
        cmocka_unit_test(test_projection_failure_is_a_convergence_failure),
        cmocka_unit_test(test_projection_explicit_methods_keep_invariants),
        cmocka_unit_test(test_projection_control_classic_is_refused_with_reason),
        cmocka_unit_test(test_manifold_sweep_ends_at_roundoff_or_when_the_next_correction_is_small),
        cmocka_unit_test(test_manifold_sweep_without_convergence_fails_only_where_asked),
        cmocka_unit_test(test_manifold_sweep_of_velocities_ends_where_the_residual_stalls),
        cmocka_unit_test(test_projection_invariant_out_of_reach_is_named),
        cmocka_unit_test(test_projection_other_formulations_ignore_invariants_with_warning),
        cmocka_unit_test(test_projection_invariants_of_a_large_system_are_refused),
        cmocka_unit_test(test_projection_invariant_without_motion_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
