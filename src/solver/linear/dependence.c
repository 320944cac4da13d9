// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/dependence.h"

#include "solver/linear/rank.h"

#include <math.h>
#include <string.h>

// dense QR is used up to this many entries of a component
static const double MAX_ENTRIES = 2e7;

// The components, and one of them as a dense matrix.
typedef struct parts {
    const trmi_sparse_rows *rows;
    trmi_bodies bodies;
    trmi_components components;
    int *stamp, *column, *place; // per column
    int n, m;                    // of the present part
    const int *row;              // its rows
    double *gt;                  // n x m, column-major
} parts;

static bool create_parts(parts *p, trmi_memory *memory, const trmi_sparse_rows *rows,
                         trmi_bodies bodies)
{
    *p = (parts){.rows = rows, .bodies = bodies};
    return trmi_components_find(&p->components, memory, rows, bodies.of, bodies.count) &&
           TRMI_TAKE(memory, p->stamp, rows->n) && TRMI_TAKE(memory, p->column, rows->n) &&
           TRMI_TAKE(memory, p->place, rows->n);
}

// n, m and rows of part c; false: it is too large
static bool choose(parts *p, int c)
{
    p->row = p->components.row + p->components.start[c];
    p->m = p->components.start[c + 1] - p->components.start[c];
    p->n = trmi_component_columns(&p->components, c, p->rows, p->bodies.of, p->stamp, c + 1,
                                  p->column);
    for (int k = 0; k < p->n; k++)
        p->place[p->column[k]] = k;
    return (double)p->n * p->m <= MAX_ENTRIES;
}

static bool load(parts *p, int c, trmi_memory *memory)
{
    if (!TRMI_TAKE(memory, p->gt, (size_t)p->n * (size_t)p->m))
        return false;
    for (int i = 0; i < p->m; i++)
        for (int k = p->rows->start[p->row[i]]; k < p->rows->start[p->row[i] + 1]; k++)
            if (p->stamp[p->rows->column[k]] == c + 1) // the root has none
                p->gt[(size_t)p->place[p->rows->column[k]] + (size_t)p->n * (size_t)i] +=
                    p->rows->value[k];
    return true;
}

// row order[k] of the part with its sources; the weights stay in `memory`
static bool keep(trmi_dependence *d, trmi_memory *memory, const parts *p, const trmi_rank *rank,
                 int k)
{
    int *from;
    double *weight;
    const double *w = rank->coefficients + (size_t)k * (size_t)p->m;
    if (!TRMI_TAKE(memory, from, rank->rank) || !TRMI_TAKE(memory, weight, rank->rank))
        return false;
    *d = (trmi_dependence){.row = p->row[rank->order[k]], .from = from, .weight = weight};
    for (int i = 0; i < rank->rank; i++)
        if (w[i] != 0) {
            from[d->count] = p->row[rank->order[i]];
            weight[d->count++] = w[i];
        }
    return true;
}

// adds factor times a row to sum and its absolute values to size, over the columns of a body
static void add_root(const parts *p, int row, int root, double factor, double *sum, double *size)
{
    for (int k = p->rows->start[row]; k < p->rows->start[row + 1]; k++) {
        int j = p->rows->column[k];
        if (p->bodies.of[j] == root) {
            sum[j] += factor * p->rows->value[k];
            size[j] += fabs(factor * p->rows->value[k]);
        }
    }
}

// Whether what vanishes in the columns of the part vanishes in those of its root too. sum, size: n
// zeros, which they are again afterwards.
static bool holds_at_root(const parts *p, int c, const trmi_dependence *d, double tolerance,
                          double *sum, double *size)
{
    int root = p->components.root[c];
    double left = 0, largest = 0;
    if (root < 0)
        return true;
    add_root(p, d->row, root, 1, sum, size);
    for (int i = 0; i < d->count; i++)
        add_root(p, d->from[i], root, -d->weight[i], sum, size);
    for (int i = 0; i < p->m; i++)
        for (int k = p->rows->start[p->row[i]]; k < p->rows->start[p->row[i] + 1]; k++) {
            int j = p->rows->column[k];
            if (p->bodies.of[j] != root)
                continue;
            left = fmax(left, fabs(sum[j]));
            largest = fmax(largest, size[j]);
            sum[j] = size[j] = 0;
        }
    return left <= 100 * tolerance * largest;
}

// All of them; *valid becomes false when the columns of a body do not belong together as they
// should, and the components must be found without bodies.
static bool find_all(trmi_dependences *out, trmi_memory *memory, trmi_memory *scratch, parts *p,
                     double tolerance, bool *valid)
{
    double *sum, *size;
    bool good = TRMI_TAKE(memory, out->list, p->rows->m) && TRMI_TAKE(scratch, sum, p->rows->n) &&
                TRMI_TAKE(scratch, size, p->rows->n);
    for (int c = 0; c < p->components.count && good; c++) {
        if (!choose(p, c)) {
            out->too_large = p->row[0];
            continue;
        }
        trmi_memory work;
        trmi_rank rank;
        trmi_memory_init(&work, &memory->allocator);
        good = load(p, c, &work) && trmi_rank_reveal(&rank, &work, p->gt, p->n, p->m, tolerance);
        for (int k = good ? rank.rank : p->m; k < p->m && good; k++) {
            trmi_dependence *d = &out->list[out->count++];
            good = keep(d, memory, p, &rank, k);
            *valid = *valid && good && holds_at_root(p, c, d, tolerance, sum, size);
        }
        trmi_memory_release_all(&work);
    }
    return good;
}

bool trmi_dependences_find(trmi_dependences *out, trmi_memory *memory, const trmi_sparse_rows *rows,
                           trmi_bodies bodies, double tolerance)
{
    bool good = true, valid = false;
    for (int attempt = bodies.of ? 0 : 1; attempt < 2 && good && !valid; attempt++) {
        parts p;
        trmi_memory scratch;
        trmi_memory_init(&scratch, &memory->allocator);
        *out = (trmi_dependences){.too_large = -1};
        out->by_bodies = attempt == 0;
        valid = true;
        good = create_parts(&p, &scratch, rows, attempt == 0 ? bodies : (trmi_bodies){0}) &&
               find_all(out, memory, &scratch, &p, tolerance, &valid);
        trmi_memory_release_all(&scratch);
    }
    return good;
}

bool trmi_dependences_minimum_norm(double *lambda, trmi_memory *memory,
                                   const trmi_sparse_rows *rows, trmi_bodies bodies,
                                   const bool *shared, double tolerance, int *dependent)
{
    parts p;
    double *part;
    *dependent = 0;
    bool good = create_parts(&p, memory, rows, bodies) && TRMI_TAKE(memory, part, rows->m);
    for (int c = 0; c < p.components.count && good; c++) {
        bool large = !choose(&p, c), any = false;
        for (int i = 0; i < p.m; i++) {
            any = any || shared[p.row[i]];
            part[i] = lambda[p.row[i]];
        }
        if (large || !any)
            continue;
        trmi_memory work;
        int more = 0;
        trmi_memory_init(&work, &memory->allocator);
        good =
            load(&p, c, &work) && trmi_minimum_norm(part, &work, p.gt, p.n, p.m, tolerance, &more);
        *dependent += more;
        for (int i = 0; i < p.m && good; i++)
            lambda[p.row[i]] = part[i];
        trmi_memory_release_all(&work);
    }
    return good;
}
