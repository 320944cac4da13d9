// SPDX-License-Identifier: Apache-2.0
// The current point: the newest of the history, or one between steps.
#ifndef TRMI_SOLVER_INTEGRATOR_CURRENT_POINT_H
#define TRMI_SOLVER_INTEGRATOR_CURRENT_POINT_H

#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// The place of the present point.
typedef enum trmi_point_place {
    TRMI_AT_NEWEST, // the newest point of the history, or a start in its place
    TRMI_AT_GLIDE,  // beyond it, reached without a step
    TRMI_AT_DETOUR  // inside the last step, at an event; the way goes on from the place before
} trmi_point_place;

// Points outside the history, and which of all is the current one.
typedef struct trmi_points {
    trmi_point_place place; // of the current point
    trmi_point_place way;   // in a detour: the place the run continues from
    double *way_a;          // in a detour: the accelerations there
    trmi_point glided;      // a point reached without a step; no arrays before the first one
    trmi_point detour;      // a point inside the last step, where events are watched
    long steps_before;      // accepted steps before the last restart
    double t_first;         // time of the start
} trmi_points;

// Memory for the accelerations of the points.
bool trmi_points_create(trm_simulation *s);
// Memory for a point reached without a step, if there is none yet.
trm_status trmi_glide_create(trm_simulation *s);
// The current point moves to a place.
void trmi_move_to(trm_simulation *s, trmi_point_place place);
// Back from a detour to the place it started from.
void trmi_end_detour(trm_simulation *s);
// `now` becomes the newest point of the history; the corrector works in the oldest.
void trmi_bind_points(trm_simulation *s);
// What the corrector found becomes the newest point.
void trmi_take_point(trm_simulation *s, double t);
// The i-th newest point of the history, without accelerations; multipliers where they are kept.
trmi_point trmi_past_point(const trm_simulation *s, int i);
// Copies everything but the accelerations.
void trmi_copy_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to);
// The current point at time t, where the corrector works, to be changed before a restart there.
trmi_point *trmi_restart_point(trm_simulation *s, double t);
// Accepted steps since the start or the last restart.
long trmi_steps_since_start(const trm_simulation *s);

#endif
