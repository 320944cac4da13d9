// SPDX-License-Identifier: Apache-2.0
// Outputs that formulas of the mechanism name: each is a definition while the forces are read.
// Afterwards their names are free again: outputs are computed from the unknowns of the system then.
#include "modelling/reader/mechanism/draft.h"

#include "base/grow.h"
#include "modelling/expression/lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep_output(trmi_draft *d, const trmi_item *item)
{
    if (d->outputs == d->output_capacity) {
        const trmi_item **larger =
            trmi_grow(d->output, &d->output_capacity, d->outputs + 1, sizeof *larger);
        if (!larger)
            return false;
        d->output = larger;
    }
    d->output[d->outputs++] = item;
    return true;
}

static void scan_text(trmi_draft *d, const char *text);

// An output of this name, unless the name means something else.
static void want_output(trmi_draft *d, const char *name)
{
    const trmi_item *item = trmi_item_find(trmi_item_find(d->r->root, "outputs"), name);
    if (!item || item->kind != TRMI_SCALAR || trmi_symbols_find(&d->r->symbols, name))
        return;
    if (!trmi_symbols_reserve(d->r, 1) || !keep_output(d, item)) {
        d->r->failed = true;
        return;
    }
    trmi_symbols_add(&d->r->symbols, item->key, TRMI_SYMBOL_DEFINITION, 0, item);
    trmi_draft_signals(d, item);
    scan_text(d, item->text); // outputs that it names itself
}

static void scan_text(trmi_draft *d, const char *text)
{
    char name[100];
    for (trmi_token token = trmi_next_token(text, 0);
         token.kind != TRMI_TOKEN_END && token.kind != TRMI_TOKEN_WRONG;
         token = trmi_next_token(text, token.offset + token.length)) {
        if (token.kind != TRMI_TOKEN_NAME || (size_t)token.length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", token.length, text + token.offset);
        want_output(d, name);
    }
}

static void scan_formulas(trmi_draft *d, const trmi_item *item)
{
    if (item->kind == TRMI_SCALAR && item->text)
        scan_text(d, item->text);
    for (const trmi_item *i = item->kind == TRMI_LIST ? item->child : NULL; i; i = i->next)
        scan_formulas(d, i);
}

static bool is_formula(trmi_parameter_kind kind)
{
    return kind == TRMI_PARAMETER_FORMULA || kind == TRMI_PARAMETER_EFFORT ||
           kind == TRMI_PARAMETER_FORCE || kind == TRMI_PARAMETER_TORQUE;
}

// every formula below an item
static void scan_all(trmi_draft *d, const trmi_item *item)
{
    if (!item)
        return;
    if (item->kind == TRMI_SCALAR && item->text)
        scan_text(d, item->text);
    for (const trmi_item *i = item->kind == TRMI_SCALAR ? NULL : item->child; i; i = i->next)
        scan_all(d, i);
}

void trmi_draft_want_outputs(trmi_draft *d, const trmi_item *section)
{
    const trmi_item *forces = trmi_item_find(section, "forces");
    const trmi_item *joints = trmi_item_find(section, "joints");
    for (const trmi_item *joint = joints ? joints->child : NULL; joint; joint = joint->next)
        scan_all(d, trmi_item_find(joint, "motion"));
    scan_all(d, trmi_item_find(section, "states"));
    scan_all(d, trmi_item_find(section, "algebraic"));
    for (const trmi_item *force = forces ? forces->child : NULL; force; force = force->next) {
        const trmi_force_type *type;
        const trmi_item *map = trmi_draft_force_type(force, &type);
        for (int k = 0; map && type->parameter[k]; k++) {
            const trmi_item *formula = trmi_item_find(map, type->parameter[k]->key);
            if (formula && is_formula(type->parameter[k]->kind))
                scan_formulas(d, formula);
            if (type->parameter[k]->kind == TRMI_PARAMETER_LIBRARY_SIGNALS)
                scan_all(d, formula);
        }
    }
}

void trmi_draft_define_outputs(trmi_draft *d)
{
    const trmi_item *section = trmi_item_find(d->r->root, "outputs");
    for (const trmi_item *item = d->outputs > 0 ? section->child : NULL; item; item = item->next) {
        trmi_symbol *symbol = trmi_symbols_find(&d->r->symbols, item->key);
        char subject[100];
        if (!symbol || symbol->item != item) // not wanted
            continue;
        snprintf(subject, sizeof subject, "output '%.40s', which the mechanism uses,", item->key);
        d->r->definition = symbol;
        trmi_node node = trmi_read_formula(d->r, item, TRMI_FORCE_USES, subject);
        d->r->definition = NULL;
        symbol->node = node; // not before: one that names itself is reported
        symbol->uses = d->r->uses;
    }
}

void trmi_draft_forget_outputs(trmi_draft *d)
{
    for (int k = 0; k < d->outputs; k++)
        trmi_symbols_forget(trmi_symbols_find(&d->r->symbols, d->output[k]->key));
    free(d->output);
    d->output = NULL;
    d->outputs = 0;
}
