// SPDX-License-Identifier: Apache-2.0
// Texts inside XML and HTML: always valid, whatever the bytes are, and about so wide.
#ifndef TRMI_PROGRAM_PLOT_MARKUP_H
#define TRMI_PROGRAM_PLOT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

// Writes text escaped for elements and quoted attributes. Bytes that are not UTF-8 and characters
// that XML forbids become U+FFFD; tabs and line ends become spaces. NULL is empty.
void trmi_markup_text(FILE *out, const char *text);

// At most `bytes` bytes of text, the same way.
void trmi_markup_part(FILE *out, const char *text, size_t bytes);

// Width in pixels in a sans-serif font of this size, estimated from the kind of each character.
double trmi_markup_width(const char *text, double size);

// Length of a superscript "^2", "^-3" or "^−3" at the beginning of text, 0 when there is none.
size_t trmi_markup_superscript(const char *text);

// Superscripts, without their "^", have so much of the size of the text around them.
#define TRMI_MARKUP_RAISED 0.75

// As trmi_markup_width, where superscripts are written as such.
double trmi_markup_rich_width(const char *text, double size);

// The number of bytes of text that fit into `limit` pixels: all of them, or so many that an
// ellipsis fits after them.
size_t trmi_markup_fit(const char *text, double size, double limit);

#endif
