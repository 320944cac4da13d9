// SPDX-License-Identifier: Apache-2.0
// A table of the quantities that each derivative is formed from.
#include "solver/system/difference.h"

#include <string.h>

// M a - f: one recursion where the system supplies it, so that n columns of a chain of n bodies
// cost n^2, not n^3
static void inertia(const trmi_values *values, const trmi_point *p, double *out)
{
    trmi_inertia_residual(values, p->a, out);
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

#define GRADIENTS (TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING))

#define COPY(quantity) .copied = TRM_QUANTITY_##quantity, .needs = TRM_BIT(quantity)

static const trmi_differentiated derivatives[TRM_QUANTITY_COUNT] = {
    [TRM_QUANTITY_CONSTRAINT_Q] = {COPY(CONSTRAINT), .by = TRMI_BY_Q, .sign = 1},
    [TRM_QUANTITY_CONSTRAINT_T] = {COPY(CONSTRAINT), .by = TRMI_BY_T, .sign = 1},
    [TRM_QUANTITY_CONSTRAINT_Z] = {COPY(CONSTRAINT), .by = TRMI_BY_Z, .sign = 1},
    [TRM_QUANTITY_VELOCITY_Q] = {.base = velocity,
                                 .needs =
                                     GRADIENTS | TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET),
                                 .by = TRMI_BY_Q},
    [TRM_QUANTITY_STIFFNESS] = {.base = inertia, .by = TRMI_BY_Q, .shares = true},
    [TRM_QUANTITY_GEOMETRIC] = {.base = constraint_force, .needs = GRADIENTS, .by = TRMI_BY_Q},
    [TRM_QUANTITY_DAMPING] = {COPY(FORCE), .by = TRMI_BY_V, .sign = -1, .shares = true},
    [TRM_QUANTITY_FORCE_X] = {COPY(FORCE), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_QUANTITY_FORCE_Z] = {COPY(FORCE), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_QUANTITY_FORCE_LAMBDA] = {COPY(FORCE), .by = TRMI_BY_LAMBDA, .sign = 1, .shares = true},
    [TRM_QUANTITY_RATE_Q] = {COPY(RATE), .by = TRMI_BY_Q, .sign = 1, .shares = true},
    [TRM_QUANTITY_RATE_V] = {COPY(RATE), .by = TRMI_BY_V, .sign = 1, .shares = true},
    [TRM_QUANTITY_RATE_X] = {COPY(RATE), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_QUANTITY_RATE_Z] = {COPY(RATE), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_QUANTITY_RATE_LAMBDA] = {COPY(RATE), .by = TRMI_BY_LAMBDA, .sign = 1, .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_Q] = {COPY(ALGEBRAIC), .by = TRMI_BY_Q, .sign = 1, .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_V] = {COPY(ALGEBRAIC), .by = TRMI_BY_V, .sign = 1, .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_X] = {COPY(ALGEBRAIC), .by = TRMI_BY_X, .sign = 1, .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_Z] = {COPY(ALGEBRAIC), .by = TRMI_BY_Z, .sign = 1, .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_LAMBDA] = {COPY(ALGEBRAIC), .by = TRMI_BY_LAMBDA, .sign = 1,
                                       .shares = true},
    [TRM_QUANTITY_ALGEBRAIC_T] = {COPY(ALGEBRAIC), .by = TRMI_BY_T, .sign = 1},
    [TRM_QUANTITY_INVARIANT_Q] = {COPY(INVARIANT), .by = TRMI_BY_Q, .sign = 1},
    [TRM_QUANTITY_INVARIANT_V] = {COPY(INVARIANT), .by = TRMI_BY_V, .sign = 1},
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

uint64_t trmi_differentiated_needs(const trmi_evaluator *e, trm_quantity quantity)
{
    const trmi_differentiated *d = &derivatives[quantity];
    return d->base == inertia ? trmi_inertia_quantities(e) : d->needs;
}

uint64_t trmi_difference_bases(const trmi_evaluator *e)
{
    uint64_t bases = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        bases |= trmi_differentiated_needs(e, (trm_quantity)k);
    return bases;
}

bool trmi_difference_central(const trmi_evaluator *e, trm_quantity quantity)
{
    return quantity == TRM_QUANTITY_CONSTRAINT_Q || quantity == TRM_QUANTITY_CONSTRAINT_T ||
           quantity == TRM_QUANTITY_CONSTRAINT_Z || quantity == TRM_QUANTITY_GAMMA ||
           (e->constraint_uses_z &&
            (quantity == TRM_QUANTITY_ALGEBRAIC_Z || quantity == TRM_QUANTITY_ALGEBRAIC_Q ||
             quantity == TRM_QUANTITY_ALGEBRAIC_T));
}

static bool shares(const trmi_evaluator *e, trm_quantity quantity)
{
    return derivatives[quantity].shares && !trmi_difference_central(e, quantity);
}

uint64_t trmi_difference_companions(const trmi_evaluator *e, trm_quantity quantity)
{
    uint64_t mask = TRM_BIT_OF(quantity);
    for (int k = 0; k < TRM_QUANTITY_COUNT && shares(e, quantity); k++)
        if (shares(e, (trm_quantity)k) && derivatives[k].by == derivatives[quantity].by)
            mask |= TRM_BIT_OF(k);
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
    return needs == TRM_BIT(RATE) ? e->n_q : needs == TRM_BIT(ALGEBRAIC) ? e->n_q + e->n_x : 0;
}

bool trmi_gradient_supplied(const trmi_evaluator *e)
{
    uint64_t parts = TRM_BIT(CONSTRAINT_Q);
    if (e->constraint_uses_z)
        parts |= TRM_BIT(CONSTRAINT_Z) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_Q) |
                 TRM_BIT(ALGEBRAIC_T) | TRM_BIT(CONSTRAINT_T);
    return (parts & ~(e->supplied | e->absent)) == 0;
}
