// SPDX-License-Identifier: Apache-2.0
// Whether a method pumps energy into a machine that nothing drives: oscillations on which it is not
// stable grow, and no error estimate sees that. Where the system tells its energy E = T + V,
//
//     E - E_0 > LIMIT (energy that was exchanged),  exchanged = max(T_0, T, max V - min V),
//
// is such a gain, if no force does work: dE/dt = 0 along the exact motion through the last point,
// at any time of the run. T(v) = E(q, v) - E(q, 0). What methods take out of fast oscillations is
// on purpose.
#include "integrator/simulation.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// relative tolerances that may be gained, at least and at most (a gyroscope in absolute coordinates
// gains 0.011 with the alpha methods at 1e-4, with positions right to 30 tolerances)
static const double GAIN_TOLERANCES = 100, GAIN_LEAST = 0.03, GAIN_MOST = 0.2;
// V is looked at every so many steps, and the power at so many times
enum { LOOK_EVERY = 10, LOOKS_LEAST = 3, TIMES = 8 };
// part of the gain that forces may explain; of a step, to differentiate E by
static const double EXPLAINED = 0.1, DIFFERENCE = 1e-3;
// below this part of the exchanged energy T tells nothing of forces that depend on v
static const double SLOW = 0.1;

// E at q and v, NaN where there is none
static double energy_at(trm_simulation *s, const trmi_point *p, double *v)
{
    trmi_point at = *p;
    at.v = v;
    if (trmi_evaluate(&s->e, &at, TRM_BIT(TRM_ENERGY)) != 0)
        return NAN;
    return s->e.block[TRM_ENERGY].value[0];
}

// V = E(q, 0)
static double rest_energy(trm_simulation *s, const trmi_point *p)
{
    memset(s->work, 0, (size_t)s->e.n_q * sizeof *s->work);
    return energy_at(s, p, s->work);
}

// Excitations, events and states may bring energy; steps that nobody controls are not judged.
static bool is_watched(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    return !(e->absent & TRM_BIT(TRM_ENERGY)) && e->n_u == 0 && e->n_x + e->n_z == 0 &&
           s->events.user.count == 0 && !(s->options.h_fixed > 0) &&
           s->options.control != TRM_CONTROL_CLASSIC;
}

void trmi_energy_begin(trm_simulation *s)
{
    if (!is_watched(s))
        return;
    trmi_energy *w = &s->energy;
    double V = rest_energy(s, &s->now), E = energy_at(s, &s->now, s->now.v);
    *w = (trmi_energy){.start = E, .swing = E - V, .least = V, .most = V, .t = s->now.t};
}

void trmi_energy_watch(trm_simulation *s)
{
    if (s->statistics.steps % LOOK_EVERY != 0 || !is_watched(s))
        return;
    trmi_energy *w = &s->energy;
    double V = rest_energy(s, &s->now);
    w->least = fmin(w->least, V);
    w->most = fmax(w->most, V);
    w->looks++;
}

// ---- does a force do work? ----

// the exact motion through q and v at time t, in the point of the sampler; false: there is none
static bool find_motion(trm_simulation *s, const double *v, double t)
{
    trmi_point *p = &s->sampler->point;
    trm_error error;
    trmi_error_clear(&error);
    trmi_copy_point(&s->e, &s->now, p);
    memcpy(p->v, v, (size_t)s->e.n_q * sizeof *v);
    p->t = t;
    return trmi_accelerations(&s->sampler->saddle, p, s->work, &error) == TRM_OK;
}

// dE/dt along it, by central differences
static double power_at(trm_simulation *s, const double *v, double t)
{
    trmi_point *p = &s->sampler->point;
    double E[2];
    if (!find_motion(s, v, t))
        return NAN;
    double dt = DIFFERENCE * s->statistics.h_last;
    for (int k = 0; k < 2; k++) {
        double by = k == 0 ? -dt : dt;
        p->t = t + by;
        for (int i = 0; i < s->e.n_q; i++) {
            p->q[i] = s->now.q[i] + by * v[i];
            p->v[i] = v[i] + by * p->a[i];
        }
        E[k] = energy_at(s, p, p->v);
    }
    return (E[1] - E[0]) / (2 * dt);
}

// The velocities at which power is looked for: those of the motion, or, where it turns around, the
// way it would fall from rest, with the energy that was exchanged. false: there are none.
static bool find_velocities(trm_simulation *s, double T, double exchanged, double *v)
{
    const trmi_point *p = &s->sampler->point;
    int n = s->e.n_q;
    memcpy(v, s->now.v, (size_t)n * sizeof *v);
    if (T > SLOW * exchanged)
        return true;
    memset(v, 0, (size_t)n * sizeof *v);
    if (!find_motion(s, v, s->now.t))
        return false;
    memcpy(v, p->a, (size_t)n * sizeof *v);
    double scale = sqrt(exchanged / (energy_at(s, &s->now, v) - rest_energy(s, &s->now)));
    for (int i = 0; i < n; i++)
        v[i] *= scale;
    return isfinite(scale);
}

// Largest |dE/dt| at times of the run; NaN where it cannot be told.
static double find_power(trm_simulation *s, double T, double exchanged)
{
    double *v = s->level, most = 0; // behind the right-hand side of the accelerations
    if (trmi_sampler_create(s) != TRM_OK)
        return NAN;
    trmi_trace before = trmi_step_aside(s);
    trmi_saddle_forget(&s->sampler->saddle);
    if (!find_velocities(s, T, exchanged, v))
        most = NAN;
    for (int i = 0; i <= TIMES && !isnan(most); i++) {
        double t = s->energy.t + (s->now.t - s->energy.t) * i / TIMES;
        double power = fabs(power_at(s, v, t));
        most = power <= most ? most : power;
    }
    trmi_step_back(s, &before);
    return most;
}

double trmi_energy_gain(trm_simulation *s)
{
    const trmi_energy *w = &s->energy;
    if (!is_watched(s) || w->looks < LOOKS_LEAST)
        return 0;
    double V = rest_energy(s, &s->now), E = energy_at(s, &s->now, s->now.v), T = E - V;
    double exchanged = fmax(fmax(w->swing, T), fmax(w->most, V) - fmin(w->least, V));
    double limit = fmin(GAIN_MOST, fmax(GAIN_LEAST, GAIN_TOLERANCES * s->options.rtol));
    double gain = E - w->start;
    if (!(gain > limit * exchanged))
        return 0;
    bool driven = !(find_power(s, T, exchanged) * (s->now.t - w->t) <= EXPLAINED * gain);
    return driven ? 0 : gain / exchanged;
}
