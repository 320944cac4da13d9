// SPDX-License-Identifier: Apache-2.0
#include "formulation/redundancy.h"

#include "base/error.h"
#include "linear/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a pivot of the factors below this asks for the rank; the QR then decides with its own bound
static const double SUSPECT_PIVOT = 1e-9;
static const double RANK_TOLERANCE = 1e-9;
// a coefficient above this takes part in a dependence
static const double TAKES_PART = 1e-6;
// dense QR is used up to this many entries of G
static const double DENSE_RANK_LIMIT = 2e7;

// "row a = 0.5 b - 1 c" for messages
static void describe_dependence(const trmi_evaluator *e, const trmi_rank *r, int k, char *text,
                                size_t size)
{
    char name[48];
    int length = 0, named = 0;
    for (int i = 0; i < r->rank && named < 3; i++) {
        double w = r->coefficients[i + e->n_r * k];
        if (fabs(w) < TAKES_PART)
            continue;
        length += snprintf(text + length, size - (size_t)length, "%s%s", named ? ", " : "",
                           trmi_name_row(e, r->order[i], name, sizeof name));
        if (length >= (int)size)
            return;
        named++;
    }
    if (named == 0)
        snprintf(text, size, "nothing: its derivative is zero");
}

// the row with the largest part in the dependence of row order[k]; itself when there is none
static int strongest_source(const trmi_evaluator *e, const trmi_rank *r, int k)
{
    int best = r->order[k];
    double most = 1e-6;
    for (int i = 0; i < r->rank; i++)
        if (fabs(r->coefficients[i + e->n_r * k]) > most) {
            most = fabs(r->coefficients[i + e->n_r * k]);
            best = r->order[i];
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

// the combination of rows that must vanish with the others: g_k = sum w_i g_i
static trm_status check_contradiction(const trmi_evaluator *e, const trmi_rank *r, int k,
                                      trm_error *error)
{
    int row = r->order[k];
    bool holonomic = row < e->n_g;
    const double *g = e->block[TRM_CONSTRAINT].value;
    double defect = holonomic ? g[row] : 0, size = fabs(defect);
    for (int i = 0; i < r->rank && holonomic; i++)
        if (r->order[i] < e->n_g) {
            defect -= r->coefficients[i + e->n_r * k] * g[r->order[i]];
            size = fmax(size, fabs(g[r->order[i]]));
        }
    // near the manifold the combination is exact to second order
    if (fabs(defect) <= 1e-9 + 10 * size * size)
        return TRM_OK;
    char name[48], others[120];
    describe_dependence(e, r, k, others, sizeof others);
    trmi_error_item(error, "constraint %s", trmi_name_row(e, row, name, sizeof name));
    if (strongest_source(e, r, k) == row)
        return gradient_is_zero(name, defect, error);
    trmi_error_advise(error, "remove the row, or make the dimensions agree");
    return trmi_error_set(error, TRM_ERR_CONTRADICTION,
                          "row %s has the direction of %s but misses it by %.3g: the rows "
                          "contradict each other",
                          name, others, defect);
}

static void log_dropped(const trmi_evaluator *e, const trm_options *options, const trmi_rank *r,
                        int k)
{
    if (!options->log)
        return;
    char name[48], others[120], text[256];
    describe_dependence(e, r, k, others, sizeof others);
    snprintf(text, sizeof text,
             "constraint row %s is redundant, it follows from %s; its multiplier is not unique "
             "(minimum norm is reported)",
             trmi_name_row(e, r->order[k], name, sizeof name), others);
    options->log(TRM_LOG_WARNING, text, options->user);
}

// Whether a block of derivatives by the multipliers sees those that are not unique: it does not
// where its product with the null vector of G^T, 1 for row order[k] and -w for the others, is zero.
static bool sees_null_vector(const trmi_values *b, const double *null, double *sum, double *size)
{
    memset(sum, 0, (size_t)b->rows * sizeof *sum);
    memset(size, 0, (size_t)b->rows * sizeof *size);
    for (int i = 0; i < b->count; i++) {
        sum[b->row[i]] += b->value[i] * null[b->column[i]];
        size[b->row[i]] += fabs(b->value[i] * null[b->column[i]]);
    }
    for (int i = 0; i < b->rows; i++)
        if (fabs(sum[i]) > 1e-8 * size[i])
            return true;
    return false;
}

// the first redundant row whose multiplier makes a difference to these blocks; -1: none does
static int find_felt(const trmi_evaluator *e, trmi_memory *scratch, const trmi_rank *r,
                     uint64_t blocks)
{
    int most = e->n_q + e->n_x + e->n_z;
    double *null, *sum, *size;
    if (!TRMI_TAKE(scratch, null, e->n_r + 1) || !TRMI_TAKE(scratch, sum, most) ||
        !TRMI_TAKE(scratch, size, most))
        return r->order[r->rank];
    for (int k = r->rank; k < e->n_r; k++) {
        memset(null, 0, (size_t)e->n_r * sizeof *null);
        null[r->order[k]] = 1;
        for (int i = 0; i < r->rank; i++)
            null[r->order[i]] = -r->coefficients[i + e->n_r * k];
        for (int q = 0; q < TRM_QUANTITY_COUNT; q++)
            if ((blocks & TRM_BIT(q)) && sees_null_vector(&e->block[q], null, sum, size))
                return r->order[k];
    }
    return -1;
}

// The same for forces, rates and algebraic equations, in motion: friction shows its dependence only
// there. A row that cannot be judged counts as felt.
static int find_felt_row(trmi_evaluator *e, trmi_memory *scratch, const trmi_rank *r,
                         const trmi_point *p)
{
    const uint64_t all =
        TRM_BIT(TRM_FORCE_LAMBDA) | TRM_BIT(TRM_RATE_LAMBDA) | TRM_BIT(TRM_ALGEBRAIC_LAMBDA);
    const uint64_t blocks = all & ~e->absent;
    trmi_point moving = *p;
    bool known = TRMI_TAKE(scratch, moving.v, e->n_q);
    for (int q = 0; q < TRM_QUANTITY_COUNT; q++)
        known = known && (!(blocks & TRM_BIT(q)) || e->block[q].value);
    for (int i = 0; i < e->n_q && known; i++)
        moving.v[i] = p->v[i] + 0.3 * (1 + fabs(p->v[i])) * (i % 2 ? -1 : 1);
    bool good = known && trmi_evaluate(e, &moving, blocks) == 0;
    return good ? find_felt(e, scratch, r, blocks) : r->order[r->rank];
}

static trm_status drop(trmi_evaluator *e, trmi_memory *memory, trmi_memory *scratch,
                       const trm_options *options, const trmi_rank *r, const trmi_point *p,
                       trm_error *error)
{
    bool *dropped;
    if (!TRMI_TAKE(scratch, dropped, e->n_r))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the rank of the constraints");
    int felt = e->lambda_enters ? find_felt_row(e, scratch, r, p) : -1;
    if (felt >= 0) {
        char name[48];
        trmi_error_item(error, "constraint %s", trmi_name_row(e, felt, name, sizeof name));
        trmi_error_advise(error, "remove row %s", name);
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "row %s is redundant, so multipliers are not unique, but forces or "
                              "rates depend on them",
                              name);
    }
    for (int k = r->rank; k < e->n_r; k++) {
        trm_status status = check_contradiction(e, r, k, error);
        if (status != TRM_OK)
            return status;
        dropped[r->order[k]] = true;
        e->follows[r->order[k]] = strongest_source(e, r, k);
        e->shared[r->order[k]] = true;
        for (int i = 0; i < r->rank; i++)
            if (fabs(r->coefficients[i + e->n_r * k]) > TAKES_PART)
                e->shared[r->order[i]] = true;
        log_dropped(e, options, r, k);
    }
    if (trmi_evaluator_drop_rows(e, memory, dropped))
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the system");
}

static bool suspicious(trmi_saddle *s)
{
    if (s->e->n_r == 0)
        return false;
    s->e->statistics->factorizations++;
    if (!trmi_saddle_prepare(s) || trmi_saddle_factor_start(s) != TRMI_FACTOR_OK)
        return true;
    return s->factored != s->solver || s->solver->pivot.smallest < SUSPECT_PIVOT;
}

trm_status trmi_drop_redundant_rows(trmi_saddle *s, trmi_memory *memory, const trm_options *options,
                                    bool geometric, const trmi_point *p, trm_start_report *report,
                                    trm_error *error)
{
    trmi_evaluator *e = s->e;
    bool too_many = e->n_r > e->n_q;
    if (!too_many && !suspicious(s))
        return TRM_OK;
    if ((double)e->n_q * e->n_r > DENSE_RANK_LIMIT) {
        char name[64];
        trmi_error_advise(error, "remove redundant rows from large systems");
        return trmi_error_set(error, TRM_ERR_SINGULAR, "the constraints lose rank near %s",
                              trmi_name_unknown(e, s->factored->pivot.row, name, sizeof name));
    }
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    double *gt;
    trmi_rank rank;
    trm_status status = TRM_OK;
    bool good = TRMI_TAKE(&scratch, gt, (size_t)e->n_q * (size_t)e->n_r);
    if (good)
        trmi_dense_constraints(e, gt);
    if (!good || !trmi_rank_reveal(&rank, &scratch, gt, e->n_q, e->n_r, RANK_TOLERANCE))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the rank of the constraints");
    bool deficient = status == TRM_OK && rank.rank < e->n_r;
    if (deficient) {
        report->rank = rank.rank;
        report->redundant = e->n_r - rank.rank;
        status = drop(e, memory, &scratch, options, &rank, p, error);
    }
    trmi_memory_release_all(&scratch);
    if (status != TRM_OK || !deficient)
        return status;
    trmi_saddle_destroy(s);
    trm_solver choice =
        options->linear_solver == TRM_SOLVER_BLOCK ? TRM_SOLVER_AUTO : options->linear_solver;
    return trmi_saddle_create(s, memory, e, choice, geometric, error);
}

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

// out (full numbering, rolling rows) = A v + a from the last evaluation
static void full_rolling_level(const trmi_evaluator *e, const double *v, double *out)
{
    const trmi_values *b = &e->block[TRM_ROLLING];
    memset(out, 0, (size_t)e->n_r_full * sizeof *out);
    for (int k = 0; k < b->count; k++)
        out[trmi_full_row(e, TRM_ROLLING, k)] += b->value[k] * v[b->column[k]];
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

trm_status trmi_check_dropped_rows(trmi_evaluator *e, const trmi_point *p, trm_error *error)
{
    if (e->n_r == e->n_r_full)
        return TRM_OK;
    double size = 0, *rows = e->row_full;
    for (int i = 0; i < e->n_q; i++)
        size = fmax(size, fmax(fabs(p->q[i]), fabs(p->v[i])));
    trm_state s = {p->t, p->q, p->v, p->a, p->x, p->z, e->lambda_full, e->input, e->held};
    int result = e->user.n_g > 0 ? trmi_call(e, &s, TRM_CONSTRAINT, rows) : 0;
    e->dropped_residual = 0;
    for (int i = 0; i < e->user.n_g && result == 0; i++)
        if (e->active[i] == e->n_r)
            e->dropped_residual = fmax(e->dropped_residual, fabs(rows[i]));
    int broken = result == 0 ? find_broken(e, rows, 0, e->user.n_g, size) : -1;
    if (broken >= 0)
        return dropped_row_broken(e, broken, rows[broken], error);
    if (result == 0 && e->user.n_a > 0) {
        result = trmi_evaluate(e, p, TRM_BIT(TRM_ROLLING));
        full_rolling_level(e, p->v, rows);
        double *offset = rows + e->user.n_g;
        if (result == 0 && !(e->absent & TRM_BIT(TRM_ROLLING_OFFSET))) {
            result = trmi_call(e, &s, TRM_ROLLING_OFFSET, e->lambda_full);
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

// column j of G^T over all rows by differences of g; with z in g this is only g_q
static int difference_full_rows(trmi_evaluator *e, const trmi_point *p, double *q, double *plus,
                                double *gt)
{
    trm_state s = {p->t, q, p->v, p->a, p->x, p->z, e->lambda_full, e->input, e->held};
    double *minus = e->row_full;
    int result = 0;
    memcpy(q, p->q, (size_t)e->n_q * sizeof *q);
    for (int j = 0; j < e->n_q && result == 0; j++) {
        double delta = trmi_increment_q(e, p->q[j], j);
        q[j] = p->q[j] + delta;
        result = trmi_call(e, &s, TRM_CONSTRAINT, plus);
        q[j] = p->q[j] - delta;
        if (result == 0)
            result = trmi_call(e, &s, TRM_CONSTRAINT, minus);
        q[j] = p->q[j];
        for (int i = 0; i < e->user.n_g; i++)
            gt[(size_t)j + (size_t)e->n_q * (size_t)i] = (plus[i] - minus[i]) / (2 * delta);
    }
    return result;
}

// G^T over all rows, dense; G of the last evaluation where it is supplied
static int full_constraints(trmi_evaluator *e, const trmi_point *p, double *q, double *plus,
                            double *gt)
{
    const trm_quantity blocks[] = {TRM_CONSTRAINT_Q, TRM_ROLLING};
    bool supplied = (e->supplied & TRM_BIT(TRM_CONSTRAINT_Q)) != 0;
    for (int b = supplied ? 0 : 1; b < 2; b++) {
        const trmi_values *values = &e->block[blocks[b]];
        for (int k = 0; k < values->count; k++)
            gt[(size_t)values->column[k] +
               (size_t)e->n_q * (size_t)trmi_full_row(e, blocks[b], k)] += values->value[k];
    }
    return supplied ? 0 : difference_full_rows(e, p, q, plus, gt);
}

void trmi_full_multipliers(trmi_evaluator *e, const trmi_memory *memory, const trmi_point *p,
                           double *full)
{
    trmi_expand_rows(e, p->lambda, full);
    if (e->n_r == e->n_r_full)
        return;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    double *gt, *q, *plus;
    bool good = TRMI_TAKE(&scratch, gt, (size_t)e->n_q * (size_t)e->n_r_full) &&
                TRMI_TAKE(&scratch, q, e->n_q) && TRMI_TAKE(&scratch, plus, e->n_r_full);
    if (good && full_constraints(e, p, q, plus, gt) == 0)
        trmi_minimum_norm(full, &scratch, gt, e->n_q, e->n_r_full, RANK_TOLERANCE);
    trmi_memory_release_all(&scratch);
}
