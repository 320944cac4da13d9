// SPDX-License-Identifier: Apache-2.0
// A new point onto g = 0 and G v + g_t = 0, in the norm of the masses, with the factors of the last
// rate: [M G^T; G 0] (d, .) = (0, -residual). G is that of a point close by: corrections shrink by
// the distance between the two, one is enough at most tolerances. Velocities follow when q is
// final.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/explicit/ode.h"

#include <math.h>
#include <string.h>

enum { MAX_PROJECTIONS = 5 };

// A projection is finished when the next correction would be this part of the tolerance, and a
// failure when it would be more than that; below roundoff nothing can be gained.
static const double ENOUGH = 1e-4, TOO_MUCH = 0.1, ROUNDOFF = 1e-14;

// y += d, where [M G^T; G 0] (d, .) = (0, -rows); the largest change in units of the tolerance
static double correct(trm_simulation *s, const double *rows, int count, const double *weight,
                      double *y)
{
    int n = s->saddle.n, n_q = s->e.n_q;
    double *d = trmi_scratch_take(&s->scratch, n), largest = 0;
    memset(d, 0, (size_t)n * sizeof *d);
    for (int i = 0; i < count; i++)
        d[n - s->e.n_r + i] = -rows[i];
    trmi_saddle_solve(&s->saddle, d, 1);
    for (int i = 0; i < n_q; i++) {
        double size = fabs(d[i]) * weight[i];
        y[i] += d[i];
        largest = size > largest ? size : largest;
    }
    trmi_scratch_release(&s->scratch, d);
    return largest;
}

// whether another correction is not worth it, after one of that size that brought the residual from
// `before` to `after`
static bool good_enough(double correction, double before, double after, const double *y, int n,
                        double part)
{
    return correction * after <= part * before || after <= ROUNDOFF * (1 + trmi_max_abs(y, n));
}

// Newton with the matrix of the last rate; the last evaluation, at the new q, has G and g_t too
static trmi_outcome project_positions(trm_simulation *s, trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    const uint64_t levels = TRM_BIT(TRM_CONSTRAINT) | trmi_velocity_quantities(e);
    double before = 0, correction = 0;
    for (int i = e->n_g > 0 ? 0 : 1;; i++) {
        int result = trmi_evaluate(e, p, i > 0 ? levels : TRM_BIT(TRM_CONSTRAINT), &s->values);
        if (result != 0)
            return trmi_callback_result(result);
        double after = trmi_max_abs(s->values.of[TRM_CONSTRAINT], e->n_g);
        s->statistics.position_residual = after;
        if (!isfinite(after))
            return TRMI_OUTCOME_NOT_FINITE;
        bool last = i == MAX_PROJECTIONS;
        if (i > 0 && good_enough(correction, before, after, p->q, e->n_q, last ? TOO_MUCH : ENOUGH))
            return TRMI_OUTCOME_OK;
        if (last)
            return TRMI_OUTCOME_OFF_CONSTRAINTS;
        correction = correct(s, s->values.of[TRM_CONSTRAINT], e->n_g, s->weight, p->q);
        before = after;
    }
}

// level: n_r + 1, scratch
static trmi_outcome project_velocities(trm_simulation *s, trmi_point *p, double *level)
{
    trmi_evaluator *e = &s->e;
    double before = 0, correction = 0;
    for (int i = 0;; i++) {
        trmi_velocity_level(&s->values, p->v, level);
        double after = trmi_max_abs(level, e->n_r);
        s->statistics.velocity_residual = after;
        if (!isfinite(after))
            return TRMI_OUTCOME_NOT_FINITE;
        bool last = i == MAX_PROJECTIONS;
        if (i > 0 && good_enough(correction, before, after, p->v, e->n_q, last ? TOO_MUCH : ENOUGH))
            return TRMI_OUTCOME_OK;
        if (last)
            return TRMI_OUTCOME_OFF_CONSTRAINTS;
        correction = correct(s, level, e->n_r, s->weight + e->n_q, p->v);
        before = after;
    }
}

// Whether the factors of the accelerations do not serve: where z moves with the constraints the
// effective g is needed, and other norms and invariants need another matrix.
static bool projects_apart(const trm_simulation *s)
{
    return s->e.constraint_uses_z || s->options.projection_norm != TRM_PROJECTION_NORM_MASS ||
           s->projection.invariants;
}

static trmi_outcome project_apart(trm_simulation *s, trmi_point *p)
{
    trm_error error; // told by the failure of the step, if no shorter one helps
    trmi_error_clear(&error);
    switch (trmi_project_onto(&s->projection, p, &error)) {
    case TRM_OK:
        return TRMI_OUTCOME_OK;
    case TRM_ERR_SINGULAR:
        return TRMI_OUTCOME_SINGULAR;
    case TRM_ERR_CALLBACK:
        return s->e.returned == 0 ? TRMI_OUTCOME_NOT_FINITE : trmi_callback_result(s->e.returned);
    default:
        return TRMI_OUTCOME_OFF_CONSTRAINTS;
    }
}

// the residuals of the last evaluation, which was at p
static void measure_levels(trm_simulation *s, const trmi_point *p, double *level)
{
    const trmi_evaluator *e = &s->e;
    trmi_velocity_level(&s->values, p->v, level);
    s->statistics.position_residual = trmi_max_abs(s->values.of[TRM_CONSTRAINT], e->n_g);
    s->statistics.velocity_residual = trmi_max_abs(level, e->n_r);
}

trmi_outcome trmi_ode_project(trm_simulation *s, trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    trmi_outcome result;
    if (e->n_r == 0 && !s->projection.invariants)
        return TRMI_OUTCOME_OK;
    bool wanted = s->options.formulation != TRM_FORMULATION_INDEX1;
    double *level = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    if (wanted && !projects_apart(s)) {
        result = project_positions(s, p);
        if (result == TRMI_OUTCOME_OK)
            result = project_velocities(s, p, level);
    } else {
        const uint64_t levels = TRM_BIT(TRM_CONSTRAINT) | trmi_velocity_quantities(e);
        result = wanted ? project_apart(s, p)
                        : trmi_callback_result(trmi_evaluate(e, p, levels, &s->values));
        if (result == TRMI_OUTCOME_OK)
            measure_levels(s, p, level);
    }
    trmi_scratch_release(&s->scratch, level);
    return result;
}
