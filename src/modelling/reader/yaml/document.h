// SPDX-License-Identifier: Apache-2.0
// A YAML (or JSON) text as a tree that knows where everything stands, and the messages about it.
//
// Strict: a duplicate key, a tag, a second document, an anchor that is used too often are errors.
// Hostile input ends in an error: limits on bytes, nesting and the number of nodes, aliases
// included.
#ifndef TRMI_MODELLING_READER_YAML_DOCUMENT_H
#define TRMI_MODELLING_READER_YAML_DOCUMENT_H

#include "base/memory.h"
#include "trammel/model.h"

typedef enum trmi_item_kind { TRMI_SCALAR, TRMI_LIST, TRMI_MAP } trmi_item_kind;

// A node of the tree.
typedef struct trmi_item {
    trmi_item_kind kind;
    int source;               // of the text it comes from: 0 the file, 1 .. the texts of --set
    int line, column;         // 1-based, of its first character
    int key_line, key_column; // of its key, 0 when it has none
    const char *key;          // NULL for list elements and the root
    const char *text;         // SCALAR: its text
    bool quoted;              // SCALAR: in quotes
    int count;                // LIST, MAP: number of children
    struct trmi_item *child, *next; // first child, next sibling
} trmi_item;

enum {
    TRMI_DOCUMENT_BYTES = 64 << 20,
    TRMI_DOCUMENT_DEPTH = 64,
    TRMI_DOCUMENT_ITEMS = 4 << 20,
    TRMI_DOCUMENT_ALIASES = 1000, // items that aliases may add
    TRMI_DOCUMENT_ERRORS = 50     // then reading gives up
};

// A document under work: its texts and where messages go.
typedef struct trmi_document trmi_document;

// Reads a text. NULL when there is no memory (not reported) or when it is no YAML at all
// (reported); the root may still be incomplete after reported errors: ask trmi_document_errors. The
// text is copied; everything lives as long as memory. A text of a --set that finds no memory is
// reported.
trmi_document *trmi_document_read(trmi_memory *memory, const char *name, const char *text,
                                  size_t length, trm_diagnostic_function *report, void *user);
// The same from a file; "-" is the standard input.
trmi_document *trmi_document_load(trmi_memory *memory, const char *path,
                                  trm_diagnostic_function *report, void *user);

trmi_item *trmi_document_root(const trmi_document *document);
int trmi_document_errors(const trmi_document *document);
const char *trmi_document_name(const trmi_document *document);
// The text of the file as it was read.
const char *trmi_document_text(const trmi_document *document, size_t *length);

// Applies "path=value": path is a list of keys (and list indices from 0) joined by dots, value is
// YAML. Missing maps on the way are made. Errors are reported with the name "--set path=value".
void trmi_document_set(trmi_document *document, const char *assignment);

// The child of a map by key, NULL when there is none (or item is NULL or no map).
trmi_item *trmi_item_find(const trmi_item *item, const char *key);
// "simulate.step.fixed" below an item.
trmi_item *trmi_item_path(const trmi_item *item, const char *path);
// Element of a list, NULL past the end.
trmi_item *trmi_item_at(const trmi_item *item, int index);
// "a map", "a list", "a text", for messages.
const char *trmi_item_kind_text(const trmi_item *item);

// Reports an error (or warning) at an item: at its value, or at its key. printf style. The text is
// one sentence without position; `offset` moves right inside a scalar (formula errors) and
// `length` is what the caret line underlines (0: one character).
void trmi_report(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trmi_report_key(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trmi_report_inside(trmi_document *document, const trmi_item *item, int offset, int length,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
void trmi_warn(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trmi_warn_key(trmi_document *document, const trmi_item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Plain values. A scalar is a number when its whole text is a decimal number ("1e-6", "-.5", "3");
// "0x10", "nan", "inf", "1_000" are not; one too large for a double is none, but *value is infinite
// then. true and false are the only truth values, null (or ~ or
// nothing) is no value.
bool trmi_item_number(const trmi_item *item, double *value);
bool trmi_item_truth(const trmi_item *item, bool *value);
bool trmi_item_null(const trmi_item *item);

#endif
