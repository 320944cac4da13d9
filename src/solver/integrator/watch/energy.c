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
#include "solver/integrator/watch/energy.h"

#include "solver/integrator/simulation.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// The defect may be so many relative tolerances, but at least and at most these parts of the
// exchanged energy. Measured over all examples (docs/troubleshooting.md): right results have up to
// 30 relative tolerances, alpha methods at 1e-4 and less up to 0.013.
static const double DEFECT_TOLERANCES = 50, MIN_DEFECT = 0.03, MAX_DEFECT = 0.05;
// It tells at the end of a run, and where it lasted for this part of it.
static const double LASTING = 0.5;
// A balance that closes to this part of the limit speaks for a run.
static const double CLOSES = 0.2;
// E is looked at every LOOK_EVERY steps, and P with it where there are more than SMALL coordinates.
// Otherwise P is looked at every step, less often, down to every MAX_STRIDE, while its integral is
// fine, and inside of steps where it is coarse, in parts of the exchanged energy; at once where the
// step changes by SUDDEN.
enum { LOOK_EVERY = 10, SMALL = 100, MAX_STRIDE = 8 };
static const double FINE = 1e-6, COARSE = 1e-5, SUDDEN = 2;
// Power below this part of the exchanged energy in a step is none.
static const double NO_POWER = 1e-9;
// Fewer steps than STEPS_FEW tell nothing, fewer than MIN_STEPS only what is gross: energy that
// grows like a power of time is off by a part of itself at first, however small it is against what
// follows.
enum { STEPS_FEW = 8, MIN_STEPS = 20 };
static const double GROSS = 0.3;
// velocities of so many tolerances are rest
static const double REST = 10;

// Without freedoms there is nothing to be judged, nor in steps that nobody controls.
static bool is_watched(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    return !(e->absent & TRM_BIT(TRM_ENERGY)) && e->n_q > e->n_r && s->rule->adapts &&
           s->options.control != TRM_CONTROL_CLASSIC && s->watch.energy.known;
}

static bool is_conservative(const trm_simulation *s)
{
    return (s->e.user.constant & TRM_BIT(TRM_POWER)) && s->watch.energy.power[0] == 0;
}

bool trmi_energy_create(trm_simulation *s)
{
    s->watch.energy.known = true;
    if (s->e.user.constant & TRM_BIT(TRM_POWER)) // and 0: nothing is lost
        return true;
    return TRMI_TAKE(&s->memory, s->watch.energy.reversed_v, s->e.n_q);
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
    trmi_energy *w = &s->watch.energy;
    if (!is_watched(s))
        return;
    double V = trmi_potential_at(s, &s->now), E;
    w->power[0] = trmi_power_at(s, &s->now, s->control.h > 0 ? s->control.h : 1e-6, &E);
    if (trmi_steps_since_start(s) == s->statistics.steps) {
        w->known = trmi_power_known(s) && (w->reversed_v || w->power[0] == 0);
        w->potential_min = w->potential_max = V;
        w->kinetic_max = fmax(E - V, energy_of_rest(s, V));
    }
    w->start = E - w->work - w->defect; // what an event changed is no error
    w->t[0] = w->t_loss = w->t_sample = s->now.t;
    w->count = w->stride = 1;
    w->loss_rate = is_conservative(s) ? 0 : trmi_lost_at(s, &s->now, w->power[0]);
}

static double exchanged(const trmi_energy *w)
{
    return fmax(fmax(w->kinetic_max, w->lost),
                fmax(w->potential_max - w->potential_min, w->work_max - w->work_min));
}

static double allowed(const trm_simulation *s, const trmi_energy *w)
{
    double part = fmin(MAX_DEFECT, fmax(MIN_DEFECT, DEFECT_TOLERANCES * s->options.rtol));
    if (s->statistics.steps < MIN_STEPS)
        part = GROSS;
    return part * exchanged(w);
}

static bool has_gaps(const trm_simulation *s)
{
    return s->switches.count > 0 && s->e.n_q <= SMALL;
}

// A gap is closed, or could be before E is looked at again.
static bool is_gap_near(const trm_simulation *s)
{
    const trmi_switches *g = &s->switches;
    double soon = LOOK_EVERY * s->statistics.h_last;
    bool near = false;
    for (int i = 0; i < g->count && !near; i++)
        near = g->closed[i] || trmi_gap_closes(g->gap[i], g->rate[i], g->second[i]) < soon;
    return near && has_gaps(s);
}

// The step is another than at the last look at P. Large systems care for shorter ones alone.
static bool has_changed(const trm_simulation *s, const trmi_energy *w)
{
    double h = s->statistics.h_last;
    return h * SUDDEN < w->h || (s->e.n_q <= SMALL && h > SUDDEN * w->h);
}

// Whether P is looked at after this step. A contact is over in a few.
static bool is_power_due(const trm_simulation *s, const trmi_energy *w)
{
    bool each = has_gaps(s) || s->method->long_steps;
    int stride = s->e.n_q > SMALL ? LOOK_EVERY : each ? 1 : w->stride;
    return w->steps_since_power >= stride || has_changed(s, w);
}

// The work up to a new power. Where the powers at the ends of steps do not tell it, the last step
// is looked into; long steps until both agree.
static void add_work(trm_simulation *s, trmi_energy *w, double t, double power)
{
    double doubt, S = exchanged(w), work = trmi_work_since(w, t, power, &doubt), h = t - w->t[0];
    double apart = doubt;
    bool none = h * (fabs(w->power[0]) + fabs(power)) <= NO_POWER * S;
    bool inside = w->steps_since_power == 1 && s->e.n_q <= SMALL && !none;
    bool unknown = s->method->long_steps && (w->stride == 1 || has_gaps(s));
    if (inside && (doubt > COARSE * S || unknown)) {
        double ends = work;
        work = trmi_step_work(s, t, h, w->power[0], power, &doubt);
        apart = fmax(apart, fabs(work - ends));
    }
    w->stride = apart > COARSE * S ? 1 : apart > FINE * S ? w->stride : 2 * w->stride;
    w->stride = w->stride < MAX_STRIDE ? w->stride : MAX_STRIDE;
    w->work += work;
    w->work_error += doubt;
    w->work_min = fmin(w->work_min, w->work);
    w->work_max = fmax(w->work_max, w->work);
}

// What is lost up to the newest power. In large systems all that is negative counts.
static void add_loss(trm_simulation *s, trmi_energy *w, const trmi_point *p)
{
    double h = p->t - w->t_loss, power = w->power[0];
    bool all = s->e.n_q > SMALL || h * fabs(power) <= NO_POWER * exchanged(w);
    double losing = all ? fmax(-power, 0) : trmi_lost_at(s, p, power);
    w->lost += h / 2 * (w->loss_rate + losing);
    w->loss_rate = losing;
    w->t_loss = p->t;
}

// P at a point at the end of a step, and E there. What is lost of P is looked at with E, where it
// may change suddenly, and where P is not fine.
static double look_at_power(trm_simulation *s, trmi_energy *w, const trmi_point *p, bool due)
{
    double E;
    if (is_conservative(s) || !(p->t > w->t[0]))
        return trmi_energy_at(s, p, p->v);
    double power = trmi_power_at(s, p, s->statistics.h_last, &E);
    bool lost = due || has_changed(s, w) || is_gap_near(s);
    if (s->statistics.h_last * SUDDEN < w->h)
        w->stride = 1;
    add_work(s, w, p->t, power);
    w->count = w->count < TRMI_POWERS ? w->count + 1 : TRMI_POWERS;
    memmove(w->t + 1, w->t, (TRMI_POWERS - 1) * sizeof *w->t);
    memmove(w->power + 1, w->power, (TRMI_POWERS - 1) * sizeof *w->power);
    w->t[0] = p->t;
    w->power[0] = power;
    w->h = s->statistics.h_last;
    w->steps_since_power = 0;
    if (lost || w->stride == 1)
        add_loss(s, w, p);
    return E;
}

static void look(trm_simulation *s, trmi_energy *w, const trmi_point *p, double E)
{
    double V = trmi_potential_at(s, p);
    w->kinetic_max = fmax(w->kinetic_max, E - V);
    w->potential_min = fmin(w->potential_min, V);
    w->potential_max = fmax(w->potential_max, V);
    w->defect = E - w->start - w->work;
    w->known = isfinite(w->defect + exchanged(w));
    if (fabs(w->defect) > fabs(w->worst))
        w->worst = w->defect;
    bool over = fabs(w->defect) > allowed(s, w) + w->work_error;
    if (over && !w->exceeded)
        w->exceeded_since = w->t_sample;
    if (over)
        w->duration += p->t - w->t_sample;
    w->exceeded = over;
    w->t_sample = p->t;
    w->steps_since_sample = 0;
}

void trmi_energy_update(trm_simulation *s)
{
    trmi_energy *w = &s->watch.energy;
    if (!is_watched(s))
        return;
    w->steps_since_power++;
    w->steps_since_sample++;
    bool due = w->steps_since_sample >= LOOK_EVERY;
    if (is_conservative(s) ? !due : !is_power_due(s, w))
        return;
    double E = look_at_power(s, w, &s->now, due);
    if (due)
        look(s, w, &s->now, E);
}

// ---- the verdict ----

// The present point may lie inside the last step, at an event: its end is looked at.
trmi_energy_verdict trmi_energy_judge(trm_simulation *s)
{
    trmi_energy w = s->watch.energy;
    trmi_energy_verdict verdict = {0};
    if (!is_watched(s) || trmi_steps_since_start(s) == 0 || s->statistics.steps < STEPS_FEW)
        return verdict;
    trmi_point newest = trmi_past_point(s, 0);
    newest.a = s->place == TRMI_AT_DETOUR ? s->way_a : s->now.a;
    if (newest.t > w.t_sample) {
        double E = look_at_power(s, &w, &newest, true);
        look(s, &w, &newest, E);
        s->e.input_time = NAN;
    }
    if (!w.known)
        return verdict;
    double most = allowed(s, &w);
    bool lasting =
        w.duration > LASTING * (newest.t - s->t_first) && fabs(w.worst) > most + w.work_error;
    verdict.closes =
        s->statistics.steps >= MIN_STEPS && fabs(w.worst) + w.work_error <= CLOSES * most;
    verdict.exceeded = w.exceeded || lasting;
    verdict.since = w.exceeded_since;
    verdict.defect = (w.exceeded || !lasting ? w.defect : w.worst) / exchanged(&w);
    return verdict;
}

void trmi_energy_archive(trmi_energy *w, trmi_archive *a)
{
    double *numbers[] = {&w->start,    &w->h,        &w->work,          &w->work_error,
                         &w->work_min, &w->work_max, &w->loss_rate,     &w->t_loss,
                         &w->lost,     &w->t_sample, &w->kinetic_max,   &w->potential_min,
                         &w->defect,   &w->worst,    &w->potential_max, &w->exceeded_since,
                         &w->duration};
    int *counters[] = {&w->stride, &w->steps_since_power, &w->steps_since_sample};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        trmi_archive_doubles(a, numbers[i], 1);
    trmi_archive_doubles(a, w->t, TRMI_POWERS);
    trmi_archive_doubles(a, w->power, TRMI_POWERS);
    trmi_archive_int(a, &w->count, 0, TRMI_POWERS);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        trmi_archive_int(a, counters[i], 0, INT_MAX);
    trmi_archive_bool(a, &w->known);
    trmi_archive_bool(a, &w->exceeded);
}
