// SPDX-License-Identifier: Apache-2.0
// The one table of the model file: every key, its values, its meaning. The reader
// checks files against it, `trammel schema` prints it as JSON Schema, the manual as a table.
#ifndef TRMI_MODELLING_READER_KEYS_KEYS_H
#define TRMI_MODELLING_READER_KEYS_KEYS_H

#include "modelling/reader/yaml/document.h"
#include "trammel/options.h"

#include <stdio.h>

typedef enum trmi_key_kind {
    TRMI_KEY_SECTION,  // a map with the keys below it in the table
    TRMI_KEY_NUMBER,   // a number, or a formula of parameters in quotes
    TRMI_KEY_FORMULA,  // a formula or a number
    TRMI_KEY_TEXT,     // free text
    TRMI_KEY_NAME,     // a name that may stand in formulas
    TRMI_KEY_CHOICE,   // one of the words in `choices`
    TRMI_KEY_TRUTH,    // true or false
    TRMI_KEY_WHOLE,    // a whole number
    TRMI_KEY_NUMBERS,  // a list of numbers or formulas of parameters
    TRMI_KEY_FORMULAS, // a list of formulas
    TRMI_KEY_MATRIX,   // a list of formulas, or a list of lists of formulas
    TRMI_KEY_AMOUNTS,  // a number or formula, a list of them, or a list of such lists
    TRMI_KEY_NAMES,    // a list of names
    TRMI_KEY_VALUE,    // anything (options of problems)
    TRMI_KEY_KINDS
} trmi_key_kind;

typedef enum trmi_key_need {
    TRMI_KEY_OPTIONAL,
    TRMI_KEY_REQUIRED, // in every map of its kind
    TRMI_KEY_ONE_OF    // exactly one of those of its map with this need
} trmi_key_need;

// One row. A path ends in ".*" for keys with free names; then `kind` is that of their values. A
// part "{a,b}" of a path means either key: the row is one of both maps. A value with rows
// below its path may also be a map with those keys (tolerance).
typedef struct trmi_key {
    const char *path;
    trmi_key_kind kind;
    const char *option;         // row of TRM_OPTION_LIST that gives default, range, choices, help
    const char *const *choices; // words, ended by NULL; of NUMBER, NUMBERS: accepted beside numbers
    const char *preset;         // default; "null": help describes what happens without it
    const char *help;
    trmi_key_need need;
} trmi_key;

#define TRMI_WORDS(...)                                                                            \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

// The rows of mechanisms, which trmi_key_row continues with; NULL past the end.
const trmi_key *trmi_mechanism_key(int index);

// The row with that index, or NULL past the end.
const trmi_key *trmi_key_row(int index);
// The row of a key below a path ("" for the top), NULL when it is unknown. Fixed keys come before
// free names.
const trmi_key *trmi_key_find(const char *parent, const char *key);
// The rows directly below a path: index of the first from `index` on, -1 when there is no more.
int trmi_key_below(const char *parent, int index);
// The rows below paths, found once for a document (key_index.c); rows are numbers of trmi_key_row.
enum { TRMI_KEY_NONE = -1 };

typedef struct trmi_key_entry {
    const char *name;
    int row;
    trmi_key_need need;
} trmi_key_entry;

typedef struct trmi_key_map {
    int free_name;                  // row of the free names, or TRMI_KEY_NONE
    int needs[TRMI_KEY_ONE_OF + 1]; // keys of each need
    int count;
    trmi_key_entry key[]; // the fixed ones
} trmi_key_map;

typedef struct trmi_key_index {
    trmi_document *document; // its memory
    const trmi_key_map **map;
} trmi_key_index;

// False without memory.
bool trmi_key_index_create(trmi_key_index *index, trmi_document *document);
// The rows below a row (TRMI_KEY_NONE: at the top); NULL without memory.
const trmi_key_map *trmi_key_index_below(trmi_key_index *index, int row);
// The row of a key, TRMI_KEY_NONE when it is unknown. Fixed keys come before free names.
int trmi_key_map_find(const trmi_key_map *map, const char *name);

// The last part of the path.
const char *trmi_key_name(const trmi_key *row);

// The option of a row, NULL when there is none.
const trm_option_info *trmi_key_option(const trmi_key *row);
// The words of a row or of its option, NULL when there are none.
const char *const *trmi_key_choices(const trmi_key *row);
// The help of a row or of its option; "" when there is none.
const char *trmi_key_help(const trmi_key *row);
// The default as text, in buffer when it comes from a number; NULL when there is none.
const char *trmi_key_preset(const trmi_key *row, char *buffer, size_t size);
// Whether the value may be a list.
bool trmi_key_is_list(trmi_key_kind kind);
// "a number or a formula", "a map", ...
const char *trmi_key_kind_text(trmi_key_kind kind);

// Checks a whole document: unknown keys with the nearest valid one, wrong kinds, words that are no
// choice, missing required keys, not exactly one of equations, mechanism, problem. null is accepted
// wherever a key has a default, and as an empty map. False without memory.
bool trmi_keys_check(trmi_document *document);

// Writes the JSON Schema (draft 2020-12) of all keys.
void trmi_keys_schema(FILE *out);
// Writes Markdown tables of all keys.
void trmi_keys_manual(FILE *out);

#endif
