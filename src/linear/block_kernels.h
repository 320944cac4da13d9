// SPDX-License-Identifier: Apache-2.0
// Small dense kernels of the block LDL^T. Two neighbouring rows of a column-major block sit in one
// register; a row block of a planar mechanism (2 x s) is then s columns of one register each.
#ifndef TRMI_BLOCK_KERNELS_H
#define TRMI_BLOCK_KERNELS_H

#include <stdbool.h>
#include <string.h>

#ifdef __has_feature
#define INSTRUMENTED __has_feature(address_sanitizer)
#else
#define INSTRUMENTED 0
#endif

// KERNEL: compiled for every size it is called with. UNROLLED: a loop of at most 6 turns, written
// out. ROLLED: one that stays a loop, so that the code fits the cache. Code with sanitizers is not
// for speed, and what they add to each copy takes clang minutes to compile.
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

// ---- any sizes, 1 to 6 ----

// action(n) with n known where it is compiled
#define WITH_SIZE(n, action)                                                                       \
    switch (n) {                                                                                   \
    case 1:                                                                                        \
        action(1);                                                                                 \
        break;                                                                                     \
    case 2:                                                                                        \
        action(2);                                                                                 \
        break;                                                                                     \
    case 3:                                                                                        \
        action(3);                                                                                 \
        break;                                                                                     \
    case 4:                                                                                        \
        action(4);                                                                                 \
        break;                                                                                     \
    case 5:                                                                                        \
        action(5);                                                                                 \
        break;                                                                                     \
    case 6:                                                                                        \
        action(6);                                                                                 \
        break;                                                                                     \
    }

// rows 2 i, 2 i + 1 of a column of m numbers; the last pair of an odd one has a 0
KERNEL pair load_rows(const double *column, const int i, const int m)
{
    return 2 * i + 1 < m ? load(column + 2 * i) : (pair){column[2 * i], 0};
}

// what = old - sum or sum
KERNEL void store_sum(double *column, const int i, const int m, pair sum, const bool subtract)
{
    const pair new = subtract ? load_rows(column, i, m) - sum : sum;
    if (2 * i + 1 < m)
        store(column + 2 * i, new);
    else
        column[2 * i] = new[0];
}

// `columns` (1 or 2) of c from pair `first` on: c = a (m x s) b or c -= a b
KERNEL void multiply_columns(double *c, const double *a, const double *b, const int m, const int s,
                             const int row_step, const int column_step, const bool subtract,
                             const int columns, const int first)
{
    pair sum[2][3] = {{{0, 0}, {0, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0, 0}}};
    UNROLLED
    for (int k = 0; k < s; k++) {
        const pair left = both(b[k * row_step]);
        const pair right = columns > 1 ? both(b[k * row_step + column_step]) : left;
        UNROLLED
        for (int i = 0; i < (m + 1) / 2; i++) {
            if (i < first)
                continue;
            const pair row = load_rows(a + k * m, i, m);
            sum[0][i] += row * left;
            if (columns > 1)
                sum[1][i] += row * right;
        }
    }
    UNROLLED
    for (int i = 0; i < (m + 1) / 2; i++)
        for (int j = 0; j < columns; j++)
            if (i >= first)
                store_sum(c + j * m, i, m, sum[j][i], subtract);
}

// c (m x n) = a (m x s) b, or c -= a b; b_kj = b[k row_step + j column_step]. Two columns share
// what is read of a.
KERNEL void multiply_rows(double *c, const double *a, const double *b, const int m, const int n,
                          const int s, const int row_step, const int column_step,
                          const bool subtract)
{
    int j = 0;
    ROLLED
    for (; j + 1 < n; j += 2, c += 2 * m, b += 2 * column_step)
        multiply_columns(c, a, b, m, s, row_step, column_step, subtract, 2, 0);
    if (j < n)
        multiply_columns(c, a, b, m, s, row_step, column_step, subtract, 1, 0);
}

// c (m x m) -= l a^T, the lower triangle and a little of the upper
KERNEL void subtract_triangle(double *c, const double *l, const double *a, const int m, const int s)
{
    UNROLLED
    for (int j = 0; j + 1 < m; j += 2)
        multiply_columns(c + j * m, l, a + j, m, s, m, 1, true, 2, j / 2);
    if (m % 2 == 1)
        multiply_columns(c + (m - 1) * m, l, a + m - 1, m, s, m, 1, true, 1, m / 2);
}

// the same with m known where they are compiled
#define MULTIPLY(M) multiply_rows(c, a, b, M, n, s, row_step, column_step, subtract)
KERNEL void multiply(double *c, const double *a, const double *b, const int m, const int n,
                     const int s, const int row_step, const int column_step, const bool subtract)
{
    WITH_SIZE(m, MULTIPLY)
}

#define SUBTRACT(M) subtract_triangle(c, l, a, M, s)
KERNEL void subtract_square(double *c, const double *l, const double *a, const int m, const int s)
{
    WITH_SIZE(m, SUBTRACT)
}

// sum[k] + l_k^T r for the s columns of l (m x s), the shares of even and odd rows still apart
KERNEL void add_columns(pair *sum, const double *l, const double *r, const int m, const int s)
{
    UNROLLED
    for (int k = 0; k < s; k++) {
        UNROLLED
        for (int i = 0; i < (m + 1) / 2; i++)
            sum[k] += load_rows(l + k * m, i, m) * load_rows(r, i, m);
    }
}

#define ADD(M) add_columns(sum, l, r, M, s)
KERNEL void add_transposed(pair *sum, const double *l, const double *r, const int m, const int s)
{
    WITH_SIZE(m, ADD)
}

#endif
