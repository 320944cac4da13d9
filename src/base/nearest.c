// SPDX-License-Identifier: Apache-2.0
// Levenshtein's distance with exchanged neighbours as one edit. d_ij turns the first i characters
// of a into the first j of b:
//     d_ij = min(d_i-1,j + E, d_i,j-1 + E, d_i-1,j-1 + replace(a_i, b_j), d_i-2,j-2 + E if
//     exchanged)
#include "base/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 64 }; // characters that are compared

static int name_length(const char *name)
{
    const char *end = memchr(name, '\0', LONGEST);
    return end ? (int)(end - name) : LONGEST;
}

static int larger_of(int a, int b)
{
    return a > b ? a : b;
}

static int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

// ASCII whatever the locale is
static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int replacement(char a, char b)
{
    if (a == b)
        return 0;
    return lower_case(a) == lower_case(b) ? 1 : TRMI_NAME_EDIT;
}

int trmi_name_distance(const char *a, const char *b)
{
    int line[3][LONGEST + 1]; // lines i, i-1, i-2 of d, in turn
    const int rows = name_length(a), columns = name_length(b);
    for (int j = 0; j <= columns; j++)
        line[0][j] = j * TRMI_NAME_EDIT;
    for (int i = 1; i <= rows; i++) {
        int *d = line[i % 3];
        const int *before = line[(i + 2) % 3], *twice_before = line[(i + 1) % 3];
        d[0] = i * TRMI_NAME_EDIT;
        for (int j = 1; j <= columns; j++) {
            d[j] = smaller_of(before[j], d[j - 1]) + TRMI_NAME_EDIT;
            d[j] = smaller_of(d[j], before[j - 1] + replacement(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[j] = smaller_of(d[j], twice_before[j - 2] + TRMI_NAME_EDIT);
        }
    }
    return line[rows % 3][columns];
}

// the same characters, in whatever order
static bool is_rearranged(const char *a, const char *b)
{
    int surplus[256] = {0}, length = name_length(a);
    if (name_length(b) != length)
        return false;
    for (int i = 0; i < length; i++) {
        surplus[(unsigned char)a[i]]++;
        surplus[(unsigned char)b[i]]--;
    }
    for (int c = 0; c < 256; c++)
        if (surplus[c] != 0)
            return false;
    return true;
}

const char *trmi_nearest(const char *name, const char *const *candidate, int count)
{
    const int length = name_length(name);
    const char *nearest = NULL;
    int smallest = TRMI_NAME_EDIT * larger_of(1, length / 3) + 1;
    for (int i = 0; i < count; i++) {
        int other = name_length(candidate[i]);
        int distance = trmi_name_distance(name, candidate[i]);
        bool nearer = distance < smallest ||
                      (nearest && distance == smallest && is_rearranged(name, candidate[i]) &&
                       !is_rearranged(name, nearest));
        if (nearer && distance < TRMI_NAME_EDIT * larger_of(length, other)) {
            smallest = distance;
            nearest = candidate[i];
        }
    }
    return nearest;
}
