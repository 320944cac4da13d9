// SPDX-License-Identifier: Apache-2.0
// The stage-split iteration. B_i is the split of stage i (formulation/tangent.h), factored at its
// predicted position:
//
//     V_i = Q'_i + y,  B_i (y, .) = (0, -(C_i Q'_i + c_t))          velocities on the constraints
//     p_i = M_i V'_i - f_i;  twice: B_i (., d) = (-(p_i + C_i^T lambda_i), 0), lambda_i += d
//     dY from the transformed system, right-hand side -(p_i + C_i^T lambda_i), 0
//     B_i (dQ_i, .) = (M_i dY_i, -g_i, A_i dY_i),  Z_i += dQ_i      (rolling rows: turn_slopes)
//
// The residual p_i + C_i^T lambda_i has no part across the constraints of stage i, the correction
// only the one that leads onto them: a force across the constraints, however stiff, changes no
// iterate. Where multipliers enter forces, rates or algebraic equations they are unknowns instead,
// and follow the transformed system.
#include "integrator/simulation.h"

#include <math.h>
#include <string.h>

enum { MULTIPLIER_SWEEPS = 2, SWEEPS_MOST = 4, FINAL_SWEEPS = 2 };
// Multipliers whose last sweep changed them by less, relative to their size, are as good as they
// need be. Behind a stiff force across the constraints two sweeps may leave more than that.
static const double SETTLED = 1e-4;
static const uint64_t LEVELS =
    TRMI_POSITION_QUANTITIES | TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING_OFFSET);

// ---- small things ----

// out_i = (1/h) sum_j Gamma_ij in_j, n entries
static void differentiate(const trmi_radau *r, int i, double h, double *const *in, int n,
                          double *restrict out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int j = 0; j < r->tableau->s; j++) {
        const double weight = r->tableau->gamma[i][j] / h, *from = in[j];
        for (int k = 0; k < n; k++)
            out[k] += weight * from[k];
    }
}

void trmi_radau_correct(trm_simulation *s, trmi_tangent *tangent, const double *rows, int count,
                        double *p)
{
    const trmi_evaluator *e = &s->e;
    if (e->n_r == 0)
        return;
    int n = tangent->saddle->n;
    double *d = s->radau->work[0];
    memset(d, 0, (size_t)n * sizeof *d);
    for (int i = 0; i < count; i++)
        d[n - e->n_r + i] = -rows[i];
    trmi_tangent_solve(tangent, d);
    for (int i = 0; i < e->n_q; i++)
        p[i] += d[i];
}

// the tangential part of y, and rows of C it shall have (NULL: 0), in place
static void project(trm_simulation *s, trmi_tangent *tangent, const double *rows, double *y)
{
    const trmi_evaluator *e = &s->e;
    if (e->n_r == 0)
        return;
    double *d = s->radau->work[0], *d_rows = d + tangent->saddle->n - e->n_r;
    trmi_tangent_mass(tangent, y, d);
    memset(d + e->n_q, 0, (size_t)(tangent->saddle->n - e->n_q) * sizeof *d);
    if (rows)
        memcpy(d_rows, rows, (size_t)e->n_r * sizeof *d);
    trmi_tangent_solve(tangent, d);
    memcpy(y, d, (size_t)e->n_q * sizeof *y);
}

// Q_i, X_i from their increments
static void place_stages(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    for (int i = 0; i < s->radau->tableau->s; i++) {
        trmi_radau_stage *stage = &s->radau->stage[i];
        for (int k = 0; k < e->n_q; k++)
            stage->point.q[k] = s->now.q[k] + stage->z[k];
        for (int k = 0; k < e->n_x; k++)
            stage->point.x[k] = s->now.x[k] + stage->dx[k];
    }
}

static void find_slopes(trm_simulation *s, double h)
{
    trmi_radau *r = s->radau;
    double *z[TRMI_STAGES_MOST];
    for (int i = 0; i < r->tableau->s; i++)
        z[i] = r->stage[i].z;
    for (int i = 0; i < r->tableau->s; i++)
        differentiate(r, i, h, z, s->e.n_q, r->stage[i].slope);
}

// Start values onto g = 0: across the middle of the step, then across the stage itself, whose split
// is factored in between.
static trmi_correction start_stage(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_evaluator *e = &s->e;
    trmi_point *p = &stage->point;
    uint64_t first = e->constraint_uses_z ? LEVELS : TRM_BIT(TRM_CONSTRAINT);
    int result = trmi_evaluate(e, p, first);
    if (result != 0)
        return trmi_callback_result(result);
    trmi_radau_correct(s, &s->radau->tangent, trmi_position_level(e), e->n_g, stage->z);
    for (int k = 0; k < e->n_q; k++)
        p->q[k] = s->now.q[k] + stage->z[k];
    result = trmi_evaluate(e, p, LEVELS);
    if (result != 0)
        return trmi_callback_result(result);
    if (trmi_tangent_factor(&stage->tangent) != TRMI_FACTOR_OK)
        return TRMI_SINGULAR;
    trmi_radau_correct(s, &stage->tangent, trmi_position_level(e), e->n_g, stage->z);
    return TRMI_CONVERGED;
}

// f, c, -b in rhs
static trmi_correction evaluate_forces(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_evaluator *e = &s->e;
    double *x = stage->rhs + e->n_q, *z = x + e->n_x;
    int result = trmi_evaluate(e, &stage->point,
                               TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_RATE) | TRM_BIT(TRM_ALGEBRAIC));
    if (result != 0)
        return trmi_callback_result(result);
    memcpy(stage->rhs, e->block[TRM_FORCE].value, (size_t)e->n_q * sizeof *x);
    memcpy(x, e->block[TRM_RATE].value, (size_t)e->n_x * sizeof *x);
    for (int i = 0; i < e->n_z; i++)
        z[i] = -e->block[TRM_ALGEBRAIC].value[i];
    return TRMI_CONVERGED;
}

// Levels of the constraints and velocities of a stage, then forces, rates and algebraic equations.
// Left behind: g, -(A Q' + a), and in rhs f, c, -b, 0.
static trmi_correction evaluate_stage(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_evaluator *e = &s->e;
    trmi_point *p = &stage->point;
    double *rows = stage->rhs + e->n_q + e->n_x + e->n_z;
    int result = trmi_evaluate(e, p, LEVELS);
    if (result != 0)
        return trmi_callback_result(result);
    trmi_tangent_take(&stage->tangent);
    memcpy(stage->g, trmi_position_level(e), (size_t)e->n_g * sizeof *rows);
    trmi_velocity_level(e, stage->slope, s->level);
    memset(rows, 0, (size_t)e->n_r * sizeof *rows);
    for (int i = e->n_g; i < e->n_r; i++)
        stage->rolling[i - e->n_g] = -s->level[i];
    memcpy(p->v, stage->slope, (size_t)e->n_q * sizeof *p->v);
    trmi_radau_correct(s, &stage->tangent, s->level, e->n_r, p->v);
    return evaluate_forces(s, stage);
}

// the multipliers that leave least of p + C^T lambda
static void find_multipliers(trm_simulation *s, trmi_radau_stage *stage, const double *p)
{
    const trmi_evaluator *e = &s->e;
    int n = stage->tangent.saddle->n;
    double *x = s->radau->work[0], *lambda = stage->point.lambda;
    double change = HUGE_VAL, size = 0;
    for (int sweep = 0; sweep < SWEEPS_MOST && e->n_r > 0; sweep++) {
        if (sweep >= MULTIPLIER_SWEEPS && change <= SETTLED * size)
            break;
        memcpy(x, p, (size_t)e->n_q * sizeof *x);
        trmi_tangent_force(&stage->tangent, lambda, x);
        for (int i = 0; i < e->n_q; i++)
            x[i] = -x[i];
        memset(x + e->n_q, 0, (size_t)(n - e->n_q) * sizeof *x);
        trmi_tangent_solve(&stage->tangent, x);
        for (int i = 0; i < e->n_r; i++)
            lambda[i] += x[n - e->n_r + i];
        change = trmi_max_abs(x + n - e->n_r, e->n_r);
        size = trmi_max_abs(lambda, e->n_r);
    }
}

// V'_i of all stages
static void find_accelerations(trm_simulation *s, double h)
{
    trmi_radau *r = s->radau;
    double *v[TRMI_STAGES_MOST];
    for (int j = 0; j < r->tableau->s; j++)
        v[j] = r->stage[j].point.v;
    for (int i = 0; i < r->tableau->s; i++) {
        double *a = r->stage[i].point.a, sum = 0;
        for (int j = 0; j < r->tableau->s; j++)
            sum += r->tableau->gamma[i][j] / h;
        differentiate(r, i, h, v, s->e.n_q, a);
        for (int k = 0; k < s->e.n_q; k++)
            a[k] -= sum * s->now.v[k];
    }
}

// p = M V' - f
static void find_residual(const trm_simulation *s, const trmi_radau_stage *stage, double *p)
{
    trmi_tangent_mass(&stage->tangent, stage->point.a, p);
    for (int k = 0; k < s->e.n_q; k++)
        p[k] -= stage->rhs[k];
}

// Unknown multipliers start from the residual too, and the forces are those that go with them.
static trmi_correction start_multipliers(trm_simulation *s, trmi_radau_stage *stage)
{
    trmi_correction result = TRMI_CONVERGED;
    for (int sweep = 0; sweep < MULTIPLIER_SWEEPS && result == TRMI_CONVERGED; sweep++) {
        find_residual(s, stage, s->radau->work[1]);
        find_multipliers(s, stage, s->radau->work[1]);
        result = evaluate_forces(s, stage);
    }
    return result;
}

// rhs of the transformed system: f - M V' - C^T lambda, c - X', and the rest as it stands
static void finish_rhs(trm_simulation *s, int i, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = s->radau;
    trmi_radau_stage *stage = &r->stage[i];
    double *dx[TRMI_STAGES_MOST], *p = r->work[1];
    for (int j = 0; j < r->tableau->s; j++)
        dx[j] = r->stage[j].dx;
    find_residual(s, stage, p);
    if (!e->lambda_enters)
        find_multipliers(s, stage, p);
    trmi_tangent_force(&stage->tangent, stage->point.lambda, p);
    for (int k = 0; k < e->n_q; k++)
        stage->rhs[k] = -p[k];
    differentiate(r, i, h, dx, e->n_x, p);
    for (int k = 0; k < e->n_x; k++)
        stage->rhs[e->n_q + k] -= p[k];
}

// Rolling rows constrain the slopes Q'_i, not the positions: the correction of the slopes is what
// is brought into the stage,
//
//     B_i (dQ'_i, .) = (M_i (dY')_i, G_i (dY')_i, -(A_i Q'_i + a)),   dQ = h Gamma^-1 dQ'
//
// before it is turned along g = 0. The velocities in the residual were on the constraints already,
// so that, as for g, the rows of the transformed system say 0.
static void turn_slopes(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = s->radau;
    double *from[TRMI_STAGES_MOST];
    for (int i = 0; i < r->tableau->s; i++)
        from[i] = r->stage[i].rhs;
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        differentiate(r, i, h, from, e->n_q, stage->step);
        trmi_tangent_rows(&stage->tangent, stage->step, s->level);
        memcpy(s->level + e->n_g, stage->rolling, (size_t)e->n_a * sizeof *s->level);
        project(s, &stage->tangent, s->level, stage->step);
    }
    for (int i = 0; i < r->tableau->s; i++) {
        memset(r->stage[i].rhs, 0, (size_t)e->n_q * sizeof *r->stage[i].rhs);
        for (int j = 0; j < r->tableau->s; j++)
            for (int k = 0; k < e->n_q; k++)
                r->stage[i].rhs[k] += h * r->tableau->integral[i][j] * r->stage[j].step[k];
    }
}

// the correction of a stage along its own constraints, and back onto them
static void correct_stage(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    const double *x = stage->rhs + e->n_q, *z = x + e->n_x, *lambda = z + e->n_z;
    memcpy(stage->step, stage->rhs, (size_t)e->n_q * sizeof *stage->step);
    trmi_tangent_rows(&stage->tangent, stage->step, s->level);
    for (int i = 0; i < e->n_g; i++)
        s->level[i] = -stage->g[i];
    project(s, &stage->tangent, s->level, stage->step);
    for (int i = 0; i < e->n_q; i++)
        stage->z[i] += stage->step[i];
    for (int i = 0; i < e->n_x; i++)
        stage->dx[i] += x[i];
    for (int i = 0; i < e->n_z; i++)
        stage->point.z[i] += z[i];
    for (int i = 0; i < e->n_r && e->lambda_enters; i++)
        stage->point.lambda[i] += lambda[i];
}

// the corrections of all stages, q, v, x and z, in units of the tolerance
static double norm_of_step(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = s->radau;
    const double *weight_v = s->weight + e->n_q, *weight_x = weight_v + e->n_q;
    double *step[TRMI_STAGES_MOST], *dv = r->work[1], sum = 0;
    for (int i = 0; i < r->tableau->s; i++)
        step[i] = r->stage[i].step;
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        differentiate(r, i, h, step, e->n_q, dv);
        project(s, &stage->tangent, NULL, dv);
        sum += trmi_weighted_square(stage->step, s->weight, e->n_q) +
               trmi_weighted_square(dv, weight_v, e->n_q) +
               trmi_weighted_square(stage->rhs + e->n_q, weight_x, e->n_x + e->n_z);
    }
    return sqrt(sum / (r->tableau->s * (2 * e->n_q + e->n_x + e->n_z)));
}

// ---- the whole ----

trmi_correction trmi_radau_correct_stages(trm_simulation *s, double h, bool first, double *norm)
{
    trmi_radau *r = s->radau;
    trmi_correction result = TRMI_CONVERGED;
    place_stages(s);
    find_slopes(s, h);
    for (int i = 0; i < r->tableau->s && result == TRMI_CONVERGED; i++)
        result = evaluate_stage(s, &r->stage[i]);
    find_accelerations(s, h);
    for (int i = 0; i < r->tableau->s && first && s->e.lambda_enters; i++)
        if (result == TRMI_CONVERGED)
            result = start_multipliers(s, &r->stage[i]);
    if (result != TRMI_CONVERGED)
        return result;
    for (int i = 0; i < r->tableau->s; i++)
        finish_rhs(s, i, h);
    if (r->order.coupled && first)
        result = trmi_radau_factor_coupled(s, h);
    if (result != TRMI_CONVERGED)
        return result;
    if (r->order.coupled)
        trmi_radau_solve_coupled(s, h);
    else
        trmi_radau_solve(s, h);
    if (s->e.n_a > 0)
        turn_slopes(s, h);
    for (int i = 0; i < r->tableau->s; i++)
        correct_stage(s, &r->stage[i]);
    *norm = norm_of_step(s, h);
    s->statistics.newton_iterations++;
    return isfinite(*norm) ? TRMI_CONVERGED : TRMI_NOT_FINITE;
}

// After convergence: positions once more onto g = 0, velocities onto G v + g_t = 0 with G there.
trmi_correction trmi_radau_finish_stages(trm_simulation *s, double h)
{
    trmi_evaluator *e = &s->e;
    trmi_radau *r = s->radau;
    place_stages(s);
    for (int i = 0; i < r->tableau->s && e->n_g > 0; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        uint64_t want = e->constraint_uses_z ? LEVELS : TRM_BIT(TRM_CONSTRAINT);
        int result = trmi_evaluate(e, &stage->point, want);
        if (result != 0)
            return trmi_callback_result(result);
        trmi_radau_correct(s, &stage->tangent, trmi_position_level(e), e->n_g, stage->z);
    }
    place_stages(s);
    find_slopes(s, h);
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        memcpy(stage->point.v, stage->slope, (size_t)e->n_q * sizeof *stage->slope);
        int result = e->n_r > 0 ? trmi_evaluate(e, &stage->point, trmi_velocity_quantities(e)) : 0;
        if (result != 0)
            return trmi_callback_result(result);
        for (int sweep = 0; sweep < FINAL_SWEEPS && e->n_r > 0; sweep++) {
            trmi_velocity_level(e, stage->point.v, s->level);
            trmi_radau_correct(s, &stage->tangent, s->level, e->n_r, stage->point.v);
        }
    }
    return TRMI_CONVERGED;
}

trmi_correction trmi_radau_start_stages(trm_simulation *s)
{
    trmi_correction result = TRMI_CONVERGED;
    place_stages(s);
    for (int i = 0; i < s->radau->tableau->s && result == TRMI_CONVERGED; i++)
        result = start_stage(s, &s->radau->stage[i]);
    return result;
}
