// SPDX-License-Identifier: Apache-2.0
// The inside of a tape: what compile.c makes and tape.c runs.
//
// Instructions of one kind are grouped in runs, as far as dependence allows: choosing what to do
// once per run, not per instruction, spares the processor wrong guesses about jumps (measured: a
// factor of 2 to 5 in long tapes). Results go to one register after the other, so an instruction
// has no field for its result.
#ifndef TRMI_MODELLING_EXPRESSION_INSTRUCTION_H
#define TRMI_MODELLING_EXPRESSION_INSTRUCTION_H

#include "modelling/expression/tape.h"

// Instructions are the operations of the graph and those that do two of them at once. Each result
// is rounded as in the graph: nothing here is a fused multiply-add.
typedef enum trmi_instruction_code {
    TRMI_CODE_SIN_COS = TRMI_OPERATION_COUNT, // two results: sin a, cos a
    TRMI_CODE_MULTIPLY_ADD,                   // a*b + c
    TRMI_CODE_MULTIPLY_SUBTRACT,              // a*b - c
    TRMI_CODE_SUBTRACT_PRODUCT,               // c - a*b
    TRMI_CODE_COUNT
} trmi_instruction_code;

typedef struct trmi_instruction {
    uint32_t a, b, c; // registers
} trmi_instruction;

// Instructions of one kind.
typedef struct trmi_operation_run {
    int code, count;
} trmi_operation_run;

// Instructions that the same groups need.
typedef struct trmi_segment {
    uint64_t groups;
    int first_run, runs;
    int first, count; // instructions
    int result;       // register of the first result
} trmi_segment;

struct trmi_tape {
    trmi_instruction *instruction; // slow ones, then the segments
    trmi_operation_run *run;
    trmi_segment slow;
    trmi_segment *segment;
    int segments, runs;
    double *constant; // their registers follow the inputs
    int first_constant, constants;
    int registers;
    const trmi_interpolant *curve; // of the graph, for TABLE
    int *output;                   // registers of the outputs, by group
    int group_start[65];           // group g: output[group_start[g] .. group_start[g+1]-1]
};

#endif
