// SPDX-License-Identifier: Apache-2.0
// What a built-in problem consists of, and the list of all of them.
#ifndef TRMI_MODELLING_READER_PROBLEMS_COLLECTION_H
#define TRMI_MODELLING_READER_PROBLEMS_COLLECTION_H

#include "base/memory.h"
#include "trammel/problem.h"

struct trm_problem {
    trmi_memory memory; // owns the problem itself too
    trm_system system;
    trm_initial initial;
    double end;
};

// Allowed values of an option.
typedef struct trmi_problem_range {
    double least, greatest;
    bool whole; // whole numbers only
} trmi_problem_range;

// A kind of problem. `create` fills system, initial and end of a zeroed problem; `option` are the
// values in the order of info.options, already checked. It returns false when there is no memory.
typedef struct trmi_problem_kind {
    trm_problem_info info;
    const trmi_problem_range *range; // one per option
    bool (*create)(trm_problem *problem, const double *option);
} trmi_problem_kind;

enum { TRMI_PROBLEM_OPTIONS = 16 }; // most options a problem has

extern const trmi_problem_kind trmi_problem_pendulum, trmi_problem_rheonomic_pendulum,
    trmi_problem_spring_pendulum, trmi_problem_linear_oscillator, trmi_problem_normal_stiff,
    trmi_problem_rotation;                                         // point_mass.c
extern const trmi_problem_kind trmi_problem_bushing;               // bushing.c
extern const trmi_problem_kind trmi_problem_andrews;               // andrews.c
extern const trmi_problem_kind trmi_problem_car_axis;              // car_axis.c
extern const trmi_problem_kind trmi_problem_slider_crank;          // slider_crank.c
extern const trmi_problem_kind trmi_problem_wheelset;              // wheelset.c
extern const trmi_problem_kind trmi_problem_flexible_slider_crank; // flexible_crank.c
extern const trmi_problem_kind trmi_problem_chain, trmi_problem_four_bar,
    trmi_problem_andrews_absolute, trmi_problem_stiff_bushing; // mechanisms.c
extern const trmi_problem_kind trmi_problem_pendulum_chain;    // pendulum_chain.c
extern const trmi_problem_kind trmi_problem_tilting_platform,
    trmi_problem_wheel_on_stamp; // excited.c

// Copies q and v (count numbers each) into memory of the problem as its start at t = 0.
bool trmi_problem_start(trm_problem *problem, int count, const double *q, const double *v);

#endif
