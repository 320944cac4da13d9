// SPDX-License-Identifier: Apache-2.0
// Times at which the functions of a system jump or have a kink because of t alone
// (trm_system.next_break). A step ends at the last number before such a time; then the run begins
// again at it, with what lies after the break, unless that is too slight to be noticed.
#ifndef TRMI_SOLVER_INTEGRATOR_BREAKS_H
#define TRMI_SOLVER_INTEGRATOR_BREAKS_H

#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// Formulas of t break where their own roundoff places it, so many roundings of t away at the most.
enum { TRMI_BREAK_ROUNDINGS = 16 };

// What is known of the breaks of one kind; all zero: nothing.
typedef struct trmi_next_break {
    double from;  // time at which the search began
    double until; // time at which it ended
    double t;     // the first break between them, INFINITY: none
} trmi_next_break;

typedef struct trmi_time_breaks {
    trmi_next_break functions; // of the system
    trmi_next_break events;    // of the event functions: steps end there, and nothing else happens
    double passed;             // the last break that was too slight for a new beginning
    bool exact;                // steps must end at the limit of trmi_break_limit
    bool crossing;             // the current point lies just before a break of the system
} trmi_time_breaks;

// Where the steps towards t_end may lead: just before the next break, or t_end.
double trmi_break_limit(trm_simulation *s, double t_end);
// impulse.c: numbers of a side of a break: u, u', the rows of both levels, a, x' and lambda.
int trmi_break_side(const trmi_evaluator *e);
// impulse.c: numbers of scratch memory that crossing a break takes, besides those of accelerations.
int trmi_break_scratch(const trmi_evaluator *e);
// Forgets what is known, because the functions changed.
void trmi_breaks_forget(trm_simulation *s);
// Moves from just before the next break to it and begins again there, with an impulse where
// velocities must jump. TRM_STOP_EVENT: an event fires there.
trm_status trmi_cross_break(trm_simulation *s);
// impulse.c: the present point, just before a break at t, after it: with other velocities where
// there is an impulse. Borrowed until the next step.
trm_status trmi_cross_impulse(trm_simulation *s, double t, trmi_point **out);
// impulse.c: accelerations at a point with the excitations moved by `shift`, NULL: as they are.
trm_status trmi_shifted_accelerations(trm_simulation *s, trmi_point *p, const double *shift);
// impulse.c: the consistent point after a break at t from the present one just before it, which
// stays. Borrowed until the next step.
trm_status trmi_point_behind_break(trm_simulation *s, double t, trmi_point **out);

#endif
