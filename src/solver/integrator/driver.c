// SPDX-License-Identifier: Apache-2.0
// Stepping and running to a time.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/breaks.h"
#include "solver/integrator/output.h"
#include "solver/integrator/settle.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/watch/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

static trm_status check_end(trm_simulation *s, double t_end)
{
    double roundoff = 4 * DBL_EPSILON * fabs(s->now.t);
    if (isfinite(t_end) && t_end >= s->now.t - roundoff)
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    if (!isfinite(t_end))
        return trmi_error_set(&s->error, TRM_ERR_RANGE, "the end %g is not a finite time", t_end);
    return trmi_error_set(&s->error, TRM_ERR_RANGE, "the end %g lies before the present time %g",
                          t_end, s->now.t);
}

// A stop much closer than a step is reached by the polynomial of the method, projected onto the
// constraints; the history stays where it is and the next step starts from there. A real step that
// short would drown the velocities in roundoff. The first step after a slight break is a real one:
// the polynomial knows nothing of a load that begins there.
static const double GLIDE = 0.1;

static bool glides(const trm_simulation *s, double t_end)
{
    bool behind_break = s->breaks.passed != 0 && s->history.t[0] <= s->breaks.passed;
    // of sensitivities, which the newest point must have
    bool jumps = s->sensitivity && (s->switches.count > 0 || s->e.user.next_break);
    return s->method->glides && s->rule->adapts && !jumps && !behind_break &&
           t_end - s->history.t[0] < GLIDE * s->control.h;
}

static trm_status glide(trm_simulation *s, double t_end)
{
    trmi_point *p = &s->corrector.point; // becomes `now` if all goes well
    trm_status status = trmi_glide_create(s);
    if (status != TRM_OK)
        return status;
    s->method->dense(s, t_end, p);
    memcpy(p->lambda, s->now.lambda, (size_t)s->e.n_r * sizeof *p->lambda);
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    status = trmi_project_output(s, &s->saddle, p, &s->error);
    if (status == TRM_OK)
        status = trmi_check_dropped_rows(&s->values, p, &s->error);
    if (status == TRM_OK)
        status = trmi_accelerations(&s->manifold, p, &s->error);
    if (status == TRM_OK) {
        memcpy(s->now.a, p->a, (size_t)s->e.n_q * sizeof *p->a);
        trmi_copy_point(&s->e, p, &s->points.glided);
        trmi_move_to(s, TRMI_AT_GLIDE);
    }
    return status;
}

// Step, order and history of a start, and the signs of the events along it. Again after a glide
// from the start: the range is known now.
static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_energy_begin(s);
    trm_status status = s->method->begin(s, t_end);
    if (status == TRM_OK)
        status = trmi_arm_events(s);
    s->control.started = status == TRM_OK;
    return status;
}

static trm_status too_many_steps(trm_simulation *s)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = s->control.h;
    trmi_error_advise(&s->error, trmi_appears_stiff(s)
                                     ? "the system is stiff: use integrator bdf"
                                     : "raise max_steps, loosen the tolerance, or "
                                       "look for a jump in the forces or a fast motion");
    return trmi_error_set(&s->error, TRM_ERR_STEPS, "max_steps = %d are done",
                          s->options.max_steps);
}

// Held values and gaps before a step.
static trm_status prepare(trm_simulation *s, double t_end)
{
    trmi_sensitivities_remember(s);
    trm_status status = trmi_settle_held(s, t_end);
    if (status == TRM_OK)
        status = trmi_meet_switches(s, t_end);
    return status == TRM_OK ? trmi_sensitivities_switch(s, t_end) : status;
}

static trm_status advance(trm_simulation *s, double t_end)
{
    bool first = !s->control.started;
    trm_status status = TRM_OK;
    if (first || trmi_steps_since_start(s) == 0)
        status = begin(s, t_end);
    if (status != TRM_OK)
        return status;
    if (first && s->rule->start && s->method->multistep)
        return s->rule->start(s, t_end);
    t_end = trmi_repetition_limit(s, t_end);
    if (glides(s, t_end) && !trmi_switch_ahead(s, t_end))
        return glide(s, t_end);
    if (s->method->hand_over)
        status = s->method->hand_over(s, t_end, TRM_OK);
    if (status != TRM_OK)
        return status;
    // may lie beyond the newest point: after a glide, and where a method has gone back
    double t_before = s->now.t;
    do {
        status = prepare(s, t_end);
        if (status == TRM_OK)
            status = trmi_step(s, t_end);
        if (status < 0 && s->method->hand_over)
            status = s->method->hand_over(s, t_end, status);
        if (status == TRM_OK && s->now.t <= t_before && s->statistics.steps >= s->options.max_steps)
            return too_many_steps(s);
    } while (status == TRM_OK && s->now.t <= t_before);
    if (status == TRM_OK)
        trmi_energy_update(s);
    return status == TRM_OK ? trmi_rows_follow(s) : status;
}

// breaks in a row with no time between them, before a run is given up
enum { MAX_BREAKS = 100 };

static trm_status too_many_breaks(trm_simulation *s)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trmi_error_advise(&s->error,
                      "search the formulas for floor, mod, sign or a comparison of "
                      "something that runs that fast with t, or write the jump with tanh");
    return trmi_error_set(&s->error, TRM_ERR_RANGE,
                          "at t = %.9g formulas of t jump %d times with no time between: no step "
                          "can end before the next jump",
                          s->now.t, MAX_BREAKS);
}

// A step towards t_end, after the breaks that lie before it.
static trm_status advance_over_breaks(trm_simulation *s, double t_end)
{
    trm_status status = TRM_OK;
    double limit = trmi_break_limit(s, t_end);
    for (int k = 0; status == TRM_OK && s->breaks.crossing; k++) {
        if (k == MAX_BREAKS)
            return too_many_breaks(s);
        status = trmi_cross_break(s);
        if (status == TRM_OK)
            limit = trmi_break_limit(s, t_end);
    }
    if (status != TRM_OK || !(limit > s->now.t))
        return status;
    trmi_extend_derivatives(s, t_end); // excitations have their sizes over the whole run
    return advance(s, limit);
}

// A step, or what is left of the last one after an event; then the events on the way.
static trm_status go_on(trm_simulation *s, double t_end)
{
    double t = s->now.t;
    trm_status status = s->control.started ? trmi_arm_events(s) : TRM_OK;
    if (status != TRM_OK)
        return status;
    trmi_end_detour(s);
    bool left = s->now.t > t || trmi_events_pending(s);
    if (!left && s->statistics.steps >= s->options.max_steps)
        return too_many_steps(s);
    if (!left)
        status = advance_over_breaks(s, t_end);
    if (status == TRM_STOP_EVENT)
        return status;
    trmi_clear_fired(s);
    return status == TRM_OK ? trmi_find_events(s, t_end) : status;
}

trm_status trm_simulation_step(trm_simulation *s, double t_end, double *t_reached)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    trm_status status = check_end(s, t_end);
    if (status == TRM_OK && t_end > s->now.t)
        status = go_on(s, t_end);
    trmi_repetition_update(s, status);
    trmi_update_view(s);
    if (status == TRM_OK) {
        trmi_warnings_update(s);
        trmi_watch_pace(s, t_end);
    }
    if (t_reached)
        *t_reached = s->now.t;
    return status;
}

trm_status trm_simulation_run(trm_simulation *s, double t_end)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    trm_status status = check_end(s, t_end);
    while (status == TRM_OK && s->now.t < t_end) {
        status = trm_simulation_step(s, t_end, NULL);
        if (status == TRM_OK && s->options.progress) {
            const trm_statistics *st = &s->statistics;
            trm_progress p = {s->now.t,       t_end,     st->h_last,
                              st->order_last, st->steps, st->rejected_error + st->rejected_newton};
            if (s->options.progress(&p, s->options.user) != 0)
                return TRM_STOP_USER;
        }
    }
    return status == TRM_OK ? trm_simulation_trust(s) : status;
}
