// SPDX-License-Identifier: Apache-2.0
// Differences by groups of columns against those column by column, estimated patterns and their
// refresh.
#include "fail/fail.h"

#include "solver/system/patterns.h"
#include "trammel/trammel.h"

#include <math.h>
#include <stdlib.h>

enum { N = 24 };

// A row of masses with cubic springs and dampers between neighbours, the first also to the ground;
// every mass has a first-order state that follows it and pulls at it. A stop couples the first mass
// and the last one where they come closer than `gap`.
typedef struct row {
    double stop, gap; // stiffness of the stop and where it begins
    bool states;      // there are first-order states
    long forces;      // evaluations
} row;

static double spring(double d)
{
    return 100 * d + 3e5 * d * d * d;
}

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    (void)user;
    for (int i = 0; i < N; i++)
        out[i] = 1 + 0.1 * i;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    row *r = user;
    r->forces++;
    for (int i = 0; i < N; i++) {
        double left = s->q[i] - (i > 0 ? s->q[i - 1] : 0);
        double right = i + 1 < N ? s->q[i + 1] - s->q[i] : 0;
        double rate = s->v[i] - (i > 0 ? s->v[i - 1] : 0);
        double rate_right = i + 1 < N ? s->v[i + 1] - s->v[i] : 0;
        double pull = r->states ? 2 * (s->x[i] - s->q[i]) : 0;
        out[i] = spring(right) - spring(left) + 0.5 * (rate_right - rate) + pull;
    }
    double depth = r->gap - (s->q[N - 1] - s->q[0]);
    if (r->stop > 0 && depth > 0) {
        out[0] -= r->stop * depth;
        out[N - 1] += r->stop * depth;
    }
    return 0;
}

static int rate(const trm_state *s, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < N; i++)
        out[i] = 3 * (s->q[i] - s->x[i]) + 0.1 * s->v[i] * s->v[i];
    return 0;
}

static trm_system row_system(row *r, int n_x)
{
    r->states = n_x > 0;
    trm_system s = {.name = "row", .n_q = N, .n_x = n_x, .user = r};
    s.function[TRM_QUANTITY_MASS] = mass;
    s.function[TRM_QUANTITY_FORCE] = force;
    s.function[TRM_QUANTITY_RATE] = n_x ? rate : NULL;
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return s;
}

// neighbours only, and the two that belong to the diagonal of the states
static void declare(trm_system *s, int rows[3 * N], int columns[3 * N])
{
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            rows[count] = i;
            columns[count++] = j;
        }
    s->pattern[TRM_QUANTITY_STIFFNESS] = s->pattern[TRM_QUANTITY_DAMPING] =
        (trm_pattern){.count = count, .row = rows, .column = columns};
    const trm_quantity diagonal[] = {TRM_QUANTITY_FORCE_X, TRM_QUANTITY_RATE_Q, TRM_QUANTITY_RATE_V,
                                     TRM_QUANTITY_RATE_X};
    for (int k = 0; k < 4; k++)
        s->pattern[diagonal[k]].count = TRM_PATTERN_DIAGONAL;
}

typedef struct fixture {
    trmi_memory memory;
    trm_statistics statistics;
    trmi_evaluator e;
    trmi_values values;
    trmi_patterns patterns;
    trmi_point p;
} fixture;

static const uint64_t MATRIX = TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING) | TRM_BIT(FORCE_X) |
                               TRM_BIT(RATE_Q) | TRM_BIT(RATE_V) | TRM_BIT(RATE_X);

static void set_up(fixture *f, const trm_system *system, bool estimate)
{
    const trm_initial initial = {0};
    trm_error error;
    memset(f, 0, sizeof *f);
    trmi_memory_init(&f->memory, NULL);
    trm_status status = trmi_evaluator_create(&f->e, &f->values, &f->memory, system, MATRIX,
                                              &initial, &f->statistics, &error);
    assert_status(status, TRM_OK, &error);
    assert_true(trmi_point_create(&f->p, &f->memory, &f->e));
    for (int i = 0; i < N; i++) {
        f->p.q[i] = 0.1 * sin(i + 1.0);
        f->p.v[i] = cos(2.0 * i);
        f->p.a[i] = 0.3 * i;
        if (system->n_x)
            f->p.x[i] = 0.2 * cos(3.0 * i);
    }
    assert_true(trmi_patterns_create(&f->patterns, &f->memory, &f->e, &f->values, estimate));
}

static double entry(const trmi_matrix b, int row, int column)
{
    double sum = 0;
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count; trmi_pattern_next(&at))
        sum += at.row == row && at.column == column ? b.value[at.k] : 0;
    return sum;
}

static void test_patterns_groups_equal_single_columns_bit_for_bit(void **state)
{
    (void)state;
    row r = {0};
    int rows[3 * N], columns[3 * N];
    trm_system dense = row_system(&r, N), sparse = row_system(&r, N);
    declare(&sparse, rows, columns);
    fixture a, b;
    set_up(&a, &dense, false);
    set_up(&b, &sparse, false);
    assert_int_equal(trmi_evaluate(&a.e, &a.p, MATRIX, &a.values), 0);
    long single = r.forces;
    r.forces = 0;
    assert_int_equal(trmi_evaluate(&b.e, &b.p, MATRIX, &b.values), 0);
    long grouped = r.forces;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        for (int i = 0; (MATRIX & TRM_BIT_OF(k)) && i < N; i++)
            for (int j = 0; j < N; j++) {
                // outside the pattern the single columns give exact zeros: nothing is missing
                double one = entry(trmi_matrix_of(&a.values, k), i, j),
                       other = entry(trmi_matrix_of(&b.values, k), i, j);
                assert_true(memcmp(&one, &other, sizeof one) == 0 || (one == 0 && other == 0));
            }
    assert_true(entry(trmi_matrix_of(&b.values, TRM_QUANTITY_STIFFNESS), 3, 4) < -99);
    // by q, v and x, each with one evaluation at the point: 3, 3 and 1 groups instead of N each
    assert_true(single >= 3 * N);
    assert_int_equal(grouped, 3 + 3 + 3 + 1);
    assert_int_equal(b.statistics.jacobian_groups, 3 + 3 + 1);
    assert_int_equal(a.statistics.jacobian_groups, 3 * N);
    assert_int_equal(b.statistics.jacobian_nonzeros, 2 * (3 * N - 2) + 4 * N);
    trmi_memory_release_all(&a.memory);
    trmi_memory_release_all(&b.memory);
}

static void test_patterns_estimate_finds_the_structure(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, N);
    fixture f;
    set_up(&f, &s, true);
    memset(f.p.q, 0, N * sizeof *f.p.q); // symmetric: v = 0 hides c_v = 0.2 v
    memset(f.p.v, 0, N * sizeof *f.p.v);
    trmi_patterns_estimate(&f.patterns, &f.p, false);
    assert_int_equal(f.statistics.jacobian_groups, 3 + 3 + 1);
    assert_int_equal(f.statistics.jacobian_nonzeros, 2 * (3 * N - 2) + 4 * N);
    assert_int_equal(f.statistics.jacobian_dense_evaluations, 3);
    r.forces = 0;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, MATRIX, &f.values), 0);
    assert_int_equal(r.forces, 3 + 3 + 3 + 1);
    // nothing new at another state
    f.p.v[3] = 1;
    assert_false(trmi_patterns_widen(&f.patterns, &f.p));
    assert_int_equal(f.statistics.jacobian_dense_evaluations, 4);
    trmi_memory_release_all(&f.memory);
}

static void test_patterns_widen_adds_an_element_that_switched_on(void **state)
{
    (void)state;
    row r = {.stop = 500, .gap = -1};
    trm_system s = row_system(&r, 0);
    fixture f;
    set_up(&f, &s, true);
    trmi_patterns_estimate(&f.patterns, &f.p, false);
    long before = f.statistics.jacobian_nonzeros;
    f.p.q[0] = 2;
    f.p.q[N - 1] = 0;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, MATRIX, &f.values), 0);
    assert_true(entry(trmi_matrix_of(&f.values, TRM_QUANTITY_STIFFNESS), 0, N - 1) ==
                0); // not known of
    assert_true(trmi_patterns_widen(&f.patterns, &f.p));
    assert_int_equal(f.statistics.jacobian_nonzeros, before + 2);
    assert_int_equal(trmi_evaluate(&f.e, &f.p, MATRIX, &f.values), 0);
    // - d f_0 / d q_{N-1} = -stop; one-sided differences of numbers of size 1e3: 1e3 eps / 1.5e-8
    assert_true(fabs(entry(trmi_matrix_of(&f.values, TRM_QUANTITY_STIFFNESS), 0, N - 1) + 500) <
                1e-3);
    trmi_memory_release_all(&f.memory);
}

// ---- through a simulation ----

typedef struct result {
    trm_statistics statistics;
    double q[N];
} result;

static trm_simulation *start_row(const trm_system *s, const trm_options *o)
{
    double q[N];
    for (int i = 0; i < N; i++)
        q[i] = 0.05 * i;
    const trm_initial initial = {.q = q};
    return create(s, o, &initial);
}

// A stop that is hit again and again rejects a quarter of the steps, about where runs begin to be
// called untrusted. That is not what is tested here.
static void assert_ran(trm_simulation *simulation, double t_end)
{
    trm_status status = trm_simulation_run(simulation, t_end);
    if (status != TRM_UNTRUSTED)
        assert_status(status, TRM_OK, trm_simulation_error(simulation));
}

static result run(const trm_system *s, trm_jacobian_source source, trm_control control,
                  double t_end)
{
    trm_options o = trm_options_default();
    o.jacobian_source = source;
    o.control = control;
    trm_simulation *simulation = start_row(s, &o);
    assert_ran(simulation, t_end);
    result out = {.statistics = *trm_simulation_statistics(simulation)};
    memcpy(out.q, trm_simulation_state(simulation)->q, sizeof out.q);
    trm_simulation_destroy(simulation);
    return out;
}

static void test_patterns_sources_give_the_same_motion(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, N);
    result single = run(&s, TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_CONTROL_DEFAULT, 1);
    result grouped = run(&s, TRM_JACOBIAN_SOURCE_GROUPED, TRM_CONTROL_DEFAULT, 1);
    // the same increments and the same entries: the same steps, bit for bit
    assert_memory_equal(single.q, grouped.q, sizeof single.q);
    assert_int_equal(single.statistics.steps, grouped.statistics.steps);
    assert_int_equal(single.statistics.jacobian_groups, 3 * N);
    assert_int_equal(grouped.statistics.jacobian_groups, 3 + 3 + 1);
}

static void test_patterns_groups_save_evaluations_of_every_matrix(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, 0);
    result single = run(&s, TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_CONTROL_CLASSIC, 1);
    result grouped = run(&s, TRM_JACOBIAN_SOURCE_GROUPED, TRM_CONTROL_CLASSIC, 1);
    long matrices = grouped.statistics.jacobian_evaluations;
    assert_memory_equal(single.q, grouped.q, sizeof single.q);
    assert_true(matrices > 5);
    assert_int_equal(single.statistics.jacobian_evaluations, matrices);
    // by q and by v, each with the point itself: 2 (N + 1), and 2 (3 + 1) after three dense ones
    assert_int_equal(single.statistics.residual_evaluations_for_jacobian, matrices * 2 * (N + 1));
    assert_int_equal(grouped.statistics.residual_evaluations_for_jacobian,
                     matrices * 8 + 3 * 2 * (N + 1));
}

static void test_patterns_stop_that_is_hit_later_costs_one_refresh(void **state)
{
    (void)state;
    // the row swings back from its stretched start: last mass 1.15 m beside the first; the first
    // hit is at 1.4 s, and after the second, at 1.49 s, small differences grow
    row r = {.stop = 3e8, .gap = 0.1};
    trm_system s = row_system(&r, 0);
    result grouped = run(&s, TRM_JACOBIAN_SOURCE_GROUPED, TRM_CONTROL_DEFAULT, 1.45);
    result single = run(&s, TRM_JACOBIAN_SOURCE_DIFFERENCES, TRM_CONTROL_DEFAULT, 1.45);
    // three for the estimate, and one when the stop, stiff as it is, was hit
    assert_int_equal(grouped.statistics.jacobian_dense_evaluations, 4);
    assert_int_equal(grouped.statistics.jacobian_nonzeros, 2 * (3 * N - 2) + 2);
    for (int i = 0; i < N; i++) // tolerance 1e-6 over some swings and a hit
        assert_true(fabs(grouped.q[i] - single.q[i]) < 1e-4);
}

static void test_patterns_checkpoint_goes_on_bit_for_bit(void **state)
{
    (void)state;
    row r = {.stop = 3e8, .gap = 0.1};
    trm_system s = row_system(&r, 0);
    trm_options o = trm_options_default();
    o.jacobian_source = TRM_JACOBIAN_SOURCE_GROUPED;
    trm_simulation *first = start_row(&s, &o), *second = start_row(&s, &o);
    assert_ran(first, 2);
    assert_int_equal(trm_simulation_statistics(first)->jacobian_dense_evaluations, 4);
    size_t size = trm_simulation_save(first, NULL, 0);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    trm_simulation_save(first, bytes, size);
    assert_int_equal(trm_simulation_load(second, bytes, size), TRM_OK);
    assert_ran(first, 2.2);
    assert_ran(second, 2.2);
    assert_memory_equal(trm_simulation_state(first)->q, trm_simulation_state(second)->q,
                        N * sizeof(double));
    assert_memory_equal(trm_simulation_statistics(first), trm_simulation_statistics(second),
                        sizeof(trm_statistics));
    free(bytes);
    trm_simulation_destroy(first);
    trm_simulation_destroy(second);
}

// the second row follows from the first; the third is curved
static int redundant_constraint(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0] - s->q[1] + 0.05;
    out[1] = 2 * out[0];
    out[2] = s->q[3] * s->q[4] - 0.15 * 0.2;
    return 0;
}

static void test_patterns_redundant_rows_need_no_groups(void **state)
{
    (void)state;
    const int rows[] = {0, 0, 1, 1, 2, 2}, columns[] = {0, 1, 0, 1, 3, 4};
    row r = {0};
    trm_system dense = row_system(&r, 0);
    dense.n_g = 3;
    dense.function[TRM_QUANTITY_CONSTRAINT] = redundant_constraint;
    trm_system sparse = dense;
    sparse.pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 6, .row = rows, .column = columns};
    sparse.pattern[TRM_QUANTITY_VELOCITY_Q] =
        (trm_pattern){.count = 6, .row = rows, .column = columns};
    for (int control = 0; control < 2; control++) {
        trm_control c = (trm_control)control;
        result single = run(&dense, TRM_JACOBIAN_SOURCE_AUTO, c, 1);
        result grouped = run(&sparse, TRM_JACOBIAN_SOURCE_AUTO, c, 1);
        result estimated = run(&sparse, TRM_JACOBIAN_SOURCE_GROUPED, c, 1);
        for (int i = 0; i < N; i++) { // the same entries; sums of G^T lambda in another order
            assert_true(fabs(single.q[i] - grouped.q[i]) < 1e-8);
            assert_true(fabs(single.q[i] - estimated.q[i]) < 1e-6);
        }
        assert_true(estimated.statistics.jacobian_groups < grouped.statistics.jacobian_groups);
    }
}

static void test_patterns_analytic_names_what_is_missing(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, 0);
    trm_options o = trm_options_default();
    trm_simulation *simulation;
    trm_error error;
    o.jacobian_source = TRM_JACOBIAN_SOURCE_ANALYTIC;
    assert_int_equal(trm_simulation_create(&simulation, &s, &o, NULL, &error), TRM_ERR_OPTION);
    assert_string_equal(error.text,
                        "jacobian_source = analytic, but the system does not supply STIFFNESS");
}

// every other mass on a circle of its own: G by differences has two columns per row
static int circles(const trm_state *s, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < N / 2; i++)
        out[i] = s->q[2 * i] * s->q[2 * i] + s->q[2 * i + 1] * s->q[2 * i + 1] - 0.01 * (i + 1);
    return 0;
}

static void test_patterns_start_uses_groups_already(void **state)
{
    (void)state;
    row r = {0};
    int rows[N], columns[N];
    double q[N];
    trm_system s = row_system(&r, 0);
    for (int k = 0; k < N; k++) {
        rows[k] = k / 2;
        columns[k] = k;
        q[k] = 0.1 * sqrt(0.5 * (k / 2 + 1));
    }
    s.n_g = N / 2;
    s.function[TRM_QUANTITY_CONSTRAINT] = circles;
    s.pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 2 * (N / 2), .row = rows, .column = columns};
    const trm_initial initial = {.q = q};
    long evaluations[2];
    for (int k = 0; k < 2; k++) {
        trm_options o = trm_options_default();
        o.jacobian_source = k == 0 ? TRM_JACOBIAN_SOURCE_DIFFERENCES : TRM_JACOBIAN_SOURCE_AUTO;
        trm_simulation *simulation = create(&s, &o, &initial);
        evaluations[k] = trm_simulation_statistics(simulation)->residual_evaluations_for_jacobian;
        trm_simulation_destroy(simulation);
    }
    // two groups instead of N columns for each G; gamma, along the motion, takes as many in both
    assert_true(evaluations[1] > 0 && 2 * evaluations[1] < evaluations[0]);
}

// with the default control: derivatives with every matrix instead of a few times
static void test_patterns_full_update_evaluates_with_every_step(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, 0);
    trm_options o = trm_options_default();
    o.jacobian_update = TRM_JACOBIAN_UPDATE_FULL;
    trm_simulation *simulation = start_row(&s, &o);
    assert_int_equal(trm_simulation_run(simulation, 1), TRM_OK);
    const trm_statistics *st = trm_simulation_statistics(simulation);
    assert_true(st->jacobian_evaluations >= st->steps);
    assert_int_equal(st->jacobian_updates, 0);
    trm_simulation_destroy(simulation);
}

// d (x^2)/dx at x = 0 by one-sided differences is the increment itself
static int force_square(const trm_state *s, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < N; i++)
        out[i] = s->q[i] * s->q[i];
    return 0;
}

static void test_patterns_increments_of_paper_are_smaller(void **state)
{
    (void)state;
    row r = {0};
    trm_system s = row_system(&r, 0);
    s.function[TRM_QUANTITY_FORCE] = force_square;
    fixture f;
    set_up(&f, &s, false);
    memset(f.p.q, 0, N * sizeof *f.p.q);
    for (int paper = 0; paper < 2; paper++) {
        f.e.paper_increments = paper;
        assert_int_equal(trmi_evaluate(&f.e, &f.p, TRM_BIT(STIFFNESS), &f.values), 0);
        // sqrt(eps) times the scale 1, and (17): sqrt(eps) eps^(1/4); exact powers of two
        double should = paper ? -ldexp(1, -26) * ldexp(1, -13) : -ldexp(1, -26);
        assert_true(fabs(entry(trmi_matrix_of(&f.values, TRM_QUANTITY_STIFFNESS), 0, 0) / should -
                         1) < 1e-9);
    }
    trmi_memory_release_all(&f.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_groups_equal_single_columns_bit_for_bit),
        cmocka_unit_test(test_patterns_estimate_finds_the_structure),
        cmocka_unit_test(test_patterns_widen_adds_an_element_that_switched_on),
        cmocka_unit_test(test_patterns_sources_give_the_same_motion),
        cmocka_unit_test(test_patterns_groups_save_evaluations_of_every_matrix),
        cmocka_unit_test(test_patterns_stop_that_is_hit_later_costs_one_refresh),
        cmocka_unit_test(test_patterns_checkpoint_goes_on_bit_for_bit),
        cmocka_unit_test(test_patterns_redundant_rows_need_no_groups),
        cmocka_unit_test(test_patterns_analytic_names_what_is_missing),
        cmocka_unit_test(test_patterns_start_uses_groups_already),
        cmocka_unit_test(test_patterns_full_update_evaluates_with_every_step),
        cmocka_unit_test(test_patterns_increments_of_paper_are_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
