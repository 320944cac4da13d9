// SPDX-License-Identifier: Apache-2.0
// Which dataset of an HDF5 file holds which channels: in a group with few channels each has its
// own, in a group with many they share one, `values`, with a column for each.
#ifndef TRMI_PROGRAM_FILES_HDF5_LAYOUT_H
#define TRMI_PROGRAM_FILES_HDF5_LAYOUT_H

#include "program/files/writer.h"

// A dataset takes about 0.2 ms when it is created, 0.1 ms when it is flushed, and some kB; many
// take more than in proportion (35 000: minutes and 220 MB). With at most so many in a group a file
// opens in less than a second; a group with more is stored wide. So is one of errors, which would
// otherwise double the time that a file takes.
enum { TRMI_HDF5_NARROW = 200 };

// Names, units and descriptions of a wide group are texts of the length of the longest.
// One that is longer than this would make the others too long: then the group is not wide.
enum { TRMI_HDF5_WIDE_TEXT = 255 };

// The datasets of a wide group.
#define TRMI_HDF5_VALUES "values"
#define TRMI_HDF5_NAMES "names"
#define TRMI_HDF5_UNITS "units"
#define TRMI_HDF5_DESCRIPTIONS "descriptions"

// Rows of a chunk of a dataset with one channel.
enum { TRMI_HDF5_CHUNK = 256 };

// A dataset: the channels order[first] .. order[first + width - 1].
typedef struct trmi_hdf5_part {
    int first, width; // width > 1: wide
} trmi_hdf5_part;

typedef struct trmi_hdf5_layout {
    int *order; // the channels group by group, groups and channels as they came
    trmi_hdf5_part *part;
    int channels, parts;
} trmi_hdf5_layout;

// False when there is no memory; free then too.
bool trmi_hdf5_layout_init(trmi_hdf5_layout *layout, const trmi_channel *channel, int channels);
void trmi_hdf5_layout_free(trmi_hdf5_layout *layout);

// Bytes that a group of so many channels takes in a file with so many rows, at most: chunks without
// compression, and what HDF5 keeps beside them (measured: up to 1.5 kB for a dataset, texts, and a
// column of a wide one 0.5 kB).
double trmi_hdf5_group_bytes(int channels, double rows);
// The same of the group with the errors of so many channels.
double trmi_hdf5_error_bytes(int channels, double rows);
// Bytes of a file without channels and steps, at most, beside the text of its model.
double trmi_hdf5_base_bytes(void);

// Rows of a chunk of a wide dataset, which is then 256 kB at most: large enough to be compressed
// and found quickly, small enough to be written again with each flush. A row is never divided.
int64_t trmi_hdf5_wide_chunk(int64_t width);

#endif
