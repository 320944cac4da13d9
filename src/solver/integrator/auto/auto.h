// SPDX-License-Identifier: Apache-2.0
// integrator = auto: a method that owns others and hands the run from one to another, by the work
// that each of them needs for a unit of time.
//
// Work is counted, not timed, so that results are the same on every machine:
//
//     work = residuals + 1.5 sets of derivatives + 0.1 solutions
//
// in units of an evaluation of the forces with what belongs to it (docs/which-integrator.md has the
// measurement of the weights). The method in use is the incumbent. Now and then another one is on
// trial: it takes over at the present point, and stays if its steps need less work per time than
// the incumbent is expected to need there (expected_cost in relay.c); else it hands back when they
// do not become cheaper any more. All of this advances the run: what a trial costs is what it needs
// beyond the incumbent. A method that loses waits until the incumbent has done WAIT times that
// work, twice as long after each loss.
//
// The method that runs is s->method: the table of a member, with the functions below in the place
// of its own where all members are concerned. Others see the traits of that member.
#ifndef TRMI_SOLVER_INTEGRATOR_AUTO_AUTO_H
#define TRMI_SOLVER_INTEGRATOR_AUTO_AUTO_H

#include "solver/integrator/simulation.h"

typedef enum trmi_member_name {
    TRMI_MEMBER_EXPLICIT,
    TRMI_MEMBER_RADAU,
    TRMI_MEMBER_BDF,
    TRMI_MEMBERS
} trmi_member_name;

// What steps have cost.
typedef struct trmi_expense {
    double work;
    double time;  // that they advanced the run
    double steps; // how many, those that decay in part
} trmi_expense;

// What a member needs. After a restart or where a contact closes the equations may be others: then
// the steps since count, as soon as there are enough to show it.
typedef struct trmi_need {
    trmi_expense last;  // of its last steps, decaying
    trmi_expense since; // of those since the last restart, likewise,
    long taken;         // and how many there were
} trmi_need;

// A method that auto owns.
typedef struct trmi_member {
    trmi_method method; // first: s->method leads here
    struct trmi_auto *owner;
    void *state;        // s->state while it runs; NULL: not created yet
    bool admitted;      // the options and the system allow it
    bool created;       // its memory
    trmi_need recent;   // all zero: not known
    trmi_expense reign; // of all steps as the incumbent
    double h;           // the last step it planned, 0: none
    double wait;        // work of others before its next trial,
    double left;        // counted from this total
    int lost;           // trials in a row
    bool failed;        // at the present point
    bool judged;        // it lost when stability limited the winner
    long steps;         // all
    double elapsed;     // all time that it advanced the run
} trmi_member;

// Where a trial began.
typedef struct trmi_trial_point {
    bool exists;
    trmi_point point;
    double *lambda; // n_r_full, of all rows
    double *held;
    bool *closed;      // of the gaps
    long steps_before; // of points, there
} trmi_trial_point;

typedef struct trmi_auto {
    trmi_member member[TRMI_MEMBERS];
    trmi_trial_point kept;
    int active;       // -1: before the first step
    int incumbent;    // another one than the active: that is on trial
    double total;     // work
    double expected;  // work per time of the incumbent where the trial is
    double spent;     // work of the trial
    double covered;   // time that it advanced the run
    int trial_steps;  // of the trial
    double work_last; // of the last step of the trial
    double time_last; // and its length, 0: there is none
    long steps_seen;  // of the statistics, when the last step was noted
    double work_seen; // likewise
    double attempted; // work when the last attempt at a step began
    double t_seen;
    bool limited;    // stability limited the incumbent when the trial began
    double question; // total from which signs of that are checked
} trmi_auto;

extern const trmi_method trmi_method_auto;

// The auto of a simulation that has one, NULL otherwise.
trmi_auto *trmi_auto_of(const trm_simulation *s);

// expense.c

// Work in the units above.
double trmi_auto_counted_work(const trm_statistics *st);
// Work per time, HUGE_VAL before the first step; of a member: of its last steps.
double trmi_auto_rate_of(const trmi_expense *e);
double trmi_auto_cost_of(const trmi_member *m);
// How many steps of a member show what it needs, and how many its mean consists of.
int trmi_auto_learning(int member);
double trmi_auto_steps_of_mean(int member);
// An attempt at a step begins.
void trmi_auto_note_attempt(const trm_simulation *s, trmi_auto *a);
// The work of the steps since the last call, and their length; notes both for the active member.
double trmi_auto_note_steps(trm_simulation *s, trmi_auto *a, double *time);

// relay.c

// Whether another member goes on (method.h, hand_over).
trm_status trmi_auto_hand_over(trm_simulation *s, double t_end, trm_status status);
// The first member of a run.
int trmi_auto_first(const trmi_auto *a);
// A new beginning at the present point: of the active member or, where it begins badly, of the
// first that does not.
trm_status trmi_auto_begin(trm_simulation *s, double t_end);
// auto.c: begin of the active member.
trm_status trmi_auto_begin_member(trm_simulation *s, const trmi_auto *a, double t_end);
// auto.c: after begin, whether the active member begins badly, or stability allows it
// only steps shorter than h; then the books have what it would need with these.
bool trmi_auto_begins_badly(trm_simulation *s, trmi_auto *a, double h);
// auto.c: s->method becomes that of a member, which has not started yet.
trm_status trmi_auto_activate(trm_simulation *s, trmi_auto *a, int member);

// trial_point.c

// Memory; false: there is none.
bool trmi_auto_create_point(trm_simulation *s, trmi_auto *a);
// The present point is one where a trial begins.
void trmi_auto_keep_point(const trm_simulation *s, trmi_auto *a);
// The present point is again that where the trial began, without a past; false: something has
// jumped since then, nothing was changed.
bool trmi_auto_go_back(trm_simulation *s, trmi_auto *a);
// That point in a checkpoint.
void trmi_auto_archive_point(trm_simulation *s, trmi_auto *a, trmi_archive *archive);

#endif
