// SPDX-License-Identifier: Apache-2.0
// The derivative checker: every supplied derivative against two-sided differences, and what is
// supplied in place of M and f against these.
#include "trammel/check.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/system/check_pattern.h"
#include "solver/system/check_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t DERIVATIVES =
    TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(CONSTRAINT_Z) | TRM_BIT(GAMMA) |
    TRM_BIT(VELOCITY_Q) | TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC) | TRM_BIT(DAMPING) |
    TRM_BIT(FORCE_X) | TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA) | TRM_BIT(RATE_Q) |
    TRM_BIT(RATE_V) | TRM_BIT(RATE_X) | TRM_BIT(RATE_Z) | TRM_BIT(RATE_LAMBDA) |
    TRM_BIT(ALGEBRAIC_Q) | TRM_BIT(ALGEBRAIC_V) | TRM_BIT(ALGEBRAIC_X) | TRM_BIT(ALGEBRAIC_Z) |
    TRM_BIT(ALGEBRAIC_LAMBDA) | TRM_BIT(ALGEBRAIC_T) | TRM_BIT(INVARIANT_Q) | TRM_BIT(INVARIANT_V);

// derivatives of forces: of sums whose terms may be much larger
static const uint64_t OF_FORCES = TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING) | TRM_BIT(FORCE_X) |
                                  TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA);

// the variant of a system that leaves one quantity to differences, by its pattern or over its whole
// rectangle
static trm_system without(const trm_system *system, trm_quantity quantity, bool sparse)
{
    trm_system s = *system;
    s.function[quantity] = NULL;
    s.evaluates &= ~TRM_BIT_OF(quantity);
    s.constant &= ~TRM_BIT_OF(quantity);
    if (!sparse)
        s.pattern[quantity] = (trm_pattern){0};
    return s;
}

// the quantity, and what it is the derivative of where that is not always there
static uint64_t needed_for(trm_quantity quantity)
{
    bool invariant = quantity == TRM_QUANTITY_INVARIANT_Q || quantity == TRM_QUANTITY_INVARIANT_V;
    return TRM_BIT_OF(quantity) | (invariant ? TRM_BIT(INVARIANT) : 0);
}

static trm_status create(trmi_evaluator *e, trmi_values *values, trmi_memory *memory,
                         const trm_system *system, const trm_state *state, trm_quantity quantity,
                         trm_statistics *statistics, trm_error *error)
{
    const trm_initial initial = {state->t, state->q, state->v, state->x, state->z, state->lambda};
    trm_system at = *system;
    at.held = state->held ? state->held : system->held;
    return trmi_evaluator_create(e, values, memory, &at, needed_for(quantity), &initial, statistics,
                                 error);
}

// a point of our own; what the caller leaves out is zero
static bool copy_point(trmi_point *p, trmi_memory *memory, const trmi_evaluator *e,
                       const trm_state *state)
{
    if (!trmi_point_create(p, memory, e))
        return false;
    const trm_initial initial = {state->t, state->q, state->v, state->x, state->z, state->lambda};
    trmi_point_set(p, e, &initial);
    trmi_copy_or_zero(p->a, state->a, e->n_q);
    return true;
}

// relative roundoff of sums over bodies, and what two-sided differences make of it
static const double SUM_NOISE = 1e-14, DIFFERENCE_NOISE = 1e-14 / 6e-6;

// the largest row of |M| |a| + |f|, the terms whose sum forces and residuals are
static double size_of_terms(const trmi_values *values, const trmi_point *p, double *sum)
{
    const trmi_matrix mass = trmi_matrix_of(values, TRM_QUANTITY_MASS);
    double largest = 0;
    int n = values->e->n_q;
    for (int i = 0; i < n; i++)
        sum[i] = fabs(values->of[TRM_QUANTITY_FORCE][i]);
    for (trmi_cursor at = trmi_pattern_begin(&mass.pattern); at.k < mass.count;
         trmi_pattern_next(&at))
        sum[at.row] += fabs(mass.value[at.k] * p->a[at.column]);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, sum[i]);
    return largest;
}

// the largest disagreement relative to the largest entry, of those that are not in doubt
static void find_worst(const trmi_comparison *c, trm_quantity quantity,
                       trm_derivative_report *report)
{
    const trm_pattern none = {0};
    double size = trmi_check_size(c);
    trmi_cursor at = trmi_pattern_begin(c->pattern ? c->pattern : &none);
    for (int k = 0; k < c->count; k++) {
        int row = c->pattern ? at.row : k % c->rows, column = c->pattern ? at.column : k / c->rows;
        double disagreement = fabs(c->supplied[k] - c->difference[k]), error = disagreement / size;
        if (c->pattern)
            trmi_pattern_next(&at);
        if ((c->doubt && disagreement <= c->doubt[k]) ||
            (!(error > report->error) && !isnan(error)))
            continue;
        *report = (trm_derivative_report){report->quantities,
                                          quantity,
                                          row,
                                          column,
                                          c->supplied[k],
                                          c->difference[k],
                                          isnan(error) ? HUGE_VAL : error};
    }
}

static bool are_finite(const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

// roundoff of differences of forces: of their terms, over the width of the difference
static int find_noise(trmi_evaluator *e, trmi_values *values, const trmi_point *p,
                      trmi_memory *memory, double *noise)
{
    double *sum;
    if (!TRMI_TAKE(memory, sum, e->n_q))
        return 0; // none is known
    int result = trmi_evaluate(e, p, TRM_BIT(MASS) | TRM_BIT(FORCE), values);
    if (result == 0)
        *noise = DIFFERENCE_NOISE * size_of_terms(values, p, sum);
    return result;
}

// ---- one quantity ----

// A supplied derivative, and the same system without it.
typedef struct subject {
    trm_quantity quantity;
    trmi_memory memory;
    trm_statistics statistics;
    trmi_evaluator with, bare;
    trmi_values values, differences;
    trmi_point p;
    trmi_comparison c;
} subject;

static trm_status open_subject(subject *s, const trm_system *system, const trm_state *state,
                               bool sparse, trm_error *error)
{
    const trm_system stripped = without(system, s->quantity, sparse);
    trmi_memory_init(&s->memory, NULL);
    trm_status status =
        create(&s->with, &s->values, &s->memory, system, state, s->quantity, &s->statistics, error);
    if (status == TRM_OK)
        status = create(&s->bare, &s->differences, &s->memory, &stripped, state, s->quantity,
                        &s->statistics, error);
    return status;
}

static trm_status take_entries(subject *s, const trm_state *state, bool sparse, trm_error *error)
{
    trmi_comparison *c = &s->c;
    trm_system_shape(&s->with.user, s->quantity, &c->rows, &c->columns);
    c->pattern = sparse ? &s->with.block[s->quantity].pattern : NULL;
    c->count = sparse ? c->pattern->count : c->rows * c->columns;
    if (TRMI_TAKE(&s->memory, c->supplied, c->count) &&
        TRMI_TAKE(&s->memory, c->difference, c->count) &&
        copy_point(&s->p, &s->memory, &s->with, state) &&
        (!sparse || trmi_check_group(&s->bare, s->quantity, &s->memory)))
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory to compare derivatives");
}

static trm_status evaluate_both(subject *s, trm_error *error)
{
    const uint64_t bit = TRM_BIT_OF(s->quantity);
    const trmi_evaluator *failed = &s->with;
    int result = 0;
    if (s->quantity == TRM_QUANTITY_GAMMA && s->with.constraint_uses_z)
        result = trmi_settle_z(&s->with, &s->p, &s->values); // the flow starts where b = 0
    if (result == 0)
        result = trmi_evaluate(&s->with, &s->p, bit, &s->values);
    if (result == 0 && (OF_FORCES & bit))
        result = find_noise(&s->with, &s->values, &s->p, &s->memory, &s->c.noise);
    failed = result == 0 ? &s->bare : failed;
    if (result == 0 && s->differences.of[s->quantity])
        result = trmi_difference(&s->bare, &s->p, bit, true, &s->differences, s->differences.of);
    if (result != 0)
        return trmi_error_set(error, TRM_ERR_CALLBACK, "the callback for %s returned %d",
                              trm_quantity_name(failed->culprit), result);
    trmi_check_spread(&s->c, &s->values, s->quantity, s->c.supplied);
    trmi_check_spread(&s->c, &s->differences, s->quantity, s->c.difference);
    if (!are_finite(s->c.difference, (size_t)s->c.count))
        return trmi_error_set(error, TRM_ERR_CALLBACK, "differences for %s are not finite",
                              trm_quantity_name(s->quantity));
    return TRM_OK;
}

// false: no memory
static bool judge(subject *s, double tolerance, bool *undecided, trm_derivative_report *report)
{
    trm_derivative_report plain = {.error = 0};
    find_worst(&s->c, s->quantity, &plain);
    const double seen = fmin(TRMI_UNSEEN, tolerance);
    if (plain.error > seen && s->differences.of[s->quantity] &&
        !trmi_check_steps(&s->bare, &s->p, s->quantity, seen, &s->differences, &s->memory, &s->c))
        return false;
    if (undecided)
        *undecided = trmi_check_outside(&s->bare, &s->p, s->quantity, &s->differences, &s->memory,
                                        &s->c) > TRMI_UNSEEN;
    if (undecided && *undecided)
        return true;
    report->quantities++;
    find_worst(&s->c, s->quantity, report);
    return true;
}

// Compares the whole rectangle; with `undecided` the entries of the pattern, unless there may be
// others: then that is set, and the report is as it was.
static trm_status compare(const trm_system *system, const trm_state *state, trm_quantity quantity,
                          double tolerance, bool *undecided, trm_derivative_report *report,
                          trm_error *error)
{
    const bool sparse = undecided != NULL;
    subject s = {.quantity = quantity};
    trm_status status = open_subject(&s, system, state, sparse, error);
    // what the probes found to be zero: the same in both, or the pattern is wrong
    bool absent = status == TRM_OK && trmi_has(s.with.absent, quantity);
    bool none = status == TRM_OK && trmi_has(s.bare.absent, quantity);
    if (absent && none) {
        report->quantities++;
    } else if (sparse && absent != none) {
        *undecided = true;
    } else if (status == TRM_OK) {
        status = take_entries(&s, state, sparse, error);
        if (status == TRM_OK)
            status = evaluate_both(&s, error);
        if (status == TRM_OK && !judge(&s, tolerance, undecided, report))
            status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory to compare derivatives");
    }
    trmi_memory_release_all(&s.memory);
    return status;
}

static trm_status compare_derivative(const trm_system *system, const trm_state *state,
                                     trm_quantity quantity, double tolerance,
                                     trm_derivative_report *report, trm_error *error)
{
    // multipliers have no scales, which the direction takes
    bool whole = !(system->pattern[quantity].count > 0) ||
                 trmi_differentiated_of(quantity)->by == TRMI_BY_LAMBDA;
    trm_status status = TRM_OK;
    if (!whole)
        status = compare(system, state, quantity, tolerance, &whole, report, error);
    return status == TRM_OK && whole
               ? compare(system, state, quantity, tolerance, NULL, report, error)
               : status;
}

// RESIDUAL against M a - f, ACCELERATION times M against f; not counted among the derivatives
static trm_status compare_dynamics(const trm_system *system, const trm_state *state,
                                   trm_quantity quantity, trm_derivative_report *report,
                                   trm_error *error)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_statistics statistics = {0};
    trmi_evaluator e;
    trmi_values values;
    trmi_point p;
    trmi_comparison c = {.rows = system->n_q, .columns = 1, .count = system->n_q};
    trm_status status = create(&e, &values, &memory, system, state, quantity, &statistics, error);
    if (status == TRM_OK &&
        (!TRMI_TAKE(&memory, c.supplied, c.rows) || !TRMI_TAKE(&memory, c.difference, c.rows) ||
         !copy_point(&p, &memory, &e, state)))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory to compare derivatives");
    int result =
        status == TRM_OK
            ? trmi_evaluate(&e, &p, TRM_BIT_OF(quantity) | TRM_BIT(MASS) | TRM_BIT(FORCE), &values)
            : 0;
    if (result != 0)
        status = trmi_error_set(error, TRM_ERR_CALLBACK, "the callback for %s returned %d",
                                trm_quantity_name(e.culprit), result);
    if (status == TRM_OK) {
        const double *f = values.of[TRM_QUANTITY_FORCE], *own = values.of[quantity];
        bool residual = quantity == TRM_QUANTITY_RESIDUAL;
        c.noise = SUM_NOISE * size_of_terms(&values, &p, c.difference);
        trmi_mass_product(&values, residual ? p.a : own, c.supplied);
        for (int i = 0; i < c.rows; i++) {
            c.difference[i] = residual ? c.supplied[i] - f[i] : f[i];
            c.supplied[i] = residual ? own[i] : c.supplied[i];
        }
        find_worst(&c, quantity, report);
    }
    trmi_memory_release_all(&memory);
    return status;
}

// whether the user declares the quantity: by a callback, or as zero
static bool claimed(const trm_system *s, trm_quantity quantity)
{
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    return rows > 0 && columns > 0 &&
           (s->function[quantity] || (s->evaluate && (s->evaluates & TRM_BIT_OF(quantity))) ||
            s->pattern[quantity].count == TRM_PATTERN_ZERO);
}

trm_status trm_system_check_derivatives(const trm_system *system, const trm_state *state,
                                        double tolerance, trm_derivative_report *report,
                                        trm_error *error)
{
    TRMI_REQUIRE(error, system, "system");
    TRMI_REQUIRE(error, state, "state");
    trm_derivative_report local;
    report = report ? report : &local;
    *report = (trm_derivative_report){.row = -1, .column = -1};
    trm_status status = trm_system_validate(system, error);
    for (int k = 0; k < TRM_QUANTITY_COUNT && status == TRM_OK; k++) {
        // the levels above rest on the first derivatives of g: with those wrong, the others
        // cannot be judged
        if (k == TRM_QUANTITY_GAMMA && report->error > tolerance)
            break;
        if ((DERIVATIVES & TRM_BIT_OF(k)) && claimed(system, (trm_quantity)k))
            status = compare_derivative(system, state, (trm_quantity)k, tolerance, report, error);
        if ((k == TRM_QUANTITY_RESIDUAL || k == TRM_QUANTITY_ACCELERATION) &&
            claimed(system, (trm_quantity)k))
            status = compare_dynamics(system, state, (trm_quantity)k, report, error);
    }
    if (status != TRM_OK || report->error <= tolerance)
        return status;
    trmi_error_item(error, "%s(%d, %d)", trm_quantity_name(report->quantity), report->row,
                    report->column);
    trmi_error_advise(error, "check the formula of this entry, its sign and its factor");
    return trmi_error_set(
        error, TRM_ERR_DERIVATIVE,
        "entry (%d, %d) of %s is %.9g, %s give %.9g (relative error %.2g)", report->row,
        report->column, trm_quantity_name(report->quantity), report->supplied,
        report->quantity == TRM_QUANTITY_RESIDUAL || report->quantity == TRM_QUANTITY_ACCELERATION
            ? "M and f"
            : "differences",
        report->difference, report->error);
}
