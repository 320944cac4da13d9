// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/columns.h"

#include "program/files/hdf5/list.h"
#include "program/files/hdf5/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, EVENT_CHUNK = 32 };

// HDF5 needs time that grows with the square of what a flush finds changed, and with the number of
// all datasets. So it is flushed after so many.
enum { BATCH = 1000 };

// ---- life ----

bool trmi_hdf5_columns_init(trmi_hdf5_columns *columns, const trmi_channel *channel, int channels)
{
    *columns = (trmi_hdf5_columns){.row = malloc(((size_t)channels + 1) * sizeof *columns->row),
                                   .name_type = trmi_hdf5_text_type(TRMI_EVENT_NAME),
                                   .text_type = trmi_hdf5_text_type(TRMI_EVENT_TEXT)};
    if (!columns->row || columns->name_type < 0 || columns->text_type < 0 ||
        !trmi_hdf5_layout_init(&columns->layout, channel, channels))
        return false;
    columns->data = calloc((size_t)columns->layout.parts + 1, sizeof *columns->data);
    return columns->data != NULL;
}

// act(column) for each, all of them even when one fails
static bool for_each(trmi_hdf5_columns *c, bool (*act)(trmi_hdf5_column *column))
{
    bool done = act(&c->time);
    for (int k = 0; k < c->layout.parts && c->data; k++)
        done = act(&c->data[k]) && done;
    for (int k = 0; k < TRMI_STEP_COLUMNS; k++)
        done = act(&c->step[k]) && done;
    done = act(&c->event_t) && done;
    done = act(&c->event_name) && done;
    return act(&c->event_text) && done;
}

static bool close_column(trmi_hdf5_column *column)
{
    trmi_column_close(column);
    return true;
}

void trmi_hdf5_columns_close(trmi_hdf5_columns *columns)
{
    for_each(columns, close_column);
}

void trmi_hdf5_columns_release(trmi_hdf5_columns *columns)
{
    trmi_hdf5_columns_close(columns);
    if (columns->name_type >= 0)
        H5Tclose(columns->name_type);
    if (columns->text_type >= 0)
        H5Tclose(columns->text_type);
    trmi_hdf5_layout_free(&columns->layout);
    free(columns->data);
    free(columns->row);
    *columns = (trmi_hdf5_columns){0};
}

// ---- creation ----

static hid_t create_group(hid_t file, const char *name)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

static hid_t create_named_group(hid_t file, const char *name)
{
    trmi_text link = {0};
    trmi_hdf5_add_name(&link, name);
    hid_t group = link.failed ? H5I_INVALID_HID : create_group(file, link.data);
    trmi_text_free(&link);
    return group;
}

static bool create_narrow(trmi_hdf5_column *column, hid_t group, const trmi_channel *channel)
{
    trmi_text link = {0};
    trmi_hdf5_add_name(&link, channel->name);
    bool done =
        !link.failed &&
        trmi_column_create(column, group,
                           &(trmi_column_plan){link.data, H5T_NATIVE_DOUBLE, 1, CHUNK,
                                               channel->unit ? channel->unit : "",
                                               channel->description ? channel->description : ""});
    trmi_text_free(&link);
    return done;
}

enum { NAME, UNIT, DESCRIPTION, WIDE_TEXTS };

// one text of each channel of a wide group; units and descriptions only where there are some
static bool put_texts(hid_t group, int which, const trmi_channel *channel,
                      const trmi_hdf5_layout *layout, const trmi_hdf5_part *part)
{
    static const char *const link[WIDE_TEXTS] = {TRMI_HDF5_NAMES, TRMI_HDF5_UNITS,
                                                 TRMI_HDF5_DESCRIPTIONS};
    const char **text = malloc((size_t)part->width * sizeof *text);
    bool some = which == NAME;
    if (!text)
        return false;
    for (int k = 0; k < part->width; k++) {
        const trmi_channel *c = &channel[layout->order[part->first + k]];
        const char *const all[WIDE_TEXTS] = {c->name, c->unit, c->description};
        text[k] = all[which];
        some = some || (text[k] && *text[k]);
    }
    bool done = !some || trmi_hdf5_put_list(group, link[which], text, part->width);
    free(text);
    return done;
}

static bool create_wide(trmi_hdf5_column *column, hid_t group, const trmi_channel *channel,
                        const trmi_hdf5_layout *layout, const trmi_hdf5_part *part)
{
    const trmi_column_plan plan = {.name = TRMI_HDF5_VALUES,
                                   .type = H5T_NATIVE_DOUBLE,
                                   .width = part->width,
                                   .chunk = trmi_hdf5_wide_chunk(part->width)};
    bool done = trmi_column_create(column, group, &plan);
    for (int which = 0; which < WIDE_TEXTS && done; which++)
        done = put_texts(group, which, channel, layout, part);
    return done;
}

static bool create_channels(trmi_hdf5_columns *c, hid_t file, const trmi_channel *channel)
{
    const trmi_hdf5_layout *layout = &c->layout;
    const char *name = NULL; // of the group
    hid_t group = H5I_INVALID_HID;
    bool done = true;
    for (int k = 0; k < layout->parts && done; k++) {
        const trmi_hdf5_part *part = &layout->part[k];
        const trmi_channel *first = &channel[layout->order[part->first]];
        if (!name || strcmp(first->group, name) != 0) {
            if (group >= 0)
                H5Gclose(group);
            name = first->group;
            group = create_named_group(file, name);
        }
        done =
            group >= 0 && (part->width > 1 ? create_wide(&c->data[k], group, channel, layout, part)
                                           : create_narrow(&c->data[k], group, first));
    }
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static hid_t step_type(int index)
{
    return trmi_step_column_at(index)->whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

static bool create_steps(trmi_hdf5_columns *c, hid_t file)
{
    hid_t group = create_group(file, "solver");
    bool done = group >= 0;
    for (int k = 0; k < TRMI_STEP_COLUMNS && done; k++) {
        const trmi_step_column *about = trmi_step_column_at(k);
        done = trmi_column_create(&c->step[k], group,
                                  &(trmi_column_plan){about->name, step_type(k), 1, CHUNK,
                                                      about->unit, about->description});
    }
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static bool create_events(trmi_hdf5_columns *c, hid_t file)
{
    hid_t group = create_group(file, "events");
    if (group < 0)
        return false;
    const trmi_column_plan t = {"t", H5T_NATIVE_DOUBLE, 1, EVENT_CHUNK, "s", "time"};
    const trmi_column_plan name = {"name", c->name_type, 1, EVENT_CHUNK, NULL, "which event"};
    const trmi_column_plan text = {"text", c->text_type, 1, EVENT_CHUNK, NULL, "what happened"};
    bool done = trmi_column_create(&c->event_t, group, &t) &&
                trmi_column_create(&c->event_name, group, &name) &&
                trmi_column_create(&c->event_text, group, &text);
    H5Gclose(group);
    return done;
}

bool trmi_hdf5_columns_create(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    const trmi_column_plan time = {"time", H5T_NATIVE_DOUBLE, 1, CHUNK, "s", "time"};
    columns->file = file;
    return trmi_column_create(&columns->time, file, &time) &&
           create_channels(columns, file, channel) && create_steps(columns, file) &&
           create_events(columns, file);
}

// ---- opening ----

static bool open_channels(trmi_hdf5_columns *c, hid_t file, const trmi_channel *channel)
{
    trmi_text path = {0};
    bool done = true;
    for (int k = 0; k < c->layout.parts && done; k++) {
        const trmi_hdf5_part *part = &c->layout.part[k];
        const trmi_channel *first = &channel[c->layout.order[part->first]];
        trmi_text_clear(&path);
        trmi_hdf5_add_name(&path, first->group);
        trmi_text_add(&path, "/");
        trmi_hdf5_add_name(&path, part->width > 1 ? TRMI_HDF5_VALUES : first->name);
        done = !path.failed &&
               trmi_column_open(&c->data[k], file, path.data, H5T_NATIVE_DOUBLE, part->width);
    }
    trmi_text_free(&path);
    return done;
}

bool trmi_hdf5_columns_open(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    columns->file = file;
    bool done =
        trmi_column_open(&columns->time, file, "time", H5T_NATIVE_DOUBLE, 1) &&
        open_channels(columns, file, channel) &&
        trmi_column_open(&columns->event_t, file, "events/t", H5T_NATIVE_DOUBLE, 1) &&
        trmi_column_open(&columns->event_name, file, "events/name", columns->name_type, 1) &&
        trmi_column_open(&columns->event_text, file, "events/text", columns->text_type, 1);
    for (int k = 0; k < TRMI_STEP_COLUMNS && done; k++) {
        char path[64];
        snprintf(path, sizeof path, "solver/%s", trmi_step_column_at(k)->name);
        done = trmi_column_open(&columns->step[k], file, path, step_type(k), 1);
    }
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

// The time comes last: then whoever reads finds as many values as times, even after a kill.
bool trmi_hdf5_columns_row(trmi_hdf5_columns *columns, double t, const double *value)
{
    const trmi_hdf5_layout *layout = &columns->layout;
    bool done = true;
    for (int k = 0; k < layout->channels; k++)
        columns->row[k] = value[layout->order[k]];
    for (int k = 0; k < layout->parts && done; k++) {
        trmi_hdf5_column *data = &columns->data[k];
        done = trmi_column_append(data, &columns->row[layout->part[k].first]) &&
               (data->on_file < data->rows || settle(columns));
    }
    return done && trmi_column_append(&columns->time, &t);
}

bool trmi_hdf5_columns_step(trmi_hdf5_columns *columns, const double value[TRMI_STEP_COLUMNS])
{
    bool done = true;
    for (int k = 0; k < TRMI_STEP_COLUMNS && done; k++) {
        bool whole = trmi_step_column_at(k)->whole;
        int64_t integer = whole ? (int64_t)value[k] : 0;
        done = trmi_column_append(&columns->step[k],
                                  whole ? (const void *)&integer : (const void *)&value[k]);
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
    char stored_name[TRMI_EVENT_NAME], stored_text[TRMI_EVENT_TEXT];
    fit(stored_name, sizeof stored_name, name);
    fit(stored_text, sizeof stored_text, text);
    return trmi_column_append(&columns->event_t, &t) &&
           trmi_column_append(&columns->event_name, stored_name) &&
           trmi_column_append(&columns->event_text, stored_text);
}

bool trmi_hdf5_columns_flush(trmi_hdf5_columns *columns)
{
    bool done = true;
    for (int k = 0; k < columns->layout.parts && done; k++)
        if (columns->data[k].on_file < columns->data[k].rows)
            done = trmi_column_flush(&columns->data[k]) && settle(columns);
    for (int k = TRMI_STEP_COLUMNS; k-- > 0 && done;) // their times last
        done = trmi_column_flush(&columns->step[k]);
    columns->written = 0;
    return done && trmi_column_flush(&columns->time) && trmi_column_flush(&columns->event_text) &&
           trmi_column_flush(&columns->event_name) && trmi_column_flush(&columns->event_t) &&
           H5Fflush(columns->file, H5F_SCOPE_LOCAL) >= 0;
}
