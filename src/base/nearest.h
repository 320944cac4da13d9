// SPDX-License-Identifier: Apache-2.0
// The name that was probably meant.
#ifndef TRMI_BASE_NEAREST_H
#define TRMI_BASE_NEAREST_H

// What one inserted, deleted or replaced character, or two neighbours exchanged, add to a distance.
// A character in the wrong case adds 1.
enum { TRMI_NAME_EDIT = 4 };

// The smallest sum of such changes that turns one name into the other. Of very long names only the
// beginning counts.
int trmi_name_distance(const char *a, const char *b);

// The candidate nearest to name; of equals one with the same characters ("zx" for "xz"), then the
// first; NULL when none is near: more than one edit for every three characters of the name (one is
// always allowed), or nothing in common.
const char *trmi_nearest(const char *name, const char *const *candidate, int count);

#endif
