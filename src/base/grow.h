// SPDX-License-Identifier: Apache-2.0
// Arrays that grow while a model is loaded.
#ifndef TRMI_BASE_GROW_H
#define TRMI_BASE_GROW_H

#include <stddef.h>

// Reallocates `array` (NULL: empty) for at least `needed` elements; the capacity at least doubles,
// so that appending takes constant time on average. New elements are not initialised. NULL: no
// memory, and `array` and `capacity` are unchanged. The caller frees the array with free.
void *trmi_grow(void *array, int *capacity, int needed, size_t size);

#endif
