// SPDX-License-Identifier: Apache-2.0
// A simulation from inside: everything that changes, owned by one object.
#ifndef TRMI_SOLVER_INTEGRATOR_SIMULATION_H
#define TRMI_SOLVER_INTEGRATOR_SIMULATION_H

#include "solver/formulation/start.h"
#include "solver/integrator/branch.h"
#include "solver/integrator/breaks.h"
#include "solver/integrator/choose.h"
#include "solver/integrator/control.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/current_point.h"
#include "solver/integrator/events.h"
#include "solver/integrator/history.h"
#include "solver/integrator/log.h"
#include "solver/integrator/method.h"
#include "solver/integrator/repeat.h"
#include "solver/integrator/rows.h"
#include "solver/integrator/sample.h"
#include "solver/integrator/sensitivity/sensitivity.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/switches.h"
#include "solver/integrator/watch/watch.h"

struct trm_simulation {
    trmi_memory memory;
    trm_options options;
    const trmi_method *method;
    const char *because; // integrator = auto became another one, "" where it did not
    trm_statistics statistics;
    trm_error error;
    trm_start_report start;
    trmi_evaluator e;
    trmi_values values;     // of the step
    trmi_patterns patterns; // of what is differenced
    trmi_saddle saddle;
    trmi_manifold manifold;   // of the start and of output
    trmi_saddle *mass_saddle; // index1-projected, alpha methods: a matrix beside that of the step
    trmi_step_projection projection; // of every step, where the formulation has one
    trmi_corrector corrector;
    trmi_history history;
    void *state;                // of the method, see its header
    const trmi_step_rule *rule; // how the lengths of steps are found
    trmi_accuracy accuracy;
    trmi_control control;
    trmi_repetition repetition; // of a step that a sample contradicts
    trmi_point now;             // the current point: the newest of the history, or one of `points`
    trmi_points points;         // points outside the history
    trmi_rows rows;             // which of redundant ones are left out
    trmi_branch branch;         // of a machine without freedoms
    trmi_sampler *sampler;      // NULL: none yet
    bool sensitive;             // there are to be sensitivities
    trmi_sensitivities *sensitivity; // NULL: none
    trmi_events events;
    trmi_switches switches;
    trmi_time_breaks breaks;
    trmi_watch watch;
    trmi_log_counts logged;
    double *lambda_full;        // n_r_full, for the view, where rows were dropped
    trmi_scratch scratch;       // arrays that a function needs for a moment
    trmi_prediction prediction; // of the last attempt
    double *weight;             // [q | v | x | z], 1 / tolerance
    unsigned char *turns;       // n_q, how often a coordinate was re-centred, to 255
    trm_state view;             // what trm_simulation_state returns
};

// What a simulation is besides system, options and start.
typedef struct trmi_simulation_kind {
    const trmi_method *method; // NULL: that of the options
    bool sensitive;            // there are to be sensitivities
} trmi_simulation_kind;

trm_status trmi_simulation_create_as(trm_simulation **out, const trm_system *system,
                                     const trm_options *options, const trm_initial *initial,
                                     const trmi_simulation_kind *kind, trm_error *error);
// trm_simulation_create with a method that need not be in the table; NULL: that of the options.
trm_status trmi_simulation_create(trm_simulation **out, const trm_system *system,
                                  const trm_options *options, const trm_initial *initial,
                                  const trmi_method *method, trm_error *error);

// What trm_simulation_save writes, for this simulation alone and without a header: the size, and
// the bytes where they fit into the buffer.
size_t trmi_simulation_copy(trm_simulation *s, void *buffer, size_t size);
// The state that was copied becomes the present one.
void trmi_simulation_paste(trm_simulation *s, const void *buffer, size_t size);

#endif
