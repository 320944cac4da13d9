// SPDX-License-Identifier: Apache-2.0
// The name that was probably meant.
#ifndef TRMI_NEAREST_H
#define TRMI_NEAREST_H

// The candidate with the least Levenshtein distance to name, NULL when none is within
// max(1, length/3).
const char *trmi_nearest(const char *name, const char *const *candidate, int count);

#endif
