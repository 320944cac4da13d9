// SPDX-License-Identifier: Apache-2.0
// Which formula of an equation model has no value, and where it is in the file.
#include "modelling/reader/equations/equations.h"

#include "base/quantities.h"
#include "modelling/reader/model_type.h"

#include <string.h>

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

// the place of the formula behind a row of a quantity; line 0: it has no single place
static trmi_line_column place_of(const trm_model *m, trm_quantity quantity, int row)
{
    const trmi_equations *e = m->equations;
    const char *name = trm_quantity_name(quantity);
    int first;
    if (trmi_rows_are_constraints(&m->system, quantity, &first))
        return m->place[first + row];
    if (quantity == TRM_QUANTITY_MASS)
        return e->mass_place[row];
    if (begins(name, "FORCE") || quantity == TRM_QUANTITY_DAMPING ||
        quantity == TRM_QUANTITY_STIFFNESS)
        return e->force_place[row];
    if (begins(name, "RATE"))
        return e->rate_place[row];
    if (begins(name, "ALGEBRAIC"))
        return e->algebraic_place[row];
    return (trmi_line_column){0};
}

static int row_of(const trm_system *s, trm_quantity quantity, int entry)
{
    const trm_pattern *pattern = &s->pattern[quantity];
    return trmi_is_vector(quantity) || pattern->count <= 0 ? entry : pattern->row[entry];
}

// The item of such an error is "FORCE of x" or "FORCE[0]".
void trmi_explain_equations(const trm_instance *instance, trm_error *error)
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
                trmi_explain_fault(error, m, place_of(m, (trm_quantity)k, row),
                                   k > TRM_QUANTITY_ENERGY, &fault);
                return;
            }
        }
    }
}
