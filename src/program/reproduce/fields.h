// SPDX-License-Identifier: Apache-2.0
// Strict access to the maps of a document: what is missing, misspelt or of the wrong kind is
// reported at its place. Whoever reads asks trmi_document_errors once at the end.
#ifndef TRMI_PROGRAM_REPRODUCE_FIELDS_H
#define TRMI_PROGRAM_REPRODUCE_FIELDS_H

#include "modelling/reader/yaml/document.h"

typedef enum trmi_field_need { TRMI_FIELD_OPTIONAL, TRMI_FIELD_REQUIRED } trmi_field_need;

// Reports keys that are not among `valid` (ended by NULL), with the nearest one. False when item is
// no map, which is reported; subject: "a row".
bool trmi_fields_check(trmi_document *document, const trmi_item *item, const char *subject,
                       const char *const *valid);

// The value of a key of a map. NULL when it is missing, null or of another kind; the last, and what
// is required but missing, is reported.
const char *trmi_fields_text(trmi_document *document, const trmi_item *map, const char *key,
                             trmi_field_need need);
const trmi_item *trmi_fields_list(trmi_document *document, const trmi_item *map, const char *key,
                                  trmi_field_need need);
const trmi_item *trmi_fields_map(trmi_document *document, const trmi_item *map, const char *key,
                                 trmi_field_need need);

// *value stays as it is when the key is missing or null.
void trmi_fields_number(trmi_document *document, const trmi_item *map, const char *key,
                        double *value);
void trmi_fields_truth(trmi_document *document, const trmi_item *map, const char *key, bool *value);

// An item as YAML on one line, as --set takes it; NULL when there is no memory.
const char *trmi_fields_flow(trmi_memory *memory, const trmi_item *item);

#endif
