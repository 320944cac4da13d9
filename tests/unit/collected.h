// SPDX-License-Identifier: Apache-2.0
// Common to the tests of the reader: all diagnostics of a text as one, to be compared as a whole.
#ifndef COLLECTED_H
#define COLLECTED_H

#include "framework.h"

#include "modelling/reader/yaml/document.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct collected {
    trmi_memory memory;
    trmi_document *document;
    char text[40000]; // every diagnostic as trm_diagnostic_format writes it
    int count;
} collected;

static inline void collect(const trm_diagnostic *diagnostic, void *user)
{
    collected *c = user;
    size_t length = strlen(c->text);
    trm_diagnostic_format(diagnostic, c->text + length, sizeof c->text - length);
    c->count++;
}

// reads a text as the file m.yaml
static inline void read_bytes(collected *c, const char *text, size_t length)
{
    c->text[0] = '\0';
    c->count = 0;
    trmi_memory_init(&c->memory, NULL);
    c->document = trmi_document_read(&c->memory, "m.yaml", text, length, collect, c);
}

static inline void read_text(collected *c, const char *text)
{
    read_bytes(c, text, strlen(text));
}

static inline void release(collected *c)
{
    trmi_memory_release_all(&c->memory);
    c->document = NULL;
}

#endif
