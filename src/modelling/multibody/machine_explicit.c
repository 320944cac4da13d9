// SPDX-License-Identifier: Apache-2.0
// The explicit formalism: accelerations come from the recursion over articulated inertias, and the
// system is that of the residual formalism times M^-1,
//
//     v' = phi(q, v, lambda) = M^-1 (f - G^T lambda)
//
// In the system class, where constraint forces are - G^T lambda, that is M = 1 with the forces
// phi + G^T lambda, which depend on the multipliers. With K, D, f_lambda of the residual formalism
// at a = phi and N = (G^T lambda)_q:
//
//     stiffness  M^-1 (K + N) - N      damping  M^-1 D      f_lambda  M^-1 (f_lambda - G^T) + G^T
//
// column by column with the factors of the recursion. These matrices are dense. The true M is
// reported as metric: multipliers push along M^-1 G^T, and are found from residuals in its norm
// alone.
#include "modelling/multibody/machine.h"

#include <string.h>

// ---- pieces ----

// out(row, column) += sign value, dense column by column; flipped: of the transpose
static void spread(const trm_pattern *p, const double *value, double sign, bool flipped, int rows,
                   double *out)
{
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at)) {
        int i = flipped ? at.column : at.row, j = flipped ? at.row : at.column;
        out[i + rows * j] += sign * value[at.k];
    }
}

// out(:, n_g + j) for the rows of A
static void spread_rows(const trmi_machine_work *work, double sign, double *out)
{
    const trmi_machine *machine = work->machine;
    int n = machine->tree->n_q;
    spread(&machine->pattern[TRM_QUANTITY_CONSTRAINT_Q], work->inner[TRM_QUANTITY_CONSTRAINT_Q],
           sign, true, n, out);
    spread(&machine->pattern[TRM_QUANTITY_ROLLING], work->inner[TRM_QUANTITY_ROLLING], sign, true,
           n, out + n * machine->constraints.n_g);
}

// f += G^T lambda
static void add_constraint_forces(const trmi_machine_work *work, const double *lambda, double *f)
{
    const trmi_machine *machine = work->machine;
    const trm_quantity rows[] = {TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_ROLLING};
    for (int i = 0; i < 2; i++, lambda += machine->constraints.n_g) {
        const trm_pattern *p = &machine->pattern[rows[i]];
        for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at))
            f[at.column] += work->inner[rows[i]][at.k] * lambda[at.row];
    }
}

// phi at the state; the factors of the recursion stay
static int find_accelerations(trmi_machine_work *work, const trm_state *state)
{
    const trmi_tree *t = work->machine->tree;
    int singular, result = trmi_machine_load(work, state);
    if (result != 0)
        return result;
    trmi_constraints_load(&work->machine->constraints, &work->workspace, &work->kinematics, state,
                          work->applied, work->effort);
    trmi_bendings_resist(&work->machine->bendings, &work->bending, &work->kinematics, work->applied,
                         work->effort);
    for (int k = 0; k < t->columns; k++)
        if (t->column[k].coordinate != TRMI_NOTHING)
            work->force_on[t->column[k].coordinate] = work->effort[k];
    bool solved = trmi_recursion_explicit(&work->recursion, state, work->force_on, work->applied,
                                          work->phi, &singular);
    return solved ? 0 : 1;
}

static void solve_columns(trmi_machine_work *work, double *out, int columns)
{
    int n = work->machine->tree->n_q;
    for (int j = 0; j < columns; j++)
        trmi_recursion_solve(&work->recursion, out + (size_t)n * (size_t)j);
}

// ---- creation ----

bool trmi_machine_explicit_create(trmi_machine_work *work, trmi_memory *memory)
{
    static const trm_quantity inner[] = {TRM_QUANTITY_STIFFNESS,    TRM_QUANTITY_DAMPING,
                                         TRM_QUANTITY_FORCE_LAMBDA, TRM_QUANTITY_GEOMETRIC,
                                         TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_ROLLING};
    const trmi_machine *machine = work->machine;
    bool explicit = trmi_machine_explicit(machine);
    if (!explicit && !trmi_machine_accelerates(machine))
        return true;
    for (size_t i = 0; i < sizeof inner / sizeof *inner && explicit; i++) {
        int count = machine->pattern[inner[i]].count;
        if (!TRMI_TAKE(memory, work->inner[inner[i]], count > 0 ? count : 0))
            return false;
    }
    return trmi_recursion_create_explicit(&work->recursion, memory, &machine->bendings) &&
           TRMI_TAKE(memory, work->phi, machine->tree->n_q) &&
           TRMI_TAKE(memory, work->force_on, machine->tree->n_q);
}

bool trmi_machine_explicit(const trmi_machine *machine)
{
    return machine->mechanism->explicit && !machine->mechanism->absolute;
}

bool trmi_machine_accelerates(const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    bool free = machine->constraints.n_g + machine->constraints.n_a == 0;
    return free && !m->absolute && (m->explicit || machine->rates_only);
}

// ---- evaluation ----

int trmi_machine_accelerate(trmi_machine_work *work, const trm_state *state, double *a)
{
    int result = find_accelerations(work, state);
    if (result == 0)
        memcpy(a, work->phi, (size_t)work->machine->tree->n_q * sizeof *a);
    return result;
}

static void clear(double *out, size_t count)
{
    if (out)
        memset(out, 0, count * sizeof *out);
}

// the wanted matrices from those of the residual formalism at a = phi
static void transform(trmi_machine_work *work, double *const *want)
{
    const trmi_machine *machine = work->machine;
    const trm_pattern *p = machine->pattern;
    int n = machine->tree->n_q, rows = machine->constraints.n_g + machine->constraints.n_a;
    double *D = want[TRM_QUANTITY_DAMPING], *K = want[TRM_QUANTITY_STIFFNESS],
           *L = want[TRM_QUANTITY_FORCE_LAMBDA];
    clear(D, (size_t)n * (size_t)n);
    clear(K, (size_t)n * (size_t)n);
    clear(L, (size_t)n * (size_t)rows);
    if (D) {
        spread(&p[TRM_QUANTITY_DAMPING], work->inner[TRM_QUANTITY_DAMPING], 1, false, n, D);
        solve_columns(work, D, n);
    }
    if (K) {
        spread(&p[TRM_QUANTITY_STIFFNESS], work->inner[TRM_QUANTITY_STIFFNESS], 1, false, n, K);
        spread(&p[TRM_QUANTITY_GEOMETRIC], work->inner[TRM_QUANTITY_GEOMETRIC], 1, false, n, K);
        solve_columns(work, K, n);
        spread(&p[TRM_QUANTITY_GEOMETRIC], work->inner[TRM_QUANTITY_GEOMETRIC], -1, false, n, K);
    }
    if (L) {
        spread(&p[TRM_QUANTITY_FORCE_LAMBDA], work->inner[TRM_QUANTITY_FORCE_LAMBDA], 1, false, n,
               L);
        spread_rows(work, -1, L);
        solve_columns(work, L, rows);
        spread_rows(work, 1, L);
    }
}

int trmi_machine_explicit_evaluate(trmi_machine_work *work, const trm_state *state,
                                   double *const *want)
{
    const trmi_machine *machine = work->machine;
    int n = machine->tree->n_q;
    bool matrices = want[TRM_QUANTITY_DAMPING] || want[TRM_QUANTITY_STIFFNESS] ||
                    want[TRM_QUANTITY_FORCE_LAMBDA];
    for (int i = 0; i < n && want[TRM_QUANTITY_MASS]; i++)
        want[TRM_QUANTITY_MASS][i] = 1;
    if (want[TRM_QUANTITY_METRIC]) // M has no part that could fail
        trmi_residual_matrices(
            work, state,
            (double *[TRM_QUANTITY_COUNT]){[TRM_QUANTITY_MASS] = want[TRM_QUANTITY_METRIC]});
    if (!want[TRM_QUANTITY_FORCE] && !want[TRM_QUANTITY_ACCELERATION] && !matrices)
        return 0;
    int result = find_accelerations(work, state);
    if (result == 0 && want[TRM_QUANTITY_ACCELERATION])
        memcpy(want[TRM_QUANTITY_ACCELERATION], work->phi, (size_t)n * sizeof *work->phi);
    double *rows[TRM_QUANTITY_COUNT] = {
        [TRM_QUANTITY_CONSTRAINT_Q] = work->inner[TRM_QUANTITY_CONSTRAINT_Q],
        [TRM_QUANTITY_ROLLING] = work->inner[TRM_QUANTITY_ROLLING],
        [TRM_QUANTITY_GEOMETRIC] = work->inner[TRM_QUANTITY_GEOMETRIC]};
    if (result == 0)
        trmi_constraints_evaluate(&machine->constraints, &work->workspace, &work->kinematics, state,
                                  rows);
    if (result == 0 && want[TRM_QUANTITY_FORCE]) {
        memcpy(want[TRM_QUANTITY_FORCE], work->phi, (size_t)n * sizeof *work->phi);
        add_constraint_forces(work, state->lambda, want[TRM_QUANTITY_FORCE]);
    }
    if (result != 0 || !matrices)
        return result;
    double *inner[TRM_QUANTITY_COUNT] = {
        [TRM_QUANTITY_STIFFNESS] =
            want[TRM_QUANTITY_STIFFNESS] ? work->inner[TRM_QUANTITY_STIFFNESS] : NULL,
        [TRM_QUANTITY_DAMPING] =
            want[TRM_QUANTITY_DAMPING] ? work->inner[TRM_QUANTITY_DAMPING] : NULL,
        [TRM_QUANTITY_FORCE_LAMBDA] =
            want[TRM_QUANTITY_FORCE_LAMBDA] ? work->inner[TRM_QUANTITY_FORCE_LAMBDA] : NULL};
    trm_state at = *state;
    at.a = work->phi;
    result = trmi_residual_matrices(work, &at, inner);
    if (result == 0)
        transform(work, want);
    return result;
}
