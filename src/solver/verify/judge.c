// SPDX-License-Identifier: Apache-2.0
// The judgement of a comparison: how right the run is, until when, and how its error grows.
#include "solver/verify/verify.h"

#include "base/error.h"
#include "base/options.h"
#include "base/time_digits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The worst channel that decides in a stored row: error over scale[k]; 0: channel k does not
// decide.
static double row_error(const trm_verify *v, int row, const double *scale, int *channel)
{
    const float *e = v->e + (size_t)row * (size_t)v->columns;
    double worst = 0;
    for (int k = 0; k < v->channels; k++)
        if (scale[k] > 0 && (double)e[v->channel[k].judged] > worst * scale[k]) {
            worst = (double)e[v->channel[k].judged] / scale[k];
            *channel = k;
        }
    return worst;
}

// scale of the channels that decide, 0 for others
static void find_scales(const trm_verify *v, double *scale)
{
    for (int k = 0; k < v->channels; k++) {
        int group = v->channel[k].group;
        scale[k] = group >= 0 && v->group[group].decides && !isnan(v->channel[k].error)
                       ? trmi_verify_scale(v, k)
                       : 0;
    }
}

// The largest error until each stored row; returns the number of rows until it exceeds the limit.
static int accumulate(const trm_verify *v, const double *scale, double *error,
                      trm_verify_report *report)
{
    int right = v->stored;
    for (int i = 0; i < v->stored; i++) {
        int channel = -1;
        double e = row_error(v, i, scale, &channel);
        if (e > report->error) {
            report->error = e;
            report->channel = channel;
        }
        error[i] = fmax(report->error, DBL_EPSILON);
        if (report->error > TRM_VERIFY_LIMIT && right == v->stored)
            right = i;
    }
    return right;
}

// What to do where no single cause is known: with constant steps there is no tolerance, and none is
// advised that is refused.
static void advise_tighter(const trm_verify *v, const trm_verify_report *r, trm_error *error)
{
    const double least = trmi_option_named("rtol")->least;
    const double wanted = v->rtol * TRM_VERIFY_LIMIT / (3 * r->error);
    if (v->steps->advice)
        trmi_error_advise(error, "%s", v->steps->advice);
    else if (wanted >= least)
        trmi_error_advise(
            error, "set the tolerance to %.0e, or ask for an accuracy (simulate.accuracy)", wanted);
    else
        trmi_error_advise(error,
                          "no tighter tolerance than %.0e is possible, which is not enough: end "
                          "the run earlier, or name another integrator",
                          least);
}

static void explain_sensitive(const trm_verify_report *r, const char *right, trm_error *error)
{
    trmi_error_advise(error,
                      "compare averages, or end the run earlier: ten times the accuracy "
                      "gives %.2g s more",
                      2.302585 * r->growth_time);
    trmi_error_set(error, TRM_UNTRUSTED,
                   "a companion run disagrees by %.3g %%: %s; neighbouring motions part by a "
                   "factor e every %.2g s: the machine is sensitive, no tolerance helps for long",
                   100 * r->error, right, r->growth_time);
}

static void explain_sudden(const trm_verify *v, const trm_verify_report *r, const char *right,
                           trm_error *error)
{
    bool tighter = !v->steps->advice && v->rtol > trmi_option_named("rtol")->least;
    trmi_error_advise(error, "see what happens there; limit the step (%s)%s", v->steps->limit,
                      tighter ? ", or tighten the tolerance" : "");
    trmi_error_set(error, TRM_UNTRUSTED,
                   "a companion run disagrees by %.3g %%: %s, and suddenly not after it: something "
                   "short was stepped over, or another branch taken",
                   100 * r->error, right);
}

static void explain_steady(const trm_verify *v, const trm_verify_report *r, const char *right,
                           bool neighbours, trm_error *error)
{
    char loose[60];
    snprintf(loose, sizeof loose, "rtol = %.0e is too loose", v->rtol);
    advise_tighter(v, r, error);
    trmi_error_set(error, TRM_UNTRUSTED, "a companion run disagrees by %.3g %%: %s; %s%s",
                   100 * r->error, right,
                   neighbours ? "neighbouring motions stay together, the method is to blame: " : "",
                   v->steps->cause ? v->steps->cause : loose);
}

static void explain(const trm_verify *v, const trm_verify_report *r, bool neighbours,
                    trm_error *error)
{
    char right[80];
    trmi_error_clear(error);
    if (!error)
        return;
    error->t = r->t;
    snprintf(right, sizeof right, "%s t = %.*g",
             r->t_right > v->t[0] ? "right to 1 % until" : "wrong from the start,",
             trmi_time_digits(r->t_right, r->t - r->t_first), r->t_right);
    if (r->growth == TRM_VERIFY_SENSITIVE)
        explain_sensitive(r, right, error);
    else if (r->growth == TRM_VERIFY_SUDDEN)
        explain_sudden(v, r, right, error);
    else
        explain_steady(v, r, right, neighbours, error);
}

// Channels of a run that are right show nothing of what is wrong with it: what rests in the run
// drifts apart in its neighbours, by all that it moves there.
static void leave_out_right(const trm_verify *run, int channels, double *scale)
{
    for (int k = 0; k < channels && k < run->channels; k++)
        if (!(trm_verify_relative_error(run, k) > TRM_VERIFY_LIMIT))
            scale[k] = 0;
}

// Rows of the neighbours until they are as far apart as the limit, where the run is wrong.
static bool find_parting(const trm_verify *v, const trm_verify *run, trm_verify_report *report)
{
    trm_verify_report of_neighbours = {0};
    double *scale = malloc(((size_t)v->channels + (size_t)v->stored + 1) * sizeof *scale);
    if (!scale)
        return false;
    find_scales(v, scale);
    leave_out_right(run, v->channels, scale);
    int near = accumulate(v, scale, scale + v->channels, &of_neighbours);
    int count = near < v->stored ? near + 1 : near;
    bool part = trmi_verify_parts(v->t, scale + v->channels, count, &report->growth_time);
    free(scale);
    return part;
}

trm_status trm_verify_judge(const trm_verify *v, const trm_verify *neighbours,
                            trm_verify_report *report, trm_error *error)
{
    TRMI_REQUIRE(error, v, "verify");
    TRMI_REQUIRE(error, report, "report");
    *report = (trm_verify_report){
        .rows = v->rows, .t = v->t_last, .channel = -1, .open = -1, .trusted = 1};
    report->t_right = v->t_last;
    report->t_first = v->t_first;
    trmi_error_clear(error);
    if (v->stored == 0)
        return TRM_OK;
    double *scale = malloc(((size_t)v->channels + (size_t)v->stored) * sizeof *scale);
    if (!scale)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory to judge a comparison");
    double *largest = scale + v->channels;
    find_scales(v, scale);
    int right = accumulate(v, scale, largest, report);
    report->trusted = right == v->stored;
    report->open = trmi_verify_open(v);
    if (!report->trusted) {
        report->t_right = v->t[right > 0 ? right - 1 : 0];
        if (neighbours && find_parting(neighbours, v, report))
            report->growth = TRM_VERIFY_SENSITIVE;
        else if (trmi_verify_is_sudden(largest, right + 1))
            report->growth = TRM_VERIFY_SUDDEN;
        explain(v, report, neighbours != NULL, error);
    }
    free(scale);
    return report->trusted ? TRM_OK : TRM_UNTRUSTED;
}

static bool is_of_group(const trm_verify *v, int channel, const char *name)
{
    int group = v->channel[channel].group;
    return group >= 0 && strcmp(v->group[group].name, name) == 0;
}

double trm_verify_group_error(const trm_verify *v, const char *name)
{
    double worst = NAN;
    for (int k = 0; v && name && k < v->channels; k++)
        if (is_of_group(v, k, name))
            worst = fmax(worst, trm_verify_relative_error(v, k));
    return worst;
}
