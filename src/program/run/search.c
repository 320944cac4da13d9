// SPDX-License-Identifier: Apache-2.0
#include "program/run/search.h"

#include "base/error.h"
#include "base/integrators.h"
#include "base/options.h"

#include <math.h>
#include <stdio.h>

enum { MAX_RUNS = 5 };
// The first tolerance, of the accuracy: most machines reach what is asked for at once.
static const double FIRST = 0.1;
// A line through errors that scatter: the next run aims at half of the error that is asked for.
static const double AIM = 0.5;
// slopes that a method can have; those outside come from errors that scatter
static const double MIN_SLOPE = 0.5, MAX_SLOPE = 1.5;

static double min_rtol(void)
{
    return trmi_option_named("rtol")->least;
}

static void set_tolerance(trmi_search *s, double rtol)
{
    s->options.rtol = s->options.atol = fmax(rtol, min_rtol());
}

void trmi_search_begin(trmi_search *s, const trmi_run_request *request)
{
    const trm_schedule *schedule = trm_model_schedule(request->model);
    *s = (trmi_search){.request = *request,
                       .options = *trm_model_options(request->model),
                       .accuracy = schedule->accuracy,
                       .rtol = NAN,
                       .error = NAN};
    if (!(s->accuracy > 0))
        return;
    s->request.options = &s->options;
    s->request.verify = TRMI_VERIFY_ALWAYS;
    s->request.checkpoint = NULL; // the tolerance is not that of the model
    set_tolerance(s, FIRST * s->accuracy);
}

// The tolerance at which the line reaches the aim.
static double next_tolerance(const trmi_search *s, double error)
{
    double slope = 1, rtol = s->options.rtol;
    if (!isnan(s->error) && s->rtol != rtol && error != s->error)
        slope = log(s->error / error) / log(s->rtol / rtol);
    slope = fmin(fmax(slope, MIN_SLOPE), MAX_SLOPE);
    return rtol * pow(AIM * s->accuracy / error, 1 / slope);
}

static void refuse_trust(const trmi_search *s, trmi_run *run)
{
    if (run->error.status == TRM_UNTRUSTED) // the companion disagrees by more than that
        return;
    run->trusted = false;
    run->error.t = run->accuracy.t;
    if (run->verified) {
        trmi_error_advise(&run->error, "ask for less, or name another integrator");
        trmi_error_set(
            &run->error, TRM_UNTRUSTED,
            "an accuracy of %.1g was asked for, %.2g was reached in %d runs, the last with "
            "rtol = %.1g",
            s->accuracy, run->accuracy.error, s->runs, s->options.rtol);
    } else {
        char why[250];
        trmi_accuracy_explain(run, why, sizeof why);
        trmi_error_set(&run->error, TRM_UNTRUSTED,
                       "an accuracy of %.1g was asked for and could not be verified: %.150s",
                       s->accuracy, why);
    }
}

// The tolerance of the run before once more, whose result remains: a tighter one failed.
static bool return_to_earlier(trmi_search *s, const trmi_run *run)
{
    if (s->returned || isnan(s->rtol) || run->outcome != TRMI_RUN_FAILED ||
        run->stage != TRMI_STAGE_SIMULATION)
        return false;
    char line[200];
    snprintf(line, sizeof line, "the run with rtol = %.1g fails (%s): back to %.1g",
             s->options.rtol, trm_status_text(run->error.status), s->rtol);
    if (s->request.log)
        s->request.log(TRM_LOG_WARNING, line, s->request.log_user);
    s->returned = true;
    set_tolerance(s, s->rtol);
    return true;
}

bool trmi_search_again(trmi_search *s, trmi_run *run)
{
    if (s->accuracy > 0 && return_to_earlier(s, run))
        return true;
    if (!(s->accuracy > 0) || run->outcome != TRMI_RUN_DONE || !run->simulation)
        return false;
    double error = run->accuracy.error;
    bool reached = run->verified && error <= s->accuracy && run->error.status == TRM_OK;
    s->runs++;
    if (reached)
        return false;
    double next = run->verified && error > 0 ? next_tolerance(s, error) : NAN;
    bool tighter = next < s->options.rtol && s->options.rtol > min_rtol() && !s->returned;
    if (!tighter || s->runs == MAX_RUNS) {
        refuse_trust(s, run);
        return false;
    }
    char line[200];
    snprintf(line, sizeof line, "error %.2g at rtol = %.1g, %.1g is asked for: again with %.1g",
             error, s->options.rtol, s->accuracy, fmax(next, min_rtol()));
    if (s->request.log && s->request.log_level >= TRM_LOG_INFO)
        s->request.log(TRM_LOG_INFO, line, s->request.log_user);
    s->rtol = s->options.rtol;
    s->error = error;
    set_tolerance(s, next);
    return true;
}
