// SPDX-License-Identifier: Apache-2.0
// A minimum within bounds by the methods of NLopt that use gradients: sequential quadratic
// programming (SLSQP), L-BFGS, moving asymptotes (MMA). Parameters are handed over in units of
// their start, or of the range between their bounds.
#include "program/optimize/optimize.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TRM_NLOPT
#include <nlopt.h>

bool trmi_search_has_minimum(void)
{
    return true;
}

typedef struct minimum {
    trmi_search_state *s;
    nlopt_opt search;
    double *scale, *p;
} minimum;

static double goal(unsigned n, const double *x, double *gradient, void *user)
{
    minimum *m = user;
    if (trmi_search_over(m->s)) {
        nlopt_force_stop(m->search);
        return HUGE_VAL;
    }
    for (unsigned k = 0; k < n; k++) {
        const trmi_sought *b = &m->s->o->parameter[k];
        m->p[k] = fmin(fmax(x[k] * m->scale[k], b->min), b->max);
    }
    double value = trmi_search_evaluate(m->s, m->p);
    if (gradient && isfinite(value)) {
        trmi_search_gradient(m->s, gradient);
        for (unsigned k = 0; k < n; k++)
            gradient[k] *= m->scale[k];
    } else if (gradient) {
        memset(gradient, 0, n * sizeof *gradient);
    }
    return value;
}

static const char *ending(nlopt_result result)
{
    switch (result) {
    case NLOPT_FTOL_REACHED:
        return "the goal changes by less than the tolerance";
    case NLOPT_XTOL_REACHED:
        return "the parameters change by less than the tolerance";
    case NLOPT_ROUNDOFF_LIMITED:
        return "roundoff allows no further step";
    case NLOPT_SUCCESS:
        return "the method has ended";
    default:
        return "the method found no further step";
    }
}

static nlopt_algorithm algorithm(trmi_search_method method)
{
    return method == TRMI_SEARCH_LBFGS ? NLOPT_LD_LBFGS
           : method == TRMI_SEARCH_MMA ? NLOPT_LD_MMA
                                       : NLOPT_LD_SLSQP;
}

static void search(minimum *m, double *x, double *low, double *high)
{
    const trmi_optimization *o = m->s->o;
    for (int k = 0; k < o->parameters; k++) {
        const trmi_sought *b = &o->parameter[k];
        double range = b->max - b->min;
        m->scale[k] = isfinite(range) ? range : b->start != 0 ? fabs(b->start) : 1;
        x[k] = m->p[k] / m->scale[k];
        low[k] = b->min / m->scale[k];
        high[k] = b->max / m->scale[k];
    }
    double found;
    nlopt_set_min_objective(m->search, goal, m);
    nlopt_set_lower_bounds(m->search, low);
    nlopt_set_upper_bounds(m->search, high);
    nlopt_set_ftol_rel(m->search, o->tolerance);
    nlopt_set_xtol_rel(m->search, o->tolerance);
    nlopt_result result = nlopt_optimize(m->search, x, &found);
    if (!m->s->ended)
        m->s->ended = ending(result);
}

bool trmi_search_minimum(trmi_search_state *s, double *p)
{
    size_t n = (size_t)s->o->parameters;
    minimum m = {.s = s, .search = nlopt_create(algorithm(s->o->method), (unsigned)n)};
    double *work = calloc(4 * n, sizeof *work);
    bool good = work && m.search;
    if (!good)
        trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the optimisation");
    if (good) {
        m.scale = work;
        m.p = p;
        search(&m, work + n, work + 2 * n, work + 3 * n);
        good = isfinite(s->goal);
    }
    nlopt_destroy(m.search);
    free(work);
    return good;
}

#else

bool trmi_search_has_minimum(void)
{
    return false;
}

bool trmi_search_minimum(trmi_search_state *s, double *p)
{
    (void)s;
    (void)p;
    return false;
}

#endif
