// SPDX-License-Identifier: Apache-2.0
// One function in a file of its own: a test of failing allocations replaces it.
#include "base/grow.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

enum { MIN_CAPACITY = 16 };

void *trmi_grow(void *array, int *capacity, int needed, size_t size)
{
    if (array && needed <= *capacity)
        return array;
    int larger = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    larger = larger < MIN_CAPACITY ? MIN_CAPACITY : larger;
    larger = larger < needed ? needed : larger;
    if ((size_t)larger > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(array, (size_t)larger * size);
    if (grown)
        *capacity = larger;
    return grown;
}
