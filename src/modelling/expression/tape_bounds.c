// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/tape_bounds.h"

#include "modelling/expression/instruction.h"
#include "modelling/expression/operation.h"

static trmi_interval apply(trmi_operation operation, trmi_interval a, trmi_interval b,
                           trmi_interval c)
{
    const trmi_interval x[3] = {a, b, c};
    return trmi_interval_apply(operation, x);
}

// a b; powers are products of one register, and x x is not negative
static trmi_interval multiply(const trmi_instruction *i, const trmi_interval *x)
{
    trmi_interval product = trmi_interval_apply(TRMI_MULTIPLY, x);
    if (i->a == i->b)
        product.low = x[0].low <= 0 && x[0].high >= 0 ? 0 : fmax(product.low, 0);
    return product;
}

// one instruction; returns where the results of the next one go
static trmi_interval *run_instruction(const trmi_tape *tape, int code, const trmi_instruction *i,
                                      const trmi_interval *bound, trmi_interval *result)
{
    const trmi_interval x[3] = {bound[i->a], bound[i->b], bound[i->c]};
    switch (code) {
    case TRMI_TABLE: {
        const trmi_table_choice choice = trmi_table_of(x[1].low);
        *result = trmi_interval_curve(&tape->curve[choice.curve], choice.order, x[0]);
        break;
    }
    case TRMI_PATH:
        *result = trmi_interval_path(x);
        break;
    case TRMI_MULTIPLY:
        *result = multiply(i, x);
        break;
    case TRMI_CODE_SIN_COS:
        *result++ = trmi_interval_apply(TRMI_SIN, x);
        *result = trmi_interval_apply(TRMI_COS, x);
        break;
    case TRMI_CODE_MULTIPLY_ADD:
        *result = apply(TRMI_ADD, multiply(i, x), x[2], x[2]);
        break;
    case TRMI_CODE_MULTIPLY_SUBTRACT:
        *result = apply(TRMI_SUBTRACT, multiply(i, x), x[2], x[2]);
        break;
    case TRMI_CODE_SUBTRACT_PRODUCT:
        *result = apply(TRMI_SUBTRACT, x[2], multiply(i, x), x[2]);
        break;
    default:
        *result = trmi_interval_apply((trmi_operation)code, x);
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
