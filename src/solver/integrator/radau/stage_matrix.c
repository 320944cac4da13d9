// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/radau/stage_matrix.h"

#include "solver/linear/klu.h"

#include <math.h>
#include <string.h>

// dense only up to this order, whatever the saddle is: LU grows with the cube of s n
enum { MAX_DENSE = 2500 };

// ---- which entry goes where ----

// Powers of cj by which rows were divided and columns multiplied (saddle.h).
static int row_scale(const trmi_evaluator *e, int r)
{
    int rolling = e->n_q + e->n_x + e->n_z + e->n_g;
    return r < e->n_q ? 2 : r < e->n_q + e->n_x || r >= rolling ? 1 : 0;
}

static int column_scale(const trmi_evaluator *e, int c)
{
    return c >= e->n_q + e->n_x + e->n_z ? 2 : 0;
}

// the list that grows while the structure is collected
typedef struct places {
    int *row, *col, count;
} places;

static void add_place(places *p, int row, int col)
{
    if (p->row) {
        p->row[p->count] = row;
        p->col[p->count] = col;
    }
    p->count++;
}

// the s, or s^2, places of an entry (r, c) of the saddle
static void add_blocks(places *p, int s, int r, int c, int power)
{
    for (int i = 0; i < s; i++)
        for (int j = power > 0 ? 0 : i; j < (power > 0 ? s : i + 1); j++)
            add_place(p, r * s + i, c * s + j);
}

// Entries of one part, each once; NULL in m->entry: they are only counted.
static void collect_part(trmi_stacked *m, int k, const int *row, const int *col, int count,
                         int *seen, places *p)
{
    const trmi_evaluator *e = m->saddle->e;
    const trmi_solver *one = m->saddle->solver;
    m->count[k] = 0;
    for (int i = 0; i < count; i++) {
        int source = one->type->position(one, row[i], col[i]);
        if (seen[source] == k + 1)
            continue;
        seen[source] = k + 1;
        int power = k - 2 + row_scale(e, row[i]) - column_scale(e, col[i]);
        if (m->entry[k])
            m->entry[k][m->count[k]] = (trmi_stack_entry){source, row[i], col[i], power, p->count};
        m->count[k]++;
        add_blocks(p, m->s, row[i], col[i], power);
    }
}

// everything: entries of all parts, then the diagonals of the constraint rows
static bool collect(trmi_stacked *m, trmi_memory *scratch, places *p)
{
    const trmi_saddle *saddle = m->saddle;
    int *seen, *row, *col, longest = 0;
    for (int k = 0; k < TRMI_STACK_PARTS; k++) {
        int count = trmi_saddle_places(saddle, k - 2, NULL, NULL);
        longest = count > longest ? count : longest;
    }
    if (!TRMI_TAKE(scratch, seen, saddle->solver->value_count) ||
        !TRMI_TAKE(scratch, row, longest) || !TRMI_TAKE(scratch, col, longest))
        return false;
    p->count = 0;
    for (int k = 0; k < TRMI_STACK_PARTS; k++) {
        int count = trmi_saddle_places(saddle, k - 2, row, col);
        collect_part(m, k, row, col, count, seen, p);
    }
    for (int r = saddle->n - saddle->e->n_r; r < saddle->n; r++)
        add_blocks(p, m->s, r, r, 0);
    return true;
}

// ---- creation ----

static void fill_powers(trmi_stacked *m, const double gamma[][TRMI_MAX_STACK])
{
    for (int i = 0; i < m->s; i++)
        for (int j = 0; j < m->s; j++) {
            m->gamma[0][i][j] = i == j;
            m->gamma[1][i][j] = gamma[i][j];
            for (int k = 0; k < m->s; k++)
                m->gamma[2][i][j] += gamma[i][k] * gamma[k][j];
        }
}

// KLU remembers pivots, dense LU does not
static bool is_klu(const trmi_solver *solver)
{
    return solver->type->forget != NULL;
}

// the list of places becomes a structure, and its numbers those of the solver's values
static bool create_solver(trmi_stacked *m, trmi_memory *memory, const places *p)
{
    const trmi_saddle *saddle = m->saddle;
    const trmi_structure structure = {
        .n = m->s * saddle->n, .count = p->count, .row = p->row, .col = p->col};
    bool dense = !is_klu(saddle->solver) && structure.n <= MAX_DENSE;
    m->solver = dense ? trmi_dense_create(memory, &structure) : trmi_klu_create(memory, &structure);
    if (!m->solver)
        return false;
    for (int i = 0; i < p->count; i++)
        m->place[i] = m->solver->type->position(m->solver, p->row[i], p->col[i]);
    m->diagonal = m->place + p->count - m->s * saddle->e->n_r;
    return true;
}

static bool take_orders(trmi_stacked *m, trmi_memory *memory)
{
    int n = m->saddle->n;
    if (!is_klu(m->saddle->solver))
        return true;
    return TRMI_TAKE(memory, m->pivot_row, n) && TRMI_TAKE(memory, m->pivot_col, n) &&
           TRMI_TAKE(memory, m->row_order, m->s * n) && TRMI_TAKE(memory, m->col_order, m->s * n);
}

static bool create(trmi_stacked *m, trmi_memory *memory, trmi_memory *scratch)
{
    places p = {0};
    if (!collect(m, scratch, &p) || !TRMI_TAKE(scratch, p.row, p.count) ||
        !TRMI_TAKE(scratch, p.col, p.count) || !TRMI_TAKE(memory, m->place, p.count))
        return false;
    for (int k = 0; k < TRMI_STACK_PARTS; k++)
        if (!TRMI_TAKE(memory, m->entry[k], m->count[k]))
            return false;
    return collect(m, scratch, &p) && create_solver(m, memory, &p) && take_orders(m, memory) &&
           TRMI_TAKE(memory, m->part, m->saddle->solver->value_count) &&
           TRMI_TAKE(memory, m->x, m->s * m->saddle->n);
}

bool trmi_stacked_create(trmi_stacked *m, trmi_memory *memory, trmi_saddle *saddle, int s,
                         const double gamma[][TRMI_MAX_STACK], bool reducible)
{
    trmi_memory scratch;
    *m = (trmi_stacked){.saddle = saddle, .s = s};
    fill_powers(m, gamma);
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = create(m, memory, &scratch);
    if (good && reducible && trmi_motions_suits(saddle->e))
        good = trmi_stacked_small_create(m, memory);
    trmi_memory_release_all(&scratch);
    if (!good) {
        trmi_solver_destroy(m->solver);
        m->solver = NULL;
    }
    return good;
}

// ---- order of elimination ----

// pivots of one stage become blocks of s x s
static bool expand_order(trmi_stacked *m)
{
    for (int k = 0; k < m->saddle->n; k++)
        for (int i = 0; i < m->s; i++) {
            m->row_order[k * m->s + i] = m->pivot_row[k] * m->s + i;
            m->col_order[k * m->s + i] = m->pivot_col[k] * m->s + i;
        }
    m->ordered = trmi_klu_reorder(m->solver, m->row_order, m->col_order);
    return m->ordered;
}

bool trmi_stacked_order(trmi_stacked *m)
{
    if (m->ordered)
        return true;
    if (m->pivot_row && trmi_klu_pivots(m->saddle->solver, m->pivot_row, m->pivot_col))
        return expand_order(m);
    m->ordered = true; // the one KLU found, or none
    return true;
}

// ---- values ----

void trmi_stacked_clear(trmi_stacked *m, bool whole)
{
    m->small.serves = m->small.exists && !whole;
    if (m->small.serves)
        trmi_stacked_small_clear(m);
    else
        trmi_solver_clear(m->solver);
}

// the entries of part k in the block row of stage i
static void add_part(trmi_stacked *m, int k, int i, double factor)
{
    double *value = m->solver->value;
    for (int l = 0; l < m->count[k]; l++) {
        const trmi_stack_entry *entry = &m->entry[k][l];
        const int *place = m->place + entry->first;
        double number = factor * m->part[entry->source];
        if (entry->power == 0) {
            value[place[i]] += number;
            continue;
        }
        const double *gamma = m->gamma[entry->power][i];
        for (int j = 0; j < m->s; j++)
            value[place[i * m->s + j]] += gamma[j] * number;
    }
}

bool trmi_stacked_add(trmi_stacked *m, int i, double h, double regularization)
{
    if (m->small.serves)
        return trmi_stacked_small_add(m, i, h);
    for (int k = 0; k < TRMI_STACK_PARTS; k++)
        if (m->count[k] > 0) {
            trmi_saddle_part(m->saddle, k - 2, m->part);
            add_part(m, k, i, pow(h, 2 - k));
        }
    for (int r = 0; r < m->saddle->e->n_r; r++)
        m->solver->value[m->diagonal[r * m->s + i]] -= regularization;
    return true;
}

trmi_factor_status trmi_stacked_factor(trmi_stacked *m)
{
    m->saddle->values->statistics->factorizations++;
    return m->small.serves ? trmi_stacked_small_factor(m) : m->solver->type->factor(m->solver);
}

void trmi_stacked_solve(trmi_stacked *m, double h, double *const *rhs)
{
    const trmi_evaluator *e = m->saddle->e;
    const double scale[] = {1, h, h * h};
    int n = m->saddle->n, s = m->s;
    m->saddle->values->statistics->solves++;
    if (m->small.serves) {
        trmi_stacked_small_solve(m, h, rhs);
        return;
    }
    for (int r = 0; r < n; r++)
        for (int i = 0; i < s; i++)
            m->x[r * s + i] = scale[row_scale(e, r)] * rhs[i][r];
    m->solver->type->solve(m->solver, m->x, 1);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < s; i++)
            rhs[i][r] = m->x[r * s + i] / scale[column_scale(e, r)];
}

// dense LU keeps nothing from one matrix to the next
void trmi_stacked_archive(trmi_stacked *m, trmi_archive *a)
{
    if (m->pivot_row) {
        trmi_archive_indices(a, m->pivot_row, m->saddle->n, m->saddle->n);
        trmi_archive_indices(a, m->pivot_col, m->saddle->n, m->saddle->n);
    }
    if (a->loading && a->status == TRM_OK && m->pivot_row && !expand_order(m))
        a->status = TRM_ERR_RANGE; // no order, or no memory
    if (is_klu(m->solver))
        trmi_solver_archive(m->solver, a);
    for (int i = 0; i < m->s && m->small.exists; i++)
        trmi_motions_archive(&m->small.motions[i], a);
}

void trmi_stacked_destroy(trmi_stacked *m)
{
    trmi_solver_destroy(m->solver);
}
