// SPDX-License-Identifier: Apache-2.0
// When the matrix of an implicit step is renewed, and from what: one state machine for every
// corrector that keeps matrices or derivatives (Arnold, Fuchs and Fuehrer, and DASSL).
//
//     event                               derivatives kept            derivatives not kept
//     no matrix yet, restart              evaluate                    evaluate
//     a step begins, matrix still good    keep                        keep
//     a step begins, every step its own   re-form                     evaluate
//     cj too far from that of the matrix  re-form                     evaluate
//     a new matrix is requested           re-form                     evaluate
//     slow convergence in the last step   evaluate                    evaluate
//     a further matrix inside a step      re-form                     evaluate
//     no convergence, singular matrix:
//       matrix of an earlier step         re-form if cj or U moved,   evaluate
//                                         evaluate otherwise
//       re-formed in this attempt         evaluate
//       evaluated, patterns estimated     widen them by a dense evaluation, evaluate
//       evaluated otherwise, or widened   a shorter step
//
// Retries are of the same step with the same length; a shorter step begins as any other.
#ifndef TRMI_SOLVER_INTEGRATOR_CORRECTOR_UPDATE_H
#define TRMI_SOLVER_INTEGRATOR_CORRECTOR_UPDATE_H

#include "base/archive.h"

typedef enum trmi_matrix_quality {
    TRMI_MATRIX_NONE,
    TRMI_MATRIX_OLD,   // of an earlier attempt
    TRMI_MATRIX_CHEAP, // re-formed in this attempt from kept derivatives
    TRMI_MATRIX_FULL,  // with derivatives evaluated in this attempt
    TRMI_MATRIX_DENSE  // the same, after patterns were widened
} trmi_matrix_quality;

typedef enum trmi_matrix_event {
    TRMI_MATRIX_GOOD, // a step begins and the matrix serves
    TRMI_MATRIX_FIRST,
    TRMI_MATRIX_EVERY_STEP,
    TRMI_MATRIX_CJ,
    TRMI_MATRIX_WANTED,
    TRMI_MATRIX_SLOW,
    TRMI_MATRIX_INSIDE,
    TRMI_MATRIX_NO_CONVERGENCE,
    TRMI_MATRIX_SINGULAR
} trmi_matrix_event;

typedef enum trmi_matrix_action {
    TRMI_MATRIX_KEEP,
    TRMI_MATRIX_REFORM,   // new coefficients, M and G of the point, kept derivatives
    TRMI_MATRIX_EVALUATE, // everything
    TRMI_MATRIX_WIDEN,    // and with wider patterns
    TRMI_MATRIX_SHORTEN   // nothing is left but a shorter step
} trmi_matrix_action;

typedef struct trmi_update {
    // the rules
    bool keeps_matrix;      // over steps, while cj stays near
    bool keeps_derivatives; // over matrices
    bool estimates;         // patterns of derivatives are estimated: they may lack something
    // the state
    trmi_matrix_quality quality;
    double cj;   // the matrix was formed with
    bool wanted; // a new matrix is requested for the next step
    bool slow;   // and with new derivatives: the last ones converged slowly
} trmi_update;

// Forgets the matrix: the next one is the first.
void trmi_update_reset(trmi_update *u);

// A step with leading coefficient cj begins: the matrix becomes one of an earlier attempt.
trmi_matrix_event trmi_update_begin(trmi_update *u, double cj);

// What the event asks for. moved: with the same derivatives the matrix would be another one now.
trmi_matrix_action trmi_update_decide(const trmi_update *u, trmi_matrix_event event, bool moved);

// A matrix was formed with cj, from derivatives evaluated for it or from kept ones.
void trmi_update_formed(trmi_update *u, bool evaluated, double cj);
// Patterns were widened by a dense evaluation in this attempt.
void trmi_update_widened(trmi_update *u);
// Newton converged, but slowly.
void trmi_update_slow(trmi_update *u);

void trmi_update_archive(trmi_update *u, trmi_archive *archive);

// For messages.
const char *trmi_matrix_quality_name(trmi_matrix_quality quality);
const char *trmi_matrix_event_name(trmi_matrix_event event);
const char *trmi_matrix_action_name(trmi_matrix_action action);

#endif
