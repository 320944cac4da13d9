// SPDX-License-Identifier: Apache-2.0
// The name that was probably meant.
#ifndef TRMI_NEAREST_H
#define TRMI_NEAREST_H

// The candidate with the fewest changed letters, NULL when none is near. Candidates may be NULL.
const char *trmi_nearest(const char *name, const char *const *candidate, int count);

#endif
