// SPDX-License-Identifier: Apache-2.0
// Sensitivities at breaks of time (integrator/breaks.h). Breaks of the system and of its neighbours
// follow each other in the same order, at times t_s that depend on p; t_p is their difference. Near
// a break the neighbours are evaluated on the side of the system, at a time moved by as much as
// their breaks are apart: with that error, 1e-5, and for as short a time.
//
// Velocities behind an impulse, R(t, y-, p), are those that the neighbours have behind theirs, from
// states that lie along s- + y'- t_p.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/integrator/breaks.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// breaks so many roundings of t apart are one
static double apart(double t)
{
    return TRMI_BREAK_ROUNDINGS * DBL_EPSILON * fabs(t);
}

static double next_of(const trm_simulation *of, double from, double until)
{
    const trm_system *u = &of->e.user;
    return u->next_break ? u->next_break(from + apart(from), until, u->user) : INFINITY;
}

void trmi_sensitivities_find_breaks(trm_simulation *s, double own, double t_end)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z || !s->e.user.next_break)
        return;
    trmi_jumps *j = &z->jumps;
    own = own <= t_end ? own : INFINITY;
    if (own == j->ahead && t_end <= j->until)
        return;
    j->ahead = own;
    j->until = t_end;
    for (int k = 0; k < z->count; k++)
        for (int i = 0; i < 2; i++) { // as far from the last one, but for a small change
            trmi_beside *p = &z->parameter[k];
            double until = p->passed[i] + 2 * (own - j->passed) + 4 * apart(t_end);
            p->ahead[i] = next_of(p->side[i], p->passed[i], isfinite(own) ? until : t_end);
        }
}

double trmi_sensitivities_time(const trm_simulation *s, int k, double t)
{
    const trmi_beside *p = &s->sensitivity->parameter[k];
    if (!s->e.user.next_break)
        return t;
    double from = fmax(p->passed[0], p->passed[1]), to = fmin(p->ahead[0], p->ahead[1]);
    return from < to ? fmin(fmax(t, from), nextafter(to, -INFINITY)) : t;
}

bool trmi_sensitivities_times(const trm_simulation *s, int k, double t, double width,
                              double times[2][2])
{
    const trmi_jumps *j = &s->sensitivity->jumps;
    const trmi_beside *p = &s->sensitivity->parameter[k];
    double from = fmax(p->passed[0], p->passed[1]), to = fmin(p->ahead[0], p->ahead[1]);
    if (!s->e.user.next_break || from < to || !isfinite(j->ahead + p->ahead[0] + p->ahead[1]))
        return false;
    double part = (t - j->passed) / (j->ahead - j->passed);
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < 2; l++) {
            double moved = fmin(fmax(part + (l == 0 ? width : -width), 0), 1);
            double at = p->passed[i] + moved * (p->ahead[i] - p->passed[i]);
            times[i][l] = fmin(at, nextafter(p->ahead[i], -INFINITY));
        }
    return true;
}

// t_p of the break at t; false: the neighbours have none like it
static bool find_delay(const trmi_beside *p, double t, double *delay)
{
    double shift = p->ahead[0] - p->ahead[1], uneven = p->ahead[0] + p->ahead[1] - 2 * t;
    *delay = 0;
    if (!isfinite(shift))
        return false;
    // from one side only where the parameter is at an end of its range
    bool one_sided = p->ahead[0] == t || p->ahead[1] == t;
    if (!one_sided && fabs(uneven) > 0.1 * fabs(shift) + 4 * apart(t))
        return false;
    if (fabs(shift) > apart(t))
        *delay = shift / p->width;
    return true;
}

// the state of a neighbour half a width along s- + y'- t_p, just before its break
static void place_neighbour(trm_simulation *s, int k, int i)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_beside *p = &z->parameter[k];
    trm_simulation *of = p->side[i];
    const int n = s->e.n_q;
    const double h = (i == 0 ? 0.5 : -0.5) * p->width, delay = z->jumps.delay[k];
    const double *y = z->begin + (size_t)k * (size_t)z->size, *rate = z->jumps.rate[0];
    trmi_copy_point(&s->e, &s->now, &of->now);
    of->now.t = nextafter(p->ahead[i], -INFINITY);
    for (int l = 0; l < n; l++) {
        of->now.q[l] += h * (y[l] + s->now.v[l] * delay);
        of->now.v[l] += h * (y[n + l] + rate[l] * delay);
    }
    for (int l = 0; l < s->e.n_x; l++)
        of->now.x[l] += h * (y[2 * n + l] + rate[n + l] * delay);
    if (s->e.user.n_held > 0)
        memcpy(of->e.held, s->e.held, (size_t)s->e.user.n_held * sizeof *of->e.held);
}

// d/dp of the velocities behind the break, less what they are without one
static bool find_kick(trm_simulation *s, int k)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_beside *p = &z->parameter[k];
    const int n = s->e.n_q;
    const double *y = z->begin + (size_t)k * (size_t)z->size, *a = z->jumps.rate[0];
    double *kick = z->jumps.kick + (size_t)k * (size_t)n;
    memset(kick, 0, (size_t)n * sizeof *kick);
    if (s->e.n_u == 0 && s->e.n_r == 0)
        return true;
    for (int i = 0; i < 2; i++) {
        trmi_point *behind;
        place_neighbour(s, k, i);
        if (trmi_point_behind_break(p->side[i], p->ahead[i], &behind) != TRM_OK)
            return false;
        for (int l = 0; l < n; l++)
            kick[l] += (i == 0 ? 1 : -1) * behind->v[l] / p->width;
    }
    for (int l = 0; l < n; l++)
        kick[l] -= y[n + l] + a[l] * z->jumps.delay[k];
    return true;
}

void trmi_sensitivities_before_break(trm_simulation *s, double t)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    trmi_jumps *j = &z->jumps;
    if (z->past.count > 0)
        s->method->sensitivities_at(s, s->now.t, z->begin);
    bool known = trmi_sensitivities_rates_at(s, &s->now, j->rate[0]);
    for (int k = 0; k < z->count; k++) {
        trmi_beside *p = &z->parameter[k];
        if (!find_delay(p, t, &j->delay[k]))
            trmi_sensitivities_doubt(s, TRMI_DOUBT_BREAK, k, t);
        else if (!known || !find_kick(s, k))
            trmi_sensitivities_doubt(s, TRMI_DOUBT_IMPULSE, k, t);
        for (int i = 0; i < 2; i++)
            p->passed[i] = isfinite(p->ahead[i]) ? p->ahead[i] : t;
    }
    memcpy(j->rate[1], s->now.v, (size_t)s->e.n_q * sizeof *j->rate[1]); // those before it
    j->passed = t;
    j->ahead = -INFINITY;
}

void trmi_sensitivities_behind_break(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    const int n = s->e.n_q;
    if (!z)
        return;
    trmi_jumps *j = &z->jumps;
    double *before = j->rate[0], *v = j->gap; // those before the break
    memcpy(v, j->rate[1], (size_t)n * sizeof *v);
    if (!trmi_sensitivities_rates_at(s, &s->now, j->rate[1]))
        return;
    for (int k = 0; k < z->count; k++) {
        double *y = z->begin + (size_t)k * (size_t)z->size, delay = j->delay[k];
        for (int i = 0; i < n; i++) {
            y[i] += (v[i] - s->now.v[i]) * delay;
            y[n + i] += (before[i] - j->rate[1][i]) * delay + j->kick[k * n + i];
        }
        for (int i = 0; i < s->e.n_x; i++)
            y[2 * n + i] += (before[n + i] - j->rate[1][n + i]) * delay;
    }
}
