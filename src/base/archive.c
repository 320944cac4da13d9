// SPDX-License-Identifier: Apache-2.0
#include "base/archive.h"

#include "base/error.h"
#include "trammel/version.h"

#include <string.h>

static const char MAGIC[8] = "trammel";

typedef struct header {
    char magic[8];
    char version[16];
    uint64_t size; // with the header
    uint64_t kind;
    uint64_t hash; // of the content
} header;

trmi_archive trmi_archive_save(void *buffer, size_t size)
{
    return (trmi_archive){.to = buffer, .size = buffer ? size : 0, .at = sizeof(header)};
}

size_t trmi_archive_end(trmi_archive *a, uint64_t kind)
{
    if (!a->to || a->at > a->size)
        return a->at;
    header h = {.version = TRM_VERSION, .size = a->at, .kind = kind};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.hash = trmi_hash(TRMI_HASH, a->to + sizeof h, a->at - sizeof h);
    memcpy(a->to, &h, sizeof h);
    return a->at;
}

trmi_archive trmi_archive_of(const void *buffer, size_t size)
{
    return (trmi_archive){
        .loading = true, .own = true, .from = buffer, .size = size, .at = sizeof(header)};
}

trm_status trmi_archive_load(trmi_archive *a, const void *buffer, size_t size, uint64_t kind,
                             trm_error *error)
{
    header h;
    if (!buffer || size < sizeof h || memcmp(buffer, MAGIC, sizeof MAGIC) != 0)
        return trmi_error_set(error, TRM_ERR_RANGE, "these bytes are not a checkpoint");
    memcpy(&h, buffer, sizeof h);
    const char version[sizeof h.version] = TRM_VERSION;
    if (memcmp(h.version, version, sizeof version) != 0)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              "the checkpoint was written by version %.15s, this is %s", h.version,
                              TRM_VERSION);
    if (h.size != size)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              "the checkpoint has %llu bytes, but %llu were given",
                              (unsigned long long)h.size, (unsigned long long)size);
    *a = trmi_archive_of(buffer, size);
    a->own = false;
    if (trmi_hash(TRMI_HASH, a->from + sizeof h, size - sizeof h) != h.hash)
        return trmi_error_set(error, TRM_ERR_RANGE, "the checkpoint is damaged");
    if (h.kind == kind)
        return TRM_OK;
    trmi_error_advise(error, "create the simulation with the system and options that were saved");
    return trmi_error_set(error, TRM_ERR_RANGE,
                          "the checkpoint belongs to another system or to other options");
}

void trmi_archive_bytes(trmi_archive *a, void *data, size_t size)
{
    if (a->loading && (a->status != TRM_OK || size > a->size - a->at)) {
        a->status = a->status == TRM_OK ? TRM_ERR_RANGE : a->status;
        return;
    }
    bool fits = a->at <= a->size && size <= a->size - a->at;
    if (size == 0) // data may be NULL
        return;
    if (a->loading)
        memcpy(data, a->from + a->at, size);
    else if (fits)
        memcpy(a->to + a->at, data, size);
    a->at += size;
}

void trmi_archive_doubles(trmi_archive *a, double *data, int count)
{
    trmi_archive_bytes(a, data, (size_t)count * sizeof *data);
}

// whether numbers come from outside
static bool is_foreign(const trmi_archive *a)
{
    return a->loading && !a->own;
}

void trmi_archive_long(trmi_archive *a, long *data)
{
    long value = *data;
    trmi_archive_bytes(a, &value, sizeof value);
    if (is_foreign(a) && (value < 0 || value > LONG_MAX / 4))
        a->status = TRM_ERR_RANGE;
    else if (a->status == TRM_OK)
        *data = value;
}

void trmi_archive_int(trmi_archive *a, int *data, int min, int max)
{
    int value = *data;
    trmi_archive_bytes(a, &value, sizeof value);
    if (is_foreign(a) && (value < min || value > max))
        a->status = TRM_ERR_RANGE;
    else if (a->status == TRM_OK)
        *data = value;
}

void trmi_archive_bool(trmi_archive *a, bool *data)
{
    int value = *data;
    trmi_archive_int(a, &value, 0, 1);
    *data = value != 0;
}

void trmi_archive_indices(trmi_archive *a, int *data, int count, int limit)
{
    for (int i = 0; i < count; i++)
        trmi_archive_int(a, &data[i], 0, limit - 1);
}

void trmi_archive_fields(trmi_archive *a, void *object, const trmi_field *fields, int count)
{
    for (int i = 0; i < count; i++) {
        void *member = (char *)object + fields[i].offset;
        switch (fields[i].type) {
        case TRMI_FIELD_DOUBLE:
            trmi_archive_doubles(a, member, 1);
            break;
        case TRMI_FIELD_LONG:
            trmi_archive_long(a, member);
            break;
        case TRMI_FIELD_INT:
            trmi_archive_int(a, member, 0, TRMI_COUNTER_MAX);
            break;
        case TRMI_FIELD_BOOL:
            trmi_archive_bool(a, member);
            break;
        }
    }
}
