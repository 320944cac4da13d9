// SPDX-License-Identifier: Apache-2.0
// Points onto the manifold of the constraints in the norm of the options, with errors that name the
// row.
#include "solver/formulation/manifold.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"

#include <math.h>
#include <string.h>

// positions this close to the manifold at the start (relative to the size of q) are not touched
static const double APPROACH_ROUNDOFF = 1e-13;
enum { APPROACH_ITERATIONS = 50, STEP_ITERATIONS = 10 };
// At least two corrections: the second removes the roundoff of the first. With a frozen matrix each
// one gains what the positions moved.
static const trmi_sweeps VELOCITIES = {.min = 2, .max = 8, .stalled = 0.1};

size_t trmi_manifold_scratch(const trmi_evaluator *e, const trm_options *options)
{
    bool mass = options->projection_norm == TRM_PROJECTION_NORM_MASS;
    return trmi_scratch_size(e->n_q) + trmi_scratch_size(trmi_rhs_size(e)) +
           trmi_scratch_size(e->n_r_full + 1) + (mass ? 0 : trmi_scratch_size(e->n_q));
}

// W of the norm at q; relative to the largest weight, as only ratios matter. Released with the mark
// that is returned.
static double *form_norm(trmi_manifold *m, const double *q)
{
    const trmi_evaluator *e = m->saddle->e;
    const trm_options *o = m->options;
    bool mass = o->projection_norm == TRM_PROJECTION_NORM_MASS;
    bool weights = o->projection_norm == TRM_PROJECTION_NORM_WEIGHTS;
    double *mark = trmi_scratch_take(m->scratch, mass ? 0 : e->n_q), max = 0;
    m->diagonal = mass ? NULL : mark;
    for (int i = 0; i < e->n_q && !mass; i++) {
        double scale = e->user.q_scale ? e->user.q_scale[i] : 1;
        mark[i] = weights ? 1 / (o->rtol * fabs(q[i]) + o->atol * scale) : 1;
        max = fmax(max, mark[i]);
    }
    for (int i = 0; i < e->n_q && !mass; i++)
        mark[i] *= mark[i] / (max * max);
    return mark;
}

static trm_status factor(trmi_manifold *m, trm_error *error)
{
    return trmi_factor_projection_checked(m->saddle, m->diagonal, error);
}

// g and G at the point, with the z that belongs to it; *size = max |g|
static trm_status evaluate(trmi_manifold *m, trmi_point *point, double *size, trm_error *error)
{
    trmi_values *values = m->saddle->values;
    trmi_evaluator *e = m->saddle->e;
    uint64_t want = TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(e);
    trm_status status = TRM_OK;
    if (e->constraint_uses_z)
        status = trmi_settle_checked(e, point, values, error);
    if (status == TRM_OK)
        status = trmi_evaluate_checked(e, point, want, values, error);
    *size = trmi_max_abs(values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    return status;
}

// q += step d, and an evaluation there
static trm_status move(trmi_manifold *m, trmi_point *point, const double *d, double step,
                       double *size, trm_error *error)
{
    for (int i = 0; i < m->saddle->e->n_q; i++)
        point->q[i] += step * d[i];
    return evaluate(m, point, size, error);
}

// names the constraint that is violated most
static trm_status not_reached(const trmi_values *values, double size, int iterations,
                              trm_error *error)
{
    const double *g = values->of[TRM_QUANTITY_CONSTRAINT];
    int worst = 0;
    char name[64];
    for (int i = 1; i < values->e->n_g; i++)
        worst = fabs(g[i]) > fabs(g[worst]) ? i : worst;
    trmi_name_row(values->e, worst, name, sizeof name);
    trmi_error_clear(error);
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "give initial positions closer to an assembled state");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "positions could not be brought onto the constraints: |g| = %.3g in %s "
                          "after %d iterations",
                          size, name, iterations);
}

trm_status trmi_approach_positions(trmi_manifold *m, trmi_point *point, trmi_approach *approach,
                                   trm_error *error)
{
    trmi_saddle *s = m->saddle;
    trmi_evaluator *e = s->e;
    double enough = APPROACH_ROUNDOFF * (1 + trmi_max_abs(point->q, e->n_q));
    double size = trmi_max_abs(s->values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    double *mark = form_norm(m, point->q), *d = trmi_scratch_take(m->scratch, s->n);
    trm_status status = TRM_OK;
    bool stalled = false;
    *approach = (trmi_approach){.before = size};
    while (!stalled && size > enough && approach->iterations < APPROACH_ITERATIONS) {
        approach->iterations++;
        status = factor(m, error);
        if (status != TRM_OK)
            break;
        trmi_manifold_direction(m, trmi_position_level(s->values), e->n_g, d);
        double moved = 1, next;
        status = move(m, point, d, 1, &next, error);
        while (status == TRM_OK && !(next < size) && size > 100 * enough && moved > 1e-3) {
            moved *= 0.5; // back by half of what was moved
            status = move(m, point, d, -moved, &next, error);
        }
        if (status != TRM_OK)
            break;
        stalled = !(next < 0.5 * size) && next < 100 * enough;
        size = next;
    }
    trmi_scratch_release(m->scratch, mark);
    approach->after = size;
    // a dead end on the way: no position nearby satisfies all rows
    bool dead_end = status == TRM_ERR_SINGULAR && s->factored->pivot.row >= s->n - e->n_r;
    if (status != TRM_OK && !dead_end)
        return status;
    return size <= 100 * enough ? TRM_OK
                                : not_reached(s->values, size, approach->iterations, error);
}

// d of one iteration: to the nearest point of the linearized constraints, seen from q~ or from q
static void find_direction(trmi_manifold *m, const trmi_point *point, const double *from, double *d)
{
    const trmi_evaluator *e = m->saddle->e;
    const double *g = trmi_position_level(m->saddle->values);
    if (m->options->projection_method != TRM_PROJECTION_METHOD_EXACT) {
        trmi_manifold_direction(m, g, e->n_g, d);
        return;
    }
    double *rows = trmi_scratch_take(m->scratch, e->n_r + 1);
    for (int i = 0; i < e->n_q; i++)
        d[i] = from[i] - point->q[i];
    trmi_constraint_product(m->saddle->values, d, rows);
    for (int i = 0; i < e->n_g; i++)
        rows[i] += g[i];
    trmi_manifold_direction(m, rows, e->n_r, d); // rolling rows: A (q + d - q~) = 0
    for (int i = 0; i < e->n_q; i++)
        d[i] += from[i] - point->q[i];
    trmi_scratch_release(m->scratch, rows);
}

// positions near the constraints; *factored: the matrix is that of the point reached, or frozen
static trm_status move_near(trmi_manifold *m, trmi_point *point, double size, bool *factored,
                            trm_error *error)
{
    trmi_evaluator *e = m->saddle->e;
    double enough = TRMI_ON_MANIFOLD * (1 + trmi_max_abs(point->q, e->n_q));
    double *from = trmi_scratch_take(m->scratch, e->n_q);
    double *d = trmi_scratch_take(m->scratch, m->saddle->n);
    trm_status status = TRM_OK;
    int iteration = 0;
    memcpy(from, point->q, (size_t)e->n_q * sizeof *from);
    // one iteration in any case: points that are projected now and then would be rough by `enough`,
    // and velocities by enough / h
    for (double next; iteration == 0 || size > enough; size = next) {
        status = *factored ? TRM_OK : factor(m, error);
        if (status == TRM_OK) {
            find_direction(m, point, from, d);
            status = move(m, point, d, 1, &next, error);
        }
        if (status != TRM_OK)
            break;
        *factored = m->options->projection_method == TRM_PROJECTION_METHOD_FROZEN;
        m->iterations++;
        bool falls = next < 0.5 * size;
        if (!falls && next < 100 * enough)
            break; // roundoff
        if (++iteration == STEP_ITERATIONS || !falls) {
            status = not_reached(m->saddle->values, next, iteration, error);
            break;
        }
    }
    trmi_scratch_release(m->scratch, from);
    return status;
}

trm_status trmi_project_velocities(trmi_manifold *m, trmi_point *point, trm_error *error)
{
    double *mark = form_norm(m, point->q);
    trm_status status = factor(m, error);
    if (status == TRM_OK)
        trmi_manifold_sweep(m, TRMI_VELOCITIES, point, &VELOCITIES, NULL, NULL);
    trmi_scratch_release(m->scratch, mark);
    return status;
}

// velocities and invariants of a point whose positions are on the constraints
static trm_status move_velocities(trmi_manifold *m, trmi_point *point, bool factored,
                                  trm_error *error)
{
    bool rows = m->saddle->e->n_r > 0;
    trm_status status = rows && !factored ? factor(m, error) : TRM_OK;
    if (status == TRM_OK && rows)
        trmi_manifold_sweep(m, TRMI_VELOCITIES, point, &VELOCITIES, NULL, NULL);
    if (status == TRM_OK && m->invariants)
        status =
            trmi_invariants_project(m->invariants, point, m->diagonal, m->saddle->values, error);
    return status;
}

static trm_status project(trmi_manifold *m, trmi_point *point, bool velocities, trm_error *error)
{
    trmi_evaluator *e = m->saddle->e;
    bool factored = false;
    double size = 0, *mark = form_norm(m, point->q);
    m->projected++;
    trm_status status = evaluate(m, point, &size, error);
    if (status == TRM_OK && e->n_g > 0)
        status = move_near(m, point, size, &factored, error);
    if (status == TRM_OK && velocities)
        status = move_velocities(m, point, factored, error);
    if (status == TRM_OK && e->n_z > 0 && !e->constraint_uses_z)
        status = trmi_settle_checked(e, point, m->saddle->values, error);
    trmi_scratch_release(m->scratch, mark);
    return status;
}

trm_status trmi_project_onto(trmi_manifold *m, trmi_point *point, trm_error *error)
{
    return project(m, point, true, error);
}

trm_status trmi_project_positions(trmi_manifold *m, trmi_point *point, trm_error *error)
{
    return project(m, point, false, error);
}

void trmi_project_velocity_error(trmi_manifold *m, double *e)
{
    int n_r = m->saddle->e->n_r;
    double *rows = trmi_scratch_take(m->scratch, n_r + 1);
    trmi_constraint_product(m->saddle->values, e, rows);
    if (n_r > 0)
        trmi_manifold_correct(m, rows, n_r, NULL, e);
    trmi_scratch_release(m->scratch, rows);
}

void trmi_project_position_error(trmi_manifold *m, double *e)
{
    if (m->saddle->e->n_a == 0)
        trmi_project_velocity_error(m, e);
}
