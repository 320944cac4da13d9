// SPDX-License-Identifier: Apache-2.0
/// Built-in problems: systems written in C, for tests, benchmarks and the command line.
#ifndef TRAMMEL_PROBLEM_H
#define TRAMMEL_PROBLEM_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_problem trm_problem;

/// A named number of a problem ("links", 16).
typedef struct trm_problem_option {
    const char *name;
    double value;
} trm_problem_option;

/// What a problem is and which numbers it takes.
typedef struct trm_problem_info {
    const char *name, *summary;
    const trm_problem_option *options; ///< with their defaults, ended by a NULL name
} trm_problem_info;

/// The problem with that index, or NULL past the end.
TRM_API const trm_problem_info *trm_problem_list(int index);

/// Creates a problem; options may be NULL or end with a NULL name. On failure *out is NULL.
TRM_API trm_status trm_problem_create(trm_problem **out, const char *name,
                                      const trm_problem_option *options, trm_error *error);
TRM_API void trm_problem_destroy(trm_problem *problem);

TRM_API const trm_system *trm_problem_system(const trm_problem *problem);
TRM_API const trm_initial *trm_problem_initial(const trm_problem *problem);

/// The usual end time of the problem.
TRM_API double trm_problem_end(const trm_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
