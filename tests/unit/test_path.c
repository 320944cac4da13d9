// SPDX-License-Identifier: Apache-2.0
// Paths by their curvature: against circles and Fresnel's integrals, and derivatives of formulas
// with them against differences.
#include "modelling/expression/derive.h"
#include "modelling/expression/path.h"
#include "unit/expressions.h"

// A line change: two bends of radius 500 m with linear transitions.
static const double line_s[] = {50, 70, 80, 100, 125, 145, 155, 175};
static const double line_kappa[] = {0, 0.002, 0.002, 0, 0, -0.002, -0.002, 0};

typedef struct path {
    trmi_memory memory;
    trmi_graph graph;
    trmi_interpolant curve;
} path;

static void start(path *p, int count, const double *s, const double *kappa, bool stored)
{
    *p = (path){
        .curve = {.name = "line", .count = count, .x = s, .y = kappa, .beyond = TRMI_BEYOND_HOLD}};
    trmi_memory_init(&p->memory, NULL);
    assert_true(trmi_interpolant_create(&p->curve, &p->memory));
    if (stored)
        assert_true(trmi_path_create(&p->curve, &p->memory));
    p->graph.curve = &p->curve;
    p->graph.curves = 1;
}

static void finish(path *p)
{
    assert_false(p->graph.failed);
    trmi_graph_release(&p->graph);
    trmi_memory_release_all(&p->memory);
}

static void test_path_circle_is_exact(void **state)
{
    (void)state;
    path p;
    const double s[] = {0, 1}, kappa[] = {0.25, 0.25};
    start(&p, 2, s, kappa, true);
    for (double from = -30; from <= 30; from += 7.5)
        for (double to = -30; to <= 30; to += 2.5) {
            trmi_path_place at = trmi_path_between(&p.curve, from, to);
            double angle = 0.25 * (to - from);
            assert_true(fabs(at.x - 4 * sin(angle)) < 1e-13);
            assert_true(fabs(at.y - 4 * (1 - cos(angle))) < 1e-13);
        }
    finish(&p);
}

// kappa = s: x + i y = int exp(i s^2/2) = sqrt(pi) (C + i S)(s/sqrt(pi)), with C(1) and S(1) of
// Abramowitz and Stegun, table 7.7
static void test_path_clothoid_is_fresnels(void **state)
{
    (void)state;
    path p;
    const double s[] = {0, 3}, root = sqrt(acos(-1));
    start(&p, 2, s, s, true);
    trmi_path_place at = trmi_path_between(&p.curve, 0, root);
    assert_true(fabs(at.x - root * 0.77989340037682) < 1e-13);
    assert_true(fabs(at.y - root * 0.43825914739035) < 1e-13);
    finish(&p);
}

// 4.5 m beside where it began: 0.06 rad over 50 + 25 m
static void test_path_line_change_shifts_by_the_distance_of_tracks(void **state)
{
    (void)state;
    path p;
    start(&p, 8, line_s, line_kappa, true);
    trmi_path_place at = trmi_path_between(&p.curve, 0, 300);
    assert_true(fabs(at.y - 4.5) < 5e-3);
    finish(&p);
}

// Stored places and integration over all points give the same, from either side.
static void test_path_stored_places_change_nothing(void **state)
{
    (void)state;
    path stored, plain;
    start(&stored, 8, line_s, line_kappa, true);
    start(&plain, 8, line_s, line_kappa, false);
    for (double from = 0; from <= 200; from += 12.5)
        for (double to = 0; to <= 200; to += 8.3) {
            trmi_path_place a = trmi_path_between(&stored.curve, from, to);
            trmi_path_place b = trmi_path_between(&plain.curve, from, to);
            assert_true(fabs(a.x - b.x) < 1e-12 && fabs(a.y - b.y) < 1e-12);
        }
    finish(&stored);
    finish(&plain);
}

// First and second derivatives by x of paths between points that both move with x; differences of
// step 1e-3 of functions that change over 1 to 10 s: 1e-6 of the largest value.
static void test_path_derivatives_agree_with_differences(void **state)
{
    (void)state;
    static const char *const text[] = {
        "path_x(line, 0, 20*x)", "path_y(line, 0, 20*x)", "path_x(line, 20*x, 20*x + 10.78)",
        "path_y(line, 20*x, 20*x + 10.78)", "path_y(line, 20*x, 20*x - 9.5)"};
    for (int k = 0; k < 5; k++) {
        path p;
        start(&p, 8, line_s, line_kappa, true);
        trmi_node node = parse(&p.graph, text[k]);
        const trmi_node rate[INPUTS] = {trmi_constant(&p.graph, 1), TRMI_NO_NODE, TRMI_NO_NODE};
        trmi_forward forward;
        trmi_forward_begin(&forward, &p.graph, rate, 1);
        trmi_node first = trmi_forward_rate(&forward, node);
        trmi_node second = trmi_forward_rate(&forward, first);
        for (double t = 1.51; t < 9; t += 0.37) {
            double v[3], h = 1e-3, input[INPUTS] = {0}, slope[3];
            for (int i = 0; i < 3; i++) {
                input[0] = t + (i - 1) * h;
                v[i] = trmi_graph_value(&p.graph, node, input);
                slope[i] = trmi_graph_value(&p.graph, first, input);
            }
            input[0] = t;
            double exact = trmi_graph_value(&p.graph, first, input);
            assert_true(fabs(exact - (v[2] - v[0]) / (2 * h)) < 1e-6 * (1 + fabs(exact)));
            exact = trmi_graph_value(&p.graph, second, input);
            assert_true(fabs(exact - (slope[2] - slope[0]) / (2 * h)) < 1e-6 * (1 + fabs(exact)));
        }
        trmi_forward_release(&forward);
        finish(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_circle_is_exact),
        cmocka_unit_test(test_path_clothoid_is_fresnels),
        cmocka_unit_test(test_path_line_change_shifts_by_the_distance_of_tracks),
        cmocka_unit_test(test_path_stored_places_change_nothing),
        cmocka_unit_test(test_path_derivatives_agree_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
