// SPDX-License-Identifier: Apache-2.0
// The one table of the model file: every key, what may stand there, what it means. The reader
// checks files against it, `trammel schema` prints it as JSON Schema, the manual as a table.
#ifndef TRMI_KEYS_H
#define TRMI_KEYS_H

#include "model/document.h"

#include <stdio.h>

typedef enum trmi_key_kind {
    TRMI_KEY_SECTION,   // a map with the keys below it in the table
    TRMI_KEY_NUMBER,    // a number, or a formula of parameters in quotes
    TRMI_KEY_FORMULA,   // a formula or a number
    TRMI_KEY_TEXT,      // free text
    TRMI_KEY_NAME,      // a name that may stand in formulas
    TRMI_KEY_CHOICE,    // one of the words in `choices`
    TRMI_KEY_TRUTH,     // true or false
    TRMI_KEY_WHOLE,     // a whole number
    TRMI_KEY_NUMBERS,   // a list of numbers or formulas of parameters
    TRMI_KEY_FORMULAS,  // a list of formulas
    TRMI_KEY_MATRIX,    // a list of formulas, or a list of lists of formulas
    TRMI_KEY_TOLERANCE, // a number, or a map of numbers by name
    TRMI_KEY_INTERVAL,  // a number, or the word `steps`
    TRMI_KEY_VALUE      // anything (options of problems)
} trmi_key_kind;

// One row. A path ends in ".*" when free names stand there; then `kind` is that of the values.
// `option` names the row of TRM_OPTION_LIST that gives default, range and choices, or is NULL.
typedef struct trmi_key {
    const char *path;
    trmi_key_kind kind;
    const char *option;
    const char *choices; // "a | b | c", NULL: from the option, or not a choice
    const char *preset;  // default as text, NULL: from the option, or none
    const char *help;
} trmi_key;

// The row with that index, or NULL past the end.
const trmi_key *trmi_key_row(int index);

// Checks a whole document: unknown keys with the nearest valid one, wrong kinds, words that are no
// choice, missing required keys, not exactly one of equations, mechanism, problem. null is accepted
// wherever a key has a default.
void trmi_keys_check(trmi_document *document);

// JSON Schema (draft 2020-12) and a Markdown table of all keys.
void trmi_keys_schema(FILE *out);
void trmi_keys_manual(FILE *out);

#endif
