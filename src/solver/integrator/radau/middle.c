// SPDX-License-Identifier: Apache-2.0
// The matrices of a step. All derivatives are taken at one point, the middle of the step as
// predicted, brought onto the constraints, with the accelerations and multipliers that belong to
// it: a stiffness of one point with constraints of another would let Newton "converge" far from the
// solution where a stiff force is normal to the constraints.
//
// Coupled stages (stacked_stages.c) have derivatives of their own, and these serve the error
// estimate alone. What that filters is the defect at the beginning of the step, where a stiff force
// has another direction than in the middle: there they are taken then, once for all attempts.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"

#include <math.h>
#include <string.h>

// with so few corrections of positions the split has hardly changed
enum { CORRECTIONS_FEW = 2 };
static const double SAME_STEP = 1e-12; // steps that differ by roundoff share their factors

static trmi_outcome factor_split(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    int result = trmi_evaluate(&s->e, &r->base, TRMI_RADAU_LEVELS, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    return trmi_tangent_factor(&r->tangent) == TRMI_FACTOR_OK ? TRMI_OUTCOME_OK
                                                              : TRMI_OUTCOME_SINGULAR;
}

// q onto g = 0 with one split; *corrections: how many it took
static trmi_outcome project_positions(trm_simulation *s, int *corrections)
{
    const trmi_manifold m = trmi_radau_manifold(s, &trmi_radau_of(s)->tangent);
    trmi_sweeps sweeps = {.max = 4, .roundoff = TRMI_ON_MANIFOLD, .want = TRM_BIT(CONSTRAINT)};
    if (s->e.constraint_uses_z)
        sweeps.want |= TRM_BIT(CONSTRAINT_Q); // for the effective g
    return trmi_manifold_sweep(&m, TRMI_POSITIONS, &trmi_radau_of(s)->base, &sweeps, NULL,
                               corrections);
}

// v onto the constraints, then B (a, lambda) = (f, -gamma)
static trmi_outcome find_accelerations(trm_simulation *s)
{
    static const trmi_sweeps once = {.min = 1, .max = 1};
    trmi_radau *r = trmi_radau_of(s);
    const trmi_manifold m = trmi_radau_manifold(s, &r->tangent);
    if (s->e.n_r > 0)
        trmi_manifold_sweep(&m, TRMI_VELOCITIES, &r->base, &once, NULL, NULL);
    int result = trmi_evaluate(&s->e, &r->base, TRM_BIT(FORCE) | TRM_BIT(GAMMA), &s->values);
    if (result == 0)
        trmi_manifold_accelerations(&m, &r->base);
    return trmi_callback_result(result);
}

// The split where positions are now; its factors stay if they were good enough to get there.
static trmi_outcome renew_split(trm_simulation *s, int corrections)
{
    if (corrections > CORRECTIONS_FEW)
        return factor_split(s);
    int result = corrections > 0
                     ? trmi_evaluate(&s->e, &trmi_radau_of(s)->base, TRMI_RADAU_LEVELS, &s->values)
                     : 0;
    trmi_tangent_take(&trmi_radau_of(s)->tangent);
    return trmi_callback_result(result);
}

// the middle of the step with its split, velocities, accelerations and multipliers
static trmi_outcome place_middle(trm_simulation *s, double h)
{
    int corrections = 0;
    trmi_radau_predict_middle(s, h);
    trmi_outcome result = factor_split(s);
    if (result == TRMI_OUTCOME_OK && s->e.n_g > 0)
        result = project_positions(s, &corrections);
    if (result == TRMI_OUTCOME_OK)
        result = renew_split(s, corrections);
    return result == TRMI_OUTCOME_OK ? find_accelerations(s) : result;
}

// M, G and the derivatives of the matrix, all of them at one point. split: it has none yet.
static trmi_outcome take_set(trm_simulation *s, bool split)
{
    trmi_radau *r = trmi_radau_of(s);
    int result = trmi_evaluate(&s->e, &r->base,
                               TRMI_RADAU_LEVELS | trmi_saddle_derivatives(&r->matrix.form->saddle),
                               &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    if (split && trmi_tangent_factor(&r->tangent) != TRMI_FACTOR_OK)
        return TRMI_OUTCOME_SINGULAR;
    trmi_shifted_take(&r->matrix, r->tangent.regularization);
    s->statistics.jacobian_evaluations++;
    r->set_exists = true;
    r->set_wanted = false;
    r->h_factored = 0;
    return TRMI_OUTCOME_OK;
}

bool trmi_radau_leave_blocks(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    double h = r->h_factored > 0 ? r->h_factored : s->control.h;
    return !trmi_shifted_in_blocks(&r->matrix) ||
           (trmi_shifted_leave_blocks(&r->matrix) && take_set(s, false) == TRMI_OUTCOME_OK &&
            trmi_shifted_factor(&r->matrix, r->tableau->real_shift / h, NULL, 0) == TRMI_FACTOR_OK);
}

// The factors for h. Where blocks fail the whole matrix, which has to be taken first, decides.
static trmi_outcome factor(trm_simulation *s, double h, int pairs)
{
    trmi_radau *r = trmi_radau_of(s);
    double complex shift[TRMI_MAX_PAIRS];
    double real = r->tableau->real_shift / h;
    for (int k = 0; k < pairs; k++)
        shift[k] = r->tableau->shift[k] / h;
    trmi_factor_status status = trmi_shifted_factor(&r->matrix, real, shift, pairs);
    if (status != TRMI_FACTOR_OK && trmi_shifted_in_blocks(&r->matrix)) {
        trmi_outcome result =
            trmi_shifted_leave_blocks(&r->matrix) ? take_set(s, false) : TRMI_OUTCOME_SINGULAR;
        if (result != TRMI_OUTCOME_OK)
            return result;
        status = trmi_shifted_factor(&r->matrix, real, shift, pairs);
    }
    r->h_factored = status == TRMI_FACTOR_OK ? h : 0;
    return status == TRMI_FACTOR_OK ? TRMI_OUTCOME_OK : TRMI_OUTCOME_SINGULAR;
}

trmi_outcome trmi_radau_prepare_matrix(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    bool estimate = r->order.stacked && !r->order.trial; // serves that alone
    int pairs = estimate ? 0 : (r->tableau->s - 1) / 2;
    bool full = s->options.jacobian_update == TRM_JACOBIAN_UPDATE_FULL;
    bool fresh = !r->set_exists || r->set_wanted || full;
    trmi_outcome result = TRMI_OUTCOME_OK;
    if (!estimate)
        result = place_middle(s, h);
    else if (fresh)
        trmi_radau_copy_beginning(s);
    s->corrector.log.fresh = fresh;
    if (result == TRMI_OUTCOME_OK && fresh)
        result = take_set(s, estimate);
    if (result != TRMI_OUTCOME_OK || fabs(r->h_factored - h) <= SAME_STEP * h)
        return result;
    s->statistics.jacobian_updates += !fresh;
    return factor(s, h, pairs);
}

// ---- the transformed system ----

// Rows are scaled as in the matrix, by group: dynamics by 1/alpha^2, rates and rolling rows by
// 1/alpha, the others as they are, on the level of accelerations all constraints by 1/alpha^2.
// Multipliers come out divided by alpha^2. Where the rows of constraints are all 0, and multipliers
// not unknowns, only the entries before them are mixed (`mixed`).
typedef struct groups {
    int x, z, rolling; // where the rows of x, those of z and g, and the rolling ones begin
    int multipliers, n, mixed;
} groups;

static groups groups_of(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    int multipliers = e->n_q + e->n_x + e->n_z, n = multipliers + e->n_r;
    bool all = trmi_radau_of(s)->index1 || e->lambda_enters;
    return (groups){e->n_q, e->n_q + e->n_x,      multipliers + e->n_g, multipliers,
                    n,      all ? n : multipliers};
}

static void multiply(double *x, int begin, int end, double factor)
{
    for (int i = begin; i < end; i++)
        x[i] *= factor;
}

static void multiply_complex(double complex *x, int begin, int end, double complex factor)
{
    for (int i = begin; i < end; i++)
        x[i] *= factor;
}

static void solve_real(trm_simulation *s, double alpha, double *x)
{
    const groups at = groups_of(s);
    memset(x + at.mixed, 0, (size_t)(at.n - at.mixed) * sizeof *x);
    multiply(x, 0, at.x, 1 / (alpha * alpha));
    multiply(x, at.x, at.z, 1 / alpha);
    multiply(x, at.rolling, at.mixed, 1 / alpha);
    if (trmi_radau_of(s)->index1) {
        multiply(x, at.multipliers, at.rolling, 1 / (alpha * alpha));
        multiply(x, at.rolling, at.n, 1 / alpha);
    }
    trmi_shifted_solve(&trmi_radau_of(s)->matrix, x);
    multiply(x, at.multipliers, at.mixed, alpha * alpha);
}

// the complex unknown of the shift a + ib is u - iw
static void solve_pair(trm_simulation *s, int k, double complex alpha, double *u, double *w)
{
    const groups at = groups_of(s);
    double complex *x = trmi_radau_of(s)->pair;
    for (int i = 0; i < at.mixed; i++)
        x[i] = u[i] - w[i] * I;
    memset(x + at.mixed, 0, (size_t)(at.n - at.mixed) * sizeof *x);
    multiply_complex(x, 0, at.x, 1 / (alpha * alpha));
    multiply_complex(x, at.x, at.z, 1 / alpha);
    multiply_complex(x, at.rolling, at.mixed, 1 / alpha);
    if (trmi_radau_of(s)->index1) {
        multiply_complex(x, at.multipliers, at.rolling, 1 / (alpha * alpha));
        multiply_complex(x, at.rolling, at.n, 1 / alpha);
    }
    trmi_shifted_solve_pair(&trmi_radau_of(s)->matrix, k, x);
    multiply_complex(x, at.multipliers, at.mixed, alpha * alpha);
    for (int i = 0; i < at.mixed; i++) {
        u[i] = creal(x[i]);
        w[i] = -cimag(x[i]);
    }
}

// to_i = sum_j m_ij from_j over all stages
static void mix_stages(const trm_simulation *s, const double m[TRMI_MAX_STAGES][TRMI_MAX_STAGES],
                       double *const *from, double *const *to)
{
    trmi_combine_all(trmi_radau_of(s)->tableau->s, m, 1, from, NULL, groups_of(s).mixed, to);
}

static void find_rhs(const trmi_radau *r, double *rhs[TRMI_MAX_STAGES])
{
    for (int i = 0; i < r->tableau->s; i++)
        rhs[i] = r->stage[i].rhs;
}

void trmi_radau_solve_transformed(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    const trmi_radau_tableau *t = r->tableau;
    double *rhs[TRMI_MAX_STAGES];
    find_rhs(r, rhs);
    mix_stages(s, t->from_stages, rhs, r->transformed);
    solve_real(s, t->real_shift / h, r->transformed[0]);
    for (int k = 0; k < (t->s - 1) / 2; k++)
        solve_pair(s, k, t->shift[k] / h, r->transformed[1 + 2 * k], r->transformed[2 + 2 * k]);
}

void trmi_radau_solve(trm_simulation *s, double h)
{
    trmi_radau *r = trmi_radau_of(s);
    double *rhs[TRMI_MAX_STAGES];
    trmi_radau_solve_transformed(s, h);
    find_rhs(r, rhs);
    mix_stages(s, r->tableau->to_stages, r->transformed, rhs);
}
