// SPDX-License-Identifier: Apache-2.0
// A simulation from inside: everything that changes, owned by one object.
#ifndef TRMI_SIMULATION_H
#define TRMI_SIMULATION_H

#include "formulation/start.h"
#include "integrator/corrector.h"
#include "integrator/history.h"

// Step and order control.
typedef struct trmi_control {
    double h;         // step to try next
    int k;            // order to try next
    int k_last;       // order of the last accepted step, 0 at the start
    double h_last;    // its length
    double h_typical; // decaying maximum of accepted steps
    int since_order;  // steps since the order changed (classic: constant steps in a row)
    bool starting;    // order and step are raised with every step
    int newton_failures, error_failures, singular_failures; // in a row
    bool started;
} trmi_control;

// The coefficients of one attempt: order k, step h, at t + h.
typedef struct trmi_coefficients {
    double cj;
    double alpha[10]; // alpha_i = h / psi_i, i = 1 .. k + 1
    double sigma[10]; // sigma_0 .. sigma_k
    double ck;        // error constant
} trmi_coefficients;

struct trm_simulation {
    trmi_memory memory;
    trm_options options;
    trm_statistics statistics;
    trm_error error;
    trm_start_report start;
    trmi_evaluator e;
    trmi_saddle saddle;
    trmi_coupled *coupled; // classic only
    trmi_corrector corrector;
    trmi_history history;
    trmi_control control;
    trmi_point glide[2]; // points reached without a step, in turn
    int glides;
    trmi_point now;             // last accepted point
    double *lambda_full;        // n_r_full, for the view
    double *level;              // n_r + 1 scratch
    double *work;               // two right-hand sides
    double *predicted, *offset; // y = [q | v | x | z | lambda | mu]
    int predicted_order;
    int y_size;                            // of a history point
    int predict_size;                      // of what the predictor extrapolates
    double *weight;                        // [q | v | x | z], 1 / tolerance
    trm_state view;                        // what trm_simulation_state returns
    bool near_singular;                    // the last step was
    double motion_energy;                  // largest v^T M v
    long energy_looks;                     // at the energy in the error estimate
    double energy_excess;                  // sum of its share in that of the motion
    double *level_q;                       // n_q scratch
    double shortest_step, noise_v, size_v; // roundoff in the velocities, and their size
    double *grid[6], grid_t[6];            // constant steps: the first points
};

typedef struct trmi_step_errors {
    double error;      // of the error test: at most 1 passes
    int order;         // for the next step or attempt
    double estimate;   // error estimate that goes with that order
    double now, below; // order-weighted errors at k and k - 1
} trmi_step_errors;

// bdf.c: one accepted step, at most to t_end
trm_status trmi_bdf_step(trm_simulation *s, double t_end);
void trmi_bdf_coefficients(const trm_simulation *s, double h, int k, trmi_coefficients *c);
// norm.c: sum over the tested components of (weight (y - p_k))^2, divided by their number, square
// root
double trmi_test_norm(const trm_simulation *s, int k, double t);

// fixed.c: memory for, and computation of, the first points of a constant-step run
bool trmi_fixed_create(trm_simulation *s);
trm_status trmi_fixed_start(trm_simulation *s, double t_end);

// trust.c: looks at the energy in the error estimate, before a step is accepted
void trmi_watch_energy(trm_simulation *s, double ck, double cj);

// control.c
void trmi_start_control(trm_simulation *s, double t_end);
trmi_step_errors trmi_estimate_errors(const trm_simulation *s, double h, int k,
                                      const trmi_coefficients *c);
// step and order for the next attempt after a failed error test; after an accepted step
void trmi_after_error_failure(trm_simulation *s, const trmi_step_errors *errors);
void trmi_after_acceptance(trm_simulation *s, trmi_step_errors errors, double h, int k);
// the last matrix was close to losing rank
bool trmi_near_singular(const trm_simulation *s);
void trmi_after_newton_failure(trm_simulation *s, trmi_correction reason);

// failure.c: fills s->error from the last attempt
trm_status trmi_report_failure(trm_simulation *s, trm_status status, double h, const char *text,
                               const char *advice);

// The end of all attempts: the reason of the corrector, or the error test, as a full report.
trm_status trmi_give_up(trm_simulation *s, trmi_correction reason, double h);
trm_status trmi_give_up_error_test(trm_simulation *s, double h);

void trmi_update_weights(trm_simulation *s);
void trmi_start_history(trm_simulation *s);
void trmi_update_view(trm_simulation *s);
// `now` is the newest point of the history, the corrector works in the oldest
void trmi_bind_points(trm_simulation *s);
void trmi_log(const trm_simulation *s, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
