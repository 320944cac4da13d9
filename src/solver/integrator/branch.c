// SPDX-License-Identifier: Apache-2.0
// The end of the step is found a second time, by two steps of continuation along the constraints,
//
//     q <- q + h/2 v,  Newton's method onto g(t, q) = 0,  v from G v + g_t = 0,
//
// in which Newton's method must halve |g| from the first iteration on. Both ends are the same to
// the tolerance, or the step is too long.
//
// Where a step passes a dead centre closely both may have gone over to the other assembly, which
// goes on there as smoothly. But G is square, and along a branch det G keeps its sign: two
// solutions that meet in a dead centre have different ones. Where the sign changes, the way is
// followed in shorter steps of continuation, each half as long where it changes it. Either they
// come to the end without a change, and the step has left its branch; or one of a thousandth of its
// length still changes it: there branches cross, and the motion goes straight on.
//
// Positions that drift keep g = eps, not 0. Where two branches of g = 0 cross, x y = 0 in the
// coordinates along them, these are the hyperbolas x y = eps, which turn from one branch into the
// other. On the way along x the drift is y = eps/x, and the nearest velocity on the constraints
// differs by the part kappa = eps/x^2: the crossing is drift/kappa ahead. A step from where kappa
// is large that ends before the crossing follows the hyperbola, a longer one comes across. So close
// to the crossing that velocities on the constraints are roundoff, one shorter than the drift does.
#include "solver/integrator/branch.h"

#include "base/error.h"
#include "solver/integrator/control.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"
#include "solver/linear/small.h"

#include <math.h>
#include <string.h>

// kappa from which a short step follows the hyperbola. It is 1 at the vertex, and a quarter twice
// as far from the crossing, before the turn.
static const double TURNED = 0.25;

// of a step: the shortest step of continuation
static const double SHORTEST = 1.0 / 1024;

static bool has_freedoms(const trm_simulation *s)
{
    return s->e.n_r < s->e.n_q || s->e.n_g == 0 || !s->rule->adapts;
}

static bool drifts(const trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    return s->rule->adapts && s->e.n_g > 0 && policy->level != TRMI_LEVEL_POSITION &&
           policy->after != TRMI_AFTER_PROJECTION;
}

trm_status trmi_branch_create(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const bool square = !has_freedoms(s) && e->n_g == e->n_q && e->n_q <= TRMI_SMALL;
    if (square && !e->constraint_uses_z &&
        (!TRMI_TAKE(&s->memory, s->branch.matrix, e->n_q * e->n_q) ||
         !TRMI_TAKE(&s->memory, s->branch.pivot, e->n_q)))
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the test of branches");
    return has_freedoms(s) && !drifts(s) ? TRM_OK : trmi_sampler_create(s);
}

// The point of the sampler onto g = 0; false: that fails.
static bool project(trm_simulation *s)
{
    trmi_manifold manifold = {
        .saddle = &s->sampler->saddle, .scratch = &s->scratch, .options = &s->options};
    trm_error error;
    trmi_error_clear(&error);
    return trmi_project_onto(&manifold, &s->sampler->point, &error) == TRM_OK;
}

// How far the positions are from the constraints, with the factors of the last matrix; HUGE_VAL:
// that does not show.
static double estimate_drift(trm_simulation *s)
{
    trmi_values *values = s->sampler->saddle.values;
    if (s->e.constraint_uses_z || trmi_evaluate(&s->e, &s->now, TRM_BIT(CONSTRAINT), values) != 0)
        return HUGE_VAL;
    double *d = trmi_scratch_take(&s->scratch, s->saddle.n);
    trmi_manifold_direction(&s->manifold, trmi_position_level(values), s->e.n_g, d);
    double drift = trmi_weighted_max(d, s->weight, s->e.n_q);
    trmi_scratch_release(&s->scratch, d);
    return drift;
}

// The point of the sampler: the present one, with v onto G v + g_t = 0 there; false: that fails.
static bool set_present(trm_simulation *s, trmi_manifold *manifold)
{
    trmi_values *values = manifold->saddle->values;
    trmi_point *p = &s->sampler->point;
    trm_error error;
    trmi_error_clear(&error);
    trmi_copy_point(&s->e, &s->now, p);
    return trmi_evaluate(&s->e, p, TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(&s->e),
                         values) == 0 &&
           trmi_project_velocities(manifold, p, &error) == TRM_OK;
}

// The present point onto the constraints, where that is far as at a start; false: that fails.
static bool find_nearest(trm_simulation *s, trmi_manifold *manifold)
{
    trmi_approach ignored;
    trm_error error;
    trmi_error_clear(&error);
    return project(s) ||
           (set_present(s, manifold) &&
            trmi_approach_positions(manifold, &s->sampler->point, &ignored, &error) == TRM_OK &&
            project(s));
}

bool trmi_drift_hides_branch(trm_simulation *s)
{
    if (!drifts(s) || !s->sampler)
        return false;
    const double h = s->control.h, way = h * trmi_weighted_max(s->now.v, s->weight, s->e.n_q);
    const bool near = trmi_near_singular(s);
    trmi_sampler *sampler = trmi_sampler_reset(s);
    if (!near && estimate_drift(s) <= TURNED * way)
        return false;
    trmi_manifold manifold = {
        .saddle = &sampler->saddle, .scratch = &s->scratch, .options = &s->options};
    if (!set_present(s, &manifold))
        return true;
    trmi_point *p = &sampler->point;
    double *v = trmi_scratch_take(&s->scratch, s->e.n_q);
    memcpy(v, p->v, (size_t)s->e.n_q * sizeof *v);
    bool found = find_nearest(s, &manifold);
    for (int i = 0; i < s->e.n_q; i++) {
        p->q[i] -= s->now.q[i];
        p->v[i] -= v[i];
    }
    trmi_scratch_release(&s->scratch, v);
    double drift = trmi_weighted_max(p->q, s->weight, s->e.n_q),
           turn = h * trmi_weighted_max(p->v, s->weight, s->e.n_q);
    return !found || (near && drift > way) || (turn > TURNED * way && turn < drift);
}

// The sign of det G at a point; 0: it is not known.
static int orientation(trm_simulation *s, const trmi_point *p)
{
    const int n = s->e.n_q;
    double *a = s->branch.matrix;
    trmi_values *values = &s->sampler->values;
    if (!a || trmi_evaluate(&s->e, p, TRM_BIT(CONSTRAINT_Q), values) != 0)
        return 0;
    const trmi_matrix G = trmi_matrix_of(values, TRMI_TOTAL);
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (trmi_cursor at = trmi_pattern_begin(&G.pattern); at.k < G.count; trmi_pattern_next(&at))
        if (at.row < n) // dropped rows stand behind the others
            a[at.column * n + at.row] += G.value[at.k];
    trmi_small_lu(a, n, n, n, s->branch.pivot);
    int sign = 1;
    for (int i = 0; i < n; i++) {
        const double u = a[i * n + i];
        sign *= (u > 0) - (u < 0);
        sign = s->branch.pivot[i] == i + 1 ? sign : -sign;
    }
    return sign;
}

// The point of the sampler a time h further along the constraints; false: it is not found.
static bool go_on(trm_simulation *s, double h)
{
    trmi_point *p = &s->sampler->point;
    p->t += h;
    for (int i = 0; i < s->e.n_q; i++)
        p->q[i] += h * p->v[i];
    return project(s);
}

static void place(trm_simulation *s, double t, const double *q, const double *v)
{
    trmi_point *p = &s->sampler->point;
    const size_t size = (size_t)s->e.n_q * sizeof *q;
    p->t = t;
    memcpy(p->q, q, size);
    memcpy(p->v, v, size);
}

// Whether the way over a step whose end is turned to the other side leads there without a change of
// sides, so that its end is on another branch.
static bool has_way_round(trm_simulation *s, const trmi_step_trial *trial, const trmi_point *from,
                          int side)
{
    const int n = s->e.n_q;
    const trmi_point *p = &s->sampler->point;
    double *q = trmi_scratch_take(&s->scratch, 2 * n), *v = q + n;
    double t = from->t, h = 0.5 * trial->h;
    memcpy(q, from->q, (size_t)n * sizeof *q);
    memcpy(v, from->v, (size_t)n * sizeof *v);
    while (t < trial->t && h >= SHORTEST * trial->h) {
        const double step = fmin(h, trial->t - t);
        place(s, t, q, v);
        bool good = go_on(s, step) && orientation(s, p) == side;
        if (good) {
            t = trial->t - t <= step ? trial->t : t + step;
            memcpy(q, p->q, (size_t)n * sizeof *q);
            memcpy(v, p->v, (size_t)n * sizeof *v);
        }
        h *= good ? 2 : 0.5;
    }
    trmi_scratch_release(&s->scratch, q);
    return t >= trial->t;
}

bool trmi_leaves_branch(trm_simulation *s, const trmi_step_trial *trial)
{
    if (has_freedoms(s) || !s->sampler) // none: the start of a run with constant steps
        return false;
    const trmi_point from = trmi_past_point(s, 0), *to = &s->corrector.point;
    const int side = orientation(s, &from);
    trmi_point *p = &trmi_sampler_reset(s)->point;
    bool turned = false;
    trmi_copy_point(&s->e, to, p); // states and multipliers
    place(s, from.t, from.q, from.v);
    for (int half = 1; half <= 2; half++) {
        if (!go_on(s, 0.5 * trial->h))
            return true;
        turned = turned || side * orientation(s, p) < 0;
    }
    for (int i = 0; i < s->e.n_q; i++)
        p->q[i] -= to->q[i];
    return trmi_weighted_max(p->q, s->weight, s->e.n_q) > 1 ||
           (turned && has_way_round(s, trial, &from, side));
}
