// SPDX-License-Identifier: Apache-2.0
// The built-in problems: exact derivatives against differences, consistent starts, published
// accelerations and multipliers, messages for wrong names and values.
#include "problems/planar.h"
#include "problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROBLEMS = 19, LARGEST = 400 }; // LARGEST: coordinates or rows of a tested problem

// ---- evaluating a system ----

// A point that can be changed.
typedef struct point {
    double t, q[LARGEST], v[LARGEST], a[LARGEST], lambda[LARGEST];
} point;

static trm_state view(const point *p)
{
    return (trm_state){.t = p->t, .q = p->q, .v = p->v, .a = p->a, .lambda = p->lambda};
}

static void shape(const trm_system *s, trm_quantity quantity, int *rows, int *columns)
{
    const int n_q = s->n_q, n_x = s->n_x, n_z = s->n_z, n_g = s->n_g, n_a = s->n_a, n_u = s->n_u;
    const int n_r = n_g + n_a, n_i = s->n_i, n_p = s->n_p, one = 1, three = 3;
    const int table[][2] = {
#define SHAPE(name, r, c, symbol, text) {r, c},
        TRM_QUANTITY_LIST(SHAPE)};
    *rows = table[quantity][0];
    *columns = table[quantity][1];
}

static bool supplied(const trm_system *s, trm_quantity quantity)
{
    return s->pattern[quantity].count == TRM_PATTERN_ZERO || s->function[quantity] ||
           (s->evaluates & TRM_BIT_OF(quantity));
}

static void call(const trm_system *s, trm_quantity quantity, const point *p, double *out)
{
    trm_state state = view(p);
    double *want[TRM_QUANTITY_COUNT] = {NULL}, input[6];
    if (s->n_u > 0) {
        assert_true(s->n_u <= 2);
        want[TRM_QUANTITY_INPUT] = input;
        assert_int_equal(s->evaluate(&state, want, s->user), 0);
        want[TRM_QUANTITY_INPUT] = NULL;
        state.u = input;
    }
    want[quantity] = out;
    if (s->evaluates & TRM_BIT_OF(quantity))
        assert_int_equal(s->evaluate(&state, want, s->user), 0);
    else
        assert_int_equal(s->function[quantity](&state, out, s->user), 0);
}

// The quantity as a dense array, column by column; the caller frees it.
static double *dense(const trm_system *s, trm_quantity quantity, const point *p)
{
    int rows, columns;
    shape(s, quantity, &rows, &columns);
    const trm_pattern *pattern = &s->pattern[quantity];
    double *out = calloc((size_t)(rows * columns) + 1, sizeof *out);
    if (pattern->count == TRM_PATTERN_DENSE)
        call(s, quantity, p, out);
    if (pattern->count == TRM_PATTERN_DENSE || pattern->count == TRM_PATTERN_ZERO)
        return out;
    const int count = pattern->count == TRM_PATTERN_DIAGONAL ? rows : pattern->count;
    double *value = malloc((size_t)(count + 1) * sizeof *value);
    for (int k = 0; k <= count; k++)
        value[k] = 12345.0;
    call(s, quantity, p, value);
    assert_true(value[count] == 12345.0); // writes no more than the pattern holds
    for (int k = 0; k < count; k++) {
        int row = pattern->count > 0 ? pattern->row[k] : k;
        int column = pattern->count > 0 ? pattern->column[k] : k;
        assert_in_range(row, 0, rows - 1);
        assert_in_range(column, 0, columns - 1);
        assert_true(out[row + rows * column] == 0.0); // each position once (or a zero)
        out[row + rows * column] = value[k];
    }
    free(value);
    return out;
}

// y (rows) = A x or A^T x
static void multiply(const double *a, int rows, int columns, bool transposed, const double *x,
                     double *y)
{
    memset(y, 0, (size_t)(transposed ? columns : rows) * sizeof *y);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[transposed ? j : i] += a[i + rows * j] * x[transposed ? i : j];
}

// ---- what the derivatives belong to ----

typedef void vector_function(const trm_system *s, const point *p, double *out);

static void constraint(const trm_system *s, const point *p, double *out)
{
    call(s, TRM_QUANTITY_CONSTRAINT, p, out);
}

// G v + g_t
static void velocity_level(const trm_system *s, const point *p, double *out)
{
    double *g_q = dense(s, TRM_QUANTITY_CONSTRAINT_Q, p),
           *g_t = dense(s, TRM_QUANTITY_CONSTRAINT_T, p);
    multiply(g_q, s->n_g, s->n_q, false, p->v, out);
    for (int i = 0; i < s->n_g; i++)
        out[i] += g_t[i];
    free(g_q);
    free(g_t);
}

// M a - f
static void dynamics(const trm_system *s, const point *p, double *out)
{
    double *m = dense(s, TRM_QUANTITY_MASS, p), *f = dense(s, TRM_QUANTITY_FORCE, p);
    multiply(m, s->n_q, s->n_q, false, p->a, out);
    for (int i = 0; i < s->n_q; i++)
        out[i] -= f[i];
    free(m);
    free(f);
}

// G^T lambda
static void constraint_force(const trm_system *s, const point *p, double *out)
{
    double *g_q = dense(s, TRM_QUANTITY_CONSTRAINT_Q, p);
    multiply(g_q, s->n_g, s->n_q, true, p->lambda, out);
    free(g_q);
}

static const double increment = 1e-5;

// out = (f(p + increment direction) - f(p - increment direction)) / (2 increment)
static void difference(const trm_system *s, const point *p, vector_function *f, int rows,
                       double along_t, const double *along_q, const double *along_v, double *out)
{
    static point moved;
    double value[2][LARGEST];
    for (int side = 0; side < 2; side++) {
        const double h = side ? -increment : increment;
        moved = *p;
        moved.t += h * along_t;
        for (int i = 0; i < s->n_q; i++) {
            moved.q[i] += along_q ? h * along_q[i] : 0.0;
            moved.v[i] += along_v ? h * along_v[i] : 0.0;
        }
        f(s, &moved, value[side]);
    }
    for (int i = 0; i < rows; i++)
        out[i] = (value[0][i] - value[1][i]) / (2.0 * increment);
}

// Largest difference relative to the largest entry (of either), at least 1.
static void assert_close(const trm_system *s, const char *what, const double *is,
                         const double *should, int count)
{
    double size = 1.0, worst = 0.0;
    for (int i = 0; i < count; i++) {
        size = fmax(size, fabs(should[i]));
        worst = fmax(worst, fabs(is[i] - should[i]));
        assert_true(isfinite(is[i]));
    }
    if (worst > 1e-6 * size)
        fail_msg("%s of %s differs by %g of %g", what, s->name, worst, size);
}

static void check_matrix(const trm_system *s, const point *p, trm_quantity quantity,
                         vector_function *f, bool by_v)
{
    int rows, columns;
    shape(s, quantity, &rows, &columns);
    if (!supplied(s, quantity))
        return;
    double *is = dense(s, quantity, p), unit[LARGEST] = {0.0};
    double *should = calloc((size_t)(rows * columns), sizeof *should);
    for (int j = 0; j < columns; j++) {
        unit[j] = 1.0;
        difference(s, p, f, rows, 0.0, by_v ? NULL : unit, by_v ? unit : NULL, should + rows * j);
        unit[j] = 0.0;
    }
    assert_close(s, "matrix", is, should, rows * columns);
    free(is);
    free(should);
}

static void check_vector(const trm_system *s, const point *p, trm_quantity quantity,
                         vector_function *f, const double *along_q)
{
    assert_true(supplied(s, quantity));
    double *is = dense(s, quantity, p), should[LARGEST];
    difference(s, p, f, s->n_g, 1.0, along_q, NULL, should);
    assert_close(s, "vector", is, should, s->n_g);
    free(is);
}

static void check_derivatives(const trm_system *s, const point *p)
{
    check_matrix(s, p, TRM_QUANTITY_CONSTRAINT_Q, constraint, false);
    check_matrix(s, p, TRM_QUANTITY_VELOCITY_Q, velocity_level, false);
    check_matrix(s, p, TRM_QUANTITY_STIFFNESS, dynamics, false);
    check_matrix(s, p, TRM_QUANTITY_GEOMETRIC, constraint_force, false);
    check_matrix(s, p, TRM_QUANTITY_DAMPING, dynamics, true);
    if (s->n_g == 0)
        return;
    check_vector(s, p, TRM_QUANTITY_CONSTRAINT_T, constraint, NULL);
    check_vector(s, p, TRM_QUANTITY_GAMMA, velocity_level, p->v);
}

// Solves A x = b (n x n, column by column, both overwritten) by elimination with pivots.
static void solve(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + n * k]) > fabs(a[pivot + n * k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            double kept = a[k + n * j];
            a[k + n * j] = a[pivot + n * j];
            a[pivot + n * j] = kept;
        }
        double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i + n * k] / a[k + n * k];
            for (int j = k; j < n; j++)
                a[i + n * j] -= factor * a[k + n * j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k + n * j] * b[j];
        b[k] /= a[k + n * k];
    }
}

// M a + G^T lambda = f, G a = -gamma; without the constraints: M a = f
static void accelerations(const trm_system *s, point *p, bool constrained)
{
    const int n_q = s->n_q, n_g = constrained ? s->n_g : 0, n = n_q + n_g;
    double *m = dense(s, TRM_QUANTITY_MASS, p), *f = dense(s, TRM_QUANTITY_FORCE, p);
    double *g_q = dense(s, TRM_QUANTITY_CONSTRAINT_Q, p), *gamma = dense(s, TRM_QUANTITY_GAMMA, p);
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)n, sizeof *b);
    for (int j = 0; j < n_q; j++) {
        for (int i = 0; i < n_q; i++)
            a[i + n * j] = m[i + n_q * j];
        for (int i = 0; i < n_g; i++)
            a[n_q + i + n * j] = a[j + n * (n_q + i)] = g_q[i + s->n_g * j];
    }
    for (int i = 0; i < n; i++)
        b[i] = i < n_q ? f[i] : -gamma[i - n_q];
    solve(n, a, b);
    memcpy(p->a, b, (size_t)n_q * sizeof *b);
    memcpy(p->lambda, b + n_q, (size_t)n_g * sizeof *b);
    free(m);
    free(f);
    free(g_q);
    free(gamma);
    free(a);
    free(b);
}

static void energy(const trm_system *s, const point *p, double *out)
{
    call(s, TRM_QUANTITY_ENERGY, p, out);
}

// At fixed t and without constraints the energy changes by the power of the dampers alone, and
// only their force is odd in v.
static void check_energy(const trm_system *s, const point *p)
{
    static point at;
    double odd = 0.0, size = 1.0, rate;
    double *forward = dense(s, TRM_QUANTITY_FORCE, p);
    at = *p;
    for (int i = 0; i < s->n_q; i++)
        at.v[i] = -p->v[i];
    double *backward = dense(s, TRM_QUANTITY_FORCE, &at);
    for (int i = 0; i < s->n_q; i++) {
        odd += 0.5 * (forward[i] - backward[i]) * p->v[i];
        size = fmax(size, fabs(forward[i] * p->v[i]));
    }
    at = *p;
    accelerations(s, &at, false);
    difference(s, &at, energy, 1, 0.0, at.v, at.a, &rate);
    if (!(fabs(rate - odd) <= 1e-5 * size))
        fail_msg("energy of %s changes by %g, the dampers take %g", s->name, rate, odd);
    free(forward);
    free(backward);
}

// ---- points ----

static void set_initial(const trp_problem *problem, point *p)
{
    const trm_system *s = trp_problem_system(problem);
    const trm_initial *initial = trp_problem_initial(problem);
    assert_true(s->n_q <= LARGEST && s->n_g <= LARGEST);
    *p = (point){.t = initial->t};
    memcpy(p->q, initial->q, (size_t)s->n_q * sizeof *p->q);
    memcpy(p->v, initial->v, (size_t)s->n_q * sizeof *p->v);
}

// A number in -1 .. 1 of a fixed sequence.
static double noise(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void perturb(const trm_system *s, point *p)
{
    uint64_t seed = 7;
    p->t = 0.3;
    for (int i = 0; i < s->n_q; i++) {
        p->q[i] += 0.1 * noise(&seed);
        p->v[i] = noise(&seed);
        p->a[i] = noise(&seed);
    }
    for (int i = 0; i < s->n_g; i++)
        p->lambda[i] = noise(&seed);
}

static trp_problem *make(const char *name, const char *option, double value)
{
    const trm_problem_option options[] = {{option, value}, {NULL, 0.0}};
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, name, options, &error) != TRM_OK)
        fail_msg("%s: %s", name, error.text);
    return problem;
}

// ---- tests ----

static void check_start(const trp_problem *problem)
{
    static point p;
    const trm_system *s = trp_problem_system(problem);
    // the printed start values of the bushing have 5 digits
    const double g_limit = strcmp(s->name, "bushing") ? 1e-9 : 1e-6;
    double g[LARGEST], rate[LARGEST];
    if (s->n_g == 0)
        return;
    set_initial(problem, &p);
    constraint(s, &p, g);
    velocity_level(s, &p, rate);
    for (int i = 0; i < s->n_g; i++) {
        assert_true(fabs(g[i]) <= g_limit);
        assert_true(fabs(rate[i]) <= 1e-8);
    }
}

static void check_blocks(const trm_system *s)
{
    if (s->n_bodies == 0)
        return;
    assert_int_equal(s->body_first[0], 0);
    assert_int_equal(s->joint_first[0], 0);
    for (int b = 0; b < s->n_bodies; b++)
        assert_true(s->body_first[b] < s->body_first[b + 1]);
    for (int j = 0; j < s->n_joints; j++)
        assert_true(s->joint_first[j] < s->joint_first[j + 1]);
    assert_int_equal(s->body_first[s->n_bodies], s->n_q);
    assert_int_equal(s->joint_first[s->n_joints], s->n_g);
}

static void check_problem(trp_problem *problem)
{
    static point p;
    const trm_system *s = trp_problem_system(problem);
    assert_true(trp_problem_end(problem) > 0.0);
    assert_non_null(s->q_names[s->n_q - 1]);
    if (s->n_g > 0)
        assert_non_null(s->g_names[s->n_g - 1]);
    check_start(problem);
    check_blocks(s);
    set_initial(problem, &p);
    check_derivatives(s, &p);
    perturb(s, &p);
    check_derivatives(s, &p);
    if (supplied(s, TRM_QUANTITY_ENERGY))
        check_energy(s, &p);
    trp_problem_destroy(problem);
}

static void test_every_problem(void **state)
{
    (void)state;
    int count = 0;
    for (const trp_problem_info *info; (info = trp_problem_list(count)) != NULL; count++) {
        assert_non_null(info->summary);
        trp_problem *problem;
        assert_int_equal(trp_problem_create(&problem, info->name, NULL, NULL), TRM_OK);
        assert_string_equal(trp_problem_system(problem)->name, info->name);
        // those with states and algebraic variables have tests of their own
        if (trp_problem_system(problem)->n_x + trp_problem_system(problem)->n_z == 0)
            check_problem(problem);
        else
            trp_problem_destroy(problem);
        // the defaults of the list are accepted as given values
        assert_int_equal(trp_problem_create(&problem, info->name, info->options, NULL), TRM_OK);
        trp_problem_destroy(problem);
    }
    assert_int_equal(count, PROBLEMS);
    assert_null(trp_problem_list(-1));
}

// More bodies than one batch of the evaluation, and other values than the defaults.
static void test_options(void **state)
{
    (void)state;
    check_problem(make("chain", "links", 1.0));
    check_problem(make("chain", "links", 41.0));
    check_problem(make("four-bar", "loops", 1.0));
    check_problem(make("four-bar", "loops", 18.0));
    check_problem(make("stiff-bushing", "zeta", 0.0));
    check_problem(make("normal-stiff", "k", 0.0));
    check_problem(make("normal-stiff", "k", 1e8));
    check_problem(make("rheonomic-pendulum", "a", 0.0));
    check_problem(make("linear-oscillator", "kx", 1e4));
    check_problem(make("bushing", "eps", 1e-6));
    trp_problem *problem = make("pendulum", "x0", 1.0);
    assert_true(trp_problem_initial(problem)->q[0] == 1.0);
    trp_problem_destroy(problem);
}

// What the combined callback fills does not depend on what else is asked for.
static void test_combined(void **state)
{
    (void)state;
    static point p;
    trp_problem *problem = make("andrews-absolute", NULL, 0.0);
    const trm_system *s = trp_problem_system(problem);
    double alone[TRM_QUANTITY_COUNT][LARGEST] = {{0.0}}, all[TRM_QUANTITY_COUNT][LARGEST] = {{0.0}};
    double *want[TRM_QUANTITY_COUNT] = {NULL};
    set_initial(problem, &p);
    perturb(s, &p);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (s->evaluates & TRM_BIT_OF(k)) {
            call(s, (trm_quantity)k, &p, alone[k]);
            want[k] = all[k];
        }
    const trm_state at = view(&p);
    assert_int_equal(s->evaluate(&at, want, s->user), 0);
    assert_memory_equal(alone, all, sizeof all);
    trp_problem_destroy(problem);
}

// Springs of both kinds, damped, two of them between the same bodies, and a free body.
static void test_springs(void **state)
{
    (void)state;
    static point p;
    trp_problem problem = {.system.name = "springs"};
    trp_planar *planar = trp_planar_create(&problem, 3, 1, 4);
    assert_non_null(planar);
    for (int b = 0; b < 3; b++)
        trp_planar_body(planar, b, 1.0 + b, 0.5 + b, 9.81);
    planar->pin[0] = (trp_pin){{TRP_PLANAR_GROUND, 0.1, 0.2}, {0, -0.3, 0.4}};
    planar->spring[0] = (trp_spring){{0, 0.5, 0.1}, {2, -0.5, 0.2}, 30.0, 2.0, 0.7, true};
    planar->spring[1] = (trp_spring){{2, 0.1, 0.3}, {0, 0.2, -0.9}, 20.0, 3.0, 0.0, false};
    planar->spring[2] =
        (trp_spring){{TRP_PLANAR_GROUND, 2.0, 1.0}, {1, 0.2, 0.9}, 10.0, 1.0, 0.3, true};
    planar->spring[3] =
        (trp_spring){{1, 0.4, -0.2}, {TRP_PLANAR_GROUND, 0, 0}, 5.0, 0.5, 0.0, false};
    assert_true(trp_planar_finish(planar, &problem));
    p = (point){.q = {0.0, 0.0, 0.5, 1.0, -1.0, 2.0, -1.5, 0.7, -3.0}};
    perturb(&problem.system, &p);
    assert_int_equal(problem.system.pattern[TRM_QUANTITY_STIFFNESS].count, 36 + 9);
    check_blocks(&problem.system);
    check_derivatives(&problem.system, &p);
    check_energy(&problem.system, &p);
    trp_memory_release(&problem.memory);
}

static void assert_relative(double is, double should, double tolerance)
{
    if (!(fabs(is - should) <= tolerance * fabs(should)))
        fail_msg("%.15g should be %.15g", is, should);
}

// A published state: q, v and what follows from them.
static void check_reference(const char *name, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double tolerance)
{
    static point p;
    trp_problem *problem = make(name, NULL, 0.0);
    const trm_system *s = trp_problem_system(problem);
    p = (point){.t = t};
    memcpy(p.q, q, (size_t)s->n_q * sizeof *q);
    memcpy(p.v, v, (size_t)s->n_q * sizeof *v);
    accelerations(s, &p, true);
    for (int i = 0; a && i < s->n_q; i++)
        assert_relative(p.a[i], a[i], tolerance);
    for (int i = 0; i < s->n_g; i++)
        assert_relative(p.lambda[i], lambda[i], tolerance);
    trp_problem_destroy(problem);
}

// End points of the reference solutions: accelerations and multipliers belong to q and v.
static void test_references(void **state)
{
    (void)state;
    check_reference("andrews", 0.03,
                    (double[]){15.810771195153707097, -15.756371058411839470,
                               4.0822240119645804858e-2, -5.3473011634207959377e-1,
                               5.2440996587995406937e-1, 5.3473011634207959377e-1,
                               1.0480807410419378731},
                    (double[]){1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745,
                               19.293374105032040832, 5.7356991482950245382e-1,
                               -19.293374105032040832, 3.2317914924913087499e-1},
                    (double[]){-24631.763122874634470, 51850.319636464231534, 324102.60070757860581,
                               566749.42200099532649, 16743.635418345444610, -566749.42200099532649,
                               9826.5078015441626885},
                    (double[]){199.17534810453862819, -29.755309974971763324, 23.066543611622151129,
                               31.452725275771137075, 22.642494786394378578, 11.617392352611255907},
                    1e-11);
    check_reference("car-axis", 3.0,
                    (double[]){4.9345578427524092132e-2, 4.9698946023000810676e-1,
                               1.0417425248854261152, 3.7391102726536581936e-1},
                    (double[]){-7.7058368403592084284e-2, 7.4468665920684164914e-3,
                               1.7556815753541736630e-2, 7.7034104377960106312e-1},
                    NULL, (double[]){-4.7368865908533265153e-3, -1.1046803312595658399e-3}, 1e-11);
    check_reference("slider-crank", 1.0,
                    (double[]){1.3154205708817, 1.0014918072308, -0.50497347064200},
                    (double[]){-0.50879297690987, 0.28166909468699, 0.073427529014185}, NULL,
                    (double[]){1.0548152466553, -0.55382072666396}, 1e-12);
}

// The two descriptions of Andrews' mechanism start with the same angular accelerations.
static void test_andrews_twice(void **state)
{
    (void)state;
    static point angles, absolute;
    trp_problem *one = make("andrews", NULL, 0.0), *two = make("andrews-absolute", NULL, 0.0);
    set_initial(one, &angles);
    set_initial(two, &absolute);
    accelerations(trp_problem_system(one), &angles, true);
    accelerations(trp_problem_system(two), &absolute, true);
    assert_relative(angles.a[0], 14222.4439199541138705911625887, 1e-12);
    assert_relative(angles.a[1], -10666.8329399655854029433719415, 1e-12);
    assert_relative(angles.lambda[0], 98.5668703962410896057654982170, 1e-12);
    assert_relative(angles.lambda[1], -6.12268834425566265503114393122, 1e-11);
    assert_relative(absolute.a[2], angles.a[0], 1e-11);
    assert_relative(absolute.a[5], angles.a[0] + angles.a[1], 1e-11);
    trp_problem_destroy(one);
    trp_problem_destroy(two);
}

static void assert_refused(const char *name, const char *option, double value, const char *part)
{
    const trm_problem_option options[] = {{option, value}, {NULL, 0.0}};
    trp_problem *problem = (trp_problem *)&problem;
    trm_error error;
    assert_int_equal(trp_problem_create(&problem, name, options, &error), TRM_ERR_OPTION);
    assert_int_equal(error.status, TRM_ERR_OPTION);
    assert_null(problem);
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("chian", NULL, 0.0, "\"chian\"; nearest: chain, ");
    assert_refused("crank", NULL, 0.0, "nearest: slider-crank, ");
    assert_refused("", NULL, 0.0, "there is no problem \"\"");
    assert_refused(NULL, NULL, 0.0, "there is no problem \"\"");
    assert_refused("chain", "link", 3.0, "nearest: links");
    assert_refused("pendulum", "gravity", 1.0, "problem pendulum has no option \"gravity\"");
    assert_refused("rotation", "g", 1.0, "it takes none");
    assert_refused("chain", "links", 0.0, "option links of problem chain is 0; it must be");
    assert_refused("chain", "links", 2.5, "whole number in 1 ..");
    assert_refused("chain", "links", (double)NAN, "must be");
    assert_refused("four-bar", "loops", -2.0, "must be");
    assert_refused("bushing", "eps", 0.0, "must be a number");
    assert_int_equal(trp_problem_create(&(trp_problem *){NULL}, "x", NULL, NULL), TRM_ERR_OPTION);
    trp_problem_destroy(NULL);
}

// The sines of planar mechanisms: within 1 ulp of long double, and the fallback for large angles.
static void test_cosines(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double angle[TRP_BATCH_BODIES], c[TRP_BATCH_BODIES], s[TRP_BATCH_BODIES], worst = 0.0;
    for (int n = 0; n < 20000; n++) {
        const double range[] = {0.8, 10.0, 1e3, 99999.0};
        for (int i = 0; i < TRP_BATCH_BODIES; i++) {
            angle[i] = range[n % 4] * noise(&seed);
            if (n % 8 >= 4) // next to a multiple of pi/2
                angle[i] =
                    rint(angle[i] / 1.6) * 1.57079632679489661923 * (1.0 + 1e-15 * noise(&seed));
        }
        trp_cosines(TRP_BATCH_BODIES, angle, c, s);
        for (int i = 0; i < TRP_BATCH_BODIES; i++) {
            const long double sine = sinl(angle[i]), cosine = cosl(angle[i]);
            const double ulp_s = nextafter(fabs(s[i]), 2.0) - fabs(s[i]);
            const double ulp_c = nextafter(fabs(c[i]), 2.0) - fabs(c[i]);
            worst = fmax(worst, (double)fabsl(s[i] - sine) / ulp_s);
            worst = fmax(worst, (double)fabsl(c[i] - cosine) / ulp_c);
        }
    }
    print_message("largest error of the sines: %.3f ulp\n", worst);
    assert_true(worst < 1.0);
    memset(angle, 0, sizeof angle);
    angle[3] = 1e12;
    trp_cosines(TRP_BATCH_BODIES, angle, c, s);
    assert_true(s[3] == sin(1e12) && c[3] == cos(1e12) && s[0] == 0.0 && c[0] == 1.0);
    angle[5] = NAN;
    angle[3] = 0.0;
    trp_cosines(TRP_BATCH_BODIES, angle, c, s);
    assert_true(isnan(s[5]) && isnan(c[5]) && c[0] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_problem), cmocka_unit_test(test_options),
        cmocka_unit_test(test_combined),      cmocka_unit_test(test_references),
        cmocka_unit_test(test_andrews_twice), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_springs),       cmocka_unit_test(test_cosines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
