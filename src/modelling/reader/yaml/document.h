// SPDX-License-Identifier: Apache-2.0
// A YAML (or JSON) text as a tree whose nodes know their place in the text, and the messages about
// it.
//
// Strict: a duplicate key, a tag, a second document, an anchor that is used too often are errors.
// Hostile input ends in an error: limits on bytes, nesting and the number of nodes, aliases
// included.
#ifndef TRMI_MODELLING_READER_YAML_DOCUMENT_H
#define TRMI_MODELLING_READER_YAML_DOCUMENT_H

#include "base/memory.h"
#include "trammel/model.h"

typedef enum trmi_item_kind { TRMI_SCALAR, TRMI_LIST, TRMI_MAP } trmi_item_kind;

// The unit of a number whose key alone does not determine it.
typedef struct trmi_item_unit {
    const char *given;
    const char *allowed; // several with '|' between them: of a travel, then of an angle
} trmi_item_unit;

// A node of the tree.
typedef struct trmi_item {
    trmi_item_kind kind;
    int source;                 // of the text it comes from: 0 the file, 1 .. the texts of --set
    int line, column;           // 1-based, of its first character
    int key_line, key_column;   // of its key, 0 when it has none
    const char *key;            // NULL for list elements and the root
    const char *text;           // SCALAR: its text
    bool quoted;                // SCALAR: in quotes
    const trmi_item_unit *unit; // SCALAR: see above; NULL: none, or the right one
    int count;                  // LIST, MAP: number of children
    struct trmi_use *use;       // of a part, that it was copied for; NULL: none
    struct trmi_item *child, *next; // first child, next sibling
} trmi_item;

// Limits of a document.
enum {
    TRMI_DOCUMENT_BYTES = 64 << 20,
    TRMI_DOCUMENT_DEPTH = 64, // of maps and lists in each other
    TRMI_DOCUMENT_ITEMS = 4 << 20,
    TRMI_DOCUMENT_ALIASES = 1000, // items that aliases may add
    TRMI_DOCUMENT_ERRORS = 50     // reading stops then
};

// A document under work: its texts and where messages go.
typedef struct trmi_document trmi_document;

// Reads a text. NULL when there is no memory (not reported) or when it is no YAML at all
// (reported). After reported errors the tree may be incomplete: see trmi_document_errors. The text
// is copied; the document lives as long as memory.
trmi_document *trmi_document_read(trmi_memory *memory, const char *name, const char *text,
                                  size_t length, trm_diagnostic_function *report, void *user);
// The same from a file; "-" is the standard input.
trmi_document *trmi_document_load(trmi_memory *memory, const char *path,
                                  trm_diagnostic_function *report, void *user);

// A copy of a document with its own tree and messages; it shares texts with the first one, which
// nothing changes. report NULL: its messages go where those of the first one go. NULL: no memory.
trmi_document *trmi_document_clone(trmi_memory *memory, const trmi_document *document,
                                   trm_diagnostic_function *report, void *user);

// The top of the tree.
trmi_item *trmi_document_root(const trmi_document *document);
// Number of errors reported so far.
int trmi_document_errors(const trmi_document *document);
// The text of the file as it was read.
const char *trmi_document_text(const trmi_document *document, size_t *length);

// Applies "path=value": path is a list of keys (and list indices from 0) joined by dots, value is
// YAML. Missing maps on the way are made. Errors are reported with the name "--set path=value".
void trmi_document_set(trmi_document *document, const char *assignment);
// Appends "path=value" of an entry of a map, whose key is the path, to a list of such overrides; an
// entry that is neither a number nor a word is reported instead. False: no memory.
bool trmi_document_override(trmi_document *document, const trmi_item *entry, trmi_memory *memory,
                            const char **list, int *count);

// The child of a map by key, NULL when there is none (or item is NULL or no map).
trmi_item *trmi_item_find(const trmi_item *item, const char *key);
// "simulate.step.fixed" below an item.
trmi_item *trmi_item_path(const trmi_item *item, const char *path);
// Element of a list, NULL past the end.
trmi_item *trmi_item_at(const trmi_item *item, int index);
// "a map", "a list", "a text", for messages.
const char *trmi_item_kind_text(const trmi_item *item);

// Reports an error at the value of an item. printf style; the text is one sentence without
// position.
void trmi_report(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports an error at the key of an item.
void trmi_report_key(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports an error inside a scalar, such as a formula: `offset` bytes after its first one. The
// caret line underlines `length` bytes, 0: one character.
void trmi_report_inside(trmi_document *document, const trmi_item *item, int offset, int length,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
// Reports a warning at the value of an item. After the fifth of one kind they are counted: see
// trmi_document_conclude.
void trmi_warn(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports a warning at the key of an item.
void trmi_warn_key(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reports how many warnings were only counted; to be called once, at the end.
void trmi_document_conclude(trmi_document *document);

// Whether a scalar is a number: its whole text is a decimal number ("1e-6", "-.5", "3"), and not
// "0x10", "nan", "inf" or "1_000". One too large for a double is none, but *value is infinite then.
bool trmi_item_number(const trmi_item *item, double *value);
// Whether a scalar is true or false, without quotes.
bool trmi_item_truth(const trmi_item *item, bool *value);
// Whether a scalar has no value: null, ~ or nothing.
bool trmi_item_null(const trmi_item *item);

#endif
