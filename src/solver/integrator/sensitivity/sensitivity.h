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
//
// Where accelerations, or velocities, jump at a time t_s that depends on p, sensitivities jump too.
// With y+ = R(t, y-, p), and R = y- where only accelerations jump,
//
//     s+ = R_y s- + R_p + (R_y y'- + R_t - y'+) t_p,       t_p = dt_s/dp
//
// (jumps.c, time_breaks.c; those of events are in trm_neighbours_event). So do values that forces
// remember (memory.c), which are part of the state.
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

// How many numbers they are, from the residual on.
int trmi_parameter_terms_size(const trmi_evaluator *e);
// Memory for them.
bool trmi_parameter_terms_create(trmi_parameter_terms *terms, trmi_memory *memory,
                                 const trmi_evaluator *e);

// Why sensitivities are not right from a time on.
typedef enum trmi_doubt {
    TRMI_DOUBT_NONE,
    TRMI_DOUBT_GRAZING, // a switch that the motion only touches
    TRMI_DOUBT_BREAK,   // breaks of time of the neighbours are not those of the system
    TRMI_DOUBT_IMPULSE, // the neighbours have no velocities behind an impulse
    TRMI_DOUBT_PAST,    // a method with a past begins again where forces remember something
    TRMI_DOUBTS
} trmi_doubt;

// Where a gap is for the sensitivities; CLOSES: they have jumped, it is about to close.
typedef enum trmi_gap_side {
    TRMI_GAP_UNKNOWN,
    TRMI_GAP_OPEN,
    TRMI_GAP_CLOSES,
    TRMI_GAP_CLOSED
} trmi_gap_side;

// The derivatives of the equations by a parameter, as a system.
typedef struct trmi_exact {
    trmi_evaluator e;
    trmi_values values;
} trmi_exact;

// The neighbours of a parameter, above it and below; the next break of time of each, and the last.
typedef struct trmi_beside {
    trm_simulation *side[2]; // at their start: for the equations alone
    trmi_exact *exact;       // NULL: differences between the neighbours
    int force_column;        // of FORCE_P, from 1 on; 0: none
    double width;
    double passed[2], ahead[2];
    const char *name;
} trmi_beside;

// What jumps are found with.
typedef struct trmi_jumps {
    double *memory;          // count * n_memories: sensitivities of what forces remember
    double *next;            // n_memories
    double *value[2], *held; // scratch: of functions of the state; n_held
    signed char *side;       // per gap of a switch: trmi_gap_side
    double *own, own_t;      // 3 n_switches: gaps of the system at a point, and its time
    const double *own_of;    // q of that point; NULL: there is none
    double *apart;           // per gap: how far neighbours were from it, at most; INFINITY: unknown
    double switched;         // time of the last closing or opening, or of the start
    bool same;               // the neighbours were on the branches of the system, at its state
    double *gap;             // 3 n_switches, scratch
    double *rate[2];         // a and x' on two sides of a jump
    double *delay;           // per parameter: t_p
    double *frame; // per parameter: t_p of the last closing, with which all later steps move
    double *along; // [q | v | x | z], scratch
    double *kick;  // count * n_q: of velocities by an impulse, with its time
    double passed, ahead, until; // breaks of time of the system, and how far they are known
    trmi_doubt doubt;            // the first one
    double doubt_t;              // its time
    bool warned[TRMI_DOUBTS];
} trmi_jumps;

typedef struct trmi_sensitivities {
    void (*release)(trm_simulation *s); // neighbours and matrix
    int count;
    trmi_beside *parameter;
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
    trmi_jumps jumps;
} trmi_sensitivities;

// The matrix again, after constraint rows were exchanged.
trm_status trmi_sensitivities_exchange(trm_simulation *s);
void trmi_sensitivities_archive(trm_simulation *s, trmi_archive *archive);

// Quantities that sensitivities need besides those of the matrix of a step.
#define TRMI_SENSITIVITY_QUANTITIES                                                                \
    (TRM_BIT(GEOMETRIC) | TRM_BIT(VELOCITY_Q) | TRM_BIT(GAMMA) | TRM_BIT(FORCE_P))

// Before a step is accepted; corrector.point is its end.
trm_status trmi_sensitivities_step(trm_simulation *s, const trmi_step_trial *trial);
// Before a restart clears the history: what the next start begins with.
void trmi_sensitivities_hold(trm_simulation *s);
// Before points of the history are expressed in other coordinates.
void trmi_sensitivities_reexpress(trm_simulation *s, const trmi_recentring *recentring);

// The sensitivities at the newest point, all parameters.
double *trmi_sensitivities_newest(trm_simulation *s);

// ---- jumps ----

bool trmi_jumps_create(trm_simulation *s);
void trmi_jumps_archive(trm_simulation *s, trmi_archive *archive);
// Reports, once for each reason, that sensitivities by a parameter are not right from t on.
void trmi_sensitivities_doubt(trm_simulation *s, trmi_doubt why, int parameter, double t);
// What the reason is, and when; NULL: there is none.
const char *trmi_sensitivities_doubtful(const trm_simulation *s, double *t);

// memory.c: before forces remember other values: how these depend on the parameters.
void trmi_sensitivities_remember(trm_simulation *s);
// memory.c: at the closing of gap i, whose times have derivatives jumps.delay: what is remembered
// no longer follows the motion, or begins to. beside: a time h behind the newest point.
void trmi_sensitivities_keep_memory(trm_simulation *s, int i, double h);
// memory.c: the residual term of a parameter at a point where forces remember something, with the
// derivatives by the state there and a prediction y of the sensitivities; what it is without memory
// is given, and stays where only the neighbours along y are on other branches.
bool trmi_sensitivities_with_memory(trm_simulation *s, int parameter, const trmi_point *p,
                                    const trmi_values *values, const double *y, double *residual);
// jumps.c: before a step, with the gaps of the newest point known: jumps where one closes or opens.
trm_status trmi_sensitivities_switch(trm_simulation *s, double t_end);
// jumps.c: after a restart: which gaps are open is not known.
void trmi_sensitivities_forget_sides(trm_simulation *s);
// jumps.c: a neighbour is to be evaluated at a point: on the branches that the system has at p.
// False: there is one without a lock to hold it.
bool trmi_sensitivities_hold_branches(trm_simulation *s, const trmi_point *p, trm_simulation *side,
                                      const trmi_point *at);

// jumps.c: p is the end of an attempt, whose gaps were evaluated (switches.h).
void trmi_sensitivities_take_gaps(trm_simulation *s, const trmi_point *p);

// time_breaks.c: the next break of time is `own`, or none up to t_end (INFINITY).
void trmi_sensitivities_find_breaks(trm_simulation *s, double own, double t_end);
// time_breaks.c: the time at which neighbours of a parameter are evaluated for t: on its side of
// breaks.
double trmi_sensitivities_time(const trm_simulation *s, int parameter, double t);
// time_breaks.c: where breaks follow each other faster than they are moved by the width of a
// parameter: the times of both neighbours that correspond to t, each a part `width` of the time
// between breaks later and earlier. False: the function above has one for both.
bool trmi_sensitivities_times(const trm_simulation *s, int parameter, double t, double width,
                              double times[2][2]);
// time_breaks.c: just before a break at t, and behind it.
void trmi_sensitivities_before_break(trm_simulation *s, double t);
void trmi_sensitivities_behind_break(trm_simulation *s);

// derive.c: the derivative of a function of the state and the held values by a parameter, along
// the sensitivities y, and with t by `delay`. out: `count` numbers. False: it has no value.
typedef bool trmi_held_function(trm_simulation *of, const trm_state *state, double *work,
                                double *out);
bool trmi_sensitivities_derive(trm_simulation *s, int parameter, const trmi_point *p,
                               const double *y, double delay, trmi_held_function *function,
                               int count, double *out);
// derive.c: the point `beside` and jumps.held, h further along y, delay and what is remembered.
void trmi_sensitivities_move(trm_simulation *s, int parameter, const trmi_point *p, const double *y,
                             double delay, double h);
// derive.c: a point as callbacks of a simulation of this kind see it.
bool trmi_sensitivities_state(trm_simulation *of, const trmi_point *p, const double *held,
                              trm_state *out);
// derive.c: accelerations and rates of states at a point with the held values as they are.
bool trmi_sensitivities_rates_at(trm_simulation *s, const trmi_point *p, double *out);

// ---- for methods ----

// Reports that the linear system cannot be solved.
trm_status trmi_sensitivities_fail(trm_simulation *s, const char *what);
// Reports that iterations over a step h do not converge for a parameter: TRM_ERR_NEWTON, and the
// step is attempted again with a shorter one.
trm_status trmi_sensitivities_diverge(trm_simulation *s, int parameter, double h);
// Derivatives by the state at a point: false where they cannot be evaluated.
bool trmi_sensitivities_evaluate(trm_simulation *s, const trmi_point *p);
// Whether terms of a parameter are found without neighbours, and thus without a prediction.
bool trmi_sensitivities_predict_nothing(const trm_simulation *s, int parameter);
// Terms of a parameter at a point, those of the acceleration level only if asked for. values: the
// derivatives by the state there; y: a prediction of the sensitivities, which is not in the terms.
bool trmi_sensitivities_terms(trm_simulation *s, int parameter, const trmi_point *p,
                              bool acceleration, const trmi_values *values, const double *y,
                              const trmi_parameter_terms *to);
// Sensitivities of all that enters the equations; a, lambda NULL: 0.
typedef struct trmi_along {
    const double *q, *v, *a, *x, *z, *lambda;
} trmi_along;
// Derivatives of residual, rates, .. and of both levels of the constraints by a parameter at a
// point, along the sensitivities: differences between the neighbours, each at the state it has with
// its parameter. False: they have no values, or are on other branches.
bool trmi_sensitivities_total(trm_simulation *s, int parameter, const trmi_point *p,
                              const trmi_along *along, const trmi_parameter_terms *to);
// Whether neighbours at their own states, along these sensitivities, are so close to p that the
// square of the way, which is the error of a difference, is no more than iterations may leave, or
// hardly more than with the usual change of the parameter itself, eps^(1/3).
bool trmi_sensitivities_close(const trm_simulation *s, int parameter, const trmi_point *p,
                              const double *q, const double *v);
// What iterations may leave, as a part of the values.
double trmi_sensitivities_limit(const trm_simulation *s);
// Sensitivities of this size move positions by their roundoff when the parameter, of which the
// width is a part 2 eps^(1/3), changes by all of its value.
double trmi_sensitivities_negligible(const trm_simulation *s, int parameter);
// Corrections of this size are the roundoff of the terms of a parameter, differences of numbers
// like q over a width.
double trmi_sensitivities_roundoff(const trm_simulation *s, int parameter);
// out += scale matrix x for a quantity of these values.
void trmi_sensitivities_add(const trmi_values *values, trm_quantity quantity, double scale,
                            const double *x, double *out);
// out += scale times the derivative, along sensitivities, of the residual M a - f + G^T lambda at
// constant a and lambda in its last term, and of the rates x' (TRM_QUANTITY_RATE) or of b
// (TRM_QUANTITY_ALGEBRAIC). Members that are NULL count as 0.
void trmi_sensitivities_add_residual(const trmi_values *values, double scale,
                                     const trmi_along *along, double *out);
void trmi_sensitivities_add_equation(const trmi_values *values, trm_quantity of, double scale,
                                     const trmi_along *along, double *out);
// The three of them and that of g, with M s_a and G^T s_lambda; a, lambda NULL: 0.
void trmi_sensitivities_add_state(const trm_simulation *s, const trmi_values *values, double scale,
                                  const trmi_along *along, const trmi_parameter_terms *to);
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
