// SPDX-License-Identifier: Apache-2.0
// Dense output of Runge-Kutta steps: with three more stages, evaluated when first needed, the
// polynomial of order 7 of DOP853. For y = v, x with rates f (and, by the rows for q, y = q with
// the rates v), s = (t - t_1)/h, d = y_0 - y_1, 0 the newest point and 1 the one before:
//
//     y(t) = y_1 + s (d + (1-s) (h f_1 - d + s (2 d - h (f_0 + f_1)
//            + (1-s) (r_1 + s (r_2 + (1-s) (r_3 + s r_4))))))
//
// y_0 and f_0 belong to the projected point: the ends are met. z and multipliers are solved for at
// (t, q, v, x). Where the step is near the limit of stability and y' contradicts the rate there by
// more than the tolerance, a step of its own leads from the beginning to t, if it passes the error
// test. Nothing of that leaves a trace. Where the stages are gone (after a step that failed) or
// cannot be evaluated, the first line alone remains.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/explicit/explicit.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// the three stages, in the order of the tableau
static bool extend(trm_simulation *s)
{
    trmi_ode *ode = trmi_ode_of(s);
    const trmi_point from = trmi_past_point(s, 1);
    const double h = s->history.t[0] - from.t;
    for (int i = TRMI_RESULT_853 + 1; i < TRMI_RATES_853; i++) {
        trmi_explicit_place(s, ode, &from, h, i, &ode->stage);
        trmi_outcome result = trmi_ode_evaluate(s, &s->sampler->saddle, &ode->stage, ode->rate[i]);
        if (result != TRMI_OUTCOME_OK)
            return false;
    }
    return true;
}

// One part of the state between y_1 and y_0 with rates f_1 and f_0.
typedef struct part {
    int first, n; // of the rates
    const double *y_1, *y_0, *f_1, *f_0;
    bool of_q; // r by the rows for q
    double *out;
} part;

// What y, or its derivative by s, has of y_1, d, h f_1 - d, 2 d - h (f_0 + f_1), r_1, .. r_4
typedef struct basis {
    double start, d, bend, twist, r[4];
} basis;

static basis values_at(double s)
{
    const double u = 1 - s, b = s * s * u * u;
    return (basis){1, s, s * u, s * s * u, {b, b * s, b * s * u, b * s * s * u}};
}

static basis slopes_at(double s)
{
    const double u = 1 - s, b = s * s * u * u, b_s = 2 * s * u * (u - s), cubic = s * (2 * u - s);
    return (basis){0,
                   1,
                   u - s,
                   cubic,
                   {b_s, b + s * b_s, b * (u - s) + s * u * b_s, b * cubic + s * s * u * b_s}};
}

static void combine(const trmi_ode *ode, const part *p, double h, const basis *of, bool extended)
{
    memset(p->out, 0, (size_t)p->n * sizeof *p->out);
    if (extended) { // all r as one row
        double weight[TRMI_RATES_853] = {0};
        for (int k = 0; k < 4; k++) {
            const trmi_row_853 *row = &ode->tableau->dense[k];
            const double *from = p->of_q ? row->q : row->v;
            const double scale = of->r[k] * (p->of_q ? h * h : h);
            for (int j = 0; j < row->count; j++)
                weight[j] += scale * from[j];
        }
        trmi_add_rates(ode, TRMI_RATES_853, weight, p->first, p->n, p->out);
    }
    for (int i = 0; i < p->n; i++) {
        double d = p->y_0[i] - p->y_1[i], f_1 = h * p->f_1[i], f_0 = h * p->f_0[i];
        p->out[i] += of->start * p->y_1[i] +
                     (of->d * d + of->bend * (f_1 - d) + of->twist * (2 * d - f_0 - f_1));
    }
}

// v or x and their rates
static part rates_part(const trm_simulation *s, int first, int n, double *out)
{
    const trmi_ode *ode = trmi_ode_of(s);
    const double *f_0 = ode->rate[TRMI_RESULT_853], *f_1 = ode->stages_kept ? ode->rate[0] : f_0;
    const int at = s->e.n_q + first; // [q | v | x | z]
    return (part){first, n,  s->history.y[1] + at, s->history.y[0] + at, f_1 + first, f_0 + first,
                  false, out};
}

// q, v, x inside the last step
static void fill_point(trm_simulation *s, double t, bool extended, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_ode *ode = trmi_ode_of(s);
    int n = e->n_q;
    double h = s->history.t[0] - s->history.t[1], share = (t - s->history.t[1]) / h;
    const double *old = s->history.y[1], *new = s->history.y[0];
    const basis values = values_at(share);
    const part parts[] = {{0, n, old, new, old + n, new + n, true, p->q},
                          rates_part(s, 0, n, p->v),
                          rates_part(s, n, e->n_x, p->x)};
    for (int k = 0; k < 3; k++)
        combine(ode, &parts[k], h, &values, extended);
    int rest = 2 * n + e->n_x;
    for (int i = 0; i < e->n_z; i++)
        p->z[i] = old[rest + i] + share * (new[rest + i] - old[rest + i]);
    const double *before = s->history.m[1], *after = s->history.m[0];
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] = before[i] + share * (after[i] - before[i]);
}

// ---- steps to a point inside the last one ----

// Whether the polynomial contradicts the rate at its own point: |h (y' - f)| of v and x exceeds the
// tolerance. Near the limit of stability the stages swing, and with them the polynomial between
// ends that are right. Constant steps have no tolerance.
static bool contradicts(trm_simulation *s, double t, const double *rate)
{
    const trmi_ode *ode = trmi_ode_of(s);
    double h = s->history.t[0] - s->history.t[1];
    const basis slopes = slopes_at((t - s->history.t[1]) / h);
    double *gap = trmi_scratch_take(&s->scratch, ode->size);
    const part both = rates_part(s, 0, ode->size, gap);
    combine(ode, &both, h, &slopes, ode->extended);
    for (int i = 0; i < ode->size; i++)
        gap[i] -= h * rate[i];
    double norm = trmi_weighted_norm(gap, s->weight + s->e.n_q, ode->size);
    trmi_scratch_release(&s->scratch, gap);
    return norm > 1;
}

// Stages of their own, for a step from the same beginning that ends at t; false where its error
// exceeds the tolerance: it hits something that the last step passed over.
static bool step_to(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_ode *ode = trmi_ode_of(s);
    trmi_sampler *sampler = s->sampler;
    const trmi_point from = trmi_past_point(s, 1);
    const double h = t - from.t;
    trmi_ode own = *ode;
    own.powers_kept = false;
    if (!sampler->stages &&
        !TRMI_TAKE(&sampler->memory, sampler->stages, TRMI_STAGES_853 * ode->size))
        return false;
    for (int i = 0; i < TRMI_STAGES_853; i++)
        own.rate[i] = sampler->stages + (size_t)i * (size_t)ode->size;
    own.rate[TRMI_RESULT_853] = ode->rate[0];
    return trmi_explicit_stages(s, &own, &sampler->saddle, &from, h, p) == TRMI_OUTCOME_OK &&
           trmi_explicit_error(s, &own, h) <= 1;
}

static void copy_newest(const trm_simulation *s, trmi_point *p)
{
    const trmi_weights none = {0};
    const trmi_point newest = trmi_past_point(s, 0);
    trmi_ode_advance(s, trmi_ode_of(s), &newest, 0, &none, p);
}

// q + d v + d^2 a/2 beyond the newest point: for events only, a little ahead
static void extrapolate(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const double d = t - s->history.t[0], *rate = trmi_ode_of(s)->rate[TRMI_RESULT_853];
    copy_newest(s, p);
    for (int i = 0; i < e->n_q; i++) {
        p->q[i] += d * (p->v[i] + 0.5 * d * rate[i]);
        p->v[i] += d * rate[i];
    }
    for (int i = 0; i < e->n_x; i++)
        p->x[i] += d * rate[e->n_q + i];
}

const double *trmi_explicit_dense_rates(const trm_simulation *s)
{
    const trmi_ode *ode = trmi_ode_of(s);
    return ode->dense_evaluated ? ode->difference : NULL;
}

void trmi_explicit_dense(trm_simulation *s, double t, trmi_point *p)
{
    trmi_ode *ode = trmi_ode_of(s);
    p->t = t;
    ode->dense_evaluated = false;
    if (t == s->history.t[0]) {
        copy_newest(s, p);
        return;
    }
    if (t > s->history.t[0] || s->history.count < 2) {
        extrapolate(s, t, p);
        return;
    }
    if (trmi_sampler_create(s) != TRM_OK) {
        fill_point(s, t, false, p);
        return;
    }
    trmi_sampler_reset(s);
    if (ode->stages_kept && !ode->extended)
        ode->extended = extend(s);
    fill_point(s, t, ode->extended, p);
    double *a = p->a, *rate = ode->difference;
    bool good = trmi_ode_evaluate(s, &s->sampler->saddle, p, rate) == TRMI_OUTCOME_OK;
    bool tested = ode->stages_kept && ode->swings && s->rule->adapts && !s->sampler->raw;
    if (good && tested && contradicts(s, t, rate))
        good = step_to(s, t, p) &&
               trmi_ode_evaluate(s, &s->sampler->saddle, p, rate) == TRMI_OUTCOME_OK;
    if (!good)
        fill_point(s, t, ode->extended, p);
    ode->dense_evaluated = good;
    p->a = a;
}
