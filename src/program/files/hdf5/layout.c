// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/layout.h"

#include "program/files/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE_CHUNK = 32768 }; // values

int64_t trmi_hdf5_wide_chunk(int64_t width)
{
    int64_t rows = width < WIDE_CHUNK ? WIDE_CHUNK / width : 1;
    return rows < TRMI_HDF5_CHUNK ? rows : TRMI_HDF5_CHUNK;
}

// bytes of a dataset beside its values, and of a column of a wide one
static const double DATASET = 1500, COLUMN = 500;

double trmi_hdf5_group_bytes(int channels, double rows)
{
    const bool wide = channels > TRMI_HDF5_NARROW;
    double chunk = wide ? (double)trmi_hdf5_wide_chunk(channels) : TRMI_HDF5_CHUNK;
    return channels *
           (ceil(rows / chunk) * chunk * (double)sizeof(double) + (wide ? COLUMN : DATASET));
}

double trmi_hdf5_error_bytes(int channels, double rows)
{
    enum { DATASETS = 4 }; // values and three of texts
    if (channels == 0)
        return 0;
    double chunk = (double)trmi_hdf5_wide_chunk(channels);
    return channels * (ceil(rows / chunk) * chunk * (double)sizeof(float) + COLUMN) +
           DATASETS * DATASET;
}

double trmi_hdf5_base_bytes(void)
{
    // the columns of the steps, three of the events, header and attributes
    return trmi_hdf5_group_bytes(TRMI_STEP_COLUMNS + 3, 1) + 32e3;
}

// a channel to be sorted
typedef struct place {
    const trmi_channel *channel;
    int index, first; // its number, that of the first one of its group
} place;

static int compare_groups(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = strcmp(x->channel->group, y->channel->group);
    return order ? order : x->index - y->index;
}

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->first != y->first ? x->first - y->first : x->index - y->index;
}

// The channels of a group next to each other; the groups in the order of their first channels.
static void sort_places(place *p, const trmi_channel *channel, int channels)
{
    for (int k = 0; k < channels; k++)
        p[k] = (place){&channel[k], k, k};
    qsort(p, (size_t)channels, sizeof *p, compare_groups);
    for (int k = 1; k < channels; k++)
        if (strcmp(p[k].channel->group, p[k - 1].channel->group) == 0)
            p[k].first = p[k - 1].first;
    qsort(p, (size_t)channels, sizeof *p, compare_places);
}

static bool is_short(const char *text)
{
    return !text || strlen(text) <= TRMI_HDF5_WIDE_TEXT;
}

static bool is_wide(const place *p, int count)
{
    bool wide = count > (trmi_channel_is_error(p->channel) ? 1 : TRMI_HDF5_NARROW);
    for (int k = 0; k < count && wide; k++)
        wide = is_short(p[k].channel->name) && is_short(p[k].channel->unit) &&
               is_short(p[k].channel->description);
    return wide;
}

// the datasets for the group that begins at a place; returns the place behind it
static int add_group(trmi_hdf5_layout *layout, const place *p, int first)
{
    int end = first;
    while (end < layout->channels && p[end].first == p[first].first)
        end++;
    int width = is_wide(p + first, end - first) ? end - first : 1;
    for (int k = first; k < end; k += width)
        layout->part[layout->parts++] = (trmi_hdf5_part){k, width};
    return end;
}

bool trmi_hdf5_layout_init(trmi_hdf5_layout *layout, const trmi_channel *channel, int channels)
{
    size_t size = (size_t)channels + 1;
    place *p = malloc(size * sizeof *p);
    *layout = (trmi_hdf5_layout){.order = malloc(size * sizeof *layout->order),
                                 .part = malloc(size * sizeof *layout->part),
                                 .channels = channels};
    bool done = p && layout->order && layout->part;
    if (done) {
        sort_places(p, channel, channels);
        for (int k = 0; k < channels; k++)
            layout->order[k] = p[k].index;
        for (int k = 0; k < channels;)
            k = add_group(layout, p, k);
        trmi_hdf5_part *few = realloc(layout->part, ((size_t)layout->parts + 1) * sizeof *few);
        layout->part = few ? few : layout->part; // wide groups leave most of it empty
    }
    free(p);
    return done;
}

void trmi_hdf5_layout_free(trmi_hdf5_layout *layout)
{
    free(layout->order);
    free(layout->part);
    *layout = (trmi_hdf5_layout){0};
}
