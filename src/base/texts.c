// SPDX-License-Identifier: Apache-2.0
#include "base/texts.h"

#include <stdarg.h>
#include <stdio.h>

enum { BLOCK = 4096 };

const char *trmi_texts_add(trmi_texts *texts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = (size_t)length + 1;
    if (length < 0)
        return NULL;
    if (size > texts->left) {
        texts->left = size > BLOCK ? size : BLOCK;
        texts->next = trmi_memory_take(texts->memory, texts->left, 1);
        if (!texts->next) {
            texts->left = 0;
            return NULL;
        }
    }
    char *text = texts->next;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
    texts->next += size;
    texts->left -= size;
    return text;
}
