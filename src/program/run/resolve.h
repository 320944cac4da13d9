// SPDX-License-Identifier: Apache-2.0
// Maxima, minima and integrals of channels over the time of a run, to its tolerance, from the dense
// output of its steps. What a channel gets does not depend on the others, bit for bit.
#ifndef TRMI_PROGRAM_RUN_RESOLVE_H
#define TRMI_PROGRAM_RUN_RESOLVE_H

#include <stdbool.h>

// A channel, and what is sought of it.
typedef struct trmi_resolved {
    int sign;                 // 1: its maximum, -1: its minimum, 0: its integral
    const char *what;         // the word for that, for messages: "maximum"
    const char *group, *name; // of the channel, likewise
    int index;                // of the channel, for whoever evaluates it
    int place;                // among the results
    bool along;               // an integral over the parts of steps that the other channels need
} trmi_resolved;

// The values of all channels at a time inside the last step; false: they have none, and the walk
// ends.
typedef bool trmi_resolve_function(void *user, double t, double *row);

// The first time after t and up to t_end at which a channel may jump or have a kink that is known
// before; INFINITY: none.
typedef double trmi_resolve_break_function(void *user, double t, double t_end);

typedef struct trmi_resolver {
    int channels;
    const trmi_resolved *channel;
    trmi_resolve_function *evaluate;
    trmi_resolve_break_function *next_break; // NULL: none is known
    void *user;
    double rtol, atol; // of the run
    double *result;    // integrals are 0 at the beginning, others NaN
    double *work;      // trmi_resolve_values of them; NULL: there are no steps
    double time;       // that steps have taken so far
    char note[800];    // values that cannot be relied on, "" otherwise
} trmi_resolver;

int trmi_resolve_values(int channels);
// Begins with no value seen; all members but the last two are the caller's.
void trmi_resolve_begin(trmi_resolver *resolver);
// Takes a step into account. False: a value could not be found.
bool trmi_resolve_step(trmi_resolver *resolver, double from, double to);
// After the last step: notes integrals that diverge.
void trmi_resolve_end(trmi_resolver *resolver);

// resolve_note.c: adds to the note, once for each: a value of channel k that is not finite, and
// what is not resolved, near t or because of values as large as `size`.
void trmi_resolve_note_value(trmi_resolver *resolver, int k, double t, double y);
void trmi_resolve_note_rough(trmi_resolver *resolver, int k, double t, double change);
void trmi_resolve_note_pole(trmi_resolver *resolver, int k, double size);

#endif
