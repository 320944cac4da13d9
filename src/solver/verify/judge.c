// SPDX-License-Identifier: Apache-2.0
// The judgement of a comparison: how right the run is, until when, and how its error grows.
#include "solver/verify/verify.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
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

static void explain(const trm_verify *v, const trm_verify_report *r, bool neighbours,
                    trm_error *error)
{
    const char *until = r->t_right > v->t[0] ? "right to 1 % until" : "wrong from the start,";
    trmi_error_clear(error);
    if (!error)
        return;
    error->t = r->t;
    if (r->growth == TRM_VERIFY_SENSITIVE) {
        trmi_error_advise(error,
                          "compare averages, or end the run earlier: ten times the accuracy "
                          "gives %.2g s more",
                          2.302585 * r->growth_time);
        trmi_error_set(error, TRM_UNTRUSTED,
                       "a companion run disagrees by %.3g %%: %s t = %.4g; neighbouring motions "
                       "part by a factor e every %.2g s: the machine is sensitive, no tolerance "
                       "helps for long",
                       100 * r->error, until, r->t_right, r->growth_time);
    } else if (r->growth == TRM_VERIFY_SUDDEN) {
        trmi_error_advise(error, "see what happens there; limit the step (step.max), or tighten "
                                 "the tolerance");
        trmi_error_set(error, TRM_UNTRUSTED,
                       "a companion run disagrees by %.3g %%: %s t = %.4g, and suddenly not after "
                       "it: something short was stepped over, or another branch taken",
                       100 * r->error, until, r->t_right);
    } else {
        trmi_error_advise(error,
                          "set the tolerance to %.0e, or ask for an accuracy (simulate.accuracy)",
                          v->rtol * TRM_VERIFY_LIMIT / (3 * r->error));
        trmi_error_set(error, TRM_UNTRUSTED,
                       "a companion run disagrees by %.3g %%: %s t = %.4g; %srtol = %.0e is too "
                       "loose",
                       100 * r->error, until, r->t_right,
                       neighbours ? "neighbouring motions stay together, the method is to blame: "
                                  : "",
                       v->rtol);
    }
}

// Rows of the neighbours until they are as far apart as the limit.
static bool find_parting(const trm_verify *v, trm_verify_report *report)
{
    trm_verify_report of_neighbours = {0};
    double *scale = malloc(((size_t)v->channels + (size_t)v->stored + 1) * sizeof *scale);
    if (!scale)
        return false;
    find_scales(v, scale);
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
    *report = (trm_verify_report){.rows = v->rows, .t = v->t_last, .channel = -1, .trusted = 1};
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
    if (!report->trusted) {
        report->t_right = v->t[right > 0 ? right - 1 : 0];
        if (neighbours && find_parting(neighbours, report))
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

double trmi_verify_group_share(const trm_verify *v, const char *name, double floor)
{
    double worst = NAN;
    for (int k = 0; k < v->channels; k++) {
        const trmi_verify_channel *c = &v->channel[k];
        if (is_of_group(v, k, name))
            worst = fmax(worst, c->error / (fmax(fabs(c->low), fabs(c->high)) + floor));
    }
    return worst;
}
