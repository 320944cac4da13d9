// SPDX-License-Identifier: Apache-2.0
// Many short texts in few blocks of memory: names of coordinates and rows.
#ifndef TRMI_TEXTS_H
#define TRMI_TEXTS_H

#include "base/memory.h"

// Zero-initialised but for `memory`, which owns the texts.
typedef struct trmi_texts {
    trmi_memory *memory;
    char *next;
    size_t left;
} trmi_texts;

// A text printf style; NULL: no memory.
const char *trmi_texts_add(trmi_texts *texts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
