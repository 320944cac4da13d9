// SPDX-License-Identifier: Apache-2.0
// The energy balance as a judge of a run: oscillations on which a method is not stable grow, others
// are damped, and no error estimate sees that. Where the system gives its energy E = T + V,
//
//     defect(t) = E(t) - E(0) - W - jumps,   W = integral of P, dE/dt along the exact motion,
//
// is what the method brought in or took out (balance.h; P: energy_power.c). It is compared with the
// energy that was exchanged,
//
//     exchanged = max(largest T, max V - min V, max W - min W, losses of dampers and friction),
//
// T = E(q, v) - E(q, 0): loads that do work to and fro count once, losses for good. The energy of
// velocities of the size of their tolerances counts as 0.
#include "solver/integrator/watch/energy.h"

#include "solver/integrator/explicit/quadrature.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/watch/balance.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The limit of the defect in relative tolerances, and its minimum and maximum as parts of the
// exchanged energy. Measured over all examples (docs/troubleshooting.md): right results have up to
// 30 relative tolerances, alpha methods at 1e-4 and less up to 0.013.
static const double DEFECT_TOLERANCES = 50, MIN_DEFECT = 0.03, MAX_DEFECT = 0.05;
// A defect above the limit counts at the end of a run, and where it lasted for this part of it.
static const double LASTING = 0.5;
// A balance whose defect stays below this part of the limit closes.
static const double CLOSES = 0.2;
// E is sampled every SAMPLE_EVERY steps, and P with it where there are more than SMALL coordinates.
// Otherwise P is sampled every step; less often, down to every MAX_STRIDE, while the error of its
// integral is below FINE; inside of steps where that is above COARSE, both as parts of the
// exchanged energy, and above the share of the step in the time since the start of an error that is
// small against the limit, and all errors together exceed that; at once where the step changes by
// the factor SUDDEN.
enum { SAMPLE_EVERY = 10, SMALL = 100, MAX_STRIDE = 8 };
static const double FINE = 1e-6, COARSE = 1e-5, SUDDEN = 2;
// Power below this part of the exchanged energy in a step counts as 0.
static const double NO_POWER = 1e-9;
// Runs of fewer steps than STEPS_FEW are not judged, of fewer than MIN_STEPS with the limit GROSS:
// energy that grows like a power of time is off by a part of itself at first, however small it is
// against what follows.
enum { STEPS_FEW = 8, MIN_STEPS = 20 };
static const double GROSS = 0.3;
// velocities of so many tolerances are rest
static const double REST = 10;

// Without freedoms there is nothing to be judged, nor with steps of constant length.
static bool is_watched(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    return !(e->absent & TRM_BIT(ENERGY)) && e->n_q > e->n_r && s->rule->adapts &&
           !s->method->unwatched && s->watch.energy.known;
}

static bool is_conservative(const trm_simulation *s)
{
    return (s->e.user.constant & TRM_BIT(POWER)) && s->watch.energy.balance.power[0] == 0;
}

bool trmi_energy_create(trm_simulation *s)
{
    s->watch.energy.known = true;
    if (!trmi_power_create(s))
        return false;
    if (s->e.user.constant & TRM_BIT(POWER)) // and 0: nothing is lost
        return true;
    return TRMI_TAKE(&s->memory, s->watch.energy.reversed_v, s->e.n_q);
}

// ---- begin ----

void trmi_energy_begin(trm_simulation *s)
{
    trmi_energy *w = &s->watch.energy;
    trmi_balance *b = &w->balance;
    if (!is_watched(s))
        return;
    trmi_values_forget_inputs(&w->values); // an event may have changed them
    double V = trmi_potential_at(s, &s->now), E, power[2] = {0};
    power[0] = trmi_power_at(s, &s->now, s->control.h > 0 ? s->control.h : 1e-6, &E);
    if (trmi_steps_since_start(s) == s->statistics.steps) {
        int n = s->e.n_q;
        double *v = trmi_scratch_take(&s->scratch, n);
        for (int i = 0; i < n; i++)
            v[i] = REST / s->weight[n + i];
        w->rest = trmi_energy_at(s, &s->now, v) - V;
        w->kinetic_max = E - V;
        trmi_scratch_release(&s->scratch, v);
        w->known = trmi_power_known(s) && (w->reversed_v || power[0] == 0);
        w->potential_min = w->potential_max = V;
        trmi_balance_begin(b, s->now.t, E, power);
    } else { // what an event changed is no error: the last defect stays
        trmi_balance_jump(b, b->start + b->work[0] + b->jumps + w->defect, E, power);
    }
    b->t = w->t_loss = w->t_sample = s->now.t;
    w->past = 0;
    w->stride = 1;
    w->loss_rate = is_conservative(s) ? 0 : trmi_lost_at(s, &s->now, power[0]);
}

static double exchanged(const trmi_energy *w)
{
    return fmax(fmax(fmax(w->kinetic_max, w->rest), w->lost),
                fmax(w->potential_max - w->potential_min, w->work_max - w->work_min));
}

// The limit of a run of many steps: the work of the first ones is part of what it is compared with.
static double final_limit(const trm_simulation *s, const trmi_energy *w)
{
    double part = fmin(MAX_DEFECT, fmax(MIN_DEFECT, DEFECT_TOLERANCES * s->options.rtol));
    return part * exchanged(w);
}

static double limit(const trm_simulation *s, const trmi_energy *w)
{
    return s->statistics.steps < MIN_STEPS ? GROSS * exchanged(w) : final_limit(s, w);
}

// What is not known of the defect: the error of W, and the roundoff of E as a sum of n_q terms.
// Everything where velocities never exceeded what Newton's iteration may leave: the work of loads
// is then that of such errors.
static double uncertainty(const trm_simulation *s, const trmi_energy *w)
{
    double V = fmax(fabs(w->potential_min), fabs(w->potential_max));
    double roundoff = s->e.n_q * DBL_EPSILON * (V + fabs(w->kinetic_max));
    double left = s->options.newton_tolerance / REST; // of the velocities that count as rest
    bool rests = w->kinetic_max <= left * left * w->rest + roundoff;
    return rests ? INFINITY : w->balance.error + roundoff;
}

// ---- after a step ----

static bool has_gaps(const trm_simulation *s)
{
    return s->switches.count > 0 && s->e.n_q <= SMALL;
}

// Whether a gap is closed, or could be before E is sampled again.
static bool is_gap_near(const trm_simulation *s)
{
    const trmi_switches *g = &s->switches;
    double soon = SAMPLE_EVERY * s->statistics.h_last;
    bool near = false;
    for (int i = 0; i < g->count && !near; i++)
        near = g->closed[i] || trmi_gap_closes(g->gap[i], g->rate[i], g->second[i]) < soon;
    return near && has_gaps(s);
}

// Whether the step is another than at the last sample of P. In large systems shorter ones count.
static bool has_changed(const trm_simulation *s, const trmi_energy *w)
{
    double h = s->statistics.h_last;
    return h * SUDDEN < w->h || (s->e.n_q <= SMALL && h > SUDDEN * w->h);
}

// Whether E is sampled after this step. In the first steps, the 1st, 2nd, 4th and 8th: with no
// exchanged energy known the powers of roundoff seem to matter.
static bool is_sample_due(const trm_simulation *s, const trmi_energy *w)
{
    return w->steps_since_sample >= SAMPLE_EVERY ||
           2 * (long)w->steps_since_sample >= trmi_steps_since_start(s);
}

// Whether P is sampled after this step. A contact is over in a few steps, and so is the time in
// which powers grow by orders of magnitude from step to step.
static bool is_power_due(const trm_simulation *s, const trmi_energy *w)
{
    bool each = has_gaps(s) || s->method->long_steps || s->statistics.steps <= MIN_STEPS;
    int stride = s->e.n_q > SMALL ? SAMPLE_EVERY : each ? 1 : w->stride;
    return w->steps_since_power >= stride || has_changed(s, w);
}

// integral from t[1] to t[0] of the polynomial through the first `count` powers
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

// Work up to t by the polynomial through the power there and the last ones. Of two rules that
// differ by the part r of the integral the better one, of the next order, is right to about
// r^(4/3).
static double work_by_ends(const trmi_energy *w, double t, double power, double *error)
{
    const trmi_balance *b = &w->balance;
    double times[TRMI_PAST_POWERS + 2] = {t, b->t}, size = 0;
    double powers[TRMI_PAST_POWERS + 2] = {power, b->power[0]};
    memcpy(times + 2, w->past_t, (size_t)w->past * sizeof *times);
    memcpy(powers + 2, w->past_power, (size_t)w->past * sizeof *powers);
    double work = integrate(times, powers, w->past + 2);
    double r = fabs(work - integrate(times, powers, w->past + 1));
    for (int i = 0; i < w->past + 2; i++)
        size = fmax(size, (t - b->t) * fabs(powers[i]));
    *error = size > 0 ? r * cbrt(r / size) : 0;
    return work;
}

// the last step of a simulation
typedef struct last_step {
    trm_simulation *s;
    double h;
} last_step;

static bool probe_inside(void *context, double t, double power[2])
{
    const last_step *step = context;
    power[0] = trmi_power_inside(step->s, t, step->h);
    power[1] = 0;
    return true;
}

// Work in the last step by powers inside of it. The polynomials of multistep methods have other
// accelerations from step to step, and forces of prescribed motions with them: powers jump where
// two steps meet, and those at the ends are taken just inside too.
static void work_inside(trm_simulation *s, double t, double P, double fine, double work[2],
                        double *error)
{
    trmi_balance begin = s->watch.energy.balance;
    last_step step = {s, t - begin.t};
    double end[2] = {P, 0};
    if (s->method->multistep) {
        double dt = TRMI_WATCH_DIFFERENCE * step.h;
        probe_inside(&step, begin.t + dt, begin.power);
        probe_inside(&step, t - dt, end);
    }
    trmi_balance_integrate(&begin, t, end, fine, probe_inside, &step, work, error);
}

// Whether the powers at both ends of the next step will not give the work in it.
static bool is_step_long(const trm_simulation *s, const trmi_energy *w)
{
    return s->method->long_steps && (w->stride == 1 || has_gaps(s));
}

bool trmi_energy_follows(const trm_simulation *s)
{
    return is_watched(s) && s->e.n_q <= SMALL && !is_conservative(s) &&
           is_step_long(s, &s->watch.energy);
}

// Moves the balance on to t. Where the powers at the ends of steps do not give the work, those at
// the stages of the last step do, or, where these are too coarse or there are none, others inside
// of it.
static void add_work(trm_simulation *s, trmi_energy *w, double t, double E, double P)
{
    trmi_balance *b = &w->balance;
    double error, work[2] = {0}, power[2] = {P, 0}, h = t - b->t;
    double passed = h * (fabs(b->power[0]) + fabs(P)), S = fmax(exchanged(w), passed);
    double ends = work[0] = work_by_ends(w, t, P, &error), difference = error;
    bool none = passed <= NO_POWER * S;
    bool inside = w->steps_since_power == 1 && s->e.n_q <= SMALL && !none;
    bool unknown = inside && is_step_long(s, w);
    double small = CLOSES * final_limit(s, w), share = small * h / (t - s->points.t_first);
    double fine = fmax(COARSE * S, share);
    if (unknown && s->method->work && s->method->work(s, &work[0], &error))
        unknown = false;
    bool coarse = inside && error > fine && b->error + error > small;
    if (coarse || unknown)
        work_inside(s, t, P, fine, work, &error);
    difference = fmax(difference, fabs(work[0] - ends));
    w->stride = difference > COARSE * S ? 1 : difference > FINE * S ? w->stride : 2 * w->stride;
    w->stride = w->stride < MAX_STRIDE ? w->stride : MAX_STRIDE;
    w->past = w->past < TRMI_PAST_POWERS ? w->past + 1 : TRMI_PAST_POWERS;
    memmove(w->past_t + 1, w->past_t, (TRMI_PAST_POWERS - 1) * sizeof *w->past_t);
    memmove(w->past_power + 1, w->past_power, (TRMI_PAST_POWERS - 1) * sizeof *w->past_power);
    w->past_t[0] = b->t;
    w->past_power[0] = b->power[0];
    trmi_balance_advance(b, t, E, power, work, error);
    w->work_min = fmin(w->work_min, b->work[0]);
    w->work_max = fmax(w->work_max, b->work[0]);
}

// What was lost up to the newest power. In large systems all negative power counts.
static void add_loss(trm_simulation *s, trmi_energy *w, const trmi_point *p)
{
    double h = p->t - w->t_loss, power = w->balance.power[0];
    bool all = s->e.n_q > SMALL || h * fabs(power) <= NO_POWER * exchanged(w);
    double rate = all ? fmax(-power, 0) : trmi_lost_at(s, p, power);
    w->lost += h / 2 * (w->loss_rate + rate);
    w->loss_rate = rate;
    w->t_loss = p->t;
}

// Samples P and E at a point at the end of a step. Losses are sampled with E, where they may change
// suddenly, and where the integral of P is not fine.
static void sample_power(trm_simulation *s, trmi_energy *w, const trmi_point *p, bool due)
{
    trmi_balance *b = &w->balance;
    if (is_conservative(s) || !(p->t > b->t)) {
        b->total = trmi_energy_at(s, p, p->v);
        return;
    }
    double E, power = trmi_power_at(s, p, s->statistics.h_last, &E);
    bool lost = due || has_changed(s, w) || is_gap_near(s);
    if (s->statistics.h_last * SUDDEN < w->h)
        w->stride = 1;
    add_work(s, w, p->t, E, power);
    w->h = s->statistics.h_last;
    w->steps_since_power = 0;
    if (lost || w->stride == 1)
        add_loss(s, w, p);
}

// Compares the defect at a point where P and E were sampled with its limit.
static void compare_defect(trm_simulation *s, trmi_energy *w, const trmi_point *p)
{
    double V = trmi_potential_at(s, p);
    w->kinetic_max = fmax(w->kinetic_max, w->balance.total - V);
    w->potential_min = fmin(w->potential_min, V);
    w->potential_max = fmax(w->potential_max, V);
    w->defect = trmi_balance_defect(&w->balance);
    w->known = isfinite(w->defect + exchanged(w));
    if (fabs(w->defect) > fabs(w->worst))
        w->worst = w->defect;
    bool exceeded = fabs(w->defect) > limit(s, w) + uncertainty(s, w);
    if (exceeded && !w->exceeded)
        w->exceeded_since = w->t_sample;
    if (exceeded)
        w->duration += p->t - w->t_sample;
    w->exceeded = exceeded;
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
    bool due = is_sample_due(s, w);
    if (is_conservative(s) ? !due : !is_power_due(s, w))
        return;
    sample_power(s, w, &s->now, due);
    if (due)
        compare_defect(s, w, &s->now);
}

// ---- the verdict ----

// The present point may lie inside the last step, at an event: the end of the step is sampled.
trmi_energy_verdict trmi_energy_judge(trm_simulation *s)
{
    trmi_energy w = s->watch.energy;
    trmi_energy_verdict verdict = {0};
    if (!is_watched(s) || trmi_steps_since_start(s) == 0 || s->statistics.steps < STEPS_FEW)
        return verdict;
    trmi_point newest = trmi_past_point(s, 0);
    newest.a = s->points.place == TRMI_AT_DETOUR ? s->points.way_a : s->now.a;
    if (newest.t > w.t_sample) {
        sample_power(s, &w, &newest, true);
        compare_defect(s, &w, &newest);
    }
    if (!w.known)
        return verdict;
    double max = limit(s, &w), unknown = uncertainty(s, &w);
    bool lasting =
        w.duration > LASTING * (newest.t - s->points.t_first) && fabs(w.worst) > max + unknown;
    verdict.closes = s->statistics.steps >= MIN_STEPS && fabs(w.worst) + unknown <= CLOSES * max;
    verdict.exceeded = w.exceeded || lasting;
    verdict.since = w.exceeded_since;
    verdict.defect = (w.exceeded || !lasting ? w.defect : w.worst) / exchanged(&w);
    return verdict;
}

void trmi_energy_archive(trmi_energy *w, trmi_archive *a)
{
    trmi_balance *b = &w->balance;
    double *numbers[] = {&b->t,        &b->total,         &b->power[0],      &b->work[0],
                         &b->jumps,    &b->start,         &w->past_t[0],     &w->past_t[1],
                         &w->h,        &w->past_power[0], &w->past_power[1], &b->error,
                         &w->work_min, &w->work_max,      &w->loss_rate,     &w->t_loss,
                         &w->lost,     &w->kinetic_max,   &w->potential_min, &w->potential_max,
                         &w->t_sample, &w->defect,        &w->worst,         &w->exceeded_since,
                         &w->duration, &w->rest};
    int *counters[] = {&w->stride, &w->steps_since_power, &w->steps_since_sample};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        trmi_archive_doubles(a, numbers[i], 1);
    trmi_archive_int(a, &w->past, 0, TRMI_PAST_POWERS);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        trmi_archive_int(a, counters[i], 0, TRMI_COUNTER_MAX);
    trmi_archive_bool(a, &w->known);
    trmi_archive_bool(a, &w->exceeded);
}
