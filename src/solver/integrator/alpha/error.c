// SPDX-License-Identifier: Apache-2.0
// The error of a step of the alpha methods, from what the step knows anyway:
//
//     e_q = c_q h^2 (a_{n+1} - a_n)
//     e_v = c_1 h (phi_{n+1} - phi_n) + c_v h^3 phi'',   phi'' by a second difference
//
// and likewise for x. To them comes what the corrector left: phi_{n+1}, evaluated at the point
// found, less the a for which it solved is a residual, and
//
//     b^ h^2 (phi_{n+1} - a) in q,   g^ h (phi_{n+1} - a) in v
//
// the correction that a further iteration would make. The constraints remove the part across them,
// and stiff modes are damped: both are done by the matrix of the step, [S G^T; G 0] (e, .) = (M e,
// 0), which is the projection in the norm of M where forces are soft.
#include "solver/integrator/simulation.h"

#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SAFETY = 0.85, MAX_GROWTH = 2, MIN_GROWTH = 1.2;
static const double MAX_SHRINK = 0.2, MIN_SHRINK = 0.9;

// the error of entry i of v or x. The first step after a start has no second difference; that of
// the positions over h is larger than the error of the velocities.
static double rate_error(const trmi_alpha *a, int i, double h)
{
    const trmi_alpha_member *m = &a->member;
    double change = a->rate_next[i] - a->rate[i], second;
    if (!(a->h_before > 0))
        return (m->c_1 + m->c_q) * h * change;
    second = 2 * (change / h - (a->rate[i] - a->before[i]) / a->h_before) / (h + a->h_before);
    return m->c_1 * h * change + m->c_v * h * h * h * second;
}

// a_{n+1} - a_n of entry i
static double slope_change(const trmi_alpha *a, int i)
{
    const trmi_alpha_member *m = &a->member;
    double sum = (1 - m->af) * a->rate_next[i] + m->af * a->rate[i] - a->used[i];
    return sum / (1 - m->am);
}

// phi_{n+1} - a of entry i
static double defect(const trmi_alpha *a, int i)
{
    return a->knows_solved ? a->rate_next[i] - a->solved[i] : 0;
}

// The roundoff in v = cv q + offset, eps |q| cv, in the norm of the velocities. It is not an error
// that a shorter step could reduce.
static double velocity_roundoff(trm_simulation *s, double h, double *size)
{
    const trmi_alpha_member *m = &trmi_alpha_of(s)->member;
    trmi_position_sizes(&s->corrector, s->now.q, size);
    double norm = sqrt(trmi_weighted_square(size, s->weight + s->e.n_q, s->e.n_q));
    return DBL_EPSILON * m->g_hat / (m->b_hat * h) * norm;
}

double trmi_alpha_estimate(trm_simulation *s, trmi_step_trial *trial)
{
    double h = trial->h;
    trmi_evaluator *e = &s->e;
    const trmi_alpha *a = trmi_alpha_of(s);
    int n = e->n_q, all = s->saddle.n;
    double *in_q = trmi_scratch_take(&s->scratch, 2 * all), *in_v = in_q + all;
    double *raw = trmi_scratch_take(&s->scratch, n);
    memset(in_q, 0, 2 * (size_t)all * sizeof *in_q);
    for (int i = 0; i < n; i++)
        raw[i] = h * h * (a->member.c_q * slope_change(a, i) + a->member.b_hat * defect(a, i));
    trmi_mass_product(&s->values, raw, in_q);
    for (int i = 0; i < n; i++)
        raw[i] = rate_error(a, i, h) + a->member.g_hat * h * defect(a, i);
    trmi_mass_product(&s->values, raw, in_v);
    for (int i = 0; i < e->n_x; i++)
        in_q[n + i] = rate_error(a, n + i, h) + a->member.g_hat * h * defect(a, n + i);
    trmi_saddle_solve(a->filter, in_q, 2);
    bool velocities = s->options.error_test != TRM_ERROR_TEST_Q;
    const double *weight_v = s->weight + n, *weight_x = weight_v + n;
    double sum =
        trmi_weighted_square(in_q, s->weight, n) + trmi_weighted_square(in_q + n, weight_x, e->n_x);
    if (velocities) {
        double norm = sqrt(trmi_weighted_square(in_v, weight_v, n));
        sum += pow(fmax(0, norm - velocity_roundoff(s, h, raw)), 2);
    }
    trmi_scratch_release(&s->scratch, in_q);
    return sqrt(sum / ((velocities ? 2 : 1) * n + e->n_x)) / s->method->step_share;
}

// by how much the step could be longer
static double growth_of(const trm_simulation *s, double error)
{
    return SAFETY * pow(error + 1e-30, -1.0 / (trmi_alpha_of(s)->member.order + 1));
}

void trmi_alpha_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    double growth = isfinite(trial->error) ? growth_of(s, trial->error) : MAX_SHRINK;
    s->control.h = trial->h * fmax(MAX_SHRINK, fmin(growth, MIN_SHRINK));
    trmi_alpha_of(s)->rejected = true;
    s->corrector.measure = true; // the error may be what the corrector left
}

void trmi_alpha_plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_alpha *a = trmi_alpha_of(s);
    double growth = fmin(growth_of(s, trial->error), a->rejected ? 1 : MAX_GROWTH);
    if (growth >= 1 && growth < MIN_GROWTH)
        growth = 1;
    a->rejected = false;
    s->control.h = trial->h * fmax(growth, 0.5);
}
