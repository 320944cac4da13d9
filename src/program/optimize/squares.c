// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds: Levenberg-Marquardt with the Jacobian J = dr/dp of the residuals
// from sensitivities. Over the parameters that no bound holds,
//
//     (J^T J + mu diag(J^T J)) d = -J^T r,      p <- p + d, cut at the bounds
//
// mu follows the ratio of actual to predicted reduction (Nielsen 1999). NLopt has no method that
// knows residuals; the normal equations also give the standard errors,
//
//     covariance = sigma^2 (J^T J)^-1,     sigma^2 = |r|^2 / (values - parameters)
//
// or sigma = 1 where the deviations of the data are given.
#include "program/optimize/optimize.h"

#include "base/error.h"
#include "base/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct equations {
    int n;
    double *A, *g; // J^T J and J^T r of the last accepted run
    double *left;  // scratch: a matrix
    double *d, *trial;
    int *free; // numbers of parameters that no bound holds
    int frees;
} equations;

static void form(const trmi_search_state *s, equations *q)
{
    const trmi_optimization *o = s->o;
    const trmi_run_values *v = &s->last;
    int all = o->rows * o->targets, n = q->n;
    memset(q->A, 0, (size_t)(n * n) * sizeof *q->A);
    memset(q->g, 0, (size_t)n * sizeof *q->g);
    for (int j = 0; j < all; j++) {
        const trmi_target *t = &o->target[j % o->targets];
        double w = isnan(t->deviation) ? 1 : 1 / t->deviation;
        double r = (v->value[j] - t->data[j / o->targets]) * w;
        for (int a = 0; a < n; a++) {
            double da = v->derivative[a * all + j] * w;
            q->g[a] += da * r;
            for (int b = 0; b <= a; b++)
                q->A[a * n + b] += da * v->derivative[b * all + j] * w;
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            q->A[a * n + b] = q->A[b * n + a];
}

// those at a bound that the gradient presses against are held
static void find_free(const trmi_search_state *s, equations *q, const double *p)
{
    q->frees = 0;
    for (int a = 0; a < q->n; a++) {
        const trmi_sought *b = &s->o->parameter[a];
        bool held = (p[a] <= b->min && q->g[a] > 0) || (p[a] >= b->max && q->g[a] < 0);
        if (!held && q->A[a * q->n + a] > 0)
            q->free[q->frees++] = a;
    }
}

// left = factors of the matrix over the free parameters; false: it is not positive definite
static bool factor(equations *q, double mu)
{
    int m = q->frees, info = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            q->left[i * m + j] = q->A[q->free[i] * q->n + q->free[j]] * (i == j ? 1 + mu : 1);
    dpotrf_("L", &m, q->left, &m, &info);
    return info == 0;
}

// The step, cut at the bounds, and the reduction of |r|^2 that the linear model predicts; 0: none
static double find_step(const trmi_search_state *s, equations *q, const double *p, double mu)
{
    int m = q->frees, n = q->n, one = 1, info = 0;
    if (m == 0 || !factor(q, mu))
        return 0;
    double *x = q->trial;
    for (int i = 0; i < m; i++)
        x[i] = -q->g[q->free[i]];
    dpotrs_("L", &m, &one, q->left, &m, x, &m, &info);
    memset(q->d, 0, (size_t)n * sizeof *q->d);
    for (int i = 0; i < m; i++) {
        const trmi_sought *b = &s->o->parameter[q->free[i]];
        double at = p[q->free[i]];
        q->d[q->free[i]] = fmin(fmax(at + x[i], b->min), b->max) - at;
    }
    double reduction = 0;
    for (int a = 0; a < n; a++) {
        reduction -= 2 * q->d[a] * q->g[a];
        for (int b = 0; b < n; b++)
            reduction -= q->d[a] * q->A[a * n + b] * q->d[b];
        q->trial[a] = p[a] + q->d[a];
    }
    return reduction;
}

static bool steps_are_small(const trmi_search_state *s, const equations *q, const double *p)
{
    for (int a = 0; a < q->n; a++)
        if (fabs(q->d[a]) > s->o->tolerance * fabs(p[a]))
            return false;
    return true;
}

// standard errors, at the best point
static void find_covariance(trmi_search_state *s, equations *q, const double *p)
{
    const trmi_optimization *o = s->o;
    int all = o->rows * o->targets, n = q->n;
    bool known = !isnan(o->target[0].deviation);
    find_free(s, q, p);
    int m = q->frees;
    s->deviation = all > m ? sqrt(s->goal / (all - m)) : NAN;
    trmi_search_identify(s, q->A, q->free, m);
    s->without_errors = m == 0                 ? "all parameters are at bounds or without influence"
                        : all <= m             ? "the data have no more values than parameters"
                        : s->undetermineds > 0 ? "the fit is not unique"
                        : !factor(q, 0)        ? "the normal equations are singular"
                                               : NULL;
    if (s->without_errors || !TRMI_TAKE(&s->memory, s->covariance, n * n))
        return;
    double variance = known ? 1 : s->deviation * s->deviation;
    for (int j = 0; j < m; j++) {
        int one = 1, info = 0;
        memset(q->d, 0, (size_t)m * sizeof *q->d);
        q->d[j] = variance;
        dpotrs_("L", &m, &one, q->left, &m, q->d, &m, &info);
        for (int i = 0; i < m; i++)
            s->covariance[q->free[i] * n + q->free[j]] = q->d[i];
    }
}

static void search(trmi_search_state *s, equations *q, double *p)
{
    double mu = 1e-3, grow = 2, goal = s->goal;
    form(s, q);
    while (!s->ended) {
        find_free(s, q, p);
        double predicted = find_step(s, q, p, mu);
        if (!(predicted > 0))
            s->ended = "no step reduces the residuals";
        else if (predicted <= s->o->tolerance * goal)
            s->ended = "the residuals change by less than the tolerance";
        else if (steps_are_small(s, q, p))
            s->ended = "the parameters change by less than the tolerance";
        if (s->ended || trmi_search_over(s))
            break;
        double now = trmi_search_evaluate(s, q->trial);
        if (now < goal) {
            double ratio = 2 * (goal - now) / predicted - 1;
            mu *= fmax(1.0 / 3, 1 - ratio * ratio * ratio);
            grow = 2;
            goal = now;
            memcpy(p, q->trial, (size_t)q->n * sizeof *p);
            form(s, q);
        } else {
            mu *= grow;
            grow *= 2;
        }
    }
}

bool trmi_search_squares(trmi_search_state *s, double *p)
{
    int n = s->o->parameters;
    equations q = {.n = n};
    size_t k = (size_t)n;
    q.A = calloc(2 * k * k + 3 * k, sizeof *q.A);
    q.free = calloc(k, sizeof *q.free);
    bool good = q.A && q.free;
    if (!good)
        trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the optimisation");
    if (good) {
        q.left = q.A + k * k;
        q.g = q.left + k * k;
        q.d = q.g + k;
        q.trial = q.d + k;
        good = isfinite(trmi_search_evaluate(s, p));
    }
    if (good) {
        search(s, &q, p);
        find_covariance(s, &q, p);
    }
    free(q.A);
    free(q.free);
    return good;
}
