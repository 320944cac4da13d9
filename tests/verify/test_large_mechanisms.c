// SPDX-License-Identifier: Apache-2.0
// What must stay linear in the size of a mechanism: the rank of its constraints loop by loop, and
// its equilibrium.
#include "models.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct text {
    char *data;
    size_t length, room;
} text;

static void add(text *t, const char *format, ...)
{
    va_list list;
    if (t->room < t->length + 300)
        t->data = realloc(t->data, t->room = 2 * t->room + 10000);
    assert_non_null(t->data);
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->data + t->length, 300, format, list);
    va_end(list);
}

static void add_rod(text *t, const char *name, int i, double x, double y, bool along_x)
{
    add(t, "    %s%d: {mass: 1, center: [%g, %g, 0], inertia: [%g, %g, 0.08333]}\n", name, i, x, y,
        along_x ? 2e-4 : 0.08333, along_x ? 0.08333 : 2e-4);
}

static void add_hinge(text *t, int number, const char *first, const char *second, int i, double x,
                      double y)
{
    char from[16] = "ground";
    if (first[0])
        snprintf(from, sizeof from, "%s%d", first, i);
    add(t, "    j%d: {revolute: {between: [%s, %s], at: [%g, %g, 0], axis: z}}\n", number, from,
        second, x, y);
}

// Cells of two rails and a rung, joined by hinges in space: each is a plane loop of four hinges and
// has 3 rows too many, one of z and two of ax, ay.
static char *write_ladder(int cells, const char *coordinates)
{
    text t = {0};
    add(&t, "trammel: 1\nmechanism:\n  coordinates: %s\n  gravity: [0, -9.81, 0]\n  bodies:\n",
        coordinates);
    for (int i = 1; i <= cells; i++) {
        add_rod(&t, "a", i, i - 0.5, 0.5, true);
        add_rod(&t, "b", i, i - 0.5, -0.5, true);
        add_rod(&t, "r", i, i, 0, false);
    }
    add(&t, "  joints:\n");
    for (int i = 1; i <= cells; i++)
        for (int side = 0; side < 2; side++) {
            char rail[16];
            double y = side ? -0.5 : 0.5;
            snprintf(rail, sizeof rail, "%s%d", side ? "b" : "a", i);
            add_hinge(&t, 4 * i - 3 + 2 * side, i > 1 ? "r" : "", rail, i - 1, i - 1, y);
            add_hinge(&t, 4 * i - 2 + 2 * side, "r", rail, i, i, y);
        }
    add(&t, "simulate: {end: 1}\n");
    return t.data;
}

static void open_text(model_case *c, char *data)
{
    model_read(c, data);
    free(data);
}

// an allocator that counts the bytes it gives
static void *count_bytes(size_t size, void *user)
{
    *(double *)user += (double)size;
    return malloc(size);
}

static void give_back(void *block, void *user)
{
    (void)user;
    free(block);
}

// bytes that the start of a ladder takes, whose redundant rows are counted loop by loop
static double start_ladder(int cells)
{
    model_case c;
    open_text(&c, write_ladder(cells, "absolute"));
    trm_options options = *trm_model_options(c.model);
    options.log = NULL;
    double bytes = 0;
    options.allocator = (trm_allocator){count_bytes, give_back, &bytes};
    trm_simulation *s;
    if (trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), &c.error))
        fail_msg("%s", c.error.text);
    const trm_start_report *r = trm_simulation_start(s);
    // counting: 18 coordinates and 20 rows a cell, a plane loop of hinges keeps 17 of them
    assert_int_equal(r->redundant, 3 * cells);
    assert_int_equal(r->mobility, cells);
    for (int i = 0; i < cells; i++) { // 4 joints of 5 rows are a cell
        int dropped = 0;
        for (int k = 20 * i; k < 20 * i + 20; k++) {
            bool redundant = trm_simulation_row_redundant(s, k);
            dropped += redundant;
            int from = redundant ? trm_simulation_row_follows(s, k) : k;
            assert_true(from >= 20 * i && from < 20 * i + 20); // from rows of the same loop
            // z, ax, ay are shared, x and y are not (spec, section 9)
            assert_int_equal(trm_simulation_row_unique(s, k), k % 5 < 2);
        }
        assert_int_equal(dropped, 3);
    }
    trm_simulation_destroy(s);
    model_close(&c);
    return bytes;
}

// One cell takes as much in a long ladder as in a short one: dense matrices of 1000 cells have
// 3.6e8 entries.
static void test_large_mechanisms_redundant_ladder_is_judged_loop_by_loop(void **state)
{
    (void)state;
    double few = start_ladder(100), many = start_ladder(1000);
    print_message("redundant ladder: 100 loops %.3f MB, 1000 loops %.3f MB\n", 1e-6 * few,
                  1e-6 * many);
    assert_true(many < 10 * 1.1 * few);
}

// the same loops in joint coordinates: what is cut there has no redundant rows but those of zero
static void
test_large_mechanisms_redundant_ladder_has_the_same_mobility_in_joint_coordinates(void **state)
{
    (void)state;
    model_case c;
    open_text(&c, write_ladder(40, "joint"));
    trm_options options = *trm_model_options(c.model);
    options.log = NULL;
    trm_simulation *s;
    if (trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), &c.error))
        fail_msg("%s", c.error.text);
    // spec, section 9: 5 rows a loop of which 2 are independent; 3 coordinates a cell
    assert_int_equal(trm_simulation_start(s)->redundant, 3 * 40);
    assert_int_equal(trm_simulation_start(s)->mobility, 40);
    trm_simulation_destroy(s);
    model_close(&c);
}

// ---- equilibrium ----

static const char head[] = "trammel: 1\nmechanism:\n  coordinates: %s\n  plane: xy\n"
                           "  gravity: [0, -9.81]\n  bodies:\n";

// N rods of 1 m and 1 kg in a row, released from the horizontal
static char *write_chain(int n, const char *coordinates)
{
    text t = {0};
    add(&t, head, coordinates);
    for (int i = 1; i <= n; i++)
        add(&t, "    b%d: {mass: 1, center: [%g, 0], inertia: \"1/12\"}\n", i, i - 0.5);
    add(&t, "  joints:\n    j1: {revolute: {between: [ground, b1], at: [0, 0]}}\n");
    for (int i = 2; i <= n; i++)
        add(&t, "    j%d: {revolute: {between: [b%d, b%d], at: [%d, 0]}}\n", i, i - 1, i, i - 1);
    add(&t, "simulate: {end: 1}\n");
    return t.data;
}

// The ladder in the plane: its cells are parallelograms, which hang folded together, where their
// constraints lose rank. start: of the upper rails, may be empty.
static char *write_plane_ladder(int cells, const char *coordinates, const char *start)
{
    static const char *const form = "    %s%d: {mass: 1, center: [%g, %g], inertia: \"1/12\"}\n";
    text t = {0};
    add(&t, head, coordinates);
    for (int i = 1; i <= cells; i++) {
        add(&t, form, "a", i, i - 0.5, 0.5);
        add(&t, form, "b", i, i - 0.5, -0.5);
        add(&t, form, "r", i, i + 0.0, 0.0);
    }
    add(&t, "  joints:\n");
    for (int i = 1; i <= cells; i++)
        for (int k = 0; k < 4; k++) {
            char from[16] = "ground", rail = k < 2 ? 'a' : 'b';
            int x = i - 1 + k % 2;
            if (x > 0)
                snprintf(from, sizeof from, "r%d", x);
            add(&t, "    j%d: {revolute: {between: [%s, %c%d], at: [%d, %g]}%s}\n", 4 * i + k, from,
                rail, i, x, k < 2 ? 0.5 : -0.5, k == 0 ? start : "");
        }
    add(&t, "simulate: {end: 1}\n");
    return t.data;
}

static trm_equilibrium *find_equilibrium(model_case *c, char *data)
{
    trm_equilibrium *e;
    open_text(c, data);
    if (trm_equilibrium_create(&e, c->system, trm_model_options(c->model),
                               trm_instance_initial(c->instance), &c->error))
        fail_msg("%s", c->error.text);
    return e;
}

// 60 bodies: dense matrices; 70 and 2000: sparse ones
static void test_large_mechanisms_chain_comes_to_hang(void **state)
{
    (void)state;
    static const int length[] = {60, 70, 2000};
    for (int k = 0; k < 3; k++) {
        model_case c;
        int n = length[k];
        trm_equilibrium *e = find_equilibrium(&c, write_chain(n, "absolute"));
        const trm_equilibrium_report *r = trm_equilibrium_get_report(e);
        const trm_state *s = trm_equilibrium_state(e);
        assert_int_equal(r->mobility, n);
        assert_int_equal(r->directions, n == 60 ? 60 : 10);
        assert_int_equal(r->unstable + r->free, 0);
        for (int b = 0; b < n; b++) { // straight down; 1e-9 of the length: corrections are 1e-11
            assert_true(fabs(s->q[3 * b]) < 1e-9 * n);
            assert_true(fabs(s->q[3 * b + 1] + b + 0.5) < 1e-9 * n);
        }
        // the first hinge carries the weight; multipliers are the force on the ground, or its
        // opposite
        assert_true(fabs(fabs(s->lambda[1]) - 9.81 * n) < 1e-9 * 9.81 * n);
        // a hanging rope: omega^2 = (j_01/2)^2 g/L with j_01 = 2.404825558; rods differ from it by
        // 1/N^2
        double rope = 1.4457964907 * 9.81 / n;
        assert_true(fabs(trm_equilibrium_direction(e, 0)->stiffness / rope - 1) <
                    1.0 / n / n + 1e-7);
        assert_null(trm_equilibrium_direction(e, r->directions));
        print_message("chain of %d: %d iterations, %d shifted\n", n, r->iterations, r->shifted);
        trm_equilibrium_destroy(e);
        model_close(&c);
    }
}

// Angles between neighbours: the first turns by a quarter, the others not at all. 10 iterations
// were measured for 30 and for 1000 rods; with -f_q alone as stiffness, which in these coordinates
// has curvatures of its own, 300 were not enough for 100 rods.
static void test_large_mechanisms_chain_comes_to_hang_in_joint_coordinates(void **state)
{
    (void)state;
    static const int length[] = {30, 100, 220};
    for (int k = 0; k < 3; k++) {
        model_case c;
        int n = length[k];
        trm_equilibrium *e = find_equilibrium(&c, write_chain(n, "joint"));
        const trm_equilibrium_report *r = trm_equilibrium_get_report(e);
        const trm_state *s = trm_equilibrium_state(e);
        assert_null(r->undecided);
        assert_int_equal(r->unstable + r->free, 0);
        assert_true(r->iterations <= 20);
        for (int b = 0; b < n; b++) // 1e-9: corrections are 1e-11, in sums over a hundred
            assert_true(fabs(s->q[b] + (b == 0 ? acos(0) : 0)) < 1e-9);
        // the rope of the test above: the same motion in other coordinates
        double rope = 1.4457964907 * 9.81 / n;
        assert_true(fabs(trm_equilibrium_direction(e, 0)->stiffness / rope - 1) <
                    1.0 / n / n + 1e-7);
        trm_equilibrium_destroy(e);
        model_close(&c);
    }
}

// Folded, rails and rungs stand upright: all rails at -90 degrees, rungs as they were.
static void test_large_mechanisms_ladder_comes_to_hang_where_rank_is_lost(void **state)
{
    (void)state;
    static const int cells[] = {3, 33, 100, 3, 33};
    for (int k = 0; k < 5; k++) {
        model_case c;
        bool joint = k >= 3;
        int n = cells[k];
        trm_equilibrium *e =
            find_equilibrium(&c, write_plane_ladder(n, joint ? "joint" : "absolute", ""));
        const trm_equilibrium_report *r = trm_equilibrium_get_report(e);
        const trm_state *s = trm_equilibrium_state(e);
        assert_null(r->undecided); // springs in place of the constraints decide
        assert_int_equal(r->unstable + r->free, 0);
        assert_true(r->iterations < 100); // 10 to 43 were measured
        // 1e-6: corrections of 1e-7 count as arrived where rank is lost
        for (int b = 0; b < n && !joint; b++) {
            assert_true(fabs(s->q[9 * b + 2] + acos(0)) < 1e-6);
            assert_true(fabs(s->q[9 * b + 8]) < 1e-6);
            assert_true(fabs(s->q[9 * b + 7] + b + 1) < 1e-6 * n); // rung b + 1 is so far below
        }
        for (int b = 0; b < 3 * n && joint; b++) // rails against rungs, either way round
            assert_true(fabs(fabs(s->q[b]) - acos(0)) < 1e-6);
        print_message("ladder of %d cells: %d iterations\n", n, r->iterations);
        trm_equilibrium_destroy(e);
        model_close(&c);
    }
}

// ---- assembly ----

// Every cell is open by 0.02 m at the start values. 1000 cells have 2000 rows in the coordinates of
// joints, in which they are assembled, more than dense matrices took; what the start of a
// simulation finds must be closed already.
static void test_large_mechanisms_open_ladder_is_assembled(void **state)
{
    (void)state;
    model_case c;
    trm_simulation *s;
    open_text(&c, write_plane_ladder(1000, "absolute", ", start: {angle: 0.02}"));
    trm_options options = *trm_model_options(c.model);
    options.log = NULL;
    if (trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), &c.error))
        fail_msg("%s", c.error.text);
    // the bound of the assembly for a mechanism of 1 m; 0.02 m without it
    assert_true(trm_simulation_start(s)->position_before < 1e-8);
    // rails turn by about what was given, as that was a guess: between nothing and half more
    double angle = trm_instance_initial(c.instance)->q[2];
    assert_true(angle > 0.001 && angle < 0.03);
    trm_simulation_destroy(s);
    model_close(&c);
}

// rods in a row, turning about y and z by turns
static char *write_twisting_chain(int rods)
{
    text t = {0};
    add(&t,
        "trammel: 1\nmechanism:\n  coordinates: absolute\n  gravity: [0, -9.81, 0]\n  bodies:\n");
    for (int i = 1; i <= rods; i++)
        add_rod(&t, "r", i, i - 0.5, 0, true);
    add(&t, "  joints:\n");
    for (int i = 1; i <= rods; i++) {
        char from[16] = "ground";
        if (i > 1)
            snprintf(from, sizeof from, "r%d", i - 1);
        add(&t, "    j%d: {revolute: {between: [%s, r%d], at: [%d, 0, 0], axis: %c}}\n", i, from, i,
            i - 1, i % 2 ? 'z' : 'y');
    }
    add(&t, "simulate: {end: 1}\n");
    return t.data;
}

// bytes of the heap in use; 0 where the C library does not report them
static double heap_bytes(void)
{
#ifdef __GLIBC__
    return (double)mallinfo2().uordblks;
#else
    return 0;
#endif
}

// bytes that a simulation of the chain holds after 20 steps, the factors included
static double step_chain(const model_case *c, trm_solver solver)
{
    trm_options options = *trm_model_options(c->model);
    options.log = NULL;
    options.linear_solver = solver;
    trm_simulation *s;
    trm_error error;
    double before = heap_bytes();
    if (trm_simulation_create(&s, c->system, &options, trm_instance_initial(c->instance), &error))
        fail_msg("%s", error.text);
    for (int k = 0; k < 20; k++)
        assert_int_equal(trm_simulation_step(s, 1, NULL), TRM_OK);
    double bytes = heap_bytes() - before;
    trm_simulation_destroy(s);
    return bytes;
}

// KLU with an order of its own fills the factors of this chain: 1100 rows would take 10 MB.
static void test_large_mechanisms_klu_keeps_the_factors_of_a_chain_sparse(void **state)
{
    (void)state;
    model_case c;
    open_text(&c, write_twisting_chain(100));
    double blocks = step_chain(&c, TRM_SOLVER_BLOCK), klu = step_chain(&c, TRM_SOLVER_SPARSE);
    print_message("20 steps of 100 rods: blocks %.3f MB, KLU %.3f MB\n", 1e-6 * blocks, 1e-6 * klu);
    assert_true(klu <= 3 * blocks);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_mechanisms_klu_keeps_the_factors_of_a_chain_sparse),
        cmocka_unit_test(test_large_mechanisms_redundant_ladder_is_judged_loop_by_loop),
        cmocka_unit_test(
            test_large_mechanisms_redundant_ladder_has_the_same_mobility_in_joint_coordinates),
        cmocka_unit_test(test_large_mechanisms_chain_comes_to_hang),
        cmocka_unit_test(test_large_mechanisms_chain_comes_to_hang_in_joint_coordinates),
        cmocka_unit_test(test_large_mechanisms_ladder_comes_to_hang_where_rank_is_lost),
        cmocka_unit_test(test_large_mechanisms_open_ladder_is_assembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
