// SPDX-License-Identifier: Apache-2.0
// Numbers of binary files, whose lowest byte comes first.
#ifndef TRMI_MODELLING_READER_MESH_BYTES_H
#define TRMI_MODELLING_READER_MESH_BYTES_H

#include "base/space.h"

#include <stdint.h>
#include <string.h>

static inline uint32_t trmi_uint32_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint32_t trmi_uint16_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

// three floats
static inline trmi_v3 trmi_floats_at(const char *at)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        uint32_t bits = trmi_uint32_at(at + 4 * k);
        float value;
        memcpy(&value, &bits, sizeof value);
        x[k] = (double)value;
    }
    return trmi_v3_of(x);
}

#endif
