// SPDX-License-Identifier: Apache-2.0
// Any bytes as the tables of a CSV result: what follows a byte 0 is the table of the steps, of the
// events, of the errors. The reader of HDF5 is not fuzzed like this: the library has faults of its
// own, for which results are read in a process of their own; tests/torture/mutated.py damages such
// files.
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include "program/files/result.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// all formats are this one
const trmi_file_reader trmi_hdf5_reader = {0};
const trmi_format trmi_formats[TRMI_FORMATS] = {{.name = "csv", .reader = &trmi_csv_reader},
                                                {.name = "csv", .reader = &trmi_csv_reader}};

static void store(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

// Every value, name and event is there to be read.
static void read_all(trmi_result *r)
{
    trm_error error;
    const double *t, *value;
    int64_t count;
    double sum = 0;
    for (int k = 0; k < trmi_result_channels(r); k++) {
        const trmi_channel *c = trmi_result_channel(r, k);
        if (trmi_result_read(r, k, &t, &value, &count, &error) == TRM_OK)
            for (int64_t i = 0; i < count; i++)
                sum += t[i] + value[i];
        sum += (double)(strlen(c->group) + strlen(c->name) + strlen(c->unit));
        trmi_result_find(r, c->name, &error);
    }
    for (int64_t k = 0; k < trmi_result_events(r); k++) {
        const char *name, *text;
        double at;
        trmi_result_event(r, k, &at, &name, &text);
        sum += at + (double)(strlen(name) + strlen(text));
    }
    if (isnan(sum) && trmi_result_channels(r) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const part[] = {"", "-steps", "-events", "-errors"};
    char folder[] = "/tmp/trammel-fuzz-XXXXXX", path[4][100];
    if (!mkdtemp(folder))
        return 0;
    for (int k = 0; k < 4; k++) {
        const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        snprintf(path[k], sizeof path[k], "%s/r%s.csv", folder, part[k]);
        if (length > 0 || k == 0)
            store(path[k], data, length);
        data += end ? length + 1 : length;
        size -= end ? length + 1 : length;
    }
    trm_error error;
    trmi_result *r = trmi_result_open(path[0], &error);
    trmi_reach reach;
    if (r)
        read_all(r);
    else if (!error.text[0])
        abort(); // refused without a word
    trmi_csv_reader.measure(path[0], &reach, &error);
    trmi_result_close(r);
    for (int k = 0; k < 4; k++)
        remove(path[k]);
    rmdir(folder);
    return 0;
}
