// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: texts, memory for the tree, messages at a place. Users of
// documents include document.h instead.
#ifndef TRMI_MODELLING_READER_YAML_SOURCE_H
#define TRMI_MODELLING_READER_YAML_SOURCE_H

#include "base/characters.h"
#include "modelling/reader/yaml/document.h"

#include <stdint.h>

// A text that is read: the file, or the value of a --set.
typedef struct trmi_text_source {
    const char *name; // in messages
    const char *text; // ended by NUL, without byte order mark
    size_t length;
} trmi_text_source;

// A place in a text; line 0: the text as a whole.
typedef struct trmi_place {
    int source, line, column;
    int length; // characters, 0: one
} trmi_place;

// Warnings with one format are of one kind.
typedef struct trmi_warning_kind {
    const char *format;
    int count;
    trmi_place place; // of the first that is not shown
} trmi_warning_kind;
enum { TRMI_WARNING_KINDS = 64 };

struct trmi_document {
    trmi_memory *memory;
    trm_diagnostic_function *report; // may be NULL
    void *user;
    trmi_text_source *source; // 0 the file, 1 .. the values of --set
    int source_count, source_capacity;
    trmi_item *root;
    int items;   // in all
    int aliased; // items that aliases have added
    int errors;
    uint64_t shown[TRMI_DOCUMENT_ERRORS]; // hashes of errors, each of which is shown once
    int shown_count;
    trmi_warning_kind
        warning[TRMI_WARNING_KINDS]; // those given so far; further kinds have no limit
};

// Zeroed bytes that live as long as the document; NULL when there is no memory.
void *trmi_document_take(trmi_document *document, size_t size);
// A copy of a text, ended by NUL, that lives as long as the document; NULL when there is no memory.
char *trmi_document_copy(trmi_document *document, const char *text, size_t length);
// Index of a new text, -1 when there is no memory. A byte order mark is left out.
int trmi_document_add(trmi_document *document, const char *name, const char *text, size_t length);

typedef enum trmi_yaml_result {
    TRMI_READING_DONE,
    TRMI_READING_STOPPED, // an error that leaves no usable tree, reported
    TRMI_READING_NO_MEMORY
} trmi_yaml_result;

// Makes the tree of a text, whose root is `depth` levels down; *root is NULL when the text is
// empty.
trmi_yaml_result trmi_yaml_read(trmi_document *document, int source, int depth, trmi_item **root);

// Reports an error at a place.
void trmi_report_at(trmi_document *document, trmi_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports an error that is in no text, such as a file that cannot be read.
void trmi_report_about(trmi_document *document, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports keys that a map has twice. False: no memory.
bool trmi_report_duplicates(trmi_document *document, const trmi_item *map);

// Bytes of a line break as YAML knows them (CR LF, CR, LF, NEL, LS, PS); 0: none.
int trmi_line_break(const char *text, size_t left);
// The place of a byte of a text.
trmi_place trmi_place_of(const trmi_document *document, int source, size_t offset);
// The line of a place and its length in bytes; far beyond the place it may be cut.
const char *trmi_find_line(const trmi_document *document, trmi_place place, size_t *length);
// The text from a place on, and how many bytes its line has from there on.
const char *trmi_find_place(const trmi_document *document, trmi_place place, size_t *left);

#endif
