// SPDX-License-Identifier: Apache-2.0
// Block LDL^T of complex symmetric matrices, on the plan of a real one.
#define COMPLEX_ENTRIES
#include "linear/block_any.h"
#include "linear/complex_solver.h"

typedef struct block_complex {
    trmi_complex_solver base;
    const trmi_block *plan;
    double complex *work;
    double *reduced;
    trmi_pivot pivot;
} block_complex;

// complex numbers as the pairs that they are in memory
static number *numbers_of(double complex *value)
{
    return (number *)value;
}

static trmi_factor_status factor(trmi_complex_solver *solver)
{
    block_complex *block = (block_complex *)solver;
    const trmi_block *plan = block->plan;
    const block_numbers f = {.plan = plan,
                             .value = numbers_of(solver->value),
                             .work = numbers_of(block->work),
                             .reduced = block->reduced,
                             .pivot = &block->pivot,
                             .turn = {creal(solver->turn), cimag(solver->turn)}};
    trmi_factor_status status = TRMI_FACTOR_OK;
    memset(block->reduced, 0, (size_t)solver->n * sizeof *block->reduced);
    block->pivot = (trmi_pivot){1, 0};
    for (int k = 0; k < plan->node_count && status == TRMI_FACTOR_OK; k++)
        status = eliminate_node(&f, &plan->node[k]);
    return status;
}

static void solve(trmi_complex_solver *solver, double complex *x)
{
    const trmi_block *plan = ((const block_complex *)solver)->plan;
    const number *value = numbers_of(solver->value);
    for (int k = 0; k < plan->node_count; k++)
        forward_node(plan, value, &plan->node[k], numbers_of(x));
    for (int k = plan->node_count; k-- > 0;)
        backward_node(plan, value, &plan->node[k], numbers_of(x));
}

static void archive(trmi_complex_solver *solver, trmi_archive *a)
{
    trmi_archive_bytes(a, solver->value, (size_t)solver->value_count * sizeof *solver->value);
}

trmi_complex_solver *trmi_block_complex_create(trmi_memory *memory, const trmi_solver *real)
{
    static const trmi_complex_type type = {.factor = factor, .solve = solve, .archive = archive};
    const trmi_block *plan = (const trmi_block *)real;
    block_complex *block;
    if (!TRMI_TAKE(memory, block, 1) || !TRMI_TAKE(memory, block->base.value, real->value_count) ||
        !TRMI_TAKE(memory, block->work, plan->longest) ||
        !TRMI_TAKE(memory, block->reduced, real->n))
        return NULL;
    block->base.type = &type;
    block->base.n = real->n;
    block->base.value_count = real->value_count;
    block->base.turn = 1;
    block->plan = plan;
    return &block->base;
}
