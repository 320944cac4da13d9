// SPDX-License-Identifier: Apache-2.0
// Crossing a time where functions of t break. Positions stay. Where the rate of an excitation jumps
// by du', its second derivative is an impulse, du' delta(t), and so are the accelerations:
//
//     dv = a(u'' + du') - a(u''),      M a + G^T lambda = f(u''),  G a + gamma(u'') = 0
//
// a is affine in u'', so that this is exact. Constraints that depend on t by formulas of their own
// take the velocities along when the start is made consistent. A position that would have to jump
// is an error.
//
// Where nothing but accelerations and rates jump, and by so little that the error test would not
// notice, the run does not begin again: the past is changed into one that the motion behind the
// break, at t_b, continues smoothly,
//
//     q += (t - t_b)^2/2 (a+ - a-),   v += (t - t_b) (a+ - a-),   x += (t - t_b) (x'+ - x'-)
//
// Steps end there all the same, so that nothing between two breaks is missed.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/restart.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Formulas of t break where their own roundoff places it, so many roundings of t away at the most.
enum { ROUNDINGS = 16 };

void trmi_breaks_forget(trm_simulation *s)
{
    s->breaks = (trmi_time_breaks){0};
}

// The first break of a kind after the current point by more than `apart`, searched for up to t_end.
static double find_next(const trm_simulation *s, trm_break_function *next, void *user,
                        trmi_next_break *known, double apart, double t_end)
{
    if (!next || !s->rule->adapts)
        return INFINITY;
    bool valid = known->until > known->from && known->from <= s->now.t &&
                 s->now.t + apart < known->t && (known->t <= known->until || t_end <= known->until);
    if (!valid)
        *known = (trmi_next_break){s->now.t, t_end, next(s->now.t + apart, t_end, user)};
    return known->t;
}

// A break is crossed, whatever is left of the way to it; at the sign of an event a step must end.
double trmi_break_limit(trm_simulation *s, double t_end)
{
    const trm_system *system = &s->e.user;
    const trm_events *events = &s->events.user;
    trmi_time_breaks *b = &s->breaks;
    double t = find_next(s, system->next_break, system->user, &b->functions,
                         fmax(b->passed - s->now.t, 0), t_end);
    double event = find_next(s, events->next_break, events->user, &b->events,
                             trmi_smallest_step(s, t_end), t_end);
    bool breaks = t <= t_end;
    b->crossing = breaks && nextafter(t, -INFINITY) <= s->now.t;
    b->exact = breaks || event <= t_end;
    return fmin(breaks ? nextafter(t, -INFINITY) : t_end, fmin(event, t_end));
}

// ---- jumps ----

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
static trm_status accelerations(trm_simulation *s, trmi_point *p, const double *shift)
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
                          s->breaks.functions.t, what, jump);
}

// Whether two vectors of accelerations differ by more than roundoff.
static bool differ(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > sqrt(DBL_EPSILON) * (fabs(a[i]) + fabs(b[i])))
            return true;
    return false;
}

// numbers of a side of a break
static int side_size(const trmi_evaluator *e)
{
    return 2 * e->n_u + e->n_g + e->n_r + e->n_q + e->n_x;
}

int trmi_break_scratch(const trmi_evaluator *e)
{
    int impulse = e->n_q + 12 * e->n_u;
    return impulse > 4 * side_size(e) ? impulse : 4 * side_size(e);
}

// ---- slight breaks ----

// What one side of a break has at the positions and velocities of the present point, into out: u,
// u' and the rows of both levels, then a and x'.
static trm_status evaluate_side(trm_simulation *s, double t, double *out)
{
    const trmi_evaluator *e = &s->e;
    const uint64_t want = TRM_BIT(CONSTRAINT) | TRM_BIT(RATE) | trmi_velocity_quantities(e);
    trmi_point *p = trmi_restart_point(s, t);
    trm_status status = accelerations(s, p, NULL);
    if (status == TRM_OK && trmi_evaluate(&s->e, p, want, &s->values) != 0)
        status = TRM_ERR_CALLBACK;
    if (status != TRM_OK)
        return status;
    memcpy(out, s->values.input, (size_t)(2 * e->n_u) * sizeof *out);
    memcpy(out += 2 * e->n_u, trmi_position_level(&s->values), (size_t)e->n_g * sizeof *out);
    trmi_velocity_level(&s->values, p->v, out += e->n_g);
    memcpy(out += e->n_r, p->a, (size_t)e->n_q * sizeof *out);
    if (e->n_x > 0)
        memcpy(out + e->n_q, s->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *out);
    return TRM_OK;
}

static void bend_past(trm_simulation *s, double t, const double *da, const double *dx)
{
    for (int k = 1; k < s->history.count; k++) {
        trmi_point p = trmi_past_point(s, k);
        double ago = p.t - t;
        for (int i = 0; i < s->e.n_q; i++) {
            p.q[i] += ago * ago / 2 * da[i];
            p.v[i] += ago * da[i];
        }
        for (int i = 0; i < s->e.n_x; i++)
            p.x[i] += ago * dx[i];
    }
}

// The norm of what jumps of a and x' change in positions and states within h.
static double change_within(const trm_simulation *s, const double *jump, double h)
{
    const int n = s->e.n_q, n_x = s->e.n_x;
    double sum = trmi_weighted_square(jump, s->weight, n) * h * h * h * h +
                 trmi_weighted_square(jump + n, s->weight + 2 * n, n_x) * h * h;
    return sqrt(sum / (n + n_x));
}

// Whether a and x' go on behind the break as before, but for a jump: by their changes with t alone
// in a short time d on both sides; before it is sides[0], their difference sides[1]. The rate of a
// load that begins with 0 jumps, by j, and changes positions by h^3 j/6.
static bool goes_on(trm_simulation *s, double before, double behind, double d,
                    double *const sides[4])
{
    const int n = s->e.n_q + s->e.n_x, rates = side_size(&s->e) - n;
    const double h = s->control.h, *left = sides[0], *jump = sides[1];
    double *later = sides[2], *earlier = sides[3];
    if (evaluate_side(s, behind + d, later) != TRM_OK ||
        evaluate_side(s, before - d, earlier) != TRM_OK)
        return false;
    for (int i = rates; i < rates + n; i++)
        later[i] += earlier[i] - 2 * left[i] - jump[i];
    return change_within(s, later + rates, h) * h / (6 * d) <= 1;
}

// Whether a break leaves positions and velocities as they are and changes, in a step of the planned
// length h, positions by h^2 (a+ - a-) and states by h (x'+ - x'-) by less than tolerances, and
// what follows from other rates of a and x' likewise. Then the past is changed. Algebraic variables
// have no tolerance: runs with them always begin again, and so do methods without a past, for which
// that costs nothing.
static bool pass_slight(trm_simulation *s, double t)
{
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q, rates = side_size(e) - n - e->n_x;
    const double h = s->control.h;
    bool kept = s->method->multistep && s->points.place == TRMI_AT_NEWEST;
    if (!s->control.started || !kept || e->n_z > 0)
        return false;
    double *left = trmi_scratch_take(&s->scratch, 4 * side_size(e)), *right = left + side_size(e);
    double *const sides[] = {left, right, right + side_size(e), right + 2 * side_size(e)};
    double apart = ROUNDINGS * DBL_EPSILON * fmax(fabs(t), h);
    bool slight =
        evaluate_side(s, t - apart, left) == TRM_OK && evaluate_side(s, t + apart, right) == TRM_OK;
    for (int i = 0; i < side_size(e) && slight; i++) {
        right[i] -= left[i];
        slight = i >= rates || fabs(right[i]) <= s->options.atol;
    }
    const double *jump = right + rates;
    slight = slight && change_within(s, jump, h) <= 1 &&
             goes_on(s, t - apart, t + apart, sqrt(DBL_EPSILON) * h, sides);
    if (slight) {
        bend_past(s, t, jump, jump + n);
        s->breaks.passed = t + apart; // other breaks up to there are part of this one
    }
    trmi_scratch_release(&s->scratch, left);
    return slight;
}

// ---- impulses ----

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
        status = accelerations(s, p, NULL);
    memcpy(a, p->a, (size_t)n_q * sizeof *a);
    if (status == TRM_OK && largest > s->options.atol) {
        status = accelerations(s, p, step);
        if (status == TRM_OK && differ(a, p->a, n_q))
            return report_jump(s, largest, "a prescribed motion");
    }
    if (status == TRM_OK && kinks)
        status = accelerations(s, p, kink);
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

trm_status trmi_cross_break(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    if (pass_slight(s, s->breaks.functions.t))
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trmi_point *p = trmi_restart_point(s, s->breaks.functions.t);
    trm_status status = e->n_g > 0 ? check_constraints(s, p) : TRM_OK;
    if (status == TRM_OK && e->n_u > 0) {
        double *a = trmi_scratch_take(&s->scratch, trmi_break_scratch(e));
        status = add_impulse(s, p, a, a + e->n_q);
        trmi_scratch_release(&s->scratch, a);
    }
    if (status == TRM_OK)
        status = trmi_restart_there(s, p);
    return status == TRM_OK ? trmi_fire_events(s) : status;
}
