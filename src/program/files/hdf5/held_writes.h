// SPDX-License-Identifier: Apache-2.0
// A file that is written in an order, and writes that are kept in memory until their time comes.
#ifndef TRMI_PROGRAM_FILES_HDF5_HELD_WRITES_H
#define TRMI_PROGRAM_FILES_HDF5_HELD_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trmi_ordered_file {
    int fd;
    bool durable; // the order holds on the disk too
    bool dirty;   // something was written since the last barrier
} trmi_ordered_file;

// pwrite without interruptions: 0 or errno
int trmi_write_at(trmi_ordered_file *file, uint64_t address, const void *bytes, size_t size);
// What was written before is on the disk before anything that is written later: 0 or errno.
int trmi_barrier(trmi_ordered_file *file);

typedef struct trmi_held_write trmi_held_write;

typedef struct trmi_held_writes {
    trmi_held_write *first, *last;
} trmi_held_writes;

bool trmi_held_writes_add(trmi_held_writes *held, uint64_t address, const void *bytes, size_t size);
// Puts what is held over bytes that were read from the file.
void trmi_held_writes_overlay(const trmi_held_writes *held, uint64_t address, void *bytes,
                              size_t size);
// Writes all of it by rank, indexes, the superblock, headers: 0 or errno. strictly: with a barrier
// between the last two as well.
int trmi_held_writes_apply(const trmi_held_writes *held, trmi_ordered_file *file, bool strictly);
void trmi_held_writes_free(trmi_held_writes *held);

#endif
