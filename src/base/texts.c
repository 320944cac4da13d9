// SPDX-License-Identifier: Apache-2.0
#include "base/texts.h"

#include <stdio.h>
#include <string.h>

const char *trmi_texts_join(trmi_texts *texts, const char *const *part)
{
    size_t size = 1;
    for (int k = 0; part[k]; k++)
        size += strlen(part[k]);
    char *text = trmi_memory_share(texts->memory, size, 1, 1), *end = text;
    for (int k = 0; text && part[k]; k++) {
        size_t length = strlen(part[k]);
        memcpy(end, part[k], length);
        end += length;
    }
    return text; // zeroed: it ends there
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
