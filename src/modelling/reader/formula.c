// SPDX-License-Identifier: Apache-2.0
// Formulas of a model file: their names are resolved, and what they may depend on is checked.
#include "modelling/expression/parse.h"
#include "modelling/reader/reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the text of a formula names `name` as a word.
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        char before = at > text ? at[-1] : ' ', after = at[length];
        if (!isalnum((unsigned char)before) && before != '_' && !isalnum((unsigned char)after) &&
            after != '_')
            return true;
    }
    return false;
}

// Whether a definition leads to another through formulas further down; `budget` bounds the search.
static bool leads_to(const trmi_item *from, const char *target, int *budget)
{
    if (!from->text || --*budget < 0)
        return false;
    if (mentions(from->text, target))
        return true;
    for (const trmi_item *next = from->next; next; next = next->next)
        if (next->key && mentions(from->text, next->key) && leads_to(next, target, budget))
            return true;
    return false;
}

// A name whose formula is not read yet: it comes later, or refers back to itself.
static void explain_not_ready(const trmi_reading *r, const trmi_symbol *s, char *message,
                              size_t size)
{
    int budget = 1000;
    const char *own = r->definition ? r->definition->name : "";
    if (r->definition == s)
        snprintf(message, size, "'%s' is defined by itself", s->name);
    else if (s->item && r->definition && leads_to(s->item, own, &budget))
        snprintf(message, size,
                 "cycle in the definitions: '%s' needs '%s' (line %d), which leads back to '%s'",
                 own, s->name, s->item->key_line, own);
    else
        snprintf(message, size,
                 "'%s' is defined further down (line %d); a definition may use only those above it",
                 s->name, s->item ? s->item->key_line : 0);
}

// "a parameter", "a definition that depends on velocities": those of its uses that are not allowed
static const char *describe(const trmi_symbol *s, unsigned allowed, char *buffer, size_t size)
{
    char uses[100];
    bool defined = s->kind == TRMI_SYMBOL_DEFINITION;
    snprintf(buffer, size, "%s%s%s", trmi_symbol_kind_text(s->kind),
             defined ? " that depends on " : "",
             defined ? trmi_uses_text(s->uses & ~allowed, uses, sizeof uses) : "");
    return buffer;
}

static trmi_node refuse_use(const trmi_reading *r, const char *name, const char *kind,
                            char *message, size_t size)
{
    char allowed[100];
    snprintf(message, size, "'%.60s' is %s; %.60s may depend on %s only", name, kind, r->subject,
             trmi_uses_text(r->allowed, allowed, sizeof allowed));
    return TRMI_NO_NODE;
}

static trmi_node resolve_acceleration(trmi_reading *r, const char *argument, char *message,
                                      size_t size)
{
    trmi_symbol *s = trmi_symbols_find(&r->symbols, argument);
    bool signal = s && s->kind == TRMI_SYMBOL_SIGNAL;
    if (!s || (s->kind != TRMI_SYMBOL_POSITION && !signal)) {
        const char *near = trmi_nearest_symbol(r, argument, TRMI_USES_POSITIONS);
        snprintf(message, size, "a(...) is the acceleration of a position; '%.60s' is none%s%s%s",
                 argument, near ? "; did you mean 'a(" : "", near ? near : "", near ? ")'?" : "");
        return TRMI_NO_NODE;
    }
    if (!(r->allowed & TRMI_USES_ACCELERATIONS)) {
        char text[80];
        snprintf(text, sizeof text, "a(%.60s)", argument);
        return refuse_use(r, text, "an acceleration", message, size);
    }
    r->uses |= TRMI_USES_ACCELERATIONS;
    s->used = true;
    const trmi_layout *l = &r->model->layout;
    return trmi_input(&r->graph, (signal ? l->signal_second : l->a) + s->index);
}

static trmi_node resolve_name(trmi_reading *r, const char *name, char *message, size_t size)
{
    if (strcmp(name, "t") == 0) {
        if (!(r->allowed & TRMI_USES_TIME))
            return refuse_use(r, name, "the time", message, size);
        r->uses |= TRMI_USES_TIME;
        return trmi_input(&r->graph, r->model->layout.t);
    }
    trmi_symbol *s = trmi_symbols_find(&r->symbols, name);
    if (!s) {
        const char *near = trmi_nearest_symbol(r, name, r->allowed);
        bool force = false;
        if (!near)
            near = trmi_nearest_signal(r, name, &force);
        if (near && strcmp(near, name) == 0) // there is one, but not for this formula
            return refuse_use(
                r, name, trmi_symbol_kind_text(force ? TRMI_SYMBOL_EFFECT : TRMI_SYMBOL_SIGNAL),
                message, size);
        snprintf(message, size, "'%.60s' is not defined%s%.60s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return TRMI_NO_NODE;
    }
    s->used = true;
    if (s->uses & ~r->allowed) {
        char kind[160];
        return refuse_use(r, name, describe(s, r->allowed, kind, sizeof kind), message, size);
    }
    if (s->node == TRMI_NO_NODE) {
        explain_not_ready(r, s, message, size);
        return TRMI_NO_NODE;
    }
    r->uses |= s->uses;
    r->follows |= s->follows;
    return s->node;
}

// d(u) and dd(u): rates of what depends on t alone
static trmi_node resolve_rate(trmi_reading *r, const char *name, const char *argument,
                              char *message, size_t size)
{
    const trmi_symbol *s = trmi_symbols_find(&r->symbols, argument);
    if (s && (s->kind == TRMI_SYMBOL_EXCITATION || s->kind == TRMI_SYMBOL_DEFINITION) &&
        !(s->uses & ~(unsigned)TRMI_USES_TIME)) {
        trmi_node node = resolve_name(r, argument, message, size);
        for (const char *d = name; *d && node != TRMI_NO_NODE; d++)
            node = trmi_forward_rate(&r->time, node);
        return node;
    }
    const char *near = s ? NULL : trmi_nearest_symbol(r, argument, TRMI_USES_TIME);
    char kind[160] = "not defined";
    if (s)
        describe(s, TRMI_USES_TIME, kind, sizeof kind);
    snprintf(message, size,
             "%s(...) is a rate of an input or a definition of t alone; '%.60s' is %s%s%.60s%s",
             name, argument, kind, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
    return TRMI_NO_NODE;
}

static trmi_node resolve(void *user, const char *name, const char *argument, char *message,
                         size_t size)
{
    trmi_reading *r = user;
    if (!argument)
        return resolve_name(r, name, message, size);
    if (strcmp(name, "a") == 0)
        return resolve_acceleration(r, argument, message, size);
    if (strcmp(name, "d") == 0 || strcmp(name, "dd") == 0)
        return resolve_rate(r, name, argument, message, size);
    snprintf(message, size, "there is no function '%.60s'", name);
    return TRMI_NO_NODE;
}

trmi_node trmi_read_formula(trmi_reading *r, const trmi_item *item, unsigned allowed,
                            const char *subject)
{
    double value;
    r->item = item;
    r->allowed = allowed;
    r->subject = subject;
    r->uses = 0;
    if (item && trmi_item_number(item, &value))
        return trmi_constant(&r->graph, value);
    if (!item || item->kind != TRMI_SCALAR || trmi_item_null(item))
        return trmi_constant(&r->graph, 0); // reported with the keys
    trmi_parse_error error;
    r->follows = 0;
    trmi_node node = trmi_parse(&r->graph, item->text, resolve, r, &error);
    *(r->noted ? r->noted : &r->model->kept.elsewhere) |= r->follows;
    if (node != TRMI_NO_NODE)
        return node;
    trmi_report_inside(r->document, item, error.offset, error.length, "%s", error.message);
    return trmi_constant(&r->graph, 0);
}

bool trmi_read_number(trmi_reading *r, const trmi_item *item, double *value)
{
    if (!item || trmi_item_null(item))
        return false;
    if (trmi_item_number(item, value))
        return true;
    char subject[80] = "this number";
    if (item->key)
        snprintf(subject, sizeof subject, "'%.60s'", item->key);
    int errors = trmi_document_errors(r->document);
    trmi_node node = trmi_read_formula(r, item, 0, subject);
    if (trmi_document_errors(r->document) > errors)
        return false;
    if (!trmi_is_constant(&r->graph, node, value))
        *value = trmi_graph_value(&r->graph, node, r->parameter_input);
    if (isfinite(*value))
        return true;
    trmi_report(r->document, item, "%s is %g", subject, *value);
    return false;
}

trmi_symbol *trmi_introduce(trmi_reading *r, const trmi_item *item, const char *name,
                            trmi_symbol_kind kind, int index)
{
    // velocities are named by values, all others by keys
    void (*report)(trmi_document *, const trmi_item *, const char *, ...) =
        kind == TRMI_SYMBOL_VELOCITY ? trmi_report : trmi_report_key;
    if (!trmi_is_name(name)) {
        report(r->document, item,
               "'%.60s' is not a valid name: a letter or _, then letters, digits and _", name);
        return NULL;
    }
    if (trmi_is_reserved(name)) {
        report(r->document, item, "the name '%.60s' is taken by the language", name);
        return NULL;
    }
    trmi_symbol *symbol = trmi_symbols_add(&r->symbols, name, kind, index, item);
    const trmi_symbol *first = symbol ? NULL : trmi_symbols_find(&r->symbols, name);
    if (first)
        report(r->document, item, "the name '%.60s' is already that of %s (line %d)", name,
               trmi_symbol_kind_text(first->kind), first->item ? first->item->key_line : 0);
    return symbol;
}

void trmi_introduce_all(trmi_reading *r, const trmi_item *section, trmi_symbol_kind kind)
{
    int index = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        trmi_introduce(r, i, i->key, kind, index++);
}

void trmi_read_definitions(trmi_reading *r, const trmi_item *section, unsigned allowed,
                           const char *subject)
{
    char text[100];
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_symbol *symbol = trmi_symbols_find(&r->symbols, i->key);
        if (!symbol || symbol->item != i) // a name that was refused
            symbol = NULL;
        snprintf(text, sizeof text, "%s '%.60s'", subject, i->key);
        uint64_t follows = 0, *noted = r->noted;
        r->definition = symbol;
        r->noted = &follows;
        trmi_node node = trmi_read_formula(r, i, allowed, text);
        r->definition = NULL;
        r->noted = noted;
        if (!symbol)
            continue;
        symbol->node = node;
        symbol->uses |= r->uses;
        symbol->follows |= follows;
    }
}

bool trmi_check_length(trmi_reading *r, const trmi_item *list, int wanted, const char *subject)
{
    if (list->kind == TRMI_LIST && list->count == wanted)
        return true;
    if (list->kind == TRMI_LIST && wanted > 0)
        trmi_report(r->document, list, "%s has %d %s; it needs %d, one for each coordinate",
                    subject, list->count, list->count == 1 ? "entry" : "entries", wanted);
    return false;
}
