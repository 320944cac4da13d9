// SPDX-License-Identifier: Apache-2.0
// Characters of foreign texts: what is UTF-8, and what a terminal may be given.
#ifndef TRMI_BASE_CHARACTERS_H
#define TRMI_BASE_CHARACTERS_H

#include <stddef.h>

// Bytes of the character at text, of which `left` are there; 0: no valid UTF-8.
int trmi_character(const char *text, size_t left);
// The same for characters that may be shown; 0: also control characters.
int trmi_printable(const char *text, size_t left);

enum { TRMI_SHOWN_BYTES = 4 }; // bytes of out for one of the text, at most

// Copies a text with everything that a terminal could take for a command written as \xNN: control
// characters but those in `allowed`, and bytes that are no UTF-8. Like snprintf: returns the length
// of the whole, which is cut to size - 1 bytes.
size_t trmi_show(char *out, size_t size, const char *text, const char *allowed);

// The text without spaces and quotes around it: fields of a table. In place.
char *trmi_trim_field(char *text);

#endif
