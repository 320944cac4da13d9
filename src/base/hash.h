// SPDX-License-Identifier: Apache-2.0
// FNV-1a with 64 bits: to notice damage and to find names, not against intent.
#ifndef TRMI_BASE_HASH_H
#define TRMI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// Continued from `hash`; begin with TRMI_HASH.
#define TRMI_HASH UINT64_C(0xcbf29ce484222325)

static inline uint64_t trmi_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
