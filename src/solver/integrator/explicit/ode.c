// SPDX-License-Identifier: Apache-2.0
// Rates, sums of rates, acceptance: the parts of an explicit step.
#include "solver/integrator/explicit/ode.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// a step this much shorter than the largest of the past (a decaying maximum) does not come through
// a singular position
static const double COLLAPSED = 1e-4;

bool trmi_ode_create(trm_simulation *s, trmi_ode *ode, int rates, bool tableau)
{
    trmi_memory *memory = &s->memory;
    ode->size = s->e.n_q + s->e.n_x;
    for (int i = 0; i < rates; i++)
        if (!TRMI_TAKE(memory, ode->rate[i], ode->size))
            return false;
    if (!TRMI_TAKE(memory, ode->difference, ode->size) ||
        !trmi_point_create(&ode->stage, memory, &s->e))
        return false;
    if (!tableau)
        return true;
    if (!TRMI_TAKE(memory, ode->tableau, 1))
        return false;
    trmi_tableau_853_fill(ode->tableau);
    return true;
}

// ---- rates ----

// everything evaluated at p, and [M -f_z G^T - f_lambda; b_z b_lambda; G] factored
static trmi_outcome form_matrix(trm_simulation *s, trmi_saddle *saddle, const trmi_point *p)
{
    const uint64_t want = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) |
                          TRM_BIT(FORCE) | TRM_BIT(GAMMA) | TRM_BIT(FORCE_Z) |
                          TRM_BIT(FORCE_LAMBDA) | TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z) |
                          TRM_BIT(ALGEBRAIC_LAMBDA);
    int result = trmi_evaluate(&s->e, p, want, saddle->values);
    if (result != 0)
        return trmi_callback_result(result);
    saddle->values->statistics->factorizations++;
    bool good = trmi_saddle_prepare(saddle) && trmi_saddle_factor_start(saddle) == TRMI_FACTOR_OK;
    return good ? TRMI_OUTCOME_OK : TRMI_OUTCOME_SINGULAR;
}

static bool all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return isfinite(sum);
}

static trmi_outcome solve_linear(trm_simulation *s, trmi_saddle *saddle, trmi_point *p)
{
    if (trmi_acceleration_supplied(&s->e)) {
        int evaluated = trmi_evaluate(&s->e, p, TRM_BIT(ACCELERATION), saddle->values);
        memcpy(p->a, saddle->values->of[TRM_QUANTITY_ACCELERATION],
               (size_t)s->e.n_q * sizeof *p->a);
        return trmi_callback_result(evaluated);
    }
    trmi_outcome result = form_matrix(s, saddle, p);
    if (result == TRMI_OUTCOME_OK)
        trmi_manifold_accelerations(&(trmi_manifold){.saddle = saddle, .scratch = &s->scratch}, p);
    return result;
}

// Newton on (a, z, lambda), until the change is roundoff or, where gamma comes from differences,
// no longer falls
static trmi_outcome solve_nonlinear(trm_simulation *s, trmi_saddle *saddle, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_manifold m = {.saddle = saddle, .scratch = &s->scratch};
    double change = HUGE_VAL;
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    for (int iteration = 0; iteration < TRMI_MULTIPLIER_ITERATIONS; iteration++) {
        trmi_outcome result = form_matrix(s, saddle, p);
        if (result != TRMI_OUTCOME_OK)
            return result;
        double before = change;
        change = trmi_acceleration_step(&m, p);
        if (trmi_acceleration_converged(change, before))
            return TRMI_OUTCOME_OK;
        if (!isfinite(change))
            return TRMI_OUTCOME_NOT_FINITE;
    }
    return TRMI_OUTCOME_DIVERGED;
}

trmi_outcome trmi_ode_evaluate(trm_simulation *s, trmi_saddle *saddle, trmi_point *p, double *rate)
{
    trmi_evaluator *e = &s->e;
    bool linear = !e->force_uses_lambda && e->n_z == 0;
    p->a = rate;
    trmi_outcome result = linear ? solve_linear(s, saddle, p) : solve_nonlinear(s, saddle, p);
    if (result == TRMI_OUTCOME_OK && e->n_x > 0) {
        result = trmi_callback_result(trmi_evaluate(e, p, TRM_BIT(RATE), saddle->values));
        memcpy(rate + e->n_q, saddle->values->of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *rate);
    }
    if (result == TRMI_OUTCOME_OK && !all_finite(rate, e->n_q + e->n_x))
        result = TRMI_OUTCOME_NOT_FINITE;
    return result;
}

// ---- sums of rates ----

// out += sum_j weight[j] rate_j, four at a time
void trmi_add_rates(const trmi_ode *ode, int count, const double *weight, int first, int n,
                    double *restrict out)
{
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        const double *r0 = ode->rate[j] + first, *r1 = ode->rate[j + 1] + first;
        const double *r2 = ode->rate[j + 2] + first, *r3 = ode->rate[j + 3] + first;
        double w0 = weight[j], w1 = weight[j + 1], w2 = weight[j + 2], w3 = weight[j + 3];
        for (int i = 0; i < n; i++)
            out[i] += (w0 * r0[i] + w1 * r1[i]) + (w2 * r2[i] + w3 * r3[i]);
    }
    for (; j < count; j++) {
        const double *r = ode->rate[j] + first, w = weight[j];
        for (int i = 0; i < n; i++)
            out[i] += w * r[i];
    }
}

// v and q at once: each rate is read once
static void add_to_both(const trmi_ode *ode, const trmi_weights *w, int n, double *restrict v,
                        double *restrict q)
{
    int j = 0;
    for (; j + 4 <= w->count; j += 4) {
        const double *r0 = ode->rate[j], *r1 = ode->rate[j + 1];
        const double *r2 = ode->rate[j + 2], *r3 = ode->rate[j + 3];
        const double *b = w->v + j, *c = w->q + j;
        double b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
        double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
        for (int i = 0; i < n; i++) {
            v[i] += (b0 * r0[i] + b1 * r1[i]) + (b2 * r2[i] + b3 * r3[i]);
            q[i] += (c0 * r0[i] + c1 * r1[i]) + (c2 * r2[i] + c3 * r3[i]);
        }
    }
    for (; j < w->count; j++) {
        const double *r = ode->rate[j], b = w->v[j], c = w->q[j];
        for (int i = 0; i < n; i++) {
            v[i] += b * r[i];
            q[i] += c * r[i];
        }
    }
}

void trmi_ode_advance(const trm_simulation *s, const trmi_ode *ode, const trmi_point *from,
                      double h, const trmi_weights *w, trmi_point *to)
{
    const trmi_evaluator *e = &s->e;
    for (int i = 0; i < e->n_q; i++) {
        double v = from->v[i];
        to->q[i] = from->q[i] + h * v;
        to->v[i] = v;
    }
    memmove(to->x, from->x, (size_t)e->n_x * sizeof *to->x);
    memmove(to->z, from->z, (size_t)e->n_z * sizeof *to->z);
    memmove(to->lambda, from->lambda, (size_t)e->n_r * sizeof *to->lambda);
    add_to_both(ode, w, e->n_q, to->v, to->q);
    if (e->n_x > 0)
        trmi_add_rates(ode, w->count, w->v, e->n_q, e->n_x, to->x);
}

// ---- steps ----

trm_status trmi_ode_begin(trm_simulation *s, double t_end, double *rate)
{
    trmi_evaluator *e = &s->e;
    const trmi_point *p = &s->now;
    int n = e->n_q;
    trmi_start_control(s, t_end);
    trmi_history_clear(&s->history);
    trmi_history_push(&s->history, p->t);
    trmi_point newest = trmi_past_point(s, 0);
    trmi_copy_point(e, p, &newest);
    trmi_bind_points(s);
    memcpy(rate, s->now.a, (size_t)n * sizeof *rate);
    if (e->n_x == 0 && s->options.start != TRM_START_RAW)
        return TRM_OK;
    trmi_point at = s->now; // a raw start has no accelerations yet, others no x'
    trmi_outcome result = trmi_ode_evaluate(s, &s->saddle, &at, rate);
    memcpy(s->now.a, rate, (size_t)n * sizeof *rate);
    return result == TRMI_OUTCOME_OK ? TRM_OK : trmi_give_up(s, result, s->control.h);
}

trm_status trmi_ode_check_rank(trm_simulation *s)
{
    if (!(s->control.h < COLLAPSED * s->control.h_typical))
        return TRM_OK;
    bool lost = trmi_near_singular(s) ||
                (s->e.n_r > 0 && s->saddle.factored->pivot.smallest < TRMI_RANK_PIVOT);
    return lost ? trmi_give_up(s, TRMI_OUTCOME_SINGULAR, s->control.h) : TRM_OK;
}

#define FIELD(member) TRMI_FIELD(trmi_ode, member)
static const trmi_field fields[] = {FIELD(stages_kept), FIELD(powers_kept), FIELD(swings),
                                    FIELD(low_orders),  FIELD(stiff_signs), FIELD(calm_steps),
                                    FIELD(stiff)};

void trmi_ode_archive(trm_simulation *s, int rates, trmi_archive *a)
{
    trmi_ode *ode = trmi_ode_of(s);
    for (int i = 0; i < rates; i++)
        trmi_archive_doubles(a, ode->rate[i], ode->size);
    trmi_archive_doubles(a, ode->t, rates);
    trmi_archive_int(a, &ode->count, 0, rates);
    TRMI_ARCHIVE_FIELDS(a, ode, fields);
    if (a->loading)
        ode->extended = false;
}
