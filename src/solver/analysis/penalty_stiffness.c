// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/penalty_stiffness.h"

#include "base/lapack.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// 1/s^2: least stiffness that springs are compared with
static const double MIN_SQUARE = 1;
// Thin bodies have no inertia about their axis. Springs are judged as if they had this part of that
// across, as a rod a thousandth as thick as long.
static const double THIN = 1e-6;

static const trm_quantity parts[] = {TRM_QUANTITY_MASS, TRM_QUANTITY_STIFFNESS,
                                     TRM_QUANTITY_GEOMETRIC};
enum { PARTS = sizeof parts / sizeof *parts };

static const trmi_quantity *part_of(const trmi_evaluator *e, int k)
{
    return trmi_has(e->prepared & ~e->absent, parts[k]) ? &e->block[parts[k]] : NULL;
}

// ---- structure ----

// G by rows, without those that are dropped
static bool list_rows(trmi_definite *d, trmi_memory *memory)
{
    const trmi_evaluator *e = d->e;
    const trm_pattern *G = &e->block[TRMI_TOTAL].pattern;
    int n = e->n_r, count = e->block[TRMI_TOTAL].count > 0 ? e->block[TRMI_TOTAL].count : 0;
    if (!TRMI_TAKE(memory, d->start, n + 2) || !TRMI_TAKE(memory, d->column, count) ||
        !TRMI_TAKE(memory, d->entry, count))
        return false;
    for (trmi_cursor at = trmi_pattern_begin(G); at.k < count; trmi_pattern_next(&at))
        if (at.row < n)
            d->start[at.row + 2]++; // one place further: while they are listed, start[i + 1] grows
    for (int i = 2; i <= n; i++)
        d->start[i] += d->start[i - 1];
    for (trmi_cursor at = trmi_pattern_begin(G); at.k < count; trmi_pattern_next(&at))
        if (at.row < n) {
            int place = d->start[at.row + 1]++;
            d->column[place] = at.column;
            d->entry[place] = at.k;
        }
    return true;
}

static double count_pairs(const trmi_definite *d)
{
    double pairs = 0;
    for (int r = 0; r < d->e->n_r; r++) {
        double width = d->start[r + 1] - d->start[r];
        pairs += 0.5 * width * (width + 1);
    }
    return pairs;
}

// where A may be other than zero: the diagonal, the parts, the pairs of entries of a row
static void collect_structure(const trmi_definite *d, int *row, int *col)
{
    const trmi_evaluator *e = d->e;
    int count = 0;
    for (int i = 0; i < e->n_q; i++, count++)
        row[count] = col[count] = i;
    for (int k = 0; k < PARTS; k++) {
        const trmi_quantity *b = part_of(e, k);
        if (!b)
            continue;
        for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
             trmi_pattern_next(&at), count++) {
            row[count] = at.row;
            col[count] = at.column;
        }
    }
    for (int r = 0; r < e->n_r; r++)
        for (int i = d->start[r]; i < d->start[r + 1]; i++)
            for (int j = d->start[r]; j <= i; j++, count++) {
                row[count] = d->column[i];
                col[count] = d->column[j];
            }
}

static int count_structure(const trmi_evaluator *e, double pairs)
{
    double count = e->n_q + pairs;
    for (int k = 0; k < PARTS; k++)
        count += part_of(e, k) ? part_of(e, k)->count : 0;
    return count < INT_MAX ? (int)count : 0;
}

static trmi_solver *create_blocks(const trmi_definite *d, trmi_memory *memory, double pairs)
{
    const trmi_evaluator *e = d->e;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trmi_solver *solver = NULL;
    int count = count_structure(e, pairs), *row, *col;
    if (count > 0 && TRMI_TAKE(&scratch, row, count) && TRMI_TAKE(&scratch, col, count)) {
        collect_structure(d, row, col);
        const trmi_structure structure = {.n = e->n_q,
                                          .count = count,
                                          .row = row,
                                          .col = col,
                                          .node_count = e->user.n_bodies,
                                          .body_count = e->user.n_bodies,
                                          .node_first = e->user.body_first};
        solver = trmi_block_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return solver;
}

// ---- places ----

static int place_of(const trmi_definite *d, int row, int col)
{
    if (d->solver)
        return d->solver->type->position(d->solver, row, col);
    return row >= col ? row + d->e->n_q * col : col + d->e->n_q * row;
}

static bool find_places(trmi_definite *d, trmi_memory *memory, double pairs)
{
    const trmi_evaluator *e = d->e;
    for (int k = 0; k < PARTS; k++) {
        const trmi_quantity *b = part_of(e, k);
        if (!TRMI_TAKE(memory, d->place[k], b ? b->count : 0))
            return false;
        if (!b)
            continue;
        for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
             trmi_pattern_next(&at)) {
            int place = place_of(d, at.row, at.column);
            d->place[k][at.k] = at.row == at.column ? place : ~place;
        }
    }
    if (!TRMI_TAKE(memory, d->pair, pairs))
        return false;
    for (int r = 0, count = 0; r < e->n_r; r++)
        for (int i = d->start[r]; i < d->start[r + 1]; i++)
            for (int j = d->start[r]; j <= i; j++)
                d->pair[count++] = place_of(d, d->column[i], d->column[j]);
    return true;
}

bool trmi_definite_create(trmi_definite *d, trmi_memory *memory, const trmi_values *values,
                          int max_dense)
{
    const trmi_evaluator *e = values->e;
    size_t n = (size_t)e->n_q;
    *d = (trmi_definite){.e = e, .values = values};
    if (!list_rows(d, memory))
        return false;
    double pairs = count_pairs(d);
    if (pairs > INT_MAX)
        return false;
    if (e->user.n_bodies > 0)
        d->solver = create_blocks(d, memory, pairs);
    if (!d->solver && (e->n_q > max_dense || !TRMI_TAKE(memory, d->full, n * n)))
        return false;
    return find_places(d, memory, pairs) && TRMI_TAKE(memory, d->mass, n) &&
           TRMI_TAKE(memory, d->flesh, n) && TRMI_TAKE(memory, d->compliance, e->n_r) &&
           TRMI_TAKE(memory, d->weight, e->n_r) &&
           TRMI_TAKE(memory, d->change, e->block[TRM_QUANTITY_MASS].count);
}

void trmi_definite_destroy(trmi_definite *d)
{
    trmi_solver_destroy(d->solver);
}

// ---- numbers ----

void trmi_definite_weigh(trmi_definite *d, double penalty)
{
    const double *G = d->values->of[TRMI_TOTAL],
                 min_mass = 1e-12 * trmi_mass_diagonal(d->values, d->mass);
    trmi_largest_inertias(d->values, d->mass, d->flesh);
    for (int i = 0; i < d->e->n_q; i++)
        d->mass[i] = fmax(d->mass[i], THIN * d->flesh[i]);
    double P = penalty * fmax(trmi_largest_square(d->values, d->mass), MIN_SQUARE);
    for (int r = 0; r < d->e->n_r; r++) {
        double sum = 0;
        for (int i = d->start[r]; i < d->start[r + 1]; i++)
            sum += G[d->entry[i]] * G[d->entry[i]] / fmax(d->mass[d->column[i]], min_mass);
        d->compliance[r] = fmax(sum, d->compliance[r]);
        d->weight[r] = sum > 0 ? P / d->compliance[r] : 0;
    }
}

// value += scale of the entries `from` of part k
static void add_part(const trmi_definite *d, int k, const double *from, double scale, double *value)
{
    const trmi_quantity *b = part_of(d->e, k);
    for (int i = 0; b && i < b->count; i++) {
        int place = d->place[k][i];
        value[place < 0 ? ~place : place] += (place < 0 ? 0.5 : 1) * scale * from[i];
    }
}

static void add_springs(const trmi_definite *d, double *value)
{
    const double *G = d->values->of[TRMI_TOTAL];
    const int *place = d->pair;
    for (int r = 0; r < d->e->n_r; r++)
        for (int i = d->start[r]; i < d->start[r + 1]; i++) {
            double weighted = d->weight[r] * G[d->entry[i]];
            for (int j = d->start[r]; j <= i; j++)
                value[*place++] += weighted * G[d->entry[j]];
        }
}

bool trmi_definite_factor(trmi_definite *d, double shift, bool thick)
{
    const trmi_evaluator *e = d->e;
    int n = e->n_q, info = 0;
    double *value = d->solver ? d->solver->value : d->full;
    size_t count = d->solver ? (size_t)d->solver->value_count : (size_t)n * (size_t)n;
    memset(value, 0, count * sizeof *value);
    add_part(d, 0, d->values->of[TRM_QUANTITY_MASS], shift, value);
    for (int i = 0; i < n && thick; i++)
        value[place_of(d, i, i)] += shift * d->flesh[i];
    add_part(d, 0, d->change, -0.5, value);
    add_part(d, 1, d->values->of[TRM_QUANTITY_STIFFNESS], 1, value);
    add_part(d, 2, d->values->of[TRM_QUANTITY_GEOMETRIC], 1, value);
    add_springs(d, value);
    if (d->solver)
        return d->solver->type->factor(d->solver) == TRMI_FACTOR_OK;
    dpotrf_("L", &n, d->full, &n, &info);
    return info == 0;
}

bool trmi_definite_mass(trmi_definite *d)
{
    const trmi_evaluator *e = d->e;
    const trmi_matrix M = trmi_matrix_of(d->values, TRM_QUANTITY_MASS);
    int n = e->n_q, info = 0, widest = 1;
    double *value = d->solver ? d->solver->value : d->full;
    size_t count = d->solver ? (size_t)d->solver->value_count : (size_t)n * (size_t)n;
    for (int b = 0; b < e->user.n_bodies; b++)
        widest = (int)fmax(widest, e->user.body_first[b + 1] - e->user.body_first[b]);
    memset(value, 0, count * sizeof *value);
    trmi_definite_weigh(d, 1);
    for (int r = 0; r < e->n_r; r++)
        d->weight[r] = d->compliance[r] > 0 ? 1 / d->compliance[r] : 0;
    add_part(d, 0, d->values->of[TRM_QUANTITY_MASS], 1, value);
    for (trmi_cursor at = trmi_pattern_begin(&M.pattern); at.k < M.count; trmi_pattern_next(&at))
        if (at.row == at.column)
            value[place_of(d, at.row, at.row)] -=
                widest * (widest + 1) * DBL_EPSILON * M.value[at.k];
    add_springs(d, value);
    if (d->solver)
        return d->solver->type->factor(d->solver) == TRMI_FACTOR_OK;
    dpotrf_("L", &n, d->full, &n, &info);
    return info == 0;
}

void trmi_definite_solve(trmi_definite *d, double *x)
{
    int n = d->e->n_q, one = 1, info = 0;
    if (d->solver)
        d->solver->type->solve(d->solver, x, 1);
    else
        dpotrs_("L", &n, &one, d->full, &n, x, &n, &info);
}
