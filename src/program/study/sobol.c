// SPDX-License-Identifier: Apache-2.0
// Sobol's sequence, point by point: x_j = i_1 v_1j xor i_2 v_2j xor ..., i_k the bits of the number
// of the point. The direction numbers follow from a primitive polynomial of degree s over Z_2,
//
//     v_k = a_1 v_(k-1) xor ... xor a_(s-1) v_(k-s+1) xor v_(k-s) xor (v_(k-s) >> s),
//
// and the first s of them, m_k 2^(32-k). Polynomials and m are those of S. Joe, F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30
// (2008) 2635-2654, the table new-joe-kuo-6: all of degree 7 and less.
#include "program/study/study.h"

enum { BITS = 32, MAX_DEGREE = 7 };

// degree, coefficients a_1 .. a_(s-1) as bits, m_1 .. m_s
typedef struct direction {
    unsigned char s, a, m[MAX_DEGREE];
} direction;

static const direction directions[TRMI_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
};

uint32_t trmi_sobol_bits(int dimension, uint32_t index)
{
    uint32_t v[BITS], x = 0;
    const direction *d = dimension > 0 ? &directions[dimension - 1] : NULL;
    for (int k = 0; k < BITS && index >> k != 0; k++) {
        int s = d ? d->s : 0;
        if (!d) {
            v[k] = UINT32_C(1) << (BITS - 1 - k); // the first dimension: van der Corput's
        } else if (k < s) {
            v[k] = (uint32_t)d->m[k] << (BITS - 1 - k);
        } else {
            v[k] = v[k - s] ^ v[k - s] >> s;
            for (int i = 1; i < s; i++)
                v[k] ^= d->a >> (s - 1 - i) & 1 ? v[k - i] : 0;
        }
        x ^= index >> k & 1 ? v[k] : 0;
    }
    return x;
}
