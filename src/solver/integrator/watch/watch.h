// SPDX-License-Identifier: Apache-2.0
// What is observed of the steps of a run, for warnings and for the verdict whether its result can
// be trusted. Nothing here changes a step.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_WATCH_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_WATCH_H

#include "solver/integrator/watch/energy.h"

// Length of differences in time, as part of a step.
#define TRMI_WATCH_DIFFERENCE 1e-3

typedef struct trmi_watch {
    trmi_energy energy;       // the energy balance
    bool near_singular;       // whether the constraints were close to losing rank in the last step
    bool velocity_inaccurate; // whether lost rank made the velocities of the last step inaccurate
    bool velocity_warned;     // whether inaccurate velocities have been reported
    double motion_energy;     // largest v^T M v so far
    double rest_energy;       // v^T M v of velocities that are as large as their tolerances
    long estimate_samples;    // number of samples of the energy in the error estimate
    double estimate_energy_sum;           // sum of these energies, each divided by motion_energy
    long rejected_error, rejected_newton; // of methods whose rejections count (trust.c)
    double shortest_step;                 // shortest accepted step
    double noise_v;                       // roundoff in the velocities of the shortest step
    double max_v;                         // largest velocity
    double max_q;                         // largest position
    long pace_steps;                      // steps and time where the pace was measured last
    double pace_t;                        //
    bool pace_warned;                     // whether it has been reported
    bool *warned; // n_warnings, whether a warning of the system has been reported
} trmi_watch;

// Takes memory; false: there is none.
bool trmi_watch_create(trm_simulation *s);
void trmi_watch_archive(trmi_watch *watch, trmi_archive *archive);

// Counts and, once per approach, reports positions in which the constraints are close to losing
// rank.
void trmi_watch_rank(trm_simulation *s);
// Reports once that lost rank makes the velocities at t, the end of an accepted step, inaccurate.
void trmi_watch_velocities(trm_simulation *s, double t);
// Roundoff in the velocities of the shortest step, which is compared with the tolerance at the end
// of a run; after a step of length h.
void trmi_watch_roundoff(trm_simulation *s, double h);

// Reports once that the steps are so short that the limit of their number comes before the end.
void trmi_watch_pace(trm_simulation *s, double t_end);

// Reports each warning of the system once, after a step and the view of it.
void trmi_warnings_update(trm_simulation *s);

#endif
