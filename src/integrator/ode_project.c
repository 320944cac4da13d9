// SPDX-License-Identifier: Apache-2.0
// A new point onto g = 0 and G v + g_t = 0, in the norm of the masses, with the factors of the last
// rate: [M G^T; G 0] (d, .) = (0, -residual). G is that of a point close by: corrections shrink by
// the distance between the two, one is enough at most tolerances. Velocities follow when q is
// final.
#include "base/error.h"
#include "formulation/start.h"
#include "integrator/simulation.h"

#include <math.h>
#include <string.h>

enum { PROJECTIONS_MOST = 5 };

// A projection is finished when the next correction would be this part of the tolerance, and a
// failure when it would be more than that; below roundoff nothing can be gained.
static const double ENOUGH = 1e-4, TOO_MUCH = 0.1, ROUNDOFF = 1e-14;

// y += d, where [M G^T; G 0] (d, .) = (0, -rows); the largest change in units of the tolerance
static double correct(trm_simulation *s, const double *rows, int count, const double *weight,
                      double *y)
{
    int n = s->saddle.n, n_q = s->e.n_q;
    double *d = s->work, largest = 0;
    memset(d, 0, (size_t)n * sizeof *d);
    for (int i = 0; i < count; i++)
        d[n - s->e.n_r + i] = -rows[i];
    trmi_saddle_solve(&s->saddle, d, 1);
    for (int i = 0; i < n_q; i++) {
        double size = fabs(d[i]) * weight[i];
        y[i] += d[i];
        largest = size > largest ? size : largest;
    }
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
static trmi_correction project_positions(trm_simulation *s, trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    const uint64_t levels = TRM_BIT(TRM_CONSTRAINT) | trmi_velocity_quantities(e);
    double before = 0, correction = 0;
    for (int i = e->n_g > 0 ? 0 : 1;; i++) {
        int result = trmi_evaluate(e, p, i > 0 ? levels : TRM_BIT(TRM_CONSTRAINT));
        if (result != 0)
            return trmi_callback_result(result);
        double after = trmi_max_abs(e->block[TRM_CONSTRAINT].value, e->n_g);
        s->statistics.position_residual = after;
        if (!isfinite(after))
            return TRMI_NOT_FINITE;
        bool last = i == PROJECTIONS_MOST;
        if (i > 0 && good_enough(correction, before, after, p->q, e->n_q, last ? TOO_MUCH : ENOUGH))
            return TRMI_CONVERGED;
        if (last)
            return TRMI_DIVERGED;
        correction = correct(s, e->block[TRM_CONSTRAINT].value, e->n_g, s->weight, p->q);
        before = after;
    }
}

static trmi_correction project_velocities(trm_simulation *s, trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    double before = 0, correction = 0;
    for (int i = 0;; i++) {
        trmi_velocity_level(e, p->v, s->level);
        double after = trmi_max_abs(s->level, e->n_r);
        s->statistics.velocity_residual = after;
        if (!isfinite(after))
            return TRMI_NOT_FINITE;
        bool last = i == PROJECTIONS_MOST;
        if (i > 0 && good_enough(correction, before, after, p->v, e->n_q, last ? TOO_MUCH : ENOUGH))
            return TRMI_CONVERGED;
        if (last)
            return TRMI_DIVERGED;
        correction = correct(s, s->level, e->n_r, s->weight + e->n_q, p->v);
        before = after;
    }
}

// Whether the factors of the accelerations do not serve: where z moves with the constraints the
// effective g is needed, and other norms and invariants need another matrix.
static bool projects_apart(const trm_simulation *s)
{
    return s->e.constraint_uses_z || s->options.projection_norm != TRM_PROJECTION_MASS ||
           s->projection.invariants;
}

static trmi_correction project_apart(trm_simulation *s, trmi_point *p)
{
    trm_error error;
    trmi_error_clear(&error);
    trm_status status = trmi_project_onto(&s->projection, p, &error);
    return status == TRM_OK             ? TRMI_CONVERGED
           : status == TRM_ERR_SINGULAR ? TRMI_SINGULAR
                                        : TRMI_DIVERGED;
}

static trmi_correction evaluate_levels(trm_simulation *s, const trmi_point *p)
{
    trmi_evaluator *e = &s->e;
    int result = trmi_evaluate(e, p, TRM_BIT(TRM_CONSTRAINT) | trmi_velocity_quantities(e));
    trmi_velocity_level(e, p->v, s->level);
    s->statistics.position_residual = trmi_max_abs(e->block[TRM_CONSTRAINT].value, e->n_g);
    s->statistics.velocity_residual = trmi_max_abs(s->level, e->n_r);
    return trmi_callback_result(result);
}

trmi_correction trmi_ode_project(trm_simulation *s, trmi_point *p)
{
    trmi_correction result = TRMI_CONVERGED;
    if (s->e.n_r == 0)
        return result;
    bool wanted = s->options.formulation != TRM_FORMULATION_INDEX1;
    bool apart = wanted && projects_apart(s);
    if (apart)
        result = project_apart(s, p);
    if (result == TRMI_CONVERGED && (!wanted || apart)) {
        result = evaluate_levels(s, p);
    } else if (result == TRMI_CONVERGED) {
        result = project_positions(s, p);
        if (result == TRMI_CONVERGED)
            result = project_velocities(s, p);
    }
    return result;
}
