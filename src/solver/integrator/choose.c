// SPDX-License-Identifier: Apache-2.0
// integrator = auto: bdf, unless the start shows a small vibration that bdf would follow for long
// and radau-adaptive would leave behind, or many digits are asked for, which high orders reach with
// few steps (docs/which-integrator.md has the measurements).
//
// With s = -zeta w +- i sqrt(1 - zeta^2) w a mode of the system linearised at the start, and a the
// accelerations there, a disturbance leaves the mode vibrating with an amplitude of about
//
//     d = |a| / w^2        compared with the tolerance: d / (rtol |q| + atol) = visible
//
// and bdf follows it until it is no longer visible, for log(visible) / zeta radians. Roundoff of q
// shakes the mode with velocities of about w eps |q|, on which no method takes long steps.
// Nothing here depends on the end of the run: one that is extended goes on with the same method.
#include "solver/integrator/choose.h"

#include "base/integrators.h"
#include "solver/analysis/modes.h"
#include "solver/formulation/policy.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// the linearisation costs less than a short run of bdf up to these
enum { MAX_COORDINATES = 200, MAX_MOBILITY = 20 };
// a step of radau-adaptive costs 10 to 20 of bdf up to these, and replaces as many at MAX_DIGITS
enum { MAX_DIGITS_COORDINATES = 30, MAX_DIGITS_MOBILITY = 4 };
static const double MAX_RTOL = 1e-5;        // looser runs of bdf step over vibrations
static const double MAX_DIGITS = 1e-10;     // rtol and atol from which on high orders pay
static const double VISIBLE = 100;          // between 1 and that bdf may or may not follow it
static const double SMALL = 1e-4;           // d over |q|: w is 100 times the rate of the motion
static const double UNDAMPED = 1e-4;        // zeta of what never dies: both have to follow it
static const double RADIANS = 200;          // followed by bdf for less: cheaper than changing
static const double ROUNDOFF_SHARE = 0.005; // of the tolerance, roundoff in the velocity of a mode

// Size of the numbers at the start: largest |q|, |a|, and the tolerance that goes with |q|.
typedef struct scales {
    double q, a, tolerance;
} scales;

static scales find_scales(const trm_modes *m)
{
    const trm_system *u = &m->e.user;
    double scale = 0;
    for (int i = 0; i < m->e.n_q; i++)
        scale = fmax(scale, u->q_scale ? u->q_scale[i] : 1);
    scales out = {.q = trmi_max_abs(m->point.q, m->e.n_q), .a = m->report.acceleration};
    out.tolerance = m->options.rtol * out.q + m->options.atol * scale;
    return out;
}

// a larger vibration is the motion itself
static bool is_fast(const trm_mode *mode, const scales *s, double d)
{
    return mode->omega > 0 && d <= SMALL * s->q;
}

static double speed_of(const trm_mode *mode)
{
    return hypot(mode->growth, mode->omega);
}

static bool is_clean(const trm_mode *mode, const scales *s)
{
    return speed_of(mode) * DBL_EPSILON * s->q <= ROUNDOFF_SHARE * s->tolerance;
}

static bool is_larger(const trm_system *system, int coordinates, int mobility)
{
    return system->n_q > coordinates || system->n_q - system->n_g - system->n_a > mobility;
}

// Radians for which bdf would follow the mode, 0 when it would not or has to.
static double radians_followed(const trm_mode *mode, const scales *s)
{
    double w = speed_of(mode), d = s->a / (w * w), visible = d / s->tolerance;
    bool vibrates = visible >= VISIBLE && mode->damping >= UNDAMPED;
    return is_fast(mode, s, d) && vibrates && is_clean(mode, s) ? log(visible) / mode->damping : 0;
}

// bdf for as long as no mode asks for more
static void find_vibrations(const trm_modes *m, const scales *s, trmi_choice *choice)
{
    double longest = RADIANS;
    for (int i = 0; i < m->count; i++) {
        const trm_mode *mode = &m->mode[i];
        double radians = radians_followed(mode, s);
        if (radians < longest)
            continue;
        longest = radians;
        choice->integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
        snprintf(choice->because, sizeof choice->because,
                 "a fast mode (%.3g Hz, damping %.2g) is visible at this tolerance: bdf would "
                 "follow %.0f of its cycles",
                 mode->frequency, mode->damping, radians / 6.283185307179586);
    }
}

// Why bdf is taken although many digits are asked for, NULL: there is no reason.
static const char *reason_against_digits(const trm_modes *m, const scales *s)
{
    if (is_larger(&m->e.user, MAX_DIGITS_COORDINATES, MAX_DIGITS_MOBILITY))
        return "long steps do not pay for their cost in a system of this size";
    if (m->e.user.n_switches > 0)
        return "contacts and stops end the long steps that pay at this tolerance";
    if (m->options.h_max < HUGE_VAL)
        return "h_max ends the long steps that pay at this tolerance";
    for (int i = 0; i < m->count; i++) {
        const trm_mode *mode = &m->mode[i];
        double w = speed_of(mode), d = s->a / (w * w);
        if (!is_clean(mode, s))
            return "roundoff in a fast mode is near this tolerance";
        if (is_fast(mode, s, d) && d >= s->tolerance && fabs(mode->damping) < UNDAMPED)
            return "a fast mode that never dies is visible at this tolerance";
    }
    return NULL;
}

static void choose_by_modes(const trm_modes *m, trmi_choice *choice)
{
    const scales s = find_scales(m);
    find_vibrations(m, &s, choice);
    if (choice->integrator != TRM_INTEGRATOR_BDF)
        return;
    bool digits = fmax(m->options.rtol, m->options.atol) <= MAX_DIGITS;
    const char *reason = digits ? reason_against_digits(m, &s)
                                : "no fast mode at the start is worth another method at this "
                                  "tolerance";
    if (!reason) {
        choice->integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
        reason = "at this tolerance its high orders take fewer, longer steps";
    }
    snprintf(choice->because, sizeof choice->because, "%s", reason);
}

// Why bdf is chosen without an analysis of the system, NULL: there is no reason.
static const char *reason_for_bdf(const trm_system *system, const trm_options *o)
{
    if (!trmi_integrator_admits(TRM_INTEGRATOR_RADAU_ADAPTIVE, o) || o->max_order > 0)
        return "other settings ask for it";
    if (!trmi_step_rule_of(o)->adapts)
        return "the step is constant";
    if (o->rtol > MAX_RTOL)
        return "it steps over fast modes at loose tolerances";
    if (is_larger(system, MAX_COORDINATES, MAX_MOBILITY))
        return "a step of it costs least, and the system is large";
    return NULL;
}

trm_status trmi_choose_integrator(trmi_choice *choice, const trm_system *system,
                                  const trm_options *options, const trm_initial *initial,
                                  trm_error *error)
{
    *choice = (trmi_choice){.integrator = TRM_INTEGRATOR_BDF};
    const char *reason = reason_for_bdf(system, options);
    trm_modes *modes = NULL;
    if (!reason) {
        trm_options silent = *options; // the start of the simulation logs it
        silent.log = NULL;
        silent.log_row = NULL;
        trm_status status = trm_modes_create(&modes, system, &silent, initial, 0, error);
        if (status == TRM_ERR_MEMORY)
            return status;
        if (status != TRM_OK) // the start of the simulation will report the error
            reason = "its modes at the start are not known";
    }
    if (reason)
        snprintf(choice->because, sizeof choice->because, "%s", reason);
    else
        choose_by_modes(modes, choice);
    trm_modes_destroy(modes);
    return TRM_OK;
}
