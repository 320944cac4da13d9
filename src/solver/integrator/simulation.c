// SPDX-License-Identifier: Apache-2.0
// Creation and destruction of a simulation.
#include "solver/integrator/simulation.h"
#include "solver/integrator/branch.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/idle_options.h"
#include "solver/integrator/log.h"
#include "solver/integrator/output.h"
#include "solver/integrator/scratch.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/watch/watch.h"
#include "solver/integrator/weights.h"
#include "solver/system/difference.h"

#include <float.h>
#include <math.h>
#include <string.h>

// everything the wanted control and formulation needs
static uint64_t needed_quantities(const trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    const uint64_t matrix_of_accelerations =
        TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_LAMBDA);
    const uint64_t matrix_of_step =
        TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING) | TRM_BIT(FORCE_X) | TRM_BIT(FORCE_Z) |
        TRM_BIT(FORCE_LAMBDA) | TRM_BIT(RATE_Q) | TRM_BIT(RATE_V) | TRM_BIT(RATE_X) |
        TRM_BIT(RATE_Z) | TRM_BIT(RATE_LAMBDA) | TRM_BIT(ALGEBRAIC_Q) | TRM_BIT(ALGEBRAIC_V) |
        TRM_BIT(ALGEBRAIC_X) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_LAMBDA);
    const uint64_t invariants = trmi_keeps_invariants(s) ? TRMI_INVARIANT_QUANTITIES : 0;
    if (!s->method->implicit)
        return matrix_of_accelerations | invariants;
    uint64_t needed = matrix_of_step | invariants;
    if (policy->geometric)
        needed |= TRM_BIT(GEOMETRIC);
    if (s->sensitive)
        needed |= TRMI_SENSITIVITY_QUANTITIES;
    return needed | s->method->quantities;
}

// whether the matrices of BDF have rolling rows as they are
static bool exact_rolling(const trm_simulation *s, const trm_system *system)
{
    return s->method->multistep && !s->method->unknown_velocities &&
           trmi_rolling_suits(system, s->corrector.policy);
}

static trm_status no_memory(trm_simulation *s)
{
    return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for a simulation");
}

static bool create_history(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    int points = 3, multipliers = 3, rows = e->n_r_full + 1;
    if (s->method->history)
        s->method->history(s, &points, &multipliers);
    if (s->method->unknown_velocities) // with mu
        rows *= 2;
    return trmi_history_create(&s->history, &s->memory, 2 * e->n_q + e->n_x + e->n_z, points) &&
           trmi_history_add_multipliers(&s->history, &s->memory, rows, multipliers);
}

static trm_status take_memory(trm_simulation *s)
{
    trmi_memory *m = &s->memory;
    const trmi_evaluator *e = &s->e;
    bool good = trmi_watch_create(s) && trmi_repetition_create(s) &&
                TRMI_TAKE(m, s->weight, 2 * e->n_q + e->n_x + e->n_z) &&
                TRMI_TAKE(m, s->turns, e->n_q) && create_history(s) && trmi_points_create(s) &&
                trmi_create_scratch(s) && trmi_corrector_create(&s->corrector, m) &&
                s->method->create(s);
    return good ? TRM_OK : no_memory(s);
}

static void connect_corrector(trm_simulation *s)
{
    trmi_corrector *c = &s->corrector;
    c->e = &s->e;
    c->values = &s->values;
    c->saddle = &s->saddle;
    c->policy = trmi_policy_of(s->options.formulation);
    c->options = &s->options;
    c->statistics = &s->statistics;
    c->unknown_velocities = s->method->unknown_velocities;
    c->rough_predictor = s->method->rough_predictor;
    c->no_shorter_steps = !s->rule->adapts;
}

static void connect_weights(trm_simulation *s)
{
    trmi_corrector *c = &s->corrector;
    c->weight_q = s->weight;
    c->weight_v = s->weight + s->e.n_q;
    c->weight_x = c->weight_v + s->e.n_q;
    c->weight_z = c->weight_x + s->e.n_x;
}

// What is differenced, and with which columns together: by declared patterns, already for the
// start.
static bool create_patterns(trm_simulation *s)
{
    s->patterns.e = &s->e;
    s->patterns.values = &s->values;
    s->corrector.patterns = &s->patterns;
    return s->options.jacobian_source == TRM_JACOBIAN_SOURCE_DIFFERENCES ||
           trmi_patterns_create(&s->patterns, &s->memory, &s->e, &s->values, false);
}

// Once the start is known: patterns that are not declared, and what is left without redundant rows.
static bool complete_patterns(trm_simulation *s)
{
    bool estimate = s->options.jacobian_source == TRM_JACOBIAN_SOURCE_GROUPED;
    bool again =
        s->options.jacobian_source != TRM_JACOBIAN_SOURCE_DIFFERENCES && s->start.redundant > 0;
    if ((estimate || again) &&
        !trmi_patterns_create(&s->patterns, &s->memory, &s->e, &s->values, estimate))
        return false;
    trmi_patterns_estimate(&s->patterns, &s->now,
                           s->options.jacobian_pattern == TRM_JACOBIAN_PATTERN_START);
    trmi_patterns_count(&s->patterns);
    return true;
}

// The system as the steps see it: derivatives from the source that the options choose.
static trm_status create_evaluator(trm_simulation *s, const trm_system *system,
                                   const trm_initial *initial)
{
    const trm_jacobian_source source = s->options.jacobian_source;
    const trm_system wanted = trmi_source_system(system, source);
    s->e.user = *system;
    uint64_t needed = needed_quantities(s);
    if (exact_rolling(s, &wanted))
        needed |= TRM_BIT(VELOCITY_Q);
    trm_status status = trmi_evaluator_create(&s->e, &s->values, &s->memory, &wanted, needed,
                                              initial, &s->statistics, &s->error);
    s->e.paper_increments = s->options.jacobian_increments == TRM_INCREMENTS_PAPER;
    return status == TRM_OK ? trmi_source_check(&s->e, source, needed, &s->error) : status;
}

static trm_status check_direction(trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    if (!policy->frozen_direction || !s->e.lambda_enters)
        return TRM_OK;
    trmi_error_advise(&s->error, "use formulation cs, cm or ggl");
    return trmi_error_set(&s->error, TRM_ERR_OPTION,
                          "formulation = %s has constraint forces along G of an old matrix, "
                          "which is not a direction of forces that depend on the multipliers",
                          policy->name);
}

// A consistent start; redundant rows are left out from here on.
static trm_status find_start(trm_simulation *s, const trm_initial *initial)
{
    bool geometric = s->corrector.policy->geometric && s->method->implicit;
    trmi_point_set(&s->now, &s->e, initial);
    s->history.t[0] = s->points.t_first = initial->t;
    s->saddle.e = &s->e;
    s->saddle.values = &s->values;
    s->manifold.saddle = &s->saddle;
    if (!create_patterns(s))
        return no_memory(s);
    return trmi_start(&s->manifold, &s->memory, geometric, &s->now, &s->start, &s->error);
}

// Memory of the corrector, whose size the rows of the start determine.
static trm_status complete_corrector(trm_simulation *s)
{
    trmi_corrector *c = &s->corrector;
    trmi_memory *m = &s->memory;
    bool rolls = exact_rolling(s, &s->e.user), dropped = s->e.n_r < s->e.n_r_full;
    bool updates = s->method->implicit && s->method->corrects;
    bool good = trmi_rows_create(s) && (!rolls || trmi_rolling_create(c, m)) &&
                trmi_corrector_create_split(c, m) && complete_patterns(s) &&
                (!dropped || TRMI_TAKE(m, s->lambda_full, s->e.n_r_full)) &&
                (!updates || trmi_corrector_create_update(c, m, &s->now));
    return good ? TRM_OK : no_memory(s);
}

// What steps need beside the corrector: the method, projections, switches, branches.
static trm_status prepare_steps(trm_simulation *s)
{
    trm_status status = s->method->prepare ? s->method->prepare(s) : TRM_OK;
    if (status == TRM_OK)
        status = trmi_projected_create(s);
    if (status == TRM_OK)
        status = trmi_projected_begin(s, &s->now);
    if (status == TRM_OK)
        status = trmi_switches_create(s);
    return status == TRM_OK ? trmi_branch_create(s) : status;
}

static void finish(trm_simulation *s)
{
    if (trmi_extrapolates_multipliers(&s->corrector))
        s->prediction.multipliers =
            s->method->unknown_velocities ? s->history.multipliers : s->e.n_r;
    connect_weights(s);
    trmi_corrector_reset(&s->corrector);
    trmi_update_weights(s);
    trmi_update_view(s);
    if (s->options.formulation == TRM_FORMULATION_CM_FROZEN)
        trmi_log(s, TRM_LOG_WARNING,
                 "cm-frozen is a smoother, not an integrator: its error does not vanish with the "
                 "tolerance; use cs for results");
    trmi_warn_of_idle_options(s);
}

static trm_status build(trm_simulation *s, const trm_system *system, const trm_initial *initial)
{
    connect_corrector(s);
    trm_status status = create_evaluator(s, system, initial);
    if (status == TRM_OK)
        status = take_memory(s);
    if (status == TRM_OK)
        status = check_direction(s);
    if (status == TRM_OK)
        status = find_start(s, initial);
    if (status == TRM_OK)
        status = complete_corrector(s);
    if (status == TRM_OK)
        status = prepare_steps(s);
    if (status == TRM_OK)
        finish(s);
    return status;
}

// the method of the options, which hold the choice of auto from here on, unless one is given
static void find_method(trm_simulation *s, const trmi_method *given, int n_a)
{
    trm_options *o = &s->options;
    double tightening = 1;
    s->because = "";
    if (!given && o->integrator == TRM_INTEGRATOR_AUTO && s->sensitive) {
        s->because = trmi_choose_for_sensitivities(o, n_a);
    } else if (!given && o->integrator == TRM_INTEGRATOR_AUTO && trmi_reason_for_bdf(o)) {
        s->because = trmi_reason_for_bdf(o);
        o->integrator = TRM_INTEGRATOR_BDF;
        bool tested = trmi_step_rule_of(o)->adapts && o->control == TRM_CONTROL_DEFAULT;
        tightening = tested ? trmi_tightening_in_auto(o->integrator, o->rtol) : 1;
    }
    s->method = given ? given : trmi_method_of(o->integrator, o->control);
    if (o->max_order == 0)
        o->max_order = trmi_usual_order(s->method);
    s->rule = trmi_step_rule_of(o);
    s->accuracy = (trmi_accuracy){o->rtol, o->atol, o->max_order, tightening};
    if (s->because[0])
        trmi_log(s, TRM_LOG_INFO, "auto: %s, because %s", s->method->name, s->because);
}

trm_status trmi_simulation_create_as(trm_simulation **out, const trm_system *system,
                                     const trm_options *options, const trm_initial *initial,
                                     const trmi_simulation_kind *kind, trm_error *error)
{
    *out = NULL;
    trm_error local;
    error = error ? error : &local;
    const trm_initial origin = {0};
    initial = initial ? initial : &origin;
    trm_status status = trmi_check_given(system, options, initial, error);
    if (status != TRM_OK)
        return status;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    trm_simulation *s;
    if (!TRMI_TAKE(&memory, s, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a simulation");
    s->memory = memory;
    s->options = *options;
    trmi_error_clear(&s->error);
    s->sensitive = kind->sensitive;
    find_method(s, kind->method, system->n_a);
    if (s->method->admit)
        status = s->method->admit(s);
    if (status == TRM_OK)
        status = build(s, system, initial);
    if (status == TRM_OK) {
        s->start.integrator = s->method->name;
        s->start.because = s->because;
        bool projected = !s->method->implicit && s->options.formulation == TRM_FORMULATION_CS;
        s->start.formulation =
            trmi_policy_of(projected ? TRM_FORMULATION_INDEX1_PROJECTED : s->options.formulation)
                ->name;
        *out = s;
        return TRM_OK;
    }
    *error = s->error;
    error->status = status;
    trm_simulation_destroy(s);
    return status;
}

trm_status trmi_simulation_create(trm_simulation **out, const trm_system *system,
                                  const trm_options *options, const trm_initial *initial,
                                  const trmi_method *method, trm_error *error)
{
    const trmi_simulation_kind kind = {.method = method};
    return trmi_simulation_create_as(out, system, options, initial, &kind, error);
}

trm_status trm_simulation_create(trm_simulation **out, const trm_system *system,
                                 const trm_options *options, const trm_initial *initial,
                                 trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, system, "system");
    return trmi_simulation_create(out, system, options, initial, NULL, error);
}

void trm_simulation_destroy(trm_simulation *s)
{
    if (!s)
        return;
    trmi_log_conclude(s);
    trmi_sampler_destroy(s);
    if (s->sensitivity)
        s->sensitivity->release(s);
    if (s->method && s->method->destroy && s->state)
        s->method->destroy(s);
    trmi_saddle_destroy(&s->saddle);
    if (s->mass_saddle)
        trmi_saddle_destroy(s->mass_saddle);
    trmi_rows_destroy(s);
    trmi_repetition_destroy(s);
    trmi_memory memory = s->memory; // s itself lives in it
    trmi_memory_release_all(&memory);
}
