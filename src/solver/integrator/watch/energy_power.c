// SPDX-License-Identifier: Apache-2.0
// What should change the energy: P = dE/dt along the exact motion through a point. Mechanisms give
// P. Otherwise, where E = v^T M v / 2 + V(t, q, x),
//
//     P = E_t + E_q v + E_x x' + v^T f + lambda^T g_t + lambda_a^T a
//
// since v^T M v' = v^T (f - G^T lambda - A^T lambda_a) with G v = -g_t and A v = -a; the first
// three are a central difference of E along (1, v, x') with v as it is.
#include "solver/integrator/watch/energy.h"

#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

// part of the kinetic energy by which E may differ from v^T M v / 2
static const double KINETIC_ERROR = 1e-6;

// what P is made of besides E
static const uint64_t PARTS =
    TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(ROLLING_OFFSET);

bool trmi_power_create(trm_simulation *s)
{
    trmi_energy *w = &s->watch.energy;
    uint64_t quantities = TRM_BIT(ENERGY) | TRM_BIT(POWER);
    if (s->e.absent & TRM_BIT(POWER))
        quantities |= PARTS | TRM_BIT(MASS);
    if (s->e.absent & TRM_BIT(POWER) && s->e.constraint_uses_z)
        quantities |= TRM_BIT(CONSTRAINT_Q);
    return trmi_values_create(&w->values, &s->memory, &s->e, quantities, &w->uncounted);
}

double trmi_energy_at(trm_simulation *s, const trmi_point *p, double *v)
{
    trmi_point at = *p;
    at.v = v;
    if (trmi_evaluate(&s->e, &at, TRM_BIT(ENERGY), &s->watch.energy.values) != 0)
        return NAN;
    return s->watch.energy.values.of[TRM_QUANTITY_ENERGY][0];
}

double trmi_potential_at(trm_simulation *s, const trmi_point *p)
{
    double *v = trmi_scratch_take(&s->scratch, s->e.n_q);
    memset(v, 0, (size_t)s->e.n_q * sizeof *v);
    double energy = trmi_energy_at(s, p, v);
    trmi_scratch_release(&s->scratch, v);
    return energy;
}

// E_t + E_q v + E_x x' with the x' of the values
static double drift(trm_simulation *s, const trmi_point *p, double dt)
{
    trmi_evaluator *e = &s->e;
    const double *rate = s->watch.energy.values.of[TRM_QUANTITY_RATE];
    double E[2];
    trmi_point at = *p;
    at.q = trmi_scratch_take(&s->scratch, e->n_q + e->n_x);
    at.x = at.q + e->n_q;
    for (int k = 0; k < 2; k++) {
        double by = k == 0 ? -dt : dt;
        at.t = p->t + by;
        for (int i = 0; i < e->n_q; i++)
            at.q[i] = p->q[i] + by * p->v[i];
        for (int i = 0; i < e->n_x; i++)
            at.x[i] = p->x[i] + by * rate[i];
        E[k] = trmi_energy_at(s, &at, p->v);
    }
    trmi_scratch_release(&s->scratch, at.q);
    return (E[1] - E[0]) / (2 * dt);
}

// v^T f
static double power_of_forces(const trmi_values *values, const trmi_point *p)
{
    double sum = 0;
    for (int i = 0; i < values->e->n_q; i++)
        sum += p->v[i] * values->of[TRM_QUANTITY_FORCE][i];
    return sum;
}

// lambda^T g_t + lambda_a^T a
static double power_of_constraints(trm_simulation *s, const trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    double *offset = trmi_scratch_take(&s->scratch, e->n_r_full + 1), sum = 0;
    trmi_velocity_offset(&s->watch.energy.values, offset);
    for (int i = 0; i < e->n_r; i++)
        sum += p->lambda[i] * offset[i];
    trmi_scratch_release(&s->scratch, offset);
    return sum;
}

double trmi_power_at(trm_simulation *s, const trmi_point *p, double h, double *energy)
{
    trmi_evaluator *e = &s->e;
    if (!(e->absent & TRM_BIT(POWER))) {
        uint64_t want = TRM_BIT(POWER) | (energy ? TRM_BIT(ENERGY) : 0);
        bool good = trmi_evaluate(e, p, want, &s->watch.energy.values) == 0;
        if (energy)
            *energy = s->watch.energy.values.of[TRM_QUANTITY_ENERGY][0];
        return good ? s->watch.energy.values.of[TRM_QUANTITY_POWER][0] : NAN;
    }
    if (energy)
        *energy = trmi_energy_at(s, p, p->v);
    bool good = trmi_evaluate(e, p, PARTS, &s->watch.energy.values) == 0;
    double power = power_of_forces(&s->watch.energy.values, p) + power_of_constraints(s, p);
    power += good ? drift(s, p, TRMI_WATCH_DIFFERENCE * h) : NAN;
    return power;
}

// The point of the dense output at t, in the working point of the corrector, with the accelerations
// that belong to its velocities where P needs them.
static const trmi_point *point_inside(trm_simulation *s, double t, double h)
{
    trmi_point *p = &s->corrector.point;
    double dt = TRMI_WATCH_DIFFERENCE * h;
    s->method->dense(s, t, p);
    const double *rates = s->method->dense_rates ? s->method->dense_rates(s) : NULL;
    if (s->e.n_u > 0 && rates) {
        memcpy(p->a, rates, (size_t)s->e.n_q * sizeof *p->a);
    } else if (s->e.n_u > 0) {
        s->method->dense(s, t - dt, p);
        memcpy(s->watch.energy.reversed_v, p->v, (size_t)s->e.n_q * sizeof *p->v);
        s->method->dense(s, t + dt, p);
        for (int i = 0; i < s->e.n_q; i++)
            p->a[i] = (p->v[i] - s->watch.energy.reversed_v[i]) / (2 * dt);
        s->method->dense(s, t, p);
    }
    p->t = t;
    return p;
}

double trmi_power_inside(trm_simulation *s, double t, double h)
{
    return trmi_power_at(s, point_inside(s, t, h), h, NULL);
}

// v^T (f(v) - f(-v)) / 2 - |power of constraints that move|
static double irreversible_power(trm_simulation *s, const trmi_point *p, const trmi_point *back)
{
    trmi_evaluator *e = &s->e;
    bool good = trmi_evaluate(e, p, PARTS, &s->watch.energy.values) == 0;
    double moving = power_of_constraints(s, p),
           sum = power_of_forces(&s->watch.energy.values, p) / 2;
    good = trmi_evaluate(e, back, TRM_BIT(FORCE), &s->watch.energy.values) == 0 && good;
    sum += power_of_forces(&s->watch.energy.values, back) / 2;
    return good ? sum - fabs(moving) : NAN;
}

// Where motions are prescribed all of it: they take up what is wrong about the energy.
double trmi_lost_at(trm_simulation *s, const trmi_point *p, double power)
{
    trmi_evaluator *e = &s->e;
    trmi_point back = *p;
    bool given = !(e->absent & TRM_BIT(POWER));
    if (given && e->n_u > 0)
        return fabs(power);
    back.v = s->watch.energy.reversed_v;
    for (int i = 0; i < e->n_q; i++)
        back.v[i] = -p->v[i];
    double lost =
        given ? -(power + trmi_power_at(s, &back, 0, NULL)) / 2 : -irreversible_power(s, p, &back);
    return fmax(lost, 0);
}

// Whether E(q, v) - E(q, 0) = v^T M v / 2, at v = (1, 1, ...).
static bool has_kinetic_energy(trm_simulation *s)
{
    trmi_evaluator *e = &s->e;
    int n = e->n_q;
    double V = trmi_potential_at(s, &s->now), sum = 0;
    double *ones = trmi_scratch_take(&s->scratch, 2 * n), *product = ones + n;
    for (int i = 0; i < n; i++)
        ones[i] = 1;
    double T = trmi_energy_at(s, &s->now, ones) - V;
    bool good = trmi_evaluate(e, &s->now, TRM_BIT(MASS), &s->watch.energy.values) == 0;
    trmi_mass_product(&s->watch.energy.values, ones, product);
    for (int i = 0; i < n; i++)
        sum += product[i] / 2;
    trmi_scratch_release(&s->scratch, ones);
    return good && fabs(T - sum) <= KINETIC_ERROR * (sum + fabs(V));
}

// Variables without rates in E, and masses that are not those of E, cannot be judged.
bool trmi_power_known(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    if (!(e->absent & TRM_BIT(POWER)))
        return true;
    return e->n_z == 0 && !trmi_has_metric(e) && has_kinetic_energy(s);
}
