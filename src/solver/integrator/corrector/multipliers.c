// SPDX-License-Identifier: Apache-2.0
// The multipliers in the matrix of the nested corrector: taken from the residual at the projected
// predictor, so that a force normal to the constraints, however stiff, changes no iterate.
#include "solver/integrator/corrector/corrector.h"

#include <math.h>
#include <string.h>

// relative change of the multipliers in the first iteration that is examined further, and its
// effect on the matrix, relative to the masses, that asks for multipliers from the residual
static const double MULTIPLIER_CHANGE = 0.2, MULTIPLIER_EFFECT = 0.05;
// number of attempts with multipliers from the residual: few at first, twice as many where they
// were too few
enum { MIN_EXACT = 2, MAX_EXACT = 20 };
// mean square of a projection of the predictor, in tolerances, below which no multiplier notices it
static const double UNNOTICED = 1e-12;

// Brings the predictor onto g = 0, so that the multipliers taken from its residual mean something
// even where a stiff force is normal to the constraints. With a split: along the dependent
// coordinates. Without one: in the mass norm. Leaves the split, or the factors of [M G^T; G 0], at
// the point found.
trmi_outcome trmi_project_predictor(trmi_corrector *c)
{
    trmi_evaluator *e = c->e;
    const trmi_split *split = trmi_saddle_split(c->saddle);
    int n = e->n_q + e->n_x + e->n_z;
    for (int pass = 0; pass < 3; pass++) {
        int result = trmi_evaluate(e, &c->point, TRMI_POSITION_QUANTITIES, c->values);
        if (result != 0)
            return trmi_callback_result(result);
        bool good = split ? trmi_saddle_prepare(c->saddle)
                          : trmi_saddle_factor_start(c->saddle) == TRMI_FACTOR_OK;
        c->statistics->factorizations += !split;
        if (!good)
            return TRMI_OUTCOME_SINGULAR;
        if (pass == 2)
            break;
        const trmi_manifold m = {.saddle = c->saddle, .scratch = c->scratch};
        const double *g = trmi_position_level(c->values);
        double *d = c->rhs, *rows = d + n, size = 0;
        if (split) {
            memset(d, 0, (size_t)c->saddle->n * sizeof *d);
            for (int i = 0; i < e->n_g; i++)
                rows[i] = -g[i];
            trmi_split_solve(split, rows);
            for (int j = 0; j < split->m; j++)
                d[split->dependent[j]] = rows[j];
        } else {
            trmi_manifold_direction(&m, g, e->n_g, d);
        }
        for (int i = 0; i < e->n_q; i++) {
            c->point.q[i] += d[i];
            size += d[i] * d[i] * c->weight_q[i] * c->weight_q[i];
        }
        if (!isfinite(size))
            return TRMI_OUTCOME_NOT_FINITE;
        if (size <= UNNOTICED * e->n_q)
            break;
    }
    return TRMI_OUTCOME_OK;
}

// Multipliers from the residual at the predictor, any s with L G^T = I, s = -L (M a - f): a force
// G^T phi added to f shifts them by phi exactly and leaves the matrix on the manifold unchanged.
// With a split: s = -(GY)^-T Y^T r. Without: from [M G^T; G 0] (u, s) = (-r, 0).
trmi_outcome trmi_multipliers_from_residual(trmi_corrector *c)
{
    trmi_evaluator *e = c->e;
    int result = trmi_evaluate(e, &c->point, trmi_inertia_quantities(e), c->values);
    if (result != 0)
        return trmi_callback_result(result);
    double *r = c->rhs, *rows = r + e->n_q + e->n_x + e->n_z;
    memset(r, 0, (size_t)c->saddle->n * sizeof *r);
    trmi_inertia_residual(c->values, c->point.a, r);
    if (trmi_saddle_split(c->saddle)) {
        trmi_saddle_multipliers(c->saddle, r, c->point.lambda);
        return TRMI_OUTCOME_OK;
    }
    trmi_saddle_solve(c->saddle, r, 1);
    for (int i = 0; i < e->n_r; i++)
        c->point.lambda[i] = -rows[i];
    return TRMI_OUTCOME_OK;
}

// the same at a later iterate, with G there and the set of coordinates of the matrix
void trmi_multipliers_at_iterate(trmi_corrector *c)
{
    double *r = c->rhs;
    trmi_split_copy_choice(&c->split, trmi_saddle_split(c->saddle));
    trmi_dense_constraints(c->values, c->gt);
    if (!trmi_split_factor(&c->split, c->gt, HUGE_VAL))
        return; // rank lost at this iterate: the iterated multipliers serve
    trmi_inertia_residual(c->values, c->point.a, r);
    for (int j = 0; j < c->split.m; j++)
        c->point.lambda[j] = -r[c->split.dependent[j]];
    trmi_split_solve_transposed(&c->split, c->point.lambda);
}

// Without a split, the multipliers `before` of the last point are in the matrix as long as their
// change d up to the end of the first iteration would alter it little: |N| |d| / |lambda| against
// cv ca M, entry by entry in the norm of the masses, |N_ij| / sqrt(M_ii M_jj).
// Otherwise those of the residual at the projected predictor do, until the change has been small
// for a while. With a split they cost nothing and are always taken.
bool trmi_multipliers_change_matrix(const trmi_corrector *c, trmi_leading lead,
                                    const double *before)
{
    const trmi_evaluator *e = c->e;
    double change = 0, size = 0, scale = lead.cv * lead.ca;
    for (int i = 0; i < e->n_r; i++) { // not fmax: a call per entry
        double d = fabs(c->point.lambda[i] - before[i]);
        change = d > change ? d : change;
        size = fabs(before[i]) > size ? fabs(before[i]) : size;
    }
    if (change <= MULTIPLIER_CHANGE * size)
        return false;
    double *inertia = c->rhs, effect = 0; // its solution has been added
    memset(inertia, 0, (size_t)e->n_q * sizeof *inertia);
    const trmi_matrix m = trmi_matrix_of(c->values, TRM_QUANTITY_MASS);
    const trmi_matrix n = trmi_matrix_of(c->values, TRM_QUANTITY_GEOMETRIC);
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count; trmi_pattern_next(&at))
        if (at.row == at.column)
            inertia[at.row] += m.value[at.k];
    for (trmi_cursor at = trmi_pattern_begin(&n.pattern); at.k < n.count; trmi_pattern_next(&at))
        effect = fmax(effect, n.value[at.k] * n.value[at.k] /
                                  (inertia[at.row] * inertia[at.column] + 1e-300));
    return size == 0 || sqrt(effect) * change > MULTIPLIER_EFFECT * size * scale;
}

// whether the policy takes multipliers from the residual at all, and whether it does so now
bool trmi_uses_residual_multipliers(const trmi_corrector *c)
{
    return c->e->n_r > 0 && c->policy->geometric && c->e->n_x + c->e->n_z == 0 &&
           !c->e->force_uses_lambda && c->policy->start == TRMI_MULTIPLIERS_FROM_RESIDUAL;
}

bool trmi_residual_multipliers_now(const trmi_corrector *c)
{
    return trmi_saddle_split(c->saddle) != NULL || c->attempts < c->exact_until;
}

void trmi_request_residual_multipliers(trmi_corrector *c)
{
    long since = c->attempts - c->exact_until; // it ended
    if (c->exact_for == 0 || since >= MAX_EXACT)
        c->exact_for = MIN_EXACT;
    else if (since >= 0)
        c->exact_for = 2 * c->exact_for < MAX_EXACT ? 2 * c->exact_for : MAX_EXACT;
    c->exact_until = c->attempts + c->exact_for;
}
