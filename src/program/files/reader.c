// SPDX-License-Identifier: Apache-2.0
// What is common to all formats: finding the format, finding channels, keeping what was read.
#define _POSIX_C_SOURCE 200809L
#include "program/files/reader.h"

#include "base/error.h"
#include "base/nearest.h"
#include "program/files/file_error.h"
#include "program/files/result.h"
#include "program/files/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- filling ----

trm_status trmi_result_no_memory(const trmi_result *result, trm_error *error)
{
    return trmi_file_error(error, "read", result->path, ENOMEM);
}

const char *trmi_result_keep(trmi_result *result, const char *text)
{
    char *copy;
    size_t size = strlen(text) + 1;
    return TRMI_TAKE(&result->memory, copy, size) ? memcpy(copy, text, size) : NULL;
}

// Memory for one more channel. The old arrays stay in the memory: in all as much again.
static bool reserve_channel(trmi_result *r)
{
    if (r->channels < r->capacity)
        return true;
    int capacity = 2 * r->capacity + 16;
    trmi_channel *channel;
    trmi_series *series;
    if (!TRMI_TAKE(&r->memory, channel, capacity) || !TRMI_TAKE(&r->memory, series, capacity))
        return false;
    if (r->channels > 0) {
        memcpy(channel, r->channel, (size_t)r->channels * sizeof *channel);
        memcpy(series, r->series, (size_t)r->channels * sizeof *series);
    }
    r->channel = channel;
    r->series = series;
    r->capacity = capacity;
    return true;
}

bool trmi_result_add_channel(trmi_result *result, const trmi_channel *channel)
{
    trmi_channel copy = {
        trmi_result_keep(result, channel->group), trmi_result_keep(result, channel->name),
        trmi_result_keep(result, channel->unit), trmi_result_keep(result, channel->description)};
    if (!copy.group || !copy.name || !copy.unit || !copy.description || !reserve_channel(result))
        return false;
    result->grid_channels += strcmp(channel->group, "solver") != 0;
    result->channel[result->channels++] = copy;
    return true;
}

// ---- open and close ----

// the reader of the format, found by the first bytes of the file
static const trmi_file_reader *find_reader(const char *path, trm_error *error)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) != 0 || S_ISDIR(about.st_mode)) {
        trmi_file_error(error, "read", path, file ? EISDIR : errno);
        if (file)
            fclose(file);
        return NULL;
    }
    char head[8] = {0};
    size_t length = fread(head, 1, sizeof head, file);
    fclose(file);
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (trmi_formats[k].reader->recognises(head, length))
            return trmi_formats[k].reader;
    trmi_file_error_text(error, "read", path,
                         about.st_size == 0 ? "the file is empty"
                                            : "it is neither an HDF5 file nor a CSV file with t "
                                              "in its first column");
    return NULL;
}

bool trmi_result_recognise(const char *path)
{
    trm_error error;
    return find_reader(path, &error) != NULL;
}

bool trmi_result_is_hdf5(const char *path)
{
    trm_error error;
    return find_reader(path, &error) == &trmi_hdf5_reader;
}

trmi_result *trmi_result_open(const char *path, trm_error *error)
{
    trmi_error_clear(error);
    const trmi_file_reader *reader = find_reader(path, error);
    trmi_result *r = reader ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        if (reader)
            trmi_file_error(error, "read", path, ENOMEM);
        return NULL;
    }
    trmi_memory_init(&r->memory, NULL);
    r->path = trmi_result_keep(r, path);
    trm_status status = r->path ? TRM_OK : trmi_file_error(error, "read", path, ENOMEM);
    if (status == TRM_OK) {
        r->reader = reader;
        status = reader->open(r, error);
    }
    if (status == TRM_OK)
        return r;
    trmi_result_close(r);
    return NULL;
}

void trmi_result_close(trmi_result *result)
{
    if (!result)
        return;
    if (result->reader && result->reader->close)
        result->reader->close(result);
    trmi_memory_release_all(&result->memory);
    free(result);
}

// ---- channels ----

int trmi_result_channels(const trmi_result *result)
{
    return result->channels;
}

const trmi_channel *trmi_result_channel(const trmi_result *result, int index)
{
    return &result->channel[index];
}

// name is "group/name", or the name alone where the channel has no group
static bool is_full_name(const trmi_channel *channel, const char *name)
{
    size_t length = strlen(channel->group);
    if (length == 0)
        return strcmp(channel->name, name) == 0;
    return strncmp(channel->group, name, length) == 0 && name[length] == '/' &&
           strcmp(channel->name, name + length + 1) == 0;
}

// by a short name, which never means errors
static bool is_called(const trmi_channel *channel, const char *name)
{
    return strcmp(channel->name, name) == 0 && !trmi_channel_is_error(channel);
}

static void add_full_name(trmi_text *text, const trmi_channel *channel)
{
    TRMI_TEXT_ADD(text, channel->group, *channel->group ? "/" : "", channel->name);
}

static void report_not_unique(const trmi_result *r, const char *name, trm_error *error)
{
    trmi_text list = {0};
    for (int k = 0; k < r->channels; k++) {
        if (!is_called(&r->channel[k], name))
            continue;
        trmi_text_add(&list, list.length ? ", " : "");
        add_full_name(&list, &r->channel[k]);
    }
    trmi_error_advise(error, "one of %s", list.failed ? "the full names" : list.data);
    trmi_error_set(error, TRM_ERR_RESULT, "channel '%.60s' is not unique", name);
    trmi_text_free(&list);
}

// The nearest of all full names and all short ones.
static void report_unknown(const trmi_result *r, const char *name, trm_error *error)
{
    trmi_text full = {0};
    for (int k = 0; k < r->channels; k++) {
        add_full_name(&full, &r->channel[k]);
        trmi_text_add_bytes(&full, "", 1);
    }
    const char **candidate = malloc(2 * (size_t)(r->channels + 1) * sizeof *candidate);
    const char *place = full.data, *near = NULL;
    if (candidate && !full.failed) {
        for (int k = 0; k < r->channels; k++, place += strlen(place) + 1) {
            candidate[2 * k] = place;
            candidate[2 * k + 1] = r->channel[k].name;
        }
        near = trmi_nearest(name, candidate, 2 * r->channels);
    }
    if (near)
        trmi_error_advise(error, "did you mean %.100s?", near);
    else
        trmi_error_advise(error, "trammel info %.80s --names lists them", r->path);
    trmi_error_set(error, TRM_ERR_RESULT, "there is no channel '%.60s' in %.150s", name, r->path);
    free(candidate);
    trmi_text_free(&full);
}

static bool is_in(const trmi_channel *channel, const char *group)
{
    return strcmp(channel->group, group) == 0;
}

// The channel that a short name means, -1: none or one of several. An acceleration has the name of
// its position, and the pose of a free body that of its coordinates: the position is meant. An
// output may have the name of a force: the output is meant.
static int choose(const trmi_result *r, const char *name, int matches, int first)
{
    int position = -1, others = 0, other = -1;
    for (int k = 0; k < r->channels && matches > 1; k++)
        if (strcmp(r->channel[k].name, name) == 0 && !is_in(&r->channel[k], "force")) {
            other = k;
            others++;
        }
    if (others == 1)
        return other;
    for (int k = 0; k < r->channels && matches > 1; k++) {
        const trmi_channel *c = &r->channel[k];
        if (!is_called(c, name))
            continue;
        if (is_in(c, "position") && position < 0)
            position = k;
        else if (!is_in(c, "acceleration") && !is_in(c, "body"))
            return -1;
    }
    return matches == 1 ? first : position;
}

int trmi_result_find(const trmi_result *result, const char *name, trm_error *error)
{
    int first = -1, matches = 0; // by the short name
    for (int k = 0; k < result->channels; k++) {
        if (is_full_name(&result->channel[k], name))
            return k;
        if (is_called(&result->channel[k], name))
            first = matches++ ? first : k;
    }
    int found = choose(result, name, matches, first);
    if (found >= 0)
        return found;
    trmi_error_clear(error);
    trmi_error_item(error, "%.60s", name);
    if (matches > 1)
        report_not_unique(result, name, error);
    else
        report_unknown(result, name, error);
    return -1;
}

int trmi_result_match(const trmi_result *result, const char *pattern, int from)
{
    bool full = strchr(pattern, '/') != NULL;
    trmi_text name = {0};
    int found = -1;
    for (int k = from; k < result->channels && found < 0; k++) {
        trmi_text_clear(&name);
        if (full)
            add_full_name(&name, &result->channel[k]);
        else
            trmi_text_add(&name, result->channel[k].name);
        if (!name.failed && fnmatch(pattern, name.data ? name.data : "", 0) == 0)
            found = k;
    }
    trmi_text_free(&name);
    return found;
}

int trmi_result_error_of(const trmi_result *result, int index)
{
    const trmi_channel *c = &result->channel[index];
    for (int k = 0; k < result->grid_channels; k++) {
        const trmi_channel *e = &result->channel[k];
        if (trmi_channel_is_error(e) && strcmp(e->name, c->name) == 0 &&
            (!c->group[0] || strcmp(e->group + sizeof TRMI_ERROR_GROUP - 1, c->group) == 0))
            return k;
    }
    return -1;
}

// ---- values ----

trm_status trmi_result_time(trmi_result *result, bool steps, const double **t, int64_t *count,
                            trm_error *error)
{
    trmi_time_axis axis = steps ? TRMI_AXIS_STEPS : TRMI_AXIS_GRID;
    trmi_series *time = &result->time[axis];
    trm_status status = TRM_OK;
    if (!time->value)
        status = result->reader->load_time(result, axis, error);
    *t = time->value;
    *count = status == TRM_OK ? time->count : 0;
    return status;
}

trm_status trmi_result_read(trmi_result *result, int index, const double **t, const double **value,
                            int64_t *count, trm_error *error)
{
    bool steps = index >= result->grid_channels;
    trm_status status = trmi_result_time(result, steps, t, count, error);
    trmi_series *series = &result->series[index];
    if (status == TRM_OK && !series->value)
        status = result->reader->load_channel(result, index, error);
    *value = series->value;
    if (status != TRM_OK)
        *count = 0;
    else if (series->count < *count) // the run was killed in the middle of a flush
        *count = series->count;
    return status;
}

// ---- the rest ----

const char *trmi_result_attribute(const trmi_result *result, const char *name)
{
#define FIND_ATTRIBUTE(field)                                                                      \
    if (strcmp(name, #field) == 0)                                                                 \
        return result->attribute[TRMI_ATTRIBUTE_##field];
    TRMI_ATTRIBUTE_LIST(FIND_ATTRIBUTE)
    return NULL;
}

int64_t trmi_result_events(const trmi_result *result)
{
    return result->events;
}

void trmi_result_event(const trmi_result *result, int64_t index, double *t, const char **name,
                       const char **text)
{
    const trmi_recorded_event *event = &result->event[index];
    *t = event->t;
    *name = event->name;
    *text = event->text;
}
