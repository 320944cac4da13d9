// SPDX-License-Identifier: Apache-2.0
// One iteration of Radau IIA on random derivatives of every kind: the transformed solution (one
// real and some complex matrices) and the one with all stages stacked agree with the complete
// Newton system, in which velocities were not eliminated.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 4, N_X = 2, N_Z = 1, N_G = 2, N_A = 1, N_R = N_G + N_A, STAGES = 7 };
enum { ONE = 2 * N + N_X + N_Z + N_R, LARGEST = STAGES * ONE };

// ---- a system whose derivatives are numbers ----

typedef struct numbers {
    double block[TRM_QUANTITY_COUNT][N * N];
} numbers;

static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9.3e18;
}

static int rows_of(trm_quantity which)
{
    switch (which) {
    case TRM_QUANTITY_RATE_Q:
    case TRM_QUANTITY_RATE_V:
    case TRM_QUANTITY_RATE_X:
    case TRM_QUANTITY_RATE_Z:
    case TRM_QUANTITY_RATE_LAMBDA:
        return N_X;
    case TRM_QUANTITY_ALGEBRAIC_Q:
    case TRM_QUANTITY_ALGEBRAIC_V:
    case TRM_QUANTITY_ALGEBRAIC_X:
    case TRM_QUANTITY_ALGEBRAIC_Z:
    case TRM_QUANTITY_ALGEBRAIC_LAMBDA:
        return N_Z;
    case TRM_QUANTITY_CONSTRAINT_Q:
        return N_G;
    case TRM_QUANTITY_ROLLING:
        return N_A;
    default:
        return N;
    }
}

// entry (i, j) of a block, column-major as callbacks give it
static double entry(const numbers *all, trm_quantity which, int i, int j)
{
    return all->block[which][i + rows_of(which) * j];
}

#define BLOCK(name, quantity, count)                                                               \
    static int name(const trm_state *s, double *out, void *user)                                   \
    {                                                                                              \
        (void)s;                                                                                   \
        memcpy(out, ((const numbers *)user)->block[quantity], (size_t)(count) * sizeof *out);      \
        return 0;                                                                                  \
    }

BLOCK(mass, TRM_QUANTITY_MASS, N *N)
BLOCK(stiffness, TRM_QUANTITY_STIFFNESS, N *N)
BLOCK(damping, TRM_QUANTITY_DAMPING, N *N)
BLOCK(force_x, TRM_QUANTITY_FORCE_X, N *N_X)
BLOCK(force_z, TRM_QUANTITY_FORCE_Z, N *N_Z)
BLOCK(force_lambda, TRM_QUANTITY_FORCE_LAMBDA, N *N_R)
BLOCK(rate_q, TRM_QUANTITY_RATE_Q, N_X *N)
BLOCK(rate_v, TRM_QUANTITY_RATE_V, N_X *N)
BLOCK(rate_x, TRM_QUANTITY_RATE_X, N_X *N_X)
BLOCK(rate_z, TRM_QUANTITY_RATE_Z, N_X *N_Z)
BLOCK(rate_lambda, TRM_QUANTITY_RATE_LAMBDA, N_X *N_R)
BLOCK(algebraic_q, TRM_QUANTITY_ALGEBRAIC_Q, N_Z *N)
BLOCK(algebraic_v, TRM_QUANTITY_ALGEBRAIC_V, N_Z *N)
BLOCK(algebraic_x, TRM_QUANTITY_ALGEBRAIC_X, N_Z *N_X)
BLOCK(algebraic_z, TRM_QUANTITY_ALGEBRAIC_Z, N_Z *N_Z)
BLOCK(algebraic_lambda, TRM_QUANTITY_ALGEBRAIC_LAMBDA, N_Z *N_R)
BLOCK(constraint_q, TRM_QUANTITY_CONSTRAINT_Q, N_G *N)
BLOCK(rolling, TRM_QUANTITY_ROLLING, N_A *N)

static int zeros(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    memset(out, 0, N * sizeof *out);
    return 0;
}

static int no_geometric(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    memset(out, 0, N * N * sizeof *out);
    return 0;
}

// the origin is at rest and in equilibrium
static int law(const trm_state *s, double *out, void *user)
{
    out[0] = entry(user, TRM_QUANTITY_ALGEBRAIC_Z, 0, 0) * s->z[0];
    return 0;
}

static int constraint(const trm_state *s, double *out, void *user)
{
    for (int i = 0; i < N_G; i++) {
        out[i] = 0;
        for (int j = 0; j < N; j++)
            out[i] += entry(user, TRM_QUANTITY_CONSTRAINT_Q, i, j) * s->q[j];
    }
    return 0;
}

static trm_system system_of(numbers *all)
{
    return (trm_system){.name = "numbers",
                        .n_q = N,
                        .n_x = N_X,
                        .n_z = N_Z,
                        .n_g = N_G,
                        .n_a = N_A,
                        .user = all,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = zeros,
                                     [TRM_QUANTITY_RATE] = zeros,
                                     [TRM_QUANTITY_ALGEBRAIC] = law,
                                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                                     [TRM_QUANTITY_GAMMA] = zeros,
                                     [TRM_QUANTITY_GEOMETRIC] = no_geometric,
                                     [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q,
                                     [TRM_QUANTITY_ROLLING] = rolling,
                                     [TRM_QUANTITY_STIFFNESS] = stiffness,
                                     [TRM_QUANTITY_DAMPING] = damping,
                                     [TRM_QUANTITY_FORCE_X] = force_x,
                                     [TRM_QUANTITY_FORCE_Z] = force_z,
                                     [TRM_QUANTITY_FORCE_LAMBDA] = force_lambda,
                                     [TRM_QUANTITY_RATE_Q] = rate_q,
                                     [TRM_QUANTITY_RATE_V] = rate_v,
                                     [TRM_QUANTITY_RATE_X] = rate_x,
                                     [TRM_QUANTITY_RATE_Z] = rate_z,
                                     [TRM_QUANTITY_RATE_LAMBDA] = rate_lambda,
                                     [TRM_QUANTITY_ALGEBRAIC_Q] = algebraic_q,
                                     [TRM_QUANTITY_ALGEBRAIC_V] = algebraic_v,
                                     [TRM_QUANTITY_ALGEBRAIC_X] = algebraic_x,
                                     [TRM_QUANTITY_ALGEBRAIC_Z] = algebraic_z,
                                     [TRM_QUANTITY_ALGEBRAIC_LAMBDA] = algebraic_lambda}};
}

// M and b_z well away from singular, the forces of the multipliers small
static void fill(numbers *all, uint64_t seed)
{
    for (int which = 0; which < TRM_QUANTITY_COUNT; which++)
        for (int k = 0; k < N * N; k++)
            all->block[which][k] = next(&seed);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double number = (i == j ? 5 : 0) + all->block[TRM_QUANTITY_MASS][i + N * j];
            all->block[TRM_QUANTITY_MASS][i + N * j] = all->block[TRM_QUANTITY_MASS][j + N * i] =
                number;
        }
    all->block[TRM_QUANTITY_ALGEBRAIC_Z][0] = 3;
    for (int k = 0; k < N * N; k++)
        all->block[TRM_QUANTITY_FORCE_LAMBDA][k] *= 0.1;
}

// ---- the complete system ----

// Gauss with pivots from the column, in place
static void solve_complete(int n, double (*a)[LARGEST], double *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j < n; j++) {
            double other = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = other;
        }
        double other = b[k];
        b[k] = b[pivot];
        b[pivot] = other;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

// a[row..][col..] += factor block
static void add(double (*a)[LARGEST], int row, int col, const numbers *all, trm_quantity which,
                int columns, double factor)
{
    for (int i = 0; i < rows_of(which); i++)
        for (int j = 0; j < columns; j++)
            a[row + i][col + j] += factor * entry(all, which, i, j);
}

static void add_transposed(double (*a)[LARGEST], int row, int col, const numbers *all,
                           trm_quantity which)
{
    for (int i = 0; i < rows_of(which); i++)
        for (int j = 0; j < N; j++)
            a[row + j][col + i] += entry(all, which, i, j);
}

enum { DQ = 0, DV = N, DX = 2 * N, DZ = DX + N_X, DL = DZ + N_Z }; // unknowns and rows of a stage

// what couples stage i with stage j: (1/h) Gamma_ij dq - dv = 0, M v', x'
static void add_coupling(double (*a)[LARGEST], int i, int j, double gamma, const numbers *all)
{
    for (int k = 0; k < N; k++)
        a[i * ONE + DV + k][j * ONE + DQ + k] += gamma;
    add(a, i * ONE + DQ, j * ONE + DV, all, TRM_QUANTITY_MASS, N, gamma);
    for (int k = 0; k < N_X; k++)
        a[i * ONE + DX + k][j * ONE + DX + k] += gamma;
}

static void add_stage(double (*a)[LARGEST], int i, const numbers *all)
{
    int o = i * ONE;
    for (int k = 0; k < N; k++)
        a[o + DV + k][o + DV + k] -= 1;
    add(a, o + DQ, o + DQ, all, TRM_QUANTITY_STIFFNESS, N, 1);
    add(a, o + DQ, o + DV, all, TRM_QUANTITY_DAMPING, N, 1);
    add(a, o + DQ, o + DX, all, TRM_QUANTITY_FORCE_X, N_X, -1);
    add(a, o + DQ, o + DZ, all, TRM_QUANTITY_FORCE_Z, N_Z, -1);
    add(a, o + DQ, o + DL, all, TRM_QUANTITY_FORCE_LAMBDA, N_R, -1);
    add_transposed(a, o + DQ, o + DL, all, TRM_QUANTITY_CONSTRAINT_Q);
    add_transposed(a, o + DQ, o + DL + N_G, all, TRM_QUANTITY_ROLLING);
    add(a, o + DX, o + DQ, all, TRM_QUANTITY_RATE_Q, N, -1);
    add(a, o + DX, o + DV, all, TRM_QUANTITY_RATE_V, N, -1);
    add(a, o + DX, o + DX, all, TRM_QUANTITY_RATE_X, N_X, -1);
    add(a, o + DX, o + DZ, all, TRM_QUANTITY_RATE_Z, N_Z, -1);
    add(a, o + DX, o + DL, all, TRM_QUANTITY_RATE_LAMBDA, N_R, -1);
    add(a, o + DZ, o + DQ, all, TRM_QUANTITY_ALGEBRAIC_Q, N, 1);
    add(a, o + DZ, o + DV, all, TRM_QUANTITY_ALGEBRAIC_V, N, 1);
    add(a, o + DZ, o + DX, all, TRM_QUANTITY_ALGEBRAIC_X, N_X, 1);
    add(a, o + DZ, o + DZ, all, TRM_QUANTITY_ALGEBRAIC_Z, N_Z, 1);
    add(a, o + DZ, o + DL, all, TRM_QUANTITY_ALGEBRAIC_LAMBDA, N_R, 1);
    add(a, o + DL, o + DQ, all, TRM_QUANTITY_CONSTRAINT_Q, N, 1);
    add(a, o + DL + N_G, o + DV, all, TRM_QUANTITY_ROLLING, N, 1);
}

// the solution for right-hand sides [dynamics | x | z | rows] of each stage, in their order
static void solve_full_newton(const trmi_radau_tableau *t, const numbers *all, double h,
                              double rhs[STAGES][ONE])
{
    static double a[LARGEST][LARGEST];
    double b[LARGEST] = {0};
    memset(a, 0, sizeof a);
    for (int i = 0; i < t->s; i++) {
        for (int j = 0; j < t->s; j++)
            add_coupling(a, i, j, t->gamma[i][j] / h, all);
        add_stage(a, i, all);
        memcpy(b + i * ONE + DQ, rhs[i], N * sizeof *b);
        memcpy(b + i * ONE + DX, rhs[i] + N, (ONE - 2 * N) * sizeof *b);
    }
    solve_complete(t->s * ONE, a, b);
    for (int i = 0; i < t->s; i++) {
        memcpy(rhs[i], b + i * ONE + DQ, N * sizeof *b);
        memcpy(rhs[i] + N, b + i * ONE + DX, (ONE - 2 * N) * sizeof *b);
    }
}

// ---- tests ----

static trm_simulation *start(const trm_system *system, int order, trm_solver solver)
{
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    options.max_order = order;
    options.h_fixed = 0.1;
    options.linear_solver = solver;
    trm_simulation *s;
    trm_error error;
    if (trm_simulation_create(&s, system, &options, NULL, &error) != TRM_OK)
        fail_msg("%s", error.text);
    return s;
}

static void load_stages(trm_simulation *s, double rhs[STAGES][ONE])
{
    for (int i = 0; i < trmi_radau_of(s)->tableau->s; i++)
        memcpy(trmi_radau_of(s)->stage[i].rhs, rhs[i], (ONE - N) * sizeof(double));
}

// relative to the largest entry of each kind of unknown
static double distance(const trm_simulation *s, double exact[STAGES][ONE])
{
    const int first[] = {0, N, N + N_X, N + N_X + N_Z, ONE - N};
    double most = 0;
    for (int kind = 0; kind < 4; kind++) {
        double size = 0, off = 0;
        for (int i = 0; i < trmi_radau_of(s)->tableau->s; i++)
            for (int k = first[kind]; k < first[kind + 1]; k++) {
                size = fmax(size, fabs(exact[i][k]));
                off = fmax(off, fabs(trmi_radau_of(s)->stage[i].rhs[k] - exact[i][k]));
            }
        most = fmax(most, off / size);
    }
    return most;
}

static void check(int family, trm_solver solver, double h)
{
    numbers all;
    fill(&all, (uint64_t)(1 + family));
    trm_system system = system_of(&all);
    trm_simulation *s = start(&system, 5 + 4 * family, solver);
    trmi_radau *r = trmi_radau_of(s);
    trmi_radau_use_family(s, family);
    double rhs[STAGES][ONE], exact[STAGES][ONE];
    uint64_t seed = 99;
    for (int i = 0; i < STAGES; i++)
        for (int k = 0; k < ONE; k++)
            rhs[i][k] = exact[i][k] = next(&seed);
    solve_full_newton(r->tableau, &all, h, exact);
    uint64_t want = TRMI_POSITION_QUANTITIES | trmi_saddle_derivatives(&r->matrix.form->saddle);
    assert_int_equal(trmi_evaluate(&s->e, &s->now, want, &s->values), 0);
    trmi_shifted_take(&r->matrix, 0);
    double complex shift[TRMI_MAX_PAIRS];
    for (int k = 0; k < TRMI_MAX_PAIRS; k++)
        shift[k] = r->tableau->shift[k] / h;
    assert_int_equal(trmi_shifted_factor(&r->matrix, r->tableau->real_shift / h, shift, 1 + family),
                     TRMI_FACTOR_OK);
    load_stages(s, rhs);
    trmi_radau_solve(s, h);
    // measured 1e-12, 8e-13, 1.4e-11; the transformation T, of condition 10, 154 and 2387 (largest
    // sums of rows), costs the last family a digit
    if (!(distance(s, exact) < 1e-10))
        fail_msg("%d stages, transformed: %g", r->tableau->s, distance(s, exact));
    assert_true(trmi_radau_couple(s, family));
    trmi_stacked *stacked = &r->stacked[family];
    trmi_stacked_clear(stacked, true);
    for (int i = 0; i < r->tableau->s; i++)
        trmi_stacked_add(stacked, i, h, 0);
    assert_int_equal(trmi_stacked_factor(stacked), TRMI_FACTOR_OK);
    load_stages(s, rhs);
    trmi_radau_solve_coupled(s, h);
    // measured 2e-12
    if (!(distance(s, exact) < 1e-10))
        fail_msg("%d stages, stacked: %g", r->tableau->s, distance(s, exact));
    trm_simulation_destroy(s);
}

static void test_stacked_and_transformed_agree_with_the_complete_newton_system(void **state)
{
    (void)state;
    for (int family = 0; family < TRMI_RADAU_FAMILIES; family++)
        for (int solver = TRM_SOLVER_DENSE; solver <= TRM_SOLVER_SPARSE; solver++)
            for (double h = 1; h > 0.2; h /= 2) // shorter steps cost the complete system digits
                check(family, (trm_solver)solver, h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacked_and_transformed_agree_with_the_complete_newton_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
