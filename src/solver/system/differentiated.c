// SPDX-License-Identifier: Apache-2.0
// A table of the quantities that each derivative is formed from.
#include "solver/system/difference.h"

#include <string.h>

// M a - f
static void inertia(const trmi_values *values, const trmi_point *p, double *out)
{
    trmi_mass_product(values, p->a, out);
    for (int i = 0; i < values->e->n_q; i++)
        out[i] -= values->of[TRM_FORCE][i];
}

// G^T lambda + A^T lambda_a
static void constraint_force(const trmi_values *values, const trmi_point *p, double *out)
{
    memset(out, 0, (size_t)values->e->n_q * sizeof *out);
    trmi_add_constraint_force(values, p->lambda, 1, out);
}

// G v + g_t, A v + a
static void velocity(const trmi_values *values, const trmi_point *p, double *out)
{
    trmi_velocity_level(values, p->v, out);
}

#define GRADIENTS (TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_ROLLING))

#define COPY(quantity) .copied = TRM_##quantity, .needs = TRM_BIT(TRM_##quantity)

static const trmi_differentiated derivatives[TRM_QUANTITY_COUNT] = {
    [TRM_CONSTRAINT_Q] = {COPY(CONSTRAINT), .by = TRMI_BY_Q, .sign = 1},
    [TRM_CONSTRAINT_T] = {COPY(CONSTRAINT), .by = TRMI_BY_T, .sign = 1},
    [TRM_CONSTRAINT_Z] = {COPY(CONSTRAINT), .by = TRMI_BY_Z, .sign = 1},
    [TRM_VELOCITY_Q] = {.base = velocity,
                        .needs =
                            GRADIENTS | TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING_OFFSET),
                        .by = TRMI_BY_Q},
    [TRM_STIFFNESS] = {.base = inertia,
                       .needs = TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_MASS),
                       .by = TRMI_BY_Q,
                       .shares = true},
    [TRM_GEOMETRIC] = {.base = constraint_force, .needs = GRADIENTS, .by = TRMI_BY_Q},
    [TRM_DAMPING] = {COPY(FORCE), .by = TRMI_BY_V, .sign = -1, .shares = true},
    [TRM_FORCE_X] = {COPY(FORCE), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_FORCE_Z] = {COPY(FORCE), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_FORCE_LAMBDA] = {COPY(FORCE), .by = TRMI_BY_LAMBDA, .sign = 1, .shares = true},
    [TRM_RATE_Q] = {COPY(RATE), .by = TRMI_BY_Q, .sign = 1, .shares = true},
    [TRM_RATE_V] = {COPY(RATE), .by = TRMI_BY_V, .sign = 1, .shares = true},
    [TRM_RATE_X] = {COPY(RATE), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_RATE_Z] = {COPY(RATE), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_RATE_LAMBDA] = {COPY(RATE), .by = TRMI_BY_LAMBDA, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_Q] = {COPY(ALGEBRAIC), .by = TRMI_BY_Q, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_V] = {COPY(ALGEBRAIC), .by = TRMI_BY_V, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_X] = {COPY(ALGEBRAIC), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_Z] = {COPY(ALGEBRAIC), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_LAMBDA] = {COPY(ALGEBRAIC), .by = TRMI_BY_LAMBDA, .sign = 1, .shares = true},
    [TRM_ALGEBRAIC_T] = {COPY(ALGEBRAIC), .by = TRMI_BY_T, .sign = 1},
    [TRM_INVARIANT_Q] = {COPY(INVARIANT), .by = TRMI_BY_Q, .sign = 1},
    [TRM_INVARIANT_V] = {COPY(INVARIANT), .by = TRMI_BY_V, .sign = 1},
};

const trmi_differentiated *trmi_differentiated_of(trm_quantity quantity)
{
    return &derivatives[quantity];
}

void trmi_differentiated_find(trm_quantity quantity, const trmi_values *values, const trmi_point *p,
                              double *out)
{
    const trmi_differentiated *d = &derivatives[quantity];
    for (int i = 0; i < values->e->block[d->copied].rows && !d->base; i++)
        out[i] = d->sign * values->of[d->copied][i];
    if (d->base)
        d->base(values, p, out);
}

uint64_t trmi_difference_bases(void)
{
    uint64_t bases = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        bases |= derivatives[k].needs;
    return bases;
}

bool trmi_difference_central(const trmi_evaluator *e, trm_quantity quantity)
{
    return quantity == TRM_CONSTRAINT_Q || quantity == TRM_CONSTRAINT_T ||
           quantity == TRM_CONSTRAINT_Z || quantity == TRM_GAMMA ||
           (e->constraint_uses_z && (quantity == TRM_ALGEBRAIC_Z || quantity == TRM_ALGEBRAIC_Q ||
                                     quantity == TRM_ALGEBRAIC_T));
}

static bool shares(const trmi_evaluator *e, trm_quantity quantity)
{
    return derivatives[quantity].shares && !trmi_difference_central(e, quantity);
}

uint64_t trmi_difference_companions(const trmi_evaluator *e, trm_quantity quantity)
{
    uint64_t mask = TRM_BIT(quantity);
    for (int k = 0; k < TRM_QUANTITY_COUNT && shares(e, quantity); k++)
        if (shares(e, (trm_quantity)k) && derivatives[k].by == derivatives[quantity].by)
            mask |= TRM_BIT(k);
    return mask & ~(e->supplied | e->absent);
}

int trmi_difference_columns(const trmi_evaluator *e, trm_quantity quantity)
{
    const int lengths[] = {1, e->n_q, e->n_q, e->n_x, e->n_z, e->n_r};
    return lengths[derivatives[quantity].by];
}

const double *trmi_difference_scales(const trmi_evaluator *e, trm_quantity quantity)
{
    const double *scales[] = {
        NULL, e->user.q_scale, e->user.v_scale, e->user.x_scale, e->user.z_scale, NULL};
    return scales[derivatives[quantity].by];
}

// The values of all bases follow each other: forces or constraints, rates, algebraic equations.
int trmi_difference_first_row(const trmi_evaluator *e, trm_quantity quantity)
{
    uint64_t needs = derivatives[quantity].needs;
    return needs == TRM_BIT(TRM_RATE)        ? e->n_q
           : needs == TRM_BIT(TRM_ALGEBRAIC) ? e->n_q + e->n_x
                                             : 0;
}

bool trmi_gradient_supplied(const trmi_evaluator *e)
{
    uint64_t parts = TRM_BIT(TRM_CONSTRAINT_Q);
    if (e->constraint_uses_z)
        parts |= TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_Q) |
                 TRM_BIT(TRM_ALGEBRAIC_T) | TRM_BIT(TRM_CONSTRAINT_T);
    return (parts & ~(e->supplied | e->absent)) == 0;
}
