// SPDX-License-Identifier: Apache-2.0
// The constraint rows of the nested corrector at the level of the formulation, right-hand sides for
// G dq with v = cv q + bq, a = ca v + bv, so that dq moves v by cv dq and a by cv ca dq:
//
//     position       -g
//     velocity       -(G v + g_t) / cv
//     acceleration   -(G a + gamma) / (cv ca)
//     feedback       -(G a + gamma + 2 alpha (G v + g_t) + beta^2 g)
//                                                         / (cv ca + 2 alpha cv + beta^2)
//
// and of rolling rows: velocity, velocity, acceleration, and
// -(A a + gamma + alpha (A v + a)) / (cv ca + alpha cv).
#include "solver/integrator/corrector/corrector.h"

uint64_t trmi_residual_quantities(const trmi_corrector *c)
{
    const uint64_t residual = trmi_inertia_quantities(c->e) | TRM_BIT(CONSTRAINT) |
                              TRM_BIT(CONSTRAINT_Q) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) |
                              TRM_BIT(ROLLING) | TRM_BIT(ROLLING_OFFSET);
    switch (c->policy->level) {
    case TRMI_LEVEL_POSITION:
        return residual;
    case TRMI_LEVEL_VELOCITY:
        return residual | TRM_BIT(CONSTRAINT_T);
    default:
        return residual | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA);
    }
}

// out += share (G a + gamma), rows begin .. end-1; likewise the velocities
static void add_acceleration_level(trmi_corrector *c, double share, int begin, int end, double *out)
{
    const trmi_evaluator *e = c->e;
    double *level = trmi_scratch_take(c->scratch, e->n_r_full + 1);
    trmi_constraint_product(c->values, c->point.a, level);
    for (int i = begin; i < end; i++)
        out[i] += share * (level[i] + c->values->of[TRM_QUANTITY_GAMMA][i]);
    trmi_scratch_release(c->scratch, level);
}

// with v*: projected velocities, where the residual has them, do not depend on q
static void add_velocity_level(trmi_corrector *c, double share, int begin, int end, double *out)
{
    double *level = trmi_scratch_take(c->scratch, c->e->n_r_full + 1);
    trmi_velocity_level(c->values, c->mass_saddle ? c->star : c->point.v, level);
    for (int i = begin; i < end; i++)
        out[i] += share * level[i];
    trmi_scratch_release(c->scratch, level);
}

static void add_position_level(const trmi_corrector *c, double share, double *out)
{
    const double *g = trmi_position_level(c->values);
    for (int i = 0; i < c->e->n_g; i++)
        out[i] += share * g[i];
}

static void add_feedback(trmi_corrector *c, trmi_leading lead, double *out)
{
    const trmi_evaluator *e = c->e;
    double alpha = c->options->baumgarte_alpha, beta = c->options->baumgarte_beta;
    double s = -1 / (lead.cv * lead.ca + 2 * alpha * lead.cv + beta * beta);
    double rolling = -1 / (lead.cv * (lead.ca + alpha));
    add_acceleration_level(c, s, 0, e->n_g, out);
    add_acceleration_level(c, rolling, e->n_g, e->n_r, out);
    add_velocity_level(c, 2 * alpha * s, 0, e->n_g, out);
    add_velocity_level(c, alpha * rolling, e->n_g, e->n_r, out);
    add_position_level(c, beta * beta * s, out);
}

void trmi_constraint_rhs(trmi_corrector *c, trmi_leading lead, double *out)
{
    const trmi_evaluator *e = c->e;
    for (int i = 0; i < e->n_r; i++)
        out[i] = 0;
    switch (c->policy->level) {
    case TRMI_LEVEL_POSITION:
        add_position_level(c, -1, out);
        if (e->n_a > 0)
            add_velocity_level(c, -1 / lead.cv, e->n_g, e->n_r, out);
        break;
    case TRMI_LEVEL_VELOCITY:
        add_velocity_level(c, -1 / lead.cv, 0, e->n_r, out);
        break;
    case TRMI_LEVEL_ACCELERATION:
        add_acceleration_level(c, -1 / (lead.cv * lead.ca), 0, e->n_r, out);
        break;
    case TRMI_LEVEL_FEEDBACK:
        add_feedback(c, lead, out);
        break;
    }
}
