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

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trmi_archive {
    bool loading;
    bool own;                  // loading: a copy of this very object, whose numbers have no range
    unsigned char *to;         // saving: NULL only counts
    const unsigned char *from; // loading
    size_t size, at;
    trm_status status; // loading: TRM_ERR_RANGE where the bytes do not fit; nothing is read then
} trmi_archive;

// Starts saving into a buffer of that size; a buffer that is too small, or NULL, only counts.
trmi_archive trmi_archive_save(void *buffer, size_t size);

// Ends saving: writes the header if the buffer is large enough. kind identifies what was saved.
// Returns the size needed.
size_t trmi_archive_end(trmi_archive *archive, uint64_t kind);

// Starts loading what the object saved itself without an end, unchanged since: no number is
// checked, as counters that were loaded at the end of their range have gone on since.
trmi_archive trmi_archive_of(const void *buffer, size_t size);

// Starts loading: checks the header, and the content against it. error has the reason of a failure.
trm_status trmi_archive_load(trmi_archive *archive, const void *buffer, size_t size, uint64_t kind,
                             trm_error *error);

// Counters have a quarter of the range of their type at most: no run reaches it, and what is added
// to damaged ones stays in the range.
enum { TRMI_COUNTER_MAX = INT_MAX / 4 };

// Saves or loads data. While loading, a number outside its range sets the status and is not stored.
void trmi_archive_bytes(trmi_archive *archive, void *data, size_t size);
void trmi_archive_doubles(trmi_archive *archive, double *data, int count);
void trmi_archive_bool(trmi_archive *archive, bool *data);
void trmi_archive_int(trmi_archive *archive, int *data, int min, int max);
void trmi_archive_long(trmi_archive *archive, long *data); // a counter

// Saves or loads `count` integers in 0 .. limit - 1.
void trmi_archive_indices(trmi_archive *archive, int *data, int count, int limit);

// A member of a struct that is saved: a double, a counter (long or int), or a bool.
typedef struct trmi_field {
    size_t offset;
    enum { TRMI_FIELD_DOUBLE, TRMI_FIELD_LONG, TRMI_FIELD_INT, TRMI_FIELD_BOOL } type;
} trmi_field;

#define TRMI_FIELD(struct_type, member)                                                            \
    {                                                                                              \
        offsetof(struct_type, member), _Generic(((struct_type *)0)->member, double                 \
                                                : TRMI_FIELD_DOUBLE, long                          \
                                                : TRMI_FIELD_LONG, int                             \
                                                : TRMI_FIELD_INT, bool                             \
                                                : TRMI_FIELD_BOOL)                                 \
    }

// Saves or loads the members of an object that a table lists.
void trmi_archive_fields(trmi_archive *archive, void *object, const trmi_field *fields, int count);
// The same for a table that is an array.
#define TRMI_ARCHIVE_FIELDS(archive, object, fields)                                               \
    trmi_archive_fields(archive, object, fields, (int)(sizeof(fields) / sizeof *(fields)))

#endif
