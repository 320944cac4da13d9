// SPDX-License-Identifier: Apache-2.0
// The state of an object as bytes, and back. One function per type, trmi_<type>_archive, visits
// what the object must remember; the same visit counts the bytes, writes them or reads them:
//
//     header: magic, version, size, kind, FNV-1a of the content | content
//
// For the machine and the version that wrote them: doubles and integers as they lie in memory.
#ifndef TRMI_BASE_ARCHIVE_H
#define TRMI_BASE_ARCHIVE_H

#include "base/hash.h"
#include "trammel/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct trmi_archive {
    bool loading;
    unsigned char *to;         // saving: NULL only counts
    const unsigned char *from; // loading
    size_t size, at;
    trm_status status; // loading: TRM_ERR_RANGE where the bytes do not fit; nothing is read then
} trmi_archive;

// Saving into a buffer of that size (if it is large enough in the end) and its end: the size
// needed. kind tells what the bytes belong to.
trmi_archive trmi_archive_save(void *buffer, size_t size);
size_t trmi_archive_end(trmi_archive *archive, uint64_t kind);

// Loading: checks the header and the content against it. error says what does not fit.
trm_status trmi_archive_load(trmi_archive *archive, const void *buffer, size_t size, uint64_t kind,
                             trm_error *error);

// Visits. While loading, numbers outside their range set the status and change nothing.
void trmi_archive_bytes(trmi_archive *archive, void *data, size_t size);
void trmi_archive_doubles(trmi_archive *archive, double *data, int count);
void trmi_archive_bool(trmi_archive *archive, bool *data);
void trmi_archive_int(trmi_archive *archive, int *data, int least, int greatest);
void trmi_archive_long(trmi_archive *archive, long *data, long least);
// count integers in 0 .. limit - 1
void trmi_archive_indices(trmi_archive *archive, int *data, int count, int limit);

#endif
