// SPDX-License-Identifier: Apache-2.0
// Many short texts in few blocks of memory: names of parts, coordinates and rows.
#ifndef TRMI_BASE_TEXTS_H
#define TRMI_BASE_TEXTS_H

#include "base/memory.h"

// Zero-initialised but for `memory`, which owns the texts.
typedef struct trmi_texts {
    trmi_memory *memory;
} trmi_texts;

// Takes name number `index`, whose parts are ended by NULL.
typedef void trmi_name_sink(void *to, int index, const char *const *part);

// A sink that writes one name of many, like snprintf.
typedef struct trmi_one_name {
    int index, length;
    char *name;
    size_t size;
} trmi_one_name;
void trmi_write_one_name(void *to, int index, const char *const *part);

// The parts one after another, ended by NULL; NULL: no memory.
const char *trmi_texts_join(trmi_texts *texts, const char *const *part);

// TRMI_JOIN(texts, "pivot", "_", "angle")
#define TRMI_JOIN(texts, ...) trmi_texts_join((texts), (const char *const[]){__VA_ARGS__, NULL})

#endif
