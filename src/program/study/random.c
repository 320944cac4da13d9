// SPDX-License-Identifier: Apache-2.0
// Random numbers that are functions of their place: the same ones whatever order they are needed
// in.
#include "program/study/study.h"

#include <math.h>

// One round of Philox 4x32: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011; multipliers and increments of the key are theirs.
static void mix(uint32_t x[4], const uint32_t key[2])
{
    uint64_t p = (uint64_t)0xD2511F53 * x[0], q = (uint64_t)0xCD9E8D57 * x[2];
    uint32_t y[4] = {(uint32_t)(q >> 32) ^ x[1] ^ key[0], (uint32_t)q,
                     (uint32_t)(p >> 32) ^ x[3] ^ key[1], (uint32_t)p};
    for (int k = 0; k < 4; k++)
        x[k] = y[k];
}

uint64_t trmi_random_bits(uint64_t seed, uint64_t a, uint32_t b, uint32_t c)
{
    enum { ROUNDS = 10 };
    uint32_t x[4] = {(uint32_t)a, (uint32_t)(a >> 32), b, c};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < ROUNDS; round++) {
        mix(x, key);
        key[0] += 0x9E3779B9; // golden ratio
        key[1] += 0xBB67AE85; // sqrt(3) - 1
    }
    return (uint64_t)x[1] << 32 | x[0];
}

// the middle of one of 2^53 intervals: neither 0 nor 1
double trmi_unit_of_bits(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

// A Feistel network (Luby and Rackoff 1988) permutes 0 .. 4^half - 1, of which less than three
// quarters are not below n: these are permuted again until one below n comes.
uint64_t trmi_random_place(uint64_t i, uint64_t n, uint64_t seed, uint32_t b, uint32_t c)
{
    enum { ROUNDS = 8 };
    int half = 1;
    while (UINT64_C(1) << 2 * half < n)
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t bits = trmi_random_bits(seed, round << 32 | right, b, c) & mask;
            uint64_t next = left ^ bits;
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

// ln P(x) is concave: from any point Newton's method goes to the left of the solution in one step,
// and then up to it without passing it.
double trmi_normal_quantile(double p)
{
    if (p > 0.5)
        return -trmi_normal_quantile(1 - p);
    double x = -sqrt(-2 * log(2 * p)), before;
    const double wanted = log(p), root = sqrt(0.5), density = 1 / sqrt(8 * atan(1));
    int steps = 0;
    do {
        double P = 0.5 * erfc(-x * root);
        before = x;
        x -= (log(P) - wanted) * P / (density * exp(-0.5 * x * x));
    } while ((x > before || steps == 0) && ++steps < 60);
    return before < x ? x : before;
}
