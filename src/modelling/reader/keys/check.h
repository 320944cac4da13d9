// SPDX-License-Identifier: Apache-2.0
// What the check of maps (check.c) and of values (check_values.c) share.
#ifndef TRMI_MODELLING_READER_KEYS_CHECK_H
#define TRMI_MODELLING_READER_KEYS_CHECK_H

#include "modelling/reader/keys/keys.h"

enum { TRMI_LIST_BYTES = 700 }; // of a list of words in a message

// More messages would not be shown.
bool trmi_check_full(const trmi_document *document);

// A value that is neither null nor a map the table knows, against its row.
void trmi_check_value(trmi_document *document, const trmi_item *item, const trmi_key *row);

// Whether a number is neither too large nor too small for the arithmetic; reports it otherwise
// (magnitude.c).
bool trmi_check_magnitude(trmi_document *document, const trmi_item *item, const char *subject,
                          double value);

// Appends "a, b, c" to a text of that size, cut where it is full.
void trmi_append_words(char *text, size_t size, const char *const *word, int count);
// Number of words in a list ended by NULL.
int trmi_count_words(const char *const *word);
// Whether a text is one of the words.
bool trmi_is_among(const char *text, const char *const *word, int count);

#endif
