// SPDX-License-Identifier: Apache-2.0
// Writes to a file that are kept in memory, in their order.
#ifndef TRMI_PROGRAM_FILES_HDF5_HELD_WRITES_H
#define TRMI_PROGRAM_FILES_HDF5_HELD_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trmi_held_write trmi_held_write;

typedef struct trmi_held_writes {
    trmi_held_write *first, *last;
} trmi_held_writes;

bool trmi_held_writes_add(trmi_held_writes *held, uint64_t address, const void *bytes, size_t size);
// Puts what is held over bytes that were read from the file.
void trmi_held_writes_overlay(const trmi_held_writes *held, uint64_t address, void *bytes,
                              size_t size);
// Writes all of it by rank, indexes, the superblock, headers: 0 or errno. durable: what was written
// before a rank is on the disk when that begins.
int trmi_held_writes_apply(const trmi_held_writes *held, int fd, bool durable);
void trmi_held_writes_free(trmi_held_writes *held);

// pwrite without interruptions: 0 or errno
int trmi_write_at(int fd, uint64_t address, const void *bytes, size_t size);

#endif
