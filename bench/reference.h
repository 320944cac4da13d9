// SPDX-License-Identifier: Apache-2.0
// Reference states at the end time, in absolute coordinates, from models in minimal coordinates
// that share nothing with the library.
#ifndef REFERENCE_H
#define REFERENCE_H

typedef struct reference {
    int n;              ///< coordinates
    double *q, *v;      ///< n each; v is owned with q
    double uncertainty; ///< difference of two computations with different tolerances, in q
} reference;

/// The state of a problem ("chain", "andrews-absolute", "four-bar", "stiff-bushing") at its end
/// time. size is its option: links, -, loops, k. cache is a folder for computed references, or
/// NULL. Returns 0, -1 on failure.
int reference_create(reference *out, const char *problem, double size, const char *cache);
void reference_destroy(reference *ref);

#endif
