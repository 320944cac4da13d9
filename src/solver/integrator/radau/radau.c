// SPDX-License-Identifier: Apache-2.0
// Steps of Radau IIA: predict the stages, form the matrices, iterate, test, accept or
// try again. The last stage is the new point; it is brought onto the constraints to roundoff, and
// accelerations and multipliers of full order come from one more solution there.
#include "solver/integrator/radau/radau.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/weights.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// the first step, against that of a method of order one
static const double FIRST_STEP = 30;

// ---- creation ----

static bool create_stage(trmi_radau_stage *stage, trmi_memory *memory, const trmi_evaluator *e)
{
    int n = e->n_q + e->n_x + e->n_z + e->n_r_full + 1;
    return trmi_point_create(&stage->point, memory, e) && TRMI_TAKE(memory, stage->z, e->n_q) &&
           TRMI_TAKE(memory, stage->dx, e->n_x) && TRMI_TAKE(memory, stage->slope, e->n_q) &&
           TRMI_TAKE(memory, stage->g, e->n_r_full + 1) &&
           TRMI_TAKE(memory, stage->level, e->n_r_full + 1) &&
           TRMI_TAKE(memory, stage->offset, e->n_r_full + 1) && TRMI_TAKE(memory, stage->rhs, n) &&
           TRMI_TAKE(memory, stage->step, e->n_q);
}

static bool create(trm_simulation *s)
{
    trmi_memory *memory = &s->memory;
    const trmi_evaluator *e = &s->e;
    trmi_radau *r;
    int n = e->n_q + e->n_x + e->n_z + e->n_r_full + 1, size = 2 * e->n_q + e->n_x;
    if (!TRMI_TAKE(memory, r, 1))
        return false;
    s->state = r;
    trmi_radau_order_create(s);
    r->index1 = s->corrector.policy->level == TRMI_LEVEL_ACCELERATION;
    int stages = r->family[r->order.max].s;
    bool good = true;
    for (int i = 0; i < stages && good; i++)
        good = create_stage(&r->stage[i], memory, e) && TRMI_TAKE(memory, r->transformed[i], n);
    for (int i = 0; i <= stages && good; i++)
        good = TRMI_TAKE(memory, r->past.y[i], size + e->n_z + e->n_r_full + 1);
    return good && trmi_point_create(&r->base, memory, e) &&
           trmi_point_create(&r->filtered, memory, e) && TRMI_TAKE(memory, r->work[0], n) &&
           TRMI_TAKE(memory, r->work[1], n) && TRMI_TAKE(memory, r->pair, n) &&
           TRMI_TAKE(memory, r->rate, e->n_q + e->n_x) &&
           TRMI_TAKE(memory, r->rate_next, e->n_q + e->n_x) && TRMI_TAKE(memory, r->defect, size) &&
           TRMI_TAKE(memory, r->error, size);
}

// Whether bodies and joints make good blocks for the splits: if their masses do (those of
// quaternions do not).
static bool use_blocks(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    trm_statistics uncounted = {0};
    trmi_values trial = {0};
    trmi_memory scratch;
    if (!trmi_saddle_create_blocks(&r->split, &s->memory, &s->values, s->options.linear_solver,
                                   true))
        return false;
    trmi_memory_init(&scratch, &s->options.allocator);
    r->split.values = &trial;
    bool good = trmi_values_create(&trial, &scratch, &s->e, TRMI_POSITION_QUANTITIES, &uncounted) &&
                trmi_evaluate(&s->e, &s->now, TRMI_POSITION_QUANTITIES, &trial) == 0 &&
                trmi_tangent_create(&r->tangent, &s->memory, &r->split, NULL) &&
                trmi_tangent_factor(&r->tangent) == TRMI_FACTOR_OK;
    trmi_tangent_destroy(&r->tangent);
    r->split.values = &s->values;
    trmi_memory_release_all(&scratch);
    return good;
}

// the matrices, once it is known which rows are redundant
static trm_status prepare(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    int stages = r->family[r->order.max].s;
    bool reducible = !r->index1 && s->options.linear_solver != TRM_SOLVER_SPARSE;
    bool blocks = use_blocks(s);
    trm_status status =
        trmi_shifted_create(&r->matrix, &s->memory, &s->values, s->options.linear_solver,
                            (stages - 1) / 2, reducible, blocks, &s->error);
    trmi_saddle *split = blocks || status != TRM_OK ? &r->split : &r->matrix.form->saddle;
    bool good = status == TRM_OK && trmi_tangent_create(&r->tangent, &s->memory, split, NULL);
    for (int i = 0; i < stages && good; i++)
        good = trmi_tangent_create(&r->stage[i].tangent, &s->memory, split, &r->tangent);
    if (status == TRM_OK && !good)
        status = trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for a simulation");
    if (status == TRM_OK)
        s->start.solver = r->matrix.form->saddle.solver->type->name; // not that of the start
    return status;
}

static void destroy(trm_simulation *s)
{
    trmi_radau *r = trmi_radau_of(s);
    if (!r)
        return;
    for (int i = 0; i < r->family[r->order.max].s; i++)
        trmi_tangent_destroy(&r->stage[i].tangent);
    for (int k = 0; k < TRMI_RADAU_FAMILIES; k++)
        trmi_stacked_destroy(&r->stacked[k]);
    trmi_tangent_destroy(&r->tangent);
    trmi_saddle_destroy(&r->split);
    trmi_shifted_destroy(&r->matrix);
}

static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_radau *r = trmi_radau_of(s);
    trmi_control *c = &s->control;
    trm_status status = trmi_ode_begin(s, t_end, r->rate);
    if (!c->given && t_end > s->now.t)
        c->h = fmax(c->h, fmin(1e-3 * (t_end - s->now.t), FIRST_STEP * c->h));
    c->h = fmin(c->h, s->options.h_max);
    trmi_radau_order_begin(s);
    r->past.exists = r->set_exists = r->set_wanted = r->rejected = false;
    r->h_factored = r->error_accepted = r->h_accepted = r->h_cap = r->h_failed = 0;
    r->since_failure = 0;
    return status;
}

// the most stages at once
static void join(trm_simulation *s)
{
    trmi_radau_use_family(s, trmi_radau_of(s)->order.max);
}

// ---- the end of a step ----

// positions and velocities onto the constraints with the split there, and what is left of both
static trmi_outcome project_end(trm_simulation *s, trmi_tangent *tangent, trmi_point *p)
{
    static const trmi_sweeps velocities = {.min = 2, .max = 2};
    const trmi_sweeps positions = {
        .max = 3, .roundoff = TRMI_ON_MANIFOLD, .want = TRMI_RADAU_LEVELS, .settle = true};
    trmi_evaluator *e = &s->e;
    const trmi_manifold m = trmi_radau_manifold(s, tangent);
    int settled = e->constraint_uses_z ? trmi_settle_z(e, p, &s->values) : 0;
    trmi_outcome result = trmi_callback_result(
        settled == 0 ? trmi_evaluate(e, p, TRMI_RADAU_LEVELS, &s->values) : settled);
    if (result == TRMI_OUTCOME_OK && trmi_tangent_factor(tangent) != TRMI_FACTOR_OK)
        return TRMI_OUTCOME_SINGULAR;
    if (result == TRMI_OUTCOME_OK && e->n_g > 0)
        result = trmi_manifold_sweep(&m, TRMI_POSITIONS, p, &positions, NULL, NULL);
    if (result == TRMI_OUTCOME_OK && e->n_r > 0)
        result = trmi_manifold_sweep(&m, TRMI_VELOCITIES, p, &velocities, NULL, NULL);
    trmi_manifold_residuals(&m, p->v, &s->statistics.position_residual,
                            &s->statistics.velocity_residual);
    return result;
}

// forces without multipliers, no z: B (a, lambda) = (f, -gamma)
static trmi_outcome solve_linear(trm_simulation *s, trmi_tangent *tangent, trmi_point *p,
                                 double *rate)
{
    trmi_evaluator *e = &s->e;
    const trmi_manifold m = trmi_radau_manifold(s, tangent);
    const uint64_t want = TRM_BIT(FORCE) | TRM_BIT(GAMMA) | TRM_BIT(RATE);
    int result = trmi_evaluate(e, p, want, &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    trmi_point at = *p;
    at.a = rate;
    trmi_manifold_accelerations(&m, &at);
    memcpy(rate + e->n_q, s->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *rate);
    double sum = 0;
    for (int i = 0; i < e->n_q + e->n_x; i++)
        sum += rate[i];
    return isfinite(sum) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// the new point in corrector.point, from the last stage
static trmi_outcome finish(trm_simulation *s, trmi_step_trial *trial)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    trmi_radau_stage *last = &r->stage[r->tableau->s - 1];
    trmi_point *p = &s->corrector.point, *from = &last->point;
    p->t = s->now.t + trial->h;
    memcpy(p->q, from->q, (size_t)e->n_q * sizeof *p->q);
    memcpy(p->v, from->v, (size_t)e->n_q * sizeof *p->v);
    memcpy(p->x, from->x, (size_t)e->n_x * sizeof *p->x);
    memcpy(p->z, from->z, (size_t)e->n_z * sizeof *p->z);
    memcpy(p->lambda, from->lambda, (size_t)e->n_r * sizeof *p->lambda);
    trmi_outcome result =
        trmi_project_step(s); // index1-projected: the stages are off the constraints
    if (result == TRMI_OUTCOME_OK)
        result = project_end(s, &last->tangent, p);
    if (result != TRMI_OUTCOME_OK)
        return result;
    if (e->n_z == 0 && !e->force_uses_lambda)
        return solve_linear(s, &last->tangent, p, r->rate_next);
    trmi_point at = *p; // its a is the rate
    return trmi_ode_evaluate(s, &s->saddle, &at, r->rate_next);
}

// ---- steps ----

static trmi_outcome solve_stages(trm_simulation *s, double h)
{
    trmi_radau_of(s)->newton = (trmi_radau_newton){.remaining = HUGE_VAL};
    trmi_outcome result = trmi_radau_prepare_matrix(s, h);
    if (result != TRMI_OUTCOME_OK)
        return result;
    trmi_radau_predict(s, h);
    return trmi_radau_iterate(s, h);
}

static trmi_outcome attempt(trm_simulation *s, trmi_step_trial *trial)
{
    trial->k = 2 * trmi_radau_of(s)->tableau->s - 1;
    return solve_stages(s, trial->h);
}

// the derivatives may have been old, or the corrector too simple
static trmi_outcome rescue(trm_simulation *s, trmi_step_trial *trial, trmi_outcome outcome)
{
    if (outcome == TRMI_OUTCOME_DIVERGED && !s->corrector.log.fresh) {
        trmi_radau_of(s)->set_wanted = true;
        outcome = solve_stages(s, trial->h);
    }
    if (outcome == TRMI_OUTCOME_DIVERGED && trmi_radau_order_rescue(s))
        outcome = solve_stages(s, trial->h);
    return outcome;
}

static void adapt_to_failure(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason)
{
    trmi_radau_not_converged(s, trial->h, reason);
    trmi_radau_order_failed(s, reason);
}

static void accept(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_radau *r = trmi_radau_of(s);
    double *rate = r->rate;
    r->set_wanted = trmi_radau_wants_set(r);
    trmi_radau_keep(s, trial->h, &s->corrector.point);
    r->rate = r->rate_next;
    r->rate_next = rate;
    memcpy(s->corrector.point.a, r->rate, (size_t)s->e.n_q * sizeof *rate);
    s->statistics.coupled_steps += r->order.stacked;
    trmi_radau_order_accepted(s);
}

static void forget_derivatives(trm_simulation *s)
{
    trmi_radau_of(s)->set_wanted = true;
}

// ---- checkpoints ----

#define FIELD(member) TRMI_FIELD(trmi_radau, member)
static const trmi_field fields[] = {
    FIELD(set_exists), FIELD(set_wanted), FIELD(rejected), FIELD(past.exists),
    FIELD(h_factored), FIELD(past.t),     FIELD(past.h),   FIELD(error_accepted),
    FIELD(h_accepted), FIELD(h_cap),      FIELD(h_failed), FIELD(since_failure)};

static void archive_state(trm_simulation *s, trmi_archive *a)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    int size = 2 * e->n_q + e->n_x + e->n_z + e->n_r;
    TRMI_ARCHIVE_FIELDS(a, r, fields);
    trmi_radau_order_archive(s, a);
    for (int i = 0; i <= r->past.tableau->s; i++)
        trmi_archive_doubles(a, r->past.y[i], size);
    trmi_archive_doubles(a, r->rate, e->n_q + e->n_x);
    trmi_shifted_archive(&r->matrix, a);
    trmi_tangent_archive(&r->tangent, a);
    for (int i = 0; i < r->family[r->order.max].s; i++)
        trmi_tangent_archive(&r->stage[i].tangent, a);
    trmi_radau_archive_coupled(s, a);
    trmi_radau_sensitivities_archive(s, a);
}

// one method, with a fixed number of stages or several to choose from
#define RADAU_METHOD(key, order)                                                                   \
    {                                                                                              \
        .name = key, .order_max = order, .tightening = 1, .implicit = true, .long_steps = true,    \
        .energy_advice = {TRMI_TIGHTEN, TRMI_TIGHTEN}, .create = create, .prepare = prepare,       \
        .begin = begin, .join = join, .dense = trmi_radau_dense,                                   \
        .reexpress = trmi_radau_reexpress, .archive = archive_state, .destroy = destroy,           \
        .forget_derivatives = forget_derivatives, .attempt = attempt, .rescue = rescue,            \
        .sensitivities_create = trmi_radau_sensitivities_create,                                   \
        .sensitivities = trmi_radau_sensitivities,                                                 \
        .sensitivities_at = trmi_radau_sensitivities_at, .estimate = trmi_radau_estimate,          \
        .finish = finish, .adapt_to_failure = adapt_to_failure,                                    \
        .adapt_to_error = trmi_radau_adapt_to_error, .plan = trmi_radau_plan, .accept = accept     \
    }

const trmi_method trmi_method_radau = RADAU_METHOD("radau", 5);
const trmi_method trmi_method_radau_adaptive = RADAU_METHOD("radau-adaptive", 13);
