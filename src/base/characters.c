// SPDX-License-Identifier: Apache-2.0
#include "base/characters.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int trmi_character(const char *text, size_t left)
{
    // the smallest code point of so many bytes
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = left > 0 ? (unsigned char)text[0] : 0;
    int bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (bytes == 0 || first > 0xF4 || (size_t)bytes > left)
        return 0;
    unsigned code = bytes == 1 ? first : first & (0x7Fu >> bytes);
    for (int k = 1; k < bytes; k++) {
        unsigned next = (unsigned char)text[k];
        if ((next & 0xC0u) != 0x80u)
            return 0;
        code = code << 6 | (next & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < smallest[bytes] || code > 0x10FFFF || surrogate ? 0 : bytes;
}

int trmi_printable(const char *text, size_t left)
{
    int bytes = trmi_character(text, left);
    unsigned char first = (unsigned char)text[0], second = bytes > 1 ? (unsigned char)text[1] : 0;
    bool control = (bytes == 1 && (first < ' ' || first == 0x7F)) ||
                   (bytes == 2 && first == 0xC2 && second < 0xA0);
    return control ? 0 : bytes;
}

size_t trmi_show(char *out, size_t size, const char *text, const char *allowed)
{
    size_t length = 0, left = strlen(text);
    while (left > 0) {
        char escape[TRMI_SHOWN_BYTES + 1];
        const char *shown = text;
        int bytes = strchr(allowed, *text) ? 1 : trmi_printable(text, left), taken = bytes;
        if (bytes == 0) {
            bytes = snprintf(escape, sizeof escape, "\\x%02X", (unsigned)(unsigned char)*text);
            shown = escape;
            taken = 1;
        }
        for (int k = 0; k < bytes; k++, length++)
            if (length + 1 < size)
                out[length] = shown[k];
        text += taken;
        left -= (size_t)taken;
    }
    if (size > 0)
        out[length < size ? length : size - 1] = '\0';
    return length;
}

char *trmi_trim_field(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        text[length - 1] = '\0';
        text++;
    }
    return text;
}
