// SPDX-License-Identifier: Apache-2.0
// Any bytes as the arguments of --set, one in a line, applied to a model in this order.
#include "fuzz.h"
#include "modelling/reader/keys/keys.h"

static const char model[] = "trammel: 1\n"
                            "problem: {name: x}\n"
                            "simulate: {end: 1, output_times: [1, {a: 2}], step: }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_document *document =
        trmi_document_read(&memory, "fuzz.yaml", model, strlen(model), format_diagnostic, NULL);
    char *text = malloc(size + 1);
    if (!document || !text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        trmi_document_set(document, line);
    }
    trmi_keys_check(document, &trmi_model_keys);
    free(text);
    trmi_memory_release_all(&memory);
    return 0;
}
