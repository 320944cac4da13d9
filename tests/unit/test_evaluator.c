// SPDX-License-Identifier: Apache-2.0
// Evaluation of a system: what is missing comes from differences, several quantities at once mix
// with single callbacks, constants are evaluated once, dropped rows are renumbered.
#include "fail/fail.h"

#include "solver/system/evaluator.h"

#include <complex.h>
#include <stdio.h>

typedef double complex number;

// ---- a nonlinear system of every kind of unknown, over complex numbers ----
//
// The imaginary part of f(y + i s e) / s is the derivative by e, without cancellation: exact to
// roundoff. The first algebraic variable stands in the constraint.

enum { NQ = 3, NX = 2, NZ = 2, NR = 2 }; // one row of g, one of A

typedef struct place {
    number t, q[NQ], v[NQ], a[NQ], x[NX], z[NZ], l[NR], u[3];
} place;

typedef void model_function(const place *p, number *out);

static void model_mass(const place *p, number *out) // column by column
{
    const number *q = p->q,
                 all[] = {
                     2 + q[0] * q[0],     q[1], 0, q[1], 9, 0.1 * csin(q[2]), 0, 0.1 * csin(q[2]),
                     1 + 0.5 * ccos(q[1])};
    memcpy(out, all, sizeof all);
}

static void model_force(const place *p, number *out)
{
    const number *q = p->q, *v = p->v, *x = p->x, *z = p->z, *l = p->l, *u = p->u;
    out[0] = -q[0] * q[0] * q[0] + v[1] * v[2] + x[0] * z[0] + 0.1 * l[0] * q[1] + u[0];
    out[1] = csin(q[0] * q[1]) - v[1] * v[1] * v[1] + x[1] * x[1] + z[1] * q[2] + u[2];
    out[2] = q[2] * v[0] - v[2] + 0.2 * l[1] * v[0] + x[0] * x[1] + u[1] * q[0];
}

static void model_rate(const place *p, number *out)
{
    out[0] = -p->x[0] + p->q[0] * p->v[1] + p->z[0] * p->z[0];
    out[1] = p->x[0] * p->x[1] + csin(p->q[2]) + p->l[0] * p->x[1] + p->z[1] * p->v[2] + p->u[0];
}

static void model_algebraic(const place *p, number *out)
{
    const number *z = p->z;
    out[0] = z[0] + 0.2 * z[0] * z[0] * z[0] - p->q[0] * p->q[1] + 0.1 * p->t;
    out[1] = 2 * z[1] + 0.5 * csin(z[1]) + z[0] * p->q[2] - p->v[0] * p->x[1] -
             0.3 * p->l[0] * p->q[2] + p->x[0];
}

static void model_constraint(const place *p, number *out)
{
    const number *q = p->q;
    out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 4) + 0.3 * p->z[0] * q[1] +
             0.2 * q[0] * p->u[0];
}

static void model_rolling(const place *p, number *out)
{
    out[0] = p->q[1];
    out[1] = -p->q[0];
    out[2] = 1 + 0.1 * p->t;
}

static void model_offset(const place *p, number *out)
{
    out[0] = 0.2 * p->q[0] * p->q[2] + ccos(p->t);
}

static void model_input(const place *p, number *out)
{
    out[0] = csin(p->t);
    out[1] = ccos(p->t);
    out[2] = -csin(p->t);
}

// M a - f
static void model_inertia(const place *p, number *out)
{
    number m[NQ * NQ], f[NQ];
    model_mass(p, m);
    model_force(p, f);
    for (int i = 0; i < NQ; i++) {
        out[i] = -f[i];
        for (int j = 0; j < NQ; j++)
            out[i] += m[i + NQ * j] * p->a[j];
    }
}

// G = g_q - g_z b_z^-1 b_q and likewise g_t: only z0 stands in g, and b0 has no other z
static void total(const place *p, number *g, number *g_t)
{
    const number *q = p->q;
    const number g_z = 0.3 * q[1], b_z = 1 + 0.6 * p->z[0] * p->z[0];
    const number b_q[] = {-q[1], -q[0], 0},
                 g_q[] = {q[0] + 0.2 * p->u[0], q[1] + 0.3 * p->z[0], q[2]};
    for (int i = 0; i < NQ; i++)
        g[i] = g_q[i] - g_z * b_q[i] / b_z;
    *g_t = 0.2 * q[0] * p->u[1] - g_z * 0.1 / b_z;
}

// G v + g_t, A v + a
static void model_velocity(const place *p, number *out)
{
    number g[NQ], a[NQ];
    total(p, g, &out[0]);
    model_rolling(p, a);
    model_offset(p, &out[1]);
    for (int i = 0; i < NQ; i++) {
        out[0] += g[i] * p->v[i];
        out[1] += a[i] * p->v[i];
    }
}

// G^T lambda + A^T lambda_a
static void model_constraint_force(const place *p, number *out)
{
    number g[NQ], a[NQ], g_t;
    total(p, g, &g_t);
    model_rolling(p, a);
    for (int i = 0; i < NQ; i++)
        out[i] = g[i] * p->l[0] + a[i] * p->l[1];
}

// ---- its callbacks ----

// the excitations are those that were handed over
static int real_of(model_function *f, int n, const trm_state *s, double *out)
{
    place p = {.t = s->t};
    number values[NQ * NQ];
    for (int i = 0; i < NQ; i++) {
        p.q[i] = s->q[i];
        p.v[i] = s->v[i];
        p.u[i] = s->u[i];
    }
    for (int i = 0; i < 2; i++) {
        p.x[i] = s->x[i];
        p.z[i] = s->z[i];
        p.l[i] = s->lambda[i];
    }
    f(&p, values);
    for (int i = 0; i < n; i++)
        out[i] = creal(values[i]);
    return 0;
}

#define CALLBACK(name, n)                                                                          \
    static int name(const trm_state *s, double *out, void *user)                                   \
    {                                                                                              \
        (void)user;                                                                                \
        return real_of(model_##name, n, s, out);                                                   \
    }
CALLBACK(mass, NQ *NQ)
CALLBACK(force, NQ)
CALLBACK(rate, NX)
CALLBACK(algebraic, NZ)
CALLBACK(constraint, 1)
CALLBACK(rolling, NQ)
CALLBACK(offset, 1)
CALLBACK(input, 3)

static int constraint_q(const trm_state *s, double *out, void *user) // g_q without z eliminated
{
    (void)user;
    out[0] = s->q[0] + 0.2 * s->u[0];
    out[1] = s->q[1] + 0.3 * s->z[0];
    out[2] = s->q[2];
    return 0;
}

static trm_system bare_system(void)
{
    return (trm_system){.n_q = NQ,
                        .n_x = NX,
                        .n_z = NZ,
                        .n_g = 1,
                        .n_a = 1,
                        .n_u = 1,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_RATE] = rate,
                                     [TRM_QUANTITY_ALGEBRAIC] = algebraic,
                                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                                     [TRM_QUANTITY_ROLLING] = rolling,
                                     [TRM_QUANTITY_ROLLING_OFFSET] = offset,
                                     [TRM_QUANTITY_INPUT] = input}};
}

// ---- a point, and an evaluator there ----

static const double at_t = 0.7, at_q[] = {1.1, -0.8, 0.6}, at_v[] = {0.4, 1.3, -0.9},
                    at_a[] = {2, -1, 0.5}, at_x[] = {0.3, -0.7}, at_l[5] = {1.7, -2.2};

// z that solves b = 0 at the point: the flow along the constraints assumes that
static void solve_z(double *z)
{
    z[0] = z[1] = 0;
    for (int k = 0; k < 100; k++) {
        z[0] -= (z[0] + 0.2 * z[0] * z[0] * z[0] - at_q[0] * at_q[1] + 0.1 * at_t) /
                (1 + 0.6 * z[0] * z[0]);
        z[1] -= (2 * z[1] + 0.5 * sin(z[1]) + z[0] * at_q[2] - at_v[0] * at_x[1] -
                 0.3 * at_l[0] * at_q[2] + at_x[0]) /
                (2 + 0.5 * cos(z[1]));
    }
}

static place complex_place(void)
{
    double z[NZ];
    solve_z(z);
    place p = {.t = at_t};
    for (int i = 0; i < NQ; i++) {
        p.q[i] = at_q[i];
        p.v[i] = at_v[i];
        p.a[i] = at_a[i];
    }
    for (int i = 0; i < 2; i++) {
        p.x[i] = at_x[i];
        p.z[i] = z[i];
        p.l[i] = at_l[i];
    }
    model_input(&p, p.u);
    return p;
}

typedef struct fixture {
    trmi_memory memory;
    trm_statistics statistics;
    trmi_evaluator e;
    trmi_values values;
    trmi_point p;
} fixture;

static void set_up(fixture *f, const trm_system *system)
{
    *f = (fixture){0};
    trmi_memory_init(&f->memory, NULL);
    double z[NZ];
    solve_z(z);
    const trm_initial initial = {at_t, at_q, at_v, at_x, z, at_l};
    trm_error error;
    trm_status status = trmi_evaluator_create(&f->e, &f->values, &f->memory, system, ~UINT64_C(0),
                                              &initial, &f->statistics, &error);
    assert_status(status, TRM_OK, &error);
    assert_true(trmi_point_create(&f->p, &f->memory, &f->e));
    trmi_point_set(&f->p, &f->e, &initial);
    for (int i = 0; i < NQ && i < system->n_q; i++)
        f->p.a[i] = at_a[i];
}

static void tear_down(fixture *f)
{
    trmi_memory_release_all(&f->memory);
}

// ---- differences ----

typedef struct derivative {
    trm_quantity quantity;
    model_function *base;
    size_t variable; // its offset in a place
    int columns;
    double sign;
} derivative;

#define BY(member) offsetof(place, member) / sizeof(number)

static const derivative derivatives[] = {
    {TRM_QUANTITY_CONSTRAINT_Q, model_constraint, BY(q), NQ, 1},
    {TRM_QUANTITY_CONSTRAINT_Z, model_constraint, BY(z), NZ, 1},
    {TRM_QUANTITY_VELOCITY_Q, model_velocity, BY(q), NQ, 1},
    {TRM_QUANTITY_STIFFNESS, model_inertia, BY(q), NQ, 1},
    {TRM_QUANTITY_GEOMETRIC, model_constraint_force, BY(q), NQ, 1},
    {TRM_QUANTITY_DAMPING, model_force, BY(v), NQ, -1},
    {TRM_QUANTITY_FORCE_X, model_force, BY(x), NX, 1},
    {TRM_QUANTITY_FORCE_Z, model_force, BY(z), NZ, 1},
    {TRM_QUANTITY_FORCE_LAMBDA, model_force, BY(l), NR, 1},
    {TRM_QUANTITY_RATE_Q, model_rate, BY(q), NQ, 1},
    {TRM_QUANTITY_RATE_V, model_rate, BY(v), NQ, 1},
    {TRM_QUANTITY_RATE_X, model_rate, BY(x), NX, 1},
    {TRM_QUANTITY_RATE_Z, model_rate, BY(z), NZ, 1},
    {TRM_QUANTITY_RATE_LAMBDA, model_rate, BY(l), NR, 1},
    {TRM_QUANTITY_ALGEBRAIC_Q, model_algebraic, BY(q), NQ, 1},
    {TRM_QUANTITY_ALGEBRAIC_V, model_algebraic, BY(v), NQ, 1},
    {TRM_QUANTITY_ALGEBRAIC_X, model_algebraic, BY(x), NX, 1},
    {TRM_QUANTITY_ALGEBRAIC_Z, model_algebraic, BY(z), NZ, 1},
    {TRM_QUANTITY_ALGEBRAIC_LAMBDA, model_algebraic, BY(l), NR, 1},
};
enum { DERIVATIVES = sizeof derivatives / sizeof *derivatives };

// d f / ds along a direction of the whole place, by a step into the complex plane
static void slope_along(model_function *f, const place *direction, int n, double *out)
{
    const double s = 1e-30;
    place p = complex_place();
    number values[NQ * NQ], *y = (number *)&p;
    const number *d = (const number *)direction;
    for (size_t k = 0; k < sizeof p / sizeof *y; k++)
        y[k] += I * s * d[k];
    f(&p, values);
    for (int i = 0; i < n; i++)
        out[i] = cimag(values[i]) / s;
}

// along t: the excitations move too
static place direction_of_time(void)
{
    const place p = complex_place();
    return (place){.t = 1, .u = {p.u[1], p.u[2], -p.u[1]}};
}

// Names an entry that disagrees and counts it. 2e-6: one-sided differences with 1.5e-8 of entries
// and second derivatives of size 1 to 10 give 1e-7; second differences of g with 1e-4 carry 1e-16 /
// 1e-8 of roundoff. Differences of differences serve the matrix of Newton only: 1e-4.
static int disagrees(trm_quantity quantity, int row, int column, double is, double should)
{
    bool nested = quantity == TRM_QUANTITY_VELOCITY_Q || quantity == TRM_QUANTITY_GEOMETRIC;
    if (fabs(is - should) <= (nested ? 1e-4 : 2e-6) * (1 + fabs(should)))
        return 0;
    print_error("%s(%d, %d) is %.9g instead of %.9g\n", trm_quantity_name(quantity), row, column,
                is, should);
    return 1;
}

static void check_differences(const trm_system *system)
{
    fixture f;
    int wrong = 0;
    set_up(&f, system);
    for (int k = 0; k < DERIVATIVES; k++) {
        const derivative *d = &derivatives[k];
        const trmi_quantity *b = &f.e.block[d->quantity];
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT_OF(d->quantity), &f.values), 0);
        assert_int_equal(b->columns, d->columns);
        for (int j = 0; j < d->columns; j++) {
            place direction = {0};
            double column[NQ];
            ((number *)&direction)[d->variable + (size_t)j] = d->sign;
            slope_along(d->base, &direction, b->rows, column);
            for (int i = 0; i < b->rows; i++)
                wrong += disagrees(d->quantity, i, j, f.values.of[d->quantity][i + b->rows * j],
                                   column[i]);
        }
    }
    const place time = direction_of_time();
    double g_t, b_t[NZ], gamma[NR];
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(CONSTRAINT_T), &f.values), 0);
    slope_along(model_constraint, &time, 1, &g_t);
    wrong +=
        disagrees(TRM_QUANTITY_CONSTRAINT_T, 0, 0, f.values.of[TRM_QUANTITY_CONSTRAINT_T][0], g_t);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(ALGEBRAIC_T), &f.values), 0);
    slope_along(model_algebraic, &time, NZ, b_t);
    for (int i = 0; i < NZ; i++)
        wrong += disagrees(TRM_QUANTITY_ALGEBRAIC_T, i, 0, f.values.of[TRM_QUANTITY_ALGEBRAIC_T][i],
                           b_t[i]);
    // gamma: along (q + s v, t + s), z0 follows b0 = 0
    place flow = direction_of_time(), here = complex_place();
    memcpy(flow.q, here.v, sizeof flow.q);
    flow.z[0] =
        (here.q[1] * here.v[0] + here.q[0] * here.v[1] - 0.1) / (1 + 0.6 * here.z[0] * here.z[0]);
    slope_along(model_velocity, &flow, NR, gamma);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(GAMMA), &f.values), 0);
    for (int i = 0; i < NR; i++)
        wrong += disagrees(TRM_QUANTITY_GAMMA, i, 0, f.values.of[TRM_QUANTITY_GAMMA][i], gamma[i]);
    tear_down(&f);
    assert_int_equal(wrong, 0);
}

static void test_evaluator_differences_agree_with_exact_derivatives(void **state)
{
    (void)state;
    trm_system system = bare_system();
    check_differences(&system);
}

// what rests on g_q is then a first difference, no longer one of differences
static void test_evaluator_differences_of_supplied_gradient_agree(void **state)
{
    (void)state;
    trm_system system = bare_system();
    system.function[TRM_QUANTITY_CONSTRAINT_Q] = constraint_q;
    check_differences(&system);
}

static void test_evaluator_levels_eliminate_algebraic_variables(void **state)
{
    (void)state;
    trm_system system = bare_system();
    fixture f;
    set_up(&f, &system);
    assert_true(f.e.constraint_uses_z && f.e.force_uses_lambda);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, trmi_velocity_quantities(&f.e), &f.values), 0);
    const place p = complex_place();
    number exact[NR], forces[NQ], g[NQ], g_t;
    double level[NR + 1], out[NQ] = {0}, product[NR + 1], dense[NQ * NR];
    model_velocity(&p, exact);
    trmi_velocity_level(&f.values, f.p.v, level);
    for (int i = 0; i < NR; i++)
        assert_int_equal(disagrees(TRM_QUANTITY_CONSTRAINT_Q, i, -1, level[i], creal(exact[i])), 0);
    model_constraint_force(&p, forces);
    trmi_add_constraint_force(&f.values, f.p.lambda, -2, out);
    for (int i = 0; i < NQ; i++)
        assert_int_equal(disagrees(TRM_QUANTITY_CONSTRAINT_Q, -1, i, out[i], -2 * creal(forces[i])),
                         0);
    total(&p, g, &g_t);
    trmi_constraint_product(&f.values, at_a, product);
    trmi_dense_constraints(&f.values, dense);
    double sum = 0;
    for (int i = 0; i < NQ; i++) {
        sum += creal(g[i]) * at_a[i];
        assert_int_equal(disagrees(TRM_QUANTITY_CONSTRAINT_Q, 0, i, dense[i], creal(g[i])), 0);
    }
    assert_int_equal(disagrees(TRM_QUANTITY_CONSTRAINT_Q, 0, -1, product[0], sum), 0);
    tear_down(&f);
}

// differences leave values, excitations and point as they were
static void test_evaluator_difference_leaves_no_trace(void **state)
{
    (void)state;
    trm_system system = bare_system();
    fixture f;
    set_up(&f, &system);
    const uint64_t basic = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, basic, &f.values), 0);
    double m[NQ * NQ], force_before[NQ], q[NQ];
    memcpy(m, f.values.of[TRM_QUANTITY_MASS], sizeof m);
    memcpy(force_before, f.values.of[TRM_QUANTITY_FORCE], sizeof force_before);
    memcpy(q, f.p.q, sizeof q);
    for (int k = 0; k < DERIVATIVES; k++)
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT_OF(derivatives[k].quantity), &f.values),
                         0);
    assert_memory_equal(m, f.values.of[TRM_QUANTITY_MASS], sizeof m);
    assert_memory_equal(force_before, f.values.of[TRM_QUANTITY_FORCE], sizeof force_before);
    assert_memory_equal(q, f.p.q, sizeof q);
    assert_int_equal(f.e.depth, 0);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, 0, &f.values), 0);
    assert_true(f.values.input[0] == sin(at_t) && f.values.input[1] == cos(at_t));
    tear_down(&f);
}

// ---- rows ----

// Five rows of numbers that tell where they stand: G = 10 i + j + 1, g_t = i, A = 100 (i + 1) + j,
// a = 7 (i + 1), gamma = 1000 + i, f_lambda = (j + 1) (r + 1).
enum { ROWS_G = 3, ROWS_A = 2, ROWS = 5 };

typedef struct rows {
    int asked[TRM_QUANTITY_COUNT], together; // how often, and the number of calls
} rows;

static int evaluate_rows(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    rows *c = user;
    c->together++;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        c->asked[k] += want[k] != NULL;
    for (int j = 0; j < NQ && want[TRM_QUANTITY_MASS]; j++)
        want[TRM_QUANTITY_MASS][j] = 1;
    for (int i = 0; i < ROWS_G && want[TRM_QUANTITY_CONSTRAINT]; i++) {
        want[TRM_QUANTITY_CONSTRAINT][i] = i * s->t;
        for (int j = 0; j < NQ; j++)
            want[TRM_QUANTITY_CONSTRAINT][i] += (10 * i + j + 1) * s->q[j];
    }
    for (int k = 0; k < ROWS_G * NQ && want[TRM_QUANTITY_CONSTRAINT_Q]; k++)
        want[TRM_QUANTITY_CONSTRAINT_Q][k] = 10 * (k % ROWS_G) + k / ROWS_G + 1;
    for (int i = 0; i < ROWS_G && want[TRM_QUANTITY_CONSTRAINT_T]; i++)
        want[TRM_QUANTITY_CONSTRAINT_T][i] = i;
    for (int k = 0; k < ROWS_A * NQ && want[TRM_QUANTITY_ROLLING]; k++)
        want[TRM_QUANTITY_ROLLING][k] = 100 * (k % ROWS_A + 1) + k / ROWS_A;
    for (int i = 0; i < ROWS_A && want[TRM_QUANTITY_ROLLING_OFFSET]; i++)
        want[TRM_QUANTITY_ROLLING_OFFSET][i] = 7 * (i + 1);
    for (int i = 0; i < ROWS && want[TRM_QUANTITY_GAMMA]; i++)
        want[TRM_QUANTITY_GAMMA][i] = 1000 + i;
    return 0;
}

static int row_force(const trm_state *s, double *out, void *user)
{
    ((rows *)user)->asked[TRM_QUANTITY_FORCE]++;
    for (int j = 0; j < NQ; j++) {
        out[j] = -s->q[j] * s->q[j];
        for (int r = 0; r < ROWS; r++)
            out[j] += (j + 1) * (r + 1) * s->lambda[r];
    }
    return 0;
}

static int wrong_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)out, (void)user;
    fail_msg("evaluate goes before the single callback");
    return -1;
}

static trm_system row_system(rows *c, bool gradient)
{
    static const char *const names[] = {"first", "second", "third", NULL, "fifth"};
    const uint64_t of_g = TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T);
    return (trm_system){
        .n_q = NQ,
        .n_g = ROWS_G,
        .n_a = ROWS_A,
        .function = {[TRM_QUANTITY_MASS] = wrong_mass, [TRM_QUANTITY_FORCE] = row_force},
        .evaluate = evaluate_rows,
        .evaluates = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT) | TRM_BIT(ROLLING) |
                     TRM_BIT(ROLLING_OFFSET) | TRM_BIT(GAMMA) | (gradient ? of_g : 0),
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .g_names = names,
        .user = c};
}

static void assert_near(const double *is, const double *should, int n)
{
    for (int i = 0; i < n; i++) // linear functions: differences have roundoff only
        if (!(fabs(is[i] - should[i]) < 1e-6 * (1 + fabs(should[i]))))
            fail_msg("entry %d is %.9g instead of %.9g", i, is[i], should[i]);
}

// Rows 0, 2 and 4 of five stay: vectors are shortened, matrices renumbered, callbacks see all rows.
static void check_dropped_rows(bool gradient)
{
    rows c = {0};
    trm_system system = row_system(&c, gradient);
    fixture f;
    set_up(&f, &system);
    // constants and values of before must not survive in the old numbering
    assert_int_equal(trmi_evaluate(&f.e, &f.p, ~UINT64_C(0) & ~TRM_BIT(INPUT), &f.values), 0);
    const bool dropped[ROWS] = {false, true, false, true, false};
    assert_true(trmi_evaluator_drop_rows(&f.e, &f.memory, dropped));
    const int active[] = {0, 3, 1, 3, 2}, full[] = {0, 2, 4};
    assert_int_equal(f.e.n_r, 3);
    assert_int_equal(f.e.n_g, 2);
    assert_int_equal(f.e.n_a, 1);
    assert_memory_equal(f.e.active, active, sizeof active);
    assert_memory_equal(f.e.full, full, sizeof full);
    for (int r = 0; r < 3; r++)
        f.p.lambda[r] = 5 + r;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, ~UINT64_C(0) & ~TRM_BIT(INPUT), &f.values), 0);
    double product[4], dense[NQ * 3];
    const double *q = at_q, sum = 5 * 1 + 6 * 3 + 7 * 5;
    const double g[] = {q[0] + 2 * q[1] + 3 * q[2], 21 * q[0] + 22 * q[1] + 23 * q[2] + 2 * at_t};
    double *const *of = f.values.of;
    assert_near(of[TRM_QUANTITY_CONSTRAINT], g, 2);
    assert_near(of[TRM_QUANTITY_CONSTRAINT_T], (double[]){0, 2}, 2);
    assert_near(of[TRM_QUANTITY_GAMMA], (double[]){1000, 1002, 1004}, 3);
    assert_near(of[TRM_QUANTITY_ROLLING_OFFSET], (double[]){14}, 1);
    for (int j = 0; j < NQ; j++)
        assert_near(&of[TRM_QUANTITY_FORCE][j], (double[]){(j + 1) * sum - q[j] * q[j]}, 1);
    trmi_dense_constraints(&f.values, dense);
    assert_near(dense, (double[]){1, 2, 3, 21, 22, 23, 200, 201, 202}, 9);
    trmi_constraint_product(&f.values, (double[]){1, 10, 100}, product);
    assert_near(product, (double[]){321, 2541, 22410}, 3);
    const trmi_cursor second = trmi_pattern_at(&f.e.block[TRM_QUANTITY_ROLLING].pattern, 1);
    char name[64];
    assert_string_equal(trmi_name_row(&f.e, 2, name, sizeof name), "fifth");
    assert_string_equal(trmi_name_unknown(&f.e, NQ + 1, name, sizeof name), "constraint third");
    assert_int_equal(trmi_full_row(&f.e.block[TRM_QUANTITY_ROLLING], &second), 4);
    tear_down(&f);
}

static void test_evaluator_dropped_rows_are_renumbered(void **state)
{
    (void)state;
    check_dropped_rows(true);
    check_dropped_rows(false);
}

// columns over multipliers, formed by differences after rows were dropped
static void test_evaluator_dropped_rows_keep_force_lambda(void **state)
{
    (void)state;
    rows c = {0};
    trm_system system = row_system(&c, true);
    fixture f;
    set_up(&f, &system);
    const bool dropped[ROWS] = {true, false, false, true, false};
    assert_true(trmi_evaluator_drop_rows(&f.e, &f.memory, dropped));
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(FORCE_LAMBDA), &f.values), 0);
    const trmi_matrix b = trmi_matrix_of(&f.values, TRM_QUANTITY_FORCE_LAMBDA);
    double matrix[NQ][ROWS] = {{0}};
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count; trmi_pattern_next(&at))
        matrix[at.row][at.column] += b.value[at.k];
    for (int i = 0; i < NQ; i++)
        for (int r = 0; r < f.e.n_r; r++) {
            double should = (i + 1) * (f.e.full[r] + 1);
            if (!(fabs(matrix[i][r] - should) < 1e-5))
                fail_msg("f_lambda(%d, %d) is %g instead of %g", i, r, matrix[i][r], should);
        }
    tear_down(&f);
}

// ---- several at once, constants, excitations ----

static void test_evaluator_together_mixes_with_single(void **state)
{
    (void)state;
    rows c = {0};
    trm_system system = row_system(&c, true);
    fixture f;
    set_up(&f, &system);
    c = (rows){0};
    const uint64_t want = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT_Q);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, want, &f.values), 0);
    assert_int_equal(c.together, 1); // one call for both
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        assert_int_equal(c.asked[k], (want & TRM_BIT_OF(k)) != 0);
    assert_true(f.values.of[TRM_QUANTITY_CONSTRAINT_Q][1] == 11);
    assert_true(f.values.of[TRM_QUANTITY_MASS][2] == 1);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(CONSTRAINT_Q), &f.values), 0);
    assert_int_equal(c.together, 2);
    assert_int_equal(c.asked[TRM_QUANTITY_MASS], 1); // was not wanted again
    assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(FORCE), &f.values), 0);
    assert_int_equal(c.together, 2);
    tear_down(&f);
}

static void test_evaluator_constants_are_evaluated_once(void **state)
{
    (void)state;
    rows c = {0};
    trm_system system = row_system(&c, true);
    system.constant = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING);
    fixture f;
    set_up(&f, &system);
    for (int k = 0; k < 5; k++) {
        f.p.q[0] += 0.1;
        f.p.t += 0.1;
        assert_int_equal(trmi_evaluate(&f.e, &f.p, system.constant | TRM_BIT(FORCE), &f.values), 0);
        // M a - f by differences needs M, G^T lambda by differences needs G and A
        assert_int_equal(
            trmi_evaluate(&f.e, &f.p, TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC), &f.values), 0);
        assert_near(f.values.of[TRM_QUANTITY_STIFFNESS], (double[]){2 * f.p.q[0]}, 1);
        assert_true(f.values.of[TRM_QUANTITY_MASS][0] == 1);
        assert_true(f.values.of[TRMI_TOTAL][1] == 11);
    }
    assert_int_equal(c.asked[TRM_QUANTITY_MASS], 1);
    assert_int_equal(c.asked[TRM_QUANTITY_CONSTRAINT_Q], 1);
    assert_int_equal(c.asked[TRM_QUANTITY_ROLLING], 1);
    assert_true(c.asked[TRM_QUANTITY_FORCE] > 5);
    tear_down(&f);
}

// x = z(t), as g = x - z and b = z - t: G v + g_t is v - 1
static int carried_constraint(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] - s->z[0];
    return 0;
}

static int carried_algebraic(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->z[0] - s->t;
    return 0;
}

static int zero(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    return 0;
}

static int one(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

// g_t itself is zero, but z moves with time and carries g along, at every evaluation alike
static void check_carried(int pattern, uint64_t constant)
{
    trm_system system = {.n_q = 1,
                         .n_z = 1,
                         .n_g = 1,
                         .function = {[TRM_QUANTITY_MASS] = one,
                                      [TRM_QUANTITY_FORCE] = zero,
                                      [TRM_QUANTITY_CONSTRAINT] = carried_constraint,
                                      [TRM_QUANTITY_ALGEBRAIC] = carried_algebraic,
                                      [TRM_QUANTITY_CONSTRAINT_T] = zero},
                         .pattern = {[TRM_QUANTITY_CONSTRAINT_T] = {.count = pattern}},
                         .constant = constant};
    fixture f;
    set_up(&f, &system);
    for (int k = 0; k < 3; k++) {
        double level[2];
        assert_int_equal(trmi_evaluate(&f.e, &f.p, trmi_velocity_quantities(&f.e), &f.values), 0);
        trmi_velocity_level(&f.values, f.p.v, level);
        if (!(fabs(level[0] - (f.p.v[0] - 1)) < 1e-6))
            fail_msg("evaluation %d: G v + g_t is %g instead of %g", k, level[0], f.p.v[0] - 1);
    }
    tear_down(&f);
}

static void test_evaluator_moving_z_carries_constraint(void **state)
{
    (void)state;
    check_carried(TRM_PATTERN_DENSE, 0);
}

static void test_evaluator_moving_z_with_constant_g_t_carries_constraint(void **state)
{
    (void)state;
    check_carried(TRM_PATTERN_DENSE, TRM_BIT(CONSTRAINT_T));
}

static void test_evaluator_moving_z_with_zero_g_t_carries_constraint(void **state)
{
    (void)state;
    check_carried(TRM_PATTERN_ZERO, 0);
}

// A constant g_q is evaluated once, but what is left of g with z eliminated, q - t, moves on.
static void test_evaluator_constant_gradient_still_eliminates_z(void **state)
{
    (void)state;
    trm_system system = {.n_q = 1,
                         .n_z = 1,
                         .n_g = 1,
                         .function = {[TRM_QUANTITY_MASS] = one,
                                      [TRM_QUANTITY_FORCE] = zero,
                                      [TRM_QUANTITY_CONSTRAINT] = carried_constraint,
                                      [TRM_QUANTITY_CONSTRAINT_Q] = one,
                                      [TRM_QUANTITY_ALGEBRAIC] = carried_algebraic},
                         .constant = TRM_BIT(CONSTRAINT_Q)};
    fixture f;
    set_up(&f, &system);
    for (int k = 0; k < 3; k++) {
        f.p.t = 0.3 * k;
        f.p.z[0] = 0.1; // not settled
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRMI_POSITION_QUANTITIES, &f.values), 0);
        // g_z and b_z come from differences of lines: roundoff over the increment 6e-6
        assert_true(fabs(trmi_position_level(&f.values)[0] - (f.p.q[0] - f.p.t)) < 1e-9);
    }
    tear_down(&f);
}

static int two_inputs(const trm_state *s, double *out, void *user)
{
    ++*(int *)user;
    const double all[] = {sin(s->t), s->t * s->t, cos(s->t), 2 * s->t, -sin(s->t), 2};
    memcpy(out, all, sizeof all);
    return 0;
}

// notes wrong excitations in its result
static int watching_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->u[4] * s->q[0];
    return s->u[0] == sin(s->t) && s->u[1] == s->t * s->t && s->u[2] == cos(s->t) &&
                   s->u[3] == 2 * s->t && s->u[4] == -sin(s->t) && s->u[5] == 2
               ? 0
               : -1;
}

static void test_evaluator_excitations_belong_to_the_time(void **state)
{
    (void)state;
    int count = 0;
    trm_system system = {.n_q = 1,
                         .n_u = 2,
                         .function = {[TRM_QUANTITY_MASS] = one,
                                      [TRM_QUANTITY_FORCE] = watching_force,
                                      [TRM_QUANTITY_INPUT] = two_inputs},
                         .user = &count};
    fixture f;
    set_up(&f, &system);
    for (int k = 0; k < 4; k++) {
        f.p.t = k % 2; // back again too
        count = 0;
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(FORCE) | TRM_BIT(MASS), &f.values), 0);
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(FORCE), &f.values), 0);
        assert_int_equal(count, 1); // once per time
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(STIFFNESS), &f.values), 0);
        assert_true(fabs(f.values.of[TRM_QUANTITY_STIFFNESS][0] - sin(f.p.t)) < 1e-7);
    }
    tear_down(&f);
}

// ---- value sets ----

static const uint64_t EVERYTHING = ~UINT64_C(0) & ~TRM_BIT(INPUT);

// whether two sets hold the same numbers, bit for bit
static bool same_values(const trmi_evaluator *e, const trmi_values *a, const trmi_values *b)
{
    bool same = memcmp(a->input, b->input, 3 * (size_t)e->n_u * sizeof *a->input) == 0;
    for (int k = 0; k < TRMI_QUANTITIES; k++)
        same =
            same && (!a->of[k] || !b->of[k] ||
                     memcmp(a->of[k], b->of[k], (size_t)e->block[k].count * sizeof *a->of[k]) == 0);
    return same;
}

static void check_sets(const trm_system *system)
{
    fixture f;
    trmi_values other = {0}, before = {0};
    trm_statistics counted = {0}, uncounted = {0};
    set_up(&f, system);
    assert_true(trmi_values_create(&other, &f.memory, &f.e, EVERYTHING, &counted));
    assert_true(trmi_values_create(&before, &f.memory, &f.e, EVERYTHING, &uncounted));
    assert_int_equal(trmi_evaluate(&f.e, &f.p, EVERYTHING, &f.values), 0);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, EVERYTHING, &before), 0);
    assert_true(same_values(&f.e, &f.values, &before));
    const trm_statistics work = f.statistics;
    f.p.q[0] += 0.01;
    f.p.t += 0.01;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, EVERYTHING, &other), 0);
    assert_false(same_values(&f.e, &other, &before));
    assert_true(same_values(&f.e, &f.values, &before));
    assert_memory_equal(&work, &f.statistics, sizeof work);
    assert_int_equal(counted.residual_evaluations, 1);
    tear_down(&f);
}

static void test_evaluator_value_sets_do_not_touch_each_other(void **state)
{
    (void)state;
    rows c = {0};
    trm_system differenced = bare_system(), supplied = row_system(&c, true);
    supplied.constant = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING);
    check_sets(&differenced);
    check_sets(&supplied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluator_value_sets_do_not_touch_each_other),
        cmocka_unit_test(test_evaluator_differences_agree_with_exact_derivatives),
        cmocka_unit_test(test_evaluator_differences_of_supplied_gradient_agree),
        cmocka_unit_test(test_evaluator_levels_eliminate_algebraic_variables),
        cmocka_unit_test(test_evaluator_difference_leaves_no_trace),
        cmocka_unit_test(test_evaluator_dropped_rows_are_renumbered),
        cmocka_unit_test(test_evaluator_dropped_rows_keep_force_lambda),
        cmocka_unit_test(test_evaluator_together_mixes_with_single),
        cmocka_unit_test(test_evaluator_constants_are_evaluated_once),
        cmocka_unit_test(test_evaluator_moving_z_carries_constraint),
        cmocka_unit_test(test_evaluator_moving_z_with_constant_g_t_carries_constraint),
        cmocka_unit_test(test_evaluator_moving_z_with_zero_g_t_carries_constraint),
        cmocka_unit_test(test_evaluator_constant_gradient_still_eliminates_z),
        cmocka_unit_test(test_evaluator_excitations_belong_to_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
