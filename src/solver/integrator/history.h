// SPDX-License-Identifier: Apache-2.0
// The past of a trajectory: a ring of points (t; q, v, x, z), the newest of them with their
// multipliers. Prediction, derivative and dense output are Lagrange sums over points, so a changed
// split, a projected point or a re-centred chart needs no transformation.
#ifndef TRMI_SOLVER_INTEGRATOR_HISTORY_H
#define TRMI_SOLVER_INTEGRATOR_HISTORY_H

#include "base/archive.h"
#include "base/memory.h"

// Points for order 6 and a new one, and for the rates of adams.
enum { TRMI_HISTORY_POINTS = 8, TRMI_MAX_HISTORY = 13 };

// Multipliers of BDF have the error of second derivatives of the positions: a polynomial of this
// degree through them adds nothing to it (docs/integrators.md).
enum { TRMI_MULTIPLIER_DEGREE = 3 };

typedef struct trmi_history {
    int size;   // doubles per point
    int count;  // points stored, newest first; of the oldest perhaps the multipliers alone
    int points; // capacity
    int made;   // the oldest of them made up to start with: z there is that of the next one
    double t[TRMI_MAX_HISTORY];
    double *y[TRMI_MAX_HISTORY];
    int multipliers;             // doubles per point that has them
    int multiplier_points;       // capacity: the newest points, and the last as scratch
    double *m[TRMI_MAX_HISTORY]; // a ring beside y
} trmi_history;

// Where a step that corrects begins.
typedef struct trmi_prediction {
    double *y;       // [q | v | x | z | lambda | mu]
    int order;       // of the polynomial
    int multipliers; // so many of them are extrapolated
} trmi_prediction;

// Points, and the multipliers of some of them.
bool trmi_history_create(trmi_history *history, trmi_memory *memory, int size, int points);
bool trmi_history_add_multipliers(trmi_history *history, trmi_memory *memory, int size, int points);

// Forgets everything.
void trmi_history_clear(trmi_history *history);

void trmi_history_archive(trmi_history *history, trmi_archive *archive);

// The array for a new newest point at time t, to be filled by the caller; its multipliers in m[0].
double *trmi_history_push(trmi_history *history, double t);

// Weights of the polynomial through the newest k + 1 points: value and (not NULL) derivative at t.
void trmi_history_weights(const trmi_history *history, int k, double t, double *value,
                          double *derivative);

// Predictor p(t) through the newest k + 1 points, and the offset of y' = cj y + offset that agrees
// with it there, offset = p'(t) - cj p(t): the weights, and their sums over entries begin .. end-1.
typedef struct trmi_predictor {
    int k;
    double value[TRMI_HISTORY_POINTS], offset[TRMI_HISTORY_POINTS];
} trmi_predictor;

trmi_predictor trmi_history_predictor(const trmi_history *history, int k, double t, double cj);
void trmi_history_predict(const trmi_history *history, const trmi_predictor *p, int begin, int end,
                          double *restrict value, double *restrict offset);
// the degree, at most k, of a polynomial through the newest points that were not made up
int trmi_history_true_degree(const trmi_history *history, int k);
void trmi_history_predict_offset(const trmi_history *history, const trmi_predictor *p, int begin,
                                 int end, double *restrict offset);

// The same for multipliers, count of them; their points must reach.
void trmi_history_predict_multipliers(const trmi_history *history, const trmi_predictor *p,
                                      int count, double *restrict value, double *restrict offset);
// the degree, at most k, of a polynomial through the newest points with multipliers
int trmi_history_multiplier_degree(const trmi_history *history, int k);

// WRMS-type sum: sum_i (weight_i (y_i - p_k(t)_i))^2 over entries begin .. begin+n-1, where p_k is
// the polynomial through the newest k + 1 points
double trmi_history_defect(const trmi_history *history, int k, double t, int begin, int n,
                           const double *y, const double *weight);

// out = y - p_k(t) over the same entries
void trmi_history_subtract(const trmi_history *history, int k, double t, int begin, int n,
                           const double *y, double *out);

#endif
