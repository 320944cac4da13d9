// SPDX-License-Identifier: Apache-2.0
// The table of a study as HDF5: a dataset for each column, chunked and compressed, with units.
#ifndef TRMI_PROGRAM_STUDY_STUDY_HDF5_H
#define TRMI_PROGRAM_STUDY_STUDY_HDF5_H

#include "program/study/plan.h"
#include "program/study/study_data.h"

#include <hdf5.h>

// Fills a new file. False: HDF5 has the reason.
typedef bool trmi_study_hdf5_put(hid_t file, void *user);

// Writes a file under another name, which replaces what was there when it is complete.
trm_status trmi_study_hdf5_replace(const char *path, trmi_study_hdf5_put *put, void *user,
                                   trm_error *error);
// The file of a table, likewise.
trm_status trmi_study_hdf5_write(const char *path, const trmi_plan *plan,
                                 const trmi_study_data *data, trm_error *error);

// The beginning of such a file: texts of study and model, and where there are whole channels the
// times, *time, to be closed. False: HDF5 has the reason.
bool trmi_study_hdf5_head(hid_t file, const trmi_plan *plan, hid_t *time);
// The path of the dataset of a column.
void trmi_study_hdf5_path(trmi_text *out, const trmi_study_column *column);

#endif
