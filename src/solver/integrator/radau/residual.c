// SPDX-License-Identifier: Apache-2.0
// The residuals of all stages, the right-hand sides of an iteration: with Q'_i = (1/h) sum Gamma_ij
// Z_j and B_i the split of stage i (tangent.h)
//
//     V_i = Q'_i + y,  B_i (y, .) = (0, -(C_i Q'_i + c_t))          velocities on the constraints
//     p_i = M_i V'_i - f_i;  twice: B_i (., d) = (-(p_i + C_i^T lambda_i), 0), lambda_i += d
//     rhs = -(p_i + C_i^T lambda_i), c_i - X'_i, -b_i, 0
//
// On the level of accelerations (index1-projected) V_i = Q'_i instead, and the last rows, also
// those of B_i for the multipliers, are -(C_i V'_i + gamma_i).
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"

#include <math.h>
#include <string.h>

enum { MULTIPLIER_SWEEPS = 2, MAX_SWEEPS = 4 };
// Multipliers whose last sweep changed them by less, relative to their size, are as good as they
// need be. Behind a stiff force across the constraints two sweeps may leave more than that.
static const double SETTLED = 1e-6;
void trmi_radau_differentiate(const trmi_radau *r, int i, double h, double *const *in, int n,
                              double *restrict out)
{
    double weight[TRMI_MAX_STAGES];
    for (int j = 0; j < r->tableau->s; j++)
        weight[j] = r->tableau->gamma[i][j] / h;
    trmi_combine(r->tableau->s, weight, in, n, out);
}

void trmi_radau_find_slopes(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    double *z[TRMI_MAX_STAGES], *slope[TRMI_MAX_STAGES];
    for (int i = 0; i < r->tableau->s; i++) {
        z[i] = r->stage[i].z;
        slope[i] = r->stage[i].slope;
    }
    trmi_combine_all(r->tableau->s, r->tableau->gamma, 1 / h, z, NULL, s->e.n_q, slope);
}

void trmi_radau_find_level(trmi_radau_stage *stage, const trmi_evaluator *e, const double *v)
{
    bool moving = trmi_has_velocity_offset(e);
    trmi_tangent_rows(&stage->tangent, v, stage->level);
    for (int i = 0; i < e->n_r && moving; i++)
        stage->level[i] += stage->offset[i];
}

// f, which stays with the evaluator, c, -b in rhs
static trmi_outcome evaluate_forces(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_evaluator *e = &s->e;
    double *x = stage->rhs + e->n_q, *z = x + e->n_x;
    uint64_t want = TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC);
    if (trmi_radau_of(s)->index1)
        want |= TRM_BIT(GAMMA);
    int result = trmi_evaluate(e, &stage->point, want, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    memcpy(x, s->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *x);
    for (int i = 0; i < e->n_z; i++)
        z[i] = -s->values.of[TRM_QUANTITY_ALGEBRAIC][i];
    if (trmi_radau_of(s)->index1)
        memcpy(stage->g, s->values.of[TRM_QUANTITY_GAMMA], (size_t)e->n_r * sizeof *x);
    return TRMI_OUTCOME_OK;
}

// V := slope + y (NULL: 0); returns the square of what V changes by, in units of the tolerance
static double set_velocity(const trm_simulation *s, trmi_radau_stage *stage, const double *y)
{
    const double *weight = s->weight + s->e.n_q, *slope = stage->slope;
    double *v = stage->point.v, sum = 0;
    for (int i = 0; i < s->e.n_q; i++) {
        double now = y ? slope[i] + y[i] : slope[i], change = (now - v[i]) * weight[i];
        sum += change * change;
        v[i] = now;
    }
    return sum;
}

// B (y, .) = (0, -level), V = Q' + y; returns as above
static double find_velocity(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    const trmi_manifold m = trmi_radau_manifold(s, &stage->tangent);
    double *y = trmi_radau_of(s)->work[0];
    if (e->n_r == 0 || trmi_radau_of(s)->index1)
        return set_velocity(s, stage, NULL);
    trmi_manifold_direction(&m, stage->level, e->n_r, y);
    return set_velocity(s, stage, y);
}

// C and M of a stage, the levels of its constraints, its velocity; *change (may be NULL) += the
// square of what that changes by
static trmi_outcome evaluate_stage(trm_simulation *s, trmi_radau_stage *stage, double *change)
{
    trmi_evaluator *e = &s->e;
    int result = trmi_evaluate(e, &stage->point, TRMI_RADAU_LEVELS, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    trmi_tangent_take(&stage->tangent);
    memcpy(stage->g, trmi_position_level(&s->values), (size_t)e->n_g * sizeof *stage->g);
    if (trmi_has_velocity_offset(e)) // it is 0 otherwise
        trmi_velocity_offset(&s->values, stage->offset);
    trmi_radau_find_level(stage, e, stage->slope);
    double square = find_velocity(s, stage);
    if (change)
        *change += square;
    return TRMI_OUTCOME_OK;
}

trmi_outcome trmi_radau_evaluate_stages(trm_simulation *s, double h, double *change)
{
    trmi_radau *r = trmi_radau_of(s);
    trmi_outcome result = TRMI_OUTCOME_OK;
    trmi_radau_find_slopes(s, h);
    for (int k = 0; k < r->tableau->s && result == TRMI_OUTCOME_OK; k++)
        result = evaluate_stage(s, trmi_radau_visit(r, k), change);
    trmi_radau_turn(r);
    return result;
}

// The multipliers that minimise p + C^T lambda; rhs = -p when it begins, -(p + C^T lambda) at
// the end. A sweep leaves of its change what the one before left: where that is known one may be
// enough. zero: lambda is, so far.
static void find_multipliers(trm_simulation *s, trmi_radau_stage *stage, bool zero)
{
    const trmi_evaluator *e = &s->e;
    const trmi_tangent *tangent = &stage->tangent;
    int n = tangent->saddle->n;
    double *x = trmi_radau_of(s)->work[0], *rows = x + n - e->n_r, *lambda = stage->point.lambda;
    double before = 0;
    int limit = trmi_has_metric(e) ? 1 : MAX_SWEEPS; // then p, too, changes with them
    if (!zero)
        trmi_tangent_force(tangent, lambda, -1, stage->rhs);
    for (int sweep = 1; sweep <= limit && e->n_r > 0; sweep++) {
        trmi_tangent_balance(tangent, stage->rhs, x);
        memset(x + e->n_q, 0, (size_t)(e->n_x + e->n_z) * sizeof *x);
        memcpy(rows, stage->rhs + n - e->n_r, (size_t)e->n_r * sizeof *x);
        trmi_tangent_solve_rows(&stage->tangent, x);
        for (int i = 0; i < e->n_r; i++)
            lambda[i] += rows[i];
        trmi_tangent_force(tangent, rows, -1, stage->rhs);
        double change = trmi_max_abs(rows, e->n_r), settled = trmi_max_abs(lambda, e->n_r);
        settled *= SETTLED;
        if (sweep > 1)
            stage->sweep_rate = fmin(1, change / before);
        if (sweep >= MULTIPLIER_SWEEPS ? change <= settled
                                       : stage->sweep_rate * change <= SETTLED * settled)
            break;
        before = change;
    }
}

void trmi_radau_find_accelerations(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    double *v[TRMI_MAX_STAGES], *rate[TRMI_MAX_STAGES];
    for (int j = 0; j < r->tableau->s; j++) {
        v[j] = r->stage[j].point.v;
        rate[j] = r->stage[j].point.a;
    }
    trmi_combine_all(r->tableau->s, r->tableau->gamma, 1 / h, v, s->now.v, s->e.n_q, rate);
}

// rhs = f - M V' with the forces just evaluated
static void find_residual(const trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_tangent_inertia(&stage->tangent, s->values.of[TRM_QUANTITY_FORCE], stage->point.a,
                         stage->rhs);
}

// Unknown multipliers start from the residual too, and the forces are those that go with them.
static trmi_outcome start_multipliers(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_outcome result = TRMI_OUTCOME_OK;
    for (int sweep = 0; sweep < MULTIPLIER_SWEEPS && result == TRMI_OUTCOME_OK; sweep++) {
        find_residual(s, stage);
        find_multipliers(s, stage, false);
        result = evaluate_forces(s, stage);
    }
    return result;
}

// index1: the rows -(C V' + gamma)
static void find_rows(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    double *rows = stage->rhs + e->n_q + e->n_x + e->n_z;
    double *level = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    trmi_tangent_rows(&stage->tangent, stage->point.a, level);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -(level[i] + stage->g[i]);
    trmi_scratch_release(&s->scratch, level);
}

// rhs of the transformed system: f - M V' - C^T lambda, c - X', the other rows unchanged
static void finish_rhs(trm_simulation *s, trmi_radau_stage *stage, double h, bool first)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    double *dx[TRMI_MAX_STAGES], *rate = r->work[1];
    for (int j = 0; j < r->tableau->s; j++)
        dx[j] = r->stage[j].dx;
    find_residual(s, stage);
    if (e->lambda_enters)
        trmi_tangent_force(&stage->tangent, stage->point.lambda, -1, stage->rhs);
    else
        find_multipliers(s, stage, first);
    trmi_radau_differentiate(r, (int)(stage - r->stage), h, dx, e->n_x, rate);
    for (int k = 0; k < e->n_x; k++)
        stage->rhs[e->n_q + k] -= rate[k];
}

// The contraction of the sweeps is that of the second iteration: before the first correction the
// stages have hardly moved from where their splits were factored.
static trmi_outcome find_rhs(trm_simulation *s, trmi_radau_stage *stage, double h, bool first)
{
    const trmi_radau *r = trmi_radau_of(s);
    double *rows = stage->rhs + r->matrix.n - s->e.n_r;
    memset(rows, 0, (size_t)s->e.n_r * sizeof *rows);
    if (first)
        stage->sweep_rate = 1;
    trmi_outcome result = evaluate_forces(s, stage);
    if (result == TRMI_OUTCOME_OK && r->index1)
        find_rows(s, stage);
    if (result == TRMI_OUTCOME_OK && first && s->e.lambda_enters)
        result = start_multipliers(s, stage);
    if (result == TRMI_OUTCOME_OK)
        finish_rhs(s, stage, h, first);
    if (first)
        stage->sweep_rate = 1;
    return result;
}

trmi_outcome trmi_radau_residuals(trm_simulation *s, double h, bool first)
{
    trmi_outcome result = TRMI_OUTCOME_OK;
    trmi_radau_find_accelerations(s, h);
    for (int k = 0; k < trmi_radau_of(s)->tableau->s && result == TRMI_OUTCOME_OK; k++)
        result = find_rhs(s, trmi_radau_visit(trmi_radau_of(s), k), h, first);
    trmi_radau_turn(trmi_radau_of(s));
    return result;
}
