// SPDX-License-Identifier: Apache-2.0
// Equation models: every quantity of the system class from formulas, against differences and closed
// forms; patterns; elimination of algebraic variables from constraints; size.
#include "modelling/reader/equations/equations.h"
#include "models.h"

// Everything at once. Closed forms of its parts stand in the tests below.
static const char whole[] =
    "trammel: 1\n"
    "parameters: {m: 2, k: 3, unit: \"m - 1\"}\n"
    "equations:\n"
    "  inputs: {drive: \"sin(2*t)\"}\n"
    "  define: {reach: \"sqrt(x^2 + y^2 + unit)\", pull: \"k*(reach - 1)\"}\n"
    "  coordinates: {x: vx, y: vy, phi: om}\n"
    "  mass:\n"
    "    - [\"m\", \"sin(phi)\", 0]\n"
    "    - [\"sin(phi)\", \"m + cos(phi)^2\", 0]\n"
    "    - [0, 0, \"1 + t^2\"]\n"
    "  force:\n"
    "    - \"-pull*x + current*s - 0.2*normal\"\n"
    "    - \"-pull*y - vy^3 + w\"\n"
    "    - \"drive*om - track*phi\"\n"
    "  states: {current: \"(drive - current - vx*om)/2 + normal*s\"}\n"
    "  algebraic: {s: \"s^3 + s - x*current + t\", w: \"exp(w) - y - 0.1*vy - track\"}\n"
    "  constraints: {normal: \"x^2/2 + y*cos(phi) - drive\", flat: \"phi - t*y\"}\n"
    "  velocity_constraints: {track: \"sin(phi)*vx - cos(phi)*vy + x*om - 0.5*cos(t)*y\"}\n"
    "  energy: {potential: \"k*reach + s\"}\n"
    "initial: {values: {x: 1, y: 0.5, phi: 0.3, current: 0.2, w: 0.1}}\n"
    "simulate: {end: 1}\n"
    "outputs:\n"
    "  thrust: \"m*a(x) + sin(phi)*a(y)\"\n"
    "  push: \"2*normal + track + a(phi)*t\"\n";

enum { X, Y, PHI };                   // coordinates
enum { NORMAL, FLAT, TRACK };         // multipliers
enum { STATES = 5 };                  // tested per model
static const double ROUNDOFF = 1e-13; // a few dozen operations on numbers of order 1

static model_point point_of(const model_case *c, int seed)
{
    return model_near(c->system, trm_instance_initial(c->instance), 0.4, (uint64_t)seed);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= ROUNDOFF * (1 + fabs(expected))))
        fail_msg("%.17g instead of %.17g", value, expected);
}

// 1e-6: two-sided differences have 1e-8 to 1e-10
static void check_by_differences(const model_case *c, int quantities)
{
    for (int seed = 1; seed <= STATES; seed++) {
        const model_point p = point_of(c, seed);
        const trm_state state = model_view(&p);
        trm_derivative_report report;
        trm_error error;
        if (trm_system_check_derivatives(c->system, &state, 1e-6, &report, &error) != TRM_OK)
            fail_msg("%s", error.text);
        assert_int_equal(report.quantities, quantities);
    }
}

// ---- derivatives ----

// 22 derivatives has the class, all of them claimed here: supplied or declared zero
static void test_equations_whole_model_agrees_with_differences(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    check_by_differences(&c, 22);
    model_close(&c);
}

static void test_equations_mass_and_forces_equal_closed_forms(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    const model_point p = point_of(&c, 7);
    const trm_system *s = c.system;
    const double *q = p.q, *v = p.v, m = 2, k = 3, reach = sqrt(q[X] * q[X] + q[Y] * q[Y] + 1);
    // the formulas of the text, by hand
    assert_near(model_value(s, TRM_QUANTITY_MASS, &p, X, X), m);
    assert_near(model_value(s, TRM_QUANTITY_MASS, &p, X, Y), sin(q[PHI]));
    assert_near(model_value(s, TRM_QUANTITY_MASS, &p, Y, X), sin(q[PHI]));
    assert_near(model_value(s, TRM_QUANTITY_MASS, &p, Y, Y), m + cos(q[PHI]) * cos(q[PHI]));
    assert_near(model_value(s, TRM_QUANTITY_MASS, &p, PHI, PHI), 1 + p.t * p.t);
    assert_near(model_value(s, TRM_QUANTITY_FORCE, &p, X, 0),
                -k * (reach - 1) * q[X] + p.x[0] * p.z[0] - 0.2 * p.lambda[NORMAL]);
    assert_near(model_value(s, TRM_QUANTITY_FORCE, &p, PHI, 0),
                sin(2 * p.t) * v[PHI] - p.lambda[TRACK] * q[PHI]);
    // E = v^T M v / 2 + V
    const double kinetic =
        (m * v[X] * v[X] + 2 * sin(q[PHI]) * v[X] * v[Y] +
         (m + cos(q[PHI]) * cos(q[PHI])) * v[Y] * v[Y] + (1 + p.t * p.t) * v[PHI] * v[PHI]) /
        2;
    assert_near(model_value(s, TRM_QUANTITY_ENERGY, &p, 0, 0), kinetic + k * reach + p.z[0]);
    double t, u;
    const trm_state view = model_view(&p);
    trmi_instance_energies(c.instance, &view, &t, &u);
    assert_near(t, kinetic);
    assert_near(u, k * reach + p.z[0]);
    model_close(&c);
}

static void test_equations_derivatives_of_forces_equal_closed_forms(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    const model_point p = point_of(&c, 8);
    const trm_system *s = c.system;
    const double *q = p.q, k = 3, reach = sqrt(q[X] * q[X] + q[Y] * q[Y] + 1);
    // (M a - f)_phi: M depends on phi, f of x and y does not
    assert_near(model_value(s, TRM_QUANTITY_STIFFNESS, &p, X, PHI), cos(q[PHI]) * p.a[Y]);
    assert_near(model_value(s, TRM_QUANTITY_STIFFNESS, &p, Y, PHI),
                cos(q[PHI]) * p.a[X] - 2 * cos(q[PHI]) * sin(q[PHI]) * p.a[Y]);
    // -d/dx (-k (r - 1) x) = k (r - 1) + k x^2 / r
    assert_near(model_value(s, TRM_QUANTITY_STIFFNESS, &p, X, X),
                k * (reach - 1) + k * q[X] * q[X] / reach);
    assert_near(model_value(s, TRM_QUANTITY_STIFFNESS, &p, PHI, PHI), p.lambda[TRACK]);
    assert_near(model_value(s, TRM_QUANTITY_DAMPING, &p, Y, Y), 3 * p.v[Y] * p.v[Y]);
    assert_near(model_value(s, TRM_QUANTITY_DAMPING, &p, PHI, PHI), -sin(2 * p.t));
    assert_near(model_value(s, TRM_QUANTITY_FORCE_X, &p, X, 0), p.z[0]);
    assert_near(model_value(s, TRM_QUANTITY_FORCE_Z, &p, X, 0), p.x[0]);
    assert_near(model_value(s, TRM_QUANTITY_FORCE_Z, &p, Y, 1), 1);
    assert_near(model_value(s, TRM_QUANTITY_FORCE_LAMBDA, &p, X, NORMAL), -0.2);
    assert_near(model_value(s, TRM_QUANTITY_FORCE_LAMBDA, &p, PHI, TRACK), -q[PHI]);
    assert_near(model_value(s, TRM_QUANTITY_RATE_V, &p, 0, X), -p.v[PHI] / 2);
    assert_near(model_value(s, TRM_QUANTITY_RATE_X, &p, 0, 0), -0.5);
    assert_near(model_value(s, TRM_QUANTITY_RATE_Z, &p, 0, 0), p.lambda[NORMAL]);
    assert_near(model_value(s, TRM_QUANTITY_RATE_LAMBDA, &p, 0, NORMAL), p.z[0]);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_Q, &p, 0, X), -p.x[0]);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_V, &p, 1, Y), -0.1);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_X, &p, 0, 0), -q[X]);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_Z, &p, 0, 0), 3 * p.z[0] * p.z[0] + 1);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_Z, &p, 1, 1), exp(p.z[1]));
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_LAMBDA, &p, 1, TRACK), -1);
    assert_near(model_value(s, TRM_QUANTITY_ALGEBRAIC_T, &p, 0, 0), 1);
    model_close(&c);
}

static void test_equations_constraint_levels_equal_closed_forms(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    const model_point p = point_of(&c, 9);
    const trm_system *s = c.system;
    const double *q = p.q, *v = p.v, t = p.t, sine = sin(q[PHI]), cosine = cos(q[PHI]);
    assert_near(model_value(s, TRM_QUANTITY_CONSTRAINT_Q, &p, NORMAL, X), q[X]);
    assert_near(model_value(s, TRM_QUANTITY_CONSTRAINT_Q, &p, NORMAL, PHI), -q[Y] * sine);
    assert_near(model_value(s, TRM_QUANTITY_CONSTRAINT_Q, &p, FLAT, Y), -t);
    assert_near(model_value(s, TRM_QUANTITY_CONSTRAINT_T, &p, NORMAL, 0), -2 * cos(2 * t));
    assert_near(model_value(s, TRM_QUANTITY_CONSTRAINT_T, &p, FLAT, 0), -q[Y]);
    // g'' with q'' = 0: x'^2 - 2 sin(phi) phi' y' - y cos(phi) phi'^2 + 4 sin(2 t)
    assert_near(model_value(s, TRM_QUANTITY_GAMMA, &p, NORMAL, 0),
                v[X] * v[X] - 2 * sine * v[PHI] * v[Y] - q[Y] * cosine * v[PHI] * v[PHI] +
                    4 * sin(2 * t));
    assert_near(model_value(s, TRM_QUANTITY_GAMMA, &p, FLAT, 0), -2 * v[Y]);
    assert_near(model_value(s, TRM_QUANTITY_ROLLING, &p, 0, X), sine);
    assert_near(model_value(s, TRM_QUANTITY_ROLLING, &p, 0, PHI), q[X]);
    assert_near(model_value(s, TRM_QUANTITY_ROLLING_OFFSET, &p, 0, 0), -0.5 * cos(t) * q[Y]);
    // (A v + a)' with v' = 0
    assert_near(model_value(s, TRM_QUANTITY_GAMMA, &p, TRACK, 0),
                (cosine * v[X] + sine * v[Y] + v[X]) * v[PHI] + 0.5 * sin(t) * q[Y] -
                    0.5 * cos(t) * v[Y]);
    assert_near(model_value(s, TRM_QUANTITY_VELOCITY_Q, &p, TRACK, X), v[PHI]);
    assert_near(model_value(s, TRM_QUANTITY_VELOCITY_Q, &p, TRACK, Y), -0.5 * cos(t));
    assert_near(model_value(s, TRM_QUANTITY_VELOCITY_Q, &p, TRACK, PHI),
                cosine * v[X] + sine * v[Y]);
    // (G^T lambda + A^T lambda_a)_q
    assert_near(model_value(s, TRM_QUANTITY_GEOMETRIC, &p, X, X), p.lambda[NORMAL]);
    assert_near(model_value(s, TRM_QUANTITY_GEOMETRIC, &p, X, PHI), cosine * p.lambda[TRACK]);
    assert_near(model_value(s, TRM_QUANTITY_GEOMETRIC, &p, Y, PHI),
                sine * (p.lambda[TRACK] - p.lambda[NORMAL]));
    assert_near(model_value(s, TRM_QUANTITY_GEOMETRIC, &p, PHI, X), p.lambda[TRACK]);
    assert_near(model_value(s, TRM_QUANTITY_GEOMETRIC, &p, PHI, PHI),
                -q[Y] * cosine * p.lambda[NORMAL]);
    model_close(&c);
}

// ---- patterns ----

static void assert_pattern(const trm_system *s, trm_quantity quantity, int count)
{
    if (s->pattern[quantity].count != count)
        fail_msg("%s has pattern %d, not %d", trm_quantity_name(quantity),
                 s->pattern[quantity].count, count);
}

// counted in the text: no structural zero is kept
static void test_equations_patterns_hold_no_structural_zeros(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    assert_pattern(c.system, TRM_QUANTITY_MASS, 5);
    assert_pattern(c.system, TRM_QUANTITY_CONSTRAINT_Q, 5); // x y phi; y phi
    assert_pattern(c.system, TRM_QUANTITY_CONSTRAINT_Z, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_ROLLING, 3);
    assert_pattern(c.system, TRM_QUANTITY_VELOCITY_Q, 7); // x y phi; - but y: t y' + y; x y phi
    assert_pattern(c.system, TRM_QUANTITY_STIFFNESS, 7);  // x y phi; x y phi; phi
    assert_pattern(c.system, TRM_QUANTITY_GEOMETRIC, 6);  // x phi; y-phi; x y phi
    assert_pattern(c.system, TRM_QUANTITY_DAMPING, 2);
    assert_pattern(c.system, TRM_QUANTITY_FORCE_X, 1);
    assert_pattern(c.system, TRM_QUANTITY_FORCE_Z, 2);
    assert_pattern(c.system, TRM_QUANTITY_FORCE_LAMBDA, 2);
    assert_pattern(c.system, TRM_QUANTITY_RATE_Q, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_RATE_X, TRM_PATTERN_DIAGONAL); // 1 x 1
    assert_pattern(c.system, TRM_QUANTITY_ALGEBRAIC_Z, TRM_PATTERN_DIAGONAL);
    assert_pattern(c.system, TRM_QUANTITY_ALGEBRAIC_Q, 2);
    model_close(&c);
}

static void test_equations_constants_are_flagged(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    // linear in their variables with numbers as coefficients
    const uint64_t constant =
        TRM_BIT(RATE_X) | TRM_BIT(ALGEBRAIC_V) | TRM_BIT(ALGEBRAIC_LAMBDA) | TRM_BIT(ALGEBRAIC_T);
    assert_true(c.system->constant == constant);
    model_close(&c);
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {x: v, y: w}\n"
                   "  mass: [1, 2]\n"
                   "  force: [0, -9.81]\n"
                   "  constraints: {line: \"x - 2*y\"}\n"
                   "  velocity_constraints: {stop: \"v + w\"}\n"
                   "simulate: {end: 1}\n");
    assert_pattern(c.system, TRM_QUANTITY_MASS, TRM_PATTERN_DIAGONAL);
    assert_pattern(c.system, TRM_QUANTITY_CONSTRAINT_T, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_GAMMA, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_GEOMETRIC, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_VELOCITY_Q, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_STIFFNESS, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_DAMPING, TRM_PATTERN_ZERO);
    assert_pattern(c.system, TRM_QUANTITY_ROLLING_OFFSET, TRM_PATTERN_ZERO);
    const uint64_t all = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING);
    assert_true(c.system->constant == all);
    check_by_differences(&c, 8); // all but one declared zero
    model_close(&c);
}

// a full matrix of numbers on the diagonal is a diagonal one
static void test_equations_full_diagonal_mass_is_recognised(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {x: v, y: w}\n"
                   "  mass: [[\"1 + x^2\", 0], [0, 2]]\n"
                   "  force: [0, 0]\n"
                   "simulate: {end: 1}\n");
    assert_pattern(c.system, TRM_QUANTITY_MASS, TRM_PATTERN_DIAGONAL);
    assert_false(c.system->constant & TRM_BIT(MASS));
    assert_pattern(c.system, TRM_QUANTITY_STIFFNESS, 1);
    model_close(&c);
}

// ---- algebraic variables in constraints ----

#define CURVE "1 + 0.1*sin(x + t) + 0.2*y^2"
#define TURN "cos(x*y)"
#define TWICE(eliminated)                                                                          \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy, u: vu}\n"                                                       \
    "  mass: [1, 2, 3]\n"                                                                          \
    "  force: [0, 0, 0]\n" eliminated                                                              \
    "  constraints: {arc: \"x^2 + y^2 + x*r - s^2*cos(u)\", bar: \"u*s - r*t\", "                  \
    "free: \"x - u\"}\n"                                                                           \
    "  velocity_constraints: {roll: \"sin(u)*vx - t*y\"}\n"                                        \
    "simulate: {end: 1}\n"

// The same constraints, once with s and r as unknowns of a coupled system, once put in by hand.
static const char with_z[] = TWICE("  algebraic: {s: \"2*s + r - 2*(" CURVE ") - " TURN
                                   "\", r: \"r*s - (" TURN ")*(" CURVE ")\"}\n");
static const char without_z[] = TWICE("  define: {s: \"" CURVE "\", r: \"" TURN "\"}\n");

// z on its manifold: s = CURVE, r = TURN
static model_point settled(const model_case *c, int seed)
{
    model_point p = point_of(c, seed);
    p.z[0] = 1 + 0.1 * sin(p.q[0] + p.t) + 0.2 * p.q[1] * p.q[1];
    p.z[1] = cos(p.q[0] * p.q[1]);
    return p;
}

// G = g_q - g_z b_z^-1 b_q from the blocks, b_z being 2 x 2
static void eliminate(const trm_system *s, const model_point *p, double *g)
{
    double *g_z = model_dense(s, TRM_QUANTITY_CONSTRAINT_Z, p),
           *b_z = model_dense(s, TRM_QUANTITY_ALGEBRAIC_Z, p);
    double *g_q = model_dense(s, TRM_QUANTITY_CONSTRAINT_Q, p),
           *b_q = model_dense(s, TRM_QUANTITY_ALGEBRAIC_Q, p);
    const double det = b_z[0] * b_z[3] - b_z[1] * b_z[2];
    for (int j = 0; j < s->n_q; j++) {
        const double *b = b_q + 2 * j;
        const double z[] = {(b_z[3] * b[0] - b_z[2] * b[1]) / det,
                            (b_z[0] * b[1] - b_z[1] * b[0]) / det};
        for (int i = 0; i < s->n_g; i++)
            g[i + s->n_g * j] = g_q[i + s->n_g * j] - g_z[i] * z[0] - g_z[i + s->n_g] * z[1];
    }
    free(g_z);
    free(b_z);
    free(g_q);
    free(b_q);
}

// 1e-11: b_z of condition about 10, second derivatives of order 10
static void assert_same(const char *what, const double *is, const double *should, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(is[i] - should[i]) <= 1e-11 * (1 + fabs(should[i]))))
            fail_msg("%s, entry %d: %.15g instead of %.15g", what, i, is[i], should[i]);
}

static void test_equations_elimination_equals_substitution(void **state)
{
    (void)state;
    model_case z, direct;
    model_read(&z, with_z);
    model_read(&direct, without_z);
    for (int seed = 1; seed <= STATES; seed++) {
        const model_point p = settled(&z, seed);
        double g[9], *should = model_dense(direct.system, TRM_QUANTITY_CONSTRAINT_Q, &p);
        eliminate(z.system, &p, g);
        assert_same("G", g, should, 9);
        free(should);
        double *gamma = model_dense(z.system, TRM_QUANTITY_GAMMA, &p);
        should = model_dense(direct.system, TRM_QUANTITY_GAMMA, &p);
        assert_same("gamma", gamma, should, 4); // three constraints, then the velocity constraint
        free(gamma);
        free(should);
    }
    model_close(&z);
    model_close(&direct);
}

// Gamma and the geometric stiffness (z held) are supplied, the derivative of the velocity level is
// left to the library.
static void test_equations_elimination_agrees_with_differences(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, with_z);
    assert_false(model_supplies(c.system, TRM_QUANTITY_VELOCITY_Q));
    assert_true(model_supplies(c.system, TRM_QUANTITY_GAMMA));
    for (int seed = 1; seed <= STATES; seed++) {
        const model_point p = settled(&c, seed);
        const trm_state view = model_view(&p);
        trm_error error;
        // 1e-6: two-sided differences have 1e-8 to 1e-10
        if (trm_system_check_derivatives(c.system, &view, 1e-6, NULL, &error) != TRM_OK)
            fail_msg("%s", error.text);
    }
    model_close(&c);
}

static void test_equations_singular_elimination_asks_for_a_smaller_step(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "equations:\n"
                   "  coordinates: {x: v}\n"
                   "  mass: [1]\n"
                   "  force: [0]\n"
                   "  algebraic: {s: \"s^2 - x\"}\n"
                   "  constraints: {c: \"s - 1\"}\n"
                   "simulate: {end: 1}\n");
    model_point p = {.q = {1}, .z = {0}}; // b_z = 2 s = 0
    const trm_state view = model_view(&p);
    double gamma, geometric, *want[TRM_QUANTITY_COUNT] = {NULL};
    want[TRM_QUANTITY_GAMMA] = &gamma;
    assert_true(c.system->evaluate(&view, want, c.system->user) > 0);
    want[TRM_QUANTITY_GAMMA] = NULL;
    want[TRM_QUANTITY_GEOMETRIC] = &geometric;
    assert_true(c.system->evaluate(&view, want, c.system->user) > 0);
    model_close(&c);
}

// several quantities in one call give what single calls give
static void test_equations_joint_evaluation_equals_single_ones(void **state)
{
    (void)state;
    const char *texts[] = {whole, with_z};
    for (int k = 0; k < 2; k++) {
        model_case c;
        model_read(&c, texts[k]);
        const model_point p = k == 0 ? point_of(&c, 3) : settled(&c, 3);
        const trm_state view = model_view(&p);
        double *want[TRM_QUANTITY_COUNT] = {NULL}, single[MODEL_LARGEST];
        for (int i = 0; i < TRM_QUANTITY_COUNT; i++)
            if (c.system->evaluates & TRM_BIT_OF(i))
                want[i] = calloc(MODEL_LARGEST, sizeof *want[i]);
        assert_int_equal(c.system->evaluate(&view, want, c.system->user), 0);
        for (int i = 0; i < TRM_QUANTITY_COUNT; i++) {
            if (!want[i])
                continue;
            model_call(c.system, (trm_quantity)i, &p, single);
            size_t size = (size_t)model_entries(c.system, (trm_quantity)i) * sizeof *single;
            assert_memory_equal(single, want[i], size); // the same instructions: bit for bit
            free(want[i]);
        }
        model_close(&c);
    }
}

// ---- inputs ----

// The same formulas as inputs and as definitions, which are put in place of their names: every
// quantity, with algebraic variables in the constraints too.
static const char excited[] = "trammel: 1\n"
                              "parameters: {w: 3}\n"
                              "equations:\n"
                              "  %s: {u: \"0.1*sin(w*t) + t^3\", s: \"exp(-u^2)\"}\n"
                              "  coordinates: {x: vx, y: vy}\n"
                              "  mass: [\"2 + u^2\", \"1 + s\"]\n"
                              "  force: [\"-s*x - d(u)*vx\", \"dd(u)*y - d(s)*c\"]\n"
                              "  states: {c: \"u*s - c*d(u)\"}\n"
                              "  algebraic: {z: \"z^3 + z - u*x - dd(s)\"}\n"
                              "  constraints: {rod: \"x^2 + (y - u)^2 - s^2 - %s\"}\n"
                              "  velocity_constraints: {roll: \"s*vx + x*vy - d(u)*y\"}\n"
                              "  energy: {potential: \"u*y\"}\n"
                              "initial: {values: {x: 0.6, y: 0.7, z: 0.1}}\n"
                              "simulate: {end: 1}\n"
                              "outputs: {drive: \"u + 10*d(u) + 100*dd(u)\"}\n";

static void read_excited(model_case *c, const char *section, bool z_in_constraint)
{
    char text[1200];
    snprintf(text, sizeof text, excited, section, z_in_constraint ? "z*d(u)" : "d(s)");
    model_read(c, text);
}

static void assert_same_quantities(const model_case *a, const model_case *b, int seed)
{
    const model_point p = point_of(a, seed);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        int rows, columns;
        trm_system_shape(a->system, (trm_quantity)k, &rows, &columns);
        if (k == TRM_QUANTITY_INPUT || !model_supplies(a->system, (trm_quantity)k))
            continue;
        assert_true(model_supplies(b->system, (trm_quantity)k));
        double *x = model_dense(a->system, (trm_quantity)k, &p);
        double *y = model_dense(b->system, (trm_quantity)k, &p);
        for (int i = 0; i < rows * columns; i++)
            assert_near(x[i], y[i]);
        free(x);
        free(y);
    }
}

static void test_equations_inputs_equal_formulas_in_their_place(void **state)
{
    (void)state;
    for (int z = 0; z < 2; z++) {
        model_case inputs, formulas;
        read_excited(&inputs, "inputs", z);
        read_excited(&formulas, "define", z);
        assert_int_equal(inputs.system->n_u, 2);
        assert_int_equal(formulas.system->n_u, 0);
        for (int seed = 1; seed <= STATES; seed++)
            assert_same_quantities(&inputs, &formulas, seed);
        // all of the class; with z in the constraints (Gv)_q is left to differences
        check_by_differences(&inputs, z ? 21 : 22);
        model_close(&inputs);
        model_close(&formulas);
    }
}

static void test_equations_inputs_have_exact_rates(void **state)
{
    (void)state;
    model_case c;
    read_excited(&c, "inputs", false);
    const model_point p = point_of(&c, 3);
    double t = p.t, value;
    double u[] = {0.1 * sin(3 * t) + t * t * t, 0.3 * cos(3 * t) + 3 * t * t,
                  -0.9 * sin(3 * t) + 6 * t};
    for (int k = 0; k < 3; k++)
        assert_near(model_value(c.system, TRM_QUANTITY_INPUT, &p, 0, k), u[k]);
    // (exp(-u^2))' = -2 u u' exp(-u^2)
    assert_near(model_value(c.system, TRM_QUANTITY_INPUT, &p, 1, 1),
                -2 * u[0] * u[1] * exp(-u[0] * u[0]));
    // outputs compute the inputs where a state has none, and take those of a state that has
    trm_state view = model_view(&p);
    assert_int_equal(trm_instance_outputs(c.instance, &view, &value), 0);
    assert_near(value, u[0] + 10 * u[1] + 100 * u[2]);
    const double other[] = {1, 0, 2, 0, 3, 0};
    view.u = other;
    assert_int_equal(trm_instance_outputs(c.instance, &view, &value), 0);
    assert_near(value, 321);
    model_close(&c);
}

// An input without motion is still there; one of a parameter that an event sets follows it.
static void test_equations_inputs_may_be_constant_or_follow_parameters(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "parameters: {p: 2}\n"
                   "equations:\n"
                   "  inputs: {still: 0, level: \"p*t\"}\n"
                   "  coordinates: {x: v}\n"
                   "  mass: [1]\n"
                   "  force: [\"still + level\"]\n"
                   "simulate: {end: 1}\n"
                   "events: {jump: {when: \"x - 1\", set: {p: 5}}}\n");
    model_point p = {.t = 3};
    const double changed = 5;
    assert_near(model_value(c.system, TRM_QUANTITY_FORCE, &p, 0, 0), 6);
    assert_near(model_value(c.system, TRM_QUANTITY_INPUT, &p, 0, 0), 0);
    assert_near(model_value(c.system, TRM_QUANTITY_INPUT, &p, 1, 1), 2);
    trm_instance_set_parameters(c.instance, &changed);
    assert_near(model_value(c.system, TRM_QUANTITY_FORCE, &p, 0, 0), 15);
    model_close(&c);
}

// ---- velocity constraints ----

static void assert_nonlinear(const char *formula, const char *velocity)
{
    char text[400], expected[200];
    model_case c;
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "equations:\n"
             "  coordinates: {x: v, y: w}\n"
             "  mass: [1, 1]\n"
             "  force: [0, 0]\n"
             "  velocity_constraints: {fine: \"v + 2*w\", roll: \"%s\"}\n"
             "simulate: {end: 1}\n",
             formula);
    snprintf(expected, sizeof expected,
             "velocity constraint 'roll' is not linear in the velocity '%s'", velocity);
    model_try(&c, text, "m.yaml", NULL);
    if (!velocity[0]) {
        model_instantiate(&c);
    } else {
        assert_int_equal(c.status, TRM_ERR_MODEL);
        assert_string_equal(c.error.text, expected);
    }
    model_close(&c);
}

static void test_equations_velocity_constraints_must_be_linear(void **state)
{
    (void)state;
    assert_nonlinear("v^2 - w", "v");
    assert_nonlinear("x*v + v*w", "v");
    assert_nonlinear("sin(w) + v", "w");
    // their derivatives do not show it
    assert_nonlinear("abs(v) - w", "v");
    assert_nonlinear("floor(w) + v", "w");
    assert_nonlinear("if(v > 0, w, x*w)", "w");
    assert_nonlinear("v + step(w)*x", "w");
    // linear after all
    assert_nonlinear("(v + w)*sin(x) - v*3/y + t", "");
    assert_nonlinear("v*w/w", "v"); // no number w is known to be not 0
    assert_nonlinear("if(x > 0, v, w)", "");
}

// ---- outputs, parameters ----

static void test_equations_outputs_may_use_accelerations(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, whole);
    const model_point p = point_of(&c, 4);
    const trm_state view = model_view(&p);
    double value[2];
    assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_OUTPUT), 2);
    assert_int_equal(trm_instance_outputs(c.instance, &view, value), 0);
    // the formulas of the text, by hand
    assert_near(value[0], 2 * p.a[X] + sin(p.q[PHI]) * p.a[Y]);
    assert_near(value[1], 2 * p.lambda[NORMAL] + p.lambda[TRACK] + p.a[PHI] * p.t);
    model_close(&c);
}

// a parameter that an event sets is not a constant, and neither is what follows from it
static void test_equations_parameters_of_events_stay_variable(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "parameters: {fixed: 3, m: 2, twice: \"2*m + fixed\"}\n"
                   "equations:\n"
                   "  coordinates: {x: v}\n"
                   "  mass: [\"twice\"]\n"
                   "  force: [\"fixed\"]\n"
                   "simulate: {end: 1}\n"
                   "events: {drop: {when: \"x\", set: {m: \"m + 1\"}}}\n");
    const model_point p = {0};
    const double *values, heavier = 10;
    assert_int_equal(trm_instance_parameters(c.instance, &values), 1);
    assert_near(values[0], 2);
    assert_true(c.system->constant == TRM_BIT(FORCE));
    assert_near(model_value(c.system, TRM_QUANTITY_MASS, &p, 0, 0), 7);
    trm_instance_set_parameters(c.instance, &heavier);
    assert_near(model_value(c.system, TRM_QUANTITY_MASS, &p, 0, 0), 23); // 2 * 10 + 3
    // a second instance has its own
    trm_instance *other;
    assert_int_equal(trm_instance_create(&other, c.model, NULL), TRM_OK);
    assert_near(model_value(trm_instance_system(other), TRM_QUANTITY_MASS, &p, 0, 0), 7);
    trm_instance_destroy(other);
    model_close(&c);
}

// ---- size ----

// a chain of n/2 points in the plane, each tied to the one before by a bar and a damper
static char *write_chain(int coordinates)
{
    int points = coordinates / 2;
    size_t size = (size_t)points * 400 + 1000;
    char *text = malloc(size), *at = text;
    at += sprintf(at, "trammel: 1\nequations:\n  coordinates:\n");
    for (int i = 1; i <= points; i++)
        at += sprintf(at, "    x%d: vx%d\n    y%d: vy%d\n", i, i, i, i);
    at += sprintf(at, "  mass: [");
    for (int i = 1; i <= points; i++)
        at += sprintf(at, "%s1, 1", i > 1 ? ", " : "");
    at += sprintf(at, "]\n  force:\n    - \"-vx1\"\n    - \"-vy1 - 9.81\"\n");
    for (int i = 2; i <= points; i++)
        at += sprintf(at, "    - \"vx%d - vx%d\"\n    - \"vy%d - vy%d - 9.81\"\n", i - 1, i, i - 1,
                      i);
    at += sprintf(at, "  constraints:\n    bar1: \"x1^2 + y1^2 - 1\"\n");
    for (int i = 2; i <= points; i++)
        at += sprintf(at, "    bar%d: \"(x%d - x%d)^2 + (y%d - y%d)^2 - 1\"\n", i, i, i - 1, i,
                      i - 1);
    at += sprintf(at, "simulate: {end: 1}\n");
    assert_true((size_t)(at - text) < size);
    return text;
}

// instructions of an evaluation of everything
static int chain_length(int coordinates)
{
    model_case c;
    char *text = write_chain(coordinates);
    model_read(&c, text);
    free(text);
    assert_int_equal(c.system->n_q, coordinates);
    // of each bar: itself, and four columns in g_q, of which the first bar lacks two
    assert_int_equal(c.system->pattern[TRM_QUANTITY_CONSTRAINT_Q].count, 2 * coordinates - 2);
    assert_int_equal(c.system->pattern[TRM_QUANTITY_DAMPING].count, 2 * coordinates - 2);
    int length = trmi_tape_length(c.model->equations->tape, UINT64_MAX);
    model_close(&c);
    return length;
}

// The work per coordinate is the same for small and large; only the ends of the chain differ, by
// less than 1 % at 1000.
static void test_equations_large_chain_is_evaluated_in_linear_time(void **state)
{
    (void)state;
    double small = chain_length(1000) / 1000.0, large = chain_length(10000) / 10000.0;
    assert_true(small > 5); // the count counts something: a bar alone needs as many
    if (!(fabs(large - small) <= 0.05 * small))
        fail_msg("%.2f instructions per coordinate at 1000, %.2f at 10000", small, large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations_whole_model_agrees_with_differences),
        cmocka_unit_test(test_equations_mass_and_forces_equal_closed_forms),
        cmocka_unit_test(test_equations_derivatives_of_forces_equal_closed_forms),
        cmocka_unit_test(test_equations_constraint_levels_equal_closed_forms),
        cmocka_unit_test(test_equations_patterns_hold_no_structural_zeros),
        cmocka_unit_test(test_equations_constants_are_flagged),
        cmocka_unit_test(test_equations_full_diagonal_mass_is_recognised),
        cmocka_unit_test(test_equations_elimination_equals_substitution),
        cmocka_unit_test(test_equations_elimination_agrees_with_differences),
        cmocka_unit_test(test_equations_singular_elimination_asks_for_a_smaller_step),
        cmocka_unit_test(test_equations_joint_evaluation_equals_single_ones),
        cmocka_unit_test(test_equations_inputs_equal_formulas_in_their_place),
        cmocka_unit_test(test_equations_inputs_have_exact_rates),
        cmocka_unit_test(test_equations_inputs_may_be_constant_or_follow_parameters),
        cmocka_unit_test(test_equations_velocity_constraints_must_be_linear),
        cmocka_unit_test(test_equations_outputs_may_use_accelerations),
        cmocka_unit_test(test_equations_parameters_of_events_stay_variable),
        cmocka_unit_test(test_equations_large_chain_is_evaluated_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
