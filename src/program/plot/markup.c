// SPDX-License-Identifier: Apache-2.0
// Decoding, escaping and measuring of texts.
#include "program/plot/markup.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

// The next character of text, which moves on; 0 at the end. Not allowed are what is no UTF-8,
// control characters, surrogates and others that are not characters of XML 1.0.
static uint32_t next_character(const char **text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    int length = *s < 0x80 ? 1 : *s < 0xC2 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF5 ? 4 : 0;
    uint32_t c = length > 1 ? *s & (0x7Fu >> length) : *s;
    if (c == 0 && length == 1)
        return 0;
    for (int k = 1; k < length; k++) {
        if ((s[k] & 0xC0) != 0x80)
            length = 0; // also at the end of the text
        else
            c = c << 6 | (s[k] & 0x3F);
    }
    *text += length > 0 ? length : 1;
    if (length == 1 && (c == '\t' || c == '\n' || c == '\r'))
        return ' ';
    bool allowed = length > 0 && c >= smallest[length] && c >= 0x20 && (c < 0x7F || c >= 0xA0) &&
                   (c < 0xD800 || c > 0xDFFF) && c <= 0x10FFFF && (c & 0xFFFE) != 0xFFFE;
    return allowed ? c : REPLACEMENT;
}

// escaped for XML, in UTF-8
static void put_character(FILE *out, uint32_t c)
{
    static const struct {
        char character;
        const char *escape;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
        if (c == (uint32_t)escapes[k].character) {
            fputs(escapes[k].escape, out);
            return;
        }
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes after the first
    fputc((int)(more == 0 ? c : (0xFFu << (7 - more) & 0xFF) | c >> 6 * more), out);
    while (more-- > 0)
        fputc((int)(0x80 | (c >> 6 * more & 0x3F)), out);
}

void trmi_markup_part(FILE *out, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    while (text < end) {
        uint32_t c = next_character(&text);
        if (c == 0)
            return;
        put_character(out, c);
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
