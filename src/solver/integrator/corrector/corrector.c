// SPDX-License-Identifier: Apache-2.0
// What the nested and the coupled corrector share.
#include "solver/integrator/corrector/corrector.h"

#include <math.h>
#include <stdio.h>
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
    return c->no_shorter_steps ? FIXED_STEP_ITERATIONS : usual; // no shorter step can help
}

// Multipliers of their own, mu, belong to classic; weights to formulations that test them.
bool trmi_corrector_create(trmi_corrector *c, trmi_memory *memory)
{
    const trmi_evaluator *e = c->e;
    int rows = e->n_r_full + 1;
    bool own_mu = c->unknown_velocities;
    bool tested = own_mu || c->policy->test_multipliers;
    return TRMI_TAKE(memory, c->correction_x, e->n_x) &&
           (!tested ||
            (TRMI_TAKE(memory, c->mu, rows) && TRMI_TAKE(memory, c->weight_lambda, rows) &&
             TRMI_TAKE(memory, c->weight_mu, rows))) &&
           (!own_mu ||
            TRMI_TAKE(memory, c->geometric_mu, e->block[TRM_QUANTITY_GEOMETRIC].count + 1));
}

void trmi_corrector_reset(trmi_corrector *c)
{
    trmi_update_reset(&c->update);
    trmi_derivatives_reset(&c->derivatives, false);
    c->curvature = 0;
    c->attempts = c->exact_until = c->exact_for = c->unsymmetric_until = 0;
    c->projected_last = (trmi_velocity_correction){0};
    c->cj_last = 0;
    c->rate_factor = 100;
    if (c->mu)
        memset(c->mu, 0, (size_t)(c->e->n_r_full + 1) * sizeof *c->mu);
}

void trmi_corrector_archive(trmi_corrector *c, trmi_archive *a)
{
    double *const multipliers[] = {c->mu, c->weight_lambda, c->weight_mu};
    for (int i = 0; i < 3 && c->mu; i++)
        trmi_archive_doubles(a, multipliers[i], c->e->n_r_full + 1);
    if (c->geometric_mu)
        trmi_archive_doubles(a, c->geometric_mu, c->e->block[TRM_QUANTITY_GEOMETRIC].count);
    trmi_update_archive(&c->update, a);
    trmi_derivatives_archive(&c->derivatives, a);
    trmi_archive_doubles(a, &c->curvature, 1);
    trmi_archive_doubles(a, &c->projected_last.length, 1);
    trmi_archive_doubles(a, &c->projected_last.stretch, 1);
    trmi_archive_long(a, &c->attempts);
    trmi_archive_long(a, &c->exact_until);
    trmi_archive_long(a, &c->exact_for);
    trmi_archive_long(a, &c->unsymmetric_until);
    trmi_archive_long(a, &c->rescued);
    trmi_archive_doubles(a, &c->cj_last, 1);
    trmi_archive_doubles(a, &c->rate_factor, 1);
}

bool trmi_corrector_create_split(trmi_corrector *c, trmi_memory *memory)
{
    const trmi_evaluator *e = c->e;
    return !trmi_saddle_split(c->saddle) ||
           (trmi_split_create(&c->split, memory, e->n_q, e->n_r) &&
            TRMI_TAKE(memory, c->gt, (size_t)e->n_q * (size_t)e->n_r));
}

bool trmi_extrapolates_multipliers(const trmi_corrector *c)
{
    bool from_residual = !c->unknown_velocities || trmi_splits_residual(c);
    return c->policy->start == TRMI_MULTIPLIERS_EXTRAPOLATED || !from_residual;
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
    c->projected = (trmi_velocity_correction){0};
    memcpy(c->point.q, y, n * size);
    for (int i = 0; i < e->n_q && c->start_from_last_velocity; i++) // v = cv q + bq
        c->point.q[i] = (stage->v[i] - c->bq[i]) / stage->leading.cv;
    if (c->unknown_velocities)
        memcpy(c->point.v, y + n, n * size);
    memcpy(c->point.x, y + 2 * n, (size_t)e->n_x * size);
    memcpy(c->point.z, y + 2 * n + e->n_x, (size_t)e->n_z * size);
    const double *multipliers = y + 2 * n + e->n_x + e->n_z;
    bool extrapolated = trmi_extrapolates_multipliers(c);
    memcpy(c->point.lambda, extrapolated ? multipliers : stage->lambda, m * size);
    if (extrapolated && c->unknown_velocities)
        memcpy(c->mu, multipliers + trmi_mu_offset(e), m * size);
}

// ---- renewal of the matrix ----

// `auto`: exact derivatives are cheap and new in every matrix; differences are kept, with what can
// be learned of excitations. Classic is DASSL, which evaluates with every matrix.
static trm_jacobian_update resolve_update(const trmi_corrector *c, uint64_t differenced)
{
    trm_jacobian_update option = c->options->jacobian_update;
    if (option != TRM_JACOBIAN_UPDATE_AUTO)
        return option;
    if (c->unknown_velocities || !differenced || c->e->lambda_enters)
        return TRM_JACOBIAN_UPDATE_FULL;
    return c->e->n_u > 0 ? TRM_JACOBIAN_UPDATE_SECANT : TRM_JACOBIAN_UPDATE_PARTITIONED;
}

bool trmi_corrector_create_update(trmi_corrector *c, trmi_memory *memory, const trmi_point *start)
{
    uint64_t matrix = trmi_saddle_derivatives(c->saddle);
    if (c->unknown_velocities)
        matrix |= TRM_BIT(VELOCITY_Q) & ~c->e->absent;
    uint64_t differenced = matrix & ~c->e->supplied;
    trm_jacobian_update rule = resolve_update(c, differenced);
    bool keeps = rule != TRM_JACOBIAN_UPDATE_FULL;
    // supplied derivatives are evaluated with every matrix, unless the option asks to keep them
    uint64_t kept = c->options->jacobian_update == TRM_JACOBIAN_UPDATE_AUTO ? differenced : matrix;
    // f_lambda is beside G^T, at the same order of h, and turns with it: kept ones make Newton slow
    kept &= ~TRM_BIT(FORCE_LAMBDA);
    // the nested corrector has G of the present point in its matrix: a new one with every step
    c->update = (trmi_update){.keeps_matrix = c->unknown_velocities && !c->rough_predictor,
                              .keeps_derivatives = keeps,
                              .estimates = c->patterns->estimated != 0};
    return trmi_derivatives_create(&c->derivatives, memory, c->values, keeps ? kept : 0, rule) &&
           trmi_derivatives_probe(&c->derivatives, memory, start);
}

// logs why a matrix of the step to t is formed
static void trace(const trmi_corrector *c, double t, double cj, trmi_matrix_event event,
                  trmi_matrix_action action)
{
    const trm_options *o = c->options;
    const trmi_iterations *log = &c->log;
    if (!o->log || o->log_level < TRM_LOG_TRACE)
        return;
    char text[256], rate[32] = "-";
    if (log->count > 0 && isfinite(log->rate[log->count - 1]))
        snprintf(rate, sizeof rate, "%.2g", log->rate[log->count - 1]);
    snprintf(text, sizeof text, "step %ld to t = %.9g: %s, matrix %s, cj ratio %.3g, rate %s: %s",
             c->statistics->steps + 1, t, trmi_matrix_event_name(event),
             trmi_matrix_quality_name(c->update.quality), c->update.cj > 0 ? cj / c->update.cj : 1,
             rate, trmi_matrix_action_name(action));
    o->log(TRM_LOG_TRACE, text, o->user);
}

void trmi_enter_derivatives(trmi_corrector *c, bool evaluated, double cj)
{
    if (c->matrices++ > 0)
        trace(c, c->point.t, cj, TRMI_MATRIX_INSIDE,
              evaluated ? TRMI_MATRIX_EVALUATE : TRMI_MATRIX_REFORM);
    if (evaluated)
        trmi_derivatives_take(&c->derivatives);
    else
        trmi_derivatives_apply(&c->derivatives);
    c->statistics->jacobian_evaluations += evaluated;
    c->statistics->jacobian_updates += !evaluated;
    c->log.fresh = evaluated;
    trmi_update_formed(&c->update, evaluated, cj);
}

// Searches entries that estimated patterns lack, by a dense evaluation at the predictor. True when
// there are some: try again.
static bool widen_patterns(trmi_corrector *c, const trmi_stage *stage)
{
    trmi_point *p = &c->point;
    trmi_leading lead = stage->leading;
    trmi_start_at_predictor(c, stage);
    for (int i = 0; i < c->e->n_q; i++) {
        p->v[i] = c->unknown_velocities ? p->v[i] : lead.cv * p->q[i] + c->bq[i];
        p->a[i] = lead.ca * p->v[i] + c->bv[i];
    }
    trmi_update_widened(&c->update);
    return trmi_patterns_widen(c->patterns, p);
}

trmi_outcome trmi_correct(trmi_corrector *c, const trmi_stage *stage, trmi_attempt *attempt)
{
    trmi_update *u = &c->update;
    c->projected = (trmi_velocity_correction){0};
    trmi_matrix_event event = trmi_update_begin(u, stage->leading.cv);
    trmi_matrix_action action = trmi_update_decide(u, event, false);
    for (;;) {
        if (action != TRMI_MATRIX_KEEP)
            trace(c, stage->t, stage->leading.cv, event, action);
        c->matrices = 0;
        trmi_outcome result = attempt(c, stage, action);
        bool failed = result == TRMI_OUTCOME_DIVERGED || result == TRMI_OUTCOME_SINGULAR;
        if (u->quality == TRMI_MATRIX_CHEAP && (failed || result == TRMI_OUTCOME_OK))
            trmi_derivatives_judge(&c->derivatives, !failed);
        // where it failed before its matrix was formed, another one changes nothing
        bool formed = c->matrices > 0 || action == TRMI_MATRIX_KEEP;
        if (!failed || !formed)
            return result;
        event = result == TRMI_OUTCOME_SINGULAR ? TRMI_MATRIX_SINGULAR : TRMI_MATRIX_NO_CONVERGENCE;
        bool moved = stage->leading.cv != u->cj || trmi_derivatives_moved(&c->derivatives);
        action = trmi_update_decide(u, event, moved);
        if (action == TRMI_MATRIX_WIDEN && !widen_patterns(c, stage))
            action = TRMI_MATRIX_SHORTEN;
        if (action == TRMI_MATRIX_SHORTEN) {
            trace(c, stage->t, stage->leading.cv, event, action);
            return result;
        }
    }
}
