// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/tape_bounds.h"

#include "modelling/expression/instruction.h"
#include "modelling/expression/operation.h"

// a b; powers are products of one register, and x x is not negative
static trmi_interval multiply(const trmi_instruction *i, const trmi_interval *bound)
{
    const trmi_interval x = bound[i->a];
    trmi_interval product = trmi_interval_product(x, bound[i->b]);
    if (i->a == i->b)
        product.low = x.low <= 0 && x.high >= 0 ? 0 : fmax(product.low, 0);
    return product;
}

static trmi_interval apply(const trmi_tape *tape, int code, const trmi_instruction *i,
                           const trmi_interval *bound)
{
    const trmi_interval x[3] = {bound[i->a], bound[i->b], bound[i->c]};
    if (code == TRMI_PATH)
        return trmi_interval_path(x);
    if (code != TRMI_TABLE)
        return trmi_interval_apply((trmi_operation)code, x);
    const trmi_table_choice choice = trmi_table_of(x[1].low);
    return trmi_interval_curve(&tape->curve[choice.curve], choice.order, x[0]);
}

// one instruction; returns where the results of the next one go
static trmi_interval *run_instruction(const trmi_tape *tape, int code, const trmi_instruction *i,
                                      const trmi_interval *bound, trmi_interval *result)
{
    switch (code) {
    case TRMI_ADD:
        *result = trmi_interval_sum(bound[i->a], bound[i->b]);
        break;
    case TRMI_SUBTRACT:
        *result = trmi_interval_difference(bound[i->a], bound[i->b]);
        break;
    case TRMI_MULTIPLY:
        *result = multiply(i, bound);
        break;
    case TRMI_CODE_SIN_COS:
        *result++ = apply(tape, TRMI_SIN, i, bound);
        *result = apply(tape, TRMI_COS, i, bound);
        break;
    case TRMI_CODE_MULTIPLY_ADD:
        *result = trmi_interval_sum(multiply(i, bound), bound[i->c]);
        break;
    case TRMI_CODE_MULTIPLY_SUBTRACT:
        *result = trmi_interval_difference(multiply(i, bound), bound[i->c]);
        break;
    case TRMI_CODE_SUBTRACT_PRODUCT:
        *result = trmi_interval_difference(bound[i->c], multiply(i, bound));
        break;
    default:
        *result = apply(tape, code, i, bound);
    }
    return result + 1;
}

static void run_segment(const trmi_tape *tape, const trmi_segment *segment, trmi_interval *bound)
{
    const trmi_instruction *instruction = tape->instruction + segment->first;
    trmi_interval *result = bound + segment->result;
    for (int k = 0; k < segment->runs; k++) {
        const trmi_operation_run *run = &tape->run[segment->first_run + k];
        for (int j = 0; j < run->count; j++)
            result = run_instruction(tape, run->code, instruction++, bound, result);
    }
}

void trmi_tape_bounds_begin(const trmi_tape *tape, const double *reg, trmi_interval *bound)
{
    const int count = tape->segments > 0 ? tape->segment[0].result : tape->registers;
    for (int i = 0; i < count; i++)
        bound[i] = (trmi_interval){reg[i], reg[i]};
}

void trmi_tape_bounds_run(const trmi_tape *tape, trmi_interval *bound, uint64_t groups)
{
    for (int s = 0; s < tape->segments; s++)
        if (tape->segment[s].groups & groups)
            run_segment(tape, &tape->segment[s], bound);
}

trmi_interval trmi_tape_bounds_of(const trmi_tape *tape, const trmi_interval *bound, int group,
                                  int index)
{
    return bound[tape->output[tape->group_start[group] + index]];
}
