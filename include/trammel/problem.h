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

/// A problem from a shared object: what its entry point fills in. Everything must stay valid until
/// `release` is called; system and initial may serve several simulations at once.
typedef struct trm_user_problem {
    const trm_system *system;
    const trm_initial *initial;                        ///< NULL: zeros
    double end;                                        ///< usual end time
    void *user;                                        ///< for release
    void (*release)(struct trm_user_problem *problem); ///< may be NULL
} trm_user_problem;

/// The entry point a shared object exports under the name `trm_problem_open`: creates the problem
/// with the options of the model file (ended by a NULL name). An unknown option or a bad value is
/// an error: return TRM_ERR_OPTION with a sentence in error->text.
typedef trm_status trm_problem_open_function(trm_user_problem *out,
                                             const trm_problem_option *options, trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
