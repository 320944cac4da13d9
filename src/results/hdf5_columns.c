// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_columns.h"

#include "results/hdf5_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, EVENT_CHUNK = 32 };

// HDF5 needs time that grows with the square of what a flush finds changed, and with the number of
// all columns. So it is flushed after so many.
enum { BATCH = 1000 };

// ---- life ----

static hid_t fixed_text(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    return H5I_INVALID_HID;
}

bool trmi_hdf5_columns_init(trmi_hdf5_columns *columns, int channels)
{
    *columns = (trmi_hdf5_columns){.channel = calloc((size_t)channels + 1, sizeof(trmi_column)),
                                   .name_type = fixed_text(TRMI_EVENT_NAME),
                                   .text_type = fixed_text(TRMI_EVENT_TEXT)};
    if (!columns->channel)
        return false;
    columns->channels = channels;
    return columns->name_type >= 0 && columns->text_type >= 0;
}

// act(column) for each, all of them even when one fails
static bool for_each(trmi_hdf5_columns *c, bool (*act)(trmi_column *column))
{
    bool done = act(&c->time);
    for (int k = 0; k < c->channels; k++)
        done = act(&c->channel[k]) && done;
    for (int k = 0; k < TRMI_STEP_COLUMNS; k++)
        done = act(&c->step[k]) && done;
    done = act(&c->event_t) && done;
    done = act(&c->event_name) && done;
    return act(&c->event_text) && done;
}

static bool close_column(trmi_column *column)
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
    free(columns->channel);
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

static hid_t create_or_open_group(hid_t file, const char *name)
{
    trmi_text link = {0};
    hid_t group = H5I_INVALID_HID;
    trmi_hdf5_add_name(&link, name);
    if (!link.failed)
        group = H5Lexists(file, link.data, H5P_DEFAULT) > 0 ? H5Gopen2(file, link.data, H5P_DEFAULT)
                                                            : create_group(file, link.data);
    trmi_text_free(&link);
    return group;
}

static bool create_channel(trmi_column *column, hid_t group, const trmi_channel *channel)
{
    trmi_text link = {0};
    trmi_hdf5_add_name(&link, channel->name);
    bool done =
        !link.failed && trmi_column_create(column, group, link.data, H5T_NATIVE_DOUBLE, CHUNK,
                                           channel->unit ? channel->unit : "",
                                           channel->description ? channel->description : "");
    trmi_text_free(&link);
    return done;
}

static bool create_channels(trmi_hdf5_columns *c, hid_t file, const trmi_channel *channel)
{
    hid_t group = H5I_INVALID_HID;
    bool done = true;
    for (int k = 0; k < c->channels && done; k++) {
        // channels mostly come group by group
        if (k == 0 || strcmp(channel[k].group, channel[k - 1].group) != 0) {
            if (group >= 0)
                H5Gclose(group);
            group = create_or_open_group(file, channel[k].group);
        }
        done = group >= 0 && create_channel(&c->channel[k], group, &channel[k]);
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
        done = trmi_column_create(&c->step[k], group, about->name, step_type(k), CHUNK, about->unit,
                                  about->description);
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
    bool done =
        trmi_column_create(&c->event_t, group, "t", H5T_NATIVE_DOUBLE, EVENT_CHUNK, "s", "time") &&
        trmi_column_create(&c->event_name, group, "name", c->name_type, EVENT_CHUNK, NULL,
                           "which event") &&
        trmi_column_create(&c->event_text, group, "text", c->text_type, EVENT_CHUNK, NULL,
                           "what happened");
    H5Gclose(group);
    return done;
}

bool trmi_hdf5_columns_create(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    columns->file = file;
    return trmi_column_create(&columns->time, file, "time", H5T_NATIVE_DOUBLE, CHUNK, "s",
                              "time") &&
           create_channels(columns, file, channel) && create_steps(columns, file) &&
           create_events(columns, file);
}

// ---- opening ----

static bool open_channels(trmi_hdf5_columns *c, hid_t file, const trmi_channel *channel)
{
    trmi_text path = {0};
    bool done = true;
    for (int k = 0; k < c->channels && done; k++) {
        trmi_text_clear(&path);
        trmi_hdf5_add_name(&path, channel[k].group);
        trmi_text_add(&path, "/");
        trmi_hdf5_add_name(&path, channel[k].name);
        done = !path.failed && trmi_column_open(&c->channel[k], file, path.data, H5T_NATIVE_DOUBLE);
    }
    trmi_text_free(&path);
    return done;
}

bool trmi_hdf5_columns_open(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel)
{
    columns->file = file;
    bool done = trmi_column_open(&columns->time, file, "time", H5T_NATIVE_DOUBLE) &&
                open_channels(columns, file, channel) &&
                trmi_column_open(&columns->event_t, file, "events/t", H5T_NATIVE_DOUBLE) &&
                trmi_column_open(&columns->event_name, file, "events/name", columns->name_type) &&
                trmi_column_open(&columns->event_text, file, "events/text", columns->text_type);
    for (int k = 0; k < TRMI_STEP_COLUMNS && done; k++) {
        char path[64];
        snprintf(path, sizeof path, "solver/%s", trmi_step_column_at(k)->name);
        done = trmi_column_open(&columns->step[k], file, path, step_type(k));
    }
    return done;
}

// ---- data ----

// after a column has written
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
    bool done = true;
    for (int k = 0; k < columns->channels && done; k++)
        done = trmi_column_append(&columns->channel[k], &value[k]) &&
               (columns->channel[k].on_file < columns->channel[k].rows || settle(columns));
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
    for (int k = 0; k < columns->channels && done; k++)
        if (columns->channel[k].on_file < columns->channel[k].rows)
            done = trmi_column_flush(&columns->channel[k]) && settle(columns);
    for (int k = TRMI_STEP_COLUMNS; k-- > 0 && done;) // their times last
        done = trmi_column_flush(&columns->step[k]);
    columns->written = 0;
    return done && trmi_column_flush(&columns->time) && trmi_column_flush(&columns->event_text) &&
           trmi_column_flush(&columns->event_name) && trmi_column_flush(&columns->event_t) &&
           H5Fflush(columns->file, H5F_SCOPE_LOCAL) >= 0;
}
