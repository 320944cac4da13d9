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
// Writes all of it: 0 or errno. Of the writes to address 0, where the head of a file lies, only the
// last is done, and as the very last.
int trmi_held_writes_apply(const trmi_held_writes *held, int fd);
void trmi_held_writes_free(trmi_held_writes *held);

// pwrite without interruptions: 0 or errno
int trmi_write_at(int fd, uint64_t address, const void *bytes, size_t size);

#endif
