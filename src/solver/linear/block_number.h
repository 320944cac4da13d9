// SPDX-License-Identifier: Apache-2.0
// The numbers of a block LDL^T, of either kind: doubles, or where COMPLEX_ENTRIES is defined before
// this is included pairs (re, im), as complex numbers lie in memory. The compiler's vectors are
// added and subtracted as doubles are; products have names. A lane holds as many neighbouring rows
// of a column as fit a register: two real ones, one complex.
#ifndef TRMI_SOLVER_LINEAR_BLOCK_NUMBER_H
#define TRMI_SOLVER_LINEAR_BLOCK_NUMBER_H

#include "solver/linear/block_kernels.h"

#include <math.h>

#ifdef COMPLEX_ENTRIES

typedef double number __attribute__((vector_size(16), aligned(8), may_alias));
enum { LANE_ROWS = 1 };

KERNEL number times(number a, number b)
{
    return a * both(b[0]) + (pair){a[1], a[0]} * (pair){-b[1], b[1]};
}

// of a lane; of two, row by row
KERNEL pair scale_lane(pair rows, number b)
{
    return times(rows, b);
}

KERNEL pair times_lane(pair a, pair b)
{
    return times(a, b);
}

KERNEL double size_of(number a)
{
    return fabs(a[0]) + fabs(a[1]);
}

// conj(a)/|a|^2, in units of its size so that nothing overflows
KERNEL number reciprocal(number a)
{
    const double unit = 1 / size_of(a);
    const pair b = a * both(unit);
    return (pair){b[0], -b[1]} * both(unit / (b[0] * b[0] + b[1] * b[1]));
}

// real parts of turn a and conj(turn) a
KERNEL double ahead(number a, number turn)
{
    return a[0] * turn[0] - a[1] * turn[1];
}

KERNEL double ahead_back(number a, number turn)
{
    return a[0] * turn[0] + a[1] * turn[1];
}

KERNEL pair load_lane(const number *column, const int i, const int m)
{
    (void)m;
    return column[i];
}

KERNEL void store_lane(number *column, const int i, const int m, pair rows)
{
    (void)m;
    column[i] = rows;
}

KERNEL number sum_of_lane(pair rows)
{
    return rows;
}

#else

typedef double number;
enum { LANE_ROWS = 2 };

KERNEL number times(number a, number b)
{
    return a * b;
}

KERNEL pair scale_lane(pair rows, number b)
{
    return rows * both(b);
}

KERNEL pair times_lane(pair a, pair b)
{
    return a * b;
}

KERNEL double size_of(number a)
{
    return fabs(a);
}

KERNEL number reciprocal(number a)
{
    return 1 / a;
}

KERNEL double ahead(number a, number turn)
{
    (void)turn; // 1
    return a;
}

KERNEL double ahead_back(number a, number turn)
{
    return ahead(a, turn);
}

// rows 2 i, 2 i + 1 of a column of m numbers; the last lane of an odd one has a 0
KERNEL pair load_lane(const number *column, const int i, const int m)
{
    return 2 * i + 1 < m ? load(column + 2 * i) : (pair){column[2 * i], 0};
}

KERNEL void store_lane(number *column, const int i, const int m, pair rows)
{
    if (2 * i + 1 < m)
        store(column + 2 * i, rows);
    else
        column[2 * i] = rows[0];
}

KERNEL number sum_of_lane(pair rows)
{
    return rows[0] + rows[1];
}

#endif

KERNEL int lanes_of(const int m)
{
    return (m + LANE_ROWS - 1) / LANE_ROWS;
}

#endif
