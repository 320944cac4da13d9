// SPDX-License-Identifier: Apache-2.0
// Parameters: numbers that formulas may use. They are constants and vanish from the formulas,
// except those that an event sets: these, and what is computed from them, stay variable.
#include "modelling/reader/model_type.h"

#include <math.h>

static const trmi_item *parameter_section(const trmi_reading *r)
{
    return trmi_item_find(r->root, "parameters");
}

// A parameter without a value, and why. Constants are folded where a formula is read: it is read
// again for the operation that failed. None did where another parameter without value enters.
static void report_value(trmi_reading *r, const trmi_item *p, double value)
{
    char words[160] = "";
    uint64_t beside = 0, *noted = r->noted;
    r->graph.fault = (trmi_tape_fault){.operation = TRMI_CONSTANT};
    r->noted = &beside;
    trmi_read_formula(r, p, 0, "this number");
    r->noted = noted;
    bool known = r->graph.fault.operation != TRMI_CONSTANT;
    if (known)
        trmi_fault_words(r->model, &r->graph.fault, words, sizeof words);
    trmi_report(r->document, p, "parameter '%.60s' is %g%s%s", p->key,
                isnan(value) ? fabs(value) : value, known ? ": " : "", words); // no "-nan"
}

// First with all of them constant: problems take their options from here.
void trmi_read_parameters(trmi_reading *r)
{
    const trmi_item *section = parameter_section(r);
    trmi_introduce_all(r, section, TRMI_SYMBOL_PARAMETER);
    trmi_mark_varied(r);
    trmi_read_definitions(r, section, 0, "parameter");
    for (const trmi_item *p = section ? section->child : NULL; p; p = p->next) {
        const trmi_symbol *s = trmi_symbols_find(&r->symbols, p->key);
        double value = 0;
        if (s && trmi_is_constant(&r->graph, s->node, &value) && !isfinite(value))
            report_value(r, p, value);
    }
}

// Marks the parameters that events and inputs from outside set, and the one by which equations are
// differentiated, and counts them.
static int mark_variable(trmi_reading *r)
{
    const trmi_item *events = trmi_item_find(r->root, "events");
    for (const trmi_item *e = events ? events->child : NULL; e; e = e->next) {
        const trmi_item *set = trmi_item_find(e, "set");
        for (const trmi_item *i = set && set->kind == TRMI_MAP ? set->child : NULL; i;
             i = i->next) {
            trmi_symbol *s = trmi_symbols_find(&r->symbols, i->key);
            if (s)
                s->set = s->kind == TRMI_SYMBOL_PARAMETER;
        }
    }
    trmi_mark_outside(r);
    trmi_symbol *by = r->by ? trmi_symbols_find(&r->symbols, r->by) : NULL;
    if (by)
        by->set = by->kind == TRMI_SYMBOL_PARAMETER;
    int count = 0;
    for (int i = 0; i < r->symbols.count; i++)
        count += r->symbols.symbol[i].set;
    return count;
}

// Then again with inputs in place of those that events set.
bool trmi_place_parameters(trmi_reading *r, int seconds)
{
    trm_model *m = r->model;
    double *first;
    m->parameters = mark_variable(r);
    m->layout = trmi_layout_of(&m->system, m->signals, seconds, m->effects, m->parameters);
    const double *before = r->parameter_input; // of an earlier layout
    if (!TRMI_TAKE(r->memory, first, m->parameters) ||
        !TRMI_TAKE(r->scratch, r->parameter_input, m->layout.count))
        return false;
    m->parameter_value = first;
    if (m->parameters == 0 || trmi_document_errors(r->document) > 0)
        return true;
    const trmi_item *section = parameter_section(r);
    int variable = 0;
    for (const trmi_item *p = section ? section->child : NULL; p; p = p->next) {
        trmi_symbol *s = trmi_symbols_find(&r->symbols, p->key);
        double value = 0;
        if (!trmi_is_constant(&r->graph, s->node, &value))
            value = trmi_graph_value(&r->graph, s->node, before);
        if (!s->set) {
            s->node = trmi_read_formula(r, p, 0, "parameter");
            continue;
        }
        s->index = variable;
        first[variable] = r->parameter_input[m->layout.parameter + variable] = value;
        s->node = trmi_input(&r->graph, m->layout.parameter + variable++);
    }
    trmi_number_outside(r);
    return true;
}
