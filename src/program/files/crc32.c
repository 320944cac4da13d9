// SPDX-License-Identifier: Apache-2.0
#include "program/files/crc32.h"

// the remainders of four bits
static const uint32_t table[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};

uint32_t trmi_crc32(uint32_t before, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint32_t sum = ~before;
    for (size_t i = 0; i < size; i++) {
        sum ^= byte[i];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}
