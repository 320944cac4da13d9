// SPDX-License-Identifier: Apache-2.0
// The one table of the model file, and those of other files: every key, its values, its meaning.
// The reader checks files against it, `trammel schema` prints it as JSON Schema, the manual as a
// table.
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
    TRMI_KEY_NAME,     // a name that formulas may use
    TRMI_KEY_CHOICE,   // one of the words in `choices`
    TRMI_KEY_TRUTH,    // true or false
    TRMI_KEY_WHOLE,    // a whole number
    TRMI_KEY_NUMBERS,  // a list of numbers or formulas of parameters
    TRMI_KEY_FORMULAS, // a list of formulas
    TRMI_KEY_MATRIX,   // a list of formulas, or a list of lists of formulas
    TRMI_KEY_AMOUNTS,  // a number or formula, a list of them, or a list of such lists
    TRMI_KEY_NAMES,    // a list of names
    TRMI_KEY_TEXTS,    // a list of texts
    TRMI_KEY_VALUE,    // anything (options of problems)
    TRMI_KEY_KINDS
} trmi_key_kind;

typedef enum trmi_key_need {
    TRMI_KEY_OPTIONAL,
    TRMI_KEY_REQUIRED, // in every map of its kind
    TRMI_KEY_ONE_OF    // exactly one of those of its map with this need
} trmi_key_need;

// What comes below a key beside the rows of the table.
typedef enum trmi_key_types {
    TRMI_KEY_NO_TYPES,
    TRMI_KEY_JOINT_TYPES, // the types of joints with their parameters (multibody/joints/joints.h)
    TRMI_KEY_FORCE_TYPES  // the types of forces with theirs (multibody/forces/forces.h)
} trmi_key_types;

// One key. Its path ends in ".*" when free names are written there; then `kind` is that of the
// values. A value with keys below it may also be a map with those (tolerance).
typedef struct trmi_key trmi_key;
struct trmi_key {
    const char *path; // of parts and parameters: the last part only
    trmi_key_kind kind;
    const char *option;         // row of TRM_OPTION_LIST that gives default, range, choices, help
    const char *const *choices; // words, ended by NULL; of NUMBER, NUMBERS: accepted beside numbers
    const char *preset;         // default; "null": `help` describes what happens without it
    const char *help;
    const char *unit; // of its numbers (convert_units.c); NULL: they have none
    trmi_key_need need;
    const trmi_key *parts;       // keys below it that other rows have too, ended by a NULL path
    trmi_key_types types;        // further keys below it
    bool is_type;                // one of several types, with the parameters of the type below
    const char *const *synonyms; // words of other programs for it, ended by NULL; NULL: none
    // set in the tree:
    trmi_key *up, *below, *next; // the key above, the first below, the next of the same map
};

#define TRMI_WORDS(...)                                                                            \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

// The keys below a frame: x, y, z, axis, angle.
extern const trmi_key trmi_frame_keys[];

// All keys of one kind of file.
typedef struct trmi_key_table {
    const char *title; // "Trammel model file"
    const char *shape; // "a model is a map that begins with 'trammel: 1'"
    const trmi_key *(*row)(int index);
} trmi_key_table;
// That of model files.
extern const trmi_key_table trmi_model_keys;

// The rows of the table of model files, without parts and types; NULL past the end.
const trmi_key *trmi_key_row(int index);
// Those of mechanisms, which trmi_key_row continues with.
const trmi_key *trmi_mechanism_key(int index);
// What a file has for an option of the library; NULL: nothing.
const trmi_item *trmi_item_of_option(const trmi_item *root, const char *option);

// All keys as a tree. It has this many keys, in an array that the caller provides and releases;
// the first one is the root, a map.
int trmi_keys_count(const trmi_key_table *table);
const trmi_key *trmi_keys_build(const trmi_key_table *table, trmi_key *tree);

// The tree while it is built; without `key` the keys are only counted.
typedef struct trmi_key_builder {
    trmi_key *key;
    int count;
} trmi_key_builder;

// Adds a key and its parts below another one; the new key, NULL when keys are counted.
trmi_key *trmi_keys_add(trmi_key_builder *builder, trmi_key *up, const trmi_key *key);
// Adds types of joints or forces with their parameters.
void trmi_keys_add_types(trmi_key_builder *builder, trmi_key *up, trmi_key_types types);

// The key of that name below another one, NULL when it is unknown. Fixed keys come before free
// names.
const trmi_key *trmi_key_find(const trmi_key *up, const char *name);

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
bool trmi_keys_check(trmi_document *document, const trmi_key_table *table);

// Turns numbers with units of a model file into plain ones. False without memory.
bool trmi_keys_convert_units(trmi_document *document);
// Of a number on a measure: whether its unit is that of a travel or of an angle; an error
// otherwise.
bool trmi_check_unit(trmi_document *document, const trmi_item *item, bool angle);

// Writes the JSON Schema (draft 2020-12) of all keys. False without memory.
bool trmi_keys_schema(FILE *out, const trmi_key_table *table);
// Writes Markdown tables of all keys. False without memory.
bool trmi_keys_manual(FILE *out, const trmi_key_table *table);

#endif
