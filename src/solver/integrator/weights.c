// SPDX-License-Identifier: Apache-2.0
// The weights of the error test.
#include "solver/integrator/weights.h"

#include "base/quantities.h"
#include "solver/integrator/simulation.h"
#include "trammel/verify.h"

#include <math.h>

// A result is trusted to TRM_VERIFY_LIMIT: however loose the tolerance, the test of a step is no
// looser than this part of that.
static const double STEP_OF_LIMIT = 0.1;

double trmi_tightening(const trm_simulation *s)
{
    const double own = s->corrector.policy->test_velocities ? 1 : s->method->tightening;
    const double part = s->method->loosest > 0 ? s->method->loosest : 1;
    const double most = part * STEP_OF_LIMIT * TRM_VERIFY_LIMIT / s->accuracy.rtol;
    const double tightening = s->accuracy.tightening;
    const bool loose = s->options.control == TRM_CONTROL_DEFAULT && tightening > most;
    return own * (loose ? most : tightening);
}

void trmi_update_weights(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const trm_system *u = &e->user;
    const double tighten = trmi_tightening(s);
    const double rtol = tighten * s->accuracy.rtol, atol = tighten * s->accuracy.atol;
    const struct {
        const double *y, *scale;
        int n;
    } parts[] = {{s->now.q, u->q_scale, e->n_q},
                 {s->now.v, u->v_scale, e->n_q},
                 {s->now.x, u->x_scale, e->n_x},
                 {s->now.z, u->z_scale, e->n_z}};
    double *w = s->weight;
    for (int k = 0; k < 4; k++) {
        const double *y = parts[k].y, *scale = parts[k].scale;
        if (scale)
            for (int i = 0; i < parts[k].n; i++)
                w[i] = 1 / (rtol * fabs(y[i]) + atol * scale[i]);
        else
            for (int i = 0; i < parts[k].n; i++)
                w[i] = 1 / (rtol * fabs(y[i]) + atol);
        w += parts[k].n;
    }
    // angles: no looser after many turns
    for (int i = 0; u->q_size && i < e->n_q; i++) {
        double size = trmi_q_size(u, i);
        if (size > 0)
            s->weight[i] = 1 / (rtol * size + atol * (u->q_scale ? u->q_scale[i] : 1));
    }
    if (s->corrector.policy->test_multipliers)
        for (int i = 0; i < e->n_r; i++) {
            s->corrector.weight_lambda[i] = 1 / (rtol * fabs(s->now.lambda[i]) + atol);
            s->corrector.weight_mu[i] = 1 / (rtol * fabs(s->corrector.mu[i]) + atol);
        }
}

double trmi_weighted_square(const double *x, const double *weight, int n)
{
    double sum[4] = {0}; // four at a time: none waits for the one before
    int i = 0;
    for (; i + 3 < n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k] * weight[i + k] * x[i + k] * weight[i + k];
    for (; i < n; i++)
        sum[0] += x[i] * weight[i] * x[i] * weight[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

double trmi_weighted_norm(const double *x, const double *weight, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * weight[i] * x[i] * weight[i];
    return n > 0 ? sqrt(sum / n) : 0;
}

double trmi_weighted_max(const double *x, const double *weight, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]) * weight[i]);
    return largest;
}
