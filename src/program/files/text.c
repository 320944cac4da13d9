// SPDX-License-Identifier: Apache-2.0
#include "program/files/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(trmi_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    size_t capacity = 2 * (text->length + more) + 64;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void trmi_text_add_bytes(trmi_text *text, const void *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void trmi_text_add(trmi_text *text, const char *string)
{
    trmi_text_add_bytes(text, string, strlen(string));
}

void trmi_text_add_strings(trmi_text *text, const char *const *string)
{
    for (; *string; string++)
        trmi_text_add(text, *string);
}

void trmi_text_add_number(trmi_text *text, double value)
{
    char number[TRMI_NUMBER_LENGTH];
    int length = trmi_number_format(number, value);
    trmi_text_add_bytes(text, number, (size_t)length);
}

void trmi_text_clear(trmi_text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void trmi_text_free(trmi_text *text)
{
    free(text->data);
    *text = (trmi_text){0};
}

int trmi_number_format(char out[TRMI_NUMBER_LENGTH], double value)
{
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(out, TRMI_NUMBER_LENGTH, "%.*g", digits, value);
        if (isnan(value) || strtod(out, NULL) == value)
            break;
    }
    return length;
}
