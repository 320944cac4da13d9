// SPDX-License-Identifier: Apache-2.0
/// Problems: systems written in C that model files use, by name or from a shared object.
#ifndef TRAMMEL_PROBLEM_H
#define TRAMMEL_PROBLEM_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A named number of a problem ("links", 16).
typedef struct trm_problem_option {
    const char *name;
    double value;
} trm_problem_option;

/// A problem that is ready for use. Everything must stay valid until `release` is called; system
/// and initial may serve several simulations at once.
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

/// The same for the problems that a program offers to model files by name (see trm_load): creates
/// the problem `name`. An unknown name is an error too; error->item is the name or the option at
/// fault.
typedef trm_status trm_problem_named_function(trm_user_problem *out, const char *name,
                                              const trm_problem_option *options, void *user,
                                              trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
