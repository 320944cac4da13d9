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
        if (fabs(w) < 1e-6)
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

static trm_status drop(trmi_evaluator *e, trmi_memory *memory, trmi_memory *scratch,
                       const trm_options *options, const trmi_rank *r, trm_error *error)
{
    bool *dropped;
    if (!TRMI_TAKE(scratch, dropped, e->n_r))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the rank of the constraints");
    for (int k = r->rank; k < e->n_r; k++) {
        trm_status status = check_contradiction(e, r, k, error);
        if (status != TRM_OK)
            return status;
        dropped[r->order[k]] = true;
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
                                    bool geometric, trmi_point *p, trm_start_report *report,
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
        status = drop(e, memory, &scratch, options, &rank, error);
    }
    trmi_memory_release_all(&scratch);
    if (status != TRM_OK || !deficient)
        return status;
    trmi_saddle_destroy(s);
    int result = trmi_evaluate(
        e, p, TRM_BIT(TRM_CONSTRAINT) | TRM_BIT(TRM_FORCE) | trmi_velocity_quantities(e));
    if (result != 0)
        return trmi_error_set(error, TRM_ERR_CALLBACK, "a callback returned %d at the start",
                              result);
    trm_solver choice =
        options->linear_solver == TRM_SOLVER_BLOCK ? TRM_SOLVER_AUTO : options->linear_solver;
    return trmi_saddle_create(s, memory, e, choice, geometric, error);
}

trm_status trmi_check_dropped_rows(trmi_evaluator *e, const trmi_point *p, trm_error *error)
{
    if (e->n_r == e->n_r_full || e->user.n_g == 0)
        return TRM_OK;
    trm_state s = {p->t, p->q, p->v, p->a, p->x, p->z, e->lambda_full, e->input};
    double *g = e->row_full;
    double *want[TRM_QUANTITY_COUNT] = {[TRM_CONSTRAINT] = g};
    int result = e->user.function[TRM_CONSTRAINT]
                     ? e->user.function[TRM_CONSTRAINT](&s, g, e->user.user)
                     : e->user.evaluate(&s, want, e->user.user);
    double size = 0;
    for (int i = 0; i < e->n_q; i++)
        size = fmax(size, fabs(p->q[i]));
    for (int i = 0; i < e->user.n_g && result == 0; i++)
        if (e->active[i] == e->n_r && fabs(g[i]) > 1e-8 * (1 + size)) {
            char name[48];
            if (e->user.g_names && e->user.g_names[i])
                snprintf(name, sizeof name, "%s", e->user.g_names[i]);
            else
                snprintf(name, sizeof name, "row[%d]", i);
            trmi_error_item(error, "constraint %s", name);
            trmi_error_advise(error,
                              "start from a position in which the constraints have full rank");
            return trmi_error_set(error, TRM_ERR_CONTRADICTION,
                                  "row %s was redundant at the start but is violated by %.3g: it "
                                  "contradicts the others, or the start is a singular position",
                                  name, g[i]);
        }
    return TRM_OK;
}

void trmi_full_multipliers(trmi_evaluator *e, const double *lambda, double *full)
{
    if (e->n_r == e->n_r_full) {
        memcpy(full, lambda, (size_t)e->n_r * sizeof *full);
        return;
    }
    memset(full, 0, (size_t)e->n_r_full * sizeof *full);
    for (int r = 0; r < e->n_r; r++)
        full[e->full[r]] = lambda[r];
    // minimum norm needs all rows of G: patterns map dropped rows to the dummy, so ask the user
    trmi_memory scratch;
    trmi_memory_init(&scratch, NULL);
    double *gt;
    size_t n = (size_t)e->n_q;
    if (TRMI_TAKE(&scratch, gt, n * (size_t)e->n_r_full)) {
        const trmi_values *b = &e->block[TRM_CONSTRAINT_Q];
        const trm_pattern *p = &e->user.pattern[TRM_CONSTRAINT_Q];
        for (int k = 0; k < b->count; k++) {
            int row = p->count > 0 ? p->row[k] : k % e->user.n_g;
            gt[(size_t)b->column[k] + n * (size_t)row] += b->value[k];
        }
        const trmi_values *a = &e->block[TRM_ROLLING];
        const trm_pattern *pa = &e->user.pattern[TRM_ROLLING];
        for (int k = 0; k < a->count; k++) {
            int row = pa->count > 0 ? pa->row[k] : k % e->user.n_a;
            gt[(size_t)a->column[k] + n * (size_t)(e->user.n_g + row)] += a->value[k];
        }
        trmi_minimum_norm(full, &scratch, gt, e->n_q, e->n_r_full, RANK_TOLERANCE);
    }
    trmi_memory_release_all(&scratch);
}
