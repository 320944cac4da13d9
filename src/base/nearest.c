// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 }; // longer names have no near ones

static int least(int a, int b)
{
    return a < b ? a : b;
}

// d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j]), one row at a time
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1], n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least(least(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

const char *trmi_nearest(const char *name, const char *const *candidate, int count)
{
    const char *nearest = NULL;
    size_t length = strlen(name);
    if (length > LONGEST)
        return NULL;
    int bound = length < 6 ? 1 : (int)length / 3;
    for (int k = 0; k < count; k++) {
        if (strlen(candidate[k]) > LONGEST)
            continue;
        int d = distance(name, candidate[k]);
        if (d <= bound && (!nearest || d < bound)) {
            nearest = candidate[k];
            bound = d;
        }
    }
    return nearest;
}
