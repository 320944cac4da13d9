// SPDX-License-Identifier: Apache-2.0
// The energy balance of a run.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_ENERGY_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_ENERGY_H

#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// The energy balance of a system that tells its energy.
enum { TRMI_POWERS = 3 };
typedef struct trmi_energy {
    bool known;   // power and energy have values
    double start; // E, with what events changed
    int count;    // powers that are known: the newest first,
    double t[TRMI_POWERS], power[TRMI_POWERS];
    double losing, t_lost;        // what is lost of one, and when
    int stride, waited;           // steps from one to the next, and since the newest;
    double h;                     // length of a step there
    double work, lost, doubt;     // the integrals, and how wrong the first may be
    double work_min, work_max;    //
    double swing;                 // largest T
    double least, most;           // V
    double t_look, defect, worst; // the last look at E; the largest defect
    int since_look;               // steps
    bool over;                    // the last one is more than is allowed,
    double begun, duration;       // since when; how long one was in all
    double *back;                 // room for velocities; NULL: P = 0
} trmi_energy;

typedef struct trmi_energy_verdict {
    double defect; // as part of the energy that was exchanged; 0 where there is no balance
    bool told;     // it is more than is allowed,
    double since;  // from here on
    bool closes;   // it speaks for the run
} trmi_energy_verdict;

// energy.c: memory; at a start; after a step; what the run says of its energy
bool trmi_energy_create(trm_simulation *s);
void trmi_energy_begin(trm_simulation *s);
void trmi_balance_update(trm_simulation *s);
trmi_energy_verdict trmi_energy_judge(trm_simulation *s);
// energy_power.c: E at a point with other velocities, and with none; whether its derivative along
// the exact motion can be told; that derivative, where steps are of length h, and E; what of it is
// lost: the part that keeps its sign when the motion is reversed. NaN: no value
double trmi_energy_at(trm_simulation *s, const trmi_point *p, double *v);
double trmi_rest_energy(trm_simulation *s, const trmi_point *p);
bool trmi_power_known(trm_simulation *s);
double trmi_power_at(trm_simulation *s, const trmi_point *p, double h, double *energy);
double trmi_lost_at(trm_simulation *s, const trmi_point *p, double power);
// energy_work.c: the integral from the newest power to a new one at t, by those before, and how
// wrong it may be; the same by what lies inside of the last step, of length h
double trmi_work_since(const trmi_energy *w, double t, double power, double *doubt);
double trmi_step_work(trm_simulation *s, double end, double h, double first, double last,
                      double *doubt);

#endif
