// SPDX-License-Identifier: Apache-2.0
// The report of a failed step: time, step, reason, worst rows by name, iterations, pivot, advice.
#include "solver/integrator/failure.h"

#include "base/error.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/watch/signs.h"

#include <float.h>
#include <math.h>

// absolute tolerance below which lost rank may not be passed, in roundoffs of the positions
// (measured, 2 to 40 four-bar loops: 1200 to 2200)
static const double FINEST_ATOL = 5000;

// inserts a row into the three worst
static void consider_row(trm_simulation *s, int unknown, double size)
{
    trm_error_row *row = s->error.row;
    for (int place = 0; place < TRM_ERROR_ROWS; place++) {
        if (row[place].name[0] && !(size > row[place].residual))
            continue;
        for (int k = TRM_ERROR_ROWS - 1; k > place; k--)
            row[k] = row[k - 1];
        trmi_name_unknown(&s->e, unknown, row[place].name, sizeof row[place].name);
        row[place].residual = size;
        return;
    }
}

// Residuals of the last evaluation as displacements in units of the tolerance: dynamics rows by
// inertia alone, constraint rows by the length of their gradient.
static void find_worst_rows(trm_simulation *s, double h)
{
    trmi_evaluator *e = &s->e;
    const trmi_point *p = &s->corrector.point;
    double *r = trmi_scratch_take(&s->scratch, e->n_q);
    double *scale = trmi_scratch_take(&s->scratch, e->n_q + e->n_r_full + 1);
    for (int i = 0; i < e->n_x; i++)
        consider_row(s, e->n_q + i, fabs(s->corrector.correction_x[i]) * s->corrector.weight_x[i]);
    for (int i = 0; i < e->n_q + e->n_r + 1; i++)
        scale[i] = 0;
    trmi_inertia_residual(&s->values, p->a, r);
    trmi_add_constraint_force(&s->values, p->lambda, 1, r);
    const trmi_quantity *mass = &e->block[TRM_QUANTITY_MASS], *total = &e->block[TRMI_TOTAL];
    for (trmi_cursor at = trmi_pattern_begin(&mass->pattern); at.k < mass->count;
         trmi_pattern_next(&at))
        if (at.row == at.column)
            scale[at.row] += s->values.of[TRM_QUANTITY_MASS][at.k];
    for (int i = 0; i < e->n_q; i++)
        consider_row(s, i, fabs(r[i]) * h * h / (scale[i] + 1e-300) * s->weight[i]);
    for (int i = 0; i < e->n_z; i++)
        consider_row(s, e->n_q + e->n_x + i, fabs(s->values.of[TRM_QUANTITY_ALGEBRAIC][i]));
    double *gradient = scale + e->n_q;
    for (trmi_cursor at = trmi_pattern_begin(&total->pattern); at.k < total->count;
         trmi_pattern_next(&at)) {
        double g = s->values.of[TRMI_TOTAL][at.k] / s->weight[at.column];
        gradient[at.row] += g * g;
    }
    int first = e->n_q + e->n_x + e->n_z;
    const double *g = trmi_position_level(&s->values);
    for (int i = 0; i < e->n_g; i++)
        consider_row(s, first + i, fabs(g[i]) / (sqrt(gradient[i]) + 1e-300));
    trmi_scratch_release(&s->scratch, r);
}

static trm_status report_failure(trm_simulation *s, trm_status status, double h, const char *text,
                                 const char *advice)
{
    trm_error *error = &s->error;
    const trmi_corrector *c = &s->corrector;
    trmi_error_clear(error);
    error->t = s->now.t;
    error->h = h;
    error->iterations = c->log.count;
    for (int i = 0; i < c->log.count; i++) {
        error->correction[i] = c->log.correction[i];
        error->rate[i] = c->log.rate[i];
    }
    error->matrix_fresh = c->log.fresh;
    const trmi_split *split = s->method->split ? s->method->split(s) : NULL;
    trmi_pivot pivot = s->method->split ? (trmi_pivot){NAN, -1} : s->saddle.factored->pivot;
    if (split && s->e.n_r > 0)
        pivot = (trmi_pivot){split->pivot, s->e.n_q + s->e.n_x + s->e.n_z + split->pivot_column};
    error->pivot = pivot.smallest;
    if (pivot.row >= 0)
        trmi_name_unknown(&s->e, pivot.row, error->pivot_row, sizeof error->pivot_row);
    find_worst_rows(s, h);
    if (error->row[0].name[0])
        trmi_error_item(error, "%s", error->row[0].name);
    if (status == TRM_ERR_SINGULAR && error->pivot_row[0])
        trmi_error_item(error, "%s", error->pivot_row);
    trmi_error_advise(error, "%s", advice);
    return trmi_error_set(error, status, "%s", text);
}

trm_status trmi_give_up_drift(trm_simulation *s, double h)
{
    report_failure(s, TRM_ERR_SINGULAR, h, "",
                   "use formulation cs or index1-projected, whose positions do not drift");
    return trmi_error_set(&s->error, TRM_ERR_SINGULAR,
                          "at t = %.9g the positions have drifted so far from the constraints that "
                          "the motion along these has another direction: steps would follow the "
                          "drift into another branch, as where the constraints lose rank",
                          s->now.t);
}

static trm_status stop_after_callback(trm_simulation *s, double h)
{
    const char *name = trm_quantity_name(s->e.culprit);
    report_failure(s, TRM_ERR_CALLBACK, h, "a callback asked to stop", "");
    trmi_error_item(&s->error, "%s", name);
    return trmi_error_set(&s->error, TRM_ERR_CALLBACK, "the callback for %s asked to stop", name);
}

// Positions are known to eps |q|, and lost rank multiplies that by h_s / h, h the time from the
// position and h_s that in which G turns.
static trm_status give_up_singular(trm_simulation *s, double h)
{
    if (!s->method->implicit) { // the accelerations are not determined where G loses rank
        report_failure(
            s, TRM_ERR_SINGULAR, h, "",
            "use integrator bdf, which can step across such positions; or start elsewhere");
        return trmi_error_set(&s->error, TRM_ERR_SINGULAR,
                              "the constraints lose rank close to t = %.9g (relative pivot %.1e, "
                              "%s): no accelerations for integrator %s",
                              s->now.t, s->error.pivot, s->error.pivot_row, s->method->name);
    }
    double atol = FINEST_ATOL * DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q);
    trm_status status =
        report_failure(s, TRM_ERR_SINGULAR, h, "",
                       "loosen rtol so that a step crosses the position, start elsewhere, or "
                       "change dimensions slightly");
    if (s->options.atol < atol)
        trmi_error_advise(
            &s->error,
            "loosen atol to %.0e: closer to the position than a step, roundoff of the "
            "constraints moves the coordinates by more than the present one",
            atol);
    return trmi_error_set(&s->error, status,
                          "the constraints lose rank close to t = %.9g (relative pivot %.1e, %s) "
                          "and the step could not cross this position",
                          s->now.t, s->error.pivot, s->error.pivot_row);
}

// at the end of all attempts the small pivots of any solver are a reason
static bool seems_singular(const trm_simulation *s)
{
    if (s->method->split) {
        const trmi_split *split = s->method->split(s);
        return split && split->pivot < TRMI_RANK_PIVOT;
    }
    return trmi_near_singular(s) || s->watch.velocity_inaccurate ||
           trmi_velocities_inaccurate(&s->corrector) ||
           (s->e.n_r > 0 && s->saddle.factored->pivot.smallest < TRMI_RANK_PIVOT);
}

// A motion that the method itself has driven so far that no step succeeds has no jump.
static trm_status blame_method(trm_simulation *s, trm_status status)
{
    trmi_energy_verdict energy = trmi_energy_judge(s);
    if (energy.exceeded && energy.defect > 0)
        trmi_error_advise(&s->error,
                          "tighten rtol by ten: from t = %.6g on the method brought in %.3g %% of "
                          "the energy that was exchanged, and the motion ran away",
                          energy.since, 100 * energy.defect);
    return status;
}

trm_status trmi_give_up(trm_simulation *s, trmi_outcome reason, double h)
{
    bool numerical = reason == TRMI_OUTCOME_SINGULAR || reason == TRMI_OUTCOME_DIVERGED ||
                     reason == TRMI_OUTCOME_OFF_CONSTRAINTS;
    if (numerical && trmi_find_not_finite(&s->values, ~UINT64_C(0), NULL))
        reason = TRMI_OUTCOME_NOT_FINITE;
    if (numerical && reason != TRMI_OUTCOME_NOT_FINITE && seems_singular(s))
        return give_up_singular(s, h);
    switch (reason) {
    case TRMI_OUTCOME_STOP:
        return stop_after_callback(s, h);
    case TRMI_OUTCOME_SINGULAR:
        return give_up_singular(s, h);
    case TRMI_OUTCOME_RETRY:
        report_failure(s, TRM_ERR_CALLBACK, h, "", "check the range of the state");
        trmi_error_item(&s->error, "%s", trm_quantity_name(s->e.culprit));
        return trmi_error_set(&s->error, TRM_ERR_CALLBACK,
                              "the callback for %s kept asking for a smaller step",
                              trm_quantity_name(s->e.culprit));
    case TRMI_OUTCOME_NOT_FINITE:
        report_failure(s, TRM_ERR_CALLBACK, h, "a value is not finite",
                       "guard the formula, or return 1 where it has no value");
        trmi_find_not_finite(&s->values, ~UINT64_C(0), &s->error);
        s->error.status = TRM_ERR_CALLBACK;
        return TRM_ERR_CALLBACK;
    case TRMI_OUTCOME_OFF_CONSTRAINTS:
        return report_failure(
            s, TRM_ERR_NEWTON, h,
            "the projection onto the constraints and invariants failed down to the "
            "smallest step",
            "check the derivatives of the constraints, or look for a "
            "position near which they lose rank");
    default:
        if (!s->method->implicit)
            return report_failure(s, TRM_ERR_NEWTON, h,
                                  "accelerations and multipliers did not converge, down to "
                                  "the smallest step",
                                  "use integrator bdf, or look for a jump in the forces");
        return blame_method(
            s, report_failure(s, TRM_ERR_NEWTON, h, "no step was short enough for Newton's method",
                              "check the derivatives with trm_system_check_derivatives, or "
                              "look for a jump in the forces"));
    }
}

trm_status trmi_give_up_time(trm_simulation *s, double h)
{
    report_failure(s, TRM_ERR_ERROR_TEST, h, "",
                   s->rule->adapts ? "look for a force or an acceleration that is much too large, "
                                     "or count the time from a moment closer to the motion"
                                   : "choose a longer step, or count the time from a moment closer "
                                     "to the motion");
    return trmi_error_set(&s->error, TRM_ERR_ERROR_TEST,
                          "a step of %.3g does not change the time t = %.9g", h, s->now.t);
}

trm_status trmi_give_up_error_test(trm_simulation *s, double h)
{
    if (seems_singular(s))
        return give_up_singular(s, h);
    return blame_method(
        s, report_failure(s, TRM_ERR_ERROR_TEST, h, "no step was short enough for the tolerance",
                          trmi_time_is_coarse(s)  ? TRMI_COARSE_TIME
                          : trmi_appears_stiff(s) ? "the system is stiff: use integrator bdf"
                          : s->method->implicit
                              ? "look for a jump in the forces; a tolerance below roundoff "
                                "also does this"
                              : "look for a jump in the forces; a tolerance below roundoff "
                                "also does this, and a very stiff force: then use integrator "
                                "bdf"));
}
