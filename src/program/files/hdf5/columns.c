// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/columns.h"

#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/scale.h"
#include "program/files/hdf5/text.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = TRMI_HDF5_CHUNK, EVENT_CHUNK = 32, EVENT_COLUMNS = 3 };

// HDF5 needs time that grows with the square of what a flush finds changed, and with the number of
// all datasets. So it is flushed after so many.
enum { BATCH = 1000 };

// ---- life ----

bool trmi_hdf5_columns_init(trmi_hdf5_columns *columns, const trmi_channel *channel, int channels,
                            int errors, bool ascii)
{
    *columns = (trmi_hdf5_columns){.row = malloc(((size_t)channels + 1) * sizeof *columns->row),
                                   .error = malloc(((size_t)errors + 1) * sizeof *columns->error),
                                   .name_type = trmi_hdf5_text_type(TRMI_EVENT_NAME, ascii),
                                   .text_type = trmi_hdf5_text_type(TRMI_EVENT_TEXT, ascii)};
    if (!columns->row || !columns->error || columns->name_type < 0 || columns->text_type < 0 ||
        !trmi_hdf5_layout_init(&columns->layout, channel, channels))
        return false;
    for (int k = 0; k < columns->layout.parts; k++)
        columns->error_parts += columns->layout.part[k].first >= channels - errors;
    int count = trmi_hdf5_first_step(columns) + TRMI_STEP_COLUMNS + EVENT_COLUMNS;
    columns->column = calloc((size_t)count, sizeof *columns->column);
    columns->count = columns->column ? count : 0;
    return columns->column != NULL;
}

void trmi_hdf5_columns_close(trmi_hdf5_columns *columns)
{
    for (int k = 0; k < columns->count; k++)
        trmi_column_close(&columns->column[k]);
}

void trmi_hdf5_columns_release(trmi_hdf5_columns *columns)
{
    trmi_hdf5_columns_close(columns);
    trmi_hdf5_close(columns->name_type);
    trmi_hdf5_close(columns->text_type);
    trmi_hdf5_layout_free(&columns->layout);
    free(columns->column);
    free(columns->row);
    free(columns->error);
    *columns = (trmi_hdf5_columns){0};
}

// ---- creating and opening ----

static trmi_column_plan plan_column(const trmi_hdf5_columns *c, const trmi_channel *channel, int k)
{
    const hid_t number = H5T_NATIVE_DOUBLE;
    if (k == 0)
        return (trmi_column_plan){NULL, "time", number, 1, CHUNK, "s", "time"};
    if (k <= c->layout.parts) {
        const trmi_hdf5_part *part = &c->layout.part[k - 1];
        const trmi_channel *first = &channel[c->layout.order[part->first]];
        const hid_t type = trmi_channel_is_error(first) ? H5T_NATIVE_FLOAT : number;
        if (part->width > 1)
            return (trmi_column_plan){.group = first->group,
                                      .name = TRMI_HDF5_VALUES,
                                      .type = type,
                                      .width = part->width,
                                      .chunk = trmi_hdf5_wide_chunk(part->width)};
        return (trmi_column_plan){first->group,
                                  first->name,
                                  type,
                                  1,
                                  CHUNK,
                                  first->unit ? first->unit : "",
                                  first->description ? first->description : ""};
    }
    k -= trmi_hdf5_first_step(c);
    if (k < TRMI_STEP_COLUMNS) {
        const trmi_step_column *about = trmi_step_column_at(k);
        return (trmi_column_plan){
            "solver",    about->name,       about->whole ? H5T_NATIVE_INT64 : number, 1, CHUNK,
            about->unit, about->description};
    }
    const trmi_column_plan event[EVENT_COLUMNS] = {
        {"events", "t", number, 1, EVENT_CHUNK, "s", "time"},
        {"events", "name", c->name_type, 1, EVENT_CHUNK, NULL, "which event"},
        {"events", "text", c->text_type, 1, EVENT_CHUNK, NULL, "what happened"}};
    return event[k - TRMI_STEP_COLUMNS];
}

static hid_t create_group(hid_t file, const char *name)
{
    trmi_text link = {0};
    trmi_hdf5_add_group(&link, name);
    char *slash = link.failed ? NULL : strchr(link.data, '/');
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE), group = H5I_INVALID_HID;
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (slash) { // the group around it comes first
        *slash = '\0';
        if (H5Lexists(file, link.data, H5P_DEFAULT) == 0)
            trmi_hdf5_close(H5Gcreate2(file, link.data, H5P_DEFAULT, creation, H5P_DEFAULT));
        *slash = '/';
    }
    if (!link.failed)
        group = H5Gcreate2(file, link.data, H5P_DEFAULT, creation, H5P_DEFAULT);
    trmi_hdf5_close(creation);
    trmi_text_free(&link);
    return group;
}

// The names, units and descriptions of a wide group; the last two only where there are some.
static bool put_texts(hid_t group, const trmi_channel *channel, const trmi_hdf5_layout *layout,
                      const trmi_hdf5_part *part)
{
    enum { NAME, UNIT, DESCRIPTION, TEXTS };
    static const char *const link[TEXTS] = {TRMI_HDF5_NAMES, TRMI_HDF5_UNITS,
                                            TRMI_HDF5_DESCRIPTIONS};
    const char **text = malloc((size_t)part->width * sizeof *text);
    bool done = text != NULL;
    for (int which = 0; which < TEXTS && done; which++) {
        bool some = which == NAME;
        for (int k = 0; k < part->width; k++) {
            const trmi_channel *c = &channel[layout->order[part->first + k]];
            const char *const all[TEXTS] = {c->name, c->unit, c->description};
            text[k] = all[which];
            some = some || (text[k] && *text[k]);
        }
        done = !some || trmi_hdf5_put_list(group, link[which], text, part->width);
    }
    free(text);
    return done;
}

// ---- scales ----

// The names of a wide group are the scale of its columns.
static bool name_columns(const trmi_hdf5_columns *c, const trmi_channel *channel, int k, hid_t time)
{
    const trmi_hdf5_part *part = &c->layout.part[k - 1];
    hid_t dataset = c->column[k].dataset, names = H5I_INVALID_HID;
    if (part->width == 1)
        return trmi_hdf5_use_scales(dataset, time, H5I_INVALID_HID);
    trmi_text path = {0};
    trmi_hdf5_add_group(&path, channel[c->layout.order[part->first]].group);
    trmi_text_add(&path, "/" TRMI_HDF5_NAMES);
    if (!path.failed)
        names = H5Dopen2(c->file, path.data, H5P_DEFAULT);
    bool done = names >= 0 && trmi_hdf5_make_scale(names, TRMI_HDF5_NAMES) &&
                trmi_hdf5_use_scales(dataset, time, names) &&
                trmi_hdf5_list_users(names, &dataset, 1, 1);
    trmi_hdf5_close(names);
    trmi_text_free(&path);
    return done;
}

// column `scale` has the times of the columns from `first` to before `end`
static bool share_times(const trmi_hdf5_columns *c, const trmi_channel *channel, int scale,
                        int first, int end)
{
    hid_t time = c->column[scale].dataset;
    hid_t *user = malloc(((size_t)(end - first) + 1) * sizeof *user);
    bool done = user && trmi_hdf5_make_scale(time, scale == 0 ? "time" : "t");
    for (int k = first; k < end && done; k++) {
        user[k - first] = c->column[k].dataset;
        done = scale == 0 ? name_columns(c, channel, k, time)
                          : trmi_hdf5_use_scales(user[k - first], time, H5I_INVALID_HID);
    }
    done = done && trmi_hdf5_list_users(time, user, end - first, 0);
    free(user);
    return done;
}

static bool attach_scales(const trmi_hdf5_columns *c, const trmi_channel *channel)
{
    const int steps = trmi_hdf5_first_step(c), events = steps + TRMI_STEP_COLUMNS;
    return share_times(c, channel, 0, 1, steps) &&
           share_times(c, channel, steps, steps + 1, events) &&
           share_times(c, channel, events, events + 1, c->count);
}

bool trmi_hdf5_columns_create(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    const char *name = NULL; // of the group
    hid_t group = H5I_INVALID_HID;
    bool done = true;
    columns->file = file;
    for (int k = 0; k < columns->count && done; k++) {
        const trmi_column_plan plan = plan_column(columns, channel, k);
        if (plan.group && (!name || strcmp(plan.group, name) != 0)) {
            trmi_hdf5_close(group);
            name = plan.group;
            group = create_group(file, name);
        }
        done = (!name || group >= 0) &&
               trmi_column_create(&columns->column[k], name ? group : file, &plan) &&
               (plan.width == 1 ||
                put_texts(group, channel, &columns->layout, &columns->layout.part[k - 1]));
    }
    trmi_hdf5_close(group);
    return done && attach_scales(columns, channel);
}

bool trmi_hdf5_columns_open(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    trmi_text path = {0};
    bool done = true;
    columns->file = file;
    for (int k = 0; k < columns->count && done; k++) {
        const trmi_column_plan plan = plan_column(columns, channel, k);
        trmi_text_clear(&path);
        if (plan.group) {
            trmi_hdf5_add_group(&path, plan.group);
            trmi_text_add(&path, "/");
        }
        trmi_hdf5_add_name(&path, plan.name);
        done = !path.failed &&
               trmi_column_open(&columns->column[k], file, path.data, plan.type, plan.width);
    }
    trmi_text_free(&path);
    return done;
}

// ---- data ----

// after a dataset was written to
static bool settle(trmi_hdf5_columns *c)
{
    if (++c->written < BATCH)
        return true;
    c->written = 0;
    return H5Fflush(c->file, H5F_SCOPE_LOCAL) >= 0;
}

// A value of a row of the part k.
static bool append(trmi_hdf5_columns *columns, int k, const void *value)
{
    trmi_hdf5_column *data = &columns->column[1 + k];
    return trmi_column_append(data, value) && (data->on_file < data->rows || settle(columns));
}

// The time comes last: then readers find as many values as times, even after a kill.
bool trmi_hdf5_columns_row(trmi_hdf5_columns *columns, double t, const double *value)
{
    const trmi_hdf5_layout *layout = &columns->layout;
    int parts = layout->parts - columns->error_parts;
    int channels = parts < layout->parts ? layout->part[parts].first : layout->channels;
    bool done = true;
    for (int k = 0; k < channels; k++)
        columns->row[k] = value[layout->order[k]];
    for (int k = 0; k < parts && done; k++)
        done = append(columns, k, &columns->row[layout->part[k].first]);
    return done && trmi_column_append(&columns->column[0], &t);
}

bool trmi_hdf5_columns_errors(trmi_hdf5_columns *columns, const double *value)
{
    const trmi_hdf5_layout *layout = &columns->layout;
    int first = layout->parts - columns->error_parts;
    int from = first < layout->parts ? layout->part[first].first : layout->channels;
    bool done = true;
    for (int k = from; k < layout->channels; k++)
        columns->error[k - from] = (float)value[layout->order[k] - from];
    for (int k = first; k < layout->parts && done; k++)
        done = append(columns, k, &columns->error[layout->part[k].first - from]);
    return done;
}

bool trmi_hdf5_columns_step(trmi_hdf5_columns *columns, const double value[TRMI_STEP_COLUMNS])
{
    trmi_hdf5_column *step = &columns->column[trmi_hdf5_first_step(columns)];
    bool done = true;
    for (int k = 0; k < TRMI_STEP_COLUMNS && done; k++) {
        bool whole = trmi_step_column_at(k)->whole;
        int64_t integer = whole ? (int64_t)value[k] : 0;
        done =
            trmi_column_append(&step[k], whole ? (const void *)&integer : (const void *)&value[k]);
    }
    return done;
}

// out := text, cut before the character that does not fit, filled with zeros
static void fit(char *out, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) // inside a character
            length--;
    }
    memset(out, 0, size);
    memcpy(out, text, length);
}

bool trmi_hdf5_columns_event(trmi_hdf5_columns *columns, double t, const char *name,
                             const char *text)
{
    trmi_hdf5_column *event = &columns->column[columns->count - EVENT_COLUMNS];
    char stored_name[TRMI_EVENT_NAME], stored_text[TRMI_EVENT_TEXT];
    fit(stored_name, sizeof stored_name, name);
    fit(stored_text, sizeof stored_text, text);
    return trmi_column_append(&event[0], &t) && trmi_column_append(&event[1], stored_name) &&
           trmi_column_append(&event[2], stored_text);
}

// Backwards: the times of rows, steps and events come after what belongs to them.
bool trmi_hdf5_columns_flush(trmi_hdf5_columns *columns)
{
    bool done = true;
    for (int k = columns->count; k-- > 0 && done;)
        if (columns->column[k].on_file < columns->column[k].rows)
            done = trmi_column_flush(&columns->column[k]) && settle(columns);
    columns->written = 0;
    return done && H5Fflush(columns->file, H5F_SCOPE_LOCAL) >= 0;
}
