// SPDX-License-Identifier: Apache-2.0
// Running a tape. A switch per run of equal instructions; every operation is the definition of
// operation.h, in line.
#include "modelling/expression/instruction.h"
#include "modelling/expression/operation.h"

#include <assert.h>
#include <string.h>

int trmi_tape_registers(const trmi_tape *tape)
{
    return tape->registers;
}

int trmi_tape_length(const trmi_tape *tape, uint64_t groups)
{
    int length = 0;
    for (int s = 0; s < tape->segments; s++)
        if (tape->segment[s].groups & groups)
            length += tape->segment[s].count;
    return length;
}

// one run; where the results of the next one go
static double *run_instructions(const trmi_tape *tape, const trmi_operation_run *run,
                                const trmi_instruction *i, const double *reg, double *result)
{
    const int n = run->count;
    switch (run->code) {
#define CASE(name, operands, text)                                                                 \
    case TRMI_##name:                                                                              \
        for (int k = 0; k < n; k++)                                                                \
            result[k] = trmi_compute(TRMI_##name, reg[i[k].a], reg[i[k].b], reg[i[k].c]);          \
        break;
        TRMI_ARITHMETIC_LIST(CASE)
#undef CASE
    case TRMI_TABLE:
        for (int k = 0; k < n; k++)
            result[k] = trmi_table_value(tape->curve, reg[i[k].a], reg[i[k].b]);
        break;
    case TRMI_PATH:
        for (int k = 0; k < n; k++)
            result[k] = trmi_path_value(tape->curve, reg[i[k].a], reg[i[k].b], reg[i[k].c]);
        break;
    case TRMI_CODE_SIN_COS:
        for (int k = 0; k < n; k++) {
            result[2 * k] = sin(reg[i[k].a]);
            result[2 * k + 1] = cos(reg[i[k].a]);
        }
        return result + 2 * n;
    case TRMI_CODE_MULTIPLY_ADD:
        for (int k = 0; k < n; k++)
            result[k] = reg[i[k].a] * reg[i[k].b] + reg[i[k].c];
        break;
    case TRMI_CODE_MULTIPLY_SUBTRACT:
        for (int k = 0; k < n; k++)
            result[k] = reg[i[k].a] * reg[i[k].b] - reg[i[k].c];
        break;
    case TRMI_CODE_SUBTRACT_PRODUCT:
        for (int k = 0; k < n; k++)
            result[k] = reg[i[k].c] - reg[i[k].a] * reg[i[k].b];
        break;
    }
    return result + n;
}

static void run_segment(const trmi_tape *tape, const trmi_segment *segment, double *reg)
{
    const trmi_instruction *instruction = tape->instruction + segment->first;
    const trmi_operation_run *run = tape->run + segment->first_run;
    double *result = reg + segment->result;
    for (int k = 0; k < segment->runs; k++) {
        result = run_instructions(tape, &run[k], instruction, reg, result);
        instruction += run[k].count;
    }
}

void trmi_tape_prepare(const trmi_tape *tape, double *reg)
{
    memcpy(reg + tape->first_constant, tape->constant,
           (size_t)tape->constants * sizeof *tape->constant);
    run_segment(tape, &tape->slow, reg);
}

void trmi_tape_run(const trmi_tape *tape, double *restrict reg, uint64_t groups)
{
    for (int s = 0; s < tape->segments; s++)
        if (tape->segment[s].groups & groups)
            run_segment(tape, &tape->segment[s], reg);
}

int trmi_tape_group_size(const trmi_tape *tape, int group)
{
    assert(group >= 0 && group < 64);
    return tape->group_start[group + 1] - tape->group_start[group];
}

void trmi_tape_fetch(const trmi_tape *tape, const double *reg, int group, double *out)
{
    const int *output = tape->output + tape->group_start[group];
    for (int k = 0; k < trmi_tape_group_size(tape, group); k++)
        out[k] = reg[output[k]];
}
