// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259) into a growing text:
//     trmi_json json = {0};
//     trmi_json_begin_object(&json, NULL);
//     trmi_json_number(&json, "t", 0.5);
//     trmi_json_end(&json);
//     const char *text = trmi_json_finish(&json); // {"t": 0.5}
//     trmi_json_free(&json);
// Members of an object have a key, items of an array and the outermost value have key NULL.
#ifndef TRMI_PROGRAM_FILES_JSON_H
#define TRMI_PROGRAM_FILES_JSON_H

#include "program/files/text.h"

#include <stdint.h>

enum { TRMI_JSON_DEPTH = 32 };

typedef struct trmi_json {
    trmi_text text;
    int depth;
    bool started[TRMI_JSON_DEPTH + 1]; // a value was written at this depth: the next needs a comma
    char closing[TRMI_JSON_DEPTH + 1]; // } or ]
} trmi_json;

void trmi_json_begin_object(trmi_json *json, const char *key);
void trmi_json_begin_array(trmi_json *json, const char *key);
void trmi_json_end(trmi_json *json); // of the innermost object or array

// Text is UTF-8; bytes that are not become U+FFFD. NULL gives null.
void trmi_json_string(trmi_json *json, const char *key, const char *value);
// The shortest text that reads back exactly; NaN and infinities, which JSON has not, give null.
void trmi_json_number(trmi_json *json, const char *key, double value);
void trmi_json_integer(trmi_json *json, const char *key, int64_t value);
void trmi_json_boolean(trmi_json *json, const char *key, bool value);
// A value that is JSON already, taken as it is; NULL or "" gives null.
void trmi_json_raw(trmi_json *json, const char *key, const char *value);

// The text, borrowed until free; NULL when there was no memory.
const char *trmi_json_finish(trmi_json *json);
void trmi_json_free(trmi_json *json);
// The text, owned by the caller (free), and an empty json; NULL when there was no memory.
char *trmi_json_take(trmi_json *json);

#endif
