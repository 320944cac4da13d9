// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in zlib, PNG and zip: polynomial 0xEDB88320, bits reflected.
#ifndef TRMI_PROGRAM_FILES_CRC32_H
#define TRMI_PROGRAM_FILES_CRC32_H

#include <stddef.h>
#include <stdint.h>

// The sum of what came before (0 at the start) and these bytes: zlib.crc32(bytes, before).
uint32_t trmi_crc32(uint32_t before, const void *bytes, size_t size);

#endif
