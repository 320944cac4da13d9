// SPDX-License-Identifier: Apache-2.0
// Sensitivities s = dy/dp of a trajectory: the equations of motion, differentiated by p,
//
//     M s_a + D s_v + (K + N) s_q - f_x s_x - f_z s_z + (G^T - f_lambda) s_lambda + r_p = 0
//     s_x' = c_q s_q + c_v s_v + c_x s_x + c_z s_z + c_lambda s_lambda + c_p
//     b_q s_q + b_v s_v + b_x s_x + b_z s_z + b_lambda s_lambda + b_p = 0
//     G s_q + g_p = 0,   G s_v + (G v + g_t)_q s_q + (G v + g_t)_p = 0
//
// are linear, with the matrix of the steps. After each accepted step (staggered corrector) a method
// solves them at the new point with its own formula for derivatives; the matrix is formed and
// factored once for all parameters. Terms with index p, r = M a - f + G^T lambda, come from two
// neighbours of the system, at parameters on both sides of p and the same state.
#ifndef TRMI_SOLVER_INTEGRATOR_SENSITIVITY_SENSITIVITY_H
#define TRMI_SOLVER_INTEGRATOR_SENSITIVITY_SENSITIVITY_H

#include "solver/formulation/saddle.h"
#include "solver/integrator/history.h"
#include "solver/integrator/method.h"
#include "trammel/sensitivity.h"

// Derivatives by a parameter at a fixed state, rows in active numbering.
typedef struct trmi_parameter_terms {
    double *residual;     // n_q: of M a - f + G^T lambda
    double *rate;         // n_x: of c
    double *algebraic;    // n_z: of b
    double *constraint;   // n_r: of g; 0 for rolling rows
    double *velocity;     // n_r: of G v + g_t
    double *acceleration; // n_r: of G a + gamma
} trmi_parameter_terms;

// Memory for them.
bool trmi_parameter_terms_create(trmi_parameter_terms *terms, trmi_memory *memory,
                                 const trmi_evaluator *e);

typedef struct trmi_sensitivities {
    void (*release)(trm_simulation *s); // neighbours and matrix
    int count;
    struct {
        trm_simulation *above, *below; // at their start: for the equations alone
        double width;
    } * parameter;
    int size;           // numbers per parameter and point: [q | v | x | z]
    trmi_memory memory; // of the matrix, whose rows may be exchanged
    trmi_values values; // derivatives at a point
    trmi_values moved;  // at points beside it
    trm_statistics uncounted;
    trmi_saddle saddle;
    trmi_history past;          // points beside those of the simulation, [s_1 | s_2 | ..]
    double *begin;              // count * size: at the start of the next history
    double *offset;             // count * size
    double *rhs, *row;          // scratch: right-hand side of the matrix; n_r + 1
    trmi_parameter_terms terms; // of the last parameter
    trmi_point beside;          // scratch: a point moved along a sensitivity
    double *difference[2];
    double sampled_t;    // of `sample`; NaN: none
    double *sample;      // count * (size + n_q + n_r_full + 1): [q | v | x | z | a | lambda]
    double *sample_full; // n_r_full
    trm_state view;      // what trm_simulation_sensitivity gives
    void *state;         // of the method; NULL: it needs none
} trmi_sensitivities;

// The matrix again, after constraint rows were exchanged.
trm_status trmi_sensitivities_exchange(trm_simulation *s);
void trmi_sensitivities_archive(trm_simulation *s, trmi_archive *archive);

// Quantities that sensitivities need besides those of the matrix of a step.
#define TRMI_SENSITIVITY_QUANTITIES (TRM_BIT(GEOMETRIC) | TRM_BIT(VELOCITY_Q) | TRM_BIT(GAMMA))

// Before a step is accepted; corrector.point is its end.
trm_status trmi_sensitivities_step(trm_simulation *s, const trmi_step_trial *trial);
// Before a restart clears the history: what the next start begins with.
void trmi_sensitivities_hold(trm_simulation *s);
// Before points of the history are expressed in other coordinates.
void trmi_sensitivities_reexpress(trm_simulation *s, const trmi_recentring *recentring);

// ---- for methods ----

// Reports that the linear system cannot be solved.
trm_status trmi_sensitivities_fail(trm_simulation *s, const char *what);
// Derivatives by the state at a point: false where they cannot be evaluated.
bool trmi_sensitivities_evaluate(trm_simulation *s, const trmi_point *p);
// Terms of a parameter at a point, those of the acceleration level only if asked for.
bool trmi_sensitivities_terms(trm_simulation *s, int parameter, const trmi_point *p,
                              bool acceleration, const trmi_parameter_terms *to);
// out += scale matrix x for a quantity of these values.
void trmi_sensitivities_add(const trmi_values *values, trm_quantity quantity, double scale,
                            const double *x, double *out);
// Quantities of the derivatives by the state.
uint64_t trmi_sensitivities_quantities(const trm_simulation *s);
// a, lambda and z of sensitivities y = [q | v | x | z] by a parameter at a point, after an
// evaluation there and with the factors of the start; z is written into y.
bool trmi_sensitivities_accelerations(trm_simulation *s, int parameter, const trmi_point *p,
                                      double *y, double *a, double *lambda);
// Rates of the first-order states of y at that point, with the terms of the last parameter.
void trmi_sensitivities_rates(const trm_simulation *s, const double *y, const double *lambda,
                              double *rate);

#endif
