// SPDX-License-Identifier: Apache-2.0
// Bounds of tapes while their inputs follow cubics: they contain all values on the way, and are not
// much wider where nothing is lost by dependence.
#include "modelling/expression/derive.h"
#include "modelling/expression/tape_bounds.h"
#include "unit/expressions.h"

#include <stdlib.h>

// s(x, y, z), with x, y, z the inputs 0 to 2, their rates 3 to 5, the second ones 6 to 8
enum { WAYS = 3, INPUTS_OF_WAYS = 3 * WAYS };

typedef struct fixture {
    trmi_graph graph;
    trmi_memory memory;
    const trmi_tape *tape; // group 0: s''
    double *reg;
    trmi_interval *bound;
} fixture;

static void start(fixture *f)
{
    *f = (fixture){0};
    trmi_memory_init(&f->memory, NULL);
}

static void create(fixture *f, trmi_node s)
{
    trmi_node direction[INPUTS_OF_WAYS];
    trmi_forward forward = {0};
    for (int i = 0; i < INPUTS_OF_WAYS; i++)
        direction[i] = i < 2 * WAYS ? trmi_input(&f->graph, i + WAYS) : TRMI_NO_NODE;
    trmi_forward_begin(&forward, &f->graph, direction, INPUTS_OF_WAYS);
    const trmi_node rate = trmi_forward_rate(&forward, s);
    const trmi_tape_output output = {trmi_forward_rate(&forward, rate), 0};
    trmi_forward_release(&forward);
    f->tape = trmi_tape_create(&f->memory, &f->graph, &output, 1, INPUTS_OF_WAYS, INPUTS_OF_WAYS);
    assert_non_null(f->tape);
    f->reg = malloc(((size_t)trmi_tape_registers(f->tape) + 1) * sizeof *f->reg);
    f->bound = malloc(((size_t)trmi_tape_registers(f->tape) + 1) * sizeof *f->bound);
    assert_true(f->reg && f->bound);
}

static void finish(fixture *f)
{
    free(f->reg);
    free(f->bound);
    trmi_memory_release_all(&f->memory);
    trmi_graph_release(&f->graph);
}

// A cubic by its values and slopes at 0 and h, and its derivatives at t, into out[0], [WAYS],
// [2 WAYS].
static void follow(double h, const double y[2], const double slope[2], double t, double *out)
{
    const double rise = (y[1] - y[0]) / h, c2 = (3 * rise - 2 * slope[0] - slope[1]) / h,
                 c3 = (slope[0] + slope[1] - 2 * rise) / (h * h);
    out[0] = y[0] + t * (slope[0] + t * (c2 + t * c3));
    out[WAYS] = slope[0] + t * (2 * c2 + 3 * t * c3);
    out[2 * WAYS] = 2 * c2 + 6 * t * c3;
}

typedef struct way {
    double h, y[WAYS][2], slope[WAYS][2];
} way;

static way draw_way(generator *g)
{
    way w = {.h = draw_between(g, 0.01, 1)};
    for (int i = 0; i < WAYS; i++)
        for (int k = 0; k < 2; k++) {
            w.y[i][k] = draw_between(g, -2, 2);
            w.slope[i][k] = draw_between(g, -5, 5);
        }
    return w;
}

static trmi_interval bound_on(fixture *f, const way *w)
{
    memset(f->reg, 0, (size_t)trmi_tape_registers(f->tape) * sizeof *f->reg);
    trmi_tape_prepare(f->tape, f->reg);
    trmi_tape_bounds_begin(f->tape, f->reg, f->bound);
    for (int i = 0; i < WAYS; i++) {
        trmi_interval range[3];
        trmi_interval_cubic(w->h, w->y[i], w->slope[i], range);
        for (int k = 0; k < 3; k++)
            f->bound[k * WAYS + i] = range[k];
    }
    trmi_tape_bounds_run(f->tape, f->bound, 1);
    return trmi_tape_bounds_of(f->tape, f->bound, 0, 0);
}

// s'' at t
static double value_at(fixture *f, const way *w, double t)
{
    double value;
    for (int i = 0; i < WAYS; i++)
        follow(w->h, w->y[i], w->slope[i], t, &f->reg[i]);
    trmi_tape_run(f->tape, f->reg, 1);
    trmi_tape_fetch(f->tape, f->reg, 0, &value);
    return value;
}

// 1e-9 of the size of the bounds: roundoff, which they do not contain.
static void assert_contains(fixture *f, const way *w, int trial, bool *finite)
{
    enum { SAMPLES = 50 };
    const trmi_interval b = bound_on(f, w);
    *finite = isfinite(b.low) && isfinite(b.high);
    for (int k = 0; k <= SAMPLES; k++) {
        const double value = value_at(f, w, w->h * k / SAMPLES);
        const double roundoff = 1e-9 * (1 + fmax(fabs(b.low), fabs(b.high)));
        if (!isnan(value) && !(value >= b.low - roundoff && value <= b.high + roundoff))
            fail_msg("trial %d: %.17g is not between %.17g and %.17g", trial, value, b.low, b.high);
    }
}

// smooth functions, so that s'' has no impulses between the samples
static trmi_node draw_step(generator *g, trmi_graph *graph, const trmi_node *step, int count)
{
    static const trmi_operation any[] = {TRMI_ADD,    TRMI_SUBTRACT, TRMI_MULTIPLY, TRMI_MULTIPLY,
                                         TRMI_DIVIDE, TRMI_SIN,      TRMI_COS,      TRMI_EXP,
                                         TRMI_ATAN,   TRMI_TANH,     TRMI_HYPOT,    TRMI_ATAN2,
                                         TRMI_SQRT,   TRMI_LOG,      TRMI_POWER};
    const trmi_operation operation = any[draw(g, sizeof any / sizeof *any)];
    return trmi_apply(graph, operation, step[draw(g, (unsigned)count)],
                      step[draw(g, (unsigned)count)], TRMI_NO_NODE);
}

static void test_bounds_contain_second_derivatives_of_random_formulas(void **state)
{
    (void)state;
    enum { TRIALS = 400, STEPS = 10, LEAVES = 5 };
    generator g = {271828182};
    int bounded = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        fixture f;
        trmi_node step[STEPS];
        start(&f);
        for (int i = 0; i < LEAVES; i++)
            step[i] = i < WAYS ? trmi_input(&f.graph, i)
                               : trmi_constant(&f.graph, draw_between(&g, -2, 2));
        for (int i = LEAVES; i < STEPS; i++)
            step[i] = draw_step(&g, &f.graph, step, i);
        create(&f, step[STEPS - 1]);
        for (int k = 0; k < 5; k++) {
            const way w = draw_way(&g);
            bool finite;
            assert_contains(&f, &w, trial, &finite);
            bounded += finite;
        }
        finish(&f);
    }
    assert_true(bounded > 2 * TRIALS); // of 5 in each: the test compares something
}

// The whole range of s'' for s = f(x), where x = 3 t runs from 0 to 3 h; by hand.
static void assert_range(const char *formula, double h, double low, double high)
{
    fixture f;
    const way w = {h, {{0, 3 * h}}, {{3, 3}}};
    start(&f);
    create(&f, parse(&f.graph, formula));
    const trmi_interval b = bound_on(&f, &w);
    if (!(fabs(b.low - low) < 1e-9 && fabs(b.high - high) < 1e-9)) // roundoff of values up to 100
        fail_msg("%s: %.17g .. %.17g", formula, b.low, b.high);
    finish(&f);
}

static void test_bounds_of_single_functions_are_exact(void **state)
{
    (void)state;
    assert_range("7*x + 2", 1, 0, 0);
    assert_range("x^2", 1, 18, 18);
    assert_range("x^3", 1, 0, 162);   // 6 x 9
    assert_range("sin(x)", 1, -9, 0); // -9 sin(x), 0 .. 3
    assert_range("sin(x)", 5, -9, 9); // 0 .. 15
    assert_range("exp(-x)", 1, 9 * exp(-3.0), 9);
}

// Random cubics against 100 samples of each.
static void test_bounds_of_a_cubic_contain_it(void **state)
{
    (void)state;
    generator g = {1618};
    for (int trial = 0; trial < 200; trial++) {
        const way w = draw_way(&g);
        trmi_interval range[3];
        trmi_interval_cubic(w.h, w.y[0], w.slope[0], range);
        for (int k = 0; k <= 100; k++) {
            double out[2 * WAYS + 1];
            follow(w.h, w.y[0], w.slope[0], w.h * k / 100, out);
            for (int d = 0; d < 3; d++) { // roundoff of derivatives up to 1e5
                assert_true(out[d * WAYS] >= range[d].low - 1e-9);
                assert_true(out[d * WAYS] <= range[d].high + 1e-9);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_contain_second_derivatives_of_random_formulas),
        cmocka_unit_test(test_bounds_of_single_functions_are_exact),
        cmocka_unit_test(test_bounds_of_a_cubic_contain_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
