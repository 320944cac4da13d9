// SPDX-License-Identifier: Apache-2.0
// What is observed of a run: memory, checkpoints, lost rank, roundoff, and the warnings of the
// system about its motion, each once.
#include "solver/integrator/watch/watch.h"

#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>

// the sizes of positions and velocities are measured in so many first steps, then each time after
// as many
enum { SIZE_EVERY = 50 };
// the pace of a run is that of so many steps: a hundredth of a second, or a second
enum { PACE_EVERY = 10000 };
// relative pivot below which a position is reported as nearly singular
static const double NEAR_SINGULAR = 1e-4;
// inaccurate velocities are reported from this many tolerances on
static const double MAX_INACCURACY = 100;

bool trmi_watch_create(trm_simulation *s)
{
    s->watch.shortest_step = HUGE_VAL;
    return TRMI_TAKE(&s->memory, s->watch.warned, s->e.user.n_warnings) && trmi_energy_create(s);
}

void trmi_watch_archive(trmi_watch *w, trmi_archive *a)
{
    double *numbers[] = {&w->motion_energy, &w->rest_energy, &w->estimate_energy_sum,
                         &w->shortest_step, &w->noise_v,     &w->max_v,
                         &w->max_q};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        trmi_archive_doubles(a, numbers[i], 1);
    trmi_archive_bool(a, &w->near_singular);
    trmi_archive_bool(a, &w->velocity_inaccurate);
    trmi_archive_bool(a, &w->velocity_warned);
    trmi_archive_long(a, &w->pace_steps);
    trmi_archive_doubles(a, &w->pace_t, 1);
    trmi_archive_bool(a, &w->pace_warned);
    trmi_archive_long(a, &w->estimate_samples);
    trmi_archive_long(a, &w->rejected_error);
    trmi_archive_long(a, &w->rejected_newton);
    trmi_energy_archive(&w->energy, a);
}

void trmi_watch_rank(trm_simulation *s)
{
    trmi_pivot pivot = trmi_saddle_rank(&s->saddle);
    bool near = pivot.smallest < NEAR_SINGULAR;
    if (near && !s->watch.near_singular) {
        char name[64];
        trmi_log(s, TRM_LOG_INFO, "t = %.9g: the constraints are close to losing rank (%.1e) at %s",
                 s->now.t, pivot.smallest, trmi_name_unknown(&s->e, pivot.row, name, sizeof name));
    }
    s->watch.near_singular = near;
    s->statistics.near_singular_steps += near;
}

void trmi_watch_velocities(trm_simulation *s, double t)
{
    trmi_corrector *c = &s->corrector;
    const trmi_velocity_correction *shift = &c->projected;
    s->watch.velocity_inaccurate = trmi_velocities_inaccurate(c);
    if (s->watch.velocity_inaccurate && !s->watch.velocity_warned &&
        shift->length > MAX_INACCURACY) {
        char name[64];
        s->watch.velocity_warned = true;
        trmi_log(
            s, TRM_LOG_WARNING,
            "t = %.9g: the constraints lose rank at %s: with roundoff the velocities there are "
            "off by up to %.1g tolerances",
            t, trmi_name_unknown(&s->e, s->saddle.n - s->e.n_r + shift->row, name, sizeof name),
            shift->length);
    }
    c->projected_last = *shift;
}

void trmi_watch_roundoff(trm_simulation *s, double h)
{
    if (h < s->watch.shortest_step) {
        const double noise = DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / h;
        const double v = trmi_max_abs(s->now.v, s->e.n_q);
        s->statistics.error_sum +=
            fmax(0, noise - s->watch.noise_v) / (s->options.rtol * v + s->options.atol);
        s->watch.shortest_step = h;
        s->watch.noise_v = noise;
    }
    if (s->statistics.steps >= SIZE_EVERY && s->statistics.steps % SIZE_EVERY != 0)
        return;
    s->watch.max_v = fmax(s->watch.max_v, trmi_max_abs(s->now.v, s->e.n_q));
    s->watch.max_q = fmax(s->watch.max_q, trmi_max_abs(s->now.q, s->e.n_q));
}

void trmi_watch_pace(trm_simulation *s, double t_end)
{
    trmi_watch *w = &s->watch;
    const long steps = s->statistics.steps, left = s->options.max_steps - steps;
    if (steps - w->pace_steps < PACE_EVERY)
        return;
    const double pace = (s->now.t - w->pace_t) / (double)(steps - w->pace_steps);
    const double reached = s->now.t + (double)left * pace;
    if (reached < t_end && !w->pace_warned && w->pace_steps > 0) {
        w->pace_warned = true;
        trmi_log(s, TRM_LOG_WARNING,
                 "t = %.9g: steps of %.2g s, at which max_steps = %d end at t = %.6g: search the "
                 "formulas for a jump with a velocity that is driven back from both sides, as "
                 "sign(v) (tanh(v/0.01) is smooth), or for a fast motion",
                 s->now.t, pace, s->options.max_steps, reached);
    }
    w->pace_steps = steps;
    w->pace_t = s->now.t;
}

void trmi_warnings_update(trm_simulation *s)
{
    const trm_system *u = &s->e.user;
    if (u->n_warnings == 0 || !s->options.log)
        return;
    for (int i = 0; i < u->n_warnings; i++) {
        char text[200];
        // all of them, also those that were given: the system may prepare the state at the first
        if (u->warning(&s->view, i, text, sizeof text, u->user) == 0 || s->watch.warned[i])
            continue;
        s->watch.warned[i] = true;
        trmi_log(s, TRM_LOG_WARNING, "t = %.9g: %s", s->now.t, text);
    }
}
