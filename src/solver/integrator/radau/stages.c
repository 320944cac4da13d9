// SPDX-License-Identifier: Apache-2.0
// The stage-split iteration. B_i is the split of stage i (tangent.h), factored at its
// predicted position:
//
//     dY from the transformed system, right-hand side -(p_i + C_i^T lambda_i), 0 (residual.c)
//     B_i (dQ_i, .) = (M_i dY_i, -g_i, A_i dY_i),  Z_i += dQ_i      (rolling rows: turn_slopes)
//
// The residual p_i + C_i^T lambda_i has no part across the constraints of stage i, the correction
// only the one that leads onto them: a force across the constraints, however stiff, changes no
// iterate. Where multipliers enter forces, rates or algebraic equations they are unknowns instead,
// and follow the transformed system.
//
// On the level of accelerations (index1-projected) stages lie off the constraints: Z_i += dY_i, and
// the end of the step is projected.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// ---- small things ----

trmi_manifold trmi_radau_manifold(trm_simulation *s, trmi_tangent *tangent)
{
    return (trmi_manifold){.saddle = tangent->saddle, .tangent = tangent, .scratch = &s->scratch};
}

// y + d, where B (d, .) = (0, -rows): count entries of rows, those after them 0
static void correct(trm_simulation *s, trmi_tangent *tangent, const double *rows, int count,
                    double *y)
{
    const trmi_manifold m = trmi_radau_manifold(s, tangent);
    if (s->e.n_r > 0)
        trmi_manifold_correct(&m, rows, count, NULL, y);
}

// The tangential part of y, with the rows of C it shall have: where it stays until the next
// solution.
static const double *project(trm_simulation *s, trmi_tangent *tangent, const double *rows,
                             const double *y)
{
    const trmi_evaluator *e = &s->e;
    int n = tangent->saddle->n;
    double *d = trmi_radau_of(s)->work[0];
    trmi_tangent_metric(tangent, y, d);
    memset(d + e->n_q, 0, (size_t)(e->n_x + e->n_z) * sizeof *d);
    memcpy(d + n - e->n_r, rows, (size_t)e->n_r * sizeof *d);
    trmi_tangent_solve(tangent, d, 1);
    return d;
}

// Q_i, X_i from their increments
static void place_stage(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    for (int k = 0; k < e->n_q; k++)
        stage->point.q[k] = s->now.q[k] + stage->z[k];
    for (int k = 0; k < e->n_x; k++)
        stage->point.x[k] = s->now.x[k] + stage->dx[k];
}

// The split nearest to stage i before it has its own: that of the middle of the step, or, where
// there is none, of the stage before.
static trmi_tangent *nearest_split(trmi_radau *r, int i)
{
    bool middle = !r->order.stacked || r->order.trial;
    return middle || i == 0 ? &r->tangent : &r->stage[i - 1].tangent;
}

// Start values onto g = 0: across the nearest split, then across that of the stage itself, which is
// factored in between.
static trmi_outcome start_stage(trm_simulation *s, int i)
{
    trmi_radau_stage *stage = &trmi_radau_of(s)->stage[i];
    trmi_evaluator *e = &s->e;
    trmi_point *p = &stage->point;
    uint64_t first = e->constraint_uses_z ? TRMI_RADAU_LEVELS : TRM_BIT(CONSTRAINT);
    int result = trmi_evaluate(e, p, first, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    if (!trmi_radau_of(s)->index1)
        correct(s, nearest_split(trmi_radau_of(s), i), trmi_position_level(&s->values), e->n_g,
                stage->z);
    for (int k = 0; k < e->n_q; k++)
        p->q[k] = s->now.q[k] + stage->z[k];
    result = trmi_evaluate(e, p, TRMI_RADAU_LEVELS, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    double regularization = trmi_radau_of(s)->matrix.regularization;
    if (trmi_tangent_factor_with(&stage->tangent, regularization) != TRMI_FACTOR_OK)
        return TRMI_OUTCOME_SINGULAR;
    if (!trmi_radau_of(s)->index1)
        correct(s, &stage->tangent, trmi_position_level(&s->values), e->n_g, stage->z);
    return TRMI_OUTCOME_OK;
}

// Rolling rows constrain the slopes Q'_i, not the positions: the correction of the slopes is what
// is brought into the stage,
//
//     B_i (dQ'_i, .) = (M_i (dY')_i, G_i (dY')_i, -(A_i Q'_i + a)),   dQ = h Gamma^-1 dQ'
//
// before it is turned along g = 0. The velocities in the residual were on the constraints already,
// so that, as for g, the rows of the transformed system are 0.
static void turn_slopes(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    double *from[TRMI_MAX_STAGES], *level = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    for (int i = 0; i < r->tableau->s; i++)
        from[i] = r->stage[i].rhs;
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        trmi_radau_differentiate(r, i, h, from, e->n_q, stage->step);
        trmi_tangent_rows(&stage->tangent, stage->step, level);
        for (int k = e->n_g; k < e->n_r; k++)
            level[k] = -stage->level[k];
        const double *turned = project(s, &stage->tangent, level, stage->step);
        memcpy(stage->step, turned, (size_t)e->n_q * sizeof *stage->step);
    }
    trmi_scratch_release(&s->scratch, level);
    for (int i = 0; i < r->tableau->s; i++) {
        memset(r->stage[i].rhs, 0, (size_t)e->n_q * sizeof *r->stage[i].rhs);
        for (int j = 0; j < r->tableau->s; j++)
            for (int k = 0; k < e->n_q; k++)
                r->stage[i].rhs[k] += h * r->tableau->integral[i][j] * r->stage[j].step[k];
    }
}

// the correction of a stage along its own constraints, and back onto them
static const double *find_step(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    if (e->n_r == 0 || trmi_radau_of(s)->index1)
        return stage->rhs;
    double *level = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    if (e->n_a > 0) // rolling rows stay as turn_slopes left them
        trmi_tangent_rows(&stage->tangent, stage->rhs, level);
    for (int i = 0; i < e->n_g; i++)
        level[i] = -stage->g[i];
    const double *step = project(s, &stage->tangent, level, stage->rhs);
    trmi_scratch_release(&s->scratch, level);
    return step;
}

// Q_i += dQ_i, X_i += dX_i; returns the sum of their squares, in units of the tolerance
static double move_stage(const trm_simulation *s, trmi_radau_stage *stage, const double *step)
{
    const trmi_evaluator *e = &s->e;
    const double *dx = stage->rhs + e->n_q;
    for (int i = 0; i < e->n_q; i++) {
        stage->z[i] += step[i];
        stage->point.q[i] = s->now.q[i] + stage->z[i];
    }
    for (int i = 0; i < e->n_x; i++) {
        stage->dx[i] += dx[i];
        stage->point.x[i] = s->now.x[i] + stage->dx[i];
    }
    return trmi_weighted_square(step, s->weight, e->n_q) +
           trmi_weighted_square(dx, s->weight + 2 * e->n_q, e->n_x + e->n_z);
}

// the same with z and multipliers
static double correct_stage(trm_simulation *s, trmi_radau_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    const double *z = stage->rhs + e->n_q + e->n_x, *lambda = z + e->n_z;
    for (int i = 0; i < e->n_z; i++)
        stage->point.z[i] += z[i];
    for (int i = 0; i < e->n_r && e->lambda_enters; i++)
        stage->point.lambda[i] += lambda[i];
    return move_stage(s, stage, find_step(s, stage));
}

// sum: of the squares of a correction of all stages, in units of the tolerance
static double mean_size(const trm_simulation *s, double sum)
{
    const trmi_evaluator *e = &s->e;
    return sqrt(sum / (trmi_radau_of(s)->tableau->s * (2 * e->n_q + e->n_x + e->n_z)));
}

// B_i (dQ_i, .) = (M_i dY_i, 0) and B_i (dV_i, .) = (M_i dQ'_i, 0). V = Q' + y itself changes by
// the roundoff of y as well, which grows without bounds where the constraints lose rank.
double trmi_radau_measure_along(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    bool across = e->n_r > 0 && !r->index1;
    double *step[TRMI_MAX_STAGES], *dv = r->work[1], sum = 0;
    double *zero = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    memset(zero, 0, (size_t)e->n_r * sizeof *zero);
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        const double *along = across ? project(s, &stage->tangent, zero, stage->rhs) : stage->rhs;
        step[i] = memcpy(stage->step, along, (size_t)e->n_q * sizeof *along);
    }
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_differentiate(r, i, h, step, e->n_q, dv);
        const double *along = across ? project(s, &r->stage[i].tangent, zero, dv) : dv;
        sum += trmi_weighted_square(along, s->weight + e->n_q, e->n_q);
    }
    trmi_scratch_release(&s->scratch, zero);
    return hypot(r->newton.placed, mean_size(s, sum));
}

// ---- all stages ----

trmi_outcome trmi_radau_correct_stages(trm_simulation *s, double h, bool first, double *norm)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    trmi_outcome result = trmi_radau_residuals(s, h, first);
    if (result == TRMI_OUTCOME_OK && r->order.stacked && first)
        result = trmi_radau_factor_coupled(s, h);
    if (result != TRMI_OUTCOME_OK)
        return result;
    if (r->order.stacked && r->order.trial && first)
        trmi_radau_try_alone(s, h);
    else if (r->order.stacked)
        trmi_radau_solve_coupled(s, h);
    else
        trmi_radau_solve(s, h);
    if (e->n_a > 0 && !r->index1)
        turn_slopes(s, h);
    double sum = 0;
    for (int k = 0; k < r->tableau->s; k++)
        sum += correct_stage(s, trmi_radau_visit(r, k));
    trmi_radau_turn(r);
    if (!isfinite(sum))
        return TRMI_OUTCOME_NOT_FINITE;
    r->newton.placed = mean_size(s, sum);
    result = trmi_radau_evaluate_stages(s, h, &sum);
    *norm = mean_size(s, sum);
    s->statistics.newton_iterations++;
    return result == TRMI_OUTCOME_OK && !isfinite(*norm) ? TRMI_OUTCOME_NOT_FINITE : result;
}

// all stages with C where the last iteration led: positions, and what that means for velocities
static void finish_positions(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = trmi_radau_visit(r, i);
        correct(s, &stage->tangent, stage->g, e->n_g, stage->z);
        place_stage(s, stage);
        for (int k = 0; k < e->n_q; k++)
            stage->point.v[k] -= stage->slope[k];
    }
    trmi_radau_turn(r);
    trmi_radau_find_slopes(s, h);
    for (int i = 0; i < r->tableau->s; i++)
        for (int k = 0; k < e->n_q; k++)
            r->stage[i].point.v[k] += r->stage[i].slope[k];
}

// After convergence: both levels, to roundoff, however small they are: at the smallest steps
// velocities are that roundoff divided by h. What is left of the last stage is corrected at the end
// of the step.
void trmi_radau_finish_stages(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    if (e->n_r == 0 || r->index1)
        return;
    finish_positions(s, h);
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = trmi_radau_visit(r, i);
        trmi_radau_find_level(stage, e, stage->point.v);
        correct(s, &stage->tangent, stage->level, e->n_r, stage->point.v);
    }
}

trmi_outcome trmi_radau_start_stages(trm_simulation *s, double h)
{
    trmi_outcome result = TRMI_OUTCOME_OK;
    for (int i = 0; i < trmi_radau_of(s)->tableau->s && result == TRMI_OUTCOME_OK; i++) {
        place_stage(s, &trmi_radau_of(s)->stage[i]);
        result = start_stage(s, i);
        place_stage(s, &trmi_radau_of(s)->stage[i]);
    }
    trmi_radau_of(s)->downward = true;
    return result == TRMI_OUTCOME_OK ? trmi_radau_evaluate_stages(s, h, NULL) : result;
}
