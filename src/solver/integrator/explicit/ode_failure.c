// SPDX-License-Identifier: Apache-2.0
// When an explicit step fails: shorter ones, then a report; and the signs of stiffness.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/log.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>

enum { EVALUATION_FAILURES = 24, ERROR_FAILURES = 50 };
// stiff after this many steps that looked like it, forgotten after this many that did not
enum { STIFF_SIGNS = 15, CALM_STEPS = 6 };

static double smallest_step(const trm_simulation *s, double t_end)
{
    double roundoff = 4 * DBL_EPSILON * fmax(fabs(s->now.t), fabs(t_end));
    return fmax(roundoff, s->options.h_min);
}

// the accelerations are not determined where G loses rank
static trm_status give_up_singular(trm_simulation *s, double h)
{
    trm_status status = trmi_report_failure(
        s, TRM_ERR_SINGULAR, h, "",
        "use integrator bdf, which can step across such positions; or start elsewhere");
    return trmi_error_set(&s->error, status,
                          "the constraints lose rank close to t = %.9g (relative pivot %.1e, %s): "
                          "no accelerations for integrator %s",
                          s->now.t, s->error.pivot, s->error.pivot_row, s->method->name);
}

trm_status trmi_ode_give_up(trm_simulation *s, trmi_outcome reason, double h)
{
    bool numerical = reason == TRMI_OUTCOME_SINGULAR || reason == TRMI_OUTCOME_DIVERGED ||
                     reason == TRMI_OUTCOME_OFF_CONSTRAINTS;
    if (numerical && trmi_find_not_finite(&s->values, ~UINT64_C(0), NULL))
        reason = TRMI_OUTCOME_NOT_FINITE;
    if (reason == TRMI_OUTCOME_SINGULAR || (numerical && trmi_near_singular(s)))
        return give_up_singular(s, h);
    if (reason == TRMI_OUTCOME_DIVERGED)
        return trmi_report_failure(s, TRM_ERR_NEWTON, h,
                                   "accelerations and multipliers did not converge, down to the "
                                   "smallest step",
                                   "use integrator bdf, or look for a jump in the forces");
    return trmi_give_up(s, reason, h);
}

trm_status trmi_ode_failed(trm_simulation *s, trmi_outcome reason, double h, double t_end)
{
    trmi_control *c = &s->control;
    s->statistics.rejected_newton++;
    c->newton_failures++;
    c->starting = false;
    c->since_order = 0;
    if (reason == TRMI_OUTCOME_STOP || s->options.h_fixed > 0)
        return trmi_ode_give_up(s, reason, h);
    c->h = h * (c->newton_failures > 3 ? 0.25 : 0.5);
    trmi_log(s, TRM_LOG_DEBUG, "t = %.9g: no accelerations (%d) at h = %.3g", s->now.t, (int)reason,
             h);
    bool over = c->newton_failures >= EVALUATION_FAILURES || c->h < smallest_step(s, t_end);
    return over ? trmi_ode_give_up(s, reason, h) : TRM_OK;
}

trm_status trmi_ode_error_failed(trm_simulation *s, double h, double t_end)
{
    trmi_control *c = &s->control;
    s->statistics.rejected_error++;
    c->error_failures++;
    c->starting = false;
    c->since_order = 0;
    if (c->h >= smallest_step(s, t_end) && c->error_failures < ERROR_FAILURES)
        return TRM_OK;
    if (trmi_near_singular(s))
        return give_up_singular(s, h);
    return trmi_blame_method(
        s, trmi_report_failure(s, TRM_ERR_ERROR_TEST, h,
                               "the error test failed down to the smallest step",
                               s->ode.stiff ? "the system is stiff: use integrator bdf"
                                            : "look for a jump in the forces; a tolerance below "
                                              "roundoff also does this, and a very stiff force: "
                                              "then use integrator bdf"));
}

double trmi_ode_stiffness(const trm_simulation *s, double h, const double *q, const double *v,
                          const double *rate)
{
    int n = s->e.n_q, m = s->ode.size;
    const double *weight_v = s->weight + n;
    double distance = trmi_weighted_square(q, s->weight, n) + trmi_weighted_square(v, weight_v, m);
    double change = trmi_weighted_square(v, s->weight, n) + trmi_weighted_square(rate, weight_v, m);
    return distance > 0 ? h * sqrt(change / distance) : 0;
}

void trmi_ode_watch_stiffness(trm_simulation *s, bool sign)
{
    trmi_ode *ode = &s->ode;
    if (!sign) {
        if (++ode->calm_steps >= CALM_STEPS)
            ode->stiff_signs = ode->calm_steps = 0;
        return;
    }
    ode->calm_steps = 0;
    if (ode->stiff_signs < STIFF_SIGNS)
        ode->stiff_signs++;
    if (ode->stiff_signs < STIFF_SIGNS || ode->stiff)
        return;
    ode->stiff = true;
    trmi_log(s, TRM_LOG_WARNING,
             "t = %.9g: the system looks stiff, stability limits the steps (h = %.3g) of "
             "integrator %s; integrator bdf would take longer ones",
             s->now.t, s->statistics.h_last, s->method->name);
}
