// SPDX-License-Identifier: Apache-2.0
// Complex twins of the dense and the sparse solver: residuals, each against the other, kept pivots,
// singular matrices, checkpoints.
#include "solver/linear/complex_solver.h"

#include "verify/verify.h"

enum { N = 40, COUNT = 400 };

typedef struct problem {
    trmi_memory memory;
    int count, row[COUNT], col[COUNT];
    double complex number[COUNT];
    trmi_solver *real[2]; // dense, klu
    trmi_complex_solver *twin[2];
} problem;

static void add(problem *p, int row, int col)
{
    assert_true(p->count < COUNT);
    p->row[p->count] = row;
    p->col[p->count++] = col;
}

static void renumber(problem *p, uint64_t seed)
{
    for (int i = 0; i < p->count; i++) {
        double re = verify_noise(&seed), im = verify_noise(&seed);
        p->number[i] = CMPLX(p->row[i] == p->col[i] ? re + 1 : re, im);
    }
}

// a random sparse matrix with a full diagonal
static void create(problem *p)
{
    *p = (problem){0};
    uint64_t seed = 7;
    trmi_memory_init(&p->memory, NULL);
    for (int i = 0; i < N; i++) {
        add(p, i, i);
        for (int k = 0; k < 3; k++)
            add(p, i, (int)((verify_noise(&seed) + 1) * 0.4999 * N));
    }
    renumber(p, 1);
    trmi_structure structure = {.n = N, .count = p->count, .row = p->row, .col = p->col};
    p->real[0] = trmi_dense_create(&p->memory, &structure);
    p->real[1] = trmi_klu_create(&p->memory, &structure);
    for (int k = 0; k < 2; k++) {
        p->twin[k] = trmi_complex_create(&p->memory, p->real[k]);
        assert_non_null(p->twin[k]);
        assert_int_equal(p->twin[k]->value_count, p->real[k]->value_count);
    }
}

static void finish(problem *p)
{
    for (int k = 0; k < 2; k++) {
        trmi_complex_destroy(p->twin[k]);
        trmi_solver_destroy(p->real[k]);
    }
    trmi_memory_release_all(&p->memory);
}

static trmi_factor_status factor(problem *p, int k)
{
    trmi_complex_solver *twin = p->twin[k];
    memset(twin->value, 0, (size_t)twin->value_count * sizeof *twin->value);
    for (int i = 0; i < p->count; i++)
        twin->value[p->real[k]->type->position(p->real[k], p->row[i], p->col[i])] += p->number[i];
    return twin->type->factor(twin);
}

// A x = b: the residual of the solution
static void check(problem *p, int k)
{
    double complex b[N], x[N];
    double largest = 0;
    for (int i = 0; i < N; i++)
        x[i] = b[i] = cos(i) + sin(3 * i) * I;
    p->twin[k]->type->solve(p->twin[k], x);
    for (int i = 0; i < p->count; i++)
        b[p->row[i]] -= p->number[i] * x[p->col[i]];
    for (int i = 0; i < N; i++)
        largest = fmax(largest, cabs(x[i]));
    for (int i = 0; i < N; i++) // backward stability: some eps of the largest product
        assert_true(cabs(b[i]) <= 1e-13 * (1 + largest));
}

static void test_linear_complex_solutions_satisfy_the_equations(void **state)
{
    (void)state;
    problem p;
    create(&p);
    for (uint64_t seed = 1; seed < 20; seed++) { // klu: pivots kept and chosen anew
        renumber(&p, seed);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(factor(&p, k), TRMI_FACTOR_OK);
            check(&p, k);
        }
    }
    finish(&p);
}

// Rows times powers of two, up to 2^20: the pivots, and so the bits of the solution, are the same.
static void test_linear_complex_dense_pivots_do_not_depend_on_the_scale_of_rows(void **state)
{
    (void)state;
    problem p;
    double complex x[2][N];
    create(&p);
    for (int scaled = 0; scaled < 2; scaled++) {
        for (int i = 0; i < p.count; i++)
            p.number[i] *= scaled ? ldexp(1, p.row[i] * 7 % 41 - 20) : 1;
        for (int i = 0; i < N; i++)
            x[scaled][i] = (cos(i) + sin(3 * i) * I) * (scaled ? ldexp(1, i * 7 % 41 - 20) : 1);
        assert_int_equal(factor(&p, 0), TRMI_FACTOR_OK);
        p.twin[0]->type->solve(p.twin[0], x[scaled]);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    finish(&p);
}

static void test_linear_complex_zero_row_is_singular(void **state)
{
    (void)state;
    problem p;
    create(&p);
    for (int i = 0; i < p.count; i++)
        p.number[i] = p.row[i] == 11 ? 0 : p.number[i];
    for (int k = 0; k < 2; k++)
        assert_int_equal(factor(&p, k), TRMI_FACTOR_SINGULAR);
    finish(&p);
}

static void test_linear_complex_not_a_number_is_singular(void **state)
{
    (void)state;
    problem p;
    create(&p);
    p.number[5] = NAN;
    for (int k = 0; k < 2; k++)
        assert_int_equal(factor(&p, k), TRMI_FACTOR_SINGULAR);
    finish(&p);
}

// the same bits from loaded factors, with pivots chosen for an earlier matrix
static void test_linear_complex_archive_restores_the_factors(void **state)
{
    (void)state;
    problem p, other;
    create(&p);
    create(&other);
    static unsigned char buffer[200000];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(factor(&p, k), TRMI_FACTOR_OK);
        for (int i = 0; i < p.count; i++)
            p.number[i] *= 1 + 1e-3 * sin(i);
        assert_int_equal(factor(&p, k), TRMI_FACTOR_OK);
        trmi_archive save = trmi_archive_save(buffer, sizeof buffer), load;
        trmi_complex_archive(p.twin[k], &save);
        size_t size = trmi_archive_end(&save, 1);
        assert_true(size <= sizeof buffer);
        assert_int_equal(trmi_archive_load(&load, buffer, size, 1, NULL), TRM_OK);
        trmi_complex_archive(other.twin[k], &load);
        assert_int_equal(load.status, TRM_OK);
        double complex x[N], y[N];
        for (int i = 0; i < N; i++)
            x[i] = y[i] = 1 + (double)i * I;
        p.twin[k]->type->solve(p.twin[k], x);
        other.twin[k]->type->solve(other.twin[k], y);
        assert_memory_equal(x, y, sizeof x);
    }
    finish(&p);
    finish(&other);
}

// a real twin shares the ordering and solves as the original does
static void test_linear_complex_real_twin_gives_the_same_bits(void **state)
{
    (void)state;
    problem p;
    create(&p);
    for (int k = 0; k < 2; k++) {
        trmi_solver *twin = p.real[k]->type->create_twin(&p.memory, p.real[k]);
        trmi_solver *both[] = {p.real[k], twin};
        double x[2][N];
        assert_non_null(twin);
        for (int j = 0; j < 2; j++) {
            trmi_solver_clear(both[j]);
            for (int i = 0; i < p.count; i++)
                both[j]->value[both[j]->type->position(both[j], p.row[i], p.col[i])] +=
                    creal(p.number[i]);
            assert_int_equal(both[j]->type->factor(both[j]), TRMI_FACTOR_OK);
            for (int i = 0; i < N; i++)
                x[j][i] = cos(i);
            both[j]->type->solve(both[j], x[j], 1);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        trmi_solver_destroy(twin);
    }
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_complex_solutions_satisfy_the_equations),
        cmocka_unit_test(test_linear_complex_dense_pivots_do_not_depend_on_the_scale_of_rows),
        cmocka_unit_test(test_linear_complex_zero_row_is_singular),
        cmocka_unit_test(test_linear_complex_not_a_number_is_singular),
        cmocka_unit_test(test_linear_complex_archive_restores_the_factors),
        cmocka_unit_test(test_linear_complex_real_twin_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
