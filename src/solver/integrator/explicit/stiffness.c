// SPDX-License-Identifier: Apache-2.0
// Signs of stiffness in the steps of explicit methods.
#include "solver/integrator/simulation.h"

#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/log.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>

// stiff after this many steps with signs of it, no longer after this many without; where another
// method can take over, a wrong alarm costs no more than its trial
enum { STIFF_SIGNS = 15, EARLY_SIGNS = 1, CALM_STEPS = 6 };

double trmi_ode_stiffness(const trm_simulation *s, double h, const double *q, const double *v,
                          const double *rate)
{
    int n = s->e.n_q, m = trmi_ode_of(s)->size;
    const double *weight_v = s->weight + n;
    double distance = trmi_weighted_square(q, s->weight, n) + trmi_weighted_square(v, weight_v, m);
    double change = trmi_weighted_square(v, s->weight, n) + trmi_weighted_square(rate, weight_v, m);
    return distance > 0 ? h * sqrt(change / distance) : 0;
}

// steps of the power method, and the size of the differences in units of the tolerance
enum { POWERS = 8 };
static const double DIFFERENCE = 1e-2;

// That size; of tight tolerances at least sqrt(eps) of the values, half of their digits.
static double difference_of(const trm_simulation *s)
{
    return fmax(DIFFERENCE, sqrt(DBL_EPSILON) / (trmi_tightening(s) * s->accuracy.rtol));
}

// stage := at + eps y, y = [q | v | x] with |y| = 1 in units of the tolerance; z and lambda as
// there
static void move_to(trm_simulation *s, const trmi_point *at, const double *y, double size)
{
    const trmi_evaluator *e = &s->e;
    trmi_point *p = &trmi_ode_of(s)->stage;
    trmi_copy_point(e, at, p);
    double eps = difference_of(s) / size;
    for (int i = 0; i < e->n_q; i++) {
        p->q[i] += eps * y[i];
        p->v[i] += eps * y[e->n_q + i];
    }
    for (int i = 0; i < e->n_x; i++)
        p->x[i] += eps * y[2 * e->n_q + i];
}

// y := A y with A the derivatives of [v | a | x'], by a difference
static bool multiply(trm_simulation *s, const trmi_point *at, const double *rate, double *y,
                     double size)
{
    const trmi_evaluator *e = &s->e;
    trmi_ode *ode = trmi_ode_of(s);
    double *moved = trmi_scratch_take(&s->scratch, ode->size), per = size / difference_of(s);
    move_to(s, at, y, size);
    bool done = trmi_ode_evaluate(s, &s->saddle, &ode->stage, moved) == TRMI_OUTCOME_OK;
    for (int i = 0; i < e->n_q && done; i++)
        y[i] = y[e->n_q + i];
    for (int i = 0; i < ode->size && done; i++)
        y[e->n_q + i] = per * (moved[i] - rate[i]);
    trmi_scratch_release(&s->scratch, moved);
    return done;
}

// Pairs of eigenvalues turn the vector: the growth over two steps does not. A vector y with a share
// c of the mode of lambda grows by at least c |lambda|^m over m steps,
//
//     |lambda| <= (|A^m y| / (c |y|))^(1/m),
//
// so that two steps mostly show that it is below the bound; a little of everything has a share of
// 1 / n of each mode.
double trmi_ode_eigenvalue(trm_simulation *s, const trmi_point *at, const double *rate,
                           double bound)
{
    int n = s->e.n_q + trmi_ode_of(s)->size, done = 0;
    double *y = trmi_scratch_take(&s->scratch, n), size[POWERS + 1] = {0}, most = HUGE_VAL;
    for (int i = 0; i < n; i++)
        y[i] = (1 + 0.1 * (i % 7)) * (i % 2 ? -1 : 1) / s->weight[i];
    for (;; done++) {
        size[done] = trmi_weighted_norm(y, s->weight, n);
        if (done > 0 && done % 2 == 0)
            most = pow(n * size[done] / size[0], 1.0 / done);
        if (done == POWERS || most < bound || !(size[done] > 0) || !isfinite(size[done]) ||
            !multiply(s, at, rate, y, size[done]))
            break;
    }
    trmi_scratch_release(&s->scratch, y);
    if (most < bound)
        return most;
    bool found = done >= 3 && isfinite(size[done]) && size[done - 2] > 0;
    return found ? sqrt(size[done] / size[done - 2]) : 0;
}

void trmi_ode_watch_stiffness(trm_simulation *s, bool sign)
{
    trmi_ode *ode = trmi_ode_of(s);
    if (!sign) {
        if (++ode->calm_steps >= CALM_STEPS)
            ode->stiff_signs = ode->calm_steps = 0;
        return;
    }
    ode->calm_steps = 0;
    if (ode->stiff_signs < STIFF_SIGNS)
        ode->stiff_signs++;
    if (ode->stiff_signs < STIFF_SIGNS || ode->stiff || s->method->hand_over)
        return;
    ode->stiff = true;
    trmi_log(s, TRM_LOG_WARNING,
             "t = %.9g: the system appears to be stiff, stability limits the steps (h = %.3g) of "
             "integrator %s; an implicit one (radau-adaptive, bdf) takes longer ones unless the "
             "accuracy needs steps as short",
             s->now.t, s->statistics.h_last, s->method->name);
}

bool trmi_ode_appears_stiff(const trm_simulation *s)
{
    const trmi_ode *ode = trmi_ode_of(s);
    return ode->stiff || ode->stiff_signs >= (s->method->hand_over ? EARLY_SIGNS : STIFF_SIGNS);
}
