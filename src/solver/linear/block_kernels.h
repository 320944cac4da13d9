// SPDX-License-Identifier: Apache-2.0
// Small dense kernels of the block LDL^T. Two neighbouring rows of a column-major block sit in one
// register; a row block of a planar mechanism (2 x s) is then s columns of one register each.
#ifndef TRMI_SOLVER_LINEAR_BLOCK_KERNELS_H
#define TRMI_SOLVER_LINEAR_BLOCK_KERNELS_H

#include <stdbool.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__ // gcc
#define INSTRUMENTED 1
#elif defined(__has_feature) // clang
#define INSTRUMENTED __has_feature(address_sanitizer)
#else
#define INSTRUMENTED 0
#endif

// KERNEL: compiled for every size it is called with. UNROLLED: a loop of at most 6 turns, written
// out. ROLLED: one that stays a loop, so that the code fits the cache. Code with sanitizers is not
// for speed, and what they add to each copy takes minutes to compile.
#if INSTRUMENTED
#define KERNEL static inline
#define UNROLLED
#define ROLLED
#elif defined(__clang__)
#define KERNEL static inline __attribute__((always_inline))
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("nounroll")
#else
#define KERNEL static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 6")
#define ROLLED _Pragma("GCC unroll 1")
#endif

typedef double pair __attribute__((vector_size(16)));

// blocks of two rows: of a body and of a joint, by columns
typedef struct rows3 {
    pair x, y, z;
} rows3;
typedef struct rows2 {
    pair x, y;
} rows2;

typedef struct symmetric3 {
    double xx, yx, zx, yy, zy, zz;
} symmetric3;
typedef struct symmetric2 {
    double xx, yx, yy;
} symmetric2;

KERNEL pair load(const double *from)
{
    pair p;
    memcpy(&p, from, sizeof p);
    return p;
}

KERNEL void store(double *to, pair p)
{
    memcpy(to, &p, sizeof p);
}

KERNEL pair both(double a)
{
    return (pair){a, a};
}

KERNEL rows3 load_rows3(const double *a)
{
    return (rows3){load(a), load(a + 2), load(a + 4)};
}

KERNEL rows2 load_rows2(const double *a)
{
    return (rows2){load(a), load(a + 2)};
}

KERNEL void store_rows3(double *a, rows3 l)
{
    store(a, l.x);
    store(a + 2, l.y);
    store(a + 4, l.z);
}

KERNEL void store_rows2(double *a, rows2 l)
{
    store(a, l.x);
    store(a + 2, l.y);
}

KERNEL rows2 minus2(rows2 a, rows2 b)
{
    return (rows2){a.x - b.x, a.y - b.y};
}

KERNEL rows2 scale2(rows2 a, pair s)
{
    return (rows2){a.x * s, a.y * s};
}

// a d
KERNEL rows3 times3(rows3 a, symmetric3 d)
{
    return (rows3){a.x * both(d.xx) + a.y * both(d.yx) + a.z * both(d.zx),
                   a.x * both(d.yx) + a.y * both(d.yy) + a.z * both(d.zy),
                   a.x * both(d.zx) + a.y * both(d.zy) + a.z * both(d.zz)};
}

KERNEL rows2 times2(rows2 a, symmetric2 d)
{
    return (rows2){a.x * both(d.xx) + a.y * both(d.yx), a.x * both(d.yx) + a.y * both(d.yy)};
}

// l a^T (2 x 2), by columns
KERNEL rows2 product3(rows3 l, rows3 a)
{
    return (rows2){l.x * both(a.x[0]) + l.y * both(a.y[0]) + l.z * both(a.z[0]),
                   l.x * both(a.x[1]) + l.y * both(a.y[1]) + l.z * both(a.z[1])};
}

KERNEL rows2 product2(rows2 l, rows2 a)
{
    return (rows2){l.x * both(a.x[0]) + l.y * both(a.y[0]),
                   l.x * both(a.x[1]) + l.y * both(a.y[1])};
}

// the three numbers of a body, each twice
KERNEL rows3 spread3(const double *y)
{
    return (rows3){both(y[0]), both(y[1]), both(y[2])};
}

// l y
KERNEL pair apply3(rows3 l, rows3 y)
{
    return l.x * y.x + l.y * y.y + l.z * y.z;
}

KERNEL pair apply2(rows2 l, pair y)
{
    return l.x * both(y[0]) + l.y * both(y[1]);
}

// l^T r
KERNEL pair apply_transposed2(rows2 l, pair r)
{
    const pair x = l.x * r, y = l.y * r;
    return (pair){x[0], y[0]} + (pair){x[1], y[1]};
}

// sum + l^T r, the shares of the two rows still apart
KERNEL rows3 add_transposed3(rows3 sum, rows3 l, pair r)
{
    return (rows3){sum.x + l.x * r, sum.y + l.y * r, sum.z + l.z * r};
}

// lower triangle of a 3 x 3 block
KERNEL symmetric3 load_symmetric3(const double *d)
{
    return (symmetric3){d[0], d[1], d[2], d[4], d[5], d[8]};
}

KERNEL void store_symmetric3(double *d, symmetric3 a)
{
    d[0] = a.xx;
    d[1] = a.yx;
    d[2] = a.zx;
    d[4] = a.yy;
    d[5] = a.zy;
    d[8] = a.zz;
}

#endif
