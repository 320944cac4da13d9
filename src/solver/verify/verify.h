// SPDX-License-Identifier: Apache-2.0
// A comparison from inside. For a channel k with values y of the run and z of its companion
//
//     e_k(t) = |y - z|,    relative error e_k / S_k
//     S_k = max(motion of k, LIMIT motion of its group, noise_k / LIMIT)
//
// where motion is the range or the largest size over both runs, and an error below noise_k is never
// an error: what the tolerance leaves open, rtol |y|, and roundoff.
//
// Of a channel that may jump what decides is the distance of the values that the two runs pass
// between two rows, of the intervals y(t_i-1) .. y(t_i) and z(t_i-1) .. z(t_i): a jump may lie in
// other rows.
#ifndef TRMI_SOLVER_VERIFY_VERIFY_H
#define TRMI_SOLVER_VERIFY_VERIFY_H

#include "base/memory.h"
#include "trammel/verify.h"

// What is known of a channel.
typedef struct trmi_verify_channel {
    int group;        // -1: not compared
    double low, high; // of its values in both runs
    double error;     // largest, NaN: none was finite
    int judged;       // the column of the errors that decide; its own, unless it may jump
} trmi_verify_channel;

// The largest motion and size of a channel of a group.
typedef struct trmi_verify_sizes {
    double motion, size;
} trmi_verify_sizes;

// How the steps of a run can be made shorter.
typedef struct trmi_verify_steps {
    const char *limit;          // the option
    const char *shorter;        // the ways to do it, the last part of a list
    const char *cause, *advice; // of errors that are too large; NULL: it is the tolerance
} trmi_verify_steps;

// companion.c: a companion with explicit steps, which is as right as that of trm_verify_companion.
trm_options trmi_verify_explicit(const trm_options *options);

// constant_steps.c
const trmi_verify_steps *trmi_verify_steps_of(const trm_options *options);

struct trm_verify {
    trmi_memory memory;
    trm_verify_group *group;
    trmi_verify_sizes *sizes; // of the groups
    int groups, channels;
    int columns; // of a stored row: the errors of the channels, and of those that may jump those
                 // that decide
    trmi_verify_channel *channel;
    double *difference;      // of the present row
    double *run, *companion; // the row before
    double rtol;
    const trmi_verify_steps *steps;
    long rows;   // compared
    long stride; // rows that a stored one stands for
    int stored;  // rows: the largest errors in each, and the time of its last
    int capacity;
    double *t;
    float *e; // capacity x columns
    double t_first, t_last;
};

// S_k, what the errors of a channel are compared with; NaN: nothing was compared.
double trmi_verify_scale(const trm_verify *verify, int channel);

// trm_verify_report.open
int trmi_verify_open(const trm_verify *verify);

// Whether most of an error comes at once; error[i] > 0 is the largest until row i.
bool trmi_verify_is_sudden(const double *error, int count);

// Whether neighbouring motions part like e^(t/T), and T; error[i] > 0 is their largest difference
// until t[i].
bool trmi_verify_parts(const double *t, const double *error, int count, double *time);

#endif
