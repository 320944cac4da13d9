// SPDX-License-Identifier: Apache-2.0
// What the nested and the coupled corrector share.
#include "integrator/corrector.h"

#include <string.h>

enum { FIXED_STEP_ITERATIONS = 20 };

void trmi_log_iteration(trmi_corrector *c, double correction, double rate)
{
    trmi_iterations *log = &c->log;
    if (log->count == TRM_ERROR_ITERATIONS) { // keep the last ones
        memmove(log->correction, log->correction + 1, sizeof log->correction - sizeof(double));
        memmove(log->rate, log->rate + 1, sizeof log->rate - sizeof(double));
        log->count--;
    }
    log->correction[log->count] = correction;
    log->rate[log->count++] = rate;
}

int trmi_iteration_limit(const trmi_corrector *c, int usual)
{
    if (c->options->newton_iterations > 0)
        return c->options->newton_iterations;
    return c->options->h_fixed > 0 ? FIXED_STEP_ITERATIONS : usual; // no shorter step can help
}

trmi_correction trmi_callback_result(int result)
{
    return result == 0 ? TRMI_CONVERGED : result > 0 ? TRMI_CALLBACK_RETRY : TRMI_CALLBACK_STOP;
}

bool trmi_corrector_create(trmi_corrector *c, trmi_memory *memory)
{
    const trmi_evaluator *e = c->e;
    int n = e->n_q + e->n_x + e->n_z + e->n_r_full + e->n_q + 1;
    return trmi_point_create(&c->point, memory, e) && TRMI_TAKE(memory, c->rhs, 2 * n) &&
           TRMI_TAKE(memory, c->residual, n) && TRMI_TAKE(memory, c->mu, e->n_r_full + 1) &&
           TRMI_TAKE(memory, c->weight_lambda, e->n_r_full + 1) &&
           TRMI_TAKE(memory, c->weight_mu, e->n_r_full + 1) &&
           TRMI_TAKE(memory, c->geometric_mu, e->block[TRM_GEOMETRIC].count + 1);
}

void trmi_corrector_reset(trmi_corrector *c)
{
    c->have_derivatives = c->refresh = false;
    c->curvature = c->contraction = 0;
    c->attempts = c->exact_until = 0;
    c->matrix_wanted = true;
    c->matrix_exists = false;
    c->cj_matrix = c->cj_last = 0;
    c->rate_factor = 100;
    memset(c->mu, 0, (size_t)(c->e->n_r_full + 1) * sizeof *c->mu);
}

void trmi_corrector_archive(trmi_corrector *c, trmi_archive *a)
{
    int n = c->e->n_r_full + 1;
    trmi_archive_doubles(a, c->mu, n);
    trmi_archive_doubles(a, c->weight_lambda, n);
    trmi_archive_doubles(a, c->weight_mu, n);
    trmi_archive_doubles(a, c->geometric_mu, c->e->block[TRM_GEOMETRIC].count);
    trmi_archive_bool(a, &c->have_derivatives);
    trmi_archive_bool(a, &c->refresh);
    trmi_archive_doubles(a, &c->curvature, 1);
    trmi_archive_doubles(a, &c->contraction, 1);
    trmi_archive_long(a, &c->attempts, 0);
    trmi_archive_long(a, &c->exact_until, 0);
    trmi_archive_doubles(a, &c->cj_matrix, 1);
    trmi_archive_doubles(a, &c->cj_last, 1);
    trmi_archive_doubles(a, &c->rate_factor, 1);
    trmi_archive_bool(a, &c->matrix_wanted);
    trmi_archive_bool(a, &c->matrix_exists);
}

bool trmi_corrector_create_split(trmi_corrector *c, trmi_memory *memory)
{
    const trmi_evaluator *e = c->e;
    return !trmi_saddle_split(c->saddle) ||
           (trmi_split_create(&c->split, memory, e->n_q, e->n_r) &&
            TRMI_TAKE(memory, c->gt, (size_t)e->n_q * (size_t)e->n_r));
}

void trmi_start_at_predictor(trmi_corrector *c, const trmi_stage *stage)
{
    const trmi_evaluator *e = c->e;
    const double *y = stage->predicted;
    size_t n = (size_t)e->n_q, m = (size_t)e->n_r, size = sizeof *y;
    c->bq = stage->offset;
    c->bv = c->bq + n;
    c->bx = c->bv + n;
    c->point.t = stage->t;
    memcpy(c->point.q, y, n * size);
    if (c->coupled)
        memcpy(c->point.v, y + n, n * size);
    memcpy(c->point.x, y + 2 * n, (size_t)e->n_x * size);
    memcpy(c->point.z, y + 2 * n + e->n_x, (size_t)e->n_z * size);
    const double *multipliers = y + 2 * n + e->n_x + e->n_z;
    bool extrapolated = c->policy->start == TRMI_MULTIPLIERS_EXTRAPOLATED;
    memcpy(c->point.lambda, extrapolated ? multipliers : stage->lambda, m * size);
    if (extrapolated && c->coupled)
        memcpy(c->mu, y + trmi_mu_offset(e), m * size);
}

bool trmi_widen_patterns(trmi_corrector *c, const trmi_stage *stage, trmi_correction result)
{
    trmi_point *p = &c->point;
    trmi_leading of = stage->leading;
    if (!c->patterns->estimated || (result != TRMI_DIVERGED && result != TRMI_SINGULAR))
        return false;
    trmi_start_at_predictor(c, stage);
    for (int i = 0; i < c->e->n_q; i++) {
        p->v[i] = c->coupled ? p->v[i] : of.cv * p->q[i] + c->bq[i];
        p->a[i] = of.ca * p->v[i] + c->bv[i];
    }
    return trmi_patterns_widen(c->patterns, p);
}
