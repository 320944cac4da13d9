// SPDX-License-Identifier: Apache-2.0
// Arrays that grow while a model is loaded.
#ifndef TRMI_BASE_GROW_H
#define TRMI_BASE_GROW_H

#include <stddef.h>

// An array of at least `needed` elements with the contents of `array` (NULL: none yet), which it
// replaces; its capacity at least doubles, so that appending costs the same on average. What is new
// is not set. NULL when there is no memory: then `array` and `capacity` are as they were. Given
// back with free.
void *trmi_grow(void *array, int *capacity, int needed, size_t size);

#endif
