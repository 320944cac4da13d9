// SPDX-License-Identifier: Apache-2.0
// Velocities after a time where functions of t break. Where the rate of an excitation jumps by
// du', its second derivative is an impulse, du' delta(t), and so are the accelerations:
//
//     dv = a(u'' + du') - a(u''),      M a + G^T lambda = f(u''),  G a + gamma(u'') = 0
//
// a is affine in u'', so that this is exact. Constraints that depend on t by formulas of their own
// take the velocities along when the start is made consistent. A position that would have to jump
// is an error.
#include "solver/integrator/breaks.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

int trmi_break_side(const trmi_evaluator *e)
{
    return 2 * e->n_u + e->n_g + e->n_r + e->n_q + e->n_x + e->n_r;
}

int trmi_break_scratch(const trmi_evaluator *e)
{
    int impulse = e->n_q + 12 * e->n_u;
    return impulse > 4 * trmi_break_side(e) ? impulse : 4 * trmi_break_side(e);
}

// The excitations at t into u: 3 n_u.
static trm_status find_inputs(trm_simulation *s, double t, double *u)
{
    trmi_point p = s->now;
    p.t = t;
    trmi_values_forget_inputs(&s->values);
    if (trmi_evaluate(&s->e, &p, 0, &s->values) != 0)
        return trmi_error_set(&s->error, TRM_ERR_CALLBACK,
                              "the excitations have no value at t = %.9g", t);
    memcpy(u, s->values.input, (size_t)(3 * s->e.n_u) * sizeof *u);
    return TRM_OK;
}

// Accelerations at the point p with the excitations moved by `shift`, NULL: as they are.
trm_status trmi_shifted_accelerations(trm_simulation *s, trmi_point *p, const double *shift)
{
    s->values.input_shift = shift;
    trmi_values_forget_inputs(&s->values);
    trm_status status = trmi_accelerations(&s->manifold, p, &s->error);
    s->values.input_shift = NULL;
    trmi_values_forget_inputs(&s->values);
    return status;
}

static trm_status report_jump(trm_simulation *s, double jump, const char *what)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trmi_error_advise(&s->error, "let it pass from one value to the other within some time, for "
                                 "example by a formula with tanh");
    return trmi_error_set(&s->error, TRM_ERR_RANGE,
                          "at t = %.9g %s jumps by %.3g: no motion can follow",
                          s->corrector.point.t, what, jump);
}

// Whether two vectors of accelerations differ by more than roundoff.
static bool differ(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > sqrt(DBL_EPSILON) * (fabs(a[i]) + fabs(b[i])))
            return true;
    return false;
}

// v += dv for the jumps of excitations. As accelerations they are found with shifted excitations: a
// jump of u in the place of u'' must change none (step), one of u in that of u', and of u' in that
// of u'', is dv (kink). work: 12 n_u.
static trm_status add_impulse(trm_simulation *s, trmi_point *p, double *a, double *work)
{
    const int n_u = s->e.n_u, n_q = s->e.n_q;
    double *left = work, *right = left + 3 * n_u, *step = right + 3 * n_u, *kink = step + 3 * n_u;
    double largest = 0;
    bool kinks = false;
    trm_status status = find_inputs(s, s->now.t, left);
    if (status == TRM_OK)
        status = find_inputs(s, p->t, right);
    memset(step, 0, (size_t)(6 * n_u) * sizeof *step);
    for (int i = 0; i < n_u && status == TRM_OK; i++) {
        double jump = right[i] - left[i], bend = right[n_u + i] - left[n_u + i];
        largest = fmax(largest, fabs(jump));
        step[2 * n_u + i] = kink[n_u + i] = fabs(jump) > s->options.atol ? jump : 0;
        kink[2 * n_u + i] = fabs(bend) > s->options.atol ? bend : 0; // otherwise roundoff
        kinks = kinks || kink[n_u + i] != 0 || kink[2 * n_u + i] != 0;
    }
    if (status == TRM_OK)
        status = trmi_shifted_accelerations(s, p, NULL);
    memcpy(a, p->a, (size_t)n_q * sizeof *a);
    if (status == TRM_OK && largest > s->options.atol) {
        status = trmi_shifted_accelerations(s, p, step);
        if (status == TRM_OK && differ(a, p->a, n_q))
            return report_jump(s, largest, "a prescribed motion");
    }
    if (status == TRM_OK && kinks)
        status = trmi_shifted_accelerations(s, p, kink);
    for (int i = 0; i < n_q && status == TRM_OK; i++)
        p->v[i] += p->a[i] - a[i];
    return status;
}

// |g| on both sides of the break, at the same positions
static trm_status check_constraints(trm_simulation *s, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    double *before = trmi_scratch_take(&s->scratch, e->n_g + 1), worst = 0;
    trmi_point left = s->now;
    int failed = trmi_evaluate(&s->e, &left, TRM_BIT(CONSTRAINT), &s->values);
    memcpy(before, s->values.of[TRM_QUANTITY_CONSTRAINT], (size_t)e->n_g * sizeof *before);
    failed = failed || trmi_evaluate(&s->e, p, TRM_BIT(CONSTRAINT), &s->values);
    for (int i = 0; i < e->n_g && !failed; i++)
        worst = fmax(worst, fabs(s->values.of[TRM_QUANTITY_CONSTRAINT][i] - before[i]));
    trmi_scratch_release(&s->scratch, before);
    return worst > s->options.atol ? report_jump(s, worst, "a constraint") : TRM_OK;
}

// The point at t after the break: the present one, with velocities as they are after an impulse.
trm_status trmi_cross_impulse(trm_simulation *s, double t, trmi_point **out)
{
    const trmi_evaluator *e = &s->e;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trmi_point *p = *out = trmi_restart_point(s, t);
    trm_status status = e->n_g > 0 ? check_constraints(s, p) : TRM_OK;
    if (status == TRM_OK && e->n_u > 0) {
        double *a = trmi_scratch_take(&s->scratch, trmi_break_scratch(e));
        status = add_impulse(s, p, a, a + e->n_q);
        trmi_scratch_release(&s->scratch, a);
    }
    return status;
}

trm_status trmi_point_behind_break(trm_simulation *s, double t, trmi_point **out)
{
    trm_start_report report = s->start;
    trm_status status = trmi_cross_impulse(s, t, out);
    trmi_values_forget_inputs(&s->values);
    return status == TRM_OK ? trmi_start_again(&s->manifold, *out, &report, &s->error) : status;
}
