// SPDX-License-Identifier: Apache-2.0
// Systems written in C on the public headers, for the command, tests and benchmarks. Model files
// name them: problem: {name: chain, links: 16}. They are not part of the library.
#ifndef TRP_PROBLEMS_H
#define TRP_PROBLEMS_H

#include "trammel/problem.h"

#include <stdbool.h>
#include <stddef.h>

// ---- what a problem is created with ----

// Blocks that are released together.
typedef struct trp_memory {
    void *last_block;
} trp_memory;

// count elements of the given size, zeroed, aligned to 64 bytes; NULL when there is no memory.
// count may be 0: then a valid pointer is returned.
void *trp_memory_take(trp_memory *memory, size_t count, size_t size);
void trp_memory_release(trp_memory *memory);

// TRP_TAKE(memory, pointer, count): sets pointer, true when that worked
#define TRP_TAKE(memory, pointer, count)                                                           \
    (((pointer) = trp_memory_take((memory), (size_t)(count), sizeof *(pointer))) != NULL)

typedef struct trp_problem {
    trp_memory memory; // owns the problem itself too
    trm_system system;
    trm_initial initial;
    double end;
    void (*release)(struct trp_problem *problem); // what lies outside of memory; may be NULL
} trp_problem;

// What a problem is called and which numbers it takes.
typedef struct trp_problem_info {
    const char *name, *summary;
    const trm_problem_option *options; // with their defaults, ended by a NULL name
} trp_problem_info;

// Allowed values of an option.
typedef struct trp_problem_range {
    double least, greatest;
    bool whole; // whole numbers only
} trp_problem_range;

// A kind of problem. `create` fills system, initial and end of a zeroed problem; `option` are the
// values in the order of info.options, already checked. It returns false when there is no memory.
typedef struct trp_problem_kind {
    trp_problem_info info;
    const trp_problem_range *range; // one per option
    bool (*create)(trp_problem *problem, const double *option);
} trp_problem_kind;

enum { TRP_MAX_OPTIONS = 16 }; // of one problem

// Copies q and v (count numbers each) into memory of the problem as its start at t = 0.
bool trp_problem_start(trp_problem *problem, int count, const double *q, const double *v);

// ---- the collection (problems.c) ----

// The kinds of problems.
extern const trp_problem_kind trp_problem_pendulum, trp_problem_rheonomic_pendulum,
    trp_problem_spring_pendulum, trp_problem_linear_oscillator, trp_problem_normal_stiff,
    trp_problem_rotation;                                        // point_mass.c
extern const trp_problem_kind trp_problem_bushing;               // bushing.c
extern const trp_problem_kind trp_problem_andrews;               // andrews.c
extern const trp_problem_kind trp_problem_car_axis;              // car_axis.c
extern const trp_problem_kind trp_problem_slider_crank;          // slider_crank.c
extern const trp_problem_kind trp_problem_wheelset;              // wheelset.c
extern const trp_problem_kind trp_problem_flexible_slider_crank; // flexible_crank.c
extern const trp_problem_kind trp_problem_chain, trp_problem_four_bar, trp_problem_andrews_absolute,
    trp_problem_stiff_bushing;                            // mechanisms.c
extern const trp_problem_kind trp_problem_pendulum_chain; // pendulum_chain.c
extern const trp_problem_kind trp_problem_tilting_platform,
    trp_problem_wheel_on_stamp; // excited.c

// The problem with that index, or NULL past the end.
const trp_problem_info *trp_problem_list(int index);

// Creates a problem; options may be NULL or end with a NULL name. On failure *out is NULL.
trm_status trp_problem_create(trp_problem **out, const char *name,
                              const trm_problem_option *options, trm_error *error);
void trp_problem_destroy(trp_problem *problem);
const trm_system *trp_problem_system(const trp_problem *problem);
const trm_initial *trp_problem_initial(const trp_problem *problem);
// The usual end time of the problem.
double trp_problem_end(const trp_problem *problem);

// The same for trm_load.problem.
trm_status trp_problem_open(trm_user_problem *out, const char *name,
                            const trm_problem_option *options, void *user, trm_error *error);

#endif
