// SPDX-License-Identifier: Apache-2.0
// Why a formula has no value: the operation that failed with its operands, in words.
#include "modelling/reader/model_type.h"

#include <stdio.h>
#include <string.h>

// the name that formulas have for an input, NULL for those that they cannot use and for signals,
// whose names went with the file
static const char *input_name(const trm_model *m, int input)
{
    const trmi_layout *l = &m->layout;
    const struct {
        int first;
        trm_channel_kind kind;
    } parts[] = {{l->q, TRM_CHANNEL_POSITION},
                 {l->v, TRM_CHANNEL_VELOCITY},
                 {l->x, TRM_CHANNEL_STATE},
                 {l->z, TRM_CHANNEL_ALGEBRAIC},
                 {l->lambda, TRM_CHANNEL_MULTIPLIER}};
    if (input == l->t)
        return "t";
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const trmi_names *names = &m->names[parts[k].kind];
        if (input >= parts[k].first && input < parts[k].first + names->count && names->name)
            return names->name[input - parts[k].first];
    }
    return NULL;
}

// "x = 0" or "0"
static void write_operand(const trm_model *m, const trmi_tape_fault *fault, int k, char *out,
                          size_t size)
{
    const char *name = fault->input[k] >= 0 ? input_name(m, fault->input[k]) : NULL;
    double value = fault->operand[k] + 0.0; // no "-0"
    snprintf(out, size, "%.30s%s%g", name ? name : "", name ? " = " : "", value);
}

void trmi_fault_words(const trm_model *m, const trmi_tape_fault *fault, char *out, size_t size)
{
    char a[60], b[60];
    const char *function = trmi_operation_text(fault->operation);
    if (fault->operation == TRMI_CONSTANT) {
        snprintf(out, size, "parameters make a constant of %g", fault->operand[0]);
        return;
    }
    write_operand(m, fault, 0, a, sizeof a);
    write_operand(m, fault, fault->operands > 1, b, sizeof b);
    if (fault->operation == TRMI_DIVIDE)
        snprintf(out, size, "division of %s by %s", a, b);
    else if (fault->operation == TRMI_MULTIPLY)
        snprintf(out, size, "product of %s and %s", a, b);
    else if (fault->operation == TRMI_ADD)
        snprintf(out, size, "sum of %s and %s", a, b);
    else if (fault->operation == TRMI_SUBTRACT)
        snprintf(out, size, "difference of %s and %s", a, b);
    else if (fault->operands > 1)
        snprintf(out, size, "%s of %s and %s", function ? function : "operation", a, b);
    else
        snprintf(out, size, "%s of %s", function ? function : "operation", a);
}

void trmi_explain_fault(trm_error *error, const trm_model *m, trmi_line_column place,
                        bool derivative, const trmi_tape_fault *fault)
{
    char words[160], where[160] = "";
    size_t length = strlen(error->text);
    trmi_fault_words(m, fault, words, sizeof words);
    if (place.line > 0)
        snprintf(where, sizeof where, " in %s formula at %.80s:%d:%d",
                 derivative ? "a derivative of the" : "the", m->path, place.line, place.column);
    snprintf(error->text + length, sizeof error->text - length, ": %s%s", words, where);
}
