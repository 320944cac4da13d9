// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/start.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/formulation/position_assembly.h"
#include "solver/formulation/redundancy.h"
#include "solver/system/difference.h"

#include <math.h>
#include <string.h>

trm_status trmi_check_initial(const trm_system *system, const trm_initial *initial,
                              trm_error *error)
{
    const struct {
        const double *values;
        int n;
        const char *name;
    } parts[] = {{initial->q, system->n_q, "q"},
                 {initial->v, system->n_q, "v"},
                 {initial->x, system->n_x, "x"},
                 {initial->z, system->n_z, "z"},
                 {initial->lambda, system->n_g + system->n_a, "lambda"}};
    if (!isfinite(initial->t))
        return trmi_error_set(error, TRM_ERR_INITIAL, "the initial time is %g", initial->t);
    for (int k = 0; k < 5; k++)
        for (int i = 0; parts[k].values && i < parts[k].n; i++)
            if (!isfinite(parts[k].values[i]))
                return trmi_error_set(error, TRM_ERR_INITIAL, "the initial value of %s[%d] is %g",
                                      parts[k].name, i, parts[k].values[i]);
    return TRM_OK;
}

trm_status trmi_check_given(const trm_system *system, const trm_options *options,
                            const trm_initial *initial, trm_error *error)
{
    trmi_error_clear(error);
    trm_status status = trm_options_check(options, error);
    if (status == TRM_OK)
        status = trm_system_validate(system, error);
    return status == TRM_OK ? trmi_check_initial(system, initial, error) : status;
}

// what is singular up to roundoff has a pivot of either sign
static trm_status check_definite(trmi_saddle *s, trm_error *error)
{
    if (trmi_saddle_mass_definite(s))
        return TRM_OK;
    if (trmi_saddle_mass_semidefinite(s)) {
        trmi_error_advise(error, "check the masses and inertias of the bodies that no constraint "
                                 "holds: a thin body has none about its axis");
        return trmi_error_set(error, TRM_ERR_SINGULAR,
                              "the mass matrix is singular up to roundoff on the motions the "
                              "constraints allow");
    }
    trmi_error_advise(error, "check the signs of the masses and inertias");
    return trmi_error_set(error, TRM_ERR_SYSTEM,
                          "the mass matrix is not positive definite on the motions the "
                          "constraints allow");
}

static trm_status create_saddle(trmi_saddle *s, trmi_memory *memory, const trm_options *options,
                                bool geometric, const trmi_point *p, uint64_t want,
                                trm_start_report *report, trm_error *error)
{
    trm_status status =
        trmi_saddle_create(s, memory, s->values, options->linear_solver, geometric, error);
    if (status != TRM_OK)
        return status;
    status = trmi_drop_redundant_rows(s, memory, options, geometric, p, report, error);
    if (status == TRM_OK && report->redundant > 0)
        status = trmi_evaluate_checked(s->e, p, want, s->values,
                                       error); // in the numbering without the dropped rows
    report->solver = s->solver ? s->solver->type->name : "";
    if (status == TRM_OK)
        status = trmi_factor_start_checked(s, error); // if it is singular: the error names the row
    return status == TRM_OK ? check_definite(s, error) : status;
}

static trm_status judge_kept(const trmi_evaluator *e, const trm_options *options,
                             const trmi_point *p, const trm_start_report *report, trm_error *error)
{
    double limit = 100 * (options->atol + options->rtol * trmi_max_abs(p->q, e->n_q));
    double v_limit = 100 * (options->atol + options->rtol * trmi_max_abs(p->v, e->n_q));
    if (report->position_before <= limit && report->velocity_before <= v_limit)
        return TRM_OK;
    bool position = report->position_before > limit;
    trmi_error_advise(error, "start = project moves to the nearest consistent state");
    return trmi_error_set(
        error, TRM_ERR_INITIAL, "the given %s violate the constraints by %.3g, more than %.3g",
        position ? "positions" : "velocities",
        position ? report->position_before : report->velocity_before, position ? limit : v_limit);
}

static trm_status check_masses(const trmi_values *values, trm_error *error)
{
    const trmi_evaluator *e = values->e;
    const trmi_matrix m = trmi_matrix_of(values, TRM_QUANTITY_MASS);
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count && e->n_q > 0;
         trmi_pattern_next(&at))
        if (at.row == at.column && m.value[at.k] < 0) {
            char name[48];
            trmi_error_item(error, "%s", trmi_name_q(e, at.row, name, sizeof name));
            return trmi_error_set(error, TRM_ERR_SYSTEM, "the mass of %s is negative: %g", name,
                                  m.value[at.k]);
        }
    int n = e->n_q;
    bool dense = e->user.pattern[TRM_QUANTITY_MASS].count == TRM_PATTERN_DENSE;
    for (int j = 0; j < n && dense; j++)
        for (int i = 0; i < j; i++)
            if (fabs(m.value[i + n * j] - m.value[j + n * i]) >
                1e-8 * (fabs(m.value[i + n * i]) + fabs(m.value[j + n * j])))
                return trmi_error_set(error, TRM_ERR_SYSTEM,
                                      "the mass matrix is not symmetric: entries (%d, %d) and (%d, "
                                      "%d) are %g and %g",
                                      i, j, j, i, m.value[i + n * j], m.value[j + n * i]);
    return TRM_OK;
}

// entry i of the direction of the differences; no entry is 0, so that all coordinates take part
static double direction(int i)
{
    return 1 + 0.3 * sin(1.7 * i);
}

// Central differences of g along the direction; false: g is not defined there. q: n_q.
static bool find_differences(trmi_values *values, const trmi_point *p, double step, double *q,
                             double *difference, trm_error *error)
{
    trmi_evaluator *e = values->e;
    const double *g = values->of[TRM_QUANTITY_CONSTRAINT];
    trmi_point moved = *p;
    moved.q = q;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < e->n_q; i++)
            q[i] = p->q[i] + (side ? -step : step) * direction(i);
        if (trmi_evaluate_checked(e, &moved, TRM_BIT(CONSTRAINT), values, error) != TRM_OK)
            return false;
        for (int i = 0; i < e->n_g; i++)
            difference[i] = side ? (difference[i] - g[i]) / (2 * step) : g[i];
    }
    return true;
}

// Directional differences per creation: a wrong entry of a supplied g_q would bend the motion
// without any other sign. Where g is strongly curved, differences with half the step are four times
// nearer to the slope: it is wrong where they are farther from it than from those of the whole
// step. work: n_q + 3 (n_r + 1).
static trm_status check_gradient(trmi_values *values, const trmi_point *p, double *work,
                                 trm_error *error)
{
    trmi_evaluator *e = values->e;
    if (!(e->supplied & TRM_BIT(CONSTRAINT_Q)) || e->n_g == 0)
        return TRM_OK;
    double *q = work, *slope = q + e->n_q, *whole = slope + e->n_r + 1, *half = whole + e->n_r + 1;
    const trmi_matrix g_q = trmi_matrix_of(values, TRM_QUANTITY_CONSTRAINT_Q);
    double step = HUGE_VAL, size = 1e-3;
    for (int i = 0; i < e->n_q; i++)
        step = fmin(step, trmi_increment_q(e, p->q[i], i));
    memset(slope, 0, (size_t)(e->n_r + 1) * sizeof *slope);
    for (trmi_cursor at = trmi_pattern_begin(&g_q.pattern); at.k < g_q.count;
         trmi_pattern_next(&at)) {
        slope[at.row] += g_q.value[at.k] * direction(at.column);
        size = fmax(size, fabs(g_q.value[at.k]));
    }
    if (!find_differences(values, p, step, q, whole, error) ||
        !find_differences(values, p, step / 2, q, half, error))
        return TRM_OK; // not defined beside the start: nothing to compare
    trmi_evaluate_checked(e, p, TRM_BIT(CONSTRAINT), values, error);
    for (int i = 0; i < e->n_g; i++) {
        if (fabs(half[i] - slope[i]) <= fmax(1e-4 * size, fabs(half[i] - whole[i])))
            continue;
        char name[48];
        trmi_error_item(error, "constraint %s", trmi_name_row(e, i, name, sizeof name));
        trmi_error_advise(error, "trm_system_check_derivatives names the entry");
        return trmi_error_set(error, TRM_ERR_DERIVATIVE,
                              "row %s of CONSTRAINT_Q disagrees with differences of g: along one "
                              "direction %.6g instead of %.6g",
                              name, slope[i], half[i]);
    }
    return TRM_OK;
}

static uint64_t start_quantities(const trmi_evaluator *e)
{
    return TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(e) | TRM_BIT(FORCE) | TRM_BIT(RATE) |
           TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_LAMBDA) |
           TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA);
}

// z as it belongs to the given point, and everything evaluated there
static trm_status evaluate_start(trmi_values *values, const trm_options *options, trmi_point *p,
                                 trm_error *error)
{
    trmi_evaluator *e = values->e;
    trm_status status = TRM_OK;
    if (options->start != TRM_START_RAW)
        status = trmi_settle_checked(e, p, values, error);
    return status == TRM_OK ? trmi_evaluate_checked(e, p, start_quantities(e), values, error)
                            : status;
}

// the three stages, with the matrix at hand and everything evaluated at the given point
static trm_status make_consistent(trmi_manifold *manifold, trmi_point *p, trm_start_report *report,
                                  trm_error *error)
{
    trmi_saddle *s = manifold->saddle;
    const trm_options *options = manifold->options;
    trmi_evaluator *e = s->e;
    trm_status status = TRM_OK;
    trmi_approach approach = {0};
    approach.before = approach.after = trmi_max_abs(s->values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    report->position_before = approach.before;
    double position;
    trmi_manifold_residuals(manifold, p->v, &position, &report->velocity_before);
    report->velocity_after = report->velocity_before;
    bool project = options->start == TRM_START_PROJECT;
    if (options->start == TRM_START_KEEP)
        status = judge_kept(e, options, p, report, error);
    if (status == TRM_OK && project && e->n_g > 0)
        status = trmi_approach_positions(manifold, p, &approach, error);
    report->position_after = approach.after;
    report->position_iterations = approach.iterations;
    if (status == TRM_OK)
        status = trmi_evaluate_checked(e, p, TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(e),
                                       s->values, error);
    if (status == TRM_OK && project && e->n_r > 0)
        status = trmi_project_velocities(manifold, p, error);
    if (status == TRM_OK)
        status = trmi_check_dropped_rows(s->values, p, error);
    if (status == TRM_OK && options->start != TRM_START_RAW)
        status = trmi_accelerations(manifold, p, error);
    if (status == TRM_OK && options->start == TRM_START_RAW)
        status = trmi_evaluate_checked(e, p, TRM_BIT(GAMMA), s->values,
                                       error); // accelerations stay zero
    if (status != TRM_OK)
        return status;
    trmi_manifold_residuals(manifold, p->v, &position, &report->velocity_after);
    double *rows = trmi_scratch_take(manifold->scratch, e->n_r_full + 1);
    trmi_constraint_product(s->values, p->a, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] += s->values->of[TRM_QUANTITY_GAMMA][i];
    report->acceleration_after = trmi_max_abs(rows, e->n_r);
    trmi_scratch_release(manifold->scratch, rows);
    return TRM_OK;
}

// Matrix, rank and the three stages from a point where everything is evaluated.
static trm_status start_from(trmi_manifold *manifold, trmi_memory *memory, bool geometric,
                             trmi_point *p, trm_start_report *report, trm_error *error)
{
    trmi_saddle *s = manifold->saddle;
    trmi_evaluator *e = s->e;
    const trm_options *options = manifold->options;
    *report = (trm_start_report){.rank = e->n_r};
    trm_status status =
        create_saddle(s, memory, options, geometric, p, start_quantities(e), report, error);
    report->mobility = e->n_q - e->n_r;
    trmi_select_rows(e, p->lambda, p->lambda); // the guess, without the rows that were dropped
    return status == TRM_OK ? make_consistent(manifold, p, report, error) : status;
}

// Rows that follow from others do so on the constraints only: beside them all are independent, and
// Newton's iteration ends where they lose rank. Then positions are assembled without regard to
// rank, and the rank is found there. TRM_OK when that worked; otherwise the first error is kept.
static trm_status start_assembled(trmi_manifold *manifold, trmi_memory *memory, bool geometric,
                                  trmi_point *p, trm_start_report *report, trm_status status,
                                  trm_error *error)
{
    trmi_saddle *s = manifold->saddle;
    trmi_evaluator *e = s->e;
    const trm_options *options = manifold->options;
    bool rank = status == TRM_ERR_SINGULAR || status == TRM_ERR_INITIAL;
    if (!rank || options->start != TRM_START_PROJECT || e->n_r < e->n_r_full)
        return status;
    trm_error second = *error;
    double before = report->position_before;
    int iterations;
    trm_start_report again;
    if (!trmi_assemble(s->values, memory, p, &iterations) ||
        evaluate_start(s->values, options, p, &second) != TRM_OK)
        return status;
    trmi_saddle_destroy(s);
    trmi_error_clear(&second);
    if (start_from(manifold, memory, geometric, p, &again, &second) != TRM_OK)
        return status;
    trmi_error_clear(error);
    *report = again;
    report->position_before = before;
    report->position_iterations += iterations;
    return TRM_OK;
}

trm_status trmi_start(trmi_manifold *manifold, trmi_memory *memory, bool geometric, trmi_point *p,
                      trm_start_report *report, trm_error *error)
{
    const trm_options *options = manifold->options;
    trmi_saddle *s = manifold->saddle;
    trmi_evaluator *e = s->e;
    *report = (trm_start_report){.rank = e->n_r};
    trm_status status = evaluate_start(s->values, options, p, error);
    if (status == TRM_OK)
        status = check_masses(s->values, error);
    if (status != TRM_OK)
        return status;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    double *given = trmi_memory_take(&scratch, (size_t)e->n_q + (size_t)e->n_z, sizeof *given);
    double *work =
        trmi_memory_take(&scratch, (size_t)e->n_q + 3 * ((size_t)e->n_r + 1), sizeof *work);
    if (!given || !work) {
        trmi_memory_release_all(&scratch);
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the start");
    }
    status = check_gradient(s->values, p, work, error);
    if (status != TRM_OK) {
        trmi_memory_release_all(&scratch);
        return status;
    }
    memcpy(given, p->q, (size_t)e->n_q * sizeof *given);
    memcpy(given + e->n_q, p->z, (size_t)e->n_z * sizeof *given);
    status = start_from(manifold, memory, geometric, p, report, error);
    if (status != TRM_OK) {
        memcpy(p->q, given, (size_t)e->n_q * sizeof *given);
        memcpy(p->z, given + e->n_q, (size_t)e->n_z * sizeof *given);
        status = start_assembled(manifold, memory, geometric, p, report, status, error);
    }
    trmi_memory_release_all(&scratch);
    return status;
}

trm_status trmi_start_again(trmi_manifold *manifold, trmi_point *p, trm_start_report *report,
                            trm_error *error)
{
    trmi_values *values = manifold->saddle->values;
    trm_status status = evaluate_start(values, manifold->options, p, error);
    if (status == TRM_OK)
        status = check_masses(values, error);
    return status == TRM_OK ? make_consistent(manifold, p, report, error) : status;
}
