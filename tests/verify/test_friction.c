// SPDX-License-Identifier: Apache-2.0
// Forces that depend on multipliers: friction mu lambda tanh(s/eps) against the sliding speed s.
//
// Block (mass 2) on an inclined plane, y = 0; part kappa lambda of the friction lifts:
//
//     lambda = -m g cos(alpha) / (1 - kappa),  s' = g sin(alpha) + mu lambda/m tanh(s/eps)
//
// Bead (unit mass) on a circle, angle phi from downward, lambda = phi'^2 + g cos(phi) > 0:
//
//     phi'' = -g sin(phi) - mu lambda tanh(phi'/eps)
//
// The friction comes from lambda directly, or from an algebraic variable z = mu lambda.
#include "verify.h"

static const double gravity = 9.81, mu = 0.3;

typedef struct friction {
    bool algebraic; // z = mu lambda
    double eps, kappa;
    double speed; // of the block at the start
} friction;

static double friction_of(const friction *p, const trm_state *state)
{
    return p->algebraic ? state->z[0] : mu * state->lambda[0];
}

static int friction_variable(const trm_state *state, double *b, void *user)
{
    (void)user;
    b[0] = state->z[0] - mu * state->lambda[0];
    return 0;
}

static trm_system system_of(const friction *p, trm_function *mass, trm_function *force,
                            trm_function *constraint, trm_function *constraint_q)
{
    return (trm_system){
        .name = "friction",
        .n_q = 2,
        .n_g = 1,
        .n_z = p->algebraic,
        .function = {[TRM_QUANTITY_MASS] = mass,
                     [TRM_QUANTITY_FORCE] = force,
                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                     [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q,
                     [TRM_QUANTITY_ALGEBRAIC] = p->algebraic ? friction_variable : NULL},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .constant = TRM_BIT(MASS),
        .user = (void *)p};
}

// Exact values at the time of a state, and the errors seen.
typedef struct comparison {
    const friction *friction;
    verify_ode *motion; // of (way or angle, rate)
    void (*place)(const struct comparison *c, double *q, double *v, double *lambda);
    double t, y[2];
    double from;     // errors are taken from this time on
    double error[4]; // q, v, lambda, z
} comparison;

static const char *const quantity_names[] = {"q", "v", "lambda", "z"};

static void compare(trm_simulation *simulation, void *user)
{
    comparison *c = user;
    const trm_state *s = trm_simulation_state(simulation);
    double q[2], v[2], lambda, after, *e = c->error;
    // steps of 1e-4 against rates of mu g/eps = 60: errors of 1e-11
    verify_rk4(c->motion, (void *)c->friction, 2, c->t, s->t, 1e-4, c->y);
    c->t = s->t;
    if (s->t < c->from)
        return;
    c->place(c, q, v, &lambda);
    if (trm_simulation_accelerations(simulation, NULL, &after) != TRM_OK)
        fail_msg("t = %.9g: %s", s->t, trm_simulation_error(simulation)->text);
    e[0] = fmax(e[0], verify_distance(s->q, q, 2));
    e[1] = fmax(e[1], verify_distance(s->v, v, 2));
    e[2] = fmax(e[2], fabs(after - lambda));
    if (c->friction->algebraic)
        e[3] = fmax(e[3], fabs(s->z[0] - mu * lambda));
}

// Largest errors are below `most` tolerances.
static void check(const trm_system *system, const trm_initial *initial, comparison c, double end,
                  double most)
{
    static const trm_formulation formulations[] = {TRM_FORMULATION_CS, TRM_FORMULATION_CM,
                                                   TRM_FORMULATION_GGL, TRM_FORMULATION_GGL_STAR};
    const comparison start = c;
    for (int k = 0; k < 24; k++) {
        const double tol = pow(10.0, -4 - 2 * (k % 3));
        trm_options options = verify_options(tol);
        options.formulation = formulations[k / 3 % 4];
        options.linear_solver = k < 12 ? TRM_SOLVER_DENSE : TRM_SOLVER_SPARSE;
        c = start;
        verify_run run = verify_start(system, initial, &options);
        verify_run_well(run.simulation, end, compare, &c);
        for (int i = 0; i < 4; i++)
            if (!(c.error[i] <= most * tol))
                fail_msg("%s, solver %d, tolerance %g: %g tolerances in %s",
                         verify_formulation(options.formulation), (int)options.linear_solver, tol,
                         c.error[i] / tol, quantity_names[i]);
        verify_close(&run);
    }
}

// ---- block on a plane ----

static const double alpha = 0.5, block_mass = 2.0;

static int mass_of_block(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = block_mass;
    return 0;
}

static int force_on_block(const trm_state *state, double *f, void *user)
{
    const friction *p = user;
    f[0] = block_mass * gravity * sin(alpha) + friction_of(p, state) * tanh(state->v[0] / p->eps);
    f[1] = -block_mass * gravity * cos(alpha) + p->kappa * state->lambda[0];
    return 0;
}

static int plane(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = state->q[1];
    return 0;
}

static int plane_q(const trm_state *state, double *G, void *user)
{
    (void)state, (void)user;
    G[0] = 0.0;
    G[1] = 1.0;
    return 0;
}

static double pressure(const friction *p)
{
    return -block_mass * gravity * cos(alpha) / (1.0 - p->kappa);
}

static void slide(double t, const double *y, double *rate, void *user)
{
    (void)t;
    const friction *p = user;
    rate[0] = y[1];
    rate[1] = gravity * sin(alpha) + mu * pressure(p) / block_mass * tanh(y[1] / p->eps);
}

static void place_block(const comparison *c, double *q, double *v, double *lambda)
{
    q[0] = c->y[0];
    v[0] = c->y[1];
    q[1] = v[1] = 0.0;
    *lambda = pressure(c->friction);
}

// Measured: up to 80 tolerances in v at 1e-8, where the friction sets in.
static void check_block(friction p)
{
    const trm_system system = system_of(&p, mass_of_block, force_on_block, plane, plane_q);
    const double v[] = {p.speed, 0.0};
    const trm_initial initial = {.v = v};
    const comparison c = {
        .friction = &p, .motion = slide, .place = place_block, .y = {0.0, p.speed}};
    check(&system, &initial, c, 1.0, 300.0);
}

// fast: tanh = 1, and the way is v t + g (sin(alpha) - mu cos(alpha)) t^2 / 2
static void test_friction_sliding_block_agrees_with_closed_form(void **state)
{
    (void)state;
    check_block((friction){.eps = 0.05, .speed = 1.0});
}

// at rest the force does not depend on the multiplier yet
static void test_friction_block_from_rest_agrees_with_differential_equation(void **state)
{
    (void)state;
    check_block((friction){.eps = 0.05});
    check_block((friction){.eps = 0.05, .algebraic = true});
}

static void test_friction_lifted_block_agrees_with_differential_equation(void **state)
{
    (void)state;
    check_block((friction){.eps = 0.05, .kappa = 0.3});
    check_block((friction){.eps = 0.05, .kappa = 0.3, .algebraic = true});
}

// ---- bead on a circle ----

static int mass_of_bead(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0;
    return 0;
}

static int force_on_bead(const trm_state *state, double *f, void *user)
{
    const friction *p = user;
    const double *q = state->q, *v = state->v;
    const double along = -friction_of(p, state) * tanh((q[0] * v[1] - q[1] * v[0]) / p->eps);
    f[0] = -q[1] * along;
    f[1] = q[0] * along - gravity;
    return 0;
}

static int ring(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = 0.5 * (state->q[0] * state->q[0] + state->q[1] * state->q[1] - 1.0);
    return 0;
}

static int ring_q(const trm_state *state, double *G, void *user)
{
    (void)user;
    G[0] = state->q[0];
    G[1] = state->q[1];
    return 0;
}

static void swing(double t, const double *y, double *rate, void *user)
{
    (void)t;
    const friction *p = user;
    const double lambda = y[1] * y[1] + gravity * cos(y[0]);
    rate[0] = y[1];
    rate[1] = -gravity * sin(y[0]) - mu * lambda * tanh(y[1] / p->eps);
}

static void place_bead(const comparison *c, double *q, double *v, double *lambda)
{
    const double sine = sin(c->y[0]), cosine = cos(c->y[0]), rate = c->y[1];
    q[0] = sine;
    q[1] = -cosine;
    v[0] = rate * cosine;
    v[1] = rate * sine;
    *lambda = rate * rate + gravity * cosine;
}

// from the angle 1 with the rate 2
static const double bead_q[] = {0.84147098480789651, -0.54030230586813972};
static const double bead_v[] = {1.0806046117362794, 1.6829419696157930};
static const trm_initial bead_initial = {.q = bead_q, .v = bead_v};

static comparison bead_comparison(const friction *p, double from)
{
    return (comparison){
        .friction = p, .motion = swing, .place = place_bead, .y = {1.0, 2.0}, .from = from};
}

// measured 84 tolerances in lambda
static void check_bead(bool algebraic)
{
    const friction p = {.eps = 0.5, .algebraic = algebraic};
    const trm_system system = system_of(&p, mass_of_bead, force_on_bead, ring, ring_q);
    // the first steps have order one, and multipliers there an error of the size of the step, which
    // is the root of the tolerance: z = mu lambda is compared after them
    check(&system, &bead_initial, bead_comparison(&p, 0.1), 2.0, 300.0);
}

static void test_friction_bead_agrees_with_differential_equation(void **state)
{
    (void)state;
    check_bead(false);
}

static void
test_friction_bead_with_algebraic_friction_agrees_with_differential_equation(void **state)
{
    (void)state;
    check_bead(true);
}

// ---- order, for the bead ----

static comparison run_fixed(const trm_system *system, const friction *p, trm_options options,
                            double h)
{
    const double end = 1.0;
    comparison c = bead_comparison(p, 0.5 * end);
    options.h_fixed = h;
    verify_run run = verify_start(system, &bead_initial, &options);
    while (c.t < end - 0.5 * h) { // the end is far away: no step is cut short
        assert_int_equal(trm_simulation_step(run.simulation, 2.0 * end, NULL), TRM_OK);
        compare(run.simulation, &c);
    }
    verify_close(&run);
    return c;
}

static void check_order(bool algebraic)
{
    static const int steps[] = {0, 400, 200, 100, 100, 100};
    const friction p = {.eps = 0.5, .algebraic = algebraic};
    const trm_system system = system_of(&p, mass_of_bead, force_on_bead, ring, ring_q);
    for (int order = 1; order <= 5; order++) {
        trm_options options = verify_options(1e-11);
        options.max_order = order;
        options.newton_iterations = 100;
        const comparison coarse = run_fixed(&system, &p, options, 1.0 / steps[order]);
        const comparison fine = run_fixed(&system, &p, options, 0.5 / steps[order]);
        for (int i = 0; i < (algebraic ? 4 : 3); i++) {
            const double measured = log2(coarse.error[i] / fine.error[i]);
            // with derivatives supplied the deviations are up to 0.15
            if (!(fabs(measured - order) <= 0.2))
                fail_msg("order %d: %.3f in %s (error %g)", order, measured, quantity_names[i],
                         fine.error[i]);
        }
    }
}

static void test_friction_bead_order_is_that_of_bdf(void **state)
{
    (void)state;
    check_order(false);
}

static void test_friction_bead_with_algebraic_friction_order_is_that_of_bdf(void **state)
{
    (void)state;
    check_order(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_sliding_block_agrees_with_closed_form),
        cmocka_unit_test(test_friction_block_from_rest_agrees_with_differential_equation),
        cmocka_unit_test(test_friction_lifted_block_agrees_with_differential_equation),
        cmocka_unit_test(test_friction_bead_agrees_with_differential_equation),
        cmocka_unit_test(
            test_friction_bead_with_algebraic_friction_agrees_with_differential_equation),
        cmocka_unit_test(test_friction_bead_order_is_that_of_bdf),
        cmocka_unit_test(test_friction_bead_with_algebraic_friction_order_is_that_of_bdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
