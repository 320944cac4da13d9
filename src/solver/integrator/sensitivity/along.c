// SPDX-License-Identifier: Apache-2.0
// The linear equations of sensitivities at one point: derivatives by the state, and products with
// them along sensitivities.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "solver/integrator/simulation.h"

void trmi_sensitivities_add(const trmi_values *values, trm_quantity quantity, double scale,
                            const double *x, double *out)
{
    if (values->e->absent & TRM_BIT_OF(quantity))
        return;
    const trmi_matrix b = trmi_matrix_of(values, (int)quantity);
    const int *row = b.pattern.row, *column = b.pattern.column;
    if (!b.pattern.block) {
        for (int k = 0; k < b.count; k++)
            out[row[k]] += scale * b.value[k] * x[column[k]];
        return;
    }
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count; trmi_pattern_next(&at))
        out[at.row] += scale * b.value[at.k] * x[at.column];
}

// out += scale matrix x, where there is an x
static void add_along(const trmi_values *values, trm_quantity quantity, double scale,
                      const double *x, double *out)
{
    if (x)
        trmi_sensitivities_add(values, quantity, scale, x, out);
}

void trmi_sensitivities_add_residual(const trmi_values *values, double scale,
                                     const trmi_along *along, double *out)
{
    add_along(values, TRM_QUANTITY_STIFFNESS, scale, along->q, out);
    add_along(values, TRM_QUANTITY_GEOMETRIC, scale, along->q, out);
    add_along(values, TRM_QUANTITY_DAMPING, scale, along->v, out);
    add_along(values, TRM_QUANTITY_FORCE_X, -scale, along->x, out);
    add_along(values, TRM_QUANTITY_FORCE_Z, -scale, along->z, out);
    add_along(values, TRM_QUANTITY_FORCE_LAMBDA, -scale, along->lambda, out);
}

// By q, v, x, z, lambda the derivatives of both follow each other in the list of quantities.
void trmi_sensitivities_add_equation(const trmi_values *values, trm_quantity of, double scale,
                                     const trmi_along *along, double *out)
{
    const bool rate = of == TRM_QUANTITY_RATE;
    if ((rate ? values->e->n_x : values->e->n_z) == 0)
        return;
    const double *const by[] = {along->q, along->v, along->x, along->z, along->lambda};
    const int first = rate ? TRM_QUANTITY_RATE_Q : TRM_QUANTITY_ALGEBRAIC_Q;
    for (int k = 0; k < 5; k++)
        add_along(values, (trm_quantity)(first + k), scale, by[k], out);
}

uint64_t trmi_sensitivities_quantities(const trm_simulation *s)
{
    return TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(GEOMETRIC) |
           trmi_saddle_derivatives(&s->sensitivity->saddle) |
           (s->e.n_r > 0 ? TRM_BIT(VELOCITY_Q) : 0) | (TRM_BIT(FORCE_P) & ~s->e.absent);
}

bool trmi_sensitivities_evaluate(trm_simulation *s, const trmi_point *p)
{
    return trmi_evaluate(&s->e, p, trmi_sensitivities_quantities(s), &s->sensitivity->values) == 0;
}

void trmi_sensitivities_add_state(const trm_simulation *s, const trmi_values *values, double scale,
                                  const trmi_along *along, const trmi_parameter_terms *to)
{
    const trmi_evaluator *e = &s->e;
    double *row = s->sensitivity->row, *inertia = s->sensitivity->rhs;
    if (along->a) {
        trmi_mass_product(values, along->a, inertia);
        for (int i = 0; i < e->n_q; i++)
            to->residual[i] += scale * inertia[i];
    }
    trmi_sensitivities_add_residual(values, scale, along, to->residual);
    trmi_sensitivities_add_equation(values, TRM_QUANTITY_RATE, scale, along, to->rate);
    trmi_sensitivities_add_equation(values, TRM_QUANTITY_ALGEBRAIC, scale, along, to->algebraic);
    if (e->n_r == 0)
        return;
    if (along->lambda)
        trmi_add_constraint_force(values, along->lambda, scale, to->residual);
    trmi_constraint_product(values, along->q, row);
    for (int i = 0; i < e->n_g; i++)
        to->constraint[i] += scale * row[i];
}
