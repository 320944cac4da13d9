// SPDX-License-Identifier: Apache-2.0
// A second tree over the same texts.
#include "modelling/reader/yaml/source.h"

// a copy of an item and all below it; NULL: no memory
static trmi_item *clone_item(trmi_document *d, const trmi_item *item)
{
    trmi_item *copy = trmi_document_take(d, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *item;
    copy->next = NULL;
    trmi_item **end = &copy->child;
    for (const trmi_item *i = item->child; i; i = i->next, end = &(*end)->next)
        if (!(*end = clone_item(d, i)))
            return NULL;
    return copy;
}

trmi_document *trmi_document_clone(trmi_memory *memory, const trmi_document *document,
                                   trm_diagnostic_function *report, void *user)
{
    trmi_document *d = trmi_memory_take(memory, 1, sizeof *d);
    if (!d)
        return NULL;
    *d = *document;
    d->memory = memory;
    if (report) {
        d->report = report;
        d->user = user;
    }
    d->source_capacity = d->source_count; // a further text makes a list of its own
    d->root = document->root ? clone_item(d, document->root) : NULL;
    return d->root || !document->root ? d : NULL;
}
