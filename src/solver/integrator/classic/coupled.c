// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/classic/coupled.h"

#include "base/lapack.h"

#include <math.h>
#include <string.h>

struct trmi_coupled {
    trmi_evaluator *e;
    trmi_values *values; // the numbers of the matrix; borrowed
    int n, m, p;
    trmi_split now;      // split of G at the last residual
    double *gt;          // n x m, G^T of the last evaluation
    bool use_split;      // null-space form
    bool weighted;       // the first row by M
    trmi_solver *solver; // saddle form
    double *x;           // 2 (n + m)
    // null-space form, at the last matrix
    trmi_split split;
    double *a, *k, *d, *h; // A, K, D (n x n) and H (m x n)
    double *an, *kn;       // n x p work
    double *v1;            // n x p
    double *a1;            // p x p
    double *w, *s;         // p x p, Cholesky of W and LU of S
    int *pivots;
    double *qc, *vc, *t1, *t2; // n
    double *y;                 // m
    double *xi, *a0;           // p
};

// calls `add` for every entry of the saddle matrix
typedef void add_entry(void *target, int row, int col, double value);

static void visit_block(const trmi_quantity *b, const double *value, int row0, int col0,
                        bool transposed, double scale, int limit, add_entry *add, void *target)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
         trmi_pattern_next(&at)) {
        if (at.row >= limit) // dropped constraint row
            continue;
        int r = transposed ? at.column : at.row, c = transposed ? at.row : at.column;
        add(target, row0 + r, col0 + c, scale * value[at.k]);
    }
}

static void visit_saddle(const trmi_coupled *c, trmi_leading lead, bool geometric, const double *mu,
                         add_entry *add, void *target)
{
    const trmi_evaluator *e = c->e;
    const trmi_quantity *b = e->block, *g = &e->block[TRMI_TOTAL];
    int n = c->n, m = c->m, all = n + 1;
    for (int i = 0; i < n && !c->weighted; i++) {
        add(target, i, i, lead.cv);
        add(target, i, n + i, -1);
    }
    if (c->weighted) {
        visit_block(&b[TRM_MASS], c->values->of[TRM_MASS], 0, 0, false, lead.cv, all, add, target);
        visit_block(&b[TRM_MASS], c->values->of[TRM_MASS], 0, n, false, -1, all, add, target);
    }
    visit_block(g, c->values->of[TRMI_TOTAL], 0, 2 * n, true, 1, m, add, target);
    const struct {
        trm_quantity quantity;
        int row, column;
        double scale;
    } parts[] = {{TRM_STIFFNESS, n, 0, 1},
                 {TRM_GEOMETRIC, n, 0, 1},
                 {TRM_MASS, n, n, lead.ca},
                 {TRM_DAMPING, n, n, 1}};
    for (int k = 0; k < 4; k++) {
        trm_quantity quantity = parts[k].quantity;
        if (c->values->of[quantity] && (geometric || quantity != TRM_GEOMETRIC))
            visit_block(&b[quantity], c->values->of[quantity], parts[k].row, parts[k].column, false,
                        parts[k].scale, all, add, target);
    }
    if (geometric && mu && c->values->of[TRM_GEOMETRIC])
        visit_block(&b[TRM_GEOMETRIC], mu, 0, 0, false, 1, all, add, target);
    visit_block(g, c->values->of[TRMI_TOTAL], n, 2 * n + m, true, 1, m, add, target);
    if (c->values->of[TRM_VELOCITY_Q])
        visit_block(&b[TRM_VELOCITY_Q], c->values->of[TRM_VELOCITY_Q], 2 * n, 0, false, 1, m, add,
                    target);
    visit_block(g, c->values->of[TRMI_TOTAL], 2 * n, n, false, 1, m, add, target);
    visit_block(g, c->values->of[TRMI_TOTAL], 2 * n + m, 0, false, 1, m, add, target);
}

typedef struct position_list {
    int *row, *col, count;
} position_list;

static void add_position(void *target, int row, int col, double value)
{
    (void)value;
    position_list *p = target;
    if (p->row) {
        p->row[p->count] = row;
        p->col[p->count] = col;
    }
    p->count++;
}

static void add_value(void *target, int row, int col, double value)
{
    trmi_solver *solver = target;
    solver->value[solver->type->position(solver, row, col)] += value;
}

static trmi_solver *create_solver(trmi_coupled *c, trmi_memory *memory, bool dense)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    position_list p = {0};
    const double *mu = c->values->of[TRM_GEOMETRIC];
    const trmi_leading any = {1, 1};
    visit_saddle(c, any, true, mu, add_position, &p);
    trmi_solver *solver = NULL;
    if (TRMI_TAKE(&scratch, p.row, p.count) && TRMI_TAKE(&scratch, p.col, p.count)) {
        p.count = 0;
        visit_saddle(c, any, true, mu, add_position, &p);
        trmi_structure structure = {
            .n = 2 * (c->n + c->m), .count = p.count, .row = p.row, .col = p.col};
        solver =
            dense ? trmi_dense_create(memory, &structure) : trmi_klu_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return solver;
}

static bool create_nullspace(trmi_coupled *c, trmi_memory *memory)
{
    int n = c->n, m = c->m, p = c->p;
    return trmi_split_create(&c->split, memory, n, m) && TRMI_TAKE(memory, c->a, n * n) &&
           TRMI_TAKE(memory, c->k, n * n) && TRMI_TAKE(memory, c->d, n * n) &&
           TRMI_TAKE(memory, c->h, m * n) && TRMI_TAKE(memory, c->an, n * p) &&
           TRMI_TAKE(memory, c->kn, n * p) && TRMI_TAKE(memory, c->v1, n * p) &&
           TRMI_TAKE(memory, c->a1, p * p) && TRMI_TAKE(memory, c->w, p * p) &&
           TRMI_TAKE(memory, c->s, p * p) && TRMI_TAKE(memory, c->pivots, p) &&
           TRMI_TAKE(memory, c->qc, n) && TRMI_TAKE(memory, c->vc, n) &&
           TRMI_TAKE(memory, c->t1, n) && TRMI_TAKE(memory, c->t2, n) &&
           TRMI_TAKE(memory, c->y, m) && TRMI_TAKE(memory, c->xi, p) && TRMI_TAKE(memory, c->a0, p);
}

trmi_coupled *trmi_coupled_create(trmi_memory *memory, trmi_values *values, trmi_coupled_form form)
{
    trmi_evaluator *e = values->e;
    trmi_coupled *c;
    if (!TRMI_TAKE(memory, c, 1))
        return NULL;
    c->e = e;
    c->values = values;
    c->n = e->n_q;
    c->m = e->n_r;
    c->p = c->n - c->m;
    c->use_split = form.use_split;
    c->weighted = form.weighted;
    if (!trmi_split_create(&c->now, memory, c->n, c->m) || !TRMI_TAKE(memory, c->gt, c->n * c->m) ||
        !TRMI_TAKE(memory, c->x, 2 * (c->n + c->m)))
        return NULL;
    if (form.use_split)
        return create_nullspace(c, memory) ? c : NULL;
    c->solver = create_solver(c, memory, form.dense);
    return c->solver ? c : NULL;
}

void trmi_coupled_destroy(trmi_coupled *c)
{
    if (c)
        trmi_solver_destroy(c->solver);
}

bool trmi_coupled_split(trmi_coupled *c, bool choose)
{
    trmi_dense_constraints(c->values, c->gt);
    return trmi_split_factor(&c->now, c->gt, choose ? 0 : HUGE_VAL);
}

const trmi_split *trmi_coupled_get_split(const trmi_coupled *c)
{
    return c->now.chosen ? &c->now : NULL;
}

void trmi_coupled_multipliers(const trmi_coupled *c, const double *r, double *s)
{
    for (int j = 0; j < c->m; j++)
        s[j] = -r[c->now.dependent[j]];
    trmi_split_solve_transposed(&c->now, s);
}

static void add_dense(const trmi_quantity *b, const double *value, double scale, int rows,
                      int limit, double *out)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count && value;
         trmi_pattern_next(&at))
        if (at.row < limit)
            out[at.row + rows * at.column] += scale * value[at.k];
}

// y (rows) = matrix (rows x columns) x
static void multiply(const double *matrix, int rows, int columns, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        y[i] = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[i] += matrix[i + rows * j] * x[j];
}

static void fill_dense(trmi_coupled *c, trmi_leading lead, bool geometric, const double *mu)
{
    const trmi_quantity *b = c->e->block;
    int n = c->n;
    size_t square = (size_t)(n * n) * sizeof(double);
    memset(c->a, 0, square);
    memset(c->k, 0, square);
    memset(c->d, 0, square);
    memset(c->h, 0, (size_t)(c->m * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        c->a[i + n * i] = lead.cv;
    if (geometric) {
        add_dense(&b[TRM_GEOMETRIC], mu, 1, n, n, c->a);
        add_dense(&b[TRM_GEOMETRIC], c->values->of[TRM_GEOMETRIC], 1, n, n, c->k);
    }
    add_dense(&b[TRM_STIFFNESS], c->values->of[TRM_STIFFNESS], 1, n, n, c->k);
    add_dense(&b[TRM_MASS], c->values->of[TRM_MASS], lead.ca, n, n, c->d);
    add_dense(&b[TRM_DAMPING], c->values->of[TRM_DAMPING], 1, n, n, c->d);
    add_dense(&b[TRM_VELOCITY_Q], c->values->of[TRM_VELOCITY_Q], 1, c->m, c->m, c->h);
}

static trmi_factor_status factor_nullspace(trmi_coupled *c)
{
    int n = c->n, p = c->p, info = 0;
    double *column = c->t1, *product = c->t2;
    trmi_split_copy(&c->split, &c->now);
    // column by column of N: V1 = -Y (GY)^-1 H N, AN = A N - V1, W = N^T N
    for (int j = 0; j < p; j++) {
        memset(c->xi, 0, (size_t)p * sizeof *c->xi);
        c->xi[j] = 1;
        trmi_split_expand(&c->split, c->xi, NULL, column);
        trmi_split_reduce(&c->split, column, c->w + p * j);
        multiply(c->h, c->m, n, column, c->y);
        trmi_split_solve(&c->split, c->y);
        for (int i = 0; i < c->m; i++)
            c->y[i] = -c->y[i];
        c->xi[j] = 0;
        trmi_split_expand(&c->split, c->xi, c->y, c->v1 + n * j);
        multiply(c->a, n, n, column, product);
        for (int i = 0; i < n; i++)
            c->an[i + n * j] = product[i] - c->v1[i + n * j];
        multiply(c->k, n, n, column, c->kn + n * j);
        trmi_split_reduce(&c->split, c->an + n * j, c->a1 + p * j);
    }
    if (p > 0)
        dpotrf_("L", &p, c->w, &p, &info);
    if (info != 0)
        return TRMI_FACTOR_SINGULAR;
    if (p > 0)
        dpotrs_("L", &p, &p, c->w, &p, c->a1, &p, &info);
    // S = P (K N + D (N A1 + V1))
    for (int j = 0; j < p; j++) {
        trmi_split_expand(&c->split, c->a1 + p * j, NULL, column);
        for (int i = 0; i < n; i++)
            column[i] += c->v1[i + n * j];
        multiply(c->d, n, n, column, product);
        for (int i = 0; i < n; i++)
            product[i] += c->kn[i + n * j];
        trmi_split_reduce(&c->split, product, c->s + p * j);
    }
    if (p > 0)
        dgetrf_(&p, &p, c->s, &p, c->pivots, &info);
    return info == 0 ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

trmi_factor_status trmi_coupled_factor(trmi_coupled *c, trmi_leading lead, bool geometric,
                                       const double *geometric_mu)
{
    c->values->statistics->factorizations++;
    if (c->use_split) {
        fill_dense(c, lead, geometric, geometric_mu);
        return factor_nullspace(c);
    }
    trmi_solver_clear(c->solver);
    visit_saddle(c, lead, geometric, geometric_mu, add_value, c->solver);
    return c->solver->type->factor(c->solver);
}

// y := -(GY)^-1 rows, expanded with zero independent part
static void particular(trmi_coupled *c, const double *rows, double *out)
{
    for (int i = 0; i < c->m; i++)
        c->y[i] = -rows[i];
    trmi_split_solve(&c->split, c->y);
    memset(c->xi, 0, (size_t)c->p * sizeof *c->xi);
    trmi_split_expand(&c->split, c->xi, c->y, out);
}

static void solve_nullspace(trmi_coupled *c, trmi_coupled_vector x)
{
    int n = c->n, m = c->m, p = c->p, one = 1, info;
    particular(c, x.lambda, c->qc);
    multiply(c->h, m, n, c->qc, c->t1);
    for (int i = 0; i < m; i++)
        c->t1[i] += x.mu[i];
    particular(c, c->t1, c->vc);
    // a0 = W^-1 P (A qc - vc + r1)
    multiply(c->a, n, n, c->qc, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += x.q[i] - c->vc[i];
    trmi_split_reduce(&c->split, c->t1, c->a0);
    if (p > 0)
        dpotrs_("L", &p, &one, c->w, &p, c->a0, &p, &info);
    // S xi = -P (r2 + K qc + D (N a0 + vc))
    trmi_split_expand(&c->split, c->a0, NULL, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += c->vc[i];
    multiply(c->d, n, n, c->t1, c->t2);
    multiply(c->k, n, n, c->qc, c->t1);
    for (int i = 0; i < n; i++)
        c->t1[i] += x.v[i] + c->t2[i];
    trmi_split_reduce(&c->split, c->t1, c->xi);
    if (p > 0)
        dgetrs_("N", &p, &one, c->s, &p, c->pivots, c->xi, &p, &info);
    for (int i = 0; i < p; i++)
        c->xi[i] = -c->xi[i];
    // dq = N xi + qc, dv = N (A1 xi + a0) + V1 xi + vc; corrections are subtracted by the caller
    trmi_split_expand(&c->split, c->xi, NULL, x.q);
    for (int i = 0; i < n; i++)
        x.q[i] = -(x.q[i] + c->qc[i]);
    multiply(c->v1, n, p, c->xi, c->t2);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            c->a0[i] += c->a1[i + p * j] * c->xi[j];
    trmi_split_expand(&c->split, c->a0, NULL, x.v);
    for (int i = 0; i < n; i++)
        x.v[i] = -(x.v[i] + c->t2[i] + c->vc[i]);
}

void trmi_coupled_solve(trmi_coupled *c, trmi_coupled_vector x)
{
    size_t n = (size_t)c->n, m = (size_t)c->m;
    c->values->statistics->solves++;
    if (c->use_split) {
        solve_nullspace(c, x);
        return;
    }
    double *y = c->x;
    memcpy(y, x.q, n * sizeof *y);
    memcpy(y + n, x.v, n * sizeof *y);
    memcpy(y + 2 * n, x.mu, m * sizeof *y);
    memcpy(y + 2 * n + m, x.lambda, m * sizeof *y);
    c->solver->type->solve(c->solver, y, 1);
    memcpy(x.q, y, n * sizeof *y);
    memcpy(x.v, y + n, n * sizeof *y);
    memcpy(x.mu, y + 2 * n, m * sizeof *y);
    memcpy(x.lambda, y + 2 * n + m, m * sizeof *y);
}

void trmi_coupled_archive(trmi_coupled *c, trmi_archive *a)
{
    int n = c->n, m = c->m, p = c->p;
    trmi_split_archive(&c->now, a);
    if (!c->use_split) {
        trmi_solver_archive(c->solver, a);
        return;
    }
    trmi_split_archive(&c->split, a);
    trmi_archive_doubles(a, c->a, n * n);
    trmi_archive_doubles(a, c->k, n * n);
    trmi_archive_doubles(a, c->d, n * n);
    trmi_archive_doubles(a, c->h, m * n);
    trmi_archive_doubles(a, c->v1, n * p);
    trmi_archive_doubles(a, c->a1, p * p);
    trmi_archive_doubles(a, c->w, p * p);
    trmi_archive_doubles(a, c->s, p * p);
    for (int i = 0; i < p; i++) // 0 before the first factors
        trmi_archive_int(a, &c->pivots[i], 0, p);
}
