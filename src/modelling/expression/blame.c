// SPDX-License-Identifier: Apache-2.0
// Where a value that is not finite comes from. Every result has a register of its own, so after a
// run the way back from an output leads from one operand that is not finite to the next, and ends
// at an operation whose operands all are.
#include "modelling/expression/instruction.h"

#include <math.h>

typedef struct step {
    int code;
    const trmi_instruction *instruction;
} step;

// the instruction of a segment whose result is this register
static bool find_in_segment(const trmi_tape *tape, const trmi_segment *segment, int reg, step *out)
{
    const trmi_instruction *instruction = tape->instruction + segment->first;
    int result = segment->result;
    for (int k = 0; k < segment->runs; k++) {
        const trmi_operation_run *run = &tape->run[segment->first_run + k];
        int each = run->code == TRMI_CODE_SIN_COS ? 2 : 1, behind = result + each * run->count;
        if (reg >= result && reg < behind) {
            *out = (step){run->code, instruction + (reg - result) / each};
            return true;
        }
        result = behind;
        instruction += run->count;
    }
    return false;
}

static bool find_step(const trmi_tape *tape, int reg, step *out)
{
    bool found = find_in_segment(tape, &tape->slow, reg, out);
    for (int s = 0; s < tape->segments && !found; s++)
        found = find_in_segment(tape, &tape->segment[s], reg, out);
    return found;
}

static int operands_of(int code)
{
    if (code == TRMI_CODE_SIN_COS)
        return 1;
    return code < TRMI_OPERATION_COUNT ? trmi_operation_operands((trmi_operation)code) : 3;
}

// two operations in one: that of the two which overflows
static void part_pair(const step *s, const double *reg, trmi_tape_fault *fault)
{
    double product = fault->operand[0] * fault->operand[1];
    fault->operands = 2;
    fault->operation = TRMI_MULTIPLY;
    if (!isfinite(product))
        return;
    bool last = s->code == TRMI_CODE_SUBTRACT_PRODUCT;
    fault->operation = s->code == TRMI_CODE_MULTIPLY_ADD ? TRMI_ADD : TRMI_SUBTRACT;
    fault->operand[last] = product;
    fault->input[last] = TRMI_NO_NODE;
    fault->operand[!last] = reg[s->instruction->c];
    fault->input[!last] = fault->input[2];
}

static void describe_step(const trmi_tape *tape, const step *s, const double *reg,
                          trmi_tape_fault *fault)
{
    const uint32_t operand[] = {s->instruction->a, s->instruction->b, s->instruction->c};
    fault->operands = operands_of(s->code);
    for (int k = 0; k < fault->operands; k++) {
        fault->operand[k] = reg[operand[k]];
        bool input = operand[k] < (uint32_t)tape->first_constant;
        fault->input[k] = input ? (int)operand[k] : TRMI_NO_NODE;
    }
    fault->operation = s->code == TRMI_CODE_SIN_COS ? TRMI_SIN : (trmi_operation)s->code;
    if (s->code > TRMI_CODE_SIN_COS)
        part_pair(s, reg, fault);
}

// the operand that is not finite and reaches the result, -1 if there is none
static int next_operand(const step *s, const double *reg)
{
    const uint32_t operand[] = {s->instruction->a, s->instruction->b, s->instruction->c};
    if (s->code == TRMI_IF)
        return (int)(reg[operand[0]] != 0 ? operand[1] : operand[2]);
    for (int k = 0; k < operands_of(s->code); k++)
        if (!isfinite(reg[operand[k]]))
            return (int)operand[k];
    return -1;
}

bool trmi_tape_blame(const trmi_tape *tape, const double *reg, int group, int index,
                     trmi_tape_fault *fault)
{
    int at = tape->output[tape->group_start[group] + index];
    step s;
    *fault = (trmi_tape_fault){.operation = TRMI_CONSTANT, .operands = 0};
    if (isfinite(reg[at]))
        return false;
    while (find_step(tape, at, &s)) {
        int next = next_operand(&s, reg);
        if (next < 0) {
            describe_step(tape, &s, reg, fault);
            return true;
        }
        at = next;
    }
    fault->operand[0] = reg[at];
    return at >= tape->first_constant; // an input has no fault in this tape
}
