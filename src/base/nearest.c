// SPDX-License-Identifier: Apache-2.0
// Levenshtein distance: d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j])
#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST = 63 }; // longer names are not guessed

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

const char *trmi_nearest(const char *name, const char *const *candidate, int count)
{
    const char *best = NULL;
    size_t length = strlen(name), limit = length / 3 + 1; // one letter of three may be wrong
    for (int k = 0; length <= LONGEST && k < count; k++) {
        size_t other = candidate[k] ? strlen(candidate[k]) : LONGEST + 1;
        if (other > LONGEST)
            continue;
        size_t d = distance(name, length, candidate[k], other);
        if (d <= limit && d < length) {
            best = candidate[k];
            limit = d > 0 ? d - 1 : 0;
            if (d == 0)
                return best;
        }
    }
    return best;
}
