// SPDX-License-Identifier: Apache-2.0
// Events: zero crossings of user functions along the motion.
#ifndef TRMI_SOLVER_INTEGRATOR_EVENTS_H
#define TRMI_SOLVER_INTEGRATOR_EVENTS_H

#include "base/archive.h"
#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// What is known of one event.
typedef struct trmi_event {
    int sign;         // of its function where it was last evaluated, 0: unknown
    bool crossed;     // at the present point, in whatever direction
    bool fired;       // in the wanted direction
    bool located;     // while the earliest crossing is searched
    double t_last;    // when it fired last
    double seen[2];   // values at the last two points, newest first
    double interval;  // between its last two firings
    int shrinking;    // intervals in a row, each shorter than the one before
    double t_counted; // since when its firings are counted
    int count;        // their number
} trmi_event;

// The events that are watched.
typedef struct trmi_events {
    trm_events user; // count = 0: none
    int capacity;    // of the arrays below
    trmi_event *event;
    double *value, *ahead; // of all functions at the last probe; a little later
    trmi_point probe;
    double *lambda;     // in full numbering
    trmi_values values; // the excitations at the probe
    bool arm;           // the signs are to be taken at the present point
    double t_seen;      // events have been checked up to here
    double t_point[2];  // times of the last two points, newest first
    double t_turn;      // where one was found on the other side, up to t_seen: there is none
    int points;         // how many there are since signs were taken at a present point
} trmi_events;

// What happens more often than TRMI_MAX_FIRES times within trmi_chatter_time before t has no end.
enum { TRMI_MAX_FIRES = 100 };
double trmi_chatter_time(const trm_simulation *s, double t);

// Evaluates the signs of the functions at the current point where that is due.
trm_status trmi_arm_events(trm_simulation *s);
// Whether part of the way to the current point has not been searched.
bool trmi_events_pending(const trm_simulation *s);
// Searches it, and moves to the first event not after t_end (TRM_STOP_EVENT), or to t_end where the
// way goes beyond it.
trm_status trmi_find_events(trm_simulation *s, double t_end);
// Fires what lies on another side at the current point than where it was last checked, when a run
// begins again at a point close by (TRM_STOP_EVENT).
trm_status trmi_fire_events(trm_simulation *s);
// No event counts as fired any more.
void trmi_clear_fired(trm_simulation *s);
// Signs, times and counts of the events in a checkpoint.
void trmi_events_archive(trm_simulation *s, trmi_archive *archive);

// locate.c

// Values of the functions at a point, into events.value.
trm_status trmi_evaluate_events(trm_simulation *s, const trmi_point *p);
// Values of the functions on the polynomial at t, into events.value.
trm_status trmi_probe_events(trm_simulation *s, double t);
// Whether the sign of function i differs from that of the last check.
bool trmi_event_crossed(const trmi_events *events, int i);
// Whether it crossed in the direction the user asked for.
bool trmi_event_wanted(const trmi_events *events, int i);
// A function with one sign at three points may have another between them: the earliest time in the
// last step at which one that turns over the last two points and t, with the values there, is
// across, with the values there; NaN, with those at t: there is none.
trm_status trmi_find_turn(trm_simulation *s, double t, double *turn);
// The earliest wanted crossing between events.t_seen and `to`, with the values there.
trm_status trmi_locate_event(trm_simulation *s, double to, double *t);
int trmi_sign(double x);
// Clears the error, which then names event i.
void trmi_name_event(trm_simulation *s, int i);

#endif
