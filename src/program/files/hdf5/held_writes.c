// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/files/hdf5/held_writes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trmi_held_write {
    trmi_held_write *next;
    uint64_t address;
    size_t size;
    char bytes[];
};

bool trmi_held_writes_add(trmi_held_writes *held, uint64_t address, const void *bytes, size_t size)
{
    trmi_held_write *write = malloc(sizeof *write + size);
    if (!write)
        return false;
    write->next = NULL;
    write->address = address;
    write->size = size;
    memcpy(write->bytes, bytes, size);
    if (held->last)
        held->last->next = write;
    else
        held->first = write;
    held->last = write;
    return true;
}

void trmi_held_writes_overlay(const trmi_held_writes *held, uint64_t address, void *bytes,
                              size_t size)
{
    uint64_t end = address + size;
    for (const trmi_held_write *w = held->first; w; w = w->next) {
        uint64_t from = w->address > address ? w->address : address;
        uint64_t to = w->address + w->size < end ? w->address + w->size : end;
        if (from < to)
            memcpy((char *)bytes + (from - address), w->bytes + (from - w->address),
                   (size_t)(to - from));
    }
}

int trmi_write_at(trmi_ordered_file *file, uint64_t address, const void *bytes, size_t size)
{
    const char *from = bytes;
    file->dirty = true;
    while (size > 0) {
        ssize_t done = pwrite(file->fd, from, size, (off_t)address);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        from += done;
        address += (uint64_t)done;
        size -= (size_t)done;
    }
    return 0;
}

int trmi_barrier(trmi_ordered_file *file)
{
    if (file->durable && file->dirty && fdatasync(file->fd) != 0)
        return errno;
    file->dirty = false;
    return 0;
}

// ---- order ----

typedef enum rank { INDEX, SUPERBLOCK, HEADER } rank;

// Object headers of the newer kind and their continuations begin with these words.
static rank rank_of(const trmi_held_write *w)
{
    if (w->address == 0)
        return SUPERBLOCK;
    bool header = w->size >= 4 && (memcmp(w->bytes, "OHDR", 4) == 0 || //
                                   memcmp(w->bytes, "OCHK", 4) == 0);
    return header ? HEADER : INDEX;
}

static int apply_rank(const trmi_held_writes *held, rank r, trmi_ordered_file *file)
{
    int code = 0;
    for (const trmi_held_write *w = held->first; w && code == 0; w = w->next)
        if (rank_of(w) == r)
            code = trmi_write_at(file, w->address, w->bytes, w->size);
    return code;
}

int trmi_held_writes_apply(const trmi_held_writes *held, trmi_ordered_file *file, bool strictly)
{
    if (!held->first)
        return 0;
    int code = apply_rank(held, INDEX, file);
    if (code == 0)
        code = trmi_barrier(file);
    if (code == 0)
        code = apply_rank(held, SUPERBLOCK, file);
    if (code == 0 && strictly)
        code = trmi_barrier(file);
    return code == 0 ? apply_rank(held, HEADER, file) : code;
}

void trmi_held_writes_free(trmi_held_writes *held)
{
    for (trmi_held_write *w = held->first, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    *held = (trmi_held_writes){0};
}
