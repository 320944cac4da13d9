// SPDX-License-Identifier: Apache-2.0
// Rows of two runs are compared and their errors kept.
#include "solver/verify/verify.h"

#include "base/error.h"
#include "base/grow.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// bytes of errors that are kept; beyond, two rows become one
static const size_t MAX_BYTES = (size_t)64 << 20;
// A difference below so many roundings of 1, or of the value, is roundoff. Positions and velocities
// of a machine in SI units are computed from numbers of about that size.
static const double ROUNDINGS = 1000;
enum { QUATERNION = 4 };

static trm_status no_memory(trm_error *error)
{
    trmi_error_clear(error);
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the comparison with a companion");
}

static bool take_tables(trm_verify *v, const trm_verify_group *group, const int *group_of)
{
    if (!TRMI_TAKE(&v->memory, v->group, v->groups) ||
        !TRMI_TAKE(&v->memory, v->sizes, v->groups) ||
        !TRMI_TAKE(&v->memory, v->channel, v->channels) ||
        !TRMI_TAKE(&v->memory, v->difference, v->channels) ||
        !TRMI_TAKE(&v->memory, v->run, v->channels) ||
        !TRMI_TAKE(&v->memory, v->companion, v->channels))
        return false;
    if (v->groups > 0)
        memcpy(v->group, group, (size_t)v->groups * sizeof *group);
    v->columns = v->channels;
    for (int k = 0; k < v->channels; k++) {
        bool jumps = group_of[k] >= 0 && group[group_of[k]].decides == TRM_VERIFY_DECIDES_PASSED;
        v->channel[k] = (trmi_verify_channel){.group = group_of[k],
                                              .low = INFINITY,
                                              .high = -INFINITY,
                                              .error = NAN,
                                              .judged = jumps ? v->columns++ : k};
    }
    return true;
}

trm_status trm_verify_create(trm_verify **out, const trm_verify_group *group, int groups,
                             const int *group_of, int channels, const trm_options *options,
                             trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, options, "options");
    if (groups > 0)
        TRMI_REQUIRE(error, group, "group");
    if (channels > 0)
        TRMI_REQUIRE(error, group_of, "group_of");
    trmi_memory memory;
    trm_verify *v;
    for (int k = 0; k < channels; k++)
        if (group_of[k] < -1 || group_of[k] >= groups) {
            trmi_error_clear(error);
            return trmi_error_set(error, TRM_ERR_RANGE, "channel %d is in group %d of %d", k,
                                  group_of[k], groups);
        }
    trmi_memory_init(&memory, &options->allocator);
    if (!TRMI_TAKE(&memory, v, 1))
        return no_memory(error);
    *v = (trm_verify){.memory = memory,
                      .groups = groups,
                      .channels = channels,
                      .rtol = options->rtol,
                      .steps = trmi_verify_steps_of(options),
                      .stride = 1,
                      .t_first = NAN,
                      .t_last = NAN};
    if (!take_tables(v, group, group_of)) {
        trm_verify_destroy(v);
        return no_memory(error);
    }
    *out = v;
    return TRM_OK;
}

void trm_verify_destroy(trm_verify *v)
{
    if (!v)
        return;
    free(v->t);
    free(v->e);
    trmi_memory memory = v->memory; // the comparison lies in it
    trmi_memory_release_all(&memory);
}

// ---- rows ----

static bool grow(trm_verify *v)
{
    int capacity = v->capacity, wanted = v->stored + 1;
    size_t width = (size_t)(v->columns > 0 ? v->columns : 1);
    if (wanted <= capacity)
        return true;
    double *t = trmi_grow(v->t, &capacity, wanted, sizeof *t);
    if (!t)
        return false;
    v->t = t;
    float *e = realloc(v->e, (size_t)capacity * width * sizeof *e);
    if (!e)
        return false;
    v->e = e;
    v->capacity = capacity;
    return true;
}

// two stored rows become one with the larger errors
static void thin(trm_verify *v)
{
    size_t n = (size_t)v->columns;
    for (int i = 0; i < v->stored; i++) {
        float *to = v->e + (size_t)(i / 2) * n, *from = v->e + (size_t)i * n;
        for (size_t k = 0; k < n; k++)
            to[k] = i % 2 ? fmaxf(to[k], from[k]) : from[k];
        v->t[i / 2] = v->t[i];
    }
    v->stored = (v->stored + 1) / 2;
    v->stride *= 2;
}

// Differences, those of quaternions after a choice of their common sign.
static void compare(trm_verify *v, const double *run, const double *companion)
{
    double *e = v->difference;
    for (int k = 0; k < v->channels;) {
        int group = v->channel[k].group, next = k + 1;
        double sign = 1, dot = 0;
        if (group >= 0 && v->group[group].measure == TRM_VERIFY_QUATERNION) {
            next = k + QUATERNION < v->channels ? k + QUATERNION : v->channels;
            for (int i = k; i < next; i++)
                dot += run[i] * companion[i];
            sign = dot < 0 ? -1 : 1;
        }
        for (; k < next; k++)
            e[k] = isfinite(run[k]) && isfinite(companion[k]) ? fabs(run[k] - sign * companion[k])
                                                              : NAN;
    }
}

// What the errors of a channel are measured by: its range, or its largest size.
static double motion_of(const trm_verify *v, const trmi_verify_channel *c)
{
    bool size = v->group[c->group].measure == TRM_VERIFY_SIZE;
    return size ? fmax(fabs(c->low), fabs(c->high)) : c->high - c->low;
}

// Notes a value of either run, and what the channel has moved.
static void widen(trm_verify *v, trmi_verify_channel *c, double value)
{
    if (!isfinite(value) || (value >= c->low && value <= c->high))
        return;
    c->low = fmin(c->low, value);
    c->high = fmax(c->high, value);
    trmi_verify_sizes *of = &v->sizes[c->group];
    of->size = fmax(of->size, fmax(fabs(c->low), fabs(c->high)));
    of->motion = fmax(of->motion, motion_of(v, c));
}

// Of the intervals that a channel of both passes since the row before; 0: they meet.
static double distance_passed(const trm_verify *v, int k, const double *run,
                              const double *companion)
{
    if (v->rows == 0 || !isfinite(v->run[k]) || !isfinite(v->companion[k]))
        return v->difference[k];
    double above = fmin(run[k], v->run[k]) - fmax(companion[k], v->companion[k]);
    double below = fmin(companion[k], v->companion[k]) - fmax(run[k], v->run[k]);
    return fmax(fmax(above, below), 0);
}

// The row to write into: a new one, or the last, which stands for several.
static float *next_row(trm_verify *v, double t)
{
    size_t n = (size_t)v->columns;
    bool full = (size_t)v->stored * n * sizeof *v->e > MAX_BYTES;
    if (v->rows % v->stride == 0 && full)
        thin(v);
    if (v->rows % v->stride == 0) {
        if (!grow(v))
            return NULL;
        for (size_t k = 0; k < n; k++)
            v->e[(size_t)v->stored * n + k] = NAN;
        v->stored++;
    }
    v->t[v->stored - 1] = t;
    return v->e + (size_t)(v->stored - 1) * n;
}

// The values of a row of either run count in what the channels move.
static void widen_all(trm_verify *v, const double *value)
{
    for (int k = 0; k < v->channels; k++)
        if (v->channel[k].group >= 0)
            widen(v, &v->channel[k], value[k]);
}

trm_status trm_verify_add(trm_verify *v, double t, const double *run, const double *companion)
{
    if (!v || (v->channels > 0 && !run))
        return TRM_ERR_ARGUMENT;
    if (v->channels > 0)
        widen_all(v, run);
    if (v->channels > 0 && !companion)
        return TRM_OK;
    float *row = next_row(v, t);
    if (!row)
        return TRM_ERR_MEMORY;
    compare(v, run, companion);
    widen_all(v, companion);
    for (int k = 0; k < v->channels; k++) {
        trmi_verify_channel *c = &v->channel[k];
        if (c->group < 0)
            continue;
        row[k] = (float)fmax((double)row[k], v->difference[k]);
        c->error = fmax(c->error, v->difference[k]);
        if (c->judged != k)
            row[c->judged] =
                (float)fmax((double)row[c->judged], distance_passed(v, k, run, companion));
    }
    if (v->channels > 0) {
        memcpy(v->run, run, (size_t)v->channels * sizeof *run);
        memcpy(v->companion, companion, (size_t)v->channels * sizeof *companion);
    }
    v->t_first = v->rows == 0 ? t : v->t_first;
    v->rows++;
    v->t_last = t;
    return TRM_OK;
}

// ---- scales ----

// Errors below this are none: what the tolerance leaves open, and however loose that is no more
// than a hundredth of a motion that is a hundredth of the values. Forces and moments, or speeds and
// rates, come from the same solution: the largest of all counts.
static double noise_of(const trm_verify *v, const trmi_verify_channel *c)
{
    const trm_verify_group *own = &v->group[c->group];
    double size = fmax(fabs(c->low), fabs(c->high));
    double rtol = fmin(v->rtol, TRM_VERIFY_LIMIT * TRM_VERIFY_LIMIT);
    for (int g = 0; g < v->groups && own->measure == TRM_VERIFY_SIZE; g++)
        if (strcmp(v->group[g].name, own->name) == 0)
            size = fmax(size, v->sizes[g].size);
    return fmax(rtol * size, ROUNDINGS * DBL_EPSILON * fmax(1, size));
}

// The largest motion of the channels that one is compared with: those of its unit, or where that is
// not known those of its kind.
static double largest_motion(const trm_verify *v, int group)
{
    const trm_verify_group *own = &v->group[group];
    double motion = v->sizes[group].motion;
    for (int g = 0; g < v->groups && own->decides == TRM_VERIFY_DECIDES_PASSED && own->unit; g++) {
        const trm_verify_group *other = &v->group[g];
        bool kin = own->unit[0] == '\0' && strcmp(other->name, own->name) == 0;
        if (kin || (other->unit && strcmp(other->unit, own->unit) == 0))
            motion = fmax(motion, v->sizes[g].motion);
    }
    return motion;
}

static double scale_of_motion(const trm_verify *v, const trmi_verify_channel *c)
{
    return fmax(motion_of(v, c), TRM_VERIFY_LIMIT * largest_motion(v, c->group));
}

double trmi_verify_scale(const trm_verify *v, int channel)
{
    const trmi_verify_channel *c = &v->channel[channel];
    if (c->group < 0 || !(c->high >= c->low))
        return NAN;
    return fmax(scale_of_motion(v, c), noise_of(v, c) / TRM_VERIFY_LIMIT);
}

double trm_verify_motion(const trm_verify *v, int channel)
{
    bool known = v && channel >= 0 && channel < v->channels && v->channel[channel].group >= 0;
    return known ? motion_of(v, &v->channel[channel]) : NAN;
}

// Where one run rests and the other drifts, both together move no farther than they are apart: that
// is no motion.
int trmi_verify_open(const trm_verify *v)
{
    double worst = TRM_VERIFY_LIMIT;
    int open = -1;
    for (int k = 0; k < v->channels; k++) {
        const trmi_verify_channel *c = &v->channel[k];
        if (c->group < 0 || !v->group[c->group].decides || !(motion_of(v, c) > 1.05 * c->error))
            continue;
        const double share = c->error / scale_of_motion(v, c);
        if (share > worst && c->error <= noise_of(v, c)) {
            worst = share;
            open = k;
        }
    }
    return open;
}

// ---- what was found ----

double trm_verify_error(const trm_verify *v, int channel)
{
    return v && channel >= 0 && channel < v->channels ? v->channel[channel].error : NAN;
}

double trm_verify_relative_error(const trm_verify *v, int channel)
{
    double error = trm_verify_error(v, channel);
    return isnan(error) ? NAN : error / trmi_verify_scale(v, channel);
}

int trm_verify_row(const trm_verify *v, double t, double *error)
{
    if (!v || !error)
        return 0;
    int low = 0, high = v->stored;
    while (low < high) { // the first row at t or later
        int middle = low + (high - low) / 2;
        if (v->t[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = 0; k < v->channels; k++)
        error[k] =
            low < v->stored ? (double)v->e[(size_t)low * (size_t)v->columns + (size_t)k] : NAN;
    return low < v->stored;
}
