// SPDX-License-Identifier: Apache-2.0
// The energy balance of a run, observed from outside of its steps: begin at a start or restart,
// update after each accepted step, verdict at the end.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_ENERGY_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_ENERGY_H

#include "base/archive.h"
#include "solver/integrator/watch/balance.h"
#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// number of powers before the newest that are kept
enum { TRMI_PAST_POWERS = 2 };

// State of the judge of a system that gives its energy E.
typedef struct trmi_energy {
    bool known;                          // whether energy and power have values
    trmi_balance balance;                // the balance up to the newest power; P_lost is not used
    int past;                            // number of entries of past_t and past_power in use
    double past_t[TRMI_PAST_POWERS];     // times of the powers before the newest, newest first
    double past_power[TRMI_PAST_POWERS]; // powers before the newest, newest first
    double h;                            // length of the step that ended at the newest power
    int stride;                          // steps between two powers
    int steps_since_power;               // steps since the newest power
    double work_min;                     // smallest W so far
    double work_max;                     // largest W so far
    double loss_rate;                    // power of dampers and friction at t_loss
    double t_loss;                       // time of loss_rate
    double lost;                         // integral of loss_rate since the start
    double rest;                         // kinetic energy of velocities that count as rest
    double kinetic_max;                  // largest kinetic energy T so far
    double potential_min;                // smallest potential energy V so far
    double potential_max;                // largest potential energy V so far
    double t_sample;                     // time of the last sample of E
    int steps_since_sample;              // steps since t_sample
    double defect;                       // defect of the balance at t_sample
    double worst;                        // defect of the largest magnitude so far
    bool exceeded;                       // whether the last defect is larger than the limit
    double exceeded_since;               // time since which the defect is, or was last, too large
    double duration;                     // total time with a defect larger than the limit
    double *reversed_v;                  // n_q, scratch for velocities; NULL where P = 0
    trmi_values values;                  // of the energy and the power
    trm_statistics uncounted;            // the work of the balance, which no counter shows
} trmi_energy;

typedef struct trmi_energy_verdict {
    double defect; // as part of the exchanged energy; 0 where there is no balance
    bool exceeded; // whether the defect is larger than the limit
    double since;  // time since which it is
    bool closes;   // whether the defect is far below the limit
} trmi_energy_verdict;

// Takes memory; false: there is none.
bool trmi_energy_create(trm_simulation *s);
// At the present point of a start or restart.
void trmi_energy_begin(trm_simulation *s);
// Whether the next step is to evaluate the power at its stages.
bool trmi_energy_follows(const trm_simulation *s);
// After an accepted step.
void trmi_energy_update(trm_simulation *s);
// The verdict about the run up to the newest point.
trmi_energy_verdict trmi_energy_judge(trm_simulation *s);

void trmi_energy_archive(trmi_energy *energy, trmi_archive *archive);

// energy_power.c: every function returns NaN where there is no value.
// E at a point with the velocities v
double trmi_energy_at(trm_simulation *s, const trmi_point *p, double *v);
// E at a point with velocities 0
double trmi_potential_at(trm_simulation *s, const trmi_point *p);
// whether P = dE/dt along the exact motion can be computed
bool trmi_power_known(trm_simulation *s);
// memory for the values of E and P; false: there is none
bool trmi_power_create(trm_simulation *s);
// P at a point, where steps have the length h, and unless NULL E in *energy
double trmi_power_at(trm_simulation *s, const trmi_point *p, double h, double *energy);
// P at a time t inside the last step, of length h, by dense output
double trmi_power_inside(trm_simulation *s, double t, double h);
// the part of `power` that is lost: it keeps its sign when the motion is reversed
double trmi_lost_at(trm_simulation *s, const trmi_point *p, double power);

#endif
