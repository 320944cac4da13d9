// SPDX-License-Identifier: Apache-2.0
// What all linear solvers share.
#include "solver/linear/solver.h"

#include <math.h>
#include <string.h>

trmi_pivot trmi_smallest_pivot(const double *u, size_t step, int n)
{
    double largest = 0, smallest = INFINITY;
    int worst = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(u[(size_t)i * step]);
        if (!isfinite(size))
            return (trmi_pivot){0, i};
        largest = size > largest ? size : largest;
        if (size < smallest) {
            smallest = size;
            worst = i;
        }
    }
    return (trmi_pivot){n == 0 ? 1 : smallest > 0 ? smallest / largest : 0, worst};
}

void trmi_solver_clear(trmi_solver *solver)
{
    memset(solver->value, 0, (size_t)solver->value_count * sizeof *solver->value);
}

void trmi_solver_forget(trmi_solver *solver)
{
    if (solver && solver->type->forget)
        solver->type->forget(solver);
}

void trmi_solver_archive(trmi_solver *solver, trmi_archive *a)
{
    trmi_archive_doubles(a, &solver->pivot.smallest, 1);
    trmi_archive_int(a, &solver->pivot.row, -1, solver->n);
    trmi_archive_long(a, &solver->full_factors);
    if (solver->type->archive)
        solver->type->archive(solver, a);
}

void trmi_solver_destroy(trmi_solver *solver)
{
    if (solver && solver->type->destroy)
        solver->type->destroy(solver);
}
