// SPDX-License-Identifier: Apache-2.0
// The energy balance as a judge of a run: oscillations on which a method is not stable grow, others
// are damped, and no error estimate sees that. Where the system tells its energy E = T + V,
//
//     defect(t) = E(t) - E(0) - W,   W = integral of P, dE/dt along the exact motion,
//
// is what the method brought in or took out (P: energy_power.c). It is judged against the energy
// that moved about,
//
//     exchanged = max(largest T, max V - min V, max W - min W, what dampers and friction took),
//
// T = E(q, v) - E(q, 0): loads that do work to and fro count once, losses for good. Energy that
// velocities of the size of their tolerances have is nothing.
#include "integrator/simulation.h"

#include "base/error.h"

#include <math.h>

// The defect may be so many relative tolerances, but at least and at most these parts of the
// exchanged energy. Measured over all examples (docs/troubleshooting.md): right results have up to
// 30 relative tolerances, alpha methods at 1e-4 and less up to 0.013.
static const double DEFECT_TOLERANCES = 50, DEFECT_LEAST = 0.03, DEFECT_MOST = 0.05;
// It tells at the end of a run, and where it lasted for this part of it.
static const double LASTING = 0.5;
// A balance that closes to this part of the limit speaks for a run.
static const double CLOSES = 0.2;
// E is looked at every LOOK_EVERY steps. P is integrated inside every step; in systems with more
// than SMALL coordinates it is looked at with E.
enum { LOOK_EVERY = 10, SMALL = 100 };
// Fewer steps tell nothing: energy that grows like a power of time is off by a part of itself at
// first, however small it is against what follows.
enum { STEPS_LEAST = 20 };
// velocities of so many tolerances are rest
static const double REST = 10;

// Without freedoms there is nothing to be judged, nor in steps that nobody controls.
static bool is_watched(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    return !(e->absent & TRM_BIT(TRM_ENERGY)) && e->n_q > e->n_r && !(s->options.h_fixed > 0) &&
           s->options.control != TRM_CONTROL_CLASSIC && s->energy.known;
}

static bool is_conservative(const trm_simulation *s)
{
    return (s->e.user.constant & TRM_BIT(TRM_POWER)) && s->energy.power == 0;
}

bool trmi_energy_create(trm_simulation *s)
{
    s->energy.known = true;
    return TRMI_TAKE(&s->memory, s->energy.back, s->e.n_q);
}

// ---- what is looked at ----

// the energy of velocities that are tolerances
static double energy_of_rest(trm_simulation *s, double V)
{
    int n = s->e.n_q;
    for (int i = 0; i < n; i++)
        s->work[i] = REST / s->weight[n + i];
    return trmi_energy_at(s, &s->now, s->work) - V;
}

void trmi_energy_begin(trm_simulation *s)
{
    trmi_energy *w = &s->energy;
    if (!is_watched(s))
        return;
    double V = trmi_rest_energy(s, &s->now), E;
    w->power = trmi_power_at(s, &s->now, s->control.h > 0 ? s->control.h : 1e-6, &E);
    if (trmi_steps_since_start(s) == s->statistics.steps) {
        w->known = trmi_power_known(s);
        w->least = w->most = V;
        w->swing = fmax(E - V, energy_of_rest(s, V));
    }
    w->start = E - w->work - w->defect; // what an event changed is no error
    w->t = w->t_before = w->t_look = s->now.t;
    w->losing = is_conservative(s) ? 0 : trmi_lost_at(s, &s->now, w->power);
}

static double exchanged(const trmi_energy *w)
{
    return fmax(fmax(w->swing, w->lost), fmax(w->most - w->least, w->work_most - w->work_least));
}

static double allowed(const trm_simulation *s, const trmi_energy *w)
{
    double part = fmin(DEFECT_MOST, fmax(DEFECT_LEAST, DEFECT_TOLERANCES * s->options.rtol));
    return part * exchanged(w);
}

// the trapezoidal rule, and its error h^3/12 P'' by the look before
static double work_between(const trmi_energy *w, double h, double power, double *doubt)
{
    double before = w->t - w->t_before, slope = (power - w->power) / h;
    double bend = before > 0 ? slope - (w->power - w->power_before) / before : slope;
    *doubt = h * h * h / 6 * fabs(bend) / (h + before);
    return h / 2 * (w->power + power);
}

// The work up to a point at the end of a step, and E there. inside: it is all of the last one. In
// large systems all that is negative counts as lost.
static double add_work(trm_simulation *s, trmi_energy *w, const trmi_point *p, bool inside)
{
    double h = p->t - w->t, doubt, E;
    if (is_conservative(s) || !(h > 0))
        return trmi_energy_at(s, p, p->v);
    double power = trmi_power_at(s, p, s->statistics.h_last, &E);
    double losing = inside ? trmi_lost_at(s, p, power) : fmax(-power, 0);
    w->work +=
        inside ? trmi_step_work(s, h, w->power, power, &doubt) : work_between(w, h, power, &doubt);
    w->doubt += doubt;
    w->lost += h / 2 * (w->losing + losing);
    w->work_least = fmin(w->work_least, w->work);
    w->work_most = fmax(w->work_most, w->work);
    w->t_before = w->t;
    w->power_before = w->power;
    w->t = p->t;
    w->power = power;
    w->losing = losing;
    return E;
}

static void look(trm_simulation *s, trmi_energy *w, const trmi_point *p, double E)
{
    double V = trmi_rest_energy(s, p);
    w->swing = fmax(w->swing, E - V);
    w->least = fmin(w->least, V);
    w->most = fmax(w->most, V);
    w->defect = E - w->start - w->work;
    w->known = isfinite(w->defect + exchanged(w));
    if (fabs(w->defect) > fabs(w->worst))
        w->worst = w->defect;
    bool over = fabs(w->defect) > allowed(s, w) + w->doubt;
    if (over && !w->over)
        w->begun = w->t_look;
    if (over)
        w->duration += p->t - w->t_look;
    w->over = over;
    w->t_look = p->t;
}

void trmi_energy_watch(trm_simulation *s)
{
    trmi_energy *w = &s->energy;
    if (!is_watched(s))
        return;
    bool due = s->statistics.steps % LOOK_EVERY == 0, inside = s->e.n_q <= SMALL;
    if (!due && (!inside || is_conservative(s)))
        return;
    double E = add_work(s, w, &s->now, inside);
    if (due)
        look(s, w, &s->now, E);
}

// ---- the verdict ----

// The present point may lie inside the last step, at an event: its end is looked at.
trmi_energy_verdict trmi_energy_judge(trm_simulation *s)
{
    trmi_energy w = s->energy;
    trmi_energy_verdict verdict = {0};
    if (!is_watched(s) || trmi_steps_since_start(s) == 0 || s->statistics.steps < STEPS_LEAST)
        return verdict;
    trmi_point newest = trmi_past_point(s, 0);
    if (newest.t > w.t_look) {
        double E = add_work(s, &w, &newest, false);
        look(s, &w, &newest, E);
        s->e.input_time = NAN;
    }
    if (!w.known)
        return verdict;
    double most = allowed(s, &w);
    bool lasting = w.duration > LASTING * (newest.t - s->t_first) && fabs(w.worst) > most + w.doubt;
    verdict.closes = fabs(w.worst) + w.doubt <= CLOSES * most;
    verdict.told = w.over || lasting;
    verdict.since = w.begun;
    verdict.defect = (w.over || !lasting ? w.defect : w.worst) / exchanged(&w);
    return verdict;
}
