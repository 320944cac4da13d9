// SPDX-License-Identifier: Apache-2.0
// Integrals of the power, with a guess of how wrong they are: of two rules that differ by the part
// r the better one, of the next order or two, is right to about r^(4/3) or r^3.
#include "solver/integrator/simulation.h"

#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/explicit/quadrature.h"

#include <math.h>
#include <string.h>

// part of a step over which velocities are differenced
static const double DIFFERENCE = 1e-3;

// of the polynomial through the first `count` powers
static double integrate(const double *t, const double *power, int count)
{
    trmi_quadrature integrals;
    double weight[TRMI_MAX_NODES], unused[TRMI_MAX_NODES], sum = 0;
    trmi_quadrature_fill(&integrals, t, count, t[1], t[0]);
    trmi_quadrature_weights(&integrals, t, count, weight, unused);
    for (int i = 0; i < count; i++)
        sum += weight[i] * power[i];
    return sum;
}

double trmi_work_since(const trmi_energy *w, double t, double power, double *doubt)
{
    double times[TRMI_POWERS + 1] = {t}, powers[TRMI_POWERS + 1] = {power}, size = 0;
    memcpy(times + 1, w->t, (size_t)w->count * sizeof *times);
    memcpy(powers + 1, w->power, (size_t)w->count * sizeof *powers);
    double work = integrate(times, powers, w->count + 1);
    double r = fabs(work - integrate(times, powers, w->count));
    for (int i = 0; i <= w->count; i++)
        size = fmax(size, (t - w->t[0]) * fabs(powers[i]));
    *doubt = size > 0 ? r * cbrt(r / size) : 0;
    return work;
}

// ---- inside of a step ----

static bool needs_multipliers(const trmi_evaluator *e)
{
    const uint64_t with = TRM_BIT(TRM_FORCE_LAMBDA) | TRM_BIT(TRM_CONSTRAINT_T);
    bool told = !(e->absent & TRM_BIT(TRM_POWER)),
         in_forces = !(e->absent & TRM_BIT(TRM_FORCE_LAMBDA));
    return e->n_r > 0 && (e->n_u > 0 || (told ? in_forces : (~e->absent & with) != 0));
}

// the point of the dense output at t, where the corrector works, with the
// accelerations that belong to its velocities
static const trmi_point *point_inside(trm_simulation *s, double t, double h)
{
    trmi_point *p = &s->corrector.point;
    double dt = DIFFERENCE * h;
    const trmi_method *m = s->method;
    if (m->motion_between && !needs_multipliers(&s->e) && m->motion_between(s, t, p))
        return p;
    if (s->e.n_u > 0) {
        s->method->dense(s, t - dt, p);
        memcpy(s->watch.energy.reversed_v, p->v, (size_t)s->e.n_q * sizeof *p->v);
        s->method->dense(s, t + dt, p);
        for (int i = 0; i < s->e.n_q; i++)
            p->a[i] = (p->v[i] - s->watch.energy.reversed_v[i]) / (2 * dt);
    }
    s->method->dense(s, t, p);
    p->t = t;
    return p;
}

// Lobatto's rule with four points (order 6), the inner ones by dense output. The two inner ones
// alone are a rule of order 2.
double trmi_step_work(trm_simulation *s, double end, double h, double first, double last,
                      double *doubt)
{
    static const double node[] = {0.27639320225002103036, 0.72360679774997896964};
    double t = end - h, inner = 0, energy, size = fabs(first) + fabs(last);
    for (int k = 0; k < 2; k++) {
        double power = trmi_power_at(s, point_inside(s, t + node[k] * h, h), h, &energy);
        inner += power;
        size += 5 * fabs(power);
    }
    s->e.input_time = NAN;
    double work = h / 12 * (first + last + 5 * inner), r = fabs(work - h / 2 * inner);
    size *= h / 12;
    *doubt = size > 0 ? r * r * r / (size * size) : 0;
    return work;
}
