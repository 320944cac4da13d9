// SPDX-License-Identifier: Apache-2.0
// One step of Newton's method for a system at rest (statics.c): with the dense stiffness on the
// constraints and its lowest eigenvalue, or with sparse matrices and trial shifts.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/formulation/checked_evaluation.h"

#include <math.h>
#include <string.h>

static const double NOISE = 1e-7; // of powers, what is roundoff

int trmi_static_farthest(const trm_equilibrium *q)
{
    const trm_system *u = &q->e.user;
    int farthest = 0;
    double most = 0;
    for (int i = 0; i < q->e.n_q; i++) {
        double way = fabs(q->point.q[i] - q->origin[i]) / trmi_q_unit(u, i, q->origin[i]);
        if (way > most) {
            most = way;
            farthest = i;
        }
    }
    return farthest;
}

double trmi_static_measure(const trm_equilibrium *q, bool positions)
{
    const trmi_evaluator *e = &q->e;
    const trm_system *u = &e->user;
    const double *dx = q->step + e->n_q, *dz = dx + e->n_x;
    double largest = 0;
    for (int i = 0; i < e->n_q; i++)
        largest = fmax(largest, fabs(q->step[i]) / trmi_q_unit(u, i, q->point.q[i]));
    for (int i = 0; i < e->n_x && !positions; i++)
        largest = fmax(largest, fabs(dx[i]) / trmi_unknown_unit(u->x_scale, i, q->point.x[i]));
    for (int i = 0; i < e->n_z && !positions; i++)
        largest = fmax(largest, fabs(dz[i]) / trmi_unknown_unit(u->z_scale, i, q->point.z[i]));
    return largest;
}

bool trmi_static_short(const trm_equilibrium *q)
{
    return trmi_static_measure(q, true) <= TRMI_STATIC_GROWTH * TRMI_STATIC_LIMIT;
}

double trmi_static_power(const trm_equilibrium *q, double *size)
{
    double sum = 0;
    *size = 0;
    for (int i = 0; i < q->e.n_q; i++) {
        sum += q->force[i] * q->step[i];
        *size += fabs(q->force[i] * q->step[i]);
    }
    return sum;
}

void trmi_static_solve(trm_equilibrium *q)
{
    const trmi_evaluator *e = &q->e;
    double *x = q->step + e->n_q, *z = x + e->n_x, *rows = z + e->n_z;
    memcpy(q->step, q->force, (size_t)e->n_q * sizeof *q->step);
    for (int i = 0; i < e->n_x; i++)
        x[i] = q->values.of[TRM_QUANTITY_RATE][i] / TRMI_REST_RATE;
    for (int i = 0; i < e->n_z; i++)
        z[i] = -q->values.of[TRM_QUANTITY_ALGEBRAIC][i];
    for (int i = 0; i < e->n_r; i++)
        rows[i] = i < e->n_g ? -trmi_position_level(&q->values)[i] : 0;
    trmi_saddle_solve(&q->saddle, q->step, 1);
}

// With the shift for the lowest stiffness. Only in a second search does it grow for the sake of
// short steps: positions that follow states, as of a controller, are not held back by inertia.
static trm_status solve_dense(trm_equilibrium *q, trm_error *error)
{
    trm_status status = trmi_reduced_stiffness(&q->reduced, &q->saddle, error);
    if (status != TRM_OK)
        return status;
    double lowest = HUGE_VAL;
    for (int i = 0; i < q->reduced.split.p; i++)
        lowest = fmin(lowest, q->reduced.eigen.real[i]);
    double shift = lowest < TRMI_MIN_STATIC ? TRMI_MIN_STATIC + fmax(-lowest, 0) - lowest : 0;
    q->report.shifted += shift > 0;
    bool long_step = true;
    for (int attempt = 0; attempt < TRMI_STATIC_SHIFTS && long_step; attempt++) {
        if (trmi_saddle_factor_rest(&q->saddle, shift) != TRMI_FACTOR_OK)
            return trmi_error_set(error, TRM_ERR_SINGULAR,
                                  "states or algebraic variables have no value at rest: the matrix "
                                  "of the equilibrium is singular");
        trmi_static_solve(q);
        long_step = q->thick && !trmi_static_short(q);
        shift = shift > 0 ? TRMI_STATIC_GROWTH * shift : TRMI_MIN_STATIC;
    }
    return TRM_OK;
}

// the stiffness of a body may be negative and balanced by others: near the end KLU, which pivots,
// is tried
static bool factor_pivoted(trm_equilibrium *q, double shift)
{
    if (q->overfull || q->report.iterations == 0 || q->report.correction >= TRMI_STATIC_CLOSE)
        return false;
    trmi_factor_status found = trmi_saddle_factor_rest(&q->saddle, shift);
    q->overfull = found == TRMI_FACTOR_MEMORY;
    return found == TRMI_FACTOR_OK;
}

// A large system: the shift grows until the factors exist and the step leads downhill, which it
// does with the block solver: that takes only positive stiffness, and a little mass where there is
// none.
static trm_status solve_sparse(trm_equilibrium *q, trm_error *error)
{
    bool definite = trmi_is_block(q->saddle.solver);
    double shift = definite ? TRMI_STATIC_SHIFT : 0;
    for (int attempt = 0; attempt < TRMI_STATIC_SHIFTS; attempt++) {
        double size;
        bool good = trmi_saddle_try_rest(&q->saddle, shift) == TRMI_FACTOR_OK;
        if (!good && attempt == 0) {
            good = factor_pivoted(q, shift);
            definite = false;
        }
        if (good)
            trmi_static_solve(q);
        if (good && (definite || trmi_static_power(q, &size) >= -NOISE * size)) {
            q->shift = shift;
            q->report.shifted += shift >= TRMI_MIN_STATIC;
            return TRM_OK;
        }
        definite = trmi_is_block(q->saddle.solver);
        shift = shift < TRMI_MIN_STATIC ? fmax(TRMI_MIN_STATIC, 0.1 * q->shift)
                                        : TRMI_STATIC_GROWTH * shift;
    }
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the constraints lose rank on the way to an equilibrium");
}

trm_status trmi_static_step(trm_equilibrium *q, trm_error *error)
{
    const uint64_t want = trmi_saddle_derivatives(&q->saddle) | TRMI_POSITION_QUANTITIES |
                          TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC);
    trm_status status = q->springs.used
                            ? trmi_springs_evaluate(q, want, error)
                            : trmi_evaluate_checked(&q->e, &q->point, want, &q->values, error);
    if (status != TRM_OK)
        return status;
    if (q->springs.used)
        return trmi_springs_step(q, error);
    return q->sparse ? solve_sparse(q, error) : solve_dense(q, error);
}
