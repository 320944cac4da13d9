// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model file: read and checked without a crash, a leak or a hang.
#include "fuzz.h"
#include "model/keys.h"

static void read_model(const char *text, size_t length)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_document *document =
        trmi_document_read(&memory, "fuzz.yaml", text, length, format_diagnostic, NULL);
    if (document)
        trmi_keys_check(document);
    trmi_memory_release_all(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_model((const char *)data, size);
    return 0;
}
