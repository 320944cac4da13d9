// SPDX-License-Identifier: Apache-2.0
#include "program/files/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Length of the UTF-8 character at s, 0 when the bytes are none: overlong forms, surrogates and
// everything above U+10FFFF are not (RFC 3629).
static size_t character_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last;     // range of the first byte
        unsigned char second_from, to; // range of the second
        unsigned char length;
    } form[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    if (s[0] < 0x80)
        return 1;
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        if (s[0] < form[k].first || s[0] > form[k].last)
            continue;
        if (s[1] < form[k].second_from || s[1] > form[k].to)
            return 0;
        for (size_t i = 2; i < form[k].length; i++)
            if (s[i] < 0x80 || s[i] > 0xBF)
                return 0;
        return form[k].length;
    }
    return 0;
}

static void add_character(trmi_text *text, const unsigned char *s, size_t length)
{
    static const char short_form[] = "\"\"\\\\\bb\ff\nn\rr\tt"; // character, letter after the slash
    char escape[8];
    for (const char *pair = short_form; length == 1 && *pair; pair += 2)
        if ((unsigned char)pair[0] == *s) {
            snprintf(escape, sizeof escape, "\\%c", pair[1]);
            trmi_text_add(text, escape);
            return;
        }
    if (length == 1 && *s < 0x20) {
        snprintf(escape, sizeof escape, "\\u%04x", *s);
        trmi_text_add(text, escape);
    } else if (length == 0) {
        trmi_text_add(text, "\xEF\xBF\xBD"); // U+FFFD
    } else {
        trmi_text_add_bytes(text, s, length);
    }
}

static void add_string(trmi_text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    trmi_text_add(text, "\"");
    while (*s) {
        size_t length = character_length(s);
        add_character(text, s, length);
        s += length > 0 ? length : 1;
    }
    trmi_text_add(text, "\"");
}

// comma and key before a value
static void begin_value(trmi_json *json, const char *key)
{
    assert(!key == (json->depth == 0 || json->closing[json->depth] == ']'));
    assert(json->depth > 0 || !json->started[0]);
    if (json->started[json->depth])
        trmi_text_add(&json->text, ", ");
    json->started[json->depth] = true;
    if (key) {
        add_string(&json->text, key);
        trmi_text_add(&json->text, ": ");
    }
}

static void begin_nested(trmi_json *json, const char *key, const char *open, char close)
{
    assert(json->depth < TRMI_JSON_DEPTH);
    begin_value(json, key);
    trmi_text_add(&json->text, open);
    json->depth++;
    json->started[json->depth] = false;
    json->closing[json->depth] = close;
}

void trmi_json_begin_object(trmi_json *json, const char *key)
{
    begin_nested(json, key, "{", '}');
}

void trmi_json_begin_array(trmi_json *json, const char *key)
{
    begin_nested(json, key, "[", ']');
}

void trmi_json_end(trmi_json *json)
{
    assert(json->depth > 0);
    trmi_text_add_bytes(&json->text, &json->closing[json->depth], 1);
    json->depth--;
}

void trmi_json_raw(trmi_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    trmi_text_add(&json->text, value && *value ? value : "null");
}

void trmi_json_string(trmi_json *json, const char *key, const char *value)
{
    if (!value) {
        trmi_json_raw(json, key, NULL);
        return;
    }
    begin_value(json, key);
    add_string(&json->text, value);
}

void trmi_json_number(trmi_json *json, const char *key, double value)
{
    char number[TRMI_NUMBER_LENGTH];
    trmi_number_format(number, value);
    trmi_json_raw(json, key, isfinite(value) ? number : NULL);
}

void trmi_json_integer(trmi_json *json, const char *key, int64_t value)
{
    char number[TRMI_NUMBER_LENGTH];
    snprintf(number, sizeof number, "%" PRId64, value);
    trmi_json_raw(json, key, number);
}

void trmi_json_boolean(trmi_json *json, const char *key, bool value)
{
    trmi_json_raw(json, key, value ? "true" : "false");
}

const char *trmi_json_finish(trmi_json *json)
{
    assert(json->depth == 0 && json->started[0]);
    return json->text.failed ? NULL : json->text.data;
}

char *trmi_json_take(trmi_json *json)
{
    char *text = trmi_json_finish(json) ? json->text.data : NULL;
    if (text)
        json->text = (trmi_text){0};
    trmi_json_free(json);
    return text;
}

void trmi_json_free(trmi_json *json)
{
    trmi_text_free(&json->text);
    *json = (trmi_json){0};
}
