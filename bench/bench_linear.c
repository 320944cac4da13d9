// SPDX-License-Identifier: Apache-2.0
// Time of one factorization and one solution per body for each linear solver, on the saddle matrix
// [S G^T; G 0] of a planar chain (3 unknowns per body, 2 per joint). Filling the matrix is counted
// separately and taken off. Best of several rounds.
#include "solver/linear/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 60 };

typedef trmi_solver *create_function(trmi_memory *memory, const trmi_structure *structure);

// positions of the lower and the upper triangle with their numbers
typedef struct chain {
    int bodies, n, count;
    int *row, *col, *node_first;
    double *number;
} chain;

static void add(chain *c, int row, int col, double number)
{
    for (int k = 0; k < (row == col ? 1 : 2); k++) {
        c->row[c->count] = k == 0 ? row : col;
        c->col[c->count] = k == 0 ? col : row;
        c->number[c->count++] = number;
    }
}

// end of a bar on body b at (px, py) seen from its centre: G = sign [1 0 -py; 0 1 px]
static void add_end(chain *c, int joint, int b, double sign, double px, double py)
{
    int row = 3 * c->bodies + 2 * joint, col = 3 * b;
    add(c, row, col, sign);
    add(c, row + 1, col + 1, sign);
    add(c, row, col + 2, -sign * py);
    add(c, row + 1, col + 2, sign * px);
}

static bool make_chain(chain *c, trmi_memory *memory, int bodies)
{
    *c = (chain){.bodies = bodies, .n = 5 * bodies};
    if (!TRMI_TAKE(memory, c->row, 26 * bodies) || !TRMI_TAKE(memory, c->col, 26 * bodies) ||
        !TRMI_TAKE(memory, c->number, 26 * bodies) ||
        !TRMI_TAKE(memory, c->node_first, 2 * bodies + 1))
        return false;
    for (int b = 0; b < bodies; b++) {
        double angle = 0.3 * sin(0.7 * b), px = 0.5 * cos(angle), py = 0.5 * sin(angle);
        for (int i = 0; i < 3; i++)
            add(c, 3 * b + i, 3 * b + i, i < 2 ? 1.0 : 1.0 / 12);
        add_end(c, b, b, 1, -px, -py);
        if (b + 1 < bodies)
            add_end(c, b + 1, b, -1, px, py);
        c->node_first[b] = 3 * b;
        c->node_first[bodies + b] = 3 * bodies + 2 * b;
    }
    c->node_first[2 * bodies] = c->n;
    return true;
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(trmi_solver *solver, const chain *c, const int *place)
{
    trmi_solver_clear(solver);
    for (int i = 0; i < c->count; i++)
        if (place[i] >= 0)
            solver->value[place[i]] += c->number[i];
}

typedef struct timing {
    double create, factor, solve_1, solve_2; // ns per body
} timing;

// time of `repeats` solutions, divided; the right-hand side is restored each time
static double time_solve(trmi_solver *solver, double *x, const double *b, int count, int repeats)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int i = 0; i < repeats; i++) {
            memcpy(x, b, (size_t)(count * solver->n) * sizeof *x);
            solver->type->solve(solver, x, count);
        }
        best = fmin(best, seconds() - start);
    }
    return best / repeats;
}

static double time_factor(trmi_solver *solver, const chain *c, const int *place, int repeats)
{
    double best = INFINITY, best_fill = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int i = 0; i < repeats; i++)
            fill(solver, c, place);
        double middle = seconds();
        for (int i = 0; i < repeats; i++) {
            fill(solver, c, place);
            if (solver->type->factor(solver) != TRMI_FACTOR_OK)
                return NAN;
        }
        best_fill = fmin(best_fill, middle - start);
        best = fmin(best, seconds() - middle);
    }
    return (best - best_fill) / repeats;
}

static bool measure(timing *out, create_function *create, const chain *c, int repeats)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_structure structure = {.n = c->n,
                                .count = c->count,
                                .row = c->row,
                                .col = c->col,
                                .node_count = 2 * c->bodies,
                                .body_count = c->bodies,
                                .node_first = c->node_first};
    double start = seconds();
    trmi_solver *solver = create(&memory, &structure);
    double created = seconds() - start;
    int *place;
    double *x, *b;
    bool done = solver && TRMI_TAKE(&memory, place, c->count) && TRMI_TAKE(&memory, x, 2 * c->n) &&
                TRMI_TAKE(&memory, b, 2 * c->n);
    if (done) {
        for (int i = 0; i < c->count; i++) {
            bool skipped = solver->type->symmetric && c->row[i] < c->col[i];
            place[i] = skipped ? -1 : solver->type->position(solver, c->row[i], c->col[i]);
        }
        for (int i = 0; i < 2 * c->n; i++)
            b[i] = sin(i);
        double scale = 1e9 / c->bodies;
        *out = (timing){.create = scale * created};
        out->factor = scale * time_factor(solver, c, place, repeats);
        out->solve_1 = scale * time_solve(solver, x, b, 1, repeats);
        out->solve_2 = scale * time_solve(solver, x, b, 2, repeats);
    }
    trmi_solver_destroy(solver);
    trmi_memory_release_all(&memory);
    return done;
}

int main(void)
{
    static const struct {
        const char *name;
        create_function *create;
        int n_max;
    } solvers[] = {{"block", trmi_block_create, 1000000},
                   {"klu", trmi_klu_create, 1000000},
                   {"dense", trmi_dense_create, 300}};
    static const int lengths[] = {3, 10, 30, 100, 1000, 10000};
    printf("ns per body, planar chain\n%6s %6s %9s %9s %9s %9s\n", "solver", "bodies", "create",
           "factor", "solve 1", "solve 2");
    for (int s = 0; s < 3; s++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            trmi_memory memory;
            trmi_memory_init(&memory, NULL);
            chain c;
            timing t;
            bool dense = solvers[s].create == trmi_dense_create;
            int work = dense ? lengths[i] * lengths[i] * lengths[i] : lengths[i];
            int repeats = 1 + (dense ? 100000 : 20000) / work;
            if (5 * lengths[i] <= solvers[s].n_max && make_chain(&c, &memory, lengths[i]) &&
                measure(&t, solvers[s].create, &c, repeats))
                printf("%6s %6d %9.1f %9.1f %9.1f %9.1f\n", solvers[s].name, lengths[i], t.create,
                       t.factor, t.solve_1, t.solve_2);
            trmi_memory_release_all(&memory);
        }
    return 0;
}
