// SPDX-License-Identifier: Apache-2.0
// Texts of a part as those of a use of it.
#ifndef TRMI_MODELLING_READER_PART_NAMES_H
#define TRMI_MODELLING_READER_PART_NAMES_H

#include "modelling/reader/parts.h"

// What happens to the names in a text.
typedef struct trmi_part_naming {
    trmi_document *document;
    const trmi_use *use;    // names of its part, and of those around it, get its name; NULL: none
    const trmi_item *lists; // of `for`: names that are replaced by an element of their lists,
    int element;            // this one; NULL: none
} trmi_part_naming;

// Whether a text of that length is a name of the part of a use, or that of a signal of it.
bool trmi_part_has(const trmi_use *use, const char *text, size_t length);

// The text with its names changed, which lives as long as the document; NULL: no memory.
const char *trmi_part_text(const trmi_part_naming *naming, const char *text);

#endif
