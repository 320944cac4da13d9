// SPDX-License-Identifier: Apache-2.0
// A result as a run of the page: which channels, how many rows.
#include "program/view/view_page.h"

#include "program/view/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program/files/file_error.h"

// Numbers in a page: so many take some 5 MB and are read in a second.
static const int64_t NUMBERS_MAX = 2500000;
// The names of a channel and its braces take as much space as so many numbers.
static const int64_t CHANNEL_NUMBERS = 60;
// Rows that a motion has at least, however many bodies move.
static const int64_t FRAMES_MIN = 200;

// Levels of series: times exactly enough for long runs, poses to a millionth of their range, curves
// finer than any screen, errors to some percent.
static const int64_t TIME_LEVELS = (int64_t)1 << 40, POSE_LEVELS = 1 << 20, CURVE_LEVELS = 1 << 16,
                     ERROR_LEVELS = 1 << 9;

// The groups in the order in which they find a place; all others follow.
static const char *const preferred[] = {"body",     "output",   "energy",   "constraint",
                                        "position", "velocity", "reaction", "acceleration"};
enum { PREFERRED = sizeof preferred / sizeof *preferred };

typedef struct view {
    trmi_json *json;
    trmi_result *result;
    int64_t rows, kept; // of the output grid: in the file, in the page
    int64_t steps;      // of the solver: in the file
    double *value;      // kept ones of one channel
    int64_t numbers;    // in the page so far
    trmi_text notes;
} view;

// which row of the file is row k of the page: the first and the last are kept
static int64_t row_of(int64_t k, int64_t kept, int64_t rows)
{
    return kept < 2 ? 0 : (int64_t)llround((double)k * (double)(rows - 1) / (double)(kept - 1));
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// values of a channel that has no more than `count` of the rows yet: errors come after the rows
typedef struct some_rows {
    const double *value;
    int64_t count, rows;
} some_rows;

// NaN stands for rows without a value
static void add_series(view *v, const char *key, some_rows from, int64_t kept,
                       trmi_series_style style)
{
    for (int64_t k = 0; k < kept; k++) {
        int64_t row = row_of(k, kept, from.rows);
        v->value[k] = row < from.count ? from.value[row] : NAN;
    }
    trmi_series_add(v->json, key, v->value, kept, style);
    v->numbers += kept + CHANNEL_NUMBERS;
}

static bool in_group(const view *v, int index, const char *group)
{
    return strcmp(trmi_result_channel(v->result, index)->group, group) == 0;
}

static int count_group(const view *v, const char *group)
{
    int count = 0;
    for (int i = 0; i < trmi_result_channels(v->result); i++)
        count += in_group(v, i, group);
    return count;
}

// "Every 10th row ..." for the reader of the page
static void note(view *v, const char *text)
{
    TRMI_TEXT_ADD(&v->notes, v->notes.length ? " " : "", text);
}

// violations, errors and steps span many powers of ten
static trmi_series_style style_of(const trmi_channel *c)
{
    bool pose = strcmp(c->group, "body") == 0, error = strncmp(c->group, "error/", 6) == 0;
    bool step = strcmp(c->group, "solver") == 0 && strcmp(c->name, "h") == 0;
    return (trmi_series_style){.levels = pose    ? POSE_LEVELS
                                         : error ? ERROR_LEVELS
                                                 : CURVE_LEVELS,
                               .logarithmic = error || step || strcmp(c->group, "constraint") == 0};
}

static trm_status add_channel(view *v, int index, int64_t kept, trm_error *error)
{
    const trmi_channel *c = trmi_result_channel(v->result, index);
    const double *t, *value;
    int64_t count;
    trm_status status = trmi_result_read(v->result, index, &t, &value, &count, error);
    if (status != TRM_OK)
        return status;
    trmi_json_begin_object(v->json, NULL);
    trmi_json_string(v->json, "group", c->group);
    trmi_json_string(v->json, "name", c->name);
    trmi_json_string(v->json, "unit", c->unit);
    if (c->description[0])
        trmi_json_string(v->json, "description", c->description);
    bool solver = strcmp(c->group, "solver") == 0;
    some_rows from = {value, count, solver ? v->steps : v->rows};
    add_series(v, "series", from, kept, style_of(c));
    trmi_json_end(v->json);
    return TRM_OK;
}

// a group as a whole, as long as there is space; what takes a hundredth of it has its place always
static trm_status add_group(view *v, const char *group, int64_t kept, trm_error *error)
{
    int64_t count = count_group(v, group);
    bool poses = strcmp(group, "body") == 0;
    int64_t cost = count * (kept + CHANNEL_NUMBERS);
    if (cost > NUMBERS_MAX / 100 && !poses && v->numbers + cost > NUMBERS_MAX) {
        char text[200];
        snprintf(text, sizeof text, "The %lld channels of group %.60s are left out.",
                 (long long)count, group);
        note(v, text);
        return TRM_OK;
    }
    trm_status status = TRM_OK;
    for (int i = 0; i < trmi_result_channels(v->result) && status == TRM_OK; i++)
        if (in_group(v, i, group))
            status = add_channel(v, i, kept, error);
    return status;
}

// whether a group is one of the preferred, or was met before channel `index`
static bool is_done(const view *v, int index)
{
    const char *group = trmi_result_channel(v->result, index)->group;
    for (int k = 0; k < PREFERRED; k++)
        if (strcmp(preferred[k], group) == 0)
            return true;
    for (int i = 0; i < index; i++)
        if (in_group(v, i, group))
            return true;
    return false;
}

static trm_status add_channels(view *v, int64_t steps, trm_error *error)
{
    trm_status status = TRM_OK;
    trmi_json_begin_array(v->json, "channels");
    for (int k = 0; k < PREFERRED && status == TRM_OK; k++)
        status = add_group(v, preferred[k], v->kept, error);
    for (int i = 0; i < trmi_result_channels(v->result) && status == TRM_OK; i++) {
        const char *group = trmi_result_channel(v->result, i)->group;
        bool solver = strcmp(group, "solver") == 0;
        if (!is_done(v, i))
            status = add_group(v, group, solver ? steps : v->kept, error);
    }
    trmi_json_end(v->json);
    return status;
}

static void add_events(view *v)
{
    trmi_json_begin_array(v->json, "events");
    for (int64_t k = 0; k < trmi_result_events(v->result); k++) {
        double t;
        const char *name, *text;
        trmi_result_event(v->result, k, &t, &name, &text);
        trmi_json_begin_object(v->json, NULL);
        trmi_json_number(v->json, "t", t);
        trmi_json_string(v->json, "name", name);
        trmi_json_string(v->json, "text", text);
        trmi_json_end(v->json);
    }
    trmi_json_end(v->json);
}

static void add_attributes(view *v, const char *path)
{
    const char *const text[] = {"title", "status", "text", "version", "command_line"};
    trmi_json_string(v->json, "path", path);
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        trmi_json_string(v->json, text[k], trmi_result_attribute(v->result, text[k]));
    trmi_json_raw(v->json, "options", trmi_result_attribute(v->result, "options"));
    trmi_json_raw(v->json, "summary", trmi_result_attribute(v->result, "summary"));
    trmi_json_raw(v->json, "scene", trmi_result_attribute(v->result, "scene"));
}

// How many rows the page gets: a motion of many bodies has fewer.
static int64_t choose_frames(view *v, trmi_view_limits limits)
{
    int64_t poses = count_group(v, "body");
    int64_t frames = NUMBERS_MAX / (poses + 40);
    if (frames < FRAMES_MIN)
        frames = FRAMES_MIN;
    if (limits.frames > 0)
        frames = limits.frames;
    if (frames >= v->rows)
        return v->rows;
    char text[200];
    snprintf(text, sizeof text,
             "Shown are %lld of %lld rows; the result file has all of them, --frames changes this.",
             (long long)frames, (long long)v->rows);
    note(v, text);
    return frames;
}

static trm_status add_times(view *v, trmi_view_limits limits, int64_t *steps, trm_error *error)
{
    const double *t, *step_t;
    trm_status status = trmi_result_time(v->result, false, &t, &v->rows, error);
    if (status == TRM_OK)
        status = trmi_result_time(v->result, true, &step_t, &v->steps, error);
    if (status != TRM_OK)
        return status;
    v->kept = choose_frames(v, limits);
    *steps = smaller(v->steps, NUMBERS_MAX / 100);
    if (*steps < v->steps)
        note(v, "Not every step of the solver is shown.");
    v->value = calloc((size_t)(v->kept > *steps ? v->kept : *steps) + 1, sizeof *v->value);
    if (!v->value)
        return trmi_file_error(error, "read", "the result", ENOMEM);
    const trmi_series_style style = {TIME_LEVELS, false};
    add_series(v, "time", (some_rows){t, v->rows, v->rows}, v->kept, style);
    add_series(v, "steps", (some_rows){step_t, v->steps, v->steps}, *steps, style);
    return TRM_OK;
}

trm_status trmi_view_add_result(trmi_json *json, trmi_result *result, const char *path,
                                trmi_view_limits limits, trm_error *error)
{
    view v = {.json = json, .result = result};
    int64_t steps = 0;
    trmi_json_begin_object(json, NULL);
    add_attributes(&v, path);
    trm_status status = add_times(&v, limits, &steps, error);
    if (status == TRM_OK)
        status = add_channels(&v, steps, error);
    add_events(&v);
    trmi_json_string(json, "notes", v.notes.data ? v.notes.data : "");
    trmi_json_end(json);
    trmi_text_free(&v.notes);
    free(v.value);
    return status;
}
