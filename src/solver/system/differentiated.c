// SPDX-License-Identifier: Apache-2.0
// A table of the quantities that each derivative is formed from.
#include "solver/system/difference.h"

#include <string.h>

static void copy_of(const trmi_values *values, trm_quantity quantity, double scale, double *out)
{
    for (int i = 0; i < values->e->block[quantity].rows; i++)
        out[i] = scale * values->of[quantity][i];
}

static void base_constraint(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_CONSTRAINT, 1, out);
}

static void base_force(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_FORCE, 1, out);
}

static void base_minus_force(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_FORCE, -1, out);
}

static void base_rate(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_RATE, 1, out);
}

static void base_algebraic(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_ALGEBRAIC, 1, out);
}

static void base_invariant(const trmi_values *values, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(values, TRM_INVARIANT, 1, out);
}

// M a - f
static void base_inertia(const trmi_values *values, const trmi_point *p, double *out)
{
    trmi_mass_product(values, p->a, out);
    for (int i = 0; i < values->e->n_q; i++)
        out[i] -= values->of[TRM_FORCE][i];
}

// G^T lambda + A^T lambda_a
static void base_constraint_force(const trmi_values *values, const trmi_point *p, double *out)
{
    memset(out, 0, (size_t)values->e->n_q * sizeof *out);
    trmi_add_constraint_force(values, p->lambda, 1, out);
}

// G v + g_t, A v + a
static void base_velocity(const trmi_values *values, const trmi_point *p, double *out)
{
    trmi_velocity_level(values, p->v, out);
}

#define FORCES TRM_BIT(TRM_FORCE)
#define RATES TRM_BIT(TRM_RATE)
#define ALGEBRAICS TRM_BIT(TRM_ALGEBRAIC)
#define CONSTRAINTS TRM_BIT(TRM_CONSTRAINT)
#define GRADIENTS (TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_ROLLING))
#define VELOCITIES (GRADIENTS | TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING_OFFSET))

static const trmi_differentiated derivatives[TRM_QUANTITY_COUNT] = {
    [TRM_CONSTRAINT_Q] = {base_constraint, CONSTRAINTS, TRMI_BY_Q, false},
    [TRM_CONSTRAINT_T] = {base_constraint, CONSTRAINTS, TRMI_BY_T, false},
    [TRM_CONSTRAINT_Z] = {base_constraint, CONSTRAINTS, TRMI_BY_Z, false},
    [TRM_VELOCITY_Q] = {base_velocity, VELOCITIES, TRMI_BY_Q, false},
    [TRM_STIFFNESS] = {base_inertia, FORCES | TRM_BIT(TRM_MASS), TRMI_BY_Q, true},
    [TRM_GEOMETRIC] = {base_constraint_force, GRADIENTS, TRMI_BY_Q, false},
    [TRM_DAMPING] = {base_minus_force, FORCES, TRMI_BY_V, true},
    [TRM_FORCE_X] = {base_force, FORCES, TRMI_BY_X, true},
    [TRM_FORCE_Z] = {base_force, FORCES, TRMI_BY_Z, true},
    [TRM_FORCE_LAMBDA] = {base_force, FORCES, TRMI_BY_LAMBDA, true},
    [TRM_RATE_Q] = {base_rate, RATES, TRMI_BY_Q, true},
    [TRM_RATE_V] = {base_rate, RATES, TRMI_BY_V, true},
    [TRM_RATE_X] = {base_rate, RATES, TRMI_BY_X, true},
    [TRM_RATE_Z] = {base_rate, RATES, TRMI_BY_Z, true},
    [TRM_RATE_LAMBDA] = {base_rate, RATES, TRMI_BY_LAMBDA, true},
    [TRM_ALGEBRAIC_Q] = {base_algebraic, ALGEBRAICS, TRMI_BY_Q, true},
    [TRM_ALGEBRAIC_V] = {base_algebraic, ALGEBRAICS, TRMI_BY_V, true},
    [TRM_ALGEBRAIC_X] = {base_algebraic, ALGEBRAICS, TRMI_BY_X, true},
    [TRM_ALGEBRAIC_Z] = {base_algebraic, ALGEBRAICS, TRMI_BY_Z, true},
    [TRM_ALGEBRAIC_LAMBDA] = {base_algebraic, ALGEBRAICS, TRMI_BY_LAMBDA, true},
    [TRM_ALGEBRAIC_T] = {base_algebraic, ALGEBRAICS, TRMI_BY_T, false},
    [TRM_INVARIANT_Q] = {base_invariant, TRM_BIT(TRM_INVARIANT), TRMI_BY_Q, false},
    [TRM_INVARIANT_V] = {base_invariant, TRM_BIT(TRM_INVARIANT), TRMI_BY_V, false},
};

const trmi_differentiated *trmi_differentiated_of(trm_quantity quantity)
{
    return &derivatives[quantity];
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
    return needs == RATES ? e->n_q : needs == ALGEBRAICS ? e->n_q + e->n_x : 0;
}

bool trmi_gradient_supplied(const trmi_evaluator *e)
{
    uint64_t parts = TRM_BIT(TRM_CONSTRAINT_Q);
    if (e->constraint_uses_z)
        parts |= TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_Q) |
                 TRM_BIT(TRM_ALGEBRAIC_T) | TRM_BIT(TRM_CONSTRAINT_T);
    return (parts & ~(e->supplied | e->absent)) == 0;
}
