// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/redundancy.h"

#include "base/error.h"
#include "solver/formulation/sparse_constraints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a pivot of the factors below this asks for the rank; the QR then decides with its own bound
static const double SUSPECT_PIVOT = 1e-9;
static const double RANK_TOLERANCE = 1e-9;
// a coefficient above this takes part in a dependence
static const double TAKES_PART = 1e-6;

// ---- what follows from what ----

// "a, b, c" for messages: what a row follows from; "": its gradient is zero
static void describe_sources(const trmi_evaluator *e, const trmi_dependence *d, char *text,
                             size_t size)
{
    char name[48];
    int length = 0, named = 0;
    for (int i = 0; i < d->count && named < 3; i++) {
        if (fabs(d->weight[i]) < TAKES_PART)
            continue;
        length += snprintf(text + length, size - (size_t)length, "%s%s", named ? ", " : "",
                           trmi_name_row(e, d->from[i], name, sizeof name));
        if (length >= (int)size)
            return;
        named++;
    }
    if (named == 0)
        text[0] = '\0';
}

// the row with the largest part in a dependence; the dependent one itself when there is none
static int strongest_source(const trmi_dependence *d)
{
    int best = d->row;
    double largest = TAKES_PART;
    for (int i = 0; i < d->count; i++)
        if (fabs(d->weight[i]) > largest) {
            largest = fabs(d->weight[i]);
            best = d->from[i];
        }
    return best;
}

static trm_status gradient_is_zero(const char *name, double defect, trm_error *error)
{
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "start from positions where the gradient of %s is not zero", name);
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "the gradient of row %s is zero at the start, and the row is violated by "
                          "%.3g",
                          name, defect);
}

// the combination of rows that must vanish with the others: g_row = sum w_i g_i
static trm_status check_contradiction(const trmi_values *values, const trmi_dependence *d,
                                      trm_error *error)
{
    const trmi_evaluator *e = values->e;
    bool holonomic = d->row < e->n_g;
    const double *g = values->of[TRM_QUANTITY_CONSTRAINT];
    double defect = holonomic ? g[d->row] : 0, size = fabs(defect);
    for (int i = 0; i < d->count && holonomic; i++)
        if (d->from[i] < e->n_g) {
            defect -= d->weight[i] * g[d->from[i]];
            size = fmax(size, fabs(g[d->from[i]]));
        }
    // near the manifold the combination is exact to second order
    if (fabs(defect) <= 1e-9 + 10 * size * size)
        return TRM_OK;
    char name[48], others[120];
    describe_sources(e, d, others, sizeof others);
    trmi_error_item(error, "constraint %s", trmi_name_row(e, d->row, name, sizeof name));
    if (strongest_source(d) == d->row)
        return gradient_is_zero(name, defect, error);
    trmi_error_advise(error, "remove the row, or make the dimensions agree");
    return trmi_error_set(error, TRM_ERR_CONTRADICTION,
                          "row %s has the direction of %s but misses it by %.3g: the rows "
                          "contradict each other",
                          name, others, defect);
}

static void log_row(const trmi_evaluator *e, const trm_options *options, int row, const char *text)
{
    if (options->log_row)
        options->log_row(TRM_LOG_WARNING, trmi_given_row(e, row), text, options->user);
    else if (options->log)
        options->log(TRM_LOG_WARNING, text, options->user);
}

static void log_dropped(const trmi_evaluator *e, const trm_options *options,
                        const trmi_dependence *d)
{
    char name[48], others[120], text[256];
    describe_sources(e, d, others, sizeof others);
    snprintf(text, sizeof text,
             "constraint row %s is redundant, %s%s; its multiplier is not unique (minimum norm is "
             "reported)",
             trmi_name_row(e, d->row, name, sizeof name),
             others[0] ? "it follows from " : "it is fulfilled whatever moves (gradient 0)",
             others);
    log_row(e, options, d->row, text);
}

// the first few by name, then how many there are
static void log_all_dropped(const trmi_evaluator *e, const trm_options *options,
                            const trmi_dependences *all)
{
    for (int k = 0; k < all->count && k < TRMI_SHOWN_OF_A_KIND; k++)
        log_dropped(e, options, &all->list[k]);
    if (all->count > TRMI_SHOWN_OF_A_KIND) {
        char name[48], text[128];
        int row = all->list[TRMI_SHOWN_OF_A_KIND].row, more = all->count - TRMI_SHOWN_OF_A_KIND;
        snprintf(text, sizeof text, "and %d more redundant constraint row%s, %s among them", more,
                 more == 1 ? "" : "s", trmi_name_row(e, row, name, sizeof name));
        log_row(e, options, row, text);
    }
}

// ---- whether anything depends on multipliers that are not unique ----

// Whether a block of derivatives by the multipliers sees those that are not unique: it does not
// where its product with the null vector of G^T, 1 for the row and -w for its sources, is zero.
static bool sees_null_vector(const trmi_matrix b, const double *null, double *sum, double *size)
{
    memset(sum, 0, (size_t)b.rows * sizeof *sum);
    memset(size, 0, (size_t)b.rows * sizeof *size);
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count; trmi_pattern_next(&at)) {
        sum[at.row] += b.value[at.k] * null[at.column];
        size[at.row] += fabs(b.value[at.k] * null[at.column]);
    }
    for (int i = 0; i < b.rows; i++)
        if (fabs(sum[i]) > 1e-8 * size[i])
            return true;
    return false;
}

// the first redundant row whose multiplier changes these blocks; -1: none does
static int find_effective(const trmi_values *values, trmi_memory *scratch,
                          const trmi_dependences *all, uint64_t blocks)
{
    const trmi_evaluator *e = values->e;
    int max = e->n_q + e->n_x + e->n_z;
    double *null, *sum, *size;
    if (!TRMI_TAKE(scratch, null, e->n_r + 1) || !TRMI_TAKE(scratch, sum, max) ||
        !TRMI_TAKE(scratch, size, max))
        return all->list[0].row;
    for (int k = 0; k < all->count; k++) {
        const trmi_dependence *d = &all->list[k];
        memset(null, 0, (size_t)e->n_r * sizeof *null);
        null[d->row] = 1;
        for (int i = 0; i < d->count; i++)
            null[d->from[i]] = -d->weight[i];
        for (int q = 0; q < TRM_QUANTITY_COUNT; q++)
            if ((blocks & TRM_BIT_OF(q)) &&
                sees_null_vector(trmi_matrix_of(values, q), null, sum, size))
                return d->row;
    }
    return -1;
}

// The same for forces, rates and algebraic equations, in motion: friction shows its dependence only
// there. A row that cannot be judged counts as one that does.
static int find_effective_row(trmi_values *values, trmi_memory *scratch,
                              const trmi_dependences *all, const trmi_point *p)
{
    trmi_evaluator *e = values->e;
    const uint64_t enter = TRM_BIT(FORCE_LAMBDA) | TRM_BIT(RATE_LAMBDA) | TRM_BIT(ALGEBRAIC_LAMBDA);
    const uint64_t blocks = enter & ~e->absent;
    trmi_point moving = *p;
    bool known = TRMI_TAKE(scratch, moving.v, e->n_q);
    for (int q = 0; q < TRM_QUANTITY_COUNT; q++)
        known = known && (!(blocks & TRM_BIT_OF(q)) || values->of[q]);
    for (int i = 0; i < e->n_q && known; i++)
        moving.v[i] = p->v[i] + 0.3 * (1 + fabs(p->v[i])) * (i % 2 ? -1 : 1);
    bool good = known && trmi_evaluate(e, &moving, blocks, values) == 0;
    return good ? find_effective(values, scratch, all, blocks) : all->list[0].row;
}

static trm_status redundant_row_has_effect(const trmi_evaluator *e, int row, trm_error *error)
{
    char name[48];
    trmi_error_item(error, "constraint %s", trmi_name_row(e, row, name, sizeof name));
    trmi_error_advise(error, "remove row %s", name);
    return trmi_error_set(error, TRM_ERR_SYSTEM,
                          "row %s is redundant, so multipliers are not unique, but forces or "
                          "rates depend on them",
                          name);
}

// ---- at the start ----

static trm_status no_memory(trm_error *error)
{
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the rank of the constraints");
}

void trmi_record_dependences(trmi_evaluator *e, const trmi_dependences *all)
{
    memset(e->shared, 0, (size_t)e->n_r_full * sizeof *e->shared);
    for (int k = 0; k < all->count; k++) {
        const trmi_dependence *d = &all->list[k];
        e->follows[d->row] = strongest_source(d);
        e->shared[d->row] = true;
        for (int i = 0; i < d->count; i++)
            if (fabs(d->weight[i]) > TAKES_PART)
                e->shared[d->from[i]] = true;
    }
    e->by_bodies = all->by_bodies;
}

static trm_status drop(trmi_values *values, trmi_memory *memory, trmi_memory *scratch,
                       const trm_options *options, const trmi_dependences *all, const trmi_point *p,
                       trm_error *error)
{
    trmi_evaluator *e = values->e;
    bool *dropped;
    if (!TRMI_TAKE(scratch, dropped, e->n_r) || !TRMI_TAKE(memory, e->follows, e->n_r_full) ||
        !TRMI_TAKE(memory, e->shared, e->n_r_full))
        return no_memory(error);
    int effective = e->lambda_enters ? find_effective_row(values, scratch, all, p) : -1;
    if (effective >= 0)
        return redundant_row_has_effect(e, effective, error);
    for (int k = 0; k < all->count; k++) {
        const trmi_dependence *d = &all->list[k];
        trm_status status = check_contradiction(values, d, error);
        if (status != TRM_OK)
            return status;
        dropped[d->row] = true;
    }
    log_all_dropped(e, options, all);
    trmi_record_dependences(e, all);
    return trmi_evaluator_drop_rows(e, memory, dropped) ? TRM_OK : no_memory(error);
}

static bool suspicious(trmi_saddle *s)
{
    if (s->e->n_r == 0)
        return false;
    s->values->statistics->factorizations++;
    return !trmi_saddle_prepare(s) || trmi_saddle_try_start(s) != TRMI_FACTOR_OK ||
           s->solver->pivot.smallest < SUSPECT_PIVOT;
}

static trm_status rank_unknown(const trmi_evaluator *e, int row, trm_error *error)
{
    char name[48];
    trmi_name_row(e, row, name, sizeof name);
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "remove rows that follow from others among those connected with %s",
                      name);
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the constraints lose rank, and those connected with %s by loops are too "
                          "many to find out which of them follow from others",
                          name);
}

trm_status trmi_drop_redundant_rows(trmi_saddle *s, trmi_memory *memory, const trm_options *options,
                                    bool geometric, const trmi_point *p, trm_start_report *report,
                                    trm_error *error)
{
    trmi_evaluator *e = s->e;
    bool too_many = e->n_r > e->n_q;
    if (!too_many && !suspicious(s))
        return TRM_OK;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trmi_sparse_rows rows;
    trmi_bodies bodies;
    trmi_dependences all = {0};
    trm_status status = TRM_OK;
    if (!trmi_list_constraints(s->values, &scratch, &rows) ||
        !trmi_find_bodies(e, &scratch, true, &bodies) ||
        !trmi_dependences_find(&all, &scratch, &rows, bodies, RANK_TOLERANCE))
        status = no_memory(error);
    else if (all.too_large >= 0)
        status = rank_unknown(e, all.too_large, error);
    bool deficient = status == TRM_OK && all.count > 0;
    if (deficient) {
        report->rank = e->n_r - all.count;
        report->redundant = all.count;
        status = drop(s->values, memory, &scratch, options, &all, p, error);
    }
    trmi_memory_release_all(&scratch);
    if (status != TRM_OK || !deficient)
        return status;
    trmi_saddle_destroy(s);
    return trmi_saddle_create(s, memory, s->values, options->linear_solver, geometric, error);
}

// ---- during a run ----

static trm_status dropped_row_broken(const trmi_evaluator *e, int row, double defect,
                                     trm_error *error)
{
    char name[48], other[48];
    trmi_name_full_row(e, row, name, sizeof name);
    trmi_name_full_row(e, e->follows[row], other, sizeof other);
    if (e->follows[row] == row)
        return gradient_is_zero(name, defect, error);
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "make %s and %s agree, or start where the constraints have full rank",
                      name, other);
    return trmi_error_set(error, TRM_ERR_CONTRADICTION,
                          "row %s followed from %s at the start but is violated by %.3g: the rows "
                          "contradict each other, or the start is a singular position",
                          name, other, defect);
}

// out (full numbering, rolling rows) = A v + a
static void full_rolling_level(const trmi_values *values, const double *v, double *out)
{
    const trmi_quantity *b = &values->e->block[TRM_QUANTITY_ROLLING];
    memset(out, 0, (size_t)values->e->n_r_full * sizeof *out);
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count; trmi_pattern_next(&at))
        out[trmi_full_row(b, &at)] += values->of[TRM_QUANTITY_ROLLING][at.k] * v[at.column];
}

// a dropped row that is violated far more than the active ones, or -1
static int find_broken(const trmi_evaluator *e, const double *rows, int begin, int end, double size)
{
    double active = 0;
    for (int i = begin; i < end; i++)
        if (e->active[i] < e->n_r)
            active = fmax(active, fabs(rows[i]));
    for (int i = begin; i < end; i++)
        if (e->active[i] == e->n_r && !(fabs(rows[i]) <= 1e-8 * (1 + size) + 100 * active))
            return i;
    return -1;
}

trm_status trmi_check_dropped_rows(trmi_values *values, const trmi_point *p, trm_error *error)
{
    trmi_evaluator *e = values->e;
    if (e->n_r == e->n_r_full)
        return TRM_OK;
    double size = 0, *rows = e->row_full;
    for (int i = 0; i < e->n_q; i++)
        size = fmax(size, fmax(fabs(p->q[i]), fabs(p->v[i])));
    trm_state s = {p->t, p->q, p->v, p->a, p->x, p->z, e->lambda_full, values->input, e->held};
    int result = e->user.n_g > 0 ? trmi_call(e, &s, TRM_QUANTITY_CONSTRAINT, rows) : 0;
    values->dropped_residual = 0;
    for (int i = 0; i < e->user.n_g && result == 0; i++)
        if (e->active[i] == e->n_r)
            values->dropped_residual = fmax(values->dropped_residual, fabs(rows[i]));
    int broken = result == 0 ? find_broken(e, rows, 0, e->user.n_g, size) : -1;
    if (broken >= 0)
        return dropped_row_broken(e, broken, rows[broken], error);
    if (result == 0 && e->user.n_a > 0) {
        result = trmi_evaluate(e, p, TRM_BIT(ROLLING), values);
        full_rolling_level(values, p->v, rows);
        double *offset = rows + e->user.n_g;
        if (result == 0 && !(e->absent & TRM_BIT(ROLLING_OFFSET))) {
            result = trmi_call(e, &s, TRM_QUANTITY_ROLLING_OFFSET, e->lambda_full);
            for (int i = 0; i < e->user.n_a; i++)
                offset[i] += e->lambda_full[i];
            memset(e->lambda_full, 0, (size_t)e->n_r_full * sizeof *e->lambda_full);
        }
        broken = result == 0 ? find_broken(e, rows, e->user.n_g, e->n_r_full, size) : -1;
        if (broken >= 0)
            return dropped_row_broken(e, broken, rows[broken], error);
    }
    if (result == 0)
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_CALLBACK, "the callback for %s returned %d",
                          trm_quantity_name(e->culprit), result);
}

// ---- multipliers ----

void trmi_full_multipliers(const trmi_values *values, const trmi_memory *memory,
                           const trmi_point *p, double *full)
{
    const trmi_evaluator *e = values->e;
    trmi_expand_rows(e, p->lambda, full);
    if (e->n_r == e->n_r_full)
        return;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trmi_sparse_rows rows;
    trmi_bodies bodies;
    int dependent = 0, dropped = e->n_r_full - e->n_r;
    bool good = trmi_list_full_constraints(values, p, &scratch, &rows) &&
                trmi_find_bodies(e, &scratch, e->by_bodies, &bodies);
    // off the constraints rows follow from each other to the accuracy of the positions only
    for (double tolerance = RANK_TOLERANCE; good && dependent < dropped && tolerance < 1;
         tolerance *= 10) {
        trmi_expand_rows(e, p->lambda, full);
        good = trmi_dependences_minimum_norm(full, &scratch, &rows, bodies, e->shared, tolerance,
                                             &dependent);
    }
    trmi_memory_release_all(&scratch);
}
