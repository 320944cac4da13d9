// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/beside.h"

#include "modelling/reader/yaml/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trmi_path_beside(const char *of, const char *given, char *path, size_t size)
{
    const char *slash = strrchr(of, '/');
    int folder = slash && given[0] != '/' ? (int)(slash - of) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, of, given);
}

// the rest of an open file; NULL: errno has the reason
static char *read_stream(FILE *file, size_t *length)
{
    size_t capacity = 1 << 16;
    char *text = NULL;
    *length = 0;
    for (;;) {
        char *larger = realloc(text, capacity + 1);
        if (!larger)
            break;
        text = larger;
        *length += fread(text + *length, 1, capacity - *length, file);
        if (ferror(file))
            break;
        if (*length < capacity) {
            text[*length] = '\0';
            return text;
        }
        if (capacity > TRMI_DOCUMENT_BYTES) {
            errno = EFBIG;
            break;
        }
        capacity *= 2;
    }
    free(text);
    return NULL;
}

char *trmi_read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? read_stream(file, length) : NULL;
    int reason = errno;
    if (text && *length > TRMI_DOCUMENT_BYTES) {
        free(text);
        text = NULL;
        reason = EFBIG;
    }
    if (file)
        fclose(file);
    errno = reason;
    return text;
}
