// SPDX-License-Identifier: Apache-2.0
// Why a formula has no value: the operation that failed, with its operands,
// and where the formula stands.
#include "modelling/reader/equations/equations.h"

#include "base/quantities.h"
#include "modelling/multibody/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- places ----------------------------------------------------------------------------------

static const trmi_line_column *keep_section(trmi_reading *r, const trmi_item *section)
{
    trmi_line_column *place;
    int row = 0;
    if (!TRMI_TAKE(r->memory, place, section ? section->count : 0))
        return NULL;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        place[row++] = (trmi_line_column){i->line, i->column};
    return place;
}

bool trmi_keep_formulas(trmi_reading *r, const trmi_item *section, trmi_equations *e)
{
    return (e->mass_place = keep_section(r, trmi_item_find(section, "mass"))) &&
           (e->force_place = keep_section(r, trmi_item_find(section, "force"))) &&
           (e->rate_place = keep_section(r, trmi_item_find(section, "states"))) &&
           (e->algebraic_place = keep_section(r, trmi_item_find(section, "algebraic")));
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// where the formula behind a row of a quantity stands; line 0: not in one place
static trmi_line_column place_of(const trm_model *m, trm_quantity quantity, int row)
{
    const trmi_equations *e = m->equations;
    const char *name = trm_quantity_name(quantity);
    int first;
    if (trmi_rows_are_constraints(&m->system, quantity, &first))
        return m->place[first + row];
    if (quantity == TRM_MASS)
        return e->mass_place[row];
    if (begins(name, "FORCE") || quantity == TRM_DAMPING || quantity == TRM_STIFFNESS)
        return e->force_place[row];
    if (begins(name, "RATE"))
        return e->rate_place[row];
    if (begins(name, "ALGEBRAIC"))
        return e->algebraic_place[row];
    return (trmi_line_column){0};
}

// ---- words -----------------------------------------------------------------------------------

// the name that formulas have for an input, NULL for those that they cannot use
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
    if (m->mechanism)
        return NULL; // signals: their names went with the file
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

static void write_fault(const trm_model *m, const trmi_tape_fault *fault, char *out, size_t size)
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

// ---- the explanation -------------------------------------------------------------------------

static void append(trm_error *error, const trm_model *m, trmi_line_column place, bool derivative,
                   const trmi_tape_fault *fault)
{
    char words[160], where[160] = "";
    size_t length = strlen(error->text);
    write_fault(m, fault, words, sizeof words);
    if (place.line > 0)
        snprintf(where, sizeof where, " in %s formula at %.80s:%d:%d",
                 derivative ? "a derivative of the" : "the", m->path, place.line, place.column);
    snprintf(error->text + length, sizeof error->text - length, ": %s%s", words, where);
}

static int row_of(const trm_system *s, trm_quantity quantity, int entry)
{
    const trm_pattern *pattern = &s->pattern[quantity];
    return trmi_is_vector(quantity) || pattern->count <= 0 ? entry : pattern->row[entry];
}

// The item of such an error is "FORCE of x" or "FORCE[0]".
static void explain_equations(const trm_instance *instance, trm_error *error)
{
    const trm_model *m = instance->model;
    const trmi_tape *tape = m->equations->tape;
    size_t length = strcspn(error->item, " [");
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const char *name = trm_quantity_name((trm_quantity)k);
        if (strlen(name) != length || strncmp(name, error->item, length) != 0)
            continue;
        for (int i = 0; i < trmi_tape_group_size(tape, k); i++) {
            trmi_tape_fault fault;
            if (trmi_tape_blame(tape, instance->reg, k, i, &fault)) {
                int row = row_of(&m->system, (trm_quantity)k, i);
                // those of the list that are formulas themselves come first
                append(error, m, place_of(m, (trm_quantity)k, row), k > TRM_ENERGY, &fault);
                return;
            }
        }
    }
}

// A formula of a force acts on many coordinates: whichever has no value.
static void explain_mechanism(const trm_instance *instance, trm_error *error)
{
    const trm_model *m = instance->model;
    const trmi_tape *tape = m->mechanism->tape;
    const double *reg = instance->machine->tape;
    trmi_tape_fault fault;
    for (int i = 0; i < m->formulas; i++)
        if (trmi_tape_blame(tape, reg, TRMI_TAPE_VALUES, i, &fault)) {
            append(error, m, m->formula_place[i].place, false, &fault);
            return;
        }
    for (int i = 0, k = 0; i < trmi_tape_group_size(tape, TRMI_TAPE_SLOPES); i++) {
        while (k + 1 < m->formulas && m->formula_place[k + 1].slope <= i)
            k++;
        if (trmi_tape_blame(tape, reg, TRMI_TAPE_SLOPES, i, &fault)) {
            append(error, m, m->formula_place[k].place, true, &fault);
            return;
        }
    }
}

// A step that failed leaves its values in the registers; where they are finite meanwhile nothing is
// said.
void trmi_instance_explain(const trm_instance *instance, trm_error *error)
{
    const trm_model *m = instance ? instance->model : NULL;
    if (!m || error->status != TRM_ERR_CALLBACK)
        return;
    if (m->equations)
        explain_equations(instance, error);
    else if (m->mechanism && m->mechanism->tape && instance->machine)
        explain_mechanism(instance, error);
}
