// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/history.h"

#include <math.h>

static bool take_ring(trmi_memory *memory, double **ring, int size, int points)
{
    trmi_vector vector[TRMI_MAX_HISTORY];
    for (int i = 0; i < points; i++)
        vector[i] = (trmi_vector){&ring[i], (size_t)size};
    return trmi_memory_take_vectors(memory, vector, points);
}

bool trmi_history_create(trmi_history *history, trmi_memory *memory, int size, int points)
{
    *history = (trmi_history){.size = size, .points = points};
    return take_ring(memory, history->y, size, points);
}

bool trmi_history_add_multipliers(trmi_history *history, trmi_memory *memory, int size, int points)
{
    history->multipliers = size;
    history->multiplier_points = points;
    return take_ring(memory, history->m, size, points);
}

void trmi_history_clear(trmi_history *history)
{
    history->count = history->made = 0;
}

static int longest(const trmi_history *history)
{
    return history->points > history->multiplier_points ? history->points
                                                        : history->multiplier_points;
}

void trmi_history_archive(trmi_history *history, trmi_archive *a)
{
    trmi_archive_int(a, &history->count, 0, longest(history));
    trmi_archive_int(a, &history->made, 0, 1);
    trmi_archive_doubles(a, history->t, longest(history));
    for (int i = 0; i < history->points; i++)
        trmi_archive_doubles(a, history->y[i], history->size);
    for (int i = 0; i < history->multiplier_points; i++)
        trmi_archive_doubles(a, history->m[i], history->multipliers);
}

// the last becomes the first
static void turn(double **ring, int points)
{
    double *oldest = ring[points - 1];
    for (int i = points - 1; i > 0; i--)
        ring[i] = ring[i - 1];
    ring[0] = oldest;
}

double *trmi_history_push(trmi_history *history, double t)
{
    int most = longest(history);
    turn(history->y, history->points);
    if (history->multiplier_points > 0)
        turn(history->m, history->multiplier_points);
    for (int i = most - 1; i > 0; i--)
        history->t[i] = history->t[i - 1];
    history->t[0] = t;
    if (history->count < most)
        history->count++;
    else
        history->made = 0;
    return history->y[0];
}

void trmi_history_weights(const trmi_history *history, int k, double t, double *value,
                          double *derivative)
{
    const double *s = history->t;
    for (int i = 0; i <= k; i++) {
        double product = 1, slope = 0;
        for (int j = 0; j <= k; j++) {
            if (j == i)
                continue;
            // d/dt of a product of factors (t - s_j)/(s_i - s_j), valid at the points themselves
            slope = (slope * (t - s[j]) + product) / (s[i] - s[j]);
            product *= (t - s[j]) / (s[i] - s[j]);
        }
        value[i] = product;
        if (derivative)
            derivative[i] = slope;
    }
}

trmi_predictor trmi_history_predictor(const trmi_history *history, int k, double t, double cj)
{
    trmi_predictor p = {.k = k};
    trmi_history_weights(history, k, t, p.value, p.offset);
    for (int j = 0; j <= k; j++)
        p.offset[j] -= cj * p.value[j];
    return p;
}

// one pass with a constant number of points, so that the compiler unrolls the inner loop
#define PREDICT_CASE(K)                                                                            \
    case K:                                                                                        \
        for (int i = begin; i < end; i++) {                                                        \
            double s = a[0] * y[0][i], d = b[0] * y[0][i];                                         \
            for (int j = 1; j <= K; j++) {                                                         \
                s += a[j] * y[j][i];                                                               \
                d += b[j] * y[j][i];                                                               \
            }                                                                                      \
            value[i] = s;                                                                          \
            offset[i] = d;                                                                         \
        }                                                                                          \
        break;

static void predict(const double *const *y, const trmi_predictor *p, int begin, int end,
                    double *restrict value, double *restrict offset)
{
    const double *a = p->value, *b = p->offset;
    switch (p->k) {
        PREDICT_CASE(0)
        PREDICT_CASE(1)
        PREDICT_CASE(2)
        PREDICT_CASE(3)
        PREDICT_CASE(4)
        PREDICT_CASE(5)
        PREDICT_CASE(6)
    }
}

void trmi_history_predict(const trmi_history *history, const trmi_predictor *p, int begin, int end,
                          double *restrict value, double *restrict offset)
{
    predict((const double *const *)history->y, p, begin, end, value, offset);
}

void trmi_history_predict_multipliers(const trmi_history *history, const trmi_predictor *p,
                                      int count, double *restrict value, double *restrict offset)
{
    predict((const double *const *)history->m, p, 0, count, value, offset);
}

int trmi_history_true_degree(const trmi_history *history, int k)
{
    int most = history->count - history->made - 1;
    return k < most ? k : most;
}

int trmi_history_multiplier_degree(const trmi_history *history, int k)
{
    int most = history->multiplier_points - 2; // the last is scratch
    return k < most ? k : most;
}

#define OFFSET_CASE(K)                                                                             \
    case K:                                                                                        \
        for (int i = begin; i < end; i++) {                                                        \
            double d = b[0] * y[0][i];                                                             \
            for (int j = 1; j <= K; j++)                                                           \
                d += b[j] * y[j][i];                                                               \
            offset[i] = d;                                                                         \
        }                                                                                          \
        break;

void trmi_history_predict_offset(const trmi_history *history, const trmi_predictor *p, int begin,
                                 int end, double *restrict offset)
{
    const double *b = p->offset, *const *y = (const double *const *)history->y;
    switch (p->k) {
        OFFSET_CASE(0)
        OFFSET_CASE(1)
        OFFSET_CASE(2)
        OFFSET_CASE(3)
        OFFSET_CASE(4)
        OFFSET_CASE(5)
        OFFSET_CASE(6)
    }
}

#define DEFECT_CASE(K)                                                                             \
    case K:                                                                                        \
        for (int i = 0; i < n; i++) {                                                              \
            double e = y[i];                                                                       \
            for (int j = 0; j <= K; j++)                                                           \
                e -= a[j] * past[j][i];                                                            \
            e *= weight[i];                                                                        \
            sum += e * e;                                                                          \
        }                                                                                          \
        break;

double trmi_history_defect(const trmi_history *history, int k, double t, int begin, int n,
                           const double *y, const double *weight)
{
    double a[TRMI_HISTORY_POINTS], sum = 0;
    const double *past[TRMI_HISTORY_POINTS];
    trmi_history_weights(history, k, t, a, NULL);
    for (int j = 0; j <= k; j++)
        past[j] = history->y[j] + begin;
    switch (k) {
        DEFECT_CASE(0)
        DEFECT_CASE(1)
        DEFECT_CASE(2)
        DEFECT_CASE(3)
        DEFECT_CASE(4)
        DEFECT_CASE(5)
        DEFECT_CASE(6)
    }
    return sum;
}

void trmi_history_subtract(const trmi_history *history, int k, double t, int begin, int n,
                           const double *y, double *out)
{
    double a[TRMI_HISTORY_POINTS];
    trmi_history_weights(history, k, t, a, NULL);
    for (int i = 0; i < n; i++) {
        out[i] = y[i];
        for (int j = 0; j <= k; j++)
            out[i] -= a[j] * history->y[j][begin + i];
    }
}
