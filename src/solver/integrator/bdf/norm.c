// SPDX-License-Identifier: Apache-2.0
// The norm of the error test: which components it has, and when.
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"

#include <float.h>
#include <math.h>

// Velocities are tested too in this many first steps, and where steps are short against those
// before (a decaying maximum).
enum { CAREFUL_STEPS = 12 };
static const double SHORT = 0.1;
// Rates of rotations by this angle in a step count fully, rad, below this part of it not at all; a
// body spins that was re-centred so often.
static const double FAST_TURN = 0.1, SLOW = 0.3;
enum { SPINS = 10 };

// Among the first steps, from a start or behind a break at which the past was bent: what that
// leaves of higher derivatives is seen in velocities first.
static bool begins(const trm_simulation *s)
{
    long bent = s->control.bent, steps = s->statistics.steps;
    return trmi_steps_since_start(s) < CAREFUL_STEPS || (bent > 0 && steps - bent < CAREFUL_STEPS);
}

// Positions alone are tested, but an error of one tolerance in q over a short step is a large error
// in v, which the motion keeps for good: at the start, and after a jump, velocities are tested too.
static bool careful(const trm_simulation *s, double h)
{
    // velocities that start off the constraints jump onto them: no step is short enough for that
    bool consistent = s->options.start == TRM_START_PROJECT;
    // positions of index 3 give no estimate of velocities, least of all at the start; without
    // constraints every formulation is the same
    bool index3 = s->options.formulation == TRM_FORMULATION_INDEX3 && s->e.n_g > 0;
    return s->method->careful_start && consistent && !index3 &&
           (begins(s) || h < SHORT * s->control.h_typical);
}

// What a component of the error test covers: all coordinates, or the independent ones.
typedef struct subset {
    const int *list; // NULL: all
    int count;
} subset;

static trm_error_test error_test(const trm_simulation *s)
{
    if (s->options.error_test != TRM_ERROR_TEST_AUTO)
        return s->options.error_test;
    bool independent = s->method->tests_independent && s->corrector.policy->classic_independent;
    if (s->corrector.policy->test_velocities)
        return TRM_ERROR_TEST_QV;
    return independent ? TRM_ERROR_TEST_INDEPENDENT : TRM_ERROR_TEST_Q;
}

bool trmi_tests_independent(trm_error_test test)
{
    return test == TRM_ERROR_TEST_INDEPENDENT || test == TRM_ERROR_TEST_INDEPENDENT_QV ||
           test == TRM_ERROR_TEST_KAPPA;
}

// Independent coordinates x stand for all, q = x - Q x: |dq| <= sqrt(1 + kappa^2) |dx|, kappa =
// |Q|. Yen and Petzold (2.27) have kappa alone, which leaves out the part of x itself and vanishes
// where the dependent coordinates rest.
static double amplification(const trm_simulation *s, trm_error_test test)
{
    const trmi_split *split = test == TRM_ERROR_TEST_KAPPA ? trmi_step_split(s) : NULL;
    return split && !split->basis ? hypot(1, trmi_split_norm(split)) : 1;
}

static subset tested_coordinates(const trm_simulation *s, trm_error_test test)
{
    const trmi_split *split = trmi_step_split(s);
    split = split ? split : trmi_saddle_split(&s->saddle);
    if (trmi_tests_independent(test) && split && split->p > 0 && !split->basis)
        return (subset){split->independent, split->p};
    return (subset){NULL, s->e.n_q};
}

// sum of (weight (y - p_k(t)))^2 over the subset of the block that begins at `begin`
static double defect(const trm_simulation *s, subset lead, int k, double t, int begin,
                     const double *y, const double *weight)
{
    double sum = 0;
    if (lead.list) {
        for (int j = 0; j < lead.count; j++)
            sum += trmi_history_defect(&s->history, k, t, begin + lead.list[j], 1, y + lead.list[j],
                                       weight + lead.list[j]);
        return sum;
    }
    if (begin > 0 || k != s->prediction.order)
        return trmi_history_defect(&s->history, k, t, begin, lead.count, y, weight);
    for (int i = 0; i < lead.count; i++) { // the predictor is at hand
        double d = (y[i] - s->prediction.y[i]) * weight[i];
        sum += d * d;
    }
    return sum;
}

// |q| in the norm of the velocities
static double position_norm(trm_simulation *s)
{
    const double *weight = s->weight + s->e.n_q;
    double *size = trmi_scratch_take(&s->scratch, s->e.n_q), sum = 0;
    trmi_position_sizes(&s->corrector, s->now.q, size);
    for (int i = 0; i < s->e.n_q; i++)
        sum += size[i] * weight[i] * size[i] * weight[i];
    trmi_scratch_release(&s->scratch, size);
    return sqrt(sum);
}

// The roundoff in v = cj q + offset, 2^(k+1) eps |q| / h, in the norm of the velocities. It is no
// error that a shorter step could reduce.
static double velocity_roundoff(trm_simulation *s, int k, double h, double *positions)
{
    double shortest = s->control.h_last > 0 ? fmin(h, s->control.h_last) : h;
    if (isnan(*positions))
        *positions = position_norm(s);
    return (double)(2 << k) * DBL_EPSILON / shortest * *positions;
}

bool trmi_bdf_begins_badly(trm_simulation *s)
{
    if (trmi_evaluate(&s->e, &s->now, TRMI_POSITION_QUANTITIES, &s->values) != 0)
        return true;
    double positions = NAN;
    return velocity_roundoff(s, s->control.k, s->control.h, &positions) > sqrt(s->e.n_q);
}

// sum of (weight (y - p_k(t)))^2 over the positions or the velocities of the subset. A projected
// step is judged by what the corrector found, or by its part along the constraints.
static double motion_defect(trm_simulation *s, subset lead, int k, double t, bool velocities,
                            const double *weight)
{
    int n = s->e.n_q, begin = velocities ? n : 0;
    if (s->corrector.policy->after != TRMI_AFTER_PROJECTION)
        return defect(s, lead, k, t, begin,
                      velocities ? s->corrector.point.v : s->corrector.point.q, weight);
    if (s->options.projection_estimate == TRM_PROJECTION_ESTIMATE_RAW)
        return defect(s, lead, k, t, begin, s->projection.unprojected + begin, weight);
    double *e = s->projection.estimate, sum = 0;
    trmi_history_subtract(&s->history, k, t, begin, n, s->projection.unprojected + begin, e);
    if (velocities)
        trmi_project_velocity_error(&s->projection.manifold, e);
    else
        trmi_project_position_error(&s->projection.manifold, e);
    for (int j = 0; j < lead.count; j++) {
        int i = lead.list ? lead.list[j] : j;
        double d = e[i] * weight[i];
        sum += d * d;
    }
    return sum;
}

// The diagonal of a matrix into out; false: there is none.
static bool take_diagonal(const trm_simulation *s, trm_quantity quantity, double *out)
{
    const trmi_matrix m = trmi_matrix_of(&s->values, (int)quantity);
    if (!m.value || (s->e.absent & TRM_BIT_OF(quantity)))
        return false;
    for (int i = 0; i < s->e.n_q; i++)
        out[i] = 0;
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.pattern.count;
         trmi_pattern_next(&at))
        if (at.row == at.column)
            out[at.row] += m.value[at.k];
    return true;
}

// The same over the velocities. In a short step errors count by what is left of them after a
// typical one, H: of m v' = -d v the part m/(m + H d).
static double velocity_defect(trm_simulation *s, subset lead, int k, double t, bool short_step)
{
    const int n = s->e.n_q;
    const double *given = s->weight + n, H = s->control.h_typical;
    double *weight = trmi_scratch_take(&s->scratch, 2 * n), *m = weight, *d = m + n;
    bool damped = short_step && take_diagonal(s, TRM_QUANTITY_MASS, m) &&
                  take_diagonal(s, TRM_QUANTITY_DAMPING, d);
    for (int i = 0; i < n && damped; i++)
        weight[i] = m[i] > 0 && d[i] > 0 ? given[i] * m[i] / (m[i] + H * d[i]) : given[i];
    double sum = motion_defect(s, lead, k, t, true, damped ? weight : given);
    trmi_scratch_release(&s->scratch, weight);
    return sum;
}

// Tolerances of rotations are parts of a radian, whatever their speed: over a step that turns a
// body by much less, an error of one tolerance is a large part of its speed, which a body that
// spins keeps. The rates of rotations that go on and on count, the more the faster they turn; and
// how many of them.
static double spin_defect(trm_simulation *s, int k, double t, double *count)
{
    int n = s->e.n_q;
    const double *v = s->corrector.point.v, *weight = s->weight + n;
    double per_turn = (t - s->history.t[0]) / FAST_TURN, sum = 0;
    for (int i = 0; s->statistics.recentrings >= SPINS && i < n; i++) {
        double share = fmin(1, per_turn * fabs(v[i]));
        if (s->turns[i] < SPINS || share < SLOW)
            continue;
        double part = pow(share, 6); // (weight share^3)^2
        sum += part * trmi_history_defect(&s->history, k, t, n + i, 1, &v[i], &weight[i]);
        *count += part;
    }
    return sum;
}

double trmi_test_norm(trm_simulation *s, int k, double t, double *positions)
{
    const trmi_evaluator *e = &s->e;
    trm_error_test test = error_test(s);
    subset lead = tested_coordinates(s, test);
    double h = t - s->history.t[0], sum = motion_defect(s, lead, k, t, false, s->weight);
    double count = lead.count + e->n_x;
    bool wanted = test == TRM_ERROR_TEST_QV || test == TRM_ERROR_TEST_INDEPENDENT_QV ||
                  test == TRM_ERROR_TEST_KAPPA;
    if (wanted || careful(s, h)) {
        double velocities = sqrt(velocity_defect(s, lead, k, t, !wanted && !begins(s)));
        if (!wanted || s->options.error_test == TRM_ERROR_TEST_AUTO)
            velocities = fmax(0, velocities - velocity_roundoff(s, k, h, positions));
        sum += velocities * velocities;
        count += lead.count;
    } else if (test == TRM_ERROR_TEST_Q && s->options.error_test == TRM_ERROR_TEST_AUTO) {
        sum += spin_defect(s, k, t, &count);
    }
    const subset states = {NULL, e->n_x};
    sum += defect(s, states, k, t, 2 * e->n_q, s->corrector.point.x, s->weight + 2 * e->n_q);
    return amplification(s, test) * sqrt(sum / count);
}
