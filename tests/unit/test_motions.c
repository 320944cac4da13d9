// SPDX-License-Identifier: Apache-2.0
// Matrices of Radau steps on the motions that the constraints leave give what the whole matrices
// give, and are not used where the constraints lose rank.
#include "framework.h"
#include "problems/problems.h"
#include "solver/integrator/radau/radau.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 64 };

static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9.3e18;
}

// a start of the stiff bushing: 6 coordinates, stiffness, damping and constraints
typedef struct bench {
    trp_problem *problem;
    trm_simulation *s;
} bench;

static bench start(const char *name)
{
    bench b;
    trm_error error;
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    if (trp_problem_create(&b.problem, name, NULL, &error) != TRM_OK ||
        trm_simulation_create(&b.s, trp_problem_system(b.problem), &options,
                              trp_problem_initial(b.problem), &error) != TRM_OK)
        fail_msg("%s", error.text);
    trmi_radau *r = trmi_radau_of(b.s);
    uint64_t want = TRMI_POSITION_QUANTITIES | trmi_saddle_derivatives(&r->matrix.form->saddle);
    assert_int_equal(trmi_evaluate(&b.s->e, &b.s->now, want, &b.s->values), 0);
    assert_true(r->matrix.n <= LARGEST);
    return b;
}

static void end(bench *b)
{
    trm_simulation_destroy(b->s);
    trp_problem_destroy(b->problem);
}

// right-hand sides of s stages, without entries in the rows of constraints
static void fill(const trm_simulation *s, double (*rhs)[LARGEST])
{
    uint64_t seed = 5;
    int n = trmi_radau_of(s)->matrix.n;
    for (int i = 0; i < TRMI_MAX_STAGES; i++)
        for (int k = 0; k < n; k++)
            rhs[i][k] = k < n - s->e.n_r ? next(&seed) : 0;
}

// the largest difference of the motions, relative to the largest of them
static double distance(const trm_simulation *s, double (*a)[LARGEST], double (*b)[LARGEST])
{
    double size = 0, off = 0;
    for (int i = 0; i < TRMI_MAX_STAGES; i++)
        for (int k = 0; k < trmi_radau_of(s)->matrix.n - s->e.n_r; k++) {
            size = fmax(size, fabs(a[i][k]));
            off = fmax(off, fabs(a[i][k] - b[i][k]));
        }
    return off / size;
}

// the real solution in x[0], real and imaginary part of the complex one in x[1] and x[2]
static void solve_shifted(trm_simulation *s, double (*x)[LARGEST])
{
    trmi_shifted *matrix = &trmi_radau_of(s)->matrix;
    double complex shift = 300 + 200 * I, pair[LARGEST];
    int n = matrix->n;
    assert_int_equal(trmi_shifted_factor(matrix, 400, &shift, 1), TRMI_FACTOR_OK);
    trmi_shifted_solve(matrix, x[0]);
    for (int k = 0; k < n; k++)
        pair[k] = x[1][k] + x[2][k] * I;
    trmi_shifted_solve_pair(matrix, 0, pair);
    for (int k = 0; k < n; k++) {
        x[1][k] = creal(pair[k]);
        x[2][k] = cimag(pair[k]);
    }
}

static void check_shifted(const char *name)
{
    bench b = start(name);
    trmi_shifted *matrix = &trmi_radau_of(b.s)->matrix;
    double small[TRMI_MAX_STAGES][LARGEST], whole[TRMI_MAX_STAGES][LARGEST];
    fill(b.s, small);
    fill(b.s, whole);
    trmi_shifted_take(matrix, 0);
    assert_true(matrix->small.serves);
    solve_shifted(b.s, small);
    matrix->small.serves = false;
    solve_shifted(b.s, whole);
    // roundoff, with room for the condition of the whole matrix; measured 4e-16 and 9e-16
    if (!(distance(b.s, whole, small) < 1e-12))
        fail_msg("%s: %g", name, distance(b.s, whole, small));
    end(&b);
}

static void test_motions_shifted_matrices_give_the_same_motion(void **state)
{
    (void)state;
    check_shifted("stiff-bushing");    // dense
    check_shifted("andrews-absolute"); // KLU
}

static void solve_stacked(trm_simulation *s, bool whole, double (*x)[LARGEST])
{
    trmi_stacked *stacked = &trmi_radau_of(s)->stacked[1];
    double *rhs[TRMI_MAX_STAGES], h = 0.02;
    trmi_stacked_clear(stacked, whole);
    for (int i = 0; i < stacked->s; i++) {
        rhs[i] = x[i];
        assert_true(trmi_stacked_add(stacked, i, h, 0));
    }
    assert_int_equal(trmi_stacked_factor(stacked), TRMI_FACTOR_OK);
    trmi_stacked_solve(stacked, h, rhs);
}

static void test_motions_stacked_matrix_gives_the_same_motion(void **state)
{
    (void)state;
    bench b = start("stiff-bushing");
    double small[TRMI_MAX_STAGES][LARGEST], whole[TRMI_MAX_STAGES][LARGEST];
    fill(b.s, small);
    fill(b.s, whole);
    assert_true(trmi_radau_couple(b.s, 1));
    assert_true(trmi_radau_of(b.s)->stacked[1].small.exists);
    solve_stacked(b.s, false, small);
    solve_stacked(b.s, true, whole);
    // as above; measured 2e-17
    if (!(distance(b.s, whole, small) < 1e-12))
        fail_msg("%g", distance(b.s, whole, small));
    end(&b);
}

static void test_motions_lost_rank_leaves_the_whole_matrix(void **state)
{
    (void)state;
    bench b = start("stiff-bushing");
    trmi_shifted *matrix = &trmi_radau_of(b.s)->matrix;
    assert_true(trmi_radau_couple(b.s, 1));
    const trmi_quantity *g = &b.s->e.block[TRMI_TOTAL];
    for (int k = 0; k < g->count; k++)
        if (g->pattern.row[k] == 1)
            b.s->values.of[TRMI_TOTAL][k] = 0;
    trmi_shifted_take(matrix, 1e-12);
    assert_false(matrix->small.serves);
    trmi_stacked_clear(&trmi_radau_of(b.s)->stacked[1], false);
    assert_false(trmi_stacked_add(&trmi_radau_of(b.s)->stacked[1], 0, 0.02, 1e-12));
    trmi_stacked_clear(&trmi_radau_of(b.s)->stacked[1], true);
    assert_true(trmi_stacked_add(&trmi_radau_of(b.s)->stacked[1], 0, 0.02, 1e-12));
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions_shifted_matrices_give_the_same_motion),
        cmocka_unit_test(test_motions_stacked_matrix_gives_the_same_motion),
        cmocka_unit_test(test_motions_lost_rank_leaves_the_whole_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
