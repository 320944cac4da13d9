// SPDX-License-Identifier: Apache-2.0
// Where formulas go over to another branch because of the state: max(a, b), min, abs, sign, step, a
// < b, each with the condition s > 0 for one branch and s < 0 for the other. s and -s are gaps of
// trm_system.switches, and their locks keep a formula on the branch on which a step began, however
// far s goes to the other side:
//
//     lock of s ? branch of s > 0 : lock of -s ? branch of s < 0 : the branch of s
//
// A table of straight lines has a corner at each of its points x_i, change_i max(x - x_i, 0); which
// points are conditions: corners.h.
//
// Conditions of t alone are breaks (breaks.h).
#ifndef TRMI_MODELLING_EXPRESSION_KINKS_H
#define TRMI_MODELLING_EXPRESSION_KINKS_H

#include "modelling/expression/tape_bounds.h"

// What an input is to conditions, bits. Those that depend on an unknown one are left as they are,
// and those of velocities unless they depend on a multiplier too: with one no rate is known anyway.
enum {
    TRMI_KINK_OF_STATE = 1,
    TRMI_KINK_OF_UNKNOWN = 2,
    TRMI_KINK_OF_VELOCITY = 4,
    TRMI_KINK_OF_MULTIPLIER = 8
};

typedef struct trmi_kinks {
    int count;            // conditions
    trmi_node *condition; // s of each
    int capacity;         //
    const char *input;    // per input: what it is to conditions
    int inputs;           //
    int first_lock;       // input that is the first lock: of s and -s of the first condition, ..
    bool all_points;      // of tables are conditions, not only those near long pieces
    bool left_out;  // there are more than TRMI_MAX_KINKS of formulas: some are left as they are
    bool too_many;  // likewise, with those of tables
    bool has_jumps; // floor, ceil or mod of the state: they are left as they are
} trmi_kinks;

// The largest number of conditions a set of formulas may have: in more, kinks are left to the error
// estimates.
enum { TRMI_MAX_KINKS = 64 };

// Replaces outputs by those with locks. input, inputs, first_lock are given. False: no memory, or
// the graph failed.
bool trmi_kinks_separate(trmi_kinks *kinks, trmi_graph *graph, trmi_tape_output *output,
                         int outputs);
void trmi_kinks_release(trmi_kinks *kinks);

// s, s', s'' of `count` conditions as gaps of s and of -s in turn; second may be NULL.
void trmi_kinks_gaps(const double *values, int count, double *gap, double *rate, double *second);
// |s''| at most, as gaps of s and of -s in turn, -1 where s keeps its sign, from the bounds of a
// group that has s and s'' of each; NaN where these are NaN.
void trmi_kinks_bends(const trmi_tape *tape, const trmi_interval *bound, int group, double *bend);

#endif
