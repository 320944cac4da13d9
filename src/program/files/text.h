// SPDX-License-Identifier: Apache-2.0
// A text that grows. The first failed allocation marks it; then it takes nothing more, and whoever
// filled it asks once at the end.
#ifndef TRMI_PROGRAM_FILES_TEXT_H
#define TRMI_PROGRAM_FILES_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trmi_text {
    char *data; // ends with a zero byte, which length does not count; NULL while empty
    size_t length, capacity;
    bool failed; // out of memory
} trmi_text;

void trmi_text_add_bytes(trmi_text *text, const void *bytes, size_t count);
void trmi_text_add(trmi_text *text, const char *string);
// All strings up to NULL.
void trmi_text_add_strings(trmi_text *text, const char *const *string);
// TRMI_TEXT_ADD(text, "a", "b")
#define TRMI_TEXT_ADD(text, ...)                                                                   \
    trmi_text_add_strings((text), (const char *const[]){__VA_ARGS__, NULL})
void trmi_text_add_number(trmi_text *text, double value);
void trmi_text_clear(trmi_text *text); // keeps the memory
void trmi_text_free(trmi_text *text);

enum { TRMI_NUMBER_LENGTH = 32 };

// The shortest of %.15g, %.16g and %.17g that reads back as the same number; returns its length.
int trmi_number_format(char out[TRMI_NUMBER_LENGTH], double value);

#endif
