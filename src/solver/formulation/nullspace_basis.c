// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/nullspace_basis.h"

#include <string.h>

// largest order of the whole matrix; beyond it sparse factors are as good
enum { MOST = 100 };

bool trmi_motions_suits(const trmi_evaluator *e)
{
    int order = e->n_q + e->n_x + e->n_z + e->n_r;
    return order <= MOST && e->n_r > 0 && e->n_r <= e->n_q && e->n_a == 0 && !e->lambda_enters;
}

// ---- creation ----

// Enters every place of S and G once, or counts them where the lists are NULL. seen: one mark for
// every value of the saddle.
static bool collect(trmi_motions *r, trmi_memory *scratch)
{
    const trmi_solver *solver = r->saddle->solver;
    int *row, *col, *seen;
    r->count = r->count_g = 0;
    if (!TRMI_TAKE(scratch, seen, solver->value_count))
        return false;
    for (int power = -2; power <= 2; power++) {
        int places = trmi_saddle_places(r->saddle, power, NULL, NULL);
        if (!TRMI_TAKE(scratch, row, places) || !TRMI_TAKE(scratch, col, places))
            return false;
        trmi_saddle_places(r->saddle, power, row, col);
        for (int i = 0; i < places; i++) {
            int source = solver->type->position(solver, row[i], col[i]);
            if (seen[source] || col[i] >= r->n_w)
                continue; // G^T is not needed
            seen[source] = 1;
            const trmi_motions_entry entry = {source, row[i], col[i]};
            if (row[i] >= r->n_w && r->constraint)
                r->constraint[r->count_g] = entry;
            else if (row[i] < r->n_w && r->entry)
                r->entry[r->count] = entry;
            r->count_g += row[i] >= r->n_w;
            r->count += row[i] < r->n_w;
        }
    }
    return true;
}

static bool create_lists(trmi_motions *r, trmi_memory *memory)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = collect(r, &scratch) && TRMI_TAKE(memory, r->entry, r->count) &&
                TRMI_TAKE(memory, r->constraint, r->count_g) && collect(r, &scratch);
    trmi_memory_release_all(&scratch);
    return good;
}

bool trmi_motions_create(trmi_motions *r, trmi_memory *memory, const trmi_saddle *saddle)
{
    const trmi_evaluator *e = saddle->e;
    int n_w = e->n_q + e->n_x + e->n_z;
    *r = (trmi_motions){.saddle = saddle, .n_w = n_w, .n = n_w - e->n_r};
    if (!create_lists(r, memory) || !trmi_split_create(&r->split, memory, e->n_q, e->n_r) ||
        !TRMI_TAKE(memory, r->gt, e->n_q * e->n_r) || !TRMI_TAKE(memory, r->where, n_w) ||
        !TRMI_TAKE(memory, r->dependence, e->n_r * (e->n_q - e->n_r)))
        return false;
    for (int w = e->n_q; w < n_w; w++)
        r->where[w] = w - e->n_r;
    return true;
}

// ---- numbers ----

static void find_places(trmi_motions *r)
{
    for (int j = 0; j < r->split.p; j++)
        r->where[r->split.independent[j]] = j;
    for (int i = 0; i < r->split.m; i++) {
        r->where[r->split.dependent[i]] = -(i + 1);
        for (int j = 0; j < r->split.p; j++)
            r->dependence[r->split.p * i + j] = r->split.q[i + r->split.m * j];
    }
}

bool trmi_motions_split(trmi_motions *r, const double *value)
{
    const trmi_evaluator *e = r->saddle->e;
    memset(r->gt, 0, (size_t)(e->n_q * e->n_r) * sizeof *r->gt);
    for (int k = 0; k < r->count_g; k++) {
        const trmi_motions_entry *g = &r->constraint[k];
        r->gt[g->column + e->n_q * (g->row - r->n_w)] = value[g->source];
    }
    bool good = trmi_split_factor(&r->split, r->gt, TRMI_SPLIT_KEEP);
    find_places(r);
    return good && r->split.pivot > TRMI_RANK_PIVOT;
}

void trmi_motions_archive(trmi_motions *r, trmi_archive *a)
{
    trmi_split_archive(&r->split, a);
    if (a->loading && a->status == TRM_OK)
        find_places(r);
}

// ---- products ----

void trmi_motions_left(const trmi_motions *r, const double *value, double *left)
{
    memset(left, 0, (size_t)(r->n * r->n_w) * sizeof *left);
    for (int k = 0; k < r->count; k++) {
        const trmi_motions_entry *s = &r->entry[k];
        if (value[s->source] != 0)
            trmi_motions_add_row(r, s->row, value[s->source], left + r->n * s->column);
    }
}

static void add_column(double factor, const double *restrict column, int n, double *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] += factor * column[i];
}

void trmi_motions_right(const trmi_motions *r, const double *left, int rows, double *out)
{
    for (int w = 0; w < r->n_w; w++) {
        int where = r->where[w];
        const double *column = left + rows * w;
        if (where >= 0)
            add_column(1, column, rows, out + rows * where);
        for (int j = 0; j < r->split.p && where < 0; j++)
            add_column(-trmi_motions_dependence(r, where)[j], column, rows, out + rows * j);
    }
}

void trmi_motions_restrict(const trmi_motions *r, const double *w, double *omega)
{
    const trmi_split *split = &r->split;
    trmi_split_reduce(split, w, omega);
    memcpy(omega + split->p, w + split->n, (size_t)(r->n - split->p) * sizeof *w);
}

void trmi_motions_expand(const trmi_motions *r, const double *omega, double *w)
{
    const trmi_split *split = &r->split;
    trmi_split_expand(split, omega, NULL, w);
    memcpy(w + split->n, omega + split->p, (size_t)(r->n - split->p) * sizeof *w);
}
