// SPDX-License-Identifier: Apache-2.0
// Checkpoint files: named blocks of bytes, with everything needed to refuse a wrong or damaged
// file. Layout, in the byte order of the machine:
//     "TRMCHKPT"  u32 version  u32 byte-order mark  u64 model hash  u64 blocks
//     per block: u64 length of the name, u64 size, name and data, each padded with zeros to 8 bytes
//     u64 checksum (FNV-1a of all bytes before)
#ifndef TRMI_PROGRAM_RUN_CHECKPOINT_H
#define TRMI_PROGRAM_RUN_CHECKPOINT_H

#include "base/hash.h"
#include "trammel/status.h"

#include <stdint.h>

typedef struct trmi_checkpoint_block {
    const char *name;
    const void *data; // after reading: aligned to 8 bytes
    size_t size;
} trmi_checkpoint_block;

// The last two are kept: whatever happens while one is written, or to the newer one, there is one
// that can be used. The older one has this after its name.
#define TRMI_CHECKPOINT_PREVIOUS ".previous"

// Adds a checkpoint: written under another name, synchronised, renamed; the one before it is the
// previous one then. On failure (TRM_ERR_RESULT, TRM_ERR_MEMORY) the older ones are still there.
trm_status trmi_checkpoint_write(const char *path, uint64_t model_hash,
                                 const trmi_checkpoint_block *block, int blocks, trm_error *error);
// Removes those of an earlier run.
void trmi_checkpoint_remove(const char *path);

typedef struct trmi_checkpoint trmi_checkpoint;

// NULL, with the reason in error, when the file is not a checkpoint, of another version, cut off or
// damaged.
trmi_checkpoint *trmi_checkpoint_read(const char *path, trm_error *error);

// The hash of the model it was written with.
uint64_t trmi_checkpoint_model(const trmi_checkpoint *checkpoint);

// A block by name, borrowed until free; NULL when there is none.
const trmi_checkpoint_block *trmi_checkpoint_find(const trmi_checkpoint *checkpoint,
                                                  const char *name);

void trmi_checkpoint_free(trmi_checkpoint *checkpoint);

#endif
