// SPDX-License-Identifier: Apache-2.0
#include "base/texts.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

const char *trmi_texts_join(trmi_texts *texts, const char *const *part)
{
    size_t size = 1;
    for (int k = 0; part[k]; k++)
        size += strlen(part[k]);
    if (size > texts->left) {
        texts->left = size > BLOCK ? size : BLOCK;
        texts->next = trmi_memory_take(texts->memory, texts->left, 1);
        if (!texts->next) {
            texts->left = 0;
            return NULL;
        }
    }
    char *text = texts->next, *end = text;
    for (int k = 0; part[k]; k++) {
        size_t length = strlen(part[k]);
        memcpy(end, part[k], length);
        end += length;
    }
    *end = '\0';
    texts->next += size;
    texts->left -= size;
    return text;
}

void trmi_write_one_name(void *to, int index, const char *const *part)
{
    trmi_one_name *one = to;
    one->length = index == one->index ? 0 : one->length;
    for (int k = 0; part[k] && index == one->index; k++) {
        size_t used = (size_t)one->length < one->size ? (size_t)one->length : one->size;
        one->length += snprintf(one->name + used, one->size - used, "%s", part[k]);
    }
}
