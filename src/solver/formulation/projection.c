// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/projection.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"

#include <math.h>
#include <string.h>

// positions this close to the manifold (relative to the size of q) are close enough: at the start,
// where they are not touched then, and in every step
static const double APPROACH_ROUNDOFF = 1e-13, STEP_ROUNDOFF = 1e-14;
enum { APPROACH_ITERATIONS = 50, STEP_ITERATIONS = 10, VELOCITY_PASSES = 8 };

size_t trmi_projection_scratch(const trmi_evaluator *e, const trm_options *options)
{
    bool mass = options->projection_norm == TRM_PROJECTION_NORM_MASS;
    return trmi_scratch_size(e->n_q) + trmi_scratch_size(trmi_rhs_size(e)) +
           trmi_scratch_size(e->n_r_full + 1) + (mass ? 0 : trmi_scratch_size(e->n_q));
}

static void take_arrays(trmi_projection *p)
{
    const trmi_evaluator *e = p->saddle->e;
    bool mass = p->options->projection_norm == TRM_PROJECTION_NORM_MASS;
    p->from = trmi_scratch_take(p->scratch, e->n_q);
    p->work = trmi_scratch_take(p->scratch, trmi_rhs_size(e));
    p->rows = trmi_scratch_take(p->scratch, e->n_r_full + 1);
    p->diagonal = mass ? NULL : trmi_scratch_take(p->scratch, e->n_q);
}

static void release_arrays(trmi_projection *p)
{
    trmi_scratch_release(p->scratch, p->from);
}

// W of the norm at the point; relative to the largest weight, as only ratios matter
static void form_norm(trmi_projection *p, const double *q)
{
    const trmi_evaluator *e = p->saddle->e;
    const trm_options *o = p->options;
    double most = 0;
    if (o->projection_norm == TRM_PROJECTION_NORM_MASS)
        return;
    for (int i = 0; i < e->n_q; i++) {
        double scale = e->user.q_scale ? e->user.q_scale[i] : 1;
        bool weights = o->projection_norm == TRM_PROJECTION_NORM_WEIGHTS;
        p->diagonal[i] = weights ? 1 / (o->rtol * fabs(q[i]) + o->atol * scale) : 1;
        most = fmax(most, p->diagonal[i]);
    }
    for (int i = 0; i < e->n_q; i++)
        p->diagonal[i] *= p->diagonal[i] / (most * most);
}

static trm_status factor(trmi_projection *p, trm_error *error)
{
    return trmi_factor_projection_checked(p->saddle, p->diagonal, error);
}

// d = -W^-1 G^T (G W^-1 G^T)^-1 rows, left in work
static const double *solve(trmi_projection *p, const double *rows, int count)
{
    trmi_saddle *s = p->saddle;
    memset(p->work, 0, (size_t)s->n * sizeof *p->work);
    for (int i = 0; i < count; i++)
        p->work[s->n - s->e->n_r + i] = -rows[i];
    trmi_saddle_solve(s, p->work, 1);
    return p->work;
}

static uint64_t quantities(const trmi_evaluator *e)
{
    return TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(e);
}

// g and G at the point, with the z that belongs to it; *size = max |g|
static trm_status look(trmi_projection *p, trmi_point *point, double *size, trm_error *error)
{
    trmi_evaluator *e = p->saddle->e;
    trm_status status =
        e->constraint_uses_z ? trmi_settle_checked(e, point, p->saddle->values, error) : TRM_OK;
    if (status == TRM_OK)
        status = trmi_evaluate_checked(e, point, quantities(e), p->saddle->values, error);
    *size = trmi_max_abs(p->saddle->values->of[TRM_CONSTRAINT], e->n_g);
    return status;
}

// q += step d, and a look there
static trm_status move(trmi_projection *p, trmi_point *point, const double *d, double step,
                       double *size, trm_error *error)
{
    for (int i = 0; i < p->saddle->e->n_q; i++)
        point->q[i] += step * d[i];
    return look(p, point, size, error);
}

// the constraint that is violated most, by name
static const char *name_worst(const trmi_values *values, char *name, size_t length)
{
    const double *g = values->of[TRM_CONSTRAINT];
    int worst = 0;
    for (int i = 1; i < values->e->n_g; i++)
        if (fabs(g[i]) > fabs(g[worst]))
            worst = i;
    return trmi_name_row(values->e, worst, name, length);
}

static trm_status not_reached(const trmi_values *values, double size, int iterations,
                              trm_error *error)
{
    char name[64];
    name_worst(values, name, sizeof name);
    trmi_error_clear(error);
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "give initial positions closer to an assembled state");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "positions could not be brought onto the constraints: |g| = %.3g in %s "
                          "after %d iterations",
                          size, name, iterations);
}

static trm_status approach_positions(trmi_projection *p, trmi_point *point, trmi_approach *approach,
                                     trm_error *error)
{
    trmi_saddle *s = p->saddle;
    trmi_evaluator *e = s->e;
    double enough = APPROACH_ROUNDOFF * (1 + trmi_max_abs(point->q, e->n_q));
    double size = trmi_max_abs(p->saddle->values->of[TRM_CONSTRAINT], e->n_g);
    *approach = (trmi_approach){.before = size};
    form_norm(p, point->q);
    while (size > enough && approach->iterations < APPROACH_ITERATIONS) {
        approach->iterations++;
        trm_status status = factor(p, error);
        if (status == TRM_ERR_SINGULAR && s->factored->pivot.row >= s->n - e->n_r)
            break; // a dead end on the way: no position nearby satisfies all rows
        if (status != TRM_OK)
            return status;
        const double *d = solve(p, trmi_position_level(p->saddle->values), e->n_g);
        double moved = 1, next;
        status = move(p, point, d, 1, &next, error);
        while (status == TRM_OK && !(next < size) && size > 100 * enough && moved > 1e-3) {
            moved *= 0.5; // back by half of what was moved
            status = move(p, point, d, -moved, &next, error);
        }
        if (status != TRM_OK)
            return status;
        bool stalled = !(next < 0.5 * size) && next < 100 * enough;
        size = next;
        if (stalled)
            break;
    }
    approach->after = size;
    return size <= 100 * enough ? TRM_OK
                                : not_reached(p->saddle->values, size, approach->iterations, error);
}

trm_status trmi_approach_positions(trmi_projection *p, trmi_point *point, trmi_approach *approach,
                                   trm_error *error)
{
    take_arrays(p);
    trm_status status = approach_positions(p, point, approach, error);
    release_arrays(p);
    return status;
}

// d of one iteration: to the nearest point of the linearized constraints, seen from q~ or from q
static const double *find_direction(trmi_projection *p, const trmi_point *point, bool exact)
{
    const trmi_evaluator *e = p->saddle->e;
    const double *g = trmi_position_level(p->saddle->values);
    if (!exact)
        return solve(p, g, e->n_g);
    double *back = p->work;
    for (int i = 0; i < e->n_q; i++)
        back[i] = p->from[i] - point->q[i];
    trmi_constraint_product(p->saddle->values, back, p->rows);
    for (int i = 0; i < e->n_g; i++)
        p->rows[i] += g[i];
    solve(p, p->rows, e->n_r); // rolling rows: A (q + d - q~) = 0
    for (int i = 0; i < e->n_q; i++)
        p->work[i] += p->from[i] - point->q[i];
    return p->work;
}

// positions near the constraints; *factored: the matrix is that of the point reached, or frozen
static trm_status project_positions(trmi_projection *p, trmi_point *point, double size,
                                    bool *factored, trm_error *error)
{
    trmi_evaluator *e = p->saddle->e;
    const trm_projection_method method = p->options->projection_method;
    double enough = STEP_ROUNDOFF * (1 + trmi_max_abs(point->q, e->n_q));
    memcpy(p->from, point->q, (size_t)e->n_q * sizeof *p->from);
    int iteration = 0;
    // one iteration in any case: points that are projected now and then would be rough by `enough`,
    // and velocities by enough / h
    for (double next; iteration == 0 || size > enough; size = next) {
        trm_status status = *factored ? TRM_OK : factor(p, error);
        if (status == TRM_OK) {
            const double *d = find_direction(p, point, method == TRM_PROJECTION_METHOD_EXACT);
            status = move(p, point, d, 1, &next, error);
        }
        if (status != TRM_OK)
            return status;
        *factored = method == TRM_PROJECTION_METHOD_FROZEN;
        p->iterations++;
        bool falls = next < 0.5 * size;
        if (!falls && next < 100 * enough)
            break; // roundoff
        if (++iteration == STEP_ITERATIONS || !falls)
            return not_reached(p->saddle->values, next, iteration, error);
    }
    return TRM_OK;
}

// At least two passes: the second removes the roundoff of the first. With a frozen matrix every
// pass gains what the positions moved.
static void correct_velocities(trmi_projection *p, trmi_point *point)
{
    const trmi_evaluator *e = p->saddle->e;
    double before = HUGE_VAL;
    for (int pass = 0; pass < VELOCITY_PASSES; pass++) {
        trmi_velocity_level(p->saddle->values, point->v, p->rows);
        double size = trmi_max_abs(p->rows, e->n_r);
        if (pass >= 2 && !(size < 0.1 * before))
            break;
        const double *d = solve(p, p->rows, e->n_r);
        for (int i = 0; i < e->n_q; i++)
            point->v[i] += d[i];
        before = size;
    }
}

trm_status trmi_project_velocities(trmi_projection *p, trmi_point *point, trm_error *error)
{
    take_arrays(p);
    form_norm(p, point->q);
    trm_status status = factor(p, error);
    if (status == TRM_OK)
        correct_velocities(p, point);
    release_arrays(p);
    return status;
}

trm_status trmi_project_onto(trmi_projection *p, trmi_point *point, trm_error *error)
{
    trmi_evaluator *e = p->saddle->e;
    bool factored = false;
    double size = 0;
    p->steps++;
    take_arrays(p);
    form_norm(p, point->q);
    trm_status status = look(p, point, &size, error);
    if (status == TRM_OK && e->n_g > 0)
        status = project_positions(p, point, size, &factored, error);
    if (status == TRM_OK && e->n_r > 0 && !factored)
        status = factor(p, error);
    if (status == TRM_OK && e->n_r > 0)
        correct_velocities(p, point);
    if (status == TRM_OK && p->invariants)
        status =
            trmi_invariants_project(p->invariants, point, p->diagonal, p->saddle->values, error);
    if (status == TRM_OK && e->n_z > 0 && !e->constraint_uses_z)
        status = trmi_settle_checked(e, point, p->saddle->values, error);
    release_arrays(p);
    return status;
}

void trmi_project_velocity_error(trmi_projection *p, double *e)
{
    const trmi_evaluator *evaluator = p->saddle->e;
    if (evaluator->n_r == 0)
        return;
    take_arrays(p);
    trmi_constraint_product(p->saddle->values, e, p->rows);
    const double *d = solve(p, p->rows, evaluator->n_r);
    for (int i = 0; i < evaluator->n_q; i++)
        e[i] += d[i];
    release_arrays(p);
}

void trmi_project_position_error(trmi_projection *p, double *e)
{
    if (p->saddle->e->n_a == 0)
        trmi_project_velocity_error(p, e);
}
