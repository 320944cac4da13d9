// SPDX-License-Identifier: Apache-2.0
// The derivative checker: right systems pass, every kind of wrong entry is named.
#include "fail/fail.h"
#include "problems/problems.h"

#include <stdio.h>

// ---- a small system with every derivative, one of which can be spoiled ----
//
//     g = q0^2 q1 + sin(t) q1 - 1                          M = diag(2 + q1^2, 3)
//     f = (-q0^2 q1 - v0 v1 + x z q0,  q0 q1^3 - v1^3 + x^2 + z + 0.3 lambda q0)
//     c = -x q0 + v1 z + lambda x,  b = z + z^3 q1 - v0 x + t^2 - 0.1 lambda q0
//     I = t sin(q0) + v0^2 q1 + x v1

typedef enum kind { NOTHING, SIGN, TWICE, TRANSPOSED } kind;

// what is wrong, and with which entry
typedef struct spoiled {
    kind kind;
    trm_quantity quantity;
    int entry;
    trm_pattern pattern; // values of a dense matrix are written in this order, if it has entries
} spoiled;

// all derivatives, column by column
static void exact(const trm_state *s, trm_quantity quantity, double *out)
{
    const double t = s->t, *q = s->q, *v = s->v, *a = s->a, x = s->x[0], z = s->z[0],
                 l = s->lambda[0];
    switch (quantity) {
#define VALUES(...)                                                                                \
    {                                                                                              \
        const double all[] = {__VA_ARGS__};                                                        \
        memcpy(out, all, sizeof all);                                                              \
    }                                                                                              \
    break
    case TRM_QUANTITY_CONSTRAINT_Q:
        VALUES(2 * q[0] * q[1], q[0] * q[0] + sin(t));
    case TRM_QUANTITY_CONSTRAINT_T:
        VALUES(cos(t) * q[1]);
    case TRM_QUANTITY_GAMMA:
        VALUES(2 * q[1] * v[0] * v[0] + 4 * q[0] * v[0] * v[1] + 2 * cos(t) * v[1] - sin(t) * q[1]);
    case TRM_QUANTITY_VELOCITY_Q:
        VALUES(2 * q[1] * v[0] + 2 * q[0] * v[1], 2 * q[0] * v[0] + cos(t));
    case TRM_QUANTITY_STIFFNESS:
        VALUES(2 * q[0] * q[1] - x * z, -q[1] * q[1] * q[1] - 0.3 * l,
               2 * q[1] * a[0] + q[0] * q[0], -3 * q[0] * q[1] * q[1]);
    case TRM_QUANTITY_GEOMETRIC:
        VALUES(2 * l * q[1], 2 * l * q[0], 2 * l * q[0], 0);
    case TRM_QUANTITY_DAMPING:
        VALUES(v[1], 0, v[0], 3 * v[1] * v[1]);
    case TRM_QUANTITY_FORCE_X:
        VALUES(z * q[0], 2 * x);
    case TRM_QUANTITY_FORCE_Z:
        VALUES(x * q[0], 1);
    case TRM_QUANTITY_FORCE_LAMBDA:
        VALUES(0, 0.3 * q[0]);
    case TRM_QUANTITY_RATE_Q:
        VALUES(-x, 0);
    case TRM_QUANTITY_RATE_V:
        VALUES(0, z);
    case TRM_QUANTITY_RATE_X:
        VALUES(l - q[0]);
    case TRM_QUANTITY_RATE_Z:
        VALUES(v[1]);
    case TRM_QUANTITY_RATE_LAMBDA:
        VALUES(x);
    case TRM_QUANTITY_ALGEBRAIC_Q:
        VALUES(-0.1 * l, z * z * z);
    case TRM_QUANTITY_ALGEBRAIC_V:
        VALUES(-x, 0);
    case TRM_QUANTITY_ALGEBRAIC_X:
        VALUES(-v[0]);
    case TRM_QUANTITY_ALGEBRAIC_Z:
        VALUES(1 + 3 * z * z * q[1]);
    case TRM_QUANTITY_ALGEBRAIC_LAMBDA:
        VALUES(-0.1 * q[0]);
    case TRM_QUANTITY_ALGEBRAIC_T:
        VALUES(2 * t);
    case TRM_QUANTITY_INVARIANT:
        VALUES(t * sin(q[0]) + v[0] * v[0] * q[1] + x * v[1]);
    case TRM_QUANTITY_INVARIANT_Q:
        VALUES(t * cos(q[0]), v[0] * v[0]);
    case TRM_QUANTITY_INVARIANT_V:
        VALUES(2 * v[0] * q[1], x);
    case TRM_QUANTITY_MASS:
        VALUES(2 + q[1] * q[1], 3);
    case TRM_QUANTITY_FORCE:
        VALUES(-q[0] * q[0] * q[1] - v[0] * v[1] + x * z * q[0],
               q[0] * q[1] * q[1] * q[1] - v[1] * v[1] * v[1] + x * x + z + 0.3 * l * q[0]);
    case TRM_QUANTITY_RATE:
        VALUES(-x * q[0] + v[1] * z + l * x);
    case TRM_QUANTITY_ALGEBRAIC:
        VALUES(z + z * z * z * q[1] - v[0] * x + t * t - 0.1 * l * q[0]);
    case TRM_QUANTITY_CONSTRAINT:
        VALUES(q[0] * q[0] * q[1] + sin(t) * q[1] - 1);
    default:
        fail_msg("%s is not part of the system", trm_quantity_name(quantity));
    }
}

static int evaluate(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const spoiled *wrong = user;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        double *out = want[k], value[4];
        if (!out)
            continue;
        bool here = (int)wrong->quantity == k;
        exact(s, (trm_quantity)k, here && wrong->pattern.count > 0 ? value : out);
        if (here && wrong->kind == SIGN)
            out[wrong->entry] *= -1;
        if (here && wrong->kind == TWICE)
            out[wrong->entry] *= 2;
        if (here && wrong->kind == TRANSPOSED) {
            double swapped = out[1];
            out[1] = out[2];
            out[2] = swapped;
        }
        for (int n = 0; here && n < wrong->pattern.count; n++)
            out[n] = value[wrong->pattern.row[n] + 2 * wrong->pattern.column[n]];
    }
    return 0;
}

static trm_system system_of(spoiled *wrong)
{
    trm_system s = {
        .n_q = 2, .n_x = 1, .n_z = 1, .n_g = 1, .n_i = 1, .evaluate = evaluate, .user = wrong};
    for (int k = 0; k <= TRM_QUANTITY_INVARIANT_V; k++)
        if (k != TRM_QUANTITY_ROLLING && k != TRM_QUANTITY_ROLLING_OFFSET &&
            k != TRM_QUANTITY_INPUT && k != TRM_QUANTITY_ENERGY && k != TRM_QUANTITY_CONSTRAINT_Z)
            s.evaluates |= TRM_BIT_OF(k);
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s.pattern[TRM_QUANTITY_CONSTRAINT_Z].count = TRM_PATTERN_ZERO; // z is not in g: true
    s.pattern[wrong->quantity] = wrong->pattern.count ? wrong->pattern : s.pattern[wrong->quantity];
    return s;
}

static const double at_q[] = {1.2, 0.7}, at_v[] = {-0.8, 1.1}, at_a[] = {3, -2}, at_x[] = {0.9},
                    at_z[] = {0.6}, at_lambda[] = {1.5};
static const trm_state place = {0.4, at_q, at_v, at_a, at_x, at_z, at_lambda, NULL, NULL};
static const double tolerance = 1e-6; // what the header recommends

// all derivatives of the system: CONSTRAINT_Q is the first of them
enum { FIRST = TRM_QUANTITY_CONSTRAINT_Q };

// Whether the checker names this entry, in a matrix of zeros also its mirror image; prints what it
// blames instead.
static bool names(spoiled *wrong, int row, int column, double supplied, double difference)
{
    trm_system s = system_of(wrong);
    trm_derivative_report report;
    trm_error error;
    trm_status status = trm_system_check_derivatives(&s, &place, tolerance, &report, &error);
    const char *name = trm_quantity_name(wrong->quantity);
    if (status != TRM_ERR_DERIVATIVE)
        fail_msg("%s, kind %d, entry %d: %s", name, (int)wrong->kind, wrong->entry,
                 trm_status_name(status));
    assert_true(report.error > tolerance);
    assert_int_equal(error.status, TRM_ERR_DERIVATIVE);
    assert_contains(error.text, trm_quantity_name(report.quantity));
    assert_contains(error.item, trm_quantity_name(report.quantity));
    // nothing to fill in
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, NULL, NULL),
                     TRM_ERR_DERIVATIVE);
    // 1e-5: error of differences
    bool mirrored = report.row == column && report.column == row; // both are as wrong
    bool here = (report.row == row && report.column == column) ||
                (mirrored && wrong->pattern.count == TRM_PATTERN_ZERO);
    if (report.quantity == wrong->quantity && here && fabs(report.supplied - supplied) < 1e-12 &&
        fabs(report.difference - difference) < 1e-5)
        return true;
    print_error("%s(%d, %d) is blamed instead of %s(%d, %d)\n", trm_quantity_name(report.quantity),
                report.row, report.column, name, row, column);
    return false;
}

// every entry that is not zero, spoiled in this way
static void check_every_entry(kind k, double factor)
{
    int checked = 0, missed = 0;
    for (int n = FIRST; n <= TRM_QUANTITY_INVARIANT_V; n++) {
        const trm_quantity quantity = (trm_quantity)n;
        spoiled none = {NOTHING, quantity, 0, {0}};
        trm_system s = system_of(&none);
        int rows, columns;
        trm_system_shape(&s, quantity, &rows, &columns);
        double value[4];
        if (quantity == TRM_QUANTITY_CONSTRAINT_Z || quantity == TRM_QUANTITY_INVARIANT)
            continue;
        exact(&place, quantity, value);
        for (int e = 0; e < rows * columns; e++)
            if (value[e] != 0) {
                spoiled wrong = {k, quantity, e, {0}};
                missed += !names(&wrong, e % rows, e / rows, factor * value[e], value[e]);
                checked++;
            }
    }
    assert_int_equal(missed, 0);
    assert_int_equal(checked, 37); // entries of the formulas above that are not zero
}

// ---- right systems ----

static void test_check_right_system_passes(void **state)
{
    (void)state;
    spoiled none = {0};
    trm_system s = system_of(&none);
    trm_derivative_report report;
    trm_error error;
    assert_status(trm_system_check_derivatives(&s, &place, tolerance, &report, &error), TRM_OK,
                  &error);
    // with the declared zero; the invariant itself is not a derivative
    assert_int_equal(report.quantities, TRM_QUANTITY_INVARIANT_V + 1 - FIRST - 1);
    assert_true(report.error > 0 && report.error < tolerance);
    assert_int_equal(error.status, TRM_OK);
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, NULL, NULL), TRM_OK);
}

static void test_check_left_out_values_are_zero(void **state)
{
    (void)state;
    const double none[2] = {0};
    const trm_state with_zeros = {0.4, at_q, at_v, none, at_x, at_z, none, NULL, NULL};
    const trm_state short_ones[] = {{0.4, at_q, at_v, NULL, at_x, at_z, NULL, NULL, NULL},
                                    {0.4, at_q, NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
    spoiled right = {0}, wrong = {TWICE, TRM_QUANTITY_STIFFNESS, 1, {0}};
    trm_system good = system_of(&right), bad = system_of(&wrong);
    trm_derivative_report is, should;
    trm_error error;
    for (int k = 0; k < 2; k++)
        assert_status(trm_system_check_derivatives(&good, &short_ones[k], tolerance, &is, &error),
                      TRM_OK, &error);
    trm_system_check_derivatives(&bad, &short_ones[0], tolerance, &is, NULL);
    trm_system_check_derivatives(&bad, &with_zeros, tolerance, &should, NULL);
    assert_true(is.quantity == TRM_QUANTITY_STIFFNESS && is.supplied == should.supplied);
}

static void test_check_nothing_supplied_passes(void **state)
{
    (void)state;
    spoiled none = {0};
    trm_system s = system_of(&none);
    s.evaluates &= (TRM_BIT_OF(FIRST) - 1) | TRM_BIT(INVARIANT);
    s.pattern[TRM_QUANTITY_CONSTRAINT_Z].count = TRM_PATTERN_DENSE;
    trm_derivative_report report;
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, &report, NULL), TRM_OK);
    assert_int_equal(report.quantities, 0);
    assert_int_equal(report.row, -1);
}

static void test_check_built_in_problems_pass(void **state)
{
    (void)state;
    for (int n = 0; trp_problem_list(n); n++) {
        trp_problem *problem;
        trm_error error;
        assert_status(trp_problem_create(&problem, trp_problem_list(n)->name, NULL, &error), TRM_OK,
                      &error);
        const trm_system *s = trp_problem_system(problem);
        const trm_initial *start = trp_problem_initial(problem);
        double values[4][128]; // near the start, so that springs and loops stay regular
        assert_in_range(s->n_q, 1, 128);
        assert_in_range(s->n_g + s->n_a, 0, 128);
        if (s->n_x + s->n_z > 0) { // test_wheelset.c
            trp_problem_destroy(problem);
            continue;
        }
        for (int i = 0; i < s->n_q; i++) {
            values[0][i] = start->q[i] + 0.01 * sin(3 * i + 1);
            values[1][i] = start->v[i] + sin(5 * i + 2);
            values[2][i] = sin(7 * i + 3);
        }
        for (int i = 0; i < s->n_g + s->n_a; i++)
            values[3][i] = sin(11 * i + 4);
        const trm_state at = {0.1,  values[0], values[1], values[2], NULL,
                              NULL, values[3], NULL,      NULL};
        trm_derivative_report report;
        trm_status status = trm_system_check_derivatives(s, &at, tolerance, &report, &error);
        if (status != TRM_OK)
            fail_msg("%s: %s", trp_problem_list(n)->name, error.text);
        assert_true(report.quantities > (s->n_g > 0 ? 3 : 1)); // K and D at least
        trp_problem_destroy(problem);
    }
}

// g = q - 0.2 z with z + z^3 = q: G = 1 - 0.2/s, s = 1 + 3 z^2, gamma = 1.2 z v^2 / s^3
static int evaluate_curve(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    (void)user;
    const double z = s->z[0], slope = 1 + 3 * z * z;
    if (want[TRM_QUANTITY_MASS])
        want[TRM_QUANTITY_MASS][0] = 1;
    if (want[TRM_QUANTITY_FORCE])
        want[TRM_QUANTITY_FORCE][0] = 0;
    if (want[TRM_QUANTITY_CONSTRAINT])
        want[TRM_QUANTITY_CONSTRAINT][0] = s->q[0] - 0.2 * z;
    if (want[TRM_QUANTITY_ALGEBRAIC])
        want[TRM_QUANTITY_ALGEBRAIC][0] = z + z * z * z - s->q[0];
    if (want[TRM_QUANTITY_GAMMA])
        want[TRM_QUANTITY_GAMMA][0] = 1.2 * z * s->v[0] * s->v[0] / (slope * slope * slope);
    return 0;
}

// the header promises a comparison at the given state, whether z solves b = 0 there or not
static void test_check_gamma_passes_at_any_z(void **state)
{
    (void)state;
    const trm_system s = {.n_q = 1,
                          .n_z = 1,
                          .n_g = 1,
                          .evaluate = evaluate_curve,
                          .evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) |
                                       TRM_BIT(ALGEBRAIC) | TRM_BIT(GAMMA)};
    const double q[] = {2}, v[] = {1.5}, z[] = {1, 0.5}; // the first one is the solution
    for (int k = 0; k < 2; k++) {
        trm_error error;
        const trm_state at = {.q = q, .v = v, .z = &z[k]};
        assert_status(trm_system_check_derivatives(&s, &at, tolerance, NULL, &error), TRM_OK,
                      &error);
    }
}

// ---- wrong ones ----

static void test_check_wrong_sign_is_named(void **state)
{
    (void)state;
    check_every_entry(SIGN, -1);
}

static void test_check_factor_two_is_named(void **state)
{
    (void)state;
    check_every_entry(TWICE, 2);
}

// of the two wrong entries the one with the larger error, here both the same: the first
static void test_check_transposed_matrix_is_named(void **state)
{
    (void)state;
    const trm_quantity matrices[] = {TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_DAMPING};
    for (int k = 0; k < 2; k++) {
        double value[4];
        exact(&place, matrices[k], value);
        spoiled wrong = {TRANSPOSED, matrices[k], 0, {0}};
        trm_system s = system_of(&wrong);
        trm_derivative_report report;
        trm_error error;
        assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, &report, &error),
                         TRM_ERR_DERIVATIVE);
        assert_int_equal(report.quantity, matrices[k]);
        assert_int_equal(report.row + report.column, 1); // one of the two off the diagonal
        int entry = report.row + 2 * report.column;
        assert_true(report.supplied == value[3 - entry]);
        assert_contains(error.text, trm_quantity_name(matrices[k]));
    }
}

static void test_check_missing_pattern_entry_is_named(void **state)
{
    (void)state;
    const int row[] = {1, 0, 0}, column[] = {1, 0, 1}; // (1, 0) is missing
    const trm_quantity matrices[] = {TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_GEOMETRIC};
    for (int k = 0; k < 2; k++) {
        double value[4];
        exact(&place, matrices[k], value);
        spoiled wrong = {NOTHING, matrices[k], 0, {.count = 3, .row = row, .column = column}};
        assert_true(names(&wrong, 1, 0, 0, value[1]));
    }
    // nothing is missing in DAMPING, where that entry is zero
    spoiled right = {NOTHING, TRM_QUANTITY_DAMPING, 0, {.count = 3, .row = row, .column = column}};
    trm_system s = system_of(&right);
    trm_error error;
    assert_status(trm_system_check_derivatives(&s, &place, tolerance, NULL, &error), TRM_OK,
                  &error);
}

static void test_check_declared_diagonal_but_full_is_named(void **state)
{
    (void)state;
    double value[4];
    exact(&place, TRM_QUANTITY_GEOMETRIC, value);
    const int row[] = {0, 1}, column[] = {0, 1};
    spoiled wrong = {
        NOTHING, TRM_QUANTITY_GEOMETRIC, 0, {.count = 2, .row = row, .column = column}};
    trm_system s = system_of(&wrong);
    s.pattern[TRM_QUANTITY_GEOMETRIC] = (trm_pattern){.count = TRM_PATTERN_DIAGONAL};
    trm_derivative_report report;
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, &report, NULL),
                     TRM_ERR_DERIVATIVE);
    assert_int_equal(report.quantity, TRM_QUANTITY_GEOMETRIC);
    assert_int_equal(report.row + report.column, 1);
    assert_true(report.supplied == 0);
}

static void test_check_declared_zero_but_not_is_named(void **state)
{
    (void)state;
    int missed = 0;
    for (int n = FIRST; n <= TRM_QUANTITY_INVARIANT_V; n++) {
        const trm_quantity quantity = (trm_quantity)n;
        if (quantity == TRM_QUANTITY_CONSTRAINT_Z || quantity == TRM_QUANTITY_INVARIANT)
            continue;
        spoiled wrong = {NOTHING, quantity, 0, {.count = TRM_PATTERN_ZERO}};
        trm_system s = system_of(&wrong);
        int rows, columns, largest = 0;
        double value[4];
        trm_system_shape(&s, quantity, &rows, &columns);
        exact(&place, quantity, value);
        for (int e = 1; e < rows * columns; e++)
            largest = fabs(value[e]) > fabs(value[largest]) ? e : largest;
        missed += !names(&wrong, largest % rows, largest / rows, 0, value[largest]);
    }
    assert_int_equal(missed, 0);
}

static int constraint_with_z(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    int result = evaluate(s, want, user);
    if (want[TRM_QUANTITY_CONSTRAINT])
        want[TRM_QUANTITY_CONSTRAINT][0] += 0.25 * s->z[0];
    return result;
}

static void test_check_declared_zero_of_z_in_constraint_is_named(void **state)
{
    (void)state;
    spoiled none = {0};
    trm_system s = system_of(&none);
    s.evaluate = constraint_with_z;
    trm_derivative_report report;
    trm_error error;
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, &report, &error),
                     TRM_ERR_DERIVATIVE);
    assert_int_equal(report.quantity, TRM_QUANTITY_CONSTRAINT_Z);
    assert_true(report.supplied == 0 && fabs(report.difference - 0.25) < 1e-6);
}

// ---- what cannot be checked ----

static int fail_always(const trm_state *at, double *out, void *user)
{
    (void)at, (void)out, (void)user;
    return 3;
}

static void test_check_failing_callback_is_named(void **state)
{
    (void)state;
    const trm_quantity failing[] = {TRM_QUANTITY_FORCE, TRM_QUANTITY_CONSTRAINT,
                                    TRM_QUANTITY_STIFFNESS, TRM_QUANTITY_GAMMA};
    for (int k = 0; k < 4; k++) {
        spoiled none = {0};
        trm_system s = system_of(&none);
        trm_error error;
        s.evaluates &= ~TRM_BIT_OF(failing[k]);
        s.function[failing[k]] = fail_always;
        assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, NULL, &error),
                         TRM_ERR_CALLBACK);
        char should[80];
        snprintf(should, sizeof should, "the callback for %s returned 3",
                 trm_quantity_name(failing[k]));
        assert_string_equal(error.text, should);
    }
}

static void test_check_invalid_system_is_refused(void **state)
{
    (void)state;
    spoiled none = {0};
    trm_system s = system_of(&none);
    s.n_x = -1;
    trm_error error;
    assert_int_equal(trm_system_check_derivatives(&s, &place, tolerance, NULL, &error),
                     TRM_ERR_SYSTEM);
    assert_contains(error.text, "n_x");
    assert_int_equal(trm_system_check_derivatives(NULL, &place, tolerance, NULL, NULL),
                     TRM_ERR_ARGUMENT);
}

// ---- in place of M and f ----

// M = 2, f = 3 - q: right ones, and wrong ones where user says so
static int simple_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 2;
    return 0;
}

static int simple_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 3 - s->q[0];
    return 0;
}

static int simple_residual(const trm_state *s, double *out, void *user)
{
    out[0] = *(double *)user * s->a[0] - 3 + s->q[0];
    return 0;
}

static int simple_acceleration(const trm_state *s, double *out, void *user)
{
    out[0] = (3 - s->q[0]) / *(double *)user;
    return 0;
}

static void test_check_residual_and_acceleration_belong_to_mass_and_force(void **state)
{
    (void)state;
    const double q = 0.5, v = 0, a = 4;
    const trm_state at = {.q = &q, .v = &v, .a = &a};
    double mass = 2;
    trm_system s = {.n_q = 1, .user = &mass};
    trm_derivative_report report;
    trm_error error;
    s.function[TRM_QUANTITY_MASS] = simple_mass;
    s.function[TRM_QUANTITY_FORCE] = simple_force;
    s.function[TRM_QUANTITY_RESIDUAL] = simple_residual;
    s.function[TRM_QUANTITY_ACCELERATION] = simple_acceleration;
    assert_status(trm_system_check_derivatives(&s, &at, tolerance, &report, &error), TRM_OK,
                  &error);
    assert_int_equal(report.quantities, 0); // they are not derivatives
    assert_true(report.error < 1e-15);      // rounding
    mass = 3;
    assert_int_equal(trm_system_check_derivatives(&s, &at, tolerance, &report, &error),
                     TRM_ERR_DERIVATIVE);
    assert_non_null(strstr(error.text, "M and f give"));
    s.function[TRM_QUANTITY_RESIDUAL] = NULL;
    assert_int_equal(trm_system_check_derivatives(&s, &at, tolerance, &report, &error),
                     TRM_ERR_DERIVATIVE);
    assert_int_equal(report.quantity, TRM_QUANTITY_ACCELERATION);
}

// ---- many masses between springs: K has three diagonals ----

enum { MASSES = 1000 };
typedef struct springs {
    int calls;
    int count;    // entries that are declared
    double wrong; // added to one entry
} springs;

static int springs_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    for (int i = 0; i < MASSES; i++)
        out[i] = 1;
    return 0;
}

static int springs_force(const trm_state *s, double *out, void *user)
{
    ((springs *)user)->calls++;
    for (int i = 0; i < MASSES; i++)
        out[i] = (i > 0 ? s->q[i - 1] - s->q[i] : 0) + (i < MASSES - 1 ? s->q[i + 1] - s->q[i] : 0);
    return 0;
}

// -f_q, diagonal, below, above
static int springs_stiffness(const trm_state *s, double *out, void *user)
{
    const springs *own = user;
    (void)s;
    for (int i = 0; i < MASSES; i++)
        out[i] = (i > 0) + (i < MASSES - 1);
    for (int k = MASSES; k < own->count; k++)
        out[k] = -1;
    out[700] += own->wrong;
    return 0;
}

static trm_status check_springs(springs *user, int count, trm_derivative_report *report)
{
    static int row[3 * MASSES], column[3 * MASSES];
    static double q[MASSES], zero[MASSES];
    for (int i = 0; i < MASSES; i++) {
        row[i] = column[i] = i;
        q[i] = sin(i);
    }
    for (int i = 0; i < MASSES - 1; i++) {
        row[MASSES + i] = column[2 * MASSES - 1 + i] = i + 1;
        column[MASSES + i] = row[2 * MASSES - 1 + i] = i;
    }
    trm_system s = {.name = "springs",
                    .n_q = MASSES,
                    .user = user,
                    .function = {[TRM_QUANTITY_MASS] = springs_mass,
                                 [TRM_QUANTITY_FORCE] = springs_force,
                                 [TRM_QUANTITY_STIFFNESS] = springs_stiffness}};
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s.pattern[TRM_QUANTITY_STIFFNESS] = (trm_pattern){.count = count, .row = row, .column = column};
    const trm_state at = {.q = q, .v = zero, .a = zero};
    trm_error error;
    user->calls = 0;
    user->count = count;
    return trm_system_check_derivatives(&s, &at, tolerance, report, &error);
}

// The number of evaluations does not grow with the size; wrong entries are named all the same.
static void test_check_large_patterns_take_few_evaluations(void **state)
{
    (void)state;
    springs user = {0};
    trm_derivative_report report;
    assert_int_equal(check_springs(&user, 3 * MASSES - 2, &report), TRM_OK);
    assert_int_equal(report.quantities, 1);
    assert_true(report.error < 1e-9);
    assert_in_range(user.calls, 6, 60); // three groups and a direction, two-sided, and the probes
    user.wrong = 1e-3;
    assert_int_equal(check_springs(&user, 3 * MASSES - 2, &report), TRM_ERR_DERIVATIVE);
    assert_true(report.row == 700 && report.column == 700);
    assert_in_range(user.calls, 6, 240); // 24 steps
}

// What is missing in the pattern: all entries above the diagonal. The forces do not change when all
// masses move by the same: increments of equal size would not show it.
static void test_check_large_patterns_that_lack_entries_are_named(void **state)
{
    (void)state;
    springs user = {0};
    trm_derivative_report report;
    assert_int_equal(check_springs(&user, 2 * MASSES - 1, &report), TRM_ERR_DERIVATIVE);
    assert_int_equal(report.column, report.row + 1);
    assert_true(report.supplied == 0);
    assert_true(fabs(report.difference + 1) < 1e-6);
}

// ---- fast and late: g = q - sin(omega t)/omega - c exp(240 sin(omega t)) ----

typedef struct drive {
    double omega, c;
    trm_quantity wrong;
    double factor; // of that quantity
} drive;

static int evaluate_drive(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const drive *d = user;
    const double w = d->omega, sine = sin(w * s->t), cosine = cos(w * s->t);
    const double e = d->c * exp(240 * sine);
    double value[TRM_QUANTITY_COUNT] = {0};
    value[TRM_QUANTITY_MASS] = 1;
    value[TRM_QUANTITY_CONSTRAINT] = s->q[0] - sine / w - e;
    value[TRM_QUANTITY_CONSTRAINT_Q] = 1;
    value[TRM_QUANTITY_CONSTRAINT_T] = -cosine - e * 240 * w * cosine;
    value[TRM_QUANTITY_GAMMA] =
        w * sine - e * (240 * w * cosine * 240 * w * cosine - 240 * w * w * sine);
    value[d->wrong] *= d->factor;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (want[k])
            want[k][0] = value[k];
    return 0;
}

static trm_derivative_report check_drive(drive d, double t, trm_status should)
{
    const trm_system s = {.n_q = 1,
                          .n_g = 1,
                          .user = &d,
                          .evaluate = evaluate_drive,
                          .evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) |
                                       TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) |
                                       TRM_BIT(GAMMA)};
    const double q = 0.3, v = 0.7;
    const trm_state at = {.t = t, .q = &q, .v = &v};
    trm_derivative_report report;
    trm_error error = {.text = ""};
    trm_status status = trm_system_check_derivatives(&s, &at, tolerance, &report, &error);
    if (status != should)
        fail_msg("omega %g, t %g, %s times %.9g: %s %s", d.omega, t, trm_quantity_name(d.wrong),
                 d.factor, trm_status_name(status), error.text);
    if (should != TRM_OK && report.quantity != d.wrong)
        fail_msg("%s is named: %s", trm_quantity_name(report.quantity), error.text);
    return report;
}

// The usual steps jump over whole periods, or t has so few digits left that they show roundoff. A
// mistake in the fourth digit is named all the same, with the right value.
static void test_check_fast_and_late_systems_are_judged(void **state)
{
    (void)state;
    const struct {
        double omega, t;
    } motion[] = {{1, 0.3},        {1e3, 0},   {1e5, 0},    {1e6, 0},   {1e6, 3e-7}, {1e8, 0},
                  {1e9, 0.3e-9},   {0.1, 1e5}, {1, 1e5},    {10, 1e5},  {1, 1e6},    {10, 1e6},
                  {1e3, 1.000123}, {1e6, 1},   {1e4, 1000}, {0.01, 1e7}};
    const trm_quantity wrong[] = {TRM_QUANTITY_CONSTRAINT_T, TRM_QUANTITY_GAMMA};
    for (size_t i = 0; i < sizeof motion / sizeof *motion; i++) {
        const double w = motion[i].omega, t = motion[i].t;
        const double right[] = {-cos(w * t), w * sin(w * t)};
        for (int k = 0; k < 2; k++) {
            check_drive((drive){w, 0, wrong[k], 1}, t, TRM_OK);
            for (int sign = -1; sign < 2 && right[k] != 0; sign += 2) {
                trm_derivative_report r =
                    check_drive((drive){w, 0, wrong[k], sign * 1.0001}, t, TRM_ERR_DERIVATIVE);
                // 5e-5: half of the mistake
                if (!(fabs(r.difference - right[k]) < 5e-5 * fabs(right[k])))
                    fail_msg("omega %g, t %g: %.9g instead of %.9g", w, t, r.difference, right[k]);
            }
        }
    }
}

// a diode at 12 V and 1 MHz: exp(240 sin(2 pi 1e6 t))
static void test_check_steep_systems_are_judged(void **state)
{
    (void)state;
    const double omega = 2e6 * 3.14159265358979;
    const drive right = {omega, 1e-9, TRM_QUANTITY_CONSTRAINT_T, 1};
    drive wrong = right;
    wrong.factor = 1.0001;
    check_drive(right, 0, TRM_OK);
    check_drive(wrong, 0, TRM_ERR_DERIVATIVE);
}

// omega t has four digits: a mistake in the fourth cannot be seen, one of sign can
static void test_check_without_digits_passes(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        const double t = 1e6 + 1e-3 * i * i;
        check_drive((drive){1e6, 0, TRM_QUANTITY_GAMMA, 1}, t, TRM_OK);
        check_drive((drive){1e9, 0, TRM_QUANTITY_GAMMA, 1}, 1e-9 * t, TRM_OK);
        if (fabs(cos(1e6 * t)) > 0.1)
            check_drive((drive){1e6, 0, TRM_QUANTITY_CONSTRAINT_T, -1}, t, TRM_ERR_DERIVATIVE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_right_system_passes),
        cmocka_unit_test(test_check_residual_and_acceleration_belong_to_mass_and_force),
        cmocka_unit_test(test_check_left_out_values_are_zero),
        cmocka_unit_test(test_check_nothing_supplied_passes),
        cmocka_unit_test(test_check_built_in_problems_pass),
        cmocka_unit_test(test_check_gamma_passes_at_any_z),
        cmocka_unit_test(test_check_wrong_sign_is_named),
        cmocka_unit_test(test_check_factor_two_is_named),
        cmocka_unit_test(test_check_transposed_matrix_is_named),
        cmocka_unit_test(test_check_missing_pattern_entry_is_named),
        cmocka_unit_test(test_check_large_patterns_take_few_evaluations),
        cmocka_unit_test(test_check_large_patterns_that_lack_entries_are_named),
        cmocka_unit_test(test_check_declared_diagonal_but_full_is_named),
        cmocka_unit_test(test_check_declared_zero_but_not_is_named),
        cmocka_unit_test(test_check_declared_zero_of_z_in_constraint_is_named),
        cmocka_unit_test(test_check_fast_and_late_systems_are_judged),
        cmocka_unit_test(test_check_steep_systems_are_judged),
        cmocka_unit_test(test_check_without_digits_passes),
        cmocka_unit_test(test_check_failing_callback_is_named),
        cmocka_unit_test(test_check_invalid_system_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
