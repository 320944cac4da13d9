// SPDX-License-Identifier: Apache-2.0
// How the integrators differ. The step loop, driver, events, samples, restarts and checkpoints know
// them only through this table (method.c).
#ifndef TRMI_SOLVER_INTEGRATOR_METHOD_H
#define TRMI_SOLVER_INTEGRATOR_METHOD_H

#include "base/archive.h"
#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// A change of the held values that changes what the coordinates mean.
typedef struct trmi_recentring {
    const double *from, *to;
} trmi_recentring;

// One attempt at a step.
typedef struct trmi_step_trial {
    double h;     // length of the step
    double t;     // time of its end
    bool cut;     // shorter than planned, to end at a given time
    int k;        // order, set by the method
    double error; // in units of the tolerance, 0 where it is not estimated
    int moves;    // attempts of this step that were repeated because of where they ended
} trmi_step_trial;

// Advice of most methods where the energy is not kept.
#define TRMI_TIGHTEN "tighten rtol by ten"

typedef struct trmi_method {
    const char *name;
    int order_max;           // largest value of max_order (base/integrators.c)
    int order_usual;         // max_order where it is not set; 0: order_max
    int evaluations;         // of the forces in a step, 0: it depends
    double tightening;       // of the tolerances in the error test
    double loosest;          // of the loosest tolerance of all (weights.c), 0: all of it
    double step_share;       // of these for one step, where steps are many; 0: all
    bool implicit;           // derivatives of the forces stand in its matrix
    bool multistep;          // the corrector of corrector.h from several points, any formulation
    bool glides;             // a stop much closer than a step is reached by the dense output
    bool corrects;           // by the corrector of corrector.h, which keeps its derivatives
    bool long_steps;         // the powers at the ends of a step do not give the work done in it
    bool noisy_velocities;   // velocities come out of q' = cv q + offset, known to eps |q| / h
    bool unknown_velocities; // its corrector has velocities, and mu, as unknowns of their own
    bool rough_predictor;    // Newton may start far away: with a new matrix in every iteration
    bool passes_end;         // its steps may end beyond the end of a run
    bool careful_start;      // velocities are tested in the first steps, whatever the error test
    bool tests_independent; // error_test auto: independent coordinates, if the formulation has them
    bool unwatched;         // neither switches nor the energy balance are observed
    bool watches_rank;      // its matrix knows when constraints are close to losing rank
    int max_newton_failures; // in a row, before a run is given up; 0: the usual number
    // What to try where the method takes energy out of the motion, and where it brings energy in.
    const char *energy_advice[2];

    uint64_t quantities; // needed besides those of all implicit or explicit methods

    // ---- a run ----

    // Whether it can do with the formulation: TRM_OK, or a report; NULL: base/integrators.c has the
    // answer.
    trm_status (*admit)(trm_simulation *s);
    // Points of the history, and how many of them have multipliers; NULL: both ends of the last
    // step and one to work in.
    void (*history)(const trm_simulation *s, int *points, int *multipliers);

    // Memory, also for s->state; false: there is none.
    bool (*create)(trm_simulation *s);
    // What needs the rank of the constraints, after the start was found; NULL: nothing.
    trm_status (*prepare)(trm_simulation *s);
    // First step, order and past of a start at the current point.
    trm_status (*begin)(trm_simulation *s, double t_end);
    // After begin in the middle of a smooth motion, where no transient is to be expected; NULL:
    // nothing.
    void (*join)(trm_simulation *s);
    // Length of the first step; NULL: the error of order one is small.
    double (*first_step)(const trm_simulation *s, double t_end);
    // Whether another method goes on from the present point, for methods that own others: called
    // before each step with TRM_OK, and after one that failed with its status. TRM_OK: s->method
    // goes on, or tries that step again; else the status. NULL: never.
    trm_status (*hand_over)(trm_simulation *s, double t_end, trm_status status);
    // What a method that it owns has done, false: there is no such method; NULL: it owns none.
    bool (*share)(const trm_simulation *s, int index, trm_method_share *share);
    // The coordinate split of a matrix of its own; NULL: its matrix is s->saddle.
    const trmi_split *(*split)(const trm_simulation *s);
    // q, v, x, z and multipliers at t inside the last step or a little beyond; not a.
    void (*dense)(trm_simulation *s, double t, trmi_point *p);
    // v' by the equations at the point that dense gave last, which it evaluated there; NULL: it did
    // not, as where there is no such function.
    const double *(*dense_rates)(const trm_simulation *s);
    // The work in the last step by the powers at its stages (trmi_energy_follows), of its order,
    // and an estimate of its error; false: they are not known; NULL: never.
    bool (*work)(trm_simulation *s, double *work, double *error);
    // Expresses what it keeps besides the history in other coordinates, before the history; NULL:
    // nothing.
    void (*reexpress)(trm_simulation *s, const trmi_recentring *recentring);
    // What one step leaves for the next besides the common part; NULL: nothing.
    void (*archive)(trm_simulation *s, trmi_archive *archive);
    // Whether the system appears to be too stiff for the method; NULL: it never is.
    bool (*appears_stiff)(const trm_simulation *s);
    // Whether the step planned after begin is a bad one, so short that its velocities are roundoff;
    // NULL: never.
    bool (*begins_badly)(trm_simulation *s);
    // The longest step for which stability is known at the newest point, or, if that is less than
    // h, the longest one it allows; NULL: any.
    double (*stable_step)(trm_simulation *s, double h);
    // Drops derivatives kept by the method, because the forces change; NULL: there are none.
    void (*forget_derivatives)(trm_simulation *s);
    // Memory for sensitivities (sensitivity/sensitivity.h); NULL: it needs none.
    bool (*sensitivities_create)(trm_simulation *s);
    // Carries them over a step that is about to be accepted; NULL: the method has none.
    trm_status (*sensitivities)(trm_simulation *s, const trmi_step_trial *trial);
    // Their values [q | v | x | z], parameter by parameter, at t inside the last step or a little
    // beyond.
    void (*sensitivities_at)(trm_simulation *s, double t, double *out);
    // Releases what is not in the memory of the simulation; NULL: nothing.
    void (*destroy)(trm_simulation *s);

    // ---- a step (step.c) ----

    // Whether another attempt is worth while: TRM_OK, or a report; NULL: always.
    trm_status (*check)(trm_simulation *s);
    // The corrector of its stages, where it corrects.
    trmi_outcome (*correct)(trmi_corrector *corrector, const trmi_stage *stage);
    // The new point in corrector.point, as far as the error test needs it.
    trmi_outcome (*attempt)(trm_simulation *s, trmi_step_trial *trial);
    // Other attempts of the same length after a failed one, where no shorter one can follow; NULL:
    // none.
    trmi_outcome (*rescue)(trm_simulation *s, trmi_step_trial *trial, trmi_outcome outcome);
    // Whether the step should end elsewhere: control.h has its new length then; NULL: never.
    bool (*misplaced)(trm_simulation *s, trmi_step_trial *trial);
    // The error of the attempt in units of the tolerance.
    double (*estimate)(trm_simulation *s, trmi_step_trial *trial);
    // The rest of the new point, once it has passed the error test; NULL: nothing.
    trmi_outcome (*finish)(trm_simulation *s, trmi_step_trial *trial);
    // The next attempt after one that found no point: control.h, which has the length of the failed
    // one, and order. NULL: half the step, later a quarter.
    void (*adapt_to_failure)(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason);
    // The next attempt after one whose error was too large, likewise.
    void (*adapt_to_error)(trm_simulation *s, const trmi_step_trial *trial);
    // Takes back what a rejected attempt changed besides corrector.point; NULL: nothing.
    void (*withdraw)(trm_simulation *s);
    // Step and order of the next step by the error of an accepted one.
    void (*plan)(trm_simulation *s, const trmi_step_trial *trial);
    // What the method keeps of an accepted step; corrector.point, about to become the newest point,
    // gets its accelerations, and the statistics the residuals there.
    void (*accept)(trm_simulation *s, const trmi_step_trial *trial);
} trmi_method;

// The method of an integrator and a control.
const trmi_method *trmi_method_of(trm_integrator integrator, trm_control control);
// The highest order where max_order is not set.
static inline int trmi_usual_order(const trmi_method *method)
{
    return method->order_usual > 0 ? method->order_usual : method->order_max;
}
// The coordinate split of the matrix of the steps; NULL: it has none.
const trmi_split *trmi_step_split(const trm_simulation *s);
// Whether the system appears to be too stiff for the method chosen.
bool trmi_appears_stiff(const trm_simulation *s);
// Whether stability allows a step of length h from the present point, as far as it is known there.
bool trmi_is_stable_over(trm_simulation *s, double h);

#endif
