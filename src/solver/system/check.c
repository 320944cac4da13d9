// SPDX-License-Identifier: Apache-2.0
// The derivative checker: every supplied derivative against two-sided differences, and what is
// supplied in place of M and f against these.
#include "trammel/check.h"

#include "base/error.h"
#include "solver/system/difference.h"

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

// the variant of a system that leaves one quantity to differences, over its whole rectangle
static trm_system without(const trm_system *system, trm_quantity quantity)
{
    trm_system s = *system;
    s.function[quantity] = NULL;
    s.evaluates &= ~TRM_BIT_OF(quantity);
    s.constant &= ~TRM_BIT_OF(quantity);
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

// The values of a quantity as a dense matrix, column-major; zero where the evaluator takes it for
// zero: a dependence that the probe did not see, or declared zero.
static void spread(const trmi_values *values, trm_quantity quantity, double *dense)
{
    const trmi_matrix b = trmi_matrix_of(values, (int)quantity);
    int rows, columns;
    trm_system_shape(&values->e->user, quantity, &rows, &columns);
    memset(dense, 0, (size_t)rows * (size_t)columns * sizeof *dense);
    for (int k = 0; k < b.count && b.value && b.pattern.count == 0; k++)
        dense[k] = b.value[k];
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.pattern.count && b.value;
         trmi_pattern_next(&at))
        dense[at.row + rows * at.column] += b.value[at.k];
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

typedef struct comparison {
    double *supplied, *difference;
    int rows, columns;
    double noise; // what roundoff makes of an entry of either
} comparison;

// relative roundoff of sums over bodies, and what two-sided differences make of it
static const double SUM_NOISE = 1e-14, DIFFERENCE_NOISE = 1e-14 / 6e-6;
// relative error that is no disagreement at the usual tolerance of 1e-6
static const double UNSEEN = 1e-6;

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

// the largest disagreement relative to the largest entry (at least 1e-3, so that zeros compare, and
// so much that roundoff is not seen)
static void find_worst(const comparison *c, trm_quantity quantity, trm_derivative_report *report)
{
    double size = fmax(1e-3, c->noise / UNSEEN);
    for (int k = 0; k < c->rows * c->columns; k++)
        size = fmax(size, fmax(fabs(c->supplied[k]), fabs(c->difference[k])));
    for (int k = 0; k < c->rows * c->columns; k++) {
        double error = fabs(c->supplied[k] - c->difference[k]) / size;
        if (!(error > report->error) && !isnan(error))
            continue;
        report->error = isnan(error) ? HUGE_VAL : error;
        report->quantity = quantity;
        report->row = k % c->rows;
        report->column = k / c->rows;
        report->supplied = c->supplied[k];
        report->difference = c->difference[k];
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

// Differences D(h) of functions that are strongly curved: their error is that of the square of the
// step, which D(h/2) + (D(h/2) - D(h))/3 has not. False: they are not defined.
static bool extrapolate(trmi_evaluator *bare, const trmi_point *p, trm_quantity quantity,
                        trmi_values *differences, trmi_memory *memory, comparison *c)
{
    size_t count = (size_t)c->rows * (size_t)c->columns;
    double *half;
    bare->half_increments = true;
    if (!TRMI_TAKE(memory, half, count) ||
        trmi_difference(bare, p, TRM_BIT_OF(quantity), true, differences, differences->of) != 0)
        return false;
    spread(differences, quantity, half);
    if (!are_finite(half, count))
        return false;
    for (size_t k = 0; k < count; k++)
        c->difference[k] = half[k] + (half[k] - c->difference[k]) / 3;
    return true;
}

static trm_status compare(const trm_system *system, const trm_state *state, trm_quantity quantity,
                          trm_derivative_report *report, trm_error *error)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_statistics statistics = {0};
    trmi_evaluator with, bare;
    trmi_values values, differences;
    comparison c = {.noise = 0};
    trm_system stripped = without(system, quantity);
    trm_system_shape(system, quantity, &c.rows, &c.columns);
    size_t count = (size_t)c.rows * (size_t)c.columns;
    trm_status status =
        create(&with, &values, &memory, system, state, quantity, &statistics, error);
    if (status == TRM_OK)
        status =
            create(&bare, &differences, &memory, &stripped, state, quantity, &statistics, error);
    trmi_point p;
    if (status == TRM_OK &&
        (!TRMI_TAKE(&memory, c.supplied, count) || !TRMI_TAKE(&memory, c.difference, count) ||
         !copy_point(&p, &memory, &with, state)))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory to compare derivatives");
    if (status == TRM_OK) {
        const trmi_evaluator *failed = &with;
        int result = 0;
        if (quantity == TRM_QUANTITY_GAMMA && with.constraint_uses_z)
            result =
                trmi_settle_z(&with, &p, &values); // the flow starts from a z that solves b = 0
        if (result == 0)
            result = trmi_evaluate(&with, &p, TRM_BIT_OF(quantity), &values);
        if (result == 0 && (OF_FORCES & TRM_BIT_OF(quantity)))
            result = find_noise(&with, &values, &p, &memory, &c.noise);
        failed = result == 0 ? &bare : failed;
        if (result == 0 && differences.of[quantity])
            result = trmi_difference(&bare, &p, TRM_BIT_OF(quantity), true, &differences,
                                     differences.of);
        if (result != 0)
            status = trmi_error_set(error, TRM_ERR_CALLBACK, "the callback for %s returned %d",
                                    trm_quantity_name(failed->culprit), result);
        spread(&values, quantity, c.supplied);
        spread(&differences, quantity, c.difference);
        if (status == TRM_OK && !are_finite(c.difference, count))
            status = trmi_error_set(error, TRM_ERR_CALLBACK, "differences for %s are not finite",
                                    trm_quantity_name(quantity));
    }
    if (status == TRM_OK) {
        trm_derivative_report plain = {.error = 0};
        find_worst(&c, quantity, &plain);
        if (plain.error > UNSEEN && differences.of[quantity])
            extrapolate(&bare, &p, quantity, &differences, &memory, &c);
        report->quantities++;
        find_worst(&c, quantity, report);
    }
    trmi_memory_release_all(&memory);
    return status;
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
    comparison c = {.rows = system->n_q, .columns = 1};
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
            status = compare(system, state, (trm_quantity)k, report, error);
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
