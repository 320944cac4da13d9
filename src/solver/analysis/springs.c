// SPDX-License-Identifier: Apache-2.0
// Steps of an equilibrium where the stiffness has a potential. With a = M^-1 (f - G^T lambda), G a
// = 0, small motions dq along the constraints change the potential by
//
//     -a^T M dq + dq^T H dq / 2,   H = sym (M a - f + G^T lambda)_q - (M_q a)/2
//
// H is the covariant second derivative in the metric of M: it does not depend on the coordinates,
// whereas -f_q alone has curvatures of its own away from equilibrium, which in coordinates of
// joints turn a hanging chain over. The constraints are held by springs (penalty_stiffness.h), so
// that steps exist where these lose rank, and lambda follows by
//
//     A dq = f - G^T (lambda + W g),   dlambda = W (g + G dq)
//
// At every point the multipliers are those closest to balance. Close to lost rank these are noise:
// there they are continued by dlambda.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"

#include <math.h>
#include <string.h>

// Springs relative to the largest stiffness. Stiffer ones cost digits, which the blocks of a long
// chain need; they can be necessary where rows are curved.
static const double PENALTIES[] = {1e2, 1e4, 1e6};
enum { PENALTY_COUNT = sizeof PENALTIES / sizeof *PENALTIES };
static const double RELIEF = 1e-12; // of G M^-1 G^T, where that loses rank
static const double GROWTH = 10; // of multipliers that may be continued, against those in balance
static const double AWAY = 1e-4; // by which M is differenced

trmi_saddle *trmi_springs_saddle(trm_equilibrium *q)
{
    return q->springs.plain.e ? &q->springs.plain : &q->saddle;
}

trm_status trmi_springs_create(trm_equilibrium *q, int max_dense, trm_error *error)
{
    trmi_springs *s = &q->springs;
    trmi_evaluator *e = &q->e;
    s->used = trmi_definite_create(&s->definite, &q->memory, &q->values, max_dense) &&
              TRMI_TAKE(&q->memory, s->relief, e->n_r) &&
              TRMI_TAKE(&q->memory, s->acceleration, e->n_q) &&
              TRMI_TAKE(&q->memory, s->remainder, e->n_q) &&
              TRMI_TAKE(&q->memory, s->estimate, e->n_r);
    s->pivot = 1;
    if (s->used && e->user.n_bodies > 0 && !trmi_definite_mass(&s->definite)) {
        trmi_error_advise(error, "check the masses and inertias of the bodies that no constraint "
                                 "holds: a thin body has none about its axis");
        return trmi_error_set(error, TRM_ERR_SINGULAR,
                              "the mass matrix is singular up to roundoff on the motions the "
                              "constraints allow");
    }
    if (!s->used || !trmi_saddle_split(&q->saddle)) // the null space has no place for a relief
        return TRM_OK;
    return trmi_saddle_create_lu(&s->plain, &q->memory, &q->values, TRM_SOLVER_SPARSE, true, error);
}

void trmi_springs_destroy(trm_equilibrium *q)
{
    trmi_definite_destroy(&q->springs.definite);
    if (q->springs.plain.e)
        trmi_saddle_destroy(&q->springs.plain);
}

// ---- multipliers ----

trm_status trmi_springs_factor_start(trm_equilibrium *q, trm_error *error)
{
    trmi_springs *s = &q->springs;
    trmi_saddle *saddle = trmi_springs_saddle(q);
    trmi_definite_weigh(&s->definite, PENALTIES[0]);
    for (int i = 0; i < q->e.n_r; i++)
        s->relief[i] = RELIEF * s->definite.compliance[i];
    saddle->constraint_diagonal = s->relief;
    trm_status status = trmi_factor_start_checked(saddle, error);
    saddle->constraint_diagonal = NULL;
    // KLU replaces the block solver where that loses rank; its pivots do not measure how much
    bool reserve = trmi_is_block(saddle->solver) && saddle->factored != saddle->solver;
    s->pivot = reserve ? 0 : trmi_saddle_rank(saddle).smallest;
    return status;
}

void trmi_springs_balance(trm_equilibrium *q)
{
    trmi_springs *s = &q->springs;
    const trmi_evaluator *e = &q->e;
    trmi_point *p = &q->point;
    memcpy(s->acceleration, p->a, (size_t)e->n_q * sizeof *p->a);
    memcpy(s->remainder, q->force, (size_t)e->n_q * sizeof *q->force);
    bool noise = s->pivot < TRMI_RANK_PIVOT && q->report.iterations > 0;
    if (!noise || trmi_max_abs(s->estimate, e->n_r) > GROWTH * trmi_max_abs(p->lambda, e->n_r))
        return;
    memcpy(p->lambda, s->estimate, (size_t)e->n_r * sizeof *p->lambda);
    memcpy(s->remainder, q->values.of[TRM_QUANTITY_FORCE], (size_t)e->n_q * sizeof *s->remainder);
    trmi_add_constraint_force(&q->values, p->lambda, -1, s->remainder);
}

// ---- steps ----

// M' = (M(q + d a) - M(q - d a)) / 2d
static trm_status find_change(trm_equilibrium *q, trm_error *error)
{
    trmi_springs *s = &q->springs;
    trmi_evaluator *e = &q->e;
    const trmi_quantity *M = &e->block[TRM_QUANTITY_MASS];
    double *change = s->definite.change, *position = q->point.q;
    double d = AWAY / trmi_max_abs(s->acceleration, e->n_q);
    trm_status status = TRM_OK;
    memset(change, 0, (size_t)M->count * sizeof *change);
    if (!isfinite(d))
        return TRM_OK; // at rest
    double *here = trmi_scratch_take(&q->scratch, e->n_q);
    memcpy(here, position, (size_t)e->n_q * sizeof *here);
    for (int side = -1; side <= 1 && status == TRM_OK; side += 2) {
        for (int i = 0; i < e->n_q; i++)
            position[i] = here[i] + side * d * s->acceleration[i];
        status = trmi_evaluate_checked(e, &q->point, TRM_BIT(MASS), &q->values, error);
        for (int i = 0; i < M->count; i++)
            change[i] += side * q->values.of[TRM_QUANTITY_MASS][i] / (2 * d);
    }
    memcpy(position, here, (size_t)e->n_q * sizeof *here);
    trmi_scratch_release(&q->scratch, here);
    return status;
}

trm_status trmi_springs_evaluate(trm_equilibrium *q, uint64_t want, trm_error *error)
{
    size_t size = (size_t)q->e.n_q * sizeof *q->point.a;
    trm_status status = find_change(q, error);
    memcpy(q->point.a, q->springs.acceleration, size);
    if (status == TRM_OK)
        status = trmi_evaluate_checked(&q->e, &q->point, want, &q->values, error);
    memset(q->point.a, 0, size);
    return status;
}

// Where the stiffness of every body is positive the constraints need no springs, which cost digits.
static bool solve_without(trm_equilibrium *q)
{
    trmi_saddle *saddle = &q->saddle;
    if (!trmi_is_block(saddle->solver) || q->springs.pivot < TRMI_RANK_PIVOT ||
        trmi_saddle_try_rest(saddle, TRMI_STATIC_SHIFT) != TRMI_FACTOR_OK ||
        trmi_saddle_rank(saddle).smallest < TRMI_RANK_PIVOT)
        return false;
    q->shift = TRMI_STATIC_SHIFT;
    trmi_static_solve(q);
    return trmi_static_short(q);
}

// dense matrices have the digits for the stiffest springs
static bool factor(trmi_definite *d, double shift, bool thick)
{
    for (int k = 0; k < PENALTY_COUNT; k++) {
        trmi_definite_weigh(d, PENALTIES[d->solver ? k : PENALTY_COUNT - 1 - k]);
        if (trmi_definite_factor(d, shift, thick))
            return true;
    }
    return false;
}

// q->step from the factors of A
static void solve(trm_equilibrium *q)
{
    trmi_springs *s = &q->springs;
    const trmi_evaluator *e = &q->e;
    const double *g = trmi_position_level(&q->values), *W = s->definite.weight;
    double *rows = q->step + e->n_q, *tension = trmi_scratch_take(&q->scratch, e->n_r);
    memcpy(q->step, s->remainder, (size_t)e->n_q * sizeof *q->step);
    for (int i = 0; i < e->n_r; i++)
        tension[i] = W[i] * g[i];
    trmi_add_constraint_force(&q->values, tension, -1, q->step);
    trmi_scratch_release(&q->scratch, tension);
    trmi_definite_solve(&s->definite, q->step);
    trmi_constraint_product(&q->values, q->step, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = W[i] * (rows[i] + g[i]);
}

trm_status trmi_springs_step(trm_equilibrium *q, trm_error *error)
{
    if (!q->thick && solve_without(q))
        return TRM_OK;
    double shift = q->thick ? TRMI_MIN_STATIC : 0;
    bool driven_back = shift == 0; // small motions, along all directions
    for (int attempt = 0; attempt < 2 * TRMI_STATIC_SHIFTS; attempt++) {
        bool thick = attempt >= TRMI_STATIC_SHIFTS; // no mass is enough where there is none
        if (attempt == TRMI_STATIC_SHIFTS)
            shift = 0;
        bool solved = factor(&q->springs.definite, shift, thick);
        if (solved)
            solve(q);
        if (solved && trmi_static_short(q)) {
            q->shift = shift;
            q->report.shifted += !driven_back;
            return TRM_OK;
        }
        driven_back = driven_back && solved;
        shift = shift > 0 ? TRMI_STATIC_GROWTH * shift : fmax(TRMI_MIN_STATIC, 0.1 * q->shift);
    }
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the stiffness grows without bounds on the way to an equilibrium");
}
