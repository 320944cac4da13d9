// SPDX-License-Identifier: Apache-2.0
// Block LDL^T against dense LAPACK on random saddle matrices [S G^T; G 0] over graphs of bodies and
// joints, and its complex twin against LAPACK and KLU.
#include "base/lapack.h"
#include "solver/linear/complex_solver.h"
#include "solver/linear/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 200, ENTRIES = 400000 };

// a mechanism as a graph with random numbers in a dense matrix
typedef struct mechanism {
    trmi_memory memory;
    int bodies, joints, n, count;
    int first[NODES + 1]; // first unknown of each node, bodies first
    int *row, *col;       // structure
    double *a;            // n x n
    int free_dofs[NODES]; // of each body: not yet taken by joints
    unsigned state;
} mechanism;

static void *take(trmi_memory *memory, int count, size_t size)
{
    void *block = trmi_memory_take(memory, (size_t)count, size);
    assert_non_null(block);
    return block;
}

static double random_number(mechanism *m) // in (-1, 1)
{
    m->state = m->state * 1664525u + 1013904223u;
    return (double)(m->state >> 8) / 8388608.0 - 1;
}

static int random_below(mechanism *m, int limit)
{
    int i = (int)((random_number(m) + 1) * 0.5 * limit);
    return i < limit ? i : limit - 1;
}

static void add(mechanism *m, int row, int col, double value)
{
    assert_true(m->count < ENTRIES);
    m->row[m->count] = row;
    m->col[m->count++] = col;
    m->a[row + col * m->n] += value;
}

static int size_of(const mechanism *m, int node)
{
    return m->first[node + 1] - m->first[node];
}

// sizes: bodies then joints
static void start(mechanism *m, int bodies, int joints, const int *sizes, unsigned seed)
{
    memset(m, 0, sizeof *m);
    trmi_memory_init(&m->memory, NULL);
    m->bodies = bodies;
    m->joints = joints;
    m->state = seed;
    for (int k = 0; k < bodies + joints; k++)
        m->first[k + 1] = m->first[k] + sizes[k];
    m->n = m->first[bodies + joints];
    m->a = take(&m->memory, m->n * m->n, sizeof *m->a);
    m->row = take(&m->memory, ENTRIES, sizeof *m->row);
    m->col = take(&m->memory, ENTRIES, sizeof *m->col);
    for (int b = 0; b < bodies; b++)
        m->free_dofs[b] = size_of(m, b);
}

// S += B B^T over the unknowns of one or two bodies (b < 0: one), B random
static void add_stiffness(mechanism *m, int a, int b, double diagonal)
{
    int unknown[12], count = 0;
    double factor[12 * 12];
    for (int i = 0; i < size_of(m, a); i++)
        unknown[count++] = m->first[a] + i;
    for (int i = 0; b >= 0 && i < size_of(m, b); i++)
        unknown[count++] = m->first[b] + i;
    for (int i = 0; i < count * count; i++)
        factor[i] = random_number(m);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double sum = i == j ? diagonal : 0;
            for (int k = 0; k < count; k++)
                sum += factor[i * count + k] * factor[j * count + k];
            add(m, unknown[i], unknown[j], sum);
        }
}

static void add_joint_end(mechanism *m, int joint, int body, int matched)
{
    for (int i = 0; i < size_of(m, joint); i++)
        for (int j = 0; j < size_of(m, body); j++) {
            double value = random_number(m) + (j == matched + i ? 3 : 0);
            add(m, m->first[joint] + i, m->first[body] + j, value);
            add(m, m->first[body] + j, m->first[joint] + i, value);
        }
}

// rows of G over bodies a and b (b < 0: ground); those of a get large entries in unknowns no other
// joint has taken there, so that G has full rank
static void add_joint(mechanism *m, int joint, int a, int b)
{
    m->free_dofs[a] -= size_of(m, joint);
    assert_true(m->free_dofs[a] >= 0);
    add_joint_end(m, joint, a, m->free_dofs[a]);
    if (b >= 0)
        add_joint_end(m, joint, b, -100);
}

static trmi_structure structure_of(const mechanism *m)
{
    return (trmi_structure){.n = m->n,
                            .count = m->count,
                            .row = m->row,
                            .col = m->col,
                            .node_count = m->bodies + m->joints,
                            .body_count = m->bodies,
                            .node_first = m->first};
}

static void finish(mechanism *m)
{
    trmi_memory_release_all(&m->memory);
}

// the lower triangle of the dense matrix goes into the solver
static void fill(trmi_solver *solver, const mechanism *m)
{
    trmi_solver_clear(solver);
    for (int j = 0; j < m->n; j++)
        for (int i = j; i < m->n; i++)
            if (m->a[i + j * m->n] != 0) {
                int p = solver->type->position(solver, i, j);
                assert_in_range(p, 0, solver->value_count - 1);
                assert_int_equal(p, solver->type->position(solver, j, i));
                solver->value[p] = m->a[i + j * m->n];
            }
}

// x := A^-1 x by LAPACK for two right-hand sides
static void solve_dense(mechanism *m, double *x)
{
    int n = m->n, two = 2, info = 0;
    int *pivots = take(&m->memory, n, sizeof *pivots);
    double *lu = take(&m->memory, n * n, sizeof *lu);
    memcpy(lu, m->a, (size_t)(n * n) * sizeof *lu);
    dgetrf_(&n, &n, lu, &n, pivots, &info);
    assert_int_equal(info, 0);
    dgetrs_("N", &n, &two, lu, &n, pivots, x, &n, &info);
}

static void assert_near(const double *x, const double *expected, int n)
{
    double largest = 0, difference = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
        assert_true(!isnan(x[i]));
        difference = fmax(difference, fabs(x[i] - expected[i]));
    }
    assert_true(difference <= 1e-10 * largest);
}

// entries that come part by part
typedef struct supply {
    double *to;
    const double *from;
    int end, parts;
} supply;

static void supply_part(void *user, int begin, int end)
{
    supply *s = user;
    assert_int_equal(begin, s->end);
    assert_true(end > begin);
    memcpy(s->to + begin, s->from + begin, (size_t)(end - begin) * sizeof *s->to);
    s->end = end;
    s->parts++;
}

// the same numbers where entries come in and the solution begins during the factorization
static int check_parts(trmi_solver *solver, mechanism *m, const double *b, const double *expected)
{
    double *x = take(&m->memory, m->n, sizeof *x);
    double *copy = take(&m->memory, solver->value_count, sizeof *copy);
    fill(solver, m);
    memcpy(copy, solver->value, (size_t)solver->value_count * sizeof *copy);
    memset(solver->value, 0xFF, (size_t)solver->value_count * sizeof *copy); // no numbers
    memcpy(x, b, (size_t)m->n * sizeof *x);
    supply s = {.to = solver->value, .from = copy};
    assert_int_equal(solver->type->factor_filled(solver, supply_part, &s, x), TRMI_FACTOR_OK);
    assert_int_equal(s.end, solver->value_count);
    solver->type->finish(solver, x);
    assert_memory_equal(x, expected, (size_t)m->n * sizeof *x);
    return s.parts;
}

// Where only joints are wanted, or given: the bodies of a right-hand side then hold no numbers.
static void check_joints_alone(trmi_solver *solver, mechanism *m)
{
    int n = m->n, bodies = m->first[m->bodies];
    double *b = take(&m->memory, n, sizeof *b), *x = take(&m->memory, n, sizeof *x);
    double *expected = take(&m->memory, n, sizeof *expected);
    for (int i = 0; i < n; i++)
        b[i] = expected[i] = x[i] = random_number(m);
    solver->type->solve(solver, expected, 1);
    solver->type->solve_constraints(solver, x);
    assert_near(x + bodies, expected + bodies, n - bodies);
    for (int i = 0; i < n; i++) {
        expected[i] = i < bodies ? 0 : b[i];
        x[i] = i < bodies ? NAN : b[i];
    }
    solver->type->solve(solver, expected, 1);
    solver->type->solve_from_constraints(solver, x);
    assert_near(x, expected, n);
}

// factors and compares one and two right-hand sides with LAPACK
static void check_solver(trmi_solver *solver, mechanism *m)
{
    int n = m->n;
    double *b = take(&m->memory, 2 * n, sizeof *b), *x = take(&m->memory, 2 * n, sizeof *x);
    double *expected = take(&m->memory, 2 * n, sizeof *expected);
    for (int i = 0; i < 2 * n; i++)
        b[i] = expected[i] = random_number(m);
    solve_dense(m, expected);
    fill(solver, m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    assert_true(solver->pivot.smallest > 1e-10 && solver->pivot.smallest <= 1);
    memcpy(x, b, (size_t)n * sizeof *x);
    solver->type->solve(solver, x, 1);
    assert_near(x, expected, n);
    check_parts(solver, m, b, x);
    memcpy(x, b, 2 * (size_t)n * sizeof *x);
    solver->type->solve(solver, x, 2);
    assert_near(x, expected, n);
    assert_near(x + n, expected + n, n);
    check_joints_alone(solver, m);
}

static trmi_solver *create(mechanism *m)
{
    trmi_structure structure = structure_of(m);
    return trmi_block_create(&m->memory, &structure);
}

static const double complex shift = 4.4 + 10.2 * I; // the steepest of seven stages of Radau

// entry (i, j) of [1 + S/shift^2 G^T; G 0]
static double complex shifted_entry(const mechanism *m, int i, int j)
{
    int bodies = m->first[m->bodies];
    double a = m->a[i + j * m->n];
    return i < bodies && j < bodies ? (i == j) + a / (shift * shift) : a;
}

// x := A^-1 x with the complex twin of a solver
static void solve_twin(mechanism *m, const trmi_solver *solver, double complex *x)
{
    trmi_complex_solver *twin = trmi_complex_create(&m->memory, solver);
    assert_non_null(twin);
    twin->turn = shift / cabs(shift);
    for (int j = 0; j < m->n; j++)
        for (int i = solver->type->symmetric ? j : 0; i < m->n; i++)
            if (m->a[i + j * m->n] != 0)
                twin->value[solver->type->position(solver, i, j)] = shifted_entry(m, i, j);
    assert_int_equal(twin->type->factor(twin), TRMI_FACTOR_OK);
    twin->type->solve(twin, x);
    trmi_complex_destroy(twin);
}

static void check_complex(trmi_solver *block, mechanism *m)
{
    const trmi_structure structure = structure_of(m);
    trmi_solver *other[] = {trmi_dense_create(&m->memory, &structure),
                            trmi_klu_create(&m->memory, &structure)};
    double complex *x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = take(&m->memory, m->n, sizeof **x);
        for (int i = 0; i < m->n; i++)
            x[k][i] = cos(i) + sin(3 * i) * I;
        assert_non_null(k > 0 ? other[k - 1] : block);
        solve_twin(m, k > 0 ? other[k - 1] : block, x[k]);
    }
    // parts as numbers one after the other
    assert_near((double *)x[0], (double *)x[1], 2 * m->n);
    assert_near((double *)x[0], (double *)x[2], 2 * m->n);
    trmi_solver_destroy(other[0]);
    trmi_solver_destroy(other[1]);
}

static void check(mechanism *m)
{
    trmi_solver *solver = create(m);
    assert_non_null(solver);
    assert_true(solver->type->symmetric);
    check_solver(solver, m);
    // the same structure with other numbers
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            m->a[i + j * m->n] *= 1 + 0.3 * cos(i) * cos(j);
    check_solver(solver, m);
    // a twin has factors of its own
    trmi_solver *twin = solver->type->create_twin(&m->memory, solver);
    assert_non_null(twin);
    check_solver(twin, m);
    for (int i = 0; i < m->n; i++)
        m->a[i + i * m->n] *= 1.5;
    check_solver(twin, m);
    check_solver(solver, m);
    check_complex(solver, m);
    trmi_solver_destroy(twin);
    trmi_solver_destroy(solver);
    finish(m);
}

static void set_sizes(int *sizes, int bodies, int body_size, int joints, int joint_size)
{
    for (int k = 0; k < bodies + joints; k++)
        sizes[k] = k < bodies ? body_size : joint_size;
}

// pinned at one end; a spring over every third joint if `springs`
static void make_chain(mechanism *m, int bodies, int body_size, int joint_size, bool springs)
{
    int sizes[NODES] = {0};
    set_sizes(sizes, bodies, body_size, bodies, joint_size);
    start(m, bodies, bodies, sizes, (unsigned)(17 * bodies + body_size));
    for (int b = 0; b < bodies; b++) {
        add_stiffness(m, b, -1, 1);
        add_joint(m, bodies + b, b, b - 1);
        if (springs && b % 3 == 2)
            add_stiffness(m, b, b - 1, 0);
    }
}

static void test_block_planar_chain_equals_lapack(void **state)
{
    (void)state;
    static const int lengths[] = {1, 2, 3, 10, 60};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        mechanism m;
        make_chain(&m, lengths[i], 3, 2, false);
        check(&m);
    }
}

// chains with more entries than a part has
static void test_block_long_chains_come_in_parts(void **state)
{
    (void)state;
    const struct {
        int bodies, body_size, joint_size;
    } chains[] = {{99, 3, 2}, {60, 6, 5}};
    for (int k = 0; k < 2; k++) {
        mechanism m;
        make_chain(&m, chains[k].bodies, chains[k].body_size, chains[k].joint_size, k == 1);
        trmi_solver *solver = create(&m);
        assert_non_null(solver);
        double *b = take(&m.memory, m.n, sizeof *b), *x = take(&m.memory, m.n, sizeof *x);
        for (int i = 0; i < m.n; i++)
            b[i] = x[i] = random_number(&m);
        fill(solver, &m);
        assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
        solver->type->solve(solver, x, 1);
        assert_true(check_parts(solver, &m, b, x) > 1);
        trmi_solver_destroy(solver);
        finish(&m);
    }
}

static void test_block_chain_of_any_sizes_equals_lapack(void **state)
{
    (void)state;
    for (int body = 1; body <= 6; body++)
        for (int joint = 1; joint <= body; joint++) {
            mechanism m;
            make_chain(&m, 7, body, joint, joint % 2 == 1);
            check(&m);
        }
}

// A chain of spatial bodies and revolute joints; S couples the rotations of neighbours, and, if
// `mixed`, those of a body with its translations.
static void make_spatial_chain(mechanism *m, int bodies, bool mixed)
{
    int sizes[NODES] = {0};
    set_sizes(sizes, bodies, 6, bodies, 5);
    start(m, bodies, bodies, sizes, 5);
    for (int b = 0; b < bodies; b++) {
        for (int i = 0; i < 6; i++) {
            add(m, 6 * b + i, 6 * b + i, 4);
            for (int j = mixed ? 0 : 3; j < 6 && i >= 3; j++)
                if (i != j) {
                    add(m, 6 * b + i, 6 * b + j, j < 3 ? 0.1 : 0.2);
                    if (j < 3)
                        add(m, 6 * b + j, 6 * b + i, 0.1);
                }
            for (int j = 3; j < 6 && i >= 3 && b > 0; j++) {
                add(m, 6 * b + i, 6 * b - 6 + j, 0.3);
                add(m, 6 * b - 6 + j, 6 * b + i, 0.3);
            }
        }
        add_joint(m, bodies + b, b, b - 1);
    }
}

// Numbers per body away from the ends, counted by hand from the fill. Split: translations 3 x 3
// with two joints 2 (5 x 3), rotations 3 x 3 with a body 3 x 3 and two joints 2 (5 x 3), a joint 5
// x 5 with a joint 5 x 5 and rotations 3 x 5: 39 + 48 + 65. Whole: body 6 x 6 with a body 6 x 6 and
// two joints 2 (5 x 6), a joint with a joint and a body 6 x 5: 132 + 80.
static void test_block_uncoupled_halves_of_bodies_are_nodes(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        mechanism m;
        int values[2];
        for (int longer = 0; longer < 2; longer++) {
            make_spatial_chain(&m, 10 + longer, mixed);
            trmi_solver *solver = create(&m);
            assert_non_null(solver);
            values[longer] = solver->value_count;
            finish(&m);
        }
        assert_int_equal(values[1] - values[0], mixed ? 212 : 152);
        make_spatial_chain(&m, 10, mixed);
        check(&m);
    }
}

static void test_block_springs_between_bodies_equal_lapack(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 40, 3, 2, true);
    check(&m);
    make_chain(&m, 20, 6, 5, true);
    check(&m);
}

static void test_block_loop_equals_lapack(void **state)
{
    (void)state;
    // ring of 12 bodies on the ground, and a ladder of loops
    mechanism m;
    int sizes[NODES], bodies = 12;
    set_sizes(sizes, bodies, 3, bodies + 1, 2);
    sizes[bodies + bodies] = 1;
    start(&m, bodies, bodies + 1, sizes, 5);
    for (int b = 0; b < bodies; b++) {
        add_stiffness(&m, b, -1, 1);
        add_joint(&m, bodies + b, b, (b + 1) % bodies);
    }
    add_joint(&m, bodies + bodies, 4, -1);
    check(&m);

    bodies = 30;
    set_sizes(sizes, bodies, 6, 28 + 15, 3);
    start(&m, bodies, 28 + 15, sizes, 6);
    int joint = bodies;
    for (int b = 0; b < bodies; b++)
        add_stiffness(&m, b, -1, 1);
    for (int b = 0; b + 2 < bodies; b++)
        add_joint(&m, joint++, b, b + 2);
    for (int b = 0; b < bodies; b += 2)
        add_joint(&m, joint++, b, b + 1);
    check(&m);
}

static void test_block_tree_equals_lapack(void **state)
{
    (void)state;
    mechanism m;
    int sizes[NODES], bodies = 63;
    set_sizes(sizes, bodies, 3, bodies, 2);
    start(&m, bodies, bodies, sizes, 7);
    for (int b = 0; b < bodies; b++) {
        add_stiffness(&m, b, -1, 1);
        add_joint(&m, bodies + b, b, b > 0 ? (b - 1) / 2 : -1);
    }
    check(&m);
}

static void test_block_random_graph_of_mixed_sizes_equals_lapack(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        mechanism m, draw = {.state = seed};
        int sizes[NODES], owner[NODES], free_dofs[NODES], bodies = 25, joints = 0;
        for (int b = 0; b < bodies; b++)
            free_dofs[b] = sizes[b] = 1 + random_below(&draw, 6);
        for (int k = 0; k < 40; k++) {
            int b = random_below(&draw, bodies);
            if (free_dofs[b] == 0)
                continue;
            int size = 1 + random_below(&draw, free_dofs[b]);
            free_dofs[b] -= size;
            owner[joints] = b;
            sizes[bodies + joints++] = size;
        }
        start(&m, bodies, joints, sizes, seed);
        for (int b = 0; b < bodies; b++)
            add_stiffness(&m, b, -1, 1);
        for (int k = 0; k < joints; k++) {
            int other = random_below(&m, bodies + 2);
            add_joint(&m, bodies + k, owner[k], other < bodies && other != owner[k] ? other : -1);
        }
        for (int k = 0; k < 12; k++) {
            int a = random_below(&m, bodies), b = random_below(&m, bodies);
            if (a != b)
                add_stiffness(&m, a, b, 0);
        }
        check(&m);
    }
}

static void test_block_joint_with_three_bodies_equals_lapack(void **state)
{
    (void)state;
    mechanism m;
    int sizes[] = {3, 3, 3, 2, 2};
    start(&m, 3, 2, sizes, 3);
    for (int b = 0; b < 3; b++)
        add_stiffness(&m, b, -1, 1);
    add_joint(&m, 3, 0, 1);
    add_joint_end(&m, 3, 2, -100);
    add_joint(&m, 4, 2, 1);
    check(&m);
}

// a stiff spring in an inclined direction, 1e9 times the mass: an inverse of the body's block by
// minors, whose error grows with the square of the stiffness, leaves 1e-6
static void test_block_stiff_body_keeps_accuracy(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    for (int k = 0; k < 90; k++) {
        int b = k / 9, i = k / 3 % 3, j = k % 3;
        add(&m, 3 * b + i, 3 * b + j, 1e9 * sin(1 + b + i) * sin(1 + b + j));
    }
    trmi_solver *solver = create(&m);
    double *x = take(&m.memory, 2 * m.n, sizeof *x);
    double *expected = take(&m.memory, 2 * m.n, sizeof *x), largest = 0;
    for (int i = 0; i < 2 * m.n; i++)
        x[i] = expected[i] = random_number(&m);
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    solver->type->solve(solver, x, 2);
    solve_dense(&m, expected);
    for (int i = 0; i < 30; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int i = 0; i < 30; i++)
        assert_true(fabs(x[i] - expected[i]) < 1e-9 * largest);
    finish(&m);
}

static void test_block_duplicate_positions_are_merged(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 8, 3, 2, true);
    int count = m.count;
    for (int i = 0; i < count; i++)
        add(&m, m.row[i], m.col[i], 0);
    check(&m);
}

// turned by shift/|shift| the pivot 1 - 2 of one unknown of a body points backwards
static void test_block_complex_pivot_outside_its_sector_has_wrong_sign(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    trmi_complex_solver *twin = trmi_complex_create(&m.memory, solver);
    twin->turn = shift / cabs(shift);
    for (int number = 0; number < 2; number++) {
        memset(twin->value, 0, (size_t)twin->value_count * sizeof *twin->value);
        for (int j = 0; j < m.n; j++)
            for (int i = j; i < m.n; i++)
                if (m.a[i + j * m.n] != 0)
                    twin->value[solver->type->position(solver, i, j)] = shifted_entry(&m, i, j);
        double complex *first = &twin->value[solver->type->position(solver, 12, 12)];
        *first = number == 0 ? -1 : NAN;
        assert_int_equal(twin->type->factor(twin),
                         number == 0 ? TRMI_FACTOR_WRONG_SIGN : TRMI_FACTOR_SINGULAR);
    }
    trmi_complex_destroy(twin);
    finish(&m);
}

static void test_block_indefinite_body_has_wrong_sign(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.a[(3 * 4 + i) + (3 * 4 + j) * m.n] = i == j ? (i == 1 ? -1 : 1) : 0;
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_WRONG_SIGN);
    assert_int_equal(solver->pivot.row, 3 * 4 + 1);
    finish(&m);

    make_chain(&m, 5, 6, 3, true);
    solver = create(&m);
    m.a[20 + 20 * m.n] = -2;
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_WRONG_SIGN);
    assert_in_range(solver->pivot.row, 18, 23);
    finish(&m);
}

static void test_block_positive_joint_has_wrong_sign(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    int row = 30 + 2 * 6 + 1;
    add(&m, row, row, 1e6);
    trmi_solver *solver = create(&m);
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_WRONG_SIGN);
    assert_int_equal(solver->pivot.row, row);
    finish(&m);
}

static void test_block_zero_mass_is_singular_in_its_row(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    for (int i = 0; i < 3; i++)
        m.a[(12 + i) + 13 * m.n] = m.a[13 + (12 + i) * m.n] = 0;
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
    assert_int_equal(solver->pivot.row, 13);
    assert_true(solver->pivot.smallest == 0);
    finish(&m);
}

static void test_block_number_that_is_not_finite_is_singular(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int size = 2; size <= 6; size++)
        for (int i = 0; i < 3; i++) {
            mechanism m;
            make_chain(&m, 6, size, 2, false);
            trmi_solver *solver = create(&m);
            m.a[(size * 3) * (m.n + 1)] = bad[i];
            fill(solver, &m);
            assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
            assert_int_equal(solver->pivot.row, size * 3);
            finish(&m);
        }
}

// the second row of joint 4 := the first plus epsilon times itself
static void repeat_row(mechanism *m, int first, double epsilon)
{
    for (int j = 0; j < m->first[m->bodies]; j++) {
        double value = m->a[first + j * m->n] + epsilon * m->a[first + 1 + j * m->n];
        m->a[first + 1 + j * m->n] = m->a[j + (first + 1) * m->n] = value;
    }
}

static void test_block_repeated_constraint_row_is_singular_there(void **state)
{
    (void)state;
    static const int sizes[][2] = {{3, 2}, {6, 3}};
    for (int i = 0; i < 2; i++) {
        mechanism m;
        make_chain(&m, 10, sizes[i][0], sizes[i][1], false);
        trmi_solver *solver = create(&m);
        int row = m.first[m.bodies + 4];
        repeat_row(&m, row, 0);
        fill(solver, &m);
        assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
        assert_int_equal(solver->pivot.row, row + 1);
        finish(&m);
    }
}

static void test_block_nearly_repeated_row_gives_small_pivot(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    int row = m.first[m.bodies + 4];
    repeat_row(&m, row, 1e-4); // pivot of order 1e-8
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    assert_true(solver->pivot.smallest < 1e-6 && solver->pivot.smallest > 1e-11);
    assert_int_equal(solver->pivot.row, row + 1);
    finish(&m);
}

// two joints of one unknown each between the same bodies: the rank is lost between joint nodes
static void test_block_two_equal_joints_are_singular(void **state)
{
    (void)state;
    mechanism m;
    int sizes[] = {3, 3, 2, 2, 2};
    start(&m, 2, 3, sizes, 4);
    add_stiffness(&m, 0, -1, 1);
    add_stiffness(&m, 1, -1, 1);
    add_joint(&m, 2, 0, -1);
    add_joint(&m, 3, 1, 0);
    add_joint_end(&m, 4, 0, -100);
    add_joint_end(&m, 4, 1, -100);
    trmi_solver *solver = create(&m);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 2; i++)
            m.a[10 + i + j * m.n] = m.a[j + (10 + i) * m.n] = m.a[8 + i + j * m.n];
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
    assert_in_range(solver->pivot.row, 8, 11);
    finish(&m);
}

static void test_block_joint_without_bodies_is_singular(void **state)
{
    (void)state;
    mechanism m;
    int sizes[] = {3, 2, 2};
    start(&m, 1, 2, sizes, 4);
    add_stiffness(&m, 0, -1, 1);
    add_joint(&m, 1, 0, -1);
    trmi_solver *solver = create(&m);
    assert_non_null(solver);
    fill(solver, &m);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
    assert_int_equal(solver->pivot.row, 5);
    finish(&m);
}

static void test_block_recovers_after_a_failed_factorization(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    trmi_solver_clear(solver);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
    check_solver(solver, &m);
    finish(&m);
}

static void test_block_outside_position_is_refused(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 10, 3, 2, false);
    trmi_solver *solver = create(&m);
    assert_int_equal(solver->type->position(solver, 0, 28), -1); // bodies without a spring
    assert_int_equal(solver->type->position(solver, -1, 0), -1);
    assert_int_equal(solver->type->position(solver, 0, m.n), -1);
    finish(&m);
}

static void test_block_structure_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 3, 3, 2, false);
    trmi_structure structure = structure_of(&m);
    structure.node_count = 0;
    assert_null(trmi_block_create(&m.memory, &structure));
    structure = structure_of(&m);
    add(&m, 9, 11, 1); // between two joints
    structure.count = m.count;
    assert_null(trmi_block_create(&m.memory, &structure));
    finish(&m);

    int sizes[] = {7};
    start(&m, 1, 0, sizes, 1);
    add_stiffness(&m, 0, -1, 1);
    assert_null(create(&m));
    finish(&m);
}

// a hub: one body carries `count` bodies by joints (star) or by springs
static trmi_solver *create_hub(trmi_memory *memory, int count, bool springs)
{
    int joints = springs ? 0 : count, entries = 0;
    int *row = take(memory, 4 * count, sizeof *row), *col = take(memory, 4 * count, sizeof *col);
    int *first = take(memory, 2 * count + 2, sizeof *first);
    for (int k = 0; k < 1 + count + joints; k++)
        first[k + 1] = first[k] + 1;
    for (int k = 0; k < count; k++) {
        int joint = 1 + count + k, body = 1 + k;
        row[entries] = springs ? body : joint;
        col[entries++] = 0;
        row[entries] = springs ? body : joint;
        col[entries++] = body;
    }
    trmi_structure structure = {.n = first[1 + count + joints],
                                .count = entries,
                                .row = row,
                                .col = col,
                                .node_count = 1 + count + joints,
                                .body_count = 1 + count,
                                .node_first = first};
    return trmi_block_create(memory, &structure);
}

static void test_block_hub_of_joints_is_refused(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    assert_null(create_hub(&memory, 20000, false));
    assert_null(create_hub(&memory, 65, false));
    assert_non_null(create_hub(&memory, 60, false));
    trmi_memory_release_all(&memory);
}

static void test_block_hub_of_springs_is_accepted(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    assert_non_null(create_hub(&memory, 20000, true));
    trmi_memory_release_all(&memory);
}

// S = 1 and G = [.. -a  1 ..] with rotated blocks: long enough that only order n work is bearable
static void test_block_long_chain_has_small_residual(void **state)
{
    (void)state;
    enum { BODIES = 20000, N = 5 * BODIES };
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    int *row = take(&memory, 15 * BODIES, sizeof *row),
        *col = take(&memory, 15 * BODIES, sizeof *col);
    int *first = take(&memory, 2 * BODIES + 1, sizeof *first), count = 0;
    double *number = take(&memory, 15 * BODIES, sizeof *number);
    double *x = take(&memory, N, sizeof *x), *residual = take(&memory, N, sizeof *residual);
    for (int b = 0; b < BODIES; b++) {
        first[b] = 3 * b;
        first[BODIES + b] = 3 * BODIES + 2 * b;
        for (int i = 0; i < 3; i++) {
            row[count] = col[count] = 3 * b + i;
            number[count++] = 1;
        }
        for (int k = 0; k < (b > 0 ? 12 : 6); k++) {
            row[count] = 3 * BODIES + 2 * b + k % 2;
            col[count] = 3 * (b - k / 6) + k % 6 / 2;
            number[count++] = (k % 2 == k % 6 / 2) + 0.3 * sin(b + 2 * k);
        }
    }
    first[2 * BODIES] = N;
    trmi_structure structure = {.n = N,
                                .count = count,
                                .row = row,
                                .col = col,
                                .node_count = 2 * BODIES,
                                .body_count = BODIES,
                                .node_first = first};
    trmi_solver *solver = trmi_block_create(&memory, &structure);
    assert_non_null(solver);
    for (int i = 0; i < count; i++)
        solver->value[solver->type->position(solver, row[i], col[i])] += number[i];
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    for (int i = 0; i < N; i++)
        x[i] = residual[i] = cos(i);
    solver->type->solve(solver, x, 1);
    for (int i = 0; i < count; i++) {
        residual[row[i]] -= number[i] * x[col[i]];
        if (row[i] != col[i])
            residual[col[i]] -= number[i] * x[row[i]];
    }
    for (int i = 0; i < N; i++)
        assert_true(fabs(residual[i]) < 1e-10);
    trmi_memory_release_all(&memory);
}

static void *allocate_some(size_t size, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void release_some(void *block, void *user)
{
    (void)user;
    free(block);
}

static void test_block_without_memory_returns_null(void **state)
{
    (void)state;
    mechanism m;
    make_chain(&m, 60, 3, 2, true);
    trmi_structure structure = structure_of(&m);
    bool created = false;
    for (int allowed = 0; allowed < 200 && !created; allowed++) {
        trmi_memory memory;
        int allocations_left = allowed;
        const trm_allocator allocator = {allocate_some, release_some, &allocations_left};
        trmi_memory_init(&memory, &allocator);
        created = trmi_block_create(&memory, &structure) != NULL;
        trmi_memory_release_all(&memory);
    }
    assert_true(created);
    finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_planar_chain_equals_lapack),
        cmocka_unit_test(test_block_long_chains_come_in_parts),
        cmocka_unit_test(test_block_chain_of_any_sizes_equals_lapack),
        cmocka_unit_test(test_block_uncoupled_halves_of_bodies_are_nodes),
        cmocka_unit_test(test_block_springs_between_bodies_equal_lapack),
        cmocka_unit_test(test_block_loop_equals_lapack),
        cmocka_unit_test(test_block_tree_equals_lapack),
        cmocka_unit_test(test_block_random_graph_of_mixed_sizes_equals_lapack),
        cmocka_unit_test(test_block_joint_with_three_bodies_equals_lapack),
        cmocka_unit_test(test_block_stiff_body_keeps_accuracy),
        cmocka_unit_test(test_block_duplicate_positions_are_merged),
        cmocka_unit_test(test_block_complex_pivot_outside_its_sector_has_wrong_sign),
        cmocka_unit_test(test_block_indefinite_body_has_wrong_sign),
        cmocka_unit_test(test_block_positive_joint_has_wrong_sign),
        cmocka_unit_test(test_block_zero_mass_is_singular_in_its_row),
        cmocka_unit_test(test_block_number_that_is_not_finite_is_singular),
        cmocka_unit_test(test_block_repeated_constraint_row_is_singular_there),
        cmocka_unit_test(test_block_nearly_repeated_row_gives_small_pivot),
        cmocka_unit_test(test_block_two_equal_joints_are_singular),
        cmocka_unit_test(test_block_joint_without_bodies_is_singular),
        cmocka_unit_test(test_block_recovers_after_a_failed_factorization),
        cmocka_unit_test(test_block_outside_position_is_refused),
        cmocka_unit_test(test_block_structure_that_does_not_fit_is_refused),
        cmocka_unit_test(test_block_hub_of_joints_is_refused),
        cmocka_unit_test(test_block_hub_of_springs_is_accepted),
        cmocka_unit_test(test_block_long_chain_has_small_residual),
        cmocka_unit_test(test_block_without_memory_returns_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
