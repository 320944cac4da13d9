// SPDX-License-Identifier: Apache-2.0
// Gaps of one-sided forces: steps end where one closes or opens.
#ifndef TRMI_SOLVER_INTEGRATOR_SWITCHES_H
#define TRMI_SOLVER_INTEGRATOR_SWITCHES_H

#include "base/archive.h"
#include "solver/integrator/gap_path.h"
#include "trammel/simulation.h"

// Short bumps: what the closing of a gap begins, and that of another one ends soon after.
typedef struct trmi_bumps {
    double *width;                  // per gap: time to the other end of its bump, HUGE_VAL: none
    double *lock;                   // per gap: its lock before the probes
    double *now, *between, *behind; // [v' | x'] now, in a bump and behind it
    double same;                    // closings less than this apart are one
} trmi_bumps;

// The gaps of one-sided forces, each at the newest point and at another one.
typedef struct trmi_switches {
    int count;                   // 0: there are none, or steps are constant
    double *gap, *rate, *second; // at the newest point
    double *closes;              // time from there to the closing, HUGE_VAL: none
    double *gap_end, *rate_end;  // at the end of an attempt, or a little later
    double *second_end;          //
    bool *closed, *closing;      // has closed, or is about to; does so at the newest point
    bool *marked;                // for a search
    double *brief, *depth;       // a step that resolves its closing, and its way in that time
    double planned;              // the step before it was cut to land on a gap; 0: it was not
    bool *solved;                // is of multipliers: its rate is not known (gap_solved.c)
    double longest;              // planned step since a restart
    double changed_since;        // changes of branch soon one after the other: since when, and how
    long changes;                // many
    int repeated;                // attempts at the present step, for a gap that closes in it
    trmi_bumps bumps;            // those that begin in the planned step
    double *x_rate;              // x' of the free flight, and its ends with the gaps there
    trmi_point flight[2];        //
    trmi_gap_values there[2];    //
    trmi_gap_values between[TRMI_BEND_HALVINGS]; // inside a path that is being searched
    trmi_gap_values spare[2];                    //
    int halvings_left;                           // of it, for bounds of second derivatives
    trmi_point way[2];                           // ends of a stretch, with the excitations there,
    double *way_input[2];                        //
    double *bend[TRMI_BEND_HALVINGS + 1];        // and bounds of |gap''| between them
} trmi_switches;

trm_status trmi_switches_create(trm_simulation *s);
// Before a step: which gaps stay open in it, and how long it may be for that.
trm_status trmi_meet_switches(trm_simulation *s, double t_end);
// Whether a gap that was to stay open closes in an attempt of length h, which is to be repeated
// with control.h then.
bool trmi_steps_over_switch(trm_simulation *s, double h, double t_end);
// Whether a gap may close before t_end.
bool trmi_switch_ahead(trm_simulation *s, double t_end);
// After a restart.
void trmi_switches_reset(trm_simulation *s);
void trmi_switches_archive(trm_simulation *s, trmi_archive *archive);

// gap_solved.c: rates at the newest point that are not known, by differences.
void trmi_find_gap_rates(trm_simulation *s);
// gap_solved.c: conditions of multipliers that have crossed go over to their other branch; whether
// there are any. Then, with the gaps there: whether that holds.
bool trmi_change_branches(trm_simulation *s);
trm_status trmi_check_branches(trm_simulation *s);
// gap_solved.c: how long the step of the path has to be for a condition of multipliers that crosses
// in it, or will soon behind it, in less than `rest`; `first`: for all else.
double trmi_find_branch_end(trm_simulation *s, const trmi_gap_path *path, double first,
                            double rest);

// bumps.c: memory; false: there is none.
bool trmi_bumps_create(trm_simulation *s);
// bumps.c: the widths of the bumps that begin in a step of length h. Closings within `near` of the
// present are here, those within `same` of one another are one.
void trmi_find_bumps(trm_simulation *s, double h, double near, double same);
// bumps.c: the other gap of the condition that gap i belongs to, -s for s; -1: it belongs to none.
int trmi_opposite_gap(const double *gap, int count, int i);
// bumps.c: the time in which what jumps when the marked gaps of conditions close, a time t ahead,
// makes an error of one tolerance; HUGE_VAL: nothing jumps.
double trmi_find_jump_time(trm_simulation *s, double t, const bool *marked);

// gap.c: the first time at which gap + rate t + second t^2/2 = 0, or HUGE_VAL.
double trmi_gap_closes(double gap, double rate, double second);
// gap.c: the first time at which the cubic with these values and slopes at 0 and h is 0, if it
// falls below -least; otherwise HUGE_VAL.
double trmi_gap_closed(double h, const double gap[2], const double rate[2], double least);

#endif
