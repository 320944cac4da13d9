// SPDX-License-Identifier: Apache-2.0
// Decoding, escaping and measuring of texts.
#include "program/plot/markup.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

// Number of bytes of the UTF-8 sequence that starts with this byte; 0 when none does.
static int sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// char in XML 1.0, without control characters
static int is_allowed(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0))
        return 0;
    if (c >= 0xD800 && c <= 0xDFFF)
        return 0;
    return c <= 0x10FFFF && (c & 0xFFFE) != 0xFFFE;
}

// The next character of text, which moves on; 0 at the end.
static uint32_t next_character(const char **text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    if (!*s)
        return 0;
    int length = sequence_length(*s);
    uint32_t c = length > 1 ? *s & (0x7Fu >> length) : *s;
    for (int k = 1; k < length; k++) {
        if ((s[k] & 0xC0) != 0x80)
            length = 0; // also at the end of the text
        else
            c = c << 6 | (s[k] & 0x3F);
    }
    if (length == 0) {
        *text += 1;
        return REPLACEMENT;
    }
    *text += length;
    if (c == '\t' || c == '\n' || c == '\r')
        return ' ';
    return c >= smallest[length] && is_allowed(c) ? c : REPLACEMENT;
}

static void put_utf8(FILE *out, uint32_t c)
{
    if (c < 0x80) {
        fputc((int)c, out);
    } else if (c < 0x800) {
        fputc((int)(0xC0 | c >> 6), out);
        fputc((int)(0x80 | (c & 0x3F)), out);
    } else if (c < 0x10000) {
        fputc((int)(0xE0 | c >> 12), out);
        fputc((int)(0x80 | (c >> 6 & 0x3F)), out);
        fputc((int)(0x80 | (c & 0x3F)), out);
    } else {
        fputc((int)(0xF0 | c >> 18), out);
        fputc((int)(0x80 | (c >> 12 & 0x3F)), out);
        fputc((int)(0x80 | (c >> 6 & 0x3F)), out);
        fputc((int)(0x80 | (c & 0x3F)), out);
    }
}

static void put_escaped(FILE *out, uint32_t c)
{
    switch (c) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        put_utf8(out, c);
    }
}

void trmi_markup_part(FILE *out, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    while (text < end) {
        uint32_t c = next_character(&text);
        if (c == 0)
            return;
        put_escaped(out, c);
    }
}

void trmi_markup_text(FILE *out, const char *text)
{
    if (text)
        trmi_markup_part(out, text, strlen(text));
}

// in units of the font size; sans-serif fonts differ by some percent, this is a wide one
static double character_width(uint32_t c)
{
    if (c >= 0x1100)
        return c < 0x2E80 ? 0.7 : 1.0; // signs and arrows; ideographs
    if (c < 0x80 && strchr("ijl.,:;|'!I[]()ft/ ", (int)c))
        return 0.36;
    if (c < 0x80 && strchr("mwMW@%", (int)c))
        return 0.9;
    return c >= 'A' && c <= 'Z' ? 0.69 : 0.6;
}

double trmi_markup_width(const char *text, double size)
{
    double width = 0;
    uint32_t c;
    while (text && (c = next_character(&text)) != 0)
        width += character_width(c) * size;
    return width;
}

size_t trmi_markup_superscript(const char *text)
{
    static const char minus[] = "\xe2\x88\x92";
    if (*text != '^')
        return 0;
    size_t n = 1;
    if (text[n] == '-' || text[n] == '+')
        n++;
    else if (strncmp(text + n, minus, strlen(minus)) == 0)
        n += strlen(minus);
    size_t digits = n;
    while (isdigit((unsigned char)text[n]))
        n++;
    return n > digits ? n : 0;
}

double trmi_markup_rich_width(const char *text, double size)
{
    double width = 0;
    while (text && *text) {
        const char *end = text + trmi_markup_superscript(text);
        if (end == text)
            width += size * character_width(next_character(&text));
        else
            text++; // ^
        while (text < end)
            width += TRMI_MARKUP_RAISED * size * character_width(next_character(&text));
    }
    return width;
}

size_t trmi_markup_fit(const char *text, double size, double limit)
{
    if (trmi_markup_width(text, size) <= limit)
        return text ? strlen(text) : 0;
    const char *at = text, *end = text;
    double width = size; // the ellipsis
    uint32_t c;
    while ((c = next_character(&at)) != 0 && (width += character_width(c) * size) <= limit)
        end = at;
    return (size_t)(end - text);
}
