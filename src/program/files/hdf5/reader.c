// SPDX-License-Identifier: Apache-2.0
// HDF5 results: names, attributes and events are read at once, values when they are asked for.
#include "program/files/file_error.h"
#include "program/files/hdf5/checksum.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/open.h"
#include "program/files/hdf5/text.h"
#include "program/files/hdf5/wide.h"
#include "program/files/result.h"
#include "program/files/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hdf5_source {
    hid_t file;
    trmi_wide *wide; // the groups stored that way
} hdf5_source;

static hid_t file_of(const trmi_result *r)
{
    return ((const hdf5_source *)r->file)->file;
}

// ---- channels ----

typedef struct scan {
    trmi_result *result;
    char *group; // the one being scanned, decoded
    trm_status status;
    trm_error *error;
} scan;

// a copy without the escapes, NULL without memory
static char *decoded(const char *link)
{
    char *name = malloc(strlen(link) + 1);
    if (name)
        trmi_hdf5_decode_name(strcpy(name, link));
    return name;
}

// whether a text has its checksum, if there is one
static bool fits(const char *text, int64_t sum)
{
    return sum == 0 || (text && trmi_text_sum(text) == sum);
}

static void keep_channel(scan *s, const char *link, const char *unit, const char *description)
{
    char *name = decoded(link);
    trmi_channel channel = {s->group, name, unit ? unit : "", description ? description : ""};
    if (!name || !trmi_result_add_channel(s->result, &channel))
        s->status = trmi_result_no_memory(s->result, s->error);
    free(name);
}

// A dataset that cannot be opened is a channel too: reading its values reports it. A unit or
// description that is damaged is replaced by that word.
static herr_t add_channel(hid_t group, const char *link, const H5L_info_t *info, void *user)
{
    (void)info;
    static const char damaged[] = "damaged";
    scan *s = user;
    bool time_of_solver = strcmp(s->group, "solver") == 0 && strcmp(link, "t") == 0;
    if (time_of_solver)
        return 0;
    hid_t dataset = H5Oopen(group, link, H5P_DEFAULT);
    bool other = dataset >= 0 && H5Iget_type(dataset) != H5I_DATASET; // of another program
    hid_t type = dataset >= 0 && !other ? H5Dget_type(dataset) : H5I_INVALID_HID;
    H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool numbers = kind == H5T_FLOAT || kind == H5T_INTEGER;
    int64_t sum[TRMI_SUMS];
    if (!other && (type < 0 || !trmi_hdf5_get_sums(dataset, sum, TRMI_SUMS))) {
        keep_channel(s, link, damaged, damaged);
    } else if (numbers && trmi_hdf5_rows(dataset) >= 0) {
        char *unit = NULL, *description = NULL;
        bool good = trmi_hdf5_get_text(dataset, "units", &unit) &&
                    (unit || trmi_hdf5_get_text(dataset, "unit", &unit)) && // of earlier files
                    trmi_hdf5_get_text(dataset, "description", &description);
        if (good)
            keep_channel(s, link, fits(unit, sum[TRMI_SUM_UNIT]) ? unit : damaged,
                         fits(description, sum[TRMI_SUM_DESCRIPTION]) ? description : damaged);
        else
            s->status = trmi_result_no_memory(s->result, s->error);
        free(unit);
        free(description);
    }
    trmi_hdf5_close(type);
    trmi_hdf5_close(dataset);
    return s->status == TRM_OK ? 0 : -1;
}

// by creation where that was recorded
static herr_t iterate(hid_t group, H5L_iterate_t act, scan *s)
{
    hsize_t start = 0;
    herr_t result = H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &start, act, s);
    if (result >= 0 || s->status != TRM_OK || start > 0)
        return result;
    return H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &start, act, s);
}

static void report_damaged(scan *s, const char *what)
{
    if (s->status == TRM_OK)
        s->status = trmi_file_error_text(s->error, "read", s->result->path,
                                         "the file is damaged (%.100s)", what);
}

// What is in the root and no group is not a channel.
static void scan_group(hid_t file, const char *link, scan *s)
{
    hid_t group = H5Oopen(file, link, H5P_DEFAULT);
    if (group < 0)
        report_damaged(s, link);
    if (group < 0 || H5Iget_type(group) != H5I_GROUP) {
        trmi_hdf5_close(group);
        return;
    }
    hdf5_source *source = s->result->file;
    s->group = decoded(link);
    if (!s->group)
        s->status = trmi_result_no_memory(s->result, s->error);
    else if (trmi_wide_is(group))
        s->status = trmi_wide_add(&source->wide, s->result, group, link, s->group, s->error);
    else if (iterate(group, add_channel, s) < 0)
        report_damaged(s, link);
    free(s->group);
    trmi_hdf5_close(group);
}

// a group of errors, "position" in the group error
static herr_t scan_errors(hid_t group, const char *link, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)info;
    scan *s = user;
    trmi_text path = {0};
    TRMI_TEXT_ADD(&path, TRMI_ERROR_GROUP, link);
    if (path.failed)
        s->status = trmi_result_no_memory(s->result, s->error);
    else
        scan_group(file_of(s->result), path.data, s);
    trmi_text_free(&path);
    return s->status == TRM_OK ? 0 : -1;
}

// every group but those that come later or are not channels
static herr_t scan_link(hid_t file, const char *link, const H5L_info_t *info, void *user)
{
    (void)info;
    scan *s = user;
    if (strcmp(link, "error") == 0) {
        hid_t errors = H5Gopen2(file, link, H5P_DEFAULT);
        if (errors < 0 || iterate(errors, scan_errors, s) < 0)
            report_damaged(s, link);
        trmi_hdf5_close(errors);
    } else if (strcmp(link, "solver") != 0 && strcmp(link, "events") != 0) {
        scan_group(file, link, s);
    }
    return s->status == TRM_OK ? 0 : -1;
}

static trm_status read_channels(trmi_result *r, trm_error *error)
{
    scan s = {.result = r, .status = TRM_OK, .error = error};
    herr_t result = iterate(file_of(r), scan_link, &s);
    if (result < 0)
        report_damaged(&s, "list of names");
    else if (s.status == TRM_OK && H5Lexists(file_of(r), "solver", H5P_DEFAULT) > 0)
        scan_group(file_of(r), "solver", &s);
    return s.status;
}

// ---- attributes ----

static const char *const attribute_names[] = {
#define ATTRIBUTE_NAME(name) #name,
    TRMI_ATTRIBUTE_LIST(ATTRIBUTE_NAME)};

// The texts of the ending have checksums when it has been written. When the machine failed within
// that, some of them can be those of the beginning still.
static bool is_of_beginning(int index, const char *text)
{
    return (index == TRMI_ATTRIBUTE_status && strcmp(text, TRMI_STATUS_RUNNING) == 0) ||
           ((index == TRMI_ATTRIBUTE_text || index == TRMI_ATTRIBUTE_summary) && !*text);
}

static trm_status read_attribute(trmi_result *r, int index, int64_t sum, trm_error *error)
{
    const char *name = attribute_names[index];
    hid_t file = file_of(r);
    char *text;
    bool good = trmi_hdf5_get_text(file, name, &text);
    if (good && !text && (index == TRMI_ATTRIBUTE_model || index == TRMI_ATTRIBUTE_scene))
        good = trmi_hdf5_get_text_dataset(file, name, &text);
    trm_status status = good ? TRM_OK : trmi_result_no_memory(r, error);
    if (!good)
        return status;
    if (!fits(text, sum) && !(text && is_of_beginning(index, text)))
        status = trmi_file_error_text(error, "read", r->path, "the text of %s is damaged", name);
    else if (text && !(r->attribute[index] = trmi_result_keep(r, text)))
        status = trmi_result_no_memory(r, error);
    free(text);
    return status;
}

static trm_status read_attributes(trmi_result *r, trm_error *error)
{
    int64_t sum[TRMI_ATTRIBUTES];
    int finished;
    trm_status status = TRM_OK;
    if (!trmi_hdf5_get_sums(file_of(r), sum, TRMI_ATTRIBUTES))
        return trmi_file_error_text(error, "read", r->path, "the file is damaged (attributes)");
    for (int k = 0; k < TRMI_ATTRIBUTES && status == TRM_OK; k++)
        status = read_attribute(r, k, sum[k], error);
    if (trmi_hdf5_get_integer(file_of(r), "finished", &finished))
        r->attribute[TRMI_ATTRIBUTE_finished] = finished ? "1" : "0";
    return status;
}

// ---- events ----

static int64_t minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static trm_status load(trmi_result *r, const char *path, trmi_series *series, trm_error *error);

// A run that was killed in the middle of a flush may have more texts than times.
static trm_status read_events(trmi_result *r, trm_error *error)
{
    if (H5Lexists(file_of(r), "events", H5P_DEFAULT) <= 0)
        return TRM_OK;
    trmi_series t = {0};
    trm_status status = load(r, "events/t", &t, error);
    if (status != TRM_OK)
        return status;
    trmi_text_list name = trmi_hdf5_get_list(file_of(r), "events/name", &r->memory);
    trmi_text_list text = trmi_hdf5_get_list(file_of(r), "events/text", &r->memory);
    int64_t count = minimum(t.count, minimum(name.count, text.count));
    if ((name.data && text.data && !TRMI_TAKE(&r->memory, r->event, count)) || r->memory.failed)
        return trmi_result_no_memory(r, error);
    if (!name.data || !text.data)
        return trmi_file_error_text(error, "read", r->path, "the events cannot be read");
    for (int64_t k = 0; k < count; k++)
        r->event[k] = (trmi_recorded_event){t.value[k], trmi_text_list_at(&name, k),
                                            trmi_text_list_at(&text, k)};
    r->events = count;
    return TRM_OK;
}

// ---- values ----

static trm_status load(trmi_result *r, const char *path, trmi_series *series, trm_error *error)
{
    hid_t dataset = H5Dopen2(file_of(r), path, H5P_DEFAULT);
    int64_t rows = dataset >= 0 ? trmi_hdf5_rows(dataset) : -1;
    trm_status status = TRM_OK;
    if (rows < 0)
        status = trmi_file_error_text(error, "read", r->path, "%.100s is missing or damaged", path);
    else if (!trmi_hdf5_can_hold(dataset, rows, sizeof *series->value))
        status = trmi_file_error_text(
            error, "read", r->path,
            "%.100s is damaged: the file cannot hold its %" PRId64 " entries", path, rows);
    else if (!TRMI_TAKE(&r->memory, series->value, rows))
        status = trmi_result_no_memory(r, error);
    else if (!trmi_hdf5_read(dataset, H5T_NATIVE_DOUBLE, &(trmi_hdf5_block){0, rows, 0, 1},
                             series->value) ||
             !trmi_hdf5_intact_values(dataset, series->value, rows))
        status = trmi_file_error_text(error, "read", r->path, "%.100s is damaged", path);
    if (status == TRM_OK)
        series->count = rows;
    else
        series->value = NULL;
    trmi_hdf5_close(dataset);
    return status;
}

static trm_status load_channel(trmi_result *r, int index, trm_error *error)
{
    const hdf5_source *source = r->file;
    trmi_wide *wide = trmi_wide_find(source->wide, index);
    if (wide)
        return trmi_wide_load(wide, r, source->file, index, error);
    trmi_text path = {0};
    trmi_hdf5_add_group(&path, r->channel[index].group);
    trmi_text_add(&path, "/");
    trmi_hdf5_add_name(&path, r->channel[index].name);
    trm_status status = path.failed ? trmi_result_no_memory(r, error)
                                    : load(r, path.data, &r->series[index], error);
    trmi_text_free(&path);
    return status;
}

static trm_status load_time(trmi_result *r, trmi_time_axis axis, trm_error *error)
{
    const char *path = axis == TRMI_AXIS_GRID ? "time" : "solver/t";
    return load(r, path, &r->time[axis], error);
}

// ---- interface ----

static trm_status open_result(trmi_result *r, trm_error *error)
{
    hdf5_source *source;
    if (!TRMI_TAKE(&r->memory, source, 1))
        return trmi_result_no_memory(r, error);
    *source = (hdf5_source){trmi_hdf5_open(r->path, error), NULL};
    r->file = source;
    if (source->file < 0)
        return TRM_ERR_RESULT;
    trm_status status = read_channels(r, error);
    if (status == TRM_OK)
        status = read_attributes(r, error);
    return status == TRM_OK ? read_events(r, error) : status;
}

static void close_result(trmi_result *r)
{
    if (r->file && file_of(r) >= 0)
        H5Fclose(file_of(r));
}

static bool recognises(const char *head, size_t length)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    return length >= sizeof signature - 1 && memcmp(head, signature, sizeof signature - 1) == 0;
}

const trmi_file_reader trmi_hdf5_reader = {.recognises = recognises,
                                           .open = open_result,
                                           .load_channel = load_channel,
                                           .load_time = load_time,
                                           .close = close_result};
